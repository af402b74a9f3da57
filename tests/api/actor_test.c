// The public interface as a game uses it, on the demo character.
#include "tests/test.h"

#include "asset/gltf.h"
#include "demo.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;
static snCharacter *character;

static void setUp(void)
{
    snCharacter made = {0};
    snError error = {0};
    context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    if (snDemo_Make(&made, &context, &error) || snGlb_FromCharacter(&made, &bytes, &error) ||
        snCharacter_Load(&character, bytes.data, bytes.size, &context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    snCharacter_Destroy(&made);
    snBytes_Destroy(&bytes);
}

static void charactersTellWhatTheyHave(void)
{
    int clip = snCharacter_FindClip(character, "walk");
    CHECK(snCharacter_ClipCount(character) >= 3);
    CHECK(clip >= 0 && !strcmp(snCharacter_ClipName(character, clip), "walk"));
    CHECK_NEAR(snCharacter_ClipDuration(character, clip), 1.1, 1e-6);
    CHECK(snCharacter_FindClip(character, "no such clip") == -1);
    int vertices = snCharacter_VertexCount(character), n = snCharacter_TriangleCount(character) * 3;
    int *indices = malloc((size_t)n * sizeof(int)), largest = 0;
    snCharacter_ReadTriangles(character, indices);
    for (int k = 0; k < n; k++)
        largest = indices[k] > largest ? indices[k] : largest;
    CHECK(largest == vertices - 1);
    free(indices);
}

// Steps, reads with a stride, saves, goes on, comes back: the same bits.
static void stepsSavesAndRestores(void)
{
    snActorDef def = snDefaultActorDef();
    snActor *actor;
    snError error = {0};
    def.cells = 400;
    CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_OK);
    int clip = snCharacter_FindClip(character, "shake");
    int vertices = snCharacter_VertexCount(character);
    float *packed = malloc((size_t)vertices * 12), *wide = malloc((size_t)vertices * 32);
    void *saved = malloc(snActor_StateSize(actor));
    snActor_Start(actor, clip, 0);
    CHECK(snActor_Offset(actor) == 0);
    uint64_t hash = 0;
    for (int round = 0; round < 2; round++) {
        for (int k = round ? 61 : 1; k <= 120; k++) {
            CHECK(snActor_Step(actor, clip, k * def.step));
            if (k == 60) snActor_Save(actor, saved);
        }
        if (round == 0) hash = snActor_Hash(actor);
        CHECK(snActor_Hash(actor) == hash);
        CHECK(snActor_Offset(actor) > 0.001);
        if (round == 0)
            CHECK(snActor_Restore(actor, saved, snActor_StateSize(actor), NULL) == SN_OK);
    }
    snActor_ReadPositions(actor, packed, 12);
    snActor_ReadPositions(actor, wide, 32);
    for (int v = 0; v < vertices; v++)
        for (int c = 0; c < 3; c++) {
            CHECK(packed[3 * v + c] == wide[8 * v + c]);
            CHECK(isfinite(packed[3 * v + c]));
        }
    free(packed);
    free(wide);
    free(saved);
    snActor_Destroy(actor);
}

// After building, a step takes nothing from the allocator.
static void stepsAllocateNothing(void)
{
    snContext counting = context;
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&counting, &memory);
    snActorDef def = snDefaultActorDef();
    snActor *actor;
    def.cells = 300;
    CHECK(snActor_Make(&actor, character, &def, &counting, NULL) == SN_OK);
    int before = memory.count;
    float *positions = malloc((size_t)snCharacter_VertexCount(character) * 12);
    snActor_Start(actor, 0, 0);
    for (int k = 1; k <= 20; k++) {
        snActor_Step(actor, 0, k * def.step);
        snActor_ReadPositions(actor, positions, 12);
    }
    CHECK(memory.count == before);
    free(positions);
    snActor_Destroy(actor);
    CHECK(memory.alive == 0);
}

static void failuresAreTold(void)
{
    snCharacter *none;
    snActor *actor;
    snError error = {0};
    snActorDef def = snDefaultActorDef();
    CHECK(snCharacter_Load(&none, "nonsense", 8, &context, &error) == SN_ERROR_FORMAT);
    CHECK(none == NULL && *error.message);
    def.wobble = -1;
    CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(actor == NULL);
    def = snDefaultActorDef();
    def.step = 0;
    CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    snActor_Destroy(NULL);
    snCharacter_Free(NULL);
}

// A rig document changes what the actor's flesh is like; a bad one names its mistake.
static void rigDocumentsAreUsed(void)
{
    static const char soft[] = "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"wobble\": 2, "
                               "\"cells\": 300}, \"parts\": {\"ear\": {\"free\": false}}}";
    static const char bad[] = "{\"sinew\": \"rig\", \"version\": 1, \"parts\": {\"eer\": {}}}";
    snActorDef def = snDefaultActorDef();
    snActor *actor;
    snError error = {0};
    double offset[2];
    def.cells = 300;
    int clip = snCharacter_FindClip(character, "hop");
    for (int round = 0; round < 2; round++) {
        def.rig = round ? soft : NULL;
        def.rigSize = round ? strlen(soft) : 0;
        CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_OK);
        snActor_Start(actor, clip, 0);
        offset[round] = 0;
        for (int k = 1; k <= 60; k++) {
            snActor_Step(actor, clip, k * def.step);
            offset[round] = fmax(offset[round], snActor_Offset(actor));
        }
        snActor_Destroy(actor);
    }
    printf("flesh moves by %.1f %% of the height, with the document by %.1f %%\n", 100 * offset[0],
           100 * offset[1]);
    CHECK(offset[1] != offset[0] && offset[1] > 0.01);
    def.rig = bad;
    def.rigSize = strlen(bad);
    CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(actor == NULL && strstr(error.message, "\"eer\""));
    def.rig = "{";
    def.rigSize = 1;
    CHECK(snActor_Make(&actor, character, &def, &context, &error) == SN_ERROR_FORMAT);
}

int main(void)
{
    setUp();
    RUN(charactersTellWhatTheyHave);
    RUN(stepsSavesAndRestores);
    RUN(rigDocumentsAreUsed);
    RUN(stepsAllocateNothing);
    RUN(failuresAreTold);
    snCharacter_Free(character);
    return snTest_Finish();
}
