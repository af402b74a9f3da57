// Moving meshes of any kind as a .glb that every program plays: for each mesh a node that goes the way of the whole,
// and morph targets with weights for what the mesh does beyond that.
//
// The node. Frame f has points x_v; those of the first frame, about their middle, are p_v. The rotation R and the place c with the
// least Σ |R p_v + c - x_v|² are c = the middle of x, and R the rotation nearest to Σ (x_v - c) p_vᵀ (Kabsch, 1976; by
// polar decomposition). What tumbles and flies needs no targets for it.
//     Targets. d_v = Rᵀ(x_v - c) - p_v, rows over all frames, have principal components V_k; weights are w_k = V_k · d
// (components.h), as many as it takes for every vertex in every frame to be within the tolerance. Normals: the changes of unit
// normals, by the same weights, with the least squared error.
#ifndef SN_BAKE_MOTION_H
#define SN_BAKE_MOTION_H

#include "asset/bytes.h"
#include "asset/sequence.h"
#include "character/character.h"

// A mesh that goes and turns as a whole: a node and no targets.
typedef struct snMotionRigid {
    const char *title;
    int vertexCount, triangleCount;
    const snVec3 *points;   // [vertexCount], in its own frame
    const int *triangles;   // [triangleCount * 3]
    float color[3];         // linear
    const snAffine *frames; // [frames of the sequence], rotations and places
} snMotionRigid;

typedef struct snMotionDef {
    double tolerance; // of a mesh's size: largest distance to its points, any vertex in any frame
    int mostTargets;  // per mesh, up to 1000; the error this leaves is reported
    int rigidCount;
    const snMotionRigid *rigids; // [rigidCount], behind the sequence's meshes
} snMotionDef;
snMotionDef snDefaultMotionDef(void); // 0.002, 64, none

// What a mesh of a sequence looks like.
typedef struct snMotionLook {
    // Where the surface has creases a vertex has several corners, each with a normal of its own.
    int cornerCount;      // 0: none has
    const int *corner;    // [cornerCount], their vertices
    const int *triangles; // [triangleCount * 3], over corners; NULL: the sequence's own
    float color[3];       // linear
    const float *colors;  // [vertexCount * 4], linear; NULL: `color` everywhere
    // Parts with materials, pictures and places in them, whose vertices these are, all parts one after another; NULL: none.
    const snCharacter *character;
} snMotionLook;

typedef struct snMotionReport {
    int meshCount, targetCount, mostTargets; // targets of all meshes together, and of one
    double error; // of a mesh's size: what is left, at most, in any frame
} snMotionReport;

// `looks` as the sequence's meshes. Meshes without triangles are left out.
snStatus snMotion_Write(const snSequence *sequence, const snMotionLook *looks,
                        const snMotionDef *def, snBytes *out, snMotionReport *report,
                        const snContext *context, snError *error);

#endif
