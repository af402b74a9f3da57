// Small groups of rows that hang together strongly, solved exactly one after another.
//
// Where elements are flat, the vertices across them are near each other and the energy ties them together.
// An error in which they move as one has little energy beside what their own diagonals promise, so a
// smoother that goes by diagonals leaves it; and where it changes sign from one such group to the next,
// coarser levels cannot have it either. So every row that has strong partners is solved for together with
// them. Row i and row j are partners where moving both costs little of what moving each alone does,
//
//     1 + 2 tr A_ij / (tr A_ii + tr A_jj)  <  STRONG.
//
// Traces of an elastic matrix are those of a Laplacian times λ + 4μ: they see shapes, and not how near to
// incompressible the material is. Patches overlap, and each sees what those before it did: the energy
// never rises, whatever the matrix. Forward, then backward in the opposite order, they are adjoint.
#ifndef SN_NUMERICS_PATCHES_H
#define SN_NUMERICS_PATCHES_H

#include "numerics/sweep.h"

typedef struct snPatches {
    const snSweep *sweep; // the matrix, and how many right-hand sides
    int count;
    int *start;     // [count + 1]
    int *row;       // [start[count]], of the patches
    size_t *at;     // [count], of its factor
    double *factor; // dense Cholesky factors
} snPatches;

// Which patches there are, by the values that the matrix has. Rows that are not swept are in none.
snStatus snPatches_Make(snPatches *patches, const snSweep *sweep, snArena *arena, snError *error);

// Factors, for the values that the matrix has. Returns the first row of a patch that is not positive
// definite, or -1. Allocates nothing.
int snPatches_Factor(snPatches *patches);

// x += A_p⁻¹ (b - A x)_p, patch after patch.
void snPatches_Forward(const snPatches *patches, const double *b, double *x);
void snPatches_Backward(const snPatches *patches, const double *b, double *x);

#endif
