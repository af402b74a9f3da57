// What flies keeps its angular momentum, alone and in blows, and never gains energy by it (world/keep.h).
#include "tests/world/models.h"
#include "world/keep.h"

static Bumble bumble;

static snWorldMeasure measured(snWorld *world)
{
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    return m;
}

typedef struct Flight {
    double moment;   // change of angular momentum in a step, of what there is
    double gain;     // of energy in a step, of the energy of motion at first
    double left;     // of the spin, at the end
    double farthest; // the centre from a parabola, m
} Flight;

// Gravity's moment in a step is taken out: it acts at the centre, where it was at the step's begin.
static Flight fly(snWorld *world, int steps)
{
    double h = world->def.step;
    snWorldMeasure m = measured(world), first = m;
    snVec3 g = world->def.gravity, c = m.sum.center;
    snVec3 spin = snSub(m.sum.angularMomentum, snCross(c, m.sum.momentum));
    double scale = snLength(m.sum.angularMomentum), energy = m.sum.kinetic;
    Flight f = {0};
    for (int k = 0; k < steps; k++) {
        snWorldMeasure before = m;
        snWorld_Step(world);
        m = measured(world);
        snVec3 brought = snCross(before.sum.center, snScale(h * m.sum.mass, g));
        snVec3 off = snSub(snSub(m.sum.angularMomentum, before.sum.angularMomentum), brought);
        double was = before.sum.kinetic + before.sum.elastic + before.potential;
        f.moment = fmax(f.moment, snLength(off) / scale);
        f.gain = fmax(f.gain, (m.sum.kinetic + m.sum.elastic + m.potential - was) / energy);
    }
    snVec3 now = snSub(m.sum.angularMomentum, snCross(m.sum.center, m.sum.momentum));
    double t = steps * h;
    snVec3 way = snMulAdd(snScale(t / first.sum.mass, first.sum.momentum), 0.5 * t * (t + h), g);
    f.left = snLength(now) / snLength(spin);
    f.farthest = snLength(snSub(snSub(m.sum.center, c), way));
    return f;
}

// Round their short axis, their long one, and the one between, which tumbles; falling sideways too.
static void spinsAreKept(void)
{
    const snVec3 spins[3] = {{0, 8, 0}, {2, 0.01, 6}, {5, 3, -4}};
    snContext context = snDefaultContext();
    for (int model = 0; model < 2; model++)
        for (int s = 0; s < 3; s++) {
            snWorld *world = newWorld(&context, s == 2 ? 9.81 : 0);
            int number = addModel(world, model ? POLY : LATTICE, &bumble, 1, snVec(1, 2, 0.5));
            snBody_SetVelocity(world->bodies.data[number], snVec(1, 2, -0.5), spins[s]);
            Flight f = fly(world, 240);
            printf("    %s: angular momentum changes by %.1e in a step, energy grows by %.1e at "
                   "most, %.4f %% of the spin is left after 2 s, %.1e m off its parabola\n",
                   modelNames[model ? POLY : LATTICE], f.moment, f.gain, 100 * f.left, f.farthest);
            CHECK(f.moment < 1e-9 && f.gain < 1e-12 && f.farthest < 1e-9);
            CHECK_NEAR(f.left, 1, 1e-8);
            snWorld_Destroy(world);
        }
}

// Without a turn of the whole a body loses (hω)² of its spin a step: it must not be taken from what it hits, either.
static void blowsAreKept(void)
{
    snContext context = snDefaultContext();
    for (int a = 0; a < 2; a++) {
        snWorld *world = newWorld(&context, 0);
        for (int k = 0; k < 2; k++) {
            int n =
                addModel(world, k && a ? POLY : LATTICE, &bumble, 1 + k, snVec(0.1, 0.21 * k, 0));
            snBody_SetVelocity(world->bodies.data[n], snVec(0.4, k ? -2 : 0, 0), snVec(0, k, 3));
        }
        CHECK(snWorld_Join(world, NULL) == SN_OK);
        Flight f = fly(world, 60);
        printf("    %s on lattice: angular momentum changes by %.1e in a step, energy by %.1e\n",
               modelNames[a ? POLY : LATTICE], f.moment, f.gain);
        CHECK(f.moment < 1e-9 && f.gain < 1e-6);
        snWorld_Destroy(world);
    }
}

// A limp character turns over in the air, and is hit by a block.
static void limpOnesKeepIt(void)
{
    snWorld *world = newWorld(&bumble.context, 0);
    addModel(world, LIMP, &bumble, 1, snVec(0, 0.7, 0));
    snBody_SetVelocity(world->bodies.data[0], snVec(0, 0, 0), snVec(0, 2, 1));
    int n = addModel(world, LATTICE, &bumble, 1, snVec(0.6, 0.8, 0.1));
    snBody_SetVelocity(world->bodies.data[n], snVec(-4, 0, 0), snVec(0, 0, 0));
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    Flight f = fly(world, 40);
    printf("    limp: angular momentum changes by %.1e in a step, energy by %.1e\n", f.moment,
           f.gain);
    CHECK(f.moment < 1e-9 && f.gain < 1e-3);
    snWorld_Destroy(world);
}

int main(void)
{
    makeLimpBumble(&bumble, 60, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(spinsAreKept);
    RUN(blowsAreKept);
    RUN(limpOnesKeepIt);
    freeBumble(&bumble);
    return snTest_Finish();
}
