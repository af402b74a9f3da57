// Bodies of every model that are put elsewhere as they are: they go on as they would have, moved and turned. What leads a character
// goes somewhere, and its flesh feels as much of it as is asked for; a program's poses are as good as a clip's.
#include "tests/world/models.h"

static Bumble bumble, limp;

static snAffine someMotion(void)
{
    snQuat turn = snQuatFromAxisAngle(snNormalizeOr(snVec(1, 2, -1), snVec(0, 1, 0)), 1.1);
    return (snAffine){snQuatToMat(turn), snVec(3, -1, 2)};
}

static void step(snWorld *world, int count)
{
    for (int k = 0; k < count; k++)
        snWorld_Step(world);
}

// The largest distance of a surface to another one that is moved.
static double distanceOf(const snBody *from, const snAffine *motion, const snBody *to)
{
    double most = 0;
    for (int v = 0; v < from->vertexCount; v++)
        most =
            fmax(most, snDistance(snMulAP(*motion, snBody_Vertex(from, v)), snBody_Vertex(to, v)));
    return most;
}

static snWorld *makeOne(Model model, const snContext *context)
{
    snWorld *world = newWorld(context, 0);
    int number = addModel(world, model, model == LIMP ? &limp : &bumble, 1, snVec(0.3, 1, 0.2));
    CHECK(number == 0);
    if (model != RIGGED)
        snBody_SetVelocity(world->bodies.data[0], snVec(1, 2, -0.5), snVec(2, 3, 4));
    return world;
}

// A skin's substeps are as long as the fastest change of a coordinate allows: once it is turned they are others.
static void goesOn(snAffine motion, double skinned)
{
    snContext context = snDefaultContext();
    for (Model model = 0; model < MODELS; model++) {
        snWorld *stays = makeOne(model, &context), *goes = makeOne(model, &context);
        step(stays, 12);
        step(goes, 12);
        snWorld_Carry(goes, 0, &motion);
        double at = distanceOf(stays->bodies.data[0], &motion, goes->bodies.data[0]);
        step(stays, 24);
        step(goes, 24);
        double off = distanceOf(stays->bodies.data[0], &motion, goes->bodies.data[0]);
        snBodyMeasure a, b;
        snBody_Measure(stays->bodies.data[0], &a);
        snBody_Measure(goes->bodies.data[0], &b);
        double turned = snDistance(snMulMV(motion.linear, a.momentum), b.momentum);
        printf("%-8s off by %.1e m at once, %.1e m 24 steps later; momentum by %.1e\n",
               modelNames[model], at, off, turned / (snLength(a.momentum) + 1e-9));
        CHECK(at < 1e-6 && off < (model == SKIN ? skinned : 1e-5));
        CHECK(turned < 1e-5 * snLength(a.momentum) + 1e-3 * a.mass);
        snWorld_Destroy(stays);
        snWorld_Destroy(goes);
    }
}

static void goesOnAsItWas(void)
{
    goesOn(someMotion(), 1e-3);
    goesOn((snAffine){snIdentity3(), {2, -1, 5}}, 1e-9);
}

// ---- solids of every solver, and with functions that come and go ----------------------------------

typedef struct Solid {
    const char *name;
    snSolver solver;
    snTurn turn;
    bool smooth, adaptive;
    snIntegrator integrator;
} Solid;
static const Solid solids[] = {
    {.name = "linear", .solver = SN_SOLVER_LINEAR},
    {.name = "linear, by its curl", .solver = SN_SOLVER_LINEAR, .turn = SN_TURN_CURL},
    {.name = "linear, by its polar part", .solver = SN_SOLVER_LINEAR, .turn = SN_TURN_POLAR},
    {.name = "smooth and linear", .solver = SN_SOLVER_LINEAR, .smooth = true},
    {.name = "newton", .solver = SN_SOLVER_NEWTON},
    {.name = "smooth", .smooth = true},
    {.name = "adaptive", .smooth = true, .adaptive = true},
    {.name = "runge-kutta", .integrator = SN_INTEGRATOR_RUNGE_KUTTA}};
#define SOLIDS (int)(sizeof solids / sizeof solids[0])

static snSolid *newSolid(snVec3 size, bool adaptive, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snLattice lattice = makeBlock(BLOCK_HEXES, 2, 1, 1, size, &arena);
    snSolidDef def = snDefaultSolidDef();
    snSolid *solid = NULL;
    def.lattice = &lattice;
    def.young = 2e4;
    def.nodeLevel = 2;
    if (adaptive) def.levels = 1, def.mostActive = 100;
    CHECK(snSolid_Build(&solid, &def, context, NULL) == SN_OK);
    snArena_Destroy(&arena);
    return solid;
}

// It hangs on a vertex, in a pull that shakes it.
static snWorld *hangSolid(const Solid *kind, const snContext *context, int *grab)
{
    snWorld *world = newWorld(context, 0);
    BlockDef def = blockDef();
    snBody *body = NULL;
    int number;
    def.young = 2e4;
    def.solid.solver = kind->solver;
    def.solid.turn = kind->turn;
    def.solid.integrator = kind->integrator;
    def.solid.apart = kind->integrator != 0;
    if (kind->smooth) {
        def.solid.solid = newSolid(def.size, kind->adaptive, context);
        def.solid.adapt.error = 1e-4;
        snSolidBody_Make(&body, &def.solid, context, NULL);
    } else {
        body = newBlock(&def, context, NULL);
    }
    CHECK(body && snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), 0.3)), {0.4, 0.7, -0.2}};
    snBody_Put(body, &place);
    snGrabDef hand = {.body = 0, .spot = snVertexSpot(0), .hard = true};
    CHECK(snWorld_Grab(world, &hand, grab, NULL) == SN_OK);
    return world;
}

static void pullBy(snWorld *world, int from, int count, snMat3 turn)
{
    for (int k = from; k < from + count; k++) {
        world->push = snMulMV(turn, snVec(6 * snSin(0.3 * k), -9.81, 4 * snCos(0.2 * k)));
        snWorld_Step(world);
    }
}

static snVec3 carryGrab(snWorld *world, int grab, const snAffine *motion)
{
    snWorld_Release(world, grab);
    snWorld_Carry(world, 0, motion);
    snGrabDef hand = {.body = 0, .spot = snVertexSpot(0), .hard = true};
    CHECK(snWorld_Grab(world, &hand, &grab, NULL) == SN_OK);
    return snBody_Vertex(world->bodies.data[0], 0);
}

// Deformations are such that the turned state of one that does not know of it would be torn: what is carried has the energies and the momentum that it
// had, turned, and goes on so; also when it is restored in between.
static void solidsGoOn(void)
{
    snContext context = snDefaultContext();
    snAffine motion = someMotion(), stay = snIdentityAffine();
    for (int i = 0; i < SOLIDS; i++) {
        int grabs[2];
        snWorld *stays = hangSolid(&solids[i], &context, &grabs[0]);
        snWorld *goes = hangSolid(&solids[i], &context, &grabs[1]);
        snBodyMeasure a, b;
        pullBy(stays, 0, 30, snIdentity3());
        pullBy(goes, 0, 30, snIdentity3());
        int functions = goes->reports.data[0].functions;
        carryGrab(stays, grabs[0], &stay);
        carryGrab(goes, grabs[1], &motion);
        snBody_Measure(stays->bodies.data[0], &a);
        snBody_Measure(goes->bodies.data[0], &b);
        double at = distanceOf(stays->bodies.data[0], &motion, goes->bodies.data[0]);
        CHECK_NEAR(b.elastic, a.elastic, 1e-8 * a.elastic); // by rotations that are searched for
        CHECK_NEAR(b.kinetic, a.kinetic, 1e-9 * a.kinetic);
        CHECK(snDistance(snMulMV(motion.linear, a.momentum), b.momentum) < 1e-11 * a.mass);
        CHECK(a.elastic > 0.01);
        void *saved = malloc(snWorld_SaveSize(goes));
        snWorld_Save(goes, saved);
        pullBy(goes, 30, 3, motion.linear);
        CHECK(snWorld_Restore(goes, saved, snWorld_SaveSize(goes), NULL) == SN_OK);
        free(saved);
        pullBy(stays, 30, 30, snIdentity3());
        pullBy(goes, 30, 30, motion.linear);
        double off = distanceOf(stays->bodies.data[0], &motion, goes->bodies.data[0]);
        printf("%-26s off by %.1e m at once, %.1e m 30 steps later; %.2f J, %d functions\n",
               solids[i].name, at, off, a.elastic, functions);
        CHECK(at < 1e-12 && off < 1e-7);
        CHECK(goes->tales.data[0].failures == 0);
        CHECK(goes->reports.data[0].functions == stays->reports.data[0].functions);
        snWorld_Destroy(stays);
        snWorld_Destroy(goes);
    }
}

// It shakes its head and walks on, in the direction that it was turned to.
static snWorld *makeWalker(bool posed, const snContext *context)
{
    snWorld *world = newWorld(context, 0);
    snFleshBodyDef def = bumbleDef(&bumble, "shake");
    snBody *body;
    int number;
    def.posed = posed;
    def.loop = true;
    def.travel = snVec(0, 0, 0.5);
    CHECK(snFleshBody_Make(&body, &def, context, NULL) == SN_OK);
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    return world;
}

static void walksOnTurned(void)
{
    snContext context = snDefaultContext();
    snAffine motion = someMotion();
    snWorld *stays = makeWalker(false, &context), *goes = makeWalker(false, &context);
    step(stays, 30);
    step(goes, 30);
    snWorld_Carry(goes, 0, &motion);
    void *saved = malloc(snWorld_SaveSize(goes));
    snWorld_Save(goes, saved);
    for (int round = 0; round < 2; round++) { // and once more, restored
        if (round) CHECK(snWorld_Restore(goes, saved, snWorld_SaveSize(goes), NULL) == SN_OK);
        if (!round) step(stays, 30);
        step(goes, 30);
        double off = distanceOf(stays->bodies.data[0], &motion, goes->bodies.data[0]);
        printf("walking: off by %.1e m\n", off);
        CHECK(off < 1e-4); // positions are floats where they are skinned
    }
    free(saved);
    snWorld_Destroy(stays);
    snWorld_Destroy(goes);
}

// The offset of flesh from the rig, at most, of a character whose frame is shaken to and fro.
static double shaken(double felt, const snContext *context)
{
    snWorld *world = newWorld(context, 0), *still = newWorld(context, 0);
    double most = 0;
    addModel(world, RIGGED, &bumble, 1, snVec(0, 1, 0));
    addModel(still, RIGGED, &bumble, 1, snVec(0, 1, 0));
    snAffine begin, place, back;
    CHECK(snBody_Go(world->bodies.data[0], NULL, &begin));
    for (int k = 1; k <= 40; k++) {
        snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), 0.4 * snSin(0.3 * k));
        place = (snAffine){snMulMM(snQuatToMat(turn), begin.linear),
                           snMulAdd(begin.origin, 0.2 * snSin(0.5 * k), snVec(1, 0.3, 0))};
        CHECK(snWorld_Go(world, 0, &place, felt));
        step(world, 1);
        step(still, 1);
        back = snMulAA(place, snInverseAffine(begin));
        most = fmax(most, distanceOf(still->bodies.data[0], &back, world->bodies.data[0]));
    }
    snWorld_Destroy(world);
    snWorld_Destroy(still);
    return most;
}

static void feelsItsShare(void)
{
    snContext context = snDefaultContext();
    double none = shaken(0, &context), half = shaken(0.5, &context), all = shaken(1, &context);
    printf("shaken: %.1e m at 0, %.4f m at a half, %.4f m at 1\n", none, half, all);
    CHECK(none < 1e-4);
    CHECK(all > 0.01 && half > 0.3 * all && half < 0.7 * all);
}

// The clip's own poses, given by the program.
static void posesAsClips(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snWorld *played = makeWalker(false, &context), *posed = makeWalker(true, &context);
    const snCharacter *c = &bumble.character;
    const snClip *clip = &c->clips[clipOf(&bumble, "shake")];
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    CHECK(posed->bodies.data[0]->skeleton == &c->skeleton);
    for (int k = 1; k <= 30; k++) {
        snCharacter_Pose(c, clip, clip->start + k / 120.0, &pose);
        CHECK(snBody_Pose(posed->bodies.data[0], c->skeleton.jointCount, pose.global));
        step(played, 1);
        step(posed, 1);
    }
    snAffine stay = snIdentityAffine();
    double off = distanceOf(played->bodies.data[0], &stay, posed->bodies.data[0]);
    printf("posed by the program: %.1e m from what the clip gives\n", off);
    CHECK(off < 1e-9);
    CHECK(!snBody_Pose(played->bodies.data[0], c->skeleton.jointCount, pose.global));
    CHECK(!snBody_Pose(posed->bodies.data[0], 3, pose.global));
    snWorld_Destroy(played);
    snWorld_Destroy(posed);
    snArena_Destroy(&arena);
}

int main(void)
{
    makeBumble(&bumble, 300, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(goesOnAsItWas);
    RUN(solidsGoOn);
    RUN(walksOnTurned);
    RUN(feelsItsShare);
    RUN(posesAsClips);
    freeBumble(&bumble);
    freeBumble(&limp);
    return snTest_Finish();
}
