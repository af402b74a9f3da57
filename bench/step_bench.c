// The whole default step of a lattice body, on the block of bench/block.h: against one
// back-substitution of CHOLMOD with the matrix that a global linear step would factor, and against
// the bare kernels; and how its cost grows with the size.
#include "bench/bare.h"
#include "bench/bench.h"
#include "bench/block.h"
#include "bench/cholmod_side.h"

#include <math.h>
#include <stdio.h>

// The step measured, and what it is held against.
typedef struct StepJob {
    snBlock block, single; // the second in single precision
    snBare bare;
    snCholmod cholmod[SN_CHOLMOD_KINDS];
    snSparse matrix; // of the global linear step, 3x3 entries
} StepJob;

enum { STEP, SINGLE, BARE, CELLS, SOLVE, CHOLMOD, SIDES = CHOLMOD + SN_CHOLMOD_KINDS };

static bool makeMatrix(StepJob *job)
{
    const snLatticeModelDef *def = &job->block.model->def;
    snError error = {0};
    double h = def->step;
    snStatus status =
        snBlock_LinearMatrix(&job->block, 1 + h * def->massDamping, h * (h + def->stiffnessDamping),
                             &job->matrix, &job->block.arena, &error);
    if (status) fprintf(stderr, "step: %s\n", error.message);
    return !status;
}

static bool makeBlocks(StepJob *job, snBlockSize size)
{
    snLatticeModelDef def = snBlock_DefaultDef();
    if (!snBlock_Make(&job->block, size, NULL)) return false;
    def.precision = SN_PRECISION_SINGLE;
    if (snBlock_Make(&job->single, size, &def)) return true;
    snBlock_Destroy(&job->block);
    return false;
}

static bool makeJob(StepJob *job, snBlockSize size, snContestant sides[SIDES])
{
    if (!makeBlocks(job, size)) return false;
    int rows = 3 * job->block.model->freeCount;
    double *b = SN_NEW(&job->block.arena, double, rows);
    if (!b || !makeMatrix(job) || !snBare_Make(&job->bare, &job->block)) {
        snBlock_Destroy(&job->block);
        snBlock_Destroy(&job->single);
        return false;
    }
    for (int k = 0; k < rows; k++)
        b[k] = k % 3 == 1;
    snCholmod_MakeAll(job->cholmod, sides + CHOLMOD, &job->matrix, b);
    sides[STEP] = (snContestant){.name = "step", .run = snBlock_Step, .context = &job->block};
    sides[SINGLE] = (snContestant){.name = "single", .run = snBlock_Step, .context = &job->single};
    sides[BARE] = (snContestant){.name = "bare", .run = snBare_Step, .context = &job->bare};
    sides[CELLS] = (snContestant){.name = "bare cells", .run = snBare_Cells, .context = &job->bare};
    sides[SOLVE] = (snContestant){.name = "bare solve", .run = snBare_Solve, .context = &job->bare};
    return true;
}

static void report(snBench *bench, const StepJob *job, int name, double prototype,
                   const snContestant sides[SIDES])
{
    const snLatticeModel *model = job->block.model;
    const snLatticeState *state = job->block.state;
    const snContestant *best = snCholmod_Best(sides + CHOLMOD);
    char id[64];
    snprintf(id, sizeof id, "skeleton/step-%d", name);
    snBench_Report(bench, id, 1e3 * sides[STEP].seconds, "ms", "");
    snprintf(id, sizeof id, "skeleton/step-%d-cholmod", name);
    snBench_Report(bench, id, snBench_Ratio(&sides[STEP], best), "x", "<= 4");
    snprintf(id, sizeof id, "skeleton/step-%d-bare", name);
    snBench_Report(bench, id, snBench_Ratio(&sides[STEP], &sides[BARE]), "x", "<= 2");
    snprintf(id, sizeof id, "skeleton/step-single-%d", name);
    snBench_Report(bench, id, 1e3 * sides[SINGLE].seconds, "ms", "");
    snprintf(id, sizeof id, "skeleton/step-single-%d-cholmod", name);
    snBench_Report(bench, id, snBench_Ratio(&sides[SINGLE], best), "x", "<= 4");
    snprintf(id, sizeof id, "skeleton/step-single-%d-double", name);
    snBench_Report(bench, id, snBench_Ratio(&sides[SINGLE], &sides[STEP]), "x", "<= 0.5");
    snBench_Note(bench,
                 "%d vertices, %d cells, %.2f Hz: step %.3f ms (%lld halved moves in %lld steps), "
                 "in single precision %.3f ms (%lld); CHOLMOD %s %.3f ms; bare kernels %.3f ms: "
                 "cells and gather %.3f, solve %.3f "
                 "(the study's, on another machine: %.3f)",
                 model->vertexCount, job->block.lattice.cellCount, snBlock_Frequency(&job->block),
                 1e3 * sides[STEP].seconds, (long long)state->backtracks, (long long)state->steps,
                 1e3 * sides[SINGLE].seconds, (long long)job->single.state->backtracks, best->name,
                 1e3 * best->seconds, 1e3 * sides[BARE].seconds, 1e3 * sides[CELLS].seconds,
                 1e3 * sides[SOLVE].seconds, prototype);
}

void snBench_Step(snBench *bench)
{
    static const struct {
        snBlockSize size;
        int name;
        double prototype; // ms, double precision, four cells at a time
    } jobs[] = {
        {SN_BLOCK_200, 200, 0.067}, {SN_BLOCK_2000, 2000, 1.04}, {SN_BLOCK_10000, 10000, 10.2}};
    for (int j = 0; j < 3; j++) {
        StepJob job;
        snContestant sides[SIDES];
        char id[64];
        snprintf(id, sizeof id, "skeleton/step-%d", jobs[j].name);
        if (!snBench_Wants(bench, id) || !makeJob(&job, jobs[j].size, sides)) continue;
        snBench_Compare(bench, sides, SIDES);
        report(bench, &job, jobs[j].name, jobs[j].prototype, sides);
        snCholmod_DestroyAll(job.cholmod);
        snBlock_Destroy(&job.block);
        snBlock_Destroy(&job.single);
    }
}

// The slope of log(time) over log(vertices), by least squares.
static double exponent(const snBlock blocks[], const snContestant sides[], int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < count; k++) {
        double u = log(blocks[k].model->vertexCount), v = log(sides[k].seconds);
        x += u, y += v, xx += u * u, xy += u * v;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

void snBench_StepGrowth(snBench *bench)
{
    enum { SIZES = 3 };
    static const snBlockSize sizes[SIZES] = {SN_BLOCK_200, SN_BLOCK_2000, SN_BLOCK_20000};
    snBlock blocks[SIZES];
    snContestant sides[SIZES];
    int made = 0;
    while (made < SIZES && snBlock_Make(&blocks[made], sizes[made], NULL)) {
        sides[made] = (snContestant){.name = "step", .run = snBlock_Step, .context = &blocks[made]};
        made++;
    }
    if (made == SIZES) {
        snBench_Compare(bench, sides, SIZES);
        snBench_Report(bench, "skeleton/growth-exponent", exponent(blocks, sides, SIZES), "",
                       "<= 1.4");
        for (int k = 0; k < SIZES; k++)
            snBench_Note(bench, "%d vertices, %d cells: %.3f ms, %.1f ns per cell",
                         blocks[k].model->vertexCount, blocks[k].lattice.cellCount,
                         1e3 * sides[k].seconds,
                         1e9 * sides[k].seconds / blocks[k].lattice.cellCount);
    }
    while (made > 0)
        snBlock_Destroy(&blocks[--made]);
}
