// A bare character with a skeleton set into it and its surface bound to the bones: the result of
// instrumenting, ready to be written, animated and baked.
#ifndef SN_CHARACTER_RIGGED_H
#define SN_CHARACTER_RIGGED_H

#include "character/instrument.h"
#include "character/skin_weights.h"
#include "character/sway.h"

typedef struct snRigDef {
    snSkinWeightDef weights;
    bool addSway; // add the clip SN_SWAY_NAME
    snSwayDef sway;
} snRigDef;

snRigDef snDefaultRigDef(void);

// Fills *rigged (freed with snCharacter_Destroy; on failure there is nothing to free). `bare` has no
// skins; `solid` was made from it by snSolid_FromCharacter. Parts keep normals, texture coordinates,
// colours, materials and morph targets; their nodes' transforms go into their positions, and their
// nodes and clips are left behind.
snStatus snRigCharacter(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                        const snRigPlan *plan, const snRigDef *def, const snContext *context,
                        snError *error);

#endif
