// How well conditioned a matrix is once its diagonal is scaled to one.
#include "body/lattice/basis.h"

#include "core/error.h"
#include "core/random.h"
#include "numerics/cholesky.h"
#include "numerics/dense.h"
#include "numerics/krylov.h"

#include <float.h>
#include <math.h>

#define DENSE_ROWS 300       // up to here all eigenvalues are computed: a second at most
#define LANCZOS_STEPS 160    // at most
#define LANCZOS_CHECK 8      // steps between looks at the Ritz values
#define LANCZOS_SETTLED 1e-9 // relative change between looks that ends it

// S = D^-1/2 A D^-1/2.
static snStatus scaleMatrix(snSparse *scaled, const snSparse *matrix, snArena *arena,
                            snError *error)
{
    const snPattern *pattern = &matrix->pattern;
    int n = pattern->size;
    double *root = SN_NEW(arena, double, n);
    if (!root) return snFailMemory(error);
    snStatus status = snSparse_Make(scaled, pattern, 1, arena, error);
    if (status) return status;
    for (int j = 0; j < n; j++) {
        double diagonal = matrix->values[pattern->columnStart[j]];
        if (!(diagonal > 0 && diagonal <= DBL_MAX))
            return snFail(error, SN_ERROR_NUMERIC, "diagonal %d of the matrix is %g", j, diagonal);
        root[j] = sqrt(diagonal);
    }
    for (int j = 0; j < n; j++)
        for (int k = pattern->columnStart[j]; k < pattern->columnStart[j + 1]; k++)
            scaled->values[k] = matrix->values[k] / root[j] / root[pattern->row[k]];
    return SN_OK;
}

snStatus snSpectrum_Dense(snSpectrum *spectrum, const snSparse *matrix, const snContext *context,
                          snError *error)
{
    *spectrum = (snSpectrum){.least = 1, .greatest = 1};
    size_t n = (size_t)matrix->pattern.size;
    if (n == 0) return SN_OK;
    snArena scratch = snMakeArena(context);
    snSparse scaled;
    snStatus status = scaleMatrix(&scaled, matrix, &scratch, error);
    double *a = SN_NEW(&scratch, double, n *n), *vectors = SN_NEW(&scratch, double, n *n);
    double *values = SN_NEW(&scratch, double, n), *work = SN_NEW(&scratch, double, n);
    if (!status && (!a || !vectors || !values || !work)) status = snFailMemory(error);
    for (size_t j = 0; j < n && !status; j++)
        for (int k = scaled.pattern.columnStart[j]; k < scaled.pattern.columnStart[j + 1]; k++)
            a[j * n + (size_t)scaled.pattern.row[k]] = scaled.values[k];
    if (!status) status = snSymmetricEigen((int)n, a, values, vectors, work, error);
    if (!status) *spectrum = (snSpectrum){.least = values[n - 1], .greatest = values[0]};
    snArena_Destroy(&scratch);
    return status;
}

// Lanczos' method for the greatest eigenvalue of a symmetric operator S: with v_1 random and
//     β_(k+1) v_(k+1) = S v_k - α_k v_k - β_k v_(k-1),     α_k = v_k . S v_k,
// S is the tridiagonal matrix T of the α and β on the span of the v, and the greatest eigenvalue of
// T grows towards that of S. Each new vector is made orthogonal to all before it, twice: in rounded
// arithmetic the recursion alone loses that.
typedef struct Lanczos {
    int n, steps;
    snOperator operator;
    double *v; // [n * (LANCZOS_STEPS + 1)], one vector after another
    double alpha[LANCZOS_STEPS], beta[LANCZOS_STEPS + 1];
} Lanczos;

static double *vectorOf(const Lanczos *l, int k)
{
    return l->v + (size_t)k * (size_t)l->n;
}

static double normalise(Lanczos *l, double *x)
{
    double length = sqrt(snDotProduct(l->n, x, x));
    for (int i = 0; i < l->n && length > 0; i++)
        x[i] /= length;
    return length;
}

static void orthogonalise(Lanczos *l, int count, double *x)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *v = vectorOf(l, k);
            double dot = snDotProduct(l->n, v, x);
            for (int i = 0; i < l->n; i++)
                x[i] -= dot * v[i];
        }
}

static void lanczosStep(Lanczos *l)
{
    int k = l->steps++;
    double *v = vectorOf(l, k), *next = vectorOf(l, k + 1);
    l->operator.apply(l->operator.context, v, next);
    l->alpha[k] = snDotProduct(l->n, v, next);
    orthogonalise(l, k + 1, next);
    l->beta[k + 1] = normalise(l, next);
}

// The greatest eigenvalue of T. `scratch` has room for 2 steps² + 2 steps doubles.
static snStatus greatestRitz(const Lanczos *l, double *scratch, double *value, snError *error)
{
    int n = l->steps;
    double *a = scratch, *vectors = a + n * n, *values = vectors + n * n, *work = values + n;
    for (int k = 0; k < n * n; k++)
        a[k] = 0;
    for (int k = 0; k < n; k++) {
        a[k * n + k] = l->alpha[k];
        if (k + 1 < n) a[k * n + k + 1] = l->beta[k + 1];
    }
    snStatus status = snSymmetricEigen(n, a, values, vectors, work, error);
    *value = status ? 0 : values[0];
    return status;
}

static snStatus greatestEigenvalue(snOperator operator, int n, double *value, int *products,
                                   snArena *scratch, snError *error)
{
    Lanczos *l = SN_NEW(scratch, Lanczos, 1);
    double *room = SN_NEW(scratch, double, 2 * LANCZOS_STEPS * (LANCZOS_STEPS + 1));
    if (!l || !room) return snFailMemory(error);
    l->n = n;
    l->operator= operator;
    l->v = SN_NEW(scratch, double, (size_t)n *(LANCZOS_STEPS + 1));
    if (!l->v) return snFailMemory(error);
    snRandom random = snMakeRandom(1);
    for (int i = 0; i < n; i++)
        l->v[i] = snRandom_Uniform(&random, -1, 1);
    normalise(l, l->v);
    double last = 0;
    *value = 0;
    int most = n < LANCZOS_STEPS ? n : LANCZOS_STEPS;
    while (l->steps < most) {
        lanczosStep(l);
        bool closed = !(l->beta[l->steps] > 1e-14 * fabs(l->alpha[0])); // the span is invariant
        if (l->steps % LANCZOS_CHECK && l->steps < most && !closed) continue;
        snStatus status = greatestRitz(l, room, value, error);
        if (status) return status;
        if (closed || fabs(*value - last) <= LANCZOS_SETTLED * fabs(*value)) break;
        last = *value;
    }
    *products += l->steps;
    return SN_OK;
}

typedef struct Inverse {
    const snFactor *factor;
    int n;
    double *scratch;
} Inverse;

static void applyInverse(void *context, const double *x, double *y)
{
    Inverse *inverse = context;
    for (int i = 0; i < inverse->n; i++)
        y[i] = x[i];
    snFactor_Solve(inverse->factor, 1, y, inverse->scratch);
}

static snStatus leastByInverse(snSpectrum *spectrum, const snSparse *scaled, snArena *scratch,
                               snError *error)
{
    snSymbolic *symbolic;
    snFactor *factor;
    snStatus status =
        snSymbolic_Make(&symbolic, &scaled->pattern, 1, SN_ORDER_AUTO, scratch, error);
    if (!status) status = snFactor_Make(&factor, symbolic, scratch, error);
    if (status) return status;
    status = snFactor_Compute(factor, scaled, NULL);
    spectrum->least = 0;
    if (status == SN_ERROR_NUMERIC) return SN_OK;
    if (status) return snFail(error, status, "the scaled matrix could not be factored");
    Inverse inverse = {factor, scaled->pattern.size,
                       SN_NEW(scratch, double, snFactor_ScratchSize(factor, 1))};
    if (!inverse.scratch) return snFailMemory(error);
    double greatest;
    status = greatestEigenvalue((snOperator){applyInverse, &inverse}, inverse.n, &greatest,
                                &spectrum->products, scratch, error);
    if (!status) spectrum->least = greatest > 0 ? 1 / greatest : 0;
    return status;
}

snStatus snSpectrum_Lanczos(snSpectrum *spectrum, const snSparse *matrix, const snContext *context,
                            snError *error)
{
    *spectrum = (snSpectrum){.least = 1, .greatest = 1};
    if (matrix->pattern.size == 0) return SN_OK;
    snArena scratch = snMakeArena(context);
    snSparse scaled;
    snStatus status = scaleMatrix(&scaled, matrix, &scratch, error);
    if (!status)
        status = greatestEigenvalue(snOperator_FromSparse(&scaled), matrix->pattern.size,
                                    &spectrum->greatest, &spectrum->products, &scratch, error);
    if (!status) status = leastByInverse(spectrum, &scaled, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snScaledCondition(double *condition, const snSparse *matrix, const snContext *context,
                           snError *error)
{
    snSpectrum spectrum;
    snStatus status = matrix->pattern.size <= DENSE_ROWS
                          ? snSpectrum_Dense(&spectrum, matrix, context, error)
                          : snSpectrum_Lanczos(&spectrum, matrix, context, error);
    if (status) return status;
    double noise = DBL_EPSILON * matrix->pattern.size * spectrum.greatest;
    *condition = spectrum.least > noise ? spectrum.greatest / spectrum.least : INFINITY;
    return SN_OK;
}
