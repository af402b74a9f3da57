#include "numerics/dense.h"

#include "core/error.h"

#include <float.h>
#include <math.h>

// Eigenvalues and vectors of a symmetric matrix: Householder reduction to tridiagonal form, then QL
// steps with implicit shifts (Wilkinson, Reinsch, "Handbook for Automatic Computation II: Linear
// Algebra", 1971). Scaled by a power of two first, so that nothing over- or underflows.

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

// Makes H = I - τ u uᵀ, with u_0 = 1, that takes x to (β, 0, ...). u replaces x; returns τ.
static double reflect(int count, double *x, double *beta)
{
    double square = 0;
    for (int i = 1; i < count; i++)
        square += x[i] * x[i];
    *beta = x[0];
    if (square == 0) {
        x[0] = 1;
        return 0;
    }
    double length = sqrt(x[0] * x[0] + square);
    *beta = x[0] > 0 ? -length : length; // no cancellation in x_0 - β
    double head = x[0] - *beta, tau = -head / *beta;
    for (int i = 1; i < count; i++)
        x[i] /= head;
    x[0] = 1;
    return tau;
}

// S -= u wᵀ + w uᵀ on the trailing matrix from `first` on, with
// w = τ S u - (τ² uᵀ S u / 2) u: that is H S H. `w` has as many doubles as u.
static void reflectBothSides(int n, double *a, int first, double tau, const double *u, double *w)
{
    int count = n - first;
    for (int i = 0; i < count; i++)
        w[i] = 0;
    for (int j = 0; j < count; j++) {
        w[j] += AT(a, first + j, first + j) * u[j];
        for (int i = j + 1; i < count; i++) {
            w[i] += AT(a, first + i, first + j) * u[j];
            w[j] += AT(a, first + i, first + j) * u[i];
        }
    }
    double half = 0;
    for (int i = 0; i < count; i++)
        half += w[i] * u[i];
    half *= 0.5 * tau * tau;
    for (int i = 0; i < count; i++)
        w[i] = tau * w[i] - half * u[i];
    for (int j = 0; j < count; j++)
        for (int i = j; i < count; i++)
            AT(a, first + i, first + j) -= u[i] * w[j] + w[i] * u[j];
}

// Q = H_0 H_1 ...: the reflections, u_j in column j of A below the diagonal and τ_j in tau[j], are
// applied to the identity, the last first, so that each touches only rows and columns beyond j.
static void accumulate(int n, const double *a, const double *tau, double *q)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            AT(q, i, j) = i == j;
    for (int j = n - 2; j >= 0; j--) {
        const double *u = &AT(a, 0, j);
        for (int k = j + 1; k < n; k++) {
            double sum = 0;
            for (int i = j + 1; i < n; i++)
                sum += u[i] * AT(q, i, k);
            sum *= tau[j];
            for (int i = j + 1; i < n; i++)
                AT(q, i, k) -= sum * u[i];
        }
    }
}

// T = Qᵀ A Q: diagonal d, and e[j] between j and j + 1; e[n - 1] = 0.
static void tridiagonalise(int n, double *a, double *d, double *e, double *q)
{
    double *tau = d, *w = q; // both free until the end
    for (int j = 0; j + 1 < n; j++) {
        double *u = &AT(a, j + 1, j);
        tau[j] = reflect(n - j - 1, u, &e[j]);
        if (tau[j] != 0) reflectBothSides(n, a, j + 1, tau[j], u, w);
    }
    e[n - 1] = 0;
    accumulate(n, a, tau, q);
    for (int j = 0; j < n; j++)
        d[j] = AT(a, j, j);
}

// √(x² + y²) of numbers that are scaled already.
static double hypotenuse(double x, double y)
{
    return sqrt(x * x + y * y);
}

// One implicit QL step on rows first ... last of T: rotations from the bottom up chase the bulge
// that the shift has made, and the same rotations go over the columns of Q.
static void stepQl(int n, int first, int last, double *d, double *e, double *q)
{
    // Wilkinson's shift: the eigenvalue of the leading 2x2 block nearest to d[first].
    double g = (d[first + 1] - d[first]) / (2 * e[first]), r = hypotenuse(g, 1);
    g = d[last] - d[first] + e[first] / (g + (g >= 0 ? r : -r));
    double s = 1, c = 1, p = 0;
    for (int i = last - 1; i >= first; i--) {
        double f = s * e[i], b = c * e[i];
        r = hypotenuse(f, g);
        e[i + 1] = r;
        if (r == 0) { // the matrix has split; begin again with the smaller piece
            d[i + 1] -= p;
            e[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        double t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        for (int k = 0; k < n; k++) {
            double right = AT(q, k, i + 1), left = AT(q, k, i);
            AT(q, k, i + 1) = s * left + c * right;
            AT(q, k, i) = c * left - s * right;
        }
    }
    d[first] -= p;
    e[first] = g;
    e[last] = 0;
}

// An element of T that is below rounding of T's largest is zero: without that bound the values of a
// matrix of low rank, which are rounding alone, would be chased for ever.
static double negligible(int n, const double *d, const double *e)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(d[i]), fabs(e[i])));
    return fmax(0.1 * DBL_EPSILON * largest, DBL_MIN);
}

// Convergence is cubic; 60 steps for one value do not happen with finite numbers.
static bool diagonalise(int n, double *d, double *e, double *q)
{
    double least = negligible(n, d, e);
    for (int first = 0; first < n; first++)
        for (int step = 0;; step++) {
            int last = first;
            while (last + 1 < n &&
                   fabs(e[last]) > DBL_EPSILON * (fabs(d[last]) + fabs(d[last + 1])) &&
                   fabs(e[last]) > least)
                last++;
            if (last == first) break;
            if (step == 60) return false;
            stepQl(n, first, last, d, e, q);
        }
    return true;
}

static void exchangeColumns(int n, double *q, int i, int j)
{
    for (int k = 0; k < n; k++) {
        double kept = AT(q, k, i);
        AT(q, k, i) = AT(q, k, j);
        AT(q, k, j) = kept;
    }
}

// Values descending; in every vector the element of largest magnitude is positive. Elements that
// differ by rounding only count as equal, and the first of them decides.
static void arrange(int n, double *d, double *q)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++)
            if (d[j] > d[best]) best = j;
        if (best != i) {
            double kept = d[i];
            d[i] = d[best];
            d[best] = kept;
            exchangeColumns(n, q, i, best);
        }
    }
    for (int j = 0; j < n; j++) {
        double largest = 0, sign = 0;
        for (int k = 0; k < n; k++)
            largest = fmax(largest, fabs(AT(q, k, j)));
        for (int k = 0; k < n && sign == 0; k++)
            if (fabs(AT(q, k, j)) >= largest * (1 - 1e-9)) sign = AT(q, k, j);
        for (int k = 0; k < n && sign < 0; k++)
            AT(q, k, j) = -AT(q, k, j);
    }
}

snStatus snSymmetricEigen(int n, double *a, double *values, double *vectors, double *work,
                          snError *error)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            if (!isfinite(AT(a, i, j)))
                return snFail(error, SN_ERROR_NUMERIC,
                              "the matrix has a value that is not finite at row %d, column %d", i,
                              j);
            largest = fmax(largest, fabs(AT(a, i, j)));
        }
    if (n <= 0) return SN_OK;
    int exponent = 0;
    frexp(largest, &exponent);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            AT(a, i, j) = ldexp(AT(a, i, j), -exponent);
    tridiagonalise(n, a, values, work, vectors);
    if (!diagonalise(n, values, work, vectors))
        return snFail(error, SN_ERROR_NUMERIC,
                      "the eigenvalues of a %d x %d matrix do not converge", n, n);
    for (int j = 0; j < n; j++)
        values[j] = ldexp(values[j], exponent);
    arrange(n, values, vectors);
    return SN_OK;
}
