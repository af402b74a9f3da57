// Gauss's rule: the sums Σ w_i f(x_i) over [-1, 1] that are exact for polynomials of degree 2 n - 1.
#ifndef SN_NUMERICS_GAUSS_H
#define SN_NUMERICS_GAUSS_H

#define SN_GAUSS_POINTS 64 // most

// Points ascending and symmetric to the bit. 1 <= n <= SN_GAUSS_POINTS.
void snGauss_Rule(int n, double *points, double *weights);

// Values of Legendre's polynomials P_0 ... P_n at x, and their derivatives (NULL: not wanted): [n + 1].
void snLegendre_At(int n, double x, double *value, double *slope);

#endif
