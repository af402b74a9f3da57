// Small hand-written glTF files for tests: JSON with ' for ", and a BIN chunk.
#ifndef SN_TESTS_ASSET_GLTF_TEXT_H
#define SN_TESTS_ASSET_GLTF_TEXT_H

#include "asset/gltf.h"

#include <stdio.h>
#include <string.h>

static inline void makeGlb(snBytes *out, const char *json, const void *bin, size_t binSize)
{
    size_t length = strlen(json), padded = (length + 3) & ~(size_t)3;
    snBytes_AppendText(out, "glTF");
    snBytes_AppendU32(out, 2);
    snBytes_AppendU32(out, 0);
    snBytes_AppendU32(out, (uint32_t)padded);
    snBytes_AppendText(out, "JSON");
    for (size_t i = 0; i < padded; i++)
        snBytes_AppendByte(out, (uint8_t)(i >= length ? ' ' : json[i] == '\'' ? '"' : json[i]));
    if (bin) {
        snBytes_AppendU32(out, (uint32_t)((binSize + 3) & ~(size_t)3));
        snBytes_Append(out, "BIN", 4);
        snBytes_Append(out, bin, binSize);
        snBytes_Align(out, 4, 0);
    }
    snBytes_SetU32(out, 8, (uint32_t)out->size);
}

static inline snStatus readGlb(snCharacter *character, const char *json, const void *bin,
                               size_t binSize, snError *error)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    makeGlb(&bytes, json, bin, binSize);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size};
    snStatus status = snGltf_Read(character, &source, &context, error);
    snBytes_Destroy(&bytes);
    return status;
}

#endif
