// Components of the corrections, and the weights of every sample. The rows d(sample) of a mesh have
// principal components V_k; with weights w_k = V_k · d the sum Σ_k<K w_k V_k is the best that K targets can
// do in the sum of squares.
//     Of a mesh with many vertices every so-many-th is enough to find weights by: flesh is smooth, and what
// its lattice does has far fewer freedoms than that. Its targets then follow from the weights (soft_fit.c).
#include "bake/soft_parts.h"

#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

// The most that M enlarges: with S = MᵀM and m = tr S / 3, the largest eigenvalue of S is at most
// m + sqrt(2/3) |S - m 1|.
static double largestStretch(snMat3 m)
{
    snMat3 s = snMulTMM(m, m);
    double mean = snTrace(s) / 3;
    snMat3 rest = snAddMM(s, snDiagonal3(-mean, -mean, -mean));
    return sqrt(mean + sqrt(2.0 / 3.0 * snNormSquaredM(rest)));
}

// Passes over all samples take about as long as each other, and there are about five of them.
#define USUAL_PASSES 5

static snStatus tell(snSoftWork *w, double part, snError *error)
{
    double fraction = (w->passes + part) / USUAL_PASSES;
    if (!w->def || !w->def->tell || w->def->tell(w->def->user, fraction < 1 ? fraction : 1))
        return SN_OK;
    return snFail(error, SN_ERROR_CANCELLED, "stopped");
}

snStatus snSoft_Visit(snSoftWork *w, bool middles, snSoftVisitFcn *visit, void *user,
                      snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < w->bake->clipCount; i++) {
        const snBakedClip *clip = &w->bake->clips[i];
        int count = 2 * clip->frameCount - 1, step = middles && clip->hasMiddles ? 1 : 2;
        for (int s = 0; s < count && !status; s += step) {
            snSoftSample at = {i, s / 2, s % 2};
            snSoft_SetSample(w, at);
            for (int m = 0; m < w->meshCount && !status; m++)
                status = visit(w, m, at, user, error);
            if (!status)
                status = tell(w, (w->firstFrame[i] + s / 2) / (double)w->frameCount, error);
        }
    }
    w->passes++;
    return status;
}

// By the first frames of all clips.
static void findStretches(snSoftWork *w)
{
    for (int i = 0; i < w->bake->clipCount; i++) {
        snSoft_SetSample(w, (snSoftSample){.clip = i});
        for (int m = 0; m < w->meshCount; m++)
            for (int v = 0; v < w->meshes[m].entryCount; v++)
                w->meshes[m].stretch =
                    fmax(w->meshes[m].stretch, largestStretch(snSoft_Matrix(&w->meshes[m], v)));
    }
}

// Components too small to be seen are not carried along: all that is dropped changes no vertex by more
// than a small part of the tolerance. One target is left for what lifts weights above 0 (soft_write.c).
static snStatus makeComponents(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    double tolerance = w->def->tolerance * w->bake->flesh->height;
    snComponentsDef def = {.size = 3 * mesh->entryCount,
                           .rowCount = w->frameCount + w->middleCount,
                           .most = w->def->mostTargets - (w->def->mostTargets > 1),
                           .smallest = 0.02 * tolerance / (mesh->stretch + 1e-300)};
    return snComponents_Make(&mesh->components, &def, &w->context->tasks, &w->arena, error);
}

static snStatus pushRow(snSoftWork *w, int m, snSoftSample at, void *user, snError *error)
{
    snSoftMeshWork *mesh = &w->meshes[m];
    (void)at;
    (void)user;
    memcpy(snComponents_Next(&mesh->components), mesh->wanted,
           3 * (size_t)mesh->entryCount * sizeof(float));
    return snComponents_Push(&mesh->components, error);
}

snStatus snSoft_FindComponents(snSoftWork *w, snError *error)
{
    snStatus status = SN_OK;
    snSoft_Thin(w, true);
    findStretches(w);
    for (int m = 0; m < w->meshCount && !status; m++)
        status = makeComponents(w, &w->meshes[m], error);
    if (!status) status = snSoft_Visit(w, true, pushRow, NULL, error);
    for (int m = 0; m < w->meshCount && !status; m++)
        status = snComponents_Finish(&w->meshes[m].components, error);
    return status;
}

// ---- weights ------------------------------------------------------------------------------------------

#define WEIGHTS 8 // in a piece of work

typedef struct WeightTask {
    const snSoftMeshWork *mesh;
    float *weights; // [components], of this sample
} WeightTask;

static void findWeights(int begin, int end, int worker, void *context)
{
    (void)worker;
    WeightTask *t = context;
    const snComponents *c = &t->mesh->components;
    size_t n = 3 * (size_t)t->mesh->entryCount, first = (size_t)begin, count = (size_t)end - first;
    double products[WEIGHTS];
    c->kernels->dot(&(snRowProducts){t->mesh->wanted, c->rows + first * n, count, n, n}, products);
    for (size_t k = 0; k < count; k++)
        t->weights[first + k] = (float)products[k];
}

void snSoft_SetWeights(const snSoftWork *w, const snSoftMeshWork *mesh, float *weights)
{
    WeightTask task = {mesh, weights};
    snParallelFor(&w->context->tasks, mesh->components.count, WEIGHTS, findWeights, &task);
}

float *snSoft_Weights(const snSoftWork *w, const snSoftMeshWork *mesh, snSoftSample at)
{
    size_t count = (size_t)mesh->components.count;
    return at.middle ? mesh->middleWeights + (size_t)(w->firstMiddle[at.clip] + at.frame) * count
                     : mesh->weights + (size_t)(w->firstFrame[at.clip] + at.frame) * count;
}
