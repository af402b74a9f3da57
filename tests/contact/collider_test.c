// Shapes to bump into: distances, normals, motion.
#include "contact/contact.h"

#include "core/core.h"
#include "core/random.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static snVec3 randomPoint(snRandom *random, double size)
{
    return snVec(snRandom_Uniform(random, -size, size), snRandom_Uniform(random, -size, size),
                 snRandom_Uniform(random, -size, size));
}

static snAffine randomFrame(snRandom *random)
{
    snVec3 axis = snRandom_UnitVector(random);
    double angle = snRandom_Uniform(random, -3, 3);
    return (snAffine){snQuatToMat(snQuatFromAxisAngle(axis, angle)), randomPoint(random, 1)};
}

static snCollider randomCollider(snColliderKind kind, snRandom *random)
{
    snCollider c = snMakeCollider(kind);
    c.radius = 0.7;
    c.half = snVec(0.8, 0.5, 0.3);
    c.begin = randomFrame(random);
    c.end = randomFrame(random);
    return c;
}

// The normal is the distance's gradient, the nearest point is as far as the distance says, and from it
// the distance is zero.
static void normalsAreGradients(void)
{
    snRandom random = snMakeRandom(1);
    for (int kind = SN_COLLIDER_PLANE; kind <= SN_COLLIDER_BOX; kind++)
        for (int i = 0; i < 200; i++) {
            snCollider c = randomCollider((snColliderKind)kind, &random);
            CHECK(snCollider_Check(&c, NULL) == SN_OK);
            snVec3 x = randomPoint(&random, 2), gradient;
            snTouch touch, more, less, on;
            double h = 1e-6, bend = 1e-5;
            CHECK(snCollider_Query(&c, x, 1e9, &touch));
            if (kind == SN_COLLIDER_BOX && touch.distance < 0) bend = 2; // creases inside
            for (int k = 0; k < 3; k++) {
                snVec3 step = {k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0};
                snCollider_Query(&c, snAdd(x, step), 1e9, &more);
                snCollider_Query(&c, snSub(x, step), 1e9, &less);
                (&gradient.x)[k] = (more.distance - less.distance) / (2 * h);
            }
            CHECK(snDistance(gradient, touch.normal) < bend);
            CHECK_NEAR(snLength(touch.normal), 1, 1e-12);
            CHECK_NEAR(snDistance(x, touch.point), fabs(touch.distance), 1e-9);
            CHECK(snCollider_Query(&c, touch.point, 1e-6, &on));
            CHECK_NEAR(on.distance, 0, 1e-9);
            if (touch.distance > 0) CHECK(!snCollider_Query(&c, x, 0.999 * touch.distance, &more));
        }
}

static void surfacesMoveWithTheirFrames(void)
{
    snRandom random = snMakeRandom(2);
    for (int kind = SN_COLLIDER_PLANE; kind <= SN_COLLIDER_BOX; kind++) {
        snCollider c = randomCollider((snColliderKind)kind, &random);
        snTouch touch;
        CHECK(snCollider_Query(&c, randomPoint(&random, 2), 1e9, &touch));
        snVec3 local = snMulAP(snInverseAffine(c.end), touch.point);
        snVec3 move = snSub(touch.point, snMulAP(c.begin, local));
        CHECK(snDistance(move, touch.move) < 1e-12);
    }
}

static void boundsHoldTheShape(void)
{
    snRandom random = snMakeRandom(3);
    for (int kind = SN_COLLIDER_PLANE; kind <= SN_COLLIDER_BOX; kind++)
        for (int i = 0; i < 300; i++) {
            snCollider c = randomCollider((snColliderKind)kind, &random);
            if (i % 2) c.end.linear = snIdentity3();
            snVec3 x = randomPoint(&random, 3);
            snBox box = snCollider_Bounds(&c);
            snTouch touch;
            if (snCollider_Query(&c, x, 0, &touch)) CHECK(snBoxOverlap(box, (snBox){x, x}));
        }
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.end.origin.y = 2;
    CHECK_NEAR(snCollider_Bounds(&floor).upper.y, 2, 0);
}

static void badCollidersAreRefused(void)
{
    snError error = {0};
    snCollider good = snMakeCollider(SN_COLLIDER_SPHERE), bad = good;
    CHECK(snCollider_Check(&good, &error) == SN_OK);
    bad.radius = -1;
    CHECK(snCollider_Check(&bad, &error) == SN_ERROR_ARGUMENT);
    bad = good;
    bad.friction = NAN;
    CHECK(snCollider_Check(&bad, &error) == SN_ERROR_ARGUMENT);
    bad = good;
    bad.end.linear = snDiagonal3(2, 2, 2);
    CHECK(snCollider_Check(&bad, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "rotation") != NULL);
    bad = snMakeCollider(SN_COLLIDER_BOX);
    bad.half.x = -1;
    CHECK(snCollider_Check(&bad, &error) == SN_ERROR_ARGUMENT);
    bad = snMakeCollider(SN_COLLIDER_SHELL);
    CHECK(snCollider_Check(&bad, &error) == SN_ERROR_ARGUMENT);
}

// What goes through a thin board touches the side from which it came, whoever moves; what goes by does not
// touch.
static void sweepsFindWhereItWentIn(void)
{
    snCollider board = snMakeCollider(SN_COLLIDER_BOX), ball = snMakeCollider(SN_COLLIDER_SPHERE);
    snTouch touch;
    board.half = snVec(1, 0.01, 1);
    for (int side = -1; side <= 1; side += 2) {
        snVec3 from = {0.3, 0.2 * side, 0.1}, to = {0.25, -0.3 * side, 0.1};
        CHECK(snCollider_Sweep(&board, from, to, 0.01, &touch));
        CHECK(snDistance(touch.normal, snVec(0, side, 0)) < 1e-9);
        CHECK_NEAR(touch.distance, -0.31, 1e-9);
        snCollider moved = board; // the board comes, the point stays
        moved.end.origin.y = 0.5 * side;
        CHECK(snCollider_Sweep(&moved, from, from, 0.01, &touch));
        CHECK(snDistance(touch.normal, snVec(0, side, 0)) < 1e-9 && touch.distance < -0.2);
        CHECK_NEAR(touch.move.y, 0.5 * side, 1e-12);
    }
    CHECK(!snCollider_Sweep(&board, snVec(1.2, 0.2, 0), snVec(1.2, -0.2, 0), 0.01, &touch));
    ball.radius = 0.1;
    CHECK(snCollider_Sweep(&ball, snVec(0.02, 0.5, 0), snVec(0.02, -0.5, 0), 0.01, &touch));
    CHECK(touch.normal.y > 0.9 && touch.distance < -0.5);
    CHECK(!snCollider_Sweep(&ball, snVec(0.2, 0.5, 0), snVec(0.2, -0.5, 0), 0.01, &touch));
}

// Corners of shapes where there is no direction: something unit comes out.
static void middlesHaveSomeNormal(void)
{
    snTouch touch;
    snCollider c = snMakeCollider(SN_COLLIDER_SPHERE);
    CHECK(snCollider_Query(&c, snVec(0, 0, 0), 0, &touch));
    CHECK_NEAR(touch.distance, -1, 0);
    CHECK_NEAR(snLength(touch.normal), 1, 1e-12);
    c = snMakeCollider(SN_COLLIDER_BOX);
    CHECK(snCollider_Query(&c, snVec(0, 0, 0), 0, &touch));
    CHECK_NEAR(touch.distance, -1, 0);
    CHECK_NEAR(snLength(touch.normal), 1, 1e-12);
    CHECK(!snCollider_Query(&c, snVec(NAN, 0, 0), 1, &touch) || true); // must only return
}

int main(void)
{
    RUN(normalsAreGradients);
    RUN(surfacesMoveWithTheirFrames);
    RUN(boundsHoldTheShape);
    RUN(badCollidersAreRefused);
    RUN(sweepsFindWhereItWentIn);
    RUN(middlesHaveSomeNormal);
    return snTest_Finish();
}
