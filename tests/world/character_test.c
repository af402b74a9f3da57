// A rigged character as a body of a world: it moves as a bake has it, bumps into others, is tied to them, and all that
// holds worlds together (threads, saving) holds for it.
#include "platform/threads.h"
#include "body/lattice/flesh_body_parts.h"
#include "tests/world/characters.h"

static Bumble soft, full;

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
        double worst = 0, beyond = 0;
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
        for (int v = 0; v < c->parts[0].vertexCount; v++) // of the body
            beyond = fmax(beyond, snLength(((snSolidBody *)body)->drawn.offset[1][v]));
        bool same = snLatticeState_Hash(state) == snLatticeState_Hash(((snSolidBody *)body)->state);
        printf("    %s motion: %s bits, surface within %.1e m; drawn up to %.4f m beyond the "
               "lattice\n",
               motion ? "full" : "secondary", same ? "the same" : "other", worst, beyond);
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

// ---- the hook that grabs a character by its ear -------------------------------------------------

static const snVec3 earTip = {0.49, 0.95, 0.42};

typedef struct Hooked {
    snWorld *world;
    int bumble, hook, ear;
    snVec3 rest; // of the ear
} Hooked;

// A block hangs at the ear, by a point in the middle of its top. With `along` its other end goes up along a path.
static Hooked makeHooked(const snContext *context, double size, bool along)
{
    Hooked h = {.world = makeWorld(context, earth)};
    snFleshBodyDef def = bumbleDef(&soft, NULL);
    BlockDef block = blockDef();
    int number;
    def.solid.tied = block.solid.tied = true;
    def.solid.meets = block.solid.meets = along;
    block.size = snVec(size, size, size);
    block.n = block.m = block.k = 1;
    block.young = 1e6;
    block.solid.drag = along ? 0 : 4;
    h.bumble = addBumble(h.world, &def, snVec(0, 0, 0));
    h.ear = surfacePoint(h.world, h.bumble, earTip);
    h.rest = snBody_Place(h.world->bodies.data[h.bumble], h.ear);
    snVec3 corner = snSub(h.rest, snVec(0.5 * size, along ? 0 : size, 0.5 * size));
    h.hook = addBlock(h.world, &block, corner);
    snAttachmentDef tie = snDefaultAttachmentDef();
    tie.body = h.bumble;
    tie.spot = snWorld_PickNearOf(h.world, h.bumble, earTip).spot;
    tie.other = h.hook;
    tie.otherSpot = snRestSpot(snVec(0.5 * size, along ? 0 : size, 0.5 * size));
    CHECK(snWorld_AddAttachment(h.world, &tie, &number, NULL) == SN_OK);
    if (along) {
        double times[2] = {0, 1};
        snVec3 places[2] = {snAdd(h.rest, snVec(0, size, 0)),
                            snAdd(h.rest, snVec(0.05, size + 0.15, 0))};
        snRouteDef route = {.count = 2, .times = times, .places = places};
        snAttachmentDef hand = snDefaultAttachmentDef();
        hand.body = h.hook;
        hand.spot = snRestSpot(snVec(0.5 * size, size, 0.5 * size));
        hand.path = &route;
        CHECK(snWorld_AddAttachment(h.world, &hand, &number, NULL) == SN_OK);
    }
    snError error = {0};
    if (!CHECK(snWorld_Join(h.world, &error) == SN_OK)) printf("    %s\n", error.message), exit(1);
    return h;
}

static double gapOf(const Hooked *h)
{
    const snAttachment *a = &h->world->attachments.data[0];
    return snDistance(snBody_Place(h->world->bodies.data[h->bumble], a->point),
                      snBody_Place(h->world->bodies.data[h->hook], a->otherPoint));
}

static void hooksPullEars(void)
{
    Hooked h = makeHooked(&soft.context, 0.06, true);
    double gap = 0;
    for (int k = 0; k < 240; k++) {
        snWorld_Step(h.world);
        if (k > 20) gap = fmax(gap, gapOf(&h));
    }
    snVec3 ear = snBody_Place(h.world->bodies.data[h.bumble], h.ear);
    double size = ((snSolidBody *)h.world->bodies.data[h.bumble])->surface.size;
    printf("    the ear's tip is %.3f m higher, tied within %.1e of the size\n", ear.y - h.rest.y,
           gap / size);
    CHECK(gap < 1e-6 * size && ear.y > h.rest.y + 0.08);
    for (int i = 0; i < 2; i++)
        CHECK(!h.world->tales.data[i].failures && !h.world->tales.data[i].conflicts);
    snWorld_Destroy(h.world);
}

// What hangs at the ear pulls it as its weight does that is pushed at the point instead: what one gets the other gives.
static void weightsArriveInFlesh(void)
{
    Hooked h = makeHooked(&soft.context, 0.1, false);
    snBodyMeasure m;
    snBody_Measure(h.world->bodies.data[h.hook], &m);
    for (int k = 0; k < 360; k++)
        snWorld_Step(h.world);
    snBody *body = h.world->bodies.data[h.bumble];
    snVec3 hung = snSub(snBody_Place(body, h.ear), h.rest);
    snBody_Measure(h.world->bodies.data[h.hook], &m);
    double speed = snLength(m.momentum) / m.mass;
    snWorld_Destroy(h.world);
    snWorld *alone = makeWorld(&soft.context, earth);
    snFleshBodyDef def = bumbleDef(&soft, NULL);
    addBumble(alone, &def, snVec(0, 0, 0));
    body = alone->bodies.data[0];
    int ear = surfacePoint(alone, 0, earTip);
    for (int k = 0; k < 360; k++) {
        snBodyStep step = {.length = alone->def.step, .gravity = earth, .stiffness = 1};
        snBodyReport report;
        snBody_Begin(body, &step);
        snBody_Push(body, ear, snScale(m.mass, earth));
        snBody_Advance(body);
        snBody_Finish(body, &report);
    }
    snVec3 pushed = snSub(snBody_Place(body, ear), h.rest);
    printf("    %.3f kg: hung (%.5f, %.5f, %.5f) m at %.1e m/s, pushed (%.5f, %.5f, %.5f)\n",
           m.mass, hung.x, hung.y, hung.z, speed, pushed.x, pushed.y, pushed.z);
    CHECK(snDistance(hung, pushed) < 5e-3 * snLength(pushed));
    snWorld_Destroy(alone);
}

// ---- threads, state -----------------------------------------------------------------------------

static snWorld *makeHookedWorld(void *user, const snContext *context)
{
    (void)user;
    return makeHooked(context, 0.06, true).world;
}

static void threadsAndSavingGiveTheSameBits(void)
{
    checkSameBits(&(Remade){.make = makeHookedWorld, .threads = 2, .before = 30, .after = 20});
}

static void badBodiesAreRefused(void)
{
    snFleshBodyDef def = bumbleDef(&soft, "walk");
    snFleshReach up = {.joint = jointOf(&soft, "neck"), .root = jointOf(&soft, "head")};
    snBody *body;
    snError error = {0};
    def.clip = 99;
    CHECK(snFleshBody_Make(&body, &def, &soft.context, &error) == SN_ERROR_ARGUMENT && !body);
    def = bumbleDef(&soft, "walk");
    def.speed = NAN;
    CHECK(snFleshBody_Make(&body, &def, &soft.context, &error) == SN_ERROR_ARGUMENT && !body);
    def = bumbleDef(&soft, "walk");
    def.reachCount = 1;
    def.reaches = &up;
    CHECK(snFleshBody_Make(&body, &def, &soft.context, &error) == SN_ERROR_ARGUMENT && !body);
}

int main(void)
{
    makeBumble(&soft, 600, SN_MOTION_SECONDARY);
    makeBumble(&full, 600, SN_MOTION_FULL);
    RUN(movesAsBaked);
    RUN(goesWhereItIsPut);
    RUN(knocksThingsOver);
    RUN(hooksPullEars);
    RUN(weightsArriveInFlesh);
    RUN(threadsAndSavingGiveTheSameBits);
    RUN(badBodiesAreRefused);
    freeBumble(&soft);
    freeBumble(&full);
    return snTest_Finish();
}
