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
//     H₀ = S⁻¹ + P R (A_P⁻¹ - S_P⁻¹) Rᵀ Pᵀ,   A = D + h (h + β) ((1 - ε) K + ε Σ k V GᵀG),
//
// over the vertices P that S leaves behind, with A_P and S_P those rows and columns of A and S (all others
// held still). S - A is positive semidefinite, so is S_P - A_P, and so is what is added. ε keeps the softest
// motions from being overshot. All three solves are rounded to floats in any precision: H₀ only proposes,
// and every move is checked.
//
// Over all vertices it costs about as much as two further scalar solves, so bodies that S suits go without:
// the largest eigenvalue of A₀⁻¹S, how much too stiff S is at worst, is found by power iteration.
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
#define FEW 5        // iterations
#define LAG 0.2      // of a free fall: vertices that S leaves behind by more are in P

typedef struct Vertices {
    int count;
    int *vertex; // ascending
} Vertices;

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
    snCellMaterial material = snCellMaterial_Of(b->def, q->cell[element]);
    return b->scale * q->volume[element] * snCurvature(material.mu, material.lambda);
}

// Over all vertices: A in 3x3 entries, or S, which is the same with ε = 1, in single ones.
static snStatus makeWhole(snSparse *whole, const Builder *b, int block, snError *error)
{
    const snLatticeModel *model = b->model;
    const snQuadrature *q = model->quadrature;
    int entries = q->start[q->elementCount];
    double epsilon = block == 1 ? 1 : b->epsilon, part = (1 - epsilon) * b->scale;
    int *items = SN_NEW(b->scratch, int, entries);
    if (!items) return snFailMemory(error);
    for (int i = 0; i < entries; i++)
        items[i] = model->indexOf[q->corner[i]];
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, model->vertexCount, q->elementCount, q->start,
                                           items, b->scratch, error);
    if (!status) status = snSparse_Make(whole, &pattern, block, b->scratch, error);
    for (int e = 0; e < q->elementCount && !status; e++) {
        snCellMaterial material = snCellMaterial_Of(b->def, q->cell[e]);
        double k = epsilon * curvatureOf(b, e);
        double lame[2] = {part * material.mu, part * material.lambda};
        if (block == 3) snLattice_AddElement(whole, q, e, lame, model->indexOf);
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            for (int j = q->start[e]; j <= i; j++) {
                double s = k * snDot(q->gradient[i], q->gradient[j]);
                if (block == 3)
                    snSparse_AddBlock(whole, items[i], items[j],
                                      (double[9]){s, 0, 0, 0, s, 0, 0, 0, s});
                else
                    snSparse_AddScalar(whole, items[i], items[j], s);
            }
    }
    return status;
}

// The factor over some free vertices, in doubles, on a symbolic part in `arena`.
static snStatus makeFactor(snFactor **factor, const snSparse *whole, const Vertices *set,
                           const Builder *b, snArena *arena, snError *error)
{
    snSparse matrix;
    snSymbolic *symbolic;
    int block = whole->block, area = block * block;
    snStatus status = snSparse_Part(&matrix, whole, set->vertex, set->count, b->scratch, error);
    for (int j = 0; j < set->count && !status; j++) {
        double *to = matrix.values + (size_t)area * (size_t)matrix.pattern.columnStart[j], sum = 0;
        double d = b->model->diagonal[set->vertex[j]];
        for (int c = 0; c < area; c += block + 1)
            sum += to[c];
        for (int c = 0; c < area; c += block + 1)
            to[c] += d > 0 ? d : SN_LEAST_DIAGONAL * sum / block;
    }
    // The model's order is the scalar factor's, and nearly as good here.
    if (!status)
        status = snSymbolic_Make(&symbolic, &matrix.pattern, block, SN_ORDER_NATURAL, arena, error);
    if (!status) status = snFactor_Make(factor, symbolic, b->scratch, error);
    if (!status) status = snFactor_Compute(*factor, &matrix, error);
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
static snStatus findSoftness(double *softness, const snFactor *factor, const Builder *b,
                             snError *error)
{
    int n = 3 * b->model->freeCount;
    double *x = SN_NEW(b->scratch, double, n), *y = SN_NEW(b->scratch, double, n);
    double *solve = SN_NEW(b->scratch, double, snFactor_ScratchSize(factor, 1));
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
        snFactor_Solve(factor, 1, x, solve);
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

// By vertex, how far S leaves it behind A when all flesh is accelerated along x, then y, then z, as a share
// of the way of a free fall: the squares of the three summed.
static snStatus findLags(double *lag, const snFactor *factor, const Builder *b, snError *error)
{
    const snLatticeModel *model = b->model;
    int free = model->freeCount;
    size_t scratch = snFactor_ScratchSize(factor, 1),
           other = snFactor_ScratchSize(model->factor, 1);
    double *u = SN_NEW(b->scratch, double, 3 * free), *scalar = SN_NEW(b->scratch, double, free);
    double *solve = SN_NEW(b->scratch, double, scratch > other ? scratch : other);
    if (!u || !scalar || !solve) return snFailMemory(error);
    for (int v = 0; v < free; v++)
        scalar[v] = model->mass[v];
    snFactor_SolveOrdered(model->factor, 1, scalar, solve);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3 * free; k++)
            u[k] = k % 3 == c ? model->mass[k / 3] : 0;
        snFactor_Solve(factor, 1, u, solve);
        for (int v = 0; v < free; v++) {
            u[3 * v + c] -= scalar[v];
            lag[v] += snLengthSquared(snVec(u[3 * v], u[3 * v + 1], u[3 * v + 2]));
        }
    }
    return SN_OK;
}

// The vertices P. In secondary motion those that S leaves behind; all of them in full motion, where flesh
// falls and hangs as a whole, with many iterations, which bring the rest of the body nearer too, and with
// SN_MATRIX_TURNED. None where S does.
static snStatus chooseVertices(Vertices *soft, double *softness, const snSparse *whole,
                               const Builder *b, snError *error)
{
    int free = b->model->freeCount;
    Vertices all = {.count = free, .vertex = SN_NEW(b->scratch, int, free)};
    double *lag = SN_NEW(b->scratch, double, free);
    snFactor *factor;
    if (!all.vertex || !lag) return snFailMemory(error);
    for (int i = 0; i < free; i++)
        all.vertex[i] = i;
    bool every = b->def->matrix == SN_MATRIX_TURNED || b->def->motion == SN_MOTION_FULL ||
                 b->def->iterations > FEW;
    snStatus status = makeFactor(&factor, whole, &all, b, b->scratch, error);
    if (!status) status = findSoftness(softness, factor, b, error);
    if (b->def->matrix == SN_MATRIX_AUTO && *softness < TOO_STIFF) return status;
    if (!status && !every) status = findLags(lag, factor, b, error);
    for (int i = 0; i < free; i++)
        if (every || lag[i] >= LAG * LAG) soft->vertex[soft->count++] = i;
    return status;
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

static snStatus findSources(snTurned *turned, const Builder *b, snError *error)
{
    const snLatticeModel *model = b->model;
    int *numberOf = SN_NEW(b->scratch, int, model->vertexCount); // 1 + number; 0: none of them
    if (!numberOf) return snFailMemory(error);
    for (int k = 0; k < turned->count; k++)
        numberOf[turned->vertex[k]] = k + 1;
    for (int k = 0; k < turned->count * SN_TURNED_SOURCES; k++)
        turned->source[k] = -1;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        for (int e = 0; e < class->count; e++)
            for (int corner = 0; corner < class->corners; corner++) {
                int group = e / class->group, lane = e % class->group;
                int v = class->vertex[(group * class->corners + corner) * class->group + lane];
                double weight = snLatticeModel_Real(model, class->shear, (size_t)e);
                if (numberOf[v]) addSource(turned, numberOf[v] - 1, 2 * e + c, weight);
            }
    }
    for (int v = 0; v < turned->count; v++) {
        double *share = turned->share + (size_t)v * SN_TURNED_SOURCES, sum = 0;
        for (int k = 0; k < SN_TURNED_SOURCES; k++)
            sum += share[k];
        if (!(sum > 0)) share[0] = sum = 1;
        for (int k = 0; k < SN_TURNED_SOURCES; k++)
            share[k] /= sum;
    }
    return SN_OK;
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

// Those that the step reads: in floats.
static snStatus makeFactors(snTurned *turned, const snSparse *whole, const Vertices *soft,
                            const Builder *b, snError *error)
{
    snArena *arena = &b->model->arena;
    snSparse scalar;
    snFactor *factor;
    snStatus status = makeFactor(&factor, whole, soft, b, arena, error);
    if (status) return status;
    turned->factorNonZeros = snFactor_NonZeros(factor);
    for (int k = 0; k < soft->count; k++) // S has the same pattern, and so the same order
        turned->vertex[k] = soft->vertex[snFactor_Order(factor)[k]];
    status = snFactor_KeepSingle(&turned->factor, factor, arena, error);
    if (!status) status = makeWhole(&scalar, b, 1, error);
    if (!status) status = makeFactor(&factor, &scalar, soft, b, arena, error);
    if (!status) status = snFactor_KeepSingle(&turned->scalar, factor, arena, error);
    if (!status && b->def->precision == SN_PRECISION_DOUBLE)
        status = snFactor_MakeSingle(b->model->factor, arena, error);
    return status;
}

// Those of another model, ascending.
static snStatus copyVertices(Vertices *soft, const Builder *b, snError *error)
{
    const snTurned *like = b->def->like->turned;
    unsigned char *in = SN_NEW(b->scratch, unsigned char, b->model->freeCount);
    if (!in) return snFailMemory(error);
    for (int k = 0; k < like->count; k++)
        in[like->vertex[k]] = 1;
    for (int i = 0; i < b->model->freeCount; i++)
        if (in[i]) soft->vertex[soft->count++] = i;
    return SN_OK;
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
    if (def->matrix == SN_MATRIX_SCALAR || model->freeCount == 0 || def->space) return SN_OK;
    if (def->like && !def->like->turned) return SN_OK;
    snStatus status = checkDef(def, def->matrix == SN_MATRIX_AUTO ? &unfit : error);
    if (status) return def->matrix == SN_MATRIX_AUTO ? SN_OK : status;
    Vertices soft = {.vertex = SN_NEW(scratch, int, model->freeCount)};
    snSparse whole;
    if (!soft.vertex) return snFailMemory(error);
    status = makeWhole(&whole, &b, 3, error);
    if (!status)
        status = def->like ? copyVertices(&soft, &b, error)
                           : chooseVertices(&soft, softness, &whole, &b, error);
    if (status || soft.count == 0) return status;
    snTurned *turned = SN_NEW(&model->arena, snTurned, 1);
    if (!turned) return snFailMemory(error);
    turned->kernels = snTurnedKernels_Choose();
    turned->count = soft.count;
    turned->vertex = SN_NEW(&model->arena, int, soft.count);
    turned->source = SN_NEW(&model->arena, int, (size_t)soft.count *SN_TURNED_SOURCES);
    turned->share = SN_NEW(&model->arena, double, (size_t)soft.count *SN_TURNED_SOURCES);
    if (!turned->vertex || !turned->source || !turned->share) return snFailMemory(error);
    status = makeFactors(turned, &whole, &soft, &b, error);
    if (!status) status = findSources(turned, &b, error);
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

static void solveScalar(const snFactor *factor, const snLatticeState *state, double *x)
{
    if (state->lanes == 1)
        snFactor_SolveRowsSingle(factor, x, state->turned->solve);
    else
        snFactor_SolveOrderedSingle(factor, state->width, x, state->turned->solve);
}

void snTurned_Solve(const snLatticeModel *model, snLatticeState *state, double *d)
{
    const snTurnedKernels *kernels = model->turned->kernels;
    snTurnedState *t = state->turned;
    kernels->back(model, state, d);
    solveScalar(model->factor, state, d);
    solveScalar(model->turned->scalar, state, t->rows);
    snFactor_SolveOrderedSingle(model->turned->factor, state->lanes, t->packed, t->solve);
    kernels->forth(model, state, d);
}

SN_DECLARE_VARIANTS(const snTurnedKernels, snTurnedKernels);

const snTurnedKernels *snTurnedKernels_Choose(void)
{
    return SN_CHOOSE(&snTurnedKernels);
}
