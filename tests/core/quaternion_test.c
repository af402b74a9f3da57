#include "core/vec.h"

#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <math.h>

#define COUNT 5000

static double distanceM(snMat3 a, snMat3 b)
{
    return sqrt(snNormSquaredM(snAddMM(a, snScaleM(-1.0, b))));
}

// The distance of two rotations as quaternions, whose sign does not matter.
static double distanceQ(snQuat a, snQuat b)
{
    double s = snDotQ(a, b) < 0.0 ? -1.0 : 1.0;
    snQuat d = {a.x - s * b.x, a.y - s * b.y, a.z - s * b.z, a.w - s * b.w};
    return sqrt(snDotQ(d, d));
}

static void matricesAndQuaternionsAgree(void)
{
    snRandom random = snMakeRandom(1);
    for (int i = 0; i < COUNT; i++) {
        snQuat q = snRandom_Rotation(&random);
        snMat3 m = snQuatToMat(q);
        snVec3 p = snRandom_UnitVector(&random);
        CHECK_NEAR(distanceM(snMulTMM(m, m), snIdentity3()), 0.0, 4e-15);
        CHECK_NEAR(snDet(m), 1.0, 4e-15);
        CHECK_NEAR(snDistance(snRotate(q, p), snMulMV(m, p)), 0.0, 2e-15);
        snQuat back = snQuatFromMat(m);
        CHECK(back.w >= 0.0);
        CHECK_NEAR(distanceQ(q, back), 0.0, 2e-15);
    }
}

// Half turns about all axes, where w vanishes and each other component in turn is the largest.
static void halfTurnsBecomeQuaternions(void)
{
    snRandom random = snMakeRandom(2);
    const snVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < COUNT; i++) {
        snVec3 axis = i < 3 ? axes[i] : snRandom_UnitVector(&random);
        double angle = SN_PI + (i % 5 - 2) * 1e-9;
        snQuat q = snQuatFromAxisAngle(axis, angle);
        snQuat back = snQuatFromMat(snQuatToMat(q));
        CHECK_NEAR(distanceQ(q, back), 0.0, 2e-15);
    }
    CHECK_NEAR(distanceQ(snQuatFromMat(snIdentity3()), snIdentityQuat()), 0.0, 0.0);
}

static void productsCompose(void)
{
    snRandom random = snMakeRandom(3);
    for (int i = 0; i < COUNT; i++) {
        snQuat a = snRandom_Rotation(&random), b = snRandom_Rotation(&random);
        snVec3 p = snRandom_UnitVector(&random);
        snVec3 inTurn = snRotate(a, snRotate(b, p)), atOnce = snRotate(snMulQQ(a, b), p);
        CHECK_NEAR(snDistance(inTurn, atOnce), 0.0, 4e-15);
        CHECK_NEAR(snDistance(snRotate(snConjugate(a), snRotate(a, p)), p), 0.0, 4e-15);
    }
}

static void axisAngleTurnsByTheAngle(void)
{
    snQuat q = snQuatFromAxisAngle(snVec(0, 0, 1), SN_PI / 3);
    snVec3 turned = snRotate(q, snVec(1, 0, 0));
    CHECK_NEAR(snDistance(turned, snVec(0.5, sqrt(0.75), 0)), 0.0, 1e-15);
}

static void checkBetween(snVec3 from, snVec3 to)
{
    snQuat q = snQuatBetween(from, to);
    CHECK_NEAR(snDotQ(q, q), 1.0, 4e-15);
    CHECK_NEAR(snDistance(snRotate(q, from), to), 0.0, 4e-15);
    // The shortest: the angle is that of the vectors, so the axis is at right angles to both.
    snVec3 axis = snVec(q.x, q.y, q.z);
    CHECK_NEAR(snDot(axis, from), 0.0, 4e-15);
    CHECK_NEAR(snDot(axis, to), 0.0, 4e-15);
    CHECK(q.w > -4e-15);
}

static void betweenTakesOneToTheOther(void)
{
    snRandom random = snMakeRandom(4);
    for (int i = 0; i < COUNT; i++) {
        snVec3 from = snRandom_UnitVector(&random), to = snRandom_UnitVector(&random);
        checkBetween(from, to);
        checkBetween(from, from);
        checkBetween(from, snNeg(from));
        // Nearly opposite and nearly equal, down to the last bits.
        double size = snPow(10.0, -snRandom_Uniform(&random, 1, 18));
        snVec3 near = snNormalizeOr(snMulAdd(from, size, to), from);
        checkBetween(from, near);
        checkBetween(from, snNeg(near));
    }
    checkBetween(snVec(1, 0, 0), snVec(-1, 0, 0));
    checkBetween(snVec(0, 1, 0), snVec(0, -1, 0));
    checkBetween(snVec(0, 0, 1), snVec(0, 0, -1));
}

// Along the arc from a to b the angle grows in proportion to t.
static void slerpHasConstantSpeed(void)
{
    snRandom random = snMakeRandom(5);
    for (int i = 0; i < COUNT; i++) {
        snVec3 axis = snRandom_UnitVector(&random);
        double angle = snRandom_Uniform(&random, -3.1, 3.1);
        if (i % 3 == 1) angle *= 1e-4;
        if (i % 3 == 2) angle *= 1e-10;
        snQuat a = snRandom_Rotation(&random);
        snQuat b = snMulQQ(snQuatFromAxisAngle(axis, angle), a);
        if (i % 2) b = (snQuat){-b.x, -b.y, -b.z, -b.w};
        double t = snRandom_Uniform(&random, 0, 1);
        snQuat wanted = snMulQQ(snQuatFromAxisAngle(axis, t * angle), a);
        CHECK_NEAR(distanceQ(snSlerp(a, b, t), wanted), 0.0, 1e-15 + 2e-15);
        CHECK_NEAR(distanceQ(snSlerp(a, b, 0.0), a), 0.0, 1e-15);
        CHECK_NEAR(distanceQ(snSlerp(a, b, 1.0), b), 0.0, 1e-15);
    }
}

static void slerpSurvivesEqualAndOppositeEnds(void)
{
    snQuat a = snQuatFromAxisAngle(snVec(1, 0, 0), 0.3);
    snQuat minus = {-a.x, -a.y, -a.z, -a.w};
    CHECK_NEAR(distanceQ(snSlerp(a, a, 0.3), a), 0.0, 1e-15);
    CHECK_NEAR(distanceQ(snSlerp(a, minus, 0.3), a), 0.0, 1e-15);
    snQuat half = snSlerp(snIdentityQuat(), (snQuat){1, 0, 0, 0}, 0.5); // exactly half a turn apart
    CHECK_NEAR(distanceQ(half, snQuatFromAxisAngle(snVec(1, 0, 0), SN_PI / 2)), 0.0, 1e-15);
}

static void normalizeSurvivesZero(void)
{
    CHECK(distanceQ(snNormalizeQ((snQuat){0, 0, 0, 0}), snIdentityQuat()) == 0.0);
    CHECK(snDistance(snNormalizeOr(snVec(0, 0, 0), snVec(0, 1, 0)), snVec(0, 1, 0)) == 0.0);
}

static void inversesAndCofactors(void)
{
    snRandom random = snMakeRandom(6);
    for (int i = 0; i < COUNT; i++) {
        snMat3 m = snQuatToMat(snRandom_Rotation(&random));
        m = snMulMM(m, snDiagonal3(2.0, snRandom_Uniform(&random, 0.5, 1), -0.25));
        CHECK_NEAR(distanceM(snMulMM(snInverse3(m), m), snIdentity3()), 0.0, 1e-13);
        snMat3 detOne = snMulTMM(m, snCofactor(m)); // mᵀ cof m = det m I
        CHECK_NEAR(distanceM(detOne, snScaleM(snDet(m), snIdentity3())), 0.0, 1e-13);
        snAffine a = {m, snRandom_UnitVector(&random)};
        snVec3 p = snRandom_UnitVector(&random);
        CHECK_NEAR(snDistance(snMulAP(snInverseAffine(a), snMulAP(a, p)), p), 0.0, 1e-13);
        snVec3 unit = snNormalizeOr(p, snVec(1, 0, 0)), right = snPerpendicular(unit);
        CHECK_NEAR(snLength(right), 1.0, 1e-15);
        CHECK_NEAR(snDot(unit, right), 0.0, 1e-15);
    }
}

// Vectors there and back, from nothing to just below half a turn; the same as by axis and angle.
static void vectorsOfRotations(void)
{
    snRandom random = snMakeRandom(77);
    for (int i = 0; i < 200; i++) {
        double angle = i < 5 ? 1e-13 * i * i * i : snRandom_Uniform(&random, 0, SN_PI - 1e-6);
        snVec3 axis = snRandom_UnitVector(&random), v = snScale(angle, axis);
        snQuat q = snQuatFromVector(v), same = snQuatFromAxisAngle(axis, angle);
        CHECK_NEAR(snDotQ(q, q), 1, 1e-15);
        CHECK_NEAR(fabs(snDotQ(q, same)), 1, 1e-15);
        CHECK_NEAR(snDistance(snQuatToVector(q), v), 0, 2e-15 + 1e-14 * angle);
        snQuat minus = {-q.x, -q.y, -q.z, -q.w};
        CHECK_NEAR(snDistance(snQuatToVector(minus), v), 0, 2e-15 + 1e-14 * angle);
    }
    CHECK_NEAR(snLength(snQuatToVector(snQuatFromVector(snVec(0, 2 * SN_PI - 1, 0)))), 1, 1e-14);
}

int main(void)
{
    RUN(matricesAndQuaternionsAgree);
    RUN(halfTurnsBecomeQuaternions);
    RUN(productsCompose);
    RUN(axisAngleTurnsByTheAngle);
    RUN(betweenTakesOneToTheOther);
    RUN(slerpHasConstantSpeed);
    RUN(slerpSurvivesEqualAndOppositeEnds);
    RUN(normalizeSurvivesZero);
    RUN(vectorsOfRotations);
    RUN(inversesAndCofactors);
    return snTest_Finish();
}
