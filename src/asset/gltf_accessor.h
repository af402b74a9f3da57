// Within the glTF reader: accessors, with every offset, count and stride checked before use.
#ifndef SN_ASSET_GLTF_ACCESSOR_H
#define SN_ASSET_GLTF_ACCESSOR_H

#include "asset/gltf_document.h"

typedef struct snGltfAccessor {
    const snJsonNode *node;
    int count;           // elements
    int width;           // numbers per element: 1 to 16
    int rows;            // of a matrix's column, else the width
    int type;            // 5120 ... 5126, as in OpenGL
    bool normalized;     // integers stand for 0..1 or -1..1
    const uint8_t *data; // NULL: zeros
    uint64_t stride;
    int sparseCount;             // elements that are given anew
    const uint8_t *sparseValues; // [sparseCount], tight
    int *sparseIndices;          // [sparseCount], ascending, below count; in the document's arena
} snGltfAccessor;

// Opens accessor number `reference` (a node of the document that holds the number, for messages).
snStatus snGltf_OpenAccessor(snGltfDocument *document, const snJsonNode *reference,
                             snGltfAccessor *accessor, snError *error);

// All numbers, as floats [count * width]; integers normalised where the accessor says so.
snStatus snGltf_ReadFloats(snGltfDocument *document, const snGltfAccessor *accessor, snArena *arena,
                           float **out, snError *error);

// All numbers of an accessor of unsigned integers; beyond INT_MAX becomes INT_MAX.
snStatus snGltf_ReadInts(snGltfDocument *document, const snGltfAccessor *accessor, snArena *arena,
                         int **out, snError *error);

#endif
