// Weights of four controls in a span, for curves whose shape is the same everywhere.
#include "numerics/spline.h"

// Barsky, "Computer graphics and geometric modeling using beta-splines", 1988. With β₁ = b, β₂ = t and
// δ = 2b³ + 4b² + 4b + t + 2 the weights of P₋₁, P₀, P₁, P₂ are, times δ,
//     2b³ (1-u)³
//     2b³ u(u² - 3u + 3) + 2b² (u³ - 3u² + 2) + 2b (u³ - 3u + 2) + t (2u³ - 3u² + 1)
//     2b² u²(3 - u) + 2b u(3 - u²) + t u²(3 - 2u) + 2(1 - u³)
//     2u³
// as polynomials below: the tangent's direction and curvature go on from span to span, and where b = 1 its length too.
void snBetaSplineWeights(double u, double b, double t, snDerivative derivative, double weights[4])
{
    double b2 = b * b, b3 = b2 * b, delta = 2 * b3 + 4 * b2 + 4 * b + t + 2;
    const double c[4][4] = {
        {2 * b3, -6 * b3, 6 * b3, -2 * b3},
        {4 * b2 + 4 * b + t, 6 * b3 - 6 * b, -6 * b3 - 6 * b2 - 3 * t, 2 * (b3 + b2 + b + t)},
        {2, 6 * b, 6 * b2 + 3 * t, -2 * (b2 + b + t + 1)},
        {0, 0, 0, 2},
    };
    for (int k = 0; k < 4; k++) {
        const double *p = c[k];
        double value = derivative == SN_VALUE   ? ((p[3] * u + p[2]) * u + p[1]) * u + p[0]
                       : derivative == SN_FIRST ? (3 * p[3] * u + 2 * p[2]) * u + p[1]
                                                : 6 * p[3] * u + 2 * p[2];
        weights[k] = value / delta;
    }
}

// With chords Δ₋ = P₀ - P₋₁, Δ₀ = P₁ - P₀, Δ₊ = P₂ - P₁ the tangents are (spline.c, all spans 1)
//     m₀ = (1-t)( (1+b)(1+c) Δ₋ + (1-b)(1-c) Δ₀ ) / 2,
//     m₁ = (1-t)( (1+b)(1-c) Δ₀ + (1-b)(1+c) Δ₊ ) / 2.
void snKochanekBartelsWeights(double u, const snKnotShape *shape, snDerivative derivative,
                              double weights[4])
{
    double h[4], half = (1 - shape->tension) / 2, b = shape->bias, c = shape->continuity;
    double before = half * (1 + b) * (1 + c), after = half * (1 - b) * (1 - c);
    double before1 = half * (1 + b) * (1 - c), after1 = half * (1 - b) * (1 + c);
    snHermiteWeights(u, 1, derivative, h);
    weights[0] = -h[1] * before;
    weights[1] = h[0] + h[1] * (before - after) - h[3] * before1;
    weights[2] = h[2] + h[1] * after + h[3] * (before1 - after1);
    weights[3] = h[3] * after1;
}
