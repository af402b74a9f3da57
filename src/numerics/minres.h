// MINRES for symmetric operators that need not be definite, nor regular. Allocates nothing.
#ifndef SN_NUMERICS_MINRES_H
#define SN_NUMERICS_MINRES_H

#include "numerics/krylov.h"

typedef struct snMinresDef {
    int size;
    snOperator matrix;         // A, symmetric
    snOperator preconditioner; // M ~ |A|⁻¹, symmetric positive definite; NULL apply: none
    double tolerance; // stop at ‖r‖ <= tolerance ‖b‖, in the norm of M (b = 0: of the first ‖r‖)
    int maxIterations; // 0: four times the size and 20
} snMinresDef;

typedef struct snMinresResult {
    int iterations;
    double residual;   // ‖b - A x‖ / ‖b‖ in the norm of M, by the recurrence
    bool converged;    // A x = b to the tolerance
    bool incompatible; // b is not in the range of A: x minimises the residual instead
} snMinresResult;

snMinresDef snDefaultMinresDef(void); // tolerance 1e-10

size_t snMinres_ScratchSize(int size);

// Solves A x = b, beginning at the x that is handed in. For a singular A and a b outside its range
// the result is a least-squares solution and says so. SN_ERROR_NUMERIC when the preconditioner is
// not positive definite or values are not finite.
snStatus snMinres_Solve(const snMinresDef *def, const double *b, double *x, double *scratch,
                        snMinresResult *result, snError *error);

#endif
