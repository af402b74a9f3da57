// Principal components of a stream against those of all rows at once.
#include "bake/components.h"

#include "core/core.h"
#include "numerics/dense.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

enum { SIZE = 37, RANK = 6 };

// Rows of a given rank with falling strength, plus a little of everything.
static void makeRow(int row, double noise, float *out)
{
    for (int i = 0; i < SIZE; i++) {
        double sum = noise * sin(12.9898 * (row * SIZE + i) + 1.7 * i * i);
        for (int k = 0; k < RANK; k++)
            sum += pow(0.5, k) * sin(0.11 * (k + 1) * row + k) * cos(0.37 * (k + 2) * i);
        out[i] = (float)sum;
    }
}

static void run(snComponents *c, const snComponentsDef *def, double noise, const snContext *context,
                snArena *arena)
{
    CHECK(snComponents_Make(c, def, &context->tasks, arena, NULL) == SN_OK);
    for (int r = 0; r < def->rowCount; r++) {
        makeRow(r, noise, snComponents_Next(c));
        CHECK(snComponents_Push(c, NULL) == SN_OK);
    }
    CHECK(snComponents_Finish(c, NULL) == SN_OK);
}

static void rowsAreOrthonormal(const snComponents *c)
{
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j <= i; j++)
            CHECK_NEAR(snDotFloats(c->rows + i * SIZE, c->rows + j * SIZE, SIZE), i == j, 1e-5);
}

// The largest distance of a row from the space of the components.
static double worstResidual(const snComponents *c, int rows, double noise)
{
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        float row[SIZE];
        makeRow(r, noise, row);
        for (int k = 0; k < c->count; k++) {
            float w = (float)snDotFloats(c->rows + k * SIZE, row, SIZE);
            for (int i = 0; i < SIZE; i++)
                row[i] -= w * c->rows[k * SIZE + i];
        }
        worst = fmax(worst, sqrt(snDotFloats(row, row, SIZE)));
    }
    return worst;
}

// 1000 rows do not fit 72: decomposed some 20 times on the way.
static void streamsFindTheRank(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snComponents c;
    snComponentsDef def = {.size = SIZE, .rowCount = 1000, .most = 12, .smallest = 1e-3};
    run(&c, &def, 0, &context, &arena);
    CHECK(c.capacity < 100 && c.count == RANK);
    rowsAreOrthonormal(&c);
    CHECK(worstResidual(&c, 1000, 0) < 1e-4);
    snArena_Destroy(&arena);
}

// With noise beyond the rank: as good as all rows at once, within a few per cent.
static void streamsAreNearTheWhole(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snComponents stream;
    snComponentsDef def = {.size = SIZE, .rowCount = 1000, .most = 8};
    double all[SIZE * SIZE] = {0}, values[SIZE], vectors[SIZE * SIZE], work[SIZE];
    for (int r = 0; r < 1000; r++) {
        float row[SIZE];
        makeRow(r, 0.02, row);
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                all[i * SIZE + j] += (double)row[i] * (double)row[j];
    }
    CHECK(snSymmetricEigen(SIZE, all, values, vectors, work, NULL) == SN_OK);
    run(&stream, &def, 0.02, &context, &arena);
    rowsAreOrthonormal(&stream);
    for (int k = 0; k < RANK; k++) {
        CHECK_NEAR(stream.values[k] / values[k], 1, 0.02);
        double dot = 0;
        for (int i = 0; i < SIZE; i++)
            dot += vectors[k * SIZE + i] * (double)stream.rows[k * SIZE + i];
        CHECK(fabs(dot) > 0.999);
    }
    snArena_Destroy(&arena);
}

static void edges(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snComponents c;
    snComponentsDef def = {.size = SIZE, .rowCount = 3, .most = 5};
    CHECK(snComponents_Make(&c, &def, &context.tasks, &arena, NULL) == SN_OK);
    for (int r = 0; r < 3; r++) { // nothing moves: no components
        memset(snComponents_Next(&c), 0, SIZE * sizeof(float));
        CHECK(snComponents_Push(&c, NULL) == SN_OK);
    }
    CHECK(snComponents_Finish(&c, NULL) == SN_OK && c.count == 0);
    def.rowCount = 1;
    run(&c, &def, 0, &context, &arena);
    CHECK(c.count == 1);
    CHECK_NEAR(snDotFloats(c.rows, c.rows, SIZE), 1, 1e-5);
    def.rowCount = 2;
    CHECK(snComponents_Make(&c, &def, &context.tasks, &arena, NULL) == SN_OK);
    snComponents_Next(&c)[0] = NAN;
    CHECK(snComponents_Push(&c, NULL) == SN_OK);
    makeRow(0, 0, snComponents_Next(&c));
    CHECK(snComponents_Push(&c, NULL) == SN_ERROR_NUMERIC);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(streamsFindTheRank);
    RUN(streamsAreNearTheWhole);
    RUN(edges);
    return snTest_Finish();
}
