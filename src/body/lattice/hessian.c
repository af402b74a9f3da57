// F = Σ_a y_a g_aᵀ, so column p of dF is Σ_a dy_a g_ap and the block of corners a and b is
//
//     K_ab = Σ_pq g_ap H_pq g_bq,
//
// H_pq the 3x3 block of ∂²ψ/∂F² for columns p and q. H_qp = H_pqᵀ: six blocks are kept. Energies
// are linear in μ and λ, so h (h + β) V is put there.
//
// In parallel, first over elements, each writing its own H; then over columns of the matrix, each
// entry adding its pieces in the order of elements.
#include "body/lattice/hessian.h"

#include "body/lattice/energy.h"
#include "core/error.h"
#include "core/tasks.h"

#include <limits.h>
#include <string.h>

#define ELEMENT_GRAIN 32 // elements per piece of a parallel loop
#define COLUMN_GRAIN 32  // columns per piece
#define BLOCKS 6         // kept of an element's nine
#define ELEMENT ((size_t)BLOCKS * 9)

// ---- elements by their number -----------------------------------------------------------------

typedef struct Element {
    const snElementClass *class;
    int classIndex, group, lane;
} Element;

static Element elementAt(const snLatticeModel *model, int index)
{
    int c = index >= model->classes[0].count;
    if (c) index -= model->classes[0].count;
    return (Element){&model->classes[c], c, index / SN_GROUP, index % SN_GROUP};
}

static int vertexOf(const Element *e, int corner)
{
    return e->class->vertex[(e->group * e->class->corners + corner) * SN_GROUP + e->lane];
}

// Corners that only fill up a class repeat the first one.
static bool isCorner(const Element *e, int corner)
{
    return corner == 0 || vertexOf(e, corner) != vertexOf(e, 0);
}

static snVec3 gradientAt(const Element *e, int corner)
{
    size_t at = (size_t)e->group * (size_t)(e->class->corners - 1) + (size_t)(corner - 1);
    const double *g = (const double *)e->class->gradient + at * 3 * SN_GROUP + e->lane;
    return snVec(g[0], g[SN_GROUP], g[2 * SN_GROUP]);
}

// Gradients sum to zero over the corners.
static snVec3 cornerGradient(const Element *e, int corner)
{
    if (corner > 0) return gradientAt(e, corner);
    snVec3 sum = {0, 0, 0};
    for (int k = 1; k < e->class->corners; k++)
        sum = snSub(sum, gradientAt(e, k));
    return sum;
}

// ---- pattern and places -----------------------------------------------------------------------

static int freeCorners(const snLatticeModel *model, const Element *e, int *corners)
{
    int count = 0;
    for (int k = 0; k < e->class->corners; k++)
        if (isCorner(e, k) && vertexOf(e, k) < model->freeCount) corners[count++] = k;
    return count;
}

static snStatus makePattern(snPattern *pattern, const snLatticeModel *model, int elements,
                            snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    int *start = SN_NEW(&scratch, int, (size_t)elements + 1);
    int *items = SN_NEW(&scratch, int, (size_t)elements *SN_CELL_CORNERS);
    snStatus status = start && items ? SN_OK : snFailMemory(error);
    for (int k = 0, count = 0; k < elements && !status; k++) {
        Element e = elementAt(model, k);
        int corners[SN_CELL_CORNERS], n = freeCorners(model, &e, corners);
        for (int a = 0; a < n; a++)
            items[count++] = vertexOf(&e, corners[a]);
        start[k + 1] = count;
    }
    if (!status)
        status =
            snPattern_FromGroups(pattern, model->freeCount, elements, start, items, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

// Counts the pieces of every entry at next[entry], or writes them there.
static void visitPieces(snHessian *hessian, const snLatticeModel *model, int *next, int *gather)
{
    for (int k = 0; k < hessian->elementCount; k++) {
        Element e = elementAt(model, k);
        int corners[SN_CELL_CORNERS], n = freeCorners(model, &e, corners);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) {
                int row = vertexOf(&e, corners[a]), column = vertexOf(&e, corners[b]);
                if (row < column) continue;
                int entry = snPattern_Find(&hessian->matrix.pattern, row, column);
                if (gather)
                    gather[next[entry]] =
                        (k * SN_CELL_CORNERS + corners[a]) * SN_CELL_CORNERS + corners[b];
                next[entry]++;
            }
    }
}

static snStatus makeGather(snHessian *hessian, const snLatticeModel *model, snArena *arena,
                           snError *error)
{
    const snPattern *pattern = &hessian->matrix.pattern;
    int entries = pattern->columnStart[pattern->size];
    snArena scratch = {.allocator = arena->allocator};
    int *next = SN_NEW(&scratch, int, entries);
    hessian->gatherStart = SN_NEW(arena, int, (size_t)entries + 1);
    if (!next || !hessian->gatherStart) goto failed;
    visitPieces(hessian, model, next, NULL);
    for (int k = 0; k < entries; k++) {
        hessian->gatherStart[k + 1] = hessian->gatherStart[k] + next[k];
        next[k] = hessian->gatherStart[k];
    }
    hessian->gather = SN_NEW(arena, int, hessian->gatherStart[entries]);
    if (!hessian->gather) goto failed;
    visitPieces(hessian, model, next, hessian->gather);
    snArena_Destroy(&scratch);
    return SN_OK;
failed:
    snArena_Destroy(&scratch);
    return snFailMemory(error);
}

snStatus snHessian_Make(snHessian *hessian, const snLatticeModel *model, snArena *arena,
                        snError *error)
{
    *hessian = (snHessian){.elementCount = model->classes[0].count + model->classes[1].count};
    if (hessian->elementCount > INT_MAX / (SN_CELL_CORNERS * SN_CELL_CORNERS))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a body of %d elements is too large for Newton's method",
                      hessian->elementCount);
    snPattern pattern;
    snStatus status = makePattern(&pattern, model, hessian->elementCount, arena, error);
    if (!status) status = snSparse_Make(&hessian->matrix, &pattern, 3, arena, error);
    if (!status) status = makeGather(hessian, model, arena, error);
    if (status) return status;
    hessian->element = SN_NEW(arena, double, (size_t)hessian->elementCount *ELEMENT);
    return hessian->element ? SN_OK : snFailMemory(error);
}

// ---- values -----------------------------------------------------------------------------------

typedef struct Job {
    snHessian *hessian;
    const snLatticeModel *model;
    const snLatticeState *state;
    const double *position;
    double scale; // h (h + β)
} Job;

// A matrix of the element at (group, lane) of a class, kept row by row.
static snMat3 loadMatrix(const double *from, int group, int lane)
{
    double m[9];
    for (int k = 0; k < 9; k++)
        m[k] = from[((size_t)group * 9 + (size_t)k) * SN_GROUP + (size_t)lane];
    return (snMat3){{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
}

// What the element's strain is measured from in this step.
static snElementTarget loadTarget(const snLatticeModel *model, const snLatticeState *state,
                                  int class, int group, int lane)
{
    const snElementState *elements = &state->elements[class];
    const double *volume = elements->volumeTarget, *bulkScale = elements->bulkScale;
    const double *elasticScale = elements->elasticScale;
    size_t one = (size_t)group * SN_GROUP + (size_t)lane;
    bool corotated = model->def.material == SN_MATERIAL_COROTATED;
    snElementTarget target = {.stretch = loadMatrix(elements->target, group, lane),
                              .volume = volume[one],
                              .bulkScale = bulkScale[one],
                              .crush = corotated ? model->def.crush : 0};
    if (corotated) return target;
    target.rig = loadMatrix(elements->rigShape, group, lane);
    target.rigInverse = loadMatrix(elements->rigInverse, group, lane);
    target.elasticScale = elasticScale[one];
    return target;
}

// The blocks (p, q), p <= q, row by row.
static void keepBlocks(const snHessian9 *h, double *out)
{
    for (int p = 0; p < 3; p++)
        for (int q = p; q < 3; q++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    *out++ = h->m[3 * p + i][3 * q + j];
}

// The corotated energy has its damping in the target. The others are damped as it is: the step's
// density is (1 - m) ψ(F̂) + m ψ_C(F), m = β / (h + β) (cells_kernel.c).
static snHessian9 densityHessian(const snLatticeModelDef *def, double mu, double lambda,
                                 const snElementTarget *target, snMat3 f)
{
    if (def->material == SN_MATERIAL_COROTATED)
        return snEnergy_Hessian(SN_MATERIAL_COROTATED, mu, lambda, target, f);
    double m = def->stiffnessDamping / (def->step + def->stiffnessDamping), rest = 1.0 - m;
    snHessian9 h = snEnergy_Hessian(def->material, rest * mu, rest * lambda, target, f);
    if (m == 0) return h;
    snHessian9 damping = snEnergy_Hessian(SN_MATERIAL_COROTATED, m * mu, m * lambda, target, f);
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++)
            h.m[i][j] += damping.m[i][j];
    return h;
}

static void computeElement(const Job *job, int index)
{
    Element e = elementAt(job->model, index);
    size_t at = (size_t)e.group * SN_GROUP + (size_t)e.lane;
    const double *shear = e.class->shear, *bulk = e.class->bulk;
    double mu = job->scale * 0.5 * shear[at], lambda = job->scale * bulk[at];
    snElementTarget target = loadTarget(job->model, job->state, e.classIndex, e.group, e.lane);
    snMat3 f = snElementClass_Deformation(e.class, at, job->position);
    snHessian9 h = densityHessian(&job->model->def, mu, lambda, &target, f);
    if (!job->hessian->exact) snProjectHessian(&h); // what is not finite stays so and is noticed
    keepBlocks(&h, job->hessian->element + (size_t)index * ELEMENT);
}

static void computeElements(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    for (int k = begin; k < end; k++)
        computeElement(job, k);
}

// K += Σ_pq g_ap H_pq g_bq
static void addPiece(const Job *job, int piece, double k[9])
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    int corner = piece / SN_CELL_CORNERS;
    Element e = elementAt(job->model, corner / SN_CELL_CORNERS);
    snVec3 ga = cornerGradient(&e, corner % SN_CELL_CORNERS);
    snVec3 gb = cornerGradient(&e, piece % SN_CELL_CORNERS);
    const double *element = job->hessian->element + (size_t)(corner / SN_CELL_CORNERS) * ELEMENT;
    const double a[3] = {ga.x, ga.y, ga.z}, b[3] = {gb.x, gb.y, gb.z};
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            const double *h = element + 9 * place[p][q];
            double s = a[p] * b[q];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    k[3 * i + j] += s * (p <= q ? h[3 * i + j] : h[3 * j + i]);
        }
}

static void computeColumns(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Job *job = context;
    snHessian *hessian = job->hessian;
    const snPattern *pattern = &hessian->matrix.pattern;
    for (int column = begin; column < end; column++)
        for (int k = pattern->columnStart[column]; k < pattern->columnStart[column + 1]; k++) {
            double sum[9] = {0};
            for (int i = 0; i < 3 && pattern->row[k] == column; i++)
                sum[4 * i] = job->model->diagonal[column];
            for (int n = hessian->gatherStart[k]; n < hessian->gatherStart[k + 1]; n++)
                addPiece(job, hessian->gather[n], sum);
            memcpy(hessian->matrix.values + 9 * (size_t)k, sum, sizeof sum);
        }
}

static bool isFinite(const snSparse *matrix)
{
    size_t count = 9 * (size_t)matrix->pattern.columnStart[matrix->pattern.size];
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += matrix->values[k] * 0.0;
    return sum == 0;
}

bool snHessian_Compute(snHessian *hessian, const snLatticeModel *model, const snLatticeState *state,
                       const double *position)
{
    SN_ASSERT(state->lanes == 1);
    double h = model->def.step;
    Job job = {.hessian = hessian,
               .model = model,
               .state = state,
               .position = position,
               .scale = h * (h + model->def.stiffnessDamping) * state->stiffness};
    const snTasks *tasks = &model->context.tasks;
    snParallelFor(tasks, hessian->elementCount, ELEMENT_GRAIN, computeElements, &job);
    snParallelFor(tasks, model->freeCount, COLUMN_GRAIN, computeColumns, &job);
    return isFinite(&hessian->matrix);
}
