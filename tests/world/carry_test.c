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
        CHECK(snWorld_Carry(goes, 0, &motion));
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
    CHECK(snWorld_Carry(goes, 0, &motion));
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
    RUN(walksOnTurned);
    RUN(feelsItsShare);
    RUN(posesAsClips);
    freeBumble(&bumble);
    freeBumble(&limp);
    return snTest_Finish();
}
