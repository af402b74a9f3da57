// What the iterative solvers share: an operator y = A x as a callback, over vectors of plain
// doubles.
#ifndef SN_NUMERICS_KRYLOV_H
#define SN_NUMERICS_KRYLOV_H

#include "numerics/sparse.h"

// y = A x; x and y never overlap.
typedef void snOperatorFcn(void *context, const double *x, double *y);

typedef struct snOperator {
    snOperatorFcn *apply;
    void *context;
} snOperator;

// Changes a vector in place, for instance so that it obeys constraints.
typedef void snProjectFcn(void *context, double *x);

typedef struct snProjection {
    snProjectFcn *apply; // NULL: none
    void *context;
} snProjection;

// A sparse matrix as an operator. The matrix must outlive it.
snOperator snOperator_FromSparse(const snSparse *matrix);

// Jacobi preconditioners of a sparse matrix: the inverse of its diagonal, or of its diagonal
// blocks. `inverse` holds snJacobi_Size doubles. Rows whose diagonal is not positive (for blocks:
// not positive definite) are left as they are.
typedef struct snJacobi {
    int size, block; // block: 1 scales rows, 3 applies inverted 3x3 blocks
    double *inverse;
} snJacobi;

size_t snJacobi_Size(const snSparse *matrix, bool blocks);
void snJacobi_Compute(snJacobi *jacobi, const snSparse *matrix, bool blocks, double *inverse);
snOperator snOperator_FromJacobi(const snJacobi *jacobi);

// The inverse of a symmetric positive definite 3x3 matrix; of another false, and the identity.
bool snInvertBlock(const double a[9], double inverse[9]);

double snDotProduct(int size, const double *x, const double *y); // summed in eight fixed lanes

#endif
