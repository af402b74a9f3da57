#include "cli/length.h"

#include "asset/quantity.h"
#include "core/core.h"

#include <stdio.h>
#include <string.h>

bool snParseLength(const char *text, double *metres)
{
    double value;
    bool good = snParseQuantity(text, SN_QUANTITY_LENGTH, &value, NULL) && value > 0;
    if (good) *metres = value;
    return good;
}

// With so many digits, and in full where that is a few more: 1800, not 1.8e+03.
static snLengthText formatNumber(double number, int digits)
{
    snLengthText out;
    bool full = number >= 1000 && number < 1e6;
    if (full)
        snprintf(out.text, sizeof out.text, "%.0f", number);
    else
        snprintf(out.text, sizeof out.text, "%.*g", digits, number);
    return out;
}

snLengthText snFormatLength(double metres)
{
    bool small = metres < 0.095;
    snLengthText out = formatNumber(small ? 100 * metres : metres, 3);
    snprintf(out.text + strlen(out.text), sizeof out.text - strlen(out.text), "%s",
             small ? " cm" : " m");
    return out;
}

void snPrintSize(const snSize *size)
{
    snLengthText metres = snFormatLength(size->height * size->unit);
    printf("height %s units; taken as %s (%s)", formatNumber(size->height, 4).text, metres.text,
           size->units[0] ? size->units : "as given");
    if (!snSize_IsLikely(size)) // metres, by the standard of glTF
        printf("; if it is metres, say --height %sm", formatNumber(size->height, 3).text);
    printf("\n");
}
