#include "body/lattice/limit_surface.h"

#include "body/lattice/crease.h"
#include "body/lattice/solid.h"
#include "body/lattice/space.h"
#include "core/error.h"

#include <string.h>

typedef struct Builder {
    const snNodesDef *def;
    snNodes nodes;
    snWeightRows rows; // of the nodes over functions
    snLimitSurface *out;
    snArena *arena, *scratch;
    snBoundary boundary;
    int *pointOf; // [nodes], 1 + point
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
    snStatus status = snWeightRows_Make(&out->rows, out->pointCount, rows->columns, (size_t)entries,
                                        b->arena, error);
    if (!status && (!out->node || !out->rest)) status = snFailMemory(error);
    if (status) return status;
    for (int p = 0; p < out->pointCount; p++) {
        int v = node[p], first = rows->start[v], count = rows->start[v + 1] - first;
        int to = out->rows.start[p];
        memcpy(out->rows.column + to, rows->column + first, (size_t)count * sizeof(int));
        memcpy(out->rows.weight + to, rows->weight + first, (size_t)count * sizeof(double));
        out->rows.start[p + 1] = to + count;
        out->rest[p] = b->nodes.lattice.rest[v];
    }
    return SN_OK;
}

// ---- faces --------------------------------------------------------------------------------------

static void cutTriangles(snLimitSurface *out, const int corners[4])
{
    for (int k = 2; k < (corners[3] < 0 ? 3 : 4); k++) {
        int *t = out->triangles + 3 * (size_t)out->triangleCount++;
        t[0] = corners[0];
        t[1] = corners[k - 1];
        t[2] = corners[k];
    }
}

static snStatus keepFaces(Builder *b, const snContext *context, snError *error)
{
    snLimitSurface *out = b->out;
    snCreases creases;
    bool bends = b->def->scheme == SN_SCHEME_TRILINEAR;
    snStatus status =
        snCreases_Find(&creases, &b->boundary, &b->nodes.lattice, bends, b->arena, context, error);
    if (status) return status;
    out->faceCount = b->boundary.faceCount;
    out->faces = creases.faces;
    out->cornerCount = creases.cornerCount;
    out->point = creases.vertex;
    out->triangles = SN_NEW(b->arena, int, (size_t)b->boundary.faceCount * 6);
    if (!out->triangles) return snFailMemory(error);
    for (int c = 0; c < out->cornerCount; c++)
        out->point[c] = b->pointOf[creases.vertex[c]] - 1;
    for (int f = 0; f < out->faceCount; f++)
        cutTriangles(out, out->faces[f]);
    return SN_OK;
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
    if (!status) status = keepFaces(&b, context, error);
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
            const double *q = state->coefficient + 4 * (size_t)indexOf[surface->rows.column[k]];
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
        snVec3 area = snTwiceArea(p, q, points[surface->point[c[2]]]);
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snAdd(normals[c[k]], area);
    }
    for (int c = 0; c < surface->cornerCount; c++) {
        double length = snLength(normals[c]);
        normals[c] = length > 0 ? snScale(1 / length, normals[c]) : snVec(0, 0, 0);
    }
}
