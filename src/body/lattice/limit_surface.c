#include "body/lattice/limit_surface.h"

#include "body/lattice/boundary.h"
#include "body/lattice/solid.h"
#include "body/lattice/space.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

#define BENT                                                                                       \
    0.8660254037844386 // cosine of the angle from which the trilinear scheme's edges are sharp

typedef struct Edge {
    int a, b;    // nodes, a < b
    int slot[2]; // 4 * face + corner, of a and of b
    int tagged;  // 1: not of a face, but a sharp edge
} Edge;

typedef struct Builder {
    const snNodesDef *def;
    snNodes nodes;
    snWeightRows rows; // of the nodes over functions
    snLimitSurface *out;
    snArena *arena, *scratch;
    snBoundary boundary;
    int *pointOf; // [nodes], 1 + point
    int *root;    // [faces * 4], of slots that share a normal
} Builder;

// ---- points --------------------------------------------------------------------------------------

static snStatus keepPoints(Builder *b, snError *error)
{
    snLimitSurface *out = b->out;
    const snWeightRows *rows = &b->rows;
    int entries = 0, n = b->nodes.lattice.vertexCount;
    b->pointOf = SN_NEW(b->scratch, int, n);
    int *node = SN_NEW(b->scratch, int, n);
    if (!b->pointOf || !node) return snFailMemory(error);
    for (int k = 0; k < 4 * b->boundary.faceCount; k++) {
        int v = b->boundary.faces[k / 4][k % 4];
        if (v < 0 || b->pointOf[v]) continue;
        node[out->pointCount++] = v;
        b->pointOf[v] = out->pointCount;
        entries += rows->start[v + 1] - rows->start[v];
    }
    out->node = SN_COPY(b->arena, int, node, out->pointCount);
    out->rest = SN_NEW(b->arena, snVec3, out->pointCount);
    out->rows = (snWeightRows){SN_NEW(b->arena, int, out->pointCount + 1),
                               SN_NEW(b->arena, int, entries), SN_NEW(b->arena, double, entries)};
    if (!out->node || !out->rest || !out->rows.start || !out->rows.vertex || !out->rows.weight)
        return snFailMemory(error);
    for (int p = 0; p < out->pointCount; p++) {
        int v = node[p], first = rows->start[v], count = rows->start[v + 1] - first;
        int to = out->rows.start[p];
        memcpy(out->rows.vertex + to, rows->vertex + first, (size_t)count * sizeof(int));
        memcpy(out->rows.weight + to, rows->weight + first, (size_t)count * sizeof(double));
        out->rows.start[p + 1] = to + count;
        out->rest[p] = b->nodes.lattice.rest[v];
    }
    return SN_OK;
}

// ---- corners ------------------------------------------------------------------------------------

static int compareEdges(const void *x, const void *y)
{
    const Edge *e = x, *f = y;
    if (e->a != f->a) return e->a < f->a ? -1 : 1;
    if (e->b != f->b) return e->b < f->b ? -1 : 1;
    if (e->tagged != f->tagged) return e->tagged < f->tagged ? -1 : 1;
    return e->slot[0] < f->slot[0] ? -1 : e->slot[0] > f->slot[0];
}

static int findRoot(const int *root, int k)
{
    while (root[k] != k)
        k = root[k];
    return k;
}

// The lower number leads.
static void join(int *root, int a, int b)
{
    int x = findRoot(root, a), y = findRoot(root, b);
    root[x > y ? x : y] = x > y ? y : x;
}

static snVec3 faceNormal(const Builder *b, int face)
{
    const snVec3 *rest = b->nodes.lattice.rest;
    const int *c = b->boundary.faces[face];
    snVec3 p = rest[c[0]], q = rest[c[2]], r = rest[c[1]], s = rest[c[3] < 0 ? c[0] : c[3]];
    snVec3 area = c[3] < 0 ? snCross(snSub(r, p), snSub(q, p)) : snCross(snSub(q, p), snSub(s, r));
    double length = snLength(area);
    return length > 0 ? snScale(1 / length, area) : area;
}

// Whether two faces go over into each other smoothly along an edge.
static bool isSmooth(const Builder *b, const Edge *edge, int count)
{
    if (count != 2 || edge[1].tagged) return false;
    if (b->def->scheme != SN_SCHEME_TRILINEAR) return true;
    return snDot(faceNormal(b, edge[0].slot[0] / 4), faceNormal(b, edge[1].slot[0] / 4)) > BENT;
}

static Edge makeEdge(int a, int b, int slotA, int slotB)
{
    return a < b ? (Edge){a, b, {slotA, slotB}, 0} : (Edge){b, a, {slotB, slotA}, 0};
}

static snStatus joinSlots(Builder *b, snError *error)
{
    const snSharp *sharp = b->nodes.lattice.sharp;
    int most = 4 * b->boundary.faceCount, count = 0;
    Edge *edges = SN_NEW(b->scratch, Edge, most + (sharp ? sharp->edgeCount : 0));
    b->root = SN_NEW(b->scratch, int, most);
    if (!edges || !b->root) return snFailMemory(error);
    for (int f = 0; f < b->boundary.faceCount; f++) {
        const int *c = b->boundary.faces[f];
        int sides = c[3] < 0 ? 3 : 4;
        for (int k = 0; k < 4; k++)
            b->root[4 * f + k] = 4 * f + k;
        for (int k = 0; k < sides; k++)
            edges[count++] = makeEdge(c[k], c[(k + 1) % sides], 4 * f + k, 4 * f + (k + 1) % sides);
    }
    for (int e = 0; sharp && e < sharp->edgeCount; e++) {
        edges[count] = makeEdge(sharp->edge[e][0], sharp->edge[e][1], 0, 0);
        edges[count++].tagged = 1;
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count; next++)
            if (edges[next].a != edges[i].a || edges[next].b != edges[i].b) break;
        if (!isSmooth(b, edges + i, next - i)) continue;
        join(b->root, edges[i].slot[0], edges[i + 1].slot[0]);
        join(b->root, edges[i].slot[1], edges[i + 1].slot[1]);
    }
    return SN_OK;
}

static void cutTriangles(snLimitSurface *out, const int corners[4])
{
    for (int k = 2; k < (corners[3] < 0 ? 3 : 4); k++) {
        int *t = out->triangles + 3 * (size_t)out->triangleCount++;
        t[0] = corners[0];
        t[1] = corners[k - 1];
        t[2] = corners[k];
    }
}

static snStatus keepFaces(Builder *b, snError *error)
{
    snLimitSurface *out = b->out;
    int slots = 4 * b->boundary.faceCount;
    int *numberOf = SN_NEW(b->scratch, int, slots), *point = SN_NEW(b->scratch, int, slots);
    out->faces = snArena_Alloc(b->arena, sizeof *out->faces, (size_t)b->boundary.faceCount);
    out->triangles = SN_NEW(b->arena, int, (size_t)b->boundary.faceCount * 6);
    if (!numberOf || !point || !out->faces || !out->triangles) return snFailMemory(error);
    for (int f = 0; f < b->boundary.faceCount; f++) {
        int *face = out->faces[out->faceCount++];
        for (int k = 0; k < 4; k++) {
            int v = b->boundary.faces[f][k], root = findRoot(b->root, 4 * f + k);
            face[k] = -1;
            if (v < 0) continue;
            if (!numberOf[root]) {
                point[out->cornerCount] = b->pointOf[v] - 1;
                numberOf[root] = ++out->cornerCount;
            }
            face[k] = numberOf[root] - 1;
        }
        cutTriangles(out, face);
    }
    out->point = SN_COPY(b->arena, int, point, out->cornerCount);
    return out->point ? SN_OK : snFailMemory(error);
}

snStatus snLimitSurface_Make(snLimitSurface *surface, const snLimitSurfaceDef *def, snArena *arena,
                             const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Builder b = {.def = &def->nodes, .out = surface, .arena = arena, .scratch = &scratch};
    *surface = (snLimitSurface){0};
    snStatus status = snNodes_Make(&b.nodes, b.def, &scratch, context, error);
    b.rows = b.nodes.rows;
    if (!status && !def->hierarchical && b.def->levels > 0)
        status = snNodalRows(&b.rows, &b.nodes, &scratch, context, error);
    if (!status) status = snBoundary_Find(&b.boundary, &b.nodes.lattice, &scratch, context, error);
    if (!status) status = keepPoints(&b, error);
    if (!status) status = joinSlots(&b, error);
    if (!status) status = keepFaces(&b, error);
    snArena_Destroy(&scratch);
    return status;
}

// ---- drawing ------------------------------------------------------------------------------------

void snLimitSurface_Points(const snLimitSurface *surface, const snLatticeModel *model,
                           const snLatticeState *state, snVec3 *points)
{
    const int *indexOf = model->space->indexOf;
    for (int p = 0; p < surface->pointCount; p++) {
        snVec3 sum = {0, 0, 0};
        for (int k = surface->rows.start[p]; k < surface->rows.start[p + 1]; k++) {
            const double *q = state->coefficient + 4 * (size_t)indexOf[surface->rows.vertex[k]];
            sum = snMulAdd(sum, surface->rows.weight[k], snVec(q[0], q[1], q[2]));
        }
        points[p] = sum;
    }
}

void snLimitSurface_Normals(const snLimitSurface *surface, const snVec3 *points, snVec3 *normals)
{
    memset(normals, 0, (size_t)surface->cornerCount * sizeof *normals);
    for (int t = 0; t < surface->triangleCount; t++) {
        const int *c = surface->triangles + 3 * (size_t)t;
        snVec3 p = points[surface->point[c[0]]], q = points[surface->point[c[1]]];
        snVec3 area = snCross(snSub(q, p), snSub(points[surface->point[c[2]]], p));
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snAdd(normals[c[k]], area);
    }
    for (int c = 0; c < surface->cornerCount; c++) {
        double length = snLength(normals[c]);
        normals[c] = length > 0 ? snScale(1 / length, normals[c]) : snVec(0, 0, 0);
    }
}
