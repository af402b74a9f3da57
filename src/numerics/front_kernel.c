// Dense Cholesky of the leading columns of a front, and the update of the rest. Every element is
// computed as a_ij - l_i0 l_j0 - l_i1 l_j1 - ... in this order, whatever the register blocking.
#include "numerics/cholesky_parts.h"
#include "numerics/lanes.h"

#include <math.h>

// Columns of a register block of one tile's height.
#if SN_LANES_PARTS == 1
#define COLUMNS_AT_ONCE 8
#else
#define COLUMNS_AT_ONCE 4
#endif

// C(rows, column ... column + columns - 1) -= P(rows, 0 ... depth - 1) P(columns, ...)ᵀ for the
// tiles of rows from `column` down.
SN_INLINE void updateColumns(double *front, size_t stride, int column, int columns, int rows,
                             int depth)
{
    double *target = front + (size_t)column * stride;
    for (int i = column; i < rows; i += 8) {
        snLanes sum[COLUMNS_AT_ONCE];
        for (int j = 0; j < columns; j++)
            sum[j] = snLanes_Load(target + (size_t)j * stride + i);
        const double *left = front + i, *right = front + column;
        for (int k = 0; k < depth; k++, left += stride, right += stride) {
            snLanes l = snLanes_Load(left);
            for (int j = 0; j < columns; j++)
                sum[j] = snLanes_Less(sum[j], l, snLanes_All(right[j]));
        }
        for (int j = 0; j < columns; j++)
            snLanes_Store(target + (size_t)j * stride + i, sum[j]);
    }
}

static void update(double *front, size_t stride, int begin, int end, int rows, int depth)
{
    if (depth == 0) return;
    int column = begin;
    for (; column + COLUMNS_AT_ONCE <= end; column += COLUMNS_AT_ONCE)
        updateColumns(front, stride, column, COLUMNS_AT_ONCE, rows, depth);
    for (; column < end; column++)
        updateColumns(front, stride, column, 1, rows, depth);
}

// The triangle of columns begin ... end - 1, already updated by those before. Returns the pivot
// that is not positive (or not a number), or -1.
static int factorTriangle(double *front, size_t stride, int begin, int end)
{
    for (int j = begin; j < end; j++) {
        double *column = front + (size_t)j * stride;
        for (int k = begin; k < j; k++) {
            const double *left = front + (size_t)k * stride;
            for (int i = j; i < end; i++)
                column[i] -= left[i] * left[j];
        }
        if (!(column[j] > 0 && column[j] < INFINITY)) return j;
        column[j] = sqrt(column[j]);
        for (int i = j + 1; i < end; i++)
            column[i] /= column[j];
    }
    return -1;
}

// Rows below the triangle: l_ij = (a_ij - Σ_k l_ik l_jk) / l_jj, eight rows at a time.
static void solveBelow(double *front, size_t stride, int begin, int end, int rows)
{
    for (int i = end; i < rows; i += 8)
        for (int j = begin; j < end; j++) {
            double *column = front + (size_t)j * stride;
            snLanes sum = snLanes_Load(column + i);
            for (int k = begin; k < j; k++) {
                const double *left = front + (size_t)k * stride;
                sum = snLanes_Less(sum, snLanes_Load(left + i), snLanes_All(left[j]));
            }
            snLanes_Store(column + i, snLanes_Divide(sum, snLanes_All(column[j])));
        }
}

snFrontFcn SN_VARIANT(snFactorFront);

int SN_VARIANT(snFactorFront)(double *front, int stride, int pivots, int rows)
{
    size_t step = (size_t)stride;
    for (int begin = 0; begin < pivots; begin += 8) {
        int end = begin + 8 < pivots ? begin + 8 : pivots;
        update(front, step, begin, end, rows, begin);
        int failed = factorTriangle(front, step, begin, end);
        if (failed >= 0) return failed;
        solveBelow(front, step, begin, end, rows);
    }
    update(front, step, pivots, rows, rows, pivots);
    return -1;
}
