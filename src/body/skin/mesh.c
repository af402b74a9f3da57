#include "body/skin/mesh.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

// ---- what is made from faces --------------------------------------------------------------------

static int cornersOf(const int *corner)
{
    return corner[3] < 0 ? 3 : 4;
}

static double chartArea(const double *chart, int a, int b, int c)
{
    double x1 = chart[2 * b] - chart[2 * a], y1 = chart[2 * b + 1] - chart[2 * a + 1];
    double x2 = chart[2 * c] - chart[2 * a], y2 = chart[2 * c + 1] - chart[2 * a + 1];
    return 0.5 * (x1 * y2 - x2 * y1);
}

static snStatus checkFaces(const snSkinMesh *mesh, snError *error)
{
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        int n = cornersOf(c);
        for (int k = 0; k < n; k++) {
            if (c[k] < 0 || c[k] >= mesh->pointCount)
                return snFail(error, SN_ERROR_ARGUMENT, "face %d has point %d of %d", f, c[k],
                              mesh->pointCount);
            if (!(chartArea(mesh->chart + 8 * (size_t)f, (k + n - 1) % n, k, (k + 1) % n) > 0.0))
                return snFail(error, SN_ERROR_GEOMETRY,
                              "face %d has no area at its corner %d; leave it out", f, k);
        }
    }
    return SN_OK;
}

// Quads are cut along the diagonal from their first corner.
static void cutFaces(snSkinMesh *mesh)
{
    int *t = mesh->triangles;
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        int n = cornersOf(c);
        for (int k = 1; k + 1 < n; k++, t += 3) {
            t[0] = c[0];
            t[1] = c[k];
            t[2] = c[k + 1];
        }
    }
}

// A corner of a quad has half of the triangle of its two edges, a quarter of the quad where it is square; one of a
// triangle a third of it.
static void shareAreas(snSkinMesh *mesh)
{
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        const double *u = mesh->chart + 8 * (size_t)f;
        int n = cornersOf(c);
        for (int k = 0; k < n; k++)
            mesh->area[c[k]] += n == 3 ? chartArea(u, 0, 1, 2) / 3.0
                                       : 0.5 * chartArea(u, (k + 3) % 4, k, (k + 1) % 4);
    }
}

typedef struct Edge {
    int low, high, faces, from;
    double length;
} Edge;

static int compareEdges(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->from - q->from;
}

// All edges once, with the number of their faces; -1: two faces go along one in the same direction, or more than two
// share it.
static int collectEdges(const snSkinMesh *mesh, Edge *edges)
{
    int count = 0, kept = 0;
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        const double *u = mesh->chart + 8 * (size_t)f;
        int n = cornersOf(c);
        for (int k = 0; k < n; k++) {
            int a = c[k], b = c[(k + 1) % n];
            const double *p = u + 2 * k, *q = u + 2 * ((k + 1) % n);
            double x = q[0] - p[0], y = q[1] - p[1];
            edges[count++] = (Edge){a < b ? a : b, a < b ? b : a, 1, a, sqrt(x * x + y * y)};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int i = 0; i < count; i++) {
        Edge *e = kept ? &edges[kept - 1] : NULL;
        if (e && e->low == edges[i].low && e->high == edges[i].high) {
            if (e->faces == 2 || e->from == edges[i].from) return -1;
            e->faces = 2;
            e->length = 0.5 * (e->length + edges[i].length);
        } else {
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

static void makeRings(snSkinMesh *mesh, const Edge *edges, int count)
{
    int *start = mesh->ringStart;
    for (int i = 0; i < mesh->pointCount; i++)
        mesh->rimNext[i] = -1;
    for (int i = 0; i < count; i++) {
        start[edges[i].low + 1]++;
        start[edges[i].high + 1]++;
        int from = edges[i].from, to = from == edges[i].low ? edges[i].high : edges[i].low;
        if (edges[i].faces == 1) mesh->rimNext[to] = from;
    }
    for (int i = 0; i < mesh->pointCount; i++)
        start[i + 1] += start[i];
    for (int i = 0; i < count; i++)
        for (int end = 0; end < 2; end++) {
            int from = end ? edges[i].high : edges[i].low, to = end ? edges[i].low : edges[i].high;
            mesh->ring[start[from]] = to;
            mesh->ringLength[start[from]++] = edges[i].length;
        }
    for (int i = mesh->pointCount; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

static snStatus derive(snSkinMesh *mesh, snArena *arena, snError *error)
{
    snStatus status = checkFaces(mesh, error);
    if (status) return status;
    size_t points = (size_t)mesh->pointCount, most = 4 * (size_t)mesh->faceCount;
    mesh->triangleCount = 0;
    for (int f = 0; f < mesh->faceCount; f++)
        mesh->triangleCount += cornersOf(mesh->corner + 4 * (size_t)f) - 2;
    mesh->triangles = SN_NEW(arena, int, 3 * (size_t)mesh->triangleCount);
    mesh->area = SN_NEW(arena, double, points);
    mesh->rimNext = SN_NEW(arena, int, points);
    mesh->ringStart = SN_NEW(arena, int, points + 1);
    mesh->ring = SN_NEW(arena, int, 2 * most);
    mesh->ringLength = SN_NEW(arena, double, 2 * most);
    snArena scratch = {.allocator = arena->allocator};
    Edge *edges = SN_NEW(&scratch, Edge, most);
    if (!mesh->triangles || !mesh->area || !mesh->rimNext || !mesh->ringStart || !mesh->ring ||
        !mesh->ringLength || !edges) {
        snArena_Destroy(&scratch);
        return snFailMemory(error);
    }
    cutFaces(mesh);
    shareAreas(mesh);
    int count = collectEdges(mesh, edges);
    if (count >= 0) makeRings(mesh, edges, count);
    snArena_Destroy(&scratch);
    mesh->ringCount = 2 * count;
    if (count < 0)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "more than two faces share an edge, or two that share one are wound against "
                      "each other; a skin is a manifold");
    return SN_OK;
}

// ---- makers -------------------------------------------------------------------------------------

snStatus snSkinMesh_Make(snSkinMesh *mesh, int pointCount, int faceCount, const int *corner,
                         const double *chart, snArena *arena, snError *error)
{
    *mesh = (snSkinMesh){.pointCount = pointCount, .faceCount = faceCount};
    mesh->corner = SN_COPY(arena, int, corner, 4 * (size_t)faceCount);
    mesh->chart = SN_COPY(arena, double, chart, 8 * (size_t)faceCount);
    if (!mesh->corner || !mesh->chart) return snFailMemory(error);
    return derive(mesh, arena, error);
}

snStatus snSkinMesh_Grid(snSkinMesh *mesh, int columns, int rows, snArena *arena, snError *error)
{
    if (columns < 3 || rows < 2 || columns > 30000 || rows > 30000)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a skin of %d columns and %d rows; at least 3 and 2 are needed", columns,
                      rows);
    *mesh = (snSkinMesh){.pointCount = columns * rows,
                         .faceCount = columns * (rows - 1),
                         .columns = columns,
                         .rows = rows};
    mesh->corner = SN_NEW(arena, int, 4 * (size_t)mesh->faceCount);
    mesh->chart = SN_NEW(arena, double, 8 * (size_t)mesh->faceCount);
    if (!mesh->corner || !mesh->chart) return snFailMemory(error);
    double du = 1.0 / columns, dv = 1.0 / (rows - 1);
    for (int j = 0; j + 1 < rows; j++)
        for (int i = 0; i < columns; i++) {
            int f = j * columns + i, next = (i + 1) % columns;
            int c[4] = {j * columns + i, j * columns + next, (j + 1) * columns + next,
                        (j + 1) * columns + i};
            double u[8] = {i * du,       j * dv,       (i + 1) * du, j * dv,
                           (i + 1) * du, (j + 1) * dv, i * du,       (j + 1) * dv};
            memcpy(mesh->corner + 4 * (size_t)f, c, sizeof c);
            memcpy(mesh->chart + 8 * (size_t)f, u, sizeof u);
        }
    return derive(mesh, arena, error);
}

// The first edge goes along u1.
static void flatten(snVec3 a, snVec3 b, snVec3 c, double *u)
{
    snVec3 e = snSub(b, a), f = snSub(c, a), along = snNormalizeOr(e, snVec(1, 0, 0));
    double x = snDot(f, along), y = snLength(snMulAdd(f, -x, along));
    double flat[8] = {0, 0, snLength(e), 0, x, y, 0, 0};
    memcpy(u, flat, sizeof flat);
}

snStatus snSkinMesh_FromTriangles(snSkinMesh *mesh, const snMesh *surface, snArena *arena,
                                  snError *error)
{
    *mesh = (snSkinMesh){.pointCount = surface->vertexCount, .faceCount = surface->triangleCount};
    mesh->corner = SN_NEW(arena, int, 4 * (size_t)mesh->faceCount);
    mesh->chart = SN_NEW(arena, double, 8 * (size_t)mesh->faceCount);
    if (!mesh->corner || !mesh->chart) return snFailMemory(error);
    for (int f = 0; f < mesh->faceCount; f++) {
        int *c = mesh->corner + 4 * (size_t)f;
        for (int k = 0; k < 3; k++) {
            c[k] = surface->triangles[3 * f + k];
            if (c[k] < 0 || c[k] >= surface->vertexCount)
                return snFail(error, SN_ERROR_ARGUMENT, "triangle %d has vertex %d of %d", f, c[k],
                              surface->vertexCount);
        }
        c[3] = -1;
        flatten(surface->positions[c[0]], surface->positions[c[1]], surface->positions[c[2]],
                mesh->chart + 8 * (size_t)f);
    }
    return derive(mesh, arena, error);
}
