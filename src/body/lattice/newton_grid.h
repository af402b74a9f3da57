// Newton's method in a large space of motions: the matrix over functions and multigrid on it.
//
// Over the nodes H has 27 blocks a row, and there are eight nodes or more for a function; the constant scalar
// matrix A_q leaves 30 to 70 iterations of conjugate gradients to do, each with a product over the nodes. Here
// BᵀHB is made once for a direction (galerkin.h), products are over functions, and a cycle of multigrid
// over the nested spaces (model.h, snNested) leaves about ten iterations, however many functions there are.
#ifndef SN_BODY_LATTICE_NEWTON_GRID_H
#define SN_BODY_LATTICE_NEWTON_GRID_H

#include "body/lattice/hessian.h"
#include "numerics/krylov.h"

typedef struct snNewtonGrid snNewtonGrid;

// For a model that has nested spaces. Lives in the arena; the hessian must stay.
snStatus snNewtonGrid_Make(snNewtonGrid **grid, const snLatticeModel *model,
                           const snHessian *hessian, snArena *arena, snError *error);

// For the values that the hessian has. False where the matrix shows itself not positive definite. Allocates
// nothing.
bool snNewtonGrid_Compute(snNewtonGrid *grid);

// BᵀHB and an approximate inverse, over coefficients (x, y, z, 0).
snOperator snNewtonGrid_Matrix(snNewtonGrid *grid);
snOperator snNewtonGrid_Inverse(snNewtonGrid *grid);

#endif
