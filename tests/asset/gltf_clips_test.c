// Clips added to a file: they read back, what was there stays, what does not fit is refused.
#include "asset/gltf.h"
#include "character/chain.h"
#include "tests/asset/gltf_make.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double apart(const snCharacter *c, const snPose *a, const snPose *b)
{
    double worst = 0;
    for (int j = 0; j < c->skeleton.jointCount; j++)
        worst = fmax(worst, snDistance(a->global[j].origin, b->global[j].origin));
    for (int m = 0; m < c->morphCount; m++)
        worst = fmax(worst, fabs(a->morphs[m] - b->morphs[m]));
    return worst;
}

// All clips of a file in a chain, added to it and read again.
static void checkChain(const unsigned char *bytes, size_t size)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBytes out = snMakeBytes(&context);
    snGltfSource source = {.bytes = bytes, .size = size};
    snCharacter before, after;
    snPose a, b;
    snClip chain;
    snError error = {0};
    int all[8];
    if (!CHECK(snGltf_Read(&before, &source, &context, &error) == SN_OK)) return;
    snChainDef def = {.name = "all \"of\" it", .clips = all, .blend = 0.1};
    for (; def.clipCount < before.clipCount && def.clipCount < 8; def.clipCount++)
        all[def.clipCount] = def.clipCount;
    CHECK(snChainClips(&chain, &before, &def, &arena, &error) == SN_OK);
    CHECK(snGltf_AddClips(&source, &before, &chain, 1, &out, &context, &error) == SN_OK);
    snGltfSource added = {.bytes = out.data, .size = out.size};
    if (!CHECK(snGltf_Read(&after, &added, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    CHECK(after.clipCount == before.clipCount + 1 && after.vertexCount == before.vertexCount);
    const snClip *read = &after.clips[before.clipCount];
    CHECK(!strcmp(read->name, def.name) && read->channelCount == chain.channelCount);
    CHECK_NEAR(read->duration, chain.duration, 1e-5);
    CHECK(snPose_Make(&a, &before.skeleton, before.morphCount, &arena, NULL) == SN_OK);
    CHECK(snPose_Make(&b, &after.skeleton, after.morphCount, &arena, NULL) == SN_OK);
    double worst = 0;
    for (double t = 0; t < chain.duration; t += 0.05) {
        snCharacter_Pose(&before, &chain, t, &a);
        snCharacter_Pose(&after, read, t, &b);
        worst = fmax(worst, apart(&before, &a, &b));
    }
    CHECK(worst < 1e-12);
    uint32_t json = 0;
    memcpy(&json, bytes + 12, 4);
    if (size > 28 + json) { // the binary chunk begins with the old one
        uint32_t newJson, length;
        memcpy(&newJson, out.data + 12, 4);
        memcpy(&length, bytes + 20 + json, 4);
        CHECK(!memcmp(bytes + 28 + json, out.data + 28 + newJson, length));
    }
    snCharacter_Destroy(&after);
    snCharacter_Destroy(&before);
    snBytes_Destroy(&out);
    snArena_Destroy(&arena);
}

static void madeFile(void)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    snCharacter c;
    makeCharacter(&c, &context);
    CHECK(snGlb_FromCharacter(&c, &bytes, NULL) == SN_OK);
    checkChain(bytes.data, bytes.size);
    snCharacter_Destroy(&c);
    snBytes_Destroy(&bytes);
}

static void realFile(void)
{
    size_t size = 0;
    unsigned char *bytes = snTest_Asset("Fox.glb", &size);
    if (!bytes) {
        printf("    Fox.glb is absent, passed over\n");
        return;
    }
    checkChain(bytes, size);
    free(bytes);
}

static void whatDoesNotFitIsRefused(void)
{
    static const float times[] = {0, 1}, back[] = {1, 0}, values[] = {0, 0, 0, 1, 1, 1};
    static const float wrong[] = {0, 0, 0, 1, 1, INFINITY};
    const snChannel channels[] = {{99, SN_PATH_MORPHS, SN_LINEAR, 2, 3, times, values},
                                  {1, SN_PATH_SCALE, SN_STEP, 2, 3, times, values},
                                  {1, SN_PATH_SCALE, SN_LINEAR, 0, 3, times, values},
                                  {1, SN_PATH_SCALE, SN_LINEAR, 2, 3, back, values},
                                  {1, SN_PATH_SCALE, SN_LINEAR, 2, 3, times, wrong}};
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context), out = snMakeBytes(&context);
    snCharacter made, c;
    makeCharacter(&made, &context);
    CHECK(snGlb_FromCharacter(&made, &bytes, NULL) == SN_OK);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size};
    if (!CHECK(snGltf_Read(&c, &source, &context, NULL) == SN_OK)) return;
    for (int i = 0; i < 6; i++) { // the last moves nothing
        snChannel channel = channels[i < 5 ? i : 0];
        snClip clip = {.name = "new", .duration = 1, .channelCount = i < 5, .channels = &channel};
        snBytes_Clear(&out);
        CHECK(snGltf_AddClips(&source, &c, &clip, 1, &out, &context, NULL) == SN_ERROR_ARGUMENT);
    }
    snCharacter_Destroy(&c);
    snCharacter_Destroy(&made);
    snBytes_Destroy(&bytes);
    snBytes_Destroy(&out);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext();
    snBytes bytes = snMakeBytes(&plain);
    snCharacter made, c;
    makeCharacter(&made, &plain);
    CHECK(snGlb_FromCharacter(&made, &bytes, NULL) == SN_OK);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size};
    if (!CHECK(snGltf_Read(&c, &source, &plain, NULL) == SN_OK)) return;
    for (int failAt = 1; failAt < 1000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snBytes out = snMakeBytes(&context);
        snClip clip = {
            .name = "new", .duration = 1, .channelCount = 1, .channels = c.clips[0].channels};
        snStatus status = snGltf_AddClips(&source, &c, &clip, 1, &out, &context, NULL);
        snBytes_Destroy(&out);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
    snCharacter_Destroy(&c);
    snCharacter_Destroy(&made);
    snBytes_Destroy(&bytes);
}

int main(void)
{
    RUN(madeFile);
    RUN(realFile);
    RUN(whatDoesNotFitIsRefused);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
