// Within the soft writer (soft.h): what its files share. A sample is a frame of a clip, or the middle
// between two frames. Vectors of all vertices of a mesh stand as planes: x of all, y of all, z of all.
#ifndef SN_BAKE_SOFT_PARTS_H
#define SN_BAKE_SOFT_PARTS_H

#include "bake/components.h"
#include "bake/soft.h"

// Vertices of a mesh that are one to its normals: same place, same normal.
typedef struct snNormalGroups {
    int count;
    int *of;             // [vertices], which group
    snVec3 *rig, *moved; // [count], of the surface in the present sample
} snNormalGroups;

// One mesh of the file on one node. Vertices of its parts stand one after another.
typedef struct snSoftMeshWork {
    int mesh, node; // file numbers
    int partCount, firstPart;
    int vertexCount;
    int firstVertex; // in the character
    int existing;    // morph targets that the file has
    int firstMorph;
    int primitiveCount;
    bool hasNormals; // any part has
    snNormalGroups groups;

    // Of the present sample, snSoft_SetSample.
    snMat3 *matrix; // [vertices], blended skinning matrix M
    snVec3 *rig;    // [vertices], skinned
    snVec3 *offset; // [vertices], what flesh adds, in world space
    float *wanted;  // [3][vertices], d with M d = offset
    snVec3 *shift;  // [vertices], snSoft_FindShift; NULL: the file has no targets for it

    // Of all samples.
    double stretch;          // the most that M enlarges, about
    snComponents components; // targets are the first `targetCount`, scaled when written
    int targetCount;
    float *weights;       // [frames][components]
    float *middleWeights; // [middles][components]
    float *lows;          // [components], lowest weight, 0 at most
    float *scales;        // [components], from there to the highest
    bool lifted;          // some are below 0, and one target more is written: soft_write.c
    float *normals;       // [targetCount][3][vertices], or NULL

    // Largest distance to the bake after skinning, in world units.
    double keyError;       // in samples with weights of their own
    double *betweenErrors; // [clips], in middles with weights between those of the frames
} snSoftMeshWork;

typedef struct snSoftWork {
    const snBake *bake;
    const snSoftDef *def;
    const snContext *context;
    snArena arena;
    int frameCount;   // of all clips together
    int middleCount;  // 0 when the bake has none
    int *firstFrame;  // [clips]
    int *firstMiddle; // [clips]
    bool *dense;      // [clips], weights have keys in the middles too
    int meshCount;
    snSoftMeshWork *meshes;
    snPose pose;
    double *morphs;       // [frames + middles][character morphs]: the file's own weights
    snAffine **skins;     // [skins][joints], global times inverse bind
    const snVec3f *baked; // [character vertices], of the present sample
} snSoftWork;

// A sample of a clip: frame k, or the middle behind it.
typedef struct snSoftSample {
    int clip; // of the bake
    int frame;
    bool middle;
} snSoftSample;

// soft.c: meshes, and memory for samples.
snStatus snSoft_Begin(snSoftWork *work, snError *error);

// soft_sample.c: pose, rig and corrections in bind space.
void snSoft_SetSample(snSoftWork *work, snSoftSample sample);
// In a middle: by how much the file's own targets, with weights between those of the frames, differ
// from what they should be there, in bind space.
void snSoft_FindShift(snSoftWork *work, snSoftMeshWork *mesh, snSoftSample at);
snStatus snSoft_GroupNormals(snSoftWork *work, snSoftMeshWork *mesh, snError *error);
// What has to be added to the normals in bind space, planes [3][vertices].
void snSoft_FindNormals(snSoftWork *work, snSoftMeshWork *mesh, float *out);

// soft_fit.c: components, weights, errors, normals.
snStatus snSoft_FindComponents(snSoftWork *work, snError *error);
snStatus snSoft_ChooseTargets(snSoftWork *work, snError *error);
snStatus snSoft_FitNormals(snSoftWork *work, snError *error);

// soft_write.c
snStatus snSoft_FindRanges(snSoftWork *work, snError *error);
int snSoft_CountTargets(const snSoftMeshWork *mesh); // as they are written
snStatus snSoft_Describe(snSoftWork *work, const snGltfSource *original, snBytes *out,
                         snError *error);

#endif
