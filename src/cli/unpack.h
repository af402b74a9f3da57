// Files packed by EXT_meshopt_compression, through the library that made the format (Debian:
// libmeshoptimizer2d), which is loaded when such a file is met.
#ifndef SN_CLI_UNPACK_H
#define SN_CLI_UNPACK_H

#include "asset/gltf.h"

// For snGltfSource.unpack. Where the library is missing the message says how to get it, and which
// command unpacks the file without it.
snStatus snUnpackMeshopt(void *user, const snGltfPacked *packed, uint8_t *out, snError *error);

#endif
