// A symmetric sparse matrix by whole rows, for sweeps over rows: what the levels of multigrid.h are
// made of. Entries are 1x1 or 3x3 as in sparse.h; both triangles are stored.
//
// Rows have a place in an order of sweeps, and the entries of a row stand in that order: first those
// of rows that are swept before it, then its diagonal, then the others. Rows are *coloured*: two of
// one colour have no entry in common, so that those of a colour can be swept in any order, or at
// once, with the same result. Rows that are not swept have no colour and come last.
#ifndef SN_NUMERICS_ROW_MATRIX_H
#define SN_NUMERICS_ROW_MATRIX_H

#include "numerics/sparse.h"

typedef struct snRowMatrix {
    int size, block;
    int *start;     // [size + 1]
    int *column;    // [start[size]]
    int *middle;    // [size], the entry of row i that is its diagonal
    int *source;    // [start[size]], the entry that has the value: see the functions that load
    double *values; // [start[size] * block * block], row by row inside an entry
    int *order;     // [size], rows in the order of sweeps, those that are not swept at its end
    int colours;
    int *colourStart; // [colours + 1], into order; the last is the number of rows that are swept
} snRowMatrix;

// Rows of a symmetric structure with all diagonals, entries in any order.
typedef struct snRowStructure {
    int size;
    int *start, *column;
} snRowStructure;

// Makes room for rows of given lengths.
snStatus snRowStructure_Start(snRowStructure *s, const int *count, snArena *arena, snError *error);

// Sorted and coloured; source[k] is the entry across the diagonal.
snStatus snRowMatrix_FromStructure(snRowMatrix *rows, const snRowStructure *s, int block,
                                   const unsigned char *swept, snArena *arena, snError *error);

// The structure of a matrix by rows; source[k] is the matrix' entry.
// swept[i] = 0 leaves out row i, NULL sweeps all.
snStatus snRowMatrix_FromSparse(snRowMatrix *rows, const snSparse *matrix,
                                const unsigned char *swept, snArena *arena, snError *error);
void snRowMatrix_Load(snRowMatrix *rows, const snSparse *matrix); // the values

// The lower triangle of its structure, and its values.
snStatus snRowMatrix_Lower(snSparse *lower, const snRowMatrix *rows, snArena *arena,
                           snError *error);
void snRowMatrix_StoreLower(const snRowMatrix *rows, snSparse *lower);

static inline void snCopyEntry(double *to, const double *from, int block, bool transposed)
{
    for (int p = 0; p < block; p++)
        for (int q = 0; q < block; q++)
            to[p * block + q] = transposed ? from[q * block + p] : from[p * block + q];
}

#endif
