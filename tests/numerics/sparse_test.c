#include "tests/test.h"

#include "numerics/sparse.h"
#include "core/random.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void groupsGiveAllPairs(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    int start[] = {0, 3, 5, 8}, items[] = {4, 1, 2, 0, 4, 2, 2, 1};
    snPattern pattern;
    CHECK(snPattern_FromGroups(&pattern, 6, 3, start, items, &arena, NULL) == SN_OK);
    int expectedStart[] = {0, 2, 5, 7, 8, 9, 10}, expectedRow[] = {0, 4, 1, 2, 4, 2, 4, 3, 4, 5};
    CHECK(memcmp(pattern.columnStart, expectedStart, sizeof expectedStart) == 0);
    CHECK(memcmp(pattern.row, expectedRow, sizeof expectedRow) == 0);
    CHECK(snPattern_Find(&pattern, 4, 1) == 4);
    CHECK(snPattern_Find(&pattern, 3, 1) == -1);
    CHECK(snPattern_Find(&pattern, 5, 1) == -1);
    CHECK(snPattern_Find(&pattern, 6, 6) == -1);
    CHECK(snPattern_Find(&pattern, 5, -1) == -1);
    snArena_Destroy(&arena);
}

static void pairsMayRepeat(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    int first[] = {2, 0, 2, 1}, second[] = {0, 2, 0, 1};
    snPattern pattern;
    CHECK(snPattern_FromPairs(&pattern, 3, 4, first, second, &arena, NULL) == SN_OK);
    int expectedStart[] = {0, 2, 3, 4}, expectedRow[] = {0, 2, 1, 2};
    CHECK(memcmp(pattern.columnStart, expectedStart, sizeof expectedStart) == 0);
    CHECK(memcmp(pattern.row, expectedRow, sizeof expectedRow) == 0);
    snArena_Destroy(&arena);
}

static void smallestPatterns(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPattern pattern;
    CHECK(snPattern_FromPairs(&pattern, 0, 0, NULL, NULL, &arena, NULL) == SN_OK);
    CHECK(pattern.size == 0 && pattern.columnStart[0] == 0);
    snSparse matrix;
    CHECK(snSparse_Make(&matrix, &pattern, 3, &arena, NULL) == SN_OK);
    double nothing = 5;
    snSparse_Multiply(&matrix, 1, &nothing, &nothing);
    CHECK(nothing == 5);
    CHECK(snPattern_FromPairs(&pattern, 1, 0, NULL, NULL, &arena, NULL) == SN_OK);
    CHECK(pattern.columnStart[1] == 1 && pattern.row[0] == 0);
    snArena_Destroy(&arena);
}

static void badInputIsNamed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPattern pattern;
    snError error;
    int first[] = {0}, second[] = {3}, start[] = {0, 2, 1}, items[] = {0, 1};
    CHECK(snPattern_FromPairs(&pattern, 3, 1, first, second, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "row 3") != NULL);
    CHECK(snPattern_FromPairs(&pattern, -1, 0, NULL, NULL, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(snPattern_FromPairs(&pattern, 3, INT_MAX, first, second, &arena, &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(snPattern_FromGroups(&pattern, 3, 2, start, items, &arena, &error) == SN_ERROR_ARGUMENT);
    start[0] = -1;
    CHECK(snPattern_FromGroups(&pattern, 3, 1, start, items, &arena, &error) == SN_ERROR_ARGUMENT);
    snSparse matrix;
    CHECK(snSparse_Make(&matrix, &pattern, 2, &arena, &error) == SN_ERROR_ARGUMENT);
    snArena_Destroy(&arena);
}

// The product against a dense matrix that is filled by the same additions.
static void checkProduct(int block, int width)
{
    enum { SIZE = 9, MAX_WIDTH = 5 };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(3);
    int first[20], second[20];
    for (int p = 0; p < 20; p++) {
        first[p] = snRandom_Below(&random, SIZE);
        second[p] = snRandom_Below(&random, SIZE);
    }
    snPattern pattern;
    snSparse matrix;
    CHECK(snPattern_FromPairs(&pattern, SIZE, 20, first, second, &arena, NULL) == SN_OK);
    CHECK(snSparse_Make(&matrix, &pattern, block, &arena, NULL) == SN_OK);
    double dense[3 * SIZE][3 * SIZE] = {{0}};
    for (int p = 0; p < 20; p++) {
        double value[9];
        int a = first[p], b = second[p];
        for (int c = 0; c < 9; c++)
            value[c] = snRandom_Uniform(&random, -1, 1);
        if (a == b) // a diagonal block is symmetric
            value[3] = value[1], value[6] = value[2], value[7] = value[5];
        if (block == 3)
            snSparse_AddBlock(&matrix, a, b, value);
        else
            snSparse_AddScalar(&matrix, a, b, value[0]);
        for (int i = 0; i < block; i++)
            for (int j = 0; j < block; j++) {
                dense[block * a + i][block * b + j] += value[3 * i + j];
                if (a != b) dense[block * b + j][block * a + i] += value[3 * i + j];
            }
    }
    double x[3 * SIZE * MAX_WIDTH], y[3 * SIZE * MAX_WIDTH];
    for (int i = 0; i < block * SIZE * width; i++)
        x[i] = snRandom_Uniform(&random, -1, 1);
    snSparse_Multiply(&matrix, width, x, y);
    for (int i = 0; i < block * SIZE; i++)
        for (int r = 0; r < width; r++) {
            double sum = 0;
            for (int j = 0; j < block * SIZE; j++)
                sum += dense[i][j] * x[j * width + r];
            CHECK_NEAR(y[i * width + r], sum, 1e-14 * 3 * SIZE);
        }
    snArena_Destroy(&arena);
}

static void productIsDenseProduct(void)
{
    for (int width = 1; width <= 5; width++) {
        checkProduct(1, width);
        checkProduct(3, width);
    }
}

static void everyAllocationMayFail(void)
{
    int first[] = {2, 0, 2, 1}, second[] = {0, 2, 0, 1};
    for (int failAt = 1; failAt < 20; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snPattern pattern;
        snSparse matrix;
        snError error;
        snStatus status = snPattern_FromPairs(&pattern, 3, 4, first, second, &arena, &error);
        if (!status) status = snSparse_Make(&matrix, &pattern, 3, &arena, &error);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (!status) return;
    }
    CHECK(false); // building needs fewer allocations
}

int main(void)
{
    RUN(groupsGiveAllPairs);
    RUN(pairsMayRepeat);
    RUN(smallestPatterns);
    RUN(badInputIsNamed);
    RUN(productIsDenseProduct);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
