#include "numerics/spline.h"

#include "core/error.h"

#include <math.h>

// Kochanek, Bartels, "Interpolating splines with local tension, continuity, and bias control", 1984.

// The Hermite basis: h00 = 2u³ - 3u² + 1, h10 = u³ - 2u² + u, h01 = 3u² - 2u³, h11 = u³ - u²,
// with tangents scaled by h; every derivative by t divides by h once more.
void snHermiteWeights(double u, double h, snDerivative derivative, double w[4])
{
    if (derivative == SN_VALUE) {
        w[0] = (2 * u - 3) * u * u + 1;
        w[1] = ((u - 2) * u + 1) * u * h;
        w[2] = (3 - 2 * u) * u * u;
        w[3] = (u - 1) * u * u * h;
    } else if (derivative == SN_FIRST) {
        w[0] = (6 * u - 6) * u / h;
        w[1] = (3 * u - 4) * u + 1;
        w[2] = (6 - 6 * u) * u / h;
        w[3] = (3 * u - 2) * u;
    } else {
        w[0] = (12 * u - 6) / (h * h);
        w[1] = (6 * u - 4) / h;
        w[2] = (6 - 12 * u) / (h * h);
        w[3] = (6 * u - 2) / h;
    }
}

void snHermite(int width, double u, double h, const double *p0, const double *m0, const double *p1,
               const double *m1, snDerivative derivative, double *result)
{
    double w[4];
    snHermiteWeights(u, h, derivative, w);
    for (int i = 0; i < width; i++)
        result[i] = (w[0] * p0[i] + w[2] * p1[i]) + (w[1] * m0[i] + w[3] * m1[i]);
}

static double knotAt(const snKochanekBartels *curve, int k)
{
    return curve->knots ? curve->knots[k] : k;
}

// The span of the parameter between the last value and the first of a closed curve.
static double closingSpan(const snKochanekBartels *curve)
{
    if (curve->closing > 0) return curve->closing;
    int last = curve->count - 1;
    return last > 0 ? knotAt(curve, last) - knotAt(curve, last - 1) : 1;
}

snStatus snKochanekBartels_Check(const snKochanekBartels *curve, snError *error)
{
    if (curve->count < 1 || curve->width < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "a curve of %d values of width %d is not possible",
                      curve->count, curve->width);
    for (int k = 0; curve->knots && k < curve->count; k++) {
        bool ascends = k == 0 || curve->knots[k] > curve->knots[k - 1];
        if (!isfinite(curve->knots[k]) || !ascends)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "knot %d of a curve is %g: knots must be finite and ascend", k,
                          curve->knots[k]);
    }
    if (!isfinite(curve->closing) || curve->closing < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "the closing span %g of a curve is negative",
                      curve->closing);
    return SN_OK;
}

// A knot with its neighbours: spans before and after, 0 where an open curve ends.
typedef struct Knot {
    const double *before, *here, *after;
    double spanBefore, spanAfter;
} Knot;

static Knot knotOf(const snKochanekBartels *curve, int k)
{
    int last = curve->count - 1;
    size_t width = (size_t)curve->width;
    Knot knot = {.here = curve->values + (size_t)k * width};
    knot.before = knot.after = knot.here;
    if (k > 0) {
        knot.before = knot.here - width;
        knot.spanBefore = knotAt(curve, k) - knotAt(curve, k - 1);
    } else if (curve->closed) {
        knot.before = curve->values + (size_t)last * width;
        knot.spanBefore = closingSpan(curve);
    }
    if (k < last) {
        knot.after = knot.here + width;
        knot.spanAfter = knotAt(curve, k + 1) - knotAt(curve, k);
    } else if (curve->closed) {
        knot.after = curve->values;
        knot.spanAfter = closingSpan(curve);
    }
    return knot;
}

// With Δ₋ and Δ₊ the chords before and after the knot and h₋, h₊ their spans, by the parameter:
//     incoming  ((1-t)(1+b)(1-c) Δ₋ + (1-t)(1-b)(1+c) Δ₊) / (h₋ + h₊)
//     outgoing  the same with c -> -c.
// These are the paper's tangents per span (equations 8 and 9) with its adjustment to spans of
// different length (2 h₋ / (h₋ + h₊) and 2 h₊ / (h₋ + h₊)), divided by the spans: the speed does
// not jump where c = 0, and t = b = c = 0 gives the slope of the chord from neighbour to neighbour.
static void tangent(const Knot *knot, const snKnotShape *shape, double continuity, int width,
                    double *result)
{
    double tight = 1 - shape->tension, spans = knot->spanBefore + knot->spanAfter;
    double weightBefore = tight * (1 + shape->bias) * (1 - continuity);
    double weightAfter = tight * (1 - shape->bias) * (1 + continuity);
    if (!(knot->spanBefore > 0) || !(knot->spanAfter > 0))
        weightBefore = weightAfter = tight; // an end has only one chord
    for (int i = 0; i < width; i++) {
        double before = knot->here[i] - knot->before[i], after = knot->after[i] - knot->here[i];
        result[i] = spans > 0 ? (weightBefore * before + weightAfter * after) / spans : 0;
    }
}

void snKochanekBartels_Tangents(const snKochanekBartels *curve, int knot, double *incoming,
                                double *outgoing)
{
    static const snKnotShape smooth = {0};
    const snKnotShape *shape = curve->shape ? &curve->shape[knot] : &smooth;
    Knot place = knotOf(curve, knot);
    if (incoming) tangent(&place, shape, shape->continuity, curve->width, incoming);
    if (outgoing) tangent(&place, shape, -shape->continuity, curve->width, outgoing);
}

static void hold(int width, const double *value, snDerivative derivative, double *result)
{
    for (int i = 0; i < width; i++)
        result[i] = derivative == SN_VALUE ? value[i] : 0;
}

// The last knot at or before t.
static int findSpan(const snKochanekBartels *curve, double t)
{
    int low = 0, high = curve->count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (knotAt(curve, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Maps t into [from, from + period).
static double wrap(double t, double from, double period)
{
    double turns = floor((t - from) / period), inside = t - turns * period;
    return inside >= from && inside < from + period ? inside : from;
}

// Tangents are made where they are used, a few elements of a value at a time.
enum { PIECE = 8 };

// Some elements of the values, as a curve of their own with the same stride would have them.
static void sampleSpan(const snKochanekBartels *curve, int from, int to, double u, double h,
                       snDerivative derivative, double *result)
{
    static const snKnotShape smooth = {0};
    const snKnotShape *shapeFrom = curve->shape ? &curve->shape[from] : &smooth;
    const snKnotShape *shapeTo = curve->shape ? &curve->shape[to] : &smooth;
    for (int first = 0; first < curve->width; first += PIECE) {
        int width = curve->width - first < PIECE ? curve->width - first : PIECE;
        Knot a = knotOf(curve, from), b = knotOf(curve, to);
        const double **ends[6] = {&a.before, &a.here, &a.after, &b.before, &b.here, &b.after};
        for (int k = 0; k < 6; k++)
            *ends[k] += first;
        double outgoing[PIECE], incoming[PIECE];
        tangent(&a, shapeFrom, -shapeFrom->continuity, width, outgoing);
        tangent(&b, shapeTo, shapeTo->continuity, width, incoming);
        snHermite(width, u, h, a.here, outgoing, b.here, incoming, derivative, result + first);
    }
}

void snKochanekBartels_Sample(const snKochanekBartels *curve, double t, snDerivative derivative,
                              double *result)
{
    int last = curve->count - 1;
    size_t width = (size_t)curve->width;
    double begin = knotAt(curve, 0), end = knotAt(curve, last);
    if (curve->closed && last > 0) {
        double closing = closingSpan(curve);
        t = wrap(t, begin, end - begin + closing);
        if (t >= end) {
            sampleSpan(curve, last, 0, (t - end) / closing, closing, derivative, result);
            return;
        }
    } else if (!(t >= begin) || last == 0) {
        hold(curve->width, curve->values, derivative, result);
        return;
    } else if (t > end) {
        hold(curve->width, curve->values + (size_t)last * width, derivative, result);
        return;
    }
    int k = findSpan(curve, t);
    if (k == last) k--; // t == end of an open curve
    double from = knotAt(curve, k), h = knotAt(curve, k + 1) - from;
    sampleSpan(curve, k, k + 1, (t - from) / h, h, derivative, result);
}

// Weights of P₋₁, P₀, P₁, P₂ in the span from P₀ to P₁:
// (1-u)³/6, (3u³ - 6u² + 4)/6, (-3u³ + 3u² + 3u + 1)/6, u³/6.
void snBSplineWeights(double u, snDerivative derivative, double weights[4])
{
    double v = 1 - u;
    if (derivative == SN_VALUE) {
        weights[0] = v * v * v / 6;
        weights[1] = ((3 * u - 6) * u * u + 4) / 6;
        weights[2] = (((3 - 3 * u) * u + 3) * u + 1) / 6;
        weights[3] = u * u * u / 6;
    } else if (derivative == SN_FIRST) {
        weights[0] = -v * v / 2;
        weights[1] = (3 * u - 4) * u / 2;
        weights[2] = ((2 - 3 * u) * u + 1) / 2;
        weights[3] = u * u / 2;
    } else {
        weights[0] = v;
        weights[1] = 3 * u - 2;
        weights[2] = 1 - 3 * u;
        weights[3] = u;
    }
}

// Element i of control k; beyond the ends of an open curve the controls are reflected.
static double controlAt(const snBSpline *spline, int k, int i)
{
    int last = spline->count - 1, width = spline->width;
    const double *controls = spline->controls;
    if (spline->closed) {
        k = (k % spline->count + spline->count) % spline->count;
    } else if (k < 0 && last > 0) {
        return 2 * controls[i] - controls[width + i];
    } else if (k > last && last > 0) {
        size_t end = (size_t)last * (size_t)width + (size_t)i;
        return 2 * controls[end] - controls[end - (size_t)width];
    } else if (last == 0) {
        k = 0;
    }
    return controls[(size_t)k * (size_t)width + (size_t)i];
}

void snBSpline_Sample(const snBSpline *spline, double t, snDerivative derivative, double *result)
{
    int last = spline->count - 1;
    if (spline->closed) {
        t = wrap(t, 0, spline->count);
    } else if (!(t >= 0) || last == 0) {
        hold(spline->width, spline->controls, derivative, result);
        return;
    } else if (t > last) {
        hold(spline->width, spline->controls + (size_t)last * (size_t)spline->width, derivative,
             result);
        return;
    }
    int k = (int)floor(t);
    if (!spline->closed && k == last) k--;
    double weights[4];
    snBSplineWeights(t - k, derivative, weights);
    for (int i = 0; i < spline->width; i++) {
        double sum = 0;
        for (int c = 0; c < 4; c++)
            sum += weights[c] * controlAt(spline, k - 1 + c, i);
        result[i] = sum;
    }
}
