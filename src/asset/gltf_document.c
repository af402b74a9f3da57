#include "asset/gltf_document.h"

#include "asset/gltf_uri.h"

#include <string.h>

#define GLB_MAGIC 0x46546C67u  // "glTF"
#define CHUNK_JSON 0x4E4F534Au // "JSON"
#define CHUNK_BIN 0x004E4942u  // "BIN\0"

// ---- the container ----

static snStatus failTruncated(snError *error, size_t size, uint64_t wanted)
{
    return snFail(error, SN_ERROR_FORMAT,
                  "the file ends after %zu of %llu bytes; it was not copied or downloaded whole",
                  size, (unsigned long long)wanted);
}

typedef struct {
    const uint8_t *bytes;
    size_t size;
    uint32_t type;
} Chunk;

// The chunk at *at, which moves behind it (and its padding).
static snStatus readChunk(const uint8_t *bytes, size_t size, size_t *at, Chunk *chunk,
                          snError *error)
{
    if (size - *at < 8) return failTruncated(error, size, (uint64_t)*at + 8);
    uint32_t length = snLoadU32(bytes + *at);
    if (length > size - *at - 8) return failTruncated(error, size, (uint64_t)*at + 8 + length);
    *chunk = (Chunk){bytes + *at + 8, length, snLoadU32(bytes + *at + 4)};
    size_t end = *at + 8 + length;
    *at = size - end < 4 ? size : (end + 3) & ~(size_t)3;
    return SN_OK;
}

static snStatus openBinary(snGltfDocument *document, const char **text, size_t *textSize,
                           snError *error)
{
    const uint8_t *bytes = document->source->bytes;
    size_t size = document->source->size, at = 12;
    if (size < 12) return failTruncated(error, size, 12);
    uint32_t version = snLoadU32(bytes + 4), length = snLoadU32(bytes + 8);
    if (version != 2)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "a .glb of version %u; only glTF 2.0 is read, so export it again as 2.0",
                      version);
    if (length > size) return failTruncated(error, size, length);
    if (length < 20)
        return snFail(error, SN_ERROR_FORMAT, "the .glb says it is %u bytes long", length);
    Chunk chunk;
    snStatus status = readChunk(bytes, length, &at, &chunk, error);
    if (status) return status;
    if (chunk.type != CHUNK_JSON)
        return snFail(error, SN_ERROR_FORMAT, "the first chunk of the .glb is not its JSON");
    *text = (const char *)chunk.bytes;
    *textSize = chunk.size;
    document->isBinary = true;
    size_t behind = at;
    if (length - at >= 8 && snLoadU32(bytes + at + 4) == CHUNK_BIN) {
        if ((status = readChunk(bytes, length, &behind, &chunk, error))) return status;
        document->bin = chunk.bytes;
        document->binSize = chunk.size;
    }
    document->chunks = bytes + behind;
    document->chunksSize = length - behind;
    return SN_OK;
}

static bool looksLikeJson(const uint8_t *bytes, size_t size)
{
    size_t i = size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (i < size && (bytes[i] == ' ' || (bytes[i] >= 9 && bytes[i] <= 13)))
        i++;
    return i < size && bytes[i] == '{';
}

static snStatus openContainer(snGltfDocument *document, const char **text, size_t *textSize,
                              snError *error)
{
    const uint8_t *bytes = document->source->bytes;
    size_t size = document->source->size;
    if (size == 0) return snFail(error, SN_ERROR_FORMAT, "the file is empty");
    if (size >= 4 && snLoadU32(bytes) == GLB_MAGIC)
        return openBinary(document, text, textSize, error);
    if (!looksLikeJson(bytes, size))
        return snFail(error, SN_ERROR_FORMAT,
                      "neither .glb nor .gltf: it begins with neither 'glTF' nor '{'");
    *text = (const char *)bytes;
    *textSize = size;
    return SN_OK;
}

// ---- version and extensions ----

static snStatus checkVersion(const snGltfDocument *document, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *asset = snJson_Member(json, json->root, "asset");
    if (!asset)
        return snFail(error, SN_ERROR_FORMAT,
                      "neither .glb nor .gltf: JSON, but without glTF's 'asset'");
    const char *version = "";
    snStatus status = snJson_ReadString(json, asset, "version", document->arena, &version, error);
    if (status) return status;
    if (strncmp(version, "2.", 2))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "glTF version '%.16s'; only 2.0 is read, so export it again as 2.0", version);
    if (snJson_Member(json, asset, "minVersion") &&
        !snJson_IsText(json, snJson_Member(json, asset, "minVersion"), "2.0"))
        return snFail(error, SN_ERROR_UNSUPPORTED, "the file needs a glTF newer than 2.0");
    return SN_OK;
}

// Extensions that may be required and do not keep us from reading the shape and its motion: they
// change how pictures and light look, or are read.
static bool isHarmless(const char *name)
{
    static const char *prefixes[] = {"KHR_mesh_quantization",
                                     "KHR_materials_",
                                     "KHR_texture_",
                                     "KHR_lights_",
                                     "KHR_xmp",
                                     "EXT_texture_",
                                     "EXT_lights_",
                                     "MSFT_texture_",
                                     "MSFT_packing_",
                                     "KHR_animation_pointer",
                                     "KHR_node_visibility"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i]))) return true;
    return false;
}

static snStatus checkExtensions(const snGltfDocument *document, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *required;
    snStatus status =
        snJson_ReadNode(json, json->root, "extensionsRequired", SN_JSON_ARRAY, &required, error);
    for (int i = 0; i < snJson_Count(required) && !status; i++) {
        const char *name = "";
        status = snJson_AsString(json, snJson_At(json, required, i), document->arena, &name, error);
        if (status || isHarmless(name)) continue;
        if (!strcmp(name, "EXT_meshopt_compression") && document->source->unpack) continue;
        if (!strcmp(name, "KHR_draco_mesh_compression") || strstr(name, "meshopt_compression"))
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "the file is compressed (%.60s); unpack it with: npx @gltf-transform/cli "
                          "copy in.glb out.glb",
                          name);
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the file requires the extension %.80s, which is not read; export it without",
                      name);
    }
    return status;
}

// ---- lists, references, buffers ----

static snStatus openList(const snGltfDocument *document, const char *key, const snJsonNode **list,
                         snError *error)
{
    const snJson *json = &document->json;
    snStatus status = snJson_ReadNode(json, json->root, key, SN_JSON_ARRAY, list, error);
    for (int i = 0; i < snJson_Count(*list) && !status; i++) {
        const snJsonNode *element = snJson_At(json, *list, i);
        if (element->kind != SN_JSON_OBJECT)
            status = snJson_Fail(json, element, error, SN_ERROR_FORMAT, "%s instead of an object",
                                 snJson_KindName(element->kind));
    }
    return status;
}

static snStatus openLists(snGltfDocument *document, snError *error)
{
    struct {
        const char *key;
        const snJsonNode **list;
    } lists[] = {
        {"nodes", &document->nodes},         {"meshes", &document->meshes},
        {"skins", &document->skins},         {"animations", &document->animations},
        {"accessors", &document->accessors}, {"bufferViews", &document->bufferViews},
        {"materials", &document->materials}, {"textures", &document->textures},
        {"images", &document->images},       {"scenes", &document->scenes},
        {"buffers", &document->bufferList},
    };
    snStatus status = SN_OK;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !status; i++)
        status = openList(document, lists[i].key, lists[i].list, error);
    return status;
}

snStatus snGltf_ReadSize(const snGltfDocument *document, const snJsonNode *object, const char *key,
                         uint64_t *out, snError *error)
{
    const snJsonNode *node = snJson_Member(&document->json, object, key);
    if (!node) return SN_OK;
    double value;
    snStatus status = snJson_AsDouble(&document->json, node, &value, error);
    if (status) return status;
    if (!(value >= 0 && value <= 0x1p40) || value != floor(value))
        return snJson_Fail(&document->json, node, error, SN_ERROR_FORMAT,
                           "%g is not a size in bytes", value);
    *out = (uint64_t)value;
    return SN_OK;
}

snStatus snGltf_ReadReference(const snGltfDocument *document, const snJsonNode *object,
                              const char *key, const snJsonNode *list, const snJsonNode **out,
                              snError *error)
{
    *out = NULL;
    const snJson *json = &document->json;
    const snJsonNode *node = snJson_Member(json, object, key);
    if (!node) return SN_OK;
    int index = 0;
    snStatus status = snJson_AsInt(json, node, 0, 0x7fffffff, &index, error);
    if (status) return status;
    if (index >= snJson_Count(list))
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "refers to number %d of %d", index,
                           snJson_Count(list));
    *out = snJson_At(json, list, index);
    return SN_OK;
}

bool snGltf_IsDataUri(const snGltfDocument *document, const snJsonNode *uri)
{
    return uri && uri->kind == SN_JSON_STRING && uri->end - uri->start > 6 &&
           !memcmp(document->json.text + uri->start, "\"data:", 6);
}

snStatus snGltf_LoadUri(const snGltfDocument *document, const snJsonNode *uri,
                        const uint8_t **bytes, size_t *size, snError *error)
{
    const char *text = "", *path = "";
    snStatus status = snJson_AsString(&document->json, uri, document->arena, &text, error);
    if (status) return status;
    if (snUri_IsData(text)) {
        status = snUri_DecodeData(text, document->arena, bytes, size, error);
    } else if (!(status = snUri_ToPath(text, document->arena, &path, error))) {
        const snGltfSource *source = document->source;
        if (!source->readUri)
            status = snFail(error, SN_ERROR_FILE,
                            "refers to the file '%.200s', which is not at hand", path);
        else
            status = source->readUri(source->user, path, document->arena, bytes, size, error);
    }
    if (status && status != SN_ERROR_MEMORY && error) {
        char name[160];
        snJson_Path(&document->json, uri, name, sizeof name);
        snError_Prefix(error, "%s", name);
    }
    return status;
}

static snStatus openBuffer(snGltfDocument *document, int index, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *node = snJson_At(json, document->bufferList, index);
    const snJsonNode *uri = snJson_Member(json, node, "uri");
    snGltfBuffer *buffer = &document->buffers[index];
    uint64_t length = 0;
    size_t size = 0;
    snStatus status = snJson_Require(json, node, "byteLength", error);
    if (!status) status = snGltf_ReadSize(document, node, "byteLength", &length, error);
    if (status) return status;
    if (uri) {
        if ((status = snGltf_LoadUri(document, uri, &buffer->bytes, &size, error))) return status;
    } else if (index == 0 && document->bin) {
        buffer->bytes = document->bin;
        size = document->binSize;
    } else {
        return SN_OK; // only an error if somebody uses it
    }
    if (size < length)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "there are only %zu of %llu bytes",
                           size, (unsigned long long)length);
    buffer->size = (size_t)length;
    document->budget += 64 * length;
    return SN_OK;
}

// A character of some millions of vertices unpacks to less than 64 times its own bytes; small
// files get a quarter of a gigabyte.
#define BUDGET_BASE (256ull << 20)

snStatus snGltf_Open(snGltfDocument *document, const snGltfSource *source, const snContext *context,
                     snArena *arena, snError *error)
{
    *document = (snGltfDocument){
        .source = source, .context = context, .arena = arena, .budget = BUDGET_BASE};
    const char *text = NULL;
    size_t textSize = 0;
    snStatus status = openContainer(document, &text, &textSize, error);
    if (!status) status = snJson_Parse(&document->json, text, textSize, arena, error);
    if (!status) status = checkVersion(document, error);
    if (!status) status = checkExtensions(document, error);
    if (!status) status = openLists(document, error);
    if (status) return status;
    document->bufferCount = snJson_Count(document->bufferList);
    document->buffers = SN_NEW(arena, snGltfBuffer, document->bufferCount);
    if (!document->buffers) return snFailMemory(error);
    for (int i = 0; i < document->bufferCount && !status; i++)
        status = openBuffer(document, i, error);
    return status ? status : snGltf_UnpackViews(document, error);
}

snStatus snGltf_OpenView(const snGltfDocument *document, const snJsonNode *view, snGltfView *out,
                         snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *bufferNode;
    uint64_t offset = 0, length = 0, stride = 0;
    snStatus status = snJson_Require(json, view, "buffer", error);
    if (!status) status = snJson_Require(json, view, "byteLength", error);
    if (!status)
        status = snGltf_ReadReference(document, view, "buffer", document->bufferList, &bufferNode,
                                      error);
    if (!status) status = snGltf_ReadSize(document, view, "byteOffset", &offset, error);
    if (!status) status = snGltf_ReadSize(document, view, "byteLength", &length, error);
    if (!status) status = snGltf_ReadSize(document, view, "byteStride", &stride, error);
    if (status) return status;
    const snGltfBuffer *unpacked =
        document->unpacked && snJson_Parent(json, view) == document->bufferViews
            ? &document->unpacked[view->index]
            : NULL;
    if (unpacked && unpacked->bytes) {
        *out = (snGltfView){unpacked->bytes, unpacked->size, stride};
        return SN_OK;
    }
    const snGltfBuffer *buffer = &document->buffers[bufferNode->index];
    if (!buffer->bytes)
        return snJson_Fail(json, view, error, SN_ERROR_FORMAT, "buffer %d has no data",
                           bufferNode->index);
    if (offset > buffer->size || length > buffer->size - offset)
        return snJson_Fail(
            json, view, error, SN_ERROR_FORMAT, "bytes %llu to %llu of a buffer of %zu bytes",
            (unsigned long long)offset, (unsigned long long)(offset + length), buffer->size);
    *out = (snGltfView){buffer->bytes + (size_t)offset, length, stride};
    return SN_OK;
}

snStatus snGltf_Spend(snGltfDocument *document, const snJsonNode *node, uint64_t bytes,
                      snError *error)
{
    if (bytes > document->budget)
        return snJson_Fail(&document->json, node, error, SN_ERROR_FORMAT,
                           "an absurd size: the file's data unpack to far more than its own size");
    document->budget -= bytes;
    return SN_OK;
}
