// Bodies of the example scenes in their boxes: at rest for a minute.
#include "bench/bench.h"
#include "tests/scenes/shipped.h"
#include "tests/scenes/watching.h"

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
