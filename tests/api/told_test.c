// What a program tells bodies, members and actors each frame, by its values: poses, places, fields, hands, joints by name.
#include "tests/test.h"

#include "tests/api/posed.h"

#include <math.h>

enum { STEPS = 24 };

static snContext context;
static snCharacter *calf;
static int vertices;
static snWorld *world; // one for all; every test begins where it did
static void *begin;

static void goBack(void)
{
    CHECK(snWorld_Restore(world, begin, snWorld_SaveSize(world), NULL) == SN_OK);
}

static float *readSurface(int body)
{
    float *points = malloc((size_t)snWorld_VertexCount(world, body) * 12);
    snSurfaceBuffer buffer = {.positions = points};
    snWorld_ReadSurface(world, body, &buffer);
    return points;
}

// How far two surfaces are apart at most, the second moved along x. Frees both.
static double apart(float *a, float *b, double x)
{
    double most = 0;
    for (int k = 0; k < 3 * vertices; k++)
        most = fmax(most, fabs((double)a[k] - (double)b[k] - (k % 3 == 0 ? x : 0)));
    free(a);
    free(b);
    return most;
}

// Matrices of all joints of a clip at a time, 80 bytes from one to the next.
static void sampleMatrices(int clip, double time, float *matrices)
{
    snArena arena = snMakeArena(&context);
    snPose pose;
    CHECK(snPose_Make(&pose, &calf->skeleton, calf->morphCount, &arena, NULL) == SN_OK);
    snCharacter_Pose(calf, &calf->clips[clip], calf->clips[clip].start + time, &pose);
    for (int j = 0; j < snCharacter_JointCount(calf); j++) {
        const snVec3 columns[4] = {pose.global[j].linear.cx, pose.global[j].linear.cy,
                                   pose.global[j].linear.cz, pose.global[j].origin};
        for (int c = 0; c < 4; c++) {
            snVec3f f = snToF(columns[c]);
            memcpy(matrices + 20 * j + 4 * c, &f, sizeof f);
        }
    }
    snArena_Destroy(&arena);
}

static float *newMatrices(void)
{
    return calloc((size_t)snCharacter_JointCount(calf) * 20, sizeof(float));
}

// ---- joints -------------------------------------------------------------------------------------------------

static void jointsHaveNamesAndParents(void)
{
    int count = snCharacter_JointCount(calf), tail = snCharacter_FindJoint(calf, "tail_2");
    int roots = 0;
    CHECK(count == DEMO_NODES && snCharacter_FindJoint(calf, "no such joint") == -1);
    for (int j = 0; j < count; j++) {
        int parent = snCharacter_JointParent(calf, j);
        CHECK(snCharacter_FindJoint(calf, snCharacter_JointName(calf, j)) == j);
        CHECK(parent >= -1 && parent < j);
        roots += parent == -1;
    }
    CHECK(roots >= 1 && tail > 0);
    CHECK(!strcmp(snCharacter_JointName(calf, snCharacter_JointParent(calf, tail)), "tail_1"));
}

static void bodiesHaveJointsAndLevels(void)
{
    int joints = snWorld_JointCount(world, 0);
    CHECK(joints == snCharacter_JointCount(calf));
    for (int j = 0; j < joints; j++)
        CHECK(!strcmp(snWorld_JointName(world, 0, j), snCharacter_JointName(calf, j)));
    CHECK(snWorld_JointCount(world, 1) == 0 && snWorld_JointCount(world, 2) == 0); // not posed
    CHECK(snWorld_BodyLevelCount(world, 0) == 3 && snWorld_BodyLevelCount(world, 1) == 3);
    CHECK(snWorld_BodyLevelCount(world, 2) == 1 && snWorld_LevelCount(world) == 3);
}

// All bodies at once are all of them one by one; what has no such level stays on its last.
static void levelsOfAllBodies(void)
{
    uint64_t hash[3];
    for (int way = 0; way < 3; way++) {
        goBack();
        if (way == 1) snWorld_SetLevel(world, 2);
        for (int b = 0; b < snWorld_BodyCount(world) && way == 2; b++)
            snWorld_SetBodyLevel(world, b, 2);
        for (int k = 0; k < 4; k++)
            snWorld_Step(world);
        hash[way] = snWorld_Hash(world);
    }
    CHECK(hash[1] == hash[2] && hash[0] != hash[1]);
}

// ---- levels by distance ---------------------------------------------------------------------------------------

enum { WALKER, PLAIN, JELLY, SEEN }; // a character of three levels, a block of one, a solid of two
#define JELLY_FAR 10.0               // m along z from the character and the block

static snWorld *makeSeenWorld(void)
{
    snBodyDef bodies[SEEN];
    snSceneDef scene = snDefaultSceneDef();
    snError error = {0};
    snWorld *seen;
    for (int k = 0; k < SEEN; k++)
        bodies[k] = snDefaultBodyDef();
    bodies[WALKER].model = SN_MODEL_CHARACTER;
    bodies[WALKER].file = "calf.glb";
    bodies[WALKER].clip = "walk";
    bodies[WALKER].cells = 40;
    bodies[PLAIN].name = "plain";
    bodies[PLAIN].place.position[0] = 2;
    bodies[JELLY].name = "jelly";
    bodies[JELLY].place.position[2] = JELLY_FAR;
    bodies[WALKER].detail = bodies[JELLY].detail = true;
    scene.bodies = bodies, scene.bodyCount = SEEN;
    if (snWorld_Build(&seen, &scene, &demoFiles, &context, &error)) failLoudly(&error);
    CHECK(snWorld_BodyLevelCount(seen, WALKER) == 3 && snWorld_BodyLevelCount(seen, PLAIN) == 1);
    CHECK(snWorld_BodyLevelCount(seen, JELLY) == 2 && snWorld_LevelCount(seen) == 3);
    return seen;
}

// The world as it was made, with these levels, a few steps later.
static uint64_t hashAtLevels(snWorld *seen, const void *made, int walker, int jelly)
{
    CHECK(snWorld_Restore(seen, made, snWorld_SaveSize(seen), NULL) == SN_OK);
    snWorld_SetBodyLevel(seen, WALKER, walker);
    snWorld_SetBodyLevel(seen, JELLY, jelly);
    for (int k = 0; k < 3; k++)
        snWorld_Step(seen);
    return snWorld_Hash(seen);
}

// Full up to 3 m, half up to 7 m: near, between and far, and no more than `most` above their coarsest level, the nearest; what has no levels is not
// counted among these. Levels are state: a world whose levels were chosen is the one in which they were set.
static void levelsAreChosenByDistance(void)
{
    static const struct {
        double z; // of the eye
        int most, walker, jelly;
    } cases[] = {
        {0, 9, 0, 1},    {4.5, 9, 1, 1},       {10, 9, 2, 0}, {-50, 9, 2, 1}, // by distance alone
        {0, 1, 0, 1},    {4.5, 1, 1, 1},       {10, 1, 2, 0},                 // one is enough
        {0, 0, 2, 1},    {4.5, 0, 2, 1},       {10, 0, 2, 1},                 // nobody
        {-0.5, 1, 0, 1}, {JELLY_FAR, 2, 2, 0},
    };
    const snDetailRange wide = {30, 40, 1};
    snWorld *seen = makeSeenWorld();
    void *made = malloc(snWorld_SaveSize(seen));
    uint64_t set[3][2];
    snWorld_Save(seen, made);
    for (int w = 0; w < 3; w++)
        for (int j = 0; j < 2; j++)
            set[w][j] = hashAtLevels(seen, made, w, j);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < k; i++)
            CHECK(set[k / 2][k % 2] != set[i / 2][i % 2]);
    size_t count = sizeof cases / sizeof *cases;
    for (size_t k = 0; k < count + 2; k++) {
        CHECK(snWorld_Restore(seen, made, snWorld_SaveSize(seen), NULL) == SN_OK);
        // Of two that are near enough the nearer one.
        bool wider = k >= count;
        int walker = wider ? (k == count ? 0 : 2) : cases[k].walker;
        int jelly = wider ? (k == count ? 1 : 0) : cases[k].jelly;
        double eye[3] = {0, 0.5, wider ? (k == count ? 2 : JELLY_FAR - 2) : cases[k].z};
        snDetailRange range = {3, 7, wider ? 0 : cases[k].most};
        snWorld_ChooseDetail(seen, eye, wider ? &wide : &range);
        for (int s = 0; s < 3; s++)
            snWorld_Step(seen);
        if (!CHECK(snWorld_Hash(seen) == set[walker][jelly]))
            printf("    the eye at %g m, at most %d: not levels %d and %d\n", eye[2], range.most,
                   walker, jelly);
    }
    free(made);
    snWorld_Free(seen);
}

static void versionsAreTold(void)
{
    snVersion version = snGetVersion();
    CHECK(version.major == SN_VERSION_MAJOR && version.minor == SN_VERSION_MINOR);
    CHECK(version.patch == SN_VERSION_PATCH && version.abi == SN_ABI_VERSION);
}

// ---- poses and places -----------------------------------------------------------------------------------------

// Given a clip's own poses, a body moves as the one that plays the clip; left alone, it stays in the last.
static void posesLeadBodies(void)
{
    int clip = snCharacter_FindClip(calf, "walk");
    float *matrices = newMatrices();
    double off = 0, step = snWorld_StepLength(world);
    snError error = {0};
    goBack();
    for (int k = 1; k <= STEPS; k++) {
        sampleMatrices(clip, k * step, matrices);
        CHECK(snWorld_SetPose(world, 0, matrices, 80, &error) == SN_OK);
        snWorld_Step(world);
        off = fmax(off, apart(readSurface(0), readSurface(1), 3));
    }
    float *before = readSurface(0);
    sampleMatrices(clip, STEPS * step + 0.3, matrices);
    CHECK(snWorld_SetPose(world, 0, matrices, 80, &error) == SN_OK);
    snWorld_Step(world);
    double went = apart(readSurface(0), before, 0);
    printf("posed: %.1e m from the clip; another pose moves it by %.2f m\n", off, went);
    CHECK(off < 1e-4 && went > 0.05);
    CHECK(snWorld_SetPose(world, 2, matrices, 80, &error) == SN_ERROR_UNSUPPORTED);
    CHECK(strstr(error.message, "block"));
    free(matrices);
}

// A way that is not felt leaves flesh as it would be had it stood still; one that is shakes it.
static void placesLeadBodies(void)
{
    double off[2];
    float *still = NULL;
    snError error = {0};
    for (int felt = -1; felt < 2; felt++) {
        goBack();
        for (int k = 1; k <= STEPS; k++) {
            snPlacement place = {{-2 + 0.02 * k, 0, 0}, {0, 0, 0, 1}};
            if (felt >= 0) CHECK(snWorld_SetPlace(world, 0, &place, felt, &error) == SN_OK);
            snWorld_Step(world);
        }
        if (felt < 0) {
            still = readSurface(0);
            continue;
        }
        float *copy = malloc((size_t)vertices * 12);
        memcpy(copy, still, (size_t)vertices * 12);
        off[felt] = apart(readSurface(0), copy, 0.02 * STEPS);
        CHECK(snWorld_SetPlace(world, 2, &(snPlacement){.rotation = {0, 0, 0, 1}}, 1, &error) ==
              SN_ERROR_UNSUPPORTED);
    }
    printf("led by 2.4 m/s: %.1e m from where it would be unfelt, %.3f m felt\n", off[0], off[1]);
    CHECK(off[0] < 1e-5 && off[1] > 1e-3);
    free(still);
}

static void actorsArePosedToo(void)
{
    snActorDef def = snDefaultActorDef();
    snActor *played, *posed;
    float *matrices = newMatrices();
    double off = 0;
    def.cells = 60;
    CHECK(snActor_Make(&played, calf, &def, &context, NULL) == SN_OK);
    CHECK(snActor_Make(&posed, calf, &def, &context, NULL) == SN_OK);
    int clip = snCharacter_FindClip(calf, "walk");
    snActor_Start(played, clip, 0);
    snActor_Start(posed, clip, 0);
    for (int k = 1; k <= STEPS; k++) {
        float *a = malloc((size_t)vertices * 12), *b = malloc((size_t)vertices * 12);
        sampleMatrices(clip, k * def.step, matrices);
        CHECK(snActor_Step(played, clip, k * def.step));
        CHECK(snActor_StepPose(posed, matrices, 80));
        snActor_ReadPositions(played, a, 0);
        snActor_ReadPositions(posed, b, 0);
        off = fmax(off, apart(a, b, 0));
    }
    printf("an actor posed: %.1e m from the clip\n", off);
    CHECK(off < 1e-4 && snActor_Offset(posed) > 1e-5);
    // By its other name.
    struct snCrowd *crowd = snActor_Crowd(posed);
    snPlacement away = {{7, 0, 0}, {0, 0, 0, 1}};
    CHECK(snCrowd_MemberCount(crowd) == 1 && snCrowd_Hash(crowd, 0) == snActor_Hash(posed));
    float *before = malloc((size_t)vertices * 12), *after = malloc((size_t)vertices * 12);
    snActor_ReadPositions(posed, before, 0);
    snCrowd_Teleport(crowd, 0, &away);
    snActor_ReadPositions(posed, after, 0);
    CHECK(apart(after, before, 7) < 1e-5);
    free(matrices);
    snActor_Destroy(played);
    snActor_Destroy(posed);
}

// ---- fields and hands -----------------------------------------------------------------------------------------

static double momentumOf(int body, double *mass)
{
    snWorldReport report;
    snWorld_ReadReport(world, body, &report);
    *mass = report.mass;
    return report.momentum[0];
}

static void fieldsAreSetAnew(void)
{
    snFieldDef gust = snDefaultFieldDef();
    double mass, first, then;
    int number;
    snError error = {0};
    goBack();
    gust.air = false;
    CHECK(snWorld_AddField(world, &gust, &number, &error) == SN_OK && number == 1);
    gust.value[0] = 3;
    CHECK(snWorld_SetField(world, number, &gust, &error) == SN_OK);
    for (int k = 0; k < 12; k++)
        snWorld_Step(world);
    first = momentumOf(3, &mass);
    CHECK_NEAR(first, mass * 3 * 0.1, 1e-3 * mass); // m a t, in still air
    gust.value[0] = 0;
    CHECK(snWorld_SetField(world, number, &gust, &error) == SN_OK);
    for (int k = 0; k < 12; k++)
        snWorld_Step(world);
    then = momentumOf(3, &mass);
    CHECK_NEAR(then, first, 1e-3 * mass);
}

// A hand of the default definition is the one that is taken without any.
static void handsHaveADefault(void)
{
    const double eye[3] = {0, 0.5, 2}, forward[3] = {0, 0, -1}, target[3] = {0, 1, 0.15};
    snHandDef def = snDefaultHandDef();
    uint64_t hash[2];
    CHECK(def.frequency == 4 && !def.hard);
    for (int k = 0; k < 2; k++) {
        snHand hand;
        goBack();
        CHECK(snWorld_TakeRay(world, eye, forward, k ? &def : NULL, &hand, NULL) == SN_OK);
        CHECK(hand.grab >= 0 && hand.body == 2);
        snWorld_MoveHand(world, &hand, target);
        for (int s = 0; s < 10; s++)
            snWorld_Step(world);
        hash[k] = snWorld_Hash(world);
    }
    CHECK(hash[0] == hash[1]);
}

int main(void)
{
    context = snDefaultContext();
    calf = makeCalf(&context);
    vertices = snCharacter_VertexCount(calf);
    world = makePosedWorld(&context);
    begin = malloc(snWorld_SaveSize(world));
    snWorld_Save(world, begin);
    RUN(jointsHaveNamesAndParents);
    RUN(bodiesHaveJointsAndLevels);
    RUN(levelsOfAllBodies);
    RUN(levelsAreChosenByDistance);
    RUN(versionsAreTold);
    RUN(posesLeadBodies);
    RUN(placesLeadBodies);
    RUN(actorsArePosedToo);
    RUN(fieldsAreSetAnew);
    RUN(handsHaveADefault);
    snWorld_Free(world);
    free(begin);
    snCharacter_Free(calf);
    snBytes_Destroy(&demoBytes);
    return snTest_Finish();
}
