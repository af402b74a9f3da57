// Numbers with units, as people write them: "30 cm", "1.5s", "200 kPa", "90 deg".
#ifndef SN_ASSET_QUANTITY_H
#define SN_ASSET_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum snQuantity {
    SN_QUANTITY_PLAIN,    // no unit
    SN_QUANTITY_LENGTH,   // m, cm, mm, in, ft
    SN_QUANTITY_TIME,     // s, ms
    SN_QUANTITY_PRESSURE, // Pa, kPa, MPa
    SN_QUANTITY_ANGLE,    // rad, deg, turn
} snQuantity;

// The number in metres, seconds, pascals or radians. *bare (may be NULL) becomes true where no unit was given.
// False when there is no such number, or more than it.
bool snParseQuantity(const char *text, snQuantity quantity, double *value, bool *bare);

// "m, cm, mm, in, ft": for messages. "" where there is none.
const char *snQuantity_Units(snQuantity quantity);

#endif
