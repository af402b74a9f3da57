#include "numerics/cholesky_parts.h"

#include "core/error.h"
#include "core/simd.h"

#include <math.h>
#include <string.h>

// The values of L by the multifrontal method (Duff, Reid, "The multifrontal solution of indefinite
// sparse symmetric linear systems", 1983): a supernode's front collects its entries of A and what
// its children left over, eliminates its pivots, and leaves an update for its parent. Updates lie
// on a stack, as packed lower triangles by columns.

// Bit-equal kernels; the widest that the processor knows.
snStatus snFactor_UseLevel(snFactor *factor, int level)
{
    if (level > (int)snDetectCpu()) return SN_ERROR_UNSUPPORTED;
    factor->solve = snSolvePanels_base;
    factor->solveSingle = snSolvePanelsSingle_base;
    factor->factorFront = snFactorFront_base;
#if defined(__x86_64__)
    if (level == SN_CPU_AVX2) {
        factor->solve = snSolvePanels_avx2;
        factor->solveSingle = snSolvePanelsSingle_avx2;
        factor->factorFront = snFactorFront_avx2;
    } else if (level == SN_CPU_AVX512) {
        factor->solve = snSolvePanels_avx512;
        factor->solveSingle = snSolvePanelsSingle_avx512;
        factor->factorFront = snFactorFront_avx512;
    }
#endif
    return SN_OK;
}

snStatus snFactor_Make(snFactor **factor, const snSymbolic *symbolic, snArena *arena,
                       snError *error)
{
    *factor = NULL;
    snFactor *result = SN_NEW(arena, snFactor, 1);
    if (!result) return snFailMemory(error);
    result->symbolic = symbolic;
    result->panels = SN_NEW(arena, double, symbolic->panelSize);
    result->front = SN_NEW(arena, double, symbolic->frontSize);
    result->stack = SN_NEW(arena, double, symbolic->stackSize);
    if (!result->panels || !result->front || !result->stack) return snFailMemory(error);
    snFactor_UseLevel(result, (int)snDetectCpu());
    *factor = result;
    return SN_OK;
}

int64_t snFactor_NonZeros(const snFactor *factor)
{
    return snSymbolic_NonZeros(factor->symbolic);
}

const int *snFactor_Order(const snFactor *factor)
{
    return factor->symbolic->order;
}

static snStatus checkMatrix(const snSymbolic *symbolic, const snSparse *matrix, snError *error)
{
    const snPattern *pattern = &matrix->pattern;
    int entries = pattern->size ? pattern->columnStart[pattern->size] : 0;
    if (matrix->block != symbolic->block || pattern->size != symbolic->size ||
        entries != symbolic->entryCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a matrix of %d rows and %d entries of %d x %d does not fit an analysis of "
                      "%d rows and %d entries of %d x %d",
                      pattern->size, entries, matrix->block, matrix->block, symbolic->size,
                      symbolic->entryCount, symbolic->block, symbolic->block);
    int area = matrix->block * matrix->block;
    for (int j = 0; j < pattern->size; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++)
            for (int c = 0; c < area; c++)
                if (!isfinite(matrix->values[(size_t)k * (size_t)area + (size_t)c]))
                    return snFail(error, SN_ERROR_NUMERIC,
                                  "the matrix has a value that is not finite at row %d, column %d",
                                  pattern->row[k] * matrix->block + c / matrix->block,
                                  j * matrix->block + c % matrix->block);
    return SN_OK;
}

// Entries go to the lower triangle of the front. A diagonal block is whole in A and symmetric.
static void addEntries(const snSymbolic *symbolic, const snSupernode *supernode,
                       const double *values, double *front, int stride)
{
    int block = symbolic->block;
    for (int e = supernode->entryStart; e < supernode[1].entryStart; e++) {
        const snEntry *entry = &symbolic->entry[e];
        int index = entry->index < 0 ? ~entry->index : entry->index;
        const double *value = values + (size_t)index * (size_t)(block * block);
        double *corner =
            front + (size_t)(entry->column * block) * (size_t)stride + entry->row * block;
        for (int p = 0; p < block; p++)
            for (int q = 0; q < block; q++)
                corner[(size_t)q * (size_t)stride + (size_t)p] =
                    entry->index < 0 ? value[q * block + p] : value[p * block + q];
    }
}

static void addUpdate(const snSymbolic *symbolic, const snSupernode *child, const double *update,
                      double *front, int stride)
{
    int block = symbolic->block;
    const int *position = symbolic->relative + child->rowStart;
    for (int j = 0; j < child->rows * block; j++) {
        int blockColumn = j / block;
        double *column =
            front + (size_t)(position[blockColumn] * block + j % block) * (size_t)stride;
        for (int p = j % block; p < block; p++)
            column[position[blockColumn] * block + p] += *update++;
        for (int i = blockColumn + 1; i < child->rows; i++)
            for (int p = 0; p < block; p++)
                column[position[i] * block + p] += *update++;
    }
}

static double *pushUpdate(double *top, const double *front, int stride, int pivots, int height)
{
    for (int j = pivots; j < height; j++) {
        size_t length = (size_t)(height - j);
        memcpy(top, front + (size_t)j * (size_t)stride + (size_t)j, length * sizeof *top);
        top += length;
    }
    return top;
}

// X = L⁻¹ for the w x w triangle that begins at (c, c), by columns of 8, and Xᵀ:
// x_jj = 1 / l_jj,  x_ij = -(Σ_{j<=k<i} l_ik x_kj) / l_ii.
static void invertTriangle(const double *triangle, int stride, int columns, double *x, double *xt)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < 8; i++) {
            double sum = i == j ? 1 : 0;
            if (i >= j && i < columns) {
                for (int k = j; k < i; k++)
                    sum -= triangle[(size_t)k * (size_t)stride + (size_t)i] * x[8 * j + k];
                sum /= triangle[(size_t)i * (size_t)stride + (size_t)i];
            }
            x[8 * j + i] = i < columns ? sum : 0;
        }
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < 8; i++)
            xt[8 * j + i] = i < columns ? x[8 * i + j] : 0;
}

// Copies the pivot columns of a factored front into the layout of the solve.
static void storePanel(double *panel, const double *front, int stride, int pivots, int height)
{
    for (int strip = 0; strip < snStripCount(pivots); strip++) {
        int begin = snStripStart(pivots, strip), end = snStripStart(pivots, strip + 1);
        int columns = end - begin, tiles = (height - end + 7) / 8;
        const double *corner = front + (size_t)begin * (size_t)stride;
        invertTriangle(corner + begin, stride, columns, panel,
                       panel + (size_t)(8 * columns) * (size_t)(tiles + 1));
        double *tile = panel + 8 * columns;
        for (int i = end; i < height; i += 8)
            for (int j = 0; j < columns; j++, tile += 8)
                for (int p = 0; p < 8; p++)
                    tile[p] =
                        i + p < height ? corner[(size_t)j * (size_t)stride + (size_t)(i + p)] : 0;
        panel += snStripSize(columns, height - end);
    }
}

static size_t updateSize(const snSymbolic *symbolic, const snSupernode *supernode)
{
    size_t side = (size_t)(symbolic->block * supernode->rows);
    return side * (side + 1) / 2;
}

// Eliminates one supernode; `top` is the end of the stack of updates. Returns the pivot that is not
// positive, or -1.
static int eliminate(snFactor *factor, const snSupernode *supernode, const double *values,
                     double **top)
{
    const snSymbolic *symbolic = factor->symbolic;
    int pivots = symbolic->block * supernode->columns;
    int height = pivots + symbolic->block * supernode->rows, stride = snWorkStride(height);
    memset(factor->front, 0, (size_t)height * (size_t)stride * sizeof *factor->front);
    addEntries(symbolic, supernode, values, factor->front, stride);
    // Children come off the stack in the order in which they are linked, the last first.
    for (int c = supernode->lastChild; c >= 0; c = symbolic->supernodes[c].previousSibling) {
        const snSupernode *child = &symbolic->supernodes[c];
        *top -= updateSize(symbolic, child);
        addUpdate(symbolic, child, *top, factor->front, stride);
    }
    int failed = factor->factorFront(factor->front, stride, pivots, height);
    if (failed >= 0) return failed;
    storePanel(factor->panels + supernode->panel, factor->front, stride, pivots, height);
    *top = pushUpdate(*top, factor->front, stride, pivots, height);
    return -1;
}

snStatus snFactor_Compute(snFactor *factor, const snSparse *matrix, snError *error)
{
    const snSymbolic *symbolic = factor->symbolic;
    snStatus status = checkMatrix(symbolic, matrix, error);
    if (status) return status;
    double *top = factor->stack;
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        const snSupernode *supernode = &symbolic->supernodes[s];
        int failed = eliminate(factor, supernode, matrix->values, &top);
        if (failed < 0) continue;
        int row = symbolic->order[supernode->first + failed / symbolic->block] * symbolic->block +
                  failed % symbolic->block;
        return snFail(error, SN_ERROR_NUMERIC, "the matrix is not positive definite at row %d",
                      row);
    }
    return SN_OK;
}

snStatus snFactor_KeepSingle(snFactor **out, const snFactor *factor, snArena *arena, snError *error)
{
    snFactor *single = SN_NEW(arena, snFactor, 1);
    *out = single;
    if (!single) return snFailMemory(error);
    *single = *factor;
    snStatus status = snFactor_MakeSingle(single, arena, error);
    single->panels = single->front = single->stack = NULL;
    return status;
}

snStatus snFactor_MakeSingle(snFactor *factor, snArena *arena, snError *error)
{
    size_t size = factor->symbolic->panelSize;
    factor->singlePanels = SN_NEW(arena, float, size);
    if (!factor->singlePanels) return snFailMemory(error);
    for (size_t k = 0; k < size; k++)
        factor->singlePanels[k] = (float)factor->panels[k];
    return SN_OK;
}
