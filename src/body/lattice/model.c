#include "body/lattice/model.h"

#include "body/lattice/cells.h"
#include "body/lattice/contact_samples.h"
#include "body/lattice/detail.h"
#include "body/lattice/linear.h"
#include "body/lattice/row.h"
#include "body/lattice/space_levels.h"
#include "body/lattice/turned.h"
#include "core/array.h"
#include "core/elementary.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

snLatticeModelDef snDefaultLatticeModelDef(void)
{
    return (snLatticeModelDef){.poisson = 0.4,
                               .density = 1000,
                               .massDamping = 2,
                               .stiffnessDamping = 0.005,
                               .step = 1.0 / 120.0,
                               .iterations = 3,
                               .tolerance = 1e-6,
                               .motion = SN_MOTION_SECONDARY};
}

static snStatus checkCells(const snLatticeModelDef *def, snError *error)
{
    for (int c = 0; c < def->lattice->cellCount; c++) {
        if (!(def->young[c] > 0 && isfinite(def->young[c])))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "young of cell %d is %g Pa; it must be positive", c, def->young[c]);
        if (def->poissons && !(def->poissons[c] >= 0 && def->poissons[c] < 0.5))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "poisson of cell %d is %g; it must be in [0, 0.5)", c, def->poissons[c]);
        if (def->densities && !(def->densities[c] > 0 && isfinite(def->densities[c])))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "density of cell %d is %g kg/m³; it must be positive", c,
                          def->densities[c]);
    }
    return SN_OK;
}

static snStatus checkSpace(const snLatticeModelDef *def, snError *error)
{
    bool known = false;
    for (int v = 0; v < def->lattice->vertexCount && def->known; v++)
        known |= def->known[v] != 0;
    if (known)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "vertices of a body in a space of motions cannot be known; hold points of it");
    if (def->levels > 0 || def->solver == SN_SOLVER_BLENDED || def->matrix == SN_MATRIX_TURNED)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "a body in a space of motions goes without details, blended regions and "
                      "SN_MATRIX_TURNED");
    return SN_OK;
}

static snStatus checkDef(const snLatticeModelDef *def, snError *error)
{
    if (!(def->poisson >= 0 && def->poisson < 0.5))
        return snFail(error, SN_ERROR_ARGUMENT, "poisson is %g; it must be in [0, 0.5)",
                      def->poisson);
    if (!(def->density > 0 && isfinite(def->density)))
        return snFail(error, SN_ERROR_ARGUMENT, "density is %g kg/m³; it must be positive",
                      def->density);
    if (def->levels < 0 || def->levels > SN_DETAIL_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d levels of detail; there are 0 to %d",
                      def->levels, SN_DETAIL_LEVELS);
    if (!(def->step > 0 && isfinite(def->step)))
        return snFail(error, SN_ERROR_ARGUMENT, "step is %g s; it must be positive", def->step);
    if (!(def->crush >= 0 && isfinite(def->crush)))
        return snFail(error, SN_ERROR_ARGUMENT, "crush is %g; it must be 0 or more", def->crush);
    if (!(def->energyDamping >= 0 && isfinite(def->energyDamping)) ||
        (def->energyDamping > 0 &&
         (def->precision == SN_PRECISION_SINGLE || def->solver == SN_SOLVER_LINEAR ||
          def->solver == SN_SOLVER_BLENDED || def->levels > 0)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "energyDamping is %g s/J; it must be 0 or more, and goes with the projective "
                      "and Newton solvers in double precision, without details",
                      def->energyDamping);
    if (!(def->massDamping >= 0 && def->stiffnessDamping >= 0))
        return snFail(error, SN_ERROR_ARGUMENT, "damping must not be negative");
    if (def->iterations < 0 || def->iterations > 100)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "iterations is %d; it must be 1 to 100, or 0 for what suits the solver",
                      def->iterations);
    if (def->turn && (def->solver != SN_SOLVER_LINEAR || def->motion != SN_MOTION_FULL))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a rest state that turns goes with SN_SOLVER_LINEAR and SN_MOTION_FULL");
    if (def->integrator == SN_INTEGRATOR_MIDPOINT &&
        (def->solver == SN_SOLVER_LINEAR || def->solver == SN_SOLVER_BLENDED || def->levels > 0 ||
         def->spaceLevels || def->known))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the midpoint rule goes with the projective and Newton solvers, without "
                      "bones and without functions that come and go");
    if (def->precision == SN_PRECISION_AUTO)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "SN_PRECISION_AUTO is for flesh; a lattice takes double or single");
    if (def->precision == SN_PRECISION_SINGLE && def->solver != SN_SOLVER_PROJECTIVE)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "single precision goes with SN_SOLVER_PROJECTIVE alone; choose double");
    if (def->precision == SN_PRECISION_SINGLE && def->levels > 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "single precision has no levels of detail; choose double or 0 levels");
    if ((def->poissons || def->densities) && def->levels > 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "poissons and densities by cell do not go with levels of detail");
    snStatus status = checkCells(def, error);
    return status || !def->space ? status : checkSpace(def, error);
}

// Masses that were given, or lumped ones: each row of the consistent mass matrix summed. A vertex that Ω does not reach has
// none: it follows its neighbours by stiffness alone.
static void lumpMass(snLatticeModel *model, const snLatticeModelDef *def, double *mass)
{
    const snLattice *lattice = &model->lattice;
    const snQuadrature *q = model->quadrature;
    for (int v = 0; v < lattice->vertexCount && def->masses; v++)
        mass[v] = def->masses[v];
    for (int c = 0; c < lattice->cellCount && !def->masses; c++) {
        const int *corners = snLattice_Corners(lattice, c);
        int n = (int)snLattice_Kind(lattice, c);
        double density = snCellMaterial_Of(def, c).density;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                mass[corners[i]] += density * q->mass[q->massStart[c] + i * n + j];
    }
    model->totalMass = 0;
    for (int v = 0; v < lattice->vertexCount; v++)
        model->totalMass += mass[v];
}

// Temporary numbers in lattice order, before the elimination order is known.
typedef struct Plan {
    const snLatticeModelDef *def;
    double *mass, *hold;      // [vertices]
    int *freeOf;              // [vertices] -> number among the free ones, or -1
    double *elementStiffness; // [elements], h (h + β) k V
} Plan;

static snStatus makePlan(Plan *plan, snLatticeModel *model, snArena *scratch, snError *error)
{
    const snLatticeModelDef *def = plan->def;
    const snQuadrature *q = model->quadrature;
    int n = model->vertexCount;
    plan->mass = SN_NEW(scratch, double, n);
    plan->hold = SN_NEW(scratch, double, n);
    plan->freeOf = SN_NEW(scratch, int, n);
    plan->elementStiffness = SN_NEW(scratch, double, q->elementCount);
    if (!plan->mass || !plan->hold || !plan->freeOf || !plan->elementStiffness)
        return snFailMemory(error);
    lumpMass(model, def, plan->mass);
    model->freeCount = 0;
    for (int v = 0; v < n; v++) {
        plan->freeOf[v] = def->known && def->known[v] ? -1 : model->freeCount++;
        double omega = 2.0 * SN_PI * (def->hold ? def->hold[v] : 0);
        plan->hold[v] = plan->mass[v] * omega * omega;
    }
    double h = def->step, factor = h * (h + def->stiffnessDamping);
    for (int e = 0; e < q->elementCount; e++) {
        snCellMaterial material = snCellMaterial_Of(def, q->cell[e]);
        plan->elementStiffness[e] =
            factor * q->volume[e] * snCurvature(material.mu, material.lambda);
    }
    return SN_OK;
}

static double dragOf(const snLatticeModelDef *def, int v)
{
    return def->drag ? def->drag[v] : def->massDamping;
}

// With details the inertia is not on the diagonal: the mass matrix is the consistent one.
static double diagonalOf(const Plan *plan, int v)
{
    double h = plan->def->step, inertia = plan->def->levels > 0 ? 0 : 1;
    return plan->mass[v] * (inertia + h * dragOf(plan->def, v)) +
           plan->hold[v] * h * (h + plan->def->stiffnessDamping);
}

// The free vertices' part of the matrix that details were assembled with.
static snStatus assembleWithDetails(snSparse *matrix, const Plan *plan, const snLatticeModel *model,
                                    snArena *scratch, snError *error)
{
    const snSparse *whole = &model->detail->stepMatrix;
    const snPattern *p = &whole->pattern;
    int begin = model->detail->fine.count, count = 0; // vertices are the last rows, in reverse
    int entries = p->columnStart[p->size] - p->columnStart[begin];
    int *first = SN_NEW(scratch, int, entries), *second = SN_NEW(scratch, int, entries);
    if (!first || !second) return snFailMemory(error);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = begin; c < p->size; c++)
            for (int k = p->columnStart[c]; k < p->columnStart[c + 1]; k++) {
                int a = plan->freeOf[p->size - 1 - c], b = plan->freeOf[p->size - 1 - p->row[k]];
                if (a < 0 || b < 0) continue;
                if (pass)
                    snSparse_AddScalar(matrix, b, a, whole->values[k]);
                else
                    first[count] = a, second[count++] = b;
            }
        if (pass) return SN_OK;
        snPattern pattern;
        snStatus status =
            snPattern_FromPairs(&pattern, model->freeCount, count, first, second, scratch, error);
        if (!status) status = snSparse_Make(matrix, &pattern, 1, scratch, error);
        if (status) return status;
    }
    return SN_OK;
}

// A over the free vertices, numbered by freeOf.
static snStatus assemble(snSparse *matrix, const Plan *plan, const snLatticeModel *model,
                         snArena *scratch, snError *error)
{
    const snQuadrature *q = model->quadrature;
    if (model->detail) return assembleWithDetails(matrix, plan, model, scratch, error);
    int entries = q->start[q->elementCount], groups = q->elementCount;
    int *start = SN_NEW(scratch, int, groups + 1), *items = SN_NEW(scratch, int, entries);
    if (!start || !items) return snFailMemory(error);
    int count = 0;
    for (int e = 0; e < groups; e++) {
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            if (plan->freeOf[q->corner[i]] >= 0) items[count++] = plan->freeOf[q->corner[i]];
        start[e + 1] = count;
    }
    snPattern pattern;
    snStatus status =
        snPattern_FromGroups(&pattern, model->freeCount, groups, start, items, scratch, error);
    if (!status) status = snSparse_Make(matrix, &pattern, 1, scratch, error);
    if (status) return status;
    for (int v = 0; v < model->vertexCount; v++)
        if (plan->freeOf[v] >= 0)
            snSparse_AddScalar(matrix, plan->freeOf[v], plan->freeOf[v], diagonalOf(plan, v));
    for (int e = 0; e < groups; e++)
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            for (int j = q->start[e]; j <= i; j++) {
                int a = plan->freeOf[q->corner[i]], b = plan->freeOf[q->corner[j]];
                double dot = snDot(q->gradient[i], q->gradient[j]);
                if (a >= 0 && b >= 0)
                    snSparse_AddScalar(matrix, a, b, plan->elementStiffness[e] * dot);
            }
    return SN_OK;
}

static snStatus assembleDetails(snLatticeModel *model, const Plan *plan, snArena *scratch,
                                snError *error)
{
    int n = model->lattice.vertexCount;
    double *diagonal = SN_NEW(scratch, double, n);
    if (!diagonal) return snFailMemory(error);
    for (int v = 0; v < n; v++)
        diagonal[v] = diagonalOf(plan, v);
    return snDetail_Assemble(model, plan->def, diagonal, scratch, error);
}

// Renumbers: free vertices in elimination order, slots, then the known ones as they come.
static void number(snLatticeModel *model, const Plan *plan, const int *order, int *freeVertex)
{
    int known = model->unknownCount, n = model->lattice.vertexCount;
    for (int v = 0; v < n; v++)
        if (plan->freeOf[v] >= 0) freeVertex[plan->freeOf[v]] = v;
    for (int i = 0; i < model->freeCount; i++)
        model->vertexOf[i] = freeVertex[order[i]];
    for (int i = model->freeCount; i < model->unknownCount; i++)
        model->vertexOf[i] = -1;
    for (int v = 0; v < n; v++)
        if (plan->freeOf[v] < 0) model->vertexOf[known++] = v;
    for (int i = 0; i < model->vertexCount; i++)
        if (model->vertexOf[i] >= 0) model->indexOf[model->vertexOf[i]] = i;
}

static snStatus makeSpace(snLatticeModel *model, const Plan *plan, const snSparse *matrix,
                          snArena *scratch, snError *error)
{
    const snLatticeModelDef *def = plan->def;
    snWeightRows coarse;
    if (!def->spaceLevels) return snSpace_Build(model, matrix, def->space, scratch, error);
    double *diagonal = SN_NEW(scratch, double, model->vertexCount);
    if (!diagonal) return snFailMemory(error);
    for (int v = 0; v < model->vertexCount; v++)
        diagonal[v] = diagonalOf(plan, v);
    snStatus status = snSpaceLevels_Coarse(&coarse, def, scratch, error);
    if (!status) status = snSpace_Build(model, matrix, &coarse, scratch, error);
    return status ? status : snSpaceLevels_Build(model, def, matrix, diagonal, scratch, error);
}

// The factor, and the order in which free vertices are numbered.
static snStatus makeFactor(snLatticeModel *model, const Plan *plan, const int **order,
                           snArena *scratch, snError *error)
{
    snArena *arena = &model->arena;
    snSparse matrix;
    snSymbolic *symbolic;
    snStatus status = assemble(&matrix, plan, model, scratch, error);
    if (!status && plan->def->space) {
        int *natural = SN_NEW(scratch, int, model->freeCount);
        if (!natural) return snFailMemory(error);
        for (int i = 0; i < model->freeCount; i++)
            natural[i] = i;
        *order = natural;
        return makeSpace(model, plan, &matrix, scratch, error);
    }
    if (!status)
        status = snSymbolic_Make(&symbolic, &matrix.pattern, 1,
                                 model->freeCount > SN_LARGE ? SN_ORDER_AUTO : SN_ORDER_AMD, arena,
                                 error);
    if (!status) status = snFactor_Make(&model->factor, symbolic, arena, error);
    if (!status) status = snFactor_Compute(model->factor, &matrix, error);
    if (status) return status;
    model->symbolic = symbolic;
    model->factorNonZeros = snSymbolic_NonZeros(symbolic);
    *order = snSymbolic_Order(symbolic);
    return SN_OK;
}

static snStatus factorise(snLatticeModel *model, Plan *plan, snArena *scratch, snError *error)
{
    snArena *arena = &model->arena;
    const int *order = NULL;
    snStatus status = makeFactor(model, plan, &order, scratch, error);
    if (!status && plan->def->precision == SN_PRECISION_SINGLE)
        status = snFactor_MakeSingle(model->factor, arena, error);
    if (status) return status;
    int slots = model->detail ? model->detail->fine.slotCount : 0;
    model->unknownCount = model->freeCount + slots;
    model->vertexCount = model->lattice.vertexCount + slots;
    int n = model->vertexCount;
    int *freeVertex = SN_NEW(scratch, int, n);
    model->vertexOf = SN_NEW(arena, int, n);
    model->indexOf = SN_NEW(arena, int, n);
    model->rest = SN_NEW(arena, snVec3, n);
    model->mass = SN_NEW(arena, double, n);
    model->hold = SN_NEW(arena, double, n);
    model->drag = SN_NEW(arena, double, n);
    model->diagonal = SN_NEW(arena, double, model->freeCount);
    if (!freeVertex || !model->vertexOf || !model->indexOf || !model->rest || !model->mass ||
        !model->hold || !model->drag || !model->diagonal)
        return snFailMemory(error);
    number(model, plan, order, freeVertex);
    for (int i = 0; i < n; i++) {
        int v = model->vertexOf[i];
        if (v < 0) continue;
        model->rest[i] = model->lattice.rest[v];
        model->mass[i] = plan->mass[v];
        model->hold[i] = plan->hold[v];
        model->drag[i] = dragOf(plan->def, v);
        if (i < model->freeCount) model->diagonal[i] = diagonalOf(plan, v);
    }
    return SN_OK;
}

static snStatus copySkin(snLatticeModel *model, const snWeightRows *skin, snError *error)
{
    int n = model->vertexCount, entries = skin ? skin->start[model->lattice.vertexCount] : 0;
    snStatus status = snWeightRows_Make(&model->skin, n, skin ? skin->columns : 0, (size_t)entries,
                                        &model->arena, error);
    if (status) return status;
    int count = 0;
    for (int i = 0; i < n && skin; i++) {
        int v = model->vertexOf[i], end = v >= 0 ? skin->start[v + 1] : 0;
        for (int k = v >= 0 ? skin->start[v] : 0; k < end; k++, count++) {
            model->skin.column[count] = skin->column[k];
            model->skin.weight[count] = skin->weight[k];
            if (skin->column[k] >= model->jointCount) model->jointCount = skin->column[k] + 1;
        }
        model->skin.start[i + 1] = count;
    }
    return SN_OK;
}

static int elementCorners(const snQuadrature *q, int element)
{
    return q->start[element + 1] - q->start[element] <= 4 ? 4 : 8;
}

snStatus snElementClass_Alloc(snElementClass *class, int corners, int count, size_t realSize,
                              snArena *arena, snError *error)
{
    class->corners = corners;
    class->count = count;
    class->groupCount = (count + class->group - 1) / class->group;
    size_t lanes = (size_t) class->groupCount * (size_t) class->group;
    class->vertex = SN_NEW(arena, int, lanes *(size_t)corners);
    class->gradient = snArena_Alloc(arena, realSize, lanes * (size_t)(corners - 1) * 3);
    class->shear = snArena_Alloc(arena, realSize, lanes);
    class->bulk = snArena_Alloc(arena, realSize, lanes);
    bool good = class->vertex && class->gradient && class->shear && class->bulk;
    return good ? SN_OK : snFailMemory(error);
}

void snLatticeModel_SetReal(const snLatticeModel *model, void *array, size_t k, double value)
{
    if (model->realSize == sizeof(float))
        ((float *)array)[k] = (float)value;
    else
        ((double *)array)[k] = value;
}

double snLatticeModel_Real(const snLatticeModel *model, const void *array, size_t k)
{
    return model->realSize == sizeof(float) ? ((const float *)array)[k]
                                            : ((const double *)array)[k];
}

static inline double realAt(const snElementClass *class, const void *array, size_t k)
{
    return class->group == SN_GROUP_SINGLE ? ((const float *)array)[k] : ((const double *)array)[k];
}

snMat3 snElementClass_Deformation(const snElementClass *class, size_t place, const double *rows)
{
    size_t group = (size_t) class->group, corners = (size_t) class->corners;
    size_t block = place / group, lane = place % group;
    const int *vertex = class->vertex + block * corners * group + lane;
    snVec3 first = snRow(rows, vertex[0]);
    snMat3 f = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (size_t a = 1; a < corners; a++) {
        size_t at = (block * (corners - 1) + a - 1) * 3 * group + lane;
        snVec3 gradient = {realAt(class, class->gradient, at),
                           realAt(class, class->gradient, at + group),
                           realAt(class, class->gradient, at + 2 * group)};
        f = snAddMM(f, snOuter(snSub(snRow(rows, vertex[a * group]), first), gradient));
    }
    return f;
}

// Corner k of the element at (group, lane). Elements with fewer corners than their class repeat
// the first one with a gradient of zero, which adds nothing.
static void placeElement(const snLatticeModel *model, snElementClass *class, int group, int lane,
                         int element)
{
    const snQuadrature *q = model->quadrature;
    int begin = q->start[element], n = q->start[element + 1] - begin;
    for (int k = 0; k < class->corners; k++) {
        int at = k < n ? begin + k : begin;
        class->vertex[(group * class->corners + k) * class->group + lane] =
            model->indexOf[q->corner[at]];
        if (k == 0) continue;
        snVec3 g = k < n ? q->gradient[at] : snVec(0, 0, 0);
        size_t first = ((size_t)group * (size_t)(class->corners - 1) + (size_t)(k - 1)) * 3;
        for (size_t c = 0; c < 3; c++)
            snLatticeModel_SetReal(model, class->gradient,
                                   (first + c) * (size_t) class->group + (size_t)lane, (&g.x)[c]);
    }
}

typedef struct SortedElement {
    int vertex, element;
} SortedElement;

// The elements of a class. Single precision has them in the order in which the factor eliminates
// their first vertices, so that corner forces lie near the vertices that gather them; in double the
// order of the lattice is kept, which others rely on (hessian.c, detail.c).
static void listElements(const snLatticeModel *model, const snElementClass *class,
                         SortedElement *list)
{
    const snQuadrature *q = model->quadrature;
    size_t count = 0;
    for (int e = 0; e < q->elementCount; e++) {
        if (elementCorners(q, e) != class->corners) continue;
        int first = model->vertexCount;
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            if (model->indexOf[q->corner[i]] < first) first = model->indexOf[q->corner[i]];
        list[count++] = (SortedElement){first, e};
    }
    if (model->group == SN_GROUP_SINGLE) qsort(list, count, sizeof *list, snComparePairs);
}

static void putModuli(const snLatticeModel *model, snElementClass *class,
                      const snLatticeModelDef *def, int at, int element)
{
    const snQuadrature *q = model->quadrature;
    snCellMaterial material = snCellMaterial_Of(def, q->cell[element]);
    snLatticeModel_SetReal(model, class->shear, (size_t)at, 2.0 * material.mu * q->volume[element]);
    snLatticeModel_SetReal(model, class->bulk, (size_t)at, material.lambda * q->volume[element]);
}

static void fillClass(snLatticeModel *model, snElementClass *class, const Plan *plan,
                      const SortedElement *list)
{
    int at = 0, last = 0;
    while (at < class->count) {
        int e = list[at].element;
        putModuli(model, class, plan->def, at, e);
        placeElement(model, class, at / class->group, at % class->group, e);
        last = e;
        at++;
    }
    for (; at < class->groupCount * class->group; at++)
        placeElement(model, class, at / class->group, at % class->group, last);
}

static snStatus makeClasses(snLatticeModel *model, const Plan *plan, snArena *scratch,
                            snError *error)
{
    const snQuadrature *q = model->quadrature;
    SortedElement *list = SN_NEW(scratch, SortedElement, q->elementCount);
    if (!list) return snFailMemory(error);
    int count[2] = {0, 0};
    for (int e = 0; e < q->elementCount; e++)
        count[elementCorners(q, e) == 8]++;
    for (int c = 0; c < 2; c++) {
        model->classes[c].group = model->group;
        snStatus status = snElementClass_Alloc(&model->classes[c], c ? 8 : 4, count[c],
                                               model->realSize, &model->arena, error);
        if (status) return status;
        listElements(model, &model->classes[c], list);
        fillClass(model, &model->classes[c], plan, list);
    }
    return SN_OK;
}

// Corner force slots: class after class, slot = (group * corners + corner) * G + snSlotOffset(lane).
// Those of vertices first ... first + count - 1 are counted, in start[vertex + 2], or listed when there is room.
static void passSlots(const snLatticeModel *model, int first, int count, snLists *lists)
{
    for (int c = 0, begin = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        int size = class->group, slots = class->groupCount * class->corners * size;
        for (int s = 0; s < slots; s++) {
            int group = s / (class->corners * size), lane = s % size;
            int v = class->vertex[s] - first;
            if (group * size + lane >= class->count || v < 0 || v >= count) continue;
            if (lists->item)
                lists->item[lists->start[v + 1]++] = begin + s - lane + snSlotOffset(size, lane);
            else
                lists->start[v + 2]++;
        }
        begin += slots;
    }
}

static int filledUp(int count, int multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

// Single precision gathers four at a time: a list is filled up with the slot after the last, whose
// force is 0.
snStatus snLatticeModel_ListSlots(const snLatticeModel *model, int first, int count, snLists *lists,
                                  snArena *arena, snError *error)
{
    int multiple = model->group == SN_GROUP_SINGLE ? 4 : 1;
    int *start = SN_NEW(arena, int, count + 2);
    *lists = (snLists){.start = start};
    if (!start) return snFailMemory(error);
    passSlots(model, first, count, lists);
    for (int v = 0; v < count; v++)
        start[v + 2] = start[v + 1] + filledUp(start[v + 2], multiple);
    int entries = start[count + 1];
    lists->item = SN_NEW(arena, int, entries);
    if (!lists->item) return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        lists->item[k] = model->slotCount;
    passSlots(model, first, count, lists);
    for (int v = 0; v < count; v++)
        start[v + 1] = filledUp(start[v + 1], multiple);
    return SN_OK;
}

static snStatus makeGather(snLatticeModel *model, snError *error)
{
    for (int c = 0; c < model->classCount; c++)
        model->slotCount +=
            model->classes[c].groupCount * model->classes[c].corners *
            (c < 2 ? model->classes[c].group : SN_GROUP); // finer functions gather for themselves
    return snLatticeModel_ListSlots(model, 0, model->freeCount, &model->gather, &model->arena,
                                    error);
}

double snLatticeModelDef_Tautness(const snLatticeModelDef *def, double factor, double h)
{
    double edge = snLattice_MeanEdge(def->lattice), most = 0;
    for (int c = 0; c < def->lattice->cellCount; c++) {
        double density = def->densities ? def->densities[c] : def->density;
        double poisson = def->poissons ? def->poissons[c] : def->poisson;
        double young = def->young[c],
               along = snLameLambda(young, poisson) + 2 * snShearModulus(young, poisson);
        if (density > 0) most = fmax(most, factor * along / density);
    }
    return most * h * h / (edge * edge);
}

static double mostPoisson(const snLatticeModelDef *def)
{
    double most = def->poisson;
    for (int c = 0; c < def->lattice->cellCount && def->poissons; c++)
        most = c ? fmax(most, def->poissons[c]) : def->poissons[c];
    return most;
}

// The corotated energy grows with the square of the stretch, and a body torn apart by a jump of its
// rig finds back. The others grow with its fourth and sixth power, and may have no way back: a mean
// energy of a hundred times the shear modulus (a stretch of 5 to 10 everywhere) counts as torn.
static double tornEnergy(const snLatticeModel *model, const snLatticeModelDef *def)
{
    double shear = 0, h = def->step;
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < model->classes[c].count; k++)
            shear += snLatticeModel_Real(model, model->classes[c].shear, (size_t)k);
    return def->material == SN_MATERIAL_COROTATED ? INFINITY
                                                  : 50 * shear * h * (h + def->stiffnessDamping);
}

static double stiffnessSum(const snLatticeModel *model, const snLatticeModelDef *def)
{
    double sum = 0, h = def->step;
    for (int c = 0; c < 2; c++)
        for (size_t k = 0; k < (size_t)model->classes[c].count; k++)
            sum += snLatticeModel_Real(model, model->classes[c].shear, k) +
                   snLatticeModel_Real(model, model->classes[c].bulk, k);
    return h * (h + def->stiffnessDamping) * sum;
}

static snStatus build(snLatticeModel *model, const snLatticeModelDef *def, snArena *scratch,
                      snError *error)
{
    Plan plan = {.def = def};
    snStatus status = checkDef(def, error);
    if (!status) status = snLattice_Copy(&model->lattice, def->lattice, &model->arena, error);
    model->vertexCount = def->lattice->vertexCount;
    model->quadrature = def->quadrature;
    model->classCount = 2 + def->levels;
    bool single = def->precision == SN_PRECISION_SINGLE;
    model->group = single ? SN_GROUP_SINGLE : SN_GROUP;
    model->realSize = single ? sizeof(float) : sizeof(double);
    model->cells = snCellKernels_Choose(def->precision);
    model->vectors = snVectorKernels_Choose();
    if (!status) status = makePlan(&plan, model, scratch, error);
    if (!status && def->levels) status = assembleDetails(model, &plan, scratch, error);
    if (!status) status = factorise(model, &plan, scratch, error);
    if (!status) status = snSpace_TakeNested(model, def, error);
    if (!status) status = copySkin(model, def->skin, error);
    if (!status) status = makeClasses(model, &plan, scratch, error);
    if (!status && def->levels) status = snDetail_Number(model, def, error);
    if (!status && def->spaceLevels) status = snSpaceLevels_MakeClasses(model, def, error);
    if (!status) status = makeGather(model, error);
    if (!status) model->tautness = snLatticeModelDef_Tautness(def, 1, def->step);
    if (!status) model->mostPoisson = mostPoisson(def);
    if (!status) model->tornEnergy = tornEnergy(model, def);
    if (!status) model->size = snLattice_Size(&model->lattice);
    if (!status) model->stiffness = stiffnessSum(model, def);
    if (!status)
        status = snTurned_Build(&model->turned, &model->softness, model, def, scratch, error);
    if (!status && (def->solver == SN_SOLVER_LINEAR || def->solver == SN_SOLVER_BLENDED))
        status = snLinear_Build(&model->linear, model, def, scratch, error);
    return status;
}

snStatus snLatticeModel_Build(snLatticeModel **out, const snLatticeModelDef *def,
                              const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snLatticeModel *model = SN_NEW(&arena, snLatticeModel, 1);
    if (!model) return snFailMemory(error);
    model->arena = arena;
    model->context = *context;
    snStatus status = build(model, def, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) {
        snLatticeModel_Destroy(model);
        return status;
    }
    model->def = *def;
    if (def->iterations == 0) model->def.iterations = def->solver == SN_SOLVER_NEWTON ? 1 : 3;
    model->def.lattice = NULL;
    model->def.skin = NULL;
    model->def.regions = NULL;
    model->def.like = NULL;
    model->def.known = NULL;
    model->def.space = NULL;
    model->def.spaceLevels = NULL;
    model->def.nested = NULL;
    model->def.hold = model->def.drag = model->def.young = NULL;
    model->def.poissons = model->def.densities = model->def.masses = NULL;
    model->def.bases = NULL;
    *out = model;
    return SN_OK;
}

// ---- rungs --------------------------------------------------------------------------------------

// What of a body depends on the length of a step: D, A and its factor, on the base's structure.
static snStatus factoriseRung(snLatticeModel *rung, const Plan *plan, snArena *scratch,
                              snError *error)
{
    snSparse matrix;
    snStatus status = assemble(&matrix, plan, rung, scratch, error);
    snWeightRows coarse;
    if (!status && plan->def->spaceLevels)
        status = snSpaceLevels_Coarse(&coarse, plan->def, scratch, error);
    if (!status && plan->def->space)
        status = snSpace_Factor(rung, &matrix, plan->def->spaceLevels ? &coarse : plan->def->space,
                                scratch, error);
    if (!status && !plan->def->space)
        status = snFactor_Make(&rung->factor, rung->symbolic, &rung->arena, error);
    if (!status && !plan->def->space) status = snFactor_Compute(rung->factor, &matrix, error);
    if (!status && plan->def->precision == SN_PRECISION_SINGLE)
        status = snFactor_MakeSingle(rung->factor, &rung->arena, error);
    if (status) return status;
    rung->diagonal = SN_NEW(&rung->arena, double, rung->freeCount);
    if (!rung->diagonal) return snFailMemory(error);
    for (int i = 0; i < rung->freeCount; i++)
        rung->diagonal[i] = diagonalOf(plan, rung->vertexOf[i]);
    return SN_OK;
}

// Moduli in the base's order of elements.
static snStatus scaleModuli(snLatticeModel *rung, const Plan *plan, snArena *scratch,
                            snError *error)
{
    const snQuadrature *q = rung->quadrature;
    SortedElement *list = SN_NEW(scratch, SortedElement, q->elementCount);
    if (!list) return snFailMemory(error);
    for (int c = 0; c < 2; c++) {
        snElementClass *class = &rung->classes[c];
        size_t lanes = (size_t) class->groupCount * (size_t) class->group;
        class->shear = snArena_Alloc(&rung->arena, rung->realSize, lanes);
        class->bulk = snArena_Alloc(&rung->arena, rung->realSize, lanes);
        if (!class->shear || !class->bulk) return snFailMemory(error);
        listElements(rung, class, list);
        for (int at = 0; at < class->count; at++)
            putModuli(rung, class, plan->def, at, list[at].element);
    }
    return SN_OK;
}

static snStatus buildRung(snLatticeModel *rung, const snLatticeModelDef *def, double factor,
                          snArena *scratch, snError *error)
{
    Plan plan = {.def = def};
    snStatus status = checkDef(def, error);
    if (!status) status = makePlan(&plan, rung, scratch, error);
    if (!status) status = factoriseRung(rung, &plan, scratch, error);
    if (!status && factor != 1) status = scaleModuli(rung, &plan, scratch, error);
    if (!status && def->spaceLevels)
        status = snSpaceLevels_BuildRung(rung, def->like, factor, error);
    if (status) return status;
    rung->tautness = snLatticeModelDef_Tautness(def, 1, def->step);
    rung->mostPoisson = mostPoisson(def);
    rung->tornEnergy = tornEnergy(rung, def);
    rung->stiffness = stiffnessSum(rung, def);
    status = snTurned_Build(&rung->turned, &rung->softness, rung, def, scratch, error);
    if (!status && rung->linear) status = snLinear_Build(&rung->linear, rung, def, scratch, error);
    return status;
}

snStatus snLatticeModel_BuildRung(snLatticeModel **out, const snRungDef *given,
                                  const snContext *context, snError *error)
{
    snLatticeModelDef def = *given->def;
    *out = NULL;
    SN_ASSERT(!given->base->detail);
    def.like = given->base;
    snArena arena = snMakeArena(context), scratch = snMakeArena(context);
    snLatticeModel *rung = SN_NEW(&arena, snLatticeModel, 1);
    if (!rung) return snFailMemory(error);
    *rung = *given->base;
    rung->arena = arena;
    rung->context = *context;
    rung->def.step = def.step;
    snStatus status = buildRung(rung, &def, given->factor, &scratch, error);
    snArena_Destroy(&scratch);
    if (status)
        snLatticeModel_Destroy(rung);
    else
        *out = rung;
    return status;
}

void snLatticeModel_Destroy(snLatticeModel *model)
{
    if (!model) return;
    snArena_DestroyWithin(&model->arena);
}

void snLatticeModel_Rig(const snLatticeModel *model, const snAffine *jointTransforms,
                        double *positions)
{
    model->vectors->rig(model, jointTransforms, positions);
}
