#include "tests/test.h"

#include "core/hash.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

// Known values: a fingerprint that changes from version to version makes old files look changed.
static void staysTheSame(void)
{
    CHECK(snHash(SN_HASH_BEGIN, "", 0) == snHash(SN_HASH_BEGIN, NULL, 0));
    printf("%016llx %016llx\n", (unsigned long long)snHash(SN_HASH_BEGIN, "", 0),
           (unsigned long long)snHash(SN_HASH_BEGIN, "sinew and flesh", 15));
    CHECK(snHash(SN_HASH_BEGIN, "", 0) == 0x23caec2207a3860fu);
    CHECK(snHash(SN_HASH_BEGIN, "sinew and flesh", 15) == 0x5015d299e6bb80e1u);
}

// Every single bit of a few bytes counts, about half of the result's bits change, and zeros at the
// end are not lost.
static void everyBitCounts(void)
{
    unsigned char bytes[40] = {0};
    double changed = 0;
    for (size_t size = 1; size <= sizeof bytes; size++) {
        uint64_t plain = snHash(SN_HASH_BEGIN, bytes, size);
        CHECK(plain != snHash(SN_HASH_BEGIN, bytes, size - 1));
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t other = snHash(SN_HASH_BEGIN, bytes, size);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            CHECK(other != plain);
            if (size == sizeof bytes) changed += __builtin_popcountll(other ^ plain);
        }
    }
    changed /= 8 * sizeof bytes;
    printf("%.1f of 64 bits change\n", changed);
    CHECK(changed > 28 && changed < 36);
}

static void piecesOfAnySize(void)
{
    static unsigned char bytes[3 * SN_HASH_BLOCK + 100];
    snRandom random = snMakeRandom(7);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)snRandom_Below(&random, 256);
    snHasher whole, pieces;
    for (size_t size = 0; size <= sizeof bytes; size += 577) {
        snHasher_Begin(&whole);
        snHasher_Take(&whole, bytes, size);
        snHasher_Begin(&pieces);
        for (size_t at = 0; at < size;) {
            size_t step = (size_t)snRandom_Below(&random, 5000);
            if (step > size - at) step = size - at;
            snHasher_Take(&pieces, bytes + at, step);
            at += step;
            snHasher_Value(&pieces); // asking changes nothing
        }
        CHECK(snHasher_Value(&whole) == snHasher_Value(&pieces));
    }
}

int main(void)
{
    RUN(staysTheSame);
    RUN(everyBitCounts);
    RUN(piecesOfAnySize);
    return snTest_Finish();
}
