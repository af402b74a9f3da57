// Gauss-Seidel sweeps over the rows of a matrix, x_i = A_ii⁻¹ (b_i - Σ_{j≠i} A_ij x_j), each with what
// the rows before it have become. Colour after colour; rows of a colour on any threads, the same bits.
#ifndef SN_NUMERICS_SWEEP_H
#define SN_NUMERICS_SWEEP_H

#include "numerics/row_matrix.h"

typedef struct snSweep {
    const snRowMatrix *rows;
    double *inverse; // [size * block * block], of the diagonal entries of rows that are swept
    int width;       // interleaved right-hand sides, as in sparse.h
    snTasks tasks;
} snSweep;

size_t snSweep_InverseSize(const snRowMatrix *rows);

// Inverts the diagonal entries. Returns the first row whose is not positive definite, or -1.
int snSweep_Invert(snSweep *sweep);

// A first sweep, beginning at x = 0, takes half a product with the matrix, and so does the residual
// b - A x after it. The two following are for any x; for the residual b may be NULL: zero.
void snSweep_First(const snSweep *sweep, const double *b, double *x);
void snSweep_FirstResidual(const snSweep *sweep, const double *b, const double *x, double *r);
void snSweep_Forward(const snSweep *sweep, const double *b, double *x);
void snSweep_Residual(const snSweep *sweep, const double *b, const double *x, double *r);

// In the opposite order: the transpose of a sweep forward.
void snSweep_Backward(const snSweep *sweep, const double *b, double *x);

// x_i = A_ii⁻¹ x_i, and zero for rows that are not swept.
void snSweep_Diagonal(const snSweep *sweep, double *x);

#endif
