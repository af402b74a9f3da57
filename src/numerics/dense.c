#include "numerics/dense.h"

#include "core/error.h"

#include <math.h>

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

static snStatus notPositive(int row, double pivot, snError *error)
{
    return snFail(error, SN_ERROR_NUMERIC,
                  "the matrix is not positive definite at row %d: the pivot is %g", row, pivot);
}

static snStatus singular(int row, double pivot, snError *error)
{
    return snFail(error, SN_ERROR_NUMERIC, "the matrix is singular at row %d: the pivot is %g", row,
                  pivot);
}

// Column j -= L(j.., k) l_jk for k = 0 ... j - 1, in this order, four at a time.
static void subtractColumns(int n, int j, const double *restrict a, double *restrict column)
{
    int k = 0;
    for (; k + 4 <= j; k += 4) {
        const double *p = &AT(a, 0, k), *q = &AT(a, 0, k + 1), *r = &AT(a, 0, k + 2);
        const double *s = &AT(a, 0, k + 3);
        double w = p[j], x = q[j], y = r[j], z = s[j];
        for (int i = j; i < n; i++)
            column[i] = (((column[i] - p[i] * w) - q[i] * x) - r[i] * y) - s[i] * z;
    }
    for (; k < j; k++)
        for (int i = j; i < n; i++)
            column[i] -= AT(a, i, k) * AT(a, j, k);
}

snStatus snDenseCholesky(int n, double *a, snError *error)
{
    for (int j = 0; j < n; j++) {
        subtractColumns(n, j, a, &AT(a, 0, j));
        double pivot = AT(a, j, j);
        if (!(pivot > 0 && pivot < INFINITY)) return notPositive(j, pivot, error);
        double root = sqrt(pivot);
        AT(a, j, j) = root;
        for (int i = j + 1; i < n; i++)
            AT(a, i, j) /= root;
    }
    return SN_OK;
}

void snDenseCholesky_Solve(int n, const double *l, double *x)
{
    for (int j = 0; j < n; j++) { // x = L \ b
        x[j] /= AT(l, j, j);
        for (int i = j + 1; i < n; i++)
            x[i] -= AT(l, i, j) * x[j];
    }
    for (int j = n - 1; j >= 0; j--) { // x = Lᵀ \ x
        for (int i = j + 1; i < n; i++)
            x[j] -= AT(l, i, j) * x[i];
        x[j] /= AT(l, j, j);
    }
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

snStatus snDenseLu(int n, double *a, int *pivot, snError *error)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(AT(a, i, j)) > fabs(AT(a, best, j))) best = i;
        pivot[j] = best;
        double value = AT(a, best, j);
        if (!(fabs(value) > 0 && fabs(value) < INFINITY)) return singular(j, value, error);
        for (int k = 0; k < n && best != j; k++)
            swap(&AT(a, j, k), &AT(a, best, k));
        for (int i = j + 1; i < n; i++)
            AT(a, i, j) /= value;
        for (int k = j + 1; k < n; k++)
            for (int i = j + 1; i < n; i++)
                AT(a, i, k) -= AT(a, i, j) * AT(a, j, k);
    }
    return SN_OK;
}

void snDenseLu_Solve(int n, const double *lu, const int *pivot, double *x)
{
    for (int j = 0; j < n; j++)
        swap(&x[j], &x[pivot[j]]);
    for (int j = 0; j < n; j++) // x = L \ P b
        for (int i = j + 1; i < n; i++)
            x[i] -= AT(lu, i, j) * x[j];
    for (int j = n - 1; j >= 0; j--) { // x = U \ x
        x[j] /= AT(lu, j, j);
        for (int i = 0; i < j; i++)
            x[i] -= AT(lu, i, j) * x[j];
    }
}
