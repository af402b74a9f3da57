// Within rigged.c and borrow.c: making a skinned character of a bare one.
#ifndef SN_CHARACTER_RIGGED_PARTS_H
#define SN_CHARACTER_RIGGED_PARTS_H

#include "character/rigged.h"

// NULL for NULL, and when memory runs out.
char *snRigged_CopyText(snArena *arena, const char *text);

// Materials, and the parts as they stand at rest, on joint 0 and skin 0, without weights.
snStatus snRigged_CopySurface(snCharacter *out, const snCharacter *in, snError *error);

// Weights of all parts by the bones of a skeleton; skinJoint[j] is joint j's number within the skin,
// NULL: the same.
snStatus snRigged_Bind(snCharacter *out, const snSolid *solid, const snSkeleton *bones,
                       const int *skinJoint, const snSkinWeightDef *def, const snContext *context,
                       snError *error);

#endif
