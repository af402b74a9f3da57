#include "tests/test.h"

#include "numerics/qr.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { MAX = 12 };

static void fillRandom(double *a, int count, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int i = 0; i < count; i++)
        a[i] = snRandom_Normal(&random);
}

// A P = Q R, with Q applied to the columns of R, and Qᵀ Q = I.
static void checkProduct(int rows, int columns)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double a[MAX * MAX], x[MAX];
    fillRandom(a, rows * columns, (uint64_t)(rows * 100 + columns));
    snQr qr;
    CHECK(snQr_Make(&qr, rows, columns, a, 0, &arena, NULL) == SN_OK);
    CHECK(qr.rank == (rows < columns ? rows : columns));
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++)
            x[i] = i <= j ? qr.a[j * rows + i] : 0;
        snQr_ApplyQ(&qr, x);
        for (int i = 0; i < rows; i++)
            CHECK_NEAR(x[i], a[qr.pivot[j] * rows + i], 1e-13 * 10);
        snQr_ApplyQTransposed(&qr, x);
        for (int i = 0; i < rows; i++)
            CHECK_NEAR(x[i], i <= j ? qr.a[j * rows + i] : 0, 1e-12);
        if (j > 0 && j < rows) // pivoting: the diagonal descends
            CHECK(fabs(qr.a[j * rows + j]) <= fabs(qr.a[(j - 1) * rows + j - 1]) * (1 + 1e-12));
    }
    snArena_Destroy(&arena);
}

static void productIsTheMatrix(void)
{
    for (int rows = 1; rows <= MAX; rows += 2)
        for (int columns = 1; columns <= MAX; columns += 3)
            checkProduct(rows, columns);
}

// Columns 2 and 5 are sums of others: the rank says so, and which columns are too many.
static void findsRedundantColumns(void)
{
    enum { ROWS = 10, COLUMNS = 6 };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double a[ROWS * COLUMNS];
    fillRandom(a, ROWS * COLUMNS, 3);
    for (int i = 0; i < ROWS; i++) {
        a[2 * ROWS + i] = 0.1 * (a[i] + a[ROWS + i]);
        a[5 * ROWS + i] = 0.1 * (a[3 * ROWS + i] - 2 * a[4 * ROWS + i]);
    }
    snQr qr;
    CHECK(snQr_Make(&qr, ROWS, COLUMNS, a, 0, &arena, NULL) == SN_OK);
    CHECK(qr.rank == 4);
    bool redundant[COLUMNS];
    CHECK(snQr_Redundant(&qr, redundant) == 2);
    CHECK(redundant[2] && redundant[5] && !redundant[0] && !redundant[1]);
    // Least squares still meets a right-hand side in the range.
    double b[ROWS], x[COLUMNS];
    for (int i = 0; i < ROWS; i++)
        b[i] = a[i] - 3 * a[2 * ROWS + i] + a[5 * ROWS + i];
    double kept[ROWS];
    memcpy(kept, b, sizeof b);
    snQr_LeastSquares(&qr, b, x);
    CHECK(x[2] == 0 && x[5] == 0);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
            sum += a[j * ROWS + i] * x[j];
        CHECK_NEAR(sum, kept[i], 1e-12);
    }
    snArena_Destroy(&arena);
}

// A line through points, against the normal equations in closed form.
static void fitsLine(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double a[10] = {1, 1, 1, 1, 1, 0, 1, 2, 3, 4}, b[5] = {1, 0, 3, 4, 7}, x[2];
    snQr qr;
    CHECK(snQr_Make(&qr, 5, 2, a, 0, &arena, NULL) == SN_OK);
    snQr_LeastSquares(&qr, b, x);
    CHECK_NEAR(x[1], 16.0 / 10, 1e-14);
    CHECK_NEAR(x[0], 3 - 16.0 / 10 * 2, 1e-14);
    // What is left in b is the residual: 4.4 = Σ(y - ȳ)² - slope² Σ(x - x̄)².
    CHECK_NEAR(b[2] * b[2] + b[3] * b[3] + b[4] * b[4], 30 - 2.56 * 10, 1e-13);
    snArena_Destroy(&arena);
}

static void triangularSolves(void)
{
    enum { N = 7 };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double a[N * N], c[N], x[N];
    fillRandom(a, N * N, 9);
    fillRandom(c, N, 10);
    snQr qr;
    CHECK(snQr_Make(&qr, N, N, a, 0, &arena, NULL) == SN_OK);
    for (int transposed = 0; transposed < 2; transposed++) {
        memcpy(x, c, sizeof c);
        transposed ? snQr_SolveRTransposed(&qr, x) : snQr_SolveR(&qr, x);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) {
                int row = transposed ? j : i, column = transposed ? i : j;
                if (row <= column) sum += qr.a[column * N + row] * x[j];
            }
            CHECK_NEAR(sum, c[i], 1e-12);
        }
    }
    snArena_Destroy(&arena);
}

static void specialCases(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snQr qr;
    snError error;
    double zeros[6] = {0}, x[3] = {1, 1, 1}, huge[4] = {1e200, 1e200, 1e200, -1e200};
    CHECK(snQr_Make(&qr, 0, 3, NULL, 0, &arena, &error) == SN_OK && qr.rank == 0);
    CHECK(snQr_Make(&qr, 2, 0, NULL, 0, &arena, &error) == SN_OK && qr.rank == 0);
    CHECK(snQr_Make(&qr, 2, 3, zeros, 0, &arena, &error) == SN_OK && qr.rank == 0);
    bool redundant[3];
    CHECK(snQr_Redundant(&qr, redundant) == 3);
    snQr_LeastSquares(&qr, (double[2]){1, 2}, x);
    CHECK(x[0] == 0 && x[1] == 0 && x[2] == 0);
    CHECK(snQr_Make(&qr, 2, 2, huge, 0, &arena, &error) == SN_OK && qr.rank == 2);
    snQr_LeastSquares(&qr, (double[2]){1e200, 0}, x);
    CHECK_NEAR(x[0], 0.5, 1e-14);
    huge[3] = NAN;
    CHECK(snQr_Compute(&qr, huge, 0, &error) == SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "row 1, column 1") != NULL);
    CHECK(snQr_Make(&qr, -1, 2, zeros, 0, &arena, &error) == SN_ERROR_ARGUMENT);
    // With a generous tolerance nearly parallel columns count as one.
    double near[4] = {1, 0, 1, 1e-5};
    CHECK(snQr_Make(&qr, 2, 2, near, 1e-3, &arena, &error) == SN_OK && qr.rank == 1);
    CHECK(snQr_Make(&qr, 2, 2, near, 0, &arena, &error) == SN_OK && qr.rank == 2);
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    double a[4] = {1, 2, 3, 4};
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 10; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snQr qr;
        status = snQr_Make(&qr, 2, 2, a, 0, &arena, NULL);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(productIsTheMatrix);
    RUN(findsRedundantColumns);
    RUN(fitsLine);
    RUN(triangularSolves);
    RUN(specialCases);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
