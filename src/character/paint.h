// Maps that artists paint on a character: numbers at its vertices, 0 to 1, taken from vertex colours
// (COLOR_0, COLOR_1, ...) or from attributes of their own (_SOFTNESS).
//
// A map is called ATTRIBUTE or ATTRIBUTE.CHANNEL, a channel being r, g, b, a (or x, y, z, w) or
// luminance. Without a channel, colours and whatever has three or four numbers give their luminance, all
// else its first number. Capitals and the underscore at the beginning may be left out.
#ifndef SN_CHARACTER_PAINT_H
#define SN_CHARACTER_PAINT_H

#include "character/character.h"

#define SN_PAINT_NONE (-1.0f) // the value of vertices whose part has no such attribute

// Values at all vertices of all parts, cut to 0 ... 1, or SN_PAINT_NONE. Fails where no part has the
// attribute, with a list of those that are there.
snStatus snCharacter_ReadPaint(const snCharacter *character, const char *map, float *values,
                               const snContext *context, snError *error);

// The distinct attributes of a character that can serve as maps, in the order of its parts: COLOR_0
// first. Returns how many were written, `most` at most.
int snCharacter_ListPaint(const snCharacter *character, snAttribute *list, int most);

#endif
