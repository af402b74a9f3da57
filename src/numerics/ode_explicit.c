#include "numerics/ode_parts.h"

#include <math.h>

// z = (y, v), z' = F(t, z) = (v, f/m).
//
// Leapfrog (Turner and Gobbetti 1998, with v' = v + h a: they print h/2, which is not consistent):
//     y½ = y + h/2 v;  repeat { v½ = (v + v')/2;  a = f(t + h/2, y½, v½)/m;  v' = v + h a };  y' = y½ + h/2 v'
// It is repeated until v½ settles, with damping taken to be diagonal for a better guess (correctMiddle). The first v½ is v + h/2 a_b with the acceleration a_b of the step before:
// it is off by O(h²), so that v' is off by O(h³) at once and one evaluation is enough where damping is
// weak. Against the first-order step y + h v the error of y is h/2 (v' - v); that of v would need another evaluation, and
// is not looked at.

#define REPEATS 2     // beyond, damping is too strong for the step
#define UNKNOWING 5   // the same where nothing is known of the damping
#define PATIENT 20    // and where the step's length is given
#define UNSETTLED 4.0 // the error of a step whose v½ did not settle, in what is allowed

bool snOde_Euler(snOde *ode, double t, double h, const double *z, double *out)
{
    double *k = ode->stage[0];
    if (!ode->known) snOde_Rates(ode, t, z, k);
    for (int i = 0; i < 2 * ode->n; i++)
        out[i] = z[i] + h * k[i];
    return true;
}

bool snOde_Midpoint(snOde *ode, double t, double h, const double *z, double *out)
{
    double *k1 = ode->stage[0], *k2 = ode->stage[1];
    snOde_Rates(ode, t, z, k1);
    for (int i = 0; i < 2 * ode->n; i++)
        ode->here[i] = z[i] + 0.5 * h * k1[i];
    snOde_Rates(ode, t + 0.5 * h, ode->here, k2);
    for (int i = 0; i < 2 * ode->n; i++) {
        out[i] = z[i] + h * k2[i];
        ode->error[i] = h * (k2[i] - k1[i]);
    }
    return true;
}

bool snOde_Classic(snOde *ode, double t, double h, const double *z, double *out)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = ode->known ? 1 : 0; s < 4; s++) {
        for (int i = 0; i < 2 * ode->n; i++)
            ode->here[i] = z[i] + (s ? at[s] * h * ode->stage[s - 1][i] : 0.0);
        snOde_Rates(ode, t + at[s] * h, ode->here, ode->stage[s]);
    }
    double *const *k = ode->stage;
    for (int i = 0; i < 2 * ode->n; i++)
        out[i] = z[i] + h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    return true;
}

// A better v½ after an evaluation of a there, with the damping's diagonal d (0 where it is not known):
//     e = v + h/2 a - v½,  x = h d / 2m,  v½ += e / (1 + x)
// Returns about what v' is off by if it is left at this evaluation, at most: |e| x / (1 + x) (|e| where d is not known). v' itself
// is always v + h a, so that forces that sum to nothing leave momentum alone.
static double correctMiddle(const snOde *ode, double h, const double *v, const double *a,
                            double *middle)
{
    double worst = 0.0;
    bool damped = ode->system.diagonal != NULL;
    for (int i = 0; i < ode->n; i++) {
        double e = v[i] + 0.5 * h * a[i] - middle[i];
        double x = damped ? 0.5 * h * ode->weight[i] * ode->system.inverseMass[i] : 0.0;
        middle[i] += e / (1.0 + x);
        double off = fabs(e) * (damped ? x / (1.0 + x) : 1.0);
        worst = off > worst ? off : worst;
    }
    return worst;
}

// Its diagonal changes little while a system goes on, and only helps to guess: it is found once for snOde_Advance.
static void findDamping(snOde *ode, double t)
{
    if (!ode->system.diagonal || ode->damped) return;
    ode->damped = true;
    ode->system.linearise(ode->system.context, t, ode->here, ode->here + ode->n);
    ode->system.diagonal(ode->system.context, 0.0, 1.0, ode->weight);
}

bool snOde_Leapfrog(snOde *ode, const snOdeControl *control, double t, double h, const double *z,
                    double *out)
{
    int n = ode->n, most = ode->system.diagonal ? REPEATS : UNKNOWING;
    if (control->fixed > 0.0) most = PATIENT;
    const double *y = z, *v = z + n, *before = ode->memory;
    double past = before[n], *place = ode->here, *middle = ode->here + n, *k = ode->stage[0];
    for (int i = 0; i < n; i++) {
        place[i] = y[i] + 0.5 * h * v[i];
        middle[i] = v[i] + (past > 0.0 ? 0.5 * h * before[i] : 0.0);
    }
    if (!(past > 0.0)) { // the guess takes an evaluation of its own
        snOde_Rates(ode, t + 0.5 * h, ode->here, k);
        for (int i = 0; i < n; i++)
            middle[i] = v[i] + 0.5 * h * k[n + i];
    }
    bool settled = false;
    for (int round = 0; round < most && !settled; round++) {
        snOde_Rates(ode, t + 0.5 * h, ode->here, k);
        if (round == 0) findDamping(ode, t + 0.5 * h);
        settled = correctMiddle(ode, h, v, k + n, middle) <= control->settle * control->pace;
    }
    for (int i = 0; i < n; i++) {
        double next = v[i] + h * k[n + i];
        ode->error[i] = 0.5 * h * (next - v[i]);
        ode->error[n + i] = 0.0;
        ode->solution[i] = k[n + i]; // becomes the memory when the step is taken
        out[i] = place[i] + 0.5 * h * next;
        out[n + i] = next;
    }
    if (!settled) ode->error[0] = UNSETTLED * fmax(control->place, control->relative * fabs(y[0]));
    return true;
}
