// Bodies with linear deformations in motion: closed forms, what is kept, how errors fall with the step.
#include "body/lattice/energy.h"
#include "body/lattice/solid_parts.h"
#include "tests/body/poly/polys.h"

#include <stdlib.h>
#include <string.h>

static Surface surface;

static snSolidBodyDef freeDef(snIntegrator integrator, double step)
{
    snSolidBodyDef def = snDefaultSolidBodyDef();
    def.material = SN_MATERIAL_NONRIGID;
    def.integrator = integrator;
    def.apart = true;
    def.damping = 0;
    def.step = step;
    return def;
}

static snBody *makeBar(int order, double rigidity, const snSolidBodyDef *def)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snPolyDef poly = snDefaultPolyDef();
    poly.surface = boxSurface(&surface, snVec(0.5, 0.1, 0.15));
    poly.order = order;
    snPolyEnergies_Moduli(&(snPolyEnergies){rigidity, rigidity}, &poly.young, &poly.poisson);
    snBody *body = newPoly(&poly, *def, &context, &error);
    if (!CHECK(body != NULL)) printf("  %s\n", error.message), exit(1);
    return body;
}

static void step(snBody *body, snVec3 gravity, int nail, snVec3 place)
{
    snBodyReport report = {0};
    snBody_Begin(body, &(snBodyStep){.length = body->step, .gravity = gravity, .stiffness = 1});
    if (nail >= 0) snBody_Hold(body, nail, place);
    snBody_Advance(body);
    snBody_Finish(body, &report);
    CHECK(!report.failed && report.conflicts == 0);
}

static snBodyMeasure measure(snBody *body)
{
    snBodyMeasure m = {0};
    snBody_Measure(body, &m);
    return m;
}

// ---- affine motion ------------------------------------------------------------------------------

// Next to no stiffness: x = X + t (a + A X) for ever, over all of the surface.
static void affineMotionIsExact(void)
{
    const snMat3 rate = {{0.3, 0.1, -0.2}, {0.5, -0.4, 0.2}, {0, 0.7, 0.1}};
    const snVec3 speed = {1, -2, 0.5};
    for (int order = 1; order <= 3; order++)
        for (int k = 0; k < 2; k++) {
            snSolidBodyDef def = freeDef((snIntegrator)k, 0.01);
            snBody *body = makeBar(order, 1e-20, &def);
            snSolidBody *solid = (snSolidBody *)body;
            for (int i = 0; i < solid->model->vertexCount; i++) {
                snVec3 v = snAdd(speed, snMulMV(rate, solid->model->rest[i]));
                memcpy(solid->state->velocity + 4 * i, &v, sizeof v);
            }
            snSpace_Settle(solid->model, solid->state);
            for (int n = 0; n < 100; n++)
                step(body, snVec(0, 0, 0), -1, speed);
            for (int v = 0; v < body->vertexCount; v++) {
                snVec3 x = body->restSurface[v], want = snAdd(x, snAdd(speed, snMulMV(rate, x)));
                CHECK(snDistance(snBody_Vertex(body, v), want) < 1e-11);
            }
            snBody_Destroy(body);
        }
}

// ---- energies -----------------------------------------------------------------------------------

static double square(double x)
{
    return x * x;
}

// V ψ(F) of an affine body, k_e |FᵀF - 1|² + k_c (det F - 1)², and its gradient against the closed forms.
static void energiesAreTheClosedForms(void)
{
    const snMat3 f = {{1.2, 0.1, -0.2}, {0.3, 0.8, 0.2}, {0, 0.3, 1.1}};
    double ke = 3e4, kc = 3e4, mu = 4 * ke, lambda = 2 * kc;
    snMat3 miss = snAddMM(snMulTMM(f, f), snScaleM(-1, snIdentity3()));
    double want = ke * snNormSquaredM(miss) + kc * square(snDet(f) - 1);
    snMat3 stress = snAddMM(snScaleM(4 * ke, snMulMM(f, miss)),
                            snScaleM(2 * kc * (snDet(f) - 1), snCofactor(f)));
    snElementTarget rest = snRestTarget();
    snMat3 got = snEnergy_Stress(SN_MATERIAL_NONRIGID, mu, lambda, &rest, f);
    CHECK_NEAR(snEnergy_Density(SN_MATERIAL_NONRIGID, mu, lambda, &rest, f), want, 1e-9 * want);
    CHECK(snNormSquaredM(snAddMM(got, snScaleM(-1, stress))) < 1e-20 * snNormSquaredM(stress));
    for (int c = 0; c < 9; c++) { // finite differences
        snMat3 low = f, high = f;
        ((double *)&low)[c] -= 1e-6, ((double *)&high)[c] += 1e-6;
        double slope = snEnergy_Density(SN_MATERIAL_NONRIGID, mu, lambda, &rest, high) -
                       snEnergy_Density(SN_MATERIAL_NONRIGID, mu, lambda, &rest, low);
        CHECK_NEAR(slope / 2e-6, ((double *)&got)[c], 1e-2);
    }
    for (int order = 1; order <= 3; order++) {
        snSolidBodyDef def = freeDef(SN_INTEGRATOR_EULER, 0.01);
        snBody *body = makeBar(order, ke, &def);
        snSolidBody *solid = (snSolidBody *)body;
        for (int i = 0; i < solid->model->vertexCount; i++) {
            snVec3 x = snMulMV(f, solid->model->rest[i]);
            memcpy(solid->state->position + 4 * i, &x, sizeof x);
        }
        snSpace_Settle(solid->model, solid->state);
        CHECK_NEAR(measure(body).elastic, want * 0.06, 1e-9 * want);
        CHECK_NEAR(measure(body).volume, snDet(f) * 0.06, 1e-12);
        snBody_Destroy(body);
    }
}

// A box of second order that is bent, x = X + (0, k x², 0): the integral of its energy by a fine sum.
static void bendingIsIntegratedExactly(void)
{
    double ke = 1e4, bend = 0.8, want = 0;
    int n = 2000;
    for (int i = 0; i < n; i++) { // F depends on x alone
        double x = -0.5 + (i + 0.5) / n;
        snMat3 f = snIdentity3();
        f.cx.y = 2 * bend * x;
        snMat3 miss = snAddMM(snMulTMM(f, f), snScaleM(-1, snIdentity3()));
        want += ke * snNormSquaredM(miss) * 0.06 / n;
    }
    snSolidBodyDef def = freeDef(SN_INTEGRATOR_EULER, 0.01);
    snBody *body = makeBar(2, ke, &def);
    snSolidBody *solid = (snSolidBody *)body;
    for (int i = 0; i < solid->model->vertexCount; i++) {
        snVec3 x = solid->model->rest[i];
        x.y += bend * x.x * x.x;
        memcpy(solid->state->position + 4 * i, &x, sizeof x);
    }
    snSpace_Settle(solid->model, solid->state);
    CHECK_NEAR(measure(body).elastic, want, 1e-5 * want);
    snVec3 corner = snBody_Vertex(body, 7); // (0.5, 0.1, 0.15), as the functions have it
    CHECK(snDistance(corner, snVec(0.5, 0.1 + bend * 0.25, 0.15)) < 1e-12);
    snBody_Destroy(body);
}

// ---- what is kept -------------------------------------------------------------------------------

static void momentaAreKept(void)
{
    for (int order = 1; order <= 2; order++)
        for (int k = 0; k < 2; k++) {
            snSolidBodyDef def = freeDef((snIntegrator)k, 1.0 / 240);
            if (!k) def.iterations = 60;
            snBody *body = makeBar(order, 1e5, &def);
            snBody_SetVelocity(body, snVec(1, 2, 3), snVec(2, 5, -3));
            snBodyMeasure first = measure(body);
            double energy = first.kinetic + first.elastic;
            for (int n = 0; n < 480; n++)
                step(body, snVec(0, 0, 0), -1, snVec(0, 0, 0));
            snBodyMeasure last = measure(body);
            double turn = snDistance(first.angularMomentum, last.angularMomentum) /
                          snLength(first.angularMomentum);
            double loss = (last.kinetic + last.elastic) / energy - 1;
            printf("  order %d, %s: angular momentum off by %.1e, energy by %.2e\n", order,
                   k ? "midpoint" : "backward Euler", turn, loss);
            CHECK(snDistance(first.momentum, last.momentum) < 1e-8 * snLength(first.momentum));
            if (k) CHECK(turn < 1e-6);
            CHECK(k ? fabs(loss) < 1e-3 : loss < 0);
            snBody_Destroy(body);
        }
}

// ---- the pendulum -------------------------------------------------------------------------------

// The time of so many swings, from crossings of the middle, and what it is for a rigid body: 2π √(I / (m g d)), times
// 1 + a²/16 for an amplitude a.
static double periodOf(snBody *body, double angle, double *want)
{
    const double g = 9.81, d = 0.5;
    snVec3 pivot = {0, 0, 0}, gravity = {0, -g, 0};
    // Its x axis downwards and out by the angle, its end at the pivot.
    snQuat turn = snQuatFromAxisAngle(snVec(0, 0, 1), angle - 0.5 * SN_PI);
    snAffine place = {snQuatToMat(turn), snVec(0, 0, 0)};
    place.origin = snMulMV(place.linear, snVec(d, 0, 0));
    snBody_Put(body, &place);
    int nail;
    CHECK(snBody_Locate(body, &(snBodySpot){.rest = {-d, 0, 0}}, &nail, NULL) == SN_OK);
    double before = measure(body).center.x, first = 0, time = 0;
    int crossings = 0;
    for (int n = 0; crossings < 21; n++) {
        step(body, gravity, nail, pivot);
        double x = measure(body).center.x;
        if (x * before < 0) {
            time = (n + before / (before - x)) * body->step;
            if (crossings++ == 0) first = time;
        }
        before = x;
    }
    double miss = snDistance(snBody_Place(body, nail), pivot);
    CHECK(miss < (((snSolidBody *)body)->explicit ? 1e-5 : 1e-9));
    *want = 2 * SN_PI * sqrt(((0.25 + 0.01) / 3 + d * d) / (g * d)) * (1 + angle * angle / 16);
    return (time - first) / 10;
}

// By Runge and Kutta's rule, with feedback for what drifts from the nail.
static void explicitPendulumHasItsPeriod(void)
{
    for (int order = 1; order <= (snTest_Whole() ? 2 : 1); order++) {
        snSolidBodyDef def = freeDef(SN_INTEGRATOR_RUNGE_KUTTA, 1.0 / (order == 1 ? 2000 : 4000));
        snBody *body = makeBar(order, 1e6, &def);
        double want, got = periodOf(body, 0.2, &want);
        printf("  Runge-Kutta, order %d: %.5f s, %.5f in theory: %+.3f %%\n", order, got, want,
               100 * (got / want - 1));
        CHECK_NEAR(got, want, 0.005 * want);
        snBody_Destroy(body);
    }
}

static void pendulumHasItsPeriod(void)
{
    static const double steps[2] = {1.0 / 120, 1.0 / 60};
    for (int order = 1; order <= 2; order++)
        for (int k = 0; k < 2; k++) {
            snSolidBodyDef def = freeDef(SN_INTEGRATOR_MIDPOINT, steps[k]);
            snBody *body = makeBar(order, 1e7, &def);
            double want, got = periodOf(body, 0.2, &want);
            printf("  order %d, %.0f steps a second: %.5f s, %.5f in theory: %+.3f %%\n", order,
                   1 / steps[k], got, want, 100 * (got / want - 1));
            CHECK_NEAR(got, want, 0.005 * want);
            snBody_Destroy(body);
        }
}

// ---- orders of convergence ----------------------------------------------------------------------

// Where a stretched, spinning bar's corner is after a quarter of a second.
static snVec3 cornerAfter(snIntegrator integrator, int steps)
{
    snSolidBodyDef def = freeDef(integrator, 0.25 / steps);
    if (integrator == SN_INTEGRATOR_EULER) def.iterations = 60;
    snBody *body = makeBar(1, 2e3, &def);
    snBody_SetVelocity(body, snVec(0, 0, 0), snVec(1, 2, 3));
    for (int n = 0; n < steps; n++)
        step(body, snVec(0, 0, 0), -1, snVec(0, 0, 0));
    snVec3 x = snBody_Vertex(body, 7);
    snBody_Destroy(body);
    return x;
}

static void errorsFallWithTheStep(void)
{
    static const char *const names[4] = {"backward Euler", "midpoint", "explicit Euler",
                                         "Runge-Kutta"};
    static const int first[4] = {256, 64, 2048, 128}, orders[4] = {1, 2, 1, 4};
    snVec3 truth = cornerAfter(SN_INTEGRATOR_RUNGE_KUTTA, 4096);
    for (int k = 0; k < 4; k++) {
        double last = 0;
        for (int steps = first[k]; steps <= 4 * first[k]; steps *= 2) {
            double miss = snDistance(cornerAfter((snIntegrator)k, steps), truth);
            if (last > 0) {
                printf("  %s, %d steps: %.2e, order %.2f\n", names[k], steps, miss,
                       log(last / miss) / log(2));
                CHECK_NEAR(log(last / miss) / log(2), orders[k], 0.2);
            }
            last = miss;
        }
    }
}

// ---- damping of the energy's rate ---------------------------------------------------------------

// A bar that is let go stretched, along x by a share: what is left of its energy after so many steps.
static double energyLeft(snIntegrator integrator, double damping, double stretch, int steps)
{
    snSolidBodyDef def = freeDef(integrator, 1.0 / 240);
    def.energyDamping = damping;
    if (integrator == SN_INTEGRATOR_EULER) def.iterations = 60;
    snBody *body = makeBar(1, 1e4, &def);
    snSolidBody *solid = (snSolidBody *)body;
    for (int i = 0; i < solid->model->vertexCount; i++)
        solid->state->position[4 * i] *= 1 + stretch;
    double first = measure(body).elastic, last = first;
    for (int n = 0; n < steps; n++) {
        step(body, snVec(0, 0, 0), -1, snVec(0, 0, 0));
        snBodyMeasure m = measure(body);
        double energy = m.kinetic + m.elastic;
        if (!CHECK(energy <= last * (1 + 1e-7))) // it never adds any
            printf("  %d, k %g, stretch %g, step %d: %g after %g\n", (int)integrator, damping,
                   stretch, n, energy, last);
        last = energy;
    }
    snBody_Destroy(body);
    return last / first;
}

static void energyDampingDamps(void)
{
    double large = energyLeft(SN_INTEGRATOR_MIDPOINT, 1e-3, 0.2, 240),
           small = energyLeft(SN_INTEGRATOR_MIDPOINT, 1e-3, 0.002, 240);
    printf("  after a second, of a stretch of 20 %%: %.4f of the energy, of 0.2 %%: %.4f\n", large,
           small);
    CHECK(large < 0.5 && small > 0.9); // the smaller, the less
    for (double k = 1e-4; k < 1e3; k *= 30) {
        double euler = energyLeft(SN_INTEGRATOR_EULER, k, 0.3, 60);
        CHECK(euler >= 0 && euler < 1);
        energyLeft(SN_INTEGRATOR_MIDPOINT, k, 0.3, 60);
    }
}

// ---- planar steps -------------------------------------------------------------------------------

static void planarStepsKeepZ(void)
{
    static const snSolver solvers[3] = {SN_SOLVER_PROJECTIVE, SN_SOLVER_NEWTON,
                                        SN_SOLVER_PROJECTIVE};
    for (int k = 0; k < 6; k++) {
        snSolidBodyDef def =
            freeDef(k % 3 == 2 ? SN_INTEGRATOR_MIDPOINT : SN_INTEGRATOR_EULER, 0.01);
        def.solver = solvers[k % 3];
        snBody *body = makeBar(k < 3 ? 1 : 2, 1e4, &def);
        int nail, end;
        CHECK(snBody_Locate(body, &(snBodySpot){.rest = {-0.5, 0.1, 0.1}}, &nail, NULL) == SN_OK);
        CHECK(snBody_Locate(body, &(snBodySpot){.rest = {0.5, 0, 0}}, &end, NULL) == SN_OK);
        snBody_SetVelocity(body, snVec(0.3, 0, 2), snVec(0, 0, 1));
        for (int n = 0; n < 50; n++) {
            snBodyReport report = {0};
            snBody_Begin(body, &(snBodyStep){.length = body->step,
                                             .gravity = {0, -9.81, 3},
                                             .stiffness = 1,
                                             .planar = true});
            snBody_Hold(body, nail, snVec(-0.5, 0.1, 0.5));
            snBody_Push(body, end, snVec(5, 0, 50));
            snBody_Pull(body, end, &(snBodyPull){.target = {1, 0, 1}, .stiffness = 10});
            snBody_Advance(body);
            snBody_Finish(body, &report);
            CHECK(!report.failed && report.conflicts == 0);
        }
        double off = 0;
        for (int v = 0; v < body->vertexCount; v++)
            off = fmax(off, fabs(snBody_Vertex(body, v).z - body->restSurface[v].z));
        CHECK(off < 1e-12);
        CHECK(fabs(snBody_Place(body, nail).x + 0.5) < 1e-9);
        CHECK(snBody_Place(body, end).y < -0.05); // it swings all the same
        snBody_Destroy(body);
    }
}

int main(void)
{
    RUN(energyDampingDamps);
    RUN(planarStepsKeepZ);
    RUN(affineMotionIsExact);
    RUN(energiesAreTheClosedForms);
    RUN(bendingIsIntegratedExactly);
    RUN(momentaAreKept);
    RUN(pendulumHasItsPeriod);
    RUN(explicitPendulumHasItsPeriod);
    RUN(errorsFallWithTheStep);
    return snTest_Finish();
}
