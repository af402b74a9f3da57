// Within the OBJ reader: a surface cut into the meshes of which its file speaks.
#ifndef SN_ASSET_OBJ_SPLIT_H
#define SN_ASSET_OBJ_SPLIT_H

#include "character/character.h"

// Puts one part per section in the place of the character's only part; sections without triangles
// give none. Vertices keep their order within each part; those that several sections use become
// several, those that none uses go. `sectionOf` is of every triangle. Memory comes from the
// character's arena, scratch from the other.
snStatus snObj_Split(snCharacter *character, int sectionCount, const char *const *names,
                     const int *sectionOf, snArena *scratch, snError *error);

#endif
