// Meshes that move within a step: what is found at any share of it, against every triangle asked.
#include "geometry/moving.h"

#include "core/error.h"
#include "tests/geometry/shapes.h"

static const snBox unit = {{-1, -1, -1}, {1, 1, 1}};

typedef struct Soup {
    snArena arena;
    snRandom random;
    snMesh mesh;
    bool *leaves;
    snMovingMesh moving;
} Soup;

// Small triangles that go somewhere else, all of them a little the same way; some are left out.
static Soup makeSoup(int count, uint64_t seed)
{
    snContext context = snDefaultContext();
    Soup s = {.arena = snMakeArena(&context), .random = snMakeRandom(seed)};
    snVec3 *p = SN_NEW(&s.arena, snVec3, 3 * count);
    int *t = SN_NEW(&s.arena, int, 3 * count);
    s.leaves = SN_NEW(&s.arena, bool, count);
    for (int i = 0; i < 3 * count; i++) {
        if (i % 3 == 0) p[i] = randomIn(&s.random, unit);
        if (i % 3) p[i] = snMulAdd(p[i - i % 3], 0.1, randomIn(&s.random, unit));
        t[i] = i;
        s.leaves[i / 3] = i / 3 % 7 == 3;
    }
    s.mesh = (snMesh){3 * count, count, p, t};
    CHECK(snMovingMesh_Make(&s.moving, &s.mesh, s.leaves, &s.arena, NULL) == SN_OK);
    for (int i = 0; i < 3 * count; i++)
        s.moving.place[1][i] =
            snMulAdd(snAdd(p[i], snVec(0.2, -0.1, 0.05)), 0.05, randomIn(&s.random, unit));
    snMovingMesh_Aim(&s.moving);
    return s;
}

static snSurfacePoint askAll(const Soup *s, double share, snVec3 x)
{
    snSurfacePoint best = {.triangle = -1, .distance = INFINITY};
    for (int t = 0; t < s->mesh.triangleCount; t++)
        if (!s->leaves[t]) snMovingMesh_Nearer(&s->moving, share, x, t, &best);
    best.distance = sqrt(best.distance);
    return best;
}

static void nearestAgreesWithBruteForce(void)
{
    Soup s = makeSoup(800, 5);
    for (int k = 0; k < 1500; k++) {
        double share = k % 10 == 0 ? k % 20 / 10 : snRandom_Uniform(&s.random, 0, 1);
        snVec3 x = snScale(1.5, randomIn(&s.random, unit));
        int near = (int)(799 * snRandom_Uniform(&s.random, 0, 1));
        snSurfacePoint best = askAll(&s, share, x);
        snSurfacePoint found = snMovingMesh_Closest(&s.moving, share, x, INFINITY,
                                                    k % 2 && !s.leaves[near] ? near : -1);
        CHECK(found.triangle == best.triangle && found.distance == best.distance);
        double reach = best.distance * (k % 3 ? 1.001 : 0.999);
        found = snMovingMesh_Closest(&s.moving, share, x, reach, -1);
        CHECK(found.triangle == (k % 3 ? best.triangle : -1));
    }
    snArena_Destroy(&s.arena);
}

// Seen from points that go along: at no time is a triangle nearer that is not listed, or than it is said to be.
static void listsHoldForTheWholeStep(void)
{
    Soup s = makeSoup(800, 6);
    snMovingNear list[64];
    int listed = 0;
    for (int k = 0; k < 200; k++) {
        snMovingPoint along = {randomIn(&s.random, unit),
                               snMulAdd(snVec(0.2, -0.1, 0.05), 0.03, randomIn(&s.random, unit)),
                               snRandom_Uniform(&s.random, 0, 1)};
        double reach = 0.25 * snRandom_Uniform(&s.random, 0, 1), loosest;
        int count = snMovingMesh_Gather(&s.moving, &along, reach, 64, list, &loosest);
        double clear = snMovingMesh_Clearance(&s.moving, &along, 0.3);
        CHECK(count <= 64 && clear <= 0.3);
        listed += count;
        for (int i = 1; i < count; i++)
            CHECK(list[i].least >= list[i - 1].least);
        for (int step = 0; step <= 8; step++) {
            double share = step / 8.0;
            snVec3 x = snMulAdd(along.point, share - along.share, along.way);
            CHECK(askAll(&s, share, x).distance >= clear - 1e-12);
            for (int t = 0; t < s.mesh.triangleCount; t++) {
                snSurfacePoint one = {.triangle = -1, .distance = INFINITY};
                int i = 0;
                while (i < count && list[i].triangle != t)
                    i++;
                snMovingMesh_Nearer(&s.moving, share, x, t, &one);
                double bound = i < count ? list[i].least : (s.leaves[t] ? 0.0 : reach);
                if (!(sqrt(one.distance) >= bound - 1e-12)) CHECK(false);
            }
        }
    }
    printf("    %.1f triangles are listed in the mean\n", listed / 200.0);
    CHECK(listed > 200);
    snArena_Destroy(&s.arena);
}

static void arrivingStands(void)
{
    Soup s = makeSoup(100, 7);
    snVec3 x = snVec(0.1, 0.2, 0.3);
    snSurfacePoint end = snMovingMesh_Closest(&s.moving, 1.0, x, INFINITY, -1);
    snMovingMesh_Arrive(&s.moving);
    for (int k = 0; k <= 4; k++) {
        snSurfacePoint now = snMovingMesh_Closest(&s.moving, k / 4.0, x, INFINITY, -1);
        CHECK(now.triangle == end.triangle && fabs(now.distance - end.distance) < 1e-14);
    }
    snArena_Destroy(&s.arena);
}

static void memoryRunsOut(void)
{
    Soup s = makeSoup(50, 8);
    for (int at = 1;; at++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = at};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snMovingMesh made;
        snStatus status = snMovingMesh_Make(&made, &s.mesh, NULL, &arena, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
    snArena_Destroy(&s.arena);
}

int main(void)
{
    RUN(nearestAgreesWithBruteForce);
    RUN(listsHoldForTheWholeStep);
    RUN(arrivingStands);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
