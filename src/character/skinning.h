// Linear blend skinning of many vertices: the loop of snCharacter_Surface, compiled once per instruction set.
//
//     p' = (Σ_i w_i G_i B_i) p
//
// Every number of the blended matrix is summed over influences in their order, and every coordinate is
// ((x c_x + y c_y) + z c_z) + o with the matrix's columns: the bits are those of snCharacter_SurfacePoint.
#ifndef SN_CHARACTER_SKINNING_H
#define SN_CHARACTER_SKINNING_H

#include "core/vec.h"

#include <stddef.h>

#define SN_SKIN_MOVE                                                                               \
    16 // doubles of a joint's move: columns x, y, z and the origin, each with a zero

typedef struct snSkinPass {
    const double *moves; // [joints][SN_SKIN_MOVE], finite
    const int *joints;
    const float *weights; // [vertices * influences]
    int influences;
    const snVec3f *positions;
    float *out;    // x, y, z of a vertex ...
    size_t stride; // ... and so many floats to the next: 3 or more
} snSkinPass;

typedef void snSkinFcn(const snSkinPass *pass, int begin, int end); // over vertices
snSkinFcn *snSkin_Choose(void);

// The same in single precision, into rows of four floats, for surfaces of crowds: off by some 1e-7 of how far from the
// origin points are.
typedef struct snSkinRows {
    const float *moves; // [joints][SN_SKIN_MOVE], finite
    const int *joints;
    const float *weights;
    int influences;
    const snVec3f *positions;
    float *rows; // [vertices * 4]
} snSkinRows;

typedef void snSkinRowsFcn(const snSkinRows *pass, int begin, int end);
snSkinRowsFcn *snSkinRows_Choose(void);

#endif
