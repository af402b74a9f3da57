// Files cut off and with bytes changed at random (seeded): the reader and the soft writer must say
// no or yes, but never crash, leak, hang or read beyond the end (run under the sanitizers).
#include "asset/gltf.h"
#include "core/random.h"
#include "tests/asset/gltf_make.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

static snBytes makeFile(const snContext *context)
{
    snCharacter made;
    snBytes glb = snMakeBytes(context);
    makeCharacter(&made, context);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    snCharacter_Destroy(&made);
    return glb;
}

static snStatus addSoft(const snGltfSource *source, snBytes *out, const snContext *context)
{
    static snVec3f offsets[MAKE_VERTICES];
    const snVec3f *positions[2] = {offsets, offsets};
    int counts[2] = {MAKE_VERTICES, MAKE_VERTICES};
    float times[2] = {0, 1}, values[6] = {0, 1, 0, 1, 0, 1};
    const float *weights[1] = {values};
    snSoftMesh mesh = {0, 0, 2, 1, positions, positions, counts};
    snSoftClip clip = {0, "soft", 2, times, weights, NULL};
    return snGltf_AddSoft(source, &mesh, 1, &clip, 1, out, context, NULL);
}

static bool isWhole(const snCharacter *character)
{
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        for (int i = 0; i < 3 * part->triangleCount; i++)
            if (part->triangles[i] < 0 || part->triangles[i] >= part->vertexCount) return false;
        for (int i = 0; i < part->vertexCount * part->influences; i++)
            if (part->joints[i] < 0 || part->joints[i] >= character->skins[part->skin].jointCount)
                return false;
        for (int v = 0; v < part->vertexCount; v++)
            if (!snIsFinite3(snFromF(part->positions[v]))) return false;
    }
    return true;
}

// Tries a file, from memory of exactly its size. Returns whether it was read.
static bool try(const uint8_t *bytes, size_t size)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    uint8_t *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, bytes, size);
    snGltfSource source = {.bytes = copy, .size = size};
    snCharacter character;
    snError error = {0};
    snStatus status = snGltf_Read(&character, &source, &context, &error);
    if (status)
        CHECK(error.code == status && error.message[0] && status != SN_ERROR_MEMORY);
    else
        CHECK(isWhole(&character));
    snCharacter_Destroy(&character);
    snBytes out = snMakeBytes(&context);
    snStatus soft = addSoft(&source, &out, &context);
    CHECK((soft == SN_OK) == (out.size > 0));
    if (!soft && !status) { // what was good and came out must be good still
        snGltfSource again = {.bytes = out.data, .size = out.size};
        CHECK(snGltf_Read(&character, &again, &context, &error) == SN_OK);
        snCharacter_Destroy(&character);
    }
    snBytes_Destroy(&out);
    free(copy);
    CHECK(memory.alive == 0);
    return !status;
}

static void truncations(void)
{
    snContext context = snDefaultContext();
    snBytes glb = makeFile(&context);
    CHECK(try(glb.data, glb.size));
    for (size_t size = 0; size < glb.size; size += 64)
        CHECK(!try(glb.data, size));
    // The header corrected: cut somewhere in the BIN chunk's data, its length too.
    size_t json = 20 + snLoadU32(glb.data + 12);
    for (size_t size = json; size < glb.size; size += 64) {
        snBytes cut = snMakeBytes(&context);
        snBytes_Append(&cut, glb.data, size);
        snBytes_SetU32(&cut, 8, (uint32_t)size);
        if (size >= json + 8) snBytes_SetU32(&cut, json, (uint32_t)(size - json - 8));
        CHECK(!try(cut.data, cut.size));
        snBytes_Destroy(&cut);
    }
    snBytes_Destroy(&glb);
}

// One to four changes: a bit, a byte, a digit of the JSON, a word to an extreme value.
static void mutate(snRandom *random, uint8_t *bytes, size_t size, size_t jsonEnd)
{
    static const uint32_t extremes[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fc00000};
    for (int changes = 1 + snRandom_Below(random, 4); changes > 0; changes--) {
        int kind = snRandom_Below(random, 4);
        size_t range = kind == 2 || snRandom_Below(random, 2) ? jsonEnd : size;
        size_t at = (size_t)snRandom_Below(random, (int)range - 4);
        if (kind == 0) bytes[at] ^= (uint8_t)(1 << snRandom_Below(random, 8));
        if (kind == 1) bytes[at] = (uint8_t)snRandom_Bits(random);
        if (kind == 2) {
            while (at < jsonEnd && (bytes[at] < '0' || bytes[at] > '9'))
                at++;
            if (at < jsonEnd) bytes[at] = (uint8_t)('0' + snRandom_Below(random, 10));
        }
        if (kind == 3) {
            uint32_t word = extremes[snRandom_Below(random, 6)];
            for (int b = 0; b < 4; b++)
                bytes[at + (size_t)b] = (uint8_t)(word >> (8 * b));
        }
    }
}

static void mutations(void)
{
    snContext context = snDefaultContext();
    snBytes glb = makeFile(&context);
    size_t jsonEnd = 20 + snLoadU32(glb.data + 12);
    uint8_t *bytes = malloc(glb.size);
    snRandom random = snMakeRandom(2026);
    int readable = 0;
    for (int i = 0; i < 2000; i++) {
        memcpy(bytes, glb.data, glb.size);
        mutate(&random, bytes, glb.size, jsonEnd);
        readable += try(bytes, glb.size);
    }
    CHECK(readable > 100 && readable < 1900); // both ways are taken
    free(bytes);
    snBytes_Destroy(&glb);
}

int main(void)
{
    RUN(truncations);
    RUN(mutations);
    return snTest_Finish();
}
