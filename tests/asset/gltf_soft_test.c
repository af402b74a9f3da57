// Soft motion added to made files and to the visible assets: what was there stays, byte by byte;
// what is new reads back.
#include "asset/gltf.h"
#include "asset/json.h"
#include "tests/asset/gltf_make.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TARGETS 3
#define FRAMES 5

typedef struct {
    snArena arena;
    snSoftMesh *meshes;
    int meshCount;
    snSoftClip *clips;
    int clipCount;
} SoftInput;

// Offsets for all skinned meshes of a character and weights for its first clips.
static SoftInput makeInput(const snCharacter *character, const snContext *context, int clipCount)
{
    SoftInput input = {.arena = snMakeArena(context), .clipCount = clipCount};
    snArena *arena = &input.arena;
    input.meshes = SN_NEW(arena, snSoftMesh, character->partCount);
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        if (part->primitive || part->skin < 0) continue;
        int count = 1;
        while (p + count < character->partCount && character->parts[p + count].mesh == part->mesh)
            count++;
        const snVec3f **positions = SN_NEW(arena, const snVec3f *, count *TARGETS);
        const snVec3f **normals = SN_NEW(arena, const snVec3f *, count *TARGETS);
        int *counts = SN_NEW(arena, int, count);
        for (int i = 0; i < count * TARGETS; i++) {
            int n = counts[i / TARGETS] = character->parts[p + i / TARGETS].vertexCount;
            snVec3f *offsets = SN_NEW(arena, snVec3f, n);
            for (int v = 0; v < n; v++)
                offsets[v] = (snVec3f){0.001f * (float)v, (float)i, -0.5f};
            positions[i] = normals[i] = offsets;
        }
        input.meshes[input.meshCount++] =
            (snSoftMesh){.mesh = part->mesh,
                         .node = character->skeleton.joints[part->node].fileNode,
                         .primitiveCount = count,
                         .targetCount = TARGETS,
                         .positions = positions,
                         .normals = normals,
                         .vertexCounts = counts};
    }
    float *times = SN_NEW(arena, float, FRAMES);
    for (int f = 0; f < FRAMES; f++)
        times[f] = (float)f / 24;
    input.clips = SN_NEW(arena, snSoftClip, clipCount);
    for (int c = 0; c < clipCount; c++) {
        char name[64];
        int length = snprintf(name, sizeof name, "%.40s.soft", character->clips[c].name);
        const float **weights = SN_NEW(arena, const float *, input.meshCount);
        for (int m = 0; m < input.meshCount; m++) {
            float *values = SN_NEW(arena, float, FRAMES * 64);
            for (int i = 0; i < FRAMES * 64; i++)
                values[i] = 0.25f * (float)(i % 9) - 1.0f;
            weights[m] = values;
        }
        input.clips[c] = (snSoftClip){
            c, snArena_CopyString(arena, name, (size_t)length), FRAMES, times, weights, NULL};
    }
    return input;
}

static snStatus addSoft(const snBytes *original, const SoftInput *input, snBytes *out,
                        const snContext *context, snError *error)
{
    snGltfSource source = {.bytes = original->data, .size = original->size};
    return snGltf_AddSoft(&source, input->meshes, input->meshCount, input->clips, input->clipCount,
                          out, context, error);
}

static bool readBytes(const snBytes *bytes, snCharacter *out, const snContext *context)
{
    snError error = {0};
    snGltfSource source = {.bytes = bytes->data, .size = bytes->size};
    bool right = CHECK(snGltf_Read(out, &source, context, &error) == SN_OK);
    if (!right) printf("    %s\n", error.message);
    return right;
}

// ---- what was there stays ----

static snJson jsonOf(const snBytes *glb, snArena *arena)
{
    snJson json;
    CHECK(!snJson_Parse(&json, (char *)glb->data + 20, snLoadU32(glb->data + 12), arena, NULL));
    return json;
}

static void checkSameText(const snJson *a, const snJsonNode *x, const snJson *b,
                          const snJsonNode *y)
{
    int size = x->end - x->start;
    char path[100];
    snJson_Path(a, x, path, sizeof path);
    if (!CHECK(y && y->end - y->start == size &&
               !memcmp(a->text + x->start, b->text + y->start, (size_t)size)))
        printf("    %s changed\n", path);
}

// All members of the document but those that grow, and all elements that lists had before.
static void checkUntouched(const snBytes *before, const snBytes *after, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snJson a = jsonOf(before, &arena), b = jsonOf(after, &arena);
    static const char *grown[] = {"accessors", "bufferViews", "animations"};
    for (int i = 0; i < a.root->childCount; i++) {
        const snJsonNode *x = snJson_At(&a, a.root, i), *y = snJson_At(&b, b.root, i);
        const char *key = snJson_Key(&a, x, &arena);
        bool grows = false;
        for (int k = 0; k < 3; k++)
            grows = grows || !strcmp(key, grown[k]);
        if (!strcmp(key, "buffers") || !strcmp(key, "meshes")) continue;
        CHECK(y && !strcmp(key, snJson_Key(&b, y, &arena)));
        if (!grows) checkSameText(&a, x, &b, y);
        bool widened = snJson_Member(&a, snJson_At(&a, snJson_Member(&a, a.root, "meshes"), 0),
                                     "weights") != NULL;
        for (int e = 0; grows && e < x->childCount && !(widened && !strcmp(key, "animations")); e++)
            checkSameText(&a, snJson_At(&a, x, e), &b, snJson_At(&b, y, e));
    }
    size_t bin = 20 + snLoadU32(before->data + 12), newBin = 20 + snLoadU32(after->data + 12);
    CHECK(!memcmp(before->data + bin + 8, after->data + newBin + 8, snLoadU32(before->data + bin)));
    CHECK(snLoadU32(after->data + 8) == after->size);
    snArena_Destroy(&arena);
}

static void checkSoft(const snCharacter *before, const snCharacter *after, const SoftInput *input)
{
    CHECK(after->partCount == before->partCount && after->vertexCount == before->vertexCount);
    if (!CHECK(after->clipCount == before->clipCount + input->clipCount)) return;
    for (int m = 0; m < input->meshCount; m++)
        for (int p = 0; p < after->partCount; p++) {
            const snPart *old = &before->parts[p], *now = &after->parts[p];
            const snSoftMesh *mesh = &input->meshes[m];
            if (now->mesh != mesh->mesh) continue;
            if (!CHECK(now->targetCount == old->targetCount + TARGETS)) continue;
            size_t bytes = (size_t)now->vertexCount * sizeof(snVec3f);
            for (int t = 0; t < TARGETS; t++) {
                int at = old->targetCount + t;
                CHECK(!memcmp(now->targets[at], mesh->positions[now->primitive * TARGETS + t],
                              bytes));
                CHECK(!now->targetNormals[at] == !now->normals);
            }
            for (int t = 0; t < old->targetCount; t++)
                CHECK(!memcmp(now->targets[t], old->targets[t], bytes));
        }
    for (int c = 0; c < input->clipCount; c++) {
        const snClip *clip = &after->clips[before->clipCount + c], *source = &after->clips[c];
        int moving = 0, weights = 0;
        for (int i = 0; i < clip->channelCount; i++)
            (clip->channels[i].path == SN_PATH_MORPHS ? weights++ : moving++);
        for (int i = 0; i < source->channelCount; i++)
            moving -= source->channels[i].path != SN_PATH_MORPHS;
        CHECK(moving == 0 && weights == input->meshCount);
        const snChannel *last = &clip->channels[clip->channelCount - 1];
        CHECK(last->path == SN_PATH_MORPHS && last->keyCount == FRAMES);
        CHECK(!memcmp(last->values, input->clips[c].weights[input->meshCount - 1],
                      (size_t)(FRAMES * last->width) * sizeof(float)));
    }
}

static void checkFile(const snBytes *original, int clipCount)
{
    snContext context = snDefaultContext();
    snCharacter before, after;
    snBytes out = snMakeBytes(&context), again = snMakeBytes(&context);
    snError error = {0};
    if (!readBytes(original, &before, &context)) return;
    SoftInput input = makeInput(&before, &context, clipCount);
    if (!CHECK(addSoft(original, &input, &out, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    else if (readBytes(&out, &after, &context)) {
        checkUntouched(original, &out, &context);
        checkSoft(&before, &after, &input);
        snCharacter_Destroy(&after);
        CHECK(addSoft(original, &input, &again, &context, NULL) == SN_OK);
        CHECK(again.size == out.size && !memcmp(again.data, out.data, out.size));
        // A second bake on top of the first.
        snBytes_Clear(&again);
        CHECK(addSoft(&out, &input, &again, &context, &error) == SN_OK);
        if (readBytes(&again, &after, &context)) {
            const char *first = input.clips[0].name;
            CHECK(after.clipCount == before.clipCount + 2 * clipCount);
            CHECK(!strncmp(after.clips[before.clipCount + clipCount].name, first, strlen(first)));
            CHECK(strcmp(after.clips[before.clipCount + clipCount].name, first));
            snCharacter_Destroy(&after);
        }
    }
    snBytes_Destroy(&out);
    snBytes_Destroy(&again);
    snArena_Destroy(&input.arena);
    snCharacter_Destroy(&before);
}

static void madeCharacter(void)
{
    snContext context = snDefaultContext();
    snCharacter made;
    snBytes glb = snMakeBytes(&context);
    makeCharacter(&made, &context);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    checkFile(&glb, 2);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
}

static void visibleAssets(void)
{
    static const char *const files[] = {"Fox.glb",          "CesiumMan.glb", "RiggedFigure.glb",
                                        "RiggedSimple.glb", "Cow.glb",       "Mage.glb"};
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t size;
        unsigned char *bytes = snTest_Asset(files[i], &size);
        if (!bytes) {
            printf("    %s is absent\n", files[i]);
            continue;
        }
        snBytes glb = snMakeBytes(&context);
        snBytes_Append(&glb, bytes, size);
        checkFile(&glb, 1);
        snBytes_Destroy(&glb);
        free(bytes);
    }
}

// ---- the file's own weights ----

// "Walk" of the made character animates its two targets: both it and the soft clip without new
// weights must come out widened, with the old weights as they were.
static void ownWeightsAreWidened(void)
{
    snContext context = snDefaultContext();
    snCharacter made, after;
    snBytes glb = snMakeBytes(&context), out = snMakeBytes(&context);
    makeCharacter(&made, &context);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    SoftInput input = makeInput(&made, &context, 1);
    const float *none[1] = {NULL};
    input.clips[0].weights = none;
    CHECK(addSoft(&glb, &input, &out, &context, NULL) == SN_OK);
    if (readBytes(&out, &after, &context)) {
        CHECK(after.morphCount == 2 + TARGETS && after.restMorphs[1] == 0.5);
        for (int c = 0; c < 3; c += 2) { // the source, and the copy behind the two clips
            const snClip *clip = &after.clips[c];
            const snChannel *channel = &clip->channels[3], *old = &made.clips[0].channels[3];
            if (!CHECK(clip->channelCount == 4 && channel->width == 2 + TARGETS)) continue;
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < 2 + TARGETS; i++)
                    CHECK(channel->values[k * (2 + TARGETS) + i] ==
                          (i < 2 ? old->values[2 * k + i] : 0.0f));
        }
        // Target 1 had no normals, target 0 had: now all have.
        CHECK(after.parts[0].targetNormals[1] != NULL);
        snCharacter_Destroy(&after);
    }
    snArena_Destroy(&input.arena);
    snBytes_Destroy(&glb);
    snBytes_Destroy(&out);
    snCharacter_Destroy(&made);
}

// ---- a .gltf with neighbours ----

static const char *const textFile =
    "{\n  \"asset\": {\"version\": \"2.0\"},\n  \"extras\": [1, 2,  3],\n"
    "  \"buffers\": [{\"byteLength\": 36, \"uri\": \"my%20data.bin\", \"name\": \"b\"},\n"
    "    {\"uri\": \"sub/other.bin\", \"byteLength\": 3}],\n"
    "  \"images\": [{\"uri\": \"skin.png\"}, {\"uri\": \"absent.png\"}],\n"
    "  \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 36}],\n"
    "  \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": "
    "\"VEC3\",\n    \"min\": [0, 0, 0], \"max\": [1, 1, 0]}],\n"
    "  \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],\n"
    "  \"nodes\": [{\"mesh\": 0}, {\"mesh\": 0, \"translation\": [2, 0, 0]}]\n}\n";

static snStatus readNeighbour(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                              size_t *size, snError *error)
{
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint8_t picture[16] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    (void)user;
    const void *found = !strcmp(path, "my data.bin")     ? (const void *)triangle
                        : !strcmp(path, "sub/other.bin") ? (const void *)"abc"
                        : !strcmp(path, "skin.png")      ? (const void *)picture
                                                         : NULL;
    if (!found) return snFail(error, SN_ERROR_FILE, "'%s' is not there", path);
    *size = found == triangle ? sizeof triangle : found == picture ? sizeof picture : 3;
    *bytes = SN_COPY(arena, uint8_t, found, *size);
    return *bytes ? SN_OK : snFailMemory(error);
}

static void textFileTakesItsNeighboursIn(void)
{
    snContext context = snDefaultContext();
    snVec3f offsets[3] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
    const snVec3f *positions[1] = {offsets};
    int counts[1] = {3};
    float times[2] = {0, 1}, values[2] = {0, 1};
    const float *weights[1] = {values};
    snSoftMesh mesh = {0, 1, 1, 1, positions, NULL, counts};
    snSoftClip clip = {-1, "still", 2, times, weights, NULL};
    snGltfSource source = {
        .bytes = (const uint8_t *)textFile, .size = strlen(textFile), .readUri = readNeighbour};
    snBytes out = snMakeBytes(&context);
    snError error = {0};
    if (!CHECK(snGltf_AddSoft(&source, &mesh, 1, &clip, 1, &out, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    const char *json = (const char *)out.data + 20;
    char *text = strndup(json, snLoadU32(out.data + 12));
    CHECK(strstr(text, "\"extras\": [1, 2,  3],\n") != NULL);
    CHECK(strstr(text, "\"name\": \"b\"}") && !strstr(text, "my%20data.bin"));
    CHECK(strstr(text, "\"uri\": \"data:application/octet-stream;base64,YWJj\"") != NULL);
    CHECK(strstr(text, "{\"mimeType\":\"image/png\",\"bufferView\":1}") != NULL);
    CHECK(strstr(text, "{\"uri\": \"absent.png\"}") != NULL);       // cannot be had: stays
    CHECK(strstr(text, "\"node\":0,\"path\":\"weights\"") == NULL); // it does not move alike
    CHECK(strstr(text, "\"node\":1,\"path\":\"weights\"") != NULL);
    free(text);
    snCharacter after;
    if (readBytes(&out, &after, &context)) { // no neighbours needed any more
        CHECK(after.partCount == 2 && after.morphCount == 2 && after.clipCount == 1);
        CHECK(after.parts[0].positions == after.parts[1].positions);
        CHECK(after.clips[0].channelCount == 1 && after.parts[1].targets[0][2].z == 3);
        CHECK(after.images[0].size == 16 && !after.images[1].bytes);
        snCharacter_Destroy(&after);
    }
    snBytes_Destroy(&out);
}

// ---- one mesh on two nodes ----

// Each moves by itself: the second gets a copy of the mesh with targets of its own.
static void sharedMeshIsCopied(void)
{
    snContext context = snDefaultContext();
    snVec3f offsets[2][3] = {{{0, 0, 1}, {0, 0, 2}, {0, 0, 3}}, {{5, 0, 0}, {6, 0, 0}, {7, 0, 0}}};
    const snVec3f *first[1] = {offsets[0]}, *second[2] = {offsets[1], offsets[0]};
    int counts[1] = {3};
    float times[2] = {0, 1}, one[2] = {0, 1}, two[4] = {0, 0.5f, 1, 0.25f};
    const float *weights[2] = {one, two};
    snSoftMesh meshes[2] = {{0, 0, 1, 1, first, NULL, counts}, {0, 1, 1, 2, second, NULL, counts}};
    snSoftClip clip = {-1, "still", 2, times, weights, NULL};
    snGltfSource source = {
        .bytes = (const uint8_t *)textFile, .size = strlen(textFile), .readUri = readNeighbour};
    snBytes out = snMakeBytes(&context), again = snMakeBytes(&context);
    snError error = {0};
    snCharacter after;
    if (!CHECK(snGltf_AddSoft(&source, meshes, 2, &clip, 1, &out, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    if (readBytes(&out, &after, &context)) {
        CHECK(after.partCount == 2 && after.morphCount == 3);
        CHECK(after.parts[0].mesh == 0 && after.parts[1].mesh == 1);
        CHECK(after.parts[0].targetCount == 1 && after.parts[1].targetCount == 2);
        CHECK(after.parts[0].targets[0][2].z == 3 && after.parts[1].targets[0][2].x == 7);
        CHECK(after.clips[0].channelCount == 2);
        snCharacter_Destroy(&after);
    }
    snGltfSource glb = {.bytes = out.data, .size = out.size}; // a .glb, with targets already
    const float *more[2] = {two, (float[]){0, 0, 0.5f, 1, 1, 1, 0, 0}};
    clip.weights = more;
    meshes[1].mesh = 1;
    CHECK(snGltf_AddSoft(&glb, meshes, 2, &clip, 1, &again, &context, &error) == SN_OK);
    if (readBytes(&again, &after, &context)) {
        CHECK(after.morphCount == 6 && after.parts[1].targetCount == 4 && after.clipCount == 2);
        snCharacter_Destroy(&after);
    }
    meshes[1].mesh = 0;
    meshes[1].node = 7;
    snBytes_Clear(&again);
    CHECK(snGltf_AddSoft(&source, meshes, 2, &clip, 1, &again, &context, &error) ==
          SN_ERROR_ARGUMENT);
    snBytes_Destroy(&again);
    snBytes_Destroy(&out);
}

// ---- wrong use, memory ----

static void checkRefused(const snBytes *glb, const SoftInput *input, const char *expected)
{
    snContext context = snDefaultContext();
    snBytes out = snMakeBytes(&context);
    snError error = {0};
    CHECK(addSoft(glb, input, &out, &context, &error) == SN_ERROR_ARGUMENT);
    if (!CHECK(strstr(error.message, expected))) printf("    %s\n", error.message);
    CHECK(out.size == 0);
    snBytes_Destroy(&out);
}

static void whatDoesNotFitIsRefused(void)
{
    snContext context = snDefaultContext();
    snCharacter made;
    snBytes glb = snMakeBytes(&context);
    makeCharacter(&made, &context);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    SoftInput input = makeInput(&made, &context, 1);
    snSoftMesh mesh = input.meshes[0];
    int counts[2] = {42, 41};
    float times[FRAMES] = {0, 1, 1, 2, 3};
    input.meshes[0].vertexCounts = counts;
    checkRefused(&glb, &input, "offsets for 41 vertices, where there are 42");
    input.meshes[0] = mesh;
    input.meshes[0].mesh = 7;
    checkRefused(&glb, &input, "no mesh 7");
    input.meshes[0] = mesh;
    input.meshes[0].node = 4;
    checkRefused(&glb, &input, "node 4 of the file does not carry mesh 0");
    input.meshes[0] = mesh;
    input.meshes[0].primitiveCount = 1;
    checkRefused(&glb, &input, "1 primitives");
    input.meshes[0] = mesh;
    input.clips[0].clip = 2;
    checkRefused(&glb, &input, "no animation 2");
    input.clips[0].clip = 0;
    input.clips[0].times = times;
    checkRefused(&glb, &input, "frame 2");
    float wrong[3] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        times[0] = wrong[i];
        checkRefused(&glb, &input, "frame 0");
    }
    input.clips[0].frameCount = 0;
    checkRefused(&glb, &input, "frame");
    input.clips[0].clip = -2;
    checkRefused(&glb, &input, "no animation -2");
    snArena_Destroy(&input.arena);
    input = makeInput(&made, &context, 1);
    ((float *)(uintptr_t)input.clips[0].weights[0])[1] = NAN;
    checkRefused(&glb, &input, "not finite");
    snArena_Destroy(&input.arena);
    input = makeInput(&made, &context, 1);
    ((snVec3f *)(uintptr_t)input.meshes[0].positions[0])[3].y = INFINITY;
    checkRefused(&glb, &input, "not finite");
    snArena_Destroy(&input.arena);
    input = makeInput(&made, &context, 1);
    input.meshes[0].targetCount = 0;
    checkRefused(&glb, &input, "targets");
    snArena_Destroy(&input.arena);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext();
    snCharacter made;
    snBytes glb = snMakeBytes(&plain);
    makeCharacter(&made, &plain);
    CHECK(snGlb_FromCharacter(&made, &glb, NULL) == SN_OK);
    SoftInput input = makeInput(&made, &plain, 2);
    for (int failAt = 1; failAt < 1000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snBytes out = snMakeBytes(&context);
        snStatus status = addSoft(&glb, &input, &out, &context, NULL);
        snBytes_Destroy(&out);
        CHECK(memory.alive == 0);
        CHECK(status == (memory.count < failAt ? SN_OK : SN_ERROR_MEMORY));
        if (!status) break;
    }
    snArena_Destroy(&input.arena);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&made);
}

int main(void)
{
    RUN(madeCharacter);
    RUN(visibleAssets);
    RUN(ownWeightsAreWidened);
    RUN(textFileTakesItsNeighboursIn);
    RUN(sharedMeshIsCopied);
    RUN(whatDoesNotFitIsRefused);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
