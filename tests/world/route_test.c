// Paths through keys, and numbers between keys.
#include "core/core.h"
#include "core/elementary.h"
#include "tests/test.h"
#include "world/route.h"

#include <stdio.h>

static snArena arena;

static const double times[5] = {0, 0.5, 1.2, 2, 3};
static const snVec3 places[5] = {{0, 1, 0}, {1, 0, 0}, {1, 2, 3}, {0, 1, 0}, {2, 2, 2}};

// Through the keys, at rest at both ends, and with no jump in place, velocity or acceleration.
static void pathsAreSmooth(void)
{
    snRoute path;
    snRouteDef def = {.count = 5, .times = times, .places = places};
    CHECK(snRoute_Make(&path, &def, &arena, NULL) == SN_OK);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(snDistance(snRoute_Place(&path, times[i]), places[i]), 0, 1e-14);
    CHECK(snLength(snRoute_Velocity(&path, 0)) < 1e-14 &&
          snLength(snRoute_Velocity(&path, 3)) < 1e-13);
    CHECK(snRoute_End(&path) == 3 && snLength(snRoute_Velocity(&path, 5)) == 0);
    CHECK_NEAR(snDistance(snRoute_Place(&path, -1), places[0]), 0, 0);
    for (int i = 1; i < 4; i++) {
        double e = 1e-6, t = times[i];
        snVec3 v = snRoute_Velocity(&path, t), before = snRoute_Velocity(&path, t - e),
               after = snRoute_Velocity(&path, t + e);
        CHECK_NEAR(snDistance(snScale(1 / e, snSub(v, before)), snScale(1 / e, snSub(after, v))), 0,
                   1e-3);
        snVec3 slope =
            snScale(0.5 / e, snSub(snRoute_Place(&path, t + e), snRoute_Place(&path, t - e)));
        CHECK_NEAR(snDistance(slope, v), 0, 1e-8);
    }
}

// Unbent at its ends, the curve of least bending: straight lines stay straight.
static void loosePathsKeepLines(void)
{
    snVec3 line[5];
    snRoute path;
    snRouteDef def = {.count = 5, .times = times, .places = line, .loose = true};
    for (int i = 0; i < 5; i++)
        line[i] = snScale(times[i], snVec(1, 2, 3));
    CHECK(snRoute_Make(&path, &def, &arena, NULL) == SN_OK);
    for (int i = 0; i <= 30; i++) {
        CHECK_NEAR(snDistance(snRoute_Place(&path, 0.1 * i), snScale(0.1 * i, line[0])),
                   snLength(snScale(0.1 * i, snVec(1, 2, 3))), 1e-12);
        if (i > 0 && i < 30)
            CHECK_NEAR(snDistance(snRoute_Velocity(&path, 0.1 * i), snVec(1, 2, 3)), 0, 1e-12);
    }
}

static void turnsGoTheShortWay(void)
{
    snQuat turns[3] = {snIdentityQuat(), snQuatFromAxisAngle(snVec(0, 1, 0), 1.2),
                       snQuatFromAxisAngle(snVec(0, 1, 0), 2.4)};
    turns[1] = (snQuat){-turns[1].x, -turns[1].y, -turns[1].z, -turns[1].w};
    snRoute path;
    snRouteDef def = {.count = 3, .times = times, .places = places, .turns = turns};
    CHECK(snRoute_Make(&path, &def, &arena, NULL) == SN_OK);
    double last = -1e-9;
    for (int i = 0; i <= 24; i++) {
        snMat3 m = snRoute_Frame(&path, 0.05 * i).linear;
        double angle = 2 * sqrt((3 - snTrace(m)) / 4 > 0 ? (3 - snTrace(m)) / 4 : 0); // 2 sin(a/2)
        CHECK(angle >= last - 1e-7);
        last = angle;
        CHECK_NEAR(snDet(m), 1, 1e-12);
    }
    CHECK_NEAR(last, 2 * snSin(1.2), 1e-9);
}

// Kinks: straight between them where they are at every key, the velocity jumps and is told; ends have what is given.
static void kinksJump(void)
{
    static const snRouteKey keys[5] = {SN_KEY_GIVEN, SN_KEY_KINK, SN_KEY_KINK, SN_KEY_GIVEN,
                                       SN_KEY_SMOOTH};
    static const snVec3 velocities[5] = {{2, -2, 0}, {0, 0, 0}, {0, 0, 0}, {1, 2, 3}, {0, 0, 0}};
    snRoute path;
    snRouteDef def = {
        .count = 5, .times = times, .places = places, .keys = keys, .velocities = velocities};
    CHECK(snRoute_Make(&path, &def, &arena, NULL) == SN_OK);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(snDistance(snRoute_Place(&path, times[i]), places[i]), 0, 1e-14);
    CHECK_NEAR(snDistance(snRoute_Velocity(&path, 0), velocities[0]), 0, 1e-13);
    CHECK_NEAR(snDistance(snRoute_Velocity(&path, 2), velocities[3]), 0, 1e-13);
    CHECK_NEAR(snDistance(snRoute_Velocity(&path, 2 - 1e-9), velocities[3]), 0, 1e-6);
    CHECK(snLength(snRoute_Velocity(&path, 3)) == 0);
    double e = 1e-7, time = -1;
    snVec3 line = snScale(1 / (times[2] - times[1]), snSub(places[2], places[1]));
    CHECK_NEAR(snDistance(snRoute_Velocity(&path, times[1]), line), 0,
               1e-12); // unbent on both sides
    snVec3 slope = snScale(1 / e, snSub(places[1], snRoute_Place(&path, times[1] - e)));
    CHECK(snDistance(slope, line) > 1);
    CHECK(path.kinkCount == 3 && snRoute_HasKink(&path, 0, 3.1, &time) && time == times[2]);
    CHECK(snRoute_HasKink(&path, -1, 0.5, &time) && time == 0);
    CHECK(!snRoute_HasKink(&path, 1.3, 9, &time));
    def.velocities = NULL;
    CHECK(snRoute_Make(&path, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
}

static void arcsJoin(void)
{
    snArc arc = {.begin = 1,
                 .length = 0.5,
                 .place = {{0, 0, 0}, {1, 2, 3}},
                 .velocity = {{1, 0, 0}, {0, 0, -2}}};
    CHECK_NEAR(snDistance(snArc_Place(&arc, 1), arc.place[0]), 0, 0);
    CHECK_NEAR(snDistance(snArc_Place(&arc, 1.5), arc.place[1]), 0, 1e-15);
    CHECK_NEAR(snDistance(snArc_Velocity(&arc, 1.5 - 1e-12), arc.velocity[1]), 0, 1e-9);
    CHECK_NEAR(snDistance(snArc_Place(&arc, 2), snVec(1, 2, 2)), 0, 1e-15);
    for (int i = 1; i < 10; i++) {
        double t = 1 + 0.05 * i, e = 1e-6;
        snVec3 slope = snScale(0.5 / e, snSub(snArc_Place(&arc, t + e), snArc_Place(&arc, t - e)));
        CHECK_NEAR(snDistance(slope, snArc_Velocity(&arc, t)), 0, 1e-8);
    }
}

static void tracksAreStraight(void)
{
    snTrack track;
    double values[6] = {1, 10, 2, 20, 4, 0}, out[2];
    CHECK(snTrack_Make(&track, 3, 2, times, values, &arena, NULL) == SN_OK);
    snTrack_Sample(&track, -1, out);
    CHECK(out[0] == 1 && out[1] == 10);
    snTrack_Sample(&track, 0.25, out);
    CHECK(out[0] == 1.5 && out[1] == 15);
    snTrack_Sample(&track, 9, out);
    CHECK(out[0] == 4 && out[1] == 0);
}

static void badKeysAreRefused(void)
{
    snRoute path;
    snError error = {0};
    double backward[3] = {0, 1, 1};
    snVec3 broken[2] = {{0, 0, 0}, {NAN, 0, 0}};
    CHECK(snRoute_Make(&path, &(snRouteDef){.count = 0}, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(snRoute_Make(&path, &(snRouteDef){.count = 3, .times = backward, .places = places},
                       &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(snRoute_Make(&path, &(snRouteDef){.count = 2, .times = times, .places = broken}, &arena,
                       &error) == SN_ERROR_ARGUMENT);
    CHECK(snRoute_Make(&path, &(snRouteDef){.count = 1, .times = times, .places = places}, &arena,
                       NULL) == SN_OK);
    CHECK(snDistance(snRoute_Place(&path, 7), places[0]) == 0);
}

int main(void)
{
    snContext context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(pathsAreSmooth);
    RUN(loosePathsKeepLines);
    RUN(turnsGoTheShortWay);
    RUN(kinksJump);
    RUN(arcsJoin);
    RUN(tracksAreStraight);
    RUN(badKeysAreRefused);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
