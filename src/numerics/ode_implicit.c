#include "numerics/cg.h"
#include "numerics/ode_parts.h"

#include <math.h>

// With K = ∂f/∂y, D = ∂f/∂v and c a length of time, both methods solve systems with
//     A(c) = M - c D - c² K,
// symmetric, and positive definite where c is short enough: by conjugate gradients. Where they meet a
// direction in which A is not positive, the step is not taken and a shorter one tried.
//
// Implicit Euler: y' = y + h v', M (v' - v) = h f(t + h, y', v'), by Newton's method with A(h). The trapezoidal rule would
// have y + h/2 (v + v'), which is of order 2: the error of y is h/2 (v' - v).
//
// Rosenbrock (Shampine, "Implementation of Rosenbrock Methods", 1982; coefficients and form as in Press and
// others, "Numerical Recipes", 16.6): with J the derivative of F = (v, f/m),
//     (1/(γh) - J) g_s = F(t + α_s h, z + Σ a_sr g_r) + h ζ_s ∂F/∂t + Σ c_sr g_r / h,
// z' = z + Σ b_s g_s, error Σ e_s g_s; the fourth stage asks for F where the third did. A right side (r, s) gives
// g_y = γh (r + g_v) and A(γh) g_v = γh M s + (γh)² K r.
// Its order conditions are checked in the test.

#define ROUNDS 8

static void apply(void *context, const double *x, double *out)
{
    snOde *ode = context;
    double c = ode->shift;
    ode->system.derivative(ode->system.context, c * c, c, x, out);
    ode->count.products++;
    for (int i = 0; i < ode->n; i++)
        out[i] = ode->mass[i] * x[i] - out[i];
}

static void scale(void *context, const double *x, double *out)
{
    const snOde *ode = context;
    for (int i = 0; i < ode->n; i++)
        out[i] = ode->weight[i] * x[i];
}

// Those without an inverse mass do not answer.
static void keep(void *context, double *x)
{
    const snOde *ode = context;
    for (int i = 0; i < ode->n; i++)
        x[i] = ode->system.inverseMass[i] > 0.0 ? x[i] : 0.0;
}

static void setShift(snOde *ode, double c)
{
    ode->shift = c;
    if (ode->system.diagonal)
        ode->system.diagonal(ode->system.context, c * c, c, ode->weight);
    else
        memset(ode->weight, 0, (size_t)ode->n * sizeof(double));
    for (int i = 0; i < ode->n; i++) {
        double inverse = ode->system.inverseMass[i], mass = inverse > 0.0 ? 1.0 / inverse : 1.0;
        double more = ode->weight[i] > 0.0 ? ode->weight[i] : 0.0;
        ode->mass[i] = inverse > 0.0 ? mass : 0.0;
        ode->weight[i] = 1.0 / (mass + more);
    }
}

// A(c) x = right.
static bool solve(snOde *ode, const double *right, double *x)
{
    snCgDef def = snDefaultCgDef();
    snCgResult result;
    def.size = ode->n;
    def.matrix = (snOperator){apply, ode};
    def.preconditioner = (snOperator){scale, ode};
    def.projection = (snProjection){keep, ode};
    def.tolerance = ode->linear;
    def.fromZero = true;
    def.maxIterations = 500;
    return snCg_Solve(&def, right, x, ode->scratch, &result, NULL) == SN_OK && result.converged;
}

// The right side of Newton's method, h f - M (v' - v), and about how far it is off in velocities: A is no less than M where springs
// and dampers resist, so that the change A⁻¹ r is no more than M⁻¹ r.
static double newtonSide(snOde *ode, double t, double h, const double *z, const double *now)
{
    int n = ode->n;
    const double *inverse = ode->system.inverseMass;
    double worst = 0.0;
    ode->system.force(ode->system.context, t + h, now, now + n, ode->force);
    ode->count.forces++;
    for (int i = 0; i < n; i++) {
        bool free = inverse[i] > 0.0;
        double off = free ? h * inverse[i] * ode->force[i] - (now[n + i] - z[n + i]) : 0.0;
        ode->right[i] = free ? off / inverse[i] : 0.0;
        worst = fabs(off) > worst ? fabs(off) : worst;
    }
    return worst;
}

bool snOde_ImplicitEuler(snOde *ode, const snOdeControl *control, double t, double h,
                         const double *z, double *out)
{
    int n = ode->n;
    const snOdeSystem *system = &ode->system;
    double *now = ode->here, *change = ode->solution, enough = control->settle * control->pace;
    for (int i = 0; i < n; i++) {
        now[n + i] = z[n + i];
        now[i] = z[i] + h * z[n + i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double worst = newtonSide(ode, t, h, z, now);
        if (round > 0 && worst <= enough) break;
        system->linearise(system->context, t + h, now, now + n);
        setShift(ode, h);
        if (!solve(ode, ode->right, change)) return false;
        worst = 0.0;
        for (int i = 0; i < n; i++) {
            now[n + i] += change[i];
            now[i] = z[i] + h * now[n + i];
            worst = fabs(change[i]) > worst ? fabs(change[i]) : worst;
        }
        if (worst <= enough) break;
        if (round == ROUNDS - 1 || !isfinite(worst)) return false;
    }
    for (int i = 0; i < n; i++) {
        ode->error[i] = 0.5 * h * (now[n + i] - z[n + i]);
        ode->error[n + i] = 0.0;
    }
    memcpy(out, now, 2 * (size_t)n * sizeof(double));
    return true;
}

static const snRosenbrock shampine = {
    .gamma = 0.5,
    .a = {{0}, {2.0}, {48.0 / 25, 6.0 / 25}, {48.0 / 25, 6.0 / 25}},
    .c = {{0}, {-8.0}, {372.0 / 25, 12.0 / 5}, {-112.0 / 125, -54.0 / 125, -2.0 / 5}},
    .b = {19.0 / 9, 0.5, 25.0 / 108, 125.0 / 108},
    .e = {17.0 / 54, 7.0 / 36, 0.0, 125.0 / 108},
    .time = {0.0, 1.0, 3.0 / 5, 3.0 / 5},
    .slope = {0.5, -1.5, 121.0 / 50, 29.0 / 250},
};

const snRosenbrock *snRosenbrock_Coefficients(void)
{
    return &shampine;
}

// ∂f/∂t by a difference over a small part of the step.
static void slopeInTime(snOde *ode, double t, double h, const double *z, const double *rates,
                        double *slope)
{
    int n = ode->n;
    memset(slope, 0, (size_t)n * sizeof(double));
    if (ode->system.timeless) return;
    double d = fmax(1e-6 * h, 1e-14 * fabs(t)), *later = ode->half;
    snOde_Rates(ode, t + d, z, later);
    for (int i = 0; i < n; i++)
        slope[i] = (later[n + i] - rates[n + i]) / d;
}

// Right side of stage s: r = v, s = f/m + h ζ ∂a/∂t, and both + Σ c g / h.
static void rightSide(snOde *ode, const snRosenbrock *k, int s, double h, const double *rates,
                      const double *slope, double *g)
{
    int n = ode->n;
    double later = h * k->slope[s];
    memcpy(g, rates, 2 * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        g[n + i] += later * slope[i];
    for (int r = 0; r < s; r++) {
        double c = k->c[s][r] / h;
        const double *from = ode->stage[r];
        for (int i = 0; i < 2 * n; i++)
            g[i] += c * from[i];
    }
}

static bool solveStage(snOde *ode, double c, double *g)
{
    int n = ode->n;
    const snOdeSystem *system = &ode->system;
    system->derivative(system->context, c * c, 0.0, g, ode->right);
    ode->count.products++;
    for (int i = 0; i < n; i++) {
        double inverse = system->inverseMass[i];
        ode->right[i] = inverse > 0.0 ? ode->right[i] + c * g[n + i] / inverse : 0.0;
    }
    if (!solve(ode, ode->right, ode->solution)) return false;
    for (int i = 0; i < n; i++) {
        g[n + i] = ode->solution[i];
        g[i] = c * (g[i] + g[n + i]);
    }
    return true;
}

bool snOde_Rosenbrock(snOde *ode, const snOdeControl *control, double t, double h, const double *z,
                      double *out)
{
    (void)control;
    const snRosenbrock *k = &shampine;
    const snOdeSystem *system = &ode->system;
    int n = ode->n;
    double *rates = out, *slope = ode->error;
    snOde_Rates(ode, t, z, rates);
    slopeInTime(ode, t, h, z, rates, slope);
    system->linearise(system->context, t, z, z + n);
    setShift(ode, k->gamma * h);
    for (int s = 0; s < 4; s++) {
        if (s == 1 || s == 2) {
            memcpy(ode->here, z, 2 * (size_t)n * sizeof(double));
            for (int r = 0; r < s; r++)
                for (int i = 0; i < 2 * n; i++)
                    ode->here[i] += k->a[s][r] * ode->stage[r][i];
            snOde_Rates(ode, t + k->time[s] * h, ode->here, rates);
        }
        rightSide(ode, k, s, h, rates, slope, ode->stage[s]);
        if (!solveStage(ode, k->gamma * h, ode->stage[s])) return false;
    }
    const double *g0 = ode->stage[0], *g1 = ode->stage[1], *g2 = ode->stage[2], *g3 = ode->stage[3];
    const double *b = k->b, *e = k->e;
    for (int i = 0; i < 2 * n; i++) {
        out[i] = z[i] + b[0] * g0[i] + b[1] * g1[i] + b[2] * g2[i] + b[3] * g3[i];
        ode->error[i] = e[0] * g0[i] + e[1] * g1[i] + e[2] * g2[i] + e[3] * g3[i];
    }
    return true;
}
