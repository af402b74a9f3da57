#include "tests/test.h"

#include "numerics/dense.h"
#include "core/elementary.h"
#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 120 };

static double matrix[MAX * MAX], copy[MAX * MAX], vectors[MAX * MAX];

static void makeSymmetric(int n, double shift, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double value = snRandom_Normal(&random) + (i == j ? shift : 0);
            matrix[j * n + i] = matrix[i * n + j] = value;
        }
    memcpy(copy, matrix, sizeof copy);
}

static double worstResidual(int n, const double *x, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i], scale = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            sum += matrix[j * n + i] * x[j];
            scale += fabs(matrix[j * n + i] * x[j]);
        }
        worst = fmax(worst, fabs(sum) / (scale > 0 ? scale : 1));
    }
    return worst;
}

static void solversHaveSmallResiduals(void)
{
    for (int n = 0; n <= 60; n = n < 4 ? n + 1 : n + 7) {
        double b[MAX] = {0}, x[MAX];
        int pivot[MAX];
        makeSymmetric(n, 4.0 * n, 1); // positive definite
        for (int i = 0; i < n; i++)
            b[i] = i % 5 - 2.0;
        memcpy(x, b, sizeof b);
        CHECK(snDenseCholesky(n, copy, NULL) == SN_OK);
        snDenseCholesky_Solve(n, copy, x);
        CHECK(worstResidual(n, x, b) < 1e-14 * (n + 1));

        makeSymmetric(n, 0, (uint64_t)n); // indefinite
        for (int k = 0; k < n * n; k++)   // not symmetric
            matrix[k] += 0.3 * (k % 7);
        memcpy(copy, matrix, sizeof copy);
        memcpy(x, b, sizeof b);
        CHECK(snDenseLu(n, copy, pivot, NULL) == SN_OK);
        snDenseLu_Solve(n, copy, pivot, x);
        CHECK(worstResidual(n, x, b) < 1e-13 * (n + 1));
    }
}

static void badMatricesAreNamed(void)
{
    snError error;
    int pivot[3];
    double indefinite[9] = {1, 0, 0, 0, -1, 0, 0, 0, 1}, zero[9] = {0}, nan[9] = {1, 0, 0, 0, NAN};
    CHECK(snDenseCholesky(3, indefinite, &error) == SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "row 1") != NULL);
    CHECK(snDenseLu(3, zero, pivot, &error) == SN_ERROR_NUMERIC);
    CHECK(snDenseCholesky(3, nan, &error) == SN_ERROR_NUMERIC);
    double values[3], q[9], work[3];
    nan[4] = INFINITY;
    CHECK(snSymmetricEigen(3, nan, values, q, work, &error) == SN_ERROR_NUMERIC);
    CHECK(strstr(error.message, "row 1, column 1") != NULL);
    nan[4] = NAN;
    CHECK(snDenseLu(3, nan, pivot, &error) == SN_ERROR_NUMERIC);
}

static void checkEigen(int n, double tolerance)
{
    double values[MAX], work[MAX];
    memcpy(copy, matrix, sizeof copy);
    if (!CHECK(snSymmetricEigen(n, copy, values, vectors, work, NULL) == SN_OK)) return;
    double orthogonal = 0, product = 0;
    for (int a = 0; a < n; a++) {
        double largest = 0;
        for (int b = 0; b < n; b++) {
            double dot = 0, sum = -values[a] * vectors[a * n + b];
            for (int i = 0; i < n; i++) {
                dot += vectors[a * n + i] * vectors[b * n + i];
                sum += matrix[i * n + b] * vectors[a * n + i];
            }
            orthogonal = fmax(orthogonal, fabs(dot - (a == b)));
            product = fmax(product, fabs(sum));
            if (fabs(vectors[a * n + b]) > fabs(largest) * (1 + 1e-8)) largest = vectors[a * n + b];
        }
        CHECK(largest > 0);
        CHECK(a == 0 || values[a] <= values[a - 1]);
    }
    CHECK(orthogonal < 1e-13);
    CHECK(product < tolerance);
}

static void eigenVectorsDiagonalise(void)
{
    for (int n = 1; n <= MAX; n = n < 5 ? n + 1 : n + 23) {
        makeSymmetric(n, 0, (uint64_t)n);
        checkEigen(n, 1e-12);
    }
    memset(matrix, 0, sizeof matrix); // all the same, and nothing at all
    checkEigen(20, 1e-15);
    for (int i = 0; i < 20; i++)
        matrix[20 * i + i] = 3;
    checkEigen(20, 1e-15);
    for (int k = 0; k < 400; k++) // rank one
        matrix[k] = 1;
    checkEigen(20, 1e-13);
}

// The second difference matrix has λ_k = 2 - 2 cos(π k / (n + 1)).
static void eigenValuesOfAString(void)
{
    enum { N = 50 };
    memset(matrix, 0, sizeof matrix);
    for (int i = 0; i < N; i++) {
        matrix[N * i + i] = 2;
        if (i) matrix[N * i + i - 1] = matrix[N * (i - 1) + i] = -1;
    }
    checkEigen(N, 1e-13);
    double values[N], work[N];
    CHECK(snSymmetricEigen(N, matrix, values, vectors, work, NULL) == SN_OK);
    for (int k = 0; k < N; k++)
        CHECK_NEAR(values[k], 2 - 2 * snCos(SN_PI * (N - k) / (N + 1)), 1e-13);
}

// Scale does not matter, up to the ends of the range.
static void eigenValuesScale(void)
{
    static const double scales[] = {1e-300, 1e-150, 1e150, 1e300};
    for (int s = 0; s < 4; s++) {
        double a[4] = {2 * scales[s], scales[s], scales[s], 2 * scales[s]}, values[2], q[4],
               work[2];
        CHECK(snSymmetricEigen(2, a, values, q, work, NULL) == SN_OK);
        CHECK_NEAR(values[0] / scales[s], 3, 1e-14);
        CHECK_NEAR(values[1] / scales[s], 1, 1e-14);
        CHECK_NEAR(q[0], sqrt(0.5), 1e-15);
        CHECK(q[0] > 0 && q[2] > 0 && q[3] < 0); // of equals the first decides
    }
    CHECK(snSymmetricEigen(0, NULL, NULL, NULL, NULL, NULL) == SN_OK);
}

int main(void)
{
    RUN(solversHaveSmallResiduals);
    RUN(badMatricesAreNamed);
    RUN(eigenVectorsDiagonalise);
    RUN(eigenValuesOfAString);
    RUN(eigenValuesScale);
    return snTest_Finish();
}
