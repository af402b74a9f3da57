#include "numerics/minres.h"

#include "core/error.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Paige, Saunders, "Solution of sparse indefinite systems of linear equations", 1975.
//
// The Lanczos process, preconditioned by M, gives vectors v_k = r_k / β_k (orthonormal in M) with
//     β_{k+1} v_{k+1} = A M v_k - α_k v_k - β_k v_{k-1},   α_k = (M v_k) . A M v_k
// so that A is the tridiagonal T_k in their basis. Plane rotations (c_k, s_k) bring T_k to upper
// triangular form R_k with three diagonals, column k being (ε_k, δ_k, γ_k)ᵀ; the rotated right-hand
// side has elements φ_k = c_k φ̄ with what is left over, φ̄ = s_k φ̄, the length of the residual.
// The search directions are the columns of V R⁻¹:
//     w_k = (M v_k - δ_k w_{k-1} - ε_k w_{k-2}) / γ_k,     x += φ_k w_k.
//
// ‖A r_k‖ / ‖r_k‖ = √(γ̄² + (δ_{k+1})²) follows from the same rotations. When that is nothing against
// ‖A‖ while the residual is not small, r lies in the null space of A and cannot shrink further:
// b is incompatible.

// ‖A r‖ / (‖A‖ ‖r‖) that counts as zero: rounding in the Lanczos vectors leaves about this.
#define NULL_SPACE 1e-12

snMinresDef snDefaultMinresDef(void)
{
    return (snMinresDef){.tolerance = 1e-10};
}

size_t snMinres_ScratchSize(int size)
{
    return 7 * (size_t)size;
}

// Vectors and scalars of the process; the letters are those of the paper.
typedef struct State {
    double *r1, *r2; // β_k v_{k-1} and β_{k+1} v_k, not preconditioned
    double *y, *z;   // the next of them, and M r2
    double *v;       // M v_k
    double *w1, *w2; // directions k - 1 and k - 2
    double alpha, beta, oldBeta;
    double c, s;              // the last rotation
    double deltaBar, epsilon; // entries of T that it has touched already
    double phiBar;            // length of the residual
    double norm2;             // of T (Frobenius), squared
} State;

static snStatus checkDef(const snMinresDef *def, snError *error)
{
    if (def->size < 0 || !def->matrix.apply)
        return snFail(error, SN_ERROR_ARGUMENT, "MINRES needs a matrix and a size >= 0");
    if (!(def->tolerance >= 0) || def->maxIterations < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "tolerance %g and limit %d of MINRES must not be negative", def->tolerance,
                      def->maxIterations);
    return SN_OK;
}

// z = M r and β = √(r . z).
static snStatus precondition(const snMinresDef *def, const double *r, double *z, double *beta,
                             snError *error)
{
    if (def->preconditioner.apply)
        def->preconditioner.apply(def->preconditioner.context, r, z);
    else if (def->size)
        memcpy(z, r, (size_t)def->size * sizeof *z);
    double square = snDotProduct(def->size, r, z), plain = snDotProduct(def->size, r, r);
    if (!isfinite(square) || !isfinite(plain))
        return snFail(error, SN_ERROR_NUMERIC, "MINRES met a value that is not finite");
    if (square < 0 || (square == 0 && plain > 0))
        return snFail(error, SN_ERROR_NUMERIC,
                      "the preconditioner of MINRES is not positive definite: r . M r = %g",
                      square);
    *beta = sqrt(square);
    return SN_OK;
}

// One Lanczos step: from β_k v_k in r2 to β_{k+1} v_{k+1}, with α_k on the way.
static snStatus lanczos(const snMinresDef *def, State *state, bool first, snError *error)
{
    int size = def->size;
    double *v = state->v, *y = state->y;
    for (int i = 0; i < size; i++)
        v[i] = state->z[i] / state->beta;
    def->matrix.apply(def->matrix.context, v, y);
    double back = first ? 0 : state->beta / state->oldBeta;
    for (int i = 0; i < size && !first; i++)
        y[i] -= back * state->r1[i];
    state->alpha = snDotProduct(size, v, y);
    for (int i = 0; i < size; i++)
        y[i] -= state->alpha / state->beta * state->r2[i];
    state->y = state->r1;
    state->r1 = state->r2;
    state->r2 = y;
    state->oldBeta = state->beta;
    snStatus status = precondition(def, state->r2, state->z, &state->beta, error);
    state->norm2 +=
        state->alpha * state->alpha + state->oldBeta * state->oldBeta + state->beta * state->beta;
    return status;
}

// Rotates column k of T into R and takes the step along w_k. False when r lies in the null space of
// A: then no step can shorten it.
static bool advance(const snMinresDef *def, State *state, double *x)
{
    double oldEpsilon = state->epsilon;
    double delta = state->c * state->deltaBar + state->s * state->alpha;
    double gammaBar = state->s * state->deltaBar - state->c * state->alpha;
    state->epsilon = state->s * state->beta;
    state->deltaBar = -state->c * state->beta;
    double shrink = sqrt(gammaBar * gammaBar + state->deltaBar * state->deltaBar);
    double gamma = sqrt(gammaBar * gammaBar + state->beta * state->beta);
    double small = NULL_SPACE * sqrt(state->norm2);
    if (shrink <= small || gamma <= small) return false;

    state->c = gammaBar / gamma;
    state->s = state->beta / gamma;
    double phi = state->c * state->phiBar;
    state->phiBar *= state->s;
    double *w = state->w2; // w_k takes the place of w_{k-2}
    for (int i = 0; i < def->size; i++) {
        w[i] = (state->v[i] - oldEpsilon * state->w2[i] - delta * state->w1[i]) / gamma;
        x[i] += phi * w[i];
    }
    state->w2 = state->w1;
    state->w1 = w;
    return true;
}

// r = b - A x and the first vector of the process; `length` becomes ‖b‖ in M.
static snStatus begin(const snMinresDef *def, State *state, const double *b, const double *x,
                      double *length, snError *error)
{
    snStatus status = precondition(def, b, state->z, length, error);
    if (status) return status;
    def->matrix.apply(def->matrix.context, x, state->y);
    for (int i = 0; i < def->size; i++) {
        state->r2[i] = b[i] - state->y[i];
        state->w1[i] = state->w2[i] = 0;
    }
    status = precondition(def, state->r2, state->z, &state->beta, error);
    state->phiBar = state->beta;
    state->c = -1;
    return status;
}

snStatus snMinres_Solve(const snMinresDef *def, const double *b, double *x, double *scratch,
                        snMinresResult *result, snError *error)
{
    *result = (snMinresResult){0};
    snStatus status = checkDef(def, error);
    if (status) return status;
    int size = def->size, limit = def->maxIterations;
    if (limit == 0) limit = size > INT_MAX / 4 - 20 ? INT_MAX : 4 * size + 20;
    State state = {0};
    double **vectors[7] = {&state.r1, &state.r2, &state.y, &state.z,
                           &state.v,  &state.w1, &state.w2};
    for (int k = 0; k < 7; k++)
        *vectors[k] = scratch + (size_t)k * (size_t)size;

    double goal = 0;
    status = begin(def, &state, b, x, &goal, error);
    if (goal == 0) goal = state.beta; // b = 0: the solution is 0, the start may not be
    for (; !status; result->iterations++) {
        result->residual = goal > 0 ? state.phiBar / goal : state.phiBar;
        result->converged = state.phiBar <= def->tolerance * goal || state.phiBar == 0;
        if (result->converged || result->incompatible || result->iterations == limit) break;
        status = lanczos(def, &state, result->iterations == 0, error);
        if (!status && !advance(def, &state, x)) result->incompatible = true;
    }
    return status;
}
