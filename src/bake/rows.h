// Products of long rows of floats, summed in double precision.
//
// A product has eight sums, one per lane, that are added up in pairs at the end: the bits depend neither on
// the instruction set nor on which rows are taken together.
#ifndef SN_BAKE_ROWS_H
#define SN_BAKE_ROWS_H

#include <stddef.h>

// a · b_k for rows b_k, k < count, each `stride` behind the one before; `size` numbers of each.
typedef struct snRowProducts {
    const float *a, *rows;
    size_t count, stride, size;
} snRowProducts;

// Columns first ... first + width of Uᵀ B, with B the rows [count][size] and U the vectors [kept][count].
#define SN_ROW_COLUMNS 8
typedef struct snRowTurn {
    const float *rows;
    size_t size;
    const double *vectors;
    size_t count, kept;
    size_t first, width; // width: at most SN_ROW_COLUMNS
} snRowTurn;

// rows_kernel.c, once per instruction set.
typedef struct snRowKernels {
    void (*dot)(const snRowProducts *products, double *out); // [count]
    void (*turn)(const snRowTurn *turn, float *out);         // [kept][SN_ROW_COLUMNS]
} snRowKernels;

const snRowKernels *snChooseRowKernels(void);
double snDotFloats(const float *a, const float *b, size_t size);

#endif
