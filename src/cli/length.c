#include "cli/length.h"

#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool snParseLength(const char *text, double *metres)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
    char *end;
    double value = strtod(text, &end);
    if (end == text || !(value > 0) || !isfinite(value)) return false;
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].name)) {
            *metres = value * units[i].metres;
            return true;
        }
    return false;
}

snLengthText snFormatLength(double metres)
{
    snLengthText out;
    bool small = metres < 0.095;
    snprintf(out.text, sizeof out.text, "%.3g %s", small ? 100 * metres : metres,
             small ? "cm" : "m");
    return out;
}

void snPrintSize(const snSize *size)
{
    snLengthText metres = snFormatLength(size->height * size->unit);
    printf("height %.4g units; taken as %s (%s)", size->height, metres.text,
           size->units[0] ? size->units : "as given");
    if (size->units[0] && size->unit != 1) // what they were by the standard of glTF
        printf("; if it is metres, say --height %.3gm", size->height);
    printf("\n");
}
