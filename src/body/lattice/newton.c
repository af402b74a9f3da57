// H d = -g by conjugate gradients. The constant matrix A of the quasi-Newton method, factored at build
// and the same for x, y and z, is the preconditioner: A⁻¹ H has its spectrum near 1, and nothing is
// factored in a step. With points in place it is P A⁻¹, which keeps them, and residuals go through
// I - QQᵀ, so that the forces that hold the points do not count as errors.
#include "body/lattice/newton.h"

#include "body/lattice/contact.h"
#include "body/lattice/point.h"
#include "core/error.h"
#include "numerics/cg.h"

#include <string.h>

snStatus snNewton_Make(snNewton **out, const snLatticeModel *model, snArena *arena, snError *error)
{
    size_t size = (size_t)model->freeCount * 3;
    snNewton *newton = SN_NEW(arena, snNewton, 1);
    if (!newton) return snFailMemory(error);
    snStatus status = snHessian_Make(&newton->hessian, model, arena, error);
    if (status) return status;
    newton->right = SN_NEW(arena, double, size);
    newton->move = SN_NEW(arena, double, size);
    newton->wide = SN_NEW(arena, double, (size_t)model->freeCount * 4);
    newton->solve = SN_NEW(arena, double, snFactor_ScratchSize(model->factor, 3));
    newton->scratch = SN_NEW(arena, double, snCg_ScratchSize((int)size));
    if (!newton->right || !newton->move || !newton->wide || !newton->solve || !newton->scratch)
        return snFailMemory(error);
    *out = newton;
    return SN_OK;
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
    memcpy(y, x, (size_t)p->model->freeCount * 3 * sizeof(double));
    snFactor_SolveOrdered(p->model->factor, 3, y, p->newton->solve);
    if (p->points) projectRows(p, y);
}

// The elements' matrix, and what contacts add to it.
typedef struct Whole {
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

// H d = -g with the matrix that the newton holds, to newton->move. False when H shows itself not
// positive definite, or values are not finite.
static bool solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    snPointConstraints *points = drive->points;
    snNewton *newton = state->newton;
    int n = model->freeCount;
    for (int i = 0; i < 3 * n; i++) {
        newton->right[i] = -state->gradient[i / 3 * 4 + i % 3];
        newton->move[i] = 0;
    }
    Preconditioner preconditioner = {model, newton, points};
    snCgDef def = snDefaultCgDef();
    def.size = 3 * n;
    Whole whole = {snOperator_FromSparse(&newton->hessian.matrix), drive->contacts, state->next};
    def.matrix = (snOperator){applyWhole, &whole};
    def.preconditioner = (snOperator){applyConstant, &preconditioner};
    if (points) def.projection = snPointConstraints_Projection(points, 3);
    def.tolerance = model->def.tolerance;
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
    int n = model->freeCount;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 4; c++)
            state->direction[4 * i + c] = c < 3 ? newton->move[3 * i + c] : 0;
    return true;
}
