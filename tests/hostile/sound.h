// What a reader that said yes must keep to: numbers are finite, and indices in range. And a bake: flesh is near.
#ifndef SN_TESTS_HOSTILE_SOUND_H
#define SN_TESTS_HOSTILE_SOUND_H

#include "character/character.h"

snStatus snCheckPoints(const snVec3f *points, int count, const char *what, snError *error);
snStatus snCheckCharacter(const snCharacter *character, snError *error);

// Flesh of a baked character is where its rig is: in no soft clip a vertex is farther from where the clip that it
// was baked from puts it than so many extents of the rig, at rest or in any frame, whichever is largest.
snStatus snCheckNear(const snCharacter *character, double extents, const snContext *context,
                     snError *error);

#endif
