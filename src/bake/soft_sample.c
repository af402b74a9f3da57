// One sample of the bake against the rig: corrections of positions and normals in bind space.
//
// With M the blended skinning matrix of a vertex, its soft position is rig + offset = M (p + d) + t, so
// M d = offset. Normals move with the inverse transpose, n_world ~ M^-T n, so a wanted normal in
// the world is Mᵀ n_world in bind space, which needs no inverse.
//     The wanted normal keeps what the artist made of it: the turn that takes the normal of the rig's
// triangles around the vertex to that of the soft ones is applied to the rig's own normal.
#include "bake/soft_parts.h"

#include "core/error.h"
#include "core/tasks.h"

#include <stdlib.h>
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

static void correctVertices(int begin, int end, int worker, void *context)
{
    (void)worker;
    SampleTask *t = context;
    snSoftMeshWork *mesh = t->mesh;
    for (int k = begin; k < end; k++) {
        int v = t->first + k;
        snAffine m = blend(t, k);
        snVec3 rig = snMulAP(m, ownPosition(t->work, t->part, k));
        snVec3 offset = snSub(snFromF(t->work->baked[mesh->firstVertex + v]), rig);
        snVec3 d = undo(m.linear, offset);
        mesh->matrix[v] = m.linear;
        mesh->offset[v] = offset;
        mesh->rig[v] = rig;
        mesh->wanted[v] = (float)d.x;
        mesh->wanted[mesh->vertexCount + v] = (float)d.y;
        mesh->wanted[2 * mesh->vertexCount + v] = (float)d.z;
    }
}

static void correctMesh(const snSoftWork *w, snSoftMeshWork *mesh)
{
    const snCharacter *c = w->bake->character;
    SampleTask task = {.work = w, .mesh = mesh};
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        task.part = &c->parts[p];
        task.joints = task.part->skin < 0 ? NULL : w->skins[task.part->skin];
        snParallelFor(&w->context->tasks, task.part->vertexCount, 512, correctVertices, &task);
        task.first += task.part->vertexCount;
    }
}

void snSoft_SetSample(snSoftWork *w, snSoftSample sample)
{
    const snCharacter *c = w->bake->character;
    const snBakedClip *clip = &w->bake->clips[sample.clip];
    double time = snBakedClip_Time(clip, sample.frame + (sample.middle ? 0.5 : 0));
    size_t frame = (size_t)sample.frame * (size_t)c->vertexCount;
    size_t row = (size_t)(sample.middle ? w->frameCount + w->firstMiddle[sample.clip] + sample.frame
                                        : w->firstFrame[sample.clip] + sample.frame);
    snCharacter_Pose(c, &c->clips[clip->clip], time, &w->pose);
    for (int s = 0; s < c->skinCount; s++)
        for (int j = 0; j < c->skins[s].jointCount; j++)
            w->skins[s][j] =
                snMulAA(w->pose.global[c->skins[s].joints[j]], c->skins[s].inverseBind[j]);
    memcpy(w->morphs + row * (size_t)c->morphCount, w->pose.morphs,
           (size_t)c->morphCount * sizeof(double));
    w->baked = (sample.middle ? clip->middles : clip->positions) + frame;
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

// ---- normals ----------------------------------------------------------------------------------------

typedef struct Corner {
    float key[6]; // position and normal
    int vertex;
} Corner;

static int compareKeys(const Corner *x, const Corner *y)
{
    for (int k = 0; k < 6; k++)
        if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
    return 0;
}

static int compareCorners(const void *a, const void *b)
{
    const Corner *x = a, *y = b;
    int order = compareKeys(x, y);
    return order ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static void listCorners(const snSoftWork *w, const snSoftMeshWork *mesh, Corner *corners)
{
    const snCharacter *c = w->bake->character;
    int v = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++)
        for (int k = 0; k < c->parts[p].vertexCount; k++, v++) {
            snVec3f x = c->parts[p].positions[k], n = {0, 0, 0};
            if (c->parts[p].normals) n = c->parts[p].normals[k];
            corners[v] = (Corner){{x.x, x.y, x.z, n.x, n.y, n.z}, v};
        }
}

// Seams of textures split vertices that are one to the light; hard edges do not.
snStatus snSoft_GroupNormals(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    snNormalGroups *groups = &mesh->groups;
    int n = mesh->vertexCount;
    Corner *corners = SN_NEW(&w->arena, Corner, n);
    groups->of = SN_NEW(&w->arena, int, n);
    if (!corners || !groups->of) return snFailMemory(error);
    listCorners(w, mesh, corners);
    qsort(corners, (size_t)n, sizeof *corners, compareCorners);
    for (int i = 0; i < n; i++) {
        if (i == 0 || compareKeys(&corners[i], &corners[i - 1])) groups->count++;
        groups->of[corners[i].vertex] = groups->count - 1;
    }
    groups->rig = SN_NEW(&w->arena, snVec3, groups->count);
    groups->moved = SN_NEW(&w->arena, snVec3, groups->count);
    return groups->rig && groups->moved ? SN_OK : snFailMemory(error);
}

static snVec3 triangleNormal(snVec3 a, snVec3 b, snVec3 c)
{
    return snCross(snSub(b, a), snSub(c, a));
}

// Sums of the triangles' normals by area, of the rig and of the soft surface.
static void sumTriangles(const snSoftWork *w, snSoftMeshWork *mesh)
{
    const snCharacter *c = w->bake->character;
    snNormalGroups *groups = &mesh->groups;
    int first = 0;
    memset(groups->rig, 0, (size_t)groups->count * sizeof(snVec3));
    memset(groups->moved, 0, (size_t)groups->count * sizeof(snVec3));
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        const snPart *part = &c->parts[p];
        const snVec3 *rig = mesh->rig + first, *add = mesh->offset + first;
        for (int t = 0; t < part->triangleCount; t++) {
            const int *corner = part->triangles + 3 * t;
            int i = corner[0], j = corner[1], l = corner[2];
            snVec3 a = triangleNormal(rig[i], rig[j], rig[l]);
            snVec3 b =
                triangleNormal(snAdd(rig[i], add[i]), snAdd(rig[j], add[j]), snAdd(rig[l], add[l]));
            for (int k = 0; k < 3; k++) {
                int g = groups->of[first + corner[k]];
                groups->rig[g] = snAdd(groups->rig[g], a);
                groups->moved[g] = snAdd(groups->moved[g], b);
            }
        }
        first += part->vertexCount;
    }
}

// The normal in bind space with the file's own morph targets.
static snVec3 ownNormal(const snSoftWork *w, const snPart *part, int k)
{
    snVec3 n = snFromF(part->normals[k]);
    for (int t = 0; t < part->targetCount; t++)
        if (part->targetNormals && part->targetNormals[t])
            n = snMulAdd(n, w->pose.morphs[part->firstMorph + t],
                         snFromF(part->targetNormals[t][k]));
    return n;
}

// M^-T n: the direction of sign(det M) cof(M) n, also where M is flat.
static snVec3 moveNormal(snMat3 m, snVec3 normal)
{
    snVec3 moved = snMulMV(snCofactor(m), normal);
    return snNormalizeOr(snDet(m) < 0.0 ? snNeg(moved) : moved, snVec(0, 0, 0));
}

static snVec3 normalChange(const snSoftWork *w, const snSoftMeshWork *mesh, const snPart *part,
                           int k, int v)
{
    snVec3 zero = {0, 0, 0}, own = ownNormal(w, part, k);
    snVec3 shown = moveNormal(mesh->matrix[v], own);
    snVec3 before = snNormalizeOr(mesh->groups.rig[mesh->groups.of[v]], zero);
    snVec3 after = snNormalizeOr(mesh->groups.moved[mesh->groups.of[v]], zero);
    if (snDot(before, before) == 0 || snDot(after, after) == 0) return zero; // no surface there
    snVec3 turned = snRotate(snQuatBetween(before, after), shown);
    snVec3 back = snNormalizeOr(snMulTMV(mesh->matrix[v], turned), zero);
    if (snDot(back, back) == 0) return zero;
    return snSub(snScale(snLength(own), back), own);
}

void snSoft_FindNormals(snSoftWork *w, snSoftMeshWork *mesh, float *out)
{
    const snCharacter *c = w->bake->character;
    int n = mesh->vertexCount, v = 0;
    sumTriangles(w, mesh);
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++)
        for (int k = 0; k < c->parts[p].vertexCount; k++, v++) {
            snVec3 d = {0, 0, 0};
            if (c->parts[p].normals) d = normalChange(w, mesh, &c->parts[p], k, v);
            out[v] = (float)d.x;
            out[n + v] = (float)d.y;
            out[2 * n + v] = (float)d.z;
        }
}
