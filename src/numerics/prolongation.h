// From a coarser space to a finer one that holds it: a coarse function is a combination of fine
// ones, and so the coefficients x of the coarse space are those P x of the fine one. One row per
// fine function.
#ifndef SN_NUMERICS_PROLONGATION_H
#define SN_NUMERICS_PROLONGATION_H

#include "core/memory.h"

typedef struct snProlongation {
    int rows, columns; // functions of the finer and of the coarser space
    int *start;        // [rows + 1]
    int *column;       // [start[rows]], each at most once in a row
    double *weight;    // [start[rows]]
} snProlongation;

// Fails when numbers are out of range, naming the row.
snStatus snProlongation_Check(const snProlongation *p, snError *error);

snStatus snProlongation_Copy(snProlongation *copy, const snProlongation *p, snArena *arena,
                             snError *error);

// Columns ascending.
snStatus snProlongation_Transpose(snProlongation *transposed, const snProlongation *p,
                                  snArena *arena, snError *error);

// y = P x, or y += P x, for rows of `stride` numbers. The same bits on any threads.
void snProlongation_Multiply(const snProlongation *p, int stride, const double *x, double *y,
                             const snTasks *tasks);
void snProlongation_Add(const snProlongation *p, int stride, const double *x, double *y,
                        const snTasks *tasks);

#endif
