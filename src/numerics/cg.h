// Preconditioned conjugate gradients for symmetric positive definite operators, with a projection
// that keeps iterates inside a linear space. Allocates nothing.
#ifndef SN_NUMERICS_CG_H
#define SN_NUMERICS_CG_H

#include "numerics/krylov.h"

typedef struct snCgDef {
    int size;                  // length of the vectors
    snOperator matrix;         // A, symmetric positive definite (on the projected space)
    snOperator preconditioner; // approximates A⁻¹, symmetric positive definite; NULL apply: none
    snProjection projection;   // symmetric, P P = P: residuals and directions go through it
    double tolerance;  // stop at ‖r‖ <= tolerance ‖P b‖ (b = 0: of the first ‖r‖)
    int maxIterations; // 0: twice the size
    bool fromZero;     // x is not looked at and begins as 0, which saves a product
} snCgDef;

typedef struct snCgResult {
    int iterations;
    double residual; // ‖P (b - A x)‖ / ‖P b‖, as the recurrence has it
    bool converged;
} snCgResult;

snCgDef snDefaultCgDef(void); // tolerance 1e-10

// Doubles of scratch for vectors of a size.
size_t snCg_ScratchSize(int size);

// Solves P A P x = P b, beginning at the x that is handed in (a warm start, projected updates keep
// what constraints it obeys; zero where nothing is known). Without convergence x is the last
// iterate and the status SN_OK with converged = false; SN_ERROR_NUMERIC when A or the
// preconditioner shows itself not positive definite, or values are not finite.
snStatus snCg_Solve(const snCgDef *def, const double *b, double *x, double *scratch,
                    snCgResult *result, snError *error);

#endif
