// Sparse symmetric matrices with scalar or 3x3 entries, pattern and values apart. One matrix type
// serves both: `block` is 1 or 3, and an entry is block*block doubles.
//
// A pattern holds the lower triangle with the diagonal, by columns, rows ascending: entry k of
// column j is block (row[k], j), row[k] >= j. The first entry of every column is its diagonal.
// Values: entry k occupies values[k*block*block ...], row by row inside the block. The diagonal
// blocks are stored whole (and are symmetric).
#ifndef SN_NUMERICS_SPARSE_H
#define SN_NUMERICS_SPARSE_H

#include "core/memory.h"

typedef struct snPattern {
    int size;         // rows = columns, in blocks
    int *columnStart; // [size + 1]
    int *row;         // [columnStart[size]]
} snPattern;

typedef struct snSparse {
    snPattern pattern; // shared with whoever made it; const after building
    int block;         // 1 or 3
    double *values;    // [entries * block * block]
} snSparse;

// The pattern of all pairs (a, b) that stand together in a group: groups are lists of row numbers,
// group g is items[groupStart[g]] ... items[groupStart[g + 1] - 1]. All diagonals are included.
snStatus snPattern_FromGroups(snPattern *pattern, int size, int groupCount, const int *groupStart,
                              const int *items, snArena *arena, snError *error);

// The pattern of the given pairs (order and duplicates do not matter).
snStatus snPattern_FromPairs(snPattern *pattern, int size, int pairCount, const int *first,
                             const int *second, snArena *arena, snError *error);

// Index of block (row, column) with row >= column, or -1.
int snPattern_Find(const snPattern *pattern, int row, int column);

// A matrix of zeros over a pattern.
snStatus snSparse_Make(snSparse *matrix, const snPattern *pattern, int block, snArena *arena,
                       snError *error);

// Some rows and columns of a matrix, in blocks: rows[size], ascending.
snStatus snSparse_Part(snSparse *part, const snSparse *matrix, const int *rows, int size,
                       snArena *arena, snError *error);

// matrix(row, column) += value, for row and column in either order. The pair must be in the
// pattern. For block 3 `value` is row-major and is transposed when the order is swapped.
void snSparse_AddScalar(snSparse *matrix, int row, int column, double value);
void snSparse_AddBlock(snSparse *matrix, int row, int column, const double value[9]);

// y = A x, for `width` interleaved right-hand sides: component i of side r is x[i * width + r].
void snSparse_Multiply(const snSparse *matrix, int width, const double *x, double *y);

#endif
