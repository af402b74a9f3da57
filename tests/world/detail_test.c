// Levels of detail of solids and characters: what they save, how they come and go without jumps, that they are state and are recorded.
#include "body/lattice/solid_parts.h"
#include "platform/threads.h"
#include "tests/world/models.h"
#include "world/pace.h"
#include "world/recording.h"

#include <time.h>

static Bumble bumble, limp;

static snBody *newCharacter(bool slack, const snContext *context)
{
    snFleshBodyDef def = bumbleDef(slack ? &limp : &bumble, "shake");
    snFleshSkeleton skeleton = snDefaultFleshSkeleton();
    snBody *body = NULL;
    if (slack) def.skeleton = &skeleton;
    def.loop = true;
    def.solid.meets = true;
    def.solid.detail = true;
    CHECK(snFleshBody_Make(&body, &def, context, NULL) == SN_OK);
    return body;
}

static snWorld *newStage(snBody *(*make)(bool, const snContext *), bool which,
                         const snContext *context)
{
    snWorld *world = newWorld(context, 9.81);
    int number;
    CHECK(snWorld_AddBody(world, make(which, context), &number, NULL) == SN_OK);
    return world;
}

static void step(snWorld *world, int count)
{
    for (int k = 0; k < count; k++)
        snWorld_Step(world);
}

// How far flesh is from its rig, at most.
static double beyondRig(const snBody *body)
{
    const snSolidBody *solid = (const snSolidBody *)body;
    double most = 0;
    for (int i = 0; i < solid->model->vertexCount; i++)
        most =
            fmax(most, snDistance(snRow(solid->state->position, i), snRow(solid->state->rig, i)));
    return most;
}

// How far a surface goes in a step, at most.
static double stepLength(snWorld *world, snVec3 *before)
{
    const snBody *body = world->bodies.data[0];
    double most = 0;
    for (int v = 0; v < body->vertexCount; v++)
        before[v] = snBody_Vertex(body, v);
    snWorld_Step(world);
    for (int v = 0; v < body->vertexCount; v++)
        most = fmax(most, snDistance(before[v], snBody_Vertex(body, v)));
    return most;
}

// Out to the rig and back while the head is shaken: no step is longer than those of one that stays.
static void toTheRigAndBack(void)
{
    snContext context = snDefaultContext();
    snWorld *stays = newStage(newCharacter, false, &context);
    snWorld *goes = newStage(newCharacter, false, &context);
    snBody *body = goes->bodies.data[0];
    snVec3 *before = malloc((size_t)body->vertexCount * sizeof *before);
    double longest[2] = {0, 0}, off[4] = {0};
    CHECK(body->levelCount == 3);
    for (int k = 0; k < 240; k++) {
        if (k == 60) snWorld_SetBodyLevel(goes, 0, 2);
        if (k == 120) snWorld_SetBodyLevel(goes, 0, 0);
        longest[0] = fmax(longest[0], stepLength(stays, before));
        longest[1] = fmax(longest[1], stepLength(goes, before));
        if (k >= 76 && k < 120) off[0] = fmax(off[0], beyondRig(body));
        if (k > 60 && k < 75) off[1] = fmax(off[1], beyondRig(body));
        if (k >= 140) off[2] = fmax(off[2], beyondRig(body));
        off[3] = fmax(off[3], beyondRig(stays->bodies.data[0]));
    }
    printf("flesh beyond the rig: %.3f m at most, %.3f while it fades, %.1e there, %.3f back; "
           "longest step %.4f m, %.4f\n",
           off[3], off[1], off[0], off[2], longest[0], longest[1]);
    CHECK(off[0] == 0 && off[1] > 0.1 * off[3] && off[2] > 0.5 * off[3]);
    CHECK(longest[1] < 1.1 * longest[0]);
    free(before);
    snWorld_Destroy(stays);
    snWorld_Destroy(goes);
}

// On its rig it is where skinning has it.
static void isWhereTheRigHasIt(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snWorld *world = newStage(newCharacter, false, &context);
    const snCharacter *c = &bumble.character;
    const snClip *clip = &c->clips[clipOf(&bumble, "shake")];
    snVec3f *skinned = SN_NEW(&arena, snVec3f, c->vertexCount);
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    snWorld_SetLevel(world, 9);
    step(world, 40);
    snCharacter_Pose(c, clip, clip->start + 40 / 120.0, &pose);
    snCharacter_Surface(c, &pose, &context.tasks, skinned, NULL);
    double off = 0;
    for (int v = 0; v < c->vertexCount; v++)
        off = fmax(off, snDistance(snFromF(skinned[v]), snBody_Vertex(world->bodies.data[0], v)));
    printf("on its rig: %.1e m from where skinning has it\n", off);
    CHECK(off < 1e-9);
    snWorld_Destroy(world);
    snArena_Destroy(&arena);
}

// Whoever looks at it changes nothing: what is drawn on the rig is found when it is asked for.
static void lookingChangesNothing(void)
{
    snContext context = snDefaultContext();
    snWorld *seen = newStage(newCharacter, false, &context);
    snWorld *unseen = newStage(newCharacter, false, &context);
    snBody *body = seen->bodies.data[0];
    snVec3 *before = malloc((size_t)body->vertexCount * sizeof *before);
    snAffine motion = {snIdentity3(), {1, 0, 0}};
    for (int k = 0; k < 80; k++) {
        if (k == 10) snWorld_SetLevel(seen, 2), snWorld_SetLevel(unseen, 2);
        if (k == 60) snWorld_SetLevel(seen, 0), snWorld_SetLevel(unseen, 0);
        if (k == 40) snWorld_Carry(seen, 0, &motion), snWorld_Carry(unseen, 0, &motion);
        stepLength(seen, before);
        snWorld_Step(unseen);
        if (k % 7 == 0) CHECK(snWorld_Hash(seen) == snWorld_Hash(unseen));
    }
    for (int v = 0; v < body->vertexCount; v++)
        CHECK(snDistance(snBody_Vertex(body, v), snBody_Vertex(unseen->bodies.data[0], v)) == 0);
    free(before);
    snWorld_Destroy(seen);
    snWorld_Destroy(unseen);
}

// It sleeps on its rig as its clip stands still, and goes on from there.
static void sleepsOnItsRig(void)
{
    snContext context = snDefaultContext();
    snWorldDef def = snDefaultWorldDef();
    snFleshBodyDef still = bumbleDef(&bumble, "shake");
    snWorld *world;
    def.sleep = (snSleepDef){.still = 1e-3, .after = 0.25};
    still.loop = false;
    still.solid.detail = true;
    CHECK(snWorld_Make(&world, &def, &context, NULL) == SN_OK);
    addBumble(world, &still, snVec(0, 0, 0));
    snWorld_SetLevel(world, 2);
    double end = bumble.character.clips[still.clip].duration;
    for (int k = 0; k < end * 120 - 1; k++) {
        snWorld_Step(world);
        CHECK(!snWorld_Sleeps(world, 0));
    }
    step(world, 40);
    CHECK(snWorld_Sleeps(world, 0) && beyondRig(world->bodies.data[0]) == 0);
    snWorld_SetLevel(world, 0);
    step(world, 10);
    CHECK(snWorld_Sleeps(world, 0)); // there is nothing to wake for
    snWorld_Destroy(world);
}

// ---- solids -------------------------------------------------------------------------------------

static snBody *newBall(bool adaptive, const snContext *context)
{
    BlockDef def = blockDef();
    def.n = 4, def.m = def.k = 3;
    def.young = 3e4;
    def.solid.detail = true;
    def.solid.meets = true;
    if (!adaptive) return newBlock(&def, context, NULL);
    snArena arena = snMakeArena(context);
    snLattice lattice = makeBlock(BLOCK_HEXES, 2, 1, 1, def.size, &arena);
    snSolidDef smooth = snDefaultSolidDef();
    snBody *body = NULL;
    smooth.lattice = &lattice;
    smooth.young = 2e4;
    smooth.nodeLevel = 2;
    smooth.levels = 1;
    smooth.mostActive = 100;
    def.solid.adapt.error = 1e-4;
    CHECK(snSolid_Build(&def.solid.solid, &smooth, context, NULL) == SN_OK);
    snSolidBody_Make(&body, &def.solid, context, NULL);
    snArena_Destroy(&arena);
    return body;
}

// In the air momentum stays whatever the level; on the floor it comes to lie where the finer one does.
static void solidsGoCoarse(void)
{
    snContext context = snDefaultContext();
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    double heights[2];
    floor.shape.end.origin = snVec(0, -0.6, 0);
    floor.shape.friction = 0.5;
    for (int level = 0; level < 2; level++) {
        snWorld *world = newStage(newBall, false, &context);
        snBody *body = world->bodies.data[0];
        snBodyMeasure was, is;
        int number;
        CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
        CHECK(body->levelCount == 2);
        snBody_SetVelocity(body, snVec(0.4, 1, 0), snVec(3, 0, 2));
        step(world, 10);
        snBody_Measure(body, &was);
        snWorld_SetLevel(world, level);
        step(world, 20);
        snBody_Measure(body, &is);
        snVec3 wanted = snAdd(was.momentum, snVec(0, -9.81 * 20 / 120 * is.mass, 0));
        CHECK(snDistance(is.momentum, wanted) < 1e-11 * is.mass);
        CHECK(is.kinetic + is.elastic < 1.5 * (was.kinetic + was.elastic) + 9.81 * is.mass);
        step(world, 360);
        snBody_Measure(body, &is);
        heights[level] = is.center.y;
        CHECK(world->tales.data[0].failures == 0 && is.kinetic < 1e-3);
        snWorld_Destroy(world);
    }
    printf("at rest %.4f m high, coarse %.4f\n", heights[0], heights[1]);
    CHECK(fabs(heights[0] - heights[1]) < 0.003);
}

// Finer functions go, and come back.
static void functionsGo(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newStage(newBall, true, &context);
    snGrabDef hand = {.body = 0, .spot = snVertexSpot(0), .hard = true};
    snVec3 *before = malloc((size_t)world->bodies.data[0]->vertexCount * sizeof *before);
    int grab, counts[3];
    double most[2] = {0, 0};
    CHECK(snWorld_Grab(world, &hand, &grab, NULL) == SN_OK);
    for (int k = 0; k < 3; k++) {
        snWorld_SetLevel(world, k == 1);
        for (int n = 0; n < 60; n++)
            most[k == 1] = fmax(most[k == 1], stepLength(world, before));
        counts[k] = world->reports.data[0].functions;
    }
    printf("functions: %d, coarse %d, fine again %d; longest step %.4f and %.4f m\n", counts[0],
           counts[1], counts[2], most[0], most[1]);
    CHECK(counts[0] > 20 && counts[1] < counts[0] && counts[2] > counts[1]);
    CHECK(most[1] < 1.5 * most[0]);
    free(before);
    snWorld_Destroy(world);
}

// ---- state and recordings -------------------------------------------------------------------------

static snWorld *newCrew(const snContext *context)
{
    snWorld *world = newWorld(context, 9.81);
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.5;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    CHECK(snWorld_AddBody(world, newCharacter(false, context), &number, NULL) == SN_OK);
    snBody *ball = newBall(false, context), *slack = newCharacter(true, context);
    snAffine place = {snIdentity3(), {0.1, 1.6, 0}};
    snBody_Put(ball, &place);
    place.origin = snVec(3, 0.01, 0);
    snBody_Put(slack, &place);
    CHECK(snWorld_AddBody(world, ball, &number, NULL) == SN_OK);
    CHECK(snWorld_AddBody(world, slack, &number, NULL) == SN_OK);
    CHECK(slack->levelCount == 2);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    return world;
}

static void levelsAreRecorded(void)
{
    snContext one = snDefaultContext(), two = snDefaultContext();
    snThreadPool *threads;
    CHECK(snThreadPool_Make(&threads, 2, NULL) == SN_OK);
    two.tasks = snThreadPool_Tasks(threads);
    snWorld *world = newCrew(&one);
    snRecorder recorder = snMakeRecorder(&one);
    snRecorder_Begin(&recorder, world);
    void *saved = NULL;
    for (int k = 0; k < 50; k++) {
        if (k == 5) snRecorder_SetBodyLevel(&recorder, world, 0, 2);
        if (k == 10) snRecorder_SetLevel(&recorder, world, 1);
        if (k == 15) snRecorder_SetBodyLevel(&recorder, world, 0, 2);
        if (k == 38) snRecorder_SetLevel(&recorder, world, 0);
        if (k == 30) { // there and back in between
            snWorld_Save(world, saved = malloc(snWorld_SaveSize(world)));
            snWorld_SetLevel(world, 0);
            step(world, 3);
            CHECK(snWorld_Restore(world, saved, snWorld_SaveSize(world), NULL) == SN_OK);
            free(saved);
        }
        snRecorder_Advance(&recorder, world, 1);
        CHECK(world->reports.data[0].failed == 0);
    }
    CHECK(snRecorder_End(&recorder, world, NULL) == SN_OK);
    uint64_t hash = snWorld_Hash(world);
    snWorld_Destroy(world);
    for (int k = 0; k < 2; k++) {
        snReplay replay;
        snError error = {0};
        int ticks;
        world = newCrew(k ? &two : &one);
        CHECK(snReplay_Open(&replay, recorder.bytes.data, recorder.bytes.size, NULL) == SN_OK);
        CHECK(replay.levelCount == 3 && snReplay_Check(&replay, world, NULL) == SN_OK);
        snStatus status = SN_OK;
        while (!(status = snReplay_Next(&replay, world, &ticks, &error)) && ticks)
            snWorld_Advance(world, ticks);
        if (!CHECK(status == SN_OK)) printf("%s\n", error.message);
        CHECK(snWorld_Hash(world) == hash);
        snWorld_Destroy(world);
    }
    snRecorder_Destroy(&recorder);
    snThreadPool_Destroy(threads);
}

// Where a point of it is held it does not stay on its rig.
static void handsReachItAnywhere(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newStage(newCharacter, false, &context);
    snGrabDef hand = {.body = 0, .spot = snVertexSpot(40), .stiffness = 4000, .damping = 100};
    int grab;
    snWorld_SetLevel(world, 2);
    step(world, 30);
    CHECK(beyondRig(world->bodies.data[0]) == 0);
    CHECK(snWorld_Grab(world, &hand, &grab, NULL) == SN_OK);
    snVec3 at = snBody_Vertex(world->bodies.data[0], 40);
    snWorld_MoveGrab(world, grab, snAdd(at, snVec(0, 0.2, 0)));
    step(world, 30);
    CHECK(beyondRig(world->bodies.data[0]) > 0.01);
    snWorld_Release(world, grab);
    step(world, 30);
    CHECK(beyondRig(world->bodies.data[0]) == 0);
    snWorld_Destroy(world);
}

// What steps take, beside those of level 0; for reading alone.
static void costs(void)
{
    snContext context = snDefaultContext();
    for (int k = 0; k < 3; k++) {
        double took[3] = {0};
        int levels = 0;
        for (int level = 0; level < 3; level++) {
            snWorld *world =
                k < 2 ? newStage(newCharacter, k, &context) : newStage(newBall, false, &context);
            levels = world->bodies.data[0]->levelCount;
            if (level < levels) {
                snWorld_SetLevel(world, level);
                step(world, 20);
                clock_t begin = clock();
                step(world, 60);
                took[level] = (double)(clock() - begin);
            }
            snWorld_Destroy(world);
        }
        printf("%s:", k == 0 ? "a led character" : k == 1 ? "a limp one" : "a solid");
        for (int level = 1; level < levels; level++)
            printf(" %.2f of the time at level %d", took[level] / took[0], level);
        printf("\n");
        CHECK(levels == (k ? 2 : 3));
    }
}

int main(void)
{
    makeBumble(&bumble, 300, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(toTheRigAndBack);
    RUN(isWhereTheRigHasIt);
    RUN(lookingChangesNothing);
    RUN(sleepsOnItsRig);
    RUN(solidsGoCoarse);
    RUN(functionsGo);
    RUN(levelsAreRecorded);
    RUN(handsReachItAnywhere);
    RUN(costs);
    freeBumble(&limp);
    freeBumble(&bumble);
    return snTest_Finish();
}
