// Newton's method in spaces of motions: steps with multigrid against steps with the factor of the constant matrix,
// by the number of functions; and where a step's time goes.
#include "bench/bench.h"
#include "core/core.h"
#include "numerics/galerkin.h"
#include "tests/body/lattice/solid_boxes.h"

#include <math.h>
#include <stdio.h>

typedef struct Seen {
    double step;      // s, the least of some
    double megabytes; // of the state
    int functions, nodes;
    double iterations; // of conjugate gradients a step
} Seen;

enum { STEPS = 4 };

static bool measure(const SolidBoxDef *def, Seen *seen)
{
    SolidBox box;
    snContext context = snDefaultContext();
    snError error = {0};
    snStatus status = makeSolidBox(&box, def, &context, &error);
    if (status) fprintf(stderr, "newton: %s\n", error.message);
    seen->step = INFINITY;
    for (int k = 0; k < STEPS && !status; k++) {
        double begun = snBench_Computed();
        if (!stepSolidBox(&box)) status = SN_ERROR_NUMERIC;
        seen->step = fmin(seen->step, snBench_Computed() - begun);
    }
    if (!status) {
        seen->megabytes = 1e-6 * (double)box.state->arena.total;
        seen->functions = box.model->space->functionCount;
        seen->nodes = box.model->vertexCount;
        seen->iterations = (double)box.state->newton->iterations / STEPS;
    }
    freeSolidBox(&box);
    return !status;
}

static void compare(snBench *bench, const int cells[3], int levels, double poisson)
{
    SolidBoxDef def = {.scheme = SN_SCHEME_TRILINEAR,
                       .levels = levels,
                       .nodeLevel = levels + 1,
                       .cells = {cells[0], cells[1], cells[2]},
                       .poisson = poisson,
                       .iterations = 2};
    Seen factor, grid;
    def.newton = SN_NEWTON_FACTOR;
    if (!measure(&def, &factor)) return;
    def.newton = SN_NEWTON_MULTIGRID;
    if (!measure(&def, &grid)) return;
    snBench_Note(
        bench,
        "trilinear, nu %.1f, %5d functions, %6d nodes | factor %7.1f ms, %5.1f iterations, "
        "%4.0f MB | multigrid %7.1f ms, %5.1f iterations, %4.0f MB",
        poisson, factor.functions, factor.nodes, 1e3 * factor.step, factor.iterations,
        factor.megabytes, 1e3 * grid.step, grid.iterations, grid.megabytes);
    char id[64];
    snprintf(id, sizeof id, "multires/newton-%d-nu-%.1f", factor.functions, poisson);
    snBench_Report(bench, id, factor.step / grid.step, "x",
                   factor.functions >= SN_NEWTON_LARGE ? "> 1" : "");
}

// Smooth functions: what making their matrix would take, beside all that a step takes without it.
static void noteSmooth(snBench *bench, int levels)
{
    SolidBox box;
    snContext context = snDefaultContext();
    SolidBoxDef def = {.scheme = SN_SCHEME_MACCRACKEN_JOY,
                       .levels = levels,
                       .nodeLevel = levels + 1,
                       .cells = {3, 2, 2},
                       .poisson = 0.4,
                       .iterations = 1};
    if (makeSolidBox(&box, &def, &context, NULL) == SN_OK && stepSolidBox(&box)) {
        snRowMatrix nodes, rows;
        snGalerkin product;
        const snSpace *space = box.model->space;
        const snHessian *hessian = &box.state->newton->hessian;
        double begun = snBench_Computed();
        stepSolidBox(&box);
        double stepped = snBench_Computed();
        if (!snRowMatrix_FromSparse(&nodes, &hessian->matrix, NULL, &box.arena, NULL) &&
            !snGalerkin_Make(&product, &rows, &nodes, &space->rows, NULL, &box.arena, NULL)) {
            snRowMatrix_Load(&nodes, &hessian->matrix);
            double made = snBench_Computed();
            snGalerkin_Compute(&product, &rows, &context.tasks);
            snBench_Note(bench,
                         "smooth, %d functions, %d nodes: a step of one iteration by the factor "
                         "%.0f ms; their matrix alone would take %.0f ms",
                         space->functionCount, box.model->vertexCount, 1e3 * (stepped - begun),
                         1e3 * (snBench_Computed() - made));
        }
    }
    freeSolidBox(&box);
}

void snBench_Newton(snBench *bench)
{
    static const int cells[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 2}};
    if (!snBench_Wants(bench, "multires/newton")) return;
    for (int k = 0; k < 3; k++)
        compare(bench, cells[k], 1, 0.4);
    for (int levels = 2; levels <= 3; levels++)
        for (int k = 0; k < 2; k++)
            compare(bench, cells[2], levels, k ? 0.3 : 0.4);
    for (int levels = 1; levels <= 3; levels++)
        noteSmooth(bench, levels);
}
