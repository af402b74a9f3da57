// Loops: with and without a repeated last frame, what is none, and what the flesh makes of them; ranges
// and pre-roll.
#include "tests/test.h"

#include "asset/gltf.h"
#include "bake/bake.h"
#include "bake/loop.h"
#include "character/size.h"
#include "core/core.h"
#include "demo.h"
#include "tests/asset/gltf_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 24 }; // of a whole round, the last one not repeated

// A round of one second in which the root sways and the middle bends, with so many keys of it; `drift` is
// how far it goes on the way.
static void setClip(snCharacter *c, int keys, double drift)
{
    static float times[KEYS + 1], turns[4 * (KEYS + 1)], moves[3 * (KEYS + 1)];
    for (int k = 0; k < keys; k++) {
        double phase = 2 * 3.14159265358979 * k / KEYS;
        snQuat q = snQuatFromAxisAngle(snVec(1, 0, 0), 0.6 * sin(phase + 0.5));
        times[k] = (float)k / KEYS;
        turns[4 * k] = (float)q.x;
        turns[4 * k + 3] = (float)q.w;
        moves[3 * k] = (float)(0.3 * cos(phase) + drift * k / KEYS);
        moves[3 * k + 1] = (float)(0.2 * sin(phase));
    }
    c->clipCount = 1;
    snClip *clip = &c->clips[0];
    clip->channelCount = 2;
    clip->start = 0;
    clip->duration = (double)times[keys - 1];
    clip->channels[0] = (snChannel){1, SN_PATH_TRANSLATION, SN_LINEAR, keys, 3, times, moves};
    clip->channels[1] = (snChannel){2, SN_PATH_ROTATION, SN_LINEAR, keys, 4, times, turns};
}

static snLoop find(snCharacter *c, const snContext *context)
{
    snLoop loop;
    CHECK(snFindLoop(&loop, c, 0, 1.8, context, NULL) == SN_OK);
    return loop;
}

static void madeClips(void)
{
    snContext context = snDefaultContext();
    snCharacter c;
    makeCharacter(&c, &context);
    setClip(&c, KEYS + 1, 0);
    snLoop loop = find(&c, &context);
    CHECK(loop.closed && !loop.open && loop.closing == 0 && loop.distance < 1e-5);
    setClip(&c, KEYS, 0);
    loop = find(&c, &context);
    CHECK(!loop.closed && loop.open);
    CHECK_NEAR(loop.closing, 1.0 / KEYS, 1e-6);
    setClip(&c, KEYS - 6, 0); // a quarter is missing
    loop = find(&c, &context);
    CHECK(!loop.closed && !loop.open);
    setClip(&c, KEYS, 1.5); // walks away
    loop = find(&c, &context);
    CHECK(!loop.closed && !loop.open);
    setClip(&c, 2, 0);
    loop = find(&c, &context);
    CHECK(!loop.closed && !loop.open);
    setClip(&c, 1, 0); // a pose
    loop = find(&c, &context);
    CHECK(!loop.closed && !loop.open);
    snCharacter_Destroy(&c);
}

// Behind the last key the pose goes over into the first without a jump.
static void posesOverTheSeam(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snCharacter c;
    snPose pose, other;
    makeCharacter(&c, &context);
    setClip(&c, KEYS, 0);
    CHECK(snPose_Make(&pose, &c.skeleton, c.morphCount, &arena, NULL) == SN_OK);
    CHECK(snPose_Make(&other, &c.skeleton, c.morphCount, &arena, NULL) == SN_OK);
    double h = 1.0 / KEYS, last = 0;
    for (int k = 0; k <= 200; k++) {
        snLoopPose(&c, &c.clips[0], h, k / 200.0, &pose, &other);
        double x = pose.global[1].origin.x;
        if (k > 0) CHECK(fabs(x - last) < 0.011); // 0.3 * 2π / 200
        last = x;
    }
    CHECK_NEAR(last, 0.3, 1e-6);
    snArena_Destroy(&arena);
    snCharacter_Destroy(&c);
}

// What others made: loops of both kinds, and clips that end elsewhere.
static void clipsOfOthers(void)
{
    static const struct {
        const char *file, *clip;
        bool closed, open;
    } cases[] = {{"Fox.glb", "Walk", true, false},       {"Fox.glb", "Run", true, false},
                 {"CesiumMan.glb", "0", false, true},    {"Cow.glb", "Gallop", false, true},
                 {"Cow.glb", "Death", false, false},     {"Cow.glb", "Jump_toIdle", false, false},
                 {"Mage.glb", "Running_A", true, false}, {"Mage.glb", "Block", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        unsigned char *bytes = snTest_Asset(cases[i].file, &size);
        if (!bytes) {
            printf("%s is not here: left out\n", cases[i].file);
            continue;
        }
        snContext context = snDefaultContext();
        snCharacter c;
        snSize measured;
        snLoop loop;
        snGltfSource source = {.bytes = bytes, .size = size};
        CHECK(snGltf_Read(&c, &source, &context, NULL) == SN_OK);
        CHECK(snMeasureSize(&measured, &c, &context, NULL) == SN_OK);
        int clip = snCharacter_FindClip(&c, cases[i].clip);
        CHECK(snFindLoop(&loop, &c, clip, measured.height, &context, NULL) == SN_OK);
        printf("%s %s: distance %.3f, missed %.3f, pace %.3f\n", cases[i].file, cases[i].clip,
               loop.distance, loop.missed, loop.pace);
        CHECK(loop.closed == cases[i].closed && loop.open == cases[i].open);
        snCharacter_Destroy(&c);
        free(bytes);
    }
}

// ---- flesh ----

typedef struct Stage {
    snContext context;
    snCharacter character;
    snFlesh *flesh;
} Stage;

static Stage stage;

static void setUp(void)
{
    snError error = {0};
    snFleshDef def = snDefaultFleshDef();
    def.cells = 400;
    stage.context = snDefaultContext();
    if (snDemo_Make(&stage.character, &stage.context, &error) ||
        snFlesh_Build(&stage.flesh, &stage.character, &def, &stage.context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
}

static snBake *bakeWith(const snBakeDef *def, snStatus expected)
{
    snBake *bake = NULL;
    snError error = {0};
    snStatus status = snBake_Run(&bake, stage.flesh, def, &stage.context, &error);
    if (!CHECK(status == expected)) printf("%s\n", error.message);
    return bake;
}

// A range has the frames of the whole bake, to the bit, loop or not.
static void rangesAreParts(void)
{
    int clip = snCharacter_FindClip(&stage.character, "walk");
    for (int never = 0; never < 2; never++) {
        snBakeDef def = snDefaultBakeDef();
        def.clips = &clip;
        def.clipCount = 1;
        def.middles = true;
        def.loop = never ? SN_LOOP_NEVER : SN_LOOP_FOUND;
        snBake *whole = bakeWith(&def, SN_OK);
        def.from = 0.3;
        def.to = 0.7;
        snBake *part = bakeWith(&def, SN_OK);
        const snBakedClip *a = &whole->clips[0], *b = &part->clips[0];
        CHECK(a->loops == !never && b->loops == !never);
        CHECK(a->frameCount == 34 && b->firstFrame == 9 && b->frameCount == 13);
        CHECK(snBakeDef_Frames(&def, &stage.character.clips[clip]) == 13);
        CHECK_NEAR(b->start, 0.3, 1e-6);
        size_t n = (size_t)whole->vertexCount;
        CHECK(!memcmp(a->positions + 9 * n, b->positions, 13 * n * sizeof(snVec3f)));
        CHECK(!memcmp(a->middles + 9 * n, b->middles, 12 * n * sizeof(snVec3f)));
        snBake_Destroy(whole);
        snBake_Destroy(part);
    }
    snBakeDef def = snDefaultBakeDef();
    def.clips = &clip;
    def.clipCount = 1;
    def.from = 5;
    CHECK(!bakeWith(&def, SN_ERROR_ARGUMENT));
    def.to = 1;
    CHECK(!bakeWith(&def, SN_ERROR_ARGUMENT));
    def = snDefaultBakeDef();
    def.preroll = NAN;
    CHECK(!bakeWith(&def, SN_ERROR_ARGUMENT));
}

// A loop whose last key is left out closes as well as the whole one.
static void openLoopsClose(void)
{
    int number = snCharacter_FindClip(&stage.character, "walk");
    snClip *clip = &stage.character.clips[number], kept = *clip;
    double h = snClip_KeyStep(clip);
    clip->duration -= h; // keys behind the end are never reached
    snBakeDef def = snDefaultBakeDef();
    def.clips = &number;
    def.clipCount = 1;
    snBake *bake = bakeWith(&def, SN_OK);
    const snBakedClip *baked = &bake->clips[0];
    printf("walk without its last key: loops %d, closing %.3f s, %d rounds, gap %.3f %%\n",
           baked->loops, baked->closing, baked->repeats, 100 * baked->loopGap);
    CHECK(baked->loops && fabs(baked->closing - h) < 1e-9);
    CHECK(baked->loopGap < 0.005);
    snBake_Destroy(bake);
    *clip = kept;
}

static void prerollHoldsStill(void)
{
    int clip = snCharacter_FindClip(&stage.character, "look");
    snBakeDef def = snDefaultBakeDef();
    def.clips = &clip;
    def.clipCount = 1;
    def.loop = SN_LOOP_NEVER;
    def.to = 0.2;
    snBake *none = bakeWith(&def, SN_OK);
    def.preroll = 1;
    snBake *second = bakeWith(&def, SN_OK);
    def.preroll = SN_PREROLL_AUTO;
    snBake *rest = bakeWith(&def, SN_OK);
    CHECK(none->clips[0].prerolled == 0);
    CHECK_NEAR(second->clips[0].prerolled, 1, 1e-9);
    CHECK_NEAR(rest->clips[0].prerolled, 0.5, 1e-9); // at rest from the beginning
    double worst = 0;
    for (int v = 0; v < none->vertexCount; v++)
        worst = fmax(worst, snDistance(snFromF(none->clips[0].positions[v]),
                                       snFromF(second->clips[0].positions[v])));
    CHECK(worst < 1e-5 * stage.flesh->height);
    snBake_Destroy(none);
    snBake_Destroy(second);
    snBake_Destroy(rest);
}

int main(void)
{
    RUN(madeClips);
    RUN(posesOverTheSeam);
    RUN(clipsOfOthers);
    setUp();
    RUN(rangesAreParts);
    RUN(openLoopsClose);
    RUN(prerollHoldsStill);
    snFlesh_Destroy(stage.flesh);
    snCharacter_Destroy(&stage.character);
    return snTest_Finish();
}
