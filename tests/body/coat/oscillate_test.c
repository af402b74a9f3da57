// Damped oscillation in closed form against Runge and Kutta's integration, and what must hold of it.
#include "body/coat/oscillate.h"
#include "tests/test.h"

#include <math.h>

// Fourth order with 20,000 steps: its own error is far below 1e-9.
static void integrate(const snOscillator *o, double rest, double time, double *l, double *v)
{
    int n = 20000;
    double h = time / n;
    for (int i = 0; i < n; i++) {
        double x[4], w[4], a[4];
        for (int k = 0; k < 4; k++) {
            double f = k == 0 ? 0 : (k == 3 ? h : h / 2);
            x[k] = *l + (k ? f * w[k - 1] : 0);
            w[k] = *v + (k ? f * a[k - 1] : 0);
            a[k] = (-o->stiffness * (x[k] - rest) - o->damping * w[k]) / o->mass;
        }
        *l += h / 6 * (w[0] + 2 * w[1] + 2 * w[2] + w[3]);
        *v += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
}

// Damping as a share of the critical one: none, swinging, nearly critical from both sides, creeping.
static const double ratios[] = {0, 0.05, 0.7, 1 - 1e-4, 1 - 1e-9, 1, 1 + 1e-12, 1 + 1e-5, 1.3, 6};
#define RATIOS ((int)(sizeof ratios / sizeof *ratios))

static snOscillator make(double ratio)
{
    snOscillator o = {.mass = 0.13, .stiffness = 410};
    o.damping = ratio * 2 * sqrt(o.mass * o.stiffness);
    return o;
}

static void equalsIntegration(void)
{
    for (int r = 0; r < RATIOS; r++) {
        snOscillator o = make(ratios[r]);
        for (int k = 1; k <= 3; k++) {
            double time = 0.11 * k, l = 0.07, v = -1.3, l2 = l, v2 = v, rest = 0.1;
            rest += snOscillator_Shift(&o, 9.81); // a link that is thrown upwards
            snOscillation map = snOscillator_Over(&o, time);
            snOscillation_Apply(&map, rest, &l, &v);
            integrate(&o, rest, time, &l2, &v2);
            CHECK_NEAR(l, l2, 1e-11);
            CHECK_NEAR(v, v2, 1e-9);
        }
    }
}

// The acceleration of the frame shifts the rest length: the same as integrating with the inertial force.
static void accelerationShiftsRest(void)
{
    snOscillator o = make(0.3);
    double a = -7, shift = snOscillator_Shift(&o, a);
    CHECK_NEAR(-o.stiffness * shift - o.mass * a, 0, 1e-12);
}

static void stepsSplit(void)
{
    for (int r = 0; r < RATIOS; r++) {
        snOscillator o = make(ratios[r]);
        double l = 0.2, v = 0.4, l2 = l, v2 = v;
        snOscillation whole = snOscillator_Over(&o, 1.0 / 60),
                      half = snOscillator_Over(&o, 1.0 / 120);
        for (int i = 0; i < 60; i++) {
            snOscillation_Apply(&whole, 0.15, &l, &v);
            snOscillation_Apply(&half, 0.15, &l2, &v2);
            snOscillation_Apply(&half, 0.15, &l2, &v2);
        }
        CHECK_NEAR(l, l2, 1e-13);
        CHECK_NEAR(v, v2, 1e-11);
    }
}

static void energyDecays(void)
{
    for (int r = 0; r < RATIOS; r++) {
        snOscillator o = make(ratios[r]);
        double x = 0.05, v = 2, before = snOscillator_Energy(&o, x, v), first = before;
        snOscillation map = snOscillator_Over(&o, 0.004);
        for (int i = 0; i < 1000; i++) {
            snOscillation_Apply(&map, 0, &x, &v);
            double now = snOscillator_Energy(&o, x, v);
            CHECK(now <= before * (1 + 1e-14));
            before = now;
        }
        if (ratios[r] == 0)
            CHECK_NEAR(before / first, 1, 1e-11);
        else
            CHECK(before < 0.1 * first);
    }
}

// Across the critical case the map is smooth: it changes by as much as the damping does.
static void continuousAcrossCritical(void)
{
    for (double e = 1e-15; e < 1e-3; e *= 10) {
        snOscillator below = make(1 - e), above = make(1 + e);
        snOscillation a = snOscillator_Over(&below, 0.05), b = snOscillator_Over(&above, 0.05);
        CHECK(fabs(a.xx - b.xx) <= 10 * e + 1e-15 && fabs(a.xv - b.xv) <= 10 * e + 1e-15);
        CHECK(fabs(a.vx - b.vx) <= 500 * e + 1e-13 && fabs(a.vv - b.vv) <= 10 * e + 1e-14);
    }
}

static void stiffAndLong(void)
{
    snOscillator o = {.mass = 1e-6, .stiffness = 1e6, .damping = 1e6};
    snOscillation map = snOscillator_Over(&o, 1000);
    CHECK(isfinite(map.xx) && isfinite(map.xv) && isfinite(map.vx) && isfinite(map.vv));
    CHECK_NEAR(map.xx, 0, 1e-300);
    snOscillation none = snOscillator_Over(&o, 0);
    CHECK(none.xx == 1 && none.xv == 0 && none.vx == 0 && none.vv == 1);
}

// The paper's formula is right only without damping and speed; with damping it starts too fast.
static void printedFormulaDiffers(void)
{
    snOscillator free = make(0), damped = make(0.5);
    double x, v, l = 0.03, speed = 0;
    snOscillator_Printed(&free, 0.03, 0.07, &x, &v);
    snOscillation map = snOscillator_Over(&free, 0.07);
    snOscillation_Apply(&map, 0, &l, &speed);
    CHECK_NEAR(x, l, 1e-14);
    CHECK_NEAR(v, speed, 1e-12);
    snOscillator_Printed(&damped, 0.03, 0, &x, &v);
    CHECK_NEAR(v, -damped.damping / (2 * damped.mass) * 0.03, 1e-15);
}

int main(void)
{
    RUN(equalsIntegration);
    RUN(accelerationShiftsRest);
    RUN(stepsSplit);
    RUN(energyDecays);
    RUN(continuousAcrossCritical);
    RUN(stiffAndLong);
    RUN(printedFormulaDiffers);
    return snTest_Finish();
}
