// Making sparse rows one after another, and products of them.
#ifndef SN_BODY_LATTICE_ROWS_H
#define SN_BODY_LATTICE_ROWS_H

#include "body/lattice/subdivide.h"
#include "core/array.h"

// The row in the making is summed in a dense vector; rows that are closed are kept, ascending.
typedef struct snRowMaker {
    snArena scratch;
    double *value; // [columns], zero where not used
    bool *seen;
    int *used, count;
    SN_ARRAY(int) column;
    SN_ARRAY(double) weight;
    int *start, rows, columns;
} snRowMaker;

// rows->start is from `arena`. To be ended also when this fails.
snStatus snRowMaker_Begin(snRowMaker *maker, int rows, int columns, snArena *arena,
                          const snContext *context, snError *error);

static inline void snRowMaker_Add(snRowMaker *maker, int column, double weight)
{
    if (weight == 0) return;
    if (!maker->seen[column]) maker->used[maker->count++] = column;
    maker->seen[column] = true;
    maker->value[column] += weight;
}

// Appends the row; false without memory.
bool snRowMaker_Close(snRowMaker *maker);

// Moves all rows into the arena when status is SN_OK, frees the rest, and passes the status on.
snStatus snRowMaker_End(snRowMaker *maker, snWeightRows *rows, snStatus status, snArena *arena,
                        snError *error);

// left * right, for `rowCount` rows of `left`. Row r gets 1 more in column r where r is in
// firstOwn ... endOwn - 1 (none where the two are equal).
typedef struct snRowProduct {
    const snWeightRows *left, *right;
    int rowCount, columns;
    int firstOwn, endOwn;
} snRowProduct;
snStatus snRowProduct_Make(snWeightRows *out, const snRowProduct *product, snArena *arena,
                           const snContext *context, snError *error);

#endif
