#include "geometry/mesh.h"

#include "core/error.h"
#include "tests/geometry/shapes.h"

static void boxMeasures(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh box = makeBox(&arena, (snBox){{1000, -1, 2}, {1003, 1, 6}});
    CHECK_NEAR(snMesh_Volume(&box), 24.0, 1e-10);
    CHECK_NEAR(snMesh_Area(&box), 52.0, 1e-10);
    snBox bounds = snMesh_Bounds(&box);
    CHECK(bounds.lower.x == 1000 && bounds.upper.z == 6);
    snMesh turned = flipMesh(&arena, &box);
    CHECK_NEAR(snMesh_Volume(&turned), -24.0, 1e-10);
    snArena_Destroy(&arena);
}

static void sphereIsClosedByWelding(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 40, snVec(0, 0, 0), 2.0);
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &sphere, 0.0, &arena, NULL) == SN_OK);
    CHECK(weld.mesh.vertexCount == sphere.vertexCount - 2 * 79);
    CHECK(weld.mesh.triangleCount == sphere.triangleCount - 2 * 80); // slivers at the poles
    CHECK(weld.mesh.vertexCount - weld.mesh.triangleCount / 2 == 2); // Euler, E = 3T/2
    CHECK_NEAR(snMesh_Volume(&weld.mesh), 4.0 / 3.0 * SN_PI * 8.0, 0.2);
    snVec3 *normals = SN_NEW(&arena, snVec3, weld.mesh.vertexCount);
    snMesh_Normals(&weld.mesh, normals);
    double worst = 1.0;
    for (int v = 0; v < weld.mesh.vertexCount; v++)
        worst = fmin(worst, snDot(normals[v], weld.mesh.positions[v]) / 2.0);
    CHECK(worst > 0.999);
    snArena_Destroy(&arena);
}

// Clusters by brute force: paths of steps within the tolerance, named by the lowest vertex.
static void weldAgreesWithBruteForce(void)
{
    snContext context = snDefaultContext();
    snRandom random = snMakeRandom(4);
    for (int round = 0; round < 12; round++) {
        snArena arena = snMakeArena(&context);
        int n = 300;
        snVec3 *p = SN_NEW(&arena, snVec3, n);
        int *name = SN_NEW(&arena, int, n);
        double size = round % 2 ? 1.0 : 1e-3, tolerance = 0.02 * size * (1 + round);
        snBox box = {{-size, -size, -size}, {size, size, round < 6 ? size : -size}};
        for (int i = 0; i < n; i++) {
            p[i] = i % 7 == 3 ? p[i / 2] : randomIn(&random, box);
            name[i] = i;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    if (name[j] < name[i] && snDistance(p[i], p[j]) <= tolerance) {
                        name[i] = name[j];
                        changed = true;
                    }
        }
        snMesh mesh = {n, 0, p, NULL};
        snWeld weld;
        CHECK(snMesh_Weld(&weld, &mesh, tolerance, &arena, NULL) == SN_OK);
        int wrong = 0, count = 0;
        for (int i = 0; i < n; i++) {
            count += name[i] == i;
            wrong += weld.weldOf[i] != weld.weldOf[name[i]];
            snVec3 kept = weld.mesh.positions[weld.weldOf[i]];
            wrong += kept.x != p[name[i]].x || kept.y != p[name[i]].y || kept.z != p[name[i]].z;
        }
        CHECK(wrong == 0 && count == weld.mesh.vertexCount);
        snArena_Destroy(&arena);
    }
}

static void exactWeldKeepsWhatIsOnlyNear(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 p[6] = {{0, 0, 0}, {-0.0, 0, -0.0}, {1e-300, 0, 0}, {1, 0, 0}, {1, 0, 1e-16}, {1, 0, 0}};
    int t[9] = {0, 1, 3, 0, 2, 3, 3, 4, 5};
    snMesh mesh = {6, 3, p, t};
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &mesh, 0.0, &arena, NULL) == SN_OK);
    CHECK(weld.mesh.vertexCount == 4 && weld.mesh.triangleCount == 1);
    CHECK(weld.weldOf[1] == 0 && weld.weldOf[2] == 1 && weld.weldOf[5] == 2);
    CHECK(snMesh_Weld(&weld, &mesh, 1e-12, &arena, NULL) == SN_OK);
    CHECK(weld.mesh.vertexCount == 2 && weld.mesh.triangleCount == 0);
    snArena_Destroy(&arena);
}

static void badInput(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 p[3] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}}, far[2] = {{1e300, 0, 0}, {-1e300, 0, 0}};
    int t[3] = {0, 1, 3};
    snMesh mesh = {3, 1, p, t}, empty = {0}, two = {2, 0, far, NULL};
    snError error = {0};
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &mesh, 0.0, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "vertex 1"));
    p[1].y = 0.0;
    CHECK(snMesh_Weld(&weld, &mesh, 0.0, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "triangle 0 names vertex 3"));
    CHECK(snMesh_Weld(&weld, &mesh, -1.0, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(snMesh_Weld(&weld, &mesh, NAN, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(snMesh_Weld(&weld, &empty, 0.1, &arena, &error) == SN_OK && weld.mesh.vertexCount == 0);
    CHECK(snMesh_Weld(&weld, &two, 1e-300, &arena, &error) == SN_OK && weld.mesh.vertexCount == 2);
    CHECK(snMesh_Weld(&weld, &two, INFINITY, &arena, &error) == SN_OK);
    CHECK(snMesh_Volume(&empty) == 0.0 && snMesh_Area(&empty) == 0.0);
    snArena_Destroy(&arena);
}

// Many vertices, and a tolerance that holds all of them: no time grows with the square.
static void largeWelds(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh torus = makeTorus(&arena, 600, 1.0, 0.4), twice = joinMeshes(&arena, &torus, &torus);
    double tolerances[3] = {0.0, 1e-6, 10.0};
    for (int i = 0; i < 3; i++) {
        snWeld weld;
        double start = seconds();
        CHECK(snMesh_Weld(&weld, &twice, tolerances[i], &arena, NULL) == SN_OK);
        printf("  %d vertices with tolerance %g: %.3f s\n", twice.vertexCount, tolerances[i],
               seconds() - start);
        CHECK(weld.mesh.vertexCount == (i < 2 ? torus.vertexCount : 1));
    }
    snArena_Destroy(&arena);
}

// The same face 20,000 times over (found by a mutated file: orienting them took minutes) is one face;
// turned round it is another.
static void copiesAreDropped(void)
{
    enum { COPIES = 20000 };
    static int triangles[3 * (COPIES + 2)];
    const snVec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int t = 0; t < COPIES; t++)
        for (int k = 0; k < 3; k++)
            triangles[3 * t + k] = (t + k) % 3; // also from another corner on
    const int others[6] = {1, 0, 2, 1, 2, 3};
    for (int i = 0; i < 6; i++)
        triangles[3 * COPIES + i] = others[i];
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh mesh = {4, COPIES + 2, positions, triangles};
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &mesh, 1e-6, &arena, NULL) == SN_OK);
    CHECK(weld.mesh.triangleCount == 3);
    CHECK(weld.mesh.triangles[3] == 1 && weld.mesh.triangles[4] == 0);
    CHECK(weld.mesh.triangles[8] == 3);
    snArena_Destroy(&arena);
}

static void everyAllocationFails(void)
{
    snContext plain = snDefaultContext(), context = snDefaultContext();
    snArena arena = snMakeArena(&plain);
    snMesh mesh = makeSphere(&arena, 60, snVec(0, 0, 0), 1.0);
    snStatus status = SN_ERROR_MEMORY;
    int n = 1;
    for (; status && n < 100; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena own = snMakeArena(&context);
        snWeld weld;
        status = snMesh_Weld(&weld, &mesh, 1e-6, &own, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snArena_Destroy(&own);
        CHECK(memory.alive == 0);
    }
    CHECK(!status && n > 4);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(boxMeasures);
    RUN(sphereIsClosedByWelding);
    RUN(weldAgreesWithBruteForce);
    RUN(exactWeldKeepsWhatIsOnlyNear);
    RUN(badInput);
    RUN(largeWelds);
    RUN(copiesAreDropped);
    RUN(everyAllocationFails);
    return snTest_Finish();
}
