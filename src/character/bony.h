// Which joints are bones: those that carry skin. A file's other nodes are controls, hats and cameras.
#ifndef SN_CHARACTER_BONY_H
#define SN_CHARACTER_BONY_H

#include "character/character.h"

// [joints of the skeleton]: 1 for joints that carry skin, 2 for those where their chains end, 0 for all others. Of a
// skeleton without a surface (a capture) all are 1. Lives in the arena; NULL: out of memory.
unsigned char *snCharacter_BonyJoints(const snCharacter *character, snArena *arena);

#endif
