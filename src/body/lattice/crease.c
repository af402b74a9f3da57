#include "body/lattice/crease.h"

#include "core/error.h"
#include "core/sets.h"

#include <stdlib.h>

#define BENT 0.8660254037844386 // cosine of the angle from which edges that bend are sharp

typedef struct Edge {
    int a, b;    // vertices, a < b
    int slot[2]; // 4 * face + corner, of a and of b
    int tagged;  // 1: not of a face, but a sharp edge
} Edge;

typedef struct Builder {
    const snBoundary *boundary;
    const snLattice *lattice;
    bool bends;
    int edgeCount;
    Edge *edges;
    int *root; // [faces * 4], of slots that share a normal
} Builder;

static int compareEdges(const void *x, const void *y)
{
    const Edge *e = x, *f = y;
    if (e->a != f->a) return e->a < f->a ? -1 : 1;
    if (e->b != f->b) return e->b < f->b ? -1 : 1;
    if (e->tagged != f->tagged) return e->tagged < f->tagged ? -1 : 1;
    return e->slot[0] < f->slot[0] ? -1 : e->slot[0] > f->slot[0];
}

static snVec3 faceNormal(const Builder *b, int face)
{
    const snVec3 *rest = b->lattice->rest;
    const int *c = b->boundary->faces[face];
    snVec3 p = rest[c[0]], q = rest[c[2]], r = rest[c[1]], s = rest[c[3] < 0 ? c[0] : c[3]];
    snVec3 area = c[3] < 0 ? snTwiceArea(p, r, q) : snCross(snSub(q, p), snSub(s, r));
    double length = snLength(area);
    return length > 0 ? snScale(1 / length, area) : area;
}

// Whether two faces go over into each other smoothly along an edge.
static bool isSmooth(const Builder *b, const Edge *edge, int count)
{
    if (count != 2 || edge[1].tagged) return false;
    if (!b->bends) return true;
    return snDot(faceNormal(b, edge[0].slot[0] / 4), faceNormal(b, edge[1].slot[0] / 4)) > BENT;
}

static Edge makeEdge(int a, int b, int slotA, int slotB)
{
    return a < b ? (Edge){a, b, {slotA, slotB}, 0} : (Edge){b, a, {slotB, slotA}, 0};
}

static void tag(Builder *b, int v, int w)
{
    b->edges[b->edgeCount] = makeEdge(v, w, 0, 0);
    b->edges[b->edgeCount++].tagged = 1;
}

// Edges of faces, and all that is sharp; of sheets those inside meet no face of the boundary and do nothing.
static snStatus listEdges(Builder *b, snArena *scratch, snError *error)
{
    static const snSharp none = {0};
    const snSharp *sharp = b->lattice->sharp ? b->lattice->sharp : &none;
    int most = 4 * (b->boundary->faceCount + sharp->faceCount) + sharp->edgeCount;
    b->edges = SN_NEW(scratch, Edge, most);
    b->root = SN_NEW(scratch, int, 4 * b->boundary->faceCount);
    if (!b->edges || !b->root) return snFailMemory(error);
    snSets_Begin(b->root, 4 * b->boundary->faceCount);
    for (int f = 0; f < b->boundary->faceCount; f++) {
        const int *c = b->boundary->faces[f];
        int sides = c[3] < 0 ? 3 : 4;
        for (int k = 0; k < sides; k++)
            b->edges[b->edgeCount++] =
                makeEdge(c[k], c[(k + 1) % sides], 4 * f + k, 4 * f + (k + 1) % sides);
    }
    for (int e = 0; e < sharp->edgeCount; e++)
        tag(b, sharp->edge[e][0], sharp->edge[e][1]);
    for (int f = 0; f < sharp->faceCount; f++) {
        const int *c = sharp->face[f];
        int sides = c[3] < 0 ? 3 : 4;
        for (int k = 0; k < sides; k++)
            tag(b, c[k], c[(k + 1) % sides]);
    }
    qsort(b->edges, (size_t)b->edgeCount, sizeof *b->edges, compareEdges);
    return SN_OK;
}

static void joinSlots(Builder *b)
{
    const Edge *edges = b->edges;
    for (int i = 0, next; i < b->edgeCount; i = next) {
        for (next = i + 1; next < b->edgeCount; next++)
            if (edges[next].a != edges[i].a || edges[next].b != edges[i].b) break;
        if (!isSmooth(b, edges + i, next - i)) continue;
        snSets_Join(b->root, edges[i].slot[0], edges[i + 1].slot[0]);
        snSets_Join(b->root, edges[i].slot[1], edges[i + 1].slot[1]);
    }
}

static snStatus numberCorners(const Builder *b, snCreases *out, snArena *arena, snArena *scratch,
                              snError *error)
{
    int faces = b->boundary->faceCount, slots = 4 * faces;
    int *numberOf = SN_NEW(scratch, int, slots), *vertex = SN_NEW(scratch, int, slots);
    out->faces = snArena_Alloc(arena, sizeof *out->faces, (size_t)faces);
    if (!numberOf || !vertex || !out->faces) return snFailMemory(error);
    for (int k = 0; k < slots; k++) {
        int v = b->boundary->faces[k / 4][k % 4], root = snSets_Root(b->root, k);
        out->faces[k / 4][k % 4] = -1;
        if (v < 0) continue;
        if (!numberOf[root]) {
            vertex[out->cornerCount] = v;
            numberOf[root] = ++out->cornerCount;
        }
        out->faces[k / 4][k % 4] = numberOf[root] - 1;
    }
    out->vertex = SN_COPY(arena, int, vertex, out->cornerCount);
    return out->vertex ? SN_OK : snFailMemory(error);
}

snStatus snCreases_Find(snCreases *creases, const snBoundary *boundary, const snLattice *lattice,
                        bool bends, snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Builder b = {.boundary = boundary, .lattice = lattice, .bends = bends};
    *creases = (snCreases){0};
    snStatus status = listEdges(&b, &scratch, error);
    if (!status) {
        joinSlots(&b);
        status = numberCorners(&b, creases, arena, &scratch, error);
    }
    snArena_Destroy(&scratch);
    return status;
}
