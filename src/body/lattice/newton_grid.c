#include "body/lattice/newton_grid.h"

#include "body/lattice/space.h"
#include "core/error.h"
#include "numerics/galerkin.h"
#include "numerics/multigrid.h"
#include "numerics/sweep.h"

struct snNewtonGrid {
    const snHessian *hessian;
    snTasks tasks;
    int functions;
    snRowMatrix nodes, rows; // H, BᵀHB
    snGalerkin product;
    snSparse matrix; // BᵀHB again, as multigrid reads it
    snMultigrid *multigrid;
    double *in, *out; // [functions * 3]
};

static snStatus makeMultigrid(snNewtonGrid *grid, const snLatticeModel *model, snArena *arena,
                              snError *error)
{
    snMultigridDef def = snDefaultMultigridDef();
    def.levels = model->nested.levels;
    def.prolongations = model->nested.prolongations;
    def.later = true;
    return snMultigrid_Make(&grid->multigrid, &grid->matrix, &def, arena, &model->context, error);
}

snStatus snNewtonGrid_Make(snNewtonGrid **out, const snLatticeModel *model,
                           const snHessian *hessian, snArena *arena, snError *error)
{
    const snSpace *space = model->space;
    snNewtonGrid *grid = SN_NEW(arena, snNewtonGrid, 1);
    if (!grid) return snFailMemory(error);
    int n = grid->functions = space->functionCount;
    grid->hessian = hessian;
    grid->tasks = model->context.tasks;
    grid->in = SN_NEW(arena, double, 3 * (size_t)n);
    grid->out = SN_NEW(arena, double, 3 * (size_t)n);
    if (!grid->in || !grid->out) return snFailMemory(error);
    snStatus status = snRowMatrix_FromSparse(&grid->nodes, &hessian->matrix, NULL, arena, error);
    if (!status)
        status = snGalerkin_Make(&grid->product, &grid->rows, &grid->nodes, &space->rows, NULL,
                                 arena, error);
    if (!status) status = snRowMatrix_Lower(&grid->matrix, &grid->rows, arena, error);
    if (!status) status = makeMultigrid(grid, model, arena, error);
    if (!status) *out = grid;
    return status;
}

bool snNewtonGrid_Compute(snNewtonGrid *grid)
{
    snRowMatrix_Load(&grid->nodes, &grid->hessian->matrix);
    snGalerkin_Compute(&grid->product, &grid->rows, &grid->tasks);
    snRowMatrix_StoreLower(&grid->rows, &grid->matrix);
    return snMultigrid_Compute(grid->multigrid, &grid->matrix, NULL) == SN_OK;
}

static void pack(snNewtonGrid *grid, const double *x)
{
    for (int k = 0; k < 3 * grid->functions; k++)
        grid->in[k] = x[k / 3 * 4 + k % 3];
}

static void unpack(const snNewtonGrid *grid, double *y)
{
    for (int k = 0; k < 4 * grid->functions; k++)
        y[k] = k % 4 < 3 ? grid->out[k / 4 * 3 + k % 4] : 0;
}

static void applyMatrix(void *context, const double *x, double *y)
{
    snNewtonGrid *grid = context;
    snSweep sweep = {.rows = &grid->rows, .width = 1, .tasks = grid->tasks};
    pack(grid, x);
    snSweep_Residual(&sweep, NULL, grid->in, grid->out); // -BᵀHB x
    for (int k = 0; k < 3 * grid->functions; k++)
        grid->out[k] = -grid->out[k];
    unpack(grid, y);
}

static void applyInverse(void *context, const double *x, double *y)
{
    snNewtonGrid *grid = context;
    pack(grid, x);
    snMultigrid_Apply(grid->multigrid, grid->in, grid->out);
    unpack(grid, y);
}

snOperator snNewtonGrid_Matrix(snNewtonGrid *grid)
{
    return (snOperator){applyMatrix, grid};
}

snOperator snNewtonGrid_Inverse(snNewtonGrid *grid)
{
    return (snOperator){applyInverse, grid};
}
