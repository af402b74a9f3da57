// Corrections of normals in bind space. Normals move with the inverse transpose, n_world ~ M^-T n, so a
// wanted normal in the world is Mᵀ n_world in bind space, which needs no inverse.
//     The wanted normal keeps what the artist made of it: the turn that takes the normal of the rig's
// triangles around the vertex to that of the soft ones is applied to the rig's own normal.
#include "bake/soft_parts.h"

#include "core/error.h"
#include "core/tasks.h"

#include <stdlib.h>
#include <string.h>

#define LANES SN_NORMAL_LANES

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
static void findGroups(snNormalGroups *groups, Corner *corners, int n)
{
    qsort(corners, (size_t)n, sizeof *corners, compareCorners);
    for (int i = 0; i < n; i++) {
        if (i == 0 || compareKeys(&corners[i], &corners[i - 1])) groups->count++;
        groups->of[corners[i].vertex] = groups->count - 1;
    }
}

// The triangles around every group, in their order: counted, then listed.
static void listTriangles(const snSoftWork *w, const snSoftMeshWork *mesh, bool count)
{
    const snCharacter *c = w->bake->character;
    const snNormalGroups *groups = &mesh->groups;
    int first = 0, triangle = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount; p++) {
        const snPart *part = &c->parts[p];
        for (int t = 0; t < part->triangleCount; t++, triangle++)
            for (int k = 0; k < 3; k++) {
                int g = groups->of[first + part->triangles[3 * t + k]];
                if (count)
                    groups->first[g + 1]++;
                else
                    groups->triangles[groups->first[g]++] = triangle;
            }
        first += part->vertexCount;
    }
}

static void surround(const snSoftWork *w, const snSoftMeshWork *mesh)
{
    const snNormalGroups *groups = &mesh->groups;
    listTriangles(w, mesh, true);
    for (int g = 0; g < groups->count; g++)
        groups->first[g + 1] += groups->first[g];
    listTriangles(w, mesh, false);
    for (int g = groups->count; g > 0; g--) // each has run on to the next one's beginning
        groups->first[g] = groups->first[g - 1];
    groups->first[0] = 0;
}

snStatus snSoft_GroupNormals(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    snNormalGroups *groups = &mesh->groups;
    groups->of = SN_NEW(&w->arena, int, mesh->vertexCount);
    groups->triangles = SN_NEW(&w->arena, int, 3 * (size_t)mesh->triangleCount);
    groups->rig = SN_NEW(&w->arena, snVec3, mesh->triangleCount);
    groups->moved = SN_NEW(&w->arena, snVec3, mesh->triangleCount);
    if (!groups->of || !groups->triangles || !groups->rig || !groups->moved)
        return snFailMemory(error);
    snArenaMark mark = snArena_Mark(&w->arena);
    Corner *corners = SN_NEW(&w->arena, Corner, mesh->vertexCount);
    if (!corners) return snFailMemory(error);
    listCorners(w, mesh, corners);
    findGroups(groups, corners, mesh->vertexCount);
    snArena_Rewind(&w->arena, mark);
    groups->first = SN_NEW(&w->arena, int, groups->count + 1);
    if (!groups->first) return snFailMemory(error);
    surround(w, mesh);
    return SN_OK;
}

// A part of the mesh in the present sample.
typedef struct NormalTask {
    const snSoftWork *work;
    const snSoftMeshWork *mesh;
    const snPart *part;
    int first, firstTriangle; // of the part within the mesh
    float *out;
} NormalTask;

// Normals of triangles times their area, of the rig and of the soft surface.
static void findTriangles(int begin, int end, int worker, void *context)
{
    (void)worker;
    NormalTask *task = context;
    const snSoftMeshWork *mesh = task->mesh;
    const snVec3 *rig = mesh->rig + task->first;
    const snVec3f *soft = task->work->baked + mesh->firstVertex + task->first;
    for (int t = begin; t < end; t++) {
        const int *corner = task->part->triangles + 3 * t;
        int i = corner[0], j = corner[1], l = corner[2];
        mesh->groups.rig[task->firstTriangle + t] = snTwiceArea(rig[i], rig[j], rig[l]);
        mesh->groups.moved[task->firstTriangle + t] =
            snTwiceArea(snFromF(soft[i]), snFromF(soft[j]), snFromF(soft[l]));
    }
}

static snVec3 sumAround(const snNormalGroups *groups, int group, const snVec3 *normals)
{
    snVec3 sum = {0, 0, 0};
    for (int i = groups->first[group]; i < groups->first[group + 1]; i++)
        sum = snAdd(sum, normals[groups->triangles[i]]);
    return sum;
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

// Vertices k ... k + count of the part.
static void gather(const NormalTask *task, int k, int count, snNormalBlock *x)
{
    const snNormalGroups *groups = &task->mesh->groups;
    for (int i = 0; i < count; i++) {
        int v = task->first + k + i, group = groups->of[v];
        snMat3 m = snSoft_Matrix(task->mesh, v);
        snPlanes_Put(x->m, i, m.cx);
        snPlanes_Put(x->m + 3 * LANES, i, m.cy);
        snPlanes_Put(x->m + 6 * LANES, i, m.cz);
        snPlanes_Put(x->own, i, ownNormal(task->work, task->part, k + i));
        snPlanes_Put(x->before, i, sumAround(groups, group, groups->rig));
        snPlanes_Put(x->after, i, sumAround(groups, group, groups->moved));
    }
}

// One lane with care: surfaces turned over, and nothing where there is no surface.
static snVec3 changeOf(const snNormalBlock *x, int i)
{
    snVec3 zero = {0, 0, 0}, own = snPlanes_At(x->own, i);
    snMat3 m = {snPlanes_At(x->m, i), snPlanes_At(x->m + 3 * LANES, i),
                snPlanes_At(x->m + 6 * LANES, i)};
    snVec3 before = snNormalizeOr(snPlanes_At(x->before, i), zero);
    snVec3 after = snNormalizeOr(snPlanes_At(x->after, i), zero);
    if (snDot(before, before) == 0 || snDot(after, after) == 0) return zero;
    snVec3 turned = snRotate(snQuatBetween(before, after), snMoveNormal(m, own));
    snVec3 back = snNormalizeOr(snMulTMV(m, turned), zero);
    if (snDot(back, back) == 0) return zero;
    return snSub(snScale(snLength(own), back), own);
}

static void scatter(const NormalTask *task, int k, int count, const snNormalBlock *x)
{
    size_t n = (size_t)task->mesh->vertexCount;
    for (int i = 0; i < count; i++) {
        float *out = task->out + task->first + k + i;
        snVec3 d = snPlanes_At(x->change, i);
        if (!(x->along[i] > -0.5) || !snIsFinite3(d)) d = changeOf(x, i);
        out[0] = (float)d.x;
        out[n] = (float)d.y;
        out[2 * n] = (float)d.z;
    }
}

static void findChanges(int begin, int end, int worker, void *context)
{
    (void)worker;
    NormalTask *task = context;
    snNormalBlock block = {0};
    size_t n = (size_t)task->mesh->vertexCount;
    for (size_t a = 0; a < 3 && !task->part->normals; a++)
        memset(task->out + a * n + task->first + begin, 0, (size_t)(end - begin) * sizeof(float));
    for (int k = begin; k < end && task->part->normals; k += LANES) {
        int count = end - k < LANES ? end - k : LANES;
        gather(task, k, count, &block);
        task->work->kernels->turn(&block);
        scatter(task, k, count, &block);
    }
}

void snSoft_FindNormals(snSoftWork *w, snSoftMeshWork *mesh, float *out)
{
    const snPart *parts = w->bake->character->parts + mesh->firstPart;
    const snTasks *tasks = &w->context->tasks;
    for (int pass = 0; pass < 2; pass++) { // groups reach over parts
        NormalTask task = {.work = w, .mesh = mesh, .out = out};
        for (int p = 0; p < mesh->partCount; p++) {
            task.part = &parts[p];
            if (pass == 0)
                snParallelFor(tasks, parts[p].triangleCount, 4096, findTriangles, &task);
            else
                snParallelFor(tasks, parts[p].vertexCount, 1024, findChanges, &task);
            task.first += parts[p].vertexCount;
            task.firstTriangle += parts[p].triangleCount;
        }
    }
}
