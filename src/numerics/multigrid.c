#include "numerics/multigrid.h"

#include "core/error.h"
#include "numerics/chebyshev.h"
#include "numerics/cholesky.h"
#include "numerics/galerkin.h"
#include "numerics/patches.h"
#include "numerics/sweep.h"

#include <string.h>

// Hackbusch, "Multi-Grid Methods and Applications", 1985. With S the sweep forward, S' the one
// backward, e -> (I - M A) e on level j is
//     S' (I - P M_{j-1} Pᵀ A) S
// S' is the adjoint of S in the energy e . A e, so M is symmetric if M_{j-1} is; sweeps make the energy
// smaller whatever A is (they minimise row by row), and so does the correction in the middle if M_{j-1}
// is between zero and twice the inverse, as V- and W-cycles are. Then so is M, and positive definite.

typedef struct Level {
    snRowMatrix matrix;
    snSweep sweep;
    snChebyshev *chebyshev; // or NULL: sweeps
    snPatches patches;      // beside Chebyshev's polynomials
    snGalerkin product;     // from the matrix of this level to the one below
    double *b, *x, *r;      // [size * block * width]; the finest level's b and x are the caller's
    double *again;          // the same, of W-cycles
} Level;

struct snMultigrid {
    int levels, block, width, sweeps, cycles;
    Level *level; // [levels]
    snTasks tasks;
    snSparse coarsest;
    snFactor *factor;
    double *solve; // scratch of the factor
};

snMultigridDef snDefaultMultigridDef(void)
{
    return (snMultigridDef){.levels = 1, .width = 1, .sweeps = 2, .cycles = 1};
}

// ---- building ---------------------------------------------------------------------------------

static snStatus checkDef(const snSparse *matrix, const snMultigridDef *def, snError *error)
{
    if (def->levels < 1 || def->width < 1 || def->sweeps < 1 || def->cycles < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "multigrid of %d levels with %d right-hand sides, %d sweeps and %d cycles is "
                      "not possible, each must be at least 1",
                      def->levels, def->width, def->sweeps, def->cycles);
    if (def->later && def->values)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "multigrid for smooth functions needs the matrix' values when it is made");
    for (int j = 0; j + 1 < def->levels; j++) {
        const snWeightRows *p = &def->prolongations[j];
        snStatus status = snWeightRows_Check(p, error);
        if (status) snError_Prefix(error, "prolongation of level %d", j);
        if (status) return status;
        bool last = j + 2 == def->levels;
        int above = last ? matrix->pattern.size : p[1].columns;
        if (p->rows != above)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "the prolongation of level %d has %d rows, but level %d has %d functions",
                          j, p->rows, j + 1, above);
    }
    for (int j = 1; j < def->levels && def->values; j++) {
        const snWeightRows *e = &def->values[j];
        int size = def->prolongations[j - 1].rows;
        snStatus status = snWeightRows_Check(e, error);
        if (!status && (e->rows != size || e->columns != size))
            status = snFail(error, SN_ERROR_ARGUMENT, "%d rows and %d columns, not %d", e->rows,
                            e->columns, size);
        if (status) snError_Prefix(error, "values of level %d", j);
        if (status) return status;
    }
    return SN_OK;
}

static snStatus makeVectors(snMultigrid *m, int j, snArena *arena, snError *error)
{
    Level *level = &m->level[j];
    size_t size = (size_t)level->matrix.size * (size_t)(m->block * m->width);
    bool finest = j + 1 == m->levels;
    level->sweep = (snSweep){.rows = &level->matrix, .width = m->width, .tasks = m->tasks};
    level->sweep.inverse = SN_NEW(arena, double, j > 0 ? snSweep_InverseSize(&level->matrix) : 0);
    level->b = SN_NEW(arena, double, finest ? 0 : size);
    level->x = SN_NEW(arena, double, finest ? 0 : size);
    level->r = SN_NEW(arena, double, j > 0 ? size : 0);
    level->again = SN_NEW(arena, double, m->cycles > 1 && !finest ? size : 0);
    bool made = level->sweep.inverse && level->b && level->x && level->r && level->again;
    return made ? SN_OK : snFailMemory(error);
}

static snStatus makeSmoother(Level *level, const snWeightRows *values, snArena *arena,
                             snError *error)
{
    level->chebyshev = SN_NEW(arena, snChebyshev, 1);
    if (!level->chebyshev) return snFailMemory(error);
    return snChebyshev_Make(level->chebyshev, &level->sweep, values, arena, error);
}

static snStatus makeLevels(snMultigrid *m, const snSparse *matrix, const snMultigridDef *def,
                           snArena *arena, snError *error)
{
    snStatus status = SN_OK;
    for (int j = m->levels - 1; j >= 0 && !status; j--) {
        const unsigned char *swept = def->swept ? def->swept[j] : NULL;
        snRowMatrix *rows = &m->level[j].matrix;
        if (j + 1 == m->levels) {
            status = snRowMatrix_FromSparse(rows, matrix, swept, arena, error);
        } else {
            snWeightRows p;
            status = snWeightRows_Copy(&p, &def->prolongations[j], arena, error);
            if (!status)
                status = snGalerkin_Make(&m->level[j + 1].product, rows, &m->level[j + 1].matrix,
                                         &p, swept, arena, error);
        }
        if (!status) status = makeVectors(m, j, arena, error);
        if (!status && j > 0 && def->values)
            status = makeSmoother(&m->level[j], &def->values[j], arena, error);
    }
    return status;
}

static snStatus makeCoarsest(snMultigrid *m, snArena *arena, snError *error)
{
    snSymbolic *symbolic;
    snStatus status = snRowMatrix_Lower(&m->coarsest, &m->level[0].matrix, arena, error);
    if (!status)
        status =
            snSymbolic_Make(&symbolic, &m->coarsest.pattern, m->block, SN_ORDER_AUTO, arena, error);
    if (!status) status = snFactor_Make(&m->factor, symbolic, arena, error);
    if (status) return status;
    m->solve = SN_NEW(arena, double, snFactor_ScratchSize(m->factor, m->width));
    return m->solve ? SN_OK : snFailMemory(error);
}

// ---- values -----------------------------------------------------------------------------------

static void loadMatrices(snMultigrid *m, const snSparse *matrix)
{
    snRowMatrix_Load(&m->level[m->levels - 1].matrix, matrix);
    for (int j = m->levels - 1; j > 0; j--)
        snGalerkin_Compute(&m->level[j].product, &m->level[j - 1].matrix, &m->tasks);
}

static snStatus prepareLevel(Level *level, int j, snError *error)
{
    int failed = snSweep_Invert(&level->sweep);
    if (failed < 0 && level->chebyshev) failed = snPatches_Factor(&level->patches);
    if (failed >= 0)
        return snFail(error, SN_ERROR_NUMERIC,
                      "the matrix of level %d is not positive definite at row %d", j, failed);
    if (level->chebyshev && !snChebyshev_Bound(level->chebyshev))
        return snFail(error, SN_ERROR_NUMERIC,
                      "the matrix of level %d is not positive definite, or not finite", j);
    return SN_OK;
}

// Smoothers and the factor, for the matrices that there are.
static snStatus prepare(snMultigrid *m, snError *error)
{
    snStatus status = SN_OK;
    for (int j = m->levels - 1; j > 0 && !status; j--)
        status = prepareLevel(&m->level[j], j, error);
    if (status) return status;
    snRowMatrix_StoreLower(&m->level[0].matrix, &m->coarsest);
    status = snFactor_Compute(m->factor, &m->coarsest, error);
    if (status) snError_Prefix(error, "level 0 of multigrid");
    return status;
}

snStatus snMultigrid_Compute(snMultigrid *m, const snSparse *matrix, snError *error)
{
    const snRowMatrix *finest = &m->level[m->levels - 1].matrix;
    if (matrix->pattern.size != finest->size || matrix->block != m->block)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the multigrid was made for %d rows of %d x %d, the matrix has %d of %d x %d",
                      finest->size, m->block, m->block, matrix->pattern.size, matrix->block,
                      matrix->block);
    loadMatrices(m, matrix);
    return prepare(m, error);
}

// ---- making -----------------------------------------------------------------------------------

// Patches depend on values.
snStatus snMultigrid_Make(snMultigrid **multigrid, const snSparse *matrix,
                          const snMultigridDef *def, snArena *arena, const snContext *context,
                          snError *error)
{
    *multigrid = NULL;
    snStatus status = checkDef(matrix, def, error);
    if (status) return status;
    snMultigrid *m = SN_NEW(arena, snMultigrid, 1);
    if (!m) return snFailMemory(error);
    *m = (snMultigrid){.levels = def->levels,
                       .block = matrix->block,
                       .width = def->width,
                       .sweeps = def->sweeps,
                       .cycles = def->cycles,
                       .tasks = context->tasks,
                       .level = SN_NEW(arena, Level, def->levels)};
    if (!m->level) return snFailMemory(error);
    status = makeLevels(m, matrix, def, arena, error);
    if (!status) status = makeCoarsest(m, arena, error);
    if (!status && !def->later) loadMatrices(m, matrix);
    for (int j = 1; j < m->levels && !status && def->values; j++)
        status = snPatches_Make(&m->level[j].patches, &m->level[j].sweep, arena, error);
    if (!status && !def->later) status = prepare(m, error);
    if (!status) *multigrid = m;
    return status;
}

// ---- cycles -----------------------------------------------------------------------------------

// From x = 0, and the residual that is left.
static void smoothBefore(snMultigrid *m, Level *level, const double *b, double *x)
{
    bool patched = level->patches.count > 0;
    if (patched) {
        memset(x, 0, (size_t)level->chebyshev->size * sizeof(double));
        snPatches_Forward(&level->patches, b, x);
    }
    if (level->chebyshev)
        snChebyshev_Smooth(level->chebyshev, m->sweeps, !patched, b, x);
    else
        snSweep_First(&level->sweep, b, x);
    for (int s = 1; s < m->sweeps && !level->chebyshev; s++)
        snSweep_Forward(&level->sweep, b, x);
    if (m->sweeps == 1 && !level->chebyshev)
        snSweep_FirstResidual(&level->sweep, b, x, level->r);
    else
        snSweep_Residual(&level->sweep, b, x, level->r);
}

static void smoothAfter(snMultigrid *m, Level *level, const double *b, double *x)
{
    if (level->chebyshev) snChebyshev_Smooth(level->chebyshev, m->sweeps, false, b, x);
    snPatches_Backward(&level->patches, b, x);
    for (int s = 0; s < m->sweeps && !level->chebyshev; s++)
        snSweep_Backward(&level->sweep, b, x);
}

static void cycle(snMultigrid *m, int j, const double *b, double *x);

// x ~ A_j⁻¹ b by as many cycles as are wanted: x += M (b - A x).
static void repeat(snMultigrid *m, int j)
{
    Level *level = &m->level[j];
    int size = level->matrix.size * m->block * m->width;
    cycle(m, j, level->b, level->x);
    for (int c = 1; c < m->cycles && j > 0; c++) {
        memcpy(level->again, level->x, (size_t)size * sizeof(double));
        snSweep_Residual(&level->sweep, level->b, level->again, level->r);
        memcpy(level->b, level->r, (size_t)size * sizeof(double));
        cycle(m, j, level->b, level->x);
        for (int i = 0; i < size; i++)
            level->x[i] += level->again[i];
    }
}

static void cycle(snMultigrid *m, int j, const double *b, double *x)
{
    Level *level = &m->level[j];
    int stride = m->block * m->width;
    if (j == 0) {
        memcpy(x, b, (size_t)level->matrix.size * (size_t)stride * sizeof(double));
        snFactor_Solve(m->factor, m->width, x, m->solve);
        return;
    }
    Level *below = &m->level[j - 1];
    smoothBefore(m, level, b, x);
    snWeightRows_Multiply(&level->product.transposed, stride, level->r, below->b, &m->tasks);
    repeat(m, j - 1);
    snWeightRows_Add(&level->product.prolongation, stride, below->x, x, &m->tasks);
    smoothAfter(m, level, b, x);
}

void snMultigrid_Apply(snMultigrid *m, const double *b, double *x)
{
    cycle(m, m->levels - 1, b, x);
}

static void applyMultigrid(void *context, const double *x, double *y)
{
    snMultigrid_Apply(context, x, y);
}

snOperator snOperator_FromMultigrid(snMultigrid *multigrid)
{
    return (snOperator){applyMultigrid, multigrid};
}

snMultigridLevel snMultigrid_Level(const snMultigrid *m, int level)
{
    const snRowMatrix *rows = &m->level[level].matrix;
    return (snMultigridLevel){.size = rows->size,
                              .colours = rows->colours,
                              .entries = rows->size ? rows->start[rows->size] : 0};
}
