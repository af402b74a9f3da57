#include "tests/test.h"

#include "numerics/minres.h"
#include "numerics/dense.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { MAX = 60 };

// A dense symmetric matrix as an operator.
typedef struct Dense {
    int n;
    double a[MAX * MAX];
} Dense;

static void applyDense(void *context, const double *x, double *y)
{
    const Dense *dense = context;
    for (int i = 0; i < dense->n; i++) {
        y[i] = 0;
        for (int j = 0; j < dense->n; j++)
            y[i] += dense->a[j * dense->n + i] * x[j];
    }
}

// Q diag(λ) Qᵀ with Q from random reflections.
static void fromEigenvalues(Dense *dense, int n, const double *values, snRandom *random)
{
    dense->n = n;
    memset(dense->a, 0, sizeof dense->a);
    for (int i = 0; i < n; i++)
        dense->a[i * n + i] = values[i];
    for (int k = 0; k < 3; k++) {
        double u[MAX], square = 0;
        for (int i = 0; i < n; i++) {
            u[i] = snRandom_Normal(random);
            square += u[i] * u[i];
        }
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += u[i] * (side ? dense->a[i * n + j] : dense->a[j * n + i]);
                for (int i = 0; i < n; i++)
                    *(side ? &dense->a[i * n + j] : &dense->a[j * n + i]) -=
                        2 * sum * u[i] / square;
            }
    }
    for (int j = 0; j < n; j++) // symmetric to the last bit
        for (int i = 0; i < j; i++)
            dense->a[j * n + i] = dense->a[i * n + j];
}

static double residual(const Dense *dense, const double *x, const double *b)
{
    double product[MAX], rr = 0, bb = 0;
    applyDense((void *)dense, x, product);
    for (int i = 0; i < dense->n; i++) {
        rr += (b[i] - product[i]) * (b[i] - product[i]);
        bb += b[i] * b[i];
    }
    return sqrt(rr / bb);
}

static void solvesIndefinite(void)
{
    snRandom random = snMakeRandom(2);
    for (int n = 1; n <= MAX; n += 7) {
        Dense dense;
        double values[MAX], b[MAX], x[MAX] = {0}, exact[MAX], scratch[7 * MAX];
        for (int i = 0; i < n; i++) {
            values[i] = snRandom_Uniform(&random, 1, 10) * (i % 3 ? 1 : -1);
            b[i] = snRandom_Normal(&random);
        }
        fromEigenvalues(&dense, n, values, &random);
        snMinresDef def = snDefaultMinresDef();
        def.size = n;
        def.matrix = (snOperator){applyDense, &dense};
        def.tolerance = 1e-12;
        snMinresResult result;
        CHECK(snMinres_Solve(&def, b, x, scratch, &result, NULL) == SN_OK);
        CHECK(result.converged && !result.incompatible);
        CHECK(residual(&dense, x, b) < 1e-11);
        Dense copy = dense;
        int pivot[MAX];
        memcpy(exact, b, sizeof b);
        CHECK(snDenseLu(n, copy.a, pivot, NULL) == SN_OK);
        snDenseLu_Solve(n, copy.a, pivot, exact);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(x[i], exact[i], 1e-10);
    }
}

// A saddle point (K Bᵀ; B 0), as constraints make them.
static void solvesSaddlePoint(void)
{
    enum { N = 12, M = 4, S = N + M };
    snRandom random = snMakeRandom(8);
    Dense dense = {.n = S};
    for (int i = 0; i < N; i++)
        dense.a[i * S + i] = 2 + i % 3;
    for (int k = 0; k < M; k++)
        for (int i = 0; i < N; i++)
            dense.a[i * S + N + k] = dense.a[(N + k) * S + i] = snRandom_Normal(&random);
    double b[S], x[S] = {0}, scratch[7 * S];
    for (int i = 0; i < S; i++)
        b[i] = snRandom_Normal(&random);
    snMinresDef def = snDefaultMinresDef();
    def.size = S;
    def.matrix = (snOperator){applyDense, &dense};
    snMinresResult result;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, NULL) == SN_OK);
    CHECK(result.converged);
    CHECK(residual(&dense, x, b) < 1e-9);
}

static void scale(void *context, const double *x, double *y)
{
    const double *d = context;
    for (int i = 0; i < MAX; i++)
        y[i] = d[i] * x[i];
}

// Badly scaled: without the preconditioner many iterations, with it few; both right.
static void preconditionerHelps(void)
{
    snRandom random = snMakeRandom(5);
    Dense dense;
    double values[MAX], inverse[MAX], b[MAX], x[MAX], scratch[7 * MAX];
    for (int i = 0; i < MAX; i++)
        values[i] = i % 4 ? 1 + 0.1 * i / MAX : -1;
    fromEigenvalues(&dense, MAX, values, &random);
    for (int i = 0; i < MAX; i++) {
        double s = i % 2 ? 100 : 1;
        b[i] = snRandom_Normal(&random);
        inverse[i] = 1 / (s * s);
        for (int j = 0; j < MAX; j++) {
            dense.a[j * MAX + i] *= s;
            dense.a[i * MAX + j] *= s;
        }
    }
    snMinresDef def = snDefaultMinresDef();
    def.size = MAX;
    def.matrix = (snOperator){applyDense, &dense};
    def.tolerance = 1e-11;
    snMinresResult plain, helped;
    memset(x, 0, sizeof x);
    CHECK(snMinres_Solve(&def, b, x, scratch, &plain, NULL) == SN_OK);
    def.preconditioner = (snOperator){scale, inverse};
    memset(x, 0, sizeof x);
    CHECK(snMinres_Solve(&def, b, x, scratch, &helped, NULL) == SN_OK);
    CHECK(helped.converged && helped.iterations < 30 && helped.iterations < plain.iterations);
    CHECK(residual(&dense, x, b) < 1e-8);
    // A warm start at the solution has nothing left to do.
    snMinresResult again;
    CHECK(snMinres_Solve(&def, b, x, scratch, &again, NULL) == SN_OK);
    CHECK(again.converged && again.iterations <= 2);
}

static void detectsIncompatibility(void)
{
    snRandom random = snMakeRandom(6);
    Dense dense;
    double values[20], b[20], x[20] = {0}, range[20], scratch[140], product[20];
    for (int i = 0; i < 20; i++) {
        values[i] = i < 3 ? 0 : i % 2 ? i : -i;
        range[i] = snRandom_Normal(&random);
        b[i] = snRandom_Normal(&random);
    }
    fromEigenvalues(&dense, 20, values, &random);
    snMinresDef def = snDefaultMinresDef();
    def.size = 20;
    def.matrix = (snOperator){applyDense, &dense};
    snMinresResult result;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, NULL) == SN_OK);
    CHECK(result.incompatible && !result.converged);
    // A least-squares solution: A r = 0.
    applyDense(&dense, x, product);
    for (int i = 0; i < 20; i++)
        b[i] -= product[i];
    applyDense(&dense, b, product);
    for (int i = 0; i < 20; i++)
        CHECK_NEAR(product[i], 0, 1e-8);
    // In the range of the same singular matrix there is a solution.
    applyDense(&dense, range, b);
    memset(x, 0, sizeof x);
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, NULL) == SN_OK);
    CHECK(result.converged && !result.incompatible);
    CHECK(residual(&dense, x, b) < 1e-9);
}

static void specialCases(void)
{
    Dense dense = {.n = 2, .a = {0, 0, 0, 0}};
    double b[2] = {1, 2}, x[2] = {0}, scratch[14];
    snMinresDef def = snDefaultMinresDef();
    def.size = 2;
    def.matrix = (snOperator){applyDense, &dense};
    snMinresResult result;
    snError error;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, &error) == SN_OK);
    CHECK(result.incompatible && x[0] == 0 && result.residual == 1);
    double zero[2] = {0};
    CHECK(snMinres_Solve(&def, zero, x, scratch, &result, &error) == SN_OK);
    CHECK(result.converged && result.iterations == 0);
    b[0] = NAN;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_NUMERIC);
    b[0] = 1;
    dense.n = 2;
    dense.a[0] = dense.a[3] = 1;
    Dense minus = {.n = 2, .a = {-1, 0, 0, -1}};
    def.preconditioner = (snOperator){applyDense, &minus};
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_NUMERIC);
    def.preconditioner.apply = NULL;
    def.size = 0;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, &error) == SN_OK && result.converged);
    def.tolerance = -1;
    CHECK(snMinres_Solve(&def, b, x, scratch, &result, &error) == SN_ERROR_ARGUMENT);
}

int main(void)
{
    RUN(solvesIndefinite);
    RUN(solvesSaddlePoint);
    RUN(preconditionerHelps);
    RUN(detectsIncompatibility);
    RUN(specialCases);
    return snTest_Finish();
}
