#include "numerics/qr.h"

#include "core/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Businger, Golub, "Linear least squares solutions by Householder transformations", 1965. Lengths of
// what is left of the columns are computed afresh in every step: matrices here are small, and
// running updates lose digits just where the rank is decided.

static double *column(const snQr *qr, int j)
{
    return qr->a + (size_t)j * (size_t)qr->rows;
}

snStatus snQr_Reserve(snQr *qr, int rows, int columns, snArena *arena, snError *error)
{
    *qr = (snQr){.rows = rows, .columns = columns};
    if (rows < 0 || columns < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "a matrix of %d x %d is not possible", rows,
                      columns);
    size_t shorter = (size_t)(rows < columns ? rows : columns);
    qr->a = SN_NEW(arena, double, (size_t)rows *(size_t)columns);
    qr->tau = SN_NEW(arena, double, shorter);
    qr->pivot = SN_NEW(arena, int, columns);
    qr->work = SN_NEW(arena, double, columns);
    return qr->a && qr->tau && qr->pivot && qr->work ? SN_OK : snFailMemory(error);
}

// ‖x‖ without overflow: scaled by the largest element.
static double lengthOf(int count, const double *x)
{
    double largest = 0, square = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i]));
    if (largest == 0) return 0;
    for (int i = 0; i < count; i++)
        square += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(square);
}

// The longest remaining column, the first of equals, comes to place k.
static double choosePivot(snQr *qr, int k)
{
    int best = k;
    for (int j = k; j < qr->columns; j++) {
        qr->work[j] = lengthOf(qr->rows - k, column(qr, j) + k);
        if (qr->work[j] > qr->work[best]) best = j;
    }
    double length = qr->work[best];
    if (best != k) {
        int kept = qr->pivot[k];
        qr->pivot[k] = qr->pivot[best];
        qr->pivot[best] = kept;
        double *a = column(qr, k), *b = column(qr, best);
        for (int i = 0; i < qr->rows; i++) {
            double value = a[i];
            a[i] = b[i];
            b[i] = value;
        }
    }
    return length;
}

// x -= τ u (uᵀ x) with u = (1, column k below the diagonal), on rows from k on.
static void reflect(const snQr *qr, int k, double *x)
{
    const double *u = column(qr, k);
    double sum = x[k];
    for (int i = k + 1; i < qr->rows; i++)
        sum += u[i] * x[i];
    sum *= qr->tau[k];
    x[k] -= sum;
    for (int i = k + 1; i < qr->rows; i++)
        x[i] -= sum * u[i];
}

static void eliminate(snQr *qr, int k, double length)
{
    double *a = column(qr, k);
    double beta = a[k] > 0 ? -length : length; // no cancellation in a_kk - β
    double head = a[k] - beta;
    qr->tau[k] = -head / beta;
    for (int i = k + 1; i < qr->rows; i++)
        a[i] /= head;
    a[k] = beta;
    for (int j = k + 1; j < qr->columns; j++)
        reflect(qr, k, column(qr, j));
}

snStatus snQr_Compute(snQr *qr, const double *a, double tolerance, snError *error)
{
    size_t count = (size_t)qr->rows * (size_t)qr->columns;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(a[i]))
            return snFail(error, SN_ERROR_NUMERIC,
                          "the matrix has a value that is not finite at row %d, column %d",
                          (int)(i % (size_t)qr->rows), (int)(i / (size_t)qr->rows));
    if (count) memcpy(qr->a, a, count * sizeof *a);
    int shorter = qr->rows < qr->columns ? qr->rows : qr->columns;
    int longer = qr->rows < qr->columns ? qr->columns : qr->rows;
    if (!(tolerance > 0)) tolerance = longer * DBL_EPSILON;
    for (int j = 0; j < qr->columns; j++)
        qr->pivot[j] = j;
    qr->rank = 0;
    double longest = 0;
    for (int k = 0; k < shorter; k++) {
        double length = choosePivot(qr, k);
        if (k == 0) longest = length;
        if (length <= tolerance * longest) break;
        eliminate(qr, k, length);
        qr->rank++;
    }
    return SN_OK;
}

snStatus snQr_Make(snQr *qr, int rows, int columns, const double *a, double tolerance,
                   snArena *arena, snError *error)
{
    snStatus status = snQr_Reserve(qr, rows, columns, arena, error);
    return status ? status : snQr_Compute(qr, a, tolerance, error);
}

void snQr_ApplyQ(const snQr *qr, double *x)
{
    for (int k = qr->rank - 1; k >= 0; k--)
        reflect(qr, k, x);
}

void snQr_ApplyQTransposed(const snQr *qr, double *x)
{
    for (int k = 0; k < qr->rank; k++)
        reflect(qr, k, x);
}

void snQr_SolveR(const snQr *qr, double *c)
{
    for (int j = qr->rank - 1; j >= 0; j--) {
        const double *r = column(qr, j);
        c[j] /= r[j];
        for (int i = 0; i < j; i++)
            c[i] -= r[i] * c[j];
    }
}

void snQr_SolveRTransposed(const snQr *qr, double *c)
{
    for (int j = 0; j < qr->rank; j++) {
        const double *r = column(qr, j);
        for (int i = 0; i < j; i++)
            c[j] -= r[i] * c[i];
        c[j] /= r[j];
    }
}

void snQr_LeastSquares(const snQr *qr, double *b, double *x)
{
    snQr_ApplyQTransposed(qr, b);
    for (int k = 0; k < qr->columns; k++)
        x[k] = k < qr->rank ? b[k] : 0;
    // R y = c in the first places of x, then every y to the column that it belongs to.
    snQr_SolveR(qr, x);
    for (int k = 0; k < qr->columns; k++)
        qr->work[k] = x[k];
    for (int k = 0; k < qr->columns; k++)
        x[qr->pivot[k]] = qr->work[k];
}

int snQr_Redundant(const snQr *qr, bool *redundant)
{
    for (int k = 0; k < qr->columns; k++)
        redundant[qr->pivot[k]] = k >= qr->rank;
    return qr->columns - qr->rank;
}
