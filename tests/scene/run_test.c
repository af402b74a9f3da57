// Scenes that run: closed forms, holds along keys, and all models of shape.
#include "core/core.h"
#include "tests/scene/sources.h"

static bool stageScene(const char *text, snSceneFile *scene, snStage *stage)
{
    static snContext context;
    snError error = {0};
    context = snDefaultContext();
    snStatus status = readScene(scene, text, &context, &error);
    if (!status) status = snSceneFile_Build(scene, stage, &context, &error);
    if (status) printf("    %s\n", error.message);
    return CHECK(status == SN_OK);
}

static void strike(snSceneFile *scene, snStage *stage)
{
    snStage_Destroy(stage);
    snSceneFile_Destroy(scene);
}

// Smooth or not, thrown bodies fly along the parabola of backward Euler, with all of their momentum.
static void thrownBodiesFly(void)
{
    static const char *const schemes[] = {"trilinear", "maccracken-joy", "bajaj"};
    for (int i = 0; i < 3; i++) {
        char text[800];
        snSceneFile s;
        snStage stage;
        snprintf(
            text, sizeof text,
            HEAD
            "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": [2, "
            "2, 2]}, \"scheme\": \"%s\", \"quadrature\": 1, \"place\": [0, 1, 0], "
            "\"velocity\": [2, 3, 1], \"spin\": [0, 0, \"1 turn\"]}]}",
            schemes[i]);
        if (!stageScene(text, &s, &stage)) continue;
        snWorldMeasure m, first;
        double h = s.step;
        int n = 30;
        snWorld_Measure(stage.world, &first);
        for (int k = 0; k < n; k++)
            snWorld_Step(stage.world);
        snWorld_Measure(stage.world, &m);
        snVec3 momentum = snScale(m.sum.mass, snVec(2, 3 - 9.81 * n * h, 1));
        snVec3 center = snAdd(first.sum.center,
                              snVec(2 * n * h, 3 * n * h - 9.81 * h * h * n * (n + 1) / 2, n * h));
        printf("    %s: %.3f kg, momentum off by %.1e, centre by %.1e m, volume %.5f m³\n",
               schemes[i], m.sum.mass, snDistance(m.sum.momentum, momentum),
               snDistance(m.sum.center, center), m.sum.volume);
        CHECK_NEAR(snDistance(m.sum.momentum, momentum), 0, 1e-7);
        CHECK_NEAR(snDistance(m.sum.center, center), 0, 1e-8);
        strike(&s, &stage);
    }
}

// A bar that is held at its end, under every solver and by either method: it hangs alike where it bends little.
static void solversHoldAlike(void)
{
    static const char *const solvers[] = {
        "\"kind\": \"projective\", \"iterations\": 12",
        "\"kind\": \"newton\", \"constraints\": {\"method\": \"multipliers\", \"time\": \"20 "
        "ms\"}",
        "\"kind\": \"linear\"",
        "\"kind\": \"quasi-linear\", \"turn\": \"curl\"",
        "\"kind\": \"quasi-linear\", \"constraints\": {\"alpha\": 40, \"beta\": 400}",
    };
    double first = 0;
    for (int i = 0; i < 5; i++) {
        char text[900];
        snSceneFile s;
        snStage stage;
        snprintf(text, sizeof text,
                 HEAD "\"bodies\": [{\"name\": \"bar\", \"box\": {\"size\": [0.6, 0.2, 0.2], "
                      "\"cells\": [3, 1, 1]}, \"scheme\": \"maccracken-joy\", \"quadrature\": 1, "
                      "\"material\": {\"young\": 1e6, \"damping\": 0.05}, \"solver\": {%s}, "
                      "\"rotation\": {\"axis\": [0, 1, 0], \"angle\": 40}}], \"attachments\": "
                      "[{\"body\": \"bar\", \"within\": {\"upper\": [-0.2, 1, 1]}}], "
                      "\"probes\": [{\"name\": \"tip\", \"body\": \"bar\", \"point\": [0.28, 0, "
                      "0]}]}",
                 solvers[i]);
        if (!stageScene(text, &s, &stage)) continue;
        for (int k = 0; k < 60; k++)
            snWorld_Step(stage.world);
        double sag = -snBody_Place(stage.world->bodies.data[0], stage.probePoint[0]).y;
        printf("    %s: %.5f m\n", solvers[i], sag);
        if (!i) first = sag;
        CHECK(first > 0.003);
        CHECK_NEAR(sag, first, 0.05 * first);
        CHECK(!stage.world->tales.data[0].failures && !stage.world->tales.data[0].conflicts);
        strike(&s, &stage);
    }
}

// A bar's end goes where its keys have it, turned with them; afterwards it is let go.
static void heldEndsFollowTheirKeys(void)
{
    snSceneFile s;
    snStage stage;
    bool staged = stageScene(
        HEAD
        "\"bodies\": [{\"name\": \"bar\", \"box\": {\"size\": [0.6, 0.1, 0.1], \"cells\": [4, 1, "
        "1]}, "
        "\"quadrature\": 1}], \"attachments\": [{\"body\": \"bar\", \"within\": {\"upper\": "
        "[-0.29, 1, "
        "1]}, \"until\": 0.5, \"keys\": [{\"time\": 0, \"place\": [-0.3, 0, 0]}, {\"time\": 0.4, "
        "\"place\": [-0.3, 0.2, 0], \"rotation\": {\"axis\": [1, 0, 0], \"angle\": 90}}]}], "
        "\"probes\": [{\"name\": \"end\", \"body\": \"bar\", \"point\": [-0.3, 0.05, 0]}, "
        "{\"name\": \"other\", \"body\": \"bar\", \"point\": [0.3, 0, 0]}]}",
        &s, &stage);
    if (!staged) return;
    snBody *bar = stage.world->bodies.data[0];
    while (snWorld_Time(stage.world) < 0.4 - 1e-9)
        snWorld_Step(stage.world);
    CHECK_NEAR(snDistance(snBody_Place(bar, stage.probePoint[0]), snVec(-0.3, 0.2, 0.05)), 0, 1e-9);
    CHECK(!stage.world->tales.data[0].conflicts);
    while (snWorld_Time(stage.world) < 0.8)
        snWorld_Step(stage.world);
    CHECK(snBody_Place(bar, stage.probePoint[0]).y < 0.1);
    strike(&s, &stage);
}

// A mesh in a regular lattice, and in one that follows it, weighs what it should.
static void meshesBecomeBodies(void)
{
    static const char *const lattices[] = {"\"grid\": [6, 2, 6]", "\"cells\": 200"};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snSceneFile s;
        snStage stage;
        snprintf(text, sizeof text,
                 HEAD "\"bodies\": [{\"name\": \"ring\", \"mesh\": {\"file\": \"ring.obj\", %s}, "
                      "\"quadrature\": 1, \"place\": [0, 0.12, 0]}], \"colliders\": [{\"kind\": "
                      "\"floor\"}]}",
                 lattices[i]);
        if (!stageScene(text, &s, &stage)) continue;
        snWorldMeasure m;
        for (int k = 0; k < 20; k++)
            snWorld_Step(stage.world);
        snWorld_Measure(stage.world, &m);
        printf("    %s: %d functions, %.3f kg, %.5f m³\n", lattices[i],
               stage.world->bodies.data[0]->functions, m.sum.mass, m.sum.volume);
        CHECK_NEAR(m.sum.volume, 0.0348, 0.001);
        CHECK_NEAR(m.sum.mass, 1000 * 0.0348, 3);
        CHECK(stage.world->tales.data[0].deepest < 0.005);
        strike(&s, &stage);
    }
}

// Two blocks that fly at each other: what one loses the other gets, and they stay apart; unless they are let pass.
static void bodiesBumpIntoEachOther(void)
{
    for (int i = 0; i < 2; i++) {
        char text[900];
        snSceneFile s;
        snStage stage;
        snprintf(text, sizeof text,
                 HEAD
                 "\"gravity\": [0, 0, 0], \"bodiesTouch\": %s, \"bodies\": [{\"name\": \"a\", "
                 "\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}, \"quadrature\": 1, "
                 "\"velocity\": [2, 0, 0]}, {\"name\": \"b\", \"box\": {\"size\": [0.2, 0.2, "
                 "0.2], \"cells\": [2, 2, 2]}, \"quadrature\": 1, \"place\": [0.4, 0.03, 0.02], "
                 "\"velocity\": [-1, 0, 0]}]}",
                 i ? "false" : "true");
        if (!stageScene(text, &s, &stage)) continue;
        snBodyMeasure a, b;
        double nearest = INFINITY, drift = 0;
        for (int k = 0; k < 30; k++) {
            snWorld_Step(stage.world);
            snBody_Measure(stage.world->bodies.data[0], &a);
            snBody_Measure(stage.world->bodies.data[1], &b);
            nearest = fmin(nearest, b.center.x - a.center.x);
            drift = fmax(drift, snDistance(snAdd(a.momentum, b.momentum), snVec(8, 0, 0)));
        }
        printf("    %s: nearest %.4f m, momentum off by %.1e\n", i ? "pass" : "touch", nearest,
               drift);
        CHECK(drift < 1e-9);
        CHECK(i ? nearest < 0 : nearest > 0.15);
        strike(&s, &stage);
    }
}

int main(void)
{
    RUN(thrownBodiesFly);
    RUN(solversHoldAlike);
    RUN(heldEndsFollowTheirKeys);
    RUN(meshesBecomeBodies);
    RUN(bodiesBumpIntoEachOther);
    return snTest_Finish();
}
