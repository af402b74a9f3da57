// Skin weights for a surface and bones: each vertex follows the bones that are near through the
// inside, and the change from one to the next is as wide as the flesh over the bones is thick.
// The equilibrium of heat of Baran and Popović, "Automatic Rigging and Animation of 3D Characters",
// 2007, with distances measured through the inside.
#ifndef SN_CHARACTER_SKIN_WEIGHTS_H
#define SN_CHARACTER_SKIN_WEIGHTS_H

#include "character/solid.h"

#define SN_SKIN_INFLUENCES 4

typedef struct snSkinWeightDef {
    double sharpness; // how fast one bone gives way to the next: 1; 4 is half as wide, 0.25 twice
    int maxCells;     // of the grid in which distances around corners are measured; 200000
    double outside;   // how many times longer a way through the outside counts than one inside; 8.
                      // It decides only where no way through the inside leads to a bone.
    double smallest;  // weights fade to nothing at this; 0.01
} snSkinWeightDef;

snSkinWeightDef snDefaultSkinWeightDef(void);

// Weights of the solid's vertices (welded ones), SN_SKIN_INFLUENCES for each: `joints` are joints of
// the skeleton, `weights` are not negative, fall from first to fourth and sum to 1. A bone leads from
// each joint to each of its children and moves with the joint, so that the last joint of a chain
// carries nothing; a lone joint carries everything.
// What is not enclosed (cards of hair, a cape) takes the bones in sight, else those that are nearest
// by ways that may cross the outside.
snStatus snComputeSkinWeights(int *joints, float *weights, const snSolid *solid,
                              const snSkeleton *skeleton, const snSkinWeightDef *def,
                              const snContext *context, snError *error);

#endif
