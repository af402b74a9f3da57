// Bodies of the example scenes among what they bump into.
#include "tests/scenes/shipped.h"
#include "tests/scenes/thrown.h"
#include "tests/test.h"

static Shipped shipped;
static snError error;

static bool stageOf(const char *name, snStage *stage)
{
    snSceneFile scene;
    snStatus status = readShippedScene(&shipped, name, &scene, &error);
    if (!CHECK(status == SN_OK)) return false;
    status = snSceneFile_Build(&scene, stage, &shipped.context, &error);
    snSceneFile_Destroy(&scene);
    return CHECK(status == SN_OK);
}

// The ring that is thrown into a box; `make bench ONLY=multires/rest` has the duck, for a minute.
static void restsInItsBox(void)
{
    snStage stage;
    if (!stageOf("box", &stage)) return;
    Watch before = watchBody(stage.world, 0, 4);
    Watch after = watchBody(stage.world, 0, 10);
    printf("    outside by %.1e lengths at most while it settles, slow from %.1f s on; then %.1e, "
           "at %.1e lengths per second\n",
           before.deepest, before.last, after.deepest, after.fastest);
    CHECK(before.deepest < 1e-3 && before.last < 4);
    CHECK(after.deepest < 1e-3 && after.fastest < 1e-4);
    snStage_Destroy(&stage);
}

// At 10 m/s; `make bench ONLY=multires/thrown` has all bodies.
static void nothingPassesThrough(void)
{
    static const Throw throws[] = {{"drop", NULL, 10, 0.15},  {"drop", "drop", 10, 0.1},
                                   {"drop", "hung", 10, 0.1}, {"box", "bar", 10, 0.1},
                                   {"drop", "bar", 10, 0.1},  {"bar", "star-released", 10, 0.1}};
    size_t count = snTest_Whole() ? sizeof throws / sizeof *throws : 4;
    for (size_t i = 0; i < count; i++) {
        Thrown seen = throwBodies(&shipped, &throws[i], &error);
        printf("    %s at %s: deepest %.1e lengths, %d through, %.2f of its energy left\n",
               throws[i].first, throws[i].second ? throws[i].second : "walls", seen.deepest,
               seen.through, seen.left);
        CHECK(seen.good && seen.through == 0 && seen.failures == 0 && seen.energy < 1.001);
        CHECK(seen.rise < 1e-3);
    }
}

// Four times as fast as anything must bear: elements are folded and drawn out to many times their length. Nothing flies apart,
// for what resists being crushed is never stiffer than a search knows of (cells_kernel.c).
static void hardBlowsMakeNoEnergy(void)
{
    static const Throw throws[] = {
        {"hung", NULL, 40, 0.15}, {"box", NULL, 20, 0.15}, {"box", NULL, 40, 0.15}};
    for (size_t i = 0; i < sizeof throws / sizeof *throws; i++) {
        Thrown seen = throwBodies(&shipped, &throws[i], &error);
        printf("    %s at walls at %g m/s: deepest %.1e lengths, %d through, %.4f of its energy at "
               "most, %.1e more after a step than before it\n",
               throws[i].first, throws[i].speed, seen.deepest, seen.through, seen.energy,
               seen.rise);
        CHECK(seen.good && seen.through == 0 && seen.failures == 0);
        CHECK(seen.energy < 1.001 && seen.rise < 1e-3);
    }
}

// Half of a smooth bar is held, by far more vertices than it has functions there, and shaken.
static void manyPointsAreHeld(void)
{
    snSceneFile scene;
    snStage stage;
    snWorldMeasure m;
    if (!CHECK(readShippedScene(&shipped, "bar", &scene, &error) == SN_OK)) return;
    scene.attachments[0].spot.box.upper.x = 0;
    snStatus status = snSceneFile_Build(&scene, &stage, &shipped.context, &error);
    snSceneFile_Destroy(&scene);
    if (!CHECK(status == SN_OK)) return;
    const snBodyTale *tale = stage.world->tales.data;
    for (int k = 0; k < 240; k++)
        snWorld_Step(stage.world);
    snWorld_Measure(stage.world, &m);
    printf(
        "    %d points held with %d functions: %d steps failed, %d with contradictions, %.2f J\n",
        stage.world->attachments.count, stage.world->bodies.data[0]->functions, tale->failures,
        tale->conflicts, m.sum.kinetic + m.sum.elastic);
    CHECK(stage.world->attachments.count > 100 && !tale->failures && !tale->conflicts);
    CHECK(m.sum.kinetic + m.sum.elastic < 100);
    snStage_Destroy(&stage);
}

int main(void)
{
    makeShipped(&shipped);
    RUN(restsInItsBox);
    RUN(manyPointsAreHeld);
    RUN(nothingPassesThrough);
    RUN(hardBlowsMakeNoEnergy);
    freeShipped(&shipped);
    if (error.code) printf("    %s\n", error.message);
    return snTest_Finish();
}
