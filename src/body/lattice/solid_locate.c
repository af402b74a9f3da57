// Where points of a solid hang: the row of a place at rest over the lattice's vertices.
#include "body/lattice/solid_parts.h"

#include "core/error.h"

static snVec3 restOf(const snSolidBody *solid, const snBodySpot *spot)
{
    return snBodySpot_Rest(spot, solid->surface.rest);
}

static double tryCell(const snSolidBody *solid, int cell, snVec3 rest, snSolidPoint *point)
{
    double depth = snCellWeights(&solid->lattice, cell, rest, point->weight);
    point->count = (int)snLattice_Kind(&solid->lattice, cell);
    for (int k = 0; k < point->count; k++) {
        point->vertex[k] = snLattice_Corners(&solid->lattice, cell)[k];
        point->index[k] = solid->model->indexOf[point->vertex[k]];
    }
    return depth;
}

// Of a solid that says itself where points hang; outside is too far out.
static double findOwnRow(const snSolidBody *solid, snVec3 rest, snSolidPoint *point)
{
    point->count = solid->solid->row(solid->solid, rest, point->vertex, point->weight);
    for (int k = 0; k < point->count; k++)
        point->index[k] = solid->model->indexOf[point->vertex[k]];
    return point->count > 0 ? 1 : -INFINITY;
}

// Of a surface that a rig draws: the mean of its vertices' rows.
static double findDrawnRow(const snSolidBody *solid, const snBodySpot *spot, snSolidPoint *point)
{
    for (int c = 0; c < 3; c++) {
        point->corner[c] = spot->corner[c];
        point->share[c] = spot->share[c];
    }
    point->count = snEmbedding_Mean(&solid->surface.embedding, spot->corner, spot->share,
                                    point->vertex, point->weight);
    for (int k = 0; k < point->count; k++)
        point->index[k] = solid->model->indexOf[point->vertex[k]];
    return 1;
}

// The row of a point: on the surface in the cell of the vertex that it is nearest to, unless its triangle is far larger
// than that; else in the cell in which it is deepest. Returns how deep that is; below 0: outside.
static double findRow(const snSolidBody *solid, const snBodySpot *spot, snSolidPoint *point)
{
    snVec3 rest = restOf(solid, spot);
    double best = -INFINITY;
    if (solid->solid && solid->solid->row) return findOwnRow(solid, rest, point);
    if (solid->lead && spot->onSurface) return findDrawnRow(solid, spot, point);
    if (spot->onSurface) {
        int nearest = 0;
        for (int k = 1; k < 3; k++)
            if (spot->share[k] > spot->share[nearest]) nearest = k;
        double depth =
            tryCell(solid, solid->surface.embedding.cell[spot->corner[nearest]], rest, point);
        if (depth > -1) return depth;
    }
    for (int c = 0; c < solid->lattice.cellCount; c++) {
        snSolidPoint here = *point;
        double depth = tryCell(solid, c, rest, &here);
        if (!(depth > best)) continue;
        best = depth;
        *point = here;
    }
    return best;
}

snStatus snSolidBody_Locate(snBody *body, const snBodySpot *spot, int *handle, snError *error)
{
    snSolidBody *solid = (snSolidBody *)body;
    int free = 0;
    *handle = -1;
    while (free < body->mostPoints && solid->points[free].used)
        free++;
    if (free == body->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT, "body \"%s\" has %d points in use already",
                      body->name, body->mostPoints);
    snSolidPoint point = {.used = 1, .handle = -1};
    snVec3 rest = restOf(solid, spot);
    if (!(findRow(solid, spot, &point) > -1)) // farther out than its cell is large
        return snFail(error, SN_ERROR_ARGUMENT,
                      "(%g, %g, %g) is not a point of body \"%s\" at rest", rest.x, rest.y, rest.z,
                      body->name);
    solid->points[free] = point;
    *handle = free;
    return SN_OK;
}
