// Bodies with linear deformations in worlds: what hangs together, what is kept, same bits.
#include "platform/threads.h"
#include "tests/body/poly/polys.h"
#include "tests/world/makers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LENGTH 0.5 // of a part of the pendulum, from joint to joint

typedef struct Chain {
    int count;
    double step, damping;
    snIntegrator integrator;
    snContext context;
} Chain;

static snBody *newPart(const Chain *chain, const char *name)
{
    static Surface surface;
    snPolyDef poly = snDefaultPolyDef();
    snSolidBodyDef def = snDefaultSolidBodyDef();
    poly.surface = boxSurface(&surface, snVec(0.5 * LENGTH, 0.05, 0.08));
    snPolyEnergies_Moduli(&(snPolyEnergies){2e6, 2e6}, &poly.young, &poly.poisson);
    def.name = name;
    def.material = SN_MATERIAL_NONRIGID;
    def.integrator = chain->integrator;
    def.step = chain->step;
    def.damping = chain->damping;
    def.apart = def.tied = true;
    def.mostPoints = def.mostHeld = 4;
    snError error = {0};
    snBody *body = newPoly(&poly, def, &chain->context, &error);
    if (!CHECK(body != NULL)) printf("  %s\n", error.message), exit(1);
    return body;
}

// Parts end to end along x from the origin, to which the first is nailed. Not joined yet.
static snWorld *listChain(const Chain *chain)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    snError error = {0};
    int number;
    def.step = chain->step;
    CHECK(snWorld_Make(&world, &def, &chain->context, &error) == SN_OK);
    for (int i = 0; i < chain->count; i++) {
        char name[20];
        snprintf(name, sizeof name, "part %d", i);
        snBody *body = newPart(chain, name);
        snAffine place = snIdentityAffine();
        place.origin.x = (i + 0.5) * LENGTH;
        snBody_Put(body, &place);
        CHECK(snWorld_AddBody(world, body, &number, &error) == SN_OK);
        snAttachmentDef nail = snDefaultAttachmentDef();
        nail.body = i;
        nail.spot = snRestSpot(snVec(-0.5 * LENGTH, 0, 0));
        nail.other = i ? i - 1 : SN_WORLD_NOBODY;
        nail.otherSpot = snRestSpot(snVec(0.5 * LENGTH, 0, 0));
        CHECK(snWorld_AddAttachment(world, &nail, &number, &error) == SN_OK);
    }
    return world;
}

static snWorld *newChain(const Chain *chain)
{
    snWorld *world = listChain(chain);
    snError error = {0};
    if (!CHECK(snWorld_Join(world, &error) == SN_OK)) printf("  %s\n", error.message), exit(1);
    return world;
}

static double energyOf(snWorld *world)
{
    snWorldMeasure m = {0};
    snWorld_Measure(world, &m);
    return m.sum.kinetic + m.sum.elastic + m.potential;
}

// The farthest apart that ends of attachments are, in lengths of a part.
static double missOf(const snWorld *world)
{
    double most = 0;
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachment *a = &world->attachments.data[i];
        snVec3 p = snBody_Place(world->bodies.data[a->def.body], a->point), q = {0, 0, 0};
        if (a->def.other != SN_WORLD_NOBODY)
            q = snBody_Place(world->bodies.data[a->def.other], a->otherPoint);
        most = fmax(most, snDistance(p, q) / LENGTH);
    }
    return most;
}

// A triple pendulum that falls from level, for a minute: the energy that it can turn is that of the fall.
static void triplePendulumKeepsItsEnergy(void)
{
    for (int k = 0; k < 2; k++) {
        Chain chain = {3, 1.0 / 240, 0, (snIntegrator)k, snDefaultContext()};
        snWorld *world = newChain(&chain);
        double first = energyOf(world), most = 0, miss = 0, least = INFINITY;
        double fall = 0.5 * 9 * 9.81 * LENGTH * 1000 * LENGTH * 0.1 * 0.16; // to hanging straight
        int steps = (int)((snTest_Whole() ? 60 : 15) / chain.step + 0.5);
        clock_t begin = clock();
        for (int n = 0; n < steps; n++) {
            snWorld_Step(world);
            if (n % 10 == 0) {
                snWorldMeasure m = {0};
                snWorld_Measure(world, &m);
                double energy = m.sum.kinetic + m.sum.elastic + m.potential;
                most = fmax(most, fabs(energy - first) / fall);
                least = fmin(least, m.potential);
            }
            miss = fmax(miss, missOf(world));
        }
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        printf("  %s: energy off by %.3f %% of the fall at most (it fell %.0f %%), at the end by "
               "%+.3f %%; attachments by %.1e; %.1f µs a step\n",
               k ? "midpoint" : "backward Euler", 100 * most, -100 * least / fall,
               100 * (energyOf(world) - first) / fall, miss, 1e6 * seconds / steps);
        CHECK(miss < 1e-6);
        if (k) CHECK(most < 0.01);
        for (int i = 0; i < 3; i++)
            CHECK(world->tales.data[i].failures == 0 && world->tales.data[i].conflicts == 0);
        snWorld_Destroy(world);
    }
}

// ---- bits, memory -------------------------------------------------------------------------------

static snWorld *makeChainOfFive(void *user, const snContext *context)
{
    Chain chain = {5, 1.0 / 120, 0.002, SN_INTEGRATOR_MIDPOINT, *context};
    (void)user;
    return newChain(&chain);
}

static void threadsAndSavingGiveTheSameBits(void)
{
    checkSameBits(&(Remade){.make = makeChainOfFive, .threads = 2, .before = 30, .after = 30});
}

static void stepsAllocateNothing(void)
{
    for (int k = 0; k < 2; k++) {
        snFailingMemory memory = {0};
        Chain chain = {3, 1.0 / 120, 0, (snIntegrator)k, snDefaultContext()};
        snTest_UseFailingMemory(&chain.context, &memory);
        snWorld *world = newChain(&chain);
        int count = memory.count;
        for (int n = 0; n < 20; n++)
            snWorld_Step(world);
        CHECK(memory.count == count);
        snWorld_Destroy(world);
        CHECK(memory.alive == 0);
    }
}

// A chain of one rule beside a part of the other.
static snWorld *newMixture(bool tied, snError *error)
{
    Chain chain = {2, 1.0 / 120, 0, SN_INTEGRATOR_EULER, snDefaultContext()};
    snWorld *world = listChain(&chain);
    snAttachmentDef tie = snDefaultAttachmentDef();
    int number;
    chain.integrator = SN_INTEGRATOR_MIDPOINT;
    CHECK(snWorld_AddBody(world, newPart(&chain, "other"), &number, NULL) == SN_OK);
    tie.body = 2;
    tie.spot = snRestSpot(snVec(-0.5 * LENGTH, 0, 0));
    tie.other = tied ? 1 : SN_WORLD_NOBODY;
    tie.otherSpot = snRestSpot(snVec(0.5 * LENGTH, 0, 0));
    CHECK(snWorld_AddAttachment(world, &tie, &number, NULL) == SN_OK);
    if (snWorld_Join(world, error) == SN_OK) return world;
    snWorld_Destroy(world);
    return NULL;
}

// Bodies that are tied go by one rule; those beside them as they would alone.
static void integratorsDoNotMix(void)
{
    snError error = {0};
    CHECK(newMixture(true, &error) == NULL && error.code == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "different integrators") != NULL);
    snWorld *world = newMixture(false, &error);
    Chain chain = {1, 1.0 / 120, 0, SN_INTEGRATOR_MIDPOINT, snDefaultContext()};
    snWorld *alone = newChain(&chain);
    if (!CHECK(world != NULL)) return;
    for (int n = 0; n < 60; n++) {
        snWorld_Step(world);
        snWorld_Step(alone);
    }
    snBodyMeasure a, b;
    snBody_Measure(world->bodies.data[2], &a);
    snBody_Measure(alone->bodies.data[0], &b);
    double apart = snDistance(snAdd(a.center, snVec(0.5 * LENGTH, 0, 0)), b.center);
    printf("  beside bodies of another rule %.1e m from where it is alone\n", apart);
    CHECK(apart < 1e-9 && missOf(alone) < 1e-12);
    snWorld_Destroy(world);
    snWorld_Destroy(alone);
}

int main(void)
{
    RUN(threadsAndSavingGiveTheSameBits);
    RUN(stepsAllocateNothing);
    RUN(integratorsDoNotMix);
    RUN(triplePendulumKeepsItsEnergy);
    return snTest_Finish();
}
