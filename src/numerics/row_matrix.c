#include "numerics/row_matrix.h"

#include "core/error.h"

#include <limits.h>
#include <string.h>

snStatus snRowStructure_Start(snRowStructure *s, const int *count, snArena *arena, snError *error)
{
    int64_t total = 0;
    s->start = SN_NEW(arena, int, (size_t)s->size + 1);
    if (!s->start) return snFailMemory(error);
    for (int i = 0; i < s->size; i++) {
        total += count[i];
        if (total > INT_MAX)
            return snFail(error, SN_ERROR_ARGUMENT, "a matrix of %d rows has too many entries",
                          s->size);
        s->start[i + 1] = (int)total;
    }
    s->column = SN_NEW(arena, int, total);
    return s->column ? SN_OK : snFailMemory(error);
}

// The lowest colour that no neighbour has, row after row. colour[i] = -1: is not swept.
static int colourRows(const snRowStructure *s, const unsigned char *swept, int *colour, int *taken)
{
    int colours = 0;
    for (int i = 0; i < s->size; i++)
        colour[i] = -1;
    for (int i = 0; i < s->size; i++) {
        if (swept && !swept[i]) continue;
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            if (colour[s->column[k]] >= 0) taken[colour[s->column[k]]] = i + 1;
        int c = 0;
        while (c < colours && taken[c] == i + 1)
            c++;
        colour[i] = c;
        if (c == colours) colours++;
    }
    return colours;
}

static snStatus orderRows(snRowMatrix *rows, const snRowStructure *s, const unsigned char *swept,
                          snArena *arena, snArena *scratch, snError *error)
{
    int *colour = SN_NEW(scratch, int, s->size), *taken = SN_NEW(scratch, int, s->size);
    rows->order = SN_NEW(arena, int, s->size);
    if (!colour || !taken || !rows->order) return snFailMemory(error);
    rows->colours = colourRows(s, swept, colour, taken);
    rows->colourStart = SN_NEW(arena, int, (size_t)rows->colours + 1);
    int *next = SN_NEW(scratch, int, (size_t)rows->colours + 1);
    if (!rows->colourStart || !next) return snFailMemory(error);
    for (int i = 0; i < s->size; i++)
        if (colour[i] >= 0) rows->colourStart[colour[i] + 1]++;
    for (int c = 0; c < rows->colours; c++)
        rows->colourStart[c + 1] += rows->colourStart[c];
    memcpy(next, rows->colourStart, ((size_t)rows->colours + 1) * sizeof *next);
    for (int i = 0; i < s->size; i++)
        rows->order[next[colour[i] < 0 ? rows->colours : colour[i]]++] = i;
    return SN_OK;
}

// Entries of every row in the order of sweeps: the structure is symmetric, so its transpose, filled
// in that order, is it again, sorted. source[k] becomes the entry across the diagonal.
static snStatus sortRows(snRowMatrix *rows, const snRowStructure *s, snArena *arena,
                         snArena *scratch, snError *error)
{
    int *next = SN_NEW(scratch, int, s->size), entries = s->start[s->size];
    rows->start = SN_COPY(arena, int, s->start, (size_t)s->size + 1);
    rows->column = SN_NEW(arena, int, entries);
    rows->source = SN_NEW(arena, int, entries);
    rows->middle = SN_NEW(arena, int, s->size);
    if (!next || !rows->start || !rows->column || !rows->source || !rows->middle)
        return snFailMemory(error);
    for (int p = 0; p < s->size; p++) {
        int i = rows->order[p];
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            int j = s->column[k], at = rows->start[j] + next[j]++;
            if (i == j) rows->middle[i] = at;
            rows->column[at] = i;
        }
    }
    memset(next, 0, (size_t)s->size * sizeof *next);
    for (int p = 0; p < s->size; p++) {
        int i = rows->order[p];
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            int j = rows->column[k];
            rows->source[k] = rows->start[j] + next[j]++;
        }
    }
    return SN_OK;
}

snStatus snRowMatrix_FromStructure(snRowMatrix *rows, const snRowStructure *s, int block,
                                   const unsigned char *swept, snArena *arena, snError *error)
{
    *rows = (snRowMatrix){.size = s->size, .block = block};
    snArena scratch = {.allocator = arena->allocator};
    snStatus status = orderRows(rows, s, swept, arena, &scratch, error);
    if (!status) status = sortRows(rows, s, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    rows->values = SN_NEW(arena, double, (size_t)s->start[s->size] * (size_t)(block * block));
    return rows->values ? SN_OK : snFailMemory(error);
}

// Both triangles of the lower one.
static snStatus spread(snRowStructure *s, const snPattern *pattern, snArena *scratch,
                       snError *error)
{
    int *count = SN_NEW(scratch, int, pattern->size);
    if (!count) return snFailMemory(error);
    s->size = pattern->size;
    for (int j = 0; j < s->size; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++) {
            count[j]++;
            if (pattern->row[k] != j) count[pattern->row[k]]++;
        }
    snStatus status = snRowStructure_Start(s, count, scratch, error);
    if (status) return status;
    memset(count, 0, (size_t)s->size * sizeof *count);
    for (int j = 0; j < s->size; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++) {
            int i = pattern->row[k];
            s->column[s->start[j] + count[j]++] = i;
            if (i != j) s->column[s->start[i] + count[i]++] = j;
        }
    return SN_OK;
}

snStatus snRowMatrix_FromSparse(snRowMatrix *rows, const snSparse *matrix,
                                const unsigned char *swept, snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    snRowStructure s;
    snStatus status = spread(&s, &matrix->pattern, &scratch, error);
    if (!status) status = snRowMatrix_FromStructure(rows, &s, matrix->block, swept, arena, error);
    snArena_Destroy(&scratch);
    for (int i = 0; i < rows->size && !status; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            int j = rows->column[k];
            rows->source[k] = snPattern_Find(&matrix->pattern, i > j ? i : j, i > j ? j : i);
        }
    return status;
}

void snRowMatrix_Load(snRowMatrix *rows, const snSparse *matrix)
{
    size_t entry = (size_t)(rows->block * rows->block);
    for (int i = 0; i < rows->size; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            snCopyEntry(rows->values + (size_t)k * entry,
                        matrix->values + (size_t)rows->source[k] * entry, rows->block,
                        rows->column[k] > i);
}

// Rows go to the ends of columns one after another, so that columns come out ascending.
// columnStart[j + 1] is where column j is filled next, and so in the end where it ends.
snStatus snRowMatrix_Lower(snSparse *lower, const snRowMatrix *rows, snArena *arena, snError *error)
{
    int n = rows->size, entries = (rows->start[n] + n) / 2;
    snPattern pattern = {n, SN_NEW(arena, int, (size_t)n + 2), SN_NEW(arena, int, entries)};
    if (!pattern.columnStart || !pattern.row) return snFailMemory(error);
    for (int i = 0; i < n; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            if (rows->column[k] <= i) pattern.columnStart[rows->column[k] + 2]++;
    for (int j = 0; j < n; j++)
        pattern.columnStart[j + 2] += pattern.columnStart[j + 1];
    for (int i = 0; i < n; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            if (rows->column[k] <= i) pattern.row[pattern.columnStart[rows->column[k] + 1]++] = i;
    return snSparse_Make(lower, &pattern, rows->block, arena, error);
}

void snRowMatrix_StoreLower(const snRowMatrix *rows, snSparse *lower)
{
    size_t entry = (size_t)(rows->block * rows->block);
    for (int i = 0; i < rows->size; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            if (rows->column[k] > i) continue;
            size_t to = (size_t)snPattern_Find(&lower->pattern, i, rows->column[k]);
            memcpy(lower->values + to * entry, rows->values + (size_t)k * entry,
                   entry * sizeof(double));
        }
}
