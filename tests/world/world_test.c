// Worlds: bodies that fall, are held, thrown, joined and grabbed; threads; saving; no allocation.
#include "platform/threads.h"
#include "tests/body/solids.h"
#include "tests/world/worlds.h"

#include <stdlib.h>
#include <string.h>

static int addFloor(snWorld *world, const snRouteDef *path)
{
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.5;
    floor.path = path;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    return number;
}

// Two blocks joined by a spring, one of them on a path, a moving floor, a throw, stiffness over time.
static snWorld *makeBusy(const snContext *context)
{
    static const double times[3] = {0, 0.1, 0.3};
    static const snVec3 places[3] = {{0, 0, 0}, {0.05, 0.02, 0}, {0, 0, 0}};
    static const snVec3 ways[3] = {{0.4, 0.6, 0.1}, {0.5, 0.7, 0.1}, {0.3, 0.6, 0.2}};
    static const double factors[3] = {1, 3, 0.5};
    snRouteDef path = {.count = 3, .times = times, .places = places};
    snRouteDef way = {.count = 3, .times = times, .places = ways};
    snWorld *world = makeWorld(context, snDefaultWorldDef().gravity);
    BlockDef def = blockDef();
    int a = addBlock(world, &def, snVec(0, 0.1, 0)), b = addBlock(world, &def, snVec(0.4, 0.4, 0));
    int number;
    addFloor(world, &path);
    snAttachmentDef attachment = snDefaultAttachmentDef();
    attachment.body = b;
    attachment.spot = snRestSpot(snVec(0, 0.2, 0.1));
    attachment.path = &way;
    attachment.from = 0.05;
    attachment.to = 0.25;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
    attachment = snDefaultAttachmentDef();
    attachment.body = a;
    attachment.spot = snVertexSpot(5);
    attachment.other = b;
    attachment.otherSpot = snVertexSpot(0);
    attachment.hard = false;
    attachment.stiffness = 300;
    attachment.damping = 2;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
    snThrowDef toss = {.body = a, .time = 0.2, .velocity = {1, 2, 0}, .spin = {0, 0, 4}};
    CHECK(snWorld_AddThrow(world, &toss, NULL) == SN_OK);
    CHECK(snWorld_SetStiffness(world, b, 3, times, factors, NULL) == SN_OK);
    return world;
}

static void threadsGiveTheSameBits(void)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, i + 1, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        snWorld *world = makeBusy(&context);
        for (int k = 0; k < 60; k++)
            snWorld_Step(world);
        hash[i] = snWorld_Hash(world);
        snWorld_Destroy(world);
        snThreadPool_Destroy(pool);
    }
    CHECK(hash[0] == hash[1]);
}

static void restoredWorldsGoOn(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeBusy(&context), *other = makeBusy(&context);
    int grab, second;
    snGrabDef def = {.body = 0, .spot = snVertexSpot(1), .hard = true};
    for (int k = 0; k < 18; k++)
        snWorld_Step(world);
    CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    def.hard = false;
    def.stiffness = 100;
    def.spot = snVertexSpot(2);
    CHECK(snWorld_Grab(world, &def, &second, NULL) == SN_OK);
    snWorld_Step(world);
    size_t size = snWorld_SaveSize(world);
    void *bytes = malloc(size);
    snWorld_Save(world, bytes);
    for (int k = 0; k < 30; k++)
        snWorld_Step(world);
    uint64_t hash = snWorld_Hash(world);
    CHECK(snWorld_Restore(world, bytes, size, NULL) == SN_OK);
    CHECK(snWorld_Restore(other, bytes, size, NULL) == SN_OK); // one that has not moved at all
    CHECK(snWorld_Hash(other) == snWorld_Hash(world));
    for (int k = 0; k < 30; k++)
        snWorld_Step(world), snWorld_Step(other);
    CHECK(snWorld_Hash(world) == hash && snWorld_Hash(other) == hash);
    CHECK(snWorld_Restore(world, bytes, size - 1, NULL) == SN_ERROR_FORMAT);
    free(bytes);
    snWorld_Destroy(world);
    snWorld_Destroy(other);
}

static void stepsAllocateNothing(void)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snWorld *world = makeBusy(&context);
    int before = memory.count;
    for (int k = 0; k < 60; k++)
        snWorld_Step(world);
    CHECK(memory.count == before);
    snWorld_Destroy(world);
    CHECK(memory.alive == 0);
}

// Two bodies joined by a stiff spring in free flight: momentum is kept, the spring holds.
static void joinedBodiesKeepMomentum(void)
{
    for (int i = 0; i < 3; i++) {
        const double stiffness[3] = {1e2, 1e4, 1e9};
        snContext context = snDefaultContext();
        snWorld *world = makeWorld(&context, snDefaultWorldDef().gravity);
        BlockDef def = blockDef();
        int a = addBlock(world, &def, snVec(0, 0, 0)), b = addBlock(world, &def, snVec(0.3, 0, 0));
        int number;
        world->def.gravity = snVec(0, 0, 0);
        snAttachmentDef spring = snDefaultAttachmentDef();
        spring.body = a;
        spring.spot = snRestSpot(snVec(0.3, 0.1, 0.1));
        spring.other = b;
        spring.otherSpot = snRestSpot(snVec(0, 0.1, 0.1));
        spring.hard = false;
        spring.stiffness = stiffness[i];
        CHECK(snWorld_AddAttachment(world, &spring, &number, NULL) == SN_OK);
        snThrowDef toss = {.body = a, .velocity = {-0.5, 0.3, 0}, .spin = {0, 1, 2}};
        CHECK(snWorld_AddThrow(world, &toss, NULL) == SN_OK);
        snWorld_Step(world);
        snWorldMeasure first, m;
        snWorld_Measure(world, &first);
        double scale = snLength(first.sum.momentum), drift = 0, energy = 0, apart = 0;
        for (int k = 0; k < 240; k++) {
            snWorld_Step(world);
            snWorld_Measure(world, &m);
            drift = fmax(drift, snDistance(m.sum.momentum, first.sum.momentum));
            energy = fmax(energy, m.sum.kinetic + m.sum.elastic);
            apart = fmax(apart, snDistance(snBody_Place(world->bodies.data[a], 0),
                                           snBody_Place(world->bodies.data[b], 0)));
        }
        printf("    %.0e N/m: momentum off by %.1e, apart by up to %.4f m, energy up to %.3f of "
               "%.3f J\n",
               stiffness[i], drift / scale, apart, energy, first.sum.kinetic);
        CHECK(drift < 1e-11 * scale && energy < 1.02 * first.sum.kinetic);
        CHECK(apart < (i ? 0.03 : 0.3));
        snWorld_Destroy(world);
    }
}

// A block dropped on the floor ends on it; the tale has how deep it went.
static void blocksLandOnTheFloor(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snDefaultWorldDef().gravity);
    BlockDef def = blockDef();
    def.young = 3e5;
    def.solid.drag = 2;
    int a = addBlock(world, &def, snVec(0, 0.6, 0));
    addFloor(world, NULL);
    for (int k = 0; k < 360; k++)
        snWorld_Step(world);
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    const snBodyTale *tale = &world->tales.data[a];
    printf("    centre at %.4f m, %.1e m deep, %.1e on the way at %.2f s, speed %.1e m/s\n",
           m.sum.center.y, tale->lastDeepest, tale->deepest, tale->deepestTime,
           sqrt(2 * m.sum.kinetic / m.sum.mass));
    CHECK(fabs(m.sum.center.y - 0.1) < 0.004 && tale->deepest < 0.02 && tale->lastDeepest < 1e-3);
    CHECK(tale->failures == 0 && 2 * m.sum.kinetic / m.sum.mass < 1e-10);
    snWorld_Destroy(world);
}

static void containersAreClosed(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snDefaultWorldDef().gravity);
    snContainerDef box = {.name = "box", .frame = {snIdentity3(), {1, 2, 3}}, .half = {1, 2, 3}};
    CHECK(snWorld_AddContainer(world, &box, NULL) == SN_OK && world->frame.count == 6);
    int walls = 0;
    for (int k = 0; k < 6; k++) {
        snTouch touch;
        CHECK(snCollider_Query(&world->frame.data[k], snVec(1, 2, 3), 10, &touch));
        CHECK(touch.distance > 0.99);
        CHECK(snCollider_Query(&world->frame.data[k], snVec(1.9, 3.9, 5.9), 10, &touch));
        walls += fabs(touch.distance - 0.1) < 1e-9;
    }
    CHECK(walls == 3);
    box.half.y = 0;
    CHECK(snWorld_AddContainer(world, &box, NULL) == SN_ERROR_ARGUMENT);
    snWorld_Destroy(world);
}

// A path that begins elsewhere is reached within the time that is given for it.
static void pathsAreEasedInto(void)
{
    static const double times[1] = {0};
    static const snVec3 places[1] = {{0.5, 0.5, 0.1}};
    snRouteDef path = {.count = 1, .times = times, .places = places};
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snDefaultWorldDef().gravity);
    BlockDef def = blockDef();
    snAttachmentDef a = snDefaultAttachmentDef();
    int number;
    a.body = addBlock(world, &def, snVec(0, 0, 0));
    a.spot = snRestSpot(snVec(0.15, 0.2, 0.1));
    a.path = &path;
    a.ease = 0.5;
    CHECK(snWorld_AddAttachment(world, &a, &number, NULL) == SN_OK);
    double fastest = 0;
    for (int k = 0; k < 61; k++) {
        snWorld_Step(world);
        fastest = fmax(fastest, snLength(snBody_Velocity(world->bodies.data[0], 0)));
    }
    CHECK_NEAR(snDistance(snBody_Place(world->bodies.data[0], 0), places[0]), 0, 1e-12);
    CHECK(fastest < 2 * 0.47 / 0.5);
    snWorld_Destroy(world);
}

static void handsTakeHold(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snDefaultWorldDef().gravity);
    BlockDef def = blockDef();
    int a = addBlock(world, &def, snVec(0, 0, 0)), b = addBlock(world, &def, snVec(1, 0, 0)), grab;
    snPick pick = snWorld_PickRay(world, snVec(1.1, 0.15, 5), snVec(0, 0, -2));
    CHECK(pick.body == b);
    CHECK_NEAR(snDistance(pick.place, snVec(1.1, 0.15, 0.2)), 0, 1e-12);
    CHECK_NEAR(pick.distance, 2.4, 1e-12);
    CHECK(snWorld_PickRay(world, snVec(3, 3, 3), snVec(1, 0, 0)).body == SN_WORLD_NOBODY);
    pick = snWorld_PickNear(world, snVec(-0.1, 0.1, 0.1), 0.2);
    CHECK(pick.body == a && fabs(pick.distance - 0.1) < 1e-12);
    CHECK(snWorld_PickNear(world, snVec(-0.1, 0.1, 0.1), 0.05).body == SN_WORLD_NOBODY);
    snGrabDef hold = {.body = a, .spot = pick.spot, .hard = true};
    CHECK(snWorld_Grab(world, &hold, &grab, NULL) == SN_OK);
    for (int k = 1; k <= 60; k++) {
        snVec3 target = snAdd(pick.place, snVec(0, 0.005 * k, 0));
        snWorld_MoveGrab(world, grab, target);
        snWorld_Step(world);
        CHECK(snDistance(snBody_Place(world->bodies.data[a], world->grabs[grab].point), target) <
              1e-12);
    }
    snWorld_Release(world, grab);
    snWorld_Release(world, grab); // again: nothing
    snWorld_MoveGrab(world, grab, snVec(0, 0, 0));
    snWorld_Step(world);
    hold.body = 7;
    CHECK(snWorld_Grab(world, &hold, &grab, NULL) == SN_ERROR_ARGUMENT);
    snWorld_Destroy(world);
}

static void badThingsAreRefused(void)
{
    snContext context = snDefaultContext();
    snWorldDef bad = snDefaultWorldDef();
    snWorld *world;
    int number;
    bad.step = 0;
    CHECK(snWorld_Make(&world, &bad, &context, NULL) == SN_ERROR_ARGUMENT && !world);
    world = makeWorld(&context, snDefaultWorldDef().gravity);
    BlockDef def = blockDef();
    int a = addBlock(world, &def, snVec(0, 0, 0));
    CHECK(a == 0 && snWorld_FindBody(world, "body") == 0 &&
          snWorld_FindBody(world, "other") == SN_WORLD_NOBODY);
    def.solid.step = 1.0 / 60;
    CHECK(snWorld_AddBody(world, newBlock(&def, &context, NULL), &number, NULL) ==
          SN_ERROR_ARGUMENT);
    snAttachmentDef attachment = snDefaultAttachmentDef();
    attachment.body = 3;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_ERROR_ARGUMENT);
    attachment.body = attachment.other = 0; // it was not made to be tied
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_ERROR_UNSUPPORTED);
    attachment = snDefaultAttachmentDef();
    attachment.from = 2;
    attachment.to = 1;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_ERROR_ARGUMENT);
    snThrowDef toss = {.body = 0, .velocity = {NAN, 0, 0}};
    CHECK(snWorld_AddThrow(world, &toss, NULL) == SN_ERROR_ARGUMENT);
    double time = 0, factor = -1;
    CHECK(snWorld_SetStiffness(world, 0, 1, &time, &factor, NULL) == SN_ERROR_ARGUMENT);
    snWorldColliderDef ball = {.name = "ball", .shape = snMakeCollider(SN_COLLIDER_SPHERE)};
    ball.shape.radius = -1;
    CHECK(snWorld_AddCollider(world, &ball, &number, NULL) == SN_ERROR_ARGUMENT);
    snWorld_Destroy(world);
    snWorld_Destroy(NULL);
}

int main(void)
{
    RUN(threadsGiveTheSameBits);
    RUN(restoredWorldsGoOn);
    RUN(stepsAllocateNothing);
    RUN(joinedBodiesKeepMomentum);
    RUN(blocksLandOnTheFloor);
    RUN(containersAreClosed);
    RUN(pathsAreEasedInto);
    RUN(handsTakeHold);
    RUN(badThingsAreRefused);
    return snTest_Finish();
}
