// A short fingerprint of bytes, the same on every machine: to tell files and states apart, not to
// keep secrets. Pieces are taken one after another, and where one ends matters:
//     uint64_t hash = snHash(SN_HASH_BEGIN, bytes, size);
//     hash = snHash(hash, more, moreSize);
#ifndef SN_CORE_HASH_H
#define SN_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SN_HASH_BEGIN 0x9e3779b97f4a7c15u

uint64_t snHash(uint64_t hash, const void *bytes, size_t size);

// The same for bytes that come in pieces of any size: only their order matters.
#define SN_HASH_BLOCK 4096
typedef struct snHasher {
    uint64_t hash; // of whole blocks
    size_t filled;
    unsigned char block[SN_HASH_BLOCK];
} snHasher;

void snHasher_Begin(snHasher *hasher);
void snHasher_Take(snHasher *hasher, const void *bytes, size_t size);
uint64_t snHasher_Value(const snHasher *hasher); // of all that was taken; more may follow

#endif
