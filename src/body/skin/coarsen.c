// Hugues Hoppe, "Progressive Meshes", 1996 (edges collapse); Tamal Dey, Herbert Edelsbrunner, Sumanta Guha and Dmitry
// Nekhayev, "Topology Preserving Edge Contraction", 1999 (which of them may).
#include "body/skin/mesh.h"

#include "core/error.h"
#include "geometry/tree.h"

#include <string.h>

// A mesh with about a quarter of the points, all of which are points of the finer one. Invariant: the surface stays a manifold of the
// same kind, for an edge uv collapses only where exactly those points are next to both u and v that are across from it in its faces.
//
// A mesh that was refined is taken back to what it was. Others lose points in rounds: a point goes to a neighbour that is near, near being
// relative to the edges that were around both, so that the skin stays as much finer here than there as it was. What is next to a point
// that went stays until the next round, which keeps points evenly spread. Then edges flip until no two angles across from one are
// together above 180 degrees (Delaunay's condition).

#define SHARE 4         // a coarser mesh has that share of the points
#define FIRST_REACH 0.9 // of the edges that were, that may collapse in the first round
#define MORE_REACH 1.1  // the factor from round to round
#define MOST_REACH 3.5
#define MOST_EDGE 3.2     // of the edges that were: none becomes longer
#define LEAST_QUALITY 0.3 // 1 is equilateral, 0 has no area
#define LEAST_COSINE 0.5  // between normals of a face before and after
#define MOST_VALENCE 9
#define MOST_RING 64 // points around one; a point with more stays
#define FLIP_ROUNDS 8

typedef struct Work {
    int points, faces, left; // left: points that are still there
    const snVec3 *places;
    int *corner;         // [faces * 3], -1 in the first: gone
    int *first, *next;   // [points], [faces * 3]: corners of each point, as a list
    double *local;       // [points], mean of the edges that were around it
    unsigned char *gone; // [points]
    unsigned char *rim;  // [points]
    int *touched;        // [points], the round in which something changed next to it
    int round;
    bool refined; // it was, and is taken back
} Work;

// ---- what was refined -----------------------------------------------------------------------------

// snSkinMesh_Refine cuts a face abc into a m0 m2, b m1 m0, c m2 m1, m0 m1 m2, and numbers old points first.
static bool cameInFour(const snSkinMesh *mesh, int f, int old)
{
    const int *t[4];
    for (int k = 0; k < 4; k++)
        t[k] = mesh->corner + 4 * (size_t)(f + k);
    const int *m = t[3];
    for (int k = 0; k < 3; k++)
        if (t[k][0] >= old || m[k] < old || t[k][1] != m[k] || t[k][2] != m[(k + 2) % 3])
            return false;
    return true;
}

// How many points it had; 0: it was not refined.
static int pointsBefore(const snSkinMesh *mesh)
{
    int old = mesh->pointCount;
    if (!mesh->faceCount || mesh->faceCount % 4) return 0;
    for (int f = 3; f < mesh->faceCount; f += 4)
        for (int k = 0; k < 3; k++)
            if (mesh->corner[4 * (size_t)f + (size_t)k] < old)
                old = mesh->corner[4 * (size_t)f + (size_t)k];
    for (int f = 0; f < mesh->faceCount; f += 4)
        if (!cameInFour(mesh, f, old)) return 0;
    return old;
}

static void takeBack(Work *w, const snSkinMesh *mesh, int old)
{
    for (int p = old; p < w->points; p++)
        w->gone[p] = 1;
    for (int f = 0; f < w->faces; f++) {
        int *c = w->corner + 3 * (size_t)f;
        if (f % 4) c[0] = -1;
        for (int k = 0; k < 3 && f % 4 == 0; k++)
            c[k] = mesh->corner[4 * (size_t)(f + k)];
    }
    w->left = old;
    w->refined = true;
}

// ---- around a point -------------------------------------------------------------------------------

static void listCorners(Work *w)
{
    for (int p = 0; p < w->points; p++)
        w->first[p] = -1;
    for (int i = 3 * w->faces; i-- > 0;) {
        if (w->corner[i / 3 * 3] < 0) continue;
        w->next[i] = w->first[w->corner[i]];
        w->first[w->corner[i]] = i;
    }
}

// The next corner of a face that is still there.
static int alive(const Work *w, int i)
{
    while (i >= 0 && w->corner[i / 3 * 3] < 0)
        i = w->next[i];
    return i;
}

static bool isIn(const int *list, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value) return true;
    return false;
}

// Points around; MOST_RING + 1: too many.
static int ringOf(const Work *w, int p, int *ring)
{
    int count = 0;
    for (int i = alive(w, w->first[p]); i >= 0; i = alive(w, w->next[i]))
        for (int k = 1; k < 3; k++) {
            int other = w->corner[i / 3 * 3 + (i % 3 + k) % 3];
            if (isIn(ring, count, other)) continue;
            if (count == MOST_RING) return MOST_RING + 1;
            ring[count++] = other;
        }
    return count;
}

// Points across from the edge, one for every face at it; how many.
static int across(const Work *w, int u, int v, int *points)
{
    int count = 0;
    for (int i = alive(w, w->first[v]); i >= 0; i = alive(w, w->next[i])) {
        const int *c = w->corner + i / 3 * 3;
        for (int k = 0; k < 3; k++)
            if (c[k] == u && count < 3) points[count++] = c[0] + c[1] + c[2] - u - v;
    }
    return count;
}

// ---- faces ----------------------------------------------------------------------------------------

static snVec3 normalOf(const Work *w, int a, int b, int c)
{
    return snTwiceArea(w->places[a], w->places[b], w->places[c]);
}

// Twice the area over the mean square of the edges, 1 for equal ones.
static double qualityOf(const Work *w, int a, int b, int c)
{
    double squares = snLengthSquared(snSub(w->places[b], w->places[a])) +
                     snLengthSquared(snSub(w->places[c], w->places[b])) +
                     snLengthSquared(snSub(w->places[a], w->places[c]));
    return squares > 0 ? 2 * sqrt(3.0) * snLength(normalOf(w, a, b, c)) / squares : 0;
}

// Whether a face that was abc may be def now: neither turned over nor thin, unless it was thinner.
static bool isGood(const Work *w, const int *was, const int *is)
{
    snVec3 before = normalOf(w, was[0], was[1], was[2]), now = normalOf(w, is[0], is[1], is[2]);
    double scale = snLength(before) * snLength(now), quality = qualityOf(w, is[0], is[1], is[2]);
    if (!(snDot(before, now) > LEAST_COSINE * scale)) return false;
    return quality > LEAST_QUALITY || quality > qualityOf(w, was[0], was[1], was[2]);
}

static double relative(const Work *w, int u, int v)
{
    double scale = 0.5 * (w->local[u] + w->local[v]);
    return scale > 0 ? snDistance(w->places[u], w->places[v]) / scale : 0;
}

// ---- edges that collapse --------------------------------------------------------------------------

// The rim goes on as a ring of at least four; what is on it stays on it.
static bool keepsRim(const Work *w, int u, int v, int faces)
{
    if (!w->rim[v]) return faces == 2;
    if (faces != 1 || !w->rim[u]) return false;
    int ring[MOST_RING], third[MOST_RING], count = ringOf(w, v, ring), points[3];
    int n = ringOf(w, u, third);
    if (count > MOST_RING || n > MOST_RING) return false;
    for (int i = 0; i < count; i++) // the next point of the rim must not be u's too
        if (ring[i] != u && w->rim[ring[i]] && across(w, ring[i], v, points) == 1 &&
            isIn(third, n, ring[i]))
            return false;
    return true;
}

static bool keepsKind(const Work *w, int u, int v)
{
    int mine[MOST_RING], other[MOST_RING], points[3], common = 0;
    int n = ringOf(w, v, mine), m = ringOf(w, u, other), faces = across(w, u, v, points);
    if (n > MOST_RING || m > MOST_RING || faces < 1 || faces > 2) return false;
    for (int i = 0; i < n; i++)
        common += isIn(other, m, mine[i]);
    if (common != faces || n + m - 2 - faces > MOST_VALENCE || m + n - 2 - faces < 3) return false;
    for (int i = 0; i < faces; i++) // those across lose an edge each
        if (ringOf(w, points[i], mine) < (w->rim[points[i]] ? 3 : 5)) return false;
    return keepsRim(w, u, v, faces);
}

static bool keepsShape(const Work *w, int u, int v)
{
    for (int i = alive(w, w->first[v]); i >= 0; i = alive(w, w->next[i])) {
        const int *was = w->corner + i / 3 * 3;
        int is[3];
        if (isIn(was, 3, u)) continue;
        for (int k = 0; k < 3; k++) {
            is[k] = was[k] == v ? u : was[k];
            if (was[k] != v && relative(w, u, was[k]) > MOST_EDGE) return false;
        }
        if (!isGood(w, was, is)) return false;
    }
    return true;
}

// The neighbour that a point goes to: the nearest that it may, or -1.
static int bestOf(const Work *w, int v, double reach)
{
    int ring[MOST_RING], count = ringOf(w, v, ring), best = -1;
    double least = reach;
    if (count > MOST_RING) return -1;
    for (int i = 0; i < count; i++) {
        double length = relative(w, ring[i], v);
        if (!(length < least) || !keepsKind(w, ring[i], v) || !keepsShape(w, ring[i], v)) continue;
        least = length;
        best = ring[i];
    }
    return best;
}

static void collapse(Work *w, int u, int v)
{
    int ring[MOST_RING], count = ringOf(w, v, ring);
    for (int i = 0; i < count; i++)
        w->touched[ring[i]] = w->round;
    for (int i = w->first[v]; i >= 0;) {
        int after = w->next[i], *c = w->corner + i / 3 * 3;
        if (c[0] >= 0 && isIn(c, 3, u)) {
            c[0] = -1;
        } else if (c[0] >= 0) {
            w->corner[i] = u;
            w->next[i] = w->first[u];
            w->first[u] = i;
        }
        i = after;
    }
    w->gone[v] = 1;
    w->left--;
}

static void loosePoints(Work *w, int wanted)
{
    for (double reach = FIRST_REACH; reach < MOST_REACH && w->left > wanted; reach *= MORE_REACH) {
        int before;
        do {
            before = w->left;
            w->round++;
            for (int v = 0; v < w->points && w->left > wanted; v++) {
                if (w->gone[v] || w->touched[v] == w->round) continue;
                int u = bestOf(w, v, reach);
                if (u >= 0) collapse(w, u, v);
            }
            listCorners(w);
        } while (w->left < before && w->left > wanted);
    }
}

// ---- edges that flip ------------------------------------------------------------------------------

static double cosineAt(const Work *w, int at, int a, int b)
{
    snVec3 x = snSub(w->places[a], w->places[at]), y = snSub(w->places[b], w->places[at]);
    double scale = snLength(x) * snLength(y);
    return scale > 0 ? snDot(x, y) / scale : 1;
}

// Faces abc and bad become adc and dbc.
static bool flip(Work *w, int face, int k)
{
    int *t = w->corner + 3 * (size_t)face, a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    int ring[MOST_RING], other = -1, d = -1;
    for (int i = alive(w, w->first[a]); i >= 0; i = alive(w, w->next[i])) {
        const int *s = w->corner + i / 3 * 3;
        if (i / 3 == face || !isIn(s, 3, b)) continue;
        other = i / 3;
        d = s[0] + s[1] + s[2] - a - b;
    }
    const int all[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        if (all[i] < 0 || w->touched[all[i]] == w->round) return false;
    if (cosineAt(w, c, a, b) + cosineAt(w, d, a, b) > -1e-6) return false; // angles sum below 180°
    int n = ringOf(w, c, ring);
    if (n > MOST_RING || isIn(ring, n, d)) return false;
    if (ringOf(w, a, ring) < 5 || ringOf(w, b, ring) < 5) return false;
    const int left[3] = {a, d, c}, right[3] = {d, b, c}, was[3] = {a, b, c};
    if (!isGood(w, was, left) || !isGood(w, was, right)) return false;
    for (int i = 0; i < 4; i++)
        w->touched[all[i]] = w->round;
    memcpy(t, left, sizeof left);
    memcpy(w->corner + 3 * (size_t)other, right, sizeof right);
    return true;
}

static void flipEdges(Work *w)
{
    bool changed = true;
    for (int round = 0; round < FLIP_ROUNDS && changed; round++) {
        changed = false;
        w->round++;
        for (int f = 0; f < w->faces; f++)
            for (int k = 0; k < 3; k++)
                if (w->corner[3 * (size_t)f] >= 0 && flip(w, f, k)) {
                    changed = true;
                    break;
                }
        listCorners(w);
    }
}

// ---- what is left ---------------------------------------------------------------------------------

static snStatus begin(Work *w, const snSkinMesh *mesh, snArena *arena, snError *error)
{
    w->points = w->left = mesh->pointCount;
    w->faces = mesh->faceCount;
    w->corner = SN_NEW(arena, int, 3 * (size_t)w->faces);
    w->next = SN_NEW(arena, int, 3 * (size_t)w->faces);
    w->first = SN_NEW(arena, int, w->points);
    w->local = SN_NEW(arena, double, w->points);
    w->gone = SN_NEW(arena, unsigned char, w->points);
    w->rim = SN_NEW(arena, unsigned char, w->points);
    w->touched = SN_NEW(arena, int, w->points);
    if (!w->corner || !w->next || !w->first || !w->local || !w->gone || !w->rim || !w->touched)
        return snFailMemory(error);
    for (int f = 0; f < w->faces; f++)
        memcpy(w->corner + 3 * (size_t)f, mesh->corner + 4 * (size_t)f, 3 * sizeof(int));
    for (int p = 0; p < w->points; p++) {
        int start = mesh->ringStart[p], count = mesh->ringStart[p + 1] - start;
        w->rim[p] = mesh->rimNext[p] >= 0;
        for (int i = 0; i < count; i++)
            w->local[p] += snDistance(w->places[p], w->places[mesh->ring[start + i]]) / count;
    }
    listCorners(w);
    return SN_OK;
}

// Numbers in the order that they had.
static snStatus finish(const Work *w, snSkinMesh *coarse, int **kept, snVec3 **places,
                       snArena *arena, snError *error)
{
    int *number = SN_NEW(arena, int, w->points);
    int *triangles = SN_NEW(arena, int, 3 * (size_t)w->faces), faces = 0, points = 0;
    *kept = SN_NEW(arena, int, w->left);
    *places = SN_NEW(arena, snVec3, w->left);
    if (!number || !triangles || !*kept || !*places) return snFailMemory(error);
    for (int p = 0; p < w->points; p++) {
        if (w->gone[p]) continue;
        number[p] = points;
        (*places)[points] = w->places[p];
        (*kept)[points++] = p;
    }
    for (int f = 0; f < w->faces; f++) {
        const int *c = w->corner + 3 * (size_t)f;
        for (int k = 0; k < 3 && c[0] >= 0; k++)
            triangles[3 * faces + k] = number[c[k]];
        faces += c[0] >= 0;
    }
    snMesh surface = {points, faces, *places, triangles};
    return snSkinMesh_FromTriangles(coarse, &surface, arena, error);
}

// The finer one as means of the coarser: points that stayed are themselves, middles of edges that were refined their ends, others where
// they are nearest.
static snStatus blendBack(const snSkinMesh *mesh, const Work *w, const snSkinMesh *coarse,
                          const snVec3 *places, const int *kept, snSkinBlend *blend, snArena *arena,
                          snError *error)
{
    snMeshTree tree;
    snMesh surface = {coarse->pointCount, coarse->triangleCount, places, coarse->triangles};
    snStatus status = snMeshTree_Build(&tree, &surface, arena, error);
    if (status) return status;
    for (int p = 0; p < mesh->pointCount; p++) {
        if (!w->gone[p]) continue;
        snSurfacePoint at = snMeshTree_Closest(&tree, w->places[p], INFINITY);
        if (at.triangle < 0) return snFail(error, SN_ERROR_GEOMETRY, "point %d is nowhere", p);
        const int *c = coarse->triangles + 3 * (size_t)at.triangle;
        blend[p] = (snSkinBlend){{c[0], c[1], c[2], c[0]},
                                 {at.barycentric[0], at.barycentric[1], at.barycentric[2], 0}};
    }
    for (int i = 0; i < coarse->pointCount; i++)
        blend[kept[i]] = (snSkinBlend){{i, i, i, i}, {1, 0, 0, 0}};
    for (int f = 3; f < mesh->faceCount && w->refined; f += 4)
        for (int k = 0; k < 3; k++) { // m_k is between corners k and k + 1
            int a = mesh->corner[4 * (size_t)(f - 3 + k)];
            int b = mesh->corner[4 * (size_t)(f - 3 + (k + 1) % 3)];
            int m = mesh->corner[4 * (size_t)f + (size_t)k];
            blend[m] = (snSkinBlend){{a, b, a, a}, {0.5, 0.5, 0, 0}};
        }
    return SN_OK;
}

snStatus snSkinMesh_Coarsen(snSkinCoarser *coarser, const snSkinMesh *mesh, const snVec3 *places,
                            snArena *arena, snError *error)
{
    *coarser = (snSkinCoarser){0};
    for (int f = 0; f < mesh->faceCount; f++)
        if (mesh->corner[4 * (size_t)f + 3] >= 0)
            return snFail(error, SN_ERROR_ARGUMENT, "only skins of triangles are coarsened so");
    Work w = {.places = places};
    snStatus status = begin(&w, mesh, arena, error);
    if (status) return status;
    int old = pointsBefore(mesh);
    if (old) {
        takeBack(&w, mesh, old);
    } else {
        loosePoints(&w, (w.points + SHARE - 1) / SHARE);
        flipEdges(&w);
    }
    if (w.left == w.points)
        return snFail(error, SN_ERROR_GEOMETRY, "the skin cannot be coarser than it is");
    coarser->refined = w.refined;
    coarser->blend = SN_NEW(arena, snSkinBlend, w.points);
    if (!coarser->blend) return snFailMemory(error);
    status = finish(&w, &coarser->mesh, &coarser->kept, &coarser->places, arena, error);
    return status ? status
                  : blendBack(mesh, &w, &coarser->mesh, coarser->places, coarser->kept,
                              coarser->blend, arena, error);
}
