// The visible test assets, read whole, against the counts that their list gives.
#include "asset/gltf.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *file;
    int nodes, skins, joints, clips, parts, meshes, vertices, triangles, images;
} Expected;

static const Expected expected[] = {
    {"Fox.glb", 26, 1, 24, 3, 1, 1, 1728, 576, 1},
    {"CesiumMan.glb", 22, 1, 19, 1, 1, 1, 3273, 4672, 1},
    {"RiggedFigure.glb", 22, 1, 19, 1, 1, 1, 370, 256, 0},
    {"RiggedSimple.glb", 5, 1, 2, 1, 1, 1, 160, 188, 0},
    {"Cow.glb", 59, 1, 42, 12, 7, 1, 4970, 2450, 0},
    {"Mage.glb", 54, 1, 41, 76, 12, 12, 5279, -1, 1},
};

static snStatus readAsset(const char *file, snCharacter *character, const snContext *context)
{
    size_t size;
    unsigned char *bytes = snTest_Asset(file, &size);
    if (!bytes) snTest_Skip("no test assets");
    snError error = {0};
    snGltfSource source = {.bytes = bytes, .size = size};
    snStatus status = snGltf_Read(character, &source, context, &error);
    free(bytes); // the character must not refer to it
    if (status) printf("    %s: %s\n", file, error.message);
    return status;
}

static void checkWhole(const snCharacter *character)
{
    int vertices = 0, triangles = 0;
    for (int j = 0; j < character->skeleton.jointCount; j++)
        CHECK(character->skeleton.joints[j].parent < j && character->skeleton.joints[j].name);
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        vertices += part->vertexCount;
        triangles += part->triangleCount;
        bool inRange = true, normalized = true;
        for (int i = 0; i < 3 * part->triangleCount; i++)
            inRange = inRange && part->triangles[i] >= 0 && part->triangles[i] < part->vertexCount;
        for (int v = 0; v < part->vertexCount && part->influences; v++) {
            double sum = 0;
            for (int i = 0; i < part->influences; i++)
                sum += (double)part->weights[v * part->influences + i];
            normalized = normalized && fabs(sum - 1) < 1e-6;
        }
        CHECK(inRange && normalized);
    }
    CHECK(vertices == character->vertexCount && triangles == character->triangleCount);
    for (int c = 0; c < character->clipCount; c++)
        for (int i = 0; i < character->clips[c].channelCount; i++)
            CHECK(character->clips[c].channels[i].keyCount > 0);
}

static void countsAreThoseOfTheList(void)
{
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const Expected *e = &expected[i];
        snCharacter character;
        if (!CHECK(readAsset(e->file, &character, &context) == SN_OK)) continue;
        int meshes = 0;
        for (int p = 0; p < character.partCount; p++)
            if (character.parts[p].mesh >= meshes) meshes = character.parts[p].mesh + 1;
        CHECK(character.skeleton.jointCount == e->nodes);
        CHECK(character.skinCount == e->skins && character.skins[0].jointCount == e->joints);
        CHECK(character.clipCount == e->clips && character.partCount == e->parts);
        CHECK(meshes == e->meshes && character.vertexCount == e->vertices);
        CHECK(e->triangles < 0 || character.triangleCount == e->triangles);
        CHECK(character.imageCount == e->images);
        if (e->images) CHECK(character.images[0].size > 1000 && character.materials[0].image);
        checkWhole(&character);
        snCharacter_Destroy(&character);
    }
}

static void foxClips(void)
{
    snContext context = snDefaultContext();
    snCharacter fox;
    if (!CHECK(readAsset("Fox.glb", &fox, &context) == SN_OK)) return;
    CHECK(!strcmp(fox.clips[0].name, "Survey") && !strcmp(fox.clips[1].name, "Walk"));
    CHECK(!strcmp(fox.clips[2].name, "Run"));
    CHECK_NEAR(fox.clips[0].duration, 3.4166667, 1e-5);
    CHECK_NEAR(fox.clips[1].duration, 0.7083333, 1e-5);
    CHECK_NEAR(fox.clips[2].duration, 1.1583333, 1e-5);
    CHECK(fox.parts[0].skin == 0 && fox.parts[0].influences == 4 && !fox.parts[0].normals);
    snCharacter_Destroy(&fox);
}

static void mageHasRigidProps(void)
{
    snContext context = snDefaultContext();
    snCharacter mage;
    if (!CHECK(readAsset("Mage.glb", &mage, &context) == SN_OK)) return;
    int rigid = 0;
    for (int p = 0; p < mage.partCount; p++)
        rigid += mage.parts[p].skin < 0;
    CHECK(rigid == 6);
    snCharacter_Destroy(&mage);
}

static void everyAllocationMayFail(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("RiggedSimple.glb", &size);
    snGltfSource source = {.bytes = bytes, .size = size};
    for (int failAt = 1; bytes && failAt < 1000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snCharacter character;
        snStatus status = snGltf_Read(&character, &source, &context, NULL);
        snCharacter_Destroy(&character);
        CHECK(memory.alive == 0);
        CHECK(status == (memory.count < failAt ? SN_OK : SN_ERROR_MEMORY));
        if (!status) break;
    }
    free(bytes);
}

int main(void)
{
    RUN(countsAreThoseOfTheList);
    RUN(foxClips);
    RUN(mageHasRigidProps);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
