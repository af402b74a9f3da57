#include "tests/test.h"

#include "numerics/spline.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

static double cubic(double t, snDerivative derivative)
{
    if (derivative == SN_VALUE) return ((2 * t - 3) * t + 5) * t - 7;
    if (derivative == SN_FIRST) return (6 * t - 6) * t + 5;
    return 12 * t - 6;
}

// A Hermite span is the cubic that it takes its ends from.
static void hermiteReproducesCubics(void)
{
    double a = 0.5, h = 1.7, b = a + h;
    double p0 = cubic(a, SN_VALUE), m0 = cubic(a, SN_FIRST);
    double p1 = cubic(b, SN_VALUE), m1 = cubic(b, SN_FIRST);
    for (int k = 0; k <= 10; k++)
        for (snDerivative d = SN_VALUE; d <= SN_SECOND; d++) {
            double u = 0.1 * k, value;
            snHermite(1, u, h, &p0, &m0, &p1, &m1, d, &value);
            CHECK_NEAR(value, cubic(a + h * u, d), 1e-13);
        }
}

enum { COUNT = 6, WIDTH = 11 };

static void makeCurve(snKochanekBartels *curve, double *knots, double *values, snKnotShape *shape)
{
    snRandom random = snMakeRandom(3);
    for (int k = 0; k < COUNT; k++) {
        knots[k] = k + 0.3 * (k % 3) - 1;
        shape[k] = (snKnotShape){0.1 * k - 0.2, 0.2 * (k % 2), 0.3 - 0.1 * k};
        for (int i = 0; i < WIDTH; i++)
            values[k * WIDTH + i] = snRandom_Normal(&random);
    }
    *curve = (snKochanekBartels){
        .count = COUNT, .width = WIDTH, .knots = knots, .values = values, .shape = shape};
}

static void passesThroughItsValues(void)
{
    snKochanekBartels curve;
    double knots[COUNT], values[COUNT * WIDTH], result[WIDTH];
    snKnotShape shape[COUNT];
    makeCurve(&curve, knots, values, shape);
    for (int closed = 0; closed < 2; closed++) {
        curve.closed = closed;
        CHECK(snKochanekBartels_Check(&curve, NULL) == SN_OK);
        for (int k = 0; k < COUNT; k++) {
            snKochanekBartels_Sample(&curve, knots[k], SN_VALUE, result);
            for (int i = 0; i < WIDTH; i++)
                CHECK_NEAR(result[i], values[k * WIDTH + i], 1e-14);
        }
    }
    // Beyond the ends an open curve is held.
    curve.closed = false;
    snKochanekBartels_Sample(&curve, 100, SN_VALUE, result);
    CHECK(memcmp(result, values + (COUNT - 1) * WIDTH, sizeof result) == 0);
    snKochanekBartels_Sample(&curve, -100, SN_VALUE, result);
    CHECK(memcmp(result, values, sizeof result) == 0);
    snKochanekBartels_Sample(&curve, 100, SN_FIRST, result);
    CHECK(result[0] == 0);
}

// Derivatives are the limits of differences, inside spans; the tangents on both sides of a knot are
// those that are promised, and equal where continuity is 0.
static void derivativesAreDifferences(void)
{
    snKochanekBartels curve;
    double knots[COUNT], values[COUNT * WIDTH];
    snKnotShape shape[COUNT];
    makeCurve(&curve, knots, values, shape);
    double low[WIDTH], high[WIDTH], exact[WIDTH], step = 1e-5;
    for (snDerivative d = SN_VALUE; d <= SN_FIRST; d++)
        for (int k = 0; k + 1 < COUNT; k++) {
            double t = 0.4 * knots[k] + 0.6 * knots[k + 1];
            snKochanekBartels_Sample(&curve, t - step, d, low);
            snKochanekBartels_Sample(&curve, t + step, d, high);
            snKochanekBartels_Sample(&curve, t, d + 1, exact);
            for (int i = 0; i < WIDTH; i++)
                CHECK_NEAR((high[i] - low[i]) / (2 * step), exact[i], 1e-7);
        }
    for (int k = 1; k + 1 < COUNT; k++) {
        snKochanekBartels_Tangents(&curve, k, low, high);
        double before[WIDTH], after[WIDTH];
        snKochanekBartels_Sample(&curve, knots[k] - 1e-9, SN_FIRST, before);
        snKochanekBartels_Sample(&curve, knots[k], SN_FIRST, after);
        for (int i = 0; i < WIDTH; i++) {
            CHECK_NEAR(before[i], low[i], 1e-6);
            CHECK_NEAR(after[i], high[i], 1e-12);
            if (shape[k].continuity == 0) CHECK_NEAR(low[i], high[i], 1e-15);
        }
    }
}

// The paper's formulas on uniform knots: t = 1 stops, b = ±1 takes one chord only, c = -1 makes a
// corner of chords.
static void shapesAreThePapers(void)
{
    double values[3] = {0, 1, 5}, in, out;
    snKnotShape shape[3] = {{0}};
    snKochanekBartels curve = {.count = 3, .width = 1, .values = values, .shape = shape};
    snKochanekBartels_Tangents(&curve, 1, &in, &out);
    CHECK_NEAR(in, 2.5, 1e-15); // Catmull-Rom
    CHECK_NEAR(out, 2.5, 1e-15);
    shape[1] = (snKnotShape){.tension = 1};
    snKochanekBartels_Tangents(&curve, 1, &in, &out);
    CHECK(in == 0 && out == 0);
    shape[1] = (snKnotShape){.bias = 1};
    snKochanekBartels_Tangents(&curve, 1, &in, &out);
    CHECK_NEAR(out, 1, 1e-15); // the chord before
    shape[1] = (snKnotShape){.bias = -1};
    snKochanekBartels_Tangents(&curve, 1, &in, &out);
    CHECK_NEAR(out, 4, 1e-15);
    shape[1] = (snKnotShape){.continuity = -1};
    snKochanekBartels_Tangents(&curve, 1, &in, &out);
    CHECK_NEAR(in, 1, 1e-15);
    CHECK_NEAR(out, 4, 1e-15);
}

static void straightLinesStayStraight(void)
{
    double knots[5] = {0, 0.5, 2, 2.25, 6}, values[5], result;
    for (int k = 0; k < 5; k++)
        values[k] = 3 * knots[k] - 1;
    snKochanekBartels curve = {.count = 5, .width = 1, .knots = knots, .values = values};
    for (double t = 0; t <= 6; t += 0.125) {
        snKochanekBartels_Sample(&curve, t, SN_VALUE, &result);
        CHECK_NEAR(result, 3 * t - 1, 1e-13);
        snKochanekBartels_Sample(&curve, t, SN_FIRST, &result);
        CHECK_NEAR(result, 3, 1e-12);
    }
}

static void closedCurvesGoRound(void)
{
    double values[4] = {0, 1, 0, -1}, a, b;
    snKochanekBartels curve = {.count = 4, .width = 1, .values = values, .closed = true};
    for (double t = -3; t < 9; t += 0.37)
        for (snDerivative d = SN_VALUE; d <= SN_SECOND; d++) {
            snKochanekBartels_Sample(&curve, t, d, &a);
            snKochanekBartels_Sample(&curve, t + 4, d, &b);
            CHECK_NEAR(a, b, 1e-12);
        }
    curve.closing = 2; // a longer way home
    snKochanekBartels_Sample(&curve, 5, SN_VALUE, &a);
    snKochanekBartels_Sample(&curve, 4, SN_VALUE, &b);
    CHECK_NEAR(a, 0, 1e-15);
    CHECK(b < 0);
}

static void smallAndBadCurves(void)
{
    double value[2] = {4, 5}, knots[2] = {1, 1}, result[2];
    snKochanekBartels curve = {.count = 1, .width = 2, .values = value};
    snError error;
    CHECK(snKochanekBartels_Check(&curve, &error) == SN_OK);
    for (int closed = 0; closed < 2; closed++) {
        curve.closed = closed;
        snKochanekBartels_Sample(&curve, 0.5, SN_VALUE, result);
        CHECK(result[0] == 4 && result[1] == 5);
        snKochanekBartels_Sample(&curve, NAN, SN_VALUE, result);
        CHECK(result[0] == 4);
        snBSpline spline = {.count = 1, .width = 2, .controls = value, .closed = closed};
        snBSpline_Sample(&spline, 7, SN_VALUE, result);
        CHECK_NEAR(result[1], 5, 1e-15);
        snBSpline_Sample(&spline, INFINITY, SN_VALUE, result);
        CHECK_NEAR(result[0], 4, 1e-15);
    }
    curve = (snKochanekBartels){.count = 2, .width = 1, .values = value, .knots = knots};
    CHECK(snKochanekBartels_Check(&curve, &error) == SN_ERROR_ARGUMENT);
    knots[1] = NAN;
    CHECK(snKochanekBartels_Check(&curve, &error) == SN_ERROR_ARGUMENT);
    curve.count = 0;
    CHECK(snKochanekBartels_Check(&curve, &error) == SN_ERROR_ARGUMENT);
}

// Weights sum to one; values and two derivatives go on across knots; the value at a knot is
// (P₋ + 4 P + P₊) / 6.
static void bSplineIsSmooth(void)
{
    snRandom random = snMakeRandom(4);
    double controls[COUNT * WIDTH], a[WIDTH], b[WIDTH];
    for (int i = 0; i < COUNT * WIDTH; i++)
        controls[i] = snRandom_Normal(&random);
    for (int closed = 0; closed < 2; closed++) {
        snBSpline spline = {.count = COUNT, .width = WIDTH, .controls = controls, .closed = closed};
        for (int k = 1; k + 1 < COUNT; k++) {
            for (snDerivative d = SN_VALUE; d <= SN_SECOND; d++) {
                snBSpline_Sample(&spline, k - 1e-10, d, a);
                snBSpline_Sample(&spline, k, d, b);
                for (int i = 0; i < WIDTH; i++)
                    CHECK_NEAR(a[i], b[i], 1e-8);
            }
            snBSpline_Sample(&spline, k, SN_VALUE, a);
            for (int i = 0; i < WIDTH; i++)
                CHECK_NEAR(a[i],
                           (controls[(k - 1) * WIDTH + i] + 4 * controls[k * WIDTH + i] +
                            controls[(k + 1) * WIDTH + i]) /
                               6,
                           1e-14);
        }
    }
    for (double u = 0; u <= 1; u += 0.25) {
        double w[4];
        snBSplineWeights(u, SN_VALUE, w);
        CHECK_NEAR(w[0] + w[1] + w[2] + w[3], 1, 1e-15);
        snBSplineWeights(u, SN_FIRST, w);
        CHECK_NEAR(w[0] + w[1] + w[2] + w[3], 0, 1e-15);
        snBSplineWeights(u, SN_SECOND, w);
        CHECK_NEAR(w[0] + w[1] + w[2] + w[3], 0, 1e-15);
    }
}

static void bSplineDerivatives(void)
{
    double controls[5] = {1, -2, 4, 0.5, 3}, low, high, exact, step = 1e-5;
    snBSpline spline = {.count = 5, .width = 1, .controls = controls};
    for (snDerivative d = SN_VALUE; d <= SN_FIRST; d++)
        for (double t = 0.3; t < 4; t += 0.5) {
            snBSpline_Sample(&spline, t - step, d, &low);
            snBSpline_Sample(&spline, t + step, d, &high);
            snBSpline_Sample(&spline, t, d + 1, &exact);
            CHECK_NEAR((high - low) / (2 * step), exact, 1e-8);
        }
    // Open ends: at the control itself, unbent.
    snBSpline_Sample(&spline, 0, SN_VALUE, &exact);
    CHECK_NEAR(exact, 1, 1e-15);
    snBSpline_Sample(&spline, 4, SN_VALUE, &exact);
    CHECK_NEAR(exact, 3, 1e-15);
    snBSpline_Sample(&spline, 0, SN_SECOND, &exact);
    CHECK_NEAR(exact, 0, 1e-15);
    // Closed: periodic.
    spline.closed = true;
    snBSpline_Sample(&spline, 0.7, SN_SECOND, &low);
    snBSpline_Sample(&spline, 5.7, SN_SECOND, &high);
    CHECK_NEAR(low, high, 1e-12);
}

// Weights that are the same everywhere: those of curves over four values, and of B-splines.
static void weightsOfSpansAreThoseOfCurves(void)
{
    snKnotShape shape[4], one = {0.3, -0.2, 0.4};
    double values[4] = {0.3, -1, 2, 0.7}, w[4], b[4], sample;
    for (int k = 0; k < 4; k++)
        shape[k] = one;
    snKochanekBartels curve = {.count = 4, .width = 1, .values = values, .shape = shape};
    for (int d = SN_VALUE; d <= SN_SECOND; d++)
        for (double u = 0; u < 1; u += 0.125) {
            snKochanekBartelsWeights(u, &one, (snDerivative)d, w);
            snKochanekBartels_Sample(&curve, 1 + u, (snDerivative)d, &sample);
            CHECK_NEAR(w[0] * values[0] + w[1] * values[1] + w[2] * values[2] + w[3] * values[3],
                       sample, 1e-14);
            snBetaSplineWeights(u, 1, 0, (snDerivative)d, w);
            snBSplineWeights(u, (snDerivative)d, b);
            for (int k = 0; k < 4; k++)
                CHECK_NEAR(w[k], b[k], 1e-15);
        }
}

// From span to span a beta-spline keeps its place, bends by bias its tangent: β₁ S'(1) = S'(0), and
// β₁² S''(1) + β₂ S'(1) = S''(0).
static void betaSplinesAreSmooth(void)
{
    for (double bias = 0.5; bias < 3; bias += 0.5)
        for (double tension = 0; tension < 30; tension = 2 * tension + 1) {
            double end[3][4], begin[3][4];
            for (int d = SN_VALUE; d <= SN_SECOND; d++) {
                snBetaSplineWeights(1, bias, tension, (snDerivative)d, end[d]);
                snBetaSplineWeights(0, bias, tension, (snDerivative)d, begin[d]);
            }
            for (int k = -1; k < 4; k++) { // controls of both spans
                double e[3], b[3];
                for (int d = 0; d < 3; d++) {
                    e[d] = k >= 0 ? end[d][k] : 0;
                    b[d] = k > 0 ? begin[d][k - 1] : 0;
                }
                if (k == 3) CHECK_NEAR(begin[0][3], 0, 0);
                CHECK_NEAR(e[0], b[0], 1e-15);
                CHECK_NEAR(bias * e[1], b[1], 1e-14);
                CHECK_NEAR(bias * bias * e[2] + tension * e[1], b[2], 1e-13);
            }
        }
}

int main(void)
{
    RUN(hermiteReproducesCubics);
    RUN(passesThroughItsValues);
    RUN(derivativesAreDifferences);
    RUN(shapesAreThePapers);
    RUN(straightLinesStayStraight);
    RUN(closedCurvesGoRound);
    RUN(smallAndBadCurves);
    RUN(bSplineIsSmooth);
    RUN(bSplineDerivatives);
    RUN(weightsOfSpansAreThoseOfCurves);
    RUN(betaSplinesAreSmooth);
    return snTest_Finish();
}
