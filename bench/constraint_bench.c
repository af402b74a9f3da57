// What constraints between many pieces cost in a step: with S = C A⁻¹ Cᵀ factored when the set of constraints changed,
// as the matrices A of the pieces are constant, against factors made anew in each step, dense and sparse. S is the same for x, y
// and z, so that a point that is held is one row; J A⁻¹ Jᵀ as it stands in the paper has three, and is solved dense as well. A puppet
// is a ring of affine pieces, four vertices each; each holds on to the next one and to the one after that.
#include "bench/bench.h"
#include "constraint/constraint.h"
#include "core/core.h"
#include "numerics/cholesky.h"
#include "numerics/dense.h"

#include <stdio.h>
#include <string.h>

// A of a piece is a 1 + b 11ᵀ: mass, and what it is stiff by.
#define OWN 0.6
#define SHARED (-0.025)

typedef struct Puppet {
    snArena arena;
    int pieces, count; // of pieces and constraints
    snConstraintSet *set;
    double *schur, *lower; // [count * count], S, and its dense factor
    double *whole, *wide;  // [3 count * 3 count], J A⁻¹ Jᵀ, and its dense factor
    snSparse sparse;
    snFactor *anew, *kept; // of S; `anew` is made in every run
    double *right, *x;     // [count * 4], rows (x, y, z, 0)
    double *side;          // [3 count]
    double *scratch;
} Puppet;

static void applyInverse(void *context, const double *x, double *y)
{
    const Puppet *p = context;
    for (int k = 0; k < p->pieces; k++) {
        const double *in = x + 4 * k;
        double sum = (in[0] + in[1] + in[2] + in[3]) * SHARED / (OWN + 4 * SHARED);
        for (int i = 0; i < 4; i++)
            y[4 * k + i] = (in[i] - sum) / OWN;
    }
}

// The two vertices that constraint j holds together.
static void endsOf(const Puppet *p, int j, int ends[2])
{
    int piece = j / 2, next = (piece + 1 + j % 2) % p->pieces;
    ends[0] = 4 * piece + 2 * (j % 2);
    ends[1] = 4 * next + 2 * (j % 2) + 1;
}

// (A⁻¹) between two vertices.
static double inverseAt(int a, int b)
{
    if (a / 4 != b / 4) return 0;
    return ((a == b) - SHARED / (OWN + 4 * SHARED)) / OWN;
}

static double schurAt(const Puppet *p, int i, int j)
{
    int a[2], b[2];
    endsOf(p, i, a);
    endsOf(p, j, b);
    return inverseAt(a[0], b[0]) - inverseAt(a[0], b[1]) - inverseAt(a[1], b[0]) +
           inverseAt(a[1], b[1]);
}

static snStatus makeSet(Puppet *p, const snContext *context, snError *error)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = 4 * p->pieces;
    def.capacity = p->count;
    def.mostTerms = 2;
    def.inverse = (snOperator){applyInverse, p};
    snStatus status = snConstraintSet_Make(&p->set, &def, context, error);
    for (int j = 0; j < p->count && !status; j++) {
        const double weight[2] = {1, -1}, target[4] = {0};
        int ends[2], handle;
        endsOf(p, j, ends);
        snConstraintDef one = {.termCount = 2, .index = ends, .weight = weight, .target = target};
        status = snConstraintSet_Add(p->set, &one, &handle, error);
    }
    if (!status) snConstraintSet_Prepare(p->set);
    return status;
}

static snStatus makeSparse(Puppet *p, snError *error)
{
    snArena *arena = &p->arena;
    int pairs = 0, *first = SN_NEW(arena, int, p->count * p->count);
    int *second = SN_NEW(arena, int, p->count * p->count);
    snPattern pattern;
    snSymbolic *symbolic;
    if (!first || !second) return snFailMemory(error);
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j <= i; j++)
            if (schurAt(p, i, j) != 0) first[pairs] = i, second[pairs++] = j;
    snStatus status = snPattern_FromPairs(&pattern, p->count, pairs, first, second, arena, error);
    if (!status) status = snSparse_Make(&p->sparse, &pattern, 1, arena, error);
    if (!status)
        status = snSymbolic_Make(&symbolic, &p->sparse.pattern, 1, SN_ORDER_AUTO, arena, error);
    if (!status) status = snFactor_Make(&p->anew, symbolic, arena, error);
    if (!status) status = snFactor_Make(&p->kept, symbolic, arena, error);
    if (status) return status;
    for (int k = 0; k < pairs; k++)
        snSparse_AddScalar(&p->sparse, first[k], second[k], schurAt(p, first[k], second[k]));
    p->scratch = SN_NEW(arena, double, snFactor_ScratchSize(p->kept, 4));
    if (!p->scratch) return snFailMemory(error);
    return snFactor_Compute(p->kept, &p->sparse, error);
}

static snStatus makePuppet(Puppet *p, int pieces, const snContext *context, snError *error)
{
    *p = (Puppet){.arena = snMakeArena(context), .pieces = pieces, .count = 2 * pieces};
    size_t n = (size_t)p->count;
    p->schur = SN_NEW(&p->arena, double, n *n);
    p->lower = SN_NEW(&p->arena, double, n *n);
    p->whole = SN_NEW(&p->arena, double, 9 * n * n);
    p->wide = SN_NEW(&p->arena, double, 9 * n * n);
    p->right = SN_NEW(&p->arena, double, 4 * n);
    p->x = SN_NEW(&p->arena, double, 4 * n);
    p->side = SN_NEW(&p->arena, double, 3 * n);
    if (!p->whole || !p->wide || !p->schur || !p->lower || !p->right || !p->x || !p->side)
        return snFailMemory(error);
    for (int i = 0; i < p->count; i++) {
        for (int j = 0; j < p->count; j++) {
            double value = p->schur[(size_t)i * n + (size_t)j] = schurAt(p, i, j);
            for (size_t c = 0; c < 3; c++)
                p->whole[(3 * (size_t)i + c) * 3 * n + 3 * (size_t)j + c] = value;
        }
        for (int c = 0; c < 3; c++)
            p->right[4 * i + c] = (double)((7 * i + 3 * c) % 11) - 5;
    }
    snStatus status = makeSet(p, context, error);
    return status ? status : makeSparse(p, error);
}

static void freePuppet(Puppet *p)
{
    snConstraintSet_Destroy(p->set);
    snArena_Destroy(&p->arena);
}

// λ by the factor that the set keeps.
static void solveKept(void *context)
{
    Puppet *p = context;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snConstraintSet_SolveSchur(p->set, 4, p->x);
    snBench_Keep(p->x);
}

static void solveDense(void *context)
{
    Puppet *p = context;
    size_t n = (size_t)p->count;
    memcpy(p->lower, p->schur, n * n * sizeof(double));
    if (snDenseCholesky(p->count, p->lower, NULL) != SN_OK) return;
    for (int c = 0; c < 3; c++) {
        for (size_t i = 0; i < n; i++)
            p->side[i] = p->right[4 * i + (size_t)c];
        snDenseCholesky_Solve(p->count, p->lower, p->side);
        for (size_t i = 0; i < n; i++)
            p->x[4 * i + (size_t)c] = p->side[i];
    }
    snBench_Keep(p->x);
}

// The same for x, y and z at once.
static void solveWhole(void *context)
{
    Puppet *p = context;
    size_t n = (size_t)p->count;
    memcpy(p->wide, p->whole, 9 * n * n * sizeof(double));
    if (snDenseCholesky(3 * p->count, p->wide, NULL) != SN_OK) return;
    for (size_t i = 0; i < n; i++)
        memcpy(p->side + 3 * i, p->right + 4 * i, 3 * sizeof(double));
    snDenseCholesky_Solve(3 * p->count, p->wide, p->side);
    for (size_t i = 0; i < n; i++)
        memcpy(p->x + 4 * i, p->side + 3 * i, 3 * sizeof(double));
    snBench_Keep(p->x);
}

static void solveSparse(void *context)
{
    Puppet *p = context;
    if (snFactor_Compute(p->anew, &p->sparse, NULL) != SN_OK) return;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snFactor_Solve(p->anew, 4, p->x, p->scratch);
    snBench_Keep(p->x);
}

static void solveSparseKept(void *context)
{
    Puppet *p = context;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snFactor_Solve(p->kept, 4, p->x, p->scratch);
    snBench_Keep(p->x);
}

// How far a way of solving is from S λ = r, of the largest r.
static double missOf(Puppet *p, void (*solve)(void *))
{
    double worst = 0;
    solve(p);
    for (int i = 0; i < p->count; i++)
        for (int c = 0; c < 3; c++) {
            double sum = -p->right[4 * i + c];
            for (int j = 0; j < p->count; j++)
                sum += p->schur[(size_t)i * (size_t)p->count + (size_t)j] * p->x[4 * j + c];
            worst = worst > sum ? (worst > -sum ? worst : -sum) : sum;
        }
    return worst / 5;
}

static void compare(snBench *bench, int pieces)
{
    Puppet p;
    snContext context = snDefaultContext();
    snError error = {0};
    if (makePuppet(&p, pieces, &context, &error)) {
        snBench_Skip(bench, error.message);
        freePuppet(&p);
        return;
    }
    snContestant sides[] = {{.name = "kept", .run = solveKept, .context = &p},
                            {.name = "dense", .run = solveDense, .context = &p},
                            {.name = "sparse", .run = solveSparse, .context = &p},
                            {.name = "sparse, kept", .run = solveSparseKept, .context = &p},
                            {.name = "whole", .run = solveWhole, .context = &p}};
    int64_t before = p.set->rowsFactored;
    double miss = missOf(&p, solveKept) + missOf(&p, solveDense) + missOf(&p, solveSparse) +
                  missOf(&p, solveWhole);
    snBench_Compare(bench, sides, 5);
    snBench_Note(bench,
                 "%3d pieces, %3d constraints: kept %7.1f us, %lld rows factored; made anew dense "
                 "%8.1f us (three rows each %8.1f us), sparse %7.1f us; sparse and kept %6.1f us; "
                 "all solved to %.0e",
                 p.pieces, p.count, 1e6 * sides[0].seconds,
                 (long long)(p.set->rowsFactored - before), 1e6 * sides[1].seconds,
                 1e6 * sides[4].seconds, 1e6 * sides[2].seconds, 1e6 * sides[3].seconds, miss);
    if (p.count == 60) {
        snBench_Report(bench, "nonrigid/constraints-60-dense", snBench_Ratio(&sides[4], &sides[0]),
                       "x", ">= 10");
        snBench_Report(bench, "nonrigid/constraints-60-dense-rows",
                       snBench_Ratio(&sides[1], &sides[0]), "x", "");
        snBench_Report(bench, "nonrigid/constraints-60-sparse", snBench_Ratio(&sides[2], &sides[0]),
                       "x", "");
    }
    freePuppet(&p);
}

void snBench_Constraints(snBench *bench)
{
    static const int pieces[] = {8, 15, 30, 60, 120, 200};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++)
        compare(bench, pieces[k]);
}
