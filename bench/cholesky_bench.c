// Solves with a prefactored step matrix, the hot path of a simulation, against CHOLMOD's best.
#include "bench/bench.h"
#include "bench/cholmod_side.h"
#include "bench/machine.h"
#include "tests/numerics/block_scene.h"

#include "numerics/cholesky.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WIDTH = 32 };

// Our factor of one matrix and a right-hand side to solve for.
typedef struct Ours {
    snFactor *factor;
    const snSymbolic *symbolic;
    double *b, *x, *scratch;
    int rows, width;
} Ours;

static void solveOurs(void *context)
{
    Ours *ours = context;
    memcpy(ours->x, ours->b, (size_t)(ours->rows * ours->width) * sizeof *ours->b);
    snFactor_Solve(ours->factor, ours->width, ours->x, ours->scratch);
    snBench_Keep(ours->x);
}

static bool makeOurs(Ours *ours, const snSparse *matrix, snArena *arena)
{
    snError error = {0};
    snSymbolic *symbolic;
    snStatus status =
        snSymbolic_Make(&symbolic, &matrix->pattern, matrix->block, SN_ORDER_AUTO, arena, &error);
    if (!status) status = snFactor_Make(&ours->factor, symbolic, arena, &error);
    if (!status) status = snFactor_Compute(ours->factor, matrix, &error);
    if (status) {
        fprintf(stderr, "cholesky: %s\n", error.message);
        return false;
    }
    size_t rows = (size_t)(matrix->pattern.size * matrix->block);
    ours->symbolic = symbolic;
    ours->rows = (int)rows;
    ours->b = SN_NEW(arena, double, rows *MAX_WIDTH);
    ours->x = SN_NEW(arena, double, rows *MAX_WIDTH);
    ours->scratch = SN_NEW(arena, double, snFactor_ScratchSize(ours->factor, MAX_WIDTH));
    if (!ours->b || !ours->x || !ours->scratch) return false;
    snRandom random = snMakeRandom(1);
    for (size_t i = 0; i < rows * MAX_WIDTH; i++)
        ours->b[i] = snRandom_Uniform(&random, -1, 1);
    return true;
}

static void compareSolve(snBench *bench, const snBlockScene *scene, snArena *arena)
{
    Ours ours = {.width = 1};
    snCholmod theirs[SN_CHOLMOD_KINDS];
    if (!makeOurs(&ours, &scene->elastic, arena)) return;
    size_t doubles = (size_t)snSymbolic_NonZeros(ours.symbolic);
    snReadStream stream = {.data = SN_NEW(arena, double, doubles), .count = doubles};
    if (!stream.data) return;
    snContestant sides[SN_CHOLMOD_KINDS + 2] = {
        {.name = "sinew", .run = solveOurs, .context = &ours},
        {.name = "read", .run = snReadStream_Run, .context = &stream}};
    snCholmod_MakeAll(theirs, sides + 2, &scene->elastic, ours.b);
    snBench_Compare(bench, sides, SN_CHOLMOD_KINDS + 2);
    char id[64];
    int size = scene->pattern.size;
    snprintf(id, sizeof id, "foundation/cholesky-solve-%d", size);
    snBench_Report(bench, id, snBench_Ratio(snCholmod_Best(sides + 2), &sides[0]), "x", ">= 1");
    snprintf(id, sizeof id, "foundation/cholesky-stream-%d", size);
    snBench_Report(bench, id, 2 * snBench_Ratio(&sides[1], &sides[0]), "of read rate", "");
    double megabytes = (double)doubles * 8e-6;
    snBench_Note(bench,
                 "%d vertices: %.1f us, factor %.2f MB read twice at %.1f GB/s (plain reading "
                 "%.1f GB/s); CHOLMOD %s %.1f, %s %.1f, %s %.1f, %s %.1f us",
                 size, 1e6 * sides[0].seconds, megabytes, 2e-3 * megabytes / sides[0].seconds,
                 1e-3 * megabytes / sides[1].seconds, sides[2].name, 1e6 * sides[2].seconds,
                 sides[3].name, 1e6 * sides[3].seconds, sides[4].name, 1e6 * sides[4].seconds,
                 sides[5].name, 1e6 * sides[5].seconds);
    snCholmod_DestroyAll(theirs);
}

// The scalar matrix with several interleaved sides, as bodies with a matrix of their own per
// coordinate solve it: three or four sides for one body, more for a crowd.
static void timeScalar(snBench *bench, const snBlockScene *scene, snArena *arena)
{
    enum { WIDTHS = 6 };
    static const int widths[WIDTHS] = {1, 3, 4, 8, 24, 32};
    Ours ours = {0};
    if (!makeOurs(&ours, &scene->scalar, arena)) return;
    Ours jobs[WIDTHS];
    snContestant sides[WIDTHS];
    for (int w = 0; w < WIDTHS; w++) {
        jobs[w] = ours;
        jobs[w].width = widths[w];
        sides[w] = (snContestant){.name = "scalar", .run = solveOurs, .context = &jobs[w]};
    }
    snBench_Compare(bench, sides, WIDTHS);
    int size = scene->pattern.size;
    char id[64];
    snprintf(id, sizeof id, "foundation/cholesky-scalar3-%d", size);
    snBench_Report(bench, id, 1e6 * sides[1].seconds, "us", "");
    char line[200];
    int used = 0;
    for (int w = 0; w < WIDTHS; w++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s %d: %.1f", w ? "," : "",
                         widths[w], 1e6 * sides[w].seconds);
    snBench_Note(bench, "%d vertices, scalar matrix, us by number of sides:%s", size, line);
}

void snBench_Cholesky(snBench *bench)
{
    static const int sizes[][3] = {{5, 5, 8}, {10, 10, 20}, {20, 20, 25}};
    snContext context = snDefaultContext();
    for (int s = 0; s < 3; s++) {
        snArena arena = snMakeArena(&context);
        snBlockScene scene;
        if (snBlockScene_Make(&scene, sizes[s], &arena, NULL) == SN_OK) {
            compareSolve(bench, &scene, &arena);
            timeScalar(bench, &scene, &arena);
        }
        snArena_Destroy(&arena);
    }
}
