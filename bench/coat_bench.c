// Coated bodies: how many times faster than real time the example scenes run, and piles of nails, on one core (by the time that it
// computed) and on two (by the clock).
#include "bench/bench.h"
#include "platform/threads.h"
#include "tests/scenes/piles.h"

#include <math.h>

typedef struct Run {
    const char *name;      // of the example; of piles NULL
    int bodies;            // of a pile
    double seconds;        // of a pile
    const char *id, *goal; // on one core
    const char *id2, *goal2;
} Run;

static snStatus makeStage(const Run *run, const snContext *context, snStage *stage, snError *error)
{
    snPileDef def = {run->bodies, run->seconds};
    if (!run->name) return makePile(&def, context, stage, error);
    Shipped shipped;
    snSceneFile scene;
    makeShipped(&shipped);
    snStatus status = readShippedScene(&shipped, run->name, &scene, error);
    if (!status) {
        status = snSceneFile_Build(&scene, stage, context, error);
        snSceneFile_Destroy(&scene);
    }
    freeShipped(&shipped);
    return status;
}

// The seconds that pass in the scene; those that it takes into *taken. Scenes here last as long as their examples.
static double play(const Run *run, int threads, double duration, double *taken, double *deepest)
{
    snContext context = snDefaultContext();
    snThreadPool *pool = NULL;
    snStage stage;
    snError error = {0};
    *taken = NAN;
    if (snThreadPool_Make(&pool, threads, &error)) return 0;
    context.tasks = snThreadPool_Tasks(pool);
    double passed = 0;
    if (!makeStage(run, &context, &stage, &error)) {
        double begin = threads > 1 ? snBench_Now() : snBench_Computed();
        while (snWorld_Time(stage.world) < duration)
            snWorld_Step(stage.world);
        *taken = (threads > 1 ? snBench_Now() : snBench_Computed()) - begin;
        passed = snWorld_Time(stage.world);
        for (int i = 0; i < stage.world->tales.count; i++)
            *deepest = fmax(*deepest, stage.world->tales.data[i].deepest);
        snStage_Destroy(&stage);
    }
    snThreadPool_Destroy(pool);
    return passed;
}

void snBench_Coat(snBench *bench)
{
    static const Run runs[] = {
        {"octopus", 1, 1.8, "coat/speed-octopus", ">= 20", "coat/speed-octopus-2", ""},
        {"nails", 3, 2, "coat/speed-nails", "", "coat/speed-nails-2", ""},
        {"skittles", 6, 1.2, "coat/speed-skittles", "", "coat/speed-skittles-2", ""},
        {NULL, 27, 3, "coat/speed-pile-27", "", "coat/speed-pile-27-2", ""},
        {NULL, 100, 3, "coat/speed-pile-100", "", "coat/speed-pile-100-2", ">= 1"}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const Run *run = &runs[k];
        double taken[2], passed[2], deepest = 0;
        if (!snBench_Wants(bench, run->id)) continue;
        for (int t = 0; t < 2; t++)
            passed[t] = play(run, 1 + t, run->seconds, &taken[t], &deepest);
        snBench_Report(bench, run->id, passed[0] / taken[0], "x real time", run->goal);
        snBench_Report(bench, run->id2, passed[1] / taken[1], "x real time", run->goal2);
        snBench_Note(bench, "%s, %d %s, %.1f s: %.2f s on one core, %.2f s on two; deepest %.2g mm",
                     run->name ? run->name : "pile", run->bodies,
                     run->bodies > 1 ? "bodies" : "body", run->seconds, taken[0], taken[1],
                     1e3 * deepest);
    }
}
