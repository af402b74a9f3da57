#include "bake/components.h"

#include "core/error.h"
#include "core/tasks.h"
#include "numerics/dense.h"

#include <math.h>
#include <string.h>

#define ROOM 64   // rows beyond twice the components: between two decompositions
#define BLOCK 512 // numbers of a row
#define PIECE 16
#define COLUMNS SN_ROW_COLUMNS

snStatus snComponents_Make(snComponents *c, const snComponentsDef *def, const snTasks *tasks,
                           snArena *arena, snError *error)
{
    SN_ASSERT(def->most >= 1 && def->most <= SN_MOST_COMPONENTS);
    int most = 2 * def->most + ROOM;
    int capacity = def->rowCount < most ? def->rowCount : most;
    size_t n = (size_t)(capacity > 1 ? capacity : 1);
    *c = (snComponents){.def = *def, .capacity = (int)n, .tasks = tasks};
    c->kernels = snChooseRowKernels();
    c->rows = SN_NEW(arena, float, n *(size_t)def->size);
    c->gram = SN_NEW(arena, double, n *n);
    c->vectors = SN_NEW(arena, double, n *n);
    c->values = SN_NEW(arena, double, n);
    c->work = SN_NEW(arena, double, n);
    bool good = c->rows && c->gram && c->vectors && c->values && c->work;
    return good ? SN_OK : snFailMemory(error);
}

// Columns of the lower triangle of B Bᵀ. Rows are long: they are gone through block by block, so that a
// block is read from far away once for all columns of a piece.
static void gramColumns(int begin, int end, int worker, void *context)
{
    (void)worker;
    snComponents *c = context;
    size_t n = (size_t)c->def.size, count = (size_t)c->count;
    double part[2 * SN_MOST_COMPONENTS + ROOM];
    for (size_t i = (size_t)begin; i < (size_t)end; i++)
        memset(c->gram + i * count + i, 0, (count - i) * sizeof *c->gram);
    for (size_t first = 0; first < n; first += BLOCK)
        for (size_t i = (size_t)begin; i < (size_t)end; i++) {
            const float *row = c->rows + i * n + first;
            size_t size = n - first < BLOCK ? n - first : BLOCK;
            c->kernels->dot(&(snRowProducts){row, row, count - i, n, size}, part);
            for (size_t j = i; j < count; j++)
                c->gram[i * count + j] += part[j - i];
        }
}

typedef struct TurnTask {
    snComponents *components;
    int kept;
} TurnTask;

// Columns of Uᵀ B in place of those of B. Every row of the result needs all rows of B, so it is
// gathered beside them first.
static void turnColumns(int begin, int end, int worker, void *context)
{
    (void)worker;
    TurnTask *t = context;
    snComponents *c = t->components;
    size_t n = (size_t)c->def.size, kept = (size_t)t->kept;
    float turned[SN_MOST_COMPONENTS * COLUMNS];
    for (int b = begin; b < end; b++) {
        size_t first = (size_t)b * COLUMNS, width = n - first < COLUMNS ? n - first : COLUMNS;
        c->kernels->turn(&(snRowTurn){c->rows, n, c->vectors, (size_t)c->count, kept, first, width},
                         turned);
        for (size_t k = 0; k < kept; k++)
            memcpy(c->rows + k * n + first, turned + k * COLUMNS, width * sizeof *turned);
    }
}

static snStatus reduce(snComponents *c, snError *error)
{
    snParallelFor(c->tasks, c->count, PIECE, gramColumns, c);
    snStatus status = snSymmetricEigen(c->count, c->gram, c->values, c->vectors, c->work, error);
    if (status) return status;
    TurnTask task = {c, 0};
    double cut = c->def.smallest * c->def.smallest;
    while (task.kept < c->count && task.kept < c->def.most && c->values[task.kept] > cut &&
           c->values[task.kept] > 0)
        task.kept++;
    int blocks = (c->def.size + COLUMNS - 1) / COLUMNS;
    snParallelFor(c->tasks, blocks, 64, turnColumns, &task);
    c->count = task.kept;
    return SN_OK;
}

float *snComponents_Next(snComponents *c)
{
    return c->rows + (size_t)c->count * (size_t)c->def.size;
}

snStatus snComponents_Push(snComponents *c, snError *error)
{
    c->count++;
    return c->count < c->capacity ? SN_OK : reduce(c, error);
}

snStatus snComponents_Finish(snComponents *c, snError *error)
{
    snStatus status = c->count ? reduce(c, error) : SN_OK;
    size_t n = (size_t)c->def.size;
    for (size_t k = 0; k < (size_t)c->count && !status; k++) {
        float scale = (float)(1.0 / sqrt(c->values[k]));
        for (size_t i = 0; i < n; i++)
            c->rows[k * n + i] *= scale;
    }
    return status;
}
