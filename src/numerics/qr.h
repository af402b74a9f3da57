// Thin Householder QR with column pivoting, A P = Q R, of a dense matrix with n rows and m columns
// (column-major, any shape), with the rank and the columns that are redundant.
#ifndef SN_NUMERICS_QR_H
#define SN_NUMERICS_QR_H

#include "core/memory.h"

typedef struct snQr {
    int rows, columns;
    int rank;     // columns that are independent to the tolerance
    double *a;    // R on and above the diagonal, Householder vectors below, [columns * rows]
    double *tau;  // [min(rows, columns)]
    int *pivot;   // pivot[k] is the column of A that stands k-th; the first `rank` are independent
    double *work; // [columns]
} snQr;

// Keeps its arrays in the arena; copies `a`. A column counts as dependent when what is left of it
// is at most `tolerance` times the longest column (0: rounding, max(n, m) ε).
snStatus snQr_Make(snQr *qr, int rows, int columns, const double *a, double tolerance,
                   snArena *arena, snError *error);

// The same in memory that is there already (after snQr_Make or snQr_Reserve of that shape).
snStatus snQr_Reserve(snQr *qr, int rows, int columns, snArena *arena, snError *error);
snStatus snQr_Compute(snQr *qr, const double *a, double tolerance, snError *error);

// x = Q x and x = Qᵀ x for a full vector of `rows` elements. The first min(rows, columns) of Qᵀ x
// are the thin part.
void snQr_ApplyQ(const snQr *qr, double *x);
void snQr_ApplyQTransposed(const snQr *qr, double *x);

// R y = c for the leading rank x rank triangle, in place, and the same with Rᵀ.
void snQr_SolveR(const snQr *qr, double *c);
void snQr_SolveRTransposed(const snQr *qr, double *c);

// The x that minimises ‖A x - b‖; redundant columns get 0. b (rows) is used up: afterwards
// it holds Qᵀ b, of which the elements from the rank on are the residual.
void snQr_LeastSquares(const snQr *qr, double *b, double *x);

// redundant[j] for every column of A; returns how many there are.
int snQr_Redundant(const snQr *qr, bool *redundant);

#endif
