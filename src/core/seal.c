#include "core/seal.h"

#include <string.h>

void snSeal_Write(snSeal seal, void *at)
{
    memcpy(at, &seal, sizeof seal);
}

snStatus snSeal_Check(snSeal own, const void *bytes, size_t size, size_t wanted, const char *what,
                      snError *error)
{
    snSeal seal = {0, 0};
    if (size == wanted) memcpy(&seal, (const char *)bytes + size - sizeof seal, sizeof seal);
    if (size != wanted || seal.kind != own.kind)
        return snFail(
            error, SN_ERROR_FORMAT,
            "these %zu bytes are not the state of this %s, of %zu, nor of one made like it", size,
            what, wanted);
    if (seal.bytes != own.bytes)
        return snFail(error, SN_ERROR_FORMAT, "these %zu bytes were changed after they were saved",
                      size);
    return SN_OK;
}
