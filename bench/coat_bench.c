// Coated bodies: how many times faster than real time the example scenes run, and piles of nails, on one core (by the time that it
// computed) and on two (by the clock); how deep any sample is in anything after any step, and kernels of piles at the end.
#include "bench/bench.h"
#include "platform/threads.h"
#include "tests/scenes/coats.h"
#include "tests/scenes/piles.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

#define PHASES 3 // of piles: the fall, settling, and what is left

typedef struct Played {
    double passed[PHASES], taken[PHASES]; // s
    Sunk deepest;                         // of all samples after any step, of its own cylinder
    int meeting;                          // kernels, at the end
} Played;

static double spent(int threads)
{
    return threads > 1 ? snBench_Now() : snBench_Computed();
}

// Scenes here last as long as their examples. How deep things are is looked at between steps, by brute force.
static void play(const Run *run, int threads, Played *out)
{
    snContext context = snDefaultContext();
    snThreadPool *pool = NULL;
    snStage stage;
    snError error = {0};
    *out = (Played){0};
    if (snThreadPool_Make(&pool, threads, &error)) return;
    context.tasks = snThreadPool_Tasks(pool);
    if (!makeStage(run, &context, &stage, &error)) {
        for (double t = 0; t < run->seconds - 1e-9; t = snWorld_Time(stage.world)) {
            int phase = t < 1 - 1e-9 ? 0 : t < 2 - 1e-9 ? 1 : 2;
            double begin = spent(threads);
            snWorld_Step(stage.world);
            out->taken[phase] += spent(threads) - begin;
            out->passed[phase] += snWorld_Time(stage.world) - t;
            Sunk now = threads > 1 ? (Sunk){0} : deepestSample(stage.world);
            if (now.share > out->deepest.share) out->deepest = now;
        }
        out->meeting = kernelsOf(stage.world).meeting;
        snStage_Destroy(&stage);
    }
    snThreadPool_Destroy(pool);
}

static double speedOf(const Played *p, int from, int to)
{
    double passed = 0, taken = 0;
    for (int k = from; k < to; k++)
        passed += p->passed[k], taken += p->taken[k];
    return passed / taken;
}

static void tell(snBench *bench, const Run *run, const Played played[2])
{
    char id[64];
    snBench_Report(bench, run->id, speedOf(&played[0], 0, PHASES), "x real time", run->goal);
    snBench_Report(bench, run->id2, speedOf(&played[1], 0, PHASES), "x real time", run->goal2);
    snprintf(id, sizeof id, "coat/depth-%s", run->id + strlen("coat/speed-"));
    snBench_Report(bench, id, 100 * played[0].deepest.share, "% of its cylinder", "<= 5");
    if (run->bodies < 2) return;
    snprintf(id, sizeof id, "coat/kernels-%s", run->id + strlen("coat/speed-"));
    snBench_Report(bench, id, played[0].meeting, "pairs that meet", "<= 0");
    if (!run->name)
        snBench_Note(bench,
                     "%d nails, x real time: first second %.2f on one core, %.2f on two; second "
                     "%.2f, %.2f; third %.2f, %.2f; deepest sample %.2g mm of %.2g cm",
                     run->bodies, speedOf(&played[0], 0, 1), speedOf(&played[1], 0, 1),
                     speedOf(&played[0], 1, 2), speedOf(&played[1], 1, 2),
                     speedOf(&played[0], 2, 3), speedOf(&played[1], 2, 3),
                     1e3 * played[0].deepest.depth, 1e2 * played[0].deepest.rest);
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
        Played played[2];
        if (!snBench_Wants(bench, runs[k].id)) continue;
        for (int t = 0; t < 2; t++)
            play(&runs[k], 1 + t, &played[t]);
        tell(bench, &runs[k], played);
    }
}
