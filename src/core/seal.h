// A seal at the end of saved bytes: what kind of thing they are the state of, and a hash of them. Bytes of something else, or that were changed, are
// known by it before anything is taken from them.
#ifndef SN_CORE_SEAL_H
#define SN_CORE_SEAL_H

#include "core/error.h"

typedef struct snSeal {
    uint64_t kind;  // of what they are the state of: things made alike have the same
    uint64_t bytes; // the hash of what counts
} snSeal;

void snSeal_Write(snSeal seal, void *at);
// Of `what` ("world"), which has `wanted` bytes with the seal: what stands at the end of the bytes must be `own`.
snStatus snSeal_Check(snSeal own, const void *bytes, size_t size, size_t wanted, const char *what,
                      snError *error);

#endif
