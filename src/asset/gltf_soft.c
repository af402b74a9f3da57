// Soft motion added to an existing file: checks, then edits by the parts of gltf_soft.h, then one
// .glb of the edited text and the grown buffer.
#include "asset/gltf_soft.h"

#include <limits.h>

// ---- checks: what the caller says must fit the file ----

static snStatus checkPrimitive(snSoftWriter *writer, const snSoftMesh *mesh,
                               const snJsonNode *primitive, int p)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *position =
        snJson_Member(json, snJson_Member(json, primitive, "attributes"), "POSITION");
    if (!position) return SN_OK;
    snGltfAccessor accessor;
    snStatus status = snGltf_OpenAccessor(&writer->document, position, &accessor, writer->error);
    if (status) return status;
    for (int t = 0; t < mesh->targetCount; t++) {
        const snVec3f *offsets = mesh->positions[p * mesh->targetCount + t];
        if (!offsets) continue;
        if (mesh->vertexCounts[p] != accessor.count)
            return snJson_Fail(json, primitive, writer->error, SN_ERROR_ARGUMENT,
                               "offsets for %d vertices, where there are %d", mesh->vertexCounts[p],
                               accessor.count);
        for (int v = 0; v < accessor.count; v++)
            if (!snIsFinite3(snFromF(offsets[v])))
                return snJson_Fail(json, primitive, writer->error, SN_ERROR_ARGUMENT,
                                   "the soft offset of vertex %d in target %d is not finite", v, t);
    }
    return SN_OK;
}

static snStatus checkMesh(snSoftWriter *writer, int soft)
{
    const snJson *json = &writer->document.json;
    const snSoftMesh *mesh = &writer->meshes[soft];
    const snJsonNode *object = snJson_At(json, writer->document.meshes, mesh->mesh);
    const snJsonNode *list = snJson_Member(json, object, "primitives");
    if (!object)
        return snFail(writer->error, SN_ERROR_ARGUMENT, "soft mesh %d: the file has no mesh %d",
                      soft, mesh->mesh);
    if (snJson_Count(list) != mesh->primitiveCount || mesh->targetCount < 1)
        return snJson_Fail(json, object, writer->error, SN_ERROR_ARGUMENT,
                           "%d primitives and %d targets given, where there are %d primitives",
                           mesh->primitiveCount, mesh->targetCount, snJson_Count(list));
    for (int other = 0; other < soft; other++)
        if (writer->meshes[other].mesh == mesh->mesh)
            return snJson_Fail(json, object, writer->error, SN_ERROR_ARGUMENT,
                               "given twice, as soft mesh %d and %d", other, soft);
    snStatus status = SN_OK;
    for (int p = 0; p < mesh->primitiveCount && !status; p++) {
        const snJsonNode *primitive = snJson_At(json, list, p);
        int targets = snJson_Count(snJson_Member(json, primitive, "targets"));
        if (p == 0) writer->existing[soft] = targets;
        if (targets != writer->existing[soft])
            return snJson_Fail(json, primitive, writer->error, SN_ERROR_FORMAT,
                               "%d morph targets, where other primitives of the mesh have %d",
                               targets, writer->existing[soft]);
        status = checkPrimitive(writer, mesh, primitive, p);
    }
    return status;
}

static snStatus checkClip(const snSoftWriter *writer, int number)
{
    const snSoftClip *clip = &writer->clips[number];
    if (clip->clip < -1 || clip->clip >= snJson_Count(writer->document.animations))
        return snFail(writer->error, SN_ERROR_ARGUMENT,
                      "soft clip %d: the file has no animation %d", number, clip->clip);
    if (clip->frameCount < 1)
        return snFail(writer->error, SN_ERROR_ARGUMENT, "soft clip %d has no frames", number);
    for (int f = 0; f < clip->frameCount; f++)
        if (!isfinite(clip->times[f]) || clip->times[f] < 0 ||
            (f > 0 && clip->times[f] <= clip->times[f - 1]))
            return snFail(writer->error, SN_ERROR_ARGUMENT,
                          "soft clip %d: the time of frame %d (%g s) is not after the one before",
                          number, f, (double)clip->times[f]);
    for (int m = 0; m < writer->meshCount; m++) {
        int64_t count =
            (int64_t)clip->frameCount * (writer->existing[m] + writer->meshes[m].targetCount);
        if (count > INT_MAX / 64)
            return snFail(writer->error, SN_ERROR_ARGUMENT,
                          "soft clip %d: %lld weights of soft mesh %d are too many", number,
                          (long long)count, m);
        for (int64_t i = 0; clip->weights[m] && i < count; i++)
            if (!isfinite(clip->weights[m][i]))
                return snFail(writer->error, SN_ERROR_ARGUMENT,
                              "soft clip %d: weight %lld of soft mesh %d is not finite", number,
                              (long long)i, m);
    }
    return SN_OK;
}

// Which nodes carry soft meshes; the one that the caller names must.
static snStatus findNodes(snSoftWriter *writer)
{
    const snJson *json = &writer->document.json;
    int count = snJson_Count(writer->document.nodes);
    for (int n = 0; n < count; n++) {
        int mesh = -1;
        snStatus status = snJson_ReadInt(json, snJson_At(json, writer->document.nodes, n), "mesh",
                                         0, 0x7fffffff, &mesh, writer->error);
        if (status) return status;
        writer->softOfNode[n] = -1;
        for (int m = 0; m < writer->meshCount; m++)
            if (writer->meshes[m].mesh == mesh) writer->softOfNode[n] = m;
    }
    for (int m = 0; m < writer->meshCount; m++) {
        int node = writer->meshes[m].node;
        if (node < 0 || node >= count || writer->softOfNode[node] != m)
            return snFail(writer->error, SN_ERROR_ARGUMENT,
                          "soft mesh %d: node %d of the file does not carry mesh %d", m, node,
                          writer->meshes[m].mesh);
    }
    return SN_OK;
}

static snStatus check(snSoftWriter *writer)
{
    writer->softOfNode = SN_NEW(writer->arena, int, snJson_Count(writer->document.nodes));
    writer->existing = SN_NEW(writer->arena, int, writer->meshCount);
    if (!writer->softOfNode || !writer->existing) return snFailMemory(writer->error);
    snStatus status = SN_OK;
    for (int m = 0; m < writer->meshCount && !status; m++)
        status = checkMesh(writer, m);
    if (!status) status = findNodes(writer);
    for (int c = 0; c < writer->clipCount && !status; c++)
        status = checkClip(writer, c);
    return status;
}

// ---- the end: lists and the buffer's length ----

static void appendList(snSoftWriter *writer, const char *key, const snBytes *objects)
{
    if (objects->size == 0) return;
    snJsonSpot list = snJsonEdit_Open(&writer->edit, snJsonEdit_Root(), key, SN_JSON_ARRAY);
    snJsonEdit_Append(&writer->edit, list, (const char *)objects->data, objects->size);
}

static void finishLists(snSoftWriter *writer)
{
    snJsonEdit *edit = &writer->edit;
    const snJson *json = &writer->document.json;
    appendList(writer, "accessors", &writer->glb.accessors);
    appendList(writer, "bufferViews", &writer->glb.views);
    if (writer->glb.bin.size == 0) return;
    snBytes length = snMakeBytesFrom(&writer->arena->allocator);
    const snJsonNode *buffer = snJson_At(json, writer->document.bufferList, 0);
    if (buffer) {
        snBytes_Format(&length, "%zu", writer->glb.bin.size);
        snJsonEdit_Replace(edit, snJson_Member(json, buffer, "byteLength"),
                           (const char *)length.data, length.size);
    } else {
        snBytes_Format(&length, "{\"byteLength\":%zu}", writer->glb.bin.size);
        snJsonEdit_Append(edit, snJsonEdit_Open(edit, snJsonEdit_Root(), "buffers", SN_JSON_ARRAY),
                          (const char *)length.data, length.size);
    }
    if (length.failed) writer->glb.bin.failed = true;
    snBytes_Destroy(&length);
}

static snStatus finish(snSoftWriter *writer, snBytes *out)
{
    const snGltfDocument *document = &writer->document;
    snBytes text = snMakeBytesFrom(&writer->arena->allocator);
    if (writer->glb.accessors.failed || writer->glb.views.failed || writer->glb.bin.failed)
        return snFailMemory(writer->error);
    finishLists(writer);
    snStatus status = snJsonEdit_Write(&writer->edit, &text, writer->error);
    size_t others = document->chunksSize >= 8 ? document->chunksSize : 0;
    if (!status)
        status =
            snGlb_Assemble(out, &text, &writer->glb.bin, document->chunks, others, writer->error);
    snBytes_Destroy(&text);
    return status;
}

static snStatus build(snSoftWriter *writer, snBytes *out)
{
    snStatus status = check(writer);
    if (status) return status;
    writer->edit = snMakeJsonEdit(&writer->document.json, writer->arena);
    writer->glb.firstView = snJson_Count(writer->document.bufferViews);
    writer->glb.firstAccessor = snJson_Count(writer->document.accessors);
    status = snSoft_Embed(writer);
    if (!status && writer->bones) status = snSoft_AddBones(writer);
    for (int m = 0; m < writer->meshCount && !status; m++)
        status = snSoft_AddTargets(writer, m);
    if (!status) status = snSoft_WidenClips(writer);
    if (!status) status = snSoft_AddClips(writer);
    if (!status) status = snSoft_AddPlain(writer);
    return status ? status : finish(writer, out);
}

static snStatus write(snSoftWriter *writer, const snGltfSource *original, snBytes *out,
                      const snContext *context)
{
    snArena arena = snMakeArena(context);
    writer->arena = &arena;
    writer->glb = snMakeGlbBuilder(&context->allocator);
    snStatus status = snGltf_Open(&writer->document, original, context, &arena, writer->error);
    if (!status) status = build(writer, out);
    snGlbBuilder_Destroy(&writer->glb);
    snArena_Destroy(&arena);
    return status;
}

// The same for a file in which they have a mesh each.
static snStatus writeSplit(snSoftWriter *writer, const snGltfSource *original, snBytes *out,
                           const snContext *context)
{
    snArena arena = snMakeArena(context);
    snBytes split = snMakeBytes(context);
    snSoftMesh *meshes = SN_COPY(&arena, snSoftMesh, writer->meshes, writer->meshCount);
    snStatus status = meshes ? SN_OK : snFailMemory(writer->error);
    if (!status)
        status = snSoft_Split(original, meshes, writer->meshCount, &split, context, writer->error);
    snGltfSource source = *original;
    source.bytes = split.data;
    source.size = split.size;
    writer->meshes = meshes;
    if (!status) status = write(writer, &source, out, context);
    snBytes_Destroy(&split);
    snArena_Destroy(&arena);
    return status;
}

snStatus snGltf_AddSoft(const snGltfSource *original, const snSoftMesh *meshes, int meshCount,
                        const snSoftClip *clips, int clipCount, snBytes *out,
                        const snContext *context, snError *error)
{
    snSoftWriter writer = {.meshes = meshes,
                           .meshCount = meshCount,
                           .clips = clips,
                           .clipCount = clipCount,
                           .error = error};
    return snSoft_IsShared(meshes, meshCount) ? writeSplit(&writer, original, out, context)
                                              : write(&writer, original, out, context);
}

snStatus snGltf_AddBones(const snGltfSource *original, const snAddedBones *bones,
                         const snSoftClip *clips, int clipCount, snBytes *out,
                         const snContext *context, snError *error)
{
    snSoftWriter writer = {.bones = bones, .clips = clips, .clipCount = clipCount, .error = error};
    return write(&writer, original, out, context);
}

snStatus snGltf_AddClips(const snGltfSource *original, const snCharacter *character,
                         const snClip *clips, int clipCount, snBytes *out, const snContext *context,
                         snError *error)
{
    snSoftWriter writer = {
        .character = character, .plain = clips, .plainCount = clipCount, .error = error};
    return write(&writer, original, out, context);
}
