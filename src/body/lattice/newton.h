// Newton's direction for the search of a step (search.c).
#ifndef SN_BODY_LATTICE_NEWTON_H
#define SN_BODY_LATTICE_NEWTON_H

#include "body/lattice/hessian.h"

// What a state of SN_SOLVER_NEWTON has beside the others.
typedef struct snNewton {
    snHessian hessian;
    int width;                 // of a row of these vectors: 3, over functions (space.h) 4
    int size;                  // of these vectors: free vertices or functions, times the width
    double *right, *move;      // [size]
    double *wide;              // [unknowns * 4]
    double *packed;            // [freeCount * 3] twice, in a space
    double *solve;             // of the preconditioner
    double *scratch;           // of conjugate gradients
    int64_t iterations;        // of conjugate gradients so far
    struct snNewtonGrid *grid; // multigrid (newton_grid.h), or NULL
} snNewton;

// Lives in the arena.
snStatus snNewton_Make(snNewton **newton, const snLatticeModel *model, snArena *arena,
                       snError *error);

// state->direction = -H⁻¹ state->gradient at state->next, in iteration 0, 1, ... of a step,
// keeping the drive's points where they are. Returns false where values are not finite.
bool snNewton_Direction(const snLatticeModel *model, snLatticeState *state,
                        const snLatticeDrive *drive, int iteration);

#endif
