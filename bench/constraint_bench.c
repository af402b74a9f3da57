// What constraints between many pieces cost in a step: with S = C A⁻¹ Cᵀ factored when the set of constraints changed,
// as the matrices A of the pieces are constant, against factors made anew in each step, dense and sparse. S is the same for x, y
// and z, so that a point that is held is one row; J A⁻¹ Jᵀ as it stands in the paper has three, and is solved dense as well. A ring
// is one of affine pieces, four vertices each; each holds on to the next one and to the one after that. Beside it the real step of a puppet
// (tools/scenes/puppet.h) with as many constraints.
#include "bench/bench.h"
#include "constraint/constraint.h"
#include "core/core.h"
#include "numerics/cholesky.h"
#include "numerics/dense.h"
#include "tests/scenes/puppets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A of a piece is a 1 + b 11ᵀ: mass, and what it is stiff by.
#define OWN 0.6
#define SHARED (-0.025)

typedef struct Ring {
    snArena arena;
    int pieces, count; // of pieces and constraints
    bool mixed;        // listed in no good order
    snConstraintSet *set,
        *list;             // the first in an order of little fill, the other in that of addition
    double *schur, *lower; // [count * count], S, and its dense factor
    double *whole, *wide;  // [3 count * 3 count], J A⁻¹ Jᵀ, and its dense factor
    snSparse sparse;
    snFactor *anew, *kept; // of S; `anew` is made in every run
    double *right, *x;     // [count * 4], rows (x, y, z, 0)
    double *side;          // [3 count]
    double *scratch;
} Ring;

static void applyInverse(void *context, const double *x, double *y)
{
    const Ring *p = context;
    for (int k = 0; k < p->pieces; k++) {
        const double *in = x + 4 * k;
        double sum = (in[0] + in[1] + in[2] + in[3]) * SHARED / (OWN + 4 * SHARED);
        for (int i = 0; i < 4; i++)
            y[4 * k + i] = (in[i] - sum) / OWN;
    }
}

// The two vertices that constraint j holds together.
static void endsOf(const Ring *p, int number, int ends[2])
{
    int j = p->mixed ? number * 37 % p->count : number; // 37 is prime to all numbers that are taken
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

static double schurAt(const Ring *p, int i, int j)
{
    int a[2], b[2];
    endsOf(p, i, a);
    endsOf(p, j, b);
    return inverseAt(a[0], b[0]) - inverseAt(a[0], b[1]) - inverseAt(a[1], b[0]) +
           inverseAt(a[1], b[1]);
}

static snStatus makeSet(Ring *p, bool sparse, snConstraintSet **set, const snContext *context,
                        snError *error)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = 4 * p->pieces;
    def.capacity = p->count;
    def.mostTerms = 2;
    def.inverse = (snOperator){applyInverse, p};
    def.sparse = sparse;
    snStatus status = snConstraintSet_Make(set, &def, context, error);
    for (int j = 0; j < p->count && !status; j++) {
        const double weight[2] = {1, -1}, target[4] = {0};
        int ends[2], handle;
        endsOf(p, j, ends);
        snConstraintDef one = {.termCount = 2, .index = ends, .weight = weight, .target = target};
        status = snConstraintSet_Add(*set, &one, &handle, error);
    }
    if (!status) snConstraintSet_Prepare(*set);
    return status;
}

static snStatus makeSparse(Ring *p, snError *error)
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

static snStatus makeRing(Ring *p, int pieces, bool mixed, const snContext *context, snError *error)
{
    *p = (Ring){
        .arena = snMakeArena(context), .pieces = pieces, .count = 2 * pieces, .mixed = mixed};
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
    snStatus status = makeSet(p, true, &p->set, context, error);
    if (!status) status = makeSet(p, false, &p->list, context, error);
    return status ? status : makeSparse(p, error);
}

static void freeRing(Ring *p)
{
    snConstraintSet_Destroy(p->set);
    snConstraintSet_Destroy(p->list);
    snArena_Destroy(&p->arena);
}

// λ by the factor that the set keeps.
static void solveKept(void *context)
{
    Ring *p = context;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snConstraintSet_SolveSchur(p->set, 4, p->x);
    snBench_Keep(p->x);
}

// The same in the order of addition.
static void solveList(void *context)
{
    Ring *p = context;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snConstraintSet_SolveSchur(p->list, 4, p->x);
    snBench_Keep(p->x);
}

static void solveDense(void *context)
{
    Ring *p = context;
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
    Ring *p = context;
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
    Ring *p = context;
    if (snFactor_Compute(p->anew, &p->sparse, NULL) != SN_OK) return;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snFactor_Solve(p->anew, 4, p->x, p->scratch);
    snBench_Keep(p->x);
}

static void solveSparseKept(void *context)
{
    Ring *p = context;
    memcpy(p->x, p->right, (size_t)p->count * 4 * sizeof(double));
    snFactor_Solve(p->kept, 4, p->x, p->scratch);
    snBench_Keep(p->x);
}

// How far a way of solving is from S λ = r, of the largest r.
static double missOf(Ring *p, void (*solve)(void *))
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

// ---- the real step ------------------------------------------------------------------------------

typedef struct Steps {
    double milliseconds; // of a step, the median
    int64_t rows;        // factored after the first step
    int pieces, attachments;
    double miss; // m
} Steps;

enum { MOST_STEPS = 400 };

static snStatus stepPuppet(const snPuppetDef *def, int steps, Steps *seen, snError *error)
{
    snContext context = snDefaultContext();
    snStage stage;
    double seconds[MOST_STEPS];
    snStatus status = makePuppet(def, &context, &stage, error);
    if (status) return status;
    snWorld_Step(stage.world);
    *seen = (Steps){.pieces = stage.world->bodies.count,
                    .attachments = stage.world->attachments.count,
                    .rows = -taleOfPuppet(stage.world).rows};
    for (int n = 0; n < steps; n++) {
        double begin = snBench_Computed();
        snWorld_Step(stage.world);
        seconds[n] = snBench_Computed() - begin;
        seen->miss = fmax(seen->miss, missOfPuppet(stage.world));
    }
    qsort(seconds, (size_t)steps, sizeof *seconds, snCompareDoubles);
    seen->milliseconds = 1e3 * seconds[steps / 2];
    seen->rows += taleOfPuppet(stage.world).rows;
    snStage_Destroy(&stage);
    return SN_OK;
}

void snBench_Puppet(snBench *bench)
{
    static const struct {
        const char *rule;
        double rate;
        int steps;
        bool mixed;
    } runs[] = {{"euler", 60, 359, false},
                {"euler", 60, 359, true},
                {"euler", 120, 359, false},
                {"midpoint", 240, 20, false}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        snPuppetDef def = snDefaultPuppetDef();
        snError error = {0};
        Steps seen;
        def.integrator = runs[k].rule;
        def.stepsPerSecond = runs[k].rate;
        def.mixed = runs[k].mixed;
        if (stepPuppet(&def, runs[k].steps, &seen, &error)) {
            snBench_Skip(bench, error.message);
            return;
        }
        double share = 1e-3 * seen.milliseconds * def.stepsPerSecond;
        if (k == 0) snBench_Report(bench, "nonrigid/puppet", share, "of real time", "< 1");
        if (k == 1) snBench_Report(bench, "nonrigid/puppet-mixed", share, "of real time", "< 1");
        snBench_Note(
            bench,
            "%d pieces, %d attachments%s, %s: %.2f ms for steps of %.2f ms (%.0f a second); "
            "%lld rows factored after the first step; attachments within %.0e m",
            seen.pieces, seen.attachments, def.mixed ? " in no good order" : "", def.integrator,
            seen.milliseconds, 1e3 / def.stepsPerSecond, 1e3 / seen.milliseconds,
            (long long)seen.rows, seen.miss);
    }
}

// ---- against factors made anew ------------------------------------------------------------------

static void reportSixty(snBench *bench, const snContestant *sides)
{
    snBench_Report(bench, "nonrigid/constraints-60-dense", snBench_Ratio(&sides[4], &sides[0]), "x",
                   ">= 10");
    snBench_Report(bench, "nonrigid/constraints-60-dense-rows", snBench_Ratio(&sides[1], &sides[0]),
                   "x", "");
    snBench_Report(bench, "nonrigid/constraints-60-sparse", snBench_Ratio(&sides[2], &sides[0]),
                   "x", "");
}

static void compare(snBench *bench, int pieces, bool mixed, const Steps *steps)
{
    Ring p;
    snContext context = snDefaultContext();
    snError error = {0};
    if (makeRing(&p, pieces, mixed, &context, &error)) {
        snBench_Skip(bench, error.message);
        freeRing(&p);
        return;
    }
    snContestant sides[] = {{.name = "kept", .run = solveKept, .context = &p},
                            {.name = "dense", .run = solveDense, .context = &p},
                            {.name = "sparse", .run = solveSparse, .context = &p},
                            {.name = "panels, kept", .run = solveSparseKept, .context = &p},
                            {.name = "whole", .run = solveWhole, .context = &p},
                            {.name = "list, kept", .run = solveList, .context = &p}};
    int64_t before = p.set->rowsFactored;
    double miss = missOf(&p, solveKept) + missOf(&p, solveDense) + missOf(&p, solveSparse) +
                  missOf(&p, solveWhole) + missOf(&p, solveList);
    snBench_Compare(bench, sides, 6);
    snBench_Note(
        bench,
        "%3d constraints%s: kept %7.1f us, %lld rows factored; made anew dense %8.1f us "
        "(three rows each %8.1f us), sparse %7.1f us; kept in panels %6.1f us, in the order "
        "of addition %6.1f us; all solved to %.0e",
        p.count, mixed ? " in no good order" : "", 1e6 * sides[0].seconds,
        (long long)(p.set->rowsFactored - before), 1e6 * sides[1].seconds, 1e6 * sides[4].seconds,
        1e6 * sides[2].seconds, 1e6 * sides[3].seconds, 1e6 * sides[5].seconds, miss);
    if (steps)
        snBench_Note(
            bench,
            "    a real step, %d pieces, %d attachments: %.2f ms, %lld rows factored; with "
            "J A^-1 J^T solved dense in every step %.2f ms",
            steps->pieces, steps->attachments, steps->milliseconds, (long long)steps->rows,
            steps->milliseconds + 1e3 * (sides[4].seconds - sides[0].seconds));
    if (p.count == 60) reportSixty(bench, sides);
    freeRing(&p);
}

void snBench_Constraints(snBench *bench)
{
    static const struct {
        int pieces, segments, strings;
    } runs[] = {{5, 1, 1}, {15, 4, 4}, {30, 9, 4}, {60, 19, 4}, {120, 39, 4}, {200, 66, 2}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        snPuppetDef def = snDefaultPuppetDef();
        snError error = {0};
        Steps steps;
        def.segments = runs[k].segments;
        def.strings = runs[k].strings;
        if (stepPuppet(&def, 120, &steps, &error)) {
            snBench_Skip(bench, error.message);
            return;
        }
        compare(bench, runs[k].pieces, false, &steps);
    }
    compare(bench, 200, true, NULL);
}
