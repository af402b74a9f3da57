// Targets and weights as the glTF writer takes them. Weights go from 0 to 1: with l_k the lowest weight
// of component V_k, 0 where none is negative, and h_k the highest,
//     Σ w_k V_k = Σ u_k (h_k - l_k) V_k + Σ l_k V_k,   u_k = (w_k - l_k) / (h_k - l_k).
// The last sum is one target more, whose weight is 1 in all soft clips. So every program's sliders will do;
// Blender's importer (3.4) cuts weights at 0 unless a clip begins below it. Where only one target is
// allowed, its weights go from -1 to 1.
#include "bake/soft_parts.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

typedef struct Writing {
    snSoftMesh *meshes;
    int *softOf; // [meshes] -> snSoftMeshWork
    int count;
    snSoftClip *clips;
} Writing;

// A key of a clip: frame k / 2 for even k of a clip with middles.
static snSoftSample sampleOfKey(const snSoftWork *w, int clip, int key)
{
    if (!w->dense[clip]) return (snSoftSample){clip, key, false};
    return (snSoftSample){clip, key / 2, key % 2};
}

static int keyCount(const snSoftWork *w, int clip)
{
    int frames = w->bake->clips[clip].frameCount;
    return w->dense[clip] ? 2 * frames - 1 : frames;
}

// [components]
static const float *weightsOfKey(const snSoftWork *w, const snSoftMeshWork *mesh, snSoftSample at)
{
    size_t count = (size_t)mesh->components.count;
    return at.middle ? mesh->middleWeights + (size_t)(w->firstMiddle[at.clip] + at.frame) * count
                     : mesh->weights + (size_t)(w->firstFrame[at.clip] + at.frame) * count;
}

// ---- ranges -----------------------------------------------------------------------------------------

static void widenRanges(const snSoftWork *w, snSoftMeshWork *mesh, float *highs)
{
    for (int i = 0; i < w->bake->clipCount; i++)
        for (int key = 0; key < keyCount(w, i); key++) {
            const float *weights = weightsOfKey(w, mesh, sampleOfKey(w, i, key));
            for (int k = 0; k < mesh->targetCount; k++) {
                mesh->lows[k] = fminf(mesh->lows[k], weights[k]);
                highs[k] = fmaxf(highs[k], weights[k]);
            }
        }
}

static snStatus findRange(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    mesh->lows = SN_NEW(&w->arena, float, mesh->targetCount);
    mesh->scales = SN_NEW(&w->arena, float, mesh->targetCount);
    if (!mesh->lows || !mesh->scales) return snFailMemory(error);
    float *highs = mesh->scales;
    widenRanges(w, mesh, highs);
    for (int k = 0; k < mesh->targetCount; k++) {
        mesh->lifted |= mesh->lows[k] < 0 && w->def->mostTargets > 1;
        if (w->def->mostTargets > 1) {
            mesh->scales[k] = highs[k] - mesh->lows[k];
        } else {
            mesh->scales[k] = fmaxf(highs[k], -mesh->lows[k]);
            mesh->lows[k] = 0;
        }
        if (!(mesh->scales[k] > 0)) mesh->scales[k] = 1;
    }
    return SN_OK;
}

snStatus snSoft_FindRanges(snSoftWork *w, snError *error)
{
    snStatus status = SN_OK;
    for (int m = 0; m < w->meshCount && !status; m++)
        status = findRange(w, &w->meshes[m], error);
    return status;
}

int snSoft_CountTargets(const snSoftMeshWork *mesh)
{
    return mesh->targetCount + mesh->lifted;
}

// ---- targets ----------------------------------------------------------------------------------------

// A target of one part: planes of the mesh (components or normals, [targets][3][vertices]) scaled; or, as
// the last one, the sum of all with their lowest weights.
static snVec3f *gather(snSoftWork *w, const snSoftMeshWork *mesh, const float *planes, int target,
                       int first, int count)
{
    snVec3f *out = SN_NEW(&w->arena, snVec3f, count);
    size_t n = (size_t)mesh->vertexCount;
    bool last = target == mesh->targetCount;
    for (int k = last ? 0 : target; out && k <= target && k < mesh->targetCount; k++) {
        float scale = last ? mesh->lows[k] : mesh->scales[k];
        const float *plane = planes + (size_t)k * 3 * n + (size_t)first;
        for (int v = 0; v < count; v++) {
            out[v].x += scale * plane[v];
            out[v].y += scale * plane[n + (size_t)v];
            out[v].z += scale * plane[2 * n + (size_t)v];
        }
    }
    return out;
}

typedef struct PartTargets {
    const snVec3f **positions; // [primitives * targets]
    const snVec3f **normals;
    int *counts; // [primitives]
} PartTargets;

static snStatus describePart(snSoftWork *w, const snSoftMeshWork *mesh, const snPart *part,
                             int first, PartTargets *out, snError *error)
{
    int targets = snSoft_CountTargets(mesh), count = part->vertexCount;
    bool normals = mesh->normals && part->normals;
    out->counts[part->primitive] = count;
    for (int k = 0; k < targets; k++) {
        int at = part->primitive * targets + k;
        out->positions[at] = gather(w, mesh, mesh->components.rows, k, first, count);
        if (normals) out->normals[at] = gather(w, mesh, mesh->normals, k, first, count);
        if (!out->positions[at] || (normals && !out->normals[at])) return snFailMemory(error);
    }
    return SN_OK;
}

// Targets of each primitive of a mesh; primitives that are no triangles stay as they are.
static snStatus describeMesh(snSoftWork *w, snSoftMeshWork *mesh, snSoftMesh *out, snError *error)
{
    const snCharacter *c = w->bake->character;
    size_t entries = (size_t)mesh->primitiveCount * (size_t)snSoft_CountTargets(mesh);
    PartTargets targets = {SN_NEW(&w->arena, const snVec3f *, entries),
                           SN_NEW(&w->arena, const snVec3f *, entries),
                           SN_NEW(&w->arena, int, mesh->primitiveCount)};
    if (!targets.positions || !targets.normals || !targets.counts) return snFailMemory(error);
    snStatus status = SN_OK;
    int first = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount && !status; p++) {
        status = describePart(w, mesh, &c->parts[p], first, &targets, error);
        first += c->parts[p].vertexCount;
    }
    *out = (snSoftMesh){.mesh = mesh->mesh,
                        .node = mesh->node,
                        .primitiveCount = mesh->primitiveCount,
                        .targetCount = snSoft_CountTargets(mesh),
                        .positions = targets.positions,
                        .normals = mesh->normals ? targets.normals : NULL,
                        .vertexCounts = targets.counts};
    return status;
}

// ---- clips ------------------------------------------------------------------------------------------

// All weights of one mesh in one clip: the file's own, then the soft ones.
static const float *clipWeights(snSoftWork *w, const snSoftMeshWork *mesh, int clip)
{
    int width = mesh->existing + snSoft_CountTargets(mesh), keys = keyCount(w, clip);
    size_t morphs = (size_t)w->bake->character->morphCount;
    float *out = SN_NEW(&w->arena, float, (size_t)keys *(size_t)width);
    for (int k = 0; out && k < keys; k++) {
        snSoftSample at = sampleOfKey(w, clip, k);
        int sample = at.middle ? w->frameCount + w->firstMiddle[clip] : w->firstFrame[clip];
        const double *own = w->morphs + (size_t)(sample + at.frame) * morphs;
        const float *soft = weightsOfKey(w, mesh, at);
        float *row = out + k * width, *added = row + mesh->existing;
        for (int i = 0; i < mesh->existing; i++)
            row[i] = (float)own[mesh->firstMorph + i];
        for (int i = 0; i < mesh->targetCount; i++)
            added[i] = (soft[i] - mesh->lows[i]) / mesh->scales[i];
        if (mesh->lifted) added[mesh->targetCount] = 1;
    }
    return out;
}

static const char *nameClip(snSoftWork *w, const snBakedClip *clip)
{
    const snClip *source = &w->bake->character->clips[clip->clip];
    size_t size = strlen(source->name) + 32;
    char *name = SN_NEW(&w->arena, char, size);
    if (name && *source->name)
        snprintf(name, size, "%s.soft", source->name);
    else if (name)
        snprintf(name, size, "clip%d.soft", clip->clip);
    return name;
}

static snStatus describeClip(snSoftWork *w, const Writing *writing, int index, snError *error)
{
    const snBakedClip *clip = &w->bake->clips[index];
    int keys = keyCount(w, index);
    const char *name = nameClip(w, clip);
    float *times = SN_NEW(&w->arena, float, keys);
    const float **weights = SN_NEW(&w->arena, const float *, writing->count);
    if (!name || !times || !weights) return snFailMemory(error);
    for (int k = 0; k < keys; k++)
        times[k] = (float)snBakedClip_Time(clip, w->dense[index] ? 0.5 * k : k);
    for (int m = 0; m < writing->count; m++) {
        weights[m] = clipWeights(w, &w->meshes[writing->softOf[m]], index);
        if (!weights[m]) return snFailMemory(error);
    }
    writing->clips[index] = (snSoftClip){
        .clip = clip->clip, .name = name, .frameCount = keys, .times = times, .weights = weights};
    return SN_OK;
}

snStatus snSoft_Describe(snSoftWork *w, const snGltfSource *original, snBytes *out, snError *error)
{
    Writing writing = {SN_NEW(&w->arena, snSoftMesh, w->meshCount),
                       SN_NEW(&w->arena, int, w->meshCount), 0,
                       SN_NEW(&w->arena, snSoftClip, w->bake->clipCount)};
    if (!writing.meshes || !writing.softOf || !writing.clips) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int m = 0; m < w->meshCount && !status; m++) {
        if (w->meshes[m].targetCount == 0) continue; // the rig alone is within the tolerance
        writing.softOf[writing.count] = m;
        status = describeMesh(w, &w->meshes[m], &writing.meshes[writing.count++], error);
    }
    for (int i = 0; i < w->bake->clipCount && !status; i++)
        status = describeClip(w, &writing, i, error);
    if (status) return status;
    return snGltf_AddSoft(original, writing.meshes, writing.count, writing.clips,
                          w->bake->clipCount, out, w->context, error);
}
