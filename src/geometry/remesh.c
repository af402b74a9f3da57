#include "geometry/remesh.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"

// Botsch, Kobbelt, "A Remeshing Approach to Multiresolution Modeling", 2004: collapse, flip,
// tangential smoothing, projection; without splits, because the polygoniser's edges are short.
//
// Half-edge h = 3 t + i of triangle t runs from corner[h] to corner[next(h)]; twin[h] runs back in
// the neighbour. Invariant: the mesh is closed and every pair of vertices has at most one edge.
// A collapse keeps it by the link condition (Dey, Edelsbrunner, Guha, Nekhayev, "Topology
// Preserving Edge Contraction", 1999): the ends have exactly two common neighbours, and those have
// more than three neighbours each. A flip keeps it when the new edge is not there yet.

#define SHORT 0.75 // of a cell: edges below it are collapsed
#define LONG 1.4   // of a cell: collapses make no longer ones
#define MOST_NEIGHBOURS 10
#define TURN_LIMIT 0.5 // cosine by which a triangle's normal may turn in one change
#define STEP 0.8       // share of the way to the middle of the neighbours

typedef struct Surface {
    snVec3 *p;
    int vertexCount, triangleCount;
    int *corner; // [triangleCount * 3], -1 in dead triangles
    int *twin;   // [triangleCount * 3]
    int *out;    // [vertexCount], a half-edge that begins there, -1 for dead vertices
    const snLevel *level;
} Surface;

static int next(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static int previous(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

// The next half-edge that begins at the same vertex.
static int around(const Surface *s, int h)
{
    return s->twin[previous(h)];
}

static int endOf(const Surface *s, int h)
{
    return s->corner[next(h)];
}

static int valence(const Surface *s, int v)
{
    int h = s->out[v], n = 0;
    do {
        n++;
        h = around(s, h);
    } while (h != s->out[v]);
    return n;
}

static bool areJoined(const Surface *s, int a, int b)
{
    int h = s->out[a];
    do {
        if (endOf(s, h) == b) return true;
        h = around(s, h);
    } while (h != s->out[a]);
    return false;
}

// Finds every half-edge's twin among those that begin at its end.
static bool matchTwins(Surface *s, snArena *scratch)
{
    int *first = SN_NEW(scratch, int, s->vertexCount + 1);
    int *list = SN_NEW(scratch, int, 3 * (size_t)s->triangleCount);
    if (!first || !list) return false;
    int count = 3 * s->triangleCount;
    for (int h = 0; h < count; h++)
        first[s->corner[h]]++;
    for (int v = 0, sum = 0; v <= s->vertexCount; v++) {
        sum += first[v];
        first[v] = sum;
    }
    for (int h = count - 1; h >= 0; h--)
        list[--first[s->corner[h]]] = h;
    for (int h = 0; h < count; h++) {
        int end = endOf(s, h);
        s->out[s->corner[h]] = h;
        s->twin[h] = -1;
        for (int i = first[end]; i < first[end + 1]; i++)
            if (endOf(s, list[i]) == s->corner[h]) s->twin[h] = list[i];
        SN_ASSERT(s->twin[h] >= 0); // the polygoniser's meshes are closed
    }
    return true;
}

// Whether a normal may become another: not turned too far. One without length may become any.
static bool mayTurn(snVec3 old, snVec3 new)
{
    double size2 = snLengthSquared(old) * snLengthSquared(new), dot = snDot(old, new);
    if (snLengthSquared(old) == 0.0) return true;
    return dot > 0.0 && dot * dot > TURN_LIMIT * TURN_LIMIT * size2;
}

// Whether the triangles around v stay sound when it moves to p; those that also have the vertex
// `gone` vanish and do not matter. `longest` limits the new edges.
static bool mayMove(const Surface *s, int v, snVec3 p, int gone, double longest)
{
    int h = s->out[v];
    do {
        int b = endOf(s, h), c = endOf(s, next(h));
        if (b != gone && c != gone) {
            snVec3 old = snTwiceArea(s->p[v], s->p[b], s->p[c]),
                   new = snTwiceArea(p, s->p[b], s->p[c]);
            if (!mayTurn(old, new) || snDistance(p, s->p[b]) > longest) return false;
        }
        h = around(s, h);
    } while (h != s->out[v]);
    return true;
}

static bool linkAllows(const Surface *s, int h)
{
    int a = s->corner[h], b = endOf(s, h), shared = 0, n = s->out[b];
    do {
        shared += areJoined(s, a, endOf(s, n));
        n = around(s, n);
    } while (n != s->out[b]);
    int c = endOf(s, next(h)), d = endOf(s, next(s->twin[h]));
    return shared == 2 && valence(s, c) > 3 && valence(s, d) > 3 &&
           valence(s, a) + valence(s, b) - 4 <= MOST_NEIGHBOURS;
}

static void joinTwins(Surface *s, int h, int g)
{
    s->twin[h] = g;
    s->twin[g] = h;
}

// Removes triangle t, in which the half-edge h has become a point; its other two sides become one.
static void removeTriangle(Surface *s, int h)
{
    int up = s->twin[next(h)], down = s->twin[previous(h)]; // both between the kept vertex and c
    joinTwins(s, up, down);
    s->out[s->corner[up]] = up;
    s->out[s->corner[down]] = down;
    for (int i = 0; i < 3; i++)
        s->corner[h - h % 3 + i] = -1;
}

static bool collapse(Surface *s, int h)
{
    int a = s->corner[h], b = endOf(s, h), g = s->twin[h];
    double longest = LONG * s->level->cell;
    snVec3 p = snLerp(s->p[a], s->p[b], 0.5);
    if (!linkAllows(s, h) || !snLevel_Project(s->level, &p)) return false;
    if (!mayMove(s, a, p, b, longest) || !mayMove(s, b, p, a, longest)) return false;
    int n = s->out[b];
    do {
        int following = around(s, n);
        s->corner[n] = a;
        n = following;
    } while (n != s->out[b]);
    s->p[a] = p;
    s->out[b] = -1;
    removeTriangle(s, h);
    removeTriangle(s, g);
    return true;
}

static int collapseShort(Surface *s)
{
    double limit = SHORT * s->level->cell;
    int done = 0;
    for (int h = 0; h < 3 * s->triangleCount; h++) {
        if (s->corner[h] < 0 || s->twin[h] < h) continue;
        if (snDistance(s->p[s->corner[h]], s->p[endOf(s, h)]) < limit) done += collapse(s, h);
    }
    return done;
}

// The least angle's cosine, as large as the triangle is bad; 1 for one without area.
static double badness(snVec3 a, snVec3 b, snVec3 c)
{
    snVec3 u = snNormalizeOr(snSub(b, a), snVec(0, 0, 0));
    snVec3 v = snNormalizeOr(snSub(c, b), snVec(0, 0, 0));
    snVec3 w = snNormalizeOr(snSub(a, c), snVec(0, 0, 0));
    if (snLengthSquared(u) == 0.0 || snLengthSquared(v) == 0.0 || snLengthSquared(w) == 0.0)
        return 1.0;
    return fmax(-snDot(u, w), fmax(-snDot(u, v), -snDot(v, w)));
}

static double worse(double a, double b)
{
    return a > b ? a : b;
}

static int excess(int valenceNow, int change)
{
    int off = valenceNow + change - 6;
    return off * off;
}

// The turn of edge (a, b) between c and d: into regular valences while the mesh is still being
// evened out, into better angles at the end.
static bool flipHelps(const Surface *s, int a, int b, int c, int d, bool byAngle)
{
    const snVec3 *p = s->p;
    int va = valence(s, a), vb = valence(s, b), vc = valence(s, c), vd = valence(s, d);
    if (va <= 3 || vb <= 3 || vc >= MOST_NEIGHBOURS || vd >= MOST_NEIGHBOURS) return false;
    double now = worse(badness(p[a], p[b], p[c]), badness(p[b], p[a], p[d]));
    double then = worse(badness(p[a], p[d], p[c]), badness(p[d], p[b], p[c]));
    if (byAngle) return then < now - 1e-9;
    int before = excess(va, 0) + excess(vb, 0) + excess(vc, 0) + excess(vd, 0);
    int after = excess(va, -1) + excess(vb, -1) + excess(vc, 1) + excess(vd, 1);
    return after < before && then < worse(now, 0.97); // 14 degrees
}

static bool flip(Surface *s, int h, bool byAngle)
{
    int g = s->twin[h], h1 = next(h), h2 = next(h1), g1 = next(g), g2 = next(g1);
    int a = s->corner[h], b = s->corner[h1], c = s->corner[h2], d = s->corner[g2];
    if (c == d || !flipHelps(s, a, b, c, d, byAngle) || areJoined(s, c, d)) return false;
    snVec3 old =
        snAdd(snTwiceArea(s->p[a], s->p[b], s->p[c]), snTwiceArea(s->p[b], s->p[a], s->p[d]));
    if (!mayTurn(old, snTwiceArea(s->p[a], s->p[d], s->p[c])) ||
        !mayTurn(old, snTwiceArea(s->p[d], s->p[b], s->p[c])))
        return false;
    int hb = s->twin[h1], ha = s->twin[h2], ga = s->twin[g1], gb = s->twin[g2];
    // (a, b, c) becomes (d, c, a) and (b, a, d) becomes (c, d, b).
    s->corner[h] = d;
    s->corner[h1] = c;
    s->corner[h2] = a;
    s->corner[g] = c;
    s->corner[g1] = d;
    s->corner[g2] = b;
    joinTwins(s, h1, ha);
    joinTwins(s, h2, ga);
    joinTwins(s, g1, gb);
    joinTwins(s, g2, hb);
    s->out[a] = h2;
    s->out[b] = g2;
    s->out[c] = h1;
    s->out[d] = h;
    return true;
}

static int flipAll(Surface *s, bool byAngle)
{
    int done = 0;
    for (int h = 0; h < 3 * s->triangleCount; h++)
        if (s->corner[h] >= 0 && s->twin[h] > h) done += flip(s, h, byAngle);
    return done;
}

// The middle of the triangles around v, each weighed by its area: evens out both sizes and angles.
static snVec3 middleAround(const Surface *s, int v)
{
    snVec3 sum = snVec(0, 0, 0);
    double weight = 0.0;
    int h = s->out[v];
    do {
        snVec3 b = s->p[endOf(s, h)], c = s->p[endOf(s, next(h))];
        double area = snLength(snTwiceArea(s->p[v], b, c));
        sum = snMulAdd(sum, area / 3.0, snAdd(snAdd(s->p[v], b), c));
        weight += area;
        h = around(s, h);
    } while (h != s->out[v]);
    return weight > 0.0 ? snScale(1.0 / weight, sum) : s->p[v];
}

static void smoothAll(Surface *s)
{
    for (int v = 0; v < s->vertexCount; v++) {
        if (s->out[v] < 0) continue;
        snVec3 normal = snNormalizeOr(snLevel_Gradient(s->level, s->p[v]), snVec(0, 0, 0));
        snVec3 way = snSub(middleAround(s, v), s->p[v]);
        way = snScale(STEP, snMulAdd(way, -snDot(way, normal), normal));
        for (int i = 0; i < 3; i++, way = snScale(0.5, way)) {
            snVec3 p = snAdd(s->p[v], way);
            if (!snLevel_Project(s->level, &p) || !mayMove(s, v, p, -1, INFINITY)) continue;
            s->p[v] = p;
            break;
        }
    }
}

// Moves what is alive to the front, in order.
static void compact(Surface *s, int *triangles, int *numberOf)
{
    int vertices = 0, corners = 0;
    for (int v = 0; v < s->vertexCount; v++)
        if (s->out[v] >= 0) {
            s->p[vertices] = s->p[v];
            numberOf[v] = vertices++;
        }
    for (int h = 0; h < 3 * s->triangleCount; h++)
        if (s->corner[h] >= 0) triangles[corners++] = numberOf[s->corner[h]];
    s->vertexCount = vertices;
    s->triangleCount = corners / 3;
}

static void improve(Surface *s, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 5 && collapseShort(s); i++) {}
        bool last = round >= rounds - 2;
        for (int i = 0; i < 5 && flipAll(s, last); i++) {}
        smoothAll(s);
    }
    for (int i = 0; i < 5 && rounds > 0 && flipAll(s, true); i++) {}
}

snStatus snRemesh(snVec3 *positions, int *vertexCount, int *triangles, int *triangleCount,
                  const snLevel *level, int rounds, const snAllocator *allocator, snError *error)
{
    snArena scratch = {.allocator = *allocator};
    Surface s = {positions,
                 *vertexCount,
                 *triangleCount,
                 triangles,
                 SN_NEW(&scratch, int, 3 * (size_t)*triangleCount),
                 SN_NEW(&scratch, int, *vertexCount),
                 level};
    int *numberOf = SN_NEW(&scratch, int, *vertexCount);
    bool ready = s.twin && s.out && numberOf && matchTwins(&s, &scratch);
    if (ready) {
        improve(&s, rounds);
        compact(&s, triangles, numberOf);
        *vertexCount = s.vertexCount;
        *triangleCount = s.triangleCount;
    }
    snArena_Destroy(&scratch);
    return ready ? SN_OK : snFailMemory(error);
}
