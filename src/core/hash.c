#include "core/hash.h"

#include <string.h>

// Both have about half of their bits set, and are odd.
#define FIRST 0xd6e8feb86659fd93u
#define SECOND 0xa0761d6478bd642fu

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * FIRST; // a bijection in either, so that no single change is lost
    hash ^= hash >> 32;
    hash *= SECOND;
    return hash ^ hash >> 29;
}

static uint64_t load(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

uint64_t snHash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8)
        hash = mix(hash, load(at, 8));
    return mix(mix(hash, load(at, left)), size); // the size tells zeros at the end apart
}

void snHasher_Begin(snHasher *hasher)
{
    hasher->hash = SN_HASH_BEGIN;
    hasher->filled = 0;
}

void snHasher_Take(snHasher *hasher, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size) {
        size_t room = SN_HASH_BLOCK - hasher->filled, taken = size < room ? size : room;
        memcpy(hasher->block + hasher->filled, at, taken);
        hasher->filled += taken;
        at += taken;
        size -= taken;
        if (hasher->filled < SN_HASH_BLOCK) return;
        hasher->hash = snHash(hasher->hash, hasher->block, SN_HASH_BLOCK);
        hasher->filled = 0;
    }
}

uint64_t snHasher_Value(const snHasher *hasher)
{
    return snHash(hasher->hash, hasher->block, hasher->filled);
}
