#include "numerics/patches.h"

#include "core/error.h"
#include "numerics/dense.h"

#include <string.h>

// Sharp boxes have 0.8 and more everywhere, the edges of round ones 0.75, 0.55 and 0.39 at one, two and
// three levels: see docs/theory/multigrid.md.
#define STRONG 0.7

enum { MOST_ROWS = 8, MOST_BLOCK = 3 };

// ---- which ------------------------------------------------------------------------------------

static double traceOf(const snRowMatrix *rows, int entry)
{
    int block = rows->block;
    const double *a = rows->values + (size_t)entry * (size_t)(block * block);
    double trace = 0;
    for (int c = 0; c < block; c++)
        trace += a[c * (block + 1)];
    return trace;
}

// Row i and its partners, the strongest first, of equals the one that comes first; how many.
static int partnersOf(const snRowMatrix *rows, const unsigned char *swept, int i,
                      int member[MOST_ROWS])
{
    double cost[MOST_ROWS] = {0}, own = traceOf(rows, rows->middle[i]);
    int count = 1;
    member[0] = i;
    for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
        int j = rows->column[k];
        if (j == i || !swept[j]) continue;
        double c = 1 + 2 * traceOf(rows, k) / (own + traceOf(rows, rows->middle[j]));
        if (!(c < STRONG) || (count == MOST_ROWS && !(c < cost[count - 1]))) continue;
        int at = count < MOST_ROWS ? count++ : count - 1;
        for (; at > 1 && c < cost[at - 1]; at--) {
            cost[at] = cost[at - 1];
            member[at] = member[at - 1];
        }
        cost[at] = c;
        member[at] = j;
    }
    return count;
}

// Counts patches and their rows, or writes them.
static void visitRows(snPatches *patches, const unsigned char *swept, int *total, bool write)
{
    const snRowMatrix *rows = patches->sweep->rows;
    size_t end = 0;
    patches->count = *total = 0;
    for (int i = 0; i < rows->size; i++) {
        int member[MOST_ROWS], count = swept[i] ? partnersOf(rows, swept, i, member) : 1;
        if (count == 1) continue;
        if (write) {
            memcpy(patches->row + *total, member, (size_t)count * sizeof *member);
            patches->start[patches->count + 1] = *total + count;
            patches->at[patches->count] = end;
        }
        size_t size = (size_t)(count * rows->block);
        end += size * size;
        *total += count;
        patches->count++;
    }
}

static size_t factorSize(const snPatches *patches)
{
    size_t block = (size_t)patches->sweep->rows->block, total = 0;
    for (int p = 0; p < patches->count; p++) {
        size_t size = block * (size_t)(patches->start[p + 1] - patches->start[p]);
        total += size * size;
    }
    return total;
}

snStatus snPatches_Make(snPatches *patches, const snSweep *sweep, snArena *arena, snError *error)
{
    *patches = (snPatches){.sweep = sweep};
    snArena scratch = {.allocator = arena->allocator};
    const snRowMatrix *rows = sweep->rows;
    unsigned char *swept = SN_NEW(&scratch, unsigned char, rows->size);
    snStatus status = swept ? SN_OK : snFailMemory(error);
    int total = 0;
    if (!status) {
        for (int p = 0; p < rows->colourStart[rows->colours]; p++)
            swept[rows->order[p]] = 1;
        visitRows(patches, swept, &total, false);
        patches->start = SN_NEW(arena, int, (size_t)patches->count + 1);
        patches->row = SN_NEW(arena, int, total);
        patches->at = SN_NEW(arena, size_t, patches->count);
        if (!patches->start || !patches->row || !patches->at) status = snFailMemory(error);
    }
    if (!status) {
        visitRows(patches, swept, &total, true);
        patches->factor = SN_NEW(arena, double, factorSize(patches));
        if (!patches->factor) status = snFailMemory(error);
    }
    snArena_Destroy(&scratch);
    return status;
}

// ---- values -----------------------------------------------------------------------------------

// The part of the matrix that a patch has, by columns: it is symmetric.
static void gather(const snRowMatrix *rows, const int *row, int count, double *to)
{
    int block = rows->block, size = count * block;
    memset(to, 0, (size_t)(size * size) * sizeof *to);
    for (int a = 0; a < count; a++)
        for (int k = rows->start[row[a]]; k < rows->start[row[a] + 1]; k++)
            for (int b = 0; b < count; b++) {
                if (rows->column[k] != row[b]) continue;
                const double *from = rows->values + (size_t)k * (size_t)(block * block);
                for (int p = 0; p < block; p++)
                    for (int q = 0; q < block; q++)
                        to[(a * block + p) * size + b * block + q] = from[p * block + q];
            }
}

int snPatches_Factor(snPatches *patches)
{
    const snRowMatrix *rows = patches->sweep->rows;
    for (int p = 0; p < patches->count; p++) {
        const int *row = patches->row + patches->start[p];
        int count = patches->start[p + 1] - patches->start[p];
        gather(rows, row, count, patches->factor + patches->at[p]);
        if (snDenseCholesky(count * rows->block, patches->factor + patches->at[p], NULL))
            return row[0];
    }
    return -1;
}

// ---- solutions --------------------------------------------------------------------------------

static inline void subtractRow(const snRowMatrix *rows, int i, int block, const double *x,
                               int width, double *s)
{
    for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const double *a = rows->values + (size_t)k * (size_t)(block * block);
        const double *xj = x + (size_t)rows->column[k] * (size_t)(block * width);
        for (int p = 0; p < block; p++)
            for (int q = 0; q < block; q++)
                s[p] -= a[p * block + q] * xj[q * width];
    }
}

// One right-hand side.
static void solvePatch(const snPatches *patches, int p, int side, const double *b, double *x)
{
    const snRowMatrix *rows = patches->sweep->rows;
    const int *row = patches->row + patches->start[p];
    int count = patches->start[p + 1] - patches->start[p], block = rows->block;
    int width = patches->sweep->width;
    double s[MOST_ROWS * MOST_BLOCK];
    for (int a = 0; a < count; a++) {
        size_t from = (size_t)row[a] * (size_t)(block * width) + (size_t)side;
        for (int c = 0; c < block; c++)
            s[a * block + c] = b[from + (size_t)(c * width)];
        if (block == 3)
            subtractRow(rows, row[a], 3, x + side, width, s + a * block);
        else
            subtractRow(rows, row[a], 1, x + side, width, s + a * block);
    }
    snDenseCholesky_Solve(count * block, patches->factor + patches->at[p], s);
    for (int a = 0; a < count; a++)
        for (int c = 0; c < block; c++)
            x[((size_t)row[a] * (size_t)block + (size_t)c) * (size_t)width + (size_t)side] +=
                s[a * block + c];
}

void snPatches_Forward(const snPatches *patches, const double *b, double *x)
{
    for (int p = 0; p < patches->count; p++)
        for (int side = 0; side < patches->sweep->width; side++)
            solvePatch(patches, p, side, b, x);
}

void snPatches_Backward(const snPatches *patches, const double *b, double *x)
{
    for (int p = patches->count - 1; p >= 0; p--)
        for (int side = 0; side < patches->sweep->width; side++)
            solvePatch(patches, p, side, b, x);
}
