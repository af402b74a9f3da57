#include "body/lattice/point.h"

#include "body/lattice/linear.h"
#include "body/lattice/space_levels.h"
#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

// A point is moved by its unknown vertices with a lever of one over their weight. One that hangs on
// them by less than this lies on a bone but for rounding: they are then taken where the rig has
// them, and the point counts as known.
#define LEAST_WEIGHT 1e-6

// Points of a smooth body are combinations of few functions, and many that are held near each other depend on each
// other almost: what is left of one beyond its neighbours can only be moved by huge coefficients, which tear
// the body between them. Such a point goes with its neighbours, and contradicts them where that leaves it farther
// from its target than this share of what its numbers are made of, or of the body's size where that is larger: a
// hand at the origin asks for no more than one elsewhere.
#define SPACE_TOLERANCE 1e-2
#define SPACE_AGREEMENT 1e-3

#define TERMS SN_CELL_CORNERS

snPointConstraintsDef snDefaultPointConstraintsDef(void)
{
    return (snPointConstraintsDef){.lanes = 1, .capacity = 16};
}

// y = A⁻¹ x by the model's factor; its vectors are in the order of elimination already. Slots without a
// state are empty.
static void solveWithFactor(void *context, const double *x, double *y)
{
    snPointConstraints *points = context;
    const snLatticeModel *model = points->model;
    if (points->detailed && points->details.state) {
        snPointDetails_Solve(&points->details, model, x, y);
        return;
    }
    size_t count = (size_t)(model->space ? snSpace_Constant(model->space) : model->freeCount);
    memset(y, 0, (size_t)points->set->def.size * sizeof *y);
    memcpy(y, x, count * sizeof *y);
    snFactor_SolveOrdered(points->model->factor, 1, y, points->solve);
}

// The same for the linear solver's matrix of 3x3 blocks.
static void solveWithBlocks(void *context, const double *x, double *y)
{
    const snPointConstraints *points = context;
    memcpy(y, x, (size_t)points->set->def.size * 3 * sizeof *y);
    snFactor_Solve(points->model->linear->parts->factor, 1, y, points->solve);
}

// What the model's solver needs. The linear solver with a factor has a matrix of its own; conjugate
// gradients and searches project; the others correct on the scalar matrix alone.
static void suitSolver(snPointConstraintsDef *def, snPointConstraints *points)
{
    const snLatticeModelDef *model = &def->model->def;
    bool linear = model->solver == SN_SOLVER_LINEAR, factor = model->method == SN_METHOD_FACTOR;
    if (def->block) return;
    def->block = linear && factor ? 3 : 1;
    def->projector |= model->solver == SN_SOLVER_NEWTON || model->solver == SN_SOLVER_PROJECTIVE ||
                      (linear && !factor);
    if (linear && factor) def->inverse = (snOperator){solveWithBlocks, points};
}

// Room for either of the solves.
static size_t solveSize(const snLatticeModel *model)
{
    size_t size = snFactor_ScratchSize(model->factor, 1), other = 0;
    if (model->linear && model->linear->parts->factor)
        other = snFactor_ScratchSize(model->linear->parts->factor, 1);
    return size > other ? size : other;
}

// Functions that a point in a cell hangs on, at most. `marks` is zero before and after.
static int mostFunctions(const snLatticeModel *model, const snWeightRows *rows, int functions,
                         int *marks)
{
    const snLattice *lattice = &model->lattice;
    int most = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        int count = 0;
        for (int k = lattice->cellStart[c]; k < lattice->cellStart[c + 1]; k++) {
            int v = model->indexOf[lattice->corners[k]];
            for (int i = rows->start[v]; i < rows->start[v + 1]; i++) {
                count += marks[rows->column[i]] != c + 1;
                marks[rows->column[i]] = c + 1;
            }
        }
        most = count > most ? count : most;
    }
    memset(marks, 0, (size_t)functions * sizeof *marks);
    return most;
}

static snStatus makeSet(snPointConstraints *points, const snPointConstraintsDef *def,
                        const snContext *context, snError *error)
{
    snConstraintSetDef set = snDefaultConstraintSetDef();
    const snSpace *space = def->model->space;
    const snFineFunctions *fine = snLatticeModel_Fine(def->model);
    points->detailed = fine && def->block == 1 && !def->inverse.apply;
    points->details.most = SN_POINT_DETAILS;
    set.size = points->detailed ? def->model->unknownCount : def->model->freeCount;
    if (space) {
        set.size = space->functionCount;
        points->sum = SN_NEW(&points->arena, double, set.size);
        points->packed = SN_NEW(&points->arena, double, set.size);
        points->terms = SN_NEW(&points->arena, int, set.size);
        points->listed = SN_NEW(&points->arena, unsigned char, set.size);
        if (!points->sum || !points->packed || !points->terms || !points->listed)
            return snFailMemory(error);
    }
    set.block = def->block;
    set.width = points->width;
    set.lanes = def->lanes;
    set.capacity = def->capacity;
    set.mostTerms = points->detailed ? TERMS + SN_POINT_DETAILS : TERMS;
    if (space) {
        int most = mostFunctions(def->model, &space->rows, set.size, points->terms);
        set.mostTerms = def->mostTerms > most ? def->mostTerms : most;
        set.tolerance = SPACE_TOLERANCE;
        set.agreement = SPACE_AGREEMENT;
        set.least = def->model->size;
    }
    if (space && space->levels) {
        int *marks = SN_NEW(&points->arena, int, fine->count);
        if (!marks) return snFailMemory(error);
        int most = mostFunctions(def->model, &space->levels->rows, fine->count, marks);
        points->details.most = def->mostTerms > most ? def->mostTerms : most;
        set.mostTerms += points->details.most;
    }
    set.leastSquares = def->leastSquares;
    set.inverse = def->inverse;
    if (!set.inverse.apply && def->block == 1) set.inverse = (snOperator){solveWithFactor, points};
    return snConstraintSet_Make(&points->set, &set, context, error);
}

static bool allocateTargets(snPointConstraints *points, const snPointConstraintsDef *def)
{
    size_t numbers = (size_t)def->capacity * (size_t)points->width;
    points->alpha = def->alpha;
    points->beta = def->beta;
    if (def->alpha == 0 && def->beta == 0) return true;
    points->given = SN_NEW(&points->arena, double, numbers);
    points->before = SN_NEW(&points->arena, double, numbers);
    points->fresh = SN_NEW(&points->arena, int, def->capacity);
    return points->given && points->before && points->fresh;
}

static snStatus makeMultipliers(snPointConstraints *points, const snPointConstraintsDef *def,
                                snError *error)
{
    const snLatticeModel *model = def->model;
    if (def->method == SN_POINTS_PROJECTED) return SN_OK;
    if (model->def.solver != SN_SOLVER_NEWTON || def->lanes != 1)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "Lagrange multipliers go with SN_SOLVER_NEWTON and one body; choose it, or "
                      "SN_POINTS_PROJECTED");
    int width = model->space ? 4 : 3;
    int size = width * (model->space ? model->space->functionCount : model->freeCount);
    return snMultipliers_Make(&points->multipliers, points->set, size, width, &points->arena,
                              error);
}

static snStatus checkDef(const snPointConstraintsDef *def, snError *error)
{
    if (def->lanes < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "constraints for %d lanes; there must be one",
                      def->lanes);
    if (!(def->alpha >= 0 && def->beta >= 0 && isfinite(def->alpha) && isfinite(def->beta)))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "Baumgarte's α is %g 1/s and β %g 1/s²; they must be 0 or more", def->alpha,
                      def->beta);
    if ((def->alpha > 0 || def->beta > 0) && snLatticeModel_Fine(def->model))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "Baumgarte's stabilisation does not go with functions that come and go");
    return SN_OK;
}

static bool allocate(snPointConstraints *points, int capacity)
{
    snArena *arena = &points->arena;
    size_t terms = (size_t)capacity * TERMS;
    points->knownCount = SN_NEW(arena, int, capacity);
    points->knownVertex = SN_NEW(arena, int, terms);
    points->knownWeight = SN_NEW(arena, double, terms);
    points->offset = SN_NEW(arena, double, points->width);
    points->target = SN_NEW(arena, double, points->width);
    points->correct = SN_NEW(arena, double, snConstraintSet_ScratchSize(points->set));
    points->solve = SN_NEW(arena, double, solveSize(points->model));
    return points->knownCount && points->knownVertex && points->knownWeight && points->offset &&
           points->target && points->correct && points->solve;
}

snStatus snPointConstraints_Make(snPointConstraints **out, const snPointConstraintsDef *given,
                                 const snContext *context, snError *error)
{
    snPointConstraintsDef copy = *given, *def = &copy;
    *out = NULL;
    snStatus wrong = checkDef(def, error);
    if (wrong) return wrong;
    snArena arena = snMakeArena(context);
    snPointConstraints *points = SN_NEW(&arena, snPointConstraints, 1);
    if (!points) return snFailMemory(error);
    points->arena = arena;
    points->model = def->model;
    points->lanes = def->lanes;
    points->width = def->lanes == 1 ? 4 : 3 * def->lanes;
    points->foreign = def->block != 0 && def->inverse.apply != NULL;
    suitSolver(def, points);
    snStatus status = makeSet(points, def, context, error);
    if (!status && !(allocate(points, def->capacity) && allocateTargets(points, def)))
        status = snFailMemory(error);
    if (!status) status = makeMultipliers(points, def, error);
    if (!status && points->detailed)
        status = snPointDetails_Make(&points->details, def->model, def->capacity,
                                     points->set->def.mostTerms, &points->arena, error);
    if (!status && def->projector)
        status = snConstraintProjector_Make(&points->projector, points->set, context, error);
    if (status) {
        snPointConstraints_Destroy(points);
        return status;
    }
    *out = points;
    return SN_OK;
}

void snPointConstraints_Destroy(snPointConstraints *points)
{
    if (!points) return;
    snConstraintProjector_Destroy(points->projector);
    snConstraintSet_Destroy(points->set);
    snArena_DestroyWithin(&points->arena);
}

// A point as Σ weight * vertex, in lattice order.
typedef struct Row {
    int count;
    int cell; // -1: at a vertex
    const int *vertex;
    double weight[SN_POINT_TERMS]; // more than TERMS in spaces alone, where no vertex is known
} Row;

// Unknown and known terms of a point, numbered as in the model.
typedef struct Terms {
    int count, knownCount;
    int vertex[SN_POINT_TERMS], knownVertex[TERMS];
    double weight[SN_POINT_TERMS], knownWeight[TERMS];
} Terms;

static Terms splitRow(const snLatticeModel *model, const Row *row)
{
    double all = 0, unknown = 0;
    for (int k = 0; k < row->count; k++) {
        all += fabs(row->weight[k]);
        if (model->indexOf[row->vertex[k]] < model->freeCount) unknown += fabs(row->weight[k]);
    }
    bool onBone = unknown < LEAST_WEIGHT * all;
    Terms terms = {0};
    for (int k = 0; k < row->count; k++) {
        int i = model->indexOf[row->vertex[k]];
        if (row->weight[k] == 0) continue;
        bool known = onBone || i >= model->freeCount;
        int at = known ? terms.knownCount++ : terms.count++;
        (known ? terms.knownVertex : terms.vertex)[at] = i;
        (known ? terms.knownWeight : terms.weight)[at] = row->weight[k];
    }
    return terms;
}

static void aim(snPointConstraints *points, snVec3 rest)
{
    double at[3] = {rest.x, rest.y, rest.z};
    memset(points->target, 0, (size_t)points->width * sizeof(double));
    for (int c = 0; c < 3; c++)
        for (int l = 0; l < points->lanes; l++)
            points->target[c * points->lanes + l] = at[c];
}

static snStatus add(snPointConstraints *points, const snConstraintDef *def, int *handle,
                    snError *error)
{
    snStatus status = snConstraintSet_Add(points->set, def, handle, error);
    if (status || !points->given) return status;
    size_t width = (size_t)points->width, first = (size_t)*handle * width;
    memcpy(points->given + first, points->target, width * sizeof(double));
    points->fresh[*handle] = 1;
    return SN_OK;
}

// Takes the weights that stand in points->sum at the listed functions, and leaves zeros there.
static snStatus attachSum(snPointConstraints *points, const char *name, int count, snVec3 rest,
                          int *handle, snError *error)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        int f = points->terms[k];
        points->packed[kept] = points->sum[f];
        points->terms[kept] = f;
        kept += points->sum[f] != 0;
        points->sum[f] = points->listed[f] = 0;
    }
    aim(points, rest);
    if (kept > points->set->def.mostTerms)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "point \"%s\" hangs on %d functions; the constraints were made for %d",
                      name ? name : "", kept, points->set->def.mostTerms);
    snConstraintDef def = {.name = name,
                           .termCount = kept,
                           .index = points->terms,
                           .weight = points->packed,
                           .target = points->target};
    return add(points, &def, handle, error);
}

// Adds to the weight of a function; returns how many have one.
static int addFunction(snPointConstraints *points, int count, int function, double weight)
{
    if (!points->listed[function]) points->terms[count++] = function;
    points->listed[function] = 1;
    points->sum[function] += weight;
    return count;
}

// A row over vertices as one over functions. Weights that cancel are left out in the end.
static snStatus attachInSpace(snPointConstraints *points, const char *name, const Row *row,
                              int *handle, snError *error)
{
    const snLatticeModel *model = points->model;
    const snWeightRows *rows = &model->space->rows;
    snVec3 rest = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < row->count; k++) {
        int v = model->indexOf[row->vertex[k]];
        rest = snMulAdd(rest, row->weight[k], model->rest[v]);
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
            count = addFunction(points, count, rows->column[i], row->weight[k] * rows->weight[i]);
    }
    snStatus status = attachSum(points, name, count, rest, handle, error);
    if (status || !points->detailed) return status;
    const snWeightRows *fine = &model->space->levels->rows;
    snPointDetails_Release(&points->details, *handle);
    for (int k = 0; k < row->count; k++) {
        int v = model->indexOf[row->vertex[k]];
        for (int i = fine->start[v]; i < fine->start[v + 1]; i++)
            snPointDetails_Add(&points->details, *handle, fine->column[i],
                               row->weight[k] * fine->weight[i]);
    }
    return SN_OK;
}

static snStatus attach(snPointConstraints *points, const char *name, const Row *row, int *handle,
                       snError *error)
{
    const snLatticeModel *model = points->model;
    if (model->space) return attachInSpace(points, name, row, handle, error);
    Terms terms = splitRow(model, row);
    snVec3 rest = snCombine(row->count, row->vertex, row->weight, model->lattice.rest);
    aim(points, rest);
    snConstraintDef def = {.name = name,
                           .termCount = terms.count,
                           .index = terms.vertex,
                           .weight = terms.weight,
                           .target = points->target};
    snStatus status = add(points, &def, handle, error);
    if (status) return status;
    size_t first = (size_t)*handle * TERMS;
    points->knownCount[*handle] = terms.knownCount;
    memcpy(points->knownVertex + first, terms.knownVertex, sizeof terms.knownVertex);
    memcpy(points->knownWeight + first, terms.knownWeight, sizeof terms.knownWeight);
    if (points->detailed) snPointDetails_Attach(&points->details, model, *handle, row->cell, rest);
    return SN_OK;
}

static snBox cellBox(const snLattice *lattice, int cell)
{
    return snBoxOfListed((int)snLattice_Kind(lattice, cell), snLattice_Corners(lattice, cell),
                         lattice->rest);
}

// The cell in which a point is deepest among those whose box, widened by `margin`, holds it; the
// lowest number of equals. -1: none.
static int deepestCell(const snLattice *lattice, snVec3 point, double margin, double *weight)
{
    int best = -1;
    double border = -1e301;
    for (int c = 0; c < lattice->cellCount; c++) {
        double trial[SN_CELL_CORNERS] = {0};
        if (!snBox_Contains(snBox_Grow(cellBox(lattice, c), margin), point)) continue;
        double distance = snCellWeights(lattice, c, point, trial);
        if (!(distance > border)) continue;
        border = distance;
        best = c;
        memcpy(weight, trial, sizeof trial);
    }
    return best;
}

static snStatus findCell(const snLattice *lattice, const char *name, snVec3 point, Row *row,
                         snError *error)
{
    snBox box = snBoxOf(lattice->vertexCount, lattice->rest);
    double size = snBoxDiagonal(box), sum = 0;
    bool near = snIsFinite3(point) && size > 0 && snBox_Contains(snBox_Grow(box, size), point);
    int cell = near ? deepestCell(lattice, point, 0, row->weight) : -1;
    // Widen the search until a cell is met, as embedding a surface does.
    for (double margin = 1e-3 * size; near && cell < 0 && margin < 4 * size; margin *= 2)
        cell = deepestCell(lattice, point, margin, row->weight);
    if (cell >= 0) {
        row->cell = cell;
        row->count = (int)snLattice_Kind(lattice, cell);
        row->vertex = snLattice_Corners(lattice, cell);
    }
    for (int k = 0; k < row->count; k++)
        sum += row->weight[k];
    if (fabs(sum - 1) < 1e-6) return SN_OK;
    return snFail(error, SN_ERROR_GEOMETRY,
                  "point \"%s\" at (%g, %g, %g) is not in the lattice or near it", name ? name : "",
                  point.x, point.y, point.z);
}

snStatus snPointConstraints_Attach(snPointConstraints *points, const char *name, snVec3 rest,
                                   int *handle, snError *error)
{
    Row row = {0};
    *handle = -1;
    snStatus status = findCell(&points->model->lattice, name, rest, &row, error);
    return status ? status : attach(points, name, &row, handle, error);
}

snStatus snPointConstraints_AttachRow(snPointConstraints *points, const char *name,
                                      const snEmbedding *embedding, int row, int *handle,
                                      snError *error)
{
    *handle = -1;
    if (row < 0 || row >= embedding->pointCount)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no point %d among %d embedded ones", row,
                      embedding->pointCount);
    size_t first = (size_t)row * (size_t)embedding->width;
    Row place = {.count = embedding->width,
                 .cell = embedding->cell[row],
                 .vertex = embedding->vertex + first};
    memcpy(place.weight, embedding->weight + first, (size_t)place.count * sizeof(double));
    return attach(points, name, &place, handle, error);
}

snStatus snPointConstraints_AttachVertex(snPointConstraints *points, const char *name, int vertex,
                                         int *handle, snError *error)
{
    Row row = {.count = 1, .cell = -1, .vertex = &vertex, .weight = {1}};
    *handle = -1;
    if (vertex < 0 || vertex >= points->model->lattice.vertexCount)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no vertex %d in a lattice of %d", vertex,
                      points->model->lattice.vertexCount);
    return attach(points, name, &row, handle, error);
}

snStatus snPointConstraints_AttachFunctions(snPointConstraints *points, const char *name,
                                            const snFunctionRow *row, int *handle, snError *error)
{
    const snSpace *space = points->model->space;
    int count = 0;
    *handle = -1;
    if (!space)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "point \"%s\" is to hang on functions, and the body has no space of motions",
                      name ? name : "");
    if (space->levels)
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "point \"%s\" is to hang on functions, which come and go in this body; attach a "
            "place of it",
            name ? name : "");
    for (int k = 0; k < row->count; k++)
        if (row->function[k] < 0 || row->function[k] >= space->functionCount)
            return snFail(error, SN_ERROR_ARGUMENT, "there is no function %d in a space of %d",
                          row->function[k], space->functionCount);
    for (int k = 0; k < row->count; k++)
        count = addFunction(points, count, space->indexOf[row->function[k]], row->weight[k]);
    return attachSum(points, name, count, row->rest, handle, error);
}

snStatus snPointConstraints_Move(snPointConstraints *points, int handle, int lane, snVec3 target,
                                 snError *error)
{
    size_t width = (size_t)points->width;
    if (!snConstraintSet_Has(points->set, handle) || lane < 0 || lane >= points->lanes)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no point %d of lane %d to move", handle,
                      lane);
    double *given = points->given ? points->given : points->set->target;
    memcpy(points->target, given + (size_t)handle * width, width * sizeof(double));
    points->target[lane] = target.x;
    points->target[points->lanes + lane] = target.y;
    points->target[2 * points->lanes + lane] = target.z;
    snStatus status = snConstraintSet_Move(points->set, handle, points->target, NULL, error);
    if (!status && points->given)
        memcpy(given + (size_t)handle * width, points->target, width * sizeof(double));
    return status;
}

snStatus snPointConstraints_Release(snPointConstraints *points, int handle, snError *error)
{
    snStatus status = snConstraintSet_Remove(points->set, handle, error);
    if (status) return status;
    points->knownCount[handle] = 0;
    memset(points->knownVertex + (size_t)handle * TERMS, 0, TERMS * sizeof(int));
    memset(points->knownWeight + (size_t)handle * TERMS, 0, TERMS * sizeof(double));
    if (points->detailed) snPointDetails_Release(&points->details, handle);
    return SN_OK;
}

// value[width] += what the known vertices add.
static void addKnown(const snPointConstraints *points, const double *position, int handle,
                     double *value)
{
    size_t width = (size_t)points->width;
    for (int k = 0; k < points->knownCount[handle]; k++) {
        size_t at = (size_t)handle * TERMS + (size_t)k;
        const double *p = position + (size_t)points->knownVertex[at] * width;
        for (size_t i = 0; i < width; i++)
            value[i] += points->knownWeight[at] * p[i];
    }
}

bool snPointConstraints_Climb(snPointConstraints *points, const snLatticeModel *rung)
{
    if (points->model == rung) return true;
    if (points->foreign) return false;
    points->model = rung;
    if (points->detailed) { // once the border is of this rung: snPointDetails_Update
        memset(points->details.current, 0, (size_t)points->set->def.capacity);
        return true;
    }
    return snConstraintSet_Refresh(points->set, NULL) == SN_OK;
}

int snPointConstraints_Begin(snPointConstraints *points, const snLatticeState *state,
                             const double *rig)
{
    snConstraintSet *set = points->set;
    size_t width = (size_t)points->width;
    for (int p = 0; p < *set->count; p++) {
        int handle = set->order[p];
        memset(points->offset, 0, width * sizeof(double));
        addKnown(points, rig, handle, points->offset);
        memcpy(points->target, set->target + (size_t)handle * width, width * sizeof(double));
        if (points->given && state) snPointConstraints_Aim(points, state, handle, points->target);
        if (snConstraintSet_Move(set, handle, points->target, points->offset, NULL)) return -1;
    }
    if (points->detailed && state &&
        !snPointDetails_Update(&points->details, points->model, set, state))
        return -1;
    int conflicts = snConstraintSet_Prepare(set);
    bool changed = set->rowsFactored != points->seenRows || set->kept != points->seenKept;
    if (points->projector && changed) snConstraintProjector_Update(points->projector, NULL);
    points->seenRows = set->rowsFactored;
    points->seenKept = set->kept;
    if (points->multipliers) snMultipliers_Reset(points->multipliers);
    return conflicts;
}

void snPointConstraints_Correct(snPointConstraints *points, double *position)
{
    snConstraintSet_Correct(points->set, points->set->right, position, points->correct);
}

void snPointConstraints_Project(snPointConstraints *points, double *direction)
{
    snConstraintSet_Correct(points->set, NULL, direction, points->correct);
}

void snPointConstraints_Start(snPointConstraints *points, double *position)
{
    SN_ASSERT(points->projector);
    snConstraintProjector_Start(points->projector, points->set->right, position);
}

snProjection snPointConstraints_Projection(snPointConstraints *points, int width)
{
    SN_ASSERT(points->projector);
    return snProjection_FromConstraints(points->projector, width);
}

snVec3 snPointConstraints_Residual(const snPointConstraints *points, const double *position,
                                   int handle, int lane)
{
    const snConstraintSet *set = points->set;
    size_t width = (size_t)points->width, known = (size_t)handle * TERMS;
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    const double *target = (points->given ? points->given : set->target) + (size_t)handle * width;
    double miss[3];
    for (int c = 0; c < 3; c++) {
        size_t at = (size_t)(c * points->lanes + lane);
        miss[c] = -target[at];
        for (int k = 0; k < set->termCount[handle]; k++)
            miss[c] += set->weight[first + (size_t)k] *
                       position[(size_t)set->index[first + (size_t)k] * width + at];
        for (int k = 0; k < points->knownCount[handle]; k++)
            miss[c] += points->knownWeight[known + (size_t)k] *
                       position[(size_t)points->knownVertex[known + (size_t)k] * width + at];
    }
    return snVec(miss[0], miss[1], miss[2]);
}

double snPointConstraints_Farthest(const snPointConstraints *points, const double *values)
{
    double most = 0;
    for (int p = 0; p < snPointConstraints_CountOf(points); p++) {
        int handle = snPointConstraints_HandleOf(points, p);
        most = fmax(most, snLength(snPointConstraints_Residual(points, values, handle, 0)));
    }
    return most;
}

// Bytes: the set's, then known terms, then those of details.
#define PARTS 6
typedef struct Part {
    void *data;
    size_t size;
} Part;

static int listParts(const snPointConstraints *points, Part parts[PARTS])
{
    size_t capacity = (size_t)points->set->def.capacity;
    const snPointDetails *d = &points->details;
    parts[0] = (Part){points->knownWeight, capacity * TERMS * sizeof(double)};
    parts[1] = (Part){points->knownVertex, capacity * TERMS * sizeof(int)};
    parts[2] = (Part){points->knownCount, capacity * sizeof(int)};
    if (points->given) { // without details
        size_t numbers = capacity * (size_t)points->width;
        parts[3] = (Part){points->given, numbers * sizeof(double)};
        parts[4] = (Part){points->before, numbers * sizeof(double)};
        parts[5] = (Part){points->fresh, capacity * sizeof(int)};
        return 6;
    }
    if (!points->detailed) return 3;
    parts[3] = (Part){d->weight, capacity * (size_t)d->most * sizeof(double)};
    parts[4] = (Part){d->detail, capacity * (size_t)d->most * sizeof(int)};
    parts[5] = (Part){d->count, capacity * sizeof(int)};
    return 6;
}

size_t snPointConstraints_SaveSize(const snPointConstraints *points)
{
    Part parts[PARTS];
    size_t size = points->set->blockSize;
    for (int k = listParts(points, parts) - 1; k >= 0; k--)
        size += parts[k].size;
    return size;
}

void snPointConstraints_Save(const snPointConstraints *points, void *bytes)
{
    Part parts[PARTS];
    char *at = (char *)bytes + points->set->blockSize;
    int count = listParts(points, parts);
    snConstraintSet_Save(points->set, bytes);
    for (int k = 0; k < count; k++) {
        memcpy(at, parts[k].data, parts[k].size);
        at += parts[k].size;
    }
}

// Terms that the model has.
static bool areGood(int count, int most, int limit, const int *index, const double *weight)
{
    bool good = count >= 0 && count <= most;
    for (int t = 0; t < most && good; t++)
        good = index[t] >= 0 && index[t] < limit && isfinite(weight[t]);
    return good;
}

static bool partsAreGood(const snPointConstraints *points)
{
    const snPointDetails *d = &points->details;
    bool good = true;
    for (int k = 0; k < points->set->def.capacity && good; k++) {
        size_t at = (size_t)k * TERMS, fine = (size_t)k * (size_t)d->most;
        good = areGood(points->knownCount[k], TERMS, points->model->vertexCount,
                       points->knownVertex + at, points->knownWeight + at);
        if (good && points->detailed && d->count[k])
            good = areGood(d->count[k], d->most, snLatticeModel_Fine(points->model)->count,
                           d->detail + fine, d->weight + fine);
    }
    return good;
}

snStatus snPointConstraints_Restore(snPointConstraints *points, const void *bytes, snError *error)
{
    Part parts[PARTS];
    const char *at = (const char *)bytes + points->set->blockSize;
    snStatus status = snConstraintSet_Restore(points->set, bytes, error);
    if (status) return status;
    int count = listParts(points, parts);
    for (int k = 0; k < count; k++) {
        memcpy(parts[k].data, at, parts[k].size);
        at += parts[k].size;
    }
    if (points->detailed) // columns may be of other details
        memset(points->details.current, 0, (size_t)points->set->def.capacity);
    if (partsAreGood(points)) return SN_OK;
    memset(points->knownCount, 0, parts[2].size);
    if (points->detailed) memset(points->details.count, 0, parts[5].size);
    return snFail(error, SN_ERROR_FORMAT, "these bytes are not saved points of this body");
}
