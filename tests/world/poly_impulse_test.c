// Blows at bodies with linear deformations, and what they are for with the midpoint rule: without them a point that is taken
// onto a path with another velocity rings from step to step for ever.
#include "tests/body/poly/polys.h"
#include "tests/world/makers.h"

#include <stdlib.h>

static int addPoly(snWorld *world, int order, snIntegrator integrator, snVec3 at)
{
    static Surface surface;
    snPolyDef poly = snDefaultPolyDef();
    snSolidBodyDef def = snDefaultSolidBodyDef();
    snError error = {0};
    int number = -1;
    poly.surface =
        order == 3 ? ballSurface(&surface, 0.2, 6) : boxSurface(&surface, snVec(0.15, 0.1, 0.1));
    poly.order = order;
    def.integrator = integrator;
    def.damping = 0;
    def.apart = def.tied = true;
    snBody *body = newPoly(&poly, def, &world->context, &error);
    if (!CHECK(body != NULL)) printf("    %s\n", error.message), exit(1);
    snBody_Put(body, &(snAffine){snIdentity3(), at});
    CHECK(snWorld_AddBody(world, body, &number, &error) == SN_OK);
    return number;
}

static void blowsAreImpulses(void)
{
    for (int order = 1; order <= 3; order++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, false);
        int number = addPoly(world, order, SN_INTEGRATOR_EULER, snVec(0.3, -0.2, 0.5));
        snBody *body = world->bodies.data[number];
        snBody_SetVelocity(body, snVec(0.5, 1, -2), snVec(0, 0, 3));
        int p = pointOf(world, number, snVec(0.1, 0.05, -0.06));
        snVec3 place = snBody_Place(body, p), before = snBody_Velocity(body, p), want = {3, -1, 2};
        snBodyMeasure a, b;
        snBody_Measure(body, &a);
        snStrike strike = {.body = number, .point = p, .other = SN_WORLD_NOBODY, .velocity = want};
        snWorld_Strike(world, 1, &strike);
        snBody_Measure(body, &b);
        snVec3 blow = snSub(b.momentum, a.momentum);
        snVec3 turn = snSub(b.angularMomentum, a.angularMomentum);
        double missed = snDistance(snBody_Velocity(body, p), want);
        double off = snDistance(turn, snCross(place, blow)) / snLength(blow);
        double work = 0.5 * snDot(blow, snAdd(before, want));
        printf(
            "    order %d: missed by %.1e m/s, angular momentum off by %.1e m, energy by %.1e J of "
            "%.2g\n",
            order, missed, off, b.kinetic - a.kinetic - work, work);
        CHECK(missed < 1e-12 && off < 1e-11);
        CHECK_NEAR(b.kinetic - a.kinetic, work, 1e-10 * b.kinetic);
        snWorld_Destroy(world);
    }
}

static void joiningKeepsMomentum(void)
{
    for (int order = 1; order <= 3; order++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, false);
        int a = addPoly(world, order, SN_INTEGRATOR_EULER, snVec(0, 0, 0));
        int b = addPoly(world, order % 3 + 1, SN_INTEGRATOR_EULER, snVec(0.2, 0, 0));
        snBody_SetVelocity(world->bodies.data[a], snVec(1, 0, 0.5), snVec(1, 2, 3));
        snBody_SetVelocity(world->bodies.data[b], snVec(-2, 1, 0), snVec(0, -2, 1));
        int p = pointOf(world, a, snVec(0.1, 0, 0)), q = pointOf(world, b, snVec(-0.1, 0, 0));
        snWorldMeasure before, after;
        snStrike strike = {.body = a, .point = p, .other = b, .otherPoint = q};
        double apart = joinPoints(world, strike, &before, &after);
        double lost = snDistance(before.sum.momentum, after.sum.momentum);
        double turned = snDistance(before.sum.angularMomentum, after.sum.angularMomentum);
        printf("    order %d: %.1e m/s apart, momentum %.1e, angular %.1e, %.3f of %.3f J left\n",
               order, apart, lost, turned, after.sum.kinetic, before.sum.kinetic);
        CHECK(apart < 1e-12 && lost < 1e-11 && turned < 1e-11);
        CHECK(after.sum.kinetic < before.sum.kinetic);
        snWorld_Destroy(world);
    }
}

// A corner is led to and fro with kinks. How far the velocity at the ends of steps is from the path's.
static void kinksRingWithoutBlows(void)
{
    static const double times[3] = {0, 0.25, 0.5};
    static const snVec3 places[3] = {{-0.15, -0.1, -0.1}, {0.25, -0.1, -0.1}, {-0.15, -0.1, -0.1}};
    static const snRouteKey keys[3] = {SN_KEY_SMOOTH, SN_KEY_KINK, SN_KEY_SMOOTH};
    double ring[2] = {0, 0}, most[2] = {0, 0}, worst = 0;
    for (int gentle = 0; gentle < 2; gentle++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, gentle != 0);
        int body = addPoly(world, 2, SN_INTEGRATOR_MIDPOINT, snVec(0, 0, 0)), number;
        snRouteDef route = {
            .count = 3, .times = times, .places = places, .keys = keys, .loose = true};
        snAttachmentDef def = snDefaultAttachmentDef();
        def.spot = snRestSpot(places[0]);
        def.path = &route;
        def.ease = 0;
        CHECK(snWorld_AddAttachment(world, &def, &number, NULL) == SN_OK);
        const snAttachment *a = &world->attachments.data[0];
        for (int k = 0; k < 59; k++) {
            snWorld_Step(world);
            double now = snWorld_Time(world);
            snVec3 want = snRoute_Place(&a->path, now);
            worst = fmax(worst, snDistance(want, snBody_Place(world->bodies.data[body], a->point)));
            double speed = snLength(snBody_Velocity(world->bodies.data[body], a->point));
            ring[gentle] = fmax(ring[gentle], fabs(speed - 1.6));
            snBodyMeasure m;
            snBody_Measure(world->bodies.data[body], &m);
            most[gentle] = fmax(most[gentle], m.kinetic + m.elastic);
        }
        snWorld_Destroy(world);
    }
    printf("    off the path by %.1e m; speed off by %.1e m/s with blows and %.2f without, energy "
           "up to "
           "%.1f and %.1f J\n",
           worst, ring[0], ring[1], most[0], most[1]);
    CHECK(worst < 1e-12 && ring[0] < 1e-9 && ring[1] > 1 && most[0] < most[1]);
}

int main(void)
{
    RUN(blowsAreImpulses);
    RUN(joiningKeepsMomentum);
    RUN(kinksRingWithoutBlows);
    return snTest_Finish();
}
