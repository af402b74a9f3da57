#include "body/lattice/space.h"

#include "body/lattice/cells.h"
#include "core/array.h"
#include "core/error.h"
#include "core/tasks.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN 256     // rows per piece of a parallel loop
#define REFINEMENTS 2 // of a fit: hierarchical functions are far from orthogonal

// ---- rows ---------------------------------------------------------------------------------------

static snStatus allocRows(snWeightRows *rows, int count, int entries, snArena *arena,
                          snError *error)
{
    rows->start = SN_NEW(arena, int, count + 2);
    rows->vertex = SN_NEW(arena, int, entries);
    rows->weight = SN_NEW(arena, double, entries);
    return rows->start && rows->vertex && rows->weight ? SN_OK : snFailMemory(error);
}

// The rows of the transposed matrix, ascending inside a row.
static snStatus transpose(snWeightRows *out, const snWeightRows *rows, int rowCount,
                          int columnCount, snArena *arena, snError *error)
{
    int entries = rows->start[rowCount];
    snStatus status = allocRows(out, columnCount, entries, arena, error);
    if (status) return status;
    for (int k = 0; k < entries; k++)
        out->start[rows->vertex[k] + 2]++;
    for (int c = 0; c < columnCount; c++)
        out->start[c + 2] += out->start[c + 1];
    for (int r = 0; r < rowCount; r++)
        for (int k = rows->start[r]; k < rows->start[r + 1]; k++) {
            int place = out->start[rows->vertex[k] + 1]++;
            out->vertex[place] = r;
            out->weight[place] = rows->weight[k];
        }
    return SN_OK;
}

static snStatus check(const snWeightRows *space, int vertexCount, int *functionCount,
                      snError *error)
{
    *functionCount = 0;
    for (int v = 0; v < vertexCount; v++)
        for (int k = space->start[v]; k < space->start[v + 1]; k++) {
            if (space->vertex[k] < 0 || !isfinite(space->weight[k]))
                return snFail(error, SN_ERROR_ARGUMENT,
                              "vertex %d has the weight %g for function %d of its space", v,
                              space->weight[k], space->vertex[k]);
            if (space->vertex[k] >= *functionCount) *functionCount = space->vertex[k] + 1;
        }
    if (*functionCount > vertexCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a space of %d functions for %d vertices: some of them depend on others",
                      *functionCount, vertexCount);
    return SN_OK;
}

// B with functions numbered anew, rows ascending again: both ways of the transposed.
static snStatus renumber(snSpace *space, const snWeightRows *columns, int vertexCount,
                         snArena *arena, snError *error)
{
    int n = space->functionCount, count = 0;
    snStatus status = allocRows(&space->columns, n, columns->start[n], arena, error);
    if (status) return status;
    for (int i = 0; i < n; i++) {
        int f = space->functionOf[i];
        for (int k = columns->start[f]; k < columns->start[f + 1]; k++, count++) {
            space->columns.vertex[count] = columns->vertex[k];
            space->columns.weight[count] = columns->weight[k];
        }
        space->columns.start[i + 1] = count;
    }
    return transpose(&space->rows, &space->columns, n, vertexCount, arena, error);
}

// ---- Bᵀ M B -------------------------------------------------------------------------------------

// A symmetric matrix by whole rows: entry k of the lower triangle, or ~k for its transpose.
typedef struct Whole {
    const snSparse *matrix;
    int *start, *other, *entry;
} Whole;

static snStatus makeWhole(Whole *whole, const snSparse *matrix, snArena *scratch, snError *error)
{
    const snPattern *p = &matrix->pattern;
    int n = p->size, entries = p->columnStart[n];
    whole->matrix = matrix;
    whole->start = SN_NEW(scratch, int, n + 2);
    whole->other = SN_NEW(scratch, int, 2 * (size_t)entries);
    whole->entry = SN_NEW(scratch, int, 2 * (size_t)entries);
    if (!whole->start || !whole->other || !whole->entry) return snFailMemory(error);
    for (int c = 0; c < n; c++)
        for (int k = p->columnStart[c]; k < p->columnStart[c + 1]; k++) {
            whole->start[c + 2]++;
            if (p->row[k] != c) whole->start[p->row[k] + 2]++;
        }
    for (int c = 0; c < n; c++)
        whole->start[c + 2] += whole->start[c + 1];
    for (int c = 0; c < n; c++)
        for (int k = p->columnStart[c]; k < p->columnStart[c + 1]; k++) {
            int r = p->row[k], at = whole->start[c + 1]++;
            whole->other[at] = r;
            whole->entry[at] = k;
            if (r == c) continue;
            at = whole->start[r + 1]++;
            whole->other[at] = c;
            whole->entry[at] = ~k;
        }
    return SN_OK;
}

// A sparse vector of blocks, and where it is not zero.
typedef struct Heap {
    int count;
    int *list;
    unsigned char *marked;
    double *value;
} Heap;

static snStatus makeHeap(Heap *heap, int size, int area, snArena *scratch, snError *error)
{
    heap->list = SN_NEW(scratch, int, size);
    heap->marked = SN_NEW(scratch, unsigned char, size);
    heap->value = SN_NEW(scratch, double, (size_t)size *(size_t)area);
    return heap->list && heap->marked && heap->value ? SN_OK : snFailMemory(error);
}

static double *heapAt(Heap *heap, int i, int area)
{
    if (!heap->marked[i]) heap->list[heap->count++] = i;
    heap->marked[i] = 1;
    return heap->value + (size_t)i * (size_t)area;
}

static void emptyHeap(Heap *heap, int area)
{
    for (int k = 0; k < heap->count; k++) {
        heap->marked[heap->list[k]] = 0;
        memset(heap->value + (size_t)heap->list[k] * (size_t)area, 0,
               (size_t)area * sizeof(double));
    }
    heap->count = 0;
}

// to += s M(row, column); ~entry stands for the transpose.
static void addEntry(double *to, const snSparse *matrix, int entry, double s)
{
    int block = matrix->block, area = block * block, k = entry < 0 ? ~entry : entry;
    const double *from = matrix->values + (size_t)k * (size_t)area;
    for (int i = 0; i < block; i++)
        for (int j = 0; j < block; j++)
            to[block * i + j] += s * from[entry < 0 ? block * j + i : block * i + j];
}

static int compareInts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Column c of Bᵀ M B from its diagonal on: u = M b_c over vertices, then Bᵀ u over functions.
static void multiplyColumn(const Whole *whole, const snSpace *space, int c, Heap *u, Heap *v)
{
    int area = whole->matrix->block * whole->matrix->block;
    const snWeightRows *columns = &space->columns, *rows = &space->rows;
    for (int k = columns->start[c]; k < columns->start[c + 1]; k++) {
        int j = columns->vertex[k]; // M is symmetric: column j is row j transposed
        for (int m = whole->start[j]; m < whole->start[j + 1]; m++)
            addEntry(heapAt(u, whole->other[m], area), whole->matrix, whole->entry[m],
                     columns->weight[k]);
    }
    heapAt(v, c, area);
    for (int k = 0; k < u->count; k++) {
        int i = u->list[k];
        const double *from = u->value + (size_t)i * (size_t)area;
        for (int m = rows->start[i]; m < rows->start[i + 1]; m++) {
            if (rows->vertex[m] < c) continue;
            double *to = heapAt(v, rows->vertex[m], area);
            for (int e = 0; e < area; e++)
                to[e] += rows->weight[m] * from[e];
        }
    }
    qsort(v->list, (size_t)v->count, sizeof *v->list, compareInts);
}

typedef struct Columns {
    SN_ARRAY(int) row;
    SN_ARRAY(double) value;
} Columns;

static bool pushColumn(Columns *columns, const snAllocator *allocator, const Heap *v, int area)
{
    for (int k = 0; k < v->count; k++) {
        if (!snArray_Push(allocator, &columns->row, v->list[k])) return false;
        for (int e = 0; e < area; e++)
            if (!snArray_Push(allocator, &columns->value,
                              v->value[(size_t)v->list[k] * (size_t)area + (size_t)e]))
                return false;
    }
    return true;
}

snStatus snSpace_Product(snSparse *product, const snSparse *matrix, const snSpace *space,
                         snArena *arena, snArena *scratch, snError *error)
{
    int n = space->functionCount, area = matrix->block * matrix->block;
    const snAllocator *allocator = &scratch->allocator;
    Whole whole;
    Heap u = {0}, v = {0};
    Columns columns = {0};
    snStatus status = makeWhole(&whole, matrix, scratch, error);
    if (!status) status = makeHeap(&u, matrix->pattern.size, area, scratch, error);
    if (!status) status = makeHeap(&v, n, area, scratch, error);
    int *start = SN_NEW(arena, int, n + 1);
    if (!status && !start) status = snFailMemory(error);
    for (int c = 0; c < n && !status; c++) {
        multiplyColumn(&whole, space, c, &u, &v);
        if (!pushColumn(&columns, allocator, &v, area)) status = snFailMemory(error);
        start[c + 1] = columns.row.count;
        emptyHeap(&u, area);
        emptyHeap(&v, area);
    }
    if (!status) {
        *product = (snSparse){.block = matrix->block};
        product->pattern =
            (snPattern){n, start, SN_COPY(arena, int, columns.row.data, columns.row.count)};
        product->values = SN_COPY(arena, double, columns.value.data, columns.value.count);
        if (!product->pattern.row || !product->values) status = snFailMemory(error);
    }
    snArray_Free(allocator, &columns.row);
    snArray_Free(allocator, &columns.value);
    return status;
}

// ---- building -----------------------------------------------------------------------------------

// BᵀB over the pattern of A_q.
static snStatus makeGram(snSparse *gram, const snSparse *matrix, const snSpace *space,
                         snArena *scratch, snError *error)
{
    const snPattern *p = &matrix->pattern;
    snSparse one;
    snStatus status = snSparse_Make(&one, p, 1, scratch, error);
    for (int c = 0; c < p->size && !status; c++)
        one.values[p->columnStart[c]] = 1;
    return status ? status : snSpace_Product(gram, &one, space, scratch, scratch, error);
}

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

static snStatus factorGram(snSpace *space, const snSparse *matrix, const snSymbolic *symbolic,
                           snArena *arena, snArena *scratch, snError *error)
{
    snSparse gram;
    snStatus status = makeGram(&gram, matrix, space, scratch, error);
    return status ? status : makeFactor(&space->gram, &gram, symbolic, arena, error);
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
                miss -= space->rows.weight[k] * space->one[space->rows.vertex[k]];
            for (int k = space->rows.start[v]; k < space->rows.start[v + 1]; k++)
                change[space->rows.vertex[k]] += space->rows.weight[k] * miss;
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
    int vertices = model->lattice.vertexCount, count;
    snSpace *space = model->space = SN_NEW(arena, snSpace, 1);
    if (!space) return snFailMemory(error);
    snStatus status = check(rows, vertices, &count, error);
    if (status) return status;
    snSpace plain = {.functionCount = count, .rows = *rows};
    status = transpose(&plain.columns, rows, vertices, count, scratch, error);
    if (!status) status = checkColumns(&plain.columns, count, error);
    snSparse product;
    snSymbolic *symbolic;
    if (!status) status = snSpace_Product(&product, matrix, &plain, scratch, scratch, error);
    snOrdering ordering = count > SN_LARGE ? SN_ORDER_AUTO : SN_ORDER_AMD;
    if (!status) status = snSymbolic_Make(&symbolic, &product.pattern, 1, ordering, arena, error);
    if (!status) status = factorGram(&plain, matrix, symbolic, arena, scratch, error);
    if (!status) status = makeFactor(&model->factor, &product, symbolic, arena, error);
    if (status) return status;
    model->factorNonZeros = snSymbolic_NonZeros(symbolic);
    space->functionCount = count;
    space->gram = plain.gram;
    space->functionOf = SN_COPY(arena, int, snSymbolic_Order(symbolic), count);
    space->indexOf = SN_NEW(arena, int, count);
    if (!space->functionOf || !space->indexOf) return snFailMemory(error);
    for (int i = 0; i < count; i++)
        space->indexOf[space->functionOf[i]] = i;
    status = renumber(space, &plain.columns, vertices, arena, error);
    return status ? status : findOne(model, scratch, error);
}

// ---- back and forth -----------------------------------------------------------------------------

typedef struct Combination {
    const snVectorKernels *kernels;
    const snWeightRows *rows;
    const double *x;
    double *y;
} Combination;

static void combinePiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Combination *c = context;
    c->kernels->combine(c->rows, begin, end, c->x, c->y);
}

static void combine(const snLatticeModel *model, const snWeightRows *rows, int count,
                    const double *x, double *y)
{
    Combination c = {model->vectors, rows, x, y};
    snParallelFor(&model->context.tasks, count, GRAIN, combinePiece, &c);
}

void snSpace_Push(const snLatticeModel *model, const double *q, double *y)
{
    combine(model, &model->space->rows, model->vertexCount, q, y);
}

void snSpace_Pull(const snLatticeModel *model, const double *g, double *p)
{
    combine(model, &model->space->columns, model->space->functionCount, g, p);
}

void snSpace_Fit(const snLatticeModel *model, snLatticeState *state, const double *y, double *q)
{
    size_t count = (size_t)model->vertexCount * 4;
    int unknowns = model->space->functionCount * 4;
    double *miss = state->wide, *change = state->direction;
    memset(q, 0, (size_t)unknowns * sizeof *q);
    for (int round = 0; round <= REFINEMENTS; round++) {
        snSpace_Push(model, q, miss);
        for (size_t k = 0; k < count; k++)
            miss[k] = y[k] - miss[k];
        snSpace_Pull(model, miss, change);
        snFactor_SolveRows(model->space->gram, change, state->solve);
        for (int k = 0; k < unknowns; k++)
            q[k] += change[k];
    }
}

void snSpace_Settle(const snLatticeModel *model, snLatticeState *state)
{
    if (!model->space) return;
    snSpace_Fit(model, state, state->position, state->coefficient);
    snSpace_Fit(model, state, state->velocity, state->coefficientVelocity);
    snSpace_Push(model, state->coefficient, state->position);
    snSpace_Push(model, state->coefficientVelocity, state->velocity);
}

// ---- in a step ----------------------------------------------------------------------------------

void snSpace_Predict(const snLatticeModel *model, snLatticeState *state)
{
    double h = model->def.step, shift[4] = {0};
    for (int k = 0; k < 4 * model->vertexCount && model->totalMass > 0; k++)
        shift[k % 4] += model->mass[k / 4] / model->totalMass *
                        (state->next[k] - state->position[k] - h * state->velocity[k]);
    for (int k = 0; k < 4 * model->space->functionCount; k++)
        state->nextCoefficient[k] = state->coefficient[k] + h * state->coefficientVelocity[k] +
                                    shift[k % 4] * model->space->one[k / 4];
    snSpace_Push(model, state->nextCoefficient, state->next);
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
    size_t count = 4 * (size_t)model->space->functionCount;
    const snSpace *space = model->space; // in pieces of its own, as this may be inside a task
    model->vectors->combine(&space->columns, 0, space->functionCount, x, scratch);
    snFactor_SolveRows(model->factor, scratch, scratch + count);
    model->vectors->combine(&space->rows, 0, model->vertexCount, scratch, x);
}
