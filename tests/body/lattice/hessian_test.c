// Second derivatives of a step's objective: against differences of its gradient, against the linear
// stiffness at rest, positive, the same for any number of threads, and Newton's method with them.
#include "tests/test.h"

#include "body/lattice/hessian.h"
#include "body/lattice/passes.h"
#include "core/core.h"
#include "numerics/cg.h"
#include "tests/body/lattice/blocks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    double *young;
    snLatticeModel *model;
    snLatticeState *state;
    snHessian hessian;
    double *rig;
} Body;

#define HELD 0.0
#define FREE (-1.0)

// A body of a lattice made in body->arena; vertices with x <= held are known.
static void buildBody(Body *body, snMaterial material, snMotion motion, double held)
{
    int n = body->lattice.vertexCount;
    body->young = SN_NEW(&body->arena, double, body->lattice.cellCount);
    for (int c = 0; c < body->lattice.cellCount; c++)
        body->young[c] = c % 5 ? 1e5 : 3e5;
    body->quadrature = quadratureOf(&body->lattice, &body->arena, &body->context);
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &body->lattice;
    def.quadrature = &body->quadrature;
    def.known = heldUpTo(&body->lattice, held, &body->arena);
    def.young = body->young;
    def.material = material;
    def.motion = motion;
    CHECK(snLatticeModel_Build(&body->model, &def, &body->context, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&body->state, body->model, 1, &body->context, NULL) == SN_OK);
    CHECK(snHessian_Make(&body->hessian, body->model, &body->arena, NULL) == SN_OK);
    body->rig = SN_NEW(&body->arena, double, 4 * n);
    for (int i = 0; i < n; i++)
        memcpy(body->rig + 4 * i, &body->model->rest[i], sizeof(snVec3));
}

static void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
}

typedef enum Kind { TETS, MIXED, ONE_CELL, KINDS } Kind;
static const char *const kindNames[KINDS] = {"tets", "all kinds", "one hexahedron"};

static void makeBody(Body *body, Kind kind, snMaterial material, snMotion motion)
{
    unsigned char boundary[96];
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    if (kind == MIXED) body->lattice = makeMixed(boundary, 0.15, &body->arena);
    if (kind == TETS)
        body->lattice = makeBlock(BLOCK_TETS, 3, 2, 1, snVec(1, 0.6, 0.3), &body->arena);
    if (kind == ONE_CELL)
        body->lattice = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 0.6, 0.3), &body->arena);
    buildBody(body, material, motion, kind == ONE_CELL ? FREE : HELD);
}

static void shake(const Body *body, double *positions, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < body->model->vertexCount * 4; k++)
        if (k % 4 != 3) positions[k] += snRandom_Uniform(&random, -amount, amount);
}

// In the middle of a step: a strained rig, strain memory, a shaken guess.
static void deform(Body *body, double amount)
{
    shake(body, body->rig, 0.3 * amount, 1);
    snLatticeState_Start(body->model, body->state, body->rig, NULL);
    shake(body, body->state->velocity, 30 * amount, 2);
    for (int k = 0; k < 4; k++)
        CHECK(snLattice_Step(body->model, body->state, &(snLatticeDrive){.rig = body->rig}));
    shake(body, body->state->next, amount, 3);
}

// The gradient of the step's objective at state->next, and the objective. Twice, so that rotations
// have settled.
static double gradient(Body *body)
{
    double elastic, value, h = body->model->def.step;
    for (int k = 0; k < 2; k++)
        snRunPass(body->model, body->state, SN_PASS_FORCE, body->state->next, NULL, &elastic);
    snVectorKernels_Choose()->gradient(body->model, body->state, &value);
    return value + h * (h + body->model->def.stiffnessDamping) * elastic;
}

// H as a dense matrix, [3 free][3 free].
static double *dense(Body *body)
{
    int n = 3 * body->model->freeCount;
    double *out = SN_NEW(&body->arena, double, n *n);
    double *x = SN_NEW(&body->arena, double, n), *y = SN_NEW(&body->arena, double, n);
    for (int j = 0; j < n; j++) {
        x[j] = 1;
        snSparse_Multiply(&body->hessian.matrix, 1, x, y);
        x[j] = 0;
        for (int i = 0; i < n; i++)
            out[i * n + j] = y[i];
    }
    return out;
}

static void agreesWithDifferencesOf(snMaterial material)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Body body;
        makeBody(&body, (Kind)kind, material, SN_MOTION_SECONDARY);
        deform(&body, kind == MIXED ? 0.15 : 0.05);
        double *next = body.state->next, worst = 0, size = 0, step = 1e-6;
        int n = body.model->freeCount;
        body.hessian.exact = true;
        CHECK(snHessian_Compute(&body.hessian, body.model, body.state, next));
        double *h = dense(&body), *up = SN_NEW(&body.arena, double, 4 * n);
        for (int k = 0; k < 3 * n; k += kind == MIXED ? 7 : 1) {
            double *number = next + k / 3 * 4 + k % 3, old = *number;
            *number = old + step;
            gradient(&body);
            memcpy(up, body.state->gradient, sizeof(double) * 4 * (size_t)n);
            *number = old - step;
            gradient(&body);
            *number = old;
            for (int i = 0; i < 3 * n; i++) {
                int at = i / 3 * 4 + i % 3;
                double fine = (up[at] - body.state->gradient[at]) / (2 * step);
                worst = fmax(worst, fabs(h[i * 3 * n + k] - fine));
                size = fmax(size, fabs(fine));
            }
        }
        printf("%s: Hessian against differences of the gradient: %.1e of the largest\n",
               kindNames[kind], worst / size);
        CHECK(worst / size < 1e-6);
        freeBody(&body);
    }
}

static void agreesWithDifferences(void)
{
    for (int material = 0; material < SN_MATERIALS; material++)
        agreesWithDifferencesOf((snMaterial)material);
}

// At rest in full motion: D + h (h + β) times the stiffness matrix of linear elasticity.
static void restIsLinearOf(snMaterial material)
{
    Body body;
    makeBody(&body, MIXED, material, SN_MOTION_FULL);
    const snLatticeModel *model = body.model;
    snLatticeState_Start(model, body.state, body.rig, NULL);
    CHECK(snHessian_Compute(&body.hessian, model, body.state, body.state->position));
    snSparse stiffness;
    CHECK(snLattice_Stiffness(&stiffness, &body.lattice, &body.quadrature, body.young,
                              model->def.poisson, &body.arena, NULL) == SN_OK);
    double scale = model->def.step * (model->def.step + model->def.stiffnessDamping);
    double *h = dense(&body), worst = 0, size = 0;
    int free = 3 * model->freeCount, all = 3 * model->vertexCount;
    double *x = SN_NEW(&body.arena, double, all), *y = SN_NEW(&body.arena, double, all);
    for (int j = 0; j < free; j++) {
        int at = 3 * model->vertexOf[j / 3] + j % 3;
        x[at] = 1;
        snSparse_Multiply(&stiffness, 1, x, y);
        x[at] = 0;
        for (int i = 0; i < free; i++) {
            double expected = scale * y[3 * model->vertexOf[i / 3] + i % 3];
            if (i == j) expected += model->diagonal[i / 3];
            worst = fmax(worst, fabs(h[i * free + j] - expected));
            size = fmax(size, fabs(expected));
        }
    }
    printf("at rest against linear elasticity: %.1e\n", worst / size);
    CHECK(worst / size < 1e-13);
    freeBody(&body);
}

static void restIsLinear(void)
{
    for (int material = 0; material < SN_MATERIALS; material++)
        restIsLinearOf((snMaterial)material);
}

// x . H x
static double curvature(const Body *body, const double *x, double *y)
{
    snSparse_Multiply(&body->hessian.matrix, 1, x, y);
    double sum = 0;
    for (int i = 0; i < 3 * body->model->freeCount; i++)
        sum += x[i] * y[i];
    return sum;
}

// Strongly deformed, with inverted elements: the projected matrix has a Cholesky factor, and is
// nowhere less curved than the exact one.
static void isPositiveDefinite(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        Body body;
        makeBody(&body, (Kind)kind, (snMaterial)kind, SN_MOTION_FULL);
        deform(&body, kind == MIXED ? 0.8 : 0.3);
        int n = 3 * body.model->freeCount, lower = 0;
        double *x = SN_NEW(&body.arena, double, n), *y = SN_NEW(&body.arena, double, n);
        CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
        snSymbolic *symbolic;
        snFactor *factor;
        CHECK(snSymbolic_Make(&symbolic, &body.hessian.matrix.pattern, 3, SN_ORDER_NATURAL,
                              &body.arena, NULL) == SN_OK);
        CHECK(snFactor_Make(&factor, symbolic, &body.arena, NULL) == SN_OK);
        CHECK(snFactor_Compute(factor, &body.hessian.matrix, NULL) == SN_OK);
        double *projected = SN_NEW(&body.arena, double, 50);
        for (int exact = 0; exact < 2; exact++) {
            snRandom random = snMakeRandom(5);
            body.hessian.exact = exact;
            CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
            for (int k = 0; k < 50; k++) {
                for (int i = 0; i < n; i++)
                    x[i] = snRandom_Normal(&random);
                double found = curvature(&body, x, y);
                if (exact) lower += found < projected[k];
                projected[k] = found;
                CHECK(exact || found > 0);
            }
        }
        CHECK(lower == 50);
        freeBody(&body);
    }
}

// Newton's method with the projected matrix far from the solution, with the exact one near it:
// there the number of right digits doubles.
static void newtonConverges(void)
{
    Body body;
    makeBody(&body, TETS, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY);
    deform(&body, 0.03);
    int n = body.model->freeCount;
    double *x = SN_NEW(&body.arena, double, 3 * n), norm = 0, history[6];
    snSymbolic *symbolic;
    snFactor *factor;
    CHECK(snSymbolic_Make(&symbolic, &body.hessian.matrix.pattern, 3, SN_ORDER_NATURAL, &body.arena,
                          NULL) == SN_OK);
    CHECK(snFactor_Make(&factor, symbolic, &body.arena, NULL) == SN_OK);
    double *scratch = SN_NEW(&body.arena, double, snFactor_ScratchSize(factor, 1));
    for (int k = 0; k < 6; k++) {
        gradient(&body);
        norm = 0;
        for (int i = 0; i < 3 * n; i++) {
            x[i] = body.state->gradient[i / 3 * 4 + i % 3];
            norm += x[i] * x[i];
        }
        history[k] = sqrt(norm);
        body.hessian.exact = k >= 3;
        CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
        CHECK(snFactor_Compute(factor, &body.hessian.matrix, NULL) == SN_OK);
        snFactor_Solve(factor, 1, x, scratch);
        for (int i = 0; i < 3 * n; i++)
            body.state->next[i / 3 * 4 + i % 3] -= x[i];
    }
    printf("Newton, |gradient|:");
    for (int k = 0; k < 6; k++)
        printf(" %.1e", history[k]);
    printf("\n");
    CHECK(history[4] / history[3] < 0.01 * history[3] / history[2]);
    CHECK(history[5] < 1e-11 * history[0]);
    freeBody(&body);
}

static void solvesByConjugateGradients(void)
{
    Body body;
    makeBody(&body, MIXED, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY);
    deform(&body, 0.3);
    int n = 3 * body.model->freeCount;
    CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
    snCgDef def = snDefaultCgDef();
    def.size = n;
    def.matrix = snOperator_FromSparse(&body.hessian.matrix);
    double *b = SN_NEW(&body.arena, double, n), *x = SN_NEW(&body.arena, double, n);
    for (int i = 0; i < n; i++)
        b[i] = i % 7 - 3;
    snCgResult result;
    CHECK(snCg_Solve(&def, b, x, SN_NEW(&body.arena, double, snCg_ScratchSize(n)), &result, NULL) ==
          SN_OK);
    CHECK(result.converged);
    freeBody(&body);
}

// Two threads: one takes the even pieces, the other the odd ones.
typedef struct Half {
    int count, grain, first;
    snTaskFcn *fcn;
    void *context;
} Half;

static void *runHalf(void *user)
{
    Half *half = user;
    for (int begin = half->first * half->grain; begin < half->count; begin += 2 * half->grain) {
        int end = begin + half->grain < half->count ? begin + half->grain : half->count;
        half->fcn(begin, end, half->first, half->context);
    }
    return NULL;
}

static void runOnTwo(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    (void)user;
    Half halves[2] = {{count, grain, 0, fcn, context}, {count, grain, 1, fcn, context}};
    pthread_t thread;
    bool alone = pthread_create(&thread, NULL, runHalf, &halves[1]) != 0;
    runHalf(&halves[0]);
    if (alone)
        runHalf(&halves[1]);
    else
        pthread_join(thread, NULL);
}

static void sameBitsOnTwoThreads(void)
{
    Body body;
    makeBody(&body, MIXED, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY);
    deform(&body, 0.3);
    const snPattern *pattern = &body.hessian.matrix.pattern;
    size_t bytes = 9 * (size_t)pattern->columnStart[pattern->size] * sizeof(double);
    double *one = SN_NEW(&body.arena, double, bytes / sizeof(double));
    CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
    memcpy(one, body.hessian.matrix.values, bytes);
    memset(body.hessian.matrix.values, 0, bytes);
    body.model->context.tasks = (snTasks){.run = runOnTwo, .workers = 2};
    CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
    CHECK(memcmp(one, body.hessian.matrix.values, bytes) == 0);
    freeBody(&body);
}

static void badInput(void)
{
    Body body;
    makeBody(&body, TETS, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY);
    deform(&body, 0.05);
    body.state->next[1] = NAN;
    CHECK(!snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
    body.state->next[1] = INFINITY;
    CHECK(!snHessian_Compute(&body.hessian, body.model, body.state, body.state->next));
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snHessian hessian;
        snStatus status = snHessian_Make(&hessian, body.model, &arena, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    freeBody(&body);
}

// All vertices known: an empty matrix.
static void nothingIsFree(void)
{
    Body body = {.context = snDefaultContext()};
    body.arena = snMakeArena(&body.context);
    body.lattice = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &body.arena);
    buildBody(&body, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY, 2.0);
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    CHECK(body.hessian.matrix.pattern.size == 0);
    CHECK(snHessian_Compute(&body.hessian, body.model, body.state, body.state->position));
    freeBody(&body);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void cost(void)
{
    Body body = {.context = snDefaultContext()};
    body.arena = snMakeArena(&body.context);
    body.lattice = makeBlock(BLOCK_TETS, 7, 4, 3, snVec(0.7, 0.4, 0.3), &body.arena);
    buildBody(&body, SN_MATERIAL_COROTATED, SN_MOTION_SECONDARY, HELD);
    deform(&body, 0.01);
    double times[2];
    for (int exact = 0; exact < 2; exact++) {
        body.hessian.exact = exact;
        double start = seconds();
        for (int k = 0; k < 20; k++)
            snHessian_Compute(&body.hessian, body.model, body.state, body.state->next);
        times[exact] = (seconds() - start) / 20;
    }
    printf("%d tets, %d free vertices: %.2f ms projected, %.2f ms exact\n", body.lattice.cellCount,
           body.model->freeCount, 1e3 * times[0], 1e3 * times[1]);
    freeBody(&body);
}

int main(void)
{
    RUN(agreesWithDifferences);
    RUN(restIsLinear);
    RUN(isPositiveDefinite);
    RUN(newtonConverges);
    RUN(solvesByConjugateGradients);
    RUN(sameBitsOnTwoThreads);
    RUN(badInput);
    RUN(nothingIsFree);
    RUN(cost);
    return snTest_Finish();
}
