// Building the finer levels of a space: functions, matrices, elements.
#include "body/lattice/space_levels.h"

#include "body/lattice/rows.h"
#include "core/error.h"
#include "numerics/galerkin.h"

#include <string.h>

#define FADES                                                                                      \
    0.3 // of the largest value: a cubic spline has a quarter of it where its outer cells begin

// ---- functions ------------------------------------------------------------------------------------

static snStatus checkDef(const snLatticeModelDef *def, snError *error)
{
    const snSpaceLevelsDef *levels = def->spaceLevels;
    if (levels->levels < 1 || levels->levels > SN_DETAIL_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d levels of functions that come and go; there are 1 to %d", levels->levels,
                      SN_DETAIL_LEVELS);
    if (levels->mostActive < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "room for %d functions that come and go; there must be some",
                      levels->mostActive);
    if (def->solver != SN_SOLVER_PROJECTIVE || def->precision != SN_PRECISION_DOUBLE)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "functions that come and go need the projective solver in double precision");
    return SN_OK;
}

// Rows over the functions begin ... end - 1, numbered from 0.
static snStatus takeRows(snWeightRows *out, const snWeightRows *rows, int count, int begin, int end,
                         snArena *arena, snError *error)
{
    int entries = 0, at = 0;
    for (int k = 0; k < rows->start[count]; k++)
        entries += rows->column[k] >= begin && rows->column[k] < end;
    snStatus status = snWeightRows_Make(out, count, end - begin, (size_t)entries, arena, error);
    if (status) return status;
    for (int v = 0; v < count; v++) {
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            if (rows->column[k] < begin || rows->column[k] >= end) continue;
            out->column[at] = rows->column[k] - begin;
            out->weight[at++] = rows->weight[k];
        }
        out->start[v + 1] = at;
    }
    return SN_OK;
}

snStatus snSpaceLevels_Coarse(snWeightRows *coarse, const snLatticeModelDef *def, snArena *arena,
                              snError *error)
{
    snStatus status = checkDef(def, error);
    if (status) return status;
    return takeRows(coarse, def->space, def->lattice->vertexCount, 0,
                    def->spaceLevels->levelStart[1], arena, error);
}

// Cells that are integrated at a function's level when it acts: those with a vertex where it has a good part of its
// largest value. In the outer cells of a smooth function's support, where it fades away, coarser elements do.
static snStatus findSupports(snSpaceLevels *levels, const snLatticeModelDef *def, snArena *arena,
                             snArena *scratch, snError *error)
{
    const snLattice *lattice = def->lattice;
    const snSpaceLevelsDef *given = def->spaceLevels;
    snFineFunctions *fine = &levels->fine;
    int *last = SN_NEW(scratch, int, fine->count);
    fine->supportStart = SN_NEW(arena, int, fine->count + 2);
    if (!last || !fine->supportStart) return snFailMemory(error);
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int f = 0; f < fine->count; f++)
            last[f] = -1;
        for (int c = 0; c < lattice->cellCount; c++) {
            const int *corners = snLattice_Corners(lattice, c);
            for (int i = 0; i < (int)snLattice_Kind(lattice, c); i++)
                for (int k = levels->rows.start[corners[i]]; k < levels->rows.start[corners[i] + 1];
                     k++) {
                    int f = levels->rows.column[k];
                    if (last[f] == given->cellOf[c] ||
                        fabs(levels->rows.weight[k]) <= FADES * fine->size[f])
                        continue;
                    last[f] = given->cellOf[c];
                    if (pass)
                        fine->support[fine->supportStart[f + 1]++] = given->cellOf[c];
                    else
                        fine->supportStart[f + 2]++;
                }
        }
        if (pass) break;
        for (int f = 0; f < fine->count; f++)
            fine->supportStart[f + 2] += fine->supportStart[f + 1];
        fine->support = SN_NEW(arena, int, fine->supportStart[fine->count + 1]);
        if (!fine->support) return snFailMemory(error);
    }
    return SN_OK;
}

static snStatus listFunctions(snSpaceLevels *levels, const snLatticeModelDef *def, snArena *arena,
                              snError *error)
{
    snFineFunctions *fine = &levels->fine;
    const int *start = def->spaceLevels->levelStart;
    fine->level = SN_NEW(arena, int, fine->count);
    fine->size = SN_NEW(arena, double, fine->count);
    levels->stiffness = SN_NEW(arena, double, fine->count);
    if (!fine->level || !fine->size || !levels->stiffness) return snFailMemory(error);
    for (int f = 0; f < fine->count; f++) {
        while (start[1] + f >= start[fine->level[f] + 1])
            fine->level[f]++;
        for (int k = levels->columns.start[f]; k < levels->columns.start[f + 1]; k++)
            fine->size[f] = fmax(fine->size[f], fabs(levels->columns.weight[k]));
    }
    return SN_OK;
}

// ---- matrices -------------------------------------------------------------------------------------

// B over level 0, numbered as the factor has it, and finer functions behind.
static snStatus joinRows(snWeightRows *rows, const snSpace *space, int vertexCount,
                         snArena *scratch, snError *error)
{
    const snWeightRows *a = &space->rows, *b = &space->levels->rows;
    int entries = a->start[vertexCount] + b->start[vertexCount], at = 0;
    snStatus status = snWeightRows_Make(rows, vertexCount, space->functionCount + b->columns,
                                        (size_t)entries, scratch, error);
    if (status) return status;
    for (int v = 0; v < vertexCount; v++) {
        for (int k = a->start[v]; k < a->start[v + 1]; k++) {
            rows->column[at] = a->column[k];
            rows->weight[at++] = a->weight[k];
        }
        for (int k = b->start[v]; k < b->start[v + 1]; k++) {
            rows->column[at] = space->functionCount + b->column[k];
            rows->weight[at++] = b->weight[k];
        }
        rows->start[v + 1] = at;
    }
    return SN_OK;
}

static snStatus makeDiagonal(snSparse *matrix, const double *diagonal, int count, snArena *scratch,
                             snError *error)
{
    int *same = SN_NEW(scratch, int, count);
    snPattern pattern;
    if (!same) return snFailMemory(error);
    for (int v = 0; v < count; v++)
        same[v] = v;
    snStatus status = snPattern_FromPairs(&pattern, count, count, same, same, scratch, error);
    if (!status) status = snSparse_Make(matrix, &pattern, 1, scratch, error);
    for (int v = 0; v < count && !status; v++)
        snSparse_AddScalar(matrix, v, v, diagonal[v]);
    return status;
}

static snStatus makeRows(snLatticeModel *model, const snSparse *matrix, const double *diagonal,
                         snArena *scratch, snError *error)
{
    snSpace *space = model->space;
    snSpaceLevels *levels = space->levels;
    int vertices = model->lattice.vertexCount, n = space->functionCount;
    int functions = n + levels->fine.count;
    const snTasks *tasks = &model->context.tasks;
    snWeightRows rows;
    snSparse inertia, mass, step;
    snStatus status = joinRows(&rows, space, vertices, scratch, error);
    if (!status) status = makeDiagonal(&inertia, diagonal, vertices, scratch, error);
    if (status) return status;
    status = snGalerkin_Sparse(&mass, &inertia, &rows, tasks, scratch, error);
    if (!status) status = snGalerkin_Sparse(&step, matrix, &rows, tasks, scratch, error);
    int *itemOf = SN_NEW(scratch, int, functions);
    if (!status && !itemOf) status = snFailMemory(error);
    for (int f = 0; f < functions && !status; f++)
        itemOf[f] = f < n ? f : ~(f - n);
    if (status) return status;
    return snFineFunctions_SetRows(&levels->fine, &mass, &step, itemOf, &model->arena, error);
}

static void findStiffness(snSpaceLevels *levels, double scale)
{
    snFineFunctions *fine = &levels->fine;
    for (int f = 0; f < fine->count; f++)
        for (int k = fine->rowStart[f]; k < fine->rowStart[f + 1]; k++)
            if (fine->column[k] == ~f)
                levels->stiffness[f] = (fine->matrix[k] - fine->mass[k]) / scale;
}

// Of the slots' largest columns, and level 0.
static int mostEntries(const snSpace *space, int vertexCount, int *sizes)
{
    const snSpaceLevels *levels = space->levels;
    const snFineFunctions *fine = &levels->fine;
    int64_t entries = space->rows.start[vertexCount];
    for (int f = 0; f < fine->count; f++)
        sizes[f] = levels->columns.start[f + 1] - levels->columns.start[f];
    for (int i = 0; i < fine->slotCount; i++) { // the largest that are left
        int best = i;
        for (int f = i + 1; f < fine->count; f++)
            if (sizes[f] > sizes[best]) best = f;
        entries += sizes[best];
        sizes[best] = sizes[i];
    }
    return entries > INT32_MAX ? -1 : (int)entries;
}

// Slots have no share in a shift of the whole.
static snStatus addSlots(snLatticeModel *model, snError *error)
{
    snSpace *space = model->space;
    snFineFunctions *fine = &space->levels->fine;
    double *one = SN_NEW(&model->arena, double, fine->total);
    if (!one) return snFailMemory(error);
    memcpy(one, space->one, (size_t)space->functionCount * sizeof *one);
    space->one = one;
    space->functionCount = fine->total;
    return SN_OK;
}

snStatus snSpaceLevels_Build(snLatticeModel *model, const snLatticeModelDef *def,
                             const snSparse *matrix, const double *diagonal, snArena *scratch,
                             snError *error)
{
    const snSpaceLevelsDef *given = def->spaceLevels;
    snArena *arena = &model->arena;
    snSpace *space = model->space;
    int vertices = model->lattice.vertexCount;
    snSpaceLevels *levels = space->levels = SN_NEW(arena, snSpaceLevels, 1);
    if (!levels) return snFailMemory(error);
    snFineFunctions *fine = &levels->fine;
    int first = given->levelStart[1], end = given->levelStart[given->levels + 1];
    levels->levels = given->levels;
    levels->size = snLattice_Size(&model->lattice);
    *fine = (snFineFunctions){
        .count = end - first, .first = space->functionCount, .cellCount = given->cellCount};
    fine->slotCount = given->mostActive < fine->count ? given->mostActive : fine->count;
    fine->total = fine->first + fine->slotCount;
    int *sizes = SN_NEW(scratch, int, fine->count);
    snStatus status = sizes ? SN_OK : snFailMemory(error);
    if (!status) status = takeRows(&levels->rows, def->space, vertices, first, end, arena, error);
    if (!status) status = snWeightRows_Transpose(&levels->columns, &levels->rows, arena, error);
    if (!status) status = listFunctions(levels, def, arena, error);
    if (!status) status = findSupports(levels, def, arena, scratch, error);
    if (!status) status = makeRows(model, matrix, diagonal, scratch, error);
    if (status) return status;
    fine->scale = def->step * (def->step + def->stiffnessDamping);
    findStiffness(levels, fine->scale);
    levels->entries = mostEntries(space, vertices, sizes);
    if (levels->entries < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "too many functions may act at once for so fine a lattice; allow fewer");
    return addSlots(model, error);
}

// ---- elements -------------------------------------------------------------------------------------

// Where each cell's groups begin: in a class of its own every cell begins a new group.
static snStatus startGroups(snSpaceLevels *levels, int level, const int *cellOf, int count,
                            snArena *arena, snError *error)
{
    int cells = levels->fine.cellCount;
    int *start = levels->groupStart[level] = SN_NEW(arena, int, cells + 1);
    if (!start) return snFailMemory(error);
    for (int e = 0; e < count; e++)
        start[cellOf[e] + 1]++;
    for (int c = 0; c < cells; c++)
        start[c + 1] = start[c] + (start[c + 1] + SN_GROUP - 1) / SN_GROUP;
    return SN_OK;
}

static void placeElement(snElementClass *class, int place, const snQuadrature *q, int element)
{
    size_t group = (size_t)place / SN_GROUP, lane = (size_t)place % SN_GROUP;
    for (size_t k = 0; k < 8; k++) {
        int at = q->start[element] + (int)k;
        class->vertex[(group * 8 + k) * SN_GROUP + lane] = q->corner[at];
        if (k == 0) continue;
        double *out = (double *)class->gradient + (group * 7 + k - 1) * 3 * SN_GROUP + lane;
        out[0] = q->gradient[at].x;
        out[SN_GROUP] = q->gradient[at].y;
        out[2 * SN_GROUP] = q->gradient[at].z;
    }
}

// Lanes without an element repeat the cell's last one with weight 0.
static void fillClass(snElementClass *class, const int *start, int cells, const snQuadrature *q,
                      const int *cellOf, int *placeOf)
{
    for (int c = 0, e = 0; c < cells; c++) {
        int end = e;
        while (end < q->elementCount && cellOf[end] == c)
            end++;
        for (int place = start[c] * SN_GROUP; place < start[c + 1] * SN_GROUP; place++) {
            placeElement(class, place, q, e < end ? e : end - 1);
            if (e < end) placeOf[e++] = place;
        }
    }
}

// Moduli times volume of the fine elements that each one stands for.
static void sumModuli(const snLatticeModel *model, const snLatticeModelDef *def,
                      snElementClass *class, const int *within, const int *placeOf)
{
    const snQuadrature *q = model->quadrature;
    double *shear = class->shear, *bulk = class->bulk;
    for (int e = 0; e < q->elementCount; e++) {
        snCellMaterial material = snCellMaterial_Of(def, q->cell[e]);
        int place = placeOf[within[q->cell[e]]];
        shear[place] += 2.0 * material.mu * q->volume[e];
        bulk[place] += material.lambda * q->volume[e];
    }
}

static snStatus makeClass(snLatticeModel *model, const snLatticeModelDef *def, int level,
                          snArena *scratch, snError *error)
{
    const snSpaceLevelsDef *given = def->spaceLevels;
    snSpaceLevels *levels = model->space->levels;
    const snQuadrature *q = given->elements[level];
    snElementClass *class = &model->classes[model->classCount];
    snStatus status = startGroups(levels, level, given->elementCell[level], q->elementCount,
                                  &model->arena, error);
    int *placeOf = SN_NEW(scratch, int, q->elementCount);
    if (!status && !placeOf) status = snFailMemory(error);
    if (status) return status;
    class->group = SN_GROUP;
    int groups = levels->groupStart[level][given->cellCount];
    status =
        snElementClass_Alloc(class, 8, groups * SN_GROUP, sizeof(double), &model->arena, error);
    if (status) return status;
    fillClass(class, levels->groupStart[level], given->cellCount, q, given->elementCell[level],
              placeOf);
    sumModuli(model, def, class, given->within[level], placeOf);
    levels->classOf[level] = model->classCount++;
    return SN_OK;
}

// The finest class has the lattice's cells one after another.
static snStatus findFinest(snLatticeModel *model, const snLatticeModelDef *def, int level,
                           snError *error)
{
    const snSpaceLevelsDef *given = def->spaceLevels;
    const snQuadrature *q = model->quadrature;
    snSpaceLevels *levels = model->space->levels;
    levels->classOf[level] = 1;
    snStatus status =
        startGroups(levels, level, given->cellOf, def->lattice->cellCount, &model->arena, error);
    bool whole = q->elementCount == def->lattice->cellCount && model->classes[0].count == 0;
    int *start = levels->groupStart[level], full = start ? start[given->cellCount] : 0;
    if (!status && !(whole && full * SN_GROUP == q->elementCount))
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "functions that come and go need all hexahedra of a lattice that was subdivided "
            "twice or more");
    return status;
}

snStatus snSpaceLevels_MakeClasses(snLatticeModel *model, const snLatticeModelDef *def,
                                   snError *error)
{
    snArena scratch = {.allocator = model->arena.allocator};
    snStatus status = SN_OK;
    for (int level = 0; level <= def->spaceLevels->levels && !status; level++)
        status = def->spaceLevels->elements[level] ? makeClass(model, def, level, &scratch, error)
                                                   : findFinest(model, def, level, error);
    snArena_Destroy(&scratch);
    return status;
}

// ---- rungs ----------------------------------------------------------------------------------------

// A = D + scale K, entry by entry.
static snStatus scaleRows(snFineFunctions *fine, const snFineFunctions *base, snArena *arena,
                          snError *error)
{
    int count = base->rowStart[base->count];
    double ratio = fine->scale / base->scale;
    fine->matrix = SN_NEW(arena, double, count);
    if (!fine->matrix) return snFailMemory(error);
    for (int k = 0; k < count; k++)
        fine->matrix[k] = base->mass[k] + ratio * (base->matrix[k] - base->mass[k]);
    return SN_OK;
}

static snStatus scaleClasses(snLatticeModel *rung, double factor, snError *error)
{
    for (int c = 2; c < rung->classCount && factor != 1; c++) {
        snElementClass *class = &rung->classes[c];
        size_t lanes = (size_t) class->groupCount * (size_t) class->group;
        double *shear = SN_COPY(&rung->arena, double, class->shear, lanes);
        double *bulk = SN_COPY(&rung->arena, double, class->bulk, lanes);
        if (!shear || !bulk) return snFailMemory(error);
        for (size_t k = 0; k < lanes; k++) {
            shear[k] *= factor;
            bulk[k] *= factor;
        }
        class->shear = shear;
        class->bulk = bulk;
    }
    return SN_OK;
}

snStatus snSpaceLevels_BuildRung(snLatticeModel *rung, const snLatticeModel *base, double factor,
                                 snError *error)
{
    snArena *arena = &rung->arena;
    const snSpaceLevels *from = base->space->levels;
    double h = rung->def.step;
    for (int v = 0; v < base->freeCount; v++)
        if (rung->diagonal[v] != base->diagonal[v])
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "stiffness and steps that change do not go with functions that come and "
                          "go in a body with drag or springs to a rig; leave out one");
    snSpace *space = rung->space = SN_COPY(arena, snSpace, base->space, 1);
    snSpaceLevels *levels = space ? SN_COPY(arena, snSpaceLevels, from, 1) : NULL;
    if (!levels) return snFailMemory(error);
    space->levels = levels;
    levels->stiffness = SN_COPY(arena, double, from->stiffness, from->fine.count);
    if (!levels->stiffness) return snFailMemory(error);
    for (int f = 0; f < from->fine.count; f++)
        levels->stiffness[f] *= factor;
    levels->fine.scale = factor * h * (h + rung->def.stiffnessDamping);
    snStatus status = scaleRows(&levels->fine, &from->fine, arena, error);
    return status ? status : scaleClasses(rung, factor, error);
}
