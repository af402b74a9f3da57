// Pᵀ A P: the matrix of a coarser space inside a finer one. Structure once, values as often as wanted.
#ifndef SN_NUMERICS_GALERKIN_H
#define SN_NUMERICS_GALERKIN_H

#include "numerics/weight_rows.h"
#include "numerics/row_matrix.h"

typedef struct snGalerkin {
    const snRowMatrix *fine;
    snWeightRows prolongation; // P; its arrays are the caller's
    snWeightRows transposed;   // Pᵀ
    // Pieces of the loop over coarse rows, each with its own room, so that it may run on threads.
    struct snGalerkinRoom *rooms;
} snGalerkin;

// Structure: of the product `coarse`, and what is needed to compute it. `fine` and the
// prolongation must stay.
snStatus snGalerkin_Make(snGalerkin *product, snRowMatrix *coarse, const snRowMatrix *fine,
                         const snWeightRows *prolongation, const unsigned char *swept,
                         snArena *arena, snError *error);

// Values. Allocates nothing; the same bits for any number of threads, and exactly symmetric.
void snGalerkin_Compute(const snGalerkin *product, snRowMatrix *coarse, const snTasks *tasks);

// Both at once, for matrices of sparse.h.
snStatus snGalerkin_Sparse(snSparse *coarse, const snSparse *fine, const snWeightRows *p,
                           const snTasks *tasks, snArena *arena, snError *error);

#endif
