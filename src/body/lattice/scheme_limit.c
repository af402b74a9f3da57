#include "body/lattice/scheme_limit.h"

#include "body/lattice/limit_parts.h"
#include "core/error.h"

#include <math.h>

// A function on a hexahedron h depends on the vertices of the cells that touch h, its patch, and on
// no others: the rule of a vertex uses the cells around it alone. The patch of one of the eight parts of
// h is a function of the patch of h, so patches can be followed down to a point (scheme_patch.h). It ends
// when
//   (a) the patch is a grid: tricubic splines (scheme_grid.c);
//   (b) the point is a vertex v of the patch, and an extraordinary one: its limit is the left eigenvector
//       of the matrix M of the cells around v to the eigenvalue 1 (scheme_ring.c).
// With R_j the values of the first patch's vertices at those of patch j, R_{j+1} = S_j R_j restricted to
// patch j + 1; the weights of the last patch are multiplied with these matrices on the way back.
// A point off the extraordinary edges and vertices comes to (a) after about -log2(distance) levels, and
// one on them to (b): coordinates are binary fractions. Those with very many digits, near zero, are
// taken for vertices after DEEPEST levels, when the patch has shrunk to nothing.

#define DEEPEST 100
#define SINGULAR 1e-9 // a Jacobian of the map, against the cube of its longest tangent

// ---- the domain -----------------------------------------------------------------------------------

// To the part of a hexahedron that holds u. With the corner's bits: u'_m = 2 |u_a - bit_a|, a the axis
// of the edge m at that corner.
int snLimit_Descend(double u[3], int axis[3], double sign[3])
{
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    int bits = (u[0] > 0.5) | (u[1] > 0.5) << 1 | (u[2] > 0.5) << 2;
    int corner = snHexBits[bits];
    double to[3];
    for (int m = 0; m < 3; m++) {
        int step = bits ^ snHexBits[shape->neighbour[corner][m]];
        axis[m] = step == 1 ? 0 : step == 2 ? 1 : 2;
        int bit = bits >> axis[m] & 1;
        sign[m] = bit ? -1 : 1;
        to[m] = fmin(2 * fabs(u[axis[m]] - bit), 1);
    }
    for (int m = 0; m < 3; m++)
        u[m] = to[m];
    return corner;
}

// The columns 1 ... 3 of weights were by the coordinates of the part: make them by the whole's.
static void chainRule(double (*weight)[4], int n, const int axis[3], const double sign[3])
{
    for (int i = 0; i < n; i++) {
        double by[3] = {0, 0, 0};
        for (int m = 0; m < 3; m++)
            by[axis[m]] += 2 * sign[m] * weight[i][m + 1];
        for (int a = 0; a < 3; a++)
            weight[i][a + 1] = by[a];
    }
}

// ---- (a) and (b) ----------------------------------------------------------------------------------

// The corner of the middle hexahedron that the point is, or -1. At the deepest level the nearest.
static int cornerAt(const double u[3], bool deepest)
{
    int bits = 0;
    for (int a = 0; a < 3; a++) {
        if (!deepest && u[a] != 0 && u[a] != 1) return -1;
        bits |= (u[a] > 0.5) << a;
    }
    return snHexBits[bits];
}

// Where the way down went.
typedef struct Way {
    snPatchType *type[DEEPEST + 1];
    int corner[DEEPEST], axis[DEEPEST][3], count; // count: steps
    double sign[DEEPEST][3];
} Way;

// Weights of the last patch.
static snStatus evaluateEnd(snLimitStore *s, const Way *way, const double u[3], snLimitEnd *end,
                            bool *found, snError *error)
{
    snPatchType *type = way->type[way->count];
    int n = type->patch.lattice.vertexCount, corner = cornerAt(u, way->count == DEEPEST);
    *found = type->grid.regular;
    *end = (snLimitEnd){.byU = *found, .tangent = *found};
    if (*found) {
        snGrid_Evaluate(&type->grid, n, u, s->weight);
    } else if (corner >= 0) {
        snStatus status = snPatchStore_Child(&s->patches, type, corner, error);
        if (status) return status;
        if (way->count < DEEPEST && type->child[corner]->grid.regular) return SN_OK;
        status = snPatchStore_Corner(&s->patches, type, corner, error);
        if (status) return status;
        for (int i = 0; i < n; i++)
            for (int m = 0; m < 4; m++)
                s->weight[i][m] = type->corner[corner]->weight[i][m];
        end->tangent = type->corner[corner]->tangent;
        *found = true;
    }
    return SN_OK;
}

// R_jᵀ: from the weights of a part's patch to those of the whole's.
static void pullBack(snLimitStore *s, const snPatchType *type, int corner)
{
    const snWeightRows *step = &type->patch.step;
    const int *from = type->from[corner];
    int n = type->child[corner]->patch.lattice.vertexCount, m = type->patch.lattice.vertexCount;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 4; k++)
            s->next[i][k] = 0;
    for (int i = 0; i < n; i++)
        for (int e = step->start[from[i]]; e < step->start[from[i] + 1]; e++)
            for (int k = 0; k < 4; k++)
                s->next[step->column[e]][k] += step->weight[e] * s->weight[i][k];
    double(*swap)[4] = s->weight;
    s->weight = s->next;
    s->next = swap;
}

// Derivatives of constants are zero: what rounding left of them is taken off, or it would stay while the
// rest shrinks from level to level.
static void clearConstants(double (*weight)[4], int n)
{
    double sum[4] = {0, 0, 0, 0};
    for (int i = 0; i < n; i++)
        for (int k = 1; k < 4; k++)
            sum[k] += weight[i][k];
    for (int i = 0; i < n; i++)
        for (int k = 1; k < 4; k++)
            weight[i][k] -= sum[k] * weight[i][0];
}

// Of covectors only the span counts: they are kept at right angles and of unit length, for they shrink at
// different rates.
static void orthonormalise(double (*weight)[4], int n)
{
    for (int m = 1; m < 4; m++) {
        for (int k = 1; k <= m; k++) {
            double dot = 0;
            for (int i = 0; i < n; i++)
                dot += weight[i][k] * weight[i][m];
            double length = sqrt(dot);
            for (int i = 0; i < n; i++)
                weight[i][m] = k < m        ? weight[i][m] - dot * weight[i][k]
                               : length > 0 ? weight[i][m] / length
                                            : 0;
        }
    }
}

// Room for the weights of the largest patch there is.
static snStatus growWork(snLimitStore *s, snError *error)
{
    if (s->room >= s->patches.most) return SN_OK;
    int room = 2 * s->patches.most;
    double(*weight)[4] = snArena_Alloc(s->arena, sizeof *weight, (size_t)room);
    double(*next)[4] = snArena_Alloc(s->arena, sizeof *next, (size_t)room);
    if (!weight || !next) return snFailMemory(error);
    s->weight = weight;
    s->next = next;
    s->room = room;
    return SN_OK;
}

// Weights of the patch of a kind at u of its middle hexahedron, in s->weight.
static snStatus patchWeights(snLimitStore *s, snPatchType *type, const double at[3],
                             snLimitEnd *end, snError *error)
{
    Way way = {.type[0] = type};
    double u[3] = {at[0], at[1], at[2]};
    bool found = false;
    snStatus status = growWork(s, error);
    if (!status) status = evaluateEnd(s, &way, u, end, &found, error);
    while (!status && !found) {
        int k = way.count, corner = snLimit_Descend(u, way.axis[k], way.sign[k]);
        status = snPatchStore_Child(&s->patches, way.type[k], corner, error);
        if (status) return status;
        way.corner[k] = corner;
        way.type[k + 1] = way.type[k]->child[corner];
        way.count++;
        status = growWork(s, error);
        if (!status) status = evaluateEnd(s, &way, u, end, &found, error);
    }
    for (int k = way.count - 1; k >= 0 && !status; k--) {
        pullBack(s, way.type[k], way.corner[k]);
        int n = way.type[k]->patch.lattice.vertexCount;
        clearConstants(s->weight, n);
        if (end->byU)
            chainRule(s->weight, n, way.axis[k], way.sign[k]);
        else
            orthonormalise(s->weight, n);
    }
    return status;
}

// ---- on the lattice -------------------------------------------------------------------------------

static void trilinearWeights(snLimitStore *s, int hex, const double u[3], snLimitEnd *end)
{
    *end = (snLimitEnd){.byU = true, .tangent = true, .count = 8};
    end->vertex = s->fine.fine.lattice.corners + hex * 8;
    for (int q = 0; q < 8; q++) {
        double value[3], slope[3];
        for (int a = 0; a < 3; a++) {
            bool far = snHexBits[q] >> a & 1;
            value[a] = far ? u[a] : 1 - u[a];
            slope[a] = far ? 1 : -1;
        }
        s->weight[q][0] = value[0] * value[1] * value[2];
        s->weight[q][1] = slope[0] * value[1] * value[2];
        s->weight[q][2] = value[0] * slope[1] * value[2];
        s->weight[q][3] = value[0] * value[1] * slope[2];
    }
}

snStatus snLimit_Evaluate(snLimitStore *s, int hex, const double u[3], snLimitEnd *end,
                          snError *error)
{
    if (s->patches.scheme == SN_SCHEME_TRILINEAR) {
        trilinearWeights(s, hex, u, end);
        return SN_OK;
    }
    snLimitHex *own = &s->hex[hex];
    snStatus status =
        own->type ? SN_OK
                  : snPatchStore_Cut(&s->patches, &s->host, hex, &own->type, &own->vertex, error);
    if (!status) status = patchWeights(s, own->type, u, end, error);
    if (status) return status;
    end->vertex = own->vertex;
    end->count = own->type->patch.lattice.vertexCount;
    return SN_OK;
}

snVec3 snLimit_PlaceOf(const snLimitStore *s, const snLimitEnd *end, snMat3 *tangents)
{
    snVec3 sum[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < end->count; i++) {
        snVec3 r = s->fine.fine.lattice.rest[end->vertex[i]];
        for (int k = 0; k < 4; k++)
            sum[k] = snMulAdd(sum[k], s->weight[i][k], r);
    }
    *tangents = (snMat3){sum[1], sum[2], sum[3]};
    return sum[0];
}

// From a cell of the lattice to its hexahedron at the store's level. Each step turns the axes.
static int hexOf(const snLimit *limit, const snLimitPoint *point, double u[3], snLimitTurn *turn)
{
    const snLimitStore *s = limit->store;
    int hex = point->cell, level = 0;
    *turn = (snLimitTurn){.scale = 1, .axis = {0, 1, 2}, .sign = {1, 1, 1}};
    for (int a = 0; a < 3; a++)
        u[a] = point->u[a];
    if (point->corner >= 0 && s->fine.levels > 0) {
        hex = s->fine.level[0].cellStart[hex] + point->corner;
        level = 1;
    }
    for (; level < s->fine.levels; level++) {
        int axis[3];
        double sign[3];
        int corner = snLimit_Descend(u, axis, sign);
        snLimitTurn next = {.scale = 2 * turn->scale};
        for (int m = 0; m < 3; m++) {
            next.axis[m] = turn->axis[axis[m]];
            next.sign[m] = turn->sign[axis[m]] * sign[m];
        }
        *turn = next;
        hex = s->fine.level[level].cellStart[hex] + corner;
    }
    return hex;
}

// u runs over half of a cell when it is given by a corner, and the store's lattice is the first.
static snLimitPoint wholeCell(const snLimitPoint *point)
{
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    snLimitPoint out = {.cell = point->cell, .corner = -1};
    int bits = snHexBits[point->corner];
    for (int m = 0; m < 3; m++) {
        int step = bits ^ snHexBits[shape->neighbour[point->corner][m]];
        int axis = step == 1 ? 0 : step == 2 ? 1 : 2;
        out.u[axis] = bits >> axis & 1 ? 1 - point->u[m] / 2 : point->u[m] / 2;
    }
    return out;
}

static snStatus checkPoint(const snLimit *limit, const snLimitPoint *point, snError *error)
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
    return SN_OK;
}

// Derivatives by the coordinates of a hexahedron of the store's level, made those by the point's.
static void turnBack(double (*weight)[4], int n, const snLimitTurn *turn)
{
    for (int i = 0; i < n; i++) {
        double by[3] = {0, 0, 0};
        for (int m = 0; m < 3; m++)
            by[turn->axis[m]] += turn->scale * turn->sign[m] * weight[i][m + 1];
        for (int a = 0; a < 3; a++)
            weight[i][a + 1] = by[a];
    }
}

// The same from a whole cell to the part at a corner: u runs along its edges at half the speed.
static void turnToCorner(double (*weight)[4], int n, int corner)
{
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    int bits = snHexBits[corner];
    for (int i = 0; i < n; i++) {
        double by[3];
        for (int m = 0; m < 3; m++) {
            int step = bits ^ snHexBits[shape->neighbour[corner][m]];
            int axis = step == 1 ? 0 : step == 2 ? 1 : 2;
            by[m] = (bits >> axis & 1 ? -0.5 : 0.5) * weight[i][axis + 1];
        }
        for (int m = 0; m < 3; m++)
            weight[i][m + 1] = by[m];
    }
}

snStatus snLimit_EvaluatePoint(const snLimit *limit, const snLimitPoint *point, snLimitEnd *end,
                               snError *error)
{
    snLimitStore *s = limit->store;
    snStatus status = checkPoint(limit, point, error);
    if (status) return status;
    bool half = s->fine.levels == 0 && point->corner >= 0;
    snLimitPoint whole = half ? wholeCell(point) : *point;
    double u[3];
    snLimitTurn turn;
    int hex = hexOf(limit, &whole, u, &turn);
    status = snLimit_Evaluate(s, hex, u, end, error);
    if (status || !end->byU) return status;
    turnBack(s->weight, end->count, &turn);
    if (half) turnToCorner(s->weight, end->count, point->corner);
    return SN_OK;
}

// ---- rows -----------------------------------------------------------------------------------------

// Σ_i w_i R_i over the functions, in s->sum.
void snLimit_SumRows(snLimitStore *s, const snLimitEnd *end)
{
    const snWeightRows *rows = &s->fine.fine.rows;
    for (int i = 0; i < end->count; i++)
        for (int e = rows->start[end->vertex[i]]; e < rows->start[end->vertex[i] + 1]; e++) {
            int f = rows->column[e];
            if (!s->seen[f]) s->used[s->usedCount++] = f;
            s->seen[f] = true;
            for (int k = 0; k < 4; k++)
                s->sum[f][k] += rows->weight[e] * s->weight[i][k];
        }
    for (int i = 1; i < s->usedCount; i++) {
        int f = s->used[i], at = i;
        for (; at > 0 && s->used[at - 1] > f; at--)
            s->used[at] = s->used[at - 1];
        s->used[at] = f;
    }
}

void snLimit_ClearRows(snLimitStore *s)
{
    for (int i = 0; i < s->usedCount; i++) {
        int f = s->used[i];
        s->seen[f] = false;
        for (int k = 0; k < 4; k++)
            s->sum[f][k] = 0;
    }
    s->usedCount = 0;
}

static snStatus storeRow(snLimitStore *s, snLimitValues *values, snArena *arena, snError *error)
{
    snWeightRows *row = &values->row;
    snStatus status =
        snWeightRows_Make(row, 1, s->fine.fine.rows.columns, (size_t)s->usedCount, arena, error);
    values->byU = SN_NEW(arena, snVec3, s->usedCount);
    if (!status && !values->byU) status = snFailMemory(error);
    if (status) return status;
    int n = 0;
    for (int i = 0; i < s->usedCount; i++) {
        const double *sum = s->sum[s->used[i]];
        if (sum[0] == 0 && sum[1] == 0 && sum[2] == 0 && sum[3] == 0) continue;
        row->column[n] = s->used[i];
        row->weight[n] = sum[0];
        values->byU[n++] = snVec(sum[1], sum[2], sum[3]);
    }
    row->start[1] = n;
    return SN_OK;
}

// ∇φ from the three covectors D: with X_k = D_k x, D_k φ = X_k . ∇φ, so ∇φ = X^-1 (D φ).
static snStatus throughTheMap(snLimitValues *values, const snLimitEnd *end, snMat3 tangents,
                              snArena *arena, snError *error)
{
    int n = values->row.start[1];
    snVec3 a = tangents.cx, b = tangents.cy, c = tangents.cz;
    double size = fmax(snLength(a), fmax(snLength(b), snLength(c))), det = snDot(a, snCross(b, c));
    values->byX = SN_NEW(arena, snVec3, n);
    if (!values->byX) return snFailMemory(error);
    values->byUKnown = end->byU;
    values->byXKnown = end->tangent && fabs(det) > SINGULAR * size * size * size;
    snVec3 dual[3] = {snScale(1 / det, snCross(b, c)), snScale(1 / det, snCross(c, a)),
                      snScale(1 / det, snCross(a, b))};
    for (int i = 0; i < n; i++) {
        snVec3 d = values->byU[i], sum = snScale(d.x, dual[0]);
        sum = snMulAdd(snMulAdd(sum, d.y, dual[1]), d.z, dual[2]);
        values->byX[i] = values->byXKnown ? sum : snVec(0, 0, 0);
        if (!end->byU) values->byU[i] = snVec(0, 0, 0);
    }
    return SN_OK;
}

snStatus snLimit_ValuesAt(const snLimit *limit, const snLimitPoint *point, snLimitValues *values,
                          snArena *arena, const snContext *context, snError *error)
{
    (void)context;
    snLimitStore *s = limit->store;
    snLimitEnd end;
    snMat3 tangents;
    *values = (snLimitValues){.byUKnown = false};
    snStatus status = snLimit_EvaluatePoint(limit, point, &end, error);
    if (status) return status;
    values->place = snLimit_PlaceOf(s, &end, &tangents);
    snLimit_SumRows(s, &end);
    status = storeRow(s, values, arena, error);
    snLimit_ClearRows(s);
    if (!status) status = throughTheMap(values, &end, tangents, arena, error);
    return status;
}

snStatus snLimit_At(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                    snArena *arena, const snContext *context, snError *error)
{
    snLimitValues values;
    snStatus status = snLimit_ValuesAt(limit, point, &values, arena, context, error);
    if (status) return status;
    *row = values.row;
    int n = 0; // those whose value is not zero
    for (int i = 0; i < values.row.start[1]; i++) {
        if (row->weight[i] == 0) continue;
        row->column[n] = row->column[i];
        row->weight[n++] = row->weight[i];
    }
    row->start[1] = n;
    return SN_OK;
}

// ---- making ---------------------------------------------------------------------------------------

static snStatus makeStore(snLimitStore *s, const snLimitDef *def, const snContext *context,
                          snError *error)
{
    bool hexes = true;
    for (int c = 0; c < def->lattice->cellCount; c++)
        hexes = hexes && snLattice_Kind(def->lattice, c) == SN_HEX;
    snSubdivisionDef fine = {.scheme = def->scheme,
                             .lattice = def->lattice,
                             .levels = def->levels > 0 || hexes ? def->levels : 1,
                             .functions = def->levels};
    snStatus status = snSubdivision_Make(&s->fine, &fine, s->arena, context, error);
    if (!status) status = snPatchHost_Make(&s->host, &s->fine.fine.lattice, s->arena, error);
    if (status) return status;
    s->patches =
        (snPatchStore){.scheme = def->scheme, .arena = s->arena, .context = &s->context, .most = 8};
    int n = s->fine.level[def->levels].vertexCount;
    s->hex = SN_NEW(s->arena, snLimitHex, s->fine.fine.lattice.cellCount);
    s->sum = snArena_Alloc(s->arena, sizeof *s->sum, (size_t)n);
    s->seen = SN_NEW(s->arena, bool, n);
    s->used = SN_NEW(s->arena, int, n);
    if (!s->hex || !s->sum || !s->seen || !s->used) return snFailMemory(error);
    return growWork(s, error);
}

snStatus snLimit_MakeOf(snLimit *limit, const snLimitDef *def, snArena *arena,
                        const snContext *context, snError *error)
{
    *limit = (snLimit){.scheme = def->scheme, .lattice = def->lattice, .levels = def->levels};
    if ((int)def->scheme < 0 || def->scheme >= SN_SCHEME_COUNT || def->levels < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d or no level %d",
                      (int)def->scheme, def->levels);
    snLimitStore *s = limit->store = SN_NEW(arena, snLimitStore, 1);
    if (!s) return snFailMemory(error);
    s->arena = arena;
    s->context = *context;
    snStatus status = makeStore(s, def, context, error);
    limit->functionCount = status ? 0 : s->fine.level[def->levels].vertexCount;
    return status;
}

snStatus snLimit_Make(snLimit *limit, snScheme scheme, const snLattice *lattice, snArena *arena,
                      const snContext *context, snError *error)
{
    snLimitDef def = {.scheme = scheme, .lattice = lattice};
    return snLimit_MakeOf(limit, &def, arena, context, error);
}
