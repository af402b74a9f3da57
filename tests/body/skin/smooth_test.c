// The drawn surface of a skin: means that keep planes, splines where grids are regular, and creases that fade.
#include "body/skin/smooth.h"
#include "core/elementary.h"
#include "tests/test.h"

#include <string.h>

static snArena arena;
static snContext context;

static snSkinSmooth smoothOf(const snSkinMesh *mesh, int levels)
{
    snSkinSmooth smooth = {0};
    CHECK(snSkinSmooth_Make(&smooth, mesh, levels, &arena, &context, NULL) == SN_OK);
    return smooth;
}

static snVec3 *placesOf(const snSkinSmooth *smooth, const snVec3 *points)
{
    snVec3 *out = SN_NEW(&arena, snVec3, smooth->vertexCount);
    snSkinSmooth_Places(smooth, points, out);
    return out;
}

static snVec3 normalOf(const int *t, const snVec3 *r)
{
    return snNormalizeOr(snCross(snSub(r[t[1]], r[t[0]]), snSub(r[t[2]], r[t[0]])), snVec(0, 0, 0));
}

// The largest angle (as 1 - cos) between triangles that share an edge.
static double sharpest(const snSkinSmooth *s, const snVec3 *r)
{
    double worst = 0;
    for (int a = 0; a < s->triangleCount; a++)
        for (int b = a + 1; b < s->triangleCount; b++) {
            const int *t = s->triangles + 3 * a, *u = s->triangles + 3 * b;
            int shared = 0;
            for (int i = 0; i < 9; i++)
                shared += t[i / 3] == u[i % 3];
            if (shared != 2) continue;
            worst = fmax(worst, 1 - snDot(normalOf(t, r), normalOf(u, r)));
        }
    return worst;
}

static void rowsAreMeans(void)
{
    snSkinMesh mesh;
    CHECK(snSkinMesh_Grid(&mesh, 5, 4, &arena, NULL) == SN_OK);
    for (int levels = 0; levels <= 3; levels++) {
        snSkinSmooth s = smoothOf(&mesh, levels);
        CHECK(s.triangleCount == (2 * 15 + 10) << (2 * levels));
        CHECK(s.vertexCount - s.triangleCount / 2 == 2); // a closed surface: V - E + F = 2
        for (int v = 0; v < s.vertexCount; v++) {
            double sum = 0;
            for (int i = s.rows.start[v]; i < s.rows.start[v + 1]; i++) {
                CHECK(s.rows.weight[i] > 0);
                sum += s.rows.weight[i];
            }
            CHECK(fabs(sum - 1) < 1e-14);
        }
    }
}

// Within a grid, once refined: the masks 1/64 (1 6 1; 6 36 6; 1 6 1), 1/16 (1 6 1; 1 6 1) and 1/4 of uniform bicubic
// splines.
static void gridsAreSplines(void)
{
    snSkinMesh mesh;
    CHECK(snSkinMesh_Grid(&mesh, 8, 7, &arena, NULL) == SN_OK);
    snSkinSmooth s = smoothOf(&mesh, 1);
    int point = 3 * 8 + 4; // keeps its number
    static const double mask[3] = {1, 6, 1};
    CHECK(s.rows.start[point + 1] - s.rows.start[point] == 9);
    for (int i = s.rows.start[point]; i < s.rows.start[point + 1]; i++) {
        int row = s.rows.column[i] / 8 - 2, column = s.rows.column[i] % 8 - 3;
        if (!CHECK(row >= 0 && row < 3 && column >= 0 && column < 3)) return;
        CHECK(fabs(s.rows.weight[i] - mask[row] * mask[column] / 64) < 1e-15);
    }
}

// Loop's where six triangles meet: 10/16 and 1/16 around.
static void trianglesAreLoops(void)
{
    enum { N = 7 };
    static snVec3 points[N * N];
    static int triangles[6 * (N - 1) * (N - 1)];
    int count = 0;
    for (int i = 0; i < N * N; i++)
        points[i] = snVec(i % N, i / N, 0);
    for (int j = 0; j + 1 < N; j++)
        for (int i = 0; i + 1 < N; i++) {
            int a = j * N + i, cut[6] = {a, a + 1, a + N + 1, a, a + N + 1, a + N};
            for (int k = 0; k < 6; k++)
                triangles[count++] = cut[k];
        }
    snMesh surface = {N * N, count / 3, points, triangles};
    snSkinMesh mesh;
    CHECK(snSkinMesh_FromTriangles(&mesh, &surface, &arena, NULL) == SN_OK);
    snSkinSmooth s = smoothOf(&mesh, 1);
    int middle = (N / 2) * N + N / 2;
    CHECK(s.rows.start[middle + 1] - s.rows.start[middle] == 7);
    for (int i = s.rows.start[middle]; i < s.rows.start[middle + 1]; i++)
        CHECK(fabs(s.rows.weight[i] - (s.rows.column[i] == middle ? 10.0 : 1.0) / 16) < 1e-15);
    // It is open: its rim stays a rim, and all stays in the plane within its corners.
    snSkinSmooth fine = smoothOf(&mesh, 3);
    snVec3 *r = placesOf(&fine, points);
    for (int v = 0; v < fine.vertexCount; v++)
        CHECK(r[v].z == 0 && r[v].x > -1e-12 && r[v].x < N - 1 + 1e-12);
    double area = 0;
    for (int t = 0; t < fine.triangleCount; t++) {
        const int *c = fine.triangles + 3 * t;
        area += 0.5 * snCross(snSub(r[c[1]], r[c[0]]), snSub(r[c[2]], r[c[0]])).z;
    }
    CHECK(area > 0.9 * (N - 1) * (N - 1) && area < (N - 1) * (N - 1));
}

// A cube of a grid with four columns, and a tetrahedron, where three triangles meet: angles go to half with each level.
static void creasesFade(void)
{
    static const snVec3 tetrahedron[4] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    snVec3 cube[8];
    snSkinMesh mesh[2];
    snMesh surface = {4, 4, (snVec3 *)tetrahedron, (int *)faces};
    for (int i = 0; i < 8; i++)
        cube[i] = snVec(i % 4 == 0 || i % 4 == 3, i / 4, i % 4 < 2);
    CHECK(snSkinMesh_Grid(&mesh[0], 4, 2, &arena, NULL) == SN_OK);
    CHECK(snSkinMesh_FromTriangles(&mesh[1], &surface, &arena, NULL) == SN_OK);
    for (int k = 0; k < 2; k++) {
        double before = 0;
        for (int levels = 1; levels <= 4; levels++) {
            snSkinSmooth s = smoothOf(&mesh[k], levels);
            double now = sharpest(&s, placesOf(&s, k ? tetrahedron : cube));
            // 1 - cos goes as the angle's square; where few or many faces meet curvature may grow a little.
            if (levels > 2) CHECK(now < 0.45 * before);
            before = now;
        }
        CHECK(before < 0.04);
    }
}

static void badLevelsAndMemory(void)
{
    snSkinMesh mesh;
    snSkinSmooth smooth;
    snError error = {0};
    CHECK(snSkinMesh_Grid(&mesh, 4, 3, &arena, NULL) == SN_OK);
    CHECK(snSkinSmooth_Make(&smooth, &mesh, 5, &arena, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "0 to 4"));
    for (int failAt = 1; failAt < 500; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snContext failing = context;
        snTest_UseFailingMemory(&failing, &memory);
        snArena own = snMakeArena(&failing);
        snStatus status = snSkinSmooth_Make(&smooth, &mesh, 2, &own, &failing, NULL);
        snArena_Destroy(&own);
        CHECK(memory.alive == 0 && (!status || status == SN_ERROR_MEMORY));
        if (!status) return;
    }
    CHECK(false); // it never came through
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(rowsAreMeans);
    RUN(gridsAreSplines);
    RUN(trianglesAreLoops);
    RUN(creasesFade);
    RUN(badLevelsAndMemory);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
