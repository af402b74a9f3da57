// Decimal numbers, read and written the same way on every machine and in every locale.
#ifndef SN_ASSET_JSON_NUMBER_H
#define SN_ASSET_JSON_NUMBER_H

#include <stddef.h>

// Reads a number (sign, digits, fraction, exponent; a leading '+' or '.' is accepted) from the
// beginning of the text. Returns the characters used, 0 when there is no number there. The value
// is the nearest double, ties to even; too large gives infinity, too small zero.
size_t snParseNumber(const char *text, size_t size, double *value);

#define SN_NUMBER_CHARS 32 // enough for every number that snFormat... writes, with its final zero

// The fewest digits that read back as exactly the same double (or float). Returns the length.
// The number must be finite.
int snFormatDouble(char *out, double value);
int snFormatFloat(char *out, float value);

#endif
