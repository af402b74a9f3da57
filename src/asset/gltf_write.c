// A fresh .glb of a character. JSON lists and binary data grow side by side: every array that is
// written becomes a bufferView and an accessor, and its number goes into the JSON that refers to it.
#include "asset/gltf.h"

#include "asset/gltf_glb.h"
#include "asset/json_write.h"

#include <string.h>

enum { UBYTE = 5121, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

// A run of parts that become the primitives of one mesh on one node.
typedef struct {
    int first, count; // parts
    int node;         // in the file: the joint's, or a helper's
    int parent;       // of a helper; -1: a root
} Group;

typedef struct {
    const snCharacter *character;
    snGlbBuilder glb;
    snArena arena;
    int groupCount;
    Group *groups;
    int nodeCount; // joints, and helpers behind them
    int *timesOf;  // accessor of a channel's times, found by an equal pointer; scratch per clip
} Writer;

// ---- groups and nodes ----

static bool sameGroup(const snPart *a, const snPart *b)
{
    return a->node == b->node && a->mesh == b->mesh && a->skin == b->skin;
}

static bool isSkinJoint(const snCharacter *character, const snPart *part)
{
    if (part->skin < 0) return false;
    const snSkin *skin = &character->skins[part->skin];
    for (int i = 0; i < skin->jointCount; i++)
        if (skin->joints[i] == part->node) return true;
    return false;
}

// A node carries one mesh: the second group on a joint gets a helper node of its own below it.
// Skinned meshes do not follow their node, and readers warn where it moves: on a joint of their own
// skin they get a helper too, a root.
static snStatus makeGroups(Writer *writer, snError *error)
{
    const snCharacter *character = writer->character;
    writer->groups = SN_NEW(&writer->arena, Group, character->partCount);
    unsigned char *taken = SN_NEW(&writer->arena, unsigned char, character->skeleton.jointCount);
    if (!writer->groups || !taken) return snFailMemory(error);
    writer->nodeCount = character->skeleton.jointCount;
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        if (p > 0 && sameGroup(part, part - 1)) {
            writer->groups[writer->groupCount - 1].count++;
            continue;
        }
        bool helper = taken[part->node] || isSkinJoint(character, part);
        if (!helper) taken[part->node] = 1;
        writer->groups[writer->groupCount++] =
            (Group){.first = p,
                    .count = 1,
                    .node = helper ? writer->nodeCount++ : part->node,
                    .parent = part->skin >= 0 ? -1 : part->node};
    }
    return SN_OK;
}

// Helpers are numbered behind the joints.
static int parentOf(const Writer *writer, int node)
{
    const snSkeleton *skeleton = &writer->character->skeleton;
    if (node < skeleton->jointCount) return skeleton->joints[node].parent;
    for (int g = 0; g < writer->groupCount; g++)
        if (writer->groups[g].node == node) return writer->groups[g].parent;
    return -1;
}

static void writeGroupReference(Writer *writer, snJsonWriter *json, int node)
{
    for (int g = 0; g < writer->groupCount; g++) {
        if (writer->groups[g].node != node) continue;
        int skin = writer->character->parts[writer->groups[g].first].skin;
        snJsonWriter_PutInt(json, "mesh", g);
        if (skin >= 0) snJsonWriter_PutInt(json, "skin", skin);
    }
}

static void putVec(snJsonWriter *json, const char *key, snVec3 v, double usual)
{
    double values[3] = {v.x, v.y, v.z};
    if (v.x != usual || v.y != usual || v.z != usual) snJsonWriter_PutDoubles(json, key, values, 3);
}

static void writeTransform(snJsonWriter *json, const snJoint *joint)
{
    if (joint->hasMatrix) {
        snMat3 m = joint->matrix.linear;
        snVec3 o = joint->matrix.origin;
        double values[16] = {m.cx.x, m.cx.y, m.cx.z, 0, m.cy.x, m.cy.y, m.cy.z, 0,
                             m.cz.x, m.cz.y, m.cz.z, 0, o.x,    o.y,    o.z,    1};
        snJsonWriter_PutDoubles(json, "matrix", values, 16);
        return;
    }
    snQuat q = snNormalizeQ(joint->rest.rotation);
    double rotation[4] = {q.x, q.y, q.z, q.w};
    putVec(json, "translation", joint->rest.translation, 0);
    if (q.w != 1) snJsonWriter_PutDoubles(json, "rotation", rotation, 4);
    putVec(json, "scale", joint->rest.scale, 1);
}

// A member that lists all nodes below `parent` (-1: the roots), if there are any.
static void writeNodesBelow(const Writer *writer, snJsonWriter *json, const char *key, int parent)
{
    bool open = false;
    for (int n = 0; n < writer->nodeCount; n++) {
        if (parentOf(writer, n) != parent) continue;
        if (!open) {
            snJsonWriter_Key(json, key);
            snJsonWriter_BeginLine(json);
            open = true;
        }
        snJsonWriter_Int(json, n);
    }
    if (open) snJsonWriter_EndArray(json);
}

static void writeNodes(Writer *writer, snJsonWriter *json)
{
    const snSkeleton *skeleton = &writer->character->skeleton;
    snJsonWriter_Key(json, "nodes");
    snJsonWriter_BeginArray(json);
    for (int n = 0; n < writer->nodeCount; n++) {
        snJsonWriter_BeginObject(json);
        if (n < skeleton->jointCount) {
            if (skeleton->joints[n].name[0])
                snJsonWriter_PutString(json, "name", skeleton->joints[n].name);
            writeTransform(json, &skeleton->joints[n]);
            writeNodesBelow(writer, json, "children", n);
        }
        writeGroupReference(writer, json, n);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_EndArray(json);
}

static void writeScene(const Writer *writer, snJsonWriter *json)
{
    snJsonWriter_PutInt(json, "scene", 0);
    snJsonWriter_Key(json, "scenes");
    snJsonWriter_BeginArray(json);
    snJsonWriter_BeginObject(json);
    writeNodesBelow(writer, json, "nodes", -1);
    snJsonWriter_EndObject(json);
    snJsonWriter_EndArray(json);
}

// ---- meshes ----

static void putVectors(Writer *writer, snJsonWriter *json, const char *key, const snVec3f *values,
                       int count, bool bounds)
{
    snJsonWriter_PutInt(json, key,
                        snGlbBuilder_Floats(&writer->glb, &values->x, count, 3,
                                            SN_GLB_ATTRIBUTE | (bounds ? SN_GLB_BOUNDS : 0u)));
}

// Normals that are zero (or anything but unit length) are refused by strict readers.
static void putNormals(Writer *writer, snJsonWriter *json, const snPart *part)
{
    snVec3f *unit = SN_NEW(&writer->arena, snVec3f, part->vertexCount);
    if (!unit) {
        writer->glb.bin.failed = true;
        return;
    }
    for (int v = 0; v < part->vertexCount; v++)
        unit[v] = snToF(snNormalizeOr(snFromF(part->normals[v]), snVec(0, 1, 0)));
    putVectors(writer, json, "NORMAL", unit, part->vertexCount, false);
}

// One set of four influences: joints as bytes or shorts.
static void putInfluences(Writer *writer, snJsonWriter *json, const snPart *part, int set)
{
    const snSkin *skin = &writer->character->skins[part->skin];
    bool wide = skin->jointCount > 256;
    char key[16] = "JOINTS_0";
    key[7] = (char)('0' + set);
    snGlbBuilder *glb = &writer->glb;
    snGlbBuilder_Begin(glb);
    for (int v = 0; v < part->vertexCount; v++)
        for (int i = 0; i < 4; i++) {
            int at = v * part->influences + 4 * set + i;
            int joint = part->weights[at] > 0 ? part->joints[at] : 0;
            if (wide)
                snBytes_AppendU16(&glb->bin, (uint16_t)joint);
            else
                snBytes_AppendByte(&glb->bin, (uint8_t)joint);
        }
    snJsonWriter_PutInt(
        json, key,
        snGlbBuilder_End(glb, part->vertexCount, 4, wide ? USHORT : UBYTE, SN_GLB_ATTRIBUTE, NULL));
    snGlbBuilder_Begin(glb);
    for (int v = 0; v < part->vertexCount; v++)
        snBytes_AppendF32s(&glb->bin, part->weights + v * part->influences + 4 * set, 4);
    char weightsKey[16] = "WEIGHTS_0";
    weightsKey[8] = (char)('0' + set);
    snJsonWriter_PutInt(json, weightsKey,
                        snGlbBuilder_End(glb, part->vertexCount, 4, FLOAT, SN_GLB_ATTRIBUTE, NULL));
}

static void writeAttributes(Writer *writer, snJsonWriter *json, const snPart *part)
{
    snGlbBuilder *glb = &writer->glb;
    int count = part->vertexCount;
    snJsonWriter_Key(json, "attributes");
    snJsonWriter_BeginObject(json);
    putVectors(writer, json, "POSITION", part->positions, count, true);
    if (part->normals) putNormals(writer, json, part);
    if (part->uv)
        snJsonWriter_PutInt(json, "TEXCOORD_0",
                            snGlbBuilder_Floats(glb, part->uv, count, 2, SN_GLB_ATTRIBUTE));
    if (part->colors)
        snJsonWriter_PutInt(json, "COLOR_0",
                            snGlbBuilder_Floats(glb, part->colors, count, 4, SN_GLB_ATTRIBUTE));
    for (int i = 0; i < part->attributeCount; i++)
        snJsonWriter_PutInt(json, part->attributes[i].name,
                            snGlbBuilder_Floats(glb, part->attributes[i].values, count,
                                                part->attributes[i].width, SN_GLB_ATTRIBUTE));
    for (int set = 0; part->skin >= 0 && 4 * set < part->influences; set++)
        putInfluences(writer, json, part, set);
    snJsonWriter_EndObject(json);
}

static void writeIndices(Writer *writer, snJsonWriter *json, const snPart *part)
{
    bool wide = part->vertexCount > 65535; // 65535 itself would be the restart value
    snGlbBuilder *glb = &writer->glb;
    snGlbBuilder_Begin(glb);
    for (int i = 0; i < 3 * part->triangleCount; i++) {
        if (wide)
            snBytes_AppendU32(&glb->bin, (uint32_t)part->triangles[i]);
        else
            snBytes_AppendU16(&glb->bin, (uint16_t)part->triangles[i]);
    }
    snJsonWriter_PutInt(json, "indices",
                        snGlbBuilder_End(glb, 3 * part->triangleCount, 1, wide ? UINT : USHORT,
                                         SN_GLB_INDICES, NULL));
}

static void writeTargets(Writer *writer, snJsonWriter *json, const snPart *part)
{
    if (part->targetCount == 0) return;
    snJsonWriter_Key(json, "targets");
    snJsonWriter_BeginArray(json);
    for (int t = 0; t < part->targetCount; t++) {
        snJsonWriter_BeginObject(json);
        putVectors(writer, json, "POSITION", part->targets[t], part->vertexCount, true);
        if (part->normals && part->targetNormals && part->targetNormals[t])
            putVectors(writer, json, "NORMAL", part->targetNormals[t], part->vertexCount, false);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_EndArray(json);
}

static void writeMesh(Writer *writer, snJsonWriter *json, const Group *group)
{
    const snPart *parts = writer->character->parts + group->first;
    snJsonWriter_BeginObject(json);
    if (parts->name && parts->name[0]) snJsonWriter_PutString(json, "name", parts->name);
    snJsonWriter_Key(json, "primitives");
    snJsonWriter_BeginArray(json);
    for (int p = 0; p < group->count; p++) {
        snJsonWriter_BeginObject(json);
        writeAttributes(writer, json, &parts[p]);
        writeIndices(writer, json, &parts[p]);
        if (parts[p].material >= 0) snJsonWriter_PutInt(json, "material", parts[p].material);
        writeTargets(writer, json, &parts[p]);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_EndArray(json);
    if (parts->targetCount)
        snJsonWriter_PutDoubles(json, "weights", writer->character->restMorphs + parts->firstMorph,
                                parts->targetCount);
    snJsonWriter_EndObject(json);
}

static void writeMeshes(Writer *writer, snJsonWriter *json)
{
    if (writer->groupCount == 0) return;
    snJsonWriter_Key(json, "meshes");
    snJsonWriter_BeginArray(json);
    for (int g = 0; g < writer->groupCount; g++)
        writeMesh(writer, json, &writer->groups[g]);
    snJsonWriter_EndArray(json);
}

// ---- pictures, materials and skins ----

static const char *mimeTypeOf(const snTexture *image)
{
    bool png = image->size > 4 && !memcmp(image->bytes, "\x89PNG", 4);
    bool jpeg = image->size > 4 && !memcmp(image->bytes, "\xFF\xD8\xFF", 3);
    return png ? "image/png" : jpeg ? "image/jpeg" : NULL;
}

// The texture of a material's picture: textures are numbered like the pictures that are written,
// those with bytes of a kind that glTF embeds.
static int textureOf(const snCharacter *character, const snTexture *image)
{
    int number = 0;
    for (int i = 0; i < character->imageCount; i++) {
        const snTexture *other = &character->images[i];
        bool written = other->bytes && mimeTypeOf(other);
        if (other == image) return written ? number : -1;
        number += written;
    }
    return -1;
}

static void writeImages(Writer *writer, snJsonWriter *json)
{
    const snCharacter *character = writer->character;
    int count = 0;
    for (int i = 0; i < character->imageCount; i++) {
        const snTexture *image = &character->images[i];
        if (textureOf(character, image) < 0) continue;
        if (count++ == 0) {
            snJsonWriter_Key(json, "images");
            snJsonWriter_BeginArray(json);
        }
        snJsonWriter_BeginObject(json);
        if (image->name && image->name[0]) snJsonWriter_PutString(json, "name", image->name);
        snJsonWriter_PutInt(json, "bufferView",
                            snGlbBuilder_Raw(&writer->glb, image->bytes, image->size));
        snJsonWriter_PutString(json, "mimeType", mimeTypeOf(image));
        snJsonWriter_EndObject(json);
    }
    if (count == 0) return;
    snJsonWriter_EndArray(json);
    snJsonWriter_Key(json, "textures");
    snJsonWriter_BeginArray(json);
    for (int i = 0; i < count; i++) {
        snJsonWriter_BeginObject(json);
        snJsonWriter_PutInt(json, "source", i);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_EndArray(json);
}

static void writeMaterial(const snCharacter *character, snJsonWriter *json,
                          const snMaterialLook *look)
{
    int texture = textureOf(character, look->image);
    snJsonWriter_BeginObject(json);
    if (look->name && look->name[0]) snJsonWriter_PutString(json, "name", look->name);
    snJsonWriter_Key(json, "pbrMetallicRoughness");
    snJsonWriter_BeginObject(json);
    snJsonWriter_PutFloats(json, "baseColorFactor", look->color, 4);
    if (texture >= 0) {
        snJsonWriter_Key(json, "baseColorTexture");
        snJsonWriter_BeginObject(json);
        snJsonWriter_PutInt(json, "index", texture);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_PutInt(json, "metallicFactor", 0);
    snJsonWriter_PutDouble(json, "roughnessFactor", 0.8);
    snJsonWriter_EndObject(json);
    if (look->doubleSided) snJsonWriter_PutBool(json, "doubleSided", true);
    snJsonWriter_EndObject(json);
}

static void writeMaterials(const Writer *writer, snJsonWriter *json)
{
    const snCharacter *character = writer->character;
    if (character->materialCount == 0) return;
    snJsonWriter_Key(json, "materials");
    snJsonWriter_BeginArray(json);
    for (int m = 0; m < character->materialCount; m++)
        writeMaterial(character, json, &character->materials[m]);
    snJsonWriter_EndArray(json);
}

static int putInverseBinds(Writer *writer, const snSkin *skin)
{
    snGlbBuilder_Begin(&writer->glb);
    for (int i = 0; i < skin->jointCount; i++) {
        snAffine a = skin->inverseBind[i];
        snVec3 columns[4] = {a.linear.cx, a.linear.cy, a.linear.cz, a.origin};
        for (int c = 0; c < 4; c++) {
            snVec3f column = snToF(columns[c]);
            snBytes_AppendF32s(&writer->glb.bin, &column.x, 3);
            snBytes_AppendF32(&writer->glb.bin, c == 3 ? 1.0f : 0.0f);
        }
    }
    return snGlbBuilder_End(&writer->glb, skin->jointCount, 16, FLOAT, 0, NULL);
}

static void writeSkins(Writer *writer, snJsonWriter *json)
{
    const snCharacter *character = writer->character;
    if (character->skinCount == 0) return;
    snJsonWriter_Key(json, "skins");
    snJsonWriter_BeginArray(json);
    for (int s = 0; s < character->skinCount; s++) {
        const snSkin *skin = &character->skins[s];
        snJsonWriter_BeginObject(json);
        if (skin->name && skin->name[0]) snJsonWriter_PutString(json, "name", skin->name);
        snJsonWriter_PutInt(json, "inverseBindMatrices", putInverseBinds(writer, skin));
        snJsonWriter_Key(json, "joints");
        snJsonWriter_BeginLine(json);
        for (int i = 0; i < skin->jointCount; i++)
            snJsonWriter_Int(json, skin->joints[i]);
        snJsonWriter_EndArray(json);
        snJsonWriter_EndObject(json);
    }
    snJsonWriter_EndArray(json);
}

// ---- clips ----

// The node that a channel moves: for weights, that of the group whose morphs they are.
static int targetNode(const Writer *writer, const snChannel *channel)
{
    if (channel->path != SN_PATH_MORPHS) return channel->joint;
    for (int g = 0; g < writer->groupCount; g++) {
        const snPart *part = &writer->character->parts[writer->groups[g].first];
        if (part->targetCount && part->firstMorph == channel->joint) return writer->groups[g].node;
    }
    return -1;
}

static bool isWritten(const Writer *writer, const snChannel *channel)
{
    return channel->keyCount > 0 && targetNode(writer, channel) >= 0;
}

// Channels that share their times in memory share them in the file.
static int putTimes(Writer *writer, const snClip *clip, int c)
{
    const snChannel *channel = &clip->channels[c];
    for (int i = 0; i < c; i++)
        if (clip->channels[i].times == channel->times &&
            clip->channels[i].keyCount == channel->keyCount && writer->timesOf[i] >= 0)
            return writer->timesOf[c] = writer->timesOf[i];
    return writer->timesOf[c] = snGlbBuilder_Floats(&writer->glb, channel->times, channel->keyCount,
                                                    1, SN_GLB_BOUNDS);
}

static void writeSampler(Writer *writer, snJsonWriter *json, const snClip *clip, int c)
{
    static const char *const names[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    const snChannel *channel = &clip->channels[c];
    int perKey = channel->interpolation == SN_CUBIC ? 3 : 1;
    bool morphs = channel->path == SN_PATH_MORPHS;
    int count = channel->keyCount * perKey * (morphs ? channel->width : 1);
    snJsonWriter_BeginObject(json);
    snJsonWriter_PutInt(json, "input", putTimes(writer, clip, c));
    snJsonWriter_PutInt(
        json, "output",
        snGlbBuilder_Floats(&writer->glb, channel->values, count, morphs ? 1 : channel->width, 0));
    snJsonWriter_PutString(json, "interpolation", names[channel->interpolation]);
    snJsonWriter_EndObject(json);
}

static void writeChannel(const Writer *writer, snJsonWriter *json, const snChannel *channel,
                         int sampler)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    snJsonWriter_BeginObject(json);
    snJsonWriter_PutInt(json, "sampler", sampler);
    snJsonWriter_Key(json, "target");
    snJsonWriter_BeginObject(json);
    snJsonWriter_PutInt(json, "node", targetNode(writer, channel));
    snJsonWriter_PutString(json, "path", paths[channel->path]);
    snJsonWriter_EndObject(json);
    snJsonWriter_EndObject(json);
}

static void writeClip(Writer *writer, snJsonWriter *json, const snClip *clip)
{
    snJsonWriter_BeginObject(json);
    if (clip->name && clip->name[0]) snJsonWriter_PutString(json, "name", clip->name);
    snJsonWriter_Key(json, "samplers");
    snJsonWriter_BeginArray(json);
    for (int c = 0; c < clip->channelCount; c++) {
        writer->timesOf[c] = -1;
        if (isWritten(writer, &clip->channels[c])) writeSampler(writer, json, clip, c);
    }
    snJsonWriter_EndArray(json);
    snJsonWriter_Key(json, "channels");
    snJsonWriter_BeginArray(json);
    for (int c = 0, sampler = 0; c < clip->channelCount; c++)
        if (isWritten(writer, &clip->channels[c]))
            writeChannel(writer, json, &clip->channels[c], sampler++);
    snJsonWriter_EndArray(json);
    snJsonWriter_EndObject(json);
}

static int writtenChannels(const Writer *writer, const snClip *clip)
{
    int count = 0;
    for (int c = 0; c < clip->channelCount; c++)
        count += isWritten(writer, &clip->channels[c]);
    return count;
}

// glTF has no animation without channels: such clips are left out.
static void writeClips(Writer *writer, snJsonWriter *json)
{
    const snCharacter *character = writer->character;
    bool open = false;
    for (int c = 0; c < character->clipCount; c++) {
        if (writtenChannels(writer, &character->clips[c]) == 0) continue;
        if (!open) {
            snJsonWriter_Key(json, "animations");
            snJsonWriter_BeginArray(json);
            open = true;
        }
        writeClip(writer, json, &character->clips[c]);
    }
    if (open) snJsonWriter_EndArray(json);
}

// ---- the file ----

// What code hands over may be wrong too: a part that glTF cannot hold is refused.
static snStatus checkPart(const snCharacter *character, int p, snError *error)
{
    const snPart *part = &character->parts[p];
    if (part->vertexCount < 1 || part->triangleCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "part %d has %d vertices and %d triangles", p,
                      part->vertexCount, part->triangleCount);
    if (part->node < 0 || part->node >= character->skeleton.jointCount)
        return snFail(error, SN_ERROR_ARGUMENT, "part %d is carried by joint %d of %d", p,
                      part->node, character->skeleton.jointCount);
    if (part->skin >= character->skinCount || part->material >= character->materialCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "part %d refers to skin %d of %d, material %d of %d", p, part->skin,
                      character->skinCount, part->material, character->materialCount);
    for (int v = 0; v < part->vertexCount; v++)
        if (!snIsFinite3(snFromF(part->positions[v])))
            return snFail(error, SN_ERROR_ARGUMENT, "part %d: vertex %d is not finite", p, v);
    return SN_OK;
}

static snStatus prepare(Writer *writer, snError *error)
{
    const snCharacter *character = writer->character;
    for (int p = 0; p < character->partCount; p++) {
        snStatus status = checkPart(character, p, error);
        if (status) return status;
    }
    int most = 0;
    for (int c = 0; c < character->clipCount; c++)
        if (character->clips[c].channelCount > most) most = character->clips[c].channelCount;
    writer->timesOf = SN_NEW(&writer->arena, int, most);
    if (!writer->timesOf) return snFailMemory(error);
    return makeGroups(writer, error);
}

static void writeDocument(Writer *writer, snBytes *text)
{
    snJsonWriter json = snMakeJsonWriter(text, false);
    snJsonWriter_BeginObject(&json);
    snJsonWriter_Key(&json, "asset");
    snJsonWriter_BeginObject(&json);
    snJsonWriter_PutString(&json, "version", "2.0");
    snJsonWriter_PutString(&json, "generator", "Sinew");
    snJsonWriter_EndObject(&json);
    writeScene(writer, &json);
    writeNodes(writer, &json);
    writeMeshes(writer, &json);
    writeImages(writer, &json);
    writeMaterials(writer, &json);
    writeSkins(writer, &json);
    writeClips(writer, &json);
    snGlbBuilder_WriteLists(&writer->glb, &json);
    snJsonWriter_EndObject(&json);
}

snStatus snGlb_FromCharacter(const snCharacter *character, snBytes *out, snError *error)
{
    Writer writer = {.character = character,
                     .glb = snMakeGlbBuilder(&out->allocator),
                     .arena = {.allocator = out->allocator}};
    snBytes text = snMakeBytesFrom(&out->allocator);
    snStatus status = prepare(&writer, error);
    if (!status) {
        writeDocument(&writer, &text);
        status = snGlb_Assemble(out, &text, &writer.glb.bin, NULL, 0, error);
    }
    snBytes_Destroy(&text);
    snGlbBuilder_Destroy(&writer.glb);
    snArena_Destroy(&writer.arena);
    return status;
}
