#include "tests/hostile/mutate.h"

#include <string.h>

// ---- .glb: header, chunks ----

typedef struct Parts {
    const uint8_t *json, *bin;
    size_t jsonSize, binSize;
} Parts;

// The chunks of a file that is whole; false for others.
static bool splitGlb(const uint8_t *bytes, size_t size, Parts *parts)
{
    if (size < 20 || memcmp(bytes, "glTF", 4)) return false;
    parts->jsonSize = snLoadU32(bytes + 12);
    if (parts->jsonSize > size - 20) return false;
    parts->json = bytes + 20;
    size_t bin = 20 + parts->jsonSize;
    if (size < bin + 8) return false;
    parts->binSize = snLoadU32(bytes + bin);
    parts->bin = bytes + bin + 8;
    return parts->binSize <= size - bin - 8;
}

static void joinGlb(snBytes *out, const uint8_t *json, size_t jsonSize, const uint8_t *bin,
                    size_t binSize)
{
    size_t first = out->size;
    snBytes_AppendText(out, "glTF");
    snBytes_AppendU32(out, 2);
    snBytes_AppendU32(out, 0);
    snBytes_AppendU32(out, (uint32_t)((jsonSize + 3) & ~(size_t)3));
    snBytes_AppendText(out, "JSON");
    snBytes_Append(out, json, jsonSize);
    snBytes_Fill(out, ' ', (4 - jsonSize % 4) % 4);
    snBytes_AppendU32(out, (uint32_t)((binSize + 3) & ~(size_t)3));
    snBytes_Append(out, "BIN", 4);
    snBytes_Append(out, bin, binSize);
    snBytes_Fill(out, 0, (4 - binSize % 4) % 4);
    if (!out->failed) snBytes_SetU32(out, first + 8, (uint32_t)(out->size - first));
}

void snMutate_Container(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    size_t first = out->size;
    Parts parts;
    snBytes_Append(out, bytes, size);
    if (out->failed || !splitGlb(bytes, size, &parts)) return;
    size_t bin = 20 + parts.jsonSize;
    const size_t words[] = {0, 4, 8, 12, 16, bin, bin + 4}; // all that the container has
    size_t at = words[snRandom_Below(random, 7)];
    uint32_t old = snLoadU32(bytes + at);
    const uint32_t values[] = {0,       1,       old + 1,    old - 1,    old + 4,
                               old * 2, old / 2, 0xfffffffc, 0x7fffffff, 0x80000000};
    snBytes_SetU32(out, first + at, values[snRandom_Below(random, 10)]);
}

typedef struct Choice {
    int weight;
    snMutation *mutation;
} Choice;

static void choose(snBytes *out, const Choice *choices, const uint8_t *bytes, size_t size,
                   snRandom *random)
{
    int total = 0;
    for (const Choice *c = choices; c->mutation; c++)
        total += c->weight;
    int ticket = snRandom_Below(random, total);
    const Choice *chosen = choices;
    while (ticket >= chosen->weight)
        ticket -= (chosen++)->weight;
    chosen->mutation(out, bytes, size, random);
}

static void mutateGlb(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    static const Choice json[] = {
        {6, snMutate_GltfJson}, {3, snMutate_Json}, {1, snMutate_Bytes}, {0}};
    static const Choice whole[] = {{1, snMutate_Container}, {1, snMutate_Bytes}, {0}};
    Parts parts;
    if (!splitGlb(bytes, size, &parts) || snChance(random, 10)) {
        choose(out, whole, bytes, size, random);
        return;
    }
    snBytes changed = snMakeBytesFrom(&out->allocator);
    if (snChance(random, 2)) {
        snMutate_Numbers(&changed, parts.bin, parts.binSize, random);
        joinGlb(out, parts.json, parts.jsonSize, changed.data, changed.size);
    } else {
        size_t jsonSize = parts.jsonSize;
        while (jsonSize > 0 && parts.json[jsonSize - 1] == ' ') // padding
            jsonSize--;
        choose(&changed, json, parts.json, jsonSize, random);
        joinGlb(out, changed.data, changed.size, parts.bin, parts.binSize);
    }
    snBytes_Destroy(&changed);
}

static void mutateOnce(snBytes *out, snFormat format, const uint8_t *bytes, size_t size,
                       snRandom *random)
{
    static const Choice gltf[] = {
        {6, snMutate_GltfJson}, {4, snMutate_Json}, {1, snMutate_Bytes}, {0}};
    static const Choice obj[] = {{6, snMutate_Text}, {1, snMutate_Bytes}, {0}};
    static const Choice bvh[] = {{6, snMutate_Text}, {2, snMutate_Bvh}, {1, snMutate_Bytes}, {0}};
    static const Choice pc2[] = {{2, snMutate_Numbers}, {1, snMutate_Bytes}, {0}};
    static const Choice json[] = {{6, snMutate_Json}, {1, snMutate_Bytes}, {0}};
    static const Choice script[] = {{6, snMutate_Text}, {1, snMutate_Bytes}, {0}};
    static const Choice *const choices[SN_FORMATS] = {NULL, gltf, obj, bvh,  pc2,  json,
                                                      json, json, pc2, json, json, script};
    if (format == SN_FORMAT_GLB)
        mutateGlb(out, bytes, size, random);
    else
        choose(out, choices[format], bytes, size, random);
}

void snMutate(snBytes *out, snFormat format, const uint8_t *bytes, size_t size, snRandom *random)
{
    // Mostly a single change: the others would hide what it does.
    int changes = snChance(random, 3) ? 2 + snRandom_Below(random, 3) : 1;
    snBytes from = snMakeBytesFrom(&out->allocator), to = snMakeBytesFrom(&out->allocator);
    snBytes_Append(&from, bytes, size);
    for (; changes > 0 && from.size > 0; changes--) {
        snBytes_Clear(&to);
        mutateOnce(&to, format, from.data, from.size, random);
        snBytes swap = from;
        from = to;
        to = swap;
    }
    snBytes_Append(out, from.data, from.size);
    snBytes_Destroy(&from);
    snBytes_Destroy(&to);
}
