// Lengths with their units, as people write and read them.
#ifndef SN_CLI_LENGTH_H
#define SN_CLI_LENGTH_H

#include "character/size.h"

// "1.8m", "180 cm", "1800mm", "6ft", "72in" in metres; a bare number is in metres. False when it is
// none of these, or not above 0.
bool snParseLength(const char *text, double *metres);

// "1.6 m", "5 cm".
typedef struct snLengthText {
    char text[32];
} snLengthText;
snLengthText snFormatLength(double metres);

// One line: "height 160 units; taken as 1.6 m (centimetres)".
void snPrintSize(const snSize *size);

#endif
