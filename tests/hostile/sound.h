// What a reader that said yes must keep to: numbers are finite, and indices in range.
#ifndef SN_TESTS_HOSTILE_SOUND_H
#define SN_TESTS_HOSTILE_SOUND_H

#include "character/character.h"

snStatus snCheckPoints(const snVec3f *points, int count, const char *what, snError *error);
snStatus snCheckCharacter(const snCharacter *character, snError *error);

#endif
