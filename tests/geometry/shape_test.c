// Surfaces of simple shapes: closed, the right way round, of the volume that they should have, and sharp where they should be.
#include "core/core.h"
#include "geometry/shape.h"
#include "tests/geometry/shapes.h"

// Every edge of the welded surface is there once in each direction.
static bool isClosed(const snMesh *mesh)
{
    int n = 3 * mesh->triangleCount, open = 0;
    for (int i = 0; i < n; i++) {
        int a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1], back = 0;
        for (int j = 0; j < n; j++)
            back += mesh->triangles[j] == b && mesh->triangles[j % 3 == 2 ? j - 2 : j + 1] == a;
        open += back != 1;
    }
    return !open;
}

static double check(const snMesh *separate, const char *name, double volume, double within,
                    snArena *arena)
{
    snWeld weld;
    CHECK(snMesh_Weld(&weld, separate, 0, arena, NULL) == SN_OK);
    double found = snMesh_Volume(&weld.mesh);
    printf("    %-10s %4d corners, %4d vertices, %4d triangles, volume %.4f of %.4f\n", name,
           separate->vertexCount, weld.mesh.vertexCount, weld.mesh.triangleCount, found, volume);
    CHECK(weld.mesh.triangleCount == separate->triangleCount && isClosed(&weld.mesh));
    CHECK(fabs(found - volume) <= within * volume);
    return found;
}

static snMesh sweepOf(int count, const double (*profile)[2], int sides, bool sharp, snArena *arena)
{
    snShapeRing rings[40];
    snMesh mesh;
    for (int k = 0; k < count; k++) {
        double r = profile[k][1];
        rings[k] =
            (snShapeRing){{0, profile[k][0], 0}, {r, 0, 0}, {0, 0, -r}, sharp && profile[k][1] > 0};
    }
    CHECK(snShape_Sweep(&mesh, count, rings, sides, arena, NULL) == SN_OK);
    return mesh;
}

static void theyAreClosed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const snBox box = {{-0.37, -0.2, 0.1}, {0.51, 0.7, 0.4}};
    double whole = 0.88 * 0.9 * 0.3;
    const int cells[3] = {3, 2, 5};
    snMesh mesh;
    CHECK(snShape_Box(&mesh, box, cells, &arena, NULL) == SN_OK);
    check(&mesh, "box", whole, 1e-12, &arena);
    for (int rows = 1; rows <= 7; rows += 3) {
        CHECK(snShape_Pyramid(&mesh, box, rows, &arena, NULL) == SN_OK);
        check(&mesh, "pyramid", whole / 3, 1e-12, &arena);
    }
    static const double barrel[4][2] = {{-1, 0}, {-1, 0.5}, {1, 0.5}, {1, 0}};
    static const double cone[3][2] = {{-1, 0}, {-1, 0.5}, {1, 0}};
    double circle = 48 * snSin(2 * SN_PI / 48) / (2 * SN_PI); // of the polygon's area
    mesh = sweepOf(4, barrel, 48, true, &arena);
    check(&mesh, "cylinder", SN_PI * 0.5 * circle, 1e-12, &arena);
    CHECK(mesh.vertexCount == 4 * 48 + 2);
    mesh = sweepOf(3, cone, 48, true, &arena);
    check(&mesh, "cone", SN_PI * 0.5 / 3 * circle, 1e-12, &arena);
    double ball[25][2];
    for (int k = 0; k <= 24; k++) {
        ball[k][0] = -snCos(SN_PI * k / 24);
        ball[k][1] = k % 24 ? snSin(SN_PI * k / 24) : 0;
    }
    mesh = sweepOf(25, (const double(*)[2])ball, 48, false, &arena);
    check(&mesh, "sphere", 4 * SN_PI / 3, 0.01, &arena);
    snArena_Destroy(&arena);
}

static void failingMemoryIsSurvived(void)
{
    for (int n = 1; n < 3; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        const snBox box = {{-1, -1, -1}, {1, 1, 1}};
        const int cells[3] = {40, 40, 40};
        snMesh mesh;
        snStatus status = snShape_Box(&mesh, box, cells, &arena, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        if (n == 1) CHECK(status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
}

int main(void)
{
    RUN(theyAreClosed);
    RUN(failingMemoryIsSurvived);
    return snTest_Finish();
}
