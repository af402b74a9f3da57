#include "body/lattice/rows.h"

#include "core/array.h"
#include "core/error.h"

#include <stdlib.h>

snStatus snRowMaker_Begin(snRowMaker *maker, int rows, int columns, snArena *arena,
                          const snContext *context, snError *error)
{
    *maker = (snRowMaker){.scratch = snMakeArena(context), .columns = columns};
    maker->start = SN_NEW(arena, int, rows + 1);
    maker->value = SN_NEW(&maker->scratch, double, columns);
    maker->seen = SN_NEW(&maker->scratch, bool, columns);
    maker->used = SN_NEW(&maker->scratch, int, columns);
    bool good = maker->start && maker->value && maker->seen && maker->used;
    return good ? SN_OK : snFailMemory(error);
}

bool snRowMaker_Close(snRowMaker *maker)
{
    const snAllocator *allocator = &maker->scratch.allocator;
    bool ok = true;
    qsort(maker->used, (size_t)maker->count, sizeof *maker->used, snCompareInts);
    for (int i = 0; i < maker->count; i++) {
        int v = maker->used[i];
        ok = ok && snArray_Push(allocator, &maker->column, v) &&
             snArray_Push(allocator, &maker->weight, maker->value[v]);
        maker->value[v] = 0;
        maker->seen[v] = false;
    }
    maker->count = 0;
    maker->start[++maker->rows] = maker->column.count;
    return ok;
}

snStatus snRowMaker_End(snRowMaker *maker, snWeightRows *rows, snStatus status, snArena *arena,
                        snError *error)
{
    if (!status) {
        *rows = (snWeightRows){
            .rows = maker->rows,
            .columns = maker->columns,
            .start = maker->start,
            .column = SN_COPY(arena, int, maker->column.data, maker->column.count),
            .weight = SN_COPY(arena, double, maker->weight.data, maker->weight.count)};
        if (!rows->column || !rows->weight) status = snFailMemory(error);
    }
    snArray_Free(&maker->scratch.allocator, &maker->column);
    snArray_Free(&maker->scratch.allocator, &maker->weight);
    snArena_Destroy(&maker->scratch);
    return status;
}

snStatus snRowProduct_Make(snWeightRows *out, const snRowProduct *product, snArena *arena,
                           const snContext *context, snError *error)
{
    const snWeightRows *left = product->left, *right = product->right;
    snRowMaker m;
    snStatus status =
        snRowMaker_Begin(&m, product->rowCount, product->columns, arena, context, error);
    for (int r = 0; r < product->rowCount && !status; r++) {
        for (int i = left->start[r]; i < left->start[r + 1]; i++)
            for (int k = right->start[left->column[i]]; k < right->start[left->column[i] + 1]; k++)
                snRowMaker_Add(&m, right->column[k], left->weight[i] * right->weight[k]);
        if (r >= product->firstOwn && r < product->endOwn) snRowMaker_Add(&m, r, 1);
        if (!snRowMaker_Close(&m)) status = snFailMemory(error);
    }
    return snRowMaker_End(&m, out, status, arena, error);
}
