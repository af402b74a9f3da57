#include "body/coat/oscillate.h"

#include "core/elementary.h"

#include <math.h>

// Gascuel, Verroust, Puech, "A modelling system for complex deformable bodies suited to animation and
// collision processing", 1991, section 2.2, with its formula put right.
//
// With γ = c/2m, ω₀² = k/m, D = ω₀² - γ² and y = e^(γt) x the equation x'' + 2γ x' + ω₀² x = 0 becomes
// y'' + D y = 0. Let C and S be its solutions with C(0) = 1, C'(0) = 0, S(0) = 0, S'(0) = 1:
//     D > 0:  C = cos ωt,  S = sin ωt / ω,    ω = sqrt(D)     it swings
//     D = 0:  C = 1,       S = t                              critical
//     D < 0:  C = cosh κt, S = sinh κt / κ,   κ = sqrt(-D)    it creeps
// Since y(0) = x, y'(0) = v + γx, and S' = C, C' = -D S:
//     x(t) = e^(-γt) ( x C + (v + γx) S )
//     v(t) = e^(-γt) ( v C - (γv + ω₀² x) S )
// All of it is one analytic function of z = D t²,
//     C = Σ (-z)ⁿ / (2n)!,   S = t Σ (-z)ⁿ / (2n+1)!,
// which is how nearly equal roots are taken: sin ωt / ω and the difference of two exponentials over 2κ lose
// digits there. For large κt the factor e^(-γt) goes into the exponentials, whose exponents
// -(γ - κ) t = -ω₀² t / (γ + κ) and -(γ + κ) t neither overflow nor cancel.

#define SERIES_BELOW 0.25 // of |z|: ten terms give all digits
#define SERIES_TERMS 10

// e^(-γt) C and e^(-γt) S.
static void solutions(double gamma, double omega2, double t, double *c, double *s)
{
    double d = omega2 - gamma * gamma, z = d * t * t;
    if (fabs(z) < SERIES_BELOW) {
        double even = 1, odd = 1, decay = snExp(-gamma * t);
        for (int n = SERIES_TERMS; n > 0; n--) { // from the end, as Horner
            even = 1 - z * even / ((2 * n - 1) * (2 * n));
            odd = 1 - z * odd / ((2 * n) * (2 * n + 1));
        }
        *c = decay * even;
        *s = decay * t * odd;
    } else if (d > 0) {
        double omega = sqrt(d), sine, cosine, decay = snExp(-gamma * t);
        snSinCos(omega * t, &sine, &cosine);
        *c = decay * cosine;
        *s = decay * sine / omega;
    } else {
        double kappa = sqrt(-d);
        double slow = snExp(-omega2 * t / (gamma + kappa)), fast = snExp(-(gamma + kappa) * t);
        *c = (slow + fast) / 2;
        *s = (slow - fast) / (2 * kappa);
    }
}

snOscillation snOscillator_Over(const snOscillator *o, double time)
{
    double gamma = o->damping / (2 * o->mass), omega2 = o->stiffness / o->mass, c, s;
    solutions(gamma, omega2, time, &c, &s);
    return (snOscillation){.xx = c + gamma * s, .xv = s, .vx = -omega2 * s, .vv = c - gamma * s};
}

void snOscillation_Apply(const snOscillation *map, double rest, double *length, double *speed)
{
    double x = *length - rest, v = *speed;
    *length = rest + (map->xx * x + map->xv * v);
    *speed = map->vx * x + map->vv * v;
}

double snOscillator_Shift(const snOscillator *o, double acceleration)
{
    return -acceleration * o->mass / o->stiffness;
}

void snOscillator_Printed(const snOscillator *o, double from, double time, double *x, double *speed)
{
    double gamma = o->damping / (2 * o->mass), omega = sqrt(o->stiffness / o->mass), sine, cosine;
    double decay = snExp(-gamma * time);
    snSinCos(omega * time, &sine, &cosine);
    *x = from * decay * cosine;
    *speed = -from * decay * (gamma * cosine + omega * sine);
}

double snOscillator_Energy(const snOscillator *o, double x, double speed)
{
    return 0.5 * (o->mass * speed * speed + o->stiffness * x * x);
}
