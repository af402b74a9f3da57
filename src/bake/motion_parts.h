// Within snMotion_Write: one mesh over all frames.
#ifndef SN_BAKE_MOTION_PARTS_H
#define SN_BAKE_MOTION_PARTS_H

#include "bake/components.h"
#include "bake/motion.h"
#include "bake/ranges.h"

typedef struct snMotionMesh {
    const snSequence *sequence;
    const snSequenceMesh *mesh;
    const snMotionLook *look;
    int vertexCount;      // corners where there are any, else vertices
    const int *triangles; // over these
    double size;          // the longest side of its box in the first frame
    snVec3f *rest;        // [vertexCount], p
    snVec3f *restNormals; // [vertexCount]
    snQuat *turn;         // [frames], R
    snVec3 *place;        // [frames], c
    int targetCount;      // components that are needed
    snWeightRanges ranges;
    float *shares;  // [frames][snWeightRanges_Targets], weights as they are written
    float *targets; // [targetCount][vertexCount] vectors, and their normals
    float *normals;
    const snVec3f *lift, *liftNormal; // [vertexCount], the last target where there is one
    double error;                     // m, left
    // While it is made.
    snComponents components;
    float *weights; // [frames][components.count]
} snMotionMesh;

// From its sequence, mesh and look; everything in the arena. Or of one that goes as a whole, without any of these.
snStatus snMotionMesh_MakeRigid(snMotionMesh *mesh, const snMotionRigid *rigid, int frames,
                                snArena *arena, snError *error);
snStatus snMotionMesh_Make(snMotionMesh *mesh, const snMotionDef *def, snArena *arena,
                           const snContext *context, snError *error);

#endif
