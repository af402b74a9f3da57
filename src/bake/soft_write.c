// Targets and weights as the glTF writer takes them: weights go from 0 to 1 (ranges.h).
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

// ---- ranges -----------------------------------------------------------------------------------------

static void widenRanges(const snSoftWork *w, snSoftMeshWork *mesh)
{
    for (int i = 0; i < w->bake->clipCount; i++)
        for (int key = 0; key < keyCount(w, i); key++)
            snWeightRanges_Widen(&mesh->ranges, snSoft_Weights(w, mesh, sampleOfKey(w, i, key)));
}

static snStatus findRange(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    snStatus status = snWeightRanges_Make(&mesh->ranges, mesh->targetCount, &w->arena, error);
    if (status) return status;
    widenRanges(w, mesh);
    snWeightRanges_Close(&mesh->ranges, w->def->mostTargets == 1);
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
    return snWeightRanges_Targets(&mesh->ranges);
}

// ---- targets ----------------------------------------------------------------------------------------

// What is added to the vertices or normals of a mesh, [vertices] of every target.
typedef struct Added {
    const float *targets; // [targets][vertices][3]; NULL: nothing
    const snVec3f *last;  // the sum with the lowest weights, where there is one
} Added;

static snStatus joinTargets(snSoftWork *w, const snSoftMeshWork *mesh, float *planes, Added *out,
                            snError *error)
{
    if (!planes) return SN_OK;
    out->targets = planes;
    return snWeightRanges_Join(&mesh->ranges, planes, mesh->vertexCount, &out->last, &w->arena,
                               error);
}

static const snVec3f *targetOf(const snSoftMeshWork *mesh, const Added *added, int target,
                               int first)
{
    if (target == mesh->targetCount) return added->last + first;
    size_t at = (size_t)target * (size_t)mesh->vertexCount + (size_t)first;
    return (const snVec3f *)(const void *)(added->targets + 3 * at);
}

typedef struct PartTargets {
    const snVec3f **positions; // [primitives * targets]
    const snVec3f **normals;
    int *counts; // [primitives]
} PartTargets;

static void describePart(const snSoftMeshWork *mesh, const snPart *part, int first,
                         const Added added[2], PartTargets *out)
{
    int targets = snSoft_CountTargets(mesh);
    out->counts[part->primitive] = part->vertexCount;
    for (int k = 0; k < targets; k++) {
        int at = part->primitive * targets + k;
        out->positions[at] = targetOf(mesh, &added[0], k, first);
        if (mesh->normals && part->normals) out->normals[at] = targetOf(mesh, &added[1], k, first);
    }
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
    Added added[2] = {{0}};
    snStatus status = joinTargets(w, mesh, mesh->targets, &added[0], error);
    if (!status) status = joinTargets(w, mesh, mesh->normals, &added[1], error);
    int first = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount && !status; p++) {
        describePart(mesh, &c->parts[p], first, added, &targets);
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
        const float *soft = snSoft_Weights(w, mesh, at);
        float *row = out + k * width, *added = row + mesh->existing;
        for (int i = 0; i < mesh->existing; i++)
            row[i] = (float)own[mesh->firstMorph + i];
        snWeightRanges_Share(&mesh->ranges, soft, added);
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
