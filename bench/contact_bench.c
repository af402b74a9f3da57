// Bodies of the example scenes among what they bump into: at rest for a minute, and thrown at 10 m/s.
#include "bench/bench.h"
#include "tests/scenes/shipped.h"
#include "tests/scenes/thrown.h"

#define SETTLE 14.0 // s
#define AFTER 60.0  // s

void snBench_Rest(snBench *bench)
{
    Shipped shipped;
    snSceneFile scene;
    snStage stage;
    snError error = {0};
    makeShipped(&shipped);
    snStatus status = readShippedScene(&shipped, "duck-tossed", &scene, &error);
    if (!status) {
        status = snSceneFile_Build(&scene, &stage, &shipped.context, &error);
        snSceneFile_Destroy(&scene);
    }
    if (status) {
        snBench_Skip(bench, error.message);
    } else {
        Watch before = watchBody(stage.world, 0, SETTLE);
        Watch after = watchBody(stage.world, 0, AFTER);
        snBench_Note(bench,
                     "duck-tossed: slower than 1e-4 lengths per second from %.1f s on, outside by "
                     "%.1e lengths at most before; for %g s from %g s on:",
                     before.last, before.deepest, AFTER, SETTLE);
        snBench_Report(bench, "multires/rest-in-box-outside", after.deepest, "lengths", "<= 1e-3");
        snBench_Report(bench, "multires/rest-in-box-speed", after.fastest, "lengths/s", "<= 1e-4");
        snStage_Destroy(&stage);
    }
    freeShipped(&shipped);
}

// Vertices that were deeper in something than 1e-3 of the length, over all throws and steps.
static void throwAll(snBench *bench, const char *id, bool pairs)
{
    Shipped shipped;
    snError error = {0};
    int through = 0;
    if (!snBench_Wants(bench, id)) return;
    makeShipped(&shipped);
    for (int i = 0; i < SHIPPED_BODIES; i++)
        for (int k = 0; k < (pairs ? SHIPPED_BODIES : 1); k++) {
            Throw def = {shippedBodies[i], pairs ? shippedBodies[k] : NULL, 10, pairs ? 0.1 : 0.3};
            Thrown seen = throwBodies(&shipped, &def, &error);
            through += seen.through;
            if (!seen.good) snBench_Note(bench, "%s: %s", def.first, error.message);
            if (seen.through || seen.failures || !pairs)
                snBench_Note(bench,
                             "%-16s at %-16s deepest %.1e lengths, %d through in %d steps, at most "
                             "%.2f of the energy, %.1e more after a step than before it",
                             def.first, pairs ? def.second : "walls", seen.deepest, seen.through,
                             seen.steps, seen.energy, seen.rise);
        }
    freeShipped(&shipped);
    snBench_Report(bench, id, through, "vertices", "== 0");
}

void snBench_Thrown(snBench *bench)
{
    throwAll(bench, "multires/thrown-at-walls", false);
    throwAll(bench, "multires/thrown-at-each-other", true);
}
