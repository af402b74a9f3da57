#include "asset/quantity.h"

#include "asset/json_number.h"

#include <math.h>
#include <string.h>

static const struct {
    snQuantity quantity;
    const char *name;
    double factor;
} units[] = {{SN_QUANTITY_LENGTH, "m", 1},
             {SN_QUANTITY_LENGTH, "cm", 0.01},
             {SN_QUANTITY_LENGTH, "mm", 0.001},
             {SN_QUANTITY_LENGTH, "in", 0.0254},
             {SN_QUANTITY_LENGTH, "ft", 0.3048},
             {SN_QUANTITY_TIME, "s", 1},
             {SN_QUANTITY_TIME, "ms", 0.001},
             {SN_QUANTITY_PRESSURE, "Pa", 1},
             {SN_QUANTITY_PRESSURE, "kPa", 1e3},
             {SN_QUANTITY_PRESSURE, "MPa", 1e6},
             {SN_QUANTITY_ANGLE, "rad", 1},
             {SN_QUANTITY_ANGLE, "deg", 0.017453292519943295},
             {SN_QUANTITY_ANGLE, "turn", 6.283185307179586}};

bool snParseQuantity(const char *text, snQuantity quantity, double *value, bool *bare)
{
    double number;
    size_t used = snParseNumber(text, strlen(text), &number);
    if (!used || !isfinite(number)) return false;
    text += used;
    while (*text == ' ')
        text++;
    if (bare) *bare = !*text;
    *value = number;
    if (!*text) return true;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].quantity == quantity && !strcmp(text, units[i].name)) {
            *value = number * units[i].factor;
            return true;
        }
    return false;
}

const char *snQuantity_Units(snQuantity quantity)
{
    static const char *const names[] = {"", "m, cm, mm, in, ft", "s, ms", "Pa, kPa, MPa",
                                        "rad, deg, turn"};
    return names[quantity];
}
