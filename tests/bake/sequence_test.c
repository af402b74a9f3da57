// Names that are safe for files, and meshes of several primitives and nodes as one sequence.
#include "bake/sequence.h"

#include "core/core.h"
#include "tests/test.h"

#include <string.h>

static void safeNames(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    static const char *cases[][2] = {{"Body", "Body"},
                                     {"", "mesh"},
                                     {"a/b\\c:d", "a_b_c_d"},
                                     {"..", "_."},
                                     {"-rf", "_rf"},
                                     {"K\xc3\xb6rper 1", "K_rper_1"},
                                     {"x\n\x1b[2Jy", "x___2Jy"},
                                     {"A.B-c_9", "A.B-c_9"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(!strcmp(snSafeName(cases[i][0], &arena), cases[i][1]));
    char longName[300];
    memset(longName, 'x', sizeof longName - 1);
    longName[sizeof longName - 1] = '\0';
    CHECK(strlen(snSafeName(longName, &arena)) == 100);
    snArena_Destroy(&arena);
}

enum { PARTS = 5 };

// Two primitives of mesh 0; mesh 1 with the same name in other letters; mesh 0 again on another node.
static snCharacter makeCharacter(snPart *parts, snJoint *joints)
{
    static int triangles[2][3] = {{0, 1, 2}, {2, 1, 0}};
    static float uv[6] = {1, 2, 3, 4, 5, 6};
    static const int mesh[PARTS] = {0, 0, 1, 0, 0}, primitive[PARTS] = {0, 1, 0, 0, 1};
    static const int node[PARTS] = {0, 0, 0, 1, 1};
    for (int p = 0; p < PARTS; p++)
        parts[p] = (snPart){.name = p == 2 ? "BODY" : "body",
                            .node = node[p],
                            .mesh = mesh[p],
                            .primitive = primitive[p],
                            .vertexCount = 3,
                            .triangleCount = 1,
                            .triangles = triangles[p % 2],
                            .uv = p == 1 ? uv : NULL};
    joints[0].name = joints[1].name = "";
    return (snCharacter){
        .parts = parts, .partCount = PARTS, .vertexCount = 3 * PARTS, .skeleton = {2, joints}};
}

static void meshesOfCharacter(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPart parts[PARTS];
    snJoint joints[2] = {{0}};
    snCharacter character = makeCharacter(parts, joints);
    snSequence sequence;
    CHECK(snSequence_FromCharacter(&sequence, &character, "a b", &arena, NULL) == SN_OK);
    CHECK(sequence.meshCount == 3 && !strcmp(sequence.name, "a_b"));
    CHECK(!strcmp(sequence.meshes[0].name, "body"));
    CHECK(!strcmp(sequence.meshes[1].name, "BODY.2"));
    CHECK(!strcmp(sequence.meshes[2].name, "body.3"));
    CHECK(sequence.meshes[0].vertexCount == 6 && sequence.meshes[2].firstVertex == 9);
    CHECK(sequence.meshes[0].triangles[3] == 5 && sequence.meshes[0].triangles[5] == 3);
    CHECK(sequence.meshes[0].uv && sequence.meshes[0].uv[0] == 0 && sequence.meshes[0].uv[6] == 1);
    CHECK(!sequence.meshes[1].uv);
    snArena_Destroy(&arena);
}

static void failingMemory(void)
{
    for (int n = 1; n < 100; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snPart parts[PARTS];
        snJoint joints[2] = {{0}};
        snCharacter character = makeCharacter(parts, joints);
        snSequence sequence;
        snStatus status = snSequence_FromCharacter(&sequence, &character, "x", &arena, NULL);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (!status) return;
        CHECK(status == SN_ERROR_MEMORY);
    }
}

int main(void)
{
    RUN(safeNames);
    RUN(meshesOfCharacter);
    RUN(failingMemory);
    return snTest_Finish();
}
