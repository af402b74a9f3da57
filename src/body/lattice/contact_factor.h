// The dense factor of the forces among contacts (contact_push.h): A = L Lᵀ, L by rows, where rows come and go.
//
// A row that comes is a substitution, L l = a, and the root of what is left of its diagonal; several that come at once go through
// the rows above them together. One that goes is taken out; the rows below then reach one past the diagonal, which
// rotations of neighbouring columns put right, row by row. All sums have one order, for any instruction set.
#ifndef SN_BODY_LATTICE_CONTACT_FACTOR_H
#define SN_BODY_LATTICE_CONTACT_FACTOR_H

#include "core/core.h"

#define SN_DENSE_ROWS 4 // that come together

// contact_factor_kernel.c, once per instruction set.
typedef struct snDenseKernels {
    // a . b of n numbers, in eight sums and what is left over.
    double (*dot)(int n, const double *a, const double *b);
    // The same of SN_DENSE_ROWS rows a, which stand `stride` apart, with one b.
    void (*dots)(int n, const double *a, size_t stride, const double *b, double *out);
    // y -= s x
    void (*subtract)(int n, double s, const double *x, double *y);
    // Rotations k = 0 ... n - 1 of columns k and k + 1, cosine and sine of each, of `rows` rows.
    void (*rotate)(int n, const double *turns, int rows, double *x, size_t stride);
} snDenseKernels;

typedef struct snContactFactor {
    int most;      // rows
    int count;     // of those that are in it; below 0: there is none
    double *rows;  // [most²]
    int *places;   // [most], what each of them is a row of
    double *turns; // [2 most], scratch
    double *work;  // [most], scratch
    const snDenseKernels *kernels;
    int64_t rowsAdded, rowsRemoved; // so far
} snContactFactor;

snStatus snContactFactor_Make(snContactFactor *factor, int most, snArena *arena, snError *error);

// Rows of A for more places, where `matrix` is G by places, [most²], and `give` what A has beyond it on the diagonal, by
// place. False where A is not positive: there is no factor then.
bool snContactFactor_Add(snContactFactor *factor, int count, const int *places,
                         const double *matrix, const double *give);
void snContactFactor_Remove(snContactFactor *factor, int row);

// L Lᵀ x = x, in the order of its rows.
void snContactFactor_Solve(snContactFactor *factor, double *x);

#endif
