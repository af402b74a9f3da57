// 3x3 singular values and polar decomposition, for every matrix: inverted, flat, zero.
#ifndef SN_CORE_SVD_H
#define SN_CORE_SVD_H

#include "core/vec.h"

// A = U diag(s) Vᵀ with U and V rotations (determinant +1), s.x >= s.y >= |s.z|, and s.z negative
// exactly when det A is. Zero and flat matrices give some valid rotations.
void snSvd3(snMat3 a, snMat3 *u, snVec3 *s, snMat3 *v);

// Eigenvalues (descending) and rotation of eigenvectors (columns) of a symmetric matrix.
void snEigenSymmetric3(snMat3 a, snVec3 *values, snMat3 *vectors);

// The rotation R nearest to A in the Frobenius norm (det R = +1 always), and S = RᵀA, symmetric.
// Where A is flat or inverted the answer is the one of snSvd3. `stretch` may be NULL.
snMat3 snPolar(snMat3 a, snMat3 *stretch);

#endif
