// One sample of the bake against the rig: corrections of positions in bind space.
//
// With M the blended skinning matrix of a vertex, its soft position is rig + offset = M (p + d) + t, so
// M d = offset.
#include "bake/soft_parts.h"

#include "core/tasks.h"

#include <string.h>

// d with M d = offset. Where blending has flattened M (a joint bent by 180°), the least squares
// answer with a small weight on |d|² keeps corrections from exploding.
static snVec3 undo(snMat3 m, snVec3 offset)
{
    double size = snNormSquaredM(m) / 3, det = snDet(m);
    if (fabs(det) > 0.05 * size * sqrt(size)) return snMulMV(snInverse3(m), offset);
    snMat3 normal = snMulTMM(m, m);
    double weight = 1e-3 * size + 1e-30;
    normal = snAddMM(normal, snDiagonal3(weight, weight, weight));
    return snMulMV(snInverse3(normal), snMulTMV(m, offset));
}

typedef struct SampleTask {
    const snSoftWork *work;
    snSoftMeshWork *mesh;
    const snPart *part;
    const snAffine *joints; // of the part's skin
    int first;              // of the part's vertices within the mesh
    int firstEntry;
} SampleTask;

static snAffine blend(const SampleTask *t, int k)
{
    const snPart *part = t->part;
    if (part->skin < 0 || part->influences == 0) return t->work->pose.global[part->node];
    snAffine m = {0};
    size_t first = (size_t)k * (size_t)part->influences;
    for (size_t i = first; i < first + (size_t)part->influences; i++) {
        double w = (double)part->weights[i];
        const snAffine *joint = &t->joints[part->joints[i]];
        if (w == 0.0) continue;
        m.linear = snAddMM(m.linear, snScaleM(w, joint->linear));
        m.origin = snMulAdd(m.origin, w, joint->origin);
    }
    return m;
}

// The position in bind space with the file's own morph targets.
static snVec3 ownPosition(const snSoftWork *w, const snPart *part, int k)
{
    snVec3 p = snFromF(part->positions[k]);
    for (int t = 0; t < part->targetCount; t++)
        p = snMulAdd(p, w->pose.morphs[part->firstMorph + t], snFromF(part->targets[t][k]));
    return p;
}

// Entries of the mesh that are vertices of the part.
static void correctVertices(int begin, int end, int worker, void *context)
{
    (void)worker;
    SampleTask *t = context;
    snSoftMeshWork *mesh = t->mesh;
    size_t n = (size_t)mesh->entryCount;
    for (int i = t->firstEntry + begin; i < t->firstEntry + end; i++) {
        int v = i * mesh->stride, k = v - t->first;
        snAffine m = blend(t, k);
        snVec3 rig = snMulAP(m, ownPosition(t->work, t->part, k));
        snVec3 offset = snSub(snFromF(t->work->baked[mesh->firstVertex + v]), rig);
        snVec3 d = undo(m.linear, offset);
        mesh->matrix[i] = m.linear;
        mesh->offset[i] = offset;
        mesh->rig[i] = rig;
        mesh->wanted[i] = (float)d.x;
        mesh->wanted[n + (size_t)i] = (float)d.y;
        mesh->wanted[2 * n + (size_t)i] = (float)d.z;
    }
}

// The first entry at or behind a vertex.
static int entryFrom(const snSoftMeshWork *mesh, int vertex)
{
    return (vertex + mesh->stride - 1) / mesh->stride;
}

static void correctMesh(const snSoftWork *w, snSoftMeshWork *mesh)
{
    const snCharacter *c = w->bake->character;
    SampleTask task = {.work = w, .mesh = mesh};
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        task.part = &c->parts[p];
        task.joints = task.part->skin < 0 ? NULL : w->skins[task.part->skin];
        task.firstEntry = entryFrom(mesh, task.first);
        int count = entryFrom(mesh, task.first + task.part->vertexCount) - task.firstEntry;
        snParallelFor(&w->context->tasks, count, 512, correctVertices, &task);
        task.first += task.part->vertexCount;
    }
}

void snSoft_Thin(snSoftWork *w, bool thin)
{
    for (int m = 0; m < w->meshCount; m++) {
        snSoftMeshWork *mesh = &w->meshes[m];
        mesh->stride = thin ? mesh->thinning : 1;
        mesh->entryCount = entryFrom(mesh, mesh->vertexCount);
    }
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
            w->skins[s][j] =
                snMulAA(w->pose.global[c->skins[s].joints[j]], c->skins[s].inverseBind[j]);
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
    int v = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++)
        for (int k = 0; k < c->parts[p].vertexCount; k++, v++) {
            const snPart *part = &c->parts[p];
            mesh->shift[v] = (snVec3){0, 0, 0};
            for (int t = 0; t < part->targetCount; t++) {
                int i = part->firstMorph + t;
                double difference = 0.5 * (before[i] + after[i]) - w->pose.morphs[i];
                mesh->shift[v] = snMulAdd(mesh->shift[v], difference, snFromF(part->targets[t][k]));
            }
        }
}
