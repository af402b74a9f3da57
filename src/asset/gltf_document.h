// Within the glTF reader: the container, the JSON and the buffers of a file, opened and checked.
// Accessors are read through gltf_accessor.h.
#ifndef SN_ASSET_GLTF_DOCUMENT_H
#define SN_ASSET_GLTF_DOCUMENT_H

#include "asset/gltf.h"
#include "asset/json.h"

typedef struct snGltfBuffer {
    const uint8_t *bytes; // NULL: the file has no data for it
    size_t size;          // as its byteLength says
} snGltfBuffer;

typedef struct snGltfDocument {
    const snGltfSource *source;
    const snContext *context;
    snArena *arena; // scratch: holds the JSON tree and decoded buffers
    snJson json;
    bool isBinary;      // a .glb
    const uint8_t *bin; // the BIN chunk, as long as the chunk says; NULL: none
    size_t binSize;
    const uint8_t *chunks; // whole chunks behind it, which belong to others
    size_t chunksSize;
    int bufferCount;
    snGltfBuffer *buffers;
    snGltfBuffer *unpacked; // [bufferViews], those that were packed; NULL while buffers are read
    // The lists of the document: arrays of objects, or NULL.
    const snJsonNode *nodes, *meshes, *skins, *animations, *accessors, *bufferViews;
    const snJsonNode *materials, *textures, *images, *scenes, *bufferList;
    // Bytes that may still be unpacked. Accessors and images may refer to the same data again and
    // again, so that a small file could ask for any amount of memory.
    uint64_t budget;
} snGltfDocument;

// Container, JSON, version, required extensions, lists and buffers. Arena memory only.
snStatus snGltf_Open(snGltfDocument *document, const snGltfSource *source, const snContext *context,
                     snArena *arena, snError *error);

// A whole number of up to 2^40 (sizes and offsets); absent leaves *out.
snStatus snGltf_ReadSize(const snGltfDocument *document, const snJsonNode *object, const char *key,
                         uint64_t *out, snError *error);

// What a member that refers to an element of a list refers to; NULL when the member is absent.
snStatus snGltf_ReadReference(const snGltfDocument *document, const snJsonNode *object,
                              const char *key, const snJsonNode *list, const snJsonNode **out,
                              snError *error);

typedef struct snGltfView {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t stride; // 0: tight
} snGltfView;
snStatus snGltf_OpenView(const snGltfDocument *document, const snJsonNode *view, snGltfView *out,
                         snError *error);

// gltf_packed.c: fills document->unpacked.
snStatus snGltf_UnpackViews(snGltfDocument *document, snError *error);

// The bytes behind a URI: decoded data, or a neighbouring file.
snStatus snGltf_LoadUri(const snGltfDocument *document, const snJsonNode *uri,
                        const uint8_t **bytes, size_t *size, snError *error);
bool snGltf_IsDataUri(const snGltfDocument *document, const snJsonNode *uri);

// Takes bytes off the budget, or fails.
snStatus snGltf_Spend(snGltfDocument *document, const snJsonNode *node, uint64_t bytes,
                      snError *error);

#endif
