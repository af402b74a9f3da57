#include "geometry/shape.h"

#include "core/core.h"
#include "core/elementary.h"

// What is filled in.
typedef struct Filling {
    snVec3 *points;
    int *triangles;
    int pointCount, triangleCount;
} Filling;

static snStatus reserve(Filling *f, size_t points, size_t triangles, snArena *arena, snError *error)
{
    f->points = SN_NEW(arena, snVec3, points);
    f->triangles = SN_NEW(arena, int, triangles * 3);
    return f->points && f->triangles ? SN_OK : snFailMemory(error);
}

static bool areOne(const Filling *f, int a, int b)
{
    snVec3 p = f->points[a], q = f->points[b];
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

// Those without area, at tips, are left out.
static void addTriangle(Filling *f, int a, int b, int c)
{
    int *t = f->triangles + 3 * f->triangleCount;
    if (areOne(f, a, b) || areOne(f, b, c) || areOne(f, c, a)) return;
    t[0] = a, t[1] = b, t[2] = c;
    f->triangleCount++;
}

static void finish(const Filling *f, snMesh *mesh)
{
    *mesh = (snMesh){f->pointCount, f->triangleCount, f->points, f->triangles};
}

// ---- faces --------------------------------------------------------------------------------------

// n x m quadrilaterals between four corners, counter-clockwise from outside; the last two may be one.
typedef struct Face {
    snVec3 corner[4];
    int n, m;
} Face;

// i of n parts of the way. From b to a it is the same point to the last bit, so that faces meet.
static snVec3 between(snVec3 a, snVec3 b, int i, int n)
{
    return snAdd(snScale((double)(n - i) / n, a), snScale((double)i / n, b));
}

static void addFace(Filling *f, const Face *face)
{
    int base = f->pointCount, n = face->n;
    for (int j = 0; j <= face->m; j++)
        for (int i = 0; i <= n; i++) {
            snVec3 low = between(face->corner[0], face->corner[1], i, n);
            snVec3 high = between(face->corner[3], face->corner[2], i, n);
            f->points[f->pointCount++] = between(low, high, j, face->m);
        }
    for (int j = 0; j < face->m; j++)
        for (int i = 0; i < n; i++) {
            int a = base + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            addTriangle(f, a, b, d);
            addTriangle(f, a, d, c);
        }
}

static Face faceOf(snBox box, const int corners[4], int n, int m)
{
    Face face = {.n = n, .m = m};
    for (int k = 0; k < 4; k++)
        face.corner[k] = snBoxCorner(box, corners[k]);
    return face;
}

snStatus snShape_Box(snMesh *mesh, snBox box, const int cells[3], snArena *arena, snError *error)
{
    static const int corners[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                      {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    static const int along[6][2] = {{1, 2}, {2, 1}, {2, 0}, {0, 2}, {0, 1}, {1, 0}};
    size_t points = 0, triangles = 0;
    Filling f = {0};
    for (int k = 0; k < 6; k++) {
        size_t n = (size_t)cells[along[k][0]], m = (size_t)cells[along[k][1]];
        points += (n + 1) * (m + 1);
        triangles += 2 * n * m;
    }
    snStatus status = reserve(&f, points, triangles, arena, error);
    for (int k = 0; k < 6 && !status; k++) {
        Face face = faceOf(box, corners[k], cells[along[k][0]], cells[along[k][1]]);
        addFace(&f, &face);
    }
    finish(&f, mesh);
    return status;
}

snStatus snShape_Pyramid(snMesh *mesh, snBox box, int cells, snArena *arena, snError *error)
{
    static const int edges[4][2] = {{5, 1}, {1, 0}, {0, 4}, {4, 5}};
    static const int base[4] = {0, 1, 5, 4};
    size_t n = (size_t)cells;
    snVec3 tip = snLerp(box.lower, box.upper, 0.5);
    Filling f = {0};
    tip.y = box.upper.y;
    snStatus status = reserve(&f, 5 * (n + 1) * (n + 1), 10 * n * n, arena, error);
    if (!status) {
        Face face = faceOf(box, base, cells, cells);
        addFace(&f, &face);
    }
    for (int k = 0; k < 4 && !status; k++) {
        Face face = {
            {snBoxCorner(box, edges[k][0]), snBoxCorner(box, edges[k][1]), tip, tip}, cells, cells};
        addFace(&f, &face);
    }
    finish(&f, mesh);
    return status;
}

// ---- rings --------------------------------------------------------------------------------------

static bool isPole(const snShapeRing *ring)
{
    return snLengthSquared(ring->u) + snLengthSquared(ring->v) == 0;
}

// The first of its points.
static int addRing(Filling *f, const snShapeRing *ring, int sides)
{
    int first = f->pointCount;
    for (int i = 0; i < (isPole(ring) ? 1 : sides); i++) {
        double sine, cosine;
        snSinCos(2 * SN_PI * i / sides, &sine, &cosine);
        f->points[f->pointCount++] =
            snMulAdd(snMulAdd(ring->center, cosine, ring->u), sine, ring->v);
    }
    return first;
}

static void addBand(Filling *f, const int first[2], const bool pole[2], int sides)
{
    for (int i = 0; i < sides; i++) {
        int j = (i + 1) % sides;
        int a = first[0] + (pole[0] ? 0 : i), b = first[0] + (pole[0] ? 0 : j);
        int c = first[1] + (pole[1] ? 0 : i), d = first[1] + (pole[1] ? 0 : j);
        if (!pole[0]) addTriangle(f, a, b, d);
        if (!pole[1]) addTriangle(f, a, d, c);
    }
}

snStatus snShape_Sweep(snMesh *mesh, int count, const snShapeRing *rings, int sides, snArena *arena,
                       snError *error)
{
    size_t n = (size_t)sides, most = (size_t)count;
    Filling f = {0};
    SN_ASSERT(count > 2 && isPole(&rings[0]) && isPole(&rings[count - 1]));
    snStatus status = reserve(&f, 2 * most * n, 2 * most * n, arena, error);
    for (int k = 0, before = 0; k < count && !status; k++) {
        int first[2] = {before, addRing(&f, &rings[k], sides)};
        const bool pole[2] = {k > 0 && isPole(&rings[k - 1]), isPole(&rings[k])};
        if (k) addBand(&f, first, pole, sides);
        before = rings[k].sharp ? addRing(&f, &rings[k], sides) : first[1];
    }
    finish(&f, mesh);
    return status;
}
