// Mutations that know nothing of a format but bytes, words and floats.
#include "tests/hostile/mutate.h"

#include <string.h>

#define LARGEST_GROWTH ((size_t)2 << 20) // bytes, by one mutation

bool snChance(snRandom *random, int oneIn)
{
    return snRandom_Below(random, oneIn) == 0;
}

void snSplice(snBytes *out, const uint8_t *bytes, size_t size, size_t begin, size_t end,
              const char *text, size_t length)
{
    snBytes_Append(out, bytes, begin);
    snBytes_Append(out, text, length);
    snBytes_Append(out, bytes + end, size - end);
}

int snMostCopies(size_t size)
{
    return (int)(LARGEST_GROWTH / (size + 1));
}

const char *snOddNumber(snRandom *random)
{
    static const char *const numbers[] = {
        "0",          "1",          "-1",         "2",          "3",
        "-0.0",       "0.5",        "255",        "256",        "65535",
        "65536",      "1000000",    "2147483647", "2147483648", "-2147483648",
        "4294967295", "4294967296", "1073741824", "1e-320",     "1e-30",
        "1e20",       "3.5e38",     "1e308",      "-1e308",     "1e999",
        "-1e999",     "1e-999",     "NaN",        "Infinity",   "9007199254740993",
        "nan",        "-inf",       "12e",        "0x10",       "18446744073709551615",
    };
    return numbers[snRandom_Below(random, (int)(sizeof numbers / sizeof *numbers))];
}

// A place in [0, size], near an end as often as not.
static size_t place(snRandom *random, size_t size)
{
    if (size == 0) return 0;
    size_t range = snChance(random, 3) && size > 64 ? 64 : size;
    size_t at = (size_t)snRandom_Below(random, (int)range + 1);
    return snChance(random, 4) ? size - at : at;
}

static size_t spanEnd(snRandom *random, size_t begin, size_t size)
{
    size_t longest = size - begin;
    if (!snChance(random, 4) && longest > 64) longest = 64;
    return begin + (size_t)snRandom_Below(random, (int)longest + 1);
}

void snMutate_Bytes(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    size_t begin = place(random, size), end = spanEnd(random, begin, size);
    size_t first = out->size;
    int kind = snRandom_Below(random, 6);
    if (kind == 0) { // cut off
        snBytes_Append(out, bytes, begin);
        return;
    }
    if (kind == 1) { // a span removed
        snSplice(out, bytes, size, begin, end, "", 0);
        return;
    }
    if (kind == 2) { // a span repeated
        snBytes_Append(out, bytes, end);
        int count = snChance(random, 4) ? snMostCopies(end - begin) : 1;
        for (int k = count < 1000 ? count : 1000; k > 0; k--)
            snBytes_Append(out, bytes + begin, end - begin);
        snBytes_Append(out, bytes + end, size - end);
        return;
    }
    snBytes_Append(out, bytes, size);
    if (out->failed || end == begin) return;
    uint8_t *copy = out->data + first;
    if (kind == 3) copy[begin] ^= (uint8_t)(1 << snRandom_Below(random, 8));
    if (kind == 4) memset(copy + begin, (int)(snRandom_Bits(random) & 255), end - begin);
    if (kind == 5)
        for (size_t i = begin; i < end; i++)
            copy[i] = (uint8_t)snRandom_Bits(random);
}

static uint32_t oddWord(snRandom *random, uint32_t old)
{
    static const uint32_t words[] = {
        0,          1,          2,          0xff,       0xffff,     0x10000,    0x7fffffff,
        0x80000000, 0xffffffff, 0x40000000, 0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000,
        0x7f7fffff, 0x00000001, 0x7e967699, 0x3f800000, 0x7f800001, 0x5f000000,
    }; // the last: NaN, infinity, FLT_MAX, the smallest, 1e38, 1, a signalling NaN, 2^63
    int kind = snRandom_Below(random, 28);
    if (kind < 20) return words[kind];
    if (kind == 20) return old ^ 0x80000000u; // the other sign
    if (kind == 21) return old + 1;
    if (kind == 22) return old - 1;
    if (kind < 26) return old + 0x00800000u;  // a float twice as large
    if (kind == 26) return old - 0x08000000u; // 65536 times as small
    return snRandom_Bits(random);
}

void snMutate_Numbers(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    size_t first = out->size;
    snBytes_Append(out, bytes, size);
    int words = (int)(size / 4);
    if (out->failed || words == 0) return;
    int begin = snRandom_Below(random, words), count = 1;
    if (snChance(random, 3)) count = 1 + snRandom_Below(random, words - begin);
    uint32_t word = oddWord(random, snLoadU32(bytes + 4 * begin));
    bool same =
        snChance(random, 2); // one number everywhere: surfaces without extent, zero matrices
    for (int i = begin; i < begin + count; i++) {
        size_t at = (size_t)i * 4;
        snBytes_SetU32(out, first + at, same ? word : oddWord(random, snLoadU32(bytes + at)));
    }
}
