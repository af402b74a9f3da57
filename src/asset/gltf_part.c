// Parts: every node with a mesh, times the mesh's primitives. The data of a mesh are read once and
// shared by all nodes that carry it.
#include "asset/gltf_reader.h"

#include <limits.h>

// Beyond this a file is not a character but an attack (nodes times primitives).
#define MAX_PARTS 65536
#define MAX_VERTICES (1 << 27)

typedef struct {
    bool read;
    int primitiveCount;
    snPart *primitives; // those without triangles have triangleCount 0
    int targetCount;
    const snJsonNode *weights; // defaults, or NULL
    const char *name;
} Mesh;

typedef struct {
    snGltfReader *reader;
    Mesh *meshes;
    int partCapacity;
    int morphCapacity;
    snError *error;
} Builder;

// ---- meshes ----

static snStatus readPrimitives(Builder *builder, const snJsonNode *list, Mesh *mesh)
{
    snGltfReader *reader = builder->reader;
    const snJson *json = &reader->document.json;
    mesh->primitiveCount = snJson_Count(list);
    mesh->primitives = SN_NEW(reader->document.arena, snPart, mesh->primitiveCount);
    if (!mesh->primitives) return snFailMemory(builder->error);
    bool first = true;
    for (int i = 0; i < mesh->primitiveCount; i++) {
        snPart *part = &mesh->primitives[i];
        snStatus status =
            snGltf_ReadPrimitive(reader, snJson_At(json, list, i), part, builder->error);
        if (status) return status;
        part->primitive = i;
        part->primitivesOfMesh = mesh->primitiveCount;
        if (part->triangleCount == 0) continue;
        if (first) mesh->targetCount = part->targetCount;
        first = false;
        if (part->targetCount != mesh->targetCount)
            return snJson_Fail(json, snJson_At(json, list, i), builder->error, SN_ERROR_FORMAT,
                               "%d morph targets, where other primitives of the mesh have %d",
                               part->targetCount, mesh->targetCount);
    }
    return SN_OK;
}

static snStatus readMesh(Builder *builder, const snJsonNode *object, Mesh *mesh)
{
    snGltfReader *reader = builder->reader;
    const snJson *json = &reader->document.json;
    const snJsonNode *list;
    mesh->name = "";
    mesh->read = true;
    snStatus status = snJson_ReadString(json, object, "name", &reader->character->arena,
                                        &mesh->name, builder->error);
    if (!status)
        status = snJson_ReadNode(json, object, "primitives", SN_JSON_ARRAY, &list, builder->error);
    if (!status)
        status =
            snJson_ReadNode(json, object, "weights", SN_JSON_ARRAY, &mesh->weights, builder->error);
    return status ? status : readPrimitives(builder, list, mesh);
}

// ---- weights of morph targets ----

static snStatus addMorphs(Builder *builder, const snJsonNode *node, const Mesh *mesh)
{
    snGltfReader *reader = builder->reader;
    snCharacter *character = reader->character;
    const snJson *json = &reader->document.json;
    const snJsonNode *weights;
    snStatus status =
        snJson_ReadNode(json, node, "weights", SN_JSON_ARRAY, &weights, builder->error);
    if (status) return status;
    if (!weights) weights = mesh->weights;
    int first = character->morphCount, count = mesh->targetCount;
    if (count > builder->morphCapacity - first)
        return snJson_Fail(json, node, builder->error, SN_ERROR_FORMAT,
                           "too many morph targets in all");
    for (int i = 0; i < count && i < snJson_Count(weights) && !status; i++)
        status = snJson_AsDouble(json, snJson_At(json, weights, i),
                                 &character->restMorphs[first + i], builder->error);
    character->morphCount += count;
    reader->firstMorphOfNode[node->index] = first;
    reader->targetCountOfNode[node->index] = count;
    return status;
}

// ---- parts ----

static snStatus checkJoints(Builder *builder, const snJsonNode *node, const snPart *part)
{
    const snSkin *skin = &builder->reader->character->skins[part->skin];
    for (int i = 0; i < part->vertexCount * part->influences; i++)
        if (part->joints[i] >= skin->jointCount)
            return snJson_Fail(&builder->reader->document.json, node, builder->error,
                               SN_ERROR_FORMAT,
                               "vertex %d of mesh %d refers to joint %d of a skin with %d joints",
                               i / part->influences, part->mesh, part->joints[i], skin->jointCount);
    return SN_OK;
}

static snStatus addPart(Builder *builder, const snJsonNode *node, int skin, int mesh,
                        const snPart *primitive)
{
    snGltfReader *reader = builder->reader;
    snCharacter *character = reader->character;
    if (character->partCount >= builder->partCapacity ||
        character->vertexCount > MAX_VERTICES - primitive->vertexCount ||
        character->triangleCount > MAX_VERTICES - primitive->triangleCount)
        return snJson_Fail(&reader->document.json, node, builder->error, SN_ERROR_FORMAT,
                           "an absurd size: more than %d parts or %d vertices in all", MAX_PARTS,
                           MAX_VERTICES);
    snPart *part = &character->parts[character->partCount++];
    *part = *primitive;
    part->name = builder->meshes[mesh].name;
    part->node = reader->jointOfNode[node->index];
    if (!part->name[0]) part->name = character->skeleton.joints[part->node].name;
    part->mesh = mesh;
    part->skin = part->influences ? skin : -1;
    part->firstMorph =
        part->targetCount ? reader->firstMorphOfNode[node->index] : character->morphCount;
    if (skin >= 0 && part->skin < 0)
        snLog(reader->document.context, SN_LOG_WARNING,
              "nodes[%d] has a skin but its mesh no joints: it moves with the node", node->index);
    if (part->skin < 0) part->influences = 0, part->joints = NULL, part->weights = NULL;
    character->vertexCount += part->vertexCount;
    character->triangleCount += part->triangleCount;
    return part->skin >= 0 ? checkJoints(builder, node, part) : SN_OK;
}

static snStatus addNode(Builder *builder, const snJsonNode *node)
{
    const snGltfDocument *document = &builder->reader->document;
    const snJsonNode *meshNode, *skinNode;
    snStatus status =
        snGltf_ReadReference(document, node, "mesh", document->meshes, &meshNode, builder->error);
    if (!status)
        status = snGltf_ReadReference(document, node, "skin", document->skins, &skinNode,
                                      builder->error);
    if (status || !meshNode) return status;
    Mesh *mesh = &builder->meshes[meshNode->index];
    if (!mesh->read && (status = readMesh(builder, meshNode, mesh))) return status;
    if (mesh->targetCount && (status = addMorphs(builder, node, mesh))) return status;
    for (int i = 0; i < mesh->primitiveCount && !status; i++)
        if (mesh->primitives[i].triangleCount)
            status = addPart(builder, node, skinNode ? skinNode->index : -1, meshNode->index,
                             &mesh->primitives[i]);
    return status;
}

// ---- memory: counted first, as parts and morphs must lie one after another ----

// An upper bound from the JSON alone, capped.
static void countParts(Builder *builder)
{
    const snGltfReader *reader = builder->reader;
    const snJson *json = &reader->document.json;
    int64_t parts = 0, morphs = 0;
    for (int n = 0; n < reader->nodeCount; n++) {
        int mesh = -1;
        (void)snJson_ReadInt(json, snJson_At(json, reader->document.nodes, n), "mesh", 0, INT_MAX,
                             &mesh, NULL);
        const snJsonNode *list =
            snJson_Member(json, snJson_At(json, reader->document.meshes, mesh), "primitives");
        parts += snJson_Count(list);
        int most = 0;
        for (int i = 0; i < snJson_Count(list) && i < MAX_PARTS; i++) {
            int count = snJson_Count(snJson_Member(json, snJson_At(json, list, i), "targets"));
            if (count > most) most = count;
        }
        morphs += most;
        if (parts > MAX_PARTS) break; // will be refused
    }
    builder->partCapacity = parts < MAX_PARTS ? (int)parts : MAX_PARTS;
    builder->morphCapacity = morphs < (1 << 22) ? (int)morphs : 1 << 22;
}

static snStatus makeRoom(Builder *builder)
{
    snGltfReader *reader = builder->reader;
    snCharacter *character = reader->character;
    snArena *scratch = reader->document.arena;
    countParts(builder);
    builder->meshes = SN_NEW(scratch, Mesh, snJson_Count(reader->document.meshes));
    reader->firstMorphOfNode = SN_NEW(scratch, int, reader->nodeCount);
    reader->targetCountOfNode = SN_NEW(scratch, int, reader->nodeCount);
    character->parts = SN_NEW(&character->arena, snPart, builder->partCapacity);
    character->restMorphs = SN_NEW(&character->arena, double, builder->morphCapacity);
    if (!builder->meshes || !reader->firstMorphOfNode || !reader->targetCountOfNode ||
        !character->parts || !character->restMorphs)
        return snFailMemory(builder->error);
    for (int n = 0; n < reader->nodeCount; n++)
        reader->firstMorphOfNode[n] = -1;
    return SN_OK;
}

static snStatus addNodes(Builder *builder, bool sceneOnly)
{
    const snGltfReader *reader = builder->reader;
    snStatus status = SN_OK;
    for (int n = 0; n < reader->nodeCount && !status; n++)
        if (!sceneOnly || reader->inScene[n])
            status = addNode(builder, snJson_At(&reader->document.json, reader->document.nodes, n));
    return status;
}

snStatus snGltf_ReadParts(snGltfReader *reader, snError *error)
{
    Builder builder = {.reader = reader, .error = error};
    snCharacter *character = reader->character;
    snStatus status = makeRoom(&builder);
    if (!status) status = addNodes(&builder, true);
    if (!status && character->partCount == 0) {
        character->morphCount = 0;
        status = addNodes(&builder, false);
        if (!status && character->partCount)
            snLog(reader->document.context, SN_LOG_WARNING,
                  "the default scene has no mesh with triangles: all nodes are used");
    }
    if (!status && character->partCount == 0)
        status = snFail(error, SN_ERROR_GEOMETRY, "the file has no mesh with triangles");
    return status;
}
