// Solves with a prefactored step matrix, the hot path of a simulation, against CHOLMOD's best.
#include "bench/bench.h"
#include "tests/numerics/block_scene.h"

#include "numerics/cholesky.h"

#include <cholmod.h>

#include <stdio.h>
#include <string.h>

enum { BASELINES = 4, MAX_WIDTH = 32 };

// Our factor of one matrix and a right-hand side to solve for.
typedef struct Ours {
    snFactor *factor;
    const snSymbolic *symbolic;
    double *b, *x, *scratch;
    int rows, width;
} Ours;

typedef struct Theirs {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e;
} Theirs;

static void solveOurs(void *context)
{
    Ours *ours = context;
    memcpy(ours->x, ours->b, (size_t)(ours->rows * ours->width) * sizeof *ours->b);
    snFactor_Solve(ours->factor, ours->width, ours->x, ours->scratch);
    snBench_Keep(ours->x);
}

static void solveTheirs(void *context)
{
    Theirs *theirs = context;
    cholmod_solve2(CHOLMOD_A, theirs->factor, theirs->b, NULL, &theirs->x, NULL, &theirs->y,
                   &theirs->e, &theirs->common);
    snBench_Keep(theirs->x->x);
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

static cholmod_sparse *toCholmod(const snSparse *matrix, cholmod_common *common)
{
    const snPattern *pattern = &matrix->pattern;
    int b = matrix->block, entries = pattern->columnStart[pattern->size];
    size_t rows = (size_t)(pattern->size * b);
    cholmod_triplet *list =
        cholmod_allocate_triplet(rows, rows, (size_t)(entries * b * b), -1, CHOLMOD_REAL, common);
    for (int j = 0; j < pattern->size; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++)
            for (int c = 0; c < b * b; c++) {
                int row = pattern->row[k] * b + c / b, column = j * b + c % b;
                if (row < column) continue;
                ((int *)list->i)[list->nnz] = row;
                ((int *)list->j)[list->nnz] = column;
                ((double *)list->x)[list->nnz++] = matrix->values[k * b * b + c];
            }
    cholmod_sparse *result = cholmod_triplet_to_sparse(list, 0, common);
    cholmod_free_triplet(&list, common);
    return result;
}

// Baseline `kind`: supernodal or simplicial, ordered by AMD or METIS.
static void makeTheirs(Theirs *theirs, int kind, const snSparse *matrix, const Ours *ours)
{
    *theirs = (Theirs){.factor = NULL};
    cholmod_common *common = &theirs->common;
    cholmod_start(common);
    common->supernodal = kind & 1 ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
    common->nmethods = 1;
    common->method[0].ordering = kind & 2 ? CHOLMOD_METIS : CHOLMOD_AMD;
    common->postorder = 1;
    common->print = 0;
    cholmod_sparse *a = toCholmod(matrix, common);
    theirs->factor = cholmod_analyze(a, common);
    cholmod_factorize(a, theirs->factor, common);
    cholmod_free_sparse(&a, common);
    theirs->b = cholmod_zeros((size_t)ours->rows, 1, CHOLMOD_REAL, common);
    memcpy(theirs->b->x, ours->b, (size_t)ours->rows * sizeof *ours->b);
}

static void freeTheirs(Theirs *theirs)
{
    cholmod_free_dense(&theirs->b, &theirs->common);
    cholmod_free_dense(&theirs->x, &theirs->common);
    cholmod_free_dense(&theirs->y, &theirs->common);
    cholmod_free_dense(&theirs->e, &theirs->common);
    cholmod_free_factor(&theirs->factor, &theirs->common);
    cholmod_finish(&theirs->common);
}

// The rate at which one core reads memory, the limit of a solve that does not fit into a cache:
// sums over an array as large as the factor, read at eight places at once, which is fastest.
typedef struct Stream {
    const double *data;
    size_t count;
    double sum;
} Stream;

static void readStream(void *context)
{
    Stream *stream = context;
    size_t length = stream->count / 64 * 8;
    double sum[8] = {0};
    for (size_t i = 0; i < length; i += 8)
        for (size_t k = 0; k < 8; k++)
            for (size_t c = 0; c < 8; c++)
                sum[c] += stream->data[k * length + i + c];
    stream->sum = 0;
    for (int c = 0; c < 8; c++)
        stream->sum += sum[c];
    snBench_Keep(&stream->sum);
}

static void compareSolve(snBench *bench, const snBlockScene *scene, snArena *arena)
{
    static const char *const names[BASELINES] = {"supernodal AMD", "simplicial AMD",
                                                 "supernodal METIS", "simplicial METIS"};
    Ours ours = {.width = 1};
    Theirs theirs[BASELINES];
    if (!makeOurs(&ours, &scene->elastic, arena)) return;
    size_t doubles = (size_t)snSymbolic_NonZeros(ours.symbolic);
    Stream stream = {.data = SN_NEW(arena, double, doubles), .count = doubles};
    if (!stream.data) return;
    snContestant sides[BASELINES + 2] = {{.name = "sinew", .run = solveOurs, .context = &ours},
                                         {.name = "read", .run = readStream, .context = &stream}};
    for (int k = 0; k < BASELINES; k++) {
        makeTheirs(&theirs[k], k, &scene->elastic, &ours);
        sides[2 + k] = (snContestant){.name = names[k], .run = solveTheirs, .context = &theirs[k]};
    }
    snBench_Compare(bench, sides, BASELINES + 2);
    int best = 2;
    for (int k = 3; k < BASELINES + 2; k++)
        if (sides[k].seconds < sides[best].seconds) best = k;
    char id[64];
    int size = scene->pattern.size;
    snprintf(id, sizeof id, "foundation/cholesky-solve-%d", size);
    snBench_Report(bench, id, snBench_Ratio(&sides[best], &sides[0]), "x", ">= 1");
    snprintf(id, sizeof id, "foundation/cholesky-stream-%d", size);
    snBench_Report(bench, id, 2 * snBench_Ratio(&sides[1], &sides[0]), "of read rate", "");
    double megabytes = (double)doubles * 8e-6;
    snBench_Note(bench,
                 "%d vertices: %.1f us, factor %.2f MB read twice at %.1f GB/s (plain reading "
                 "%.1f GB/s); CHOLMOD %s %.1f, %s %.1f, %s %.1f, %s %.1f us",
                 size, 1e6 * sides[0].seconds, megabytes, 2e-3 * megabytes / sides[0].seconds,
                 1e-3 * megabytes / sides[1].seconds, names[0], 1e6 * sides[2].seconds, names[1],
                 1e6 * sides[3].seconds, names[2], 1e6 * sides[4].seconds, names[3],
                 1e6 * sides[5].seconds);
    for (int k = 0; k < BASELINES; k++)
        freeTheirs(&theirs[k]);
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
