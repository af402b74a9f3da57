// Blows: velocities of points that jump. They are met, momentum is changed by what was struck with and by nothing else,
// joining two points takes energy and never gives it, and paths with kinks are followed without a ring.
#include "tests/body/solids.h"
#include "tests/world/worlds.h"

#include <stdlib.h>

enum { CELLS, SMOOTH, NEWTON, LINEAR, ADAPTIVE, KINDS };
static const char *const kindNames[KINDS] = {"cells", "smooth", "newton", "linear", "adaptive"};

static snSolid *newSolid(const BlockDef *def, int kind, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snLattice lattice = makeBlock(BLOCK_HEXES, def->n, def->m, def->k, def->size, &arena);
    snSolidDef solid = snDefaultSolidDef();
    snSolid *out = NULL;
    solid.lattice = &lattice;
    solid.young = def->young;
    solid.nodeLevel = 2;
    if (kind == ADAPTIVE) solid.levels = 1, solid.mostActive = 20;
    CHECK(snSolid_Build(&out, &solid, context, NULL) == SN_OK);
    snArena_Destroy(&arena);
    return out;
}

static int addKind(snWorld *world, int kind, snVec3 at)
{
    BlockDef def = blockDef();
    snBody *body = NULL;
    int number = -1;
    def.n = 2;
    def.m = def.k = 1;
    def.solid.tied = kind == CELLS || kind == SMOOTH;
    def.solid.solver = kind == NEWTON   ? SN_SOLVER_NEWTON
                       : kind == LINEAR ? SN_SOLVER_LINEAR
                                        : SN_SOLVER_PROJECTIVE;
    if (kind != SMOOTH && kind != ADAPTIVE) return addBlock(world, &def, at);
    def.solid.solid = newSolid(&def, kind, &world->context);
    CHECK(snSolidBody_Make(&body, &def.solid, &world->context, NULL) == SN_OK);
    snBody_Put(body, &(snAffine){snIdentity3(), at});
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    return number;
}

// One point of each kind of body gets a velocity: P = Δmomentum, p x P = Δ(angular momentum), and the energy
// that comes is ½ P . (v + v').
static void blowsAreImpulses(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, false);
        int body = addKind(world, kind, snVec(0.3, -0.2, 0.5));
        snBody_SetVelocity(world->bodies.data[body], snVec(0.5, 1, -2), snVec(0, 0, 3));
        int p = pointOf(world, body, snVec(0.25, 0.12, 0.17));
        snVec3 place = snBody_Place(world->bodies.data[body], p);
        snVec3 before = snBody_Velocity(world->bodies.data[body], p), wanted = {3, -1, 2};
        snBodyMeasure a, b;
        snBody_Measure(world->bodies.data[body], &a);
        snStrike strike = {.body = body, .point = p, .other = SN_WORLD_NOBODY, .velocity = wanted};
        snWorld_Strike(world, 1, &strike);
        snBody_Measure(world->bodies.data[body], &b);
        snVec3 blow = snSub(b.momentum, a.momentum);
        snVec3 turn = snSub(b.angularMomentum, a.angularMomentum);
        double missed = snDistance(snBody_Velocity(world->bodies.data[body], p), wanted);
        double off = snDistance(turn, snCross(place, blow)) / snLength(blow);
        double work = 0.5 * snDot(blow, snAdd(before, wanted));
        printf("    %s: missed by %.1e m/s, angular momentum off by %.1e m, energy by %.1e J of "
               "%.2g\n",
               kindNames[kind], missed, off, b.kinetic - a.kinetic - work, work);
        CHECK(missed < 1e-12 && off < 1e-11);
        CHECK_NEAR(b.kinetic - a.kinetic, work, 1e-10 * b.kinetic);
        CHECK(snDistance(place, snBody_Place(world->bodies.data[body], p)) == 0);
        snWorld_Destroy(world);
    }
}

// The same jump through the matrix of a step: momentum is right and angular momentum is not.
static void stepsMatricesAreNotForBlows(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeGentle(&context, false);
    int number = addKind(world, CELLS, snVec(0, 0, 0));
    snBody *body = world->bodies.data[number];
    int p = pointOf(world, number, snVec(0.25, 0.12, 0.17));
    double *column = calloc(snBody_ColumnSize(body), sizeof *column);
    snBodyMeasure m;
    snVec3 blow = {0, 3, 0}, place = snBody_Place(body, p);
    snBody_Column(body, p, column);
    snBody_Strike(body, column, blow);
    snBody_Measure(body, &m);
    double off = snDistance(m.angularMomentum, snCross(place, blow));
    printf("    by A: momentum off by %.1e of %.1f, angular momentum by %.3f of %.3f\n",
           snDistance(m.momentum, blow), snLength(blow), off, snLength(snCross(place, blow)));
    CHECK(snDistance(m.momentum, blow) < 1e-11 && off > 0.05 * snLength(snCross(place, blow)));
    free(column);
    snWorld_Destroy(world);
}

// Points of two bodies of any kinds are joined: no relative velocity is left, momentum stays, energy goes.
static void joiningKeepsMomentum(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, false);
        int a = addKind(world, kind, snVec(0, 0, 0));
        int b = addKind(world, (kind + 1) % KINDS, snVec(0.3, 0, 0));
        snBody_SetVelocity(world->bodies.data[a], snVec(1, 0, 0.5), snVec(1, 2, 3));
        snBody_SetVelocity(world->bodies.data[b], snVec(-2, 1, 0), snVec(0, -2, 1));
        int p = pointOf(world, a, snVec(0.3, 0.1, 0.1)), q = pointOf(world, b, snVec(0, 0.1, 0.1));
        snWorldMeasure before, after;
        snStrike strike = {.body = a, .point = p, .other = b, .otherPoint = q};
        double apart = joinPoints(world, strike, &before, &after);
        double lost = snDistance(before.sum.momentum, after.sum.momentum);
        double turned = snDistance(before.sum.angularMomentum, after.sum.angularMomentum);
        printf("    %s to %s: %.1e m/s apart, momentum %.1e, angular %.1e, %.3f of %.3f J left\n",
               kindNames[kind], kindNames[(kind + 1) % KINDS], apart, lost, turned,
               after.sum.kinetic, before.sum.kinetic);
        CHECK(apart < 1e-12 && lost < 1e-11 && turned < 1e-11);
        CHECK(after.sum.kinetic < before.sum.kinetic);
        snWorld_Destroy(world);
    }
}

// What is held keeps its velocity; what is asked for twice is there once; bodies that hang on the struck one follow.
static void whatIsHeldStaysSo(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeGentle(&context, false);
    int a = addKind(world, CELLS, snVec(0, 0, 0)), b = addKind(world, SMOOTH, snVec(0.3, 0, 0));
    snAttachmentDef nail = snDefaultAttachmentDef(), tie = snDefaultAttachmentDef();
    int number;
    nail.spot = snRestSpot(snVec(0, 0.1, 0.1));
    tie.spot = snRestSpot(snVec(0.3, 0.1, 0.1));
    tie.other = b;
    tie.otherSpot = snRestSpot(snVec(0, 0.1, 0.1));
    CHECK(snWorld_AddAttachment(world, &nail, &number, NULL) == SN_OK);
    CHECK(snWorld_AddAttachment(world, &tie, &number, NULL) == SN_OK);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    snWorld_Step(world);
    int p = pointOf(world, b, snVec(0.3, 0.1, 0.1)), q = pointOf(world, a, snVec(0.3, 0.1, 0.1));
    snStrike strikes[2] = {
        {.body = b, .point = p, .other = SN_WORLD_NOBODY, .velocity = {0, 2, 0}},
        {.body = b, .point = p, .other = SN_WORLD_NOBODY, .velocity = {0, 2, 0}}};
    snWorld_Strike(world, 2, strikes);
    const snAttachment *held = world->attachments.data;
    snVec3 still = snBody_Velocity(world->bodies.data[a], held[0].point);
    snVec3 gap = snSub(snBody_Velocity(world->bodies.data[a], held[1].point),
                       snBody_Velocity(world->bodies.data[b], held[1].otherPoint));
    snVec3 struck = snBody_Velocity(world->bodies.data[b], p);
    printf("    struck %.1e off, nail moves at %.1e, tie parts at %.1e, joint moves at %.3f m/s\n",
           snDistance(struck, snVec(0, 2, 0)), snLength(still), snLength(gap),
           snLength(snBody_Velocity(world->bodies.data[a], q)));
    CHECK(snDistance(struck, snVec(0, 2, 0)) < 1e-12 && snLength(still) < 1e-12);
    CHECK(snLength(gap) < 1e-12 && snLength(snBody_Velocity(world->bodies.data[a], q)) > 1e-3);
    strikes[0].velocity = snVec(NAN, 0, 0);
    snWorld_Strike(world, 1, strikes);
    snWorld_Strike(world, 0, NULL);
    snWorld_Step(world);
    CHECK(snIsFinite3(snBody_Velocity(world->bodies.data[b], p)));
    snWorld_Destroy(world);
}

// A bar's end goes to and fro between walls, bouncing at once. Its velocity is the path's right after each bounce, and the
// body rings no more, with blows or without.
static void kinksAreFollowed(void)
{
    static const double times[5] = {0, 0.25, 0.5, 0.75, 1};
    static const snVec3 places[5] = {{0, 0, 0}, {0.4, 0, 0}, {0, 0, 0}, {0.4, 0, 0}, {0, 0, 0}};
    static const snRouteKey keys[5] = {SN_KEY_KINK, SN_KEY_KINK, SN_KEY_KINK, SN_KEY_KINK,
                                       SN_KEY_SMOOTH};
    double most[2] = {0, 0}, last[2], worst = 0, wrong = 0;
    for (int gentle = 0; gentle < 2; gentle++) {
        snContext context = snDefaultContext();
        snWorld *world = makeGentle(&context, gentle != 0);
        int body = addKind(world, CELLS, snVec(0, 0, 0)), number;
        snRouteDef route = {
            .count = 5, .times = times, .places = places, .keys = keys, .loose = true};
        snAttachmentDef def = snDefaultAttachmentDef();
        def.spot = snRestSpot(snVec(0, 0, 0));
        def.path = &route;
        def.ease = 0;
        CHECK(snWorld_AddAttachment(world, &def, &number, NULL) == SN_OK);
        const snAttachment *a = &world->attachments.data[0];
        for (int k = 0; k < 150; k++) {
            snWorld_Step(world);
            double now = snWorld_Time(world);
            snVec3 want = snRoute_Place(&a->path, now);
            worst = fmax(worst, snDistance(want, snBody_Place(world->bodies.data[body], a->point)));
            double speed = snLength(snBody_Velocity(world->bodies.data[body], a->point));
            if (k < 119) wrong = fmax(wrong, fabs(speed - 1.6));
            snBodyMeasure m;
            snBody_Measure(world->bodies.data[body], &m);
            most[gentle] = fmax(most[gentle], m.kinetic + m.elastic);
            last[gentle] = m.kinetic + m.elastic;
        }
        snWorld_Destroy(world);
    }
    printf("    off by %.1e m, speed by %.1e; energy up to %.2f J and %.4f in the end, without "
           "blows %.2f and %.4f\n",
           worst, wrong, most[0], last[0], most[1], last[1]);
    CHECK(worst < 1e-13 && wrong < 1e-12);
    CHECK(most[0] < 1.25 * most[1] && last[0] < 1.25 * last[1]);
}

int main(void)
{
    RUN(blowsAreImpulses);
    RUN(stepsMatricesAreNotForBlows);
    RUN(joiningKeepsMomentum);
    RUN(whatIsHeldStaysSo);
    RUN(kinksAreFollowed);
    return snTest_Finish();
}
