#include "asset/gltf_accessor.h"

#include <limits.h>
#include <string.h>

enum { BYTE = 5120, UBYTE = 5121, SHORT = 5122, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

static int componentSize(int type)
{
    switch (type) {
    case BYTE:
    case UBYTE:
        return 1;
    case SHORT:
    case USHORT:
        return 2;
    case UINT:
    case FLOAT:
        return 4;
    default:
        return 0;
    }
}

static snStatus readShape(const snGltfDocument *document, snGltfAccessor *accessor, snError *error)
{
    static const struct {
        const char *name;
        int columns, rows;
    } shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 1, 2}, {"VEC3", 1, 3}, {"VEC4", 1, 4},
                  {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};
    const snJsonNode *type = snJson_Member(&document->json, accessor->node, "type");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!snJson_IsText(&document->json, type, shapes[i].name)) continue;
        accessor->rows = shapes[i].rows;
        accessor->width = shapes[i].rows * shapes[i].columns;
        return SN_OK;
    }
    return snJson_Fail(&document->json, type ? type : accessor->node, error, SN_ERROR_FORMAT,
                       "'type' is none of SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3, MAT4");
}

// Where component i of an element lies. Columns of matrices begin at multiples of four bytes.
static size_t componentOffset(const snGltfAccessor *accessor, int i)
{
    size_t size = (size_t)componentSize(accessor->type), rows = (size_t)accessor->rows;
    size_t column = (size_t)i / rows, row = (size_t)i % rows;
    size_t columnStride = rows == (size_t)accessor->width ? 0 : (rows * size + 3) & ~(size_t)3;
    return column * columnStride + row * size;
}

static size_t elementSize(const snGltfAccessor *accessor)
{
    return componentOffset(accessor, accessor->width - 1) + (size_t)componentSize(accessor->type);
}

// From one element to the next where the view does not say: matrices begin like their columns.
static size_t tightStride(const snGltfAccessor *accessor)
{
    size_t size = elementSize(accessor);
    return accessor->rows == accessor->width ? size : (size + 3) & ~(size_t)3;
}

// `count` elements of `size` bytes, `stride` apart, from `offset` on: do they lie in the view?
static bool fits(const snGltfView *view, uint64_t offset, uint64_t count, uint64_t stride,
                 uint64_t size)
{
    if (count == 0) return offset <= view->size;
    if (offset > view->size || size > view->size - offset) return false;
    return stride == 0 || (count - 1) <= (view->size - offset - size) / stride;
}

static snStatus openData(const snGltfDocument *document, snGltfAccessor *accessor, snError *error)
{
    const snJsonNode *viewNode;
    uint64_t offset = 0;
    size_t size = elementSize(accessor);
    snStatus status = snGltf_ReadReference(document, accessor->node, "bufferView",
                                           document->bufferViews, &viewNode, error);
    if (status || !viewNode) return status;
    snGltfView view;
    status = snGltf_OpenView(document, viewNode, &view, error);
    if (!status) status = snGltf_ReadSize(document, accessor->node, "byteOffset", &offset, error);
    if (status) return status;
    accessor->stride = view.stride ? view.stride : tightStride(accessor);
    if (!fits(&view, offset, (uint64_t)accessor->count, accessor->stride, size))
        return snJson_Fail(
            &document->json, accessor->node, error, SN_ERROR_FORMAT,
            "%d elements of %zu bytes, %llu apart from byte %llu on, do not fit into "
            "a view of %llu bytes",
            accessor->count, size, (unsigned long long)accessor->stride, (unsigned long long)offset,
            (unsigned long long)view.size);
    accessor->data = view.bytes + (size_t)offset;
    return SN_OK;
}

// ---- sparse accessors ----

// A member object of 'sparse' with its bufferView; *data are count * stride bytes.
static snStatus openSparsePart(const snGltfDocument *document, const snJsonNode *sparse,
                               const char *key, int count, size_t stride, const uint8_t **data,
                               snError *error)
{
    const snJsonNode *part, *viewNode;
    uint64_t offset = 0;
    snGltfView view;
    snStatus status = snJson_Require(&document->json, sparse, key, error);
    if (!status)
        status = snJson_ReadNode(&document->json, sparse, key, SN_JSON_OBJECT, &part, error);
    if (!status) status = snJson_Require(&document->json, part, "bufferView", error);
    if (!status)
        status = snGltf_ReadReference(document, part, "bufferView", document->bufferViews,
                                      &viewNode, error);
    if (!status) status = snGltf_OpenView(document, viewNode, &view, error);
    if (!status) status = snGltf_ReadSize(document, part, "byteOffset", &offset, error);
    if (status) return status;
    if (!fits(&view, offset, (uint64_t)count, stride, stride))
        return snJson_Fail(&document->json, part, error, SN_ERROR_FORMAT,
                           "%d elements of %zu bytes do not fit into a view of %llu bytes", count,
                           stride, (unsigned long long)view.size);
    *data = view.bytes + (size_t)offset;
    return SN_OK;
}

static uint32_t loadUnsigned(const uint8_t *p, int type)
{
    return type == UBYTE ? *p : type == USHORT ? snLoadU16(p) : snLoadU32(p);
}

static snStatus readSparseIndices(snGltfDocument *document, const snJsonNode *sparse,
                                  snGltfAccessor *accessor, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *indices = snJson_Member(json, sparse, "indices");
    const uint8_t *data = NULL;
    int type = 0, count = accessor->sparseCount;
    snStatus status = snJson_ReadInt(json, indices, "componentType", UBYTE, UINT, &type, error);
    if (status) return status;
    if (type != UBYTE && type != USHORT && type != UINT)
        return snJson_Fail(json, sparse, error, SN_ERROR_FORMAT,
                           "indices of component type %d instead of 5121, 5123 or 5125", type);
    size_t size = (size_t)componentSize(type);
    status = openSparsePart(document, sparse, "indices", count, size, &data, error);
    if (!status) status = snGltf_Spend(document, sparse, 4 * (uint64_t)count, error);
    if (status) return status;
    accessor->sparseIndices = SN_NEW(document->arena, int, count);
    if (!accessor->sparseIndices) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        uint32_t index = loadUnsigned(data + (size_t)i * size, type);
        if (index >= (uint32_t)accessor->count)
            return snJson_Fail(json, sparse, error, SN_ERROR_FORMAT,
                               "index %d refers to element %u of %d", i, index, accessor->count);
        accessor->sparseIndices[i] = (int)index;
    }
    return SN_OK;
}

static snStatus openSparse(snGltfDocument *document, snGltfAccessor *accessor, snError *error)
{
    const snJson *json = &document->json;
    const snJsonNode *sparse;
    snStatus status =
        snJson_ReadNode(json, accessor->node, "sparse", SN_JSON_OBJECT, &sparse, error);
    if (status || !sparse) return status;
    int count = 0;
    status = snJson_Require(json, sparse, "count", error);
    if (!status) status = snJson_ReadInt(json, sparse, "count", 0, accessor->count, &count, error);
    if (status || count == 0) return status;
    accessor->sparseCount = count;
    status = readSparseIndices(document, sparse, accessor, error);
    if (!status)
        status = openSparsePart(document, sparse, "values", count, tightStride(accessor),
                                &accessor->sparseValues, error);
    return status;
}

snStatus snGltf_OpenAccessor(snGltfDocument *document, const snJsonNode *reference,
                             snGltfAccessor *accessor, snError *error)
{
    const snJson *json = &document->json;
    *accessor = (snGltfAccessor){0};
    int index = 0;
    snStatus status = snJson_AsInt(json, reference, 0, INT_MAX, &index, error);
    if (status) return status;
    accessor->node = snJson_At(json, document->accessors, index);
    if (!accessor->node)
        return snJson_Fail(json, reference, error, SN_ERROR_FORMAT, "refers to accessor %d of %d",
                           index, snJson_Count(document->accessors));
    status = snJson_Require(json, accessor->node, "count", error);
    if (!status)
        status =
            snJson_ReadInt(json, accessor->node, "count", 0, INT_MAX / 64, &accessor->count, error);
    if (!status)
        status = snJson_ReadInt(json, accessor->node, "componentType", 0, INT_MAX, &accessor->type,
                                error);
    if (!status)
        status = snJson_ReadBool(json, accessor->node, "normalized", &accessor->normalized, error);
    if (!status) status = readShape(document, accessor, error);
    if (status) return status;
    if (!componentSize(accessor->type))
        return snJson_Fail(json, accessor->node, error, SN_ERROR_FORMAT,
                           "'componentType' %d is unknown", accessor->type);
    status = openData(document, accessor, error);
    return status ? status : openSparse(document, accessor, error);
}

// ---- reading the numbers ----

static float loadFloat(const uint8_t *p, int type, bool normalized)
{
    switch (type) {
    case BYTE: {
        float value = (float)(int8_t)*p;
        return !normalized ? value : value < -127.0f ? -1.0f : value / 127.0f;
    }
    case UBYTE:
        return normalized ? (float)*p / 255.0f : (float)*p;
    case SHORT: {
        float value = (float)(int16_t)snLoadU16(p);
        return !normalized ? value : value < -32767.0f ? -1.0f : value / 32767.0f;
    }
    case USHORT:
        return normalized ? (float)snLoadU16(p) / 65535.0f : (float)snLoadU16(p);
    case UINT: {
        double value = (double)snLoadU32(p);
        return (float)(normalized ? value / 4294967295.0 : value);
    }
    default:
        return snLoadF32(p);
    }
}

// Numbers of one element, into what floats or ints are kept in.
typedef void Load(const snGltfAccessor *accessor, const uint8_t *element, void *out);

static void loadFloats(const snGltfAccessor *accessor, const uint8_t *element, void *out)
{
    float *values = out;
    for (int i = 0; i < accessor->width; i++)
        values[i] =
            loadFloat(element + componentOffset(accessor, i), accessor->type, accessor->normalized);
}

static void loadInts(const snGltfAccessor *accessor, const uint8_t *element, void *out)
{
    int *values = out;
    for (int i = 0; i < accessor->width; i++) {
        uint32_t value = loadUnsigned(element + componentOffset(accessor, i), accessor->type);
        values[i] = value > INT_MAX ? INT_MAX : (int)value;
    }
}

// Floats and ints have the same size.
static snStatus readAll(snGltfDocument *document, const snGltfAccessor *accessor, Load *load,
                        snArena *arena, void **out, snError *error)
{
    size_t size = 4 * (size_t)accessor->width, stride = tightStride(accessor);
    uint64_t numbers = (uint64_t)accessor->count * (uint64_t)accessor->width;
    snStatus status = snGltf_Spend(document, accessor->node, 4 * numbers, error);
    if (status) return status;
    uint8_t *values = snArena_Alloc(arena, 4, (size_t)numbers);
    if (!values) return snFailMemory(error);
    for (int i = 0; accessor->data && i < accessor->count; i++)
        load(accessor, accessor->data + (size_t)((uint64_t)i * accessor->stride),
             values + (size_t)i * size);
    for (int i = 0; i < accessor->sparseCount; i++)
        load(accessor, accessor->sparseValues + (size_t)i * stride,
             values + (size_t)accessor->sparseIndices[i] * size);
    *out = values;
    return SN_OK;
}

snStatus snGltf_ReadFloats(snGltfDocument *document, const snGltfAccessor *accessor, snArena *arena,
                           float **out, snError *error)
{
    void *values = NULL;
    snStatus status = readAll(document, accessor, loadFloats, arena, &values, error);
    if (!status) *out = values;
    return status;
}

snStatus snGltf_ReadInts(snGltfDocument *document, const snGltfAccessor *accessor, snArena *arena,
                         int **out, snError *error)
{
    void *values = NULL;
    if (accessor->type != UBYTE && accessor->type != USHORT && accessor->type != UINT)
        return snJson_Fail(&document->json, accessor->node, error, SN_ERROR_FORMAT,
                           "component type %d where unsigned integers are needed", accessor->type);
    snStatus status = readAll(document, accessor, loadInts, arena, &values, error);
    if (!status) *out = values;
    return status;
}
