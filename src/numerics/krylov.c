#include "numerics/krylov.h"

#include <math.h>
#include <string.h>

static void applySparse(void *context, const double *x, double *y)
{
    snSparse_Multiply(context, 1, x, y);
}

snOperator snOperator_FromSparse(const snSparse *matrix)
{
    return (snOperator){applySparse, (void *)matrix};
}

size_t snJacobi_Size(const snSparse *matrix, bool blocks)
{
    size_t rows = (size_t)matrix->pattern.size * (size_t)matrix->block;
    return blocks ? rows * (size_t)matrix->block : rows;
}

// By cofactors. The pivots of elimination are the quotients of the leading minors: all must be
// positive.
bool snInvertBlock(const double a[9], double inverse[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double c[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[3 * j + i] = a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1];
        }
    double determinant = a[0] * c[0] + a[1] * c[3] + a[2] * c[6];
    bool positive = a[0] > 0 && c[8] > 0 && determinant > 0 && isfinite(1 / determinant);
    for (int k = 0; k < 9; k++)
        inverse[k] = positive ? c[k] / determinant : identity[k];
    return positive;
}

void snJacobi_Compute(snJacobi *jacobi, const snSparse *matrix, bool blocks, double *inverse)
{
    int block = matrix->block;
    *jacobi = (snJacobi){.size = matrix->pattern.size * (blocks ? 1 : block),
                         .block = blocks ? block : 1,
                         .inverse = inverse};
    for (int j = 0; j < matrix->pattern.size; j++) {
        size_t entry = (size_t)matrix->pattern.columnStart[j] * (size_t)(block * block);
        const double *a = matrix->values + entry;
        if (jacobi->block == 3) {
            snInvertBlock(a, inverse + 9 * (size_t)j);
            continue;
        }
        for (int i = 0; i < block; i++) {
            double diagonal = a[i * block + i];
            inverse[(size_t)(j * block + i)] = diagonal > 0 ? 1 / diagonal : 1;
        }
    }
}

static void applyJacobi(void *context, const double *x, double *y)
{
    const snJacobi *jacobi = context;
    if (jacobi->block == 1) {
        for (int i = 0; i < jacobi->size; i++)
            y[i] = jacobi->inverse[i] * x[i];
        return;
    }
    for (int i = 0; i < jacobi->size; i++) {
        const double *m = jacobi->inverse + 9 * (size_t)i, *v = x + 3 * (size_t)i;
        for (int p = 0; p < 3; p++)
            y[3 * (size_t)i + (size_t)p] =
                m[3 * p] * v[0] + m[3 * p + 1] * v[1] + m[3 * p + 2] * v[2];
    }
}

snOperator snOperator_FromJacobi(const snJacobi *jacobi)
{
    return (snOperator){applyJacobi, (void *)jacobi};
}

double snDotProduct(int size, const double *x, const double *y)
{
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= size; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += x[i + k] * y[i + k];
    for (int k = 0; i < size; i++, k++)
        lane[k] += x[i] * y[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}
