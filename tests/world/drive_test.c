// What drives points while a world runs: attachments that are switched, prerolls, ties that are made and let go. Nothing is
// factored while the set of what is held stays, nothing is allocated, and everything is part of the state.
#include "platform/threads.h"
#include "tests/body/solids.h"
#include "tests/world/worlds.h"

#include <stdlib.h>
#include <string.h>

static BlockDef smallBlock(bool tied)
{
    BlockDef def = blockDef();
    def.solid.tied = def.solid.meets = tied;
    def.n = 2;
    def.m = def.k = 1;
    return def;
}

static snVec3 placeOf(const snWorld *world, int attachment)
{
    const snAttachment *a = &world->attachments.data[attachment];
    return snBody_Place(world->bodies.data[a->def.body], a->point);
}

static snVec3 velocityOf(const snWorld *world, int attachment)
{
    const snAttachment *a = &world->attachments.data[attachment];
    return snBody_Velocity(world->bodies.data[a->def.body], a->point);
}

static const double times[4] = {1, 1.3, 1.7, 2};
static const snVec3 places[4] = {{0.5, 0.6, 0}, {0.8, 0.4, 0.1}, {0.4, 0.5, -0.1}, {0.5, 0.9, 0}};
static const snVec3 speeds[4] = {{1, -1, 0}, {0, 0, 0}, {0, 0, 0}, {0, 2, 1}};
static const snRouteKey ends[4] = {SN_KEY_GIVEN, SN_KEY_SMOOTH, SN_KEY_SMOOTH, SN_KEY_GIVEN};

// A corner of the block is led along them from 1 s on.
static void leadCorner(snWorld *world, double to, double preroll)
{
    snRouteDef route = {
        .count = 4, .times = times, .places = places, .keys = ends, .velocities = speeds};
    snAttachmentDef def = snDefaultAttachmentDef();
    int number;
    def.spot = snVertexSpot(3);
    def.path = &route;
    def.from = 1;
    if (isfinite(to)) def.to = to;
    def.preroll = preroll;
    CHECK(snWorld_AddAttachment(world, &def, &number, NULL) == SN_OK);
}

// A block that tumbles is caught by a corner within 0.4 s, led along a spline that begins and ends in motion, and let go.
static void prerollsMeetTheirPaths(void)
{
    const double prerolls[3] = {0.4, 0.05, 1};
    for (int i = 0; i < 3; i++) {
        snContext context = snDefaultContext();
        snWorld *world = makeWorld(&context, snVec(0, -1, 0));
        BlockDef block = smallBlock(false);
        addBlock(world, &block, snVec(0, 0.5, 0));
        snBody_SetVelocity(world->bodies.data[0], snVec(0.4, 0.5, 0.1), snVec(2, 0, 3));
        leadCorner(world, 2, prerolls[i]);
        const snRoute *path = &world->attachments.data[0].path;
        double worst = 0, fastest = 0, onset = 1;
        for (int k = 0; k < 240; k++) {
            snWorld_Step(world);
            double now = snWorld_Time(world);
            fastest = fmax(fastest, snLength(velocityOf(world, 0)));
            if (k == 119) onset = snDistance(placeOf(world, 0), places[0]);
            if (now > 1 - 1e-9 && now < 2 + 1e-9)
                worst = fmax(worst, snDistance(placeOf(world, 0), snRoute_Place(path, now)));
        }
        snVec3 left = velocityOf(world, 0);
        snWorld_Step(world);
        bool free = !world->held.data[0].acts;
        printf("    %g s: %.1e m at onset, %.1e from the spline, at most %.2f m/s; leaves at %.3f "
               "m/s\n",
               prerolls[i], onset, worst, fastest, snLength(left));
        CHECK(worst < 1e-13 && onset < 1e-13 && free);
        CHECK(snDistance(left, speeds[3]) < 0.15);
        CHECK(!world->tales.data[0].failures);
        snWorld_Destroy(world);
    }
}

// The velocity right at onset, once the blow is there: exactly that of the path.
static void onsetsHaveTheVelocity(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snVec(0, 0, 0));
    BlockDef block = smallBlock(false);
    addBlock(world, &block, snVec(0, 0.5, 0));
    leadCorner(world, INFINITY, 0.5);
    for (int k = 0; k < 120; k++)
        snWorld_Step(world);
    snStrike strike = {.body = 0,
                       .point = world->attachments.data[0].point,
                       .other = SN_WORLD_NOBODY,
                       .velocity = speeds[0]};
    snWorld_Strike(world, 1, &strike); // what the step that follows does first
    CHECK_NEAR(snDistance(velocityOf(world, 0), speeds[0]), 0, 1e-12);
    snWorld_Destroy(world);
}

// On and off and on again: it takes hold anew where the point is then.
static void attachmentsAreSwitched(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snVec(0, -9.81, 0));
    BlockDef block = smallBlock(false);
    addBlock(world, &block, snVec(0, 5, 0));
    snAttachmentDef def = snDefaultAttachmentDef();
    int number;
    def.spot = snVertexSpot(0);
    def.off = true;
    CHECK(snWorld_AddAttachment(world, &def, &number, NULL) == SN_OK);
    for (int k = 0; k < 24; k++)
        snWorld_Step(world);
    snVec3 first = placeOf(world, 0);
    CHECK(first.y < 4.9);
    snWorld_Switch(world, 0, true);
    for (int k = 0; k < 24; k++)
        snWorld_Step(world);
    CHECK_NEAR(snDistance(placeOf(world, 0), first), 0, 1e-12);
    snWorld_Switch(world, 0, false);
    for (int k = 0; k < 24; k++)
        snWorld_Step(world);
    snVec3 second = placeOf(world, 0);
    CHECK(second.y < first.y - 0.1);
    snWorld_Switch(world, 0, true);
    snWorld_Switch(world, 0, true);
    for (int k = 0; k < 24; k++)
        snWorld_Step(world);
    CHECK_NEAR(snDistance(placeOf(world, 0), second), 0, 1e-12);
    snWorld_Destroy(world);
}

// ---- ties ---------------------------------------------------------------------------------------

typedef struct Pair {
    snWorld *world;
    int point[2];
} Pair;

static Pair makePair(const snContext *context, int reserve)
{
    Pair pair = {.world = makeWorld(context, snVec(0, -9.81, 0))};
    BlockDef block = smallBlock(true);
    for (int i = 0; i < 3; i++)
        addBlock(pair.world, &block, snVec(0.33 * i, 0, 0));
    snAttachmentDef nail = snDefaultAttachmentDef();
    int number;
    nail.spot = snRestSpot(snVec(0, 0.2, 0));
    CHECK(snWorld_AddAttachment(pair.world, &nail, &number, NULL) == SN_OK);
    snTieReserve ties = {0, 1, reserve};
    if (reserve) CHECK(snWorld_ReserveTies(pair.world, &ties, NULL) == SN_OK);
    CHECK(snWorld_Join(pair.world, NULL) == SN_OK);
    snBodySpot spots[2] = {snRestSpot(snVec(0.3, 0.1, 0.1)), snRestSpot(snVec(0, 0.1, 0.1))};
    for (int i = 0; i < 2; i++)
        CHECK(snBody_Locate(pair.world->bodies.data[i], &spots[i], &pair.point[i], NULL) == SN_OK);
    return pair;
}

static double gapOf(const Pair *pair)
{
    return snDistance(snBody_Place(pair->world->bodies.data[0], pair->point[0]),
                      snBody_Place(pair->world->bodies.data[1], pair->point[1]));
}

static snGrabDef tieOf(const Pair *pair)
{
    return (snGrabDef){.body = 0,
                       .located = true,
                       .point = pair->point[0],
                       .between = true,
                       .other = 1,
                       .otherPoint = pair->point[1],
                       .hard = true,
                       .ease = 0.05};
}

static int64_t workOf(const snWorld *world)
{
    int64_t sum = 0;
    for (int i = 0; i < world->tales.count; i++)
        sum += world->tales.data[i].columnsSolved + world->tales.data[i].rowsFactored;
    return sum;
}

// Two blocks, one of them nailed, are tied at run time and let go again: a few back-substitutions at each change, and
// nothing in between.
static void tiesComeAndGo(void)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    Pair pair = makePair(&context, 2);
    snWorld *world = pair.world;
    int before = memory.count, grab, other;
    for (int k = 0; k < 3; k++)
        snWorld_Step(world);
    int64_t free = workOf(world);
    snGrabDef def = tieOf(&pair);
    CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    snWorld_Step(world);
    int64_t tied = workOf(world);
    double most = 0;
    for (int k = 0; k < 60; k++) {
        snWorld_Step(world);
        if (k > 6) most = fmax(most, gapOf(&pair));
    }
    CHECK(workOf(world) == tied);
    CHECK(snWorld_Grab(world, &def, &other, NULL) == SN_OK); // the same once more: redundant
    for (int k = 0; k < 3; k++)
        snWorld_Step(world);
    CHECK(gapOf(&pair) < 1e-12 && !world->tales.data[0].conflicts);
    int third;
    CHECK(snWorld_Grab(world, &def, &third, NULL) == SN_ERROR_UNSUPPORTED); // two were reserved
    snWorld_Release(world, other);
    snWorld_Release(world, grab);
    for (int k = 0; k < 60; k++)
        snWorld_Step(world);
    printf(
        "    %lld solves and rows at first, %lld for a tie, none in 60 steps; %.1e m apart, %.2f m "
        "once it is let go\n",
        (long long)free, (long long)(tied - free), most, gapOf(&pair));
    CHECK(most < 1e-12 && gapOf(&pair) > 0.2 && tied > free && tied - free <= 8);
    CHECK(memory.count == before);
    for (int i = 0; i < 3; i++)
        CHECK(!world->tales.data[i].failures);
    snWorld_Destroy(world);
    CHECK(memory.alive == 0);
}

// The state has all of it: saved before, within and after a tie, on one thread and two.
static void theStateHasItAll(void)
{
    uint64_t hash[5];
    void *bytes[3] = {NULL, NULL, NULL};
    size_t size = 0;
    for (int i = 0; i < 5; i++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, i == 1 ? 2 : 1, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        Pair pair = makePair(&context, 1);
        int begin = i < 2 ? 0 : i - 2, grab = 0;
        size = snWorld_SaveSize(pair.world);
        if (i >= 2) CHECK(snWorld_Restore(pair.world, bytes[begin], size, NULL) == SN_OK);
        for (int k = 10 * begin; k < 40; k++) {
            if (i == 0 && k % 10 == 0 && k < 30)
                bytes[k / 10] = malloc(size), snWorld_Save(pair.world, bytes[k / 10]);
            snGrabDef def = tieOf(&pair);
            if (k == 5) CHECK(snWorld_Grab(pair.world, &def, &grab, NULL) == SN_OK);
            if (k == 15) snWorld_Release(pair.world, grab);
            if (k == 25) CHECK(snWorld_Grab(pair.world, &def, &grab, NULL) == SN_OK);
            if (k == 8) snWorld_Switch(pair.world, 0, false);
            if (k == 28) snWorld_Switch(pair.world, 0, true);
            snWorld_Step(pair.world);
        }
        hash[i] = snWorld_Hash(pair.world);
        snWorld_Destroy(pair.world);
        snThreadPool_Destroy(pool);
    }
    for (int i = 1; i < 5; i++)
        CHECK(hash[i] == hash[0]);
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

static void whatCannotBeIsRefused(void)
{
    snContext context = snDefaultContext();
    Pair pair = makePair(&context, 0);
    snGrabDef def = tieOf(&pair);
    snError error = {0};
    int grab;
    CHECK(snWorld_Grab(pair.world, &def, &grab, &error) == SN_ERROR_UNSUPPORTED && grab == -1);
    printf("    %s\n", error.message);
    snTieReserve ties = {0, 1, 1};
    CHECK(snWorld_ReserveTies(pair.world, &ties, NULL) == SN_ERROR_UNSUPPORTED); // joined already
    ties.other = 7;
    CHECK(snWorld_ReserveTies(pair.world, &ties, NULL) == SN_ERROR_ARGUMENT);
    def.other = 9;
    CHECK(snWorld_Grab(pair.world, &def, &grab, NULL) == SN_ERROR_ARGUMENT);
    def = tieOf(&pair);
    def.hard = false;
    def.stiffness = 1000;
    CHECK(snWorld_Grab(pair.world, &def, &grab, NULL) == SN_OK); // a spring between any bodies
    for (int k = 0; k < 20; k++)
        snWorld_Step(pair.world);
    CHECK(gapOf(&pair) < 0.3 &&
          snIsFinite3(snBody_Place(pair.world->bodies.data[1], pair.point[1])));
    def.stiffness = -1;
    CHECK(snWorld_Grab(pair.world, &def, &grab, NULL) == SN_ERROR_ARGUMENT);
    snAttachmentDef roll = snDefaultAttachmentDef();
    roll.preroll = -1;
    CHECK(snWorld_AddAttachment(pair.world, &roll, &grab, NULL) == SN_ERROR_ARGUMENT);
    roll.preroll = 0;
    pair.world->heldLeft = 1; // as if others had been added since bodies were joined
    CHECK(snWorld_AddAttachment(pair.world, &roll, &grab, NULL) == SN_OK);
    CHECK(snWorld_AddAttachment(pair.world, &roll, &grab, NULL) == SN_ERROR_UNSUPPORTED);
    snWorld_Destroy(pair.world);
}

int main(void)
{
    RUN(prerollsMeetTheirPaths);
    RUN(onsetsHaveTheVelocity);
    RUN(attachmentsAreSwitched);
    RUN(tiesComeAndGo);
    RUN(theStateHasItAll);
    RUN(whatCannotBeIsRefused);
    return snTest_Finish();
}
