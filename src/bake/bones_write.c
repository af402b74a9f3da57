// Bones, skins, influences and keys as the glTF writer takes them.
#include "bake/bones_parts.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

typedef struct Writing {
    snAddedBone *bones;
    int skinCount;
    snAddedSkin *skins;
    int *
        *numberIn; // [skins of the character][bones], the bone's number in that skin; -1: not in it
    int partCount;
    snAddedWeights *parts;
    snSoftClip *clips;
} Writing;

static snStatus nameBones(snBonesWork *w, Writing *out, snError *error)
{
    const snSkeleton *skeleton = &w->soft.bake->character->skeleton;
    out->bones = SN_NEW(&w->soft.arena, snAddedBone, w->boneCount);
    if (!out->bones) return snFailMemory(error);
    for (int b = 0; b < w->boneCount; b++) {
        const snJoint *parent = &skeleton->joints[w->bones[b].parent];
        size_t size = strlen(parent->name) + 32;
        char *name = SN_NEW(&w->soft.arena, char, size);
        if (!name) return snFailMemory(error);
        snprintf(name, size, "%s.soft%d", *parent->name ? parent->name : "joint", b);
        out->bones[b] = (snAddedBone){name, parent->fileNode, w->bones[b].center};
    }
    return SN_OK;
}

// A skin gets the bones whose parents it has.
static snStatus growSkin(snBonesWork *w, Writing *out, int number, snError *error)
{
    const snSkin *skin = &w->soft.bake->character->skins[number];
    int *bones = SN_NEW(&w->soft.arena, int, w->boneCount), count = 0;
    snAffine *binds =
        SN_NEW(&w->soft.arena, snAffine, (size_t)skin->jointCount + (size_t)w->boneCount);
    out->numberIn[number] = SN_NEW(&w->soft.arena, int, w->boneCount);
    if (!bones || !binds || !out->numberIn[number]) return snFailMemory(error);
    memcpy(binds, skin->inverseBind, (size_t)skin->jointCount * sizeof *binds);
    for (int b = 0; b < w->boneCount; b++) {
        int joint = 0;
        while (joint < skin->jointCount && skin->joints[joint] != w->bones[b].parent)
            joint++;
        out->numberIn[number][b] = -1;
        if (joint == skin->jointCount) continue;
        snAffine bind = skin->inverseBind[joint];
        bind.origin = snSub(bind.origin, w->bones[b].center);
        binds[skin->jointCount + count] = bind;
        out->numberIn[number][b] = skin->jointCount + count;
        bones[count++] = b;
    }
    if (count)
        out->skins[out->skinCount++] = (snAddedSkin){number, count, bones, skin->jointCount, binds};
    return SN_OK;
}

// ---- influences ----

static snAddedWeights *partFor(snBonesWork *w, Writing *out, int *partOf, int number)
{
    const snPart *part = &w->soft.bake->character->parts[number];
    if (partOf[number] >= 0) return &out->parts[partOf[number]];
    size_t influences = part->influences > 4 ? SN_BONE_SLOTS : 4;
    size_t count = (size_t)part->vertexCount * influences;
    int *joints = SN_NEW(&w->soft.arena, int, count);
    float *weights = SN_NEW(&w->soft.arena, float, count);
    if (!joints || !weights) return NULL;
    partOf[number] = out->partCount;
    out->parts[out->partCount] = (snAddedWeights){
        part->mesh, part->primitive, part->vertexCount, (int)influences, joints, weights};
    return &out->parts[out->partCount++];
}

typedef struct Influences {
    int count;
    int joints[2 * SN_BONE_SLOTS];
    double weights[2 * SN_BONE_SLOTS], total;
} Influences;

static void add(Influences *list, int joint, double weight)
{
    if (!(weight > 1e-6) || list->count == 2 * SN_BONE_SLOTS) return;
    list->joints[list->count] = joint;
    list->weights[list->count++] = weight;
    list->total += weight;
}

static void store(const Influences *list, const snAddedWeights *part, int number)
{
    int *joints = (int *)part->joints + number * part->influences;
    float *weights = (float *)part->weights + number * part->influences;
    SN_ASSERT(list->count <= part->influences);
    for (int i = 0; i < list->count && i < part->influences; i++) {
        joints[i] = list->joints[i];
        weights[i] = (float)(list->weights[i] / list->total);
    }
}

// What every vertex has on bones is listed bone by bone; here it is needed vertex by vertex.
static snStatus setInfluences(snBonesWork *w, Writing *out, snError *error)
{
    const snCharacter *c = w->soft.bake->character;
    Influences *lists = SN_NEW(&w->soft.arena, Influences, w->vertexCount);
    int *partOf = SN_NEW(&w->soft.arena, int, c->partCount);
    if (!lists || !partOf) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++)
        partOf[p] = -1;
    for (int v = 0; v < w->vertexCount; v++) {
        const snBoneVertex *vertex = &w->vertices[v];
        const snPart *part = &c->parts[vertex->part];
        for (int i = 0; i < part->influences; i++) {
            size_t at = (size_t)vertex->number * (size_t)part->influences + (size_t)i;
            add(&lists[v], part->joints[at], (double)part->weights[at] - (double)vertex->taken[i]);
        }
    }
    for (int b = 0; b < w->boneCount; b++)
        for (int i = 0; i < w->bones[b].memberCount; i++) {
            const snBoneMember *m = &w->bones[b].members[i];
            int skin = c->parts[w->vertices[m->vertex].part].skin;
            add(&lists[m->vertex], out->numberIn[skin][b], (double)m->weight);
        }
    for (int v = 0; v < w->vertexCount; v++) {
        snAddedWeights *part = partFor(w, out, partOf, w->vertices[v].part);
        if (!part) return snFailMemory(error);
        store(&lists[v], part, w->vertices[v].number);
    }
    return SN_OK;
}

// ---- clips ----

static snStatus describeClip(snBonesWork *w, Writing *out, int index, snError *error)
{
    const snBakedClip *clip = &w->soft.bake->clips[index];
    const char *source = w->soft.bake->character->clips[clip->clip].name;
    size_t size = strlen(source) + 32;
    char *name = SN_NEW(&w->soft.arena, char, size);
    float *times = SN_NEW(&w->soft.arena, float, clip->frameCount);
    if (!name || !times) return snFailMemory(error);
    if (*source)
        snprintf(name, size, "%s.soft", source);
    else
        snprintf(name, size, "clip%d.soft", clip->clip);
    for (int k = 0; k < clip->frameCount; k++)
        times[k] = (float)snBakedClip_Time(clip, k);
    out->clips[index] =
        (snSoftClip){.clip = clip->clip,
                     .name = name,
                     .frameCount = clip->frameCount,
                     .times = times,
                     .bones = w->keys + (size_t)w->soft.firstFrame[index] * (size_t)w->boneCount};
    return SN_OK;
}

snStatus snBones_Describe(snBonesWork *w, const snGltfSource *original, snBytes *out,
                          snError *error)
{
    const snCharacter *c = w->soft.bake->character;
    Writing writing = {.skins = SN_NEW(&w->soft.arena, snAddedSkin, c->skinCount),
                       .numberIn = SN_NEW(&w->soft.arena, int *, c->skinCount),
                       .parts = SN_NEW(&w->soft.arena, snAddedWeights, c->partCount),
                       .clips = SN_NEW(&w->soft.arena, snSoftClip, w->soft.bake->clipCount)};
    if (!writing.skins || !writing.numberIn || !writing.parts || !writing.clips)
        return snFailMemory(error);
    snStatus status = nameBones(w, &writing, error);
    for (int s = 0; s < c->skinCount && !status; s++)
        status = growSkin(w, &writing, s, error);
    if (!status && w->boneCount) status = setInfluences(w, &writing, error);
    for (int i = 0; i < w->soft.bake->clipCount && !status; i++)
        status = describeClip(w, &writing, i, error);
    if (status) return status;
    snAddedBones bones = {w->boneCount,  writing.skinCount, writing.partCount,
                          writing.bones, writing.skins,     writing.parts};
    return snGltf_AddBones(original, &bones, writing.clips, w->soft.bake->clipCount, out,
                           w->soft.context, error);
}
