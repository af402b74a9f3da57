// Bodies at rest are not stepped: they fall asleep on the floor, alone and in islands, and whatever happens to them wakes them. Who sleeps is part of
// the state: the same on any number of threads, and after restoring.
#include "platform/threads.h"
#include "tests/world/models.h"

static Bumble bumble;

static snWorld *newSleepy(const snContext *context)
{
    snWorldDef def = snDefaultWorldDef();
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    snWorld *world;
    int number;
    def.sleep = (snSleepDef){.still = 1e-3, .after = 0.25};
    floor.shape.friction = 0.5;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    return world;
}

static snBox boxOf(const snBody *body)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(body, v));
    return box;
}

static int add(snWorld *world, Model model, double x, double height)
{
    int number = addModel(world, model, &bumble, 1, snVec(x, 1, 0));
    snBody *body = world->bodies.data[number];
    snAffine down = {snIdentity3(), {0, height - boxOf(body).lower.y, 0}};
    snBody_Carry(body, &down);
    return number;
}

// Steps until all sleep, or some seconds have passed; returns how many.
static int stepToSleep(snWorld *world, double most)
{
    int k = 0;
    for (bool all = false; !all && k < most * 120; k++) {
        snWorld_Step(world);
        all = true;
        for (int i = 0; i < world->bodies.count; i++)
            all &= snWorld_Sleeps(world, i);
    }
    return k;
}

static void everyModelComesToRest(void)
{
    snContext context = snDefaultContext();
    for (Model model = 0; model < MODELS; model++) {
        // The skin of models.h has no damping and wobbles for ever; limp characters stay awake.
        if (model == SKIN || model == LIMP) continue;
        snWorld *world = newSleepy(&context);
        add(world, model, 0, 0.02);
        int steps = stepToSleep(world, 12);
        printf("%-8s sleeps after %.2f s\n", modelNames[model], steps / 120.0);
        CHECK(snWorld_Sleeps(world, 0));
        snBody *body = world->bodies.data[0];
        size_t size = snBody_SaveSize(body);
        void *a = malloc(size), *b = malloc(size);
        snBody_Save(body, a);
        for (int k = 0; k < 20; k++)
            snWorld_Step(world);
        snBody_Save(body, b);
        CHECK(!memcmp(a, b, size)); // nothing of it is touched
        free(a);
        free(b);
        snWorld_Destroy(world);
    }
}

static void isWokenBy(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newSleepy(&context);
    add(world, LATTICE, 0, 0.005);
    snBody *body = world->bodies.data[0];
    stepToSleep(world, 8);
    CHECK(snWorld_Sleeps(world, 0));
    // Another gravity.
    world->push = snVec(0, 1, 0);
    snWorld_Step(world);
    CHECK(!snWorld_Sleeps(world, 0));
    stepToSleep(world, 8);
    // A hand that takes it and lets go.
    snGrabDef def = {.body = 0, .spot = snVertexSpot(0), .stiffness = 10, .damping = 1};
    int grab = 0;
    CHECK(snWorld_Sleeps(world, 0) && snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    CHECK(!snWorld_Sleeps(world, 0));
    CHECK(stepToSleep(world, 1) == 120); // nobody sleeps in a hand
    snWorld_Release(world, grab);
    stepToSleep(world, 8);
    // A field, and its end.
    snFieldDef field = snDefaultFieldDef();
    int number;
    CHECK(snWorld_Sleeps(world, 0) && snWorld_AddField(world, &field, &number, NULL) == SN_OK);
    snWorld_Step(world);
    CHECK(!snWorld_Sleeps(world, 0));
    stepToSleep(world, 8);
    CHECK(snWorld_Sleeps(world, 0));
    // A blow.
    int point;
    CHECK(snBody_Locate(body, &def.spot, &point, NULL) == SN_OK);
    snStrike strike = {0, point, SN_WORLD_NOBODY, -1, {0, 3, 0}};
    snWorld_Strike(world, 1, &strike);
    CHECK(!snWorld_Sleeps(world, 0));
    stepToSleep(world, 8);
    // A collider that comes near, and one that is far.
    snWorldColliderDef ball = {.name = "ball", .shape = snMakeCollider(SN_COLLIDER_SPHERE)};
    ball.shape.radius = 0.1;
    ball.shape.end.origin = snVec(3, 0.1, 0);
    CHECK(snWorld_AddCollider(world, &ball, &number, NULL) == SN_OK);
    snAffine at = snIdentityAffine();
    for (int k = 1; k <= 30; k++) { // from 3 m to 1.5 m away
        at.origin.x = -0.05 * k;
        snWorld_Lead(world, number, &at);
        snWorld_Step(world);
        CHECK(snWorld_Sleeps(world, 0));
    }
    for (int k = 31; k <= 56; k++) {
        at.origin.x = -0.05 * k;
        snWorld_Lead(world, number, &at);
        snWorld_Step(world);
    }
    CHECK(!snWorld_Sleeps(world, 0));
    snBodyMeasure m;
    snBody_Measure(body, &m);
    CHECK(m.center.x < -0.01); // it was pushed
    snWorld_Destroy(world);
}

// Two that lie on each other sleep together; one that is thrown at them wakes both before it touches them.
static uint64_t playIsland(const snContext *context, bool restored)
{
    snWorld *world = newSleepy(context);
    add(world, LATTICE, 0, 0.003);
    add(world, POLY, 0.02, 0.21);
    add(world, COAT, 3, 0.003);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    int steps = stepToSleep(world, 15);
    bool all = snWorld_Sleeps(world, 0) && snWorld_Sleeps(world, 1) && snWorld_Sleeps(world, 2);
    if (!CHECK(all)) printf("  after %d steps\n", steps);
    if (restored) {
        void *saved = malloc(snWorld_SaveSize(world));
        uint64_t hash = snWorld_Hash(world);
        snWorld_Save(world, saved);
        snBody_SetVelocity(world->bodies.data[0], snVec(1, 1, 1), snVec(0, 0, 0));
        snWorld_Wake(world, 0);
        snWorld_Step(world);
        CHECK(snWorld_Hash(world) != hash);
        CHECK(snWorld_Restore(world, saved, snWorld_SaveSize(world), NULL) == SN_OK);
        CHECK(snWorld_Hash(world) == hash && snWorld_Sleeps(world, 1));
        free(saved);
    }
    snBody_SetVelocity(world->bodies.data[2], snVec(-6, 2, 0), snVec(0, 0, 0));
    snWorld_Wake(world, 2);
    int woke = 0;
    double gap = 0;
    for (int k = 0; k < 120; k++) {
        snWorld_Step(world);
        CHECK(snWorld_Sleeps(world, 0) == snWorld_Sleeps(world, 1));
        if (woke || snWorld_Sleeps(world, 0)) continue;
        woke = k;
        gap = boxOf(world->bodies.data[2]).lower.x - boxOf(world->bodies.data[0]).upper.x;
    }
    if (!restored) printf("woken at step %d, %.2f m before they meet\n", woke, gap);
    CHECK(woke > 10 && gap > 0 && gap < 0.2);
    uint64_t hash = snWorld_Hash(world);
    snWorld_Destroy(world);
    return hash;
}

static void islands(void)
{
    snContext one = snDefaultContext(), two = snDefaultContext();
    snThreadPool *threads;
    uint64_t hash = playIsland(&one, false);
    CHECK(playIsland(&one, true) == hash);
    CHECK(snThreadPool_Make(&threads, 2, NULL) == SN_OK);
    two.tasks = snThreadPool_Tasks(threads);
    CHECK(playIsland(&two, true) == hash);
    snThreadPool_Destroy(threads);
}

int main(void)
{
    makeBumble(&bumble, 150, SN_MOTION_SECONDARY);
    RUN(everyModelComesToRest);
    RUN(isWokenBy);
    RUN(islands);
    freeBumble(&bumble);
    return snTest_Finish();
}
