// From meshes over all frames to a character of nodes, parts with targets, and one clip, which the glTF writer takes.
#include "bake/motion_parts.h"

#include "asset/gltf.h"
#include "core/error.h"

#include <string.h>

#define CHANNELS 3 // of a mesh: place, turn, weights

typedef struct Work {
    const snSequence *sequence;
    const snMotionDef *def;
    const snContext *context;
    snArena arena;
    int count;
    snMotionMesh *meshes; // [count], those with triangles
    snCharacter character;
    float *times; // [frames]
} Work;

snMotionDef snDefaultMotionDef(void)
{
    return (snMotionDef){.tolerance = 0.002, .mostTargets = 64};
}

// ---- looks --------------------------------------------------------------------------------------------

// Materials of a character and its pictures, behind those that are there.
static void copyMaterials(snCharacter *to, const snCharacter *from)
{
    for (int i = 0; i < from->imageCount; i++)
        to->images[to->imageCount + i] = from->images[i];
    for (int i = 0; i < from->materialCount; i++) {
        snMaterialLook *look = &to->materials[to->materialCount + i];
        *look = from->materials[i];
        if (look->image) look->image = to->images + to->imageCount + (look->image - from->images);
    }
    to->imageCount += from->imageCount;
    to->materialCount += from->materialCount;
}

static int addColor(snCharacter *c, const snMotionMesh *m)
{
    const float *color = m->look->color;
    bool own = m->look->colors != NULL; // they are multiplied with it
    c->materials[c->materialCount] =
        (snMaterialLook){.name = m->mesh->title,
                         .color = {own ? 1 : color[0], own ? 1 : color[1], own ? 1 : color[2], 1}};
    return c->materialCount++;
}

static snStatus copyColors(Work *w, const snMotionMesh *m, snPart *part, snError *error)
{
    if (!m->look->colors) return SN_OK;
    part->colors = SN_NEW(&w->arena, float, 4 * (size_t)m->vertexCount);
    if (!part->colors) return snFailMemory(error);
    for (int v = 0; v < m->vertexCount; v++) {
        int from = m->look->cornerCount ? m->look->corner[v] : v;
        memcpy(part->colors + 4 * (size_t)v, m->look->colors + 4 * (size_t)from, 4 * sizeof(float));
    }
    return SN_OK;
}

// ---- parts --------------------------------------------------------------------------------------------

// Vertices from `first` on of a mesh become a part; its targets are slices of the mesh's.
static snStatus sliceTargets(Work *w, const snMotionMesh *m, int first, snPart *part,
                             snError *error)
{
    int count = snWeightRanges_Targets(&m->ranges);
    part->targetCount = count;
    part->targets = SN_NEW(&w->arena, snVec3f *, count);
    part->targetNormals = SN_NEW(&w->arena, snVec3f *, count);
    if (!part->targets || !part->targetNormals) return snFailMemory(error);
    for (int k = 0; k < count; k++) {
        bool last = k == m->targetCount;
        size_t at = (size_t)k * (size_t)m->vertexCount;
        const snVec3f *place = last ? m->lift : (const snVec3f *)(const void *)m->targets + at;
        const snVec3f *normal =
            last ? m->liftNormal : (const snVec3f *)(const void *)m->normals + at;
        part->targets[k] = (snVec3f *)place + first; // they are only read
        part->targetNormals[k] = (snVec3f *)normal + first;
    }
    return SN_OK;
}

static snStatus addPart(Work *w, int mesh, int first, const snPart *given, snError *error)
{
    const snMotionMesh *m = &w->meshes[mesh];
    snPart *part = &w->character.parts[w->character.partCount];
    *part = *given;
    part->name = m->mesh->title;
    part->node = part->mesh = mesh;
    part->primitive = 0;
    part->skin = -1;
    part->influences = part->attributeCount = 0;
    part->positions = m->rest + first;
    part->normals = m->restNormals + first;
    part->firstMorph = w->character.morphCount;
    snStatus status = sliceTargets(w, m, first, part, error);
    if (!status) w->character.partCount++;
    return status;
}

static bool hasParts(const snMotionMesh *m)
{
    return m->look->character && m->look->character->vertexCount == m->vertexCount;
}

static snStatus addParts(Work *w, int mesh, snError *error)
{
    snCharacter *c = &w->character;
    const snMotionMesh *m = &w->meshes[mesh];
    snStatus status = SN_OK;
    if (hasParts(m)) {
        const snCharacter *look = m->look->character;
        int first = 0, materials = c->materialCount;
        for (int p = 0; p < look->partCount && !status; first += look->parts[p++].vertexCount) {
            snPart part = look->parts[p];
            if (part.material >= 0) part.material += materials;
            if (part.triangleCount) status = addPart(w, mesh, first, &part, error);
        }
        copyMaterials(c, look);
    } else {
        snPart part = {.vertexCount = m->vertexCount,
                       .triangleCount = m->mesh->triangleCount,
                       .triangles = (int *)m->triangles, // they are only read
                       .material = addColor(c, m)};
        status = copyColors(w, m, &part, error);
        if (!status) status = addPart(w, mesh, 0, &part, error);
    }
    c->morphCount += snWeightRanges_Targets(&m->ranges);
    return status;
}

static snStatus makeRoom(Work *w, snError *error)
{
    snCharacter *c = &w->character;
    int parts = 0, materials = 0, images = 0, morphs = 0;
    for (int i = 0; i < w->count; i++) {
        const snCharacter *look = hasParts(&w->meshes[i]) ? w->meshes[i].look->character : NULL;
        parts += look ? look->partCount : 1;
        materials += look ? look->materialCount : 1;
        images += look ? look->imageCount : 0;
        morphs += snWeightRanges_Targets(&w->meshes[i].ranges);
    }
    c->parts = SN_NEW(&w->arena, snPart, parts);
    c->materials = SN_NEW(&w->arena, snMaterialLook, materials);
    c->images = SN_NEW(&w->arena, snTexture, images);
    c->restMorphs = SN_NEW(&w->arena, double, morphs);
    c->skeleton.joints = SN_NEW(&w->arena, snJoint, w->count);
    c->clips = SN_NEW(&w->arena, snClip, 1);
    bool good =
        c->parts && c->materials && c->images && c->restMorphs && c->skeleton.joints && c->clips;
    if (!good) return snFailMemory(error);
    c->clips->channels = SN_NEW(&w->arena, snChannel, CHANNELS * (size_t)w->count);
    w->times = SN_NEW(&w->arena, float, w->sequence->frameCount);
    return c->clips->channels && w->times ? SN_OK : snFailMemory(error);
}

// ---- the clip -----------------------------------------------------------------------------------------

static bool isStill(const float *values, int frames, int width)
{
    for (int i = width; i < frames * width; i++)
        if (values[i] != values[i - width]) return false;
    return true;
}

// What does not change has no channel: the node and the mesh have it.
static void addChannel(Work *w, snPath path, int joint, int width, const float *values)
{
    snClip *clip = &w->character.clips[0];
    int frames = w->sequence->frameCount;
    if (!width || isStill(values, frames, width)) return;
    clip->channels[clip->channelCount++] = (snChannel){.joint = joint,
                                                       .path = path,
                                                       .interpolation = SN_LINEAR,
                                                       .keyCount = frames,
                                                       .width = width,
                                                       .times = w->times,
                                                       .values = values};
}

static snStatus addMotion(Work *w, int mesh, int firstMorph, snError *error)
{
    const snMotionMesh *m = &w->meshes[mesh];
    snCharacter *c = &w->character;
    size_t frames = (size_t)w->sequence->frameCount;
    int width = snWeightRanges_Targets(&m->ranges);
    float *places = SN_NEW(&w->arena, float, 3 * frames),
          *turns = SN_NEW(&w->arena, float, 4 * frames);
    if (!places || !turns) return snFailMemory(error);
    for (size_t f = 0; f < frames; f++) {
        snVec3f place = snToF(m->place[f]);
        snQuat q = m->turn[f];
        float turn[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
        memcpy(places + 3 * f, &place, sizeof place);
        memcpy(turns + 4 * f, turn, sizeof turn);
    }
    c->skeleton.joints[c->skeleton.jointCount++] =
        (snJoint){.name = m->mesh->title,
                  .parent = -1,
                  .fileNode = mesh,
                  .rest = {m->place[0], m->turn[0], snVec(1, 1, 1)}};
    for (int k = 0; k < width; k++)
        c->restMorphs[firstMorph + k] = (double)m->shares[k];
    addChannel(w, SN_PATH_TRANSLATION, mesh, 3, places);
    addChannel(w, SN_PATH_ROTATION, mesh, 4, turns);
    addChannel(w, SN_PATH_MORPHS, firstMorph, width, m->shares);
    return SN_OK;
}

// ---- all of it ----------------------------------------------------------------------------------------

static snStatus makeMeshes(Work *w, const snMotionLook *looks, snMotionReport *report,
                           snError *error)
{
    const snSequence *s = w->sequence;
    snStatus status = SN_OK;
    w->meshes = SN_NEW(&w->arena, snMotionMesh, s->meshCount + w->def->rigidCount);
    if (!w->meshes) return snFailMemory(error);
    for (int i = 0; i < s->meshCount && !status; i++) {
        snMotionMesh *m = &w->meshes[w->count];
        if (!s->meshes[i].triangleCount || !s->meshes[i].vertexCount) continue;
        *m = (snMotionMesh){.sequence = s, .mesh = &s->meshes[i], .look = &looks[i]};
        status = snMotionMesh_Make(m, w->def, &w->arena, w->context, error);
        w->count++;
        int targets = snWeightRanges_Targets(&m->ranges);
        report->meshCount++;
        report->targetCount += targets;
        if (targets > report->mostTargets) report->mostTargets = targets;
        if (m->size > 0) report->error = fmax(report->error, m->error / m->size);
    }
    for (int i = 0; i < w->def->rigidCount && !status; i++) {
        const snMotionRigid *rigid = &w->def->rigids[i];
        if (!rigid->triangleCount) continue;
        snMotionMesh *m = &w->meshes[w->count++];
        status = snMotionMesh_MakeRigid(m, rigid, s->frameCount, &w->arena, error);
        report->meshCount++;
    }
    return status;
}

static snStatus describe(Work *w, snError *error)
{
    snStatus status = makeRoom(w, error);
    if (status) return status;
    for (int f = 0; f < w->sequence->frameCount; f++)
        w->times[f] = (float)(w->sequence->times[f] - w->sequence->times[0]);
    for (int i = 0; i < w->count && !status; i++) {
        int firstMorph = w->character.morphCount;
        status = addParts(w, i, error);
        if (!status) status = addMotion(w, i, firstMorph, error);
    }
    w->character.clips[0].name = w->sequence->name;
    w->character.clipCount = 1;
    return status;
}

snStatus snMotion_Write(const snSequence *sequence, const snMotionLook *looks,
                        const snMotionDef *def, snBytes *out, snMotionReport *report,
                        const snContext *context, snError *error)
{
    Work w = {.sequence = sequence, .def = def, .context = context, .arena = snMakeArena(context)};
    *report = (snMotionReport){0};
    snStatus status = SN_OK;
    if (!(def->tolerance > 0) || def->mostTargets < 1 || def->mostTargets > SN_MOST_COMPONENTS)
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "%d morph targets per mesh within %g; 1 to %d are possible, within more "
                        "than 0",
                        def->mostTargets, def->tolerance, SN_MOST_COMPONENTS);
    if (!status) status = makeMeshes(&w, looks, report, error);
    if (!status) status = describe(&w, error);
    if (!status) status = snGlb_FromCharacter(&w.character, out, error);
    snArena_Destroy(&w.arena);
    return status;
}
