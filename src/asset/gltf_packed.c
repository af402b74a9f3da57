// Views of EXT_meshopt_compression: each is unpacked once, when the file is opened, by a function
// of the program that reads it, and is from then on as if it had lain in its buffer.
#include "asset/gltf_document.h"

#include <limits.h>
#include <string.h>

#define EXTENSION "EXT_meshopt_compression"

static snStatus readWord(const snGltfDocument *document, const snJsonNode *object, const char *key,
                         const char *const *words, int count, int *out, snError *error)
{
    const snJsonNode *node = snJson_Member(&document->json, object, key);
    for (int i = 0; i < count && node; i++)
        if (snJson_IsText(&document->json, node, words[i])) {
            *out = i;
            return SN_OK;
        }
    if (!node && *out >= 0) return SN_OK;
    return snJson_Fail(&document->json, node ? node : object, error, SN_ERROR_FORMAT,
                       "'%s' of " EXTENSION " is unknown", key);
}

// What the functions that unpack take for granted.
static bool isSound(const snGltfPacked *packed)
{
    size_t stride = packed->stride;
    if (packed->mode != SN_PACKED_ATTRIBUTES)
        return (stride == 2 || stride == 4) && packed->filter == SN_FILTER_NONE &&
               (packed->mode != SN_PACKED_TRIANGLES || packed->count % 3 == 0);
    if (stride == 0 || stride > 256 || stride % 4) return false;
    if (packed->filter == SN_FILTER_OCTAHEDRAL) return stride == 4 || stride == 8;
    return packed->filter != SN_FILTER_QUATERNION || stride == 8;
}

static snStatus readPacked(const snGltfDocument *document, const snJsonNode *extension,
                           snGltfPacked *packed, snError *error)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    uint64_t stride = 0;
    int count = 0, mode = -1, filter = 0;
    snGltfView view;
    const snJson *json = &document->json;
    snStatus status = snGltf_OpenView(document, extension, &view, error);
    if (!status) status = snJson_Require(json, extension, "count", error);
    if (!status) status = snJson_ReadInt(json, extension, "count", 0, INT_MAX, &count, error);
    if (!status) status = snGltf_ReadSize(document, extension, "byteStride", &stride, error);
    if (!status) status = readWord(document, extension, "mode", modes, 3, &mode, error);
    if (!status) status = readWord(document, extension, "filter", filters, 4, &filter, error);
    if (status) return status;
    *packed = (snGltfPacked){.bytes = view.bytes,
                             .size = (size_t)view.size,
                             .count = (size_t)count,
                             .stride = (size_t)stride,
                             .mode = (snPackedMode)mode,
                             .filter = (snPackedFilter)filter};
    if (isSound(packed)) return SN_OK;
    return snJson_Fail(json, extension, error, SN_ERROR_FORMAT,
                       "%d elements of %llu bytes do not go with its mode and filter", count,
                       (unsigned long long)stride);
}

// Data that lie unpacked in the file as well are taken from there.
static bool hasFallback(const snGltfDocument *document, const snJsonNode *view)
{
    int buffer = -1;
    (void)snJson_ReadInt(&document->json, view, "buffer", 0, INT_MAX, &buffer, NULL);
    return buffer >= 0 && buffer < document->bufferCount && document->buffers[buffer].bytes;
}

static snStatus unpackView(snGltfDocument *document, const snJsonNode *view, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *extension =
        snJson_Member(json, snJson_Member(json, view, "extensions"), EXTENSION);
    const snGltfSource *source = document->source;
    snGltfPacked packed;
    if (!extension || !source->unpack || hasFallback(document, view)) return SN_OK;
    snStatus status = readPacked(document, extension, &packed, error);
    uint64_t size = status ? 0 : (uint64_t)packed.count * packed.stride;
    if (!status) status = snGltf_Spend(document, view, size, error);
    if (status) return status;
    uint8_t *bytes = SN_NEW(document->arena, uint8_t, (size_t)size);
    if (!bytes) return snFailMemory(error);
    snError problem = {0};
    status = source->unpack(source->user, &packed, bytes, &problem);
    if (status) return snJson_Fail(json, extension, error, status, "%s", problem.message);
    document->unpacked[view->index] = (snGltfBuffer){bytes, (size_t)size};
    return SN_OK;
}

snStatus snGltf_UnpackViews(snGltfDocument *document, snError *error)
{
    int count = snJson_Count(document->bufferViews);
    document->unpacked = SN_NEW(document->arena, snGltfBuffer, count);
    if (!document->unpacked) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int i = 0; i < count && !status; i++)
        status = unpackView(document, snJson_At(&document->json, document->bufferViews, i), error);
    return status;
}
