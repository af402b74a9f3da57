// Multigrid on nested spaces: an approximate inverse of a symmetric positive definite matrix, whose
// quality does not depend on how fine the finest space is. Symmetric positive definite itself, so that
// it may precondition conjugate gradients, MINRES (over the definite part) and Newton's method.
//
// Spaces V_0 ⊂ V_1 ⊂ ... ⊂ V_J with V_j inside V_{j+1} by a prolongation P_j; level J has the matrix A.
//     A_j = P_jᵀ A_{j+1} P_j         (Galerkin: the energy of the functions of V_j)
// A cycle on level j takes b to x ~ A_j⁻¹ b: a sweep of Gauss-Seidel removes what V_{j-1} cannot see,
// the residual goes to V_{j-1}, its correction comes back, and a sweep in the opposite order makes the
// whole symmetric. Level 0 is solved by its Cholesky factor.
//
// Structure (patterns, colours, patches, ordering of the factor) is made once; values may change as often as
// wanted (snMultigrid_Compute), without allocating. The derivation is in docs/theory/multigrid.md.
#ifndef SN_NUMERICS_MULTIGRID_H
#define SN_NUMERICS_MULTIGRID_H

#include "numerics/krylov.h"
#include "numerics/weight_rows.h"

typedef struct snMultigrid snMultigrid;

typedef struct snMultigridDef {
    int levels;                        // at least 1; 1 is the factor alone
    const snWeightRows *prolongations; // [levels - 1], [j] takes level j to j + 1
    // [levels], which rows of a level are swept; NULL, or an entry of it: all. A row that is left out is
    // corrected by coarser levels only. Entry 0 is not looked at. Rows of hierarchical bases, or of
    // functions that refinement did not touch, are left out so.
    const unsigned char *const *swept;
    // [levels], square, or NULL: for bases of smooth functions, the values of the functions of a level at
    // their own vertices, in the limit or some levels finer (chebyshev.h). Then Chebyshev polynomials
    // smooth instead of sweeps, and patches beside them (patches.h). Entry 0 is not looked at.
    const snWeightRows *values;
    // The matrix has a pattern, but no values yet: they come with snMultigrid_Compute, before the first use. Not
    // with `values`, as patches are found by the matrix.
    bool later;
    int width;  // right-hand sides at once, interleaved as in sparse.h; 1 for snOperator
    int sweeps; // before and after a correction; with `values` the degree
    int cycles; // corrections: 1 is a V-cycle, 2 a W-cycle
} snMultigridDef;

snMultigridDef snDefaultMultigridDef(void); // one right-hand side, two sweeps, V-cycles

// Structure, for matrices of a pattern and a block, and values of `matrix`. Everything lives in the
// arena; of what is handed in nothing is kept. Fails as snMultigrid_Compute does, and when
// prolongations do not fit together.
snStatus snMultigrid_Make(snMultigrid **multigrid, const snSparse *matrix,
                          const snMultigridDef *def, snArena *arena, const snContext *context,
                          snError *error);

// Values of another matrix of the same pattern. Allocates nothing. SN_ERROR_NUMERIC, naming level and
// row, where a matrix is not positive definite: a function that moves nothing, a body that hangs on
// nothing. Then it must not be applied.
snStatus snMultigrid_Compute(snMultigrid *multigrid, const snSparse *matrix, snError *error);

// x ~ A⁻¹ b; b and x never overlap. Uses memory of the multigrid: one call at a time.
void snMultigrid_Apply(snMultigrid *multigrid, const double *b, double *x);
snOperator snOperator_FromMultigrid(snMultigrid *multigrid);

typedef struct snMultigridLevel {
    int size; // in blocks
    int colours;
    int64_t entries; // of the matrix by whole rows, in blocks
} snMultigridLevel;
snMultigridLevel snMultigrid_Level(const snMultigrid *multigrid, int level);

#endif
