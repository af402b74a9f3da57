// H d = -g by conjugate gradients. The constant matrix A of the quasi-Newton method, factored at build
// and the same for x, y and z, is the preconditioner: A⁻¹ H has its spectrum near 1, and nothing is
// factored in a step. With points in place it is P A⁻¹, which keeps them, and residuals go through
// I - QQᵀ, so that the forces that hold the points do not count as errors.
//
// Points that are held by multipliers make an indefinite system of it, with A as preconditioner likewise
// (multiplier.c).
//
// In a space of motions (space.h) the unknowns are q, the matrix is BᵀHB, applied from right to left, and
// the preconditioner A_q. In large ones BᵀHB is made, and multigrid on it is the preconditioner
// (newton_grid.h).
#include "body/lattice/newton.h"

#include "body/lattice/contact.h"
#include "body/lattice/newton_grid.h"
#include "body/lattice/point.h"
#include "body/lattice/space.h"
#include "core/error.h"
#include "numerics/cg.h"

#include <string.h>

snStatus snNewton_Make(snNewton **out, const snLatticeModel *model, snArena *arena, snError *error)
{
    int unknowns = model->space ? model->space->functionCount : model->freeCount;
    snNewton *newton = SN_NEW(arena, snNewton, 1);
    if (!newton) return snFailMemory(error);
    newton->width = model->space ? 4 : 3;
    newton->size = unknowns * newton->width;
    size_t size = (size_t)newton->size;
    snStatus status = snHessian_Make(&newton->hessian, model, arena, error);
    if (status) return status;
    newton->right = SN_NEW(arena, double, size);
    newton->move = SN_NEW(arena, double, size);
    newton->wide = SN_NEW(arena, double, (size_t)unknowns * 4);
    newton->packed = SN_NEW(arena, double, model->space ? (size_t)model->freeCount * 6 : 0);
    newton->solve = SN_NEW(arena, double, snFactor_ScratchSize(model->factor, newton->width));
    newton->scratch = SN_NEW(arena, double, snCg_ScratchSize((int)size));
    if (!newton->right || !newton->move || !newton->wide || !newton->packed || !newton->solve ||
        !newton->scratch)
        return snFailMemory(error);
    if (model->nested.levels)
        status = snNewtonGrid_Make(&newton->grid, model, &newton->hessian, arena, error);
    if (!status) *out = newton;
    return status;
}

typedef struct Preconditioner {
    const snLatticeModel *model;
    snNewton *newton;
    snPointConstraints *points; // or NULL
} Preconditioner;

// Rows of three to rows of four and back, as points are corrected in rows of four.
static void projectRows(const Preconditioner *p, double *x)
{
    double *wide = p->newton->wide;
    int n = p->model->freeCount;
    for (int k = 0; k < 4 * n; k++)
        wide[k] = k % 4 < 3 ? x[k / 4 * 3 + k % 4] : 0;
    snPointConstraints_Project(p->points, wide);
    for (int k = 0; k < 3 * n; k++)
        x[k] = wide[k / 3 * 4 + k % 3];
}

static void applyConstant(void *context, const double *x, double *y)
{
    Preconditioner *p = context;
    memcpy(y, x, (size_t)p->newton->size * sizeof(double));
    if (p->newton->width == 4)
        snFactor_SolveRows(p->model->factor, y, p->newton->solve);
    else
        snFactor_SolveOrdered(p->model->factor, 3, y, p->newton->solve);
    if (p->points && p->newton->width == 4)
        snPointConstraints_Project(p->points, y);
    else if (p->points)
        projectRows(p, y);
}

// The elements' matrix, and what contacts add to it.
typedef struct Whole {
    const snLatticeModel *model;
    snLatticeState *state;
    snOperator elements;
    const snLatticeContacts *contacts; // or NULL
    const double *position;
} Whole;

static void applyWhole(void *context, const double *x, double *y)
{
    const Whole *whole = context;
    whole->elements.apply(whole->elements.context, x, y);
    if (whole->contacts) snLatticeContacts_AddCurvature(whole->contacts, whole->position, x, y);
}

// y = Bᵀ H B x
static void applyInSpace(void *context, const double *x, double *y)
{
    const Whole *whole = context;
    int n = whole->model->freeCount;
    double *wide = whole->state->wide, *in = whole->state->newton->packed, *out = in + 3 * n;
    snSpace_Push(whole->model, whole->state, x, wide);
    for (int k = 0; k < 3 * n; k++)
        in[k] = wide[k / 3 * 4 + k % 3];
    applyWhole(context, in, out);
    for (int k = 0; k < 4 * n; k++)
        wide[k] = k % 4 < 3 ? out[k / 4 * 3 + k % 4] : 0;
    snSpace_Pull(whole->model, whole->state, wide, y);
}

// H d = -g with the matrix that the newton holds, to newton->move. False when H shows itself not
// positive definite, or values are not finite.
static bool solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    snPointConstraints *points = drive->points;
    snNewton *newton = state->newton;
    const double *gradient = model->space ? state->pulled : state->gradient;
    for (int i = 0; i < newton->size; i++) {
        newton->right[i] = -gradient[i / newton->width * 4 + i % newton->width];
        newton->move[i] = 0;
    }
    Preconditioner preconditioner = {model, newton, points};
    snCgDef def = snDefaultCgDef();
    def.size = newton->size;
    Whole whole = {model, state, snOperator_FromSparse(&newton->hessian.matrix), drive->contacts,
                   state->next};
    def.matrix = (snOperator){model->space ? applyInSpace : applyWhole, &whole};
    def.preconditioner = (snOperator){applyConstant, &preconditioner};
    def.tolerance = model->def.tolerance;
    if (points && points->multipliers) {
        preconditioner.points = NULL;
        snMultiplierSystem system = {.matrix = def.matrix,
                                     .definite = !newton->hessian.exact,
                                     .inverse = def.preconditioner,
                                     .right = newton->right,
                                     .values = snLatticeState_NextValues(model, state),
                                     .tolerance = def.tolerance};
        return snMultipliers_Solve(points->multipliers, &system, newton->move);
    }
    if (newton->grid && !points && !drive->contacts) {
        if (!snNewtonGrid_Compute(newton->grid)) return false;
        def.matrix = snNewtonGrid_Matrix(newton->grid);
        def.preconditioner = snNewtonGrid_Inverse(newton->grid);
    }
    if (points) def.projection = snPointConstraints_Projection(points, newton->width);
    snCgResult result;
    if (snCg_Solve(&def, newton->right, newton->move, newton->scratch, &result, NULL)) return false;
    newton->iterations += result.iterations;
    return true;
}

// Elements' Hessians made positive keep the first directions going down, but turn the quadratic end
// of Newton's method into a linear one: from the third iteration on the exact matrix is tried first.
bool snNewton_Direction(const snLatticeModel *model, snLatticeState *state,
                        const snLatticeDrive *drive, int iteration)
{
    snNewton *newton = state->newton;
    bool found = false;
    newton->hessian.exact = iteration >= 2;
    if (newton->hessian.exact)
        found = snHessian_Compute(&newton->hessian, model, state, state->next) &&
                solve(model, state, drive);
    newton->hessian.exact = false;
    if (!found && !(snHessian_Compute(&newton->hessian, model, state, state->next) &&
                    solve(model, state, drive)))
        return false;
    int width = newton->width;
    for (int i = 0; i < newton->size / width; i++)
        for (int c = 0; c < 4; c++)
            state->direction[4 * i + c] = c < 3 ? newton->move[width * i + c] : 0;
    return true;
}
