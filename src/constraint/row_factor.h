// L Lᵀ of a symmetric positive definite matrix that has few entries in a row and changes while a simulation runs: all
// memory is there beforehand, and L has little fill whatever the order of rows is. L stands by rows, for four sides at once:
// with ten entries in a row that is quicker than panels (numerics/cholesky.h), which are for larger systems
// (docs/decisions/0023-sparse-ties.md).
//
//     snRowFactor_Begin(factor);
//     for every row i: snRowFactor_AddRow(factor); for some j < i: snRowFactor_AddEntry(factor, j, a_ij);
//                      snRowFactor_SetDiagonal(factor, a_ii);
//     least = snRowFactor_Compute(factor, dependent);
//     snRowFactor_Solve(factor, x);
//
// The factor depends on the matrix alone.
#ifndef SN_CONSTRAINT_ROW_FACTOR_H
#define SN_CONSTRAINT_ROW_FACTOR_H

#include "core/memory.h"

#include <stdint.h>

typedef struct snRowFactor {
    int capacity; // rows at most
    int count;
    // The matrix: row i has entries [start[i], start[i + 1]) left of its diagonal.
    int *start;       // [capacity + 1]
    int *index;       // [capacity * (capacity - 1) / 2]
    double *entry;    // as many
    double *diagonal; // [capacity]
    // L: the row that is eliminated k-th is order[k], with entries [first[k], first[k + 1]).
    int *order;  // [capacity]
    int *first;  // [capacity + 1]
    int *column; // [capacity * (capacity - 1) / 2], numbers of rows, those eliminated earlier first
    double *value;   // as many
    double *inverse; // [capacity] 1 / L_kk, 0: the row is left out
    // Scratch of Compute.
    int *graphStart, *neighbour; // [capacity + 2], [capacity * (capacity - 1)]
    int *place;                  // [capacity], k of a row
    int *parent, *mark;          // [capacity], by k
    int *room;                   // snOrderRoom
    double *row;                 // [capacity], by number of the row
} snRowFactor;

bool snRowFactor_Make(snRowFactor *factor, int capacity, snArena *arena); // false: no memory

void snRowFactor_Begin(snRowFactor *factor);
void snRowFactor_AddRow(snRowFactor *factor);
void snRowFactor_AddEntry(snRowFactor *factor, int j, double value); // of the row added last
void snRowFactor_SetDiagonal(snRowFactor *factor, double value);

// Orders the rows and computes L. Rows whose pivot is `dependent` or less of their diagonal depend on
// others: they are left out. Returns the smallest of these shares.
double snRowFactor_Compute(snRowFactor *factor, double dependent);

// L Lᵀ y = x in place, for rows of four numbers.
void snRowFactor_Solve(const snRowFactor *factor, double *x);

#endif
