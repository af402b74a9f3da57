// One primitive: attributes, triangles, morph targets.
#include "asset/gltf_reader.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// What all readers of a primitive's parts need.
typedef struct {
    snGltfReader *reader;
    const snJson *json;
    const snJsonNode *attributes;
    snArena *arena; // the character's
    int vertexCount;
    snError *error;
} Source;

// ---- attributes ----

// Opens an attribute and checks that it has one element of `low` to `high` numbers per vertex.
static snStatus openAttribute(const Source *source, const snJsonNode *reference, int low, int high,
                              snGltfAccessor *accessor)
{
    snStatus status =
        snGltf_OpenAccessor(&source->reader->document, reference, accessor, source->error);
    if (status) return status;
    if (accessor->width < low || accessor->width > high)
        return snJson_Fail(source->json, reference, source->error, SN_ERROR_FORMAT,
                           "%d numbers per vertex instead of %d", accessor->width, high);
    if (source->vertexCount >= 0 && accessor->count != source->vertexCount)
        return snJson_Fail(source->json, reference, source->error, SN_ERROR_FORMAT,
                           "%d elements for %d vertices", accessor->count, source->vertexCount);
    return SN_OK;
}

static snStatus readFloats(const Source *source, const snJsonNode *reference, int width,
                           float **out)
{
    snGltfAccessor accessor;
    snStatus status = openAttribute(source, reference, width, width, &accessor);
    if (status) return status;
    return snGltf_ReadFloats(&source->reader->document, &accessor, source->arena, out,
                             source->error);
}

// Positions and offsets must be finite: nothing sensible can be made of them otherwise.
static snStatus checkFinite(const Source *source, const snJsonNode *reference, const float *values,
                            int count, int width)
{
    for (int i = 0; i < count * width; i++)
        if (!isfinite(values[i]))
            return snJson_Fail(source->json, reference, source->error, SN_ERROR_FORMAT,
                               "vertex %d is not finite (%g)", i / width, (double)values[i]);
    return SN_OK;
}

// The looks of a vertex may be repaired.
static void repair(const Source *source, const snJsonNode *reference, float *values, int count,
                   int width)
{
    int repaired = 0;
    for (int i = 0; i < count * width; i++)
        if (!isfinite(values[i])) values[i] = 0, repaired++;
    if (!repaired) return;
    char path[160];
    snJson_Path(source->json, reference, path, sizeof path);
    snLog(source->reader->document.context, SN_LOG_WARNING,
          "%s: %d numbers that are not finite were set to zero", path, repaired);
}

static snStatus readOptional(const Source *source, const char *key, int width, float **out)
{
    const snJsonNode *reference = snJson_Member(source->json, source->attributes, key);
    if (!reference) return SN_OK;
    snStatus status = readFloats(source, reference, width, out);
    if (!status) repair(source, reference, *out, source->vertexCount, width);
    return status;
}

// Three or four components; an alpha that is not there is 1.
static snStatus readColors(const Source *source, float **out)
{
    const snJsonNode *reference = snJson_Member(source->json, source->attributes, "COLOR_0");
    if (!reference) return SN_OK;
    snGltfAccessor accessor;
    float *values = NULL;
    snStatus status = openAttribute(source, reference, 3, 4, &accessor);
    if (status) return status;
    if (accessor.width == 4) return readOptional(source, "COLOR_0", 4, out);
    snGltfDocument *document = &source->reader->document;
    status = snGltf_ReadFloats(document, &accessor, document->arena, &values, source->error);
    if (status) return status;
    repair(source, reference, values, source->vertexCount, 3);
    float *colors = SN_NEW(source->arena, float, 4 * (size_t)source->vertexCount);
    if (!colors) return snFailMemory(source->error);
    for (int v = 0; v < source->vertexCount; v++) {
        memcpy(colors + 4 * v, values + 3 * v, 3 * sizeof(float));
        colors[4 * v + 3] = 1;
    }
    *out = colors;
    return SN_OK;
}

// ---- maps ----

#define MOST_MAPS 64 // of one primitive

// COLOR_1 and on, and attributes of the artist's own, whose names begin with an underscore.
static bool isMap(const char *name)
{
    return name[0] == '_' || (!strncmp(name, "COLOR_", 6) && strcmp(name, "COLOR_0") != 0);
}

// One number to four per vertex. What is something else is no map, and no reason to refuse the file.
static snStatus readMap(const Source *source, const snJsonNode *reference, const char *name,
                        snPart *part)
{
    snError why = {0};
    Source own = *source;
    snGltfAccessor accessor;
    float *values = NULL;
    own.error = &why;
    snStatus status = openAttribute(&own, reference, 1, 4, &accessor);
    if (!status)
        status =
            snGltf_ReadFloats(&source->reader->document, &accessor, source->arena, &values, &why);
    if (status == SN_ERROR_MEMORY) return snFailMemory(source->error);
    if (status) {
        snLog(source->reader->document.context, SN_LOG_INFO, "no map: %s", why.message);
        return SN_OK;
    }
    repair(source, reference, values, source->vertexCount, accessor.width);
    part->attributes[part->attributeCount++] = (snAttribute){name, accessor.width, values};
    return SN_OK;
}

static snStatus readMaps(const Source *source, snPart *part)
{
    int count = snJson_Count(source->attributes), most = count < MOST_MAPS ? count : MOST_MAPS;
    snStatus status = SN_OK;
    part->attributes = SN_NEW(source->arena, snAttribute, most);
    if (!part->attributes) return snFailMemory(source->error);
    for (int i = 0; i < count && part->attributeCount < most && !status; i++) {
        const snJsonNode *reference = snJson_At(source->json, source->attributes, i);
        const char *name = snJson_Key(source->json, reference, source->arena);
        if (!name) return snFailMemory(source->error);
        if (isMap(name)) status = readMap(source, reference, name, part);
    }
    return status;
}

// ---- skin weights ----

#define WEIGHT_ROUNDING (8 * 0.5 / 255) // eight weights, each rounded to a byte

// Set `set` of joints and weights goes to columns 4 * set ... of the part's arrays.
static snStatus readInfluenceSet(const Source *source, int set, snPart *part)
{
    snGltfDocument *document = &source->reader->document;
    char jointsKey[16], weightsKey[16];
    snprintf(jointsKey, sizeof jointsKey, "JOINTS_%d", set);
    snprintf(weightsKey, sizeof weightsKey, "WEIGHTS_%d", set);
    const snJsonNode *jointsNode = snJson_Member(source->json, source->attributes, jointsKey);
    const snJsonNode *weightsNode = snJson_Member(source->json, source->attributes, weightsKey);
    if (!jointsNode || !weightsNode)
        return snJson_Fail(source->json, source->attributes, source->error, SN_ERROR_FORMAT,
                           "%s without %s", jointsNode ? jointsKey : weightsKey,
                           jointsNode ? weightsKey : jointsKey);
    snGltfAccessor joints, weights;
    int *jointValues = NULL;
    float *weightValues = NULL;
    snStatus status = openAttribute(source, jointsNode, 4, 4, &joints);
    if (!status) status = openAttribute(source, weightsNode, 4, 4, &weights);
    if (!status)
        status = snGltf_ReadInts(document, &joints, document->arena, &jointValues, source->error);
    if (!status)
        status =
            snGltf_ReadFloats(document, &weights, document->arena, &weightValues, source->error);
    if (!status) status = checkFinite(source, weightsNode, weightValues, source->vertexCount, 4);
    for (int i = 0; i < 4 * source->vertexCount && !status; i++) {
        int to = i / 4 * part->influences + 4 * set + i % 4;
        part->joints[to] = jointValues[i];
        part->weights[to] = weightValues[i];
    }
    return status;
}

// Weights are made positive with sum 1; influences without weight refer to joint 0, because
// exporters leave anything there. A vertex without any weight belongs to joint 0. What rounding to
// bytes explains is not worth a word.
static void normalizeInfluences(const Source *source, snPart *part)
{
    int n = part->influences, off = 0, bare = 0;
    for (int v = 0; v < part->vertexCount; v++) {
        int *joints = part->joints + (size_t)v * (size_t)n;
        float *weights = part->weights + (size_t)v * (size_t)n;
        double sum = 0;
        for (int i = 0; i < n; i++) {
            if (!(weights[i] > 0)) weights[i] = 0, joints[i] = 0;
            sum += (double)weights[i];
        }
        for (int i = 0; i < n; i++)
            weights[i] = sum > 0 ? (float)((double)weights[i] / sum) : i == 0 ? 1.0f : 0.0f;
        bare += !(sum > 0);
        off += sum > 0 && !(fabs(sum - 1) <= WEIGHT_ROUNDING);
    }
    char path[160];
    snJson_Path(source->json, source->attributes, path, sizeof path);
    if (off)
        snLog(
            source->reader->document.context, SN_LOG_WARNING,
            "%s: the weights of %d of %d vertices do not sum to 1; they are scaled so that they do",
            path, off, part->vertexCount);
    if (bare)
        snLog(source->reader->document.context, SN_LOG_WARNING,
              "%s: the weights of %d of %d vertices are all 0; they follow the skin's first joint",
              path, bare, part->vertexCount);
}

static bool has(const Source *source, const char *key)
{
    return snJson_Member(source->json, source->attributes, key) != NULL;
}

static snStatus readInfluences(const Source *source, snPart *part)
{
    if (!has(source, "JOINTS_0") && !has(source, "WEIGHTS_0")) return SN_OK;
    int sets = has(source, "JOINTS_1") || has(source, "WEIGHTS_1") ? 2 : 1;
    if (has(source, "JOINTS_2"))
        snLog(source->reader->document.context, SN_LOG_WARNING,
              "more than eight joints per vertex: the first eight are used");
    size_t numbers = (size_t)part->vertexCount * 4 * (size_t)sets;
    part->influences = 4 * sets;
    part->joints = SN_NEW(source->arena, int, numbers);
    part->weights = SN_NEW(source->arena, float, numbers);
    if (!part->joints || !part->weights) return snFailMemory(source->error);
    snStatus status = SN_OK;
    for (int set = 0; set < sets && !status; set++)
        status = readInfluenceSet(source, set, part);
    if (!status) normalizeInfluences(source, part);
    return status;
}

// ---- triangles ----

enum { TRIANGLES = 4, STRIP = 5, FAN = 6 };

static void addTriangle(int *triangles, int *count, int a, int b, int c)
{
    triangles[3 * *count] = a;
    triangles[3 * *count + 1] = b;
    triangles[3 * *count + 2] = c;
    ++*count;
}

// Corner i in the order of the primitive; `indices` NULL: vertices in their own order.
static int corner(const int *indices, int i)
{
    return indices ? indices[i] : i;
}

// Strips turn every second triangle around; those that only join two strips have a corner twice
// and are left out.
static snStatus makeTriangles(const Source *source, int mode, const int *indices, int cornerCount,
                              snPart *part)
{
    int most = mode == TRIANGLES ? cornerCount / 3 : cornerCount > 2 ? cornerCount - 2 : 0;
    snStatus status = SN_OK;
    if (mode != TRIANGLES)
        status = snGltf_Spend(&source->reader->document, source->attributes, 12 * (uint64_t)most,
                              source->error);
    if (status) return status;
    part->triangles = SN_NEW(source->arena, int, 3 * (size_t)most);
    if (!part->triangles) return snFailMemory(source->error);
    for (int t = 0; t < most; t++) {
        int first = mode == TRIANGLES ? 3 * t : mode == STRIP ? t : 0;
        int second = mode == FAN ? t + 1 : first + 1;
        int a = corner(indices, first), b = corner(indices, second);
        int c = corner(indices, second + 1);
        if (mode != TRIANGLES && (a == b || b == c || c == a)) continue;
        bool turned = mode == STRIP && t % 2 == 1;
        addTriangle(part->triangles, &part->triangleCount, a, turned ? c : b, turned ? b : c);
    }
    return SN_OK;
}

static snStatus readTriangles(const Source *source, const snJsonNode *primitive, int mode,
                              snPart *part)
{
    snGltfDocument *document = &source->reader->document;
    const snJsonNode *reference = snJson_Member(source->json, primitive, "indices");
    if (!reference) return makeTriangles(source, mode, NULL, part->vertexCount, part);
    snGltfAccessor accessor;
    int *indices = NULL;
    snStatus status = snGltf_OpenAccessor(document, reference, &accessor, source->error);
    if (status) return status;
    if (accessor.width != 1)
        return snJson_Fail(source->json, reference, source->error, SN_ERROR_FORMAT,
                           "%d numbers per index instead of 1", accessor.width);
    status = snGltf_ReadInts(document, &accessor, document->arena, &indices, source->error);
    for (int i = 0; i < accessor.count && !status; i++)
        if (indices[i] >= part->vertexCount)
            status =
                snJson_Fail(source->json, reference, source->error, SN_ERROR_FORMAT,
                            "index %d refers to vertex %d of %d", i, indices[i], part->vertexCount);
    return status ? status : makeTriangles(source, mode, indices, accessor.count, part);
}

// ---- morph targets ----

static snStatus readTarget(const Source *source, const snJsonNode *target, int t, snPart *part)
{
    const snJsonNode *position = snJson_Member(source->json, target, "POSITION");
    const snJsonNode *normal = snJson_Member(source->json, target, "NORMAL");
    float *values = NULL;
    snStatus status = SN_OK;
    if (position) {
        status = readFloats(source, position, 3, &values);
        if (!status) status = checkFinite(source, position, values, source->vertexCount, 3);
    } else {
        status = snGltf_Spend(&source->reader->document, target, 12 * (uint64_t)part->vertexCount,
                              source->error);
        if (!status) values = SN_NEW(source->arena, float, 3 * (size_t)part->vertexCount);
        if (!status && !values) status = snFailMemory(source->error);
    }
    if (status) return status;
    part->targets[t] = (snVec3f *)(void *)values;
    if (!normal) return SN_OK;
    status = readFloats(source, normal, 3, &values);
    if (status) return status;
    repair(source, normal, values, source->vertexCount, 3);
    part->targetNormals[t] = (snVec3f *)(void *)values;
    return SN_OK;
}

static snStatus readTargets(const Source *source, const snJsonNode *primitive, snPart *part)
{
    const snJsonNode *targets;
    snStatus status =
        snJson_ReadNode(source->json, primitive, "targets", SN_JSON_ARRAY, &targets, source->error);
    if (status) return status;
    part->targetCount = snJson_Count(targets);
    part->targets = SN_NEW(source->arena, snVec3f *, part->targetCount);
    part->targetNormals = SN_NEW(source->arena, snVec3f *, part->targetCount);
    if (!part->targets || !part->targetNormals) return snFailMemory(source->error);
    for (int t = 0; t < part->targetCount && !status; t++)
        status = readTarget(source, snJson_At(source->json, targets, t), t, part);
    return status;
}

// ---- the whole primitive ----

// Compressed primitives whose file does not say that it requires the extension.
static snStatus refuseCompressed(const Source *source, const snJsonNode *primitive)
{
    const snJsonNode *extensions = snJson_Member(source->json, primitive, "extensions");
    if (!snJson_Member(source->json, extensions, "KHR_draco_mesh_compression")) return SN_OK;
    snGltfAccessor position;
    snStatus status = snGltf_OpenAccessor(
        &source->reader->document, snJson_Member(source->json, source->attributes, "POSITION"),
        &position, source->error);
    if (status || position.data) return status;
    return snJson_Fail(source->json, primitive, source->error, SN_ERROR_UNSUPPORTED,
                       "compressed (KHR_draco_mesh_compression); unpack the file with: npx "
                       "@gltf-transform/cli copy in.glb out.glb");
}

static snStatus readAttributes(Source *source, const snJsonNode *position, snPart *part)
{
    float *positions = NULL, *normals = NULL;
    snGltfAccessor accessor;
    source->vertexCount = -1;
    snStatus status = openAttribute(source, position, 3, 3, &accessor);
    if (status) return status;
    part->vertexCount = source->vertexCount = accessor.count;
    status = snGltf_ReadFloats(&source->reader->document, &accessor, source->arena, &positions,
                               source->error);
    if (!status) status = checkFinite(source, position, positions, part->vertexCount, 3);
    if (!status) status = readOptional(source, "NORMAL", 3, &normals);
    if (!status) status = readOptional(source, "TEXCOORD_0", 2, &part->uv);
    if (!status) status = readColors(source, &part->colors);
    if (!status) status = readMaps(source, part);
    if (!status) status = readInfluences(source, part);
    part->positions = (snVec3f *)(void *)positions;
    part->normals = (snVec3f *)(void *)normals;
    return status;
}

static void logIgnored(const Source *source, const snJsonNode *primitive, const char *why)
{
    char path[160];
    snJson_Path(source->json, primitive, path, sizeof path);
    snLog(source->reader->document.context, SN_LOG_INFO, "%s: ignored, %s", path, why);
}

snStatus snGltf_ReadPrimitive(snGltfReader *reader, const snJsonNode *primitive, snPart *part,
                              snError *error)
{
    const snJson *json = &reader->document.json;
    Source source = {
        .reader = reader, .json = json, .arena = &reader->character->arena, .error = error};
    const snJsonNode *material;
    int mode = TRIANGLES;
    *part = (snPart){.skin = -1, .material = -1};
    snStatus status = snJson_Require(json, primitive, "attributes", error);
    if (!status)
        status = snJson_ReadNode(json, primitive, "attributes", SN_JSON_OBJECT, &source.attributes,
                                 error);
    if (!status) status = snJson_ReadInt(json, primitive, "mode", 0, 6, &mode, error);
    if (!status)
        status = snGltf_ReadReference(&reader->document, primitive, "material",
                                      reader->document.materials, &material, error);
    if (status) return status;
    const snJsonNode *position = snJson_Member(json, source.attributes, "POSITION");
    if (mode < TRIANGLES || !position) {
        logIgnored(&source, primitive, position ? "it has points or lines" : "it has no positions");
        return SN_OK;
    }
    if (material) part->material = material->index;
    status = refuseCompressed(&source, primitive);
    if (!status) status = readAttributes(&source, position, part);
    if (!status) status = readTriangles(&source, primitive, mode, part);
    if (!status) status = readTargets(&source, primitive, part);
    if (!status && part->triangleCount == 0) logIgnored(&source, primitive, "it has no triangles");
    return status;
}
