// Tangents m_i of cubic Hermite spans with equal second derivatives on both sides of each knot. With
// h_i = t_{i+1} - t_i and slopes s_i = (p_{i+1} - p_i) / h_i,
//
//     m_{i-1} / h_{i-1} + 2 (1 / h_{i-1} + 1 / h_i) m_i + m_{i+1} / h_i = 3 (s_{i-1} / h_{i-1} + s_i / h_i).
//
// At the ends m = 0, or as given, or p'' = 0: 2 m_0 + m_1 = 3 s_0. The matrix is tridiagonal and dominated by its
// diagonal, so elimination needs no pivots.
#include "core/error.h"
#include "numerics/spline.h"

#include <math.h>

static snStatus check(const snCubicSpline *s, snError *error)
{
    if (s->count < 1 || s->width < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "a spline of %d values", s->count);
    if (!isfinite(s->knots[0]))
        return snFail(error, SN_ERROR_ARGUMENT, "knot 0 is %g; it must be finite", s->knots[0]);
    for (int i = 1; i < s->count; i++)
        if (!(s->knots[i] > s->knots[i - 1]) || !isfinite(s->knots[i]))
            return snFail(error, SN_ERROR_ARGUMENT, "knot %d is %g; it must be above %g", i,
                          s->knots[i], s->knots[i - 1]);
    return SN_OK;
}

static double slope(const snCubicSpline *s, int i, int k)
{
    const double *p = s->values + (size_t)i * (size_t)s->width + (size_t)k;
    return (p[s->width] - p[0]) / (s->knots[i + 1] - s->knots[i]);
}

// Row i of the system: below, on and above the diagonal.
static void rowOf(const snCubicSpline *s, int i, double row[3])
{
    int last = s->count - 1;
    if (i == 0 || i == last) {
        bool loose = s->ends[i > 0] == SN_END_LOOSE;
        double beside = loose ? 1 : 0;
        row[0] = i ? beside : 0;
        row[1] = loose ? 2 : 1;
        row[2] = i ? 0 : beside;
        return;
    }
    row[0] = 1 / (s->knots[i] - s->knots[i - 1]);
    row[2] = 1 / (s->knots[i + 1] - s->knots[i]);
    row[1] = 2 * (row[0] + row[2]);
}

static double rightOf(const snCubicSpline *s, int i, int k)
{
    int last = s->count - 1;
    if (i == 0 || i == last) {
        if (s->ends[i > 0] == SN_END_LOOSE) return 3 * slope(s, i ? last - 1 : 0, k);
        return s->ends[i > 0] == SN_END_GIVEN ? s->tangents[i * s->width + k] : 0;
    }
    double before = s->knots[i] - s->knots[i - 1], after = s->knots[i + 1] - s->knots[i];
    return 3 * (slope(s, i - 1, k) / before + slope(s, i, k) / after);
}

snStatus snCubicSpline_Solve(snCubicSpline *s, double *scratch, snError *error)
{
    snStatus status = check(s, error);
    if (status) return status;
    size_t width = (size_t)s->width;
    double row[3];
    for (int k = 0; k < s->width; k++) {
        double *m = s->tangents + k;
        if (s->count == 1) {
            m[0] = 0;
            continue;
        }
        for (int i = 0; i < s->count; i++) { // scratch: what is left above the diagonal
            rowOf(s, i, row);
            double pivot = row[1] - (i ? row[0] * scratch[i - 1] : 0);
            double known = i ? row[0] * m[(size_t)(i - 1) * width] : 0;
            scratch[i] = row[2] / pivot;
            m[(size_t)i * width] = (rightOf(s, i, k) - known) / pivot;
        }
        for (int i = s->count - 2; i >= 0; i--)
            m[(size_t)i * width] -= scratch[i] * m[(size_t)(i + 1) * width];
    }
    return SN_OK;
}

void snCubicSpline_Sample(const snCubicSpline *s, double t, snDerivative derivative, double *result)
{
    int last = s->count - 1, low = 0, high = last;
    size_t width = (size_t)s->width;
    if (last == 0 || !(t > s->knots[0]) || t >= s->knots[last]) {
        size_t at = last && t >= s->knots[last] ? (size_t)last * width : 0;
        bool inside = last && (t == s->knots[0] || t == s->knots[last]);
        for (size_t k = 0; k < width; k++)
            result[k] = derivative == SN_VALUE             ? s->values[at + k]
                        : derivative == SN_FIRST && inside ? s->tangents[at + k]
                                                           : 0;
        if (!inside || derivative != SN_SECOND) return;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->knots[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    double h = s->knots[low + 1] - s->knots[low];
    size_t a = (size_t)low * width, b = a + width;
    snHermite(s->width, (t - s->knots[low]) / h, h, s->values + a, s->tangents + a, s->values + b,
              s->tangents + b, derivative, result);
}
