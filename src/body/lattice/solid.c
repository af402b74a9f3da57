#include "body/lattice/solid.h"

#include "body/lattice/map_check.h"
#include "body/lattice/rows.h"
#include "core/error.h"
#include "geometry/tree.h"
#include "geometry/winding.h"

#define MANY_CELLS 30000  // of nodes: with more, the chosen level is the least
#define MOST_HEXES 800000 // of them: 3 to 5 GB
#define MOST_FUNCTIONS 100000

snSolidDef snDefaultSolidDef(void)
{
    return (snSolidDef){.scheme = SN_SCHEME_MACCRACKEN_JOY,
                        .young = 1e5,
                        .poisson = 0.4,
                        .density = 1000,
                        .leastFraction = 1e-3};
}

static snStatus checkValues(const char *name, const double *values, int count, double most,
                            snError *error)
{
    for (int v = 0; v < count && values; v++)
        if (!(values[v] >= 0 && values[v] <= most && isfinite(values[v])))
            return snFail(error, SN_ERROR_ARGUMENT, "%s of control vertex %d is %g", name, v,
                          values[v]);
    return SN_OK;
}

// Hexahedra of a level of subdivision: a cell has one for every corner, and each of them eight.
static double hexesAt(const snLattice *lattice, int level)
{
    double count = level ? lattice->cellStart[lattice->cellCount] : lattice->cellCount;
    for (int k = 1; k < level; k++)
        count *= 8;
    return count;
}

// One level more than the functions is the least that leaves no motion without energy; two are within a
// few percent of the exact energy of strong bends, where they do not cost too much.
static int chooseLevel(const snSolidDef *def)
{
    if (def->nodeLevel) return def->nodeLevel;
    int two = def->levels + 2;
    bool cheap = two <= SN_NODE_LEVELS && hexesAt(def->lattice, two) <= MANY_CELLS;
    return cheap ? two : def->levels + 1;
}

// Before any memory is spent.
static snStatus checkSize(const snSolidDef *def, snError *error)
{
    int level = chooseLevel(def);
    double hexes = hexesAt(def->lattice, level), coarse = hexesAt(def->lattice, def->levels);
    if (coarse > MOST_FUNCTIONS)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%d cells at level %d are %.3g; %d are most: take fewer cells or levels",
                      def->lattice->cellCount, def->levels, coarse, MOST_FUNCTIONS);
    if (hexes > MOST_HEXES)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "integrals at level %d are over %.3g hexahedra; %d are most: take fewer "
                      "cells or levels, or integrate at a lower level",
                      level, hexes, MOST_HEXES);
    return SN_OK;
}

static snStatus check(const snSolidDef *def, snError *error)
{
    int n = def->lattice->vertexCount;
    if (def->levels < 0 || def->levels >= SN_NODE_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d levels of functions; there are 0 to %d",
                      def->levels, SN_NODE_LEVELS - 1);
    if (def->nodeLevel && (def->nodeLevel <= def->levels || def->nodeLevel > SN_NODE_LEVELS))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the integrals' level is %d; it must be %d to %d, or 0", def->nodeLevel,
                      def->levels + 1, SN_NODE_LEVELS);
    if (def->mostActive < 0 ||
        (def->mostActive && (def->levels < 1 || def->levels > SN_DETAIL_LEVELS)))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "%d functions that come and go in %d levels; there must be 1 to %d levels for them",
            def->mostActive, def->levels, SN_DETAIL_LEVELS);
    if (!(def->leastFraction > 0 && def->leastFraction <= 1))
        return snFail(error, SN_ERROR_ARGUMENT, "leastFraction is %g; it must be in (0, 1]",
                      def->leastFraction);
    snStatus status = checkSize(def, error);
    if (!status) status = checkValues("young", def->youngs, n, INFINITY, error);
    if (!status) status = checkValues("poisson", def->poissons, n, SN_MOST_POISSON, error);
    if (!status) status = checkValues("density", def->densities, n, INFINITY, error);
    return status;
}

typedef struct Inside {
    const snWinding *winding;
    const snTasks *tasks;
} Inside;

static void testInside(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const Inside *test = user;
    snWinding_InsideMany(test->winding, test->tasks, count, points, inside);
}

static snStatus integrateWith(snSolid *solid, const snSolidDef *def, const snInsideTest *inside,
                              const snContext *context, snError *error)
{
    const snMesh *mesh = def->surface;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    quadrature.inside = *inside;
    quadrature.leastFraction = def->leastFraction;
    snStatus status = SN_OK;
    if (mesh)
        status = snEmbed(&solid->embedding, &solid->nodes.lattice, mesh->vertexCount,
                         mesh->positions, &solid->arena, context, error);
    if (status) return status;
    return snQuadrature_MakeHexes(&solid->quadrature, &solid->nodes.lattice, &quadrature,
                                  &solid->arena, context, error);
}

static snStatus integrate(snSolid *solid, const snSolidDef *def, const snContext *context,
                          snArena *scratch, snError *error)
{
    Inside test = {.tasks = &context->tasks};
    if (def->surface) {
        snMeshTree tree;
        snWinding *winding;
        snStatus status = snMeshTree_Build(&tree, def->surface, scratch, error);
        if (!status) status = snWinding_Make(&winding, &tree, scratch, error);
        if (status) return status;
        test.winding = winding;
        return integrateWith(solid, def, &(snInsideTest){testInside, &test}, context, error);
    }
    return integrateWith(solid, def, &(snInsideTest){0}, context, error);
}

// The mean over a hexahedron's corners of what subdivision makes there of values at K's vertices, whose
// functions come first.
static double cellValue(const snSolid *solid, const double *values, int cell)
{
    const snWeightRows *rows = &solid->nodes.rows;
    const int *corners = snLattice_Corners(&solid->nodes.lattice, cell);
    double sum = 0;
    for (int c = 0; c < 8; c++)
        for (int k = rows->start[corners[c]]; k < rows->start[corners[c] + 1]; k++)
            if (rows->column[k] < solid->control.vertexCount)
                sum += rows->weight[k] * values[rows->column[k]];
    return sum / 8;
}

static snStatus spread(const snSolid *solid, double **out, const double *values, double value,
                       snArena *arena, snError *error)
{
    int count = solid->nodes.lattice.cellCount;
    *out = SN_NEW(arena, double, count);
    if (!*out) return snFailMemory(error);
    for (int c = 0; c < count; c++)
        (*out)[c] = values ? cellValue(solid, values, c) : value;
    return SN_OK;
}

static snStatus spreadMaterials(snSolid *solid, const snSolidDef *def, snError *error)
{
    snArena *arena = &solid->arena;
    snStatus status = spread(solid, &solid->young, def->youngs, def->young, arena, error);
    if (!status) status = spread(solid, &solid->poisson, def->poissons, def->poisson, arena, error);
    if (!status)
        status = spread(solid, &solid->density, def->densities, def->density, arena, error);
    for (int c = 0; c < solid->nodes.lattice.cellCount && !status; c++) {
        solid->volume += solid->quadrature.cellVolume[c];
        solid->mass += solid->quadrature.cellVolume[c] * solid->density[c];
    }
    if (!status && !(solid->volume > 0))
        return snFail(error, SN_ERROR_GEOMETRY, "nothing of the body's inside lies in its lattice");
    return status;
}

// M S_(Q-1) ... S_J, from the left.
snStatus snNodalRows(snWeightRows *rows, const snNodes *nodes, snArena *arena,
                     const snContext *context, snError *error)
{
    snWeightRows left = nodes->limit;
    for (int j = nodes->nodeLevel - 1; j >= nodes->levels; j--) {
        snRowProduct product = {.left = &left,
                                .right = &nodes->step[j],
                                .rowCount = nodes->lattice.vertexCount,
                                .columns = nodes->level[j].vertexCount};
        snStatus status = snRowProduct_Make(rows, &product, arena, context, error);
        if (status) return status;
        left = *rows;
    }
    *rows = left;
    return SN_OK;
}

// Numbers divided by `ratio`: a hexahedron of one level is eight of the next, one after another.
static const int *divide(int count, int ratio, snArena *arena)
{
    int *out = SN_NEW(arena, int, count);
    for (int c = 0; c < count && out; c++)
        out[c] = c / ratio;
    return out;
}

// Elements for cells on which only functions up to a level act: two levels finer than those, as the whole is by
// default.
static snStatus addElements(snSolid *solid, int level, const snContext *context, snError *error)
{
    const snNodes *nodes = &solid->nodes;
    int Q = level + 2 < nodes->nodeLevel ? level + 2 : nodes->nodeLevel;
    const snSubdivisionLevel *cells = &nodes->level[Q];
    snArena *arena = &solid->arena;
    if (Q == nodes->nodeLevel) return SN_OK;
    snQuadrature *quadrature = SN_NEW(arena, snQuadrature, 1);
    snSpaceLevelsDef *levels = &solid->levels;
    levels->elements[level] = quadrature;
    levels->elementCell[level] = divide(cells->cellCount, 1 << 3 * (Q - 1), arena);
    levels->within[level] =
        divide(nodes->lattice.cellCount, 1 << 3 * (nodes->nodeLevel - Q), arena);
    if (!quadrature || !levels->elementCell[level] || !levels->within[level])
        return snFailMemory(error);
    snLattice lattice = nodes->lattice;
    lattice.cellCount = cells->cellCount;
    lattice.cellStart = cells->cellStart;
    lattice.corners = cells->corners;
    snQuadratureDef def = snDefaultQuadratureDef();
    return snQuadrature_MakeHexes(quadrature, &lattice, &def, arena, context, error);
}

// The cells that have levels are hexahedra of level 1: coarse elements of one are a group of eight.
static snStatus addLevels(snSolid *solid, const snSolidDef *def, const snContext *context,
                          snError *error)
{
    const snNodes *nodes = &solid->nodes;
    int *start = SN_NEW(&solid->arena, int, def->levels + 2);
    const int *cellOf =
        divide(nodes->lattice.cellCount, 1 << 3 * (nodes->nodeLevel - 1), &solid->arena);
    if (!start || !cellOf) return snFailMemory(error);
    for (int level = 0; level <= def->levels; level++)
        start[level + 1] = nodes->level[level].vertexCount;
    solid->levels = (snSpaceLevelsDef){.levels = def->levels,
                                       .levelStart = start,
                                       .cellCount = nodes->level[1].cellCount,
                                       .cellOf = cellOf,
                                       .mostActive = def->mostActive};
    snStatus status = SN_OK;
    for (int level = 0; level <= def->levels && !status; level++)
        status = addElements(solid, level, context, error);
    return status;
}

// The functions of a level over those of the next are the steps of the scheme. Smooth ones would need a matrix
// with rows of 343 blocks made for every direction, which takes longer than it saves.
static snStatus nest(snSolid *solid, const snSolidDef *def, snError *error)
{
    int levels = def->levels;
    if (def->scheme != SN_SCHEME_TRILINEAR || def->hierarchical || def->mostActive || levels == 0)
        return SN_OK;
    snWeightRows *steps = SN_COPY(&solid->arena, snWeightRows, solid->nodes.step, levels);
    if (!steps) return snFailMemory(error);
    solid->nested = (snNested){levels + 1, steps};
    return SN_OK;
}

static snStatus build(snSolid *solid, const snSolidDef *def, const snContext *context,
                      snArena *scratch, snError *error)
{
    snStatus status = check(def, error);
    if (!status) status = snLattice_Check(def->lattice, context, error);
    if (!status) status = snLattice_Copy(&solid->control, def->lattice, &solid->arena, error);
    snNodesDef nodes = {.scheme = def->scheme,
                        .lattice = &solid->control,
                        .levels = def->levels,
                        .nodeLevel = chooseLevel(def)};
    if (!status) status = snNodes_Make(&solid->nodes, &nodes, &solid->arena, context, error);
    if (!status) status = snNodes_CheckMap(&solid->nodes, context, error);
    if (!status && !def->hierarchical && !def->mostActive && def->levels > 0)
        status = snNodalRows(&solid->space, &solid->nodes, &solid->arena, context, error);
    else
        solid->space = solid->nodes.rows;
    if (!status) status = nest(solid, def, error);
    if (!status) status = integrate(solid, def, context, scratch, error);
    if (!status) status = spreadMaterials(solid, def, error);
    if (!status && def->mostActive) status = addLevels(solid, def, context, error);
    return status;
}

snStatus snSolid_Build(snSolid **out, const snSolidDef *def, const snContext *context,
                       snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snSolid *solid = SN_NEW(&arena, snSolid, 1);
    if (!solid) return snFailMemory(error);
    solid->arena = arena;
    snStatus status = build(solid, def, context, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) {
        snSolid_Destroy(solid);
        return status;
    }
    *out = solid;
    return SN_OK;
}

void snSolid_Destroy(snSolid *solid)
{
    if (!solid) return;
    snArena_DestroyWithin(&solid->arena);
}

void snSolid_Define(const snSolid *solid, snLatticeModelDef *def)
{
    def->lattice = &solid->nodes.lattice;
    def->quadrature = &solid->quadrature;
    def->space = solid->space.start ? &solid->space : NULL;
    def->masses = solid->masses;
    def->spaceLevels = solid->levels.mostActive ? &solid->levels : NULL;
    def->nested = &solid->nested;
    def->young = solid->young;
    def->poissons = solid->poisson;
    def->densities = solid->density;
    def->motion = SN_MOTION_FULL;
    def->massDamping = 0;
}
