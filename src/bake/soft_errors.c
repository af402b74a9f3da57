// How far a number of targets is from the bake after skinning: in samples with weights of their own, and
// in middles between frames that have weights alone.
#include "bake/soft_parts.h"

#include "core/tasks.h"

#define GRAIN SN_SOFT_GRAIN

typedef struct LeftTask {
    const snSoftKernels *kernels;
    snSoftSum sum;
    float *squares; // [pieces][last + 1]
    float allowed;  // square of the tolerance
    int *needs;     // [pieces]
} LeftTask;

static snSoftSum pieceOf(const LeftTask *task, int begin, int end)
{
    snSoftSum sum = task->sum;
    sum.begin = (size_t)begin;
    sum.count = end - begin;
    return sum;
}

static void findLeft(int begin, int end, int worker, void *context)
{
    (void)worker;
    const LeftTask *t = context;
    snSoftSum sum = pieceOf(t, begin, end);
    t->kernels->leave(&sum, t->squares + (size_t)(begin / GRAIN) * (size_t)(sum.last + 1));
}

static LeftTask makeTask(const snSoftWork *w, const snSoftMeshWork *mesh, const float *weights)
{
    return (LeftTask){w->kernels, .sum = {.targets = mesh->targets,
                                          .entryCount = (size_t)mesh->entryCount,
                                          .weights = weights,
                                          .matrix = mesh->matrix,
                                          .offset = mesh->offset}};
}

int snSoft_Pieces(const snSoftMeshWork *mesh)
{
    return (mesh->vertexCount + GRAIN - 1) / GRAIN;
}

static void findNeed(int begin, int end, int worker, void *context)
{
    (void)worker;
    const LeftTask *t = context;
    snSoftSum sum = pieceOf(t, begin, end);
    t->needs[begin / GRAIN] = t->kernels->need(&sum, t->allowed);
}

int snSoft_Need(const snSoftWork *w, const snSoftMeshWork *mesh, const float *weights, int first,
                int *needs)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    LeftTask task = makeTask(w, mesh, weights);
    task.sum.first = first;
    task.sum.last = mesh->components.count;
    task.allowed = (float)(1.000001 * tolerance * tolerance); // rounding asks for no more
    task.needs = needs;
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, findNeed, &task);
    for (int p = 0; p * GRAIN < mesh->entryCount; p++)
        if (needs[p] > first) first = needs[p];
    return first;
}

void snSoft_FindLeft(const snSoftWork *w, const snSoftMeshWork *mesh, const float *weights,
                     const float *shift, snSoftLeft *left)
{
    LeftTask task = makeTask(w, mesh, weights);
    task.sum.first = left->first;
    task.sum.last = left->last;
    task.sum.shift = shift;
    task.squares = left->squares;
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, findLeft, &task);
}

void snSoft_FindBetween(snSoftWork *w, snSoftMeshWork *mesh, snSoftSample at, snSoftLeft *left)
{
    const float *before = snSoft_Weights(w, mesh, (snSoftSample){at.clip, at.frame, false});
    const float *after = before + mesh->components.count;
    float weights[SN_MOST_COMPONENTS];
    for (int k = 0; k < left->last; k++)
        weights[k] = 0.5f * (before[k] + after[k]);
    if (mesh->shift) snSoft_FindShift(w, mesh, at);
    snSoft_FindLeft(w, mesh, weights, mesh->shift, left);
}

double snSoft_Left(const snSoftMeshWork *mesh, const snSoftLeft *left, int targets)
{
    float worst = 0;
    for (int p = 0; p < snSoft_Pieces(mesh); p++) {
        float here = left->squares[(size_t)p * (size_t)(left->last + 1) + (size_t)targets];
        if (here > worst) worst = here;
    }
    return sqrt((double)worst);
}

int snSoft_FewestTargets(const snSoftWork *w, const snSoftMeshWork *mesh, const snSoftLeft *left)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    int k = left->first;
    while (k < left->last && snSoft_Left(mesh, left, k) > tolerance)
        k++;
    return k;
}
