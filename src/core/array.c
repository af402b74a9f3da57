#include "core/array.h"

#include <limits.h>
#include <string.h>

bool snArray_ReserveBytes(const snAllocator *allocator, void **data, int count, int *capacity,
                          int needed, size_t elementSize)
{
    if (needed <= *capacity) return true;
    int wanted = *capacity > INT_MAX / 2 ? INT_MAX : 2 * *capacity;
    if (wanted < needed) wanted = needed;
    if (wanted < 16) wanted = 16;
    if ((size_t)wanted > (SIZE_MAX / 2) / elementSize) return false;
    void *memory = allocator->allocate(allocator->user, (size_t)wanted * elementSize);
    if (!memory) return false;
    if (count) memcpy(memory, *data, (size_t)count * elementSize);
    allocator->release(allocator->user, *data);
    *data = memory;
    *capacity = wanted;
    return true;
}

int snCompareDoubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int snCompareInts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int snComparePairs(const void *a, const void *b)
{
    const int *x = a, *y = b;
    int order = snCompareInts(x, y);
    return order ? order : snCompareInts(x + 1, y + 1);
}
