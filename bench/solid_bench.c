// Where a step of a smooth body spends its time, and what bounds it: the parts of one iteration of the default
// solver, each with what it reads and writes of memory at least, against the rate at which one core reads an array
// of the same size.
#include "bench/bench.h"
#include "bench/machine.h"
#include "body/lattice/passes.h"
#include "core/core.h"
#include "tests/body/lattice/solid_boxes.h"

#include <stdio.h>

enum { STEP, ELEMENTS, PULL, SOLVE, PUSH, PARTS };

typedef struct Job {
    SolidBox box;
    double *q, *y, *solve;
} Job;

static void runStep(void *context)
{
    Job *job = context;
    stepSolidBox(&job->box);
}

static void runElements(void *context)
{
    Job *job = context;
    double energy = 0;
    snRunPass(job->box.model, job->box.state, SN_PASS_PROBE_FORCE, job->box.state->position, NULL,
              &energy);
    snBench_Keep(&energy);
}

static void runPull(void *context)
{
    Job *job = context;
    snSpace_Pull(job->box.model, job->box.state, job->y, job->q);
}

static void runSolve(void *context)
{
    Job *job = context;
    for (int k = 0; k < 4 * job->box.model->space->functionCount; k++)
        job->q[k] = k % 4 < 3;
    snFactor_SolveRows(job->box.model->factor, job->q, job->solve);
}

static void runPush(void *context)
{
    Job *job = context;
    snSpace_Push(job->box.model, job->box.state, job->q, job->y);
}

static void runStream(void *context)
{
    snReadStream_Run(context);
}

// Bytes that a part goes through: numbers of elements and their corner forces; weights with their columns and
// one vector; the factor twice.
static double bytesOf(const Job *job, int part)
{
    const snLatticeModel *model = job->box.model;
    double nodes = model->vertexCount, elements = 0, total = 0;
    double weights = model->space->rows.start[model->vertexCount];
    for (int c = 0; c < model->classCount; c++) {
        elements = model->classes[c].count;
        double corners = model->classes[c].corners;
        total += elements * (8 * (3 * (corners - 1) + 2) + 4 * corners); // gradients, moduli
        total += elements * 8 * 3 * corners;                             // forces
    }
    if (part == ELEMENTS) return total + 32 * nodes;
    if (part == SOLVE) return 16.0 * (double)model->factorNonZeros;
    return 12 * weights + 32 * nodes;
}

// How often a step has a part: targets, the first guess, then every iteration and every shorter try.
static double runsOf(int part, int iterations, double halved)
{
    if (part == ELEMENTS) return 2 + iterations + halved;
    if (part == SOLVE) return iterations;
    return (part == PUSH ? 2 : 0) + iterations + halved; // the end needs no gradient
}

static void measureStep(snBench *bench, const char *name, snScheme scheme, int levels)
{
    Job job = {0};
    snContext context = snDefaultContext();
    snError error = {0};
    SolidBoxDef def = {.scheme = scheme,
                       .levels = levels,
                       .nodeLevel = levels + 2,
                       .cells = {3, 2, 2},
                       .poisson = 0.4,
                       .projective = true,
                       .iterations = 3};
    if (makeSolidBox(&job.box, &def, &context, &error)) {
        fprintf(stderr, "step: %s\n", error.message);
        freeSolidBox(&job.box);
        return;
    }
    const snLatticeModel *model = job.box.model;
    snArena *arena = &job.box.arena;
    job.q = SN_NEW(arena, double, 4 * model->space->functionCount);
    job.y = SN_NEW(arena, double, 4 * model->vertexCount);
    job.solve = SN_NEW(arena, double, snFactor_ScratchSize(model->factor, 4));
    stepSolidBox(&job.box); // the probes have targets then
    snContestant sides[PARTS] = {{.name = "step", .run = runStep, .context = &job},
                                 {.name = "elements", .run = runElements, .context = &job},
                                 {.name = "Bᵀ", .run = runPull, .context = &job},
                                 {.name = "back-substitution", .run = runSolve, .context = &job},
                                 {.name = "B", .run = runPush, .context = &job}};
    snBench_Compare(bench, sides, PARTS);
    snBench_Note(bench, "%s, %d functions, %d nodes, %d weights: a step of %d iterations %.2f ms",
                 name, model->space->functionCount, model->vertexCount,
                 model->space->rows.start[model->vertexCount], def.iterations,
                 1e3 * sides[STEP].seconds);
    const snLatticeState *state = job.box.state;
    double halved = (double)state->backtracks / (double)state->steps, known = 0;
    for (int part = ELEMENTS; part < PARTS; part++) {
        double bytes = bytesOf(&job, part);
        snReadStream stream = {.count = (size_t)(bytes / 8)};
        stream.data = SN_NEW(arena, double, stream.count);
        snContestant reading = {.name = "read", .run = runStream, .context = &stream};
        if (stream.data) snBench_Compare(bench, &reading, 1);
        double runs = runsOf(part, def.iterations, halved);
        double share = sides[part].seconds * runs / sides[STEP].seconds;
        known += share;
        snBench_Note(
            bench,
            "    %-17s %7.3f ms, %4.1f times a step: %2.0f %% of it; %5.2f MB, %4.1f GB/s of %4.1f",
            sides[part].name, 1e3 * sides[part].seconds, runs, 100 * share, 1e-6 * bytes,
            1e-9 * bytes / sides[part].seconds, stream.data ? 1e-9 * bytes / reading.seconds : 0);
    }
    snBench_Note(bench, "    the rest, vectors and memory of the search: %.0f %%",
                 100 * (1 - known));
    char id[64];
    snprintf(id, sizeof id, "multires/step-%s-elements", name);
    snBench_Report(bench, id,
                   100 * sides[ELEMENTS].seconds * runsOf(ELEMENTS, def.iterations, halved) /
                       sides[STEP].seconds,
                   "%", "");
    freeSolidBox(&job.box);
}

void snBench_SolidStep(snBench *bench)
{
    if (!snBench_Wants(bench, "multires/step")) return;
    measureStep(bench, "smooth-0", SN_SCHEME_MACCRACKEN_JOY, 0);
    measureStep(bench, "smooth-1", SN_SCHEME_MACCRACKEN_JOY, 1);
    measureStep(bench, "trilinear-1", SN_SCHEME_TRILINEAR, 1);
}
