#include "body/lattice/scheme_limit.h"

#include "body/lattice/scheme_parts.h"
#include "core/error.h"

#include <math.h>

// A function on a hexahedron h depends on the vertices of the cells that touch h, its patch, and on
// no others: the rule of a vertex uses the cells around it alone. The patch of one of the eight parts of
// h is a function of the patch of h, so patches can be followed down to a point, the lattice around left
// behind. With R_j the values of the first patch's vertices at those of patch j, R_{j+1} = S_j R_j
// restricted to patch j + 1. It ends when
//   (a) the patch is a grid: tricubic splines (scheme_grid.c);
//   (b) the point is a vertex v of the patch: the cells around v refine to cells around v of the same
//       topology and tags, p' = M p, and the limit is the left eigenvector of M to the eigenvalue 1,
//       found by multiplying with M until nothing changes (scheme_ring.c);
//   (c) the values at all vertices of the patch agree to 1e-14: weights are never negative, so the
//       limit lies between them. So ends a point on an extraordinary edge, between its vertices.
// A point off the extraordinary edges and vertices comes to (a) after about -log2(distance) levels.

#define DEEPEST 400  // levels; spread falls by a constant factor, 1e-14 takes 50 to 100
#define AGREED 1e-14 // spread of the values over a patch, and of the rows of a power

typedef struct Descent {
    const snLimit *limit;
    const snContext *context;
    snPatch patch;
    int columns;   // vertices of the first patch
    int *global;   // [columns], their numbers in the lattice
    double *value; // [patch vertices * columns], R_j
    double u[3];
    snArena arena; // of the patch
} Descent;

// ---- patches --------------------------------------------------------------------------------------

// A lattice to cut a patch from.
typedef struct Whole {
    const snLattice *lattice;
    int cell;
} Whole;

// Cuts the patch around a cell out of a lattice; `from` gets the numbers of its vertices there.
static snStatus cutPatch(snPatch *patch, const Whole *whole, int **from, snArena *arena,
                         snError *error)
{
    const int *own = snLattice_Corners(whole->lattice, whole->cell);
    char *mark = SN_NEW(arena, char, whole->lattice->vertexCount);
    if (!mark) return snFailMemory(error);
    for (int k = 0; k < (int)snLattice_Kind(whole->lattice, whole->cell); k++)
        mark[own[k]] = 2;
    snCutPart part;
    snStatus status = snCutPart_Make(&part, whole->lattice, mark, arena, error);
    patch->lattice = part.lattice;
    *from = part.vertex;
    for (int c = 0; c < part.lattice.cellCount && !status; c++)
        if (part.cell[c] == whole->cell) patch->cell = c;
    return status;
}

static snStatus refinePatch(snPatch *patch, snScheme scheme, snArena *arena,
                            const snContext *context, snError *error)
{
    snStatus status =
        snComplex_Make(&patch->complex, &patch->lattice, arena, arena, context, error);
    if (status) return status;
    return snScheme_Step(&patch->step, scheme, &patch->complex, arena, context, error);
}

// ---- (b) limits at vertices -----------------------------------------------------------------------

// The weights of the patch's vertices in the limit of its vertex v. `found` is false where the cells
// around it are not all hexahedra yet.
static snStatus vertexLimit(const snPatch *patch, int v, double *weight, bool *found,
                            snArena *arena, snError *error)
{
    int *laying = SN_NEW(arena, int, patch->lattice.vertexCount);
    if (!laying) return snFailMemory(error);
    for (int i = 0; i < patch->lattice.vertexCount; i++)
        laying[i] = -1;
    snRing ring;
    snStatus status = snRing_Limit(&ring, &patch->complex, &patch->step, v, laying, arena, error);
    *found = !status && ring.count > 0;
    for (int i = 0; i < ring.count && !status; i++)
        weight[ring.vertex[i]] = ring.weight[i];
    return status;
}

// ---- the descent ----------------------------------------------------------------------------------

static double spreadOf(const Descent *d)
{
    double spread = 0;
    for (int j = 0; j < d->columns; j++) {
        double low = d->value[j], high = low;
        for (int i = 1; i < d->patch.lattice.vertexCount; i++) {
            double x = d->value[(size_t)i * (size_t)d->columns + (size_t)j];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        spread = fmax(spread, high - low);
    }
    return spread;
}

// The patch around the part of the patch's cell at a corner.
static snStatus descend(Descent *d, int corner, snError *error)
{
    snArena arena = snMakeArena(d->context);
    const snPatch *old = &d->patch;
    snPatch next = {0};
    int *from;
    snLattice split = old->complex.split.lattice;
    snStatus status = snComplex_SplitSharp(&old->complex, &split.sharp, &arena, error);
    Whole whole = {&split, old->lattice.cellStart[old->cell] + corner};
    if (!status) status = cutPatch(&next, &whole, &from, &arena, error);
    size_t columns = (size_t)d->columns;
    double *value =
        status ? NULL : SN_NEW(&arena, double, (size_t)next.lattice.vertexCount *columns);
    if (!status && !value) status = snFailMemory(error);
    for (int i = 0; i < next.lattice.vertexCount && !status; i++)
        for (int k = old->step.start[from[i]]; k < old->step.start[from[i] + 1]; k++)
            for (size_t j = 0; j < columns; j++)
                value[(size_t)i * columns + j] +=
                    old->step.weight[k] * d->value[(size_t)old->step.vertex[k] * columns + j];
    snArena_Destroy(&d->arena);
    d->arena = arena;
    d->value = value;
    d->patch = next;
    if (!status) status = refinePatch(&d->patch, d->limit->scheme, &d->arena, d->context, error);
    return status;
}

// To the octant of the hexahedron that holds u, with coordinates from its corner.
static snStatus descendTowards(Descent *d, snError *error)
{
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    int bits = (d->u[0] > 0.5) | (d->u[1] > 0.5) << 1 | (d->u[2] > 0.5) << 2;
    int corner = snHexBits[bits];
    double u[3];
    for (int m = 0; m < 3; m++) {
        int step = bits ^ snHexBits[shape->neighbour[corner][m]];
        int axis = step == 1 ? 0 : step == 2 ? 1 : 2;
        u[m] = 2 * fabs(d->u[axis] - (bits >> axis & 1));
    }
    for (int m = 0; m < 3; m++)
        d->u[m] = u[m];
    return descend(d, corner, error);
}

// The corner of the patch's cell that the point is, or -1.
static int cornerAt(const Descent *d)
{
    int bits = 0;
    for (int a = 0; a < 3; a++) {
        if (d->u[a] != 0 && d->u[a] != 1) return -1;
        bits |= (d->u[a] == 1) << a;
    }
    return snLattice_Corners(&d->patch.lattice, d->patch.cell)[snHexBits[bits]];
}

// Weights of the patch's vertices, when they can be told here.
static snStatus tryHere(Descent *d, double *weight, bool *found, snError *error)
{
    int vertices = d->patch.lattice.vertexCount, corner = cornerAt(d);
    *found = snPatch_EvaluateGrid(&d->patch, d->u, weight);
    if (*found) return SN_OK;
    if (corner >= 0) return vertexLimit(&d->patch, corner, weight, found, &d->arena, error);
    *found = spreadOf(d) <= AGREED;
    for (int i = 0; *found && i < vertices; i++)
        weight[i] = 1.0 / vertices;
    return SN_OK;
}

static snStatus findWeights(Descent *d, double **weight, snError *error)
{
    snStatus status = SN_OK;
    bool found = false;
    for (int level = 0; level < DEEPEST && !status && !found; level++) {
        if (level) status = descendTowards(d, error);
        *weight = status ? NULL : SN_NEW(&d->arena, double, d->patch.lattice.vertexCount);
        if (!status && !*weight) status = snFailMemory(error);
        if (!status) status = tryHere(d, *weight, &found, error);
    }
    if (!status && !found)
        status = snFail(error, SN_ERROR_GEOMETRY,
                        "the limit of the subdivision was not reached in %d levels", DEEPEST);
    return status;
}

static snStatus beginDescent(Descent *d, const snLimitPoint *point, snArena *keep, snError *error)
{
    Whole whole = {d->limit->lattice, point->cell};
    int *from;
    snStatus status = cutPatch(&d->patch, &whole, &from, &d->arena, error);
    if (status) return status;
    size_t n = (size_t)d->patch.lattice.vertexCount;
    d->columns = (int)n;
    d->global = SN_COPY(keep, int, from, n);
    d->value = SN_NEW(&d->arena, double, n *n);
    if (!d->global || !d->value) return snFailMemory(error);
    for (size_t i = 0; i < n; i++)
        d->value[i * n + i] = 1;
    for (int a = 0; a < 3; a++)
        d->u[a] = point->u[a];
    status = refinePatch(&d->patch, d->limit->scheme, &d->arena, d->context, error);
    if (!status && point->corner >= 0) status = descend(d, point->corner, error);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------

static snStatus allocRow(snWeightRows *row, int entries, snArena *arena, snError *error)
{
    row->start = SN_NEW(arena, int, 2);
    row->vertex = SN_NEW(arena, int, entries);
    row->weight = SN_NEW(arena, double, entries);
    return row->start && row->vertex && row->weight ? SN_OK : snFailMemory(error);
}

static snStatus smoothRow(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                          snArena *arena, const snContext *context, snError *error)
{
    snArena keep = snMakeArena(context);
    Descent d = {.limit = limit, .context = context, .arena = snMakeArena(context)};
    double *weight = NULL;
    snStatus status = beginDescent(&d, point, &keep, error);
    if (!status) status = findWeights(&d, &weight, error);
    if (!status) status = allocRow(row, d.columns, arena, error);
    for (int j = 0; j < d.columns && !status; j++) {
        double sum = 0;
        for (int i = 0; i < d.patch.lattice.vertexCount; i++)
            sum += weight[i] * d.value[(size_t)i * (size_t)d.columns + (size_t)j];
        if (sum == 0) continue;
        row->vertex[row->start[1]] = d.global[j];
        row->weight[row->start[1]++] = sum;
    }
    snArena_Destroy(&d.arena);
    snArena_Destroy(&keep);
    return status;
}

// Trilinear in the cell itself, or in the part of it at a corner: Σ over its eight vertices of the
// rows that the split gives them. A fine vertex's row and a cell's corners are at most eight, so the
// row is summed over the corners of the cell.
static snStatus trilinearRow(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                             snArena *arena, snError *error)
{
    const snFineLattice *split = &limit->complex.split;
    const snLattice *l = limit->lattice;
    int n = (int)snLattice_Kind(l, point->cell);
    const int *corners = snLattice_Corners(l, point->cell), *hex = corners;
    if (point->corner >= 0)
        hex = split->lattice.corners + (l->cellStart[point->cell] + point->corner) * 8;
    snStatus status = allocRow(row, n, arena, error);
    if (status) return status;
    for (int k = 0; k < n; k++) { // ascending
        int at = k;
        for (; at > 0 && row->vertex[at - 1] > corners[k]; at--)
            row->vertex[at] = row->vertex[at - 1];
        row->vertex[at] = corners[k];
    }
    for (int q = 0; q < 8; q++) {
        double weight = 1;
        for (int a = 0; a < 3; a++)
            weight *= snHexBits[q] >> a & 1 ? point->u[a] : 1 - point->u[a];
        for (int i = split->rows.start[hex[q]]; i < split->rows.start[hex[q] + 1]; i++)
            for (int k = 0; k < n; k++)
                if (row->vertex[k] == split->rows.vertex[i])
                    row->weight[k] += weight * split->rows.weight[i];
    }
    row->start[1] = n;
    return SN_OK;
}

snStatus snLimit_Make(snLimit *limit, snScheme scheme, const snLattice *lattice, snArena *arena,
                      const snContext *context, snError *error)
{
    *limit = (snLimit){.scheme = scheme, .lattice = lattice};
    if ((int)scheme < 0 || scheme >= SN_SCHEME_COUNT)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d", (int)scheme);
    return snComplex_Make(&limit->complex, lattice, arena, arena, context, error);
}

snStatus snLimit_At(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                    snArena *arena, const snContext *context, snError *error)
{
    const snLattice *l = limit->lattice;
    if (point->cell < 0 || point->cell >= l->cellCount)
        return snFail(error, SN_ERROR_ARGUMENT, "the lattice has no cell %d; it has %d",
                      point->cell, l->cellCount);
    int kind = (int)snLattice_Kind(l, point->cell);
    if (point->corner >= kind || point->corner < (kind == SN_HEX ? -1 : 0))
        return snFail(error, SN_ERROR_ARGUMENT, "cell %d has no corner %d; it has %d", point->cell,
                      point->corner, kind);
    for (int a = 0; a < 3; a++)
        if (!(point->u[a] >= 0 && point->u[a] <= 1))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "coordinate %d of a point in cell %d is %g; it must be from 0 to 1", a,
                          point->cell, point->u[a]);
    if (limit->scheme == SN_SCHEME_TRILINEAR) return trilinearRow(limit, point, row, arena, error);
    return smoothRow(limit, point, row, arena, context, error);
}
