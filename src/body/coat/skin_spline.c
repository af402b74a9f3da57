#include "body/coat/skin_spline.h"

#include "core/elementary.h"
#include "core/error.h"
#include "numerics/spline.h"

#include <string.h>

// S(u, v) = Σ_i Σ_j B_i(u) N_j(v) P_ij, u along the tube and v round it, N periodic. Rings are 1 ... R; ring 0 and ring
// R + 1 are the poles, one control K for all columns, and u goes from 0 to R + 1.
//
// Ends. The span at a pole needs a ring beyond it, Q. Let w₀, w₁, w₂ be the weights of Q, K, P₁ at u = 0, w' their derivatives,
// and M the mean of ring 1. With Q_j = X - (w₂/w₀)(P₁j - M) and X = -(w₁' K + w₂' M) / w₀'
//     S(0, v) = w₀ X + w₁ K + w₂ M                   the same for all v: the tube is closed,
//     ∂S/∂u (0, v) = (w₂' - w₀' w₂/w₀)(P₁(v) - M)    in one plane where ring 1 is flat: it is smooth there.
// (X = M for even splines.) Curves through their controls have w₀ = w₂ = 0 at u = 0: any ratio closes them, 1 is taken.

snSplineShape snDefaultSplineShape(snSplineKind kind)
{
    snSplineShape shape = {.kind = kind};
    if (kind == SN_SPLINE_BETA) shape.tension = 5, shape.bias = 1;
    return shape;
}

static void spanWeights(const snSplineShape *shape, double u, snDerivative derivative, double w[4])
{
    snKnotShape knot = {shape->tension, shape->continuity, shape->bias};
    if (shape->kind == SN_SPLINE_B)
        snBSplineWeights(u, derivative, w);
    else if (shape->kind == SN_SPLINE_BETA)
        snBetaSplineWeights(u, shape->bias, shape->tension, derivative, w);
    else
        snKochanekBartelsWeights(u, &knot, derivative, w);
}

double snSplineShape_Shrink(const snSplineShape *shape, int columns)
{
    double w[4];
    spanWeights(shape, 0, SN_VALUE, w);
    return w[1] + (w[0] + w[2]) * snCos(2 * SN_PI / columns);
}

static snStatus checkShape(const snSplineShape *s, snError *error)
{
    if (s->kind == SN_SPLINE_BETA && !(s->tension >= 0 && s->bias > 0 && s->bias <= 1e3))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "a beta-spline's tension is %g and its bias %g; the first must not be below 0, "
            "the second must be above it",
            s->tension, s->bias);
    bool within = fabs(s->tension) <= 1 && fabs(s->continuity) <= 1 && fabs(s->bias) <= 1;
    if (s->kind == SN_SPLINE_KOCHANEK_BARTELS && !within)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "tension %g, continuity %g and bias %g of a skin must be in [-1, 1]",
                      s->tension, s->continuity, s->bias);
    return SN_OK;
}

static snStatus checkDef(const snSplineSkinDef *def, snError *error)
{
    if (def->along < 1 || def->across < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a skin of %d x %d vertices per span is not possible", def->along,
                      def->across);
    for (int t = 0; t < def->tubeCount; t++) {
        const snSplineTube *tube = &def->tubes[t];
        if (tube->rings < 1 || tube->columns < 3)
            return snFail(
                error, SN_ERROR_ARGUMENT,
                "tube %d of a skin has %d rings of %d controls; it needs 1 or more of 3 or "
                "more",
                t, tube->rings, tube->columns);
    }
    return checkShape(&def->shape, error);
}

// ---- rows -------------------------------------------------------------------------------------------

// A row that is being added up: controls in the order in which they come.
typedef struct Row {
    int *slot; // [controlCount], where a control stands in the row, plus 1
    int *control;
    double *weight[3]; // value, along, across
    int count;
} Row;

static void addControl(Row *row, int control, double value, double along, double across)
{
    if (!row->slot[control]) {
        row->control[row->count] = control;
        for (int k = 0; k < 3; k++)
            row->weight[k][row->count] = 0;
        row->slot[control] = ++row->count;
    }
    int at = row->slot[control] - 1;
    row->weight[0][at] += value;
    row->weight[1][at] += along;
    row->weight[2][at] += across;
}

static void clearRow(Row *row)
{
    for (int k = 0; k < row->count; k++)
        row->slot[row->control[k]] = 0;
    row->count = 0;
}

// A place on a tube, and what becomes of the weights there: of value and derivative round it, of each column.
typedef struct Spot {
    const snSplineShape *shape;
    const snSplineTube *tube;
    int span;        // along, 0 ... rings
    double u;        // in it
    double along[4]; // weights of the rings span - 1 ... span + 2, for the value
    double slope[4]; // ... and for the derivative
} Spot;

// Adds what weighs a control of the ring beyond a pole, the first or the last.
static void addBeyond(Row *row, const Spot *spot, bool first, int column, const double w[3])
{
    const snSplineTube *tube = spot->tube;
    int columns = tube->columns, own = first ? 0 : 3, pole = first ? 1 : 2, ring = first ? 2 : 1;
    const int *next = tube->controls + (first ? 0 : (tube->rings - 1) * columns);
    double at[4], slope[4];
    spanWeights(spot->shape, first ? 0 : 1, SN_VALUE, at);
    spanWeights(spot->shape, first ? 0 : 1, SN_FIRST, slope);
    double ratio = at[own] > 1e-12 ? at[ring] / at[own] : 1, k = 0, m = 1;
    if (fabs(slope[own]) > 1e-12) k = -slope[pole] / slope[own], m = -slope[ring] / slope[own];
    double each = (m + ratio) / columns;
    addControl(row, tube->poles[!first], k * w[0], k * w[1], k * w[2]);
    for (int c = 0; c < columns; c++)
        addControl(row, next[c], each * w[0], each * w[1], each * w[2]);
    addControl(row, next[column], -ratio * w[0], -ratio * w[1], -ratio * w[2]);
}

// Adds what a control of ring `ring`, column `column` weighs; rings beyond the poles are made of their own.
static void addAt(Row *row, const Spot *spot, int ring, int column, const double w[3])
{
    const snSplineTube *tube = spot->tube;
    int rings = tube->rings, columns = tube->columns;
    if (ring == 0 || ring == rings + 1) {
        addControl(row, tube->poles[ring > 0], w[0], w[1], w[2]);
    } else if (ring > 0 && ring <= rings) {
        addControl(row, tube->controls[(ring - 1) * columns + column], w[0], w[1], w[2]);
    } else {
        addBeyond(row, spot, ring < 0, column, w);
    }
}

// The row at (span, u) and v, a number of columns. `turned`: the second tangent is the one along, a quarter further round,
// for poles, where going round is going nowhere; `sign` is -1 at the far pole, so that the normal points outwards.
static void addRow(Row *row, const Spot *spot, double v, bool second, bool pole, double sign)
{
    int columns = spot->tube->columns, first = (int)floor(v);
    double round[4], slope[4];
    spanWeights(spot->shape, v - first, SN_VALUE, round);
    spanWeights(spot->shape, v - first, SN_FIRST, slope);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int column = (first - 1 + j + columns) % columns;
            double w[3] = {0, 0, 0};
            if (!second) w[0] = spot->along[i] * round[j], w[1] = sign * spot->slope[i] * round[j];
            if (second) w[2] = spot->slope[i] * round[j];
            if (!pole) w[2] = spot->along[i] * slope[j];
            addAt(row, spot, spot->span - 1 + i, column, w);
        }
}

static Spot spotAt(const snSplineSkinDef *def, const snSplineTube *tube, int span, double u)
{
    Spot spot = {.shape = &def->shape, .tube = tube, .span = span, .u = u};
    spanWeights(&def->shape, u, SN_VALUE, spot.along);
    spanWeights(&def->shape, u, SN_FIRST, spot.slope);
    return spot;
}

// Row `r` of a tube's vertices: 0 is the first pole, the last one the second. Vertex k of it.
static void vertexRow(Row *row, const snSplineSkinDef *def, const snSplineTube *tube, int r, int k)
{
    int last = (tube->rings + 1) * def->along, span = r / def->along;
    bool pole = r == 0 || r == last;
    if (r == last) span--;
    Spot spot = spotAt(def, tube, span, (double)(r - span * def->along) / def->along);
    double v = (double)k / def->across;
    addRow(row, &spot, v, false, pole, r == last ? -1 : 1);
    if (pole) addRow(row, &spot, (double)tube->columns / 4, true, true, 1);
}

// ---- making -----------------------------------------------------------------------------------------

static int tubeRows(const snSplineSkinDef *def, const snSplineTube *tube)
{
    return (tube->rings + 1) * def->along - 1; // between the poles
}

static void tubeTriangles(const snSplineSkinDef *def, const snSplineTube *tube, int first,
                          int **out)
{
    int rows = tubeRows(def, tube), m = tube->columns * def->across, *t = *out;
    int pole = first + 1 + rows * m;
    for (int k = 0; k < m; k++) {
        int next = (k + 1) % m, low = first + 1, high = first + 1 + (rows - 1) * m;
        *t++ = first, *t++ = low + next, *t++ = low + k;
        for (int r = 0; r + 1 < rows; r++) {
            int a = low + r * m + k, b = low + r * m + next;
            const int quad[6] = {a, b, b + m, a, b + m, a + m};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
        *t++ = pole, *t++ = high + k, *t++ = high + next;
    }
    *out = t;
}

static snStatus reserve(snSplineSkin *skin, const snSplineSkinDef *def, snArena *arena,
                        snError *error)
{
    int64_t entries = 0, vertices = 0, triangles = 0;
    skin->controlCount = def->controlCount;
    skin->tubeCount = def->tubeCount;
    skin->tubeStart = SN_NEW(arena, int, def->tubeCount + 1);
    if (!skin->tubeStart) return snFailMemory(error);
    for (int t = 0; t < def->tubeCount; t++) {
        const snSplineTube *tube = &def->tubes[t];
        int64_t rows = tubeRows(def, tube), m = (int64_t)tube->columns * def->across;
        vertices += rows * m + 2;
        triangles += 2 * rows * m;
        entries += rows * m * 16 + 2 * (int64_t)def->along * m * tube->columns +
                   2 * (2 * tube->columns + 1);
        if (entries > INT32_MAX || triangles > INT32_MAX / 3)
            return snFail(error, SN_ERROR_ARGUMENT, "a skin of so many vertices is too large");
        skin->tubeStart[t + 1] = (int)vertices;
    }
    skin->vertexCount = (int)vertices;
    skin->triangleCount = (int)triangles;
    skin->triangles = SN_NEW(arena, int, 3 * triangles);
    skin->start = SN_NEW(arena, int, vertices + 1);
    skin->control = SN_NEW(arena, int, entries);
    skin->value = SN_NEW(arena, double, entries);
    skin->along = SN_NEW(arena, double, entries);
    skin->across = SN_NEW(arena, double, entries);
    return skin->triangles && skin->start && skin->control && skin->value && skin->along &&
                   skin->across
               ? SN_OK
               : snFailMemory(error);
}

snStatus snSplineSkin_Make(snSplineSkin *skin, const snSplineSkinDef *def, snArena *arena,
                           snError *error)
{
    *skin = (snSplineSkin){0};
    snStatus status = checkDef(def, error);
    if (!status) status = reserve(skin, def, arena, error);
    if (status) return status;
    Row row = {.slot = SN_NEW(arena, int, def->controlCount)};
    if (!row.slot) return snFailMemory(error);
    int vertex = 0, *triangle = skin->triangles;
    for (int t = 0; t < def->tubeCount; t++) {
        const snSplineTube *tube = &def->tubes[t];
        int rows = tubeRows(def, tube), m = tube->columns * def->across;
        tubeTriangles(def, tube, vertex, &triangle);
        for (int r = 0; r <= rows + 1; r++)
            for (int k = 0; k < (r == 0 || r > rows ? 1 : m); k++) {
                int at = skin->start[vertex];
                row.control = skin->control + at;
                row.weight[0] = skin->value + at;
                row.weight[1] = skin->along + at;
                row.weight[2] = skin->across + at;
                vertexRow(&row, def, tube, r, k);
                skin->start[++vertex] = at + row.count;
                clearRow(&row);
            }
    }
    return SN_OK;
}

// ---- placing ------------------------------------------------------------------------------------------

snVec3 snSplineSkin_Vertex(const snSplineSkin *skin, const snVec3 *controls, int vertex)
{
    int first = skin->start[vertex];
    return snCombine(skin->start[vertex + 1] - first, skin->control + first, skin->value + first,
                     controls);
}

void snSplineSkin_Place(const snSplineSkin *skin, const snVec3 *controls, snVec3 *points,
                        snVec3 *normals)
{
    for (int v = 0; v < skin->vertexCount; v++) {
        points[v] = snSplineSkin_Vertex(skin, controls, v);
        if (!normals) continue;
        snVec3 along = {0, 0, 0}, across = {0, 0, 0};
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++) {
            along = snMulAdd(along, skin->along[k], controls[skin->control[k]]);
            across = snMulAdd(across, skin->across[k], controls[skin->control[k]]);
        }
        normals[v] = snNormalizeOr(snCross(across, along), snVec(0, 0, 0));
    }
}
