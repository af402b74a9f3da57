#include "tests/test.h"

#include "numerics/cg.h"
#include "numerics/cholesky.h"
#include "tests/numerics/block_scene.h"
#include "tests/numerics/fill.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double distance(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static double norm(const double *x, int count)
{
    return sqrt(snDotProduct(count, x, x));
}

typedef struct Setup {
    snArena arena;
    snBlockScene scene;
    int rows;
    double *b, *x, *exact, *scratch;
} Setup;

static void setUp(Setup *setup)
{
    snContext context = snDefaultContext();
    setup->arena = snMakeArena(&context);
    CHECK(snBlockScene_Make(&setup->scene, (int[3]){5, 6, 7}, &setup->arena, NULL) == SN_OK);
    setup->rows = 3 * setup->scene.pattern.size;
    setup->b = SN_NEW(&setup->arena, double, setup->rows);
    setup->x = SN_NEW(&setup->arena, double, setup->rows);
    setup->exact = SN_NEW(&setup->arena, double, setup->rows);
    setup->scratch = SN_NEW(&setup->arena, double, snCg_ScratchSize(setup->rows));
    fillRandom(setup->b, setup->rows, 4);
}

static void factorSolve(Setup *setup)
{
    snSymbolic *symbolic;
    snFactor *factor;
    snSymbolic_Make(&symbolic, &setup->scene.pattern, 3, SN_ORDER_AUTO, &setup->arena, NULL);
    snFactor_Make(&factor, symbolic, &setup->arena, NULL);
    CHECK(snFactor_Compute(factor, &setup->scene.elastic, NULL) == SN_OK);
    double *scratch = SN_NEW(&setup->arena, double, snFactor_ScratchSize(factor, 1));
    memcpy(setup->exact, setup->b, (size_t)setup->rows * sizeof *setup->b);
    snFactor_Solve(factor, 1, setup->exact, scratch);
}

static snCgDef defOf(const Setup *setup)
{
    snCgDef def = snDefaultCgDef();
    def.size = setup->rows;
    def.matrix = snOperator_FromSparse(&setup->scene.elastic);
    def.tolerance = 1e-15;
    return def;
}

// The condition of the block's matrix is 68; both solutions are as good as rounding allows.
static void agreesWithCholesky(void)
{
    Setup setup;
    setUp(&setup);
    factorSolve(&setup);
    snCgDef def = defOf(&setup);
    int iterations[3];
    for (int kind = 0; kind < 3; kind++) {
        snJacobi jacobi;
        if (kind) {
            bool blocks = kind == 2;
            double *inverse =
                SN_NEW(&setup.arena, double, snJacobi_Size(&setup.scene.elastic, blocks));
            snJacobi_Compute(&jacobi, &setup.scene.elastic, blocks, inverse);
            def.preconditioner = snOperator_FromJacobi(&jacobi);
        }
        memset(setup.x, 0, (size_t)setup.rows * sizeof *setup.x);
        snCgResult result;
        CHECK(snCg_Solve(&def, setup.b, setup.x, setup.scratch, &result, NULL) == SN_OK);
        CHECK(result.converged && result.residual <= 1e-15);
        CHECK(distance(setup.x, setup.exact, setup.rows) <=
              10 * 68 * DBL_EPSILON * norm(setup.exact, setup.rows));
        iterations[kind] = result.iterations;
    }
    CHECK(iterations[1] <= iterations[0] && iterations[2] <= iterations[1]);
    snArena_Destroy(&setup.arena);
}

static void warmStartSavesIterations(void)
{
    Setup setup;
    setUp(&setup);
    factorSolve(&setup);
    snCgDef def = defOf(&setup);
    def.tolerance = 1e-10;
    snCgResult cold, warm, done;
    CHECK(snCg_Solve(&def, setup.b, setup.x, setup.scratch, &cold, NULL) == SN_OK);
    for (int i = 0; i < setup.rows; i++)
        setup.x[i] = setup.exact[i] * (1 + 1e-6 * (i % 3));
    CHECK(snCg_Solve(&def, setup.b, setup.x, setup.scratch, &warm, NULL) == SN_OK);
    CHECK(warm.converged && warm.iterations < cold.iterations);
    CHECK(snCg_Solve(&def, setup.b, setup.x, setup.scratch, &done, NULL) == SN_OK);
    CHECK(done.iterations == 0);
    snArena_Destroy(&setup.arena);
}

// Every third vertex is held: its rows leave the system.
static void holdVertices(void *context, double *x)
{
    int vertices = *(int *)context;
    for (int v = 0; v < vertices; v += 3)
        x[3 * v] = x[3 * v + 1] = x[3 * v + 2] = 0;
}

static void projectionKeepsConstraints(void)
{
    Setup setup;
    setUp(&setup);
    int vertices = setup.scene.pattern.size;
    snCgDef def = defOf(&setup);
    def.tolerance = 1e-12;
    def.projection = (snProjection){holdVertices, &vertices};
    for (int v = 0; v < vertices; v += 3)
        setup.x[3 * v] = 0.25; // a warm start that the constraints are to keep
    snCgResult result;
    CHECK(snCg_Solve(&def, setup.b, setup.x, setup.scratch, &result, NULL) == SN_OK);
    CHECK(result.converged);
    snSparse_Multiply(&setup.scene.elastic, 1, setup.x, setup.exact);
    for (int v = 0; v < vertices; v++)
        for (int i = 0; i < 3; i++) {
            if (v % 3 == 0)
                CHECK(setup.x[3 * v + i] == (i == 0 ? 0.25 : 0));
            else
                CHECK_NEAR(setup.exact[3 * v + i], setup.b[3 * v + i], 1e-9);
        }
    snArena_Destroy(&setup.arena);
}

static void diagonal(void *context, const double *x, double *y)
{
    const double *d = context;
    for (int i = 0; i < 4; i++)
        y[i] = d[i] * x[i];
}

static void specialCases(void)
{
    double d[4] = {1, 2, -3, 4}, b[4] = {1, 1, 1, 1}, x[4] = {0}, scratch[16];
    snCgDef def = snDefaultCgDef();
    def.size = 4;
    def.matrix = (snOperator){diagonal, d};
    snCgResult result;
    snError error;
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_NUMERIC); // indefinite
    d[2] = 3;
    memset(x, 0, sizeof x);
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_OK);
    CHECK(result.converged && result.iterations <= 4); // as many steps as eigenvalues
    CHECK_NEAR(x[3], 0.25, 1e-12);

    double zero[4] = {0};
    CHECK(snCg_Solve(&def, zero, x, scratch, &result, &error) == SN_OK);
    CHECK(result.converged && fabs(x[0]) < 1e-12);
    memset(x, 0, sizeof x);
    CHECK(snCg_Solve(&def, zero, x, scratch, &result, &error) == SN_OK);
    CHECK(result.converged && result.iterations == 0);

    b[1] = NAN;
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_NUMERIC);
    b[1] = 1;
    memset(x, 0, sizeof x);
    def.maxIterations = 1;
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_OK);
    CHECK(!result.converged && result.iterations == 1 && result.residual > 0);
    def.size = 0;
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_OK && result.converged);
    def.size = -1;
    CHECK(snCg_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_ARGUMENT);
}

static void jacobiInvertsDiagonals(void)
{
    Setup setup;
    setUp(&setup);
    const snSparse *matrix = &setup.scene.elastic;
    double *inverse = SN_NEW(&setup.arena, double, snJacobi_Size(matrix, true));
    snJacobi jacobi;
    snJacobi_Compute(&jacobi, matrix, true, inverse);
    const double *a = matrix->values + 9 * matrix->pattern.columnStart[11];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++)
                sum += a[3 * i + k] * inverse[9 * 11 + 3 * k + j];
            CHECK_NEAR(sum, i == j, 1e-13);
        }
    // Not positive definite: left as it is.
    setup.scene.elastic.values[9 * matrix->pattern.columnStart[11]] = -1;
    snJacobi_Compute(&jacobi, matrix, true, inverse);
    CHECK(inverse[9 * 11] == 1 && inverse[9 * 11 + 1] == 0 && inverse[9 * 11 + 8] == 1);
    snJacobi_Compute(&jacobi, matrix, false, inverse);
    CHECK(inverse[33] == 1);
    snArena_Destroy(&setup.arena);
}

int main(void)
{
    RUN(agreesWithCholesky);
    RUN(warmStartSavesIterations);
    RUN(projectionKeepsConstraints);
    RUN(specialCases);
    RUN(jacobiInvertsDiagonals);
    return snTest_Finish();
}
