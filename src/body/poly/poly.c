#include "body/poly/poly.h"

#include "body/poly/grid.h"
#include "core/error.h"
#include "numerics/dense.h"

#include <string.h>

#define MUCH_SMALLER 0.7  // of the box along x, y, z: then that along the principal axes is taken
#define DEPENDENT 1e-11   // of a function's own part of M, below which others stand for it
#define WHOLE_DENSITY 1.0 // integrals are then of volume

snPolyDef snDefaultPolyDef(void)
{
    return (snPolyDef){.order = 1, .density = 1000, .young = 1e5, .poisson = 0.4};
}

// ν = λ / (2 (λ + μ)), E = 2 μ (1 + ν).
void snPolyEnergies_Moduli(const snPolyEnergies *energies, double *young, double *poisson)
{
    double mu = 4 * energies->rigidity, lambda = 2 * energies->volume;
    *poisson = lambda / (2 * (lambda + mu));
    *young = 2 * mu * (1 + *poisson);
}

// ---- what is given ------------------------------------------------------------------------------

static bool isAbove(double value)
{
    return value > 0 && isfinite(value);
}

static snStatus checkMasses(const snPolyDef *def, snError *error)
{
    for (int i = 0; i < def->pointCount; i++)
        if (!isAbove(def->masses[i]) || !snIsFinite3(def->points[i]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "point mass %d is %g kg; it must be above 0, at a place that is finite",
                          i, def->masses[i]);
    if (def->pointCount < 0 || !(def->mass >= 0 && isfinite(def->mass)))
        return snFail(error, SN_ERROR_ARGUMENT, "%d point masses, %g kg", def->pointCount,
                      def->mass);
    return SN_OK;
}

static snStatus check(const snPolyDef *def, const snContext *context, snError *error)
{
    if (!isAbove(def->young) || !(def->poisson >= 0 && def->poisson < 0.5))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "young is %g Pa and poisson %g; they must be above 0, and in [0, 0.5)",
                      def->young, def->poisson);
    if (!isAbove(def->density))
        return snFail(error, SN_ERROR_ARGUMENT, "density is %g kg/m³; it must be above 0",
                      def->density);
    snStatus status = checkMasses(def, error);
    if (!status && !def->surface)
        return snFail(error, SN_ERROR_ARGUMENT, "a body with linear deformations needs a surface");
    return status ? status : snPolyMeasure_CheckSurface(def->surface, context, error);
}

// ---- the box ------------------------------------------------------------------------------------

static snPolyBox boxAlong(const snMesh *surface, snMat3 axes)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < 3 * surface->triangleCount; i++)
        box = snBoxAdd(box, snMulTMV(axes, surface->positions[surface->triangles[i]]));
    return (snPolyBox){.center = snMulMV(axes, snLerp(box.lower, box.upper, 0.5)),
                       .half = snScale(0.5, snSub(box.upper, box.lower)),
                       .axes = axes};
}

// The eigenvectors of C, right-handed.
static bool principalAxes(snMat3 spread, snMat3 *axes)
{
    double a[9] = {spread.cx.x, spread.cx.y, spread.cx.z, spread.cy.x, spread.cy.y,
                   spread.cy.z, spread.cz.x, spread.cz.y, spread.cz.z};
    double value[3], vector[9], work[3];
    if (snSymmetricEigen(3, a, value, vector, work, NULL)) return false;
    *axes = (snMat3){snVec(vector[0], vector[1], vector[2]), snVec(vector[3], vector[4], vector[5]),
                     snVec(0, 0, 0)};
    axes->cz = snCross(axes->cx, axes->cy);
    return true;
}

static double sizeOf(const snPolyBox *box)
{
    return box->half.x * box->half.y * box->half.z;
}

// Along x, y and z; polynomials of an order are the same along any axes, and a slanting rod fills little of the box along
// these.
static snPolyBox chooseBox(const snPolyDef *def, snMat3 spread)
{
    snPolyBox box = boxAlong(def->surface, snIdentity3()), other;
    snMat3 axes;
    if (!def->order || !principalAxes(spread, &axes)) return box;
    other = boxAlong(def->surface, axes);
    return sizeOf(&other) < MUCH_SMALLER * sizeOf(&box) ? other : box;
}

// ---- functions that depend on each other --------------------------------------------------------

// M over the functions, each divided by its own length.
static snStatus makeGram(const snSolid *solid, int count, double *gram, snArena *scratch,
                         snError *error)
{
    const snWeightRows *rows = &solid->space;
    double *scale = SN_NEW(scratch, double, count);
    if (!scale) return snFailMemory(error);
    for (int v = 0; v < solid->nodes.lattice.vertexCount; v++)
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
            for (int j = rows->start[v]; j <= i; j++)
                gram[rows->column[i] * count + rows->column[j]] +=
                    solid->masses[v] * rows->weight[i] * rows->weight[j];
    for (int a = 0; a < count; a++) {
        double own = gram[a * count + a];
        scale[a] = own > 0 ? 1 / sqrt(own) : 0;
    }
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++)
            gram[b * count + a] = gram[a * count + b] *= scale[a] * scale[b];
    return SN_OK;
}

static snStatus checkIndependence(const snSolid *solid, int count, const snContext *context,
                                  snError *error)
{
    snArena scratch = snMakeArena(context);
    double *gram = SN_NEW(&scratch, double, (size_t)count *(size_t)count);
    snStatus status = gram ? makeGram(solid, count, gram, &scratch, error) : snFailMemory(error);
    for (int a = 0; a < count && !status; a++)
        gram[a * count + a] -= DEPENDENT;
    if (!status && snDenseCholesky(count, gram, NULL))
        status = snFail(error, SN_ERROR_NUMERIC,
                        "its %d functions depend on each other over where its mass is; take a "
                        "lower order, fewer control points, or more point masses",
                        count);
    snArena_Destroy(&scratch);
    return status;
}

// ---- building -----------------------------------------------------------------------------------

static snStatus spreadMaterials(snSolid *solid, const snPolyDef *def, double density,
                                snError *error)
{
    int cells = solid->nodes.lattice.cellCount;
    solid->young = SN_NEW(&solid->arena, double, cells);
    solid->poisson = SN_NEW(&solid->arena, double, cells);
    solid->density = SN_NEW(&solid->arena, double, cells);
    if (!solid->young || !solid->poisson || !solid->density) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        solid->young[c] = def->young;
        solid->poisson[c] = def->poisson;
        solid->density[c] = density;
    }
    return SN_OK;
}

static snStatus embedSurface(snSolid *solid, const snMesh *surface, snError *error)
{
    const snPoly *poly = solid->own;
    int width = poly->nodes[0] ? SN_POLY_ROW : 4;
    size_t points = (size_t)surface->vertexCount, entries = points * (size_t)width;
    snEmbedding *e = &solid->embedding;
    *e = (snEmbedding){.pointCount = surface->vertexCount,
                       .width = width,
                       .vertex = SN_NEW(&solid->arena, int, entries),
                       .weight = SN_NEW(&solid->arena, double, entries),
                       .cell = SN_NEW(&solid->arena, int, points)};
    if (!e->vertex || !e->weight || !e->cell) return snFailMemory(error);
    for (size_t v = 0; v < points; v++)
        if (!snPoly_Row(solid, surface->positions[v], e->vertex + v * (size_t)width,
                        e->weight + v * (size_t)width))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "vertex %d of the surface has no triangle and is far from all that have",
                          (int)v);
    return SN_OK;
}

static snStatus makeLattice(snSolid *solid, snPoly *poly, const snPolyDef *def,
                            const snPolyMeasure *measure, const snContext *context, snError *error)
{
    snPolyMeasure whole = {.surface = def->surface, .density = WHOLE_DENSITY};
    snPolyMoments volume = snPolyMeasure_Moments(&whole), moments = snPolyMeasure_Moments(measure);
    snPolyBox box = chooseBox(def, volume.spread);
    snPolyFunctions *f = &poly->functions;
    snStatus status = snPolyFunctions_Make(f, def->order, def->controls, &box, error);
    if (!status && f->count > SN_POLY_FUNCTIONS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d control points; %d are most", f->count,
                      SN_POLY_FUNCTIONS);
    if (status) return status;
    solid->volume = volume.mass;
    solid->mass = moments.mass;
    if (def->order == 1) return snPolyTet_Make(solid, poly, &moments, error);
    status = snPolyGrid_Make(solid, poly, measure, context, error);
    if (!status) status = snPolyGrid_Cut(solid, poly, def->surface, volume.mass, context, error);
    return status ? status : checkIndependence(solid, f->count, context, error);
}

static snStatus build(snSolid *solid, const snPolyDef *def, const snContext *context,
                      snError *error)
{
    snPoly *poly = SN_NEW(&solid->arena, snPoly, 1);
    snStatus status = poly ? check(def, context, error) : snFailMemory(error);
    if (status) return status;
    double volume = snMesh_Volume(def->surface);
    snPolyMeasure measure = {.surface = def->surface,
                             .density = def->mass > 0 ? def->mass / volume : def->density,
                             .pointCount = def->pointCount,
                             .points = def->points,
                             .masses = def->masses};
    poly->box = snMesh_Bounds(def->surface);
    solid->own = poly;
    solid->row = snPoly_Row;
    status = makeLattice(solid, poly, def, &measure, context, error);
    if (!status) status = spreadMaterials(solid, def, solid->mass / solid->volume, error);
    if (!status) status = embedSurface(solid, def->surface, error);
    solid->control = solid->nodes.lattice;
    return status;
}

snStatus snPoly_Build(snSolid **out, const snPolyDef *def, const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snSolid *solid = SN_NEW(&arena, snSolid, 1);
    if (!solid) return snFailMemory(error);
    solid->arena = arena;
    snStatus status = build(solid, def, context, error);
    if (status) {
        snSolid_Destroy(solid);
        return status;
    }
    *out = solid;
    return SN_OK;
}
