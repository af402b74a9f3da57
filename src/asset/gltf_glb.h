// Within the glTF writers: binary data with their accessors, and the .glb around all.
#ifndef SN_ASSET_GLTF_GLB_H
#define SN_ASSET_GLTF_GLB_H

#include "asset/bytes.h"
#include "asset/json_write.h"

// What an array is for.
#define SN_GLB_ATTRIBUTE 1u // vertex data
#define SN_GLB_INDICES 2u
#define SN_GLB_BOUNDS 4u // min and max are written

typedef struct snGlbBuilder {
    snBytes bin;
    snBytes views;     // JSON objects of the bufferViews, with commas between
    snBytes accessors; // JSON objects of the accessors, with commas between
    int viewCount;
    int accessorCount;
    int firstView; // numbers that are taken already, in a file that is added to
    int firstAccessor;
    size_t begin; // of the array being written
} snGlbBuilder;

snGlbBuilder snMakeGlbBuilder(const snAllocator *allocator);
void snGlbBuilder_Destroy(snGlbBuilder *builder);

// An array of `count` elements of `width` floats. Returns the accessor's number.
int snGlbBuilder_Floats(snGlbBuilder *builder, const float *values, int count, int width,
                        unsigned use);

// The same for data that the caller appends to `bin` between Begin and End. `bounds`: min and max,
// [2 * width], or NULL.
void snGlbBuilder_Begin(snGlbBuilder *builder);
int snGlbBuilder_End(snGlbBuilder *builder, int count, int width, int componentType, unsigned use,
                     const float *bounds);

// An accessor without data: zeros.
int snGlbBuilder_Zeros(snGlbBuilder *builder, int count, int width);

// A bufferView of bytes as they are (a picture). Returns its number.
int snGlbBuilder_Raw(snGlbBuilder *builder, const uint8_t *bytes, size_t size);

// "accessors", "bufferViews" and "buffers" of a fresh document.
void snGlbBuilder_WriteLists(const snGlbBuilder *builder, snJsonWriter *json);

// Header, JSON chunk, BIN chunk (when there are data), and further chunks as they are.
snStatus snGlb_Assemble(snBytes *out, const snBytes *json, const snBytes *bin,
                        const uint8_t *chunks, size_t chunksSize, snError *error);

#endif
