// Bones added to a file: nodes below nodes that are there, joints behind a skin's own, influences of
// primitives anew, and the channels that move the bones.
#include "asset/gltf_soft.h"

#include <stdio.h>
#include <string.h>

#define UNSIGNED_SHORT 5123

// ---- nodes ----

static snStatus addNodes(snSoftWriter *writer)
{
    const snAddedBones *bones = writer->bones;
    const snJson *json = &writer->document.json;
    int count = snJson_Count(writer->document.nodes);
    writer->firstBone = count;
    snJsonSpot list = snJsonEdit_Open(&writer->edit, snJsonEdit_Root(), "nodes", SN_JSON_ARRAY);
    for (int i = 0; i < bones->boneCount; i++) {
        const snAddedBone *bone = &bones->bones[i];
        double rest[3] = {bone->rest.x, bone->rest.y, bone->rest.z};
        if (bone->parent < 0 || bone->parent >= count)
            return snFail(writer->error, SN_ERROR_ARGUMENT, "bone %d: the file has no node %d", i,
                          bone->parent);
        snBytes text = snMakeBytesFrom(&writer->arena->allocator);
        snJsonWriter out = snMakeJsonWriter(&text, false);
        snJsonWriter_BeginObject(&out);
        snJsonWriter_PutString(&out, "name", bone->name);
        snJsonWriter_PutDoubles(&out, "translation", rest, 3);
        snJsonWriter_EndObject(&out);
        snStatus status = snBytes_Check(&text, writer->error);
        if (!status) snJsonEdit_Append(&writer->edit, list, (const char *)text.data, text.size);
        snBytes_Destroy(&text);
        if (status) return status;
        char number[16];
        int length = snprintf(number, sizeof number, "%d", count + i);
        snJsonSpot parent =
            snJsonEdit_Spot(json, snJson_At(json, writer->document.nodes, bone->parent));
        snJsonEdit_Append(&writer->edit,
                          snJsonEdit_Open(&writer->edit, parent, "children", SN_JSON_ARRAY), number,
                          (size_t)length);
    }
    return SN_OK;
}

// ---- skins ----

static void putMatrix(snBytes *bin, const snAffine *a)
{
    const snVec3 columns[4] = {a->linear.cx, a->linear.cy, a->linear.cz, a->origin};
    for (int c = 0; c < 4; c++) {
        snBytes_AppendF32(bin, (float)columns[c].x);
        snBytes_AppendF32(bin, (float)columns[c].y);
        snBytes_AppendF32(bin, (float)columns[c].z);
        snBytes_AppendF32(bin, c == 3 ? 1.0f : 0.0f);
    }
}

static snStatus growSkin(snSoftWriter *writer, const snAddedSkin *skin)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *object = snJson_At(json, writer->document.skins, skin->skin);
    if (snJson_Count(snJson_Member(json, object, "joints")) != skin->jointCount)
        return snFail(writer->error, SN_ERROR_ARGUMENT,
                      "skin %d of the file does not have %d joints", skin->skin, skin->jointCount);
    int count = skin->jointCount + skin->boneCount;
    char number[16];
    snGlbBuilder_Begin(&writer->glb);
    for (int i = 0; i < count; i++)
        putMatrix(&writer->glb.bin, &skin->inverseBind[i]);
    int accessor = snGlbBuilder_End(&writer->glb, count, 16, 5126, 0, NULL);
    snJsonSpot spot = snJsonEdit_Spot(json, object);
    snJsonSpot joints = snJsonEdit_Open(&writer->edit, spot, "joints", SN_JSON_ARRAY);
    for (int i = 0; i < skin->boneCount; i++) {
        int length = snprintf(number, sizeof number, "%d", writer->firstBone + skin->bones[i]);
        snJsonEdit_Append(&writer->edit, joints, number, (size_t)length);
    }
    int length = snprintf(number, sizeof number, "%d", accessor);
    snJsonEdit_Put(&writer->edit, spot, "inverseBindMatrices", number, (size_t)length);
    return SN_OK;
}

// ---- influences ----

// Four influences of every vertex, from `first` on.
static int putJoints(snSoftWriter *writer, const snAddedWeights *part, int first)
{
    snGlbBuilder_Begin(&writer->glb);
    for (int v = 0; v < part->vertexCount; v++)
        for (int i = first; i < first + 4; i++)
            snBytes_AppendU16(&writer->glb.bin, (uint16_t)part->joints[v * part->influences + i]);
    return snGlbBuilder_End(&writer->glb, part->vertexCount, 4, UNSIGNED_SHORT, SN_GLB_ATTRIBUTE,
                            NULL);
}

static int putWeights(snSoftWriter *writer, const snAddedWeights *part, int first)
{
    snGlbBuilder_Begin(&writer->glb);
    for (int v = 0; v < part->vertexCount; v++)
        snBytes_AppendF32s(&writer->glb.bin,
                           part->weights + (size_t)v * (size_t)part->influences + first, 4);
    return snGlbBuilder_End(&writer->glb, part->vertexCount, 4, 5126, SN_GLB_ATTRIBUTE, NULL);
}

static snStatus setInfluences(snSoftWriter *writer, const snAddedWeights *part)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *mesh = snJson_At(json, writer->document.meshes, part->mesh);
    const snJsonNode *primitive =
        snJson_At(json, snJson_Member(json, mesh, "primitives"), part->primitive);
    const snJsonNode *attributes = snJson_Member(json, primitive, "attributes");
    const snJsonNode *position = snJson_Member(json, attributes, "POSITION");
    snGltfAccessor accessor = {0};
    if (position) {
        snStatus status =
            snGltf_OpenAccessor(&writer->document, position, &accessor, writer->error);
        if (status) return status;
    }
    if (accessor.count != part->vertexCount || part->vertexCount < 1)
        return snFail(writer->error, SN_ERROR_ARGUMENT,
                      "influences for %d vertices of mesh %d, where there are %d",
                      part->vertexCount, part->mesh, accessor.count);
    snJsonSpot spot = snJsonEdit_Spot(json, attributes);
    for (int set = 0; set < part->influences / 4; set++) {
        char key[32], number[16];
        int length = snprintf(number, sizeof number, "%d", putJoints(writer, part, 4 * set));
        snprintf(key, sizeof key, "JOINTS_%d", set);
        snJsonEdit_Put(&writer->edit, spot, key, number, (size_t)length);
        length = snprintf(number, sizeof number, "%d", putWeights(writer, part, 4 * set));
        snprintf(key, sizeof key, "WEIGHTS_%d", set);
        snJsonEdit_Put(&writer->edit, spot, key, number, (size_t)length);
    }
    return SN_OK;
}

snStatus snSoft_AddBones(snSoftWriter *writer)
{
    const snAddedBones *bones = writer->bones;
    if (bones->boneCount == 0) return SN_OK;
    snStatus status = addNodes(writer);
    for (int i = 0; i < bones->skinCount && !status; i++)
        status = growSkin(writer, &bones->skins[i]);
    for (int i = 0; i < bones->partCount && !status; i++)
        status = setInfluences(writer, &bones->parts[i]);
    return status;
}

// ---- channels ----

static void addChannel(const snChannelLists *lists, int times, int output, int node,
                       const char *path)
{
    int sampler = (*lists->samplerCount)++;
    if (sampler > 0) snBytes_AppendByte(lists->samplers, ',');
    snBytes_Format(lists->samplers, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
                   times, output);
    if ((*lists->channelCount)++ > 0) snBytes_AppendByte(lists->channels, ',');
    snBytes_Format(lists->channels, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                   sampler, node, path);
}

void snSoft_AddBoneChannels(snSoftWriter *writer, const snSoftClip *clip, int times,
                            const snChannelLists *lists)
{
    snGlbBuilder *glb = &writer->glb;
    int count = writer->bones->boneCount;
    for (int b = 0; b < count; b++) {
        snGlbBuilder_Begin(glb);
        for (int f = 0; f < clip->frameCount; f++) {
            snVec3f t = snToF(clip->bones[f * count + b].translation);
            snBytes_AppendF32s(&glb->bin, &t.x, 3);
        }
        int output = snGlbBuilder_End(glb, clip->frameCount, 3, 5126, 0, NULL);
        addChannel(lists, times, output, writer->firstBone + b, "translation");
        snGlbBuilder_Begin(glb);
        for (int f = 0; f < clip->frameCount; f++) {
            snQuat q = clip->bones[f * count + b].rotation;
            float values[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
            snBytes_AppendF32s(&glb->bin, values, 4);
        }
        output = snGlbBuilder_End(glb, clip->frameCount, 4, 5126, 0, NULL);
        addChannel(lists, times, output, writer->firstBone + b, "rotation");
    }
}
