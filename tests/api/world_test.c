// Worlds through the public interface.
#include "tests/test.h"

#include "sinew/sinew.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char jelly[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 1,"
    " \"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": [3, 2, "
    "2]},"
    "   \"quadrature\": 1, \"material\": {\"young\": \"20 kPa\", \"density\": 1000, \"damping\": "
    "\"8 ms\"},"
    "   \"place\": [0, 0.4, 0]},"
    "  {\"name\": \"ball\", \"sphere\": {\"radius\": 0.1}, \"poly\": {\"order\": 1},"
    "   \"material\": {\"young\": \"20 kPa\", \"density\": 1000}, \"place\": [1, 0.4, 0]}],"
    " \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.5},"
    "   {\"kind\": \"box\", \"name\": \"lift\", \"size\": [0.6, 0.1, 0.6], \"place\": [0, 0.15, "
    "0]}]}";

static const char puppet[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120, \"duration\": 1,"
    " \"gravity\": [0, 0, 0],"
    " \"bodies\": [{\"name\": \"arm\", \"box\": {\"size\": [0.1, 0.6, 0.1], \"cells\": [1, 4, 1]},"
    "   \"quadrature\": 1, \"material\": {\"young\": \"80 kPa\", \"density\": 700, \"damping\": "
    "\"10 ms\"}}],"
    " \"attachments\": [{\"name\": \"foot\", \"body\": \"arm\", \"within\": {\"upper\": [1, -0.29, "
    "1]}}],"
    " \"points\": [{\"name\": \"tip\", \"body\": \"arm\", \"point\": [0, 0.3, 0]},"
    "   {\"name\": \"goal\", \"place\": [0.2, 0.2, 0]}],"
    " \"scripts\": [{\"name\": \"reach\", \"goals\": ["
    "   {\"name\": \"go\", \"do\": \"chase\", \"point\": \"tip\", \"target\": \"goal\", \"time\": "
    "\"0.3 s\"},"
    "   {\"name\": \"loosen\", \"do\": \"disconnect\", \"point\": \"tip\", \"target\": "
    "\"goal\"}]}]}";

static snContext context;

static snWorld *load(const char *text, const snContext *with)
{
    snWorld *world;
    snError error = {0};
    if (snWorld_Load(&world, text, strlen(text), NULL, with, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    return world;
}

static double heightOf(snWorld *world, int body)
{
    snWorldReport report;
    snWorld_ReadReport(world, body, &report);
    return report.center[1];
}

static void bodiesFallAndAreRead(void)
{
    snWorld *world = load(jelly, &context);
    CHECK(snWorld_BodyCount(world) == 2 && snWorld_FindBody(world, "ball") == 1);
    CHECK(!strcmp(snWorld_BodyName(world, 0), "block") && snWorld_FindBody(world, "none") == -1);
    CHECK_NEAR(snWorld_StepLength(world), 1.0 / 120, 1e-15);
    for (int k = 0; k < 120; k++)
        snWorld_Step(world);
    CHECK_NEAR(snWorld_Time(world), 1, 1e-12);
    for (int b = 0; b < 2; b++) {
        int n = snWorld_VertexCount(world, b), t = snWorld_TriangleCount(world, b);
        float *wide = malloc((size_t)n * 32), *packed = malloc((size_t)n * 12);
        int *indices = malloc((size_t)t * 3 * sizeof(int)), most = 0;
        snSurfaceBuffer buffer = {wide, 32, wide + 4, 32, 0}, plain = {.positions = packed};
        snWorld_ReadSurface(world, b, &buffer);
        snWorld_ReadSurface(world, b, &plain);
        snWorld_ReadTriangles(world, b, indices);
        for (int k = 0; k < 3 * t; k++)
            most = indices[k] > most ? indices[k] : most;
        CHECK(n > 20 && most == n - 1);
        double lowest = 1;
        for (int v = 0; v < n; v++) {
            const float *p = wide + 8 * v, *normal = p + 4;
            CHECK(!memcmp(p, packed + 3 * v, 12));
            CHECK_NEAR(
                (double)(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), 1,
                1e-4);
            lowest = fmin(lowest, (double)p[1]);
        }
        CHECK(fabs(lowest - (b ? 0 : 0.2)) < 0.01); // the floor, the lift
        free(wide);
        free(packed);
        free(indices);
    }
    snWorldReport report;
    snWorld_ReadReport(world, 0, &report);
    CHECK_NEAR(report.mass, 12, 0.1);
    CHECK(report.failures == 0 && report.deepest < 1e-3 && report.functions > 0);
    snWorld_Free(world);
    snWorld_Free(NULL);
}

// A mouse takes the block, lifts it and lets it go.
static void handsTakeBodies(void)
{
    snWorld *world = load(jelly, &context);
    const double eye[3] = {0, 0.4, 2}, forward[3] = {0, 0, -1}, up[3] = {0, 1, 0};
    snHand hand, none;
    snError error = {0};
    CHECK(snWorld_TakeRay(world, eye, up, NULL, &none, &error) == SN_OK);
    CHECK(none.grab == -1 && none.body == -1);
    CHECK(snWorld_TakeRay(world, eye, forward, NULL, &hand, &error) == SN_OK);
    CHECK(hand.grab >= 0 && hand.body == 0);
    CHECK_NEAR(hand.place[2], 0.1, 1e-6);
    CHECK_NEAR(hand.distance, 1.9, 1e-6);
    double place[3];
    for (int k = 0; k < 240; k++) {
        memcpy(place, hand.place, sizeof place);
        place[1] += fmin(k / 120.0, 1);
        snWorld_MoveHand(world, &hand, place);
        snWorld_Step(world);
    }
    double high = heightOf(world, 0);
    printf("lifted to %.3f m\n", high);
    CHECK(high > 1.1 && high < 1.5);
    snWorld_LetGo(world, &hand);
    CHECK(hand.grab == -1);
    snWorld_MoveHand(world, &hand, place); // an open hand holds nothing
    for (int k = 0; k < 120; k++)
        snWorld_Step(world);
    CHECK(heightOf(world, 0) < 0.5);
    snHandDef bad = {.frequency = 0};
    CHECK(snWorld_TakeRay(world, eye, forward, &bad, &hand, &error) == SN_ERROR_ARGUMENT);
    snWorld_Free(world);
}

static void bodiesAreMovedAbout(void)
{
    snWorld *world = load(jelly, &context), *other = load(jelly, &context);
    snPlacement motion = {{2, 0.3, 1}, {0, 0.6, 0, 0.8}}, away = {{0, 5, 0}, {0, 0, 0, 1}};
    const double velocity[3] = {1, 2, 0}, spin[3] = {0, 0, 3};
    snWorldReport a, b;
    snError error = {0};
    // Carried as it moves: in free fall everything stays as it would be, moved and turned.
    for (int w = 0; w < 2; w++) {
        snWorld *one = w ? other : world;
        snWorld_Put(one, 0, &away);
        snWorld_Throw(one, 0, velocity, spin);
        for (int k = 0; k < 20; k++)
            snWorld_Step(one);
    }
    CHECK(snWorld_Teleport(other, 0, &motion, false, &error) == SN_OK);
    for (int k = 0; k < 20; k++) {
        snWorld_Step(world);
        snWorld_Step(other);
    }
    snWorld_ReadReport(world, 0, &a);
    snWorld_ReadReport(other, 0, &b);
    // A turn by 2 atan(0.6 / 0.8) about y: cos 0.28, sin 0.96.
    CHECK_NEAR(b.center[0], 0.28 * a.center[0] + 0.96 * a.center[2] + 2, 1e-6);
    CHECK_NEAR(b.center[1], a.center[1] + 0.3, 1e-6);
    CHECK_NEAR(b.center[2], -0.96 * a.center[0] + 0.28 * a.center[2] + 1, 1e-6);
    CHECK_NEAR(b.elastic, a.elastic, 1e-6 * (1 + a.elastic));
    CHECK_NEAR(b.kinetic, a.kinetic, 1e-6 * a.kinetic);
    // A push that outweighs gravity.
    const double push[3] = {0, 2 * 9.81, 0}, rest[3] = {0, 0, 0};
    double before = b.momentum[1];
    snWorld_SetPush(other, push);
    for (int k = 0; k < 12; k++)
        snWorld_Step(other);
    snWorld_ReadReport(other, 0, &b);
    CHECK_NEAR(b.momentum[1] - before, 0.1 * 9.81 * b.mass, 0.02 * b.mass);
    snWorld_SetPush(other, rest);
    snWorld_Free(world);
    snWorld_Free(other);
}

// The engine moves a collider, and what stands on it.
static void collidersAreLed(void)
{
    snWorld *world = load(jelly, &context);
    int lift = snWorld_FindCollider(world, "lift");
    CHECK(lift == 1 && snWorld_ColliderCount(world) == 2);
    CHECK(snWorld_FindCollider(world, "none") == -1);
    for (int k = 0; k < 120; k++)
        snWorld_Step(world);
    double before = heightOf(world, 0);
    for (int k = 1; k <= 120; k++) {
        snPlacement up = {{0, 0.5 * k / 120, 0}, {0, 0, 0, 1}};
        snWorld_LeadCollider(world, lift, &up);
        snWorld_Step(world);
    }
    for (int k = 0; k < 60; k++)
        snWorld_Step(world);
    printf("led up from %.3f to %.3f m\n", before, heightOf(world, 0));
    CHECK_NEAR(heightOf(world, 0) - before, 0.5, 0.01);
    snWorld_Free(world);
}

static void scriptsAreTold(void)
{
    snWorld *world = load(puppet, &context);
    snWorldEvent event;
    CHECK(snWorld_ScriptCount(world) == 1 && !strcmp(snWorld_ScriptName(world, 0), "reach"));
    CHECK(snWorld_ScriptState(world, 0) == SN_SCRIPT_RUNS && snWorld_EventCount(world) == 0);
    CHECK(!snWorld_ReadEvent(world, 0, &event));
    size_t size = snWorld_SaveSize(world);
    void *saved = malloc(size);
    uint64_t hash = 0;
    snError error = {0};
    for (int round = 0; round < 2; round++) { // saved in the middle of a goal
        for (int k = round ? 20 : 0; k < 60; k++) {
            if (k == 20 && !round) snWorld_Save(world, saved);
            snWorld_Step(world);
        }
        if (!round) hash = snWorld_Hash(world);
        CHECK(snWorld_Hash(world) == hash);
        CHECK(snWorld_EventCount(world) >= 2);
        CHECK(snWorld_ReadEvent(world, 0, &event));
        CHECK(!strcmp(event.goal, "go") && !event.failure && !strcmp(event.script, "reach"));
        CHECK_NEAR(event.end - event.begin, 0.3, 0.02);
        CHECK(snWorld_ReadEvent(world, 1, &event) && event.failure); // it had no hold of anything
        printf("%s: %s\n", event.goal, event.failure);
        CHECK(snWorld_ScriptState(world, 0) == SN_SCRIPT_FAILED);
        if (!round) CHECK(snWorld_Restore(world, saved, size, &error) == SN_OK);
    }
    CHECK(snWorld_Restore(world, saved, size - 1, &error) == SN_ERROR_FORMAT);
    snWorld_SwitchAll(world, "foot", false);
    snWorld_Step(world);
    free(saved);
    snWorld_Free(world);
}

// ---- contexts -----------------------------------------------------------------------------------------------

typedef struct Runner {
    const char *text;
    int steps;
    uint64_t hash;
} Runner;

static void *runWorld(void *user)
{
    Runner *runner = user;
    snContext own = snDefaultContext();
    snWorld *world = load(runner->text, &own);
    for (int k = 0; k < runner->steps; k++)
        snWorld_Step(world);
    runner->hash = snWorld_Hash(world);
    snWorld_Free(world);
    return NULL;
}

// Worlds share nothing: beside each other they give what they give alone.
static void worldsRunBesideEachOther(void)
{
    Runner alone[2] = {{jelly, 100, 0}, {puppet, 100, 0}}, beside[4];
    pthread_t threads[4];
    for (int k = 0; k < 2; k++)
        runWorld(&alone[k]);
    for (int k = 0; k < 4; k++) {
        beside[k] = (Runner){alone[k % 2].text, 100, 0};
        CHECK(pthread_create(&threads[k], NULL, runWorld, &beside[k]) == 0);
    }
    for (int k = 0; k < 4; k++) {
        pthread_join(threads[k], NULL);
        CHECK(beside[k].hash == alone[k % 2].hash);
    }
    CHECK(alone[0].hash != alone[1].hash);
}

// So large that their systems are ordered by dissection.
static const char large[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 120,"
    " \"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [0.3, 0.3, 0.3], \"cells\": [16, 14, "
    "16]}, \"quadrature\": 1, \"contact\": false, \"material\": {\"young\": 1e5}, \"spin\": [1, 2, "
    "3]}]}";

// Building keeps to itself as well: large worlds that are built at the same time have the bits that
// they have alone, and who draws from the C library's generator does not notice.
static void largeWorldsAreBuiltBesideEachOther(void)
{
    Runner alone = {large, 1, 0}, beside[2];
    pthread_t threads[2];
    srand(3);
    int expected = rand();
    srand(3);
    runWorld(&alone);
    CHECK(rand() == expected);
    for (int k = 0; k < 2; k++) {
        beside[k] = (Runner){large, 1, 0};
        CHECK(pthread_create(&threads[k], NULL, runWorld, &beside[k]) == 0);
    }
    for (int k = 0; k < 2; k++) {
        pthread_join(threads[k], NULL);
        CHECK(beside[k].hash == alone.hash);
    }
}

// An engine's own scheduler: it counts the loops it is given, and takes their pieces in its own order.
typedef struct Engine {
    int loops;
} Engine;

static void runBackwards(void *user, int count, int grain, snTaskFcn *fcn, void *data)
{
    Engine *engine = user;
    engine->loops++;
    for (int last = (count - 1) / grain; last >= 0; last--)
        fcn(last * grain, last * grain + grain < count ? last * grain + grain : count, last % 3,
            data);
}

static void engineSchedulesAndAllocates(void)
{
    Engine engine = {0};
    snContext own = context;
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&own, &memory);
    own.tasks = (snTasks){runBackwards, &engine, 3};
    snWorld *world = load(jelly, &own), *plain = load(jelly, &context);
    int allocations = memory.count, before = engine.loops;
    for (int k = 0; k < 60; k++) {
        snWorld_Step(world);
        snWorld_Step(plain);
    }
    CHECK(memory.count == allocations && engine.loops >= before + 60);
    CHECK(snWorld_Hash(world) == snWorld_Hash(plain));
    snWorld_Free(world);
    snWorld_Free(plain);
    CHECK(memory.alive == 0);
}

// ---- files and failures -----------------------------------------------------------------------------------

static const char ring[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
static int opened;

static const void *openFile(void *user, const char *path, size_t *size)
{
    (void)user;
    if (strcmp(path, "tet.obj") != 0) return NULL;
    opened++;
    *size = strlen(ring);
    return ring;
}

static void closeFile(void *user, const void *bytes)
{
    (void)user;
    opened -= bytes == ring;
}

static void filesAndFailures(void)
{
    static const char format[] =
        "{\"sinew\": \"scene\", \"version\": 1, \"duration\": 1, \"bodies\": [{\"name\": \"tet\","
        " \"mesh\": {\"file\": \"%s\"}, \"poly\": {\"order\": 1}, \"material\": {\"young\": "
        "1e5}}]}";
    const snFileHook files = {openFile, closeFile, NULL};
    char text[400];
    snWorld *world;
    snError error = {0};
    snprintf(text, sizeof text, format, "tet.obj");
    CHECK(snWorld_Load(&world, text, strlen(text), &files, &context, &error) == SN_OK);
    printf("%s", error.message);
    CHECK(opened == 0 && world && snWorld_VertexCount(world, 0) == 4);
    snWorld_Free(world);
    CHECK(snWorld_Load(&world, text, strlen(text), NULL, &context, &error) != SN_OK && !world);
    CHECK(strstr(error.message, "bodies[0]"));
    snprintf(text, sizeof text, format, "other.obj");
    CHECK(snWorld_Load(&world, text, strlen(text), &files, &context, &error) == SN_ERROR_FILE);
    CHECK(!world && strstr(error.message, "other.obj"));
    CHECK(snWorld_Load(&world, "{", 1, NULL, &context, &error) == SN_ERROR_FORMAT && !world);
    for (int n = 1;; n += 7) {
        snContext failing = context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snStatus status = snWorld_Load(&world, puppet, strlen(puppet), NULL, &failing, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !world));
        snWorld_Free(world);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
}

// ---- every model ------------------------------------------------------------------------------------------------

static const void *openExample(void *user, const char *path, size_t *size)
{
    char whole[600];
    (void)user;
    snprintf(whole, sizeof whole, "%s/examples/scenes/%s", SN_SOURCE_DIR, path);
    return snTest_ReadFile(whole, size);
}

static void closeExample(void *user, const void *bytes)
{
    (void)user;
    free((void *)(uintptr_t)bytes);
}

// Scenes of solids, polynomial bodies and coats, with scripts and hard ties: read, stepped, drawn, saved and restored.
static void examplesOfEveryModel(void)
{
    static const char *const names[] = {"poly-pendulum.json", "octopus.json", "sky-hook.json",
                                        "nails.json", "trunk.json"};
    const snFileHook files = {openExample, closeExample, NULL};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size, state;
        snWorld *world;
        snError error = {0};
        const char *text = openExample(NULL, names[i], &size);
        CHECK(text && snWorld_Load(&world, text, size, &files, &context, &error) == SN_OK);
        printf("%s%s\n", names[i], error.message);
        state = snWorld_SaveSize(world);
        void *saved = malloc(state);
        for (int k = 0; k < 4; k++) {
            if (k == 3) snWorld_Save(world, saved);
            snWorld_Step(world);
        }
        uint64_t hash = snWorld_Hash(world);
        CHECK(snWorld_Restore(world, saved, state, &error) == SN_OK);
        snWorld_Step(world);
        CHECK(snWorld_Hash(world) == hash);
        for (int b = 0; b < snWorld_BodyCount(world); b++) {
            size_t n = (size_t)snWorld_VertexCount(world, b);
            float *floats = malloc(n * 24);
            snSurfaceBuffer buffer = {floats, 24, floats + 3, 24, 0};
            snWorld_ReadSurface(world, b, &buffer);
            for (size_t k = 0; k < 6 * n; k++)
                CHECK(isfinite(floats[k]));
            free(floats);
        }
        free(saved);
        closeExample(NULL, text);
        snWorld_Free(world);
    }
}

int main(void)
{
    context = snDefaultContext();
    RUN(bodiesFallAndAreRead);
    RUN(handsTakeBodies);
    RUN(bodiesAreMovedAbout);
    RUN(collidersAreLed);
    RUN(scriptsAreTold);
    RUN(worldsRunBesideEachOther);
    RUN(largeWorldsAreBuiltBesideEachOther);
    RUN(engineSchedulesAndAllocates);
    RUN(filesAndFailures);
    RUN(examplesOfEveryModel);
    return snTest_Finish();
}
