// Point caches that are read: what was written comes back, and what is broken is refused.
#include "asset/point_cache.h"

#include "asset/bytes.h"
#include "asset/sequence.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define POINTS 5
#define FRAMES 4

static snVec3f frames[FRAMES][POINTS];

static snStatus append(void *user, const void *data, size_t size, snError *error)
{
    (void)error;
    snBytes_Append(user, data, size);
    return SN_OK;
}

static snBytes writeCache(bool pc2)
{
    static double times[FRAMES] = {0, 0.25, 0.5, 0.75};
    static const snVec3f *rows[FRAMES];
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    snSequenceMesh mesh = {.name = "m", .vertexCount = POINTS};
    for (int k = 0; k < FRAMES; k++) {
        rows[k] = frames[k];
        for (int i = 0; i < POINTS; i++)
            frames[k][i] = (snVec3f){(float)k, (float)i, 0.5f * (float)(i * k)};
    }
    snSequence s = {.name = "s",
                    .meshCount = 1,
                    .meshes = &mesh,
                    .vertexCount = POINTS,
                    .frameCount = FRAMES,
                    .frameRate = 4,
                    .times = times,
                    .frames = rows};
    snSink sink = {append, &bytes};
    CHECK((pc2 ? snSequence_WritePc2(&s, 0, sink, NULL) : snSequence_WriteMdd(&s, 0, sink, NULL)) ==
          SN_OK);
    return bytes;
}

static void comesBack(void)
{
    snContext context = snDefaultContext();
    for (int pc2 = 0; pc2 < 2; pc2++) {
        snArena arena = snMakeArena(&context);
        snBytes bytes = writeCache(pc2);
        snPointSamples s, both[2], joined;
        CHECK(snPointCache_Read(&s, bytes.data, bytes.size, 4.0, &arena, NULL) == SN_OK);
        CHECK(s.pointCount == POINTS && s.sampleCount == FRAMES);
        CHECK(!memcmp(s.points, frames, sizeof frames));
        for (int k = 0; k < FRAMES; k++)
            CHECK(fabs(s.times[k] - 0.25 * k) < 1e-7);
        both[0] = both[1] = s;
        CHECK(snPointCache_Join(&joined, 2, both, &arena, NULL) == SN_OK);
        CHECK(joined.pointCount == 2 * POINTS);
        for (int k = 0; k < FRAMES; k++)
            for (int i = 0; i < 2 * POINTS; i++)
                CHECK(!memcmp(&joined.points[2 * POINTS * k + i], &frames[k][i % POINTS],
                              sizeof(snVec3f)));
        both[1].sampleCount = FRAMES - 1;
        CHECK(snPointCache_Join(&joined, 2, both, &arena, NULL) == SN_ERROR_FORMAT);
        snArena_Destroy(&arena);
        snBytes_Destroy(&bytes);
    }
}

// Cut off anywhere, with numbers that are none, or of no point.
static void brokenOnesAreRefused(void)
{
    snContext context = snDefaultContext();
    for (int pc2 = 0; pc2 < 2; pc2++) {
        snArena arena = snMakeArena(&context);
        snBytes bytes = writeCache(pc2);
        snPointSamples s;
        for (size_t size = 0; size < bytes.size; size++) {
            snError error = {0};
            CHECK(snPointCache_Read(&s, bytes.data, size, 4.0, &arena, &error) != SN_OK);
            CHECK(error.message[0] != 0);
        }
        memset(bytes.data + bytes.size - 4, 0xff, 4);
        CHECK(snPointCache_Read(&s, bytes.data, bytes.size, 4.0, &arena, NULL) == SN_ERROR_FORMAT);
        memset(bytes.data + (pc2 ? 28 : 0), 0, 4);
        CHECK(snPointCache_Read(&s, bytes.data, bytes.size, 4.0, &arena, NULL) == SN_ERROR_FORMAT);
        snArena_Destroy(&arena);
        snBytes_Destroy(&bytes);
    }
}

static void everyAllocationMayFail(void)
{
    for (int pc2 = 0; pc2 < 2; pc2++) {
        snBytes bytes = writeCache(pc2);
        snStatus status = SN_ERROR_MEMORY;
        for (int n = 1; status && n < 20; n++) {
            snContext context = snDefaultContext();
            snFailingMemory memory = {.failAtWay = n};
            snTest_UseFailingMemory(&context, &memory);
            snArena arena = snMakeArena(&context);
            snPointSamples s;
            status = snPointCache_Read(&s, bytes.data, bytes.size, 4.0, &arena, NULL);
            CHECK(status == (memory.count < n ? SN_OK : SN_ERROR_MEMORY));
            snArena_Destroy(&arena);
            CHECK(memory.alive == 0);
        }
        CHECK(status == SN_OK);
        snBytes_Destroy(&bytes);
    }
}

// Times of an .mdd follow its counts, big-endian: none may be NaN or go back.
static void badTimesAreRefused(void)
{
    static const uint8_t nan[4] = {0x7F, 0xC0, 0, 0}, back[4] = {0xBF, 0x80, 0, 0}, none[4] = {0};
    struct {
        size_t at;
        const uint8_t *bytes;
        const char *expected;
    } cases[] = {{12, nan, "sample 1 is at"},
                 {16, back, "sample 2 is at -1 s"},
                 {0, none, "it is empty"},
                 {4, none, "it is empty"},
                 {24, nan, "point 0 of sample 0 is not finite"}};
    snContext context = snDefaultContext();
    for (int i = 0; i < 5; i++) {
        snArena arena = snMakeArena(&context);
        snBytes bytes = writeCache(false);
        memcpy(bytes.data + cases[i].at, cases[i].bytes, 4);
        size_t size = i == 2 ? 8 : i == 3 ? 8 + 4 * FRAMES : bytes.size;
        snPointSamples s;
        snError error = {0};
        CHECK(snPointCache_Read(&s, bytes.data, size, 4.0, &arena, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected))) printf("    %s\n", error.message);
        snArena_Destroy(&arena);
        snBytes_Destroy(&bytes);
    }
}

int main(void)
{
    RUN(comesBack);
    RUN(brokenOnesAreRefused);
    RUN(everyAllocationMayFail);
    RUN(badTimesAreRefused);
    return snTest_Finish();
}
