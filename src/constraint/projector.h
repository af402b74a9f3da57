// Constraints for conjugate gradients: Capell, Green, Curless, Duchamp, Popovic, "Interactive
// Skeleton-Driven Dynamic Deformations", 2002, section 4.4, with the projector put right.
//
// Thin QR of Cᵀ, columns of the independent constraints, Cᵀ = Q R. The iteration starts at a vector
// that meets the constraints, x = Q R⁻ᵀ a, and every change goes through I - Q Qᵀ. No inverse of A
// is asked for; where there is one, snConstraintSet_Correct does the same without an iteration.
#ifndef SN_CONSTRAINT_PROJECTOR_H
#define SN_CONSTRAINT_PROJECTOR_H

#include "constraint/constraint.h"
#include "numerics/qr.h"

typedef struct snConstraintProjector {
    snArena arena;
    const snConstraintSet *set;
    int width; // of the vectors that snProjection_FromConstraints is for
    snQr qr;
    double *columns; // [size * capacity], Cᵀ, columns scaled to length 1
    double *scale;   // [capacity], their lengths
    double *work;    // [size], one number of every coordinate
    double *goals;   // snConstraintSet_ScratchSize
} snConstraintProjector;

// For the set, which must outlive it. Made once; allocates nothing afterwards.
snStatus snConstraintProjector_Make(snConstraintProjector **projector, const snConstraintSet *set,
                                    const snContext *context, snError *error);
void snConstraintProjector_Destroy(snConstraintProjector *projector); // accepts NULL

// Takes over the set as of its last Prepare: call it when constraints came or went. Fails with
// SN_ERROR_NUMERIC when the columns are dependent in spite of the set's tolerance.
snStatus snConstraintProjector_Update(snConstraintProjector *projector, snError *error);

// x += Q R⁻ᵀ (a - C x): the nearest x, number by number, that meets the constraints; from x = 0 the
// start Q R⁻ᵀ a. `right` as in snConstraintSet_Correct. x is [size * width].
void snConstraintProjector_Start(snConstraintProjector *projector, const double *right, double *x);

// x -= Q Qᵀ x for x of [size * width], which need not be the set's width; also as a projection for
// snCg, of one width at a time.
void snConstraintProjector_Apply(snConstraintProjector *projector, int width, double *x);
snProjection snProjection_FromConstraints(snConstraintProjector *projector, int width);

#endif
