#include "cli/unpack.h"

#include "core/error.h"

#include <dlfcn.h>
#include <string.h>

typedef int Decode(void *out, size_t count, size_t size, const unsigned char *bytes, size_t length);
typedef void Filter(void *bytes, size_t count, size_t stride);

// The library stays open until the process ends.
static void *openLibrary(void)
{
    static const char *const names[] = {"libmeshoptimizer.so.2d", "libmeshoptimizer.so.2",
                                        "libmeshoptimizer.so"};
    void *library = NULL;
    for (int i = 0; i < 3 && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

// ISO C has no cast from a data pointer, but POSIX promises that both look the same.
static Decode *findDecode(void *library, snPackedMode mode)
{
    static const char *const names[] = {"meshopt_decodeVertexBuffer", "meshopt_decodeIndexBuffer",
                                        "meshopt_decodeIndexSequence"};
    void *address = dlsym(library, names[mode]);
    Decode *decode;
    memcpy(&decode, &address, sizeof decode);
    return decode;
}

static Filter *findFilter(void *library, snPackedFilter filter)
{
    static const char *const names[] = {NULL, "meshopt_decodeFilterOct", "meshopt_decodeFilterQuat",
                                        "meshopt_decodeFilterExp"};
    void *address = dlsym(library, names[filter]);
    Filter *function;
    memcpy(&function, &address, sizeof function);
    return function;
}

snStatus snUnpackMeshopt(void *user, const snGltfPacked *packed, uint8_t *out, snError *error)
{
    (void)user;
    bool filtered = packed->filter != SN_FILTER_NONE;
    void *library = openLibrary();
    Decode *decode = library ? findDecode(library, packed->mode) : NULL;
    Filter *filter = library && filtered ? findFilter(library, packed->filter) : NULL;
    if (!decode || (filtered && !filter))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the file is compressed (EXT_meshopt_compression): install "
                      "libmeshoptimizer2d, or unpack it with: npx @gltf-transform/cli copy in.glb "
                      "out.glb");
    if (packed->count == 0) return SN_OK;
    if (decode(out, packed->count, packed->stride, packed->bytes, packed->size))
        return snFail(error, SN_ERROR_FORMAT, "the compressed data are broken");
    if (filtered) filter(out, packed->count, packed->stride);
    return SN_OK;
}
