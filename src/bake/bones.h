// The baked motion as a few added joints with weights, for engines without morph targets.
//
// A jiggle bone b is a child of a joint P that the skin has, at rest relative to it. Vertices give it a
// part w of their weight on P: while the bone rests, nothing changes, in every clip of the file. When it
// moves by L (a rotation and a translation in P's own space), a vertex with bind position q there moves by
//     w G_P (L q - q),      G_P the global matrix of P,
// and the sum of these over its bones has to be what the flesh adds. Bones come one by one, each where
// most is missing; its motion is found by weighted Procrustes fits frame by frame, its weights by least
// squares vertex by vertex, in turns. (After Le and Deng, Smooth skinning decomposition with rigid
// bones, 2012; here restricted to what is added to a rig.)
#ifndef SN_BAKE_BONES_H
#define SN_BAKE_BONES_H

#include "asset/gltf.h"
#include "bake/bake.h"

#define SN_MOST_BONES 256

typedef struct snBonesDef {
    int boneCount;    // at most; fewer where nothing is missing any more
    double tolerance; // of the height: no more bones are made once all is nearer than this
} snBonesDef;
snBonesDef snDefaultBonesDef(void);

typedef struct snBonesReport {
    int boneCount;
    double error;      // of the height: largest distance to the bake, in frames and between them
    double meanError;  // of the height: root mean square
    double meanOffset; // of the height: what it would be without bones
} snBonesReport;

// The original file with bones and a clip "NAME.soft" for every baked clip. A vertex has at most four
// influences (eight where its primitive has more than four already). Meshes without a skin, and those
// that hang on several skins, stay as they are.
snStatus snBones_Write(const snBake *bake, const snBonesDef *def, const snGltfSource *original,
                       snBytes *out, snBonesReport *report, const snContext *context,
                       snError *error);

#endif
