#include "numerics/sparse.h"

#include "core/error.h"

#include <limits.h>
#include <string.h>

// What a pattern is made from: groups, and for every row the groups that it stands in.
typedef struct Groups {
    int size;
    const int *start, *items;
    int *rowStart; // [size + 1]
    int *rowGroup; // [rowStart[size]]
    int *mark;     // [size]; mark[j] == i + 1: the pair (i, j) has been seen
} Groups;

static snStatus checkGroups(int size, int groupCount, const int *start, const int *items,
                            snError *error)
{
    if (size < 0 || groupCount < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a matrix of %d rows from %d groups is not possible", size, groupCount);
    if (groupCount == 0) return SN_OK;
    if (start[0] < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "group 0 starts at item %d", start[0]);
    for (int g = 0; g < groupCount; g++)
        if (start[g + 1] < start[g])
            return snFail(error, SN_ERROR_ARGUMENT, "group %d ends before it starts", g);
    for (int k = start[0]; k < start[groupCount]; k++)
        if (items[k] < 0 || items[k] >= size)
            return snFail(error, SN_ERROR_ARGUMENT, "item %d names row %d of a matrix of %d rows",
                          k, items[k], size);
    return SN_OK;
}

// The transpose of the groups: which groups a row stands in.
static snStatus invertGroups(Groups *groups, int groupCount, snArena *scratch, snError *error)
{
    int size = groups->size;
    int itemCount = groupCount ? groups->start[groupCount] - groups->start[0] : 0;
    groups->rowStart = SN_NEW(scratch, int, (size_t)size + 1);
    groups->rowGroup = SN_NEW(scratch, int, itemCount);
    groups->mark = SN_NEW(scratch, int, size);
    int *next = SN_NEW(scratch, int, size);
    if (!groups->rowStart || !groups->rowGroup || !groups->mark || !next)
        return snFailMemory(error);

    for (int g = 0; g < groupCount; g++)
        for (int k = groups->start[g]; k < groups->start[g + 1]; k++)
            groups->rowStart[groups->items[k] + 1]++;
    for (int i = 0; i < size; i++) {
        groups->rowStart[i + 1] += groups->rowStart[i];
        next[i] = groups->rowStart[i];
    }
    for (int g = 0; g < groupCount; g++)
        for (int k = groups->start[g]; k < groups->start[g + 1]; k++)
            groups->rowGroup[next[groups->items[k]]++] = g;
    return SN_OK;
}

// Visits the pairs (i, j), j <= i, with i ascending, each once: columns filled in this order have
// their rows ascending without being sorted. Counts into `next`, or fills `row` at next[j]++.
static void visitPairs(Groups *groups, int *next, int *row)
{
    memset(groups->mark, 0, (size_t)groups->size * sizeof *groups->mark);
    for (int i = 0; i < groups->size; i++) {
        groups->mark[i] = i + 1;
        if (row) row[next[i]] = i;
        next[i]++;
        for (int a = groups->rowStart[i]; a < groups->rowStart[i + 1]; a++) {
            int g = groups->rowGroup[a];
            for (int k = groups->start[g]; k < groups->start[g + 1]; k++) {
                int j = groups->items[k];
                if (j > i || groups->mark[j] == i + 1) continue;
                groups->mark[j] = i + 1;
                if (row) row[next[j]] = i;
                next[j]++;
            }
        }
    }
}

static snStatus buildPattern(snPattern *pattern, Groups *groups, snArena *arena, snArena *scratch,
                             snError *error)
{
    int size = groups->size;
    int *next = SN_NEW(scratch, int, size);
    int *columnStart = SN_NEW(arena, int, (size_t)size + 1);
    if (!next || !columnStart) return snFailMemory(error);

    visitPairs(groups, next, NULL);
    int64_t total = 0;
    for (int j = 0; j < size; j++) {
        total += next[j];
        if (total > INT_MAX)
            return snFail(error, SN_ERROR_ARGUMENT, "a matrix of %d rows has too many entries",
                          size);
        columnStart[j + 1] = (int)total;
        next[j] = columnStart[j];
    }
    int *row = SN_NEW(arena, int, total);
    if (!row) return snFailMemory(error);
    visitPairs(groups, next, row);
    *pattern = (snPattern){.size = size, .columnStart = columnStart, .row = row};
    return SN_OK;
}

snStatus snPattern_FromGroups(snPattern *pattern, int size, int groupCount, const int *groupStart,
                              const int *items, snArena *arena, snError *error)
{
    *pattern = (snPattern){0};
    snStatus status = checkGroups(size, groupCount, groupStart, items, error);
    if (status) return status;
    snArena scratch = {.allocator = arena->allocator};
    Groups groups = {.size = size, .start = groupStart, .items = items};
    status = invertGroups(&groups, groupCount, &scratch, error);
    if (!status) status = buildPattern(pattern, &groups, arena, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snPattern_FromPairs(snPattern *pattern, int size, int pairCount, const int *first,
                             const int *second, snArena *arena, snError *error)
{
    *pattern = (snPattern){0};
    if (pairCount < 0 || pairCount > INT_MAX / 2)
        return snFail(error, SN_ERROR_ARGUMENT, "a matrix from %d pairs is not possible",
                      pairCount);
    snArena scratch = {.allocator = arena->allocator};
    int *start = SN_NEW(&scratch, int, (size_t)pairCount + 1);
    int *items = SN_NEW(&scratch, int, 2 * (size_t)pairCount);
    snStatus status = SN_OK;
    if (!start || !items) {
        status = snFailMemory(error);
        goto done;
    }
    for (int p = 0; p < pairCount; p++) {
        start[p + 1] = 2 * (p + 1);
        items[2 * p] = first[p];
        items[2 * p + 1] = second[p];
    }
    status = snPattern_FromGroups(pattern, size, pairCount, start, items, arena, error);
done:
    snArena_Destroy(&scratch);
    return status;
}

int snPattern_Find(const snPattern *pattern, int row, int column)
{
    if (column < 0 || column >= pattern->size) return -1;
    int low = pattern->columnStart[column], high = pattern->columnStart[column + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pattern->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < pattern->columnStart[column + 1] && pattern->row[low] == row;
    return found ? low : -1;
}

snStatus snSparse_Make(snSparse *matrix, const snPattern *pattern, int block, snArena *arena,
                       snError *error)
{
    *matrix = (snSparse){.pattern = *pattern, .block = block};
    if (block != 1 && block != 3)
        return snFail(error, SN_ERROR_ARGUMENT, "entries of %d x %d are not possible, only 1 or 3",
                      block, block);
    size_t entries = pattern->size ? (size_t)pattern->columnStart[pattern->size] : 0;
    matrix->values = SN_NEW(arena, double, entries *(size_t)(block * block));
    return matrix->values ? SN_OK : snFailMemory(error);
}

snStatus snSparse_Part(snSparse *part, const snSparse *matrix, const int *rows, int size,
                       snArena *arena, snError *error)
{
    const snPattern *from = &matrix->pattern;
    int count = 0, entry = matrix->block * matrix->block, most = 0;
    int *indexOf = SN_NEW(arena, int, from->size); // 1 + number in the part; 0: not in it
    for (int j = 0; j < size && indexOf; j++) {
        indexOf[rows[j]] = 1 + j;
        most += from->columnStart[rows[j] + 1] - from->columnStart[rows[j]];
    }
    snPattern pattern = {
        .size = size, .columnStart = SN_NEW(arena, int, size + 1), .row = SN_NEW(arena, int, most)};
    int *source = SN_NEW(arena, int, most);
    if (!indexOf || !pattern.columnStart || !pattern.row || !source) return snFailMemory(error);
    for (int j = 0; j < size; j++) {
        for (int k = from->columnStart[rows[j]]; k < from->columnStart[rows[j] + 1]; k++) {
            if (!indexOf[from->row[k]]) continue;
            source[count] = k;
            pattern.row[count++] = indexOf[from->row[k]] - 1;
        }
        pattern.columnStart[j + 1] = count;
    }
    snStatus status = snSparse_Make(part, &pattern, matrix->block, arena, error);
    for (int k = 0; k < count && !status; k++)
        memcpy(part->values + (size_t)k * (size_t)entry,
               matrix->values + (size_t)source[k] * (size_t)entry, (size_t)entry * sizeof(double));
    return status;
}

void snSparse_AddScalar(snSparse *matrix, int row, int column, double value)
{
    SN_ASSERT(matrix->block == 1);
    int k = row >= column ? snPattern_Find(&matrix->pattern, row, column)
                          : snPattern_Find(&matrix->pattern, column, row);
    SN_ASSERT(k >= 0);
    if (k >= 0) matrix->values[k] += value;
}

void snSparse_AddBlock(snSparse *matrix, int row, int column, const double value[9])
{
    SN_ASSERT(matrix->block == 3);
    bool swapped = row < column;
    int k = swapped ? snPattern_Find(&matrix->pattern, column, row)
                    : snPattern_Find(&matrix->pattern, row, column);
    SN_ASSERT(k >= 0);
    if (k < 0) return;
    double *entry = matrix->values + 9 * (size_t)k;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            entry[3 * i + j] += swapped ? value[3 * j + i] : value[3 * i + j];
}

// y_i += a x_j and y_j += aᵀ x_i, with block and width known to the compiler where it matters.
static inline void multiplyColumns(const snSparse *matrix, int block, int width, const double *x,
                                   double *y)
{
    const snPattern *pattern = &matrix->pattern;
    int stride = block * width;
    for (int j = 0; j < pattern->size; j++) {
        const double *xj = x + (size_t)j * (size_t)stride;
        double *yj = y + (size_t)j * (size_t)stride;
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++) {
            int i = pattern->row[k];
            const double *a = matrix->values + (size_t)k * (size_t)(block * block);
            const double *xi = x + (size_t)i * (size_t)stride;
            double *yi = y + (size_t)i * (size_t)stride;
            for (int p = 0; p < block; p++)
                for (int q = 0; q < block; q++)
                    for (int r = 0; r < width; r++)
                        yi[p * width + r] += a[p * block + q] * xj[q * width + r];
            if (i == j) continue;
            for (int p = 0; p < block; p++)
                for (int q = 0; q < block; q++)
                    for (int r = 0; r < width; r++)
                        yj[q * width + r] += a[p * block + q] * xi[p * width + r];
        }
    }
}

void snSparse_Multiply(const snSparse *matrix, int width, const double *x, double *y)
{
    int size = matrix->pattern.size;
    memset(y, 0, (size_t)size * (size_t)(matrix->block * width) * sizeof *y);
    if (matrix->block == 3 && width == 1)
        multiplyColumns(matrix, 3, 1, x, y);
    else if (matrix->block == 3)
        multiplyColumns(matrix, 3, width, x, y);
    else if (width == 1)
        multiplyColumns(matrix, 1, 1, x, y);
    else if (width == 3)
        multiplyColumns(matrix, 1, 3, x, y);
    else if (width == 4)
        multiplyColumns(matrix, 1, 4, x, y);
    else
        multiplyColumns(matrix, 1, width, x, y);
}
