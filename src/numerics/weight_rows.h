// Sparse rows of weights: what each of some things is a combination of. A vertex over the functions
// of a space, a point over the joints that carry it; and from a coarser space to a finer one that
// holds it: a coarse function is a combination of fine ones, and so the coefficients x of the coarse
// space are those P x of the fine one, one row per fine function.
#ifndef SN_NUMERICS_WEIGHT_ROWS_H
#define SN_NUMERICS_WEIGHT_ROWS_H

#include "core/memory.h"
#include "core/vec.h"

typedef struct snWeightRows {
    int rows, columns;
    int *start;     // [rows + 1]
    int *column;    // [start[rows]], each at most once in a row; body/lattice has them ascending
    double *weight; // [start[rows]]
} snWeightRows;

// Room for so many entries; all are zero, and so is `start`.
snStatus snWeightRows_Make(snWeightRows *p, int rows, int columns, size_t entries, snArena *arena,
                           snError *error);

// The rows of the identity.
snStatus snWeightRows_Identity(snWeightRows *p, int count, snArena *arena, snError *error);

// Of points: what a row is.
static inline snVec3 snWeightRows_Point(const snWeightRows *p, int row, const snVec3 *x)
{
    int first = p->start[row];
    return snCombine(p->start[row + 1] - first, p->column + first, p->weight + first, x);
}

// Fails when numbers are out of range, naming the row.
snStatus snWeightRows_Check(const snWeightRows *p, snError *error);

snStatus snWeightRows_Copy(snWeightRows *copy, const snWeightRows *p, snArena *arena,
                           snError *error);

// Columns ascending.
snStatus snWeightRows_Transpose(snWeightRows *transposed, const snWeightRows *p, snArena *arena,
                                snError *error);

// y = P x, or y += P x, for rows of `stride` numbers. The same bits on any threads.
void snWeightRows_Multiply(const snWeightRows *p, int stride, const double *x, double *y,
                           const snTasks *tasks);
void snWeightRows_Add(const snWeightRows *p, int stride, const double *x, double *y,
                      const snTasks *tasks);

#endif
