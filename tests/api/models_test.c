// Every model through the public interface, and all of them upon each other: worlds run beside each other as they do alone, an engine's own scheduler
// gives the same bits, and steps allocate nothing.
#include "tests/test.h"

#include "tests/api/posed.h"
#include "world/meet.h"

#include <pthread.h>

enum { STEPS = 24, TOLD = 8 }; // bodies fall for some steps and lie on each other for the others

static snContext context;

// ---- scenes -------------------------------------------------------------------------------------------------

static const char ball[] =
    "{\"sinew\": \"coat\", \"version\": 1, \"skin\": {\"round\": 8}, \"flesh\": {\"young\": 3e4, "
    "\"damping\": 0.3}, \"skeleton\": [{\"name\": \"a\", \"at\": [0, 0, 0]}, {\"name\": \"b\", "
    "\"parent\": \"a\", \"at\": [0.2, 0, 0]}, {\"name\": \"c\", \"parent\": \"b\", \"at\": [0.2, "
    "0, 0]}]}";

static const char trunk[] =
    "settings duration=0.4\njoint add low parent=none at=0,-0.11,0 size=4cm\n"
    "joint add high at=0,0.22,0 kind=fixed size=4cm\n"
    "muscle add belly joint=low at=0,0.11,0 size=0.1\n"
    "skin create bottom=low top=high rows=6 columns=8 gap=5mm\nskin attach\n"
    "skin paint elasticity=40 stiffness=4000\nposture keep a time=0\n"
    "pose joint low shift=0.1,0,0\nposture keep b time=0.4\n";

#define BLOCK                                                                                      \
    "{\"name\": \"block\", \"box\": {\"size\": [0.4, 0.2, 0.4], \"cells\": [2, 1, 2]}, "           \
    "\"quadrature\": 1, \"material\": {\"young\": 4e4}, \"place\": [0, 0.101, 0]}"
#define COAT(at)                                                                                   \
    "{\"name\": \"coat\", \"coat\": {\"file\": \"ball.coat.json\"}, \"place\": " at                \
    ", \"velocity\": [0, -1, 0]}"
#define LAYERED(at)                                                                                \
    "{\"name\": \"layered\", \"layered\": {\"file\": \"trunk.txt\", \"settle\": 0.1, \"smooth\": " \
    "0, \"skeleton\": {\"strength\": 0, \"hand\": 0}}, \"place\": " at "}"
#define CALF(name, keys, at)                                                                       \
    "{\"name\": \"" name "\", \"character\": {\"file\": \"calf.glb\", \"clip\": \"walk\", "        \
    "\"cells\": 40" keys "}, \"place\": " at "}"
#define LIMP ", \"skeleton\": {\"strength\": 0, \"hand\": 0}"
#define SKIN(cell)                                                                                 \
    "{\"name\": \"skin\", \"skin\": {\"over\": \"block\", \"cell\": \"" cell "\", \"smooth\": 0}}"
#define BALL                                                                                       \
    "{\"name\": \"poly\", \"sphere\": {\"radius\": 0.1}, \"poly\": {\"order\": 1}, \"place\": "    \
    "[0, 0.32, 0], \"velocity\": [0, -1, 0]}"
#define BEASTS                                                                                     \
    LAYERED("[0, 0.6, 0]")                                                                         \
    ", " CALF("led", "", "[0, 0, 0.5]") ", " CALF("limp", LIMP, "[0.8, -0.02, 0]")

// Beside each model by itself, it lies on a block or has others upon it.
static const struct {
    const char *name, *bodies;
    bool meet; // bodies of different models
} scenes[] = {
    {"a coat on a block", BLOCK ", " COAT("[-0.2, 0.33, 0]"), true},
    {"a layered character that is led, beside a block",
     BLOCK ", {\"name\": \"layered\", \"layered\": {\"file\": \"trunk.txt\", \"settle\": 0.1, "
           "\"smooth\": 0}, \"place\": [-0.33, 0.12, 0]}",
     true},
    {"a limp layered character on a block", BLOCK ", " LAYERED("[0, 0.33, 0]"), true},
    {"a character that is led", CALF("led", "", "[0, -0.02, 0]"), false},
    {"a limp character", CALF("limp", LIMP, "[0, -0.02, 0]"), false},
    {"skin over flesh, and a ball upon it", BLOCK ", " SKIN("10 cm") ", " BALL, true},
    {"skin over a limp character", CALF("block", LIMP, "[0, -0.02, 0]") ", " SKIN("20 cm"), false},
    {"all of them", BLOCK ", " SKIN("10 cm") ", " COAT("[-0.2, 0.35, 0]") ", " BEASTS, true},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static const void *openFile(void *user, const char *path, size_t *size)
{
    if (!strcmp(path, "ball.coat.json")) return *size = strlen(ball), ball;
    if (!strcmp(path, "trunk.txt")) return *size = strlen(trunk), trunk;
    return openDemo(user, path, size);
}

static snWorld *loadScene(int scene, const snContext *with)
{
    static const snFileHook files = {openFile, NULL, NULL};
    char text[3000];
    snWorld *world;
    snError error = {0};
    snprintf(text, sizeof text,
             "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"bodies\": [%s], "
             "\"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5}]}",
             scenes[scene].bodies);
    if (snWorld_Load(&world, text, strlen(text), &files, with, &error)) failLoudly(&error);
    return world;
}

// ---- beside each other ----------------------------------------------------------------------------------------

typedef struct Runner {
    int scene;
    uint64_t hash;
} Runner;

static void *runScene(void *user)
{
    Runner *runner = user;
    snContext own = snDefaultContext();
    snWorld *world = loadScene(runner->scene, &own);
    for (int k = 0; k < TOLD; k++)
        snWorld_Step(world);
    runner->hash = snWorld_Hash(world);
    snWorld_Free(world);
    return NULL;
}

// Each model alone, and then all at once in threads of their own.
static void modelsRunBesideEachOther(void)
{
    Runner alone[SCENES], beside[SCENES];
    pthread_t threads[SCENES];
    for (int k = 0; k < SCENES; k++) {
        alone[k] = beside[k] = (Runner){k, 0};
        runScene(&alone[k]);
    }
    for (int k = 0; k < SCENES; k++)
        CHECK(pthread_create(&threads[k], NULL, runScene, &beside[k]) == 0);
    for (int k = 0; k < SCENES; k++) {
        pthread_join(threads[k], NULL);
        if (!CHECK(beside[k].hash == alone[k].hash)) printf("    %s\n", scenes[k].name);
        for (int i = 0; i < k; i++)
            CHECK(alone[i].hash != alone[k].hash);
    }
}

// ---- by an engine -----------------------------------------------------------------------------------------------

static bool touches(snWorld *world, bool meet)
{
    bool any = false;
    if (meet) return world->meet && world->meet->rowCount > 0;
    for (int b = 0; b < snWorld_BodyCount(world); b++) {
        snWorldReport report;
        snWorld_ReadReport(world, b, &report);
        any |= report.touching > 0;
    }
    return any;
}

// An engine's own scheduler takes pieces in the opposite order; its allocator is asked for nothing by steps.
static void stepsAllocateNothing(void)
{
    for (int k = 0; k < SCENES; k++) {
        snContext own = context;
        snFailingMemory memory = {0};
        bool met = false;
        snTest_UseFailingMemory(&own, &memory);
        own.tasks = (snTasks){snTest_RunBackwards, NULL, 2};
        snWorld *world = loadScene(k, &own), *plain = loadScene(k, &context);
        int allocations = memory.count, failures = 0;
        for (int s = 0; s < STEPS; s++) {
            snWorld_Step(world);
            snWorld_Step(plain);
            met |= touches(world, scenes[k].meet);
        }
        for (int b = 0; b < snWorld_BodyCount(world); b++) {
            snWorldReport report;
            snWorld_ReadReport(world, b, &report);
            failures += report.failures;
        }
        if (!CHECK(memory.count == allocations))
            printf("    %s: %d\n", scenes[k].name, memory.count - allocations);
        if (!CHECK(snWorld_Hash(world) == snWorld_Hash(plain))) printf("    %s\n", scenes[k].name);
        if (!CHECK(met && !failures)) printf("    %s\n", scenes[k].name);
        snWorld_Free(world);
        snWorld_Free(plain);
        CHECK(memory.alive == 0);
    }
}

int main(void)
{
    context = snDefaultContext();
    snCharacter *calf = makeCalf(&context);
    RUN(modelsRunBesideEachOther);
    RUN(stepsAllocateNothing);
    snCharacter_Free(calf);
    snBytes_Destroy(&demoBytes);
    return snTest_Finish();
}
