#include "asset/gltf_glb.h"

#include <math.h>

#define FLOAT 5126

snGlbBuilder snMakeGlbBuilder(const snAllocator *allocator)
{
    return (snGlbBuilder){.bin = snMakeBytesFrom(allocator),
                          .views = snMakeBytesFrom(allocator),
                          .accessors = snMakeBytesFrom(allocator)};
}

void snGlbBuilder_Destroy(snGlbBuilder *builder)
{
    snBytes_Destroy(&builder->bin);
    snBytes_Destroy(&builder->views);
    snBytes_Destroy(&builder->accessors);
}

// Every array begins at a multiple of four bytes, which suits every component type.
void snGlbBuilder_Begin(snGlbBuilder *builder)
{
    snBytes_Align(&builder->bin, 4, 0);
    builder->begin = builder->bin.size;
}

// The vertex stride has to be a multiple of four, and is for all that is written here: bytes and
// shorts come by fours.
static int addView(snGlbBuilder *builder, unsigned use)
{
    if (builder->viewCount > 0) snBytes_AppendByte(&builder->views, ',');
    snBytes_Format(&builder->views, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu",
                   builder->begin, builder->bin.size - builder->begin);
    if (use & SN_GLB_ATTRIBUTE) snBytes_AppendText(&builder->views, ",\"target\":34962");
    if (use & SN_GLB_INDICES) snBytes_AppendText(&builder->views, ",\"target\":34963");
    snBytes_AppendByte(&builder->views, '}');
    return builder->firstView + builder->viewCount++;
}

static void writeBounds(snBytes *out, const float *bounds, int width)
{
    snJsonWriter json = snMakeJsonWriter(out, false);
    for (int side = 0; side < 2; side++) {
        snBytes_AppendText(out, side ? ",\"max\":" : ",\"min\":");
        snJsonWriter_BeginLine(&json);
        for (int i = 0; i < width; i++)
            snJsonWriter_Float(&json, bounds[side * width + i]);
        snJsonWriter_EndArray(&json);
    }
}

static int addAccessor(snGlbBuilder *builder, int view, int count, int width, int componentType,
                       const float *bounds)
{
    const char *type = width == 1   ? "SCALAR"
                       : width == 2 ? "VEC2"
                       : width == 3 ? "VEC3"
                       : width == 4 ? "VEC4"
                                    : "MAT4";
    if (builder->accessorCount > 0) snBytes_AppendByte(&builder->accessors, ',');
    snBytes_AppendByte(&builder->accessors, '{');
    if (view >= 0) snBytes_Format(&builder->accessors, "\"bufferView\":%d,", view);
    snBytes_Format(&builder->accessors, "\"componentType\":%d,\"count\":%d,\"type\":\"%s\"",
                   componentType, count, type);
    if (bounds) writeBounds(&builder->accessors, bounds, width);
    snBytes_AppendByte(&builder->accessors, '}');
    return builder->firstAccessor + builder->accessorCount++;
}

int snGlbBuilder_End(snGlbBuilder *builder, int count, int width, int componentType, unsigned use,
                     const float *bounds)
{
    int view = addView(builder, use);
    return addAccessor(builder, view, count, width, componentType, bounds);
}

int snGlbBuilder_Floats(snGlbBuilder *builder, const float *values, int count, int width,
                        unsigned use)
{
    float bounds[32];
    SN_ASSERT(width <= 16 && count > 0);
    for (int k = 0; k < width; k++) {
        bounds[k] = bounds[width + k] = values[k];
        for (int i = 1; i < count; i++) {
            float value = values[(size_t)i * (size_t)width + (size_t)k];
            bounds[k] = fminf(bounds[k], value);
            bounds[width + k] = fmaxf(bounds[width + k], value);
        }
    }
    snGlbBuilder_Begin(builder);
    snBytes_AppendF32s(&builder->bin, values, (size_t)count * (size_t)width);
    return snGlbBuilder_End(builder, count, width, FLOAT, use, use & SN_GLB_BOUNDS ? bounds : NULL);
}

int snGlbBuilder_Zeros(snGlbBuilder *builder, int count, int width)
{
    static const float zeros[32];
    return addAccessor(builder, -1, count, width, FLOAT, zeros);
}

int snGlbBuilder_Raw(snGlbBuilder *builder, const uint8_t *bytes, size_t size)
{
    snGlbBuilder_Begin(builder);
    snBytes_Append(&builder->bin, bytes, size);
    return addView(builder, 0);
}

static void writeList(snJsonWriter *json, const char *key, const snBytes *objects)
{
    if (objects->size == 0) return;
    snJsonWriter_Key(json, key);
    snJsonWriter_BeginArray(json);
    snJsonWriter_Raw(json, (const char *)objects->data, objects->size);
    snJsonWriter_EndArray(json);
}

void snGlbBuilder_WriteLists(const snGlbBuilder *builder, snJsonWriter *json)
{
    writeList(json, "accessors", &builder->accessors);
    writeList(json, "bufferViews", &builder->views);
    if (builder->bin.size) {
        snJsonWriter_Key(json, "buffers");
        snJsonWriter_BeginArray(json);
        snJsonWriter_BeginObject(json);
        snJsonWriter_PutInt(json, "byteLength", (int64_t)builder->bin.size);
        snJsonWriter_EndObject(json);
        snJsonWriter_EndArray(json);
    }
    if (builder->bin.failed || builder->views.failed || builder->accessors.failed)
        json->out->failed = true;
}

static void appendChunk(snBytes *out, uint32_t type, const snBytes *content, uint8_t fill)
{
    size_t padding = (4 - content->size % 4) % 4;
    snBytes_AppendU32(out, (uint32_t)(content->size + padding));
    snBytes_AppendU32(out, type);
    snBytes_Append(out, content->data, content->size);
    snBytes_Fill(out, fill, padding);
}

snStatus snGlb_Assemble(snBytes *out, const snBytes *json, const snBytes *bin,
                        const uint8_t *chunks, size_t chunksSize, snError *error)
{
    if (json->failed || bin->failed) return snFailMemory(error);
    uint64_t total = 12 + 8 + 8 + 6 + (uint64_t)json->size + bin->size + chunksSize;
    if (total > UINT32_MAX)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the .glb would have %llu bytes; the format ends at 4 GiB",
                      (unsigned long long)total);
    size_t start = out->size;
    snBytes_AppendU32(out, 0x46546C67u); // "glTF"
    snBytes_AppendU32(out, 2);
    snBytes_AppendU32(out, 0);
    appendChunk(out, 0x4E4F534Au, json, ' ');
    if (bin->size) appendChunk(out, 0x004E4942u, bin, 0);
    snBytes_Append(out, chunks, chunksSize);
    snBytes_SetU32(out, start + 8, (uint32_t)(out->size - start));
    return snBytes_Check(out, error);
}
