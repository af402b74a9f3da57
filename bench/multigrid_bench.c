// Multigrid on the nested spaces of subdivided lattices: iterations by level, and what a solution costs
// against a Cholesky factor and against conjugate gradients with block-Jacobi.
#include "bench/bench.h"
#include "core/core.h"
#include "numerics/cg.h"
#include "numerics/cholesky.h"
#include "numerics/multigrid.h"
#include "tests/body/lattice/nested_spaces.h"

#include <stdio.h>

enum { FIRST = 1, LAST = 3 }; // levels of the finest space

typedef struct Case {
    const char *name;
    snScheme scheme;
    NestedLattice kind;
    int cells[3];
    double density, poisson, contrast;
    bool nailed;
} Case;

static const Case cases[] = {
    {"step", SN_SCHEME_TRILINEAR, NESTED_BOX, {4, 3, 3}, 1000, 0.3, 1, false},
    {"nailed", SN_SCHEME_TRILINEAR, NESTED_BOX, {3, 2, 2}, 0, 0.3, 1, true},
    {"nu-0.45", SN_SCHEME_TRILINEAR, NESTED_BOX, {3, 2, 2}, 0, 0.45, 1, true},
    {"contrast-100", SN_SCHEME_TRILINEAR, NESTED_BOX, {3, 2, 2}, 0, 0.3, 100, true},
    {"mixed", SN_SCHEME_TRILINEAR, NESTED_MIXED, {0}, 0, 0.3, 1, true},
    {"mixed-nu-0.45", SN_SCHEME_TRILINEAR, NESTED_MIXED, {0}, 0, 0.45, 1, true},
    {"step", SN_SCHEME_MACCRACKEN_JOY, NESTED_SHARP, {3, 2, 2}, 1000, 0.3, 1, false},
    {"nailed", SN_SCHEME_MACCRACKEN_JOY, NESTED_SHARP, {3, 2, 2}, 0, 0.3, 1, true},
    {"nu-0.45", SN_SCHEME_MACCRACKEN_JOY, NESTED_SHARP, {3, 2, 2}, 0, 0.45, 1, true},
    {"contrast-100", SN_SCHEME_MACCRACKEN_JOY, NESTED_SHARP, {3, 2, 2}, 0, 0.3, 100, true},
    {"mixed", SN_SCHEME_MACCRACKEN_JOY, NESTED_MIXED, {0}, 0, 0.3, 1, true},
    {"round", SN_SCHEME_MACCRACKEN_JOY, NESTED_BOX, {3, 2, 2}, 1000, 0.3, 1, false},
    {"round-nu-0.45", SN_SCHEME_MACCRACKEN_JOY, NESTED_BOX, {3, 2, 2}, 0, 0.45, 1, true},
};

// One way to a solution.
typedef struct Way {
    int iterations;
    double build, update, solve; // s: structure and values; values alone; the solution to 1e-8
    double megabytes;
} Way;

typedef struct Job {
    const snSparse *matrix;
    int size;
    double *b, *x;
    snContext context;
} Job;

static snStatus iterate(const Job *job, snOperator preconditioner, Way *way)
{
    snArena arena = snMakeArena(&job->context);
    snCgDef def = snDefaultCgDef();
    def.size = job->size;
    def.matrix = snOperator_FromSparse(job->matrix);
    def.preconditioner = preconditioner;
    def.tolerance = 1e-8;
    snCgResult result;
    double *scratch = SN_NEW(&arena, double, snCg_ScratchSize(job->size));
    memset(job->x, 0, (size_t)job->size * sizeof(double));
    double begun = snBench_Computed();
    snStatus status = snCg_Solve(&def, job->b, job->x, scratch, &result, NULL);
    way->solve = snBench_Computed() - begun;
    way->iterations = result.iterations;
    snArena_Destroy(&arena);
    return status;
}

static snStatus byMultigrid(const Job *job, const NestedSpaces *spaces, const Case *c, int levels,
                            Way *way)
{
    snArena arena = snMakeArena(&job->context);
    snMultigridDef def = snDefaultMultigridDef();
    def.levels = levels + 1;
    def.prolongations = spaces->prolongation;
    if (c->scheme != SN_SCHEME_TRILINEAR) def.values = spaces->values;
    snMultigrid *m;
    double begun = snBench_Computed();
    snStatus status = snMultigrid_Make(&m, job->matrix, &def, &arena, &job->context, NULL);
    double made = snBench_Computed();
    if (!status) status = snMultigrid_Compute(m, job->matrix, NULL);
    way->update = snBench_Computed() - made;
    way->build = made - begun;
    way->megabytes = 1e-6 * (double)arena.total;
    if (!status) status = iterate(job, snOperator_FromMultigrid(m), way);
    snArena_Destroy(&arena);
    return status;
}

static snStatus byJacobi(const Job *job, Way *way)
{
    snArena arena = snMakeArena(&job->context);
    snJacobi jacobi;
    snJacobi_Compute(&jacobi, job->matrix, true,
                     SN_NEW(&arena, double, snJacobi_Size(job->matrix, true)));
    way->megabytes = 1e-6 * (double)arena.total;
    snStatus status = iterate(job, snOperator_FromJacobi(&jacobi), way);
    snArena_Destroy(&arena);
    return status;
}

static snStatus byFactor(const Job *job, Way *way)
{
    snArena arena = snMakeArena(&job->context);
    snSymbolic *symbolic;
    snFactor *factor;
    double begun = snBench_Computed();
    snStatus status =
        snSymbolic_Make(&symbolic, &job->matrix->pattern, 3, SN_ORDER_AUTO, &arena, NULL);
    if (!status) status = snFactor_Make(&factor, symbolic, &arena, NULL);
    double symbolicDone = snBench_Computed();
    if (!status) status = snFactor_Compute(factor, job->matrix, NULL);
    double factored = snBench_Computed();
    if (!status) {
        double *scratch = SN_NEW(&arena, double, snFactor_ScratchSize(factor, 1));
        memcpy(job->x, job->b, (size_t)job->size * sizeof(double));
        snFactor_Solve(factor, 1, job->x, scratch);
    }
    way->solve = snBench_Computed() - factored;
    way->update = factored - symbolicDone;
    way->build = factored - begun;
    way->megabytes = 1e-6 * (double)arena.total;
    snArena_Destroy(&arena);
    return status;
}

// All three ways on one level. Returns the iterations of multigrid, or -1.
static int measure(snBench *bench, const Case *c, int levels, Way way[3])
{
    Job job = {.context = snDefaultContext()};
    snArena arena = snMakeArena(&job.context);
    snLattice lattice = makeNestedLattice(c->kind, c->cells, &arena);
    unsigned char *nailed = SN_NEW(&arena, unsigned char, lattice.vertexCount);
    unsigned char *stiff = SN_NEW(&arena, unsigned char, lattice.cellCount);
    for (int v = 0; v < lattice.vertexCount; v++)
        nailed[v] = c->nailed && isEnd(&lattice, v);
    for (int k = 0; k < lattice.cellCount; k++)
        stiff[k] = k >= lattice.cellCount / 2;
    NestedDef def = {.lattice = &lattice,
                     .scheme = c->scheme,
                     .levels = levels,
                     .nailed = nailed,
                     .stiff = stiff,
                     .density = c->density,
                     .step = c->density > 0 ? 1.0 / 60 : 1,
                     .young = 3e4,
                     .poisson = c->poisson,
                     .contrast = c->contrast};
    NestedSpaces spaces;
    snError error = {0};
    snStatus status = makeNestedSpaces(&spaces, &def, &arena, &job.context, &error);
    if (!status) {
        job.matrix = &spaces.matrix;
        job.size = 3 * spaces.size[levels];
        job.b = SN_NEW(&arena, double, job.size);
        job.x = SN_NEW(&arena, double, job.size);
        snRandom random = snMakeRandom(4);
        for (int i = 0; i < job.size; i++)
            job.b[i] = snRandom_Uniform(&random, -1, 1);
        status = byMultigrid(&job, &spaces, c, levels, &way[0]);
        if (!status) status = byFactor(&job, &way[1]);
        if (!status) status = byJacobi(&job, &way[2]);
    }
    if (!status)
        snBench_Note(bench,
                     "%-14s %-13s level %d %6d unknowns | multigrid %2d it %6.1f ms, values %6.1f, "
                     "structure %6.1f, %5.0f MB | factor %7.1f ms, values %7.1f, %5.0f MB | Jacobi "
                     "%4d it %7.1f ms",
                     snScheme_Name(c->scheme), c->name, levels, job.size, way[0].iterations,
                     1e3 * way[0].solve, 1e3 * way[0].update, 1e3 * (way[0].build - way[0].update),
                     way[0].megabytes, 1e3 * way[1].solve, 1e3 * way[1].update, way[1].megabytes,
                     way[2].iterations, 1e3 * way[2].solve);
    if (status) fprintf(stderr, "multigrid: %s\n", error.message);
    snArena_Destroy(&arena);
    return status ? -1 : way[0].iterations;
}

// How far the iterations of three levels are apart (within +-2 is 4), and at the finest level how much longer
// the others take from new values to a solution.
static void runCase(snBench *bench, const Case *c)
{
    char id[96];
    Way way[3] = {{0}};
    int least = 10000, most = -1;
    for (int levels = FIRST; levels <= LAST; levels++) {
        int seen = measure(bench, c, levels, way);
        if (seen < 0) return;
        least = seen < least ? seen : least;
        most = seen > most ? seen : most;
    }
    const char *scheme = c->scheme == SN_SCHEME_TRILINEAR ? "trilinear" : "smooth";
    snprintf(id, sizeof id, "multires/multigrid-%s-%s", scheme, c->name);
    snBench_Report(bench, id, most - least, "iterations", "<= 4");
    double multigrid = way[0].update + way[0].solve;
    snprintf(id, sizeof id, "multires/multigrid-%s-%s-factor", scheme, c->name);
    snBench_Report(bench, id, (way[1].update + way[1].solve) / multigrid, "x", "");
    snprintf(id, sizeof id, "multires/multigrid-%s-%s-jacobi", scheme, c->name);
    snBench_Report(bench, id, way[2].solve / multigrid, "x", "");
}

void snBench_Multigrid(snBench *bench)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char id[96];
        snprintf(id, sizeof id, "multires/multigrid-%s-%s",
                 cases[i].scheme == SN_SCHEME_TRILINEAR ? "trilinear" : "smooth", cases[i].name);
        if (snBench_Wants(bench, id)) runCase(bench, &cases[i]);
    }
}
