// Targets and weights as the glTF writer takes them. A component is scaled so that its largest weight
// is 1, with the weights divided by the same.
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

static snStatus findScales(snSoftWork *w, snSoftMeshWork *mesh, snError *error)
{
    size_t count = (size_t)mesh->components.count;
    mesh->scales = SN_NEW(&w->arena, float, count);
    if (!mesh->scales) return snFailMemory(error);
    for (size_t k = 0; k < count; k++) {
        for (size_t f = 0; f < (size_t)w->frameCount; f++)
            mesh->scales[k] = fmaxf(mesh->scales[k], fabsf(mesh->weights[f * count + k]));
        if (!(mesh->scales[k] > 0)) mesh->scales[k] = 1;
    }
    return SN_OK;
}

// Planes of a mesh to vectors of one part, scaled.
static snVec3f *gather(snSoftWork *w, const snSoftMeshWork *mesh, const float *planes, int first,
                       int count, float scale)
{
    snVec3f *out = SN_NEW(&w->arena, snVec3f, count);
    size_t n = (size_t)mesh->vertexCount;
    for (int v = 0; out && v < count; v++) {
        const float *at = planes + first + v;
        out[v] = (snVec3f){scale * at[0], scale * at[n], scale * at[2 * n]};
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
    size_t n = 3 * (size_t)mesh->vertexCount;
    out->counts[part->primitive] = part->vertexCount;
    for (int k = 0; k < mesh->targetCount; k++) {
        int at = part->primitive * mesh->targetCount + k;
        float scale = mesh->scales[k];
        out->positions[at] =
            gather(w, mesh, mesh->components.rows + (size_t)k * n, first, part->vertexCount, scale);
        if (mesh->normals && part->normals)
            out->normals[at] =
                gather(w, mesh, mesh->normals + (size_t)k * n, first, part->vertexCount, scale);
        if (!out->positions[at] || (mesh->normals && part->normals && !out->normals[at]))
            return snFailMemory(error);
    }
    return SN_OK;
}

// Targets of each primitive of a mesh; primitives that are no triangles stay as they are.
static snStatus describeMesh(snSoftWork *w, snSoftMeshWork *mesh, snSoftMesh *out, snError *error)
{
    const snCharacter *c = w->bake->character;
    size_t entries = (size_t)mesh->primitiveCount * (size_t)mesh->targetCount;
    PartTargets targets = {SN_NEW(&w->arena, const snVec3f *, entries),
                           SN_NEW(&w->arena, const snVec3f *, entries),
                           SN_NEW(&w->arena, int, mesh->primitiveCount)};
    if (!targets.positions || !targets.normals || !targets.counts) return snFailMemory(error);
    snStatus status = findScales(w, mesh, error);
    int first = 0;
    for (int p = mesh->firstPart; p < mesh->firstPart + mesh->partCount && !status; p++) {
        status = describePart(w, mesh, &c->parts[p], first, &targets, error);
        first += c->parts[p].vertexCount;
    }
    *out = (snSoftMesh){.mesh = mesh->mesh,
                        .node = mesh->node,
                        .primitiveCount = mesh->primitiveCount,
                        .targetCount = mesh->targetCount,
                        .positions = targets.positions,
                        .normals = mesh->normals ? targets.normals : NULL,
                        .vertexCounts = targets.counts};
    return status;
}

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

// All weights of one mesh in one clip: the file's own, then the soft ones.
static const float *clipWeights(snSoftWork *w, const snSoftMeshWork *mesh, int clip)
{
    int width = mesh->existing + mesh->targetCount, keys = keyCount(w, clip);
    size_t count = (size_t)mesh->components.count, morphs = (size_t)w->bake->character->morphCount;
    float *out = SN_NEW(&w->arena, float, (size_t)keys *(size_t)width);
    for (int k = 0; out && k < keys; k++) {
        snSoftSample at = sampleOfKey(w, clip, k);
        int frame = w->firstFrame[clip] + at.frame, middle = w->firstMiddle[clip] + at.frame;
        const double *own =
            w->morphs + (size_t)(at.middle ? w->frameCount + middle : frame) * morphs;
        const float *soft = at.middle ? mesh->middleWeights + (size_t)middle * count
                                      : mesh->weights + (size_t)frame * count;
        for (int i = 0; i < mesh->existing; i++)
            out[k * width + i] = (float)own[mesh->firstMorph + i];
        for (int i = 0; i < mesh->targetCount; i++)
            out[k * width + mesh->existing + i] = soft[i] / mesh->scales[i];
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
