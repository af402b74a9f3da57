// Layered characters in scenes: what is read of them, what is wrong with them, that the skin follows its postures where it was put,
// and keeps its bits.
#include "body/skin/skin_body.h"
#include "tests/scene/sources.h"
#include "tests/world/makers.h"

#include <math.h>

#define SKIN(more)                                                                                 \
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"bodies\": [{\"name\": "     \
    "\"ball\", \"layered\": {\"file\": \"penguin.txt\"" more

#define OVER(more)                                                                                 \
    "{\"sinew\": \"scene\", \"version\": 1, \"bodies\": [{\"name\": \"flesh\", \"box\": "          \
    "{\"size\": [0.3, 0.2, 0.2], \"cells\": [2, 2, 2]}}, {\"name\": \"skin\", \"skin\": {" more    \
    "}]}"

static const char plain[] = SKIN(", \"settle\": 0.2}, \"place\": [1, 2, 3]}], \"probes\": [{"
                                 "\"name\": \"side\", \"body\": \"ball\", \"near\": [2, 2, "
                                 "3]}], \"attachments\": [{\"body\": \"ball\", \"near\": [1, "
                                 "2, 4], \"spring\": {\"stiffness\": 2}, \"at\": [1, 2, 3.2]}]}");

static void everythingIsRead(void)
{
    static const char all[] =
        SKIN(", \"resolution\": [6, 8], \"integrator\": \"rk4\", \"loop\": true, "
             "\"settle\": \"100 ms\", \"smooth\": 2}, \"color\": \"#ff0000\"}]}");
    snContext context = snDefaultContext();
    snSceneFile s;
    snError error = {0};
    if (!CHECK(readScene(&s, all, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snSceneLayered *layered = s.bodies[0].layered;
    const snLayeredSettings *settings = snLayered_Settings(&layered->editor.layered);
    CHECK(snLayered_Count(&layered->editor.layered, SN_TABLE_POINTS) == 48);
    CHECK(settings->loop && settings->integrator == SN_SKIN_RK4);
    CHECK(layered->settle == 0.1 && layered->smooth == 2 && !s.bodies[0].colors);
    snSceneFile_Destroy(&s);
}

static void complaintsNameThePath(void)
{
    static const char *const wrong[][2] = {
        {SKIN(", \"pace\": 1}}]}"), "bodies[0].layered"},
        {SKIN("}, \"spin\": [0, 0, 1]}]}"), "bodies[0]"},
        {SKIN(", \"resolution\": [6]}}]}"),
         "bodies[0].layered.resolution: must be [rows, columns]"},
        {SKIN(", \"resolution\": \"fine\"}}]}"), "bodies[0].layered.resolution"},
        {SKIN(", \"resolution\": [1, 8]}}]}"), "bodies[0].layered.resolution[0]"},
        {SKIN(", \"integrator\": \"rk3\"}}]}"), "bodies[0].layered.integrator"},
        {SKIN(", \"settle\": -1}}]}"), "bodies[0].layered.settle"},
        {SKIN(", \"smooth\": 9}}]}"), "bodies[0].layered.smooth"},
        {SKIN(", \"skeleton\": {\"bones\": 1}}}]}"), "bodies[0].layered.skeleton"},
        {SKIN(", \"skeleton\": {\"density\": 0}}}]}"), "bodies[0].layered.skeleton.density"},
        {SKIN(", \"skeleton\": {\"joints\": [{\"part\": \"wing\"}]}}}]}"),
         "bodies[0].layered.skeleton.joints[0].part"},
        {"{\"sinew\": \"scene\", \"version\": 1, \"bodies\": [{\"name\": \"a\", \"layered\": {}}]}",
         "bodies[0].layered"},
        {"{\"sinew\": \"scene\", \"version\": 1, \"bodies\": [{\"name\": \"a\", \"layered\": "
         "{\"file\": \"bare.txt\"}}]}",
         "bodies[0].layered.file: is a character without a skin"},
        {"{\"sinew\": \"scene\", \"version\": 1, \"bodies\": [{\"name\": \"a\", \"layered\": "
         "{\"file\": \"wrong.txt\"}}]}",
         "bodies[0].layered.file: line 2"},
        {SKIN(", \"self\": 1}}]}"), "bodies[0].layered.self"},
        {OVER("\"over\": \"fresh\"}"), "bodies[1].skin.over: there is no body \"fresh\""},
        {OVER("\"cell\": 0.1}"), "bodies[1].skin"},
        {OVER("\"over\": \"flesh\", \"cel\": 0.1}"), "bodies[1].skin"},
        {OVER("\"over\": \"flesh\", \"tightness\": 1}"), "bodies[1].skin.tightness"},
        {OVER("\"over\": \"flesh\"}, \"place\": [0, 1, 0]"), "bodies[1]"},
        {OVER("\"over\": \"flesh\"}}, {\"name\": \"b\", \"skin\": {\"over\": \"skin\"}"),
         "bodies[2].skin.over: is a skin itself"},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snSceneFile s;
        snError error = {0};
        CHECK(readScene(&s, wrong[i][0], &context, &error) != SN_OK);
        if (!CHECK(!strncmp(error.message, wrong[i][1], strlen(wrong[i][1]))))
            printf("    \"%s\", not \"%s ...\"\n", error.message, wrong[i][1]);
    }
}

// The ball goes to 0.1 m along x at 0.2 s and back, where it was put; the skin closes and lies round it.
static void theSkinIsLed(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    snStatus status = readScene(&s, plain, &context, &error);
    if (!status) status = snSceneFile_Build(&s, &stage, &context, &error);
    if (!CHECK(status == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snBody *body = stage.world->bodies.data[0];
    CHECK(body->triangleCount == 4 * (2 * 8 * 12 + 24) && s.bodies[0].colors);
    snBodyMeasure begin, there;
    snBody_Measure(stage.world->bodies.data[0], &begin);
    CHECK(snDistance(begin.center, snVec(1, 2, 3)) < 0.02);
    size_t size = snBody_SaveSize(body);
    void *bytes = malloc(size), *again = malloc(size), *end = malloc(size);
    snBody_Save(body, bytes);
    for (int k = 0; k < 24; k++)
        snWorld_Step(stage.world);
    snBody_Measure(stage.world->bodies.data[0], &there);
    CHECK(there.center.x > begin.center.x + 0.03 && stage.world->tales.data[0].failures == 0);
    snBody_Save(body, end);
    snVec3 middle = {0, 0, 0};
    for (int v = 0; v < body->vertexCount; v++)
        middle = snMulAdd(middle, 1.0 / body->vertexCount, snBody_Vertex(body, v));
    CHECK(snDistance(middle, there.center) < 0.01);
    CHECK(fabs(snBody_Volume(body) / begin.volume - 1) < 0.15); // the drawn surface is closed
    snStage_Destroy(&stage);
    CHECK(snSceneFile_Build(&s, &stage, &context, NULL) == SN_OK);
    for (int k = 0; k < 24; k++)
        snWorld_Step(stage.world);
    snBody_Save(stage.world->bodies.data[0], again);
    CHECK(!memcmp(end, again, size));
    CHECK(snBody_Restore(stage.world->bodies.data[0], bytes, NULL) == SN_OK);
    snBody_Save(stage.world->bodies.data[0], again);
    CHECK(!memcmp(bytes, again, size));
    free(bytes), free(again), free(end);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&s);
}

static void everyAllocationFails(void)
{
    static const char small[] = SKIN(", \"settle\": 0, \"resolution\": [4, 5]}}]}");
    for (int failAt = 1; failAt < 100000; failAt += failAt < 50 || snTest_Whole() ? 1 : 17) {
        snFailingMemory memory = {.failAtWay = failAt};
        snContext context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        snSceneFile s;
        snStage stage;
        snStatus status = readScene(&s, small, &context, NULL), built = SN_OK;
        if (!status) {
            built = snSceneFile_Build(&s, &stage, &context, NULL);
            if (!built) snStage_Destroy(&stage);
            snSceneFile_Destroy(&s);
        }
        CHECK(!status || status == SN_ERROR_MEMORY);
        CHECK(!built || built == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        if (!status && !built) return;
    }
    CHECK(false);
}

// ---- skeletons that give way --------------------------------------------------------------------

#define LIMP ", \"settle\": 0.2, \"skeleton\": {\"strength\": 0, \"hand\": 0, \"density\": 1000}}"

// In space links and skin together keep what they have, what is on its way from one to the other counted.
static void reactionsKeepMomentum(void)
{
    static const char space[] = SKIN(LIMP "}], \"gravity\": [0, 0, 0]}");
    snSceneFile scene;
    snStage stage;
    if (!makeStage(space, &scene, &stage)) return;
    snBody *body = stage.world->bodies.data[0];
    snBody_SetVelocity(body, snVec(0.3, 0.2, -0.1), snVec(1, 0.5, 2));
    double worst = 0, drift = 0;
    snVec3 before = {0, 0, 0}, first = {0, 0, 0};
    snBodyMeasure m = {0};
    for (int k = 0; k <= 120; k++) {
        if (k) snWorld_Step(stage.world);
        snBody_Measure(body, &m);
        snVec3 sum = snAdd(m.momentum, snSkinLinks_Owed(snSkinBody_Links(body), body->step));
        if (!k) first = sum;
        if (k) worst = fmax(worst, snDistance(sum, before) / snLength(first));
        drift = fmax(drift, snDistance(m.momentum, first) / snLength(first));
        before = sum;
    }
    // A ball of 0.1 m and what is its own of others: 4.19 kg, by cells of a grid.
    printf("    %.2f kg; links and skin with what is on its way change by %.1e in a step, without "
           "by %.1e "
           "in all\n",
           m.mass, worst, drift);
    CHECK(worst < 1e-9 && drift < 0.05 && !stage.world->tales.data[0].failures);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

// Dropped, it comes to lie on its muscles, no deeper than they rest.
static void limpOnesFall(void)
{
    static const char drop[] = SKIN(
        LIMP
        ", \"place\": [0, 0.4, 0]}], \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5}]}");
    snSceneFile scene;
    snStage stage;
    if (!makeStage(drop, &scene, &stage)) return;
    snBody *body = stage.world->bodies.data[0];
    double low = 1;
    snBodyMeasure m = {0};
    for (int k = 0; k < 240; k++)
        snWorld_Step(stage.world);
    snBody_Measure(body, &m);
    for (int v = 0; v < body->vertexCount; v++)
        low = fmin(low, snBody_Vertex(body, v).y);
    printf("    centre at %.3f m, lowest %.1f mm, %.1e J\n", m.center.y, 1000 * low, m.kinetic);
    CHECK(m.center.y > 0.05 && m.center.y < 0.2 && low > -0.02 && m.kinetic < 0.05);
    CHECK(!stage.world->tales.data[0].failures);
    checkGoesOn(stage.world, 20);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

// ---- bare muscles -------------------------------------------------------------------------------

#define BEAKED(more, place)                                                                        \
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"gravity\": [0, 0, 0], "     \
    "\"bodies\": [{\"name\": \"bird\", \"layered\": {\"file\": \"beaked.txt\"" more "}, "          \
    "{\"name\": \"block\", \"box\": {\"size\": [0.1, 0.3, 0.3], \"cells\": [1, 3, 3]}, "           \
    "\"material\": {\"young\": \"200 kPa\", \"density\": 200}, \"place\": " place "}]}"

// How deep vertices of a block are in the beak, m.
static double deepestInBeak(const snBody *bird, const snBody *block)
{
    const snSkinMuscles *muscles = &snSkinBody_Skin((snBody *)(uintptr_t)bird)->muscles;
    double deepest = 0;
    for (int v = 0; v < block->vertexCount; v++)
        deepest = fmax(deepest, -snMuscle_Distance(&muscles->edge[1][1], snBody_Vertex(block, v)));
    return deepest;
}

// Led by its postures it comes 0.1 m nearer: its beak pushes a block away that its skin never reaches, as fast as it comes, for a beak
// does not give way.
static void aBeakPushes(void)
{
    static const char pushing[] = BEAKED(", \"settle\": 0.2}", "[0.27, 0, 0]");
    snSceneFile scene;
    snStage stage;
    if (!makeStage(pushing, &scene, &stage)) return;
    const snBody *bird = stage.world->bodies.data[0], *block = stage.world->bodies.data[1];
    snBodyMeasure first, m = {0};
    double deepest = 0;
    snBody_Measure((snBody *)(uintptr_t)block, &first);
    for (int k = 0; k < 36; k++) {
        snWorld_Step(stage.world);
        deepest = fmax(deepest, deepestInBeak(bird, block));
    }
    snBody_Measure((snBody *)(uintptr_t)block, &m);
    printf("    the block went %.0f mm; its vertices were %.2f mm deep in the beak\n",
           1e3 * (m.center.x - first.center.x), 1e3 * deepest);
    // The beak is a polygon here, 0.024 of its radius thinner than a ball; contacts allow 3e-4 of a size.
    CHECK(m.center.x - first.center.x > 0.06 && deepest < 0.024 * 0.04 + 3e-4 * 0.4);
    CHECK(!stage.world->tales.data[0].failures && !stage.world->tales.data[1].failures);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

// Limp and thrown at a block: what one loses the other gets, whether the beak meets it or the skin.
static void thrownAtABlock(const char *text, double speed, const char *how)
{
    snSceneFile scene;
    snStage stage;
    if (!makeStage(text, &scene, &stage)) return;
    snBody *bird = stage.world->bodies.data[0], *block = stage.world->bodies.data[1];
    snBody_SetVelocity(bird, snVec(speed, 0, 0), snVec(0, 0, 0));
    double worst = 0;
    snVec3 first = {0, 0, 0};
    snBodyMeasure a = {0}, b = {0};
    for (int k = 0; k <= 60; k++) {
        if (k) snWorld_Step(stage.world);
        snBody_Measure(bird, &a);
        snBody_Measure(block, &b);
        snVec3 sum = snAdd(snAdd(a.momentum, b.momentum),
                           snSkinLinks_Owed(snSkinBody_Links(bird), bird->step));
        if (!k) first = sum;
        worst = fmax(worst, snDistance(sum, first) / snLength(first));
    }
    double fast = b.momentum.x / b.mass / speed, slow = a.momentum.x / a.mass / speed;
    printf(
        "    %s first: %.2f kg of bird at %.2f m/s, %.2f kg of block at %.2f m/s; momentum off by "
        "%.1e\n",
        how, a.mass, slow, b.mass, fast, worst);
    CHECK(worst < 1e-9 && fast > 0.5 && fast >= slow - 0.05);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

static void limpOnesKeepMomentum(void)
{
    thrownAtABlock(BEAKED(LIMP, "[0.27, 0, 0]"), 1, "beak");
    thrownAtABlock(BEAKED(LIMP, "[-0.18, 0, 0]"), -1, "skin");
}

int main(void)
{
    RUN(everythingIsRead);
    RUN(complaintsNameThePath);
    RUN(theSkinIsLed);
    RUN(everyAllocationFails);
    RUN(reactionsKeepMomentum);
    RUN(limpOnesFall);
    RUN(aBeakPushes);
    RUN(limpOnesKeepMomentum);
    return snTest_Finish();
}
