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

static void findLeft(int begin, int end, int worker, void *context)
{
    (void)worker;
    const LeftTask *t = context;
    snSoftSum sum = t->sum;
    sum.begin = (size_t)begin;
    sum.count = end - begin;
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
    snSoftSum sum = t->sum;
    sum.begin = (size_t)begin;
    sum.count = end - begin;
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
                     snSoftLeft *left)
{
    LeftTask task = makeTask(w, mesh, weights);
    task.sum.first = left->first;
    task.sum.last = left->last;
    task.squares = left->squares;
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, findLeft, &task);
}

int snSoft_FewestTargets(const snSoftWork *w, const snSoftMeshWork *mesh, const snSoftLeft *left,
                         double *error)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    int pieces = snSoft_Pieces(mesh), k = left->first;
    for (;; k++) {
        float worst = 0;
        for (int p = 0; p < pieces; p++) {
            float here = left->squares[(size_t)p * (size_t)(left->last + 1) + (size_t)k];
            if (here > worst) worst = here;
        }
        *error = sqrt((double)worst);
        if (*error <= tolerance || k == left->last) return k;
    }
}

// ---- middles of clips whose weights have keys in the frames alone ----------------------------------------

static void compareBetween(int begin, int end, int worker, void *context)
{
    (void)worker;
    const LeftTask *t = context;
    snSoftSum sum = t->sum;
    float left[SN_MOST_COMPONENTS + 1] = {0};
    sum.begin = (size_t)begin;
    sum.count = end - begin;
    t->kernels->leave(&sum, left);
    t->squares[begin / GRAIN] = left[sum.last];
}

double snSoft_Between(snSoftWork *w, snSoftMeshWork *mesh, snSoftSample at, float *scratch)
{
    const float *before = snSoft_Weights(w, mesh, (snSoftSample){at.clip, at.frame, false});
    const float *after = before + mesh->components.count;
    float weights[SN_MOST_COMPONENTS], worst = 0;
    for (int k = 0; k < mesh->targetCount; k++)
        weights[k] = 0.5f * (before[k] + after[k]);
    LeftTask task = makeTask(w, mesh, weights);
    if (mesh->shift) snSoft_FindShift(w, mesh, at);
    task.sum.shift = mesh->shift;
    task.sum.first = task.sum.last = mesh->targetCount;
    task.squares = scratch;
    snParallelFor(&w->context->tasks, mesh->entryCount, GRAIN, compareBetween, &task);
    for (int p = 0; p < snSoft_Pieces(mesh); p++)
        if (scratch[p] > worst) worst = scratch[p];
    return sqrt((double)worst);
}
