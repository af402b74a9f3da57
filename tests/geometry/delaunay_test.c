#include "geometry/delaunay.h"

#include "core/error.h"
#include "geometry/implicit.h"
#include "tests/failing_memory.h"
#include "tests/geometry/shapes.h"

static snTetrahedron tetOf(const snTets *tets, const snVec3 *p, int t)
{
    const int *c = tets->corners + 4 * t;
    return (snTetrahedron){p[c[0]], p[c[1]], p[c[2]], p[c[3]]};
}

// Valid neighbours with shared faces, positive volumes, all points used, no point of the set well
// inside a circumscribed sphere, and a hull to whose inner side all points lie.
static void checkTets(const snTets *tets, int count, const snVec3 *p, double hullVolume,
                      double dent)
{
    double volume = 0.0, least = INFINITY;
    int faces = 0, mismatched = 0, outside = 0, unsorted = 0;
    for (int t = 0; t < tets->count; t++) {
        double v = snTetrahedron_Volume(tetOf(tets, p, t));
        volume += v;
        least = fmin(least, v);
        if (t) unsorted += tets->corners[4 * t] < tets->corners[4 * t - 4];
        for (int i = 0; i < 4; i++) {
            const int *c = tets->corners + 4 * t;
            int other = tets->neighbours[4 * t + i];
            if (other >= 0) {
                int shared = 0, back = 0;
                for (int a = 0; a < 16; a++)
                    shared += a / 4 != i && c[a / 4] == tets->corners[4 * other + a % 4];
                for (int a = 0; a < 4; a++)
                    back += tets->neighbours[4 * other + a] == t;
                mismatched += shared != 3 || back != 1;
                continue;
            }
            faces++;
            snTriangle face = {p[c[(i + 1) % 4]], p[c[(i + 2) % 4]], p[c[(i + 3) % 4]]};
            snVec3 n = snNormalizeOr(snTriangle_AreaVector(face), snVec(0, 0, 0));
            double side = snDot(n, snSub(p[c[i]], face.a)) > 0.0 ? 1.0 : -1.0;
            for (int v2 = 0; count <= 2000 && v2 < count; v2++)
                outside += side * snDot(n, snSub(p[v2], face.a)) < -dent;
        }
    }
    CHECK(tets->count > 0 && least > 0.0);
    CHECK(mismatched == 0);
    CHECK(outside == 0);
    CHECK(unsorted == 0);
    CHECK(faces >= 4);
    if (hullVolume > 0.0) CHECK_NEAR(volume, hullVolume, 1e-10 * hullVolume);
    unsigned char *used = calloc((size_t)count, 1);
    int unused = count;
    for (int i = 0; i < 4 * tets->count; i++) {
        unused -= !used[tets->corners[i]];
        used[tets->corners[i]] = 1;
    }
    CHECK(unused == 0);
    free(used);
}

// No point lies inside a circumscribed sphere by more than `slack` of its squared radius.
static void checkEmptySpheres(const snTets *tets, int count, const snVec3 *p, double slack)
{
    int bad = 0;
    for (int t = 0; t < tets->count; t++) {
        snTetrahedron q = tetOf(tets, p, t);
        snVec3 u = snSub(q.b, q.a), v = snSub(q.c, q.a), w = snSub(q.d, q.a);
        snVec3 sum = snMulAdd(
            snMulAdd(snScale(snLengthSquared(u), snCross(v, w)), snLengthSquared(v), snCross(w, u)),
            snLengthSquared(w), snCross(u, v));
        snVec3 r = snScale(1.0 / (12.0 * snTetrahedron_Volume(q)), sum), o = snAdd(q.a, r);
        for (int i = 0; i < count; i++)
            bad += snLengthSquared(snSub(p[i], o)) < (1.0 - slack) * snLengthSquared(r) - slack;
    }
    CHECK(bad == 0);
}

static snVec3 *makeGrid(snArena *arena, int n, snMat3 map)
{
    snVec3 *p = SN_NEW(arena, snVec3, n * n * n);
    for (int i = 0; i < n * n * n; i++)
        p[i] = snMulMV(map, snScale(1.0 / (n - 1), snVec(i % n, i / n % n, i / (n * n))));
    return p;
}

static void randomPoints(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(1);
    int count = 600;
    snVec3 *p = SN_NEW(&arena, snVec3, count);
    for (int i = 0; i < count; i++)
        p[i] = randomIn(&random, (snBox){{-1, -1, -1}, {1, 1, 1}});
    for (int i = 0; i < 8; i++)
        p[i] = snVec(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    snTets tets;
    CHECK(snDelaunay(count, p, &tets, &arena, NULL) == SN_OK);
    checkTets(&tets, count, p, 8.0, 1e-9);
    checkEmptySpheres(&tets, count, p, 1e-3);
    snArena_Destroy(&arena);
}

static void regularGrids(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(2);
    snMat3 maps[3] = {snIdentity3(),
                      snQuatToMat(snRandom_Rotation(&random)),
                      {{2, 0.5, 0}, {0, 1.5, 0.3}, {0.2, 0, 1}}};
    for (int k = 0; k < 3; k++)
        for (int n = 2; n <= 8; n += 3) {
            snVec3 *p = makeGrid(&arena, n, maps[k]);
            snTets tets;
            snError error = {0};
            if (!CHECK(snDelaunay(n * n * n, p, &tets, &arena, &error) == SN_OK))
                printf("%s\n", error.message);
            checkTets(&tets, n * n * n, p, snDet(maps[k]), 1e-9);
            if (n == 5) checkEmptySpheres(&tets, n * n * n, p, 1e-3);
        }
    snArena_Destroy(&arena);
}

// Points on a sphere, on a line of bones through it, and a body-centred grid: what a lattice
// builder asks for.
static void spheresAndBones(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh sphere = makeSphere(&arena, 12, snVec(0, 0, 0), 1.0);
    snWeld weld;
    CHECK(snMesh_Weld(&weld, &sphere, 0.0, &arena, NULL) == SN_OK);
    int n = weld.mesh.vertexCount, count = n + 11;
    snVec3 *p = SN_NEW(&arena, snVec3, count);
    memcpy(p, weld.mesh.positions, sizeof *p * (size_t)n);
    for (int i = 0; i < 11; i++)
        p[n + i] = snVec(0, 0.09 * (i - 5), 0);
    snTets tets;
    CHECK(snDelaunay(count, p, &tets, &arena, NULL) == SN_OK);
    checkTets(&tets, count, p, 0.0, 1e-9);
    int grid = 6;
    snVec3 *q = SN_NEW(&arena, snVec3, 2 * grid * grid * grid);
    for (int i = 0; i < 2 * grid * grid * grid; i++) {
        int c = i / 2;
        snVec3 at = snVec(c % grid, c / grid % grid, c / (grid * grid));
        q[i] = snScale(0.1, i % 2 ? snAdd(at, snVec(0.5, 0.5, 0.5)) : at);
    }
    CHECK(snDelaunay(2 * grid * grid * grid, q, &tets, &arena, NULL) == SN_OK);
    checkTets(&tets, 2 * grid * grid * grid, q, 0.0, 1e-9);
    snArena_Destroy(&arena);
}

// Grids whose coordinates went through single precision: no slivers, inside or on the hull.
static void roundedGrids(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(8);
    int n = 7, count = n * n * n;
    for (int round = 0; round < 10; round++) {
        snVec3 *p = makeGrid(&arena, n, snQuatToMat(snRandom_Rotation(&random)));
        for (int i = 0; i < count; i++)
            p[i] = snFromF(snToF(p[i]));
        snTets tets;
        snError error = {0};
        if (!CHECK(snDelaunay(count, p, &tets, &arena, &error) == SN_OK))
            printf("%s\n", error.message);
        double volume = 0.0, least = 1.0;
        for (int t = 0; t < tets.count; t++) {
            volume += snTetrahedron_Volume(tetOf(&tets, p, t));
            least = fmin(least, snTetrahedron_Quality(tetOf(&tets, p, t)).radiusRatio);
        }
        CHECK_NEAR(volume, 1.0, 1e-5);
        CHECK(least > 0.1);
        checkTets(&tets, count, p, 0.0, 1e-5);
    }
    snArena_Destroy(&arena);
}

// The vertices of a surface, flat and curved parts alike, as a lattice builder may have them.
static void surfacePoints(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snShape shapes[2] = {snDefaultShape(SN_SHAPE_SPHERE), snDefaultShape(SN_SHAPE_BOX)};
    double widths[2] = {0.0, 0.2};
    shapes[1].place.origin = snVec(-1, 0, 0);
    shapes[1].size = snVec(0.5, 0.5, 0.5);
    shapes[1].round = 0.1;
    snBlend blend = {2, shapes, widths};
    snField field = snBlend_Field(&blend);
    snPolygoniseDef def = {snBox_Grow(snBlend_Bounds(&blend), 0.01), 0.12, 5};
    snMesh mesh;
    snTets tets;
    CHECK(snPolygonise(&mesh, &field, &def, &arena, NULL) == SN_OK);
    CHECK(snDelaunay(mesh.vertexCount, mesh.positions, &tets, &arena, NULL) == SN_OK);
    checkTets(&tets, mesh.vertexCount, mesh.positions, 0.0, 2e-3);
    snArena_Destroy(&arena);
}

static void sameResultTwiceAndDuplicates(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 *p = makeGrid(&arena, 5, snIdentity3()), *twice = SN_NEW(&arena, snVec3, 250);
    snTets a, b;
    memcpy(twice, p, 125 * sizeof *p);
    memcpy(twice + 125, p, 125 * sizeof *p);
    CHECK(snDelaunay(125, p, &a, &arena, NULL) == SN_OK);
    CHECK(snDelaunay(250, twice, &b, &arena, NULL) == SN_OK);
    CHECK(a.count == b.count &&
          memcmp(a.corners, b.corners, 4 * sizeof(int) * (size_t)a.count) == 0);
    snArena_Destroy(&arena);
}

static void badPoints(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snError error = {0};
    snTets tets;
    snVec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 0}, {NAN, 0, 1}};
    CHECK(snDelaunay(0, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(snDelaunay(3, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "at least 4"));
    CHECK(snDelaunay(5, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "plane"));
    CHECK(snDelaunay(6, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "point 5"));
    for (int i = 0; i < 8; i++)
        p[i] = snVec(0.1 * i, 0.3 * i, 0.7 * i);
    CHECK(snDelaunay(8, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "line"));
    for (int i = 0; i < 8; i++)
        p[i] = snVec(1, 2, 3);
    CHECK(snDelaunay(8, p, &tets, &arena, &error) == SN_ERROR_GEOMETRY);
    CHECK(tets.count == 0);
    p[0] = snVec(1e300, 0, 0);
    p[1] = snVec(0, 1e300, 0);
    p[2] = snVec(0, 0, 1e300);
    if (!CHECK(snDelaunay(8, p, &tets, &arena, &error) == SN_OK && tets.count == 1))
        printf("%s\n", error.message);
    snArena_Destroy(&arena);
}

static void speed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 *p = makeGrid(&arena, 16, snIdentity3());
    snRandom random = snMakeRandom(12);
    snMat3 turn = snQuatToMat(snRandom_Rotation(&random));
    snTets tets;
    double start = seconds();
    CHECK(snDelaunay(16 * 16 * 16, p, &tets, &arena, NULL) == SN_OK);
    printf("  a grid of 4096 points: %d tetrahedra in %.2f s\n", tets.count, seconds() - start);
    checkTets(&tets, 4096, p, 1.0, 1e-9);
    for (int i = 0; i < 4096; i++) // in single precision slivers have to be chased
        p[i] = snFromF(snToF(snMulMV(turn, p[i])));
    start = seconds();
    CHECK(snDelaunay(16 * 16 * 16, p, &tets, &arena, NULL) == SN_OK);
    double least = 1.0;
    for (int t = 0; t < tets.count; t++)
        least = fmin(least, snTetrahedron_Quality(tetOf(&tets, p, t)).radiusRatio);
    printf("  turned and rounded: %d tetrahedra in %.2f s, least quality %.3g\n", tets.count,
           seconds() - start, least);
    CHECK(least > 0.1);
    snArena_Destroy(&arena);
}

static snStatus divide(const void *points, snArena *arena, const snContext *context)
{
    snTets tets;
    (void)context;
    return snDelaunay(64, points, &tets, arena, NULL);
}

static void everyAllocationFails(void)
{
    snContext plain = snDefaultContext();
    snArena arena = snMakeArena(&plain);
    CHECK(failEvery(divide, makeGrid(&arena, 4, snIdentity3()), 0) > 2);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(randomPoints);
    RUN(regularGrids);
    RUN(spheresAndBones);
    RUN(roundedGrids);
    RUN(surfacePoints);
    RUN(sameResultTwiceAndDuplicates);
    RUN(badPoints);
    RUN(speed);
    RUN(everyAllocationFails);
    return snTest_Finish();
}
