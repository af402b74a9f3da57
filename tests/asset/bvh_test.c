// BVH reading: hierarchies, channels in any order, bad files with the line named, every allocation
// failing, mutations, and real recordings.
#include "asset/bvh.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char arm[] =
    "HIERARCHY\n"
    "ROOT Hip bone\n{\n"
    "  OFFSET 1 2 3\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "  JOINT Arm\n  {\n"
    "    OFFSET 0 10 0\n"
    "    CHANNELS 3 Xrotation Zrotation Yrotation\n"
    "    End Site\n    {\n      OFFSET 0 5 0\n    }\n"
    "  }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.25\n"
    "1 2 3 0 0 0 0 0 0\n"
    "4 5 6 90 90 0 30 0 90\n";

static snStatus readText(snCharacter *character, const char *text, snError *error)
{
    snContext context = snDefaultContext();
    return snBvh_Read(character, text, strlen(text), &context, error);
}

// Where joint `joint` is at time t.
static snVec3 jointAt(const snCharacter *c, int joint, double t)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, 0, &arena, NULL) == SN_OK);
    if (c->clipCount) snClip_Sample(&c->clips[0], t, &pose);
    snPose_Globals(&pose, &c->skeleton);
    snVec3 at = pose.global[joint].origin;
    snArena_Destroy(&arena);
    return at;
}

static void checkAt(snVec3 at, double x, double y, double z)
{
    CHECK_NEAR(at.x, x, 1e-5);
    CHECK_NEAR(at.y, y, 1e-5);
    CHECK_NEAR(at.z, z, 1e-5);
}

static void checkArm(const char *text)
{
    snCharacter c;
    snError error = {0};
    if (!CHECK(readText(&c, text, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    CHECK(c.skeleton.jointCount == 3 && c.clipCount == 1 && c.partCount == 0);
    CHECK(!strcmp(c.skeleton.joints[0].name, "Hip bone"));
    CHECK(!strcmp(c.skeleton.joints[2].name, "Arm.end"));
    CHECK(c.skeleton.joints[0].parent == -1 && c.skeleton.joints[2].parent == 1);
    CHECK(!strcmp(c.clips[0].name, SN_BVH_CLIP) && c.clips[0].channelCount == 3);
    CHECK_NEAR(c.clips[0].duration, 0.25, 1e-12);
    checkAt(jointAt(&c, 2, 0), 1, 17, 3);
    // By hand: R_z(90) R_x(90) takes y to z and stays there: (0,10,0) -> (0,0,10). The arm's
    // R_x(30) R_y(90) takes (0,5,0) to 5 (0, cos 30, sin 30), the hip that to
    // 5 R_z(90) (0, -sin 30, cos 30) = 5 (sin 30, 0, cos 30).
    checkAt(jointAt(&c, 1, 0.25), 4, 5, 16);
    checkAt(jointAt(&c, 2, 0.25), 4 + 2.5, 5, 16 + 5 * sqrt(0.75));
    snCharacter_Destroy(&c);
}

static void hierarchyAndMotion(void)
{
    checkArm(arm);
}

static void anySpacing(void)
{
    char text[2048], *out = text;
    for (const char *at = arm; *at; at++) {
        if (*at == '\n')
            out += sprintf(out, " \r\n\t");
        else
            *out++ = *at;
    }
    *out = 0;
    checkArm(text);
}

// The same rotations one by one: a joint with the channels in each order against matrices.
static void everyOrderOfChannels(void)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; o++) {
        double angle[3] = {25, -70, 140};
        char text[600];
        snprintf(text, sizeof text,
                 "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 %crotation %crotation %crotation "
                 "End Site { OFFSET 1 2 3 } } MOTION Frames: 1 Frame Time: 0.1 %g %g %g",
                 "XYZ"[orders[o][0]], "XYZ"[orders[o][1]], "XYZ"[orders[o][2]], angle[0], angle[1],
                 angle[2]);
        snCharacter c;
        if (!CHECK(readText(&c, text, NULL) == SN_OK)) continue;
        double p[3] = {1, 2, 3};
        for (int i = 2; i >= 0; i--) { // the last channel turns first
            int a = (orders[o][i] + 1) % 3, b = (orders[o][i] + 2) % 3;
            double s = snSin(angle[i] * PI / 180), k = snCos(angle[i] * PI / 180);
            double turned = k * p[a] - s * p[b];
            p[b] = s * p[a] + k * p[b];
            p[a] = turned;
        }
        checkAt(jointAt(&c, 1, 0), p[0], p[1], p[2]);
        snCharacter_Destroy(&c);
    }
}

// Rotations over half a turn must not run back the long way between two keys.
static void keysStayNearEachOther(void)
{
    const char *text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Zrotation End Site { OFFSET 1 0 "
                       "0 } } MOTION Frames: 3 Frame Time: 1 170 190 350";
    snCharacter c;
    if (!CHECK(readText(&c, text, NULL) == SN_OK)) return;
    checkAt(jointAt(&c, 1, 0.5), -1, 0, 0);
    checkAt(jointAt(&c, 1, 1.5), 0, -1, 0);
    snCharacter_Destroy(&c);
}

static void skeletonsAlone(void)
{
    static const char *const texts[] = {
        "HIERARCHY ROOT a { OFFSET 0 1 0 } ROOT b { OFFSET 1 0 0 }",
        "HIERARCHY ROOT a { OFFSET 0 1 0 } ROOT b { OFFSET 1 0 0 } MOTION Frames: 0 Frame Time: 0",
        "hierarchy root a{ offset 0 1 0 } root b{ offset 1 0 0 } motion frames : 0 frame time : 0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        snCharacter c;
        if (!CHECK(readText(&c, texts[i], NULL) == SN_OK)) continue;
        CHECK(c.skeleton.jointCount == 2 && c.clipCount == 0);
        checkAt(jointAt(&c, 0, 0), 0, 1, 0);
        snCharacter_Destroy(&c);
    }
}

static void mistakesAreNamed(void)
{
#define JOINT "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "does not begin with HIERARCHY"},
        {"ROOT a", "does not begin with HIERARCHY"},
        {"HIERARCHY\nMOTION", "no ROOT"},
        {"HIERARCHY\nJOINT a", "line 2: \"JOINT\" where ROOT"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 x 0", "line 4: \"x\" where the offset's y"},
        {JOINT, "line 5: the file ends"},
        {JOINT "ROOT b", "line 5: \"ROOT\" where JOINT"},
        {JOINT "CHANNELS 7 Xposition", "from 0 to 6"},
        {JOINT "CHANNELS 1 Wposition", "line 5: \"Wposition\" where a channel"},
        {JOINT "CHANNELS 2 Xposition Xposition", "a channel that is new"},
        {JOINT "CHANNELS 1 Xposition CHANNELS 1 Yposition", "channels again"},
        {JOINT "}\nMOTION\nFrames: 1.5", "from 0 to"},
        {JOINT "}\nMOTION\nFrames: 2\nFrame Time: 0", "a frame takes 0 s"},
        {JOINT "CHANNELS 1 Xposition\n}\nMOTION\nFrames: 9\nFrame Time: 1\n1", "too short"},
        {JOINT "CHANNELS 1 Xposition\n}\nMOTION\nFrames: 2\nFrame Time: 1\n1 ",
         "number 1 of frame 2"},
        {JOINT "CHANNELS 1 Xposition\n}\nMOTION\nFrames: 1\nFrame Time: 1\nnone",
         "line 10: \"none\" where number 1 of frame 1"},
        {JOINT "CHANNELS 1 Xposition\n}\nMOTION\nFrames: 1\nFrame Time: 1\n1e99", "1e99"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snCharacter c;
        snError error = {0};
        CHECK(readText(&c, cases[i].text, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected) != NULL))
            printf("    %s\n", error.message);
    }
}

// Numbers that are not finite are held and told.
static void brokenNumbersAreHeld(void)
{
    snCharacter c;
    snError error = {0};
    const char *text =
        JOINT "CHANNELS 2 Xposition Zrotation\n}\nMOTION\nFrames: 4\nFrame Time: 0.5\n"
              "-nan 10\n3 INF\n1.#QNAN 30\n5 -nan(ind)\n";
    if (!CHECK(readText(&c, text, &error) == SN_OK)) return;
    const snClip *clip = c.clips;
    const float *x = clip->channels[0].values;
    CHECK(x[0] == 0 && x[3] == 3 && x[6] == 3 && x[9] == 5);
    const float *q = clip->channels[1].values;
    CHECK(q[3] == q[7] && q[11] == q[15] && q[7] != q[11]);
    if (CHECK(clip->heldCount == 2)) {
        CHECK(clip->held[0].path == SN_PATH_TRANSLATION && clip->held[0].keys == 2);
        CHECK(clip->held[0].first == 0 && clip->held[1].first == 0.5);
        CHECK(clip->held[1].path == SN_PATH_ROTATION && clip->held[1].keys == 2);
    }
    snCharacter_Destroy(&c);
}

static void everyAllocationMayFail(void)
{
    for (int n = 1; n < 100; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snCharacter c;
        snStatus status = snBvh_Read(&c, arm, strlen(arm), &context, NULL);
        if (!status) {
            snCharacter_Destroy(&c);
            CHECK(memory.alive == 0 && n > 3);
            return;
        }
        CHECK(status == SN_ERROR_MEMORY && memory.alive == 0);
    }
    CHECK(false);
}

// Bytes cut off, changed and doubled: read or refused, nothing else.
static void mutations(void)
{
    snRandom random = snMakeRandom(7);
    for (int round = 0; round < 4000; round++) {
        char text[sizeof arm];
        memcpy(text, arm, sizeof arm);
        int changes = 1 + (int)(snRandom_Bits(&random) % 4);
        size_t size = sizeof arm - 1;
        if (round % 3 == 0) size = snRandom_Bits(&random) % size;
        for (int i = 0; i < changes; i++)
            text[snRandom_Bits(&random) % (sizeof arm - 1)] =
                " {}0123456789-.eE\nRJEOC\x80"[snRandom_Bits(&random) % 24];
        snContext context = snDefaultContext();
        context.log = (snLogHook){0};
        char *exact = malloc(size + 1); // no zero behind it that could stop a reader
        memcpy(exact, text, size);
        snCharacter c;
        snError error = {0};
        if (!snBvh_Read(&c, exact, size, &context, &error))
            snCharacter_Destroy(&c);
        else
            CHECK(error.message[0] != 0);
        free(exact);
    }
}

static void realRecordings(void)
{
    static const struct {
        const char *name;
        int joints, frames;
    } files[] = {{"cmu_02_01_walk.bvh", 38, 344}, {"cmu_16_01_jump.bvh", 38, 0}};
    for (int i = 0; i < 2; i++) {
        size_t size;
        unsigned char *bytes = snTest_Asset(files[i].name, &size);
        if (!bytes) {
            printf("    %s is not there\n", files[i].name);
            continue;
        }
        snContext context = snDefaultContext();
        snCharacter c;
        snError error = {0};
        if (CHECK(snBvh_Read(&c, bytes, size, &context, &error) == SN_OK)) {
            printf("    %s: %d joints, %.3f s, %d keys\n", files[i].name, c.skeleton.jointCount,
                   c.clips[0].duration, c.clips[0].channels[0].keyCount);
            CHECK(c.skeleton.jointCount == files[i].joints);
            if (files[i].frames) CHECK(c.clips[0].channels[0].keyCount == files[i].frames);
            snCharacter_Destroy(&c);
        } else {
            printf("    %s\n", error.message);
        }
        free(bytes);
    }
}

int main(void)
{
    RUN(hierarchyAndMotion);
    RUN(anySpacing);
    RUN(everyOrderOfChannels);
    RUN(keysStayNearEachOther);
    RUN(skeletonsAlone);
    RUN(mistakesAreNamed);
    RUN(brokenNumbersAreHeld);
    RUN(everyAllocationMayFail);
    RUN(mutations);
    RUN(realRecordings);
    return snTest_Finish();
}
