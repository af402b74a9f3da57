// Characters in scenes: what is read of them, what is wrong with them, and memory that runs out.
#include "character/size.h"
#include "core/core.h"
#include "core/error.h"
#include "scene/scene.h"
#include "tests/hostile/corpus.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snCorpus corpus;

#define HEAD "{\"sinew\": \"scene\", \"version\": 1, "
#define BEAST(more)                                                                                \
    HEAD "\"bodies\": [{\"name\": \"beast\", \"character\": {\"file\": \"beast.glb\", \"cells\": " \
         "40, " more
#define FLOOR "\"colliders\": [{\"kind\": \"floor\"}]}"

static const char rig[] = "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"wobble\": 5}}";
static const char pressedRig[] =
    "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"poisson\": 0.499}}";
static const char wrongRig[] =
    "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"wabble\": 5}}";

static snStatus readFile(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                         size_t *size, snError *error)
{
    (void)user, (void)arena;
    const snBytes *beast = &corpus.seeds[SN_SEED_BEAST].bytes;
    const char *text = !strcmp(path, "beast.rig.json")     ? rig
                       : !strcmp(path, "pressed.rig.json") ? pressedRig
                                                           : wrongRig;
    *bytes = !strcmp(path, "beast.glb") ? beast->data : (const uint8_t *)text;
    *size = !strcmp(path, "beast.glb") ? beast->size : strlen(text);
    if (!strcmp(path, "none.glb")) return snFail(error, SN_ERROR_FILE, "there is no file none.glb");
    return SN_OK;
}

static snStatus readScene(snSceneFile *scene, const char *text, const snContext *context,
                          snError *error)
{
    snSceneSource source = {readFile, NULL, NULL};
    return snSceneFile_Read(scene, text, strlen(text), &source, context, error);
}

static const char all[] = BEAST("\"clip\": \"walk\", \"loop\": false, \"speed\": 0.5, \"start\": "
                                "\"250 ms\", \"travel\": [0, 0, 0.4], "
                                "\"motion\": \"full\", \"damping\": 3, \"amplitude\": 0.9, "
                                "\"iterations\": 4, \"gravityChange\": 1, "
                                "\"rig\": \"beast.rig.json\", \"reach\": [{\"joint\": \"head\", "
                                "\"root\": \"chest\", \"range\": 60}], "
                                "\"ease\": \"0.2 s\"}, \"place\": [1, 0, 0], \"rotation\": "
                                "{\"axis\": [0, 1, 0], \"angle\": 90}, "
                                "\"contact\": {\"friction\": 0}, \"stiffness\": [[0, 1], [1, 2]]}, "
                                "{\"name\": \"box\", \"box\": {\"size\": [0.2, 0.2, 0.2], "
                                "\"cells\": [1, 1, 1]}, \"place\": [0, 2, 0]}],") FLOOR;

static const char limp[] =
    BEAST("\"clip\": \"walk\", \"skeleton\": {\"bones\": 0.05, \"strength\": 6, \"hand\": 3, "
          "\"damping\": 4, \"joints\": [{\"part\": \"leg_*\", \"strength\": 2, \"swing\": 70}], "
          "\"keys\": [{\"time\": 0}, {\"time\": \"100 ms\", \"strength\": 0, \"hand\": 0}]}}, "
          "\"velocity\": [0, 0, 1]}], ") FLOOR;

static const char tiedBeast[] = HEAD
    "\"stepsPerSecond\": 60, \"bodies\": [{\"name\": \"block\", \"box\": {\"size\": [0.1, 0.1, "
    "0.1], \"cells\": [1, 1, 1]}, \"place\": [0, 1.5, 0]}, {\"name\": \"beast\", \"character\": "
    "{\"file\": \"beast.glb\", \"cells\": 300, \"clip\": \"walk\", \"rig\": "
    "\"pressed.rig.json\", \"travel\": [0, 0, 3]}}], \"bodiesTouch\": false, \"attachments\": "
    "[{\"body\": \"beast\", \"vertex\": 100, \"to\": {\"body\": \"block\", \"vertex\": 0}}]}";

// A beast that is led, and ties all the same hold, though its searches may begin beside its rig: whichever body is named first.
static void tiesHoldNearlyIncompressibleOnes(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    double worst = 0;
    bool good = readScene(&s, tiedBeast, &context, &error) == SN_OK;
    if (good) good = snSceneFile_Build(&s, &stage, &context, &error) == SN_OK;
    if (!CHECK(good)) printf("    %s\n", error.message), exit(1);
    for (int k = 0; k < 60; k++) {
        snWorld_Step(stage.world);
        snVec3 a = snBody_Vertex(stage.world->bodies.data[0], 0);
        if (k > 20) // once they have come together
            worst = fmax(worst, snDistance(a, snBody_Vertex(stage.world->bodies.data[1], 100)));
    }
    printf("    %.1e m apart at most\n", worst);
    CHECK(worst < 1e-9);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&s);
}

// Bones that give way: told by parts and keys, and limp from 0.1 s on.
static void skeletonsAreRead(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    if (!CHECK(readScene(&s, limp, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snSceneCharacter *c = s.bodies[0].character;
    const snStrength *strength = &c->skeleton.strength;
    int told = 0;
    CHECK(c->body.skeleton == &c->skeleton && c->skeleton.bones == 0.05);
    CHECK(c->flesh.motion == SN_MOTION_FULL && c->flesh.iterations == 12);
    CHECK(strength->strength == 6 && strength->hand == 3 && strength->damping == 4);
    CHECK(strength->keyCount == 2 && strength->keys[0].strength == 1 &&
          strength->keys[1].hand == 0);
    for (int j = 0; j < c->character.skeleton.jointCount; j++)
        told += strength->strengths[j] == 2 && fabs(strength->swings[j] - 1.2217) < 1e-4;
    CHECK(told >= 8 && told < c->character.skeleton.jointCount);
    if (CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_OK)) {
        snBodyMeasure first, m;
        snBody_Measure(stage.world->bodies.data[0], &first);
        for (int k = 0; k < 120; k++)
            snWorld_Step(stage.world);
        snBody_Measure(stage.world->bodies.data[0], &m);
        printf("    %.1f kg from %.2f m to %.2f m\n", m.mass, first.center.y, m.center.y);
        CHECK(first.momentum.z > 0.99 * first.mass && m.center.y < 0.8 * first.center.y);
        CHECK(!stage.world->tales.data[0].failures);
        snStage_Destroy(&stage);
    } else {
        printf("    %s\n", error.message);
    }
    snSceneFile_Destroy(&s);
}

typedef struct Warnings {
    int count;
    char last[256];
} Warnings;

static void noteWarning(void *user, snLogLevel level, const char *line)
{
    Warnings *w = user;
    if (level != SN_LOG_WARNING || !strstr(line, "m tall")) return; // there are others
    w->count++;
    snprintf(w->last, sizeof w->last, "%s", line);
}

// A scene with a beast of some size after some steps: its surface, or NULL.
static snVec3 *stepBeast(const char *size, int *count, Warnings *warnings)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    snVec3 *out = NULL;
    char text[600];
    snprintf(text, sizeof text, BEAST("\"clip\": \"walk\"%s}}], ") FLOOR, size);
    context.log = (snLogHook){noteWarning, warnings};
    if (!CHECK(readScene(&s, text, &context, &error) == SN_OK)) printf("    %s\n", error.message);
    if (CHECK(!error.message[0] && snSceneFile_Build(&s, &stage, &context, &error) == SN_OK)) {
        snBody *body = stage.world->bodies.data[0];
        for (int k = 0; k < 12; k++)
            snWorld_Step(stage.world);
        *count = body->vertexCount;
        out = malloc((size_t)*count * sizeof *out);
        for (int v = 0; v < *count; v++)
            out[v] = snBody_Vertex(body, v);
        snStage_Destroy(&stage);
    }
    snSceneFile_Destroy(&s);
    return out;
}

// Everything of it is as many times as large, in its clip too; who has not said how large it is is told when that is unlikely.
static void sizesAreTold(void)
{
    Warnings w = {0};
    int count = 0;
    snVec3 *plain = stepBeast("", &count, &w), *half = stepBeast(", \"scale\": 0.5", &count, &w);
    snVec3 *huge = stepBeast(", \"scale\": 100", &count, &w);
    double off[2] = {0, 0}, size = 0;
    CHECK(w.count == 0);
    for (int v = 0; v < count && plain && half && huge; v++) {
        off[0] = fmax(off[0], snDistance(snScale(0.5, plain[v]), half[v]));
        off[1] = fmax(off[1], snDistance(snScale(100, plain[v]), huge[v]));
        size = fmax(size, snLength(plain[v]));
    }
    printf("    half as large to %.1e m, a hundred times to %.1e\n", off[0], off[1]);
    CHECK(off[0] < 1e-6 * size && off[1] < 100 * 2e-3 * size);
    free(half);
    free(huge);
    snVec3 *tall = stepBeast(", \"height\": \"90 cm\"", &count, &w);
    double low = 1e9, high = -1e9;
    for (int v = 0; v < count && tall; v++)
        low = fmin(low, tall[v].y), high = fmax(high, tall[v].y);
    CHECK(w.count == 0 && high - low > 0.8 && high - low < 1);
    free(tall);
    free(plain);
}

static void unlikelyOnesAreToldOf(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    size_t size;
    unsigned char *fox = snTest_Asset("Fox.glb", &size);
    if (!fox) return;
    static const struct {
        const char *size;
        int warnings;
        double height;
    } cases[] = {{"", 1, 78.9},
                 {", \"scale\": 0.01", 0, 0.789},
                 {", \"height\": 0.7", 0, 0.7},
                 {", \"scale\": 1", 0, 78.9}};
    snBytes beast = corpus.seeds[SN_SEED_BEAST].bytes;
    corpus.seeds[SN_SEED_BEAST].bytes.data = fox; // in its place
    corpus.seeds[SN_SEED_BEAST].bytes.size = size;
    for (int k = 0; k < 4; k++) {
        Warnings w = {0};
        char text[600];
        snSize measured;
        snprintf(text, sizeof text, BEAST("\"clip\": 0%s}}], ") FLOOR, cases[k].size);
        context.log = (snLogHook){noteWarning, &w};
        CHECK(readScene(&s, text, &context, NULL) == SN_OK && w.count == cases[k].warnings);
        if (w.count) printf("    %s\n", w.last);
        CHECK(snMeasureSize(&measured, &s.bodies[0].character->character, &context, NULL) == SN_OK);
        CHECK_NEAR(measured.height / cases[k].height, 1, 0.01);
        snSceneFile_Destroy(&s);
    }
    corpus.seeds[SN_SEED_BEAST].bytes = beast;
    free(fox);
}

static void everythingIsRead(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    if (!CHECK(readScene(&s, all, &context, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snSceneCharacter *c = s.bodies[0].character;
    CHECK(s.bodies[0].shape == SN_SCENE_CHARACTER && c->body.clip == 0 && !c->body.loop);
    CHECK(c->body.speed == 0.5 && c->body.start == 0.25 && c->body.travel.z == 0.4);
    CHECK(c->hasRig && c->rig.def.wobble == 5 && c->rig.def.massDamping == 3 &&
          c->rig.def.cells == 40);
    CHECK(c->rig.def.motion == SN_MOTION_FULL && c->rig.def.amplitude == 0.9);
    CHECK(c->body.reachCount == 1 && c->body.ease == 0.2);
    CHECK_NEAR(c->body.reaches[0].most, 1.0471975511965976, 1e-12);
    CHECK(s.bodies[0].solid.friction == 0 && !s.bodies[1].character);
    if (CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_OK)) {
        for (int k = 0; k < 60; k++)
            snWorld_Step(stage.world);
        snBodyMeasure m;
        snBody_Measure(stage.world->bodies.data[0], &m);
        printf("    %.1f kg at (%.2f, %.2f, %.2f), %d steps failed\n", m.mass, m.center.x,
               m.center.y, m.center.z, stage.world->tales.data[0].failures);
        CHECK(!stage.world->tales.data[0].failures && m.center.x > 0.8 && m.center.z > 0.1);
        snStage_Destroy(&stage);
    } else {
        printf("    %s\n", error.message);
    }
    snSceneFile_Destroy(&s);
}

static const char *const wrong[][3] = {
    {BEAST("\"scale\": 0}}]}"), "bodies[0].character.scale", "1e-06"},
    {BEAST("\"height\": \"2 km\"}}]}"), "bodies[0].character.height", "2"},
    {BEAST("\"scale\": 2, \"height\": 2}}]}"), "bodies[0].character.height", "both"},
    {BEAST("\"clip\": \"wlak\"}}]}"), "bodies[0].character.clip: ", "the clips walk"},
    {BEAST("\"clpi\": \"walk\"}}]}"), "bodies[0].character: ", "did you mean"},
    {BEAST("\"clip\": 1}}]}"), "bodies[0].character.clip: ", "0"},
    {BEAST("\"speed\": 1e9}}]}"), "bodies[0].character.speed: ", "from -100 to 100"},
    {BEAST("\"motion\": \"most\"}}]}"), "bodies[0].character.motion: ", "secondary"},
    {BEAST("\"reach\": {\"joint\": \"head\"}}}]}"), "bodies[0].character.reach: ", "root"},
    {BEAST("\"reach\": {\"joint\": \"heda\", \"root\": \"neck\"}}}]}"),
     "bodies[0].character.reach.joint: ", "the joints root, spine"},
    {BEAST("\"reach\": [{\"joint\": \"neck\", \"root\": \"head\"}]}}]}"),
     "bodies[0].character.reach[0].root: ", "no joint above"},
    {BEAST("\"rig\": \"wrong.rig.json\"}}]}"), "bodies[0].character.rig: wrong.rig.json", "wobble"},
    {BEAST("\"wobble\": 3}, \"velocity\": [1, 0, 0]}]}"),
     "bodies[0].velocity: ", "does not go with a character"},
    {BEAST("\"wobble\": 3}, \"material\": {}}]}"),
     "bodies[0].material: ", "does not go with a character"},
    {BEAST("\"skeleton\": {\"strenght\": 1}}}]}"),
     "bodies[0].character.skeleton: ", "did you mean"},
    {BEAST("\"skeleton\": {\"strength\": -1}}}]}"),
     "bodies[0].character.skeleton.strength: ", "from 0 to 100"},
    {BEAST("\"motion\": \"secondary\", \"skeleton\": {}}}]}"),
     "bodies[0].character.motion: ", "must be \"full\""},
    {BEAST("\"skeleton\": {\"joints\": [{\"part\": \"wing\"}]}}}]}"),
     "bodies[0].character.skeleton.joints[0].part: ", "no joint is called"},
    {BEAST("\"skeleton\": {\"joints\": [{\"strength\": 1}]}}}]}"),
     "bodies[0].character.skeleton.joints[0]: ", "part"},
    {BEAST("\"skeleton\": {\"keys\": [{\"time\": 1}, {\"time\": 0.5}]}}}]}"),
     "bodies[0].character.skeleton.keys[1]: ", "the one before it"},
    {BEAST("\"skeleton\": {\"keys\": 3}}}]}"),
     "bodies[0].character.skeleton.keys: ", "must be a list"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"character\": {\"file\": \"a.obj\"}}]}",
     "bodies[0].character.file: ", ".glb or .gltf"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"character\": {\"file\": \"none.glb\"}}]}",
     "bodies[0].character.file: ", "none.glb"},
    {HEAD "\"bodies\": [{\"name\": \"a\", \"character\": {}}]}", "bodies[0].character: ", "file"},
};

static void wrongOnesNameTheirPlaces(void)
{
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snSceneFile s;
        snError error = {0};
        snStatus status = readScene(&s, wrong[i][0], &context, &error);
        if (!CHECK(status != SN_OK)) snSceneFile_Destroy(&s);
        bool good = !strncmp(error.message, wrong[i][1], strlen(wrong[i][1])) &&
                    strstr(error.message, wrong[i][2]);
        if (!CHECK(good)) printf("    %zu: %s\n", i, error.message);
    }
}

static void runOut(const char *text)
{
    bool made = false;
    int n = 1;
    int stride = snTest_Whole() ? 1 : 67; // all 1,900 of both take minutes
    for (; n < 3000 && !made; n += n < 20 ? 1 : stride) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snSceneFile s;
        snStage stage;
        snError error = {0};
        snStatus status = readScene(&s, text, &context, &error);
        if (!status) {
            status = snSceneFile_Build(&s, &stage, &context, &error);
            made = !status;
            if (made) snStage_Destroy(&stage);
            snSceneFile_Destroy(&s);
        }
        if (!CHECK(!status || status == SN_ERROR_MEMORY)) printf("    %d: %s\n", n, error.message);
        CHECK(memory.alive == 0);
    }
    printf("    %d places that allocate\n", n);
    CHECK(made);
}

static void memoryMayRunOut(void)
{
    runOut(all);
    runOut(limp);
}

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    if (snCorpus_Make(&corpus, &context, &error)) printf("%s\n", error.message);
    RUN(everythingIsRead);
    RUN(skeletonsAreRead);
    RUN(sizesAreTold);
    RUN(tiesHoldNearlyIncompressibleOnes);
    RUN(unlikelyOnesAreToldOf);
    RUN(wrongOnesNameTheirPlaces);
    RUN(memoryMayRunOut);
    snCorpus_Destroy(&corpus);
    return snTest_Finish();
}
