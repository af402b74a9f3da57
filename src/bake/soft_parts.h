// Within the soft writer (soft.h): what its files share. A sample is a frame of a clip, or the middle
// between two frames. Vectors of all vertices of a mesh stand as planes: x of all, y of all, z of all.
#ifndef SN_BAKE_SOFT_PARTS_H
#define SN_BAKE_SOFT_PARTS_H

#include "bake/components.h"
#include "bake/ranges.h"
#include "bake/soft.h"
#include "bake/soft_kernels.h"

// Vertices of a mesh that are one to its normals: same place, same normal.
typedef struct snNormalGroups {
    int count;
    int *of;        // [vertices], which group
    int *first;     // [count + 1], of its triangles in
    int *triangles; // [3 * triangles of the mesh], those around it, by number
    snVec3 *rig;    // [triangles], normals times area in the present sample
    snVec3 *moved;  // the same with flesh
} snNormalGroups;

// One mesh of the file on one node. Vertices of its parts stand one after another.
typedef struct snSoftMeshWork {
    int mesh, node; // file numbers
    int partCount, firstPart;
    int vertexCount;
    int triangleCount;
    int firstVertex; // in the character
    int existing;    // morph targets that the file has
    int firstMorph;
    int primitiveCount;
    bool hasNormals; // any part has
    snNormalGroups groups;

    // Of the present sample, snSoft_SetSample: of all vertices, or of every so-many-th.
    int thinning;   // 1: components are found by all vertices; 3: by every third
    int stride;     // of the entries: 1, or `thinning`
    int entryCount; // vertices 0, stride, 2 stride, ...
    float *matrix;  // [9][entries], blended skinning matrix M, column by column
    float *offset;  // [3][entries], what flesh adds, in world space
    float *wanted;  // [3][entries], d with M d = offset
    float *shift;   // [3][entries], snSoft_FindShift; NULL: the file has no targets for it
    snVec3 *rig;    // [entries], skinned; NULL: nobody asks

    // Of all samples.
    double stretch; // the most that M enlarges, about
    snComponents components;
    float *rows; // [some][3][vertices], samples that wait to be fitted
    int targetCount;
    float *targets;        // [targetCount or more][3][vertices], scaled when written
    float *weights;        // [frames][components]
    float *middleWeights;  // [middles][components]
    snWeightRanges ranges; // of weights
    float *normals;        // [targetCount][3][vertices], or NULL
    snArena fitted;        // owns targets and normals that were fitted; snSoft_Write frees it

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
    const snSoftKernels *kernels;
    int passes; // over all samples, for progress
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
void snSoft_Thin(snSoftWork *work, bool thin); // samples from now on have fewer vertices, or all
void snSoft_SetSample(snSoftWork *work, snSoftSample sample);
snVec3 snSoft_Offset(const snSoftMeshWork *mesh, int entry);
snMat3 snSoft_Matrix(const snSoftMeshWork *mesh, int entry);
// In a middle: by how much the file's own targets, with weights between those of the frames, differ
// from what they should be there, in bind space. Of all vertices.
void snSoft_FindShift(snSoftWork *work, snSoftMeshWork *mesh, snSoftSample at);

// soft_normals.c: what has to be added to the normals in bind space, planes [3][vertices].
snStatus snSoft_GroupNormals(snSoftWork *work, snSoftMeshWork *mesh, snError *error);
void snSoft_FindNormals(snSoftWork *work, snSoftMeshWork *mesh, float *out);

// soft_components.c: components, by fewer vertices of large meshes; weights of the present sample, and
// where those of a sample are kept.
snStatus snSoft_FindComponents(snSoftWork *work, snError *error);
void snSoft_SetWeights(const snSoftWork *work, const snSoftMeshWork *mesh, float *weights);
float *snSoft_Weights(const snSoftWork *work, const snSoftMeshWork *mesh, snSoftSample at);
// Calls `visit` for every sample and mesh, clip after clip in the order of time.
typedef snStatus snSoftVisitFcn(snSoftWork *work, int mesh, snSoftSample at, void *user,
                                snError *error);
snStatus snSoft_Visit(snSoftWork *work, bool middles, snSoftVisitFcn *visit, void *user,
                      snError *error);

// soft_errors.c: the fewest targets, `first` or more, that leave no more than the tolerance in the present
// sample, as far as a piece of the mesh can tell; needs: [pieces].
int snSoft_Need(const snSoftWork *work, const snSoftMeshWork *mesh, const float *weights, int first,
                int *needs);
// Largest |offset - M (Σ_j<k w_j T_j + shift)|² for k targets from `first` to `last`, over all
// samples that were looked at.
typedef struct snSoftLeft {
    int first, last;
    float *squares; // [pieces][last + 1]
} snSoftLeft;
int snSoft_Pieces(const snSoftMeshWork *mesh); // of SN_SOFT_GRAIN vertices
void snSoft_FindLeft(const snSoftWork *work, const snSoftMeshWork *mesh, const float *weights,
                     const float *shift, snSoftLeft *left);
// The same for a middle that has weights between those of the frames.
void snSoft_FindBetween(snSoftWork *work, snSoftMeshWork *mesh, snSoftSample at, snSoftLeft *left);
double snSoft_Left(const snSoftMeshWork *mesh, const snSoftLeft *left, int targets);
// The fewest targets that leave no more than the tolerance, else the last.
int snSoft_FewestTargets(const snSoftWork *work, const snSoftMeshWork *mesh,
                         const snSoftLeft *left);

// soft_fit.c: targets, which of their weights have keys, normals.
snStatus snSoft_ChooseTargets(snSoftWork *work, snError *error);
snStatus snSoft_FitNormals(snSoftWork *work, snError *error);

// soft_write.c
snStatus snSoft_FindRanges(snSoftWork *work, snError *error);
int snSoft_CountTargets(const snSoftMeshWork *mesh); // as they are written
snStatus snSoft_Describe(snSoftWork *work, const snGltfSource *original, snBytes *out,
                         snError *error);

#endif
