#include "numerics/weight_rows.h"

#include "core/error.h"
#include "core/tasks.h"

#include <math.h>

snStatus snWeightRows_Make(snWeightRows *p, int rows, int columns, size_t entries, snArena *arena,
                           snError *error)
{
    *p = (snWeightRows){.rows = rows,
                        .columns = columns,
                        .start = SN_NEW(arena, int, (size_t)rows + 1),
                        .column = SN_NEW(arena, int, entries),
                        .weight = SN_NEW(arena, double, entries)};
    return p->start && p->column && p->weight ? SN_OK : snFailMemory(error);
}

snStatus snWeightRows_Identity(snWeightRows *p, int count, snArena *arena, snError *error)
{
    snStatus status = snWeightRows_Make(p, count, count, (size_t)count, arena, error);
    for (int v = 0; v < count && !status; v++) {
        p->start[v + 1] = v + 1;
        p->column[v] = v;
        p->weight[v] = 1;
    }
    return status;
}

snStatus snWeightRows_Check(const snWeightRows *p, snError *error)
{
    if (p->rows < 0 || p->columns < 0 || !p->start || p->start[0] != 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "it has %d rows and %d columns, or does not start at entry 0", p->rows,
                      p->columns);
    for (int i = 0; i < p->rows; i++) {
        if (p->start[i + 1] < p->start[i])
            return snFail(error, SN_ERROR_ARGUMENT, "row %d ends before it starts", i);
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            if (p->column[k] < 0 || p->column[k] >= p->columns || !isfinite(p->weight[k]))
                return snFail(error, SN_ERROR_ARGUMENT,
                              "row %d has %g of function %d; there are %d", i, p->weight[k],
                              p->column[k], p->columns);
    }
    return SN_OK;
}

snStatus snWeightRows_Copy(snWeightRows *copy, const snWeightRows *p, snArena *arena,
                           snError *error)
{
    int entries = p->start[p->rows];
    *copy = (snWeightRows){.rows = p->rows,
                           .columns = p->columns,
                           .start = SN_COPY(arena, int, p->start, (size_t)p->rows + 1),
                           .column = SN_COPY(arena, int, p->column, entries),
                           .weight = SN_COPY(arena, double, p->weight, entries)};
    return copy->start && copy->column && copy->weight ? SN_OK : snFailMemory(error);
}

// start[a + 1] is where column a of P is filled next, and so in the end where it ends.
snStatus snWeightRows_Transpose(snWeightRows *transposed, const snWeightRows *p, snArena *arena,
                                snError *error)
{
    int entries = p->start[p->rows];
    int *start = SN_NEW(arena, int, (size_t)p->columns + 2), *row = SN_NEW(arena, int, entries);
    double *weight = SN_NEW(arena, double, entries);
    if (!start || !row || !weight) return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        start[p->column[k] + 2]++;
    for (int a = 0; a < p->columns; a++)
        start[a + 2] += start[a + 1];
    for (int i = 0; i < p->rows; i++)
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int at = start[p->column[k] + 1]++;
            row[at] = i;
            weight[at] = p->weight[k];
        }
    *transposed = (snWeightRows){
        .rows = p->columns, .columns = p->rows, .start = start, .column = row, .weight = weight};
    return SN_OK;
}

typedef struct Product {
    const snWeightRows *p;
    int stride;
    bool add;
    const double *x;
    double *y;
} Product;

static inline void multiplyRow(const Product *product, int i, int stride)
{
    const snWeightRows *p = product->p;
    double *y = product->y + (size_t)i * (size_t)stride;
    for (int c = 0; c < stride && !product->add; c++)
        y[c] = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
        const double *x = product->x + (size_t)p->column[k] * (size_t)stride;
        for (int c = 0; c < stride; c++)
            y[c] += p->weight[k] * x[c];
    }
}

static void multiplyRows(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Product *product = context;
    for (int i = begin; i < end; i++) {
        if (product->stride == 3)
            multiplyRow(product, i, 3);
        else
            multiplyRow(product, i, product->stride);
    }
}

enum { GRAIN = 256 }; // rows of a piece

void snWeightRows_Multiply(const snWeightRows *p, int stride, const double *x, double *y,
                           const snTasks *tasks)
{
    Product product = {.p = p, .stride = stride, .x = x, .y = y};
    snParallelFor(tasks, p->rows, GRAIN, multiplyRows, &product);
}

void snWeightRows_Add(const snWeightRows *p, int stride, const double *x, double *y,
                      const snTasks *tasks)
{
    Product product = {.p = p, .stride = stride, .add = true, .x = x, .y = y};
    snParallelFor(tasks, p->rows, GRAIN, multiplyRows, &product);
}
