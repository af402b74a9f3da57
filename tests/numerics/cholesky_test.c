#include "tests/test.h"

#include "numerics/cholesky.h"
#include "numerics/cholesky_parts.h"
#include "numerics/ordering.h"
#include "core/simd.h"
#include "tests/numerics/block_scene.h"
#include "tests/numerics/cholmod_matrix.h"
#include "tests/numerics/fill.h"

#include <cholmod.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A matrix with its factor, in one arena.
typedef struct Job {
    snArena arena;
    snSymbolic *symbolic;
    snFactor *factor;
    double *scratch;
} Job;

static snStatus makeJob(Job *job, const snContext *context, const snSparse *matrix,
                        snOrdering ordering, int width, snError *error)
{
    *job = (Job){.arena = snMakeArena(context)};
    snStatus status = snSymbolic_Make(&job->symbolic, &matrix->pattern, matrix->block, ordering,
                                      &job->arena, error);
    if (!status) status = snFactor_Make(&job->factor, job->symbolic, &job->arena, error);
    if (!status) status = snFactor_Compute(job->factor, matrix, error);
    if (status) return status;
    job->scratch = SN_NEW(&job->arena, double, snFactor_ScratchSize(job->factor, width));
    return job->scratch ? SN_OK : SN_ERROR_MEMORY;
}

static double norm(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// The largest sum of magnitudes in a row bounds the 2-norm of a symmetric matrix from above; a
// Rayleigh quotient from below keeps the residual test honest, so take a few power steps.
static double matrixNorm(const snSparse *matrix, snArena *arena)
{
    int count = matrix->pattern.size * matrix->block;
    double *x = SN_NEW(arena, double, count), *y = SN_NEW(arena, double, count), length = 0;
    for (int i = 0; i < count; i++)
        x[i] = 1 + 0.1 * (i % 7);
    for (int step = 0; step < 20; step++) {
        double scale = norm(x, count);
        for (int i = 0; i < count; i++)
            x[i] /= scale;
        snSparse_Multiply(matrix, 1, x, y);
        length = norm(y, count);
        memcpy(x, y, (size_t)count * sizeof *x);
    }
    return length;
}

// ‖A x - b‖ / (‖A‖ ‖x‖ + ‖b‖), the largest over the sides.
static double residual(const snSparse *matrix, int width, const double *x, const double *b)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    int rows = matrix->pattern.size * matrix->block;
    double length = matrixNorm(matrix, &arena), worst = 0;
    double *product = SN_NEW(&arena, double, rows *width);
    snSparse_Multiply(matrix, width, x, product);
    for (int r = 0; r < width; r++) {
        double rr = 0, xx = 0, bb = 0;
        for (int i = r; i < rows * width; i += width) {
            rr += (product[i] - b[i]) * (product[i] - b[i]);
            xx += x[i] * x[i];
            bb += b[i] * b[i];
        }
        double relative = sqrt(rr) / (length * sqrt(xx) + sqrt(bb));
        if (!(relative <= worst)) worst = relative;
    }
    snArena_Destroy(&arena);
    return worst;
}

static void checkSolve(const snSparse *matrix, snOrdering ordering, int width)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    int count = matrix->pattern.size * matrix->block * width;
    double *x = SN_NEW(&arena, double, count), *b = SN_NEW(&arena, double, count);
    fillRandom(b, count, 5);
    memcpy(x, b, (size_t)count * sizeof *x);
    Job job;
    snError error = {0};
    if (CHECK(makeJob(&job, &context, matrix, ordering, width, &error) == SN_OK)) {
        snFactor_Solve(job.factor, width, x, job.scratch);
        CHECK(residual(matrix, width, x, b) < 1e-14);
    }
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

static void residualIsSmall(void)
{
    static const int sizes[][3] = {{2, 2, 2}, {3, 4, 5}, {6, 6, 6}, {12, 8, 9}};
    static const int widths[] = {1, 2, 3, 4, 5, 7, 8, 11, 24, 32};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    for (int s = 0; s < 4; s++) {
        snBlockScene scene;
        CHECK(snBlockScene_Make(&scene, sizes[s], &arena, NULL) == SN_OK);
        for (snOrdering o = SN_ORDER_AUTO; o <= SN_ORDER_NATURAL; o++) {
            checkSolve(&scene.elastic, o, 1);
            checkSolve(&scene.scalar, o, 3);
        }
        static const double rates[] = {60, 1, 0.01}, contrasts[] = {1, 1e3, 1e6};
        for (int k = 0; k < 9 && s < 3; k++) {
            snBlockScene hard;
            CHECK(snBlockScene_MakeHard(&hard, sizes[s], rates[k / 3], contrasts[k % 3], &arena,
                                        NULL) == SN_OK);
            checkSolve(&hard.elastic, SN_ORDER_AUTO, 1);
            checkSolve(&hard.scalar, SN_ORDER_AUTO, 3);
        }
        for (int w = 0; w < 10 && s < 3; w++) {
            checkSolve(&scene.elastic, SN_ORDER_AUTO, widths[w]);
            checkSolve(&scene.scalar, SN_ORDER_AUTO, widths[w]);
        }
    }
    snArena_Destroy(&arena);
}

// Largest over smallest eigenvalue, the second by inverse power steps.
static double condition(const snSparse *matrix, const Job *job, snArena *arena)
{
    int count = matrix->pattern.size * matrix->block;
    double *x = SN_NEW(arena, double, count), largest = matrixNorm(matrix, arena), inverse = 0;
    fillRandom(x, count, 9);
    for (int step = 0; step < 20; step++) {
        double scale = norm(x, count);
        for (int i = 0; i < count; i++)
            x[i] /= scale;
        snFactor_Solve(job->factor, 1, x, job->scratch);
        inverse = norm(x, count);
    }
    return largest * inverse;
}

static void checkAgainstCholmod(const snSparse *matrix, cholmod_common *common)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    int count = matrix->pattern.size * matrix->block;
    double *x = SN_NEW(&arena, double, count), *difference = SN_NEW(&arena, double, count);
    fillRandom(x, count, 21);

    cholmod_sparse *a = toCholmod(matrix, common);
    cholmod_dense *b = cholmod_zeros((size_t)count, 1, CHOLMOD_REAL, common);
    memcpy(b->x, x, (size_t)count * sizeof *x);
    cholmod_factor *l = cholmod_analyze(a, common);
    cholmod_factorize(a, l, common);
    cholmod_dense *theirs = cholmod_solve(CHOLMOD_A, l, b, common);

    Job job;
    CHECK(makeJob(&job, &context, matrix, SN_ORDER_AUTO, 1, NULL) == SN_OK);
    snFactor_Solve(job.factor, 1, x, job.scratch);
    for (int i = 0; i < count; i++)
        difference[i] = x[i] - ((double *)theirs->x)[i];
    double bound = 10 * condition(matrix, &job, &arena) * DBL_EPSILON;
    CHECK(norm(difference, count) <= bound * norm(x, count));

    cholmod_free_dense(&theirs, common);
    cholmod_free_dense(&b, common);
    cholmod_free_factor(&l, common);
    cholmod_free_sparse(&a, common);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

static void agreesWithCholmod(void)
{
    static const int sizes[][3] = {{3, 3, 3}, {6, 6, 6}, {14, 12, 12}};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    cholmod_common common;
    cholmod_start(&common);
    for (int s = 0; s < 3; s++) {
        snBlockScene scene;
        CHECK(snBlockScene_Make(&scene, sizes[s], &arena, NULL) == SN_OK);
        checkAgainstCholmod(&scene.elastic, &common);
        checkAgainstCholmod(&scene.scalar, &common);
        // Nearly without mass, and of very different materials.
        CHECK(snBlockScene_MakeHard(&scene, sizes[s], 0.1, 1e4, &arena, NULL) == SN_OK);
        checkAgainstCholmod(&scene.elastic, &common);
        checkAgainstCholmod(&scene.scalar, &common);
    }
    cholmod_finish(&common);
    snArena_Destroy(&arena);
}

// Random graphs of all kinds: with isolated vertices, in several pieces, dense, an arrow.
static void makeRandom(snSparse *matrix, int size, int pairs, int block, bool arrow, uint64_t seed,
                       snArena *arena)
{
    snRandom random = snMakeRandom(seed);
    int *first = SN_NEW(arena, int, pairs + size), *second = SN_NEW(arena, int, pairs + size);
    for (int p = 0; p < pairs; p++) {
        first[p] = snRandom_Below(&random, size);
        second[p] = snRandom_Below(&random, size);
    }
    for (int i = 0; arrow && i < size; i++)
        first[pairs + i] = 0, second[pairs + i] = i;
    snPattern pattern;
    CHECK(snPattern_FromPairs(&pattern, size, pairs + (arrow ? size : 0), first, second, arena,
                              NULL) == SN_OK);
    CHECK(snSparse_Make(matrix, &pattern, block, arena, NULL) == SN_OK);
    for (int j = 0; j < size; j++)
        for (int k = pattern.columnStart[j] + 1; k < pattern.columnStart[j + 1]; k++) {
            double value[9], strong[9] = {0};
            for (int c = 0; c < 9; c++)
                value[c] = snRandom_Uniform(&random, -1, 1);
            strong[0] = strong[4] = strong[8] = 2 * block;
            if (block == 3) {
                snSparse_AddBlock(matrix, pattern.row[k], j, value);
                snSparse_AddBlock(matrix, j, j, strong);
                snSparse_AddBlock(matrix, pattern.row[k], pattern.row[k], strong);
            } else {
                snSparse_AddScalar(matrix, pattern.row[k], j, value[0]);
                snSparse_AddScalar(matrix, j, j, 2);
                snSparse_AddScalar(matrix, pattern.row[k], pattern.row[k], 2);
            }
        }
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int j = 0; j < size; j++)
        block == 3 ? snSparse_AddBlock(matrix, j, j, one) : snSparse_AddScalar(matrix, j, j, 1);
}

static void graphsOfAllKinds(void)
{
    static const struct {
        int size, pairs;
        bool arrow;
    } kinds[] = {{1, 0, false},    {2, 0, false},     {2, 1, true},
                 {50, 0, false},   {40, 20, true},    {60, 30, false},
                 {25, 400, false}, {700, 800, false}, {600, 0, true}};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    for (int k = 0; k < 9; k++)
        for (int block = 1; block <= 3; block += 2)
            for (snOrdering o = SN_ORDER_AUTO; o <= SN_ORDER_NATURAL; o++) {
                snSparse matrix;
                makeRandom(&matrix, kinds[k].size, kinds[k].pairs, block, kinds[k].arrow,
                           (uint64_t)k, &arena);
                checkSolve(&matrix, o, 1);
                checkSolve(&matrix, o, 4);
            }
    snArena_Destroy(&arena);
}

static void emptyMatrix(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPattern pattern;
    snSparse matrix;
    CHECK(snPattern_FromPairs(&pattern, 0, 0, NULL, NULL, &arena, NULL) == SN_OK);
    CHECK(snSparse_Make(&matrix, &pattern, 3, &arena, NULL) == SN_OK);
    for (snOrdering o = SN_ORDER_AUTO; o <= SN_ORDER_NATURAL; o++) {
        Job job;
        CHECK(makeJob(&job, &context, &matrix, o, 3, NULL) == SN_OK);
        double untouched = 3;
        snFactor_Solve(job.factor, 3, &untouched, job.scratch);
        CHECK(untouched == 3);
        CHECK(snSymbolic_NonZeros(job.symbolic) == 0);
        snArena_Destroy(&job.arena);
    }
    snArena_Destroy(&arena);
}

// One row: x = b / a.
static void oneRow(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPattern pattern;
    snSparse matrix;
    CHECK(snPattern_FromPairs(&pattern, 1, 0, NULL, NULL, &arena, NULL) == SN_OK);
    CHECK(snSparse_Make(&matrix, &pattern, 1, &arena, NULL) == SN_OK);
    matrix.values[0] = 4;
    Job job;
    CHECK(makeJob(&job, &context, &matrix, SN_ORDER_DISSECTION, 2, NULL) == SN_OK);
    snArena_Destroy(&job.arena);
    CHECK(makeJob(&job, &context, &matrix, SN_ORDER_AMD, 2, NULL) == SN_OK);
    double x[2] = {8, 10};
    snFactor_Solve(job.factor, 2, x, job.scratch);
    CHECK(x[0] == 2 && x[1] == 2.5);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

static void badMatricesAreNamed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSparse matrix;
    makeRandom(&matrix, 30, 0, 3, false, 1, &arena); // the identity: order does not matter
    Job job;
    snError error;
    CHECK(makeJob(&job, &context, &matrix, SN_ORDER_AUTO, 1, &error) == SN_OK);

    double *diagonal = matrix.values + 9 * matrix.pattern.columnStart[17];
    diagonal[4] = -1;
    CHECK(snFactor_Compute(job.factor, &matrix, &error) == SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "row 52") != NULL);
    diagonal[4] = 0;
    CHECK(snFactor_Compute(job.factor, &matrix, &error) == SN_ERROR_NUMERIC);
    diagonal[4] = NAN;
    CHECK(snFactor_Compute(job.factor, &matrix, &error) == SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "row 52, column 52") != NULL);
    diagonal[4] = INFINITY;
    CHECK(snFactor_Compute(job.factor, &matrix, &error) == SN_ERROR_NUMERIC);
    diagonal[4] = 1;
    CHECK(snFactor_Compute(job.factor, &matrix, &error) == SN_OK); // usable after a failure

    snSparse other;
    makeRandom(&other, 30, 5, 3, false, 1, &arena);
    CHECK(snFactor_Compute(job.factor, &other, &error) == SN_ERROR_ARGUMENT);
    snSymbolic *symbolic;
    CHECK(snSymbolic_Make(&symbolic, &matrix.pattern, 2, SN_ORDER_AUTO, &arena, &error) ==
          SN_ERROR_ARGUMENT);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

// An indefinite matrix of a connected body fails too, and huge values do not become infinite
// pivots unnoticed.
static void indefiniteBodyFails(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){5, 5, 5}, &arena, NULL) == SN_OK);
    for (int j = 0; j < scene.pattern.size; j++)
        for (int i = 0; i < 3; i++)
            scene.elastic.values[9 * scene.pattern.columnStart[j] + 4 * i] -= 5e3;
    Job job;
    snError error;
    CHECK(makeJob(&job, &context, &scene.elastic, SN_ORDER_AUTO, 1, &error) == SN_ERROR_NUMERIC);
    snArena_Destroy(&job.arena);
    for (int k = 0; k < 9 * scene.pattern.columnStart[scene.pattern.size]; k++)
        scene.elastic.values[k] = 1e308;
    CHECK(makeJob(&job, &context, &scene.elastic, SN_ORDER_AUTO, 1, &error) == SN_ERROR_NUMERIC);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

// All instruction sets give the same bits, and a side gives the same bits in any company.
static void variantsHaveTheSameBits(void)
{
    static const int widths[] = {1, 2, 3, 4, 6, 8, 24, 32};
    enum { MAX_WIDTH = 32 };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){7, 6, 8}, &arena, NULL) == SN_OK);
    for (int block = 1; block <= 3; block += 2) {
        const snSparse *matrix = block == 3 ? &scene.elastic : &scene.scalar;
        int rows = block * scene.pattern.size;
        double *alone = SN_NEW(&arena, double, rows *MAX_WIDTH);
        double *x = SN_NEW(&arena, double, rows *MAX_WIDTH);
        double *b = SN_NEW(&arena, double, rows *MAX_WIDTH);
        fillRandom(b, rows * MAX_WIDTH, 3);
        Job job;
        CHECK(makeJob(&job, &context, matrix, SN_ORDER_AUTO, MAX_WIDTH, NULL) == SN_OK);
        CHECK(snFactor_UseLevel(job.factor, SN_CPU_BASE) == SN_OK);
        CHECK(snFactor_Compute(job.factor, matrix, NULL) == SN_OK);
        for (int r = 0; r < MAX_WIDTH; r++) { // alone: [side][row]
            memcpy(alone + r * rows, b + r * rows, (size_t)rows * sizeof *b);
            snFactor_Solve(job.factor, 1, alone + r * rows, job.scratch);
        }
        for (int level = SN_CPU_BASE; level <= SN_CPU_AVX512; level++) {
            if (snFactor_UseLevel(job.factor, level) != SN_OK) continue;
            CHECK(snFactor_Compute(job.factor, matrix, NULL) == SN_OK);
            for (int w = 0; w < 8; w++) {
                int width = widths[w], wrong = 0;
                for (int i = 0; i < rows * width; i++)
                    x[i] = b[i % width * rows + i / width];
                snFactor_Solve(job.factor, width, x, job.scratch);
                for (int i = 0; i < rows * width; i++)
                    wrong += memcmp(&x[i], &alone[i % width * rows + i / width], sizeof *x) != 0;
                CHECK(wrong == 0);
            }
        }
        snArena_Destroy(&job.arena);
    }
    snArena_Destroy(&arena);
}

// Rows (x, y, z, 0): the bits of each side alone. In single precision: near, and the same bits with
// every instruction set.
static void rowsOfFour(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){7, 6, 8}, &arena, NULL) == SN_OK);
    int n = scene.pattern.size, wrong = 0, differ = 0;
    double *b = SN_NEW(&arena, double, 4 * n), *x = SN_NEW(&arena, double, 4 * n);
    double *alone = SN_NEW(&arena, double, 3 * n), *first = SN_NEW(&arena, double, 4 * n);
    double error = 0, size = 0;
    Job job;
    CHECK(makeJob(&job, &context, &scene.scalar, SN_ORDER_AUTO, 4, NULL) == SN_OK);
    CHECK(snFactor_Compute(job.factor, &scene.scalar, NULL) == SN_OK);
    CHECK(snFactor_MakeSingle(job.factor, &arena, NULL) == SN_OK);
    fillRandom(b, 4 * n, 6);
    for (int k = 0; k < 4 * n; k++) {
        if (k % 4 == 3) b[k] = 0;
        if (k % 4 < 3) alone[k % 4 * n + k / 4] = b[k];
    }
    for (int c = 0; c < 3; c++)
        snFactor_SolveOrdered(job.factor, 1, alone + c * n, job.scratch);
    for (int level = SN_CPU_BASE; level <= SN_CPU_AVX512; level++) {
        if (snFactor_UseLevel(job.factor, level) != SN_OK) continue;
        memcpy(x, b, (size_t)(4 * n) * sizeof *x);
        snFactor_SolveRows(job.factor, x, job.scratch);
        for (int k = 0; k < 4 * n; k++)
            wrong += x[k] != (k % 4 < 3 ? alone[k % 4 * n + k / 4] : 0);
        memcpy(x, b, (size_t)(4 * n) * sizeof *x);
        snFactor_SolveRowsSingle(job.factor, x, job.scratch);
        if (level == SN_CPU_BASE) memcpy(first, x, (size_t)(4 * n) * sizeof *x);
        for (int k = 0; k < 4 * n; k++) {
            double exact = k % 4 < 3 ? alone[k % 4 * n + k / 4] : 0;
            differ += x[k] != first[k];
            error = fmax(error, fabs(x[k] - exact));
            size = fmax(size, fabs(exact));
        }
    }
    printf("in single precision %.1e of the largest\n", error / size);
    CHECK(wrong == 0 && differ == 0);
    CHECK(error / size < 1e-5);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

// The same bits from every compiler and at every level of optimisation, so a hash can stand here.
// (In natural order: orderings may differ between versions of the ordering libraries.)
static void solutionIsGolden(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){6, 5, 7}, &arena, NULL) == SN_OK);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (int block = 1; block <= 3; block += 2) {
        int count = 3 * block * scene.pattern.size;
        double *x = SN_NEW(&arena, double, count);
        fillRandom(x, count, 12);
        Job job;
        CHECK(makeJob(&job, &context, block == 3 ? &scene.elastic : &scene.scalar, SN_ORDER_NATURAL,
                      3, NULL) == SN_OK);
        snFactor_Solve(job.factor, 3, x, job.scratch);
        for (size_t i = 0; i < (size_t)count * sizeof *x; i++)
            hash = (hash ^ ((const unsigned char *)x)[i]) * 1099511628211u;
        snArena_Destroy(&job.arena);
    }
    if (!CHECK(hash == 0x597778a38a2c8af9u))
        printf("the hash is 0x%016llxu\n", (unsigned long long)hash);
    snArena_Destroy(&arena);
}

static void orderedSolveSavesThePermutation(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){4, 4, 4}, &arena, NULL) == SN_OK);
    Job job;
    CHECK(makeJob(&job, &context, &scene.elastic, SN_ORDER_AUTO, 2, NULL) == SN_OK);
    enum { ROWS = 64 };
    double x[6 * ROWS], ordered[6 * ROWS];
    fillRandom(x, 6 * ROWS, 2);
    const int *order = snSymbolic_Order(job.symbolic);
    for (int k = 0; k < ROWS; k++)
        memcpy(ordered + 6 * k, x + 6 * order[k], 6 * sizeof *x);
    snFactor_Solve(job.factor, 2, x, job.scratch);
    snFactor_SolveOrdered(job.factor, 2, ordered, job.scratch);
    for (int k = 0; k < ROWS; k++)
        CHECK(memcmp(ordered + 6 * k, x + 6 * order[k], 6 * sizeof *x) == 0);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

// Every ordering is a permutation, and the same one each time.
static void ordersAreRepeatable(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){9, 9, 9}, &arena, NULL) == SN_OK);
    for (snOrdering o = SN_ORDER_AUTO; o <= SN_ORDER_NATURAL; o++) {
        snSymbolic *first, *second;
        snError error;
        if (!CHECK(snSymbolic_Make(&first, &scene.pattern, 1, o, &arena, &error) == SN_OK))
            continue;
        (void)rand(); // the C library's generator is of no concern here
        CHECK(snSymbolic_Make(&second, &scene.pattern, 1, o, &arena, NULL) == SN_OK);
        bool seen[729] = {false};
        int wrong = 0;
        for (int k = 0; k < 729; k++) {
            int row = snSymbolic_Order(first)[k];
            wrong += row < 0 || row >= 729 || seen[row] || row != snSymbolic_Order(second)[k];
            if (row >= 0 && row < 729) seen[row] = true;
        }
        CHECK(wrong == 0);
    }
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext quiet = snDefaultContext();
    snArena arena = snMakeArena(&quiet);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){8, 8, 9}, &arena, NULL) == SN_OK);
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 200; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        Job job;
        snError error;
        status = makeJob(&job, &context, &scene.elastic, SN_ORDER_AUTO, 1, &error);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snArena_Destroy(&job.arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

static void computeAndSolveDoNotAllocate(void)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snArena arena = snMakeArena(&context);
    snBlockScene scene;
    CHECK(snBlockScene_Make(&scene, (int[3]){4, 4, 4}, &arena, NULL) == SN_OK);
    Job job;
    CHECK(makeJob(&job, &context, &scene.scalar, SN_ORDER_AUTO, 4, NULL) == SN_OK);
    int before = memory.count;
    double x[256] = {1};
    CHECK(snFactor_Compute(job.factor, &scene.scalar, NULL) == SN_OK);
    snFactor_Solve(job.factor, 4, x, job.scratch);
    CHECK(memory.count == before);
    snArena_Destroy(&job.arena);
    snArena_Destroy(&arena);
}

int main(void)
{
    // Debian's CHOLMOD starts OpenBLAS threads, which only slow it down here.
    setenv("OMP_THREAD_LIMIT", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    RUN(residualIsSmall);
    RUN(agreesWithCholmod);
    RUN(graphsOfAllKinds);
    RUN(emptyMatrix);
    RUN(oneRow);
    RUN(badMatricesAreNamed);
    RUN(indefiniteBodyFails);
    RUN(variantsHaveTheSameBits);
    RUN(rowsOfFour);
    RUN(solutionIsGolden);
    RUN(orderedSolveSavesThePermutation);
    RUN(ordersAreRepeatable);
    RUN(everyAllocationMayFail);
    RUN(computeAndSolveDoNotAllocate);
    return snTest_Finish();
}
