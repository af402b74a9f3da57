// Interpolating and approximating curves over values of any width (a value is `width` doubles).
#ifndef SN_NUMERICS_SPLINE_H
#define SN_NUMERICS_SPLINE_H

#include "sinew/base.h"

// Which derivative to take: the value, the velocity, the acceleration.
typedef enum snDerivative { SN_VALUE, SN_FIRST, SN_SECOND } snDerivative;

// One cubic Hermite span of length h: u in [0, 1], values p0 and p1, tangents m0 and m1 per unit of
// the parameter t = h u. `result` is the value or its derivative by t.
void snHermite(int width, double u, double h, const double *p0, const double *m0, const double *p1,
               const double *m1, snDerivative derivative, double *result);

// Its weights of p0, m0, p1, m1.
void snHermiteWeights(double u, double h, snDerivative derivative, double weights[4]);

// Kochanek-Bartels curve through `count` values at ascending knots.
typedef struct snKnotShape {
    double tension;    // 1 is tight, -1 round, 0 Catmull-Rom
    double continuity; // 1 and -1 make corners (box and inverted), 0 is smooth
    double bias;       // 1 overshoots, -1 undershoots the knot
} snKnotShape;

typedef struct snKochanekBartels {
    int count, width;
    const double *knots;      // [count], strictly ascending; NULL: 0, 1, 2 ...
    const double *values;     // [count * width]
    const snKnotShape *shape; // [count], or NULL: all 0
    bool closed;              // the curve goes on from the last value to the first...
    double closing;           // ...within this span of the parameter (0: as long as the last span)
} snKochanekBartels;

// SN_ERROR_ARGUMENT for knots that do not ascend or a count below 1.
snStatus snKochanekBartels_Check(const snKochanekBartels *curve, snError *error);

// Outgoing and incoming tangents at a knot, by the parameter. Open ends: one-sided differences.
void snKochanekBartels_Tangents(const snKochanekBartels *curve, int knot, double *incoming,
                                double *outgoing);

// An open curve is held at its ends; a closed one goes round. The curve must be valid.
void snKochanekBartels_Sample(const snKochanekBartels *curve, double t, snDerivative derivative,
                              double *result);

// The cubic curve through `count` values at ascending knots that is twice continuously
// differentiable. Its ends are at rest (velocity 0), so that what is held before and after starts and
// stops without a jolt; or loose: unbent; or have the velocities that are given.
typedef enum snSplineEnd { SN_END_REST, SN_END_LOOSE, SN_END_GIVEN } snSplineEnd;

typedef struct snCubicSpline {
    int count, width;
    const double *knots;  // [count], strictly ascending
    const double *values; // [count * width]
    double *tangents;     // [count * width], by snCubicSpline_Solve: given ones stand there before
    snSplineEnd ends[2];  // the first and the last
} snCubicSpline;

// `scratch` has `count` doubles. SN_ERROR_ARGUMENT for knots that do not ascend or a count below 1.
snStatus snCubicSpline_Solve(snCubicSpline *spline, double *scratch, snError *error);

// Held before the first knot and after the last.
void snCubicSpline_Sample(const snCubicSpline *spline, double t, snDerivative derivative,
                          double *result);

// Uniform cubic B-spline over `count` control values: twice continuously differentiable, close to
// its controls. Closed: t in [0, count), periodic. Open: t in [0, count - 1], held beyond, with the
// end controls reflected (P₋₁ = 2 P₀ - P₁), so that it begins and ends at them, unbent.
typedef struct snBSpline {
    int count, width; // count >= 1
    const double *controls;
    bool closed;
} snBSpline;

void snBSpline_Sample(const snBSpline *spline, double t, snDerivative derivative, double *result);

// The four weights of a uniform cubic B-spline span at u in [0, 1], or their derivatives.
void snBSplineWeights(double u, snDerivative derivative, double weights[4]);

// The same of Barsky's uniform cubic beta-spline: `bias` (β₁, above 0; 1 is even) draws the curve to the
// side of larger parameters when above 1, `tension` (β₂, 0 or more) to its controls. 1 and 0 are the B-spline.
void snBetaSplineWeights(double u, double bias, double tension, snDerivative derivative,
                         double weights[4]);

// The same of a Kochanek-Bartels curve with knots 0, 1, 2 ... and one shape at all of them.
void snKochanekBartelsWeights(double u, const snKnotShape *shape, snDerivative derivative,
                              double weights[4]);

#endif
