// Chebyshev smoothing of systems over bases of smooth functions.
//
// Coefficients of smooth functions, splines for instance, are not values: coefficients that change sign
// from vertex to vertex make next to no function, and next to no energy. Gauss-Seidel takes such an
// error for a smooth one and leaves it, and so do the coarser levels, which cannot have it. The
// values of the functions at their own vertices, z = E x, tell the two apart: over z the energy is
// nearly that of hat functions. So we precondition with the diagonal over z,
//
//     B = R D⁻¹ Rᵀ,      R ~ E⁻¹, a fixed polynomial of E;   D: the diagonal of A,
//
// and take a Chebyshev polynomial of B A that is small on the upper part of its spectrum. All of it is
// symmetric in the energy, whatever E is, and made of products alone: the same bits on any threads.
#ifndef SN_NUMERICS_CHEBYSHEV_H
#define SN_NUMERICS_CHEBYSHEV_H

#include "numerics/weight_rows.h"
#include "numerics/sweep.h"

typedef struct snChebyshev {
    const snSweep *sweep;            // A and D⁻¹
    int size;                        // numbers of a vector
    snWeightRows values, transposed; // E, Eᵀ
    double bound;                    // above the spectrum of B A, snChebyshev_Bound
    double *r, *z, *d;               // [size]
    double *product, *step, *sum;    // [size], of R
} snChebyshev;

// `values` is square: E, rows summing to about one, eigenvalues in [1/8, 1] or near it.
snStatus snChebyshev_Make(snChebyshev *chebyshev, const snSweep *sweep, const snWeightRows *values,
                          snArena *arena, snError *error);

// Looks for the greatest eigenvalue of B A, after values or diagonal have changed. False when B A shows
// itself not positive definite, or values are not finite.
bool snChebyshev_Bound(snChebyshev *chebyshev);

// x += p(B A) B (b - A x), p of degree - 1; `first`: x is zero, whatever stands there.
void snChebyshev_Smooth(snChebyshev *chebyshev, int degree, bool first, const double *b, double *x);

#endif
