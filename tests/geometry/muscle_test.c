#include "geometry/muscle.h"

#include "tests/geometry/shapes.h"

#include <stdlib.h>

#define MUSCLES 8

static snMuscleShape makeShape(int which)
{
    static const snShapeKind kinds[MUSCLES] = {SN_SHAPE_SPHERE,         SN_SHAPE_SPHERE,
                                               SN_SHAPE_SUPERELLIPSOID, SN_SHAPE_SUPERELLIPSOID,
                                               SN_SHAPE_SUPERELLIPSOID, SN_SHAPE_CYLINDER,
                                               SN_SHAPE_CYLINDER,       SN_SHAPE_CAPSULE};
    snMuscleShape muscle = snDefaultMuscleShape(kinds[which]);
    muscle.shape.size = snVec(0.3, 0.8, 0.35);
    muscle.shape.place.origin = snVec(0.1, -0.2, 0.3);
    muscle.shape.place.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0.8, 0), 0.7));
    if (which == 3) muscle.shape.e1 = 0.5, muscle.shape.e2 = 0.7;
    if (which % 2 == 0) return muscle;
    muscle.warp.taper[0] = 0.3;
    muscle.warp.twist = 0.5;
    muscle.warp.bend = 0.4;
    muscle.warp.bendAround = 1.0;
    muscle.warp.bulgeCount = 1;
    muscle.warp.bulges[0] = (snBulge){{0.2, 0.1, 0.2}, {0, 0, 0}, 0.2, 0.1};
    return muscle;
}

static snAffine makeJoint(int which)
{
    snAffine joint = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), 1.9)), {0.4, 0.1, -0.2}};
    if (which == 4 || which == 7) joint.linear = snMulMM(joint.linear, snDiagonal3(1.2, 0.8, 1.0));
    return joint;
}

static snMuscle makeMuscle(int which)
{
    snMuscleShape shape = makeShape(which);
    return snMakeMuscle(&shape, makeJoint(which));
}

static void gradientsAreDerivatives(void)
{
    snRandom random = snMakeRandom(1);
    for (int k = 0; k < MUSCLES; k++) {
        snMuscle muscle = makeMuscle(k);
        double worst = 0.0, h = 1e-6;
        int creases = 0;
        for (int i = 0; i < 400; i++) {
            snVec3 p = randomIn(&random, snBox_Grow(muscle.bounds, 0.1)), n;
            double middle = snMuscle_Value(&muscle, p, &n), jump = 0.0, d[3];
            for (int c = 0; c < 3; c++) {
                snVec3 step = snVec(c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0);
                double up = snMuscle_Value(&muscle, snAdd(p, step), NULL);
                double down = snMuscle_Value(&muscle, snSub(p, step), NULL);
                d[c] = (up - down) / (2.0 * h);
                jump = fmax(jump, fabs(up - 2.0 * middle + down) / h);
            }
            if (jump > 1e-3)
                creases++;
            else
                worst = fmax(worst, snDistance(n, snVec(d[0], d[1], d[2])));
        }
        printf("muscle %d: gradient %.2g, at creases %d\n", k, worst, creases);
        CHECK(worst < 1e-5 && creases < 40);
    }
}

// All that is inside is in the bounds, and what is projected lies on the surface, square below the point.
static void boundsAndFeet(void)
{
    snRandom random = snMakeRandom(2);
    for (int k = 0; k < MUSCLES; k++) {
        snMuscle muscle = makeMuscle(k);
        int out = 0, inside = 0, slant = 0;
        double worst = 0.0;
        for (int i = 0; i < 2000; i++) {
            snVec3 p = randomIn(&random, snBox_Grow(muscle.bounds, i % 2 ? 0.0 : 0.5)), n;
            bool in = snMuscle_Value(&muscle, p, NULL) < 0.0;
            inside += in;
            out += in && !snBox_Contains(muscle.bounds, p);
            if (in || i % 4) continue;
            snVec3 foot = snMuscle_Project(&muscle, p, &n);
            worst = fmax(worst, fabs(snMuscle_Distance(&muscle, foot)));
            slant += snDot(snSub(p, foot), n) < 0.999 * snDistance(p, foot);
        }
        printf("muscle %d: %d inside, foot off by %.2g, %d slant\n", k, inside, worst, slant);
        CHECK(out == 0 && inside > 5 && worst < 1e-10);
        // The rims of cylinders have no normal; opposite a hollow there may be two nearest places.
        CHECK(slant <= (k == 5 || k == 6 ? 300 : 8));
    }
}

static void meshesLieOnThem(void)
{
    enum { ROWS = 16, COLUMNS = 24 };
    snVec3 positions[SN_MUSCLE_VERTICES(ROWS, COLUMNS)];
    int triangles[3 * SN_MUSCLE_TRIANGLES(ROWS, COLUMNS)];
    for (int k = 0; k < MUSCLES; k++) {
        snMuscle muscle = makeMuscle(k);
        snMuscle_Mesh(&muscle, ROWS, COLUMNS, positions, triangles);
        double worst = 0.0;
        for (int i = 0; i < SN_MUSCLE_VERTICES(ROWS, COLUMNS); i++) {
            worst = fmax(worst, fabs(snMuscle_Value(&muscle, positions[i], NULL)));
            snVec3 again = snMuscle_Place(&muscle, snMuscle_Source(&muscle, positions[i]));
            CHECK(snDistance(again, positions[i]) < 1e-12);
        }
        CHECK(worst < 1e-11);
        snMesh mesh = {SN_MUSCLE_VERTICES(ROWS, COLUMNS), SN_MUSCLE_TRIANGLES(ROWS, COLUMNS),
                       positions, triangles};
        double volume = snMesh_Volume(&mesh), radius = 0.3;
        if (k == 0) CHECK_NEAR(volume / (4.0 / 3.0 * SN_PI * radius * radius * radius), 0.98, 0.02);
        if (k == 6) CHECK_NEAR(volume / (SN_PI * radius * radius * 1.6), 0.985, 0.01);
        CHECK(volume > 0.0);
    }
}

static void raysHit(void)
{
    snRandom random = snMakeRandom(3);
    for (int k = 0; k < MUSCLES; k++) {
        snMuscle muscle = makeMuscle(k);
        int missed = 0;
        double worst = 0.0, t;
        snVec3 middle = snMuscle_Place(&muscle, snVec(0, 0, 0));
        for (int i = 0; i < 200; i++) {
            snVec3 origin = snMulAdd(middle, 5.0, snRandom_UnitVector(&random));
            if (!snMuscle_Ray(&muscle, origin, snSub(middle, origin), 2.0, &t)) {
                missed++;
                continue;
            }
            worst = fmax(worst, fabs(snMuscle_Distance(&muscle, snLerp(origin, middle, t))));
        }
        CHECK(missed == 0 && worst < 1e-8);
        CHECK(!snMuscle_Ray(&muscle, snVec(5, 5, 5), snVec(1, 0, 0), 10.0, &t));
        CHECK(snMuscle_Ray(&muscle, middle, snVec(1, 0, 0), 10.0, &t) && t == 0.0);
    }
    snMuscleShape ball = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    snMuscle muscle = snMakeMuscle(&ball, snIdentityAffine());
    double t = 0.0;
    CHECK(snMuscle_Ray(&muscle, snVec(3, 0, 0), snVec(-1, 0, 0), 10.0, &t));
    CHECK_NEAR(t, 2.0, 1e-8);
    CHECK(!snMuscle_Ray(&muscle, snVec(3, 0, 0), snVec(-1, 0, 0), 1.9, &t));
}

// g over its largest slope is no more than the distance, in the own frame: what skins skip tests by.
static void valuesBoundDistances(void)
{
    snRandom random = snMakeRandom(4);
    for (int k = 0; k < MUSCLES; k++) {
        snMuscleShape shape = makeShape(k);
        shape.shape.place = snIdentityAffine();
        snMuscle muscle = snMakeMuscle(&shape, snIdentityAffine());
        double around = 0.2 * muscle.size, steepest = snMuscle_Steepest(&muscle, around);
        double tightest = 0.0;
        for (int i = 0; i < 300; i++) {
            snVec3 n, source, way = snRandom_UnitVector(&random);
            snVec3 foot = snMuscle_Project(&muscle, snScale(2.0 * muscle.size, way), &n);
            snVec3 point = snMulAdd(foot, around * snRandom_Uniform(&random, 0.0, 1.0), way);
            double value = snMuscle_Own(&muscle, point, &n, &source);
            if (!(value > 0.0)) continue;
            double distance = snDistance(point, snMuscle_Project(&muscle, point, NULL));
            tightest = fmax(tightest, value / steepest / distance);
            CHECK(snDistance(source, snMuscle_Source(&muscle, point)) == 0.0);
        }
        printf("muscle %d: up to %.2f of the distance, slope %.2f\n", k, tightest, steepest);
        CHECK(tightest > 0.0 && tightest <= 1.0 + 1e-9);
    }
}

int main(void)
{
    RUN(gradientsAreDerivatives);
    RUN(valuesBoundDistances);
    RUN(boundsAndFeet);
    RUN(meshesLieOnThem);
    RUN(raysHit);
    return snTest_Finish();
}
