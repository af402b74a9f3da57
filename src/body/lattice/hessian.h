// The second derivatives of a step's objective (step.c) for Newton's method:
//
//     H = D + h (h + β) Σ_e V_e G_eᵀ (∂²ψ/∂F²)₊ G_e
//
// over the free vertices, with the elements' own Hessians made positive semi-definite (energy.h),
// so that H is positive definite where every free vertex has mass or a spring (D > 0), and -H⁻¹
// times the gradient goes down. Vertices that have neither, which Ω does not reach, hang on the
// elements alone. Pattern and places are found once (snHessian_Make), values as often as wanted
// (snHessian_Compute).
#ifndef SN_BODY_LATTICE_HESSIAN_H
#define SN_BODY_LATTICE_HESSIAN_H

#include "body/lattice/step.h"

typedef struct snHessian {
    // 3x3 blocks over the free vertices in the model's order, for snFactor_Compute (that order has
    // little fill: SN_ORDER_NATURAL) or snSparse_Multiply.
    snSparse matrix;
    // Leaves the elements' Hessians as they are. H is then the exact matrix of second derivatives,
    // in general not positive definite. snHessian_Make sets it to false.
    bool exact;
    // Which pieces of which elements make up entry k of the pattern: gather[gatherStart[k]] ... ,
    // each (element * 8 + corner of the row) * 8 + corner of the column, elements ascending.
    int *gatherStart; // [entries + 1]
    int *gather;
    int elementCount; // of both classes, one class after the other
    double *element; // [elements][6][9], h (h + β) V ∂²ψ/∂F²: its 3x3 blocks, snHessian_Compute
} snHessian;

// Everything lives in the arena, and uses the model no further than until the call returns.
snStatus snHessian_Make(snHessian *hessian, const snLatticeModel *model, snArena *arena,
                        snError *error);

// Values at `position` ([vertices * 4]; state->next within a step) for the targets that the state
// holds: those of the last SN_PASS_TARGET. For a state of one lane. Allocates nothing; the same
// bits for any number of threads. Returns false where a value is not finite.
bool snHessian_Compute(snHessian *hessian, const snLatticeModel *model, const snLatticeState *state,
                       const double *position);

#endif
