#include "numerics/gauss.h"

#include "core/elementary.h"
#include "core/error.h"

#include <math.h>

#define NEWTON_STEPS 8 // from Tricomi's guess three do; more change nothing

// (k + 1) P_{k+1} = (2 k + 1) x P_k - k P_{k-1}, and P'_{k+1} = P'_{k-1} + (2 k + 1) P_k.
void snLegendre_At(int n, double x, double *value, double *slope)
{
    value[0] = 1;
    if (slope) slope[0] = 0;
    if (n > 0) value[1] = x;
    if (n > 0 && slope) slope[1] = 1;
    for (int k = 1; k < n; k++) {
        value[k + 1] = ((2 * k + 1) * x * value[k] - k * value[k - 1]) / (k + 1);
        if (slope) slope[k + 1] = slope[k - 1] + (2 * k + 1) * value[k];
    }
}

// The points are the roots of P_n, and w = 2 / ((1 - x²) P_n'(x)²).
void snGauss_Rule(int n, double *points, double *weights)
{
    double value[SN_GAUSS_POINTS + 1], slope[SN_GAUSS_POINTS + 1];
    SN_ASSERT(n >= 1 && n <= SN_GAUSS_POINTS);
    for (int i = 0; i < (n + 1) / 2; i++) {
        double x = snCos(SN_PI * (i + 0.75) / (n + 0.5));
        for (int k = 0; k < NEWTON_STEPS; k++) {
            snLegendre_At(n, x, value, slope);
            x -= value[n] / slope[n];
        }
        if (2 * i + 1 == n) x = 0;
        snLegendre_At(n, x, value, slope);
        points[i] = -x;
        points[n - 1 - i] = x;
        weights[i] = weights[n - 1 - i] = 2 / ((1 - x * x) * slope[n] * slope[n]);
    }
}
