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

// LDLᵀ by Bunch and Kaufman, "Some stable methods for calculating inertia and solving symmetric
// linear systems", 1977. pivot[k] = p >= 0: rows k and p were exchanged and d_k is 1x1;
// pivot[k] = pivot[k + 1] = ~p: rows k + 1 and p were exchanged and the 2x2 pivot is at k, k + 1.
// Only the trailing matrix is exchanged, so a solve applies exchanges step by step.

// Exchanges rows and columns k and p >= k of the symmetric trailing matrix, of which the lower
// triangle is stored.
static void exchange(int n, double *a, int k, int p)
{
    if (k == p) return;
    swap(&AT(a, k, k), &AT(a, p, p));
    for (int i = k + 1; i < p; i++)
        swap(&AT(a, i, k), &AT(a, p, i));
    for (int i = p + 1; i < n; i++)
        swap(&AT(a, i, k), &AT(a, i, p));
}

static int largestBelow(int n, const double *a, int k, double *magnitude)
{
    int row = k;
    *magnitude = 0;
    for (int i = k + 1; i < n; i++)
        if (fabs(AT(a, i, k)) > *magnitude) {
            *magnitude = fabs(AT(a, i, k));
            row = i;
        }
    return row;
}

// The largest magnitude off the diagonal in row r of the trailing matrix from k on.
static double largestInRow(int n, const double *a, int k, int r)
{
    double magnitude = 0;
    for (int j = k; j < r; j++)
        magnitude = fmax(magnitude, fabs(AT(a, r, j)));
    for (int i = r + 1; i < n; i++)
        magnitude = fmax(magnitude, fabs(AT(a, i, r)));
    return magnitude;
}

static void eliminateOne(int n, double *a, int k)
{
    double d = AT(a, k, k);
    for (int j = k + 1; j < n; j++) {
        double factor = AT(a, j, k) / d;
        for (int i = j; i < n; i++)
            AT(a, i, j) -= AT(a, i, k) * factor;
    }
    for (int i = k + 1; i < n; i++)
        AT(a, i, k) /= d;
}

// L = C D⁻¹ with D = (d11 d21; d21 d22), scaled by d21 so that nothing overflows.
static void eliminateTwo(int n, double *a, int k)
{
    double d21 = AT(a, k + 1, k), d11 = AT(a, k + 1, k + 1) / d21, d22 = AT(a, k, k) / d21;
    double t = 1 / (d11 * d22 - 1) / d21;
    for (int j = k + 2; j < n; j++) {
        double first = t * (d11 * AT(a, j, k) - AT(a, j, k + 1));
        double second = t * (d22 * AT(a, j, k + 1) - AT(a, j, k));
        for (int i = j; i < n; i++)
            AT(a, i, j) -= AT(a, i, k) * first + AT(a, i, k + 1) * second;
        AT(a, j, k) = first;
        AT(a, j, k + 1) = second;
    }
}

snStatus snDenseLdl(int n, double *a, int *pivot, snError *error)
{
    const double bound = 0.6403882032022076; // (1 + √17) / 8 keeps the growth of both kinds equal
    for (int k = 0; k < n;) {
        double diagonal = fabs(AT(a, k, k)), below, beside;
        int r = largestBelow(n, a, k, &below), p = k, width = 1;
        if (!(fmax(diagonal, below) > 0) || !isfinite(diagonal) || !isfinite(below))
            return singular(k, AT(a, k, k), error);
        if (diagonal < bound * below) {
            beside = largestInRow(n, a, k, r);
            if (diagonal * beside >= bound * below * below) {
                p = k;
            } else if (fabs(AT(a, r, r)) >= bound * beside) {
                p = r;
            } else {
                p = r;
                width = 2;
            }
        }
        exchange(n, a, k + width - 1, p);
        if (width == 2) swap(&AT(a, k + 1, k), &AT(a, p, k));
        if (width == 1) {
            eliminateOne(n, a, k);
            pivot[k] = p;
        } else {
            eliminateTwo(n, a, k);
            pivot[k] = pivot[k + 1] = ~p;
        }
        k += width;
    }
    return SN_OK;
}

static void solvePivot(int n, const double *ldl, int k, double *x)
{
    double d21 = AT(ldl, k + 1, k), d11 = AT(ldl, k, k) / d21, d22 = AT(ldl, k + 1, k + 1) / d21;
    double t = d11 * d22 - 1, b1 = x[k] / d21, b2 = x[k + 1] / d21;
    x[k] = (d22 * b1 - b2) / t;
    x[k + 1] = (d11 * b2 - b1) / t;
}

void snDenseLdl_Solve(int n, const double *ldl, const int *pivot, double *x)
{
    for (int k = 0; k < n;) { // x = D \ L \ P b
        int width = pivot[k] < 0 ? 2 : 1, last = k + width - 1;
        swap(&x[last], &x[pivot[k] < 0 ? ~pivot[k] : pivot[k]]);
        for (int c = k; c <= last; c++)
            for (int i = last + 1; i < n; i++)
                x[i] -= AT(ldl, i, c) * x[c];
        if (width == 1)
            x[k] /= AT(ldl, k, k);
        else
            solvePivot(n, ldl, k, x);
        k += width;
    }
    for (int k = n - 1; k >= 0;) { // x = Pᵀ Lᵀ \ x
        int width = pivot[k] < 0 ? 2 : 1, first = k - width + 1;
        for (int c = first; c <= k; c++)
            for (int i = k + 1; i < n; i++)
                x[c] -= AT(ldl, i, c) * x[i];
        swap(&x[k], &x[pivot[k] < 0 ? ~pivot[k] : pivot[k]]);
        k -= width;
    }
}
