#include "core/svd.h"

#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct worst {
    double u, v, reconstruction;
} worst;

// Unlike fmax it does not overlook NaN.
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? INFINITY : a > b ? a : b;
}

static double distanceM(snMat3 a, snMat3 b)
{
    return sqrt(snNormSquaredM(snAddMM(a, snScaleM(-1.0, b))));
}

static double notOrthogonal(snMat3 a)
{
    return larger(distanceM(snMulTMM(a, a), snIdentity3()), fabs(snDet(a) - 1.0));
}

static snMat3 compose(snMat3 u, snVec3 s, snMat3 v)
{
    snMat3 us = {snScale(s.x, u.cx), snScale(s.y, u.cy), snScale(s.z, u.cz)};
    return snMulMM(us, snTranspose(v));
}

static double largestEntry(snMat3 a)
{
    double entries[9], largest = 0.0;
    memcpy(entries, &a, sizeof entries);
    for (int i = 0; i < 9; i++)
        largest = larger(largest, fabs(entries[i]));
    return largest;
}

static snMat3 randomMatrix(snRandom *random)
{
    double entries[9];
    snMat3 a;
    for (int i = 0; i < 9; i++)
        entries[i] = snRandom_Normal(random);
    memcpy(&a, entries, sizeof a);
    return a;
}

// Decomposes and checks everything that the header promises. Comparing happens at size 1.
static snVec3 check(snMat3 a, worst *w)
{
    snMat3 u, v;
    snVec3 s;
    snSvd3(a, &u, &s, &v);
    double size = largestEntry(a);
    w->u = larger(w->u, notOrthogonal(u));
    w->v = larger(w->v, notOrthogonal(v));
    int exponent = 0;
    if (size > 0.0) frexp(size, &exponent);
    double entries[9], scaledS[3] = {s.x, s.y, s.z};
    memcpy(entries, &a, sizeof entries);
    for (int i = 0; i < 9; i++)
        entries[i] = ldexp(entries[i], -exponent);
    memcpy(&a, entries, sizeof a);
    for (int i = 0; i < 3; i++)
        scaledS[i] = ldexp(scaledS[i], -exponent);
    snVec3 t = snVec(scaledS[0], scaledS[1], scaledS[2]);
    w->reconstruction = larger(w->reconstruction, distanceM(compose(u, t, v), a));
    CHECK(s.x >= s.y && s.y >= fabs(s.z));
    double det = snDet(a);
    if (fabs(det) > 1e-14 * t.x * t.x * t.x) CHECK((s.z < 0.0) == (det < 0.0));
    return s;
}

static void report(const char *name, worst w)
{
    printf("%s: U %.2g V %.2g reconstruction %.2g\n", name, w.u, w.v, w.reconstruction);
    CHECK(w.u <= 1e-14);
    CHECK(w.v <= 1e-14);
    CHECK(w.reconstruction <= 1e-14);
}

static void randomMatrices(void)
{
    snRandom random = snMakeRandom(1);
    worst w = {0};
    for (int i = 0; i < 100000; i++)
        check(randomMatrix(&random), &w);
    report("random", w);
}

// Singular values given, repeated, flat, inverted and spread over many sizes: they come back.
static void knownSingularValues(void)
{
    const snVec3 known[] = {{1, 1, 1},       {1, 1, -1},       {2, 1, 1},      {2, 2, 1},
                            {2, 2, -1},      {1, 1, 0},        {1, 0, 0},      {0, 0, 0},
                            {1, 1e-8, 0},    {1, 1e-8, -1e-8}, {1, 1, 1e-16},  {1, 1, -1e-12},
                            {1, 0.5, -0.25}, {1e6, 1, 1e-6},   {1, 1e-7, 1e-7}};
    snRandom random = snMakeRandom(2);
    worst w = {0};
    double error = 0.0;
    for (int i = 0; i < 15000; i++) {
        snVec3 wanted = known[i % 15];
        snMat3 u = snQuatToMat(snRandom_Rotation(&random));
        snMat3 v = snQuatToMat(snRandom_Rotation(&random));
        snVec3 s = check(compose(u, wanted, v), &w);
        error = larger(error, snDistance(s, wanted) / (wanted.x > 0.0 ? wanted.x : 1.0));
    }
    report("known", w);
    printf("singular values: off by %.2g of the largest\n", error);
    CHECK(error <= 1e-14);
}

// Entries of -1, 0, 1 give all kinds of exact degeneracy: all 19,683 of them.
static void allSmallWholeMatrices(void)
{
    worst w = {0};
    for (int code = 0; code < 19683; code++) {
        double entries[9];
        for (int i = 0, rest = code; i < 9; i++, rest /= 3)
            entries[i] = rest % 3 - 1;
        snMat3 a;
        memcpy(&a, entries, sizeof a);
        double det = snDet(a);
        snVec3 s = check(a, &w);
        CHECK_NEAR(s.x * s.y * s.z, det, 1e-14 * 27);
    }
    report("whole", w);
}

static void badScales(void)
{
    snRandom random = snMakeRandom(3);
    worst w = {0};
    for (int i = 0; i < 20000; i++) {
        snMat3 a = randomMatrix(&random);
        a = snScaleM(snPow(10.0, snRandom_Uniform(&random, -150, 150)), a);
        if (i % 4 == 1) a.cy = snScale(snPow(10.0, -snRandom_Uniform(&random, 0, 150)), a.cy);
        if (i % 4 == 2) {
            a.cx = snScale(snPow(10.0, -snRandom_Uniform(&random, 0, 150)), a.cx);
            a.cz = snScale(snPow(10.0, -snRandom_Uniform(&random, 0, 150)), a.cz);
        }
        if (i % 4 == 3) a = snTranspose(snMulMM(a, snDiagonal3(1e-100, 1, 1e-140)));
        check(a, &w);
    }
    report("scaled", w);
}

// Graded columns at right angles: the singular values are their lengths, each to full precision,
// and the sign of the determinant survives although the determinant itself underflows.
static void smallSingularValuesKeepTheirDigits(void)
{
    snRandom random = snMakeRandom(4);
    for (int i = 0; i < 1000; i++) {
        snMat3 u = snQuatToMat(snRandom_Rotation(&random));
        double sign = i % 2 ? -1.0 : 1.0;
        snMat3 a = {snScale(1e-200, u.cx), u.cy, snScale(sign * 1e-120, u.cz)}, p, q;
        snVec3 s;
        snSvd3(a, &p, &s, &q);
        CHECK_NEAR(s.x, 1.0, 1e-15);
        CHECK_NEAR(s.y / 1e-120, 1.0, 1e-14);
        CHECK_NEAR(sign * s.z / 1e-200, 1.0, 1e-14);
    }
}

static void extremeAndBrokenNumbers(void)
{
    worst w = {0};
    check(snScaleM(0.0, snIdentity3()), &w);
    check(snDiagonal3(DBL_TRUE_MIN, 0, 0), &w);
    check(snDiagonal3(DBL_TRUE_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN), &w);
    check(snDiagonal3(1e308, 1e308, -1e308), &w);
    check(snDiagonal3(1e308, 1e-308, 0), &w);
    check(snDiagonal3(DBL_MIN, DBL_MIN, 1.0), &w);
    report("extreme", w);
    const double broken[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        snMat3 a = snIdentity3(), u, v;
        snVec3 s;
        a.cy.z = broken[i];
        snSvd3(a, &u, &s, &v);
        CHECK(notOrthogonal(u) == 0.0 && notOrthogonal(v) == 0.0 && isnan(s.x));
        snEigenSymmetric3(a, &s, &u);
        CHECK(notOrthogonal(u) == 0.0 && isnan(s.x));
        CHECK(notOrthogonal(snPolar(a, NULL)) == 0.0);
    }
}

static double eigenError(snMat3 a, double scale)
{
    snVec3 values;
    snMat3 q;
    snEigenSymmetric3(snScaleM(scale, a), &values, &q);
    values = snScale(1.0 / scale, values);
    CHECK(values.x >= values.y && values.y >= values.z);
    double size = larger(largestEntry(a), 1e-300);
    return larger(notOrthogonal(q), distanceM(compose(q, values, q), a) / size);
}

static void symmetricEigenvalues(void)
{
    snRandom random = snMakeRandom(5);
    double error = 0.0;
    for (int i = 0; i < 30000; i++) {
        snMat3 a = randomMatrix(&random);
        a = snAddMM(a, snTranspose(a));
        if (i % 3 == 1) { // repeated and zero values
            snMat3 q = snQuatToMat(snRandom_Rotation(&random));
            snVec3 s = i % 2 ? snVec(1, 1, -2) : snVec(3, 0, 0);
            a = compose(q, s, q);
            a = snScaleM(0.5, snAddMM(a, snTranspose(a)));
        }
        double scale = i % 3 == 2 ? ldexp(1.0, snRandom_Below(&random, 900) - 450) : 1.0;
        error = larger(error, eigenError(a, scale));
    }
    printf("eigen: %.2g\n", error);
    CHECK(error <= 1e-14);
    snVec3 values;
    snMat3 q;
    snEigenSymmetric3(snScaleM(0.0, snIdentity3()), &values, &q);
    CHECK(snLength(values) == 0.0 && notOrthogonal(q) == 0.0);
    snEigenSymmetric3(snDiagonal3(1, 3, 2), &values, &q);
    CHECK(values.x == 3.0 && values.y == 2.0 && values.z == 1.0 && notOrthogonal(q) == 0.0);
}

// R is a rotation, S symmetric, R S = A; where R is determined it is U Vᵀ. An error of ε in A moves
// R by ε / (s.y + s.z), so the comparison is weighted by that gap.
static void polarDecomposition(void)
{
    snRandom random = snMakeRandom(6);
    double rotation = 0.0, product = 0.0, difference = 0.0;
    for (int i = 0; i < 100000; i++) {
        snMat3 a = randomMatrix(&random), u, v, stretch;
        if (i % 5 == 1) a.cz = snAdd(a.cx, a.cy);
        if (i % 5 == 2) a = snScaleM(ldexp(1.0, snRandom_Below(&random, 900) - 450), a);
        if (i % 5 == 3) { // as in a simulation: some rotation, little stretch
            a = snAddMM(snIdentity3(), snScaleM(0.1, a));
            a = snMulMM(snQuatToMat(snRandom_Rotation(&random)), a);
        }
        snVec3 s;
        snSvd3(a, &u, &s, &v);
        snMat3 r = snPolar(a, &stretch);
        rotation = larger(rotation, notOrthogonal(r));
        product = larger(
            product, distanceM(snScaleM(1.0 / s.x, snMulMM(r, stretch)), snScaleM(1.0 / s.x, a)));
        CHECK(distanceM(stretch, snTranspose(stretch)) == 0.0);
        double gap = (s.y + s.z) / s.x;
        difference = larger(difference, gap * distanceM(r, snMulMM(u, snTranspose(v))));
    }
    printf("polar: rotation %.2g product %.2g against SVD %.2g\n", rotation, product, difference);
    CHECK(rotation <= 1e-14);
    CHECK(product <= 1e-14);
    CHECK(difference <= 2e-14);
}

static void polarOfDegenerateMatrices(void)
{
    CHECK(notOrthogonal(snPolar(snScaleM(0.0, snIdentity3()), NULL)) <= 1e-15);
    CHECK(distanceM(snPolar(snIdentity3(), NULL), snIdentity3()) <= 1e-15);
    snMat3 stretch, mirrored = snDiagonal3(1, 2, -0.5);
    snMat3 r = snPolar(mirrored, &stretch);
    // The nearest rotation of a mirrored matrix flips its smallest axis back.
    CHECK_NEAR(distanceM(r, snIdentity3()), 0.0, 1e-15);
    CHECK_NEAR(distanceM(stretch, mirrored), 0.0, 1e-15);
}

int main(void)
{
    RUN(randomMatrices);
    RUN(knownSingularValues);
    RUN(allSmallWholeMatrices);
    RUN(badScales);
    RUN(smallSingularValuesKeepTheirDigits);
    RUN(extremeAndBrokenNumbers);
    RUN(symmetricEigenvalues);
    RUN(polarDecomposition);
    RUN(polarOfDegenerateMatrices);
    return snTest_Finish();
}
