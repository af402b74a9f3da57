// Within the glTF reader: URIs.
#ifndef SN_ASSET_GLTF_URI_H
#define SN_ASSET_GLTF_URI_H

#include "asset/bytes.h"
#include "core/memory.h"

bool snUri_IsData(const char *uri); // "data:..."

// The bytes of a data: URI, base64 or percent-encoded.
snStatus snUri_DecodeData(const char *uri, snArena *arena, const uint8_t **bytes, size_t *size,
                          snError *error);

// The relative path that a URI names, with %20 and its like decoded. Refuses what could lead out of
// the file's own folder: absolute paths, other schemes, drive letters, "..".
snStatus snUri_ToPath(const char *uri, snArena *arena, const char **path, snError *error);

// What follows "data:application/octet-stream;base64,".
void snBytes_AppendBase64(snBytes *bytes, const uint8_t *data, size_t size);

#endif
