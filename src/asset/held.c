#include "asset/held.h"

#include <math.h>
#include <string.h>

static bool isGood(const float *numbers, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= isfinite(numbers[i]) != 0;
    return good;
}

int snHold_Run(const snHold *hold, int *first)
{
    size_t width = (size_t)hold->width, row = hold->cubic ? 3 * width : width;
    size_t value = hold->cubic ? width : 0; // where it begins in a row
    int held = 0, good = -1;
    *first = -1;
    for (int k = 0; k < hold->keyCount && good < 0; k++)
        if (isGood(hold->values + (size_t)k * row, row)) good = k;
    if (good < 0) return hold->keyCount ? -1 : 0;
    for (int k = 0; k < hold->keyCount; k++) {
        float *numbers = hold->values + (size_t)k * row;
        if (isGood(numbers, row)) {
            good = k;
            continue;
        }
        memset(numbers, 0, row * sizeof *numbers);
        memcpy(numbers + value, hold->values + (size_t)good * row + value, width * sizeof *numbers);
        if (held++ == 0) *first = k;
    }
    return held;
}
