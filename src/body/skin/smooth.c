// Joe Warren and Scott Schaefer, "A Factored Approach to Subdivision Surfaces", 2004; Jos Stam and Charles Loop,
// "Quad/Triangle Subdivision", 2003.
#include "body/skin/smooth.h"

#include "body/lattice/rows.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/lists.h"

#include <string.h>

// A level is a linear refinement (snSkinMesh_Refine: every face in four) and then a mean: a vertex v goes to
//     Σ_f w_f c_f / Σ_f w_f     over its faces f,
// where a quad counts w = ¼ and c is its middle, and a triangle with further corners a, b counts w = 1/6 (so that all
// faces around a regular vertex sum to 1) and c = ¼ v + 3/8 (a + b). Quads alone give the surface of Catmull and Clark
// where four meet, triangles alone that of Loop where six meet. Where n others do v goes u_n of that way, so that it is
// Loop's as well: there the refined v gets a share of (1 - s) and its neighbours before s, s = 5/8 - (3/8 + ¼ cos 2π/n)²,
// and without u_n s would be 3/8. Along an open edge v goes to ¼ (before + 2 v + after), the cubic spline.

typedef struct Level {
    snSkinMesh mesh; // closed
    snWeightRows rows;
} Level;

// ---- the begin: rims are closed by fans ---------------------------------------------------------

static snStatus closeRims(snSkinMesh *closed, const snSkinMesh *mesh, snArena *arena,
                          snError *error)
{
    static const double chart[8] = {0, 0, 1, 0, 0, 1, 0, 0}; // is not used: any that has an area
    int columns = mesh->columns, caps = columns ? 2 : 0, n = mesh->pointCount;
    size_t faces = (size_t)(mesh->faceCount + caps * columns);
    int *corner = SN_NEW(arena, int, 4 * faces);
    double *charts = SN_NEW(arena, double, 8 * faces);
    if (!corner || !charts) return snFailMemory(error);
    memcpy(corner, mesh->corner, 4 * (size_t)mesh->faceCount * sizeof *corner);
    memcpy(charts, mesh->chart, 8 * (size_t)mesh->faceCount * sizeof *charts);
    size_t f = (size_t)mesh->faceCount;
    for (int cap = 0; cap < caps; cap++)
        for (int i = 0; i < columns; i++, f++) {
            int first = cap ? n - columns : 0, next = (i + 1) % columns;
            int fan[4] = {n + cap, first + (cap ? i : next), first + (cap ? next : i), -1};
            memcpy(corner + 4 * f, fan, sizeof fan);
            memcpy(charts + 8 * f, chart, sizeof chart);
        }
    return snSkinMesh_Make(closed, n + caps, (int)faces, corner, charts, arena, error);
}

// Points are themselves, and the middle of a rim is the mean of its points.
static snStatus firstRows(snWeightRows *rows, const snSkinMesh *mesh, int vertexCount,
                          snArena *arena, const snContext *context, snError *error)
{
    int n = mesh->pointCount, columns = mesh->columns;
    snRowMaker m;
    snStatus status = snRowMaker_Begin(&m, vertexCount, n, arena, context, error);
    for (int v = 0; v < vertexCount && !status; v++) {
        int first = v == n ? 0 : n - columns;
        if (v < n) snRowMaker_Add(&m, v, 1);
        for (int i = 0; i < columns && v >= n; i++)
            snRowMaker_Add(&m, first + i, 1.0 / columns);
        if (!snRowMaker_Close(&m)) status = snFailMemory(error);
    }
    return snRowMaker_End(&m, rows, status, arena, error);
}

// ---- a level ------------------------------------------------------------------------------------

// Faces around every point, and the point before it on an open edge.
typedef struct Around {
    snLists faces;
    int *before; // [pointCount], -1: the point is inside
} Around;

static snStatus findAround(Around *around, const snSkinMesh *mesh, snArena *arena, snError *error)
{
    int n = mesh->pointCount;
    around->before = SN_NEW(arena, int, n);
    if (!around->before) return snFailMemory(error);
    snStatus status =
        snLists_Make(&around->faces, mesh->corner, mesh->faceCount, 4, n, arena, error);
    if (status) return status;
    for (int v = 0; v < n; v++)
        around->before[v] = -1;
    for (int v = 0; v < n; v++)
        if (mesh->rimNext[v] >= 0) around->before[mesh->rimNext[v]] = v;
    return SN_OK;
}

typedef struct Averaging {
    const snSkinMesh *mesh;     // refined
    const snSkinBlend *blend;   // of its points, over those before
    const snWeightRows *before; // rows of those
    Around around;
    snRowMaker maker;
} Averaging;

// A refined point's row before it is averaged.
static void addPoint(Averaging *a, int point, double weight)
{
    const snSkinBlend *blend = &a->blend[point];
    const snWeightRows *rows = a->before;
    for (int k = 0; k < 4; k++) {
        if (blend->weight[k] == 0) continue;
        for (int i = rows->start[blend->parent[k]]; i < rows->start[blend->parent[k] + 1]; i++)
            snRowMaker_Add(&a->maker, rows->column[i], weight * blend->weight[k] * rows->weight[i]);
    }
}

// u_n of a vertex with n triangles and nothing else.
static double wayOf(int n)
{
    double c = 3.0 / 8 + snCos(2 * SN_PI / n) / 4;
    return (5.0 / 8 - c * c) / (3.0 / 8);
}

static void averagePoint(Averaging *a, int v)
{
    const snSkinMesh *mesh = a->mesh;
    const int *first = a->around.faces.item + a->around.faces.start[v];
    const int *end = a->around.faces.item + a->around.faces.start[v + 1];
    if (mesh->rimNext[v] >= 0) {
        addPoint(a, v, 0.5);
        addPoint(a, mesh->rimNext[v], 0.25);
        addPoint(a, a->around.before[v], 0.25);
        return;
    }
    double sum = 0;
    int triangles = 0;
    for (const int *f = first; f < end; f++) {
        bool triangle = mesh->corner[4 * (size_t)*f + 3] < 0;
        sum += triangle ? 1.0 / 6 : 1.0 / 4;
        triangles += triangle;
    }
    double way = triangles && triangles == end - first ? wayOf(triangles) : 1;
    if (first == end) way = 0; // no face has it
    addPoint(a, v, 1 - way);
    for (const int *f = first; f < end; f++) {
        const int *c = mesh->corner + 4 * (size_t)*f;
        for (int k = 0; k < 4; k++)
            if (c[3] >= 0)
                addPoint(a, c[k], way / 16 / sum);
            else if (k < 3)
                addPoint(a, c[k], way * (c[k] == v ? 1.0 / 4 : 3.0 / 8) / 6 / sum);
    }
}

static snStatus refine(Level *fine, const Level *level, int pointCount, snArena *arena,
                       const snContext *context, snError *error)
{
    snSkinBlend *blend;
    Averaging a = {.mesh = &fine->mesh, .before = &level->rows};
    snStatus status = snSkinMesh_Refine(&fine->mesh, &blend, &level->mesh, arena, error);
    if (!status) status = findAround(&a.around, &fine->mesh, arena, error);
    if (status) return status;
    a.blend = blend;
    status = snRowMaker_Begin(&a.maker, fine->mesh.pointCount, pointCount, arena, context, error);
    for (int v = 0; v < fine->mesh.pointCount && !status; v++) {
        averagePoint(&a, v);
        if (!snRowMaker_Close(&a.maker)) status = snFailMemory(error);
    }
    return snRowMaker_End(&a.maker, &fine->rows, status, arena, error);
}

// ---- all ----------------------------------------------------------------------------------------

static snStatus keep(snSkinSmooth *smooth, const Level *level, snArena *arena, snError *error)
{
    const snSkinMesh *mesh = &level->mesh;
    int n = mesh->pointCount;
    *smooth = (snSkinSmooth){.vertexCount = n, .triangleCount = mesh->triangleCount};
    smooth->triangles = SN_COPY(arena, int, mesh->triangles, 3 * (size_t)mesh->triangleCount);
    if (!smooth->triangles) return snFailMemory(error);
    return snWeightRows_Copy(&smooth->rows, &level->rows, arena, error);
}

snStatus snSkinSmooth_Make(snSkinSmooth *smooth, const snSkinMesh *mesh, int levels, snArena *arena,
                           const snContext *context, snError *error)
{
    Level level[SN_SKIN_SMOOTH_LEVELS + 1];
    snArena scratch = snMakeArena(context);
    if (levels < 0 || levels > SN_SKIN_SMOOTH_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "a skin is refined 0 to %d times, not %d",
                      SN_SKIN_SMOOTH_LEVELS, levels);
    snStatus status = closeRims(&level[0].mesh, mesh, &scratch, error);
    if (!status)
        status =
            firstRows(&level[0].rows, mesh, level[0].mesh.pointCount, &scratch, context, error);
    for (int l = 0; l < levels && !status; l++)
        status = refine(&level[l + 1], &level[l], mesh->pointCount, &scratch, context, error);
    if (!status) status = keep(smooth, &level[levels], arena, error);
    snArena_Destroy(&scratch);
    return status;
}

snVec3 snSkinSmooth_Place(const snSkinSmooth *smooth, const snVec3 *points, int vertex)
{
    return snWeightRows_Point(&smooth->rows, vertex, points);
}

void snSkinSmooth_Places(const snSkinSmooth *smooth, const snVec3 *points, snVec3 *out)
{
    for (int v = 0; v < smooth->vertexCount; v++)
        out[v] = snSkinSmooth_Place(smooth, points, v);
}

void snSkinSmooth_Values(const snSkinSmooth *smooth, int width, const float *values, float *out)
{
    const snWeightRows *rows = &smooth->rows;
    for (int v = 0; v < smooth->vertexCount; v++)
        for (int k = 0; k < width; k++) {
            double sum = 0;
            for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
                sum += rows->weight[i] * (double)values[rows->column[i] * width + k];
            out[v * width + k] = (float)sum;
        }
}
