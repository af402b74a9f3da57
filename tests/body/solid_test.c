// Solid bodies through the interface of every body: points, forces, springs, holds, measures, state.
#include "tests/body/solids.h"

#include <stdlib.h>
#include <string.h>

static snBodyReport step(snBody *body, const snBodyStep *with)
{
    snBodyReport report;
    snBody_Begin(body, with);
    snBody_Advance(body);
    snBody_Finish(body, &report);
    return report;
}

// The boundary of a block: its area, its volume, and which way is out.
static void surfaceIsTheBoundary(void)
{
    BlockDef def = blockDef();
    snBody *body = mustMakeBlock(&def);
    CHECK(body->vertexCount == 4 * 3 * 3 - 2 * 1 * 1 && body->triangleCount == 2 * 2 * (6 + 6 + 4));
    CHECK_NEAR(snBody_Volume(body), 0.3 * 0.2 * 0.2, 1e-15);
    snVec3f points[64], normals[64];
    snBody_Surface(body, points, normals);
    for (int v = 0; v < body->vertexCount; v++) {
        snVec3 out = snSub(snFromF(points[v]), snVec(0.15, 0.1, 0.1));
        CHECK(snDot(out, snFromF(normals[v])) > 0);
    }
    snBody_Destroy(body);
}

static void measuresOfAMovingBlock(void)
{
    BlockDef def = blockDef();
    snBody *body = mustMakeBlock(&def);
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.7)), {1, 2, 3}};
    snVec3 v = {0.5, -1, 2}, spin = {0, 0, 3};
    snBody_Put(body, &place);
    snBody_SetVelocity(body, v, spin);
    snBodyMeasure m;
    snBody_Measure(body, &m);
    double mass = 1000 * 0.3 * 0.2 * 0.2;
    snVec3 center = snMulAP(place, snVec(0.15, 0.1, 0.1));
    CHECK_NEAR(m.mass, mass, 1e-9);
    CHECK_NEAR(snDistance(m.center, center), 0, 1e-12);
    CHECK_NEAR(snDistance(m.momentum, snScale(mass, v)), 0, 1e-10);
    snVec3 orbital = snCross(center, m.momentum);
    double inertia = snDot(snSub(m.angularMomentum, orbital), snVec(0, 0, 1)) / 3;
    printf("    inertia %.5f kg m², %.5f of a solid one\n", inertia,
           mass * (0.09 + 0.04) / 12); // lumped at vertices: somewhat more
    CHECK(inertia > mass * 0.13 / 12 && inertia < 1.5 * mass * 0.13 / 12);
    CHECK_NEAR(m.kinetic, 0.5 * mass * snLengthSquared(v) + 0.5 * inertia * 9, 1e-9);
    CHECK(m.elastic < 1e-10 && fabs(m.volume - 0.012) < 1e-12);
    snBody_Destroy(body);
}

// Free fall: v_n = -g n h, and the path of backward Euler.
static void fallsAsItShould(void)
{
    BlockDef def = blockDef();
    snBody *body = mustMakeBlock(&def);
    snBodyStep with = stillStep(body);
    with.gravity = snVec(0, -9.81, 0);
    for (int k = 0; k < 60; k++)
        step(body, &with);
    snBodyMeasure m;
    snBody_Measure(body, &m);
    double h = body->step, n = 60;
    CHECK_NEAR(m.momentum.y, -m.mass * 9.81 * n * h, 1e-9);
    CHECK_NEAR(m.center.y, 0.1 - 9.81 * h * h * n * (n + 1) / 2, 1e-10);
    CHECK(m.elastic < 1e-10);
    snBody_Destroy(body);
}

// A force at a point: momentum grows by F h in a step, angular momentum by r x F h; first iterations
// from rest move points by H² times the response.
static void pushesGiveMomentum(void)
{
    BlockDef def = blockDef();
    def.solid.iterations = def.solid.contactIterations = 1;
    snBody *body = mustMakeBlock(&def);
    snBodySpot spots[2] = {snRestSpot(snVec(0.3, 0.2, 0.1)), snVertexSpot(0)};
    int p, q;
    CHECK(snBody_Locate(body, &spots[0], &p, NULL) == SN_OK);
    CHECK(snBody_Locate(body, &spots[1], &q, NULL) == SN_OK);
    CHECK_NEAR(snDistance(snBody_Place(body, p), spots[0].rest), 0, 1e-12);
    CHECK_NEAR(snDistance(snBody_Place(body, q), body->restSurface[0]), 0, 1e-12);
    snVec3 force = {0.01, 0.02, -0.03}, before[2] = {snBody_Place(body, p), snBody_Place(body, q)};
    double *column = calloc(snBody_ColumnSize(body), sizeof(double));
    snBodyStep with = stillStep(body);
    snBodyReport report;
    snBody_Column(body, p, column);
    snVec3 expected[2] = {snMulMV(snBody_Response(body, p, column), force),
                          snMulMV(snBody_Response(body, q, column), force)};
    CHECK(snBody_Give(body, p) >= snBody_Response(body, p, column).cx.x);
    snBody_Begin(body, &with);
    snBody_Push(body, p, force);
    snBody_Advance(body);
    snBody_Finish(body, &report);
    double h = body->step;
    snBodyMeasure m;
    snBody_Measure(body, &m);
    CHECK_NEAR(snDistance(m.momentum, snScale(h, force)), 0, 1e-13);
    snVec3 moved = snSub(snBody_Place(body, p), before[0]);
    CHECK_NEAR(snDistance(moved, snScale(h * h, expected[0])), 0, 1e-3 * snLength(moved));
    moved = snSub(snBody_Place(body, q), before[1]);
    CHECK_NEAR(snDistance(moved, snScale(h * h, expected[1])), 0,
               1e-3 * h * h * snLength(expected[0]));
    free(column);
    snBody_Destroy(body);
}

// Solved out, a force gives its angular momentum too.
static void pushesGiveSpin(void)
{
    BlockDef def = blockDef();
    def.solid.contactIterations = 60;
    snBody *body = mustMakeBlock(&def);
    snBodySpot spot = snRestSpot(snVec(0.3, 0.2, 0.1));
    snVec3 force = {0.1, 0.2, -0.3}, spin = {0, 0, 0};
    snBodyStep with = stillStep(body);
    snBodyReport report;
    snBodyMeasure m;
    int p;
    CHECK(snBody_Locate(body, &spot, &p, NULL) == SN_OK);
    for (int k = 0; k < 20; k++) {
        snBody_Begin(body, &with);
        snBody_Push(body, p, force);
        snBody_Advance(body);
        snBody_Finish(body, &report);
        spin = snAdd(spin, snCross(snBody_Place(body, p), snScale(body->step, force)));
    }
    snBody_Measure(body, &m);
    printf("    off by %.1e of %.4f\n", snDistance(m.angularMomentum, spin), snLength(spin));
    CHECK_NEAR(snDistance(m.momentum, snScale(20 * body->step, force)), 0, 1e-13);
    CHECK_NEAR(snDistance(m.angularMomentum, spin), 0, 1e-3 * snLength(spin));
    snBody_Destroy(body);
}

// A body hangs from a spring: it comes to rest where k x = m g. Held hard, the point is where it is to be.
static void springsAndHoldsCarry(void)
{
    BlockDef def = blockDef();
    def.solid.drag = 4;
    snBody *body = mustMakeBlock(&def);
    snBodySpot spot = snRestSpot(snVec(0.15, 0.2, 0.1));
    snBodyStep with = stillStep(body);
    snBodyReport report;
    snBodyMeasure m;
    int p;
    with.gravity = snVec(0, -9.81, 0);
    CHECK(snBody_Locate(body, &spot, &p, NULL) == SN_OK);
    snBodyPull pull = {.target = {0.15, 0.2, 0.1}, .stiffness = 2000, .damping = 40};
    for (int k = 0; k < 600; k++) {
        snBody_Begin(body, &with);
        snBody_Pull(body, p, &pull);
        snBody_Advance(body);
        snBody_Finish(body, &report);
    }
    snBody_Measure(body, &m);
    double sag = 0.2 - snBody_Place(body, p).y;
    printf("    sags by %.6f m, %.6f by its weight\n", sag, m.mass * 9.81 / 2000);
    CHECK_NEAR(sag, m.mass * 9.81 / 2000, 1e-5);
    for (int k = 0; k < 120; k++) {
        snVec3 target = {0.15 + 0.001 * k, 0.15, 0.1};
        snBody_Begin(body, &with);
        snBody_Hold(body, p, target);
        snBody_Advance(body);
        snBody_Finish(body, &report);
        CHECK(snDistance(snBody_Place(body, p), target) < 1e-12 && !report.conflicts);
    }
    snBody_Destroy(body);
}

// Two holds of one point that disagree: one is met, the other said to be in conflict; all is finite.
static void contradictionsAreReported(void)
{
    BlockDef def = blockDef();
    snBody *body = mustMakeBlock(&def);
    snBodySpot spot = snVertexSpot(3);
    snBodyStep with = stillStep(body);
    snBodyReport report;
    int p, q;
    CHECK(snBody_Locate(body, &spot, &p, NULL) == SN_OK);
    CHECK(snBody_Locate(body, &spot, &q, NULL) == SN_OK);
    snBody_Begin(body, &with);
    snBody_Hold(body, p, snAdd(snBody_Place(body, p), snVec(0.01, 0, 0)));
    snBody_Hold(body, q, snAdd(snBody_Place(body, p), snVec(0, 0.01, 0)));
    snBody_Advance(body);
    snBody_Finish(body, &report);
    CHECK(report.conflicts == 1 && !report.failed && snIsFinite3(snBody_Place(body, p)));
    snBody_Destroy(body);
}

// Saved with a point held, changed, restored: the same bits follow.
static void restoredBodiesGoOn(void)
{
    BlockDef def = blockDef();
    snBody *body = mustMakeBlock(&def);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    snBodySpot spot = snVertexSpot(3);
    snBodyStep with = stillStep(body);
    int p;
    floor.friction = 0.5;
    with.gravity = snVec(0, -9.81, 0);
    with.colliders = &floor;
    with.colliderCount = 1;
    CHECK(snBody_Locate(body, &spot, &p, NULL) == SN_OK);
    size_t size = snBody_SaveSize(body);
    char *saved = malloc(size), *first = malloc(size), *second = malloc(size);
    for (int round = 0; round < 3; round++) {
        if (round == 2) CHECK(snBody_Restore(body, saved, NULL) == SN_OK);
        for (int k = 0; k < 20; k++) {
            snBodyReport report;
            snBody_Begin(body, &with);
            if (k < 10 || round > 0) snBody_Hold(body, p, snVec(0.1, 0.1 + 0.001 * k, 0.05));
            snBody_Advance(body);
            snBody_Finish(body, &report);
        }
        if (round == 0) snBody_Save(body, saved);
        if (round == 1) snBody_Save(body, first);
        if (round == 1) snBody_Forget(body, p);
    }
    snBody_Save(body, second);
    CHECK(!memcmp(first, second, size));
    free(saved), free(first), free(second);
    snBody_Destroy(body);
}

static void badBodiesAreRefused(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    BlockDef def = blockDef();
    def.solid.mostHeld = def.solid.mostPoints + 1;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_ARGUMENT);
    def = blockDef();
    def.young = -1;
    CHECK(!newBlock(&def, &context, &error) && error.code == SN_ERROR_ARGUMENT);
    def = blockDef();
    snBody *body = mustMakeBlock(&def);
    snBodySpot spot = snRestSpot(snVec(5, 0, 0));
    int p;
    CHECK(snBody_Locate(body, &spot, &p, &error) == SN_ERROR_ARGUMENT);
    spot = snRestSpot(snVec(NAN, 0, 0));
    CHECK(snBody_Locate(body, &spot, &p, &error) == SN_ERROR_ARGUMENT);
    spot = snVertexSpot(1000);
    CHECK(snBody_Locate(body, &spot, &p, &error) == SN_ERROR_ARGUMENT);
    spot = snVertexSpot(0);
    for (int k = 0; k < body->mostPoints; k++)
        CHECK(snBody_Locate(body, &spot, &p, &error) == SN_OK);
    CHECK(snBody_Locate(body, &spot, &p, &error) == SN_ERROR_ARGUMENT);
    snBody_Destroy(body);
}

static void failingMemoryIsSurvived(void)
{
    CHECK(survivesFailingMemory(blockDef()));
}

int main(void)
{
    RUN(surfaceIsTheBoundary);
    RUN(measuresOfAMovingBlock);
    RUN(fallsAsItShould);
    RUN(pushesGiveMomentum);
    RUN(pushesGiveSpin);
    RUN(springsAndHoldsCarry);
    RUN(contradictionsAreReported);
    RUN(restoredBodiesGoOn);
    RUN(badBodiesAreRefused);
    RUN(failingMemoryIsSurvived);
    return snTest_Finish();
}
