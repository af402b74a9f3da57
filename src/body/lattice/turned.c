// The step's Hessian at rest is A₀ = D + h (h + β) K with K the linear stiffness, and L-BFGS starts from
// S⁻¹, S = D + h (h + β) Σ k V GᵀG, which is the same for x, y and z. S counts every change of F, but a
// turn of an element costs nothing. Bending is hardly more than turns that differ from element to
// element, so S takes slender ends for 20 to 200 times too stiff, and three iterations leave most of
// their way undone.
//
// A₀ knows that, at rest. In a body whose elements have turned by R it is R A₀ Rᵀ (R: a rotation for each
// vertex, the mean of its elements'), exactly where R is the same all around. Where it is not, R A₀ Rᵀ
// resists places that S has right. So S stays, and gets what A₀ is softer by:
//
//     H₀ = S⁻¹ + R (A⁻¹ - S⁻¹) Rᵀ,   A = D + h (h + β) ((1 - ε) K + ε Σ k V GᵀG).
//
// ε keeps the softest motions from being overshot. All three solves are rounded to floats in any
// precision: H₀ only proposes, and every move is checked.
//
// It costs about as much as two further scalar solves, so bodies that S suits go without: the largest
// eigenvalue of A₀⁻¹S, how much too stiff S is at worst, is found by power iteration.
#include "body/lattice/turned.h"

#include "core/error.h"
#include "core/random.h"
#include "core/simd.h"

#include <string.h>

// ε. In secondary motion the rig's own stretch is the rest shape, and K at rest is less right.
#define EPSILON_FULL 0.02
#define EPSILON_SECONDARY 0.1
#define TOO_STIFF 25 // times: from here on S does not do
#define ROUNDS 40    // of power iteration

typedef struct Builder {
    snLatticeModel *model;
    const snLatticeModelDef *def;
    snArena *scratch;
    double scale;   // h (h + β)
    double epsilon; // ε
} Builder;

static double curvatureOf(const Builder *b, int element)
{
    const snQuadrature *q = b->model->quadrature;
    double young = b->def->young[q->cell[element]], poisson = b->def->poisson;
    return b->scale * q->volume[element] *
           snCurvature(snShearModulus(young, poisson), snLameLambda(young, poisson));
}

// All vertices, free ones first: A is the leading part.
static snStatus makeWhole(snSparse *whole, const Builder *b, snError *error)
{
    const snLatticeModel *model = b->model;
    const snQuadrature *q = model->quadrature;
    int entries = q->start[q->elementCount];
    int *items = SN_NEW(b->scratch, int, entries);
    if (!items) return snFailMemory(error);
    for (int i = 0; i < entries; i++)
        items[i] = model->indexOf[q->corner[i]];
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, model->vertexCount, q->elementCount, q->start,
                                           items, b->scratch, error);
    if (!status) status = snSparse_Make(whole, &pattern, 3, b->scratch, error);
    for (int e = 0; e < q->elementCount && !status; e++) {
        double young = b->def->young[q->cell[e]], part = (1 - b->epsilon) * b->scale;
        double lame[2] = {part * snShearModulus(young, b->def->poisson),
                          part * snLameLambda(young, b->def->poisson)};
        double k = b->epsilon * curvatureOf(b, e);
        snLattice_AddElement(whole, q, e, lame, model->indexOf);
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            for (int j = q->start[e]; j <= i; j++) {
                double s = k * snDot(q->gradient[i], q->gradient[j]);
                snSparse_AddBlock(whole, items[i], items[j],
                                  (double[9]){s, 0, 0, 0, s, 0, 0, 0, s});
            }
    }
    return status;
}

static snStatus makeMatrix(snSparse *matrix, const Builder *b, snError *error)
{
    snSparse whole;
    snStatus status = makeWhole(&whole, b, error);
    if (!status) status = snSparse_Leading(matrix, &whole, b->model->freeCount, b->scratch, error);
    for (int j = 0; j < b->model->freeCount && !status; j++) {
        double *to = matrix->values + 9 * (size_t)matrix->pattern.columnStart[j];
        double least = SN_LEAST_DIAGONAL * (to[0] + to[4] + to[8]) / 3.0, d = b->model->diagonal[j];
        for (int c = 0; c < 9; c += 4)
            to[c] += d > 0 ? d : least;
    }
    return status;
}

// In doubles, on a symbolic part that stays.
static snStatus makeFactor(snTurned *turned, const Builder *b, snError *error)
{
    snArena *arena = &b->model->arena;
    snSparse matrix;
    snSymbolic *symbolic;
    snStatus status = makeMatrix(&matrix, b, error);
    // The model's order is the scalar factor's, and as good here.
    if (!status)
        status = snSymbolic_Make(&symbolic, &matrix.pattern, 3, SN_ORDER_NATURAL, arena, error);
    if (!status) status = snFactor_Make(&turned->factor, symbolic, b->scratch, error);
    if (!status) status = snFactor_Compute(turned->factor, &matrix, error);
    if (!status) turned->factorNonZeros = snSymbolic_NonZeros(symbolic);
    return status;
}

// y = S x over the free vertices, element by element.
static void multiplyScalar(const Builder *b, const double *x, double *y)
{
    const snLatticeModel *model = b->model;
    const snQuadrature *q = model->quadrature;
    for (int k = 0; k < 3 * model->freeCount; k++)
        y[k] = model->diagonal[k / 3] * x[k];
    for (int e = 0; e < q->elementCount; e++) {
        double f[3][3] = {{0}}, curvature = curvatureOf(b, e); // ∇u, by component and axis
        for (int i = q->start[e]; i < q->start[e + 1]; i++) {
            int v = model->indexOf[q->corner[i]];
            for (int c = 0; c < 3 && v < model->freeCount; c++)
                for (int a = 0; a < 3; a++)
                    f[c][a] += x[3 * v + c] * (&q->gradient[i].x)[a];
        }
        for (int i = q->start[e]; i < q->start[e + 1]; i++) {
            int v = model->indexOf[q->corner[i]];
            for (int c = 0; c < 3 && v < model->freeCount; c++)
                for (int a = 0; a < 3; a++)
                    y[3 * v + c] += curvature * f[c][a] * (&q->gradient[i].x)[a];
        }
    }
}

// The largest μ with S x = μ A₀ x. Power iteration by A⁻¹S finds the same x, for A = (1 - ε) A₀ + ε S, and
// 1/μ_A = (1 - ε)/μ + ε.
static snStatus findSoftness(double *softness, const snTurned *turned, const Builder *b,
                             snError *error)
{
    int n = 3 * b->model->freeCount;
    double *x = SN_NEW(b->scratch, double, n), *y = SN_NEW(b->scratch, double, n);
    double *solve = SN_NEW(b->scratch, double, snFactor_ScratchSize(turned->factor, 1));
    if (!x || !y || !solve) return snFailMemory(error);
    snRandom random = snMakeRandom(1);
    double quotient = 1;
    for (int k = 0; k < n; k++)
        x[k] = snRandom_Uniform(&random, -1, 1);
    for (int round = 0; round < ROUNDS; round++) {
        double above = 0, below = 0, square = 0;
        multiplyScalar(b, x, y);
        for (int k = 0; k < n; k++)
            below += x[k] * y[k];
        memcpy(x, y, (size_t)n * sizeof(double));
        snFactor_SolveOrdered(turned->factor, 1, x, solve);
        for (int k = 0; k < n; k++)
            above += x[k] * y[k], square += x[k] * x[k];
        if (!(below > 0 && square > 0)) break;
        quotient = above / below;
        for (int k = 0; k < n; k++)
            x[k] /= sqrt(square);
    }
    double inverse = (1 / quotient - b->epsilon) / (1 - b->epsilon);
    *softness = 1 / (inverse > 1e-6 ? inverse : 1e-6);
    return SN_OK;
}

// The stiffest elements around each vertex.
static void addSource(snTurned *turned, int vertex, int source, double weight)
{
    int *sources = turned->source + (size_t)vertex * SN_TURNED_SOURCES;
    double *shares = turned->share + (size_t)vertex * SN_TURNED_SOURCES;
    if (sources[0] < 0) // there is always one
        for (int k = 0; k < SN_TURNED_SOURCES; k++)
            sources[k] = source;
    int k = SN_TURNED_SOURCES - 1;
    if (!(weight > shares[k])) return;
    for (; k > 0 && weight > shares[k - 1]; k--)
        sources[k] = sources[k - 1], shares[k] = shares[k - 1];
    sources[k] = source;
    shares[k] = weight;
}

static void findSources(snTurned *turned, const snLatticeModel *model)
{
    for (int k = 0; k < model->freeCount * SN_TURNED_SOURCES; k++)
        turned->source[k] = -1;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        for (int e = 0; e < class->count; e++)
            for (int corner = 0; corner < class->corners; corner++) {
                int group = e / class->group, lane = e % class->group;
                int v = class->vertex[(group * class->corners + corner) * class->group + lane];
                double weight = snLatticeModel_Real(model, class->shear, (size_t)e);
                if (v < model->freeCount) addSource(turned, v, 2 * e + c, weight);
            }
    }
    for (int v = 0; v < model->freeCount; v++) {
        double *share = turned->share + (size_t)v * SN_TURNED_SOURCES, sum = 0;
        for (int k = 0; k < SN_TURNED_SOURCES; k++)
            sum += share[k];
        if (!(sum > 0)) share[0] = sum = 1;
        for (int k = 0; k < SN_TURNED_SOURCES; k++)
            share[k] /= sum;
    }
}

static snStatus checkDef(const snLatticeModelDef *def, snError *error)
{
    const char *need = def->solver != SN_SOLVER_PROJECTIVE      ? "SN_SOLVER_PROJECTIVE"
                       : def->material != SN_MATERIAL_COROTATED ? "the corotated material"
                       : def->levels > 0                        ? "0 levels of detail"
                       : def->iterations == 1                   ? "at least 2 iterations"
                                                                : NULL;
    if (!need) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "the turned matrix goes with %s; choose that or %s",
                  need, "SN_MATRIX_AUTO");
}

snStatus snTurned_Build(snTurned **out, double *softness, snLatticeModel *model,
                        const snLatticeModelDef *def, snArena *scratch, snError *error)
{
    Builder b = {.model = model,
                 .def = def,
                 .scratch = scratch,
                 .scale = def->step * (def->step + def->stiffnessDamping),
                 .epsilon = def->motion == SN_MOTION_FULL ? EPSILON_FULL : EPSILON_SECONDARY};
    snError unfit;
    *out = NULL;
    *softness = 0;
    if (def->matrix == SN_MATRIX_SCALAR || model->freeCount == 0) return SN_OK;
    snStatus status = checkDef(def, def->matrix == SN_MATRIX_AUTO ? &unfit : error);
    if (status) return def->matrix == SN_MATRIX_AUTO ? SN_OK : status;
    snArenaMark before = snArena_Mark(&model->arena);
    snTurned *turned = SN_NEW(&model->arena, snTurned, 1);
    if (!turned) return snFailMemory(error);
    turned->kernels = snTurnedKernels_Choose();
    status = makeFactor(turned, &b, error);
    if (!status) status = findSoftness(softness, turned, &b, error);
    if (status) return status;
    if (def->matrix == SN_MATRIX_AUTO && *softness < TOO_STIFF) {
        snArena_Rewind(&model->arena, before);
        return SN_OK;
    }
    turned->source = SN_NEW(&model->arena, int, (size_t)model->freeCount *SN_TURNED_SOURCES);
    turned->share = SN_NEW(&model->arena, double, (size_t)model->freeCount *SN_TURNED_SOURCES);
    if (!turned->source || !turned->share) return snFailMemory(error);
    findSources(turned, model);
    status = snFactor_KeepSingle(&turned->factor, turned->factor, &model->arena, error);
    if (!status && def->precision == SN_PRECISION_DOUBLE)
        status = snFactor_MakeSingle(model->factor, &model->arena, error);
    *out = turned;
    return status;
}

// ---- in a step --------------------------------------------------------------------------------

size_t snTurned_ScratchSize(const snLatticeModel *model, int lanes, int width)
{
    size_t scalar = snFactor_ScratchSize(model->factor, width);
    size_t turned = snFactor_ScratchSize(model->turned->factor, lanes);
    return scalar > turned ? scalar : turned;
}

void snTurned_Begin(const snLatticeModel *model, snLatticeState *state)
{
    model->turned->kernels->look(model, state);
}

static void solveScalar(const snLatticeModel *model, const snLatticeState *state, double *x)
{
    if (state->lanes == 1)
        snFactor_SolveRowsSingle(model->factor, x, state->turned->solve);
    else
        snFactor_SolveOrderedSingle(model->factor, state->width, x, state->turned->solve);
}

void snTurned_Solve(const snLatticeModel *model, snLatticeState *state, double *d)
{
    const snTurnedKernels *kernels = model->turned->kernels;
    snTurnedState *t = state->turned;
    kernels->back(model, state, d);
    solveScalar(model, state, d);
    solveScalar(model, state, t->rows);
    snFactor_SolveOrderedSingle(model->turned->factor, state->lanes, t->packed, t->solve);
    kernels->forth(model, state, d);
}

extern const snTurnedKernels snTurnedKernels_base;
#if defined(__x86_64__)
extern const snTurnedKernels snTurnedKernels_avx2, snTurnedKernels_avx512;
#endif

const snTurnedKernels *snTurnedKernels_Choose(void)
{
#if defined(__x86_64__)
    switch (snDetectCpu()) {
    case SN_CPU_AVX512:
        return &snTurnedKernels_avx512;
    case SN_CPU_AVX2:
        return &snTurnedKernels_avx2;
    case SN_CPU_BASE:
        break;
    }
#endif
    return &snTurnedKernels_base;
}
