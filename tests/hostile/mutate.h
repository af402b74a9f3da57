// Seeded mutations: a file goes in, a broken or an odd one comes out. They know the formats, so that
// most of what they make gets past the first check and is wrong deeper in: counts that overflow,
// numbers that are none, cycles, indices out of range, singular matrices, deep nesting, wrong
// lengths, absurd sizes. The same random numbers give the same bytes.
#ifndef SN_TESTS_HOSTILE_MUTATE_H
#define SN_TESTS_HOSTILE_MUTATE_H

#include "core/random.h"
#include "tests/hostile/corpus.h"

// One to four mutations of a file, in the manner of its format.
void snMutate(snBytes *out, snFormat format, const uint8_t *bytes, size_t size, snRandom *random);

// ---- the kinds: each appends a mutated copy to `out` ----

typedef void snMutation(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random);

snMutation snMutate_Bytes;     // bits, bytes, spans removed, repeated, overwritten; cut off
snMutation snMutate_Numbers;   // binary data: 32-bit words and floats, alone and in spans
snMutation snMutate_Text;      // words and lines (OBJ, BVH)
snMutation snMutate_Bvh;       // a hierarchy: nesting, brackets
snMutation snMutate_Json;      // values, members and elements of any document
snMutation snMutate_GltfJson;  // what only glTF has: nodes, accessors, skins, buffers
snMutation snMutate_Container; // the header and the chunks of a .glb

// ---- helpers ----

bool snChance(snRandom *random, int oneIn);
// All of `bytes` but what stands in [begin, end), which becomes `text`.
void snSplice(snBytes *out, const uint8_t *bytes, size_t size, size_t begin, size_t end,
              const char *text, size_t length);
// How often something of this size may be repeated, so that mutants do not grow beyond all bounds.
int snMostCopies(size_t size);
// A number that some reader has been unhappy with, as text.
const char *snOddNumber(snRandom *random);

#endif
