// How large a character is: its height in the file's units, and what those units are likely to be.
#ifndef SN_CHARACTER_SIZE_H
#define SN_CHARACTER_SIZE_H

#include "character/character.h"

typedef struct snSize {
    snBox box;         // around the surface at rest; of a skeleton without one, around its joints
    snBox body;        // around what is the body itself (snCharacter_FindBody)
    double height;     // of it along y, in the file's units; of what lies flat, the longest extent
    double unit;       // metres per unit of the file
    const char *units; // "metres", "centimetres", "millimetres", or "" where the height was given
} snSize;

// Measures a character. Files do not say what their units are
// (glTF's metres are often centimetres), so that of metres, centimetres and millimetres those are
// taken that bring the height nearest to a person's: 0.05 to 17 units are metres, to 540
// centimetres, beyond millimetres. Fails where there is nothing, or nothing finite, to measure.
snStatus snMeasureSize(snSize *size, const snCharacter *character, const snContext *context,
                       snError *error);

// Whether a unit is a metre, by what the height says, or what it is was given: else the character is likely of another size than its numbers say.
bool snSize_IsLikely(const snSize *size);

// Given in metres, the height decides what a unit is.
void snSize_SetHeight(snSize *size, double metres);

// Gravity in the file's units per s².
double snSize_Gravity(const snSize *size);

// How much slower or faster than that of a person flesh of such a height swings. Lengths go as L and
// the times of falling and of strides as √L, so frequencies go as 1/√L: 0.4 (a giant) to 2.5 (a toy).
double snSize_Pace(const snSize *size);

// Makes a character that was read `scale` times as large, in all that it does; before anything is made of it.
snStatus snCharacter_Scale(snCharacter *character, double scale, snError *error);

#endif
