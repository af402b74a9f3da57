// Small dense matrices (up to a few hundred rows), column-major: element (i, j) of a matrix with n
// rows is a[j * n + i]. Everything happens in the caller's memory.
#ifndef SN_NUMERICS_DENSE_H
#define SN_NUMERICS_DENSE_H

#include "sinew/base.h"

// A = L Lᵀ in place: reads and writes the lower triangle. SN_ERROR_NUMERIC names the row where A
// is not positive definite.
snStatus snDenseCholesky(int n, double *a, snError *error);
void snDenseCholesky_Solve(int n, const double *l, double *x); // L Lᵀ x = b, in place

// P A = L U in place, with partial pivoting; pivot[n]. SN_ERROR_NUMERIC for a singular matrix.
snStatus snDenseLu(int n, double *a, int *pivot, snError *error);
void snDenseLu_Solve(int n, const double *lu, const int *pivot, double *x);

// A = V diag(λ) Vᵀ of a symmetric matrix (its lower triangle is read; A is destroyed). Values
// descend; vectors are the columns of V, orthonormal, the element of largest magnitude (the first
// of equals) positive. `work` has n doubles. SN_ERROR_NUMERIC for values that are not finite.
snStatus snSymmetricEigen(int n, double *a, double *values, double *vectors, double *work,
                          snError *error);

#endif
