#include "numerics/chebyshev.h"

#include "core/error.h"
#include "numerics/krylov.h"

#include <math.h>
#include <string.h>

// With θ = (b + a)/2, δ = (b - a)/2 the iteration for M x = r with a spectrum in [a, b],
//     d_0 = r_0 / θ,  d_k = ρ_k ρ_{k-1} d_{k-1} + (2 ρ_k / δ) r_k,  ρ_0 = δ/θ,  ρ_k = 1/(2θ/δ - ρ_{k-1})
// has after k steps the error T_k((θ - λ)/δ) / T_k(θ/δ): the least that is possible on [a, b].
// Golub, Varga, "Chebyshev semi-iterative methods", 1961.
typedef struct Steps {
    double theta, delta, rho;
} Steps;

static Steps beginSteps(double low, double high)
{
    Steps s = {.theta = (high + low) / 2, .delta = (high - low) / 2};
    s.rho = s.delta / s.theta;
    return s;
}

// d for the next step. Step 0 has d = r / θ.
static void nextStep(Steps *s, int step, int size, const double *r, double *d)
{
    double keep = 0, add = 1 / s->theta;
    if (step > 0) {
        double rho = 1 / (2 * s->theta / s->delta - s->rho);
        keep = rho * s->rho;
        add = 2 * rho / s->delta;
        s->rho = rho;
    }
    for (int i = 0; i < size; i++)
        d[i] = (step ? keep * d[i] : 0) + add * r[i];
}

// E is 1/2 on coefficients that alternate along one axis of a grid, 1/8 on those along all three.
// Five steps leave 1 / T_5((1 + 1/8) / (1 - 1/8)) = 5 % of what R should take away.
#define LEAST_VALUE 0.125
#define VALUE_STEPS 5

// How far down the spectrum of B A is smoothed. What is below belongs to the coarser level. Measured:
// see docs/theory/multigrid.md.
#define SMOOTHED 20.0

// Lanczos' method comes from below; ten steps are within some percent. Just above the bound the polynomial
// of degree 2 is 0.7, and 1 a twentieth above it: then the smoother would not be one.
#define LANCZOS_STEPS 10
#define SAFETY 1.1

snStatus snChebyshev_Make(snChebyshev *c, const snSweep *sweep, const snWeightRows *values,
                          snArena *arena, snError *error)
{
    const snRowMatrix *rows = sweep->rows;
    *c = (snChebyshev){.sweep = sweep, .size = rows->size * rows->block * sweep->width};
    snStatus status = snWeightRows_Copy(&c->values, values, arena, error);
    if (!status) status = snWeightRows_Transpose(&c->transposed, values, arena, error);
    if (status) return status;
    double **vectors[] = {&c->r, &c->z, &c->d, &c->product, &c->step, &c->sum};
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = SN_NEW(arena, double, c->size);
        if (!*vectors[k]) return snFailMemory(error);
    }
    return SN_OK;
}

// y = R y for E, Rᵀ y for Eᵀ: Chebyshev steps for E x = y.
static void invertValues(snChebyshev *c, const snWeightRows *e, double *y)
{
    Steps steps = beginSteps(LEAST_VALUE, 1);
    int stride = c->sweep->rows->block * c->sweep->width;
    memset(c->sum, 0, (size_t)c->size * sizeof(double));
    for (int k = 0; k < VALUE_STEPS; k++) {
        if (k > 0) {
            snWeightRows_Multiply(e, stride, c->step, c->product, &c->sweep->tasks);
            for (int i = 0; i < c->size; i++)
                y[i] -= c->product[i];
        }
        nextStep(&steps, k, c->size, y, c->step);
        for (int i = 0; i < c->size; i++)
            c->sum[i] += c->step[i];
    }
    memcpy(y, c->sum, (size_t)c->size * sizeof(double));
}

static void precondition(snChebyshev *c, const double *r, double *z) // z = B r
{
    memcpy(z, r, (size_t)c->size * sizeof(double));
    invertValues(c, &c->transposed, z);
    snSweep_Diagonal(c->sweep, z);
    invertValues(c, &c->values, z);
}

void snChebyshev_Smooth(snChebyshev *c, int degree, bool first, const double *b, double *x)
{
    Steps steps = beginSteps(c->bound / SMOOTHED, c->bound);
    if (first) memset(x, 0, (size_t)c->size * sizeof(double));
    for (int k = 0; k < degree; k++) {
        bool known = first && k == 0; // the residual is b
        if (!known) snSweep_Residual(c->sweep, b, x, c->r);
        precondition(c, known ? b : c->r, c->z);
        nextStep(&steps, k, c->size, c->z, c->d);
        for (int i = 0; i < c->size; i++)
            x[i] += c->d[i];
    }
}

// ---- the greatest eigenvalue ------------------------------------------------------------------

// Eigenvalues of a symmetric tridiagonal matrix below λ: the negative pivots of T - λ I.
static int countBelow(const double *diagonal, const double *beside, int size, double lambda)
{
    int count = 0;
    double pivot = 1;
    for (int k = 0; k < size; k++) {
        pivot = diagonal[k] - lambda - (k ? beside[k - 1] * beside[k - 1] / pivot : 0);
        if (pivot == 0) pivot = -1e-300;
        count += pivot < 0;
    }
    return count;
}

static double greatest(const double *diagonal, const double *beside, int size)
{
    double low = 0, high = 0;
    for (int k = 0; k < size; k++) {
        double reach = diagonal[k] + (k ? beside[k - 1] : 0) + (k + 1 < size ? beside[k] : 0);
        if (reach > high) high = reach;
    }
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        if (countBelow(diagonal, beside, size, middle) < size)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// Numbers in (-1, 1) that have something of every eigenvector; always the same.
static void fillRough(double *x, int size)
{
    uint32_t seed = 1;
    for (int i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)seed / 2147483648.0 - 1;
    }
}

// Lanczos, 1950, for B A in the inner product of B: with u_k . B u_l = δ_kl and z = B u,
//     A z_k = β_k u_{k+1} + α_k u_k + β_{k-1} u_{k-1}
// and the eigenvalues of the tridiagonal (α, β) go to those of B A, the greatest first. u_k and u_{k-1} are
// r and d here.
bool snChebyshev_Bound(snChebyshev *c)
{
    double alpha[LANCZOS_STEPS], beta[LANCZOS_STEPS];
    int steps = 0;
    double *u = c->r, *last = c->d, *z = c->z;
    fillRough(u, c->size);
    memset(last, 0, (size_t)c->size * sizeof(double));
    precondition(c, u, z);
    double norm = snDotProduct(c->size, u, z);
    if (!(norm >= 0) || !isfinite(norm)) return false;
    norm = sqrt(norm);
    double first = norm;
    while (steps < LANCZOS_STEPS && norm > 1e-10 * first) {
        for (int i = 0; i < c->size; i++) {
            u[i] /= norm;
            z[i] /= norm;
        }
        snSweep_Residual(c->sweep, NULL, z, c->product); // -A z
        alpha[steps] = -snDotProduct(c->size, z, c->product);
        for (int i = 0; i < c->size; i++) {
            double next = -c->product[i] - alpha[steps] * u[i] - (steps ? norm * last[i] : 0);
            last[i] = u[i];
            u[i] = next;
        }
        precondition(c, u, z);
        double square = snDotProduct(c->size, u, z);
        if (!isfinite(square) || !(alpha[steps] > 0) || !isfinite(alpha[steps])) return false;
        norm = square > 0 ? sqrt(square) : 0;
        beta[steps++] = norm;
    }
    c->bound = steps ? SAFETY * greatest(alpha, beta, steps) : 1;
    return c->bound > 0 && isfinite(c->bound);
}
