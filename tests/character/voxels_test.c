// The grid against closed forms on a ball and a box, ways around a corner, mirror planes.
#include "character/voxels.h"

#include "character/mirror.h"
#include "core/elementary.h"
#include "core/random.h"
#include "tests/character/bodies.h"

static snSolid ball(snArena *arena)
{
    Body body = {0};
    addCapsule(&body, snVec(-1e-6, 0, 0), 1.0, snVec(1e-6, 0, 0), 1.0);
    return solidOf(&body, 0.12, arena);
}

static void ballHasItsVolumeAndDepths(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = ball(&arena);
    snVoxelDef def = snDefaultVoxelDef(&solid);
    snVoxels voxels;
    CHECK(snVoxels_Make(&voxels, &solid, &def, &serial, &arena, NULL) == SN_OK);
    double volume = 0.0, worst = 0.0;
    for (int c = 0; c < voxels.count; c++) {
        snVec3 middle = snVoxels_Middle(&voxels, c);
        CHECK(snVoxels_Find(&voxels, middle) == c);
        CHECK(voxels.inside[c] == snSolid_Inside(&solid, middle)); // blocks change nothing
        if (!voxels.inside[c]) continue;
        volume += voxels.cell * voxels.cell * voxels.cell;
        worst = fmax(worst, fabs((double)voxels.depth[c] - (1.0 - snLength(middle))));
    }
    CHECK_NEAR(volume, 4.0 / 3.0 * SN_PI, 0.02 * 4.2);
    CHECK_NEAR(worst, 0.0, 0.01);
    CHECK(snVoxels_Find(&voxels, snVec(-100, -100, -100)) == 0);
    CHECK(snVoxels_Find(&voxels, snVec(100, 100, 100)) == voxels.count - 1);
    snArena_Destroy(&arena);
}

static void sameBitsInAnyOrder(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = ball(&arena);
    snVoxelDef def = snDefaultVoxelDef(&solid);
    def.maxCells = 20000;
    snVoxels one, two;
    CHECK(snVoxels_Make(&one, &solid, &def, &serial, &arena, NULL) == SN_OK);
    CHECK(snVoxels_Make(&two, &solid, &def, &backwards, &arena, NULL) == SN_OK);
    for (int c = 0; c < one.count; c++)
        CHECK(one.inside[c] == two.inside[c] && one.depth[c] == two.depth[c]);
    snArena_Destroy(&arena);
}

// Open space with a wall: the way leads around its end. Steps to 26 neighbours are longer than the
// straight line by at most 1/cos(22.5 degrees) per plane.
static void waysLeadAroundWalls(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    enum { N = 41 };
    snVoxels voxels = {.axes = snIdentity3(), .cell = 1.0, .n = {N, N, 1}, .count = N * N};
    float *slowness = SN_NEW(&arena, float, N *N);
    for (int c = 0; c < N * N; c++)
        slowness[c] = c % N == 20 && c / N < 30 ? 0.0f : 1.0f;
    snFlood flood;
    CHECK(snFlood_Make(&flood, &voxels, slowness, &arena, NULL) == SN_OK);
    snFlood_Source(&flood, 10 * N + 10, 0.0);
    snFlood_Run(&flood);
    // Diagonals first: from (10, 10) to the gap at (20, 30), and on to (30, 10).
    double expected = 2.0 * (10.0 * sqrt(2.0) + 10.0);
    CHECK_NEAR(flood.cost[10 * N + 30], expected, 1e-9);
    CHECK(flood.cost[5 * N + 20] >= 1e300 && flood.from[5 * N + 20] == -1);
    int steps = 0, c = 10 * N + 30;
    for (; flood.from[c] >= 0; c = flood.from[c])
        steps++;
    CHECK(c == 10 * N + 10 && steps == 40);
    // A second source improves only what is nearer to it.
    snFlood_Source(&flood, 10 * N + 40, 0.0);
    snFlood_Run(&flood);
    CHECK_NEAR(flood.cost[10 * N + 30], 10.0, 1e-9);
    CHECK_NEAR(flood.cost[10 * N], 10.0, 1e-9);
    snArena_Destroy(&arena);
}

static void badGridsAreRefused(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = ball(&arena);
    snVoxelDef def = snDefaultVoxelDef(&solid);
    snVoxels voxels;
    def.box = snEmptyBox();
    CHECK(snVoxels_Make(&voxels, &solid, &def, &serial, &arena, NULL) == SN_ERROR_ARGUMENT);
    def = snDefaultVoxelDef(&solid);
    def.box.upper.y = def.box.lower.y; // flat is one cell thick
    CHECK(snVoxels_Make(&voxels, &solid, &def, &serial, &arena, NULL) == SN_OK);
    CHECK(voxels.n[1] == 1);
    snMesh nothing = {0};
    CHECK(snSolid_Make(&solid, &nothing, &arena, NULL) == SN_ERROR_GEOMETRY);
    snVec3 points[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int triangle[3] = {0, 1, 2};
    snMesh point = {3, 1, points, triangle};
    CHECK(snSolid_Make(&solid, &point, &arena, NULL) == SN_ERROR_GEOMETRY);
    points[1].y = NAN;
    CHECK(snSolid_Make(&solid, &point, &arena, NULL) == SN_ERROR_GEOMETRY);
    snArena_Destroy(&arena);
}

// The plane is found upright, turned and shifted, and not where one side is cut off.
static void mirrorPlanesAreFound(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = quadruped();
    snMesh mesh = polygonise(&body, 0.08, &arena);
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    snMirror mirror = snFindMirror(&solid);
    CHECK(mirror.found);
    CHECK_NEAR(mirror.normal.x, 1.0, 1e-12);
    CHECK_NEAR(snMirror_Side(&mirror, snVec(0.5, 7, 3)), 0.5, 0.005);
    CHECK_NEAR(snMirror_Of(&mirror, snVec(0.5, 7, 3)).x, -0.5, 0.01);

    snRandom random = snMakeRandom(4);
    snQuat turn = snRandom_Rotation(&random);
    snVec3 *moved = SN_NEW(&arena, snVec3, mesh.vertexCount);
    for (int v = 0; v < mesh.vertexCount; v++)
        moved[v] = snAdd(snRotate(turn, mesh.positions[v]), snVec(5, -3, 2));
    snMesh turned = mesh;
    turned.positions = moved;
    CHECK(snSolid_Make(&solid, &turned, &arena, NULL) == SN_OK);
    mirror = snFindMirror(&solid);
    CHECK(mirror.found);
    CHECK_NEAR(fabs(snDot(mirror.normal, snRotate(turn, snVec(1, 0, 0)))), 1.0, 1e-3);

    addCapsule(&body, snVec(0, 1.2, 0), 0.2, snVec(1.0, 1.6, 0.2), 0.1); // an arm on one side
    mesh = polygonise(&body, 0.1, &arena);
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    CHECK(!snFindMirror(&solid).found);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(ballHasItsVolumeAndDepths);
    RUN(sameBitsInAnyOrder);
    RUN(waysLeadAroundWalls);
    RUN(badGridsAreRefused);
    RUN(mirrorPlanesAreFound);
    return snTest_Finish();
}
