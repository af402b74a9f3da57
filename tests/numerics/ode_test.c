#include "numerics/ode_parts.h"

#include "core/elementary.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>

// A chain of masses on stiffening springs with dampers, pushed to and fro: nonlinear, damped, dependent on
// time. f_i = -k (y_i - y_{i-1})(1 + b (..)²) + ..., dampers alike.
#define N 6
typedef struct Chain {
    double stiffness, cubic, damping, push;
    double y[N], v[N]; // where it is linearised
} Chain;

static double stretch(const double *y,
                      int i) // of spring i, between i - 1 and i; both ends are fixed
{
    return (i < N ? y[i] : 0.0) - (i > 0 ? y[i - 1] : 0.0);
}

static void chainForce(void *context, double t, const double *y, const double *v, double *f)
{
    const Chain *c = context;
    for (int i = 0; i < N; i++)
        f[i] = c->push * snSin(3.0 * t + i);
    for (int i = 0; i <= N; i++) {
        double e = stretch(y, i), pull = c->stiffness * e * (1.0 + c->cubic * e * e);
        pull += c->damping * stretch(v, i);
        if (i < N) f[i] -= pull;
        if (i > 0) f[i - 1] += pull;
    }
}

static void chainPlace(void *context, double t, const double *y, const double *v)
{
    Chain *c = context;
    (void)t;
    memcpy(c->y, y, sizeof c->y);
    memcpy(c->v, v, sizeof c->v);
}

static void chainDerivative(void *context, double a, double b, const double *x, double *f)
{
    const Chain *c = context;
    memset(f, 0, N * sizeof *f);
    for (int i = 0; i <= N; i++) {
        double e = stretch(c->y, i), k = c->stiffness * (1.0 + 3.0 * c->cubic * e * e);
        double pull = (a * k + b * c->damping) * stretch(x, i);
        if (i < N) f[i] -= pull;
        if (i > 0) f[i - 1] += pull;
    }
}

static const double inverseMass[N] = {1.0, 0.5, 1.0, 2.0, 1.0, 1.0};

static snOde makeOde(Chain *chain)
{
    snOdeSystem system = {.size = N,
                          .inverseMass = inverseMass,
                          .force = chainForce,
                          .linearise = chainPlace,
                          .derivative = chainDerivative,
                          .context = chain};
    snContext context = snDefaultContext();
    snOde ode;
    CHECK(snOde_Make(&ode, &system, &context, NULL) == SN_OK);
    return ode;
}

static void begin(double *y, double *v)
{
    for (int i = 0; i < N; i++) {
        y[i] = 0.3 * snSin(1.0 + i);
        v[i] = 0.5 * snCos(2.0 * i);
    }
}

static void run(Chain *chain, snOdeMethod method, const snOdeControl *control, double end,
                double *z, snOdeCount *count)
{
    snOde ode = makeOde(chain);
    double step = 0.0;
    begin(z, z + N);
    snOde_Advance(&ode, method, control, 0.0, end, &step, z, z + N);
    if (count) *count = ode.count;
    snOde_Destroy(&ode);
}

static double distance(const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < 2 * N; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static const Chain smooth = {.stiffness = 4.0, .cubic = 1.0, .damping = 0.3, .push = 0.5};

static void exactly(double end, double *z)
{
    Chain chain = smooth;
    snOdeControl control = snDefaultOdeControl();
    control.fixed = 1e-4;
    run(&chain, SN_ODE_RK4, &control, end, z, NULL);
}

static void orders(void)
{
    static const double order[SN_ODE_METHODS] = {1, 1, 2, 2, 4, 4};
    double exact[2 * N], z[2 * N];
    exactly(1.0, exact);
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        double error[3], h = order[m] > 3 ? 0.02 : (order[m] > 1 ? 0.01 : 0.001);
        for (int k = 0; k < 3; k++) {
            Chain chain = smooth;
            snOdeControl control = snDefaultOdeControl();
            control.fixed = h / (1 << k);
            control.settle = 1e-10;
            control.linear = 1e-13;
            run(&chain, (snOdeMethod)m, &control, 1.0, z, NULL);
            error[k] = distance(z, exact);
        }
        double seen = snLn(error[1] / error[2]) / snLn(2.0);
        printf("%-15s errors %.2e %.2e %.2e, order %.2f\n", snOdeMethod_Name((snOdeMethod)m),
               error[0], error[1], error[2], seen);
        CHECK_NEAR(seen, order[m], 0.2);
    }
}

// With the errors that are asked for, ten times smaller ones give smaller errors at the end, and these are no larger
// than errors that add up.
static void stepsKeepErrors(void)
{
    double exact[2 * N], z[2 * N];
    exactly(2.0, exact);
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        double last = INFINITY;
        for (double wanted = 1e-3; wanted > 2e-6; wanted *= 0.1) {
            Chain chain = smooth;
            snOdeControl control = snDefaultOdeControl();
            snOdeCount count;
            control.place = control.pace = wanted;
            control.settle = 0.01;
            control.linear = 1e-9;
            run(&chain, (snOdeMethod)m, &control, 2.0, z, &count);
            double error = distance(z, exact);
            printf("%-15s wanted %.0e: %.2e, %ld steps, %ld rejected, %ld forces\n",
                   snOdeMethod_Name((snOdeMethod)m), wanted, error, (long)count.steps,
                   (long)count.rejected, (long)count.forces);
            CHECK(error < last && error < 3.0 * wanted * (double)count.steps);
            CHECK(count.forced == 0 && count.rejected <= 3 + count.steps / 5);
            last = error;
        }
    }
}

// Springs a million times as stiff: implicit methods take long steps, explicit ones must not.
static void stiffSystems(void)
{
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        Chain chain = {.stiffness = 4e6, .damping = 2e3, .push = 1.0};
        snOdeControl control = snDefaultOdeControl();
        control.fixed = 0.01;
        double z[2 * N], most = 0.0;
        run(&chain, (snOdeMethod)m, &control, 2.0, z, NULL);
        for (int i = 0; i < 2 * N; i++)
            most = fmax(most, isfinite(z[i]) ? fabs(z[i]) : INFINITY);
        printf("%-15s stiff: %.2g\n", snOdeMethod_Name((snOdeMethod)m), most);
        CHECK((most < 1e-3) == snOdeMethod_IsImplicit((snOdeMethod)m));
    }
    long implicit = 0, explicit = 0;
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        Chain chain = {.stiffness = 4e6, .damping = 2e3, .push = 1.0};
        snOdeControl control = snDefaultOdeControl();
        snOdeCount count;
        double z[2 * N];
        run(&chain, (snOdeMethod)m, &control, 2.0, z, &count);
        CHECK(fabs(z[0]) < 1e-3);
        if (m == SN_ODE_ROSENBROCK4) implicit = (long)count.steps;
        if (m == SN_ODE_RK4) explicit = (long)count.steps;
        printf("%-15s stiff with control: %ld steps\n", snOdeMethod_Name((snOdeMethod)m),
               (long)count.steps);
    }
    CHECK(10 * implicit < explicit);
}

// Undamped: leapfrog neither gains nor loses energy over many periods.
static void leapfrogKeepsEnergy(void)
{
    Chain chain = {.stiffness = 4.0};
    snOdeControl control = snDefaultOdeControl();
    control.fixed = 0.1;
    double z[2 * N], energy[2];
    for (int k = 0; k < 2; k++) {
        run(&chain, SN_ODE_VERLET, &control, k ? 1000.0 : 0.1, z, NULL);
        energy[k] = 0.0;
        for (int i = 0; i < N; i++)
            energy[k] += 0.5 * z[N + i] * z[N + i] / inverseMass[i];
        for (int i = 0; i <= N; i++)
            energy[k] += 2.0 * stretch(z, i) * stretch(z, i);
    }
    CHECK_NEAR(energy[1] / energy[0], 1.0, 0.05);
}

// Hairer and Wanner, "Solving Ordinary Differential Equations II", IV.7, Table 7.1: conditions of order 4, in α, γ
// and β = α + γ, which are found from the stored form: Γ = (1/γ - C)⁻¹, α = a Γ, b = m Γ.
static void rosenbrockConditions(void)
{
    const snRosenbrock *k = snRosenbrock_Coefficients();
    double g[4][4] = {{0}}, a[4][4] = {{0}}, beta[4][4], b[4] = {0}, e[4] = {0};
    for (int j = 0; j < 4; j++)
        for (int i = j; i < 4; i++) { // forward substitution of (1/γ - C) Γ = 1
            double sum = i == j ? 1.0 : 0.0;
            for (int l = j; l < i; l++)
                sum += k->c[i][l] * g[l][j];
            g[i][j] = k->gamma * sum;
        }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int l = 0; l < 4; l++) {
                a[i][j] += k->a[i][l] * g[l][j];
                if (i == 0) b[j] += k->b[l] * g[l][j], e[j] += k->e[l] * g[l][j];
            }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            beta[i][j] = a[i][j] + g[i][j];
    double sa[4] = {0}, sb[4] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            sa[i] += a[i][j];
            sb[i] += beta[i][j];
        }
    double c[8] = {0}, low[4] = {0};
    for (int i = 0; i < 4; i++) {
        double hat = b[i] - e[i];
        c[0] += b[i], low[0] += hat;
        c[1] += b[i] * sb[i], low[1] += hat * sb[i];
        c[2] += b[i] * sa[i] * sa[i], low[2] += hat * sa[i] * sa[i];
        c[4] += b[i] * sa[i] * sa[i] * sa[i];
        for (int j = 0; j < 4; j++) {
            c[3] += b[i] * beta[i][j] * sb[j], low[3] += hat * beta[i][j] * sb[j];
            c[5] += b[i] * sa[i] * a[i][j] * sb[j];
            c[6] += b[i] * beta[i][j] * sa[j] * sa[j];
            for (int l = 0; l < 4; l++)
                c[7] += b[i] * beta[i][j] * beta[j][l] * sb[l];
        }
        CHECK_NEAR(sa[i], k->time[i], 1e-14);
        CHECK_NEAR(sb[i] - sa[i], k->slope[i], 1e-13);
    }
    static const double wanted[8] = {1, 0.5, 1.0 / 3, 1.0 / 6, 0.25, 1.0 / 8, 1.0 / 12, 1.0 / 24};
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(c[i], wanted[i], 1e-13);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(low[i], wanted[i], 1e-13);
}

// Methods are switched in the middle of a run, coordinates without inverse mass go straight on, the same
// bits come again.
static void switching(void)
{
    double exact[2 * N], z[2][2 * N];
    exactly(1.2, exact);
    for (int k = 0; k < 2; k++) {
        Chain chain = smooth;
        snOde ode = makeOde(&chain);
        snOdeControl control = snDefaultOdeControl();
        control.place = control.pace = 1e-5;
        control.settle = 0.01;
        double step = 0.0;
        begin(z[k], z[k] + N);
        for (int m = 0; m < SN_ODE_METHODS; m++)
            snOde_Advance(&ode, (snOdeMethod)m, &control, 0.2 * m, 0.2 * (m + 1), &step, z[k],
                          z[k] + N);
        snOde_Destroy(&ode);
    }
    CHECK(distance(z[0], exact) < 2e-3);
    CHECK(memcmp(z[0], z[1], sizeof z[0]) == 0);
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        double held[N] = {0.0, 0.5, 1.0, 2.0, 1.0, 0.0}, y[N], v[N], step = 0.0;
        Chain chain = smooth;
        snOde ode = makeOde(&chain);
        ode.system.inverseMass = held;
        snOdeControl control = snDefaultOdeControl();
        begin(y, v);
        double to = y[0] + 0.3 * v[0];
        snOde_Advance(&ode, (snOdeMethod)m, &control, 0.0, 0.3, &step, y, v);
        CHECK_NEAR(y[0], to, 1e-14);
        snOde_Destroy(&ode);
    }
}

// ---- walls --------------------------------------------------------------------------------------

#define WALL 0.5
#define LIMIT 1e-3 // ε_c: a correction beyond it takes the step back
typedef struct Thrown {
    double longest; // correction of a step that was taken
    double last;    // of the one that was tried
    int taken;      // in which there was one
} Thrown;

static void noForce(void *context, double t, const double *y, const double *v, double *f)
{
    (void)context, (void)t, (void)y, (void)v;
    f[0] = 0.0;
}

// Puts it back to the wall and throws it back with half of its speed, also in steps that are not taken.
static double finishAtWall(void *context, double t, double h, double *y, double *v)
{
    Thrown *thrown = context;
    (void)t, (void)h;
    thrown->last = fmax(0.0, y[0] - WALL);
    if (thrown->last > 0.0) {
        y[0] = WALL;
        v[0] = -0.5 * v[0];
    }
    return thrown->last / LIMIT;
}

static void acceptAtWall(void *context)
{
    Thrown *thrown = context;
    thrown->longest = fmax(thrown->longest, thrown->last);
    thrown->taken += thrown->last > 0.0;
}

// LEMAN's rule: a step whose correction is longer than ε_c is rejected, and the time of impact bracketed. What a rejected step did to the
// velocity is forgotten: it is thrown back once.
static void impactsAreBracketed(void)
{
    static const double one[1] = {1.0};
    for (int m = 0; m < SN_ODE_METHODS; m++) {
        if (m == SN_ODE_IMPLICIT_EULER || m == SN_ODE_ROSENBROCK4) continue; // need a derivative
        Thrown thrown = {0};
        snContext context = snDefaultContext();
        snOdeSystem system = {.size = 1, .inverseMass = one, .force = noForce, .context = &thrown};
        snOdeControl control = snDefaultOdeControl();
        snOde ode;
        double y = 0.0, v = 1.0, step = 1.0;
        control.most = 1.0;
        control.finish = finishAtWall;
        control.accept = acceptAtWall;
        CHECK(snOde_Make(&ode, &system, &context, NULL) == SN_OK);
        snOde_Advance(&ode, (snOdeMethod)m, &control, 0.0, 1.0, &step, &y, &v);
        printf("%-15s %d steps, %d taken back, longest correction %.1e of %.0e, ends at %.5f\n",
               snOdeMethod_Name((snOdeMethod)m), (int)ode.count.steps, (int)ode.count.corrected,
               thrown.longest, LIMIT, y);
        CHECK(ode.count.corrected > 2 && ode.count.corrected < 30 && ode.count.forced == 0);
        CHECK(thrown.longest > 0.0 && thrown.longest <= LIMIT && thrown.taken == 1);
        CHECK_NEAR(v, -0.5, 1e-12);
        CHECK_NEAR(y, 0.25, 2 * LIMIT);
        snOde_Destroy(&ode);
    }
}

// A spring far too stiff for the least step, beside what is led by a hand. Forced steps have an end: then the one stands still and the
// other is where it has to be.
static void tooStiff(void *context, double t, const double *y, const double *v, double *f)
{
    (void)context, (void)t, (void)v;
    f[0] = 0.0;
    f[1] = -1e16 * (y[1] - y[0]);
}

static double lastFinish(void *context, double t, double h, double *y, double *v)
{
    *(double *)context = t;
    (void)h, (void)y, (void)v;
    return 0.0;
}

static void forcedStepsHaveAnEnd(void)
{
    static const double masses[2] = {0.0, 1.0};
    for (int most = 0; most <= 5; most += 5) {
        double seen = 0.0, y[2] = {0.0, 0.1}, v[2] = {3.0, 0.0}, step = 0.0;
        snContext context = snDefaultContext();
        snOdeSystem system = {
            .size = 2, .inverseMass = masses, .force = tooStiff, .context = &seen};
        snOdeControl control = snDefaultOdeControl();
        snOde ode;
        control.least = 1e-4;
        control.mostForced = most;
        control.finish = lastFinish;
        CHECK(snOde_Make(&ode, &system, &context, NULL) == SN_OK);
        bool good = snOde_Advance(&ode, SN_ODE_RK2, &control, 0.0, 0.01, &step, y, v);
        printf("at most %d forced: %d were, of %d steps; ends at %g with %g m/s\n", most,
               (int)ode.count.forced, (int)ode.count.steps, y[1], v[1]);
        CHECK(good == (most == 0));
        CHECK_NEAR(seen, 0.01, 1e-12);
        CHECK_NEAR(y[0], 0.03, 1e-12);
        if (most > 0) CHECK(ode.count.forced == most + 1 && v[0] == 3.0 && v[1] == 0.0);
        if (most == 0) CHECK(ode.count.forced > 20);
        snOde_Destroy(&ode);
    }
}

static void memoryRunsOut(void)
{
    Chain chain = smooth;
    snOdeSystem system = {
        .size = N, .inverseMass = inverseMass, .force = chainForce, .context = &chain};
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snOde ode;
        snStatus status = snOde_Make(&ode, &system, &context, NULL);
        CHECK((status == SN_OK) == (memory.count < failAt));
        if (status == SN_OK) snOde_Destroy(&ode);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
}

int main(void)
{
    RUN(orders);
    RUN(stepsKeepErrors);
    RUN(stiffSystems);
    RUN(leapfrogKeepsEnergy);
    RUN(rosenbrockConditions);
    RUN(switching);
    RUN(impactsAreBracketed);
    RUN(forcedStepsHaveAnEnd);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
