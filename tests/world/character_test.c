// A rigged character as a body of a world: it moves as a bake has it, bumps into others, is tied to them, and all that
// holds worlds together (threads, saving, memory that runs out) holds for it.
#include "platform/threads.h"
#include "body/lattice/flesh_body_parts.h"
#include "tests/world/characters.h"

static Bumble soft, full;

static snWorld *makeWorld(const snContext *context, snVec3 gravity)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    def.gravity = gravity;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    return world;
}

static const snVec3 earth = {0, -9.81, 0};

// The same flesh stepped by hand, as a bake does it: the same bits, and the same surface to the rounding of floats.
static void movesAsBaked(void)
{
    for (int motion = 0; motion < 2; motion++) {
        Bumble *b = motion ? &full : &soft;
        const snCharacter *c = &b->character;
        snArena arena = snMakeArena(&b->context);
        snLatticeState *state = NULL;
        snFleshDriver driver;
        snPose pose;
        snWorld *world = makeWorld(&b->context, snVec(0, 0, 0));
        snFleshBodyDef def = bumbleDef(b, "hop");
        def.solid.apart = true;
        addBumble(world, &def, snVec(0, 0, 0));
        snBody *body = world->bodies.data[0];
        CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
        CHECK(snFleshDriver_Make(&driver, b->flesh, &arena, NULL) == SN_OK);
        CHECK(snLatticeState_Make(&state, b->flesh->model, 1, &b->context, NULL) == SN_OK);
        snVec3f *surface = SN_NEW(&arena, snVec3f, c->vertexCount);
        double worst = 0;
        for (int k = 0; k <= 100; k++) {
            const snClip *clip = &c->clips[def.clip];
            snCharacter_Pose(c, clip, clip->start + k * b->flesh->def.step, &pose);
            snLatticeDrive drive = snFlesh_Drive(b->flesh, &pose, &driver);
            if (k)
                snWorld_Step(world), CHECK(snFlesh_Step(b->flesh, state, &drive));
            else
                snLatticeState_Start(b->flesh->model, state, drive.rig, NULL);
        }
        snCharacter_Surface(c, &pose, &b->context.tasks, surface, NULL);
        snFlesh_AddSoft(b->flesh, state, &b->context.tasks, surface);
        for (int v = 0; v < c->vertexCount; v++)
            worst = fmax(worst, snDistance(snFromF(surface[v]), snBody_Vertex(body, v)));
        bool same = snLatticeState_Hash(state) == snLatticeState_Hash(((snSolidBody *)body)->state);
        printf("    %s motion: %s bits, surface within %.1e m\n", motion ? "full" : "secondary",
               same ? "the same" : "other", worst);
        CHECK(same && worst < 1e-6);
        snLatticeState_Destroy(state);
        snArena_Destroy(&arena);
        snWorld_Destroy(world);
    }
}

// Placed elsewhere and turned, it does the same there.
static void goesWhereItIsPut(void)
{
    snWorld *world = makeWorld(&soft.context, earth);
    snFleshBodyDef def = bumbleDef(&soft, "walk");
    def.travel = snVec(0.1, 0, 0.2);
    addBumble(world, &def, snVec(0, 0, 0));
    addBumble(world, &def, snVec(0, 0, 0));
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0)), snVec(3, 1, 2)};
    snBody_Put(world->bodies.data[1], &place);
    double worst = 0;
    for (int k = 0; k < 60; k++)
        snWorld_Step(world);
    for (int v = 0; v < world->bodies.data[0]->vertexCount; v++) {
        snVec3 moved = snAdd(snBody_Vertex(world->bodies.data[0], v), place.origin);
        worst = fmax(worst, snDistance(moved, snBody_Vertex(world->bodies.data[1], v)));
    }
    printf("    %.1e m\n", worst);
    CHECK(worst < 2e-6);
    snWorld_Destroy(world);
}

// A block stands in the way of a character that walks, by contacts that are exact on both sides.
static void knocksThingsOver(void)
{
    for (int motion = 0; motion < 2; motion++) {
        Bumble *b = motion ? &full : &soft;
        snWorld *world = makeWorld(&b->context, earth);
        snFleshBodyDef def = bumbleDef(b, "walk");
        BlockDef block = blockDef();
        def.travel = snVec(0, 0, 0.34);
        def.solid.meets = block.solid.meets = true;
        int bumble = addBumble(world, &def, snVec(0, 0, 0));
        block.n = 1, block.m = 4, block.k = 1;
        block.size = snVec(0.12, 1, 0.12);
        int tower = addBlock(world, &block, snVec(-0.06, 0, 0.95));
        snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
        int number;
        CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
        snError error = {0};
        if (!CHECK(snWorld_Join(world, &error) == SN_OK)) printf("    %s\n", error.message);
        snBodyMeasure before, after;
        snBody_Measure(world->bodies.data[tower], &before);
        double fastest = 0;
        for (int k = 0; k < 200; k++) {
            snWorld_Step(world);
            snBody_Measure(world->bodies.data[tower], &after);
            fastest = fmax(fastest, snLength(after.momentum) / after.mass);
        }
        printf("    %s: the block's middle from (%.2f, %.2f, %.2f) to (%.2f, %.2f, %.2f), at %.2f "
               "m/s at most; "
               "failures %d, %d\n",
               motion ? "full" : "secondary", before.center.x, before.center.y, before.center.z,
               after.center.x, after.center.y, after.center.z, fastest,
               world->tales.data[bumble].failures, world->tales.data[tower].failures);
        CHECK(after.center.z > before.center.z + 0.2 && after.center.y < 0.3 && fastest < 6);
        CHECK(!world->tales.data[bumble].failures && !world->tales.data[tower].failures);
        snWorld_Destroy(world);
    }
}

int main(void)
{
    makeBumble(&soft, 600, SN_MOTION_SECONDARY);
    makeBumble(&full, 600, SN_MOTION_FULL);
    RUN(movesAsBaked);
    RUN(goesWhereItIsPut);
    RUN(knocksThingsOver);
    freeBumble(&soft);
    freeBumble(&full);
    return snTest_Finish();
}
