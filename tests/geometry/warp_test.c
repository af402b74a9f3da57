#include "geometry/warp.h"

#include "tests/geometry/shapes.h"

static const snVec3 half = {0.6, 1.0, 0.5};

// Every deformation alone, all together, and others that are at their limits.
#define WARPS 9
static snWarp makeWarp(int which)
{
    snWarp warp = {.axis = which % 3};
    snBulge bulge = {.place = {0.5, 0.2, 0.1}, .width = 0.4, .height = 0.3};
    if (which == 1 || which >= 5) warp.taper[0] = 0.6, warp.taper[1] = -0.3;
    if (which == 2 || which >= 5) warp.twist = 1.3;
    if (which == 3 || which >= 5) warp.bend = which == 6 ? -0.9 : 0.7, warp.bendAround = 0.8;
    if (which == 4 || which >= 5) {
        warp.bulges[warp.bulgeCount++] = bulge;
        bulge.place.y = -0.4;
        bulge.height = -0.9; // held to 1.4 widths
        warp.bulges[warp.bulgeCount++] = bulge;
    }
    if (which == 7) warp.bend = 9.0; // held
    if (which == 8) warp.bulges[0].direction = snVec(0, 3, 0);
    return warp;
}

static void thereAndBack(void)
{
    snRandom random = snMakeRandom(1);
    double worst = 0.0;
    for (int k = 0; k < WARPS; k++) {
        snWarp warp = makeWarp(k);
        snWarpMap map = snMakeWarpMap(&warp, half);
        for (int i = 0; i < 2000; i++) {
            snVec3 p = randomIn(&random, (snBox){snNeg(half), half});
            snVec3 q = snWarpMap_Forward(&map, p);
            worst = fmax(worst, snDistance(p, snWarpMap_Inverse(&map, q)));
        }
    }
    printf("there and back: %.2g\n", worst);
    CHECK(worst < 1e-12);
}

static double field(snVec3 y)
{
    return y.x * y.x + 0.3 * y.x * y.y - 0.7 * y.z + snSin(y.y);
}

static snVec3 fieldSlope(snVec3 y)
{
    return snVec(2.0 * y.x + 0.3 * y.y, 0.3 * y.x + snCos(y.y), -0.7);
}

static double back(const snWarpMap *map, snVec3 p)
{
    return field(snWarpMap_Inverse(map, p));
}

static void gradientsAreCarried(void)
{
    snRandom random = snMakeRandom(2);
    double worst = 0.0, h = 1e-5;
    for (int k = 0; k < WARPS; k++) {
        snWarp warp = makeWarp(k);
        snWarpMap map = snMakeWarpMap(&warp, half);
        for (int i = 0; i < 300; i++) {
            snVec3 p = snWarpMap_Forward(&map, randomIn(&random, (snBox){snNeg(half), half}));
            snWarpTrace trace = snWarpMap_Trace(&map, p);
            snVec3 n = snWarpMap_Carry(&map, &trace, fieldSlope(trace.source));
            snVec3 d =
                snVec(back(&map, snAdd(p, snVec(h, 0, 0))) - back(&map, snSub(p, snVec(h, 0, 0))),
                      back(&map, snAdd(p, snVec(0, h, 0))) - back(&map, snSub(p, snVec(0, h, 0))),
                      back(&map, snAdd(p, snVec(0, 0, h))) - back(&map, snSub(p, snVec(0, 0, h))));
            double error = snDistance(n, snScale(0.5 / h, d)) / (1.0 + snLength(n));
            // Where space is almost folded the differences themselves are poor.
            if (k != 7 && snLength(n) < 50.0) worst = fmax(worst, error);
        }
    }
    printf("gradient against differences: %.2g\n", worst);
    CHECK(worst < 1e-6);
}

static void limitsAreSmooth(void)
{
    snRandom random = snMakeRandom(3);
    for (int i = 0; i < 200; i++) {
        snVec3 p = randomIn(&random, (snBox){snNeg(half), half});
        for (int axis = 0; axis < 3; axis++) {
            snWarp none = {.axis = axis};
            snWarpMap map = snMakeWarpMap(&none, half);
            snVec3 same = snWarpMap_Forward(&map, p);
            CHECK(same.x == p.x && same.y == p.y && same.z == p.z);
            for (double e = 1e-3; e > 1e-200; e *= 1e-20) {
                snWarp little = {.axis = axis, .bend = e, .twist = e, .taper = {e, e}};
                map = snMakeWarpMap(&little, half);
                CHECK(snDistance(snWarpMap_Forward(&map, p), p) <= 6.0 * e + 1e-15);
                CHECK(snDistance(snWarpMap_Inverse(&map, p), p) <= 6.0 * e + 1e-15);
            }
        }
    }
}

static void boundsHold(void)
{
    snRandom random = snMakeRandom(4);
    for (int k = 0; k < WARPS; k++)
        for (int axis = 0; axis < 3; axis++) {
            snWarp warp = makeWarp(k);
            warp.axis = axis;
            snWarpMap map = snMakeWarpMap(&warp, half);
            snBox box = snBox_Grow(snWarpMap_Bounds(&map, half), 1e-12);
            int out = 0;
            for (int i = 0; i < 3000; i++) {
                snVec3 p = randomIn(&random, (snBox){snNeg(half), half});
                if (i % 3 == 0) p.x = p.x > 0.0 ? half.x : -half.x;
                if (i % 3 == 1) p.y = p.y > 0.0 ? half.y : -half.y;
                if (i % 3 == 2) p.z = p.z > 0.0 ? half.z : -half.z;
                out += !snBox_Contains(box, snWarpMap_Forward(&map, p));
            }
            CHECK(out == 0);
        }
}

// What the numbers mean, on points whose places can be told.
static void knownPlaces(void)
{
    snWarp warp = {.axis = 2, .bend = SN_PI / 2};
    snVec3 bar = {0.1, 0.1, 1.0};
    snWarpMap map = snMakeWarpMap(&warp, bar);
    double k = SN_PI / 4; // of 45 degrees at each end
    snVec3 end = snWarpMap_Forward(&map, snVec(0, 0, 1));
    CHECK_NEAR(end.x, (1.0 - snCos(k)) / k, 1e-15);
    CHECK_NEAR(end.z, snSin(k) / k, 1e-15);
    warp = (snWarp){.axis = 2, .twist = SN_PI};
    map = snMakeWarpMap(&warp, bar);
    CHECK(snDistance(snWarpMap_Forward(&map, snVec(0.1, 0, 1)), snVec(0, 0.1, 1)) < 1e-15);
    warp = (snWarp){.axis = 1, .taper = {snLn(2.0), 0}};
    map = snMakeWarpMap(&warp, snVec(0.1, 1.0, 0.1));
    CHECK(snDistance(snWarpMap_Forward(&map, snVec(0.1, 1, 0.1)), snVec(0.1, 1, 0.2)) < 1e-15);
    CHECK(snDistance(snWarpMap_Forward(&map, snVec(0.1, -1, 0.1)), snVec(0.1, -1, 0.05)) < 1e-15);
    warp = (snWarp){.axis = 1, .bulgeCount = 1, .bulges = {{{0.1, 0.3, 0}, {0, 0, 0}, 0.2, 0.05}}};
    map = snMakeWarpMap(&warp, snVec(0.1, 1.0, 0.1));
    CHECK(snDistance(snWarpMap_Forward(&map, snVec(0.1, 0.3, 0)), snVec(0.15, 0.3, 0)) < 1e-15);
    snVec3 one = snWarpMap_Forward(&map, snVec(0.1, 0.5, 0)); // a width away
    CHECK_NEAR(one.x, 0.1 + 0.05 * snExp(-0.5), 1e-15);
}

int main(void)
{
    RUN(thereAndBack);
    RUN(gradientsAreCarried);
    RUN(limitsAreSmooth);
    RUN(boundsHold);
    RUN(knownPlaces);
    return snTest_Finish();
}
