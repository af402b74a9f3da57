#include "core/elementary.h"
#include "core/error.h"
#include "numerics/cg.h"
#include "numerics/ode_parts.h"

#include <math.h>

// Step lengths: with Δ the scaled error of a pair whose lower order is p, h₁ = h · 0.9 Δ^(-1/(p + 1)), no less
// than a fifth and no more than four times as long; steps with Δ > 1 are taken again. Doubling takes one step
// of h and two of h/2 and goes on with the two: their difference over 2^p - 1 is the error of the two.

#define SAFETY 0.9
#define SHRINK 0.2
#define GROW 4.0
#define FLAT 1.1  // a step is not lengthened by less
#define RISE 1.05 // what was too long is tried again only so much later, step by step

typedef struct Method {
    const char *name;
    int lower; // order of the less exact one of the pair
    bool implicit, doubled;
} Method;

static const Method methods[SN_ODE_METHODS] = {
    [SN_ODE_EULER] = {"euler", 1, false, true},
    [SN_ODE_IMPLICIT_EULER] = {"implicit-euler", 1, true, false},
    [SN_ODE_VERLET] = {"verlet", 1, false, false},
    [SN_ODE_RK2] = {"rk2", 1, false, false},
    [SN_ODE_RK4] = {"rk4", 4, false, true},
    [SN_ODE_ROSENBROCK4] = {"rosenbrock4", 3, true, false},
};

const char *snOdeMethod_Name(snOdeMethod method)
{
    return methods[method].name;
}

bool snOdeMethod_IsImplicit(snOdeMethod method)
{
    return methods[method].implicit;
}

snOdeControl snDefaultOdeControl(void)
{
    return (snOdeControl){.place = 1e-4,
                          .pace = 1e-2,
                          .least = 1e-6,
                          .most = INFINITY,
                          .settle = 0.1,
                          .linear = 1e-6};
}

// ---- making -------------------------------------------------------------------------------------

snStatus snOde_Make(snOde *ode, const snOdeSystem *system, const snContext *context, snError *error)
{
    *ode = (snOde){.arena = snMakeArena(context), .system = *system, .n = system->size};
    size_t n = (size_t)system->size;
    double **both[10] = {&ode->stage[0], &ode->stage[1], &ode->stage[2], &ode->stage[3],
                         &ode->stage[4], &ode->here,     &ode->half,     &ode->trial,
                         &ode->error,    &ode->start};
    double **single[5] = {&ode->force, &ode->right, &ode->solution, &ode->weight, &ode->mass};
    bool good = true;
    for (int i = 0; i < 10; i++)
        good = (*both[i] = SN_NEW(&ode->arena, double, 2 * n)) && good;
    for (int i = 0; i < 5; i++)
        good = (*single[i] = SN_NEW(&ode->arena, double, n)) && good;
    ode->memory = SN_NEW(&ode->arena, double, SN_ODE_MEMORY(n));
    ode->scratch = SN_NEW(&ode->arena, double, snCg_ScratchSize(system->size));
    if (good && ode->memory && ode->scratch) return SN_OK;
    snOde_Destroy(ode);
    return snFailMemory(error);
}

void snOde_Destroy(snOde *ode)
{
    snArena_Destroy(&ode->arena);
    *ode = (snOde){0};
}

// ---- a step -------------------------------------------------------------------------------------

void snOde_Rates(snOde *ode, double t, const double *z, double *rates)
{
    int n = ode->n;
    memcpy(rates, z + n, (size_t)n * sizeof(double));
    ode->system.force(ode->system.context, t, z, z + n, ode->force);
    for (int i = 0; i < n; i++)
        rates[n + i] = ode->force[i] * ode->system.inverseMass[i];
    ode->count.forces++;
}

double snOde_Scaled(const snOde *ode, const snOdeControl *control, const double *z)
{
    double worst = 0.0;
    for (int part = 0; part < 2; part++) {
        double least = part ? control->pace : control->place;
        const double *error = ode->error + (part ? ode->n : 0), *value = z + (part ? ode->n : 0);
        for (int i = 0; i < ode->n; i++) {
            double size = control->relative * fabs(value[i]), most = size > least ? size : least;
            // Written so that what is not a number is larger than anything.
            if (fabs(error[i]) <= worst * most) continue;
            double scaled = fabs(error[i]) / most;
            worst = isnan(scaled) ? INFINITY : scaled;
        }
    }
    return worst;
}

static bool single(snOde *ode, snOdeMethod method, const snOdeControl *control, double t, double h,
                   const double *z, double *out)
{
    switch (method) {
    case SN_ODE_EULER:
        return snOde_Euler(ode, t, h, z, out);
    case SN_ODE_IMPLICIT_EULER:
        return snOde_ImplicitEuler(ode, control, t, h, z, out);
    case SN_ODE_VERLET:
        return snOde_Leapfrog(ode, control, t, h, z, out);
    case SN_ODE_RK2:
        return snOde_Midpoint(ode, t, h, z, out);
    case SN_ODE_RK4:
        return snOde_Classic(ode, t, h, z, out);
    default:
        return snOde_Rosenbrock(ode, control, t, h, z, out);
    }
}

// The long step first: explicit methods ask for the rates at its beginning, and need not ask again.
static bool doubled(snOde *ode, snOdeMethod method, const snOdeControl *control, double t, double h,
                    const double *z)
{
    if (!single(ode, method, control, t, h, z, ode->half)) return false;
    ode->known = true;
    bool good = single(ode, method, control, t, 0.5 * h, z, ode->trial);
    ode->known = false;
    if (!good || !single(ode, method, control, t + 0.5 * h, 0.5 * h, ode->trial, ode->trial))
        return false;
    double share = methods[method].lower == 1 ? 1.0 : 1.0 / 15.0;
    for (int i = 0; i < 2 * ode->n; i++)
        ode->error[i] = share * (ode->trial[i] - ode->half[i]);
    return true;
}

double snOde_Try(snOde *ode, snOdeMethod method, const snOdeControl *control, double t, double h,
                 const double *y, const double *v)
{
    size_t bytes = (size_t)ode->n * sizeof(double);
    ode->linear = control->linear;
    memcpy(ode->start, y, bytes);
    memcpy(ode->start + ode->n, v, bytes);
    bool pair = methods[method].doubled && !(control->fixed > 0.0);
    if (!(pair ? doubled(ode, method, control, t, h, ode->start)
               : single(ode, method, control, t, h, ode->start, ode->trial)))
        return INFINITY;
    if (!(control->fixed > 0.0)) return snOde_Scaled(ode, control, ode->start);
    for (int i = 0; i < 2 * ode->n; i++)
        if (!isfinite(ode->trial[i])) return INFINITY;
    return 0.0;
}

// ---- step lengths -------------------------------------------------------------------------------

static double factorFor(snOdeMethod method, double error)
{
    if (!(error > 0.0)) return GROW;
    if (!isfinite(error)) return SHRINK;
    double factor = SAFETY * snPow(error, -1.0 / (methods[method].lower + 1));
    return snClamp(factor, SHRINK, GROW);
}

// What the step leaves for the next.
static void remember(snOde *ode, snOdeMethod method, double h)
{
    if (method == SN_ODE_VERLET) {
        memcpy(ode->memory, ode->solution, (size_t)ode->n * sizeof(double));
        ode->memory[ode->n] = h;
    } else {
        ode->memory[ode->n] = 0.0;
    }
}

static double finish(const snOde *ode, const snOdeControl *control, double t, double h)
{
    if (!control->finish) return 0.0;
    return control->finish(ode->system.context, t + h, h, ode->trial, ode->trial + ode->n);
}

// A length to begin with: forces move nothing by more than is allowed.
static double firstStep(snOde *ode, const snOdeControl *control, double t, const double *y,
                        const double *v)
{
    double most = 0.0;
    ode->system.force(ode->system.context, t, y, v, ode->force);
    ode->count.forces++;
    for (int i = 0; i < ode->n; i++)
        most = fmax(most, fabs(ode->force[i]) * ode->system.inverseMass[i]);
    return most > 0.0 ? sqrt(2.0 * control->place / most) : INFINITY;
}

// The length of the next step. What is left is divided evenly, so that the last step is not a tiny one.
static double lengthOf(const snOdeControl *control, double wanted, double left)
{
    if (control->fixed > 0.0) return fmin(control->fixed, left);
    double parts = ceil(left / wanted * (1.0 - 1e-9));
    return parts < 8.0 ? left / fmax(parts, 1.0) : wanted;
}

// The trial is what comes of a stride in which nothing moves by itself: what is led goes on, all else is where it was.
static void withoutForces(snOde *ode, double h, const double *y, const double *v)
{
    for (int i = 0; i < ode->n; i++) {
        ode->trial[i] = ode->system.inverseMass[i] == 0.0 ? y[i] + h * v[i] : y[i];
        ode->trial[ode->n + i] = v[i];
    }
}

// One step is tried; true: taken. `wanted` becomes the length to go on with.
static bool take(snOde *ode, snOdeMethod method, const snOdeControl *control, double t, double h,
                 double *wanted, double *y, double *v)
{
    size_t bytes = (size_t)ode->n * sizeof(double);
    bool final = control->fixed > 0.0 || h <= control->least * (1.0 + 1e-9);
    double error = snOde_Try(ode, method, control, t, h, y, v), far = 0.0;
    double factor = factorFor(method, error);
    double *ceiling = &ode->memory[ode->n + 1];
    if (error > 1.0 && !final) {
        ode->count.rejected++;
        *wanted = h * fmin(factor, SAFETY);
        *ceiling = SAFETY * h;
        return false;
    }
    // Even the least step could not be computed: nothing moves by itself, and what must move is moved.
    if (!isfinite(error)) withoutForces(ode, h, y, v);
    far = finish(ode, control, t, h);
    if (far > 1.0 && !final) {
        // How far it goes is about in proportion to h: false position between 0 and h.
        ode->count.corrected++;
        *wanted = h * snClamp(SAFETY / far, SHRINK, 0.7);
        return false;
    }
    ode->count.forced += error > 1.0 || far > 1.0;
    ode->count.steps++;
    remember(ode, method, h);
    if (far > SAFETY / GROW) factor = fmin(factor, fmax(SAFETY / far, SHRINK));
    if (factor > FLAT || factor < 1.0) *wanted = h * factor;
    if (*ceiling > 0.0) {
        *wanted = fmin(*wanted, *ceiling);
        *ceiling = *ceiling > GROW * h ? 0.0 : RISE * *ceiling;
    }
    memcpy(y, ode->trial, bytes);
    memcpy(v, ode->trial + ode->n, bytes);
    if (control->accept) control->accept(ode->system.context);
    return true;
}

// In one stride to the end, where steps cannot be computed: all is still afterwards but for what is led.
static void stand(snOde *ode, const snOdeControl *control, double t, double h, double *y, double *v)
{
    withoutForces(ode, h, y, v);
    finish(ode, control, t, h);
    ode->memory[ode->n] = ode->memory[ode->n + 1] = 0.0;
    memcpy(y, ode->trial, (size_t)ode->n * sizeof(double));
    for (int i = 0; i < ode->n; i++)
        v[i] = ode->system.inverseMass[i] == 0.0 ? v[i] : 0.0;
    if (control->accept) control->accept(ode->system.context);
}

bool snOde_Advance(snOde *ode, snOdeMethod method, const snOdeControl *control, double t,
                   double end, double *step, double *y, double *v)
{
    double wanted = *step > 0.0 ? *step : firstStep(ode, control, t, y, v);
    int64_t forced = ode->count.forced;
    bool counts = control->mostForced > 0 && !(control->fixed > 0.0);
    ode->damped = false;
    while (end > t) {
        if (counts && ode->count.forced - forced > control->mostForced) {
            stand(ode, control, t, end - t, y, v);
            *step = wanted;
            return false;
        }
        wanted = snClamp(wanted, control->least, control->most);
        double h = lengthOf(control, wanted, end - t);
        bool last = h >= (end - t) * (1.0 - 1e-12);
        if (take(ode, method, control, t, h, &wanted, y, v)) t = last ? end : t + h;
    }
    *step = wanted;
    return true;
}
