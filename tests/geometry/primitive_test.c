#include "geometry/primitive.h"

#include "tests/geometry/shapes.h"

static const snBox unit = {{-1, -1, -1}, {1, 1, 1}};

static snTriangle randomTriangle(snRandom *random, int kind)
{
    snTriangle t = {randomIn(random, unit), randomIn(random, unit), randomIn(random, unit)};
    if (kind == 1) t.c = snLerp(t.a, t.b, 0.4);
    if (kind == 2) t.b = t.c = t.a;
    if (kind == 3) t.b = t.a;
    return t;
}

static snVec3 pointOf(snTriangle t, double u, double v)
{
    return snMulAdd(snMulAdd(snScale(1.0 - u - v, t.a), u, t.b), v, t.c);
}

// No point of a fine net on the triangle is nearer, and the answer is a point of the triangle.
static void closestOnTriangle(void)
{
    snRandom random = snMakeRandom(1);
    int wrong = 0, n = 40;
    for (int round = 0; round < 400; round++) {
        snTriangle t = randomTriangle(&random, round % 6);
        snVec3 q = snScale(1.5, randomIn(&random, unit));
        double b[3], best = INFINITY;
        snVec3 p = snClosestOnTriangle(q, t, b);
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++)
                best = fmin(best, snDistance(q, pointOf(t, (double)i / n, (double)j / n)));
        double distance = snDistance(p, q);
        wrong += distance > best + 1e-12 || distance < best - 0.1;
        wrong += b[0] < 0.0 || b[1] < 0.0 || b[2] < 0.0 || fabs(b[0] + b[1] + b[2] - 1.0) > 1e-12;
        wrong += snDistance(p, pointOf(t, b[1], b[2])) > 1e-12;
    }
    CHECK(wrong == 0);
    snTriangle t = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK_NEAR(snClosestOnTriangle(snVec(0.2, 0.3, 7.0), t, NULL).y, 0.3, 1e-15);
    CHECK_NEAR(snClosestOnTriangle(snVec(1, 1, 1), t, NULL).x, 0.5, 1e-15);
    double s;
    CHECK(snClosestOnSegment(snVec(5, 1, 0), t.a, t.b, &s).x == 1.0 && s == 1.0);
    CHECK(snClosestOnSegment(snVec(5, 1, 0), t.a, t.a, NULL).x == 0.0);
}

static void boxes(void)
{
    CHECK_NEAR(snBox_DistanceSquared(unit, snVec(2, 0, -3)), 5.0, 1e-15);
    CHECK(snBox_DistanceSquared(unit, snVec(0.5, 1, 0)) == 0.0);
    CHECK(snBox_Contains(unit, snVec(1, 1, 1)) && !snBox_Contains(unit, snVec(NAN, 0, 0)));
    CHECK(snBox_Contains(snBox_Grow(unit, 0.5), snVec(1.5, 0, 0)));
}

// An overlap has a point of the triangle that lies in the body: looked for on a fine net. Where
// the test says no there must be none; where it says yes the net must come close.
static void overlaps(void)
{
    snRandom random = snMakeRandom(2);
    int missed = 0, invented = 0, yes = 0, n = 60;
    for (int round = 0; round < 600; round++) {
        snTriangle t = randomTriangle(&random, round % 12);
        snVec3 a = randomIn(&random, unit);
        snBox box = snBoxAdd((snBox){a, a}, randomIn(&random, unit));
        snTetrahedron tet = {randomIn(&random, unit), randomIn(&random, unit),
                             randomIn(&random, unit), randomIn(&random, unit)};
        bool inBox = false, inTet = false, nearBox = false, nearTet = false;
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                snVec3 p = pointOf(t, (double)i / n, (double)j / n);
                double distance = sqrt(snBox_DistanceSquared(box, p));
                inBox |= distance == 0.0;
                nearBox |= distance < 0.06;
                inTet |= snTetrahedron_Contains(tet, p, 0.0);
                double b[4], least = 1.0;
                snTetrahedron_Barycentric(tet, p, b);
                for (int k = 0; k < 4; k++) {
                    snVec3 c[4] = {tet.a, tet.b, tet.c, tet.d};
                    snVec3 face = snTriangle_AreaVector(
                        (snTriangle){c[(k + 1) % 4], c[(k + 2) % 4], c[(k + 3) % 4]});
                    double height = 3.0 * fabs(snTetrahedron_Volume(tet)) / snLength(face);
                    least = fmin(least, b[k] * height);
                }
                nearTet |= least > -0.06;
            }
        bool box1 = snTriangle_OverlapsBox(t, box), tet1 = snTriangle_OverlapsTetrahedron(t, tet);
        missed += (inBox && !box1) || (inTet && !tet1);
        invented += (box1 && !nearBox) || (tet1 && !nearTet);
        yes += box1 + tet1;
    }
    CHECK(missed == 0 && invented == 0 && yes > 100 && yes < 1100);
    snTriangle touching = {{1, -1, -1}, {1, 3, -1}, {1, -1, 3}};
    CHECK(snTriangle_OverlapsBox(touching, unit));
    snTriangle apart = {{1.001, -1, -1}, {1.001, 3, -1}, {1.001, -1, 3}};
    CHECK(!snTriangle_OverlapsBox(apart, unit));
    snTriangle corner = {{2.9, 0, 0}, {0, 2.9, 0}, {0, 0, 2.9}};
    snTriangle beyond = {{3.1, 0, 0}, {0, 3.1, 0}, {0, 0, 3.1}};
    CHECK(snTriangle_OverlapsBox(corner, unit) && !snTriangle_OverlapsBox(beyond, unit));
}

static void tetrahedra(void)
{
    snTetrahedron regular = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};
    snTetQuality q = snTetrahedron_Quality(regular);
    CHECK_NEAR(snTetrahedron_Volume(regular), 8.0 / 3.0, 1e-14);
    CHECK_NEAR(q.minDihedral, snAcos(1.0 / 3.0), 1e-14);
    CHECK_NEAR(q.maxDihedral, snAcos(1.0 / 3.0), 1e-14);
    CHECK_NEAR(q.radiusRatio, 1.0, 1e-14);
    snTetrahedron corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; // a cut-off cube corner
    q = snTetrahedron_Quality(corner);
    CHECK_NEAR(q.maxDihedral, 0.5 * SN_PI, 1e-14);
    CHECK_NEAR(q.minDihedral, snAcos(1.0 / sqrt(3.0)), 1e-14);
    CHECK_NEAR(q.radiusRatio, 3.0 * (0.5 / (1.5 + 0.5 * sqrt(3.0))) / (0.5 * sqrt(3.0)), 1e-14);
    snTetrahedron turned = {corner.a, corner.c, corner.b, corner.d};
    CHECK(snTetrahedron_Quality(turned).radiusRatio < 0.0);
    snTetrahedron flat = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    q = snTetrahedron_Quality(flat);
    CHECK(q.minDihedral == 0.0 && q.radiusRatio == 0.0);

    double b[4];
    snRandom random = snMakeRandom(3);
    for (int i = 0; i < 100; i++) {
        snVec3 p = randomIn(&random, unit);
        CHECK(snTetrahedron_Barycentric(regular, p, b));
        snVec3 back =
            snMulAdd(snMulAdd(snScale(b[0], regular.a), b[1], regular.b), b[2], regular.c);
        CHECK(snDistance(snMulAdd(back, b[3], regular.d), p) < 1e-14);
        CHECK_NEAR(b[0] + b[1] + b[2] + b[3], 1.0, 1e-14);
    }
    CHECK(!snTetrahedron_Barycentric(flat, snVec(0, 0, 0), b) && b[2] == 0.25);
    CHECK(snTetrahedron_Contains(corner, snVec(0.25, 0.25, 0.25), 0.0));
    CHECK(!snTetrahedron_Contains(corner, snVec(0.4, 0.4, 0.4), 0.0));
}

int main(void)
{
    RUN(closestOnTriangle);
    RUN(boxes);
    RUN(overlaps);
    RUN(tetrahedra);
    return snTest_Finish();
}
