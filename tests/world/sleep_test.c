// Bodies at rest are not stepped: they fall asleep on the floor, alone and in islands, and whatever happens to them wakes them. Who sleeps is part of
// the state: the same on any number of threads, and after restoring.
#include "platform/threads.h"
#include "tests/world/models.h"

static Bumble bumble, limp;

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

static int add(snWorld *world, Model model, double x, double height)
{
    int number = addModel(world, model, model == LIMP ? &limp : &bumble, 1, snVec(x, 1, 0));
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
        // The skin of models.h has no damping and wobbles for ever.
        if (model == SKIN) continue;
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

// A pile of two sleeps while a third one of the same model, three metres away, jumps: nothing of them is touched, and it goes the way that it goes in a
// world of its own, by the same bits.
static uint64_t playApart(Model model, const snContext *context, bool restored)
{
    snWorld *world = newSleepy(context), *lone = newSleepy(context);
    add(world, model, 0, 0.003);
    add(world, model, 0.02, model == COAT ? 0.12 : 0.21);
    add(world, model, 3, 0.003);
    add(lone, model, 3, 0.003);
    CHECK(snWorld_Join(world, NULL) == SN_OK && snWorld_Join(lone, NULL) == SN_OK);
    stepToSleep(world, 15);
    if (!CHECK(snWorld_Sleeps(world, 0) && snWorld_Sleeps(world, 2)))
        printf("  %s\n", modelNames[model]);
    size_t size = snBody_SaveSize(world->bodies.data[2]);
    void *bytes = malloc(size), *before[2], *after = malloc(size);
    snBody_Save(world->bodies.data[2], bytes);
    CHECK(snBody_Restore(lone->bodies.data[0], bytes, NULL) == SN_OK);
    for (int i = 0; i < 2; i++)
        snBody_Save(world->bodies.data[i], before[i] = malloc(size));
    snBody_SetVelocity(world->bodies.data[2], snVec(0.3, 2, 0), snVec(0, 0, 1));
    snBody_SetVelocity(lone->bodies.data[0], snVec(0.3, 2, 0), snVec(0, 0, 1));
    snWorld_Wake(world, 2);
    snBodyMeasure m = {0};
    for (int k = 0; k < 90; k++) {
        if (k == 30 && restored) {
            void *all = malloc(snWorld_SaveSize(world));
            snWorld_Save(world, all);
            for (int i = 0; i < 3; i++) {
                snBody_SetVelocity(world->bodies.data[i], snVec(1, 1, 1), snVec(0, 0, 0));
                snWorld_Wake(world, i);
            }
            for (int i = 0; i < 5; i++)
                snWorld_Step(world);
            CHECK(snWorld_Restore(world, all, snWorld_SaveSize(world), NULL) == SN_OK);
            free(all);
        }
        snWorld_Step(world);
        snWorld_Step(lone);
        CHECK(snWorld_Sleeps(world, 0) && snWorld_Sleeps(world, 1) && !snWorld_Sleeps(world, 2));
        if (k != 10 && k != 20) continue; // in the air
        snVec3 was = m.momentum;
        snBody_Measure(world->bodies.data[2], &m);
        CHECK(k == 10 || snDistance(m.momentum, snAdd(was, snVec(0, -m.mass * 9.81 / 12, 0))) <
                             1e-11 * m.mass);
    }
    for (int i = 0; i < 2; i++) {
        snBody_Save(world->bodies.data[i], after);
        CHECK(!memcmp(before[i], after, size));
        free(before[i]);
    }
    for (int v = 0; v < lone->bodies.data[0]->vertexCount; v++)
        CHECK(snDistance(snBody_Vertex(lone->bodies.data[0], v),
                         snBody_Vertex(world->bodies.data[2], v)) == 0);
    uint64_t hash = snWorld_Hash(world);
    free(bytes);
    free(after);
    snWorld_Destroy(world);
    snWorld_Destroy(lone);
    return hash;
}

static void othersOfTheGroupMove(void)
{
    snContext one = snDefaultContext(), two = snDefaultContext();
    snThreadPool *threads;
    CHECK(snThreadPool_Make(&threads, 2, NULL) == SN_OK);
    two.tasks = snThreadPool_Tasks(threads);
    Model models[3] = {LATTICE, POLY, COAT};
    for (int k = 0; k < 3; k++) {
        uint64_t hash = playApart(models[k], &one, false);
        CHECK(playApart(models[k], &one, true) == hash);
        CHECK(playApart(models[k], &two, true) == hash);
    }
    snThreadPool_Destroy(threads);
}

// Ties hold bodies together, wherever they are; the first of those that may be tied sleeps while others hang on each other.
static void tiedOnes(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newSleepy(&context);
    for (int k = 0; k < 3; k++)
        add(world, LATTICE, 1.5 * k, 0.003);
    snAttachmentDef tie = snDefaultAttachmentDef();
    int number[2];
    for (int k = 0; k < 2; k++) { // of the first to the second, never; of the second to the third
        tie.body = k;
        tie.other = k + 1;
        tie.spot = tie.otherSpot = snVertexSpot(0);
        tie.hard = k == 1;
        tie.stiffness = 100;
        tie.from = k ? 4 : 100;
        tie.to = k ? 4.5 : 101;
        tie.ease = 0.4;
        CHECK(snWorld_AddAttachment(world, &tie, &number[k], NULL) == SN_OK);
    }
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    while (snWorld_Time(world) < 3.9)
        snWorld_Step(world);
    for (int k = 0; k < 3; k++)
        CHECK(snWorld_Sleeps(world, k));
    while (snWorld_Time(world) < 4.3)
        snWorld_Step(world);
    CHECK(snWorld_Sleeps(world, 0) && !snWorld_Sleeps(world, 1) && !snWorld_Sleeps(world, 2));
    snBodyMeasure m;
    snBody_Measure(world->bodies.data[2], &m);
    printf("drawn to %.2f m\n", m.center.x);
    CHECK(m.center.x < 2.9);
    CHECK(world->tales.data[1].failures + world->tales.data[2].failures == 0);
    stepToSleep(world, 8);
    CHECK(snWorld_Sleeps(world, 0) && snWorld_Sleeps(world, 1) && snWorld_Sleeps(world, 2));
    snWorld_Destroy(world);
}

// Under the head of one that plays its clip: in its box, and out of its reach.
static void sleepsUnderAnother(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newSleepy(&context);
    snFleshBodyDef def = bumbleDef(&bumble, "look");
    BlockDef block = blockDef();
    def.solid.meets = true;
    def.loop = true;
    int giant = addBumble(world, &def, snVec(0, 0, 0));
    block.n = block.m = block.k = 1;
    block.size = snVec(0.06, 0.06, 0.06);
    block.solid.name = "block";
    block.solid.meets = true;
    snBox box = boxOf(world->bodies.data[giant]);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    int small = addBlock(world, &block, snVec(middle.x - 0.03, 0.001, middle.z + 0.48));
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    CHECK(snBox_Contains(box, snVec(middle.x, 0.05, middle.z + 0.5)));
    for (int k = 0; k < 240; k++)
        snWorld_Step(world);
    CHECK(snWorld_Sleeps(world, small) && !snWorld_Sleeps(world, giant));
    snWorld_Destroy(world);
}

int main(void)
{
    makeBumble(&bumble, 150, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(everyModelComesToRest);
    RUN(isWokenBy);
    RUN(islands);
    RUN(othersOfTheGroupMove);
    RUN(tiedOnes);
    RUN(sleepsUnderAnother);
    freeBumble(&limp);
    freeBumble(&bumble);
    return snTest_Finish();
}
