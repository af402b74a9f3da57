#include "geometry/implicit.h"

#include "tests/geometry/shapes.h"

static const snBox around = {{-2, -2, -2}, {2, 2, 2}};

#define SHAPES 9

// One of each kind, turned and moved, and some special ones.
static snShape makeShape(int which, snRandom *random)
{
    static const snShapeKind kinds[SHAPES] = {SN_SHAPE_SPHERE,
                                              SN_SHAPE_SUPERELLIPSOID,
                                              SN_SHAPE_SUPERELLIPSOID,
                                              SN_SHAPE_SUPERELLIPSOID,
                                              SN_SHAPE_CYLINDER,
                                              SN_SHAPE_CAPSULE,
                                              SN_SHAPE_CAPSULE,
                                              SN_SHAPE_BOX,
                                              SN_SHAPE_BOX};
    snShape shape = snDefaultShape(kinds[which]);
    shape.place.linear = snQuatToMat(snRandom_Rotation(random));
    shape.place.origin = snScale(0.2, snRandom_UnitVector(random));
    shape.size = snVec(0.9, 0.5, 0.3);
    if (which == 2) shape.e1 = shape.e2 = 0.5; // a soft box
    if (which == 3) {                          // a soft cylinder
        shape.size = snVec(0.7, 0.7, 0.6);
        shape.e1 = 0.6;
    }
    if (which == 6) shape.size = snVec(0.8, 0.2, 0.1); // one ball within the other
    if (which == 8) shape.round = 0.2;
    return shape;
}

static bool isApproximate(int which)
{
    return which == 2 || which == 3;
}

// Central differences; false where the field has a crease.
static bool differences(const snBlend *blend, snVec3 p, double h, snVec3 *gradient)
{
    double d[3], jump = 0.0, middle = snBlend_Value(blend, p);
    for (int i = 0; i < 3; i++) {
        snVec3 step = snVec(i == 0 ? h : 0, i == 1 ? h : 0, i == 2 ? h : 0);
        double up = snBlend_Value(blend, snAdd(p, step)),
               down = snBlend_Value(blend, snSub(p, step));
        d[i] = (up - down) / (2.0 * h);
        jump = fmax(jump, fabs(up - 2.0 * middle + down) / h);
    }
    *gradient = snVec(d[0], d[1], d[2]);
    return jump < 1e-3;
}

static void checkGradient(const snBlend *blend, snRandom *random)
{
    double worst = 0.0;
    int creases = 0, count = 400;
    for (int i = 0; i < count; i++) {
        snVec3 p = randomIn(random, around), numeric;
        if (!differences(blend, p, 1e-5, &numeric)) {
            creases++;
            continue;
        }
        worst = fmax(worst, snDistance(numeric, snBlend_Gradient(blend, p)));
    }
    CHECK(worst < 2e-6);
    CHECK(creases < count / 20);
}

static void gradientsAreDerivatives(void)
{
    snRandom random = snMakeRandom(1);
    for (int k = 0; k < SHAPES; k++) {
        snShape shape = makeShape(k, &random);
        checkGradient(&(snBlend){1, &shape, NULL}, &random);
    }
    snShape shapes[SHAPES];
    double widths[SHAPES];
    for (int k = 0; k < SHAPES; k++) {
        shapes[k] = makeShape(k, &random);
        shapes[k].place.origin = snScale(0.8, snRandom_UnitVector(&random));
        widths[k] = k % 4 == 3 ? 0.0 : 0.3;
    }
    checkGradient(&(snBlend){SHAPES, shapes, widths}, &random);
}

// p - f ∇f lies on the surface, and no other surface point is nearer.
static void valuesAreDistances(void)
{
    snRandom random = snMakeRandom(2);
    for (int k = 0; k < SHAPES; k++) {
        if (isApproximate(k)) continue;
        snShape shape = makeShape(k, &random);
        snVec3 points[1000];
        int bad = 0, nearer = 0, inside = 0;
        for (int i = 0; i < 1000; i++) {
            snVec3 p = randomIn(&random, around), g = snShape_Gradient(&shape, p);
            double f = snShape_Value(&shape, p);
            bad += fabs(snLength(g) - 1.0) > 1e-9;
            points[i] = snMulAdd(p, -f, g);
            bad += f > 0.0 && fabs(snShape_Value(&shape, points[i])) > 1e-7;
            if (f <= 0.0) points[i] = snVec(9, 9, 9); // from deep inside not always on the surface
            inside += f < 0.0;
        }
        for (int i = 0; i < 300; i++) {
            snVec3 p = randomIn(&random, around);
            double f = fabs(snShape_Value(&shape, p));
            for (int j = 0; j < 1000; j++)
                nearer += points[j].x < 9 && snDistance(p, points[j]) < f - 1e-6;
        }
        CHECK(bad == 0 && nearer == 0 && inside > 5);
    }
}

static void knownValues(void)
{
    snShape sphere = snDefaultShape(SN_SHAPE_SPHERE),
            ball = snDefaultShape(SN_SHAPE_SUPERELLIPSOID);
    snShape cylinder = snDefaultShape(SN_SHAPE_CYLINDER), cone = snDefaultShape(SN_SHAPE_CAPSULE);
    snShape box = snDefaultShape(SN_SHAPE_BOX), lens = ball, octahedron = ball;
    CHECK_NEAR(snShape_Value(&sphere, snVec(0, 3, 4)), 4.0, 1e-15);
    CHECK_NEAR(snShape_Value(&ball, snVec(0, 3, 4)), 4.0, 1e-12);
    CHECK_NEAR(snShape_Value(&ball, snVec(0, 0, 0)), -1.0, 1e-9);
    lens.size = snVec(2, 2, 0.5);
    CHECK_NEAR(snShape_Value(&lens, snVec(0, 0, 0)), -0.5, 1e-9);
    CHECK_NEAR(snShape_Value(&lens, snVec(3, 0, 0)), 1.0, 1e-9);
    CHECK_NEAR(snShape_Value(&cylinder, snVec(4, 5, 0)), 5.0, 1e-14);
    CHECK_NEAR(snShape_Value(&cylinder, snVec(0, 0.7, 0.1)), -0.3, 1e-14);
    cone.size = snVec(0.5, 1.0, 0.25);
    CHECK_NEAR(snShape_Value(&cone, snVec(0, -3, 0)), 1.5, 1e-14);
    CHECK_NEAR(snShape_Value(&cone, snVec(0, 3, 0)), 1.75, 1e-14);
    CHECK_NEAR(snShape_Value(&box, snVec(2, 3, 3)), 3.0, 1e-14);
    box.round = 0.5;
    CHECK_NEAR(snShape_Value(&box, snVec(0, 2, 0)), 1.0, 1e-14);
    CHECK_NEAR(snShape_Value(&box, snVec(1.5, 1.5, 0)), sqrt(2.0) - 0.5, 1e-14);
    octahedron.e1 = octahedron.e2 = 2.0; // |x| + |y| + |z| = 1
    CHECK_NEAR(snShape_Value(&octahedron, snVec(0.2, 0.3, 0.5)), 0.0, 1e-4);
    CHECK(snShape_Value(&octahedron, snVec(0.2, 0.3, 0.4)) < 0.0);
    CHECK(isfinite(snShape_Value(&octahedron, snVec(0, 0, 0))));
    CHECK(isfinite(snShape_Value(&octahedron, snVec(1e100, 1, 0))));
    snBlend nothing = {0};
    CHECK(snBlend_Value(&nothing, snVec(0, 0, 0)) > 1e200);
}

// On the surface an approximate field has the slope of a distance.
static void superellipsoidsHaveUnitSlope(void)
{
    snRandom random = snMakeRandom(3);
    double worst = 0.0;
    for (int i = 0; i < 500; i++) {
        snShape shape = makeShape(2 + i % 2, &random);
        snVec3 p = randomIn(&random, around);
        for (int k = 0; k < 100 && fabs(snShape_Value(&shape, p)) > 1e-10; k++) {
            snVec3 g = snShape_Gradient(&shape, p);
            p = snMulAdd(p, -0.7 * snShape_Value(&shape, p) / snLengthSquared(g), g);
        }
        if (fabs(snShape_Value(&shape, p)) > 1e-8) continue;
        worst = fmax(worst, fabs(snLength(snShape_Gradient(&shape, p)) - 1.0));
    }
    CHECK(worst < 1e-6);
}

// All of the inside is within the bounds, and the bounds are not much larger.
static void checkBounds(const snBlend *blend, snRandom *random, double slack)
{
    snBox box = snBlend_Bounds(blend), wide = snBox_Grow(box, 0.2), found = snEmptyBox();
    int outside = 0;
    for (int i = 0; i < 20000; i++) {
        snVec3 p = randomIn(random, wide);
        if (snBlend_Value(blend, p) > 0.0) continue;
        found = snBoxAdd(found, p);
        outside += !snBox_Contains(box, p);
    }
    snVec3 low = snSub(found.lower, box.lower), high = snSub(box.upper, found.upper);
    snVec3 most = snMax(low, high);
    CHECK(outside == 0);
    CHECK(fmax(most.x, fmax(most.y, most.z)) < slack);
}

static void boundsHoldTheShape(void)
{
    snRandom random = snMakeRandom(4);
    snShape shapes[SHAPES];
    double widths[SHAPES];
    for (int k = 0; k < SHAPES; k++) {
        shapes[k] = makeShape(k, &random);
        widths[k] = 0.25;
        bool loose = shapes[k].kind == SN_SHAPE_SUPERELLIPSOID; // its box, turned
        checkBounds(&(snBlend){1, &shapes[k], widths}, &random, loose ? 0.7 : 0.25);
    }
    for (int k = 0; k < SHAPES; k++)
        shapes[k].place.origin = snScale(0.5, snRandom_UnitVector(&random));
    checkBounds(&(snBlend){SHAPES, shapes, widths}, &random, 0.3);
    snShape balls[2] = {snDefaultShape(SN_SHAPE_SPHERE), snDefaultShape(SN_SHAPE_SPHERE)};
    balls[1].place.origin = snVec(2.02, 0, 0); // apart, but the blend bridges the gap
    snBlend pair = {2, balls, widths};
    CHECK(snBlend_Value(&pair, snVec(1.01, 0, 0)) < 0.0);
    checkBounds(&pair, &random, 0.2);
}

int main(void)
{
    RUN(gradientsAreDerivatives);
    RUN(valuesAreDistances);
    RUN(knownValues);
    RUN(superellipsoidsHaveUnitSlope);
    RUN(boundsHoldTheShape);
    return snTest_Finish();
}
