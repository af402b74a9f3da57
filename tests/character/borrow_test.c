// Skeletons from other files: the same character's own given back to its bare surface, fitted after
// it was scaled, turned and moved; bad input; every allocation failing.
#include "character/borrow.h"

#include "core/error.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

// A tower of boxes, 1 x 4 x 1, as a bare surface, and a skeleton of three joints in it with a clip.
typedef struct Tower {
    snCharacter bare, other;
    snVec3f positions[20];
    int triangles[108];
    snPart part;
    snJoint bareJoint, joints[4];
    snChannel channels[2];
    snClip clip;
    float times[2], turns[8], moves[6];
    snSkin skin;
    int skinJoints[3];
    snAffine inverse[3];
} Tower;

static const snTransform none = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static void makeTower(Tower *t, double size, bool recording)
{
    int n = 0;
    *t = (Tower){.times = {0, 1}, .turns = {0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f}};
    for (int v = 0; v < 20; v++) {
        float x = (v & 3) == 1 || (v & 3) == 2 ? 0.5f : -0.5f, z = (v & 3) > 1 ? 0.5f : -0.5f;
        t->positions[v] = (snVec3f){x, (float)(v / 4), z};
    }
    for (int ring = 0; ring < 4; ring++)
        for (int i = 0; i < 4; i++) {
            int a = 4 * ring + i, b = 4 * ring + (i + 1) % 4;
            int quad[6] = {a, a + 4, b, b, a + 4, b + 4};
            for (int k = 0; k < 6; k++)
                t->triangles[n++] = quad[k];
        }
    int caps[12] = {0, 1, 2, 0, 2, 3, 16, 18, 17, 16, 19, 18};
    for (int k = 0; k < 12; k++)
        t->triangles[n++] = caps[k];
    t->part = (snPart){.name = "tower",
                       .skin = -1,
                       .material = -1,
                       .vertexCount = 20,
                       .triangleCount = n / 3,
                       .positions = t->positions,
                       .triangles = t->triangles};
    t->bareJoint = (snJoint){.name = "root", .parent = -1, .rest = none};
    t->bare = (snCharacter){.skeleton = {1, &t->bareJoint},
                            .partCount = 1,
                            .parts = &t->part,
                            .vertexCount = 20,
                            .triangleCount = n / 3};
    static const char *const names[] = {"hip", "chest", "head", "head.end"};
    for (int j = 0; j < 4; j++) {
        t->joints[j] = (snJoint){.name = names[j], .parent = j - 1, .rest = none, .fileNode = j};
        t->joints[j].rest.translation = snVec(0, j == 0 ? 0.2 * size : 1.2 * size, 0);
    }
    // The first channel bends the chest by a right angle about z, the second moves the hip.
    for (int k = 0; k < 6; k++)
        t->moves[k] = (float)(size * (k % 3 == 1 ? 0.2 : k == 3 ? 2 : 0));
    t->channels[0] = (snChannel){1, SN_PATH_ROTATION, SN_LINEAR, 2, 4, t->times, t->turns};
    t->channels[1] = (snChannel){0, SN_PATH_TRANSLATION, SN_LINEAR, 2, 3, t->times, t->moves};
    t->clip = (snClip){.name = "bend", .duration = 1, .channelCount = 2, .channels = t->channels};
    t->other = (snCharacter){
        .skeleton = {recording ? 4 : 3, t->joints}, .clipCount = 1, .clips = &t->clip};
    if (recording) return;
    t->skin = (snSkin){"", 3, t->skinJoints, t->inverse};
    for (int j = 0; j < 3; j++)
        t->skinJoints[j] = j;
    t->other.skinCount = 1;
    t->other.skins = &t->skin;
    t->part.skin = -1;
}

static snStatus borrow(snCharacter *rigged, const Tower *t, const snBorrowDef *def,
                       snBorrowReport *report, const snContext *context, snError *error)
{
    snArena arena = snMakeArena(context);
    snSolid solid;
    snStatus status = snSolid_FromCharacter(&solid, &t->bare, &arena, error);
    if (!status)
        status = snBorrowRig(rigged, &t->bare, &solid, &t->other, def, report, context, error);
    snArena_Destroy(&arena);
    return status;
}

static void surfaceAt(const snCharacter *c, double t, snVec3f *out)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    if (t >= 0) snCharacter_Pose(c, &c->clips[0], t, &pose);
    snCharacter_Surface(c, &pose, &context.tasks, out, NULL);
    snArena_Destroy(&arena);
}

// Whatever the size of the recording, at rest the surface stands as it did, and at the clip's end the
// hip has gone by 2 (of the surface's units) and the head lies on its side.
static void recordingsOfAnySize(void)
{
    static const double sizes[] = {1, 0.01, 250};
    for (int i = 0; i < 3; i++) {
        snContext context = snDefaultContext();
        snBorrowDef def = snDefaultBorrowDef();
        snBorrowReport report;
        snCharacter c;
        snError error = {0};
        Tower t;
        makeTower(&t, sizes[i], true);
        if (!CHECK(borrow(&c, &t, &def, &report, &context, &error) == SN_OK)) {
            printf("    %s\n", error.message);
            continue;
        }
        snVec3f at[20];
        surfaceAt(&c, -1, at);
        for (int v = 0; v < 20; v++)
            CHECK_NEAR(snDistance(snFromF(at[v]), snFromF(t.positions[v])), 0, 1e-5);
        surfaceAt(&c, 1, at);
        double scale = report.scale * sizes[i];
        CHECK_NEAR((double)at[0].x, -0.5 + 2 * scale, 0.2); // the foot follows the hip
        CHECK((double)at[16].x < -0.6 + 2 * scale);         // the head has fallen over
        CHECK(report.jointCount == 4 && c.skeleton.jointCount == 5);
        CHECK(!strcmp(c.skeleton.joints[0].name, SN_BORROW_ROOT) && c.clipCount == 1);
        CHECK_NEAR(scale, i == 0 ? 1 : 4 / 3.6, 1e-6); // inside as it is, else by the heights
        snCharacter_Destroy(&c);
    }
}

// A character's last joint carries what lies beyond it.
static void theLastJointCarries(void)
{
    snContext context = snDefaultContext();
    snBorrowDef def = snDefaultBorrowDef();
    snBorrowReport report;
    snCharacter c;
    Tower t;
    makeTower(&t, 1, false);
    if (!CHECK(borrow(&c, &t, &def, &report, &context, NULL) == SN_OK)) return;
    CHECK(c.skins[0].jointCount == 3 && report.outside == 0);
    CHECK(c.parts[0].joints[4 * 16] == 2 && c.parts[0].weights[4 * 16] > 0.5f);
    CHECK(c.parts[0].joints[0] == 0);
    for (int v = 0; v < 20; v++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += (double)c.parts[0].weights[4 * v + k];
        CHECK_NEAR(sum, 1, 1e-6);
    }
    snCharacter_Destroy(&c);
}

static void scaleTurnAndOffsetAreKept(void)
{
    snContext context = snDefaultContext();
    snBorrowDef def = snDefaultBorrowDef();
    snBorrowReport report;
    snCharacter c;
    Tower t;
    makeTower(&t, 0.5, true);
    def.scale = 1.5;
    def.turn = 90;
    def.hasOffset = true;
    def.offset = snVec(0.1, 0.2, 0.3);
    if (!CHECK(borrow(&c, &t, &def, &report, &context, NULL) == SN_OK)) return;
    snTransform root = c.skeleton.joints[0].rest;
    CHECK_NEAR(root.scale.x, 1.5, 1e-12);
    CHECK_NEAR(root.translation.z, 0.3, 1e-12);
    snVec3f at[20];
    surfaceAt(&c, 1, at); // moved along x by 2 * 0.5 * 1.5, turned to -z
    CHECK_NEAR((double)at[0].z, -0.5 - 1.5, 0.1);
    snCharacter_Destroy(&c);
}

static void badInput(void)
{
    snContext context = snDefaultContext();
    snBorrowDef def = snDefaultBorrowDef();
    snBorrowReport report;
    snCharacter c;
    snError error = {0};
    Tower t;
    makeTower(&t, 1, true);
    t.other.skeleton.jointCount = 0;
    t.other.clipCount = 0;
    CHECK(borrow(&c, &t, &def, &report, &context, &error) == SN_ERROR_ARGUMENT);
    makeTower(&t, 0, true); // all in one place, and outside
    t.joints[0].rest.translation.x = 10;
    t.other.clipCount = 0;
    CHECK(borrow(&c, &t, &def, &report, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "in one place") != NULL);
    makeTower(&t, 1, true);
    t.joints[1].rest.scale = snVec(0, 1, 1);
    CHECK(borrow(&c, &t, &def, &report, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "'chest' is flat") != NULL);
    makeTower(&t, 1, true);
    t.joints[1].rest.translation.x = NAN;
    CHECK(borrow(&c, &t, &def, &report, &context, &error) != SN_OK);
}

static void everyAllocationMayFail(void)
{
    for (int n = 1; n < 400; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snBorrowDef def = snDefaultBorrowDef();
        snBorrowReport report;
        def.weights.maxCells = 1000;
        snCharacter c;
        Tower t;
        makeTower(&t, 1, false);
        snStatus status = borrow(&c, &t, &def, &report, &context, NULL);
        if (!status) {
            snCharacter_Destroy(&c);
            CHECK(memory.alive == 0 && n > 5);
            return;
        }
        CHECK(status == SN_ERROR_MEMORY && memory.alive == 0);
    }
    CHECK(false);
}

int main(void)
{
    RUN(recordingsOfAnySize);
    RUN(theLastJointCarries);
    RUN(scaleTurnAndOffsetAreKept);
    RUN(badInput);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
