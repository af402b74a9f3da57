// A plane grid whose rows go in pairs: springs of 1, but `tie` between the two rows of a pair, as flat
// elements have.
#include "tests/test.h"

#include "core/random.h"
#include "numerics/krylov.h"
#include "numerics/patches.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 6, LONG = 9, SIZE = 2 * PAIRS * LONG };

static snContext context;
static snArena arena;

typedef struct Scene {
    snSparse matrix;
    snRowMatrix rows;
    snSweep sweep;
    snPatches patches;
    int size; // numbers of a vector
} Scene;

static void setUp(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
}

// K = k (2 d dᵀ + I) between a and b along d.
static void addSpring(snSparse *m, int a, int b, double k, const double d[3])
{
    double block[9], minus[9];
    for (int c = 0; c < 9; c++) {
        block[c] = m->block == 3 ? k * (2 * d[c / 3] * d[c % 3] + (c % 4 == 0)) : k;
        minus[c] = -block[c];
    }
    if (m->block == 3) {
        snSparse_AddBlock(m, a, a, block);
        snSparse_AddBlock(m, b, b, block);
        snSparse_AddBlock(m, a, b, minus);
        return;
    }
    snSparse_AddScalar(m, a, a, k);
    snSparse_AddScalar(m, b, b, k);
    snSparse_AddScalar(m, a, b, -k);
}

static void fillMatrix(snSparse *m, double tie, double other)
{
    double ground[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3};
    memset(m->values, 0,
           (size_t)m->pattern.columnStart[SIZE] * (size_t)(m->block * m->block) * sizeof(double));
    for (int v = 0; v < SIZE; v++) {
        if (m->block == 3)
            snSparse_AddBlock(m, v, v, ground);
        else
            snSparse_AddScalar(m, v, v, ground[0]);
        if (v % LONG + 1 < LONG) addSpring(m, v, v + 1, other, (double[3]){1, 0, 0});
        if (v + LONG < SIZE)
            addSpring(m, v, v + LONG, v / LONG % 2 ? other : tie, (double[3]){0, 0.6, 0.8});
    }
}

static Scene *makeScene(int block, int width, double tie, double other, const unsigned char *swept)
{
    Scene *s = SN_NEW(&arena, Scene, 1);
    int first[2 * SIZE], second[2 * SIZE], pairs = 0;
    for (int v = 0; v < SIZE; v++)
        for (int k = 0; k < 2; k++) {
            if (k ? v + LONG >= SIZE : v % LONG + 1 >= LONG) continue;
            first[pairs] = v;
            second[pairs++] = v + (k ? LONG : 1);
        }
    snPattern pattern;
    CHECK(snPattern_FromPairs(&pattern, SIZE, pairs, first, second, &arena, NULL) == SN_OK);
    CHECK(snSparse_Make(&s->matrix, &pattern, block, &arena, NULL) == SN_OK);
    fillMatrix(&s->matrix, tie, other);
    CHECK(snRowMatrix_FromSparse(&s->rows, &s->matrix, swept, &arena, NULL) == SN_OK);
    snRowMatrix_Load(&s->rows, &s->matrix);
    s->sweep = (snSweep){.rows = &s->rows, .width = width, .tasks = context.tasks};
    s->size = SIZE * block * width;
    CHECK(snPatches_Make(&s->patches, &s->sweep, &arena, NULL) == SN_OK);
    return s;
}

static double *randomVector(int count, uint64_t seed)
{
    double *x = SN_NEW(&arena, double, count);
    snRandom random = snMakeRandom(seed);
    for (int i = 0; i < count; i++)
        x[i] = snRandom_Uniform(&random, -1, 1);
    return x;
}

// Only the pairs are found, and where pairs do not hang together at all their solution is exact.
static void pairsAreSolved(void)
{
    setUp();
    for (int block = 1; block <= 3; block += 2) {
        CHECK(makeScene(block, 1, 1, 1, NULL)->patches.count == 0);
        CHECK(makeScene(block, 1, 50, 1, NULL)->patches.count == SIZE);
        Scene *s = makeScene(block, 1, 50, 0, NULL);
        CHECK(s->patches.count == SIZE && s->patches.start[SIZE] == 2 * SIZE);
        for (int p = 0; p < SIZE; p++) {
            const int *row = s->patches.row + s->patches.start[p];
            CHECK(row[0] == p && row[1] == (p / LONG % 2 ? p - LONG : p + LONG));
        }
        CHECK(snPatches_Factor(&s->patches) == -1);
        double *b = randomVector(s->size, 3), *x = SN_NEW(&arena, double, s->size);
        double *ax = SN_NEW(&arena, double, s->size);
        snPatches_Forward(&s->patches, b, x);
        snSparse_Multiply(&s->matrix, 1, x, ax);
        for (int i = 0; i < s->size; i++)
            CHECK_NEAR(ax[i], b[i], 1e-12);
    }
    snArena_Destroy(&arena);
}

// (e after forward) . A f = e . A (f after backward), and the energy of e falls.
static void bothWaysAreAdjoint(void)
{
    setUp();
    Scene *s = makeScene(3, 1, 20, 1, NULL);
    CHECK(snPatches_Factor(&s->patches) == -1);
    double *zero = SN_NEW(&arena, double, s->size), *product = SN_NEW(&arena, double, s->size);
    double *e = randomVector(s->size, 5), *f = randomVector(s->size, 6);
    double *after = SN_COPY(&arena, double, e, s->size);
    snPatches_Forward(&s->patches, zero, after);
    snSparse_Multiply(&s->matrix, 1, f, product);
    double left = snDotProduct(s->size, after, product);
    snSparse_Multiply(&s->matrix, 1, e, product);
    double before = snDotProduct(s->size, e, product);
    snPatches_Backward(&s->patches, zero, f);
    CHECK_NEAR(left, snDotProduct(s->size, f, product), 1e-12 * before);
    snSparse_Multiply(&s->matrix, 1, after, product);
    double now = snDotProduct(s->size, after, product);
    CHECK(now > 0 && now < before);
    snArena_Destroy(&arena);
}

static void sidesAndRowsLeftOut(void)
{
    setUp();
    unsigned char swept[SIZE];
    memset(swept, 1, sizeof swept);
    swept[4] = 0;
    for (int block = 1; block <= 3; block += 2) {
        Scene *one = makeScene(block, 1, 20, 1, swept), *two = makeScene(block, 2, 20, 1, swept);
        CHECK(one->patches.count == SIZE - 2);
        CHECK(snPatches_Factor(&one->patches) == -1 && snPatches_Factor(&two->patches) == -1);
        double *b = randomVector(two->size, 8), *x = SN_NEW(&arena, double, two->size);
        snPatches_Forward(&two->patches, b, x);
        snPatches_Backward(&two->patches, b, x);
        for (int side = 0; side < 2; side++) {
            double *c = SN_NEW(&arena, double, one->size), *y = SN_NEW(&arena, double, one->size);
            for (int i = 0; i < one->size; i++)
                c[i] = b[2 * i + side];
            snPatches_Forward(&one->patches, c, y);
            snPatches_Backward(&one->patches, c, y);
            for (int i = 0; i < one->size; i++)
                CHECK(y[i] == x[2 * i + side] && (i / block != 4 || y[i] == 0));
        }
    }
    snArena_Destroy(&arena);
}

// Values may change; patches stay. One that is not positive definite is named.
static void newValues(void)
{
    setUp();
    Scene *s = makeScene(1, 1, 20, 1, NULL);
    fillMatrix(&s->matrix, -30, 1);
    snRowMatrix_Load(&s->rows, &s->matrix);
    CHECK(snPatches_Factor(&s->patches) == 0);
    s->matrix.values[s->matrix.pattern.columnStart[0]] = NAN;
    snRowMatrix_Load(&s->rows, &s->matrix);
    CHECK(snPatches_Factor(&s->patches) == 0);
    snPatches none;
    fillMatrix(&s->matrix, NAN, NAN);
    snRowMatrix_Load(&s->rows, &s->matrix);
    CHECK(snPatches_Make(&none, &s->sweep, &arena, NULL) == SN_OK && none.count == 0);
    snArena_Destroy(&arena);
}

static void failingAllocations(void)
{
    setUp();
    Scene *s = makeScene(3, 1, 20, 1, NULL);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status == SN_ERROR_MEMORY && n < 100; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext failing = snDefaultContext();
        snTest_UseFailingMemory(&failing, &memory);
        snArena own = snMakeArena(&failing);
        snPatches patches;
        status = snPatches_Make(&patches, &s->sweep, &own, NULL);
        snArena_Destroy(&own);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(pairsAreSolved);
    RUN(bothWaysAreAdjoint);
    RUN(sidesAndRowsLeftOut);
    RUN(newValues);
    RUN(failingAllocations);
    return snTest_Finish();
}
