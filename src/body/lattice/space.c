#include "body/lattice/space_levels.h"

#include "body/lattice/cells.h"
#include "body/lattice/rows.h"
#include "core/error.h"
#include "core/tasks.h"
#include "numerics/galerkin.h"

#include <string.h>

#define GRAIN 128     // rows per piece of a parallel loop
#define REFINEMENTS 2 // of a fit: hierarchical functions are far from orthogonal

// ---- rows ---------------------------------------------------------------------------------------

static snStatus check(const snWeightRows *space, int vertexCount, snError *error)
{
    snError inner = {0};
    if (snWeightRows_Check(space, &inner) || space->rows != vertexCount)
        return snFail(error, SN_ERROR_ARGUMENT, "the space of %d vertices has %d rows%s%s",
                      vertexCount, space->rows, inner.message[0] ? "; " : "", inner.message);
    if (space->columns > vertexCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a space of %d functions for %d vertices: some of them depend on others",
                      space->columns, vertexCount);
    return SN_OK;
}

// B with functions numbered anew, rows ascending again: both ways of the transposed.
static snStatus renumber(snSpace *space, const snWeightRows *columns, int vertexCount,
                         snArena *arena, snError *error)
{
    int n = space->functionCount, count = 0;
    snWeightRows to;
    snStatus status =
        snWeightRows_Make(&to, n, vertexCount, (size_t)columns->start[n], arena, error);
    if (status) return status;
    for (int i = 0; i < n; i++) {
        int f = space->functionOf[i];
        for (int k = columns->start[f]; k < columns->start[f + 1]; k++, count++) {
            to.column[count] = columns->column[k];
            to.weight[count] = columns->weight[k];
        }
        to.start[i + 1] = count;
    }
    space->columns = to;
    return snWeightRows_Transpose(&space->rows, &space->columns, arena, error);
}

// ---- Bᵀ M B -------------------------------------------------------------------------------------

snStatus snSpace_Product(snSparse *product, const snSparse *matrix, const snLatticeModel *model,
                         snArena *arena, snError *error)
{
    return snGalerkin_Sparse(product, matrix, &model->space->rows, &model->context.tasks, arena,
                             error);
}

// A_q = Bᵀ A B and BᵀB, over one pattern.
typedef struct Pair {
    snSparse matrix, gram;
} Pair;

static snStatus makePair(Pair *pair, const snSparse *matrix, const snWeightRows *b,
                         const snTasks *tasks, snArena *scratch, snError *error)
{
    snSparse one;
    snRowMatrix fine, coarse;
    snGalerkin product;
    snStatus status = snSparse_Make(&one, &matrix->pattern, matrix->block, scratch, error);
    if (!status) status = snRowMatrix_FromSparse(&fine, matrix, NULL, scratch, error);
    if (!status) status = snGalerkin_Make(&product, &coarse, &fine, b, NULL, scratch, error);
    if (!status) status = snRowMatrix_Lower(&pair->matrix, &coarse, scratch, error);
    if (!status)
        status = snSparse_Make(&pair->gram, &pair->matrix.pattern, matrix->block, scratch, error);
    if (status) return status;
    for (int c = 0; c < one.pattern.size; c++)
        one.values[one.pattern.columnStart[c]] = 1;
    snRowMatrix_Load(&fine, matrix);
    snGalerkin_Compute(&product, &coarse, tasks);
    snRowMatrix_StoreLower(&coarse, &pair->matrix);
    snRowMatrix_Load(&fine, &one);
    snGalerkin_Compute(&product, &coarse, tasks);
    snRowMatrix_StoreLower(&coarse, &pair->gram);
    return SN_OK;
}

// ---- building -----------------------------------------------------------------------------------

static snStatus makeFactor(snFactor **factor, const snSparse *matrix, const snSymbolic *symbolic,
                           snArena *arena, snError *error)
{
    snError inner = {0};
    snStatus status = snFactor_Make(factor, symbolic, arena, error);
    if (status) return status;
    status = snFactor_Compute(*factor, matrix, &inner);
    if (status == SN_ERROR_NUMERIC)
        return snFail(error, status,
                      "functions of the space depend on each other on the lattice's vertices (%s)",
                      inner.message);
    return status ? snFail(error, status, "%s", inner.message) : SN_OK;
}

static snStatus checkColumns(const snWeightRows *columns, int count, snError *error)
{
    for (int f = 0; f < count; f++)
        if (columns->start[f] == columns->start[f + 1])
            return snFail(error, SN_ERROR_ARGUMENT,
                          "function %d of the space is zero at every vertex; leave it out", f);
    return SN_OK;
}

// The coefficients of 1: BᵀB q = Bᵀ1, refined.
static snStatus findOne(snLatticeModel *model, snArena *scratch, snError *error)
{
    snSpace *space = model->space;
    int n = space->functionCount, vertices = model->lattice.vertexCount;
    double *change = SN_NEW(scratch, double, n);
    double *solve = SN_NEW(scratch, double, snFactor_ScratchSize(space->gram, 1));
    space->one = SN_NEW(&model->arena, double, n);
    if (!change || !solve || !space->one) return snFailMemory(error);
    for (int round = 0; round <= REFINEMENTS; round++) {
        memset(change, 0, (size_t)n * sizeof *change);
        for (int v = 0; v < vertices; v++) {
            double miss = 1;
            for (int k = space->rows.start[v]; k < space->rows.start[v + 1]; k++)
                miss -= space->rows.weight[k] * space->one[space->rows.column[k]];
            for (int k = space->rows.start[v]; k < space->rows.start[v + 1]; k++)
                change[space->rows.column[k]] += space->rows.weight[k] * miss;
        }
        snFactor_SolveOrdered(space->gram, 1, change, solve);
        for (int i = 0; i < n; i++)
            space->one[i] += change[i];
    }
    return SN_OK;
}

// Functions first as they come, then in the order of elimination.
snStatus snSpace_Build(snLatticeModel *model, const snSparse *matrix, const snWeightRows *rows,
                       snArena *scratch, snError *error)
{
    snArena *arena = &model->arena;
    int vertices = model->lattice.vertexCount, count = rows->columns;
    snSpace *space = model->space = SN_NEW(arena, snSpace, 1);
    if (!space) return snFailMemory(error);
    snStatus status = check(rows, vertices, error);
    if (status) return status;
    snWeightRows columns;
    status = snWeightRows_Transpose(&columns, rows, scratch, error);
    if (!status) status = checkColumns(&columns, count, error);
    Pair product;
    snSymbolic *symbolic;
    if (!status) status = makePair(&product, matrix, rows, &model->context.tasks, scratch, error);
    snOrdering ordering = count > SN_LARGE ? SN_ORDER_AUTO : SN_ORDER_AMD;
    if (!status)
        status = snSymbolic_Make(&symbolic, &product.matrix.pattern, 1, ordering, arena, error);
    if (!status) status = makeFactor(&space->gram, &product.gram, symbolic, arena, error);
    if (!status) status = makeFactor(&model->factor, &product.matrix, symbolic, arena, error);
    if (status) return status;
    model->symbolic = symbolic;
    model->factorNonZeros = snSymbolic_NonZeros(symbolic);
    space->functionCount = count;
    space->functionOf = SN_COPY(arena, int, snSymbolic_Order(symbolic), count);
    space->indexOf = SN_NEW(arena, int, count);
    if (!space->functionOf || !space->indexOf) return snFailMemory(error);
    for (int i = 0; i < count; i++)
        space->indexOf[space->functionOf[i]] = i;
    status = renumber(space, &columns, vertices, arena, error);
    return status ? status : findOne(model, scratch, error);
}

// The finest prolongation has its rows renumbered.
static snStatus copyFinest(snWeightRows *to, const snWeightRows *from, const snSpace *space,
                           snArena *arena, snError *error)
{
    int count = 0;
    snStatus status = snWeightRows_Make(to, from->rows, from->columns,
                                        (size_t)from->start[from->rows], arena, error);
    if (status) return status;
    for (int i = 0; i < from->rows; i++) {
        int f = space->functionOf[i];
        for (int k = from->start[f]; k < from->start[f + 1]; k++, count++) {
            to->column[count] = from->column[k];
            to->weight[count] = from->weight[k];
        }
        to->start[i + 1] = count;
    }
    return SN_OK;
}

snStatus snSpace_TakeNested(snLatticeModel *model, const snLatticeModelDef *def, snError *error)
{
    const snNested *from = def->nested;
    bool wanted = def->newton == SN_NEWTON_MULTIGRID,
         have = from && from->levels > 1 && !def->spaceLevels;
    const snSpace *space = model->space;
    if (wanted && (!space || !have || def->solver != SN_SOLVER_NEWTON))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "multigrid goes with SN_SOLVER_NEWTON in a space that has others inside, such "
            "as a trilinear solid of level 1 and up");
    bool large = space && space->functionCount >= SN_NEWTON_LARGE;
    if (!have || !space || def->solver != SN_SOLVER_NEWTON || !(wanted || large) ||
        def->newton == SN_NEWTON_FACTOR)
        return SN_OK;
    int finest = from->levels - 2;
    if (from->prolongations[finest].rows != space->functionCount)
        return snFail(error, SN_ERROR_ARGUMENT, "nested spaces end with %d functions, not %d",
                      from->prolongations[finest].rows, space->functionCount);
    snWeightRows *to = SN_NEW(&model->arena, snWeightRows, from->levels - 1);
    snStatus status = to ? SN_OK : snFailMemory(error);
    for (int j = 0; j < finest && !status; j++)
        status = snWeightRows_Copy(&to[j], &from->prolongations[j], &model->arena, error);
    if (!status)
        status = copyFinest(&to[finest], &from->prolongations[finest], space, &model->arena, error);
    if (!status) model->nested = (snNested){from->levels, to};
    return status;
}

snStatus snSpace_Factor(snLatticeModel *model, const snSparse *matrix, const snWeightRows *rows,
                        snArena *scratch, snError *error)
{
    snSparse product;
    snStatus status =
        snGalerkin_Sparse(&product, matrix, rows, &model->context.tasks, scratch, error);
    return status ? status
                  : makeFactor(&model->factor, &product, model->symbolic, &model->arena, error);
}

int snSpace_Constant(const snSpace *space)
{
    return space->functionCount - (space->levels ? space->levels->fine.slotCount : 0);
}

// ---- back and forth -----------------------------------------------------------------------------

typedef struct Combination {
    const snVectorKernels *kernels;
    const snCombination *of;
} Combination;

static void combinePiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snVectorKernels *kernels = ((const Combination *)context)->kernels;
    const snCombination *c = ((const Combination *)context)->of;
    if (!c->list) kernels->combine(c->rows, begin, end, c->x, c->y);
    for (int i = begin; i < end && c->list; i++)
        kernels->combine(c->rows, c->list[i], c->list[i] + 1, c->x, c->y);
}

void snSpace_Combine(const snLatticeModel *model, int count, const snCombination *c)
{
    Combination task = {model->vectors, c};
    snParallelFor(&model->context.tasks, count, GRAIN, combinePiece, &task);
}

void snSpace_Push(const snLatticeModel *model, const snLatticeState *state, const double *q,
                  double *y)
{
    if (model->space->levels)
        snSpaceLevels_Push(model, state, q, y);
    else
        snSpace_Combine(model, model->vertexCount,
                        &(snCombination){.rows = &model->space->rows, .x = q, .y = y});
}

void snSpace_Pull(const snLatticeModel *model, const snLatticeState *state, const double *g,
                  double *p)
{
    if (model->space->levels)
        snSpaceLevels_Pull(model, state, g, p);
    else
        snSpace_Combine(model, model->space->functionCount,
                        &(snCombination){.rows = &model->space->columns, .x = g, .y = p});
}

// What only a space of levels does in ways of its own.
typedef void Carry(const snLatticeModel *model, const snLatticeState *state, const double *from,
                   double *to);
static Carry *choose(const snLatticeModel *model, Carry *ofLevels, Carry *plain)
{
    return model->space->levels ? ofLevels : plain;
}

void snSpace_Show(const snLatticeModel *model, const snLatticeState *state, const double *q,
                  double *y)
{
    choose(model, snSpaceLevels_PushListed, snSpace_Push)(model, state, q, y);
}

void snSpace_Gather(const snLatticeModel *model, const snLatticeState *state, const double *g,
                    double *p)
{
    choose(model, snSpaceLevels_PullListed, snSpace_Pull)(model, state, g, p);
}

void snSpace_PushTouched(const snLatticeModel *model, const snLatticeState *state, const double *q,
                         double *y)
{
    choose(model, snSpaceLevels_PushTouched, snSpace_Push)(model, state, q, y);
}

void snSpace_PullTouched(const snLatticeModel *model, const snLatticeState *state,
                         const double *load, double *p)
{
    choose(model, snSpaceLevels_PullTouched, snSpace_Pull)(model, state, load, p);
}

const snWeightRows *snSpace_Rows(const snLatticeModel *model, const snLatticeState *state)
{
    return model->space->levels ? &state->space.rows : &model->space->rows;
}

// Functions that come and go keep their coefficients: what they do is taken off first.
void snSpace_Fit(const snLatticeModel *model, snLatticeState *state, const double *y, double *q)
{
    size_t count = (size_t)model->vertexCount * 4;
    int unknowns = snSpace_Constant(model->space) * 4;
    double *miss = state->wide, *change = state->direction;
    memset(q, 0, (size_t)unknowns * sizeof *q);
    for (int round = 0; round <= REFINEMENTS; round++) {
        snSpace_Push(model, state, q, miss);
        for (size_t k = 0; k < count; k++)
            miss[k] = y[k] - miss[k];
        snSpace_Pull(model, state, miss, change);
        snFactor_SolveRows(model->space->gram, change, state->solve);
        for (int k = 0; k < unknowns; k++)
            q[k] += change[k];
    }
}

void snSpace_Settle(const snLatticeModel *model, snLatticeState *state)
{
    if (!model->space) return;
    if (model->space->levels) snSpaceLevels_Update(model, state);
    snSpace_Fit(model, state, state->position, state->coefficient);
    snSpace_Fit(model, state, state->velocity, state->coefficientVelocity);
    snSpace_Push(model, state, state->coefficient, state->position);
    snSpace_Push(model, state, state->coefficientVelocity, state->velocity);
}

// ---- in a step ----------------------------------------------------------------------------------

void snSpace_Predict(const snLatticeModel *model, snLatticeState *state)
{
    double h = model->def.step, shift[4] = {0};
    if (model->space->levels) snSpaceLevels_Update(model, state);
    for (int k = 0; k < 4 * model->vertexCount && model->totalMass > 0; k++)
        shift[k % 4] += model->mass[k / 4] / model->totalMass *
                        (state->next[k] - state->position[k] - h * state->velocity[k]);
    for (int k = 0; k < 4 * model->space->functionCount; k++)
        state->nextCoefficient[k] = state->coefficient[k] + h * state->coefficientVelocity[k] +
                                    shift[k % 4] * model->space->one[k / 4];
    if (model->space->levels)
        snSpaceLevels_Predict(model, state, shift);
    else
        snSpace_Push(model, state, state->nextCoefficient, state->next);
}

void snSpace_Advance(const snLatticeModel *model, snLatticeState *state)
{
    double inverse = 1.0 / model->def.step;
    for (int k = 0; k < 4 * model->space->functionCount; k++) {
        double next = state->nextCoefficient[k];
        state->coefficientVelocity[k] = (next - state->coefficient[k]) * inverse;
        state->coefficient[k] = next;
    }
}

// ---- for any model ------------------------------------------------------------------------------

size_t snLatticeModel_SolveSize(const snLatticeModel *model)
{
    size_t size = snFactor_ScratchSize(model->factor, 4);
    return model->space ? size + 4 * (size_t)model->space->functionCount : size;
}

void snLatticeModel_SolveRows(const snLatticeModel *model, double *x, double *scratch)
{
    if (!model->space) {
        snFactor_SolveRows(model->factor, x, scratch);
        return;
    }
    const snSpace *space = model->space; // in pieces of its own, as this may be inside a task
    int functions = snSpace_Constant(space);
    size_t count = 4 * (size_t)functions;
    model->vectors->combine(&space->columns, 0, functions, x, scratch);
    snFactor_SolveRows(model->factor, scratch, scratch + count);
    model->vectors->combine(&space->rows, 0, model->vertexCount, scratch, x);
}
