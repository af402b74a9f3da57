// The whole matrix as CHOLMOD wants it: lower triangle by columns.
#ifndef SN_TESTS_NUMERICS_CHOLMOD_MATRIX_H
#define SN_TESTS_NUMERICS_CHOLMOD_MATRIX_H

#include "numerics/sparse.h"

#include <cholmod.h>

static inline cholmod_sparse *toCholmod(const snSparse *matrix, cholmod_common *common)
{
    const snPattern *pattern = &matrix->pattern;
    int b = matrix->block, entries = pattern->columnStart[pattern->size];
    size_t rows = (size_t)(pattern->size * b);
    cholmod_triplet *list =
        cholmod_allocate_triplet(rows, rows, (size_t)(entries * b * b), -1, CHOLMOD_REAL, common);
    int *row = list->i, *column = list->j;
    double *value = list->x;
    for (int j = 0; j < pattern->size; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++)
            for (int c = 0; c < b * b; c++) {
                int at[2] = {pattern->row[k] * b + c / b, j * b + c % b};
                if (at[0] < at[1]) continue;
                row[list->nnz] = at[0];
                column[list->nnz] = at[1];
                value[list->nnz++] = matrix->values[k * b * b + c];
            }
    cholmod_sparse *result = cholmod_triplet_to_sparse(list, 0, common);
    cholmod_free_triplet(&list, common);
    return result;
}

#endif
