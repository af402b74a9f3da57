#include "numerics/cg.h"

#include "core/error.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Hestenes, Stiefel, "Methods of conjugate gradients for solving linear systems", 1952; the
// projection as in Baraff, Witkin, "Large steps in cloth simulation", 1998, with the symmetry that
// Ascher and Boxerman (2003) asked for: r and z both go through P.
//     r = P (b - A x),  z = P M r,  p = z
//     α = (r . z) / (p . A p),  x += α p,  r -= α P A p
//     β = (r' . z') / (r . z),  p = z' + β p

snCgDef snDefaultCgDef(void)
{
    return (snCgDef){.tolerance = 1e-10};
}

size_t snCg_ScratchSize(int size)
{
    return 4 * (size_t)size;
}

static void project(const snCgDef *def, double *x)
{
    if (def->projection.apply) def->projection.apply(def->projection.context, x);
}

static void precondition(const snCgDef *def, const double *r, double *z)
{
    if (def->preconditioner.apply)
        def->preconditioner.apply(def->preconditioner.context, r, z);
    else if (def->size)
        memcpy(z, r, (size_t)def->size * sizeof *z);
    project(def, z);
}

static snStatus checkDef(const snCgDef *def, snError *error)
{
    if (def->size < 0 || !def->matrix.apply)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "conjugate gradients need a matrix and a size >= 0");
    if (!(def->tolerance >= 0) || def->maxIterations < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "tolerance %g and limit %d of conjugate gradients must not be negative",
                      def->tolerance, def->maxIterations);
    return SN_OK;
}

// r = P (b - A x); returns ‖P b‖.
static double firstResidual(const snCgDef *def, const double *b, double *x, double *r, double *work)
{
    int size = def->size;
    if (size) memcpy(r, b, (size_t)size * sizeof *r);
    project(def, r);
    double length = sqrt(snDotProduct(size, r, r));
    if (def->fromZero) {
        if (size) memset(x, 0, (size_t)size * sizeof *x);
        return length;
    }
    def->matrix.apply(def->matrix.context, x, work);
    for (int i = 0; i < size; i++)
        r[i] = b[i] - work[i];
    project(def, r);
    return length;
}

snStatus snCg_Solve(const snCgDef *def, const double *b, double *x, double *scratch,
                    snCgResult *result, snError *error)
{
    *result = (snCgResult){0};
    snStatus status = checkDef(def, error);
    if (status) return status;
    int size = def->size, limit = def->maxIterations;
    if (limit == 0) limit = size > INT_MAX / 2 ? INT_MAX : 2 * size;
    double *r = scratch, *z = r + size, *p = z + size, *q = p + size;

    double goal = firstResidual(def, b, x, r, q);
    double length = sqrt(snDotProduct(size, r, r)), rz = 0;
    if (goal == 0) goal = length; // b = 0: the solution is 0, the start may not be
    for (;; result->iterations++) {
        if (!isfinite(length) || !isfinite(goal))
            return snFail(error, SN_ERROR_NUMERIC,
                          "conjugate gradients met a value that is not finite in iteration %d",
                          result->iterations);
        result->residual = goal > 0 ? length / goal : length;
        result->converged = length <= def->tolerance * goal || length == 0;
        if (result->converged || result->iterations == limit) return SN_OK;

        precondition(def, r, z);
        double next = snDotProduct(size, r, z), beta = result->iterations ? next / rz : 0;
        if (!(next > 0))
            return snFail(
                error, SN_ERROR_NUMERIC,
                "the preconditioner is not positive definite: r . M r = %g in iteration %d", next,
                result->iterations);
        rz = next;
        for (int i = 0; i < size; i++)
            p[i] = z[i] + (result->iterations ? beta * p[i] : 0);
        def->matrix.apply(def->matrix.context, p, q);
        project(def, q);
        double curvature = snDotProduct(size, p, q);
        if (!(curvature > 0))
            return snFail(error, SN_ERROR_NUMERIC,
                          "the matrix is not positive definite: p . A p = %g in iteration %d",
                          curvature, result->iterations);
        double alpha = rz / curvature;
        for (int i = 0; i < size; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        length = sqrt(snDotProduct(size, r, r));
    }
}
