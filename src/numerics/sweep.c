#include "numerics/sweep.h"

#include "core/tasks.h"
#include "numerics/krylov.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 64, MOST_SIDES = 4 }; // rows of a piece; right-hand sides at a time

size_t snSweep_InverseSize(const snRowMatrix *rows)
{
    return (size_t)rows->size * (size_t)(rows->block * rows->block);
}

static bool invertEntry(const double *a, int block, double *inverse)
{
    if (block == 3) return snInvertBlock(a, inverse);
    *inverse = 1 / *a;
    return *a > 0 && isfinite(*inverse);
}

int snSweep_Invert(snSweep *sweep)
{
    const snRowMatrix *rows = sweep->rows;
    size_t entry = (size_t)(rows->block * rows->block);
    int failed = -1;
    for (int p = 0; p < rows->colourStart[rows->colours]; p++) {
        int i = rows->order[p];
        if (!invertEntry(rows->values + (size_t)rows->middle[i] * entry, rows->block,
                         sweep->inverse + (size_t)i * entry) &&
            (failed < 0 || i < failed))
            failed = i;
    }
    return failed;
}

// ---- one row ----------------------------------------------------------------------------------

// s -= Σ_k A_k x over the entries [begin, end) of a row, for sides [side, side + sides) of `width`.
static inline void subtractEntries(const snRowMatrix *rows, int block, int sides, int begin,
                                   int end, const double *x, int width, double *s)
{
    for (int k = begin; k < end; k++) {
        const double *a = rows->values + (size_t)k * (size_t)(block * block);
        const double *xj = x + (size_t)rows->column[k] * (size_t)(block * width);
        for (int p = 0; p < block; p++)
            for (int q = 0; q < block; q++)
                for (int r = 0; r < sides; r++)
                    s[p * sides + r] -= a[p * block + q] * xj[q * width + r];
    }
}

typedef enum Part { FIRST, WHOLE, FIRST_RESIDUAL, RESIDUAL } Part;

typedef struct Sweep {
    const snSweep *sweep;
    const double *b;
    double *x; // what sweeps change
    double *r; // where residuals go
    Part part;
    int first; // of the rows in order
} Sweep;

// What a row takes: with x = 0 at first, only rows before it count in a sweep, and only rows after it are
// left in the residual. Rows that are not swept have no such half.
static inline void rowOf(const Sweep *job, int i, bool swept, int block, int sides, int side)
{
    const snRowMatrix *rows = job->sweep->rows;
    int width = job->sweep->width, stride = block * width;
    int begin = rows->start[i], middle = rows->middle[i], end = rows->start[i + 1];
    const double *x = job->x + side;
    double s[3 * MOST_SIDES] = {0};
    bool half = job->part == FIRST_RESIDUAL && swept;
    if (job->b && !half) {
        const double *b = job->b + (size_t)i * (size_t)stride + side;
        for (int p = 0; p < block; p++)
            for (int r = 0; r < sides; r++)
                s[p * sides + r] = b[p * width + r];
    }
    if (!half) subtractEntries(rows, block, sides, begin, middle, x, width, s);
    if (job->part == RESIDUAL || (job->part == FIRST_RESIDUAL && !swept))
        subtractEntries(rows, block, sides, middle, middle + 1, x, width, s);
    if (job->part != FIRST) subtractEntries(rows, block, sides, middle + 1, end, x, width, s);
    if (job->part >= FIRST_RESIDUAL) {
        double *to = job->r + (size_t)i * (size_t)stride + side;
        for (int p = 0; p < block; p++)
            for (int r = 0; r < sides; r++)
                to[p * width + r] = s[p * sides + r];
        return;
    }
    const double *inverse = job->sweep->inverse + (size_t)i * (size_t)(block * block);
    double *to = job->x + (size_t)i * (size_t)stride + side;
    for (int p = 0; p < block; p++)
        for (int r = 0; r < sides; r++) {
            double sum = 0;
            for (int q = 0; q < block; q++)
                sum += inverse[p * block + q] * s[q * sides + r];
            to[p * width + r] = sum;
        }
}

// All sides of a row, with block and sides known to the compiler where it matters.
static inline void wholeRow(const Sweep *job, int i, bool swept)
{
    int block = job->sweep->rows->block, width = job->sweep->width;
    for (int side = 0; side < width; side += MOST_SIDES) {
        int sides = width - side < MOST_SIDES ? width - side : MOST_SIDES;
        if (block == 3 && sides == 1)
            rowOf(job, i, swept, 3, 1, side);
        else if (block == 3)
            rowOf(job, i, swept, 3, sides, side);
        else if (sides == 1)
            rowOf(job, i, swept, 1, 1, side);
        else if (sides == 3)
            rowOf(job, i, swept, 1, 3, side);
        else
            rowOf(job, i, swept, 1, sides, side);
    }
}

// ---- all rows ---------------------------------------------------------------------------------

static void runRows(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Sweep *job = context;
    const snRowMatrix *rows = job->sweep->rows;
    int swept = rows->colourStart[rows->colours];
    for (int p = job->first + begin; p < job->first + end; p++)
        wholeRow(job, rows->order[p], p < swept);
}

static void runColour(Sweep *job, int colour)
{
    const snRowMatrix *rows = job->sweep->rows;
    job->first = rows->colourStart[colour];
    snParallelFor(&job->sweep->tasks, rows->colourStart[colour + 1] - job->first, GRAIN, runRows,
                  job);
}

static void runAll(Sweep *job)
{
    snParallelFor(&job->sweep->tasks, job->sweep->rows->size, GRAIN, runRows, job);
}

void snSweep_First(const snSweep *sweep, const double *b, double *x)
{
    Sweep job = {.sweep = sweep, .b = b, .x = x, .part = FIRST};
    const snRowMatrix *rows = sweep->rows;
    memset(x, 0, (size_t)rows->size * (size_t)(rows->block * sweep->width) * sizeof *x);
    for (int c = 0; c < rows->colours; c++)
        runColour(&job, c);
}

void snSweep_Forward(const snSweep *sweep, const double *b, double *x)
{
    Sweep job = {.sweep = sweep, .b = b, .x = x, .part = WHOLE};
    for (int c = 0; c < sweep->rows->colours; c++)
        runColour(&job, c);
}

void snSweep_Backward(const snSweep *sweep, const double *b, double *x)
{
    Sweep job = {.sweep = sweep, .b = b, .x = x, .part = WHOLE};
    for (int c = sweep->rows->colours - 1; c >= 0; c--)
        runColour(&job, c);
}

void snSweep_FirstResidual(const snSweep *sweep, const double *b, const double *x, double *r)
{
    Sweep job = {.sweep = sweep, .b = b, .x = (double *)x, .r = r, .part = FIRST_RESIDUAL};
    runAll(&job);
}

void snSweep_Residual(const snSweep *sweep, const double *b, const double *x, double *r)
{
    Sweep job = {.sweep = sweep, .b = b, .x = (double *)x, .r = r, .part = RESIDUAL};
    runAll(&job);
}

void snSweep_Diagonal(const snSweep *sweep, double *x)
{
    int block = sweep->rows->block, width = sweep->width;
    for (int i = 0; i < sweep->rows->size; i++) {
        const double *inverse = sweep->inverse + (size_t)i * (size_t)(block * block);
        for (int r = 0; r < width; r++) {
            double s[3], *side = x + (size_t)i * (size_t)(block * width) + r;
            for (int p = 0; p < block; p++)
                s[p] = side[p * width];
            for (int p = 0; p < block; p++) {
                side[p * width] = 0;
                for (int q = 0; q < block; q++)
                    side[p * width] += inverse[p * block + q] * s[q];
            }
        }
    }
}
