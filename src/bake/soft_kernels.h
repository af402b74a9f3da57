// Within the soft writer: the loops over vertices that take most of its time. Vectors of all entries of a
// mesh stand as planes (soft_parts.h); lanes see the same operations at any width.
#ifndef SN_BAKE_SOFT_KERNELS_H
#define SN_BAKE_SOFT_KERNELS_H

#include "character/character.h"

#define SN_SOFT_GRAIN 1024 // vertices in a piece of work

// A part of a mesh in a sample: where it is read and written.
typedef struct snSoftPart {
    const snPart *part;
    const snAffine *joints; // [joints of the part's skin], global times inverse bind
    const snAffine *node;   // of a part without a skin
    const double *morphs;   // of the character
    const snVec3f *baked;   // [vertices of the mesh]
    int first;              // of the part's vertices within the mesh
    int stride;             // entry i of the mesh is its vertex i * stride
    size_t entryCount;      // of the mesh: planes are so long
    float *matrix, *offset, *wanted;
    snVec3 *rig; // or NULL
} snSoftPart;

// Some targets and their weights on the entries begin ... begin + count of a mesh.
typedef struct snSoftSum {
    const float *targets; // [last][3][entryCount]
    size_t entryCount;
    const float *weights; // [last]
    size_t begin;
    int count; // at most SN_SOFT_GRAIN
    int first, last;
    const float *matrix, *offset; // planes of the mesh
    const float *shift;           // [3][entryCount] that is added to the targets, or NULL
} snSoftSum;

// Rows times numbers.
typedef struct snRowSum {
    const float *rows;
    size_t stride; // from one to the next
    const float *products;
    int count;
} snRowSum;

// Normals of some vertices side by side, planes of SN_NORMAL_LANES.
#define SN_NORMAL_LANES 64

static inline snVec3 snPlanes_At(const double *planes, int i)
{
    return (snVec3){planes[i], planes[SN_NORMAL_LANES + i], planes[2 * SN_NORMAL_LANES + i]};
}

static inline void snPlanes_Put(double *planes, int i, snVec3 v)
{
    planes[i] = v.x;
    planes[SN_NORMAL_LANES + i] = v.y;
    planes[2 * SN_NORMAL_LANES + i] = v.z;
}

typedef struct snNormalBlock {
    double m[9 * SN_NORMAL_LANES];      // M, column by column
    double own[3 * SN_NORMAL_LANES];    // in bind space, n
    double before[3 * SN_NORMAL_LANES]; // of the rig's triangles around it, a
    double after[3 * SN_NORMAL_LANES];  // of the soft ones, b
    double change[3 * SN_NORMAL_LANES]; // what has to be added to n
    double along[SN_NORMAL_LANES];      // cosine of the angle between a and b
} snNormalBlock;

typedef struct snSoftKernels {
    // Matrices, offsets and wanted corrections of the entries begin ... end.
    void (*correct)(const snSoftPart *part, int begin, int end);
    // left[k] becomes the largest |offset - M (Σ_j<k w_j T_j + shift)|² where that is larger, k from first
    // to last.
    void (*leave)(const snSoftSum *sum, float *left);
    // The fewest targets, from first to last, that leave no more than `square`; last where none does.
    int (*need)(const snSoftSum *sum, float square);
    // `change` and `along` of all lanes; where `along` is near -1, `change` is not to be trusted.
    void (*turn)(snNormalBlock *block);
    // out += Σ_r p_r row_r
    void (*add)(const snRowSum *sum, size_t width, float *out);
} snSoftKernels;

const snSoftKernels *snChooseSoftKernels(void);

#endif
