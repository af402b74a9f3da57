// Keys over time: values between keys, amounts of parts, exactness where flesh is off, wrong keys.
#include "bake/bake.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/test.h"
#include "demo.h"

#include <stdio.h>
#include <string.h>

static struct {
    snContext context;
    snCharacter character;
    snFlesh *flesh;
    int shake;
} stage;

static void setUp(void)
{
    snError error = {0};
    stage.context = snDefaultContext();
    snDemo_Make(&stage.character, &stage.context, &error);
    snFleshDef def = snDefaultFleshDef();
    snBakeDef bake = snDefaultBakeDef();
    def.cells = 400;
    def.step = snBakeDef_Step(&bake);
    if (!CHECK(!snFlesh_Build(&stage.flesh, &stage.character, &def, &stage.context, &error)))
        printf("    %s\n", error.message);
    stage.shake = snCharacter_FindClip(&stage.character, "shake");
}

static void betweenKeys(void)
{
    static const double times[] = {1, 2, 4}, values[] = {0, 1, 0.5}, one = 3, at = 0;
    static const double stiff[] = {1, 4, 1};
    snKeyTrack track = {SN_KEYED_AMOUNT, NULL, -1, false, 3, times, values};
    CHECK(snKeyTrack_At(&track, 0) == 0 && snKeyTrack_At(&track, 9) == 0.5);
    CHECK(snKeyTrack_At(&track, (double)NAN) == 0);
    CHECK_NEAR(snKeyTrack_At(&track, 1.25), 0.25, 1e-15);
    CHECK_NEAR(snKeyTrack_At(&track, 3), 0.75, 1e-15);
    track.smooth = true;
    CHECK_NEAR(snKeyTrack_At(&track, 1.25), 0.0625 * 2.5, 1e-15);
    track = (snKeyTrack){SN_KEYED_STIFFNESS, NULL, -1, false, 3, times, stiff};
    CHECK_NEAR(snKeyTrack_At(&track, 1.5), 2, 1e-14); // by logarithms
    track = (snKeyTrack){SN_KEYED_AMOUNT, NULL, -1, false, 1, &at, &one};
    CHECK(snKeyTrack_At(&track, -1) == 3 && snKeyTrack_At(&track, 1) == 3);
}

static snBake *bakeWith(const snKeyTrack *tracks, int count, bool lean)
{
    snBakeDef def = snDefaultBakeDef();
    snBake *bake = NULL;
    snError error = {0};
    def.clips = &stage.shake;
    def.clipCount = 1;
    def.to = 0.7;
    def.loop = SN_LOOP_NEVER;
    def.keys = tracks;
    def.keyCount = count;
    def.lean = lean;
    if (!CHECK(!snBake_Run(&bake, stage.flesh, &def, &stage.context, &error)))
        printf("    %s\n", error.message);
    return bake;
}

static void rigAt(const snBake *bake, int frame, snPose *pose, snVec3f *out)
{
    const snBakedClip *clip = &bake->clips[0];
    snCharacter_Pose(&stage.character, &stage.character.clips[clip->clip],
                     snBakedClip_Time(clip, frame), pose);
    snCharacter_Surface(&stage.character, pose, &stage.context.tasks, out, NULL);
}

// Off until 0.3 s: every bit is the rig's. Then it comes in from rest, and what is seen of it grows.
static void offIsTheRig(void)
{
    static const double times[] = {0.3, 0.5}, values[] = {0, 1};
    snKeyTrack track = {SN_KEYED_AMOUNT, NULL, -1, false, 2, times, values};
    snBake *off = bakeWith(&track, 1, false), *on = bakeWith(NULL, 0, false);
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    size_t n = (size_t)stage.character.vertexCount;
    snVec3f *rig = SN_NEW(&arena, snVec3f, n);
    CHECK(!snPose_Make(&pose, &stage.character.skeleton, stage.character.morphCount, &arena, NULL));
    double early = 0, first = 0, late = 0;
    for (int k = 0; off && on && k < off->clips[0].frameCount; k++) {
        const snVec3f *a = off->clips[0].positions + (size_t)k * n;
        const snVec3f *b = on->clips[0].positions + (size_t)k * n;
        rigAt(off, k, &pose, rig);
        if (k <= 9) CHECK(!memcmp(a, rig, n * sizeof *a));
        for (size_t v = 0; v < n; v++) {
            double distance = snDistance(snFromF(a[v]), snFromF(rig[v]));
            if (k <= 9) early = fmax(early, snDistance(snFromF(b[v]), snFromF(rig[v])));
            if (k == 10) first = fmax(first, distance);
            if (k > 16) late = fmax(late, distance);
        }
    }
    printf("    on: %.3f before 0.3 s; keyed: %.4f in the next frame, %.3f later\n", early, first,
           late);
    CHECK(early > 0.01 && first < 0.1 * late && late > 0.01);
    snArena_Destroy(&arena);
    snBake_Destroy(off);
    snBake_Destroy(on);
}

// A part is off and the rest is not; a later track wins; a track of another clip says nothing.
static void parts(void)
{
    static const double at = 0, none = 0, all = 1;
    const snKeyTrack tracks[] = {{SN_KEYED_AMOUNT, NULL, -1, false, 1, &at, &none},
                                 {SN_KEYED_AMOUNT, "ear", -1, false, 1, &at, &all},
                                 {SN_KEYED_AMOUNT, "ear", 0, false, 1, &at, &none}};
    CHECK(stage.shake != 0);
    snBake *bake = bakeWith(tracks, 3, false), *lean = bakeWith(tracks, 3, true);
    unsigned char in[256] = {0};
    CHECK(snSkeleton_FindPart(&stage.character.skeleton, "ear", in));
    snArena arena = snMakeArena(&stage.context);
    snPose pose;
    size_t n = (size_t)stage.character.vertexCount;
    snVec3f *rig = SN_NEW(&arena, snVec3f, n);
    CHECK(!snPose_Make(&pose, &stage.character.skeleton, stage.character.morphCount, &arena, NULL));
    double moved = 0;
    const snWeightRows *skin = &stage.flesh->skin;
    for (int k = 0; bake && lean && k < bake->clips[0].frameCount; k += 3) {
        const snVec3f *a = bake->clips[0].positions + (size_t)k * n;
        rigAt(bake, k, &pose, rig);
        for (size_t v = 0; v < n; v++) {
            double weight = 0;
            for (int i = skin->start[v]; i < skin->start[v + 1]; i++)
                if (in[skin->column[i]]) weight += skin->weight[i];
            if (weight == 0) CHECK(!memcmp(&a[v], &rig[v], sizeof *a));
            if (weight > 0.99) moved = fmax(moved, snDistance(snFromF(a[v]), snFromF(rig[v])));
        }
        CHECK(!memcmp(snBake_Surface(lean, 0, k, false), a, n * sizeof *a));
    }
    CHECK(moved > 0.01);
    snArena_Destroy(&arena);
    snBake_Destroy(bake);
    snBake_Destroy(lean);
}

// Stiffer flesh moves less; the same factor all the time is what it says.
static void stiffness(void)
{
    static const double at = 0, stiff = 16, soft = 0.5;
    double offsets[3];
    for (int i = 0; i < 3; i++) {
        const double one = 1, *value = i == 0 ? &soft : i == 1 ? &one : &stiff;
        snKeyTrack track = {SN_KEYED_STIFFNESS, NULL, -1, false, 1, &at, value};
        snBake *bake = bakeWith(&track, 1, false);
        offsets[i] = bake ? bake->clips[0].largestOffset : 0;
        CHECK(bake && bake->resets == 0);
        snBake_Destroy(bake);
    }
    printf("    flesh moves by %.3f, %.3f, %.3f of the height at half, one, sixteen times the "
           "stiffness\n",
           offsets[0], offsets[1], offsets[2]);
    CHECK(offsets[0] > offsets[1] && offsets[1] > offsets[2]);
}

static void wrongKeys(void)
{
    static const double times[] = {1, 0.5}, same[] = {1, 1}, values[] = {1, 1}, low[] = {-1, 1};
    static const double high[] = {1, 1000}, nan[] = {(double)NAN, 1};
    static const double right[] = {0, 1};
    const snKeyTrack tracks[] = {{SN_KEYED_AMOUNT, NULL, -1, false, 2, times, values},
                                 {SN_KEYED_AMOUNT, NULL, -1, false, 2, same, values},
                                 {SN_KEYED_AMOUNT, NULL, -1, false, 2, right, low},
                                 {SN_KEYED_AMOUNT, NULL, -1, false, 2, right, nan},
                                 {SN_KEYED_AMOUNT, NULL, -1, false, 2, nan, values},
                                 {SN_KEYED_STIFFNESS, NULL, -1, false, 2, right, high},
                                 {SN_KEYED_STIFFNESS, "ear", -1, false, 2, right, values},
                                 {SN_KEYED_AMOUNT, "eer", -1, false, 2, right, values},
                                 {SN_KEYED_AMOUNT, NULL, -1, false, 0, right, values}};
    for (size_t i = 0; i < sizeof tracks / sizeof *tracks; i++) {
        snArena arena = snMakeArena(&stage.context);
        snKeys keys;
        CHECK(snKeys_Make(&keys, stage.flesh, &tracks[i], 1, &arena, NULL) == SN_ERROR_ARGUMENT);
        snArena_Destroy(&arena);
    }
    for (int failAt = 1; failAt < 100; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snKeyTrack track = {SN_KEYED_AMOUNT, "ear", -1, false, 2, right, values};
        snKeys keys;
        snStatus status = snKeys_Make(&keys, stage.flesh, &track, 1, &arena, NULL);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (!status) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
}

int main(void)
{
    setUp();
    if (!stage.flesh) return 1;
    RUN(betweenKeys);
    RUN(offIsTheRig);
    RUN(parts);
    RUN(stiffness);
    RUN(wrongKeys);
    snFlesh_Destroy(stage.flesh);
    snCharacter_Destroy(&stage.character);
    return snTest_Finish();
}
