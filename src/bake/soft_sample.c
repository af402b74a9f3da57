// One sample of the bake against the rig: corrections of positions in bind space.
//
// With M the blended skinning matrix of a vertex, its soft position is rig + offset = M (p + d) + t, so
// M d = offset.
#include "bake/soft_parts.h"

#include "core/simd.h"
#include "core/tasks.h"

#include <string.h>

SN_DECLARE_VARIANTS(const snSoftKernels, snSoftKernels);

const snSoftKernels *snChooseSoftKernels(void)
{
    return SN_CHOOSE(&snSoftKernels);
}

typedef struct SampleTask {
    const snSoftKernels *kernels;
    snSoftPart part;
    int firstEntry;
} SampleTask;

static void correctPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    SampleTask *t = context;
    t->kernels->correct(&t->part, t->firstEntry + begin, t->firstEntry + end);
}

// The first entry at or behind a vertex.
static int entryFrom(const snSoftMeshWork *mesh, int vertex)
{
    return (vertex + mesh->stride - 1) / mesh->stride;
}

static void correctMesh(const snSoftWork *w, snSoftMeshWork *mesh)
{
    const snCharacter *c = w->bake->character;
    SampleTask task = {w->kernels, .part = {.morphs = w->pose.morphs,
                                            .baked = w->baked + mesh->firstVertex,
                                            .stride = mesh->stride,
                                            .entryCount = (size_t)mesh->entryCount,
                                            .matrix = mesh->matrix,
                                            .offset = mesh->offset,
                                            .wanted = mesh->wanted,
                                            .rig = mesh->rig}};
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        const snPart *part = task.part.part = &c->parts[p];
        int first = task.part.first;
        task.part.joints = part->skin < 0 ? NULL : w->skins[part->skin];
        task.part.node = &w->pose.global[part->node];
        task.firstEntry = entryFrom(mesh, first);
        int count = entryFrom(mesh, first + part->vertexCount) - task.firstEntry;
        snParallelFor(&w->context->tasks, count, 512, correctPiece, &task);
        task.part.first += part->vertexCount;
    }
}

snVec3 snSoft_Offset(const snSoftMeshWork *mesh, int entry)
{
    size_t n = (size_t)mesh->entryCount;
    const float *x = mesh->offset + entry;
    return (snVec3){(double)x[0], (double)x[n], (double)x[2 * n]};
}

snMat3 snSoft_Matrix(const snSoftMeshWork *mesh, int entry)
{
    size_t n = (size_t)mesh->entryCount;
    const float *m = mesh->matrix + entry;
    return (snMat3){{(double)m[0], (double)m[n], (double)m[2 * n]},
                    {(double)m[3 * n], (double)m[4 * n], (double)m[5 * n]},
                    {(double)m[6 * n], (double)m[7 * n], (double)m[8 * n]}};
}

void snSoft_Thin(snSoftWork *w, bool thin)
{
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        mesh->stride = thin ? mesh->thinning : 1;
        mesh->entryCount = entryFrom(mesh, mesh->vertexCount);
    }
}

// Joints whose transform is not finite do not act.
static snAffine skinMatrix(const snSoftWork *w, const snSkin *skin, int joint)
{
    snAffine m = snMulAA(w->pose.global[skin->joints[joint]], skin->inverseBind[joint]);
    double sum = snNormSquaredM(m.linear) + snLengthSquared(m.origin);
    return isfinite(sum) ? m : (snAffine){0};
}

void snSoft_SetSample(snSoftWork *w, snSoftSample sample)
{
    const snCharacter *c = w->bake->character;
    const snBakedClip *clip = &w->bake->clips[sample.clip];
    double time = snBakedClip_Time(clip, sample.frame + (sample.middle ? 0.5 : 0));
    size_t row = (size_t)(sample.middle ? w->frameCount + w->firstMiddle[sample.clip] + sample.frame
                                        : w->firstFrame[sample.clip] + sample.frame);
    snCharacter_Pose(c, &c->clips[clip->clip], time, &w->pose);
    for (int s = 0; s < c->skinCount; s++)
        for (int j = 0; j < c->skins[s].jointCount; j++)
            w->skins[s][j] = skinMatrix(w, &c->skins[s], j);
    memcpy(w->morphs + row * (size_t)c->morphCount, w->pose.morphs,
           (size_t)c->morphCount * sizeof(double));
    w->baked = snBake_Surface(w->bake, sample.clip, sample.frame, sample.middle);
    for (int m = 0; m < w->meshCount; m++)
        correctMesh(w, &w->meshes[m]);
}

void snSoft_FindShift(snSoftWork *w, snSoftMeshWork *mesh, snSoftSample at)
{
    const snCharacter *c = w->bake->character;
    size_t morphs = (size_t)c->morphCount, frame = (size_t)(w->firstFrame[at.clip] + at.frame);
    const double *before = w->morphs + frame * morphs, *after = before + morphs;
    size_t v = 0, n = (size_t)mesh->entryCount;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++)
        for (int k = 0; k < c->parts[p].vertexCount; k++, v++) {
            const snPart *part = &c->parts[p];
            snVec3 shift = {0, 0, 0};
            for (int t = 0; t < part->targetCount; t++) {
                int i = part->firstMorph + t;
                double difference = 0.5 * (before[i] + after[i]) - w->pose.morphs[i];
                shift = snMulAdd(shift, difference, snFromF(part->targets[t][k]));
            }
            mesh->shift[v] = (float)shift.x;
            mesh->shift[n + v] = (float)shift.y;
            mesh->shift[2 * n + v] = (float)shift.z;
        }
}
