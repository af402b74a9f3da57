// Key postures: exact at keys, smooth between them, the three parameters against the closed forms of
// their tangents, the same curves as numbers where there is one axis; loops; clips of them.
#include "skeleton/postures.h"
#include "skeleton/rotation_curve.h"

#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

enum { JOINTS = 4, KEYS = 6 };

static snJoint joints[JOINTS];
static snSkeleton skeleton = {JOINTS, joints};
static snTransform storage[JOINTS];
static snPose pose = {.local = storage};

static void makeSkeleton(void)
{
    for (int j = 0; j < JOINTS; j++)
        joints[j] = (snJoint){.name = "",
                              .parent = j - 1,
                              .rest = {snVec(j > 0, 0, 0), snIdentityQuat(), snVec(1, 1, 1)}};
    snPose_SetRest(&pose, &skeleton);
}

static snPostures *make(void)
{
    snContext context = snDefaultContext();
    snPostures *postures = NULL;
    makeSkeleton();
    CHECK(snPostures_Make(&postures, JOINTS, &context, NULL) == SN_OK);
    return postures;
}

static void set(snPostures *postures, double time, const snKnotShape *shape)
{
    CHECK(snPostures_Set(postures, time, &pose, shape, NULL) == SN_OK);
}

// Joint 3 stays as it is at rest.
static void randomPose(snRandom *random, double most)
{
    for (int j = 0; j < 3; j++) {
        snVec3 turn = snScale(snRandom_Uniform(random, 0, most), snRandom_UnitVector(random));
        storage[j].rotation = snQuatFromVector(turn);
    }
    storage[0].translation = snRandom_UnitVector(random);
}

static const double keyTimes[KEYS] = {-0.5, 0.1, 0.5, 1.4, 1.9, 2.5};

static snPostures *randomPostures(snRandom *random, double most, bool shaped)
{
    snPostures *postures = make();
    for (int k = KEYS - 1; k >= 0; k--) { // in any order
        snKnotShape shape = {snRandom_Uniform(random, -1, 1), snRandom_Uniform(random, -1, 1),
                             snRandom_Uniform(random, -1, 1)};
        randomPose(random, most);
        set(postures, keyTimes[k], shaped ? &shape : NULL);
    }
    return postures;
}

static snVec3 turnBetween(snQuat a, snQuat b)
{
    return snQuatToVector(snMulQQ(snConjugate(a), b));
}

static void keysAreExact(void)
{
    snRandom random = snMakeRandom(1);
    snPostures *postures = randomPostures(&random, 3, true);
    CHECK(snPostures_Count(postures) == KEYS);
    for (int loop = 0; loop < 2; loop++) {
        for (int k = 0; k < KEYS; k++) {
            const snPosture *key = snPostures_At(postures, k);
            CHECK_NEAR(key->time, keyTimes[k], 0);
            snPostures_Sample(postures, key->time, &pose);
            CHECK(memcmp(storage, key->local, sizeof storage) == 0);
            for (int side = -1; side <= 1; side += 2) { // and what is beside it comes close
                snPostures_Sample(postures, key->time + 1e-9 * side, &pose);
                CHECK_NEAR(snLength(turnBetween(storage[1].rotation, key->local[1].rotation)), 0,
                           1e-7);
                CHECK_NEAR(snDistance(storage[0].translation, key->local[0].translation), 0, 1e-7);
            }
        }
        snPostures_Close(postures, 0.7);
    }
    snPostures_Destroy(postures);
}

// About one axis, turns are numbers: the curve of numerics/spline.h over the angle.
static void oneAxisIsTheCurveOfNumbers(void)
{
    const double angles[KEYS] = {0.3, 1.5, -0.9, 1.9, 0.2, 0.4};
    for (int round = 0; round < 4; round++) {
        snRandom random = snMakeRandom((uint64_t)round + 20);
        snVec3 axis = snRandom_UnitVector(&random);
        snKnotShape shapes[KEYS] = {{0}};
        snPostures *postures = make();
        for (int k = 0; k < KEYS; k++) {
            if (round > 0)
                shapes[k] = (snKnotShape){snRandom_Uniform(&random, -1, 1),
                                          snRandom_Uniform(&random, -1, 1),
                                          snRandom_Uniform(&random, -1, 1)};
            storage[1].rotation = snQuatFromAxisAngle(axis, angles[k]);
            storage[0].translation = snVec(angles[k], 0, 2 * angles[k]);
            set(postures, keyTimes[k], &shapes[k]);
        }
        snKochanekBartels curve = {
            .count = KEYS, .width = 1, .knots = keyTimes, .values = angles, .shape = shapes};
        if (round > 1) {
            curve.closed = true;
            curve.closing = 0.8;
            snPostures_Close(postures, 0.8);
        }
        for (int i = -10; i <= 400; i++) {
            double t = -0.5 + 0.01 * i, angle;
            snKochanekBartels_Sample(&curve, t, SN_VALUE, &angle);
            snPostures_Sample(postures, t, &pose);
            snVec3 off = turnBetween(snQuatFromAxisAngle(axis, angle), storage[1].rotation);
            CHECK_NEAR(snLength(off), 0, 2e-14);
            CHECK_NEAR(storage[0].translation.z, 2 * angle, 2e-14);
        }
        snPostures_Destroy(postures);
    }
}

// Velocities by differences on both sides of a key.
static void velocitiesAt(const snPostures *postures, double t, snVec3 *in, snVec3 *out)
{
    double h = 1e-5;
    snQuat q[5];
    for (int i = 0; i < 5; i++) {
        snPostures_Sample(postures, t + h * (i - 2), &pose);
        q[i] = storage[1].rotation;
    }
    // One-sided, of second order: (4 f(h) - f(2h)) / 2h.
    *in = snScale(-0.5 / h, snSub(snScale(4, turnBetween(q[2], q[1])), turnBetween(q[2], q[0])));
    *out = snScale(0.5 / h, snSub(snScale(4, turnBetween(q[2], q[3])), turnBetween(q[2], q[4])));
}

// Tension, continuity and bias against their formulas; c = 0 has no kink.
static void tangentsAreTheClosedForm(void)
{
    snRandom random = snMakeRandom(3);
    double worst = 0;
    for (int round = 0; round < 30; round++) {
        snPostures *postures = randomPostures(&random, 1.5, false);
        double t = 0, c = 0, b = 0;
        if (round % 5 == 1 || round % 5 == 4) t = snRandom_Uniform(&random, -1, 1);
        if (round % 5 == 2 || round % 5 == 4) c = snRandom_Uniform(&random, -1, 1);
        if (round % 5 == 3 || round % 5 == 4) b = snRandom_Uniform(&random, -1, 1);
        int k = 1 + round % 4;
        snPostures_SetShape(postures, k, (snKnotShape){t, c, b});
        const snPosture *keys = snPostures_At(postures, 0);
        snVec3 before = turnBetween(keys[k - 1].local[1].rotation, keys[k].local[1].rotation);
        snVec3 after = turnBetween(keys[k].local[1].rotation, keys[k + 1].local[1].rotation);
        double span = keys[k + 1].time - keys[k - 1].time;
        snVec3 in, out;
        velocitiesAt(postures, keys[k].time, &in, &out);
        for (int side = 0; side < 2; side++) {
            double s = side ? -c : c;
            snVec3 expected = snScale((1 - t) / span, snAdd(snScale((1 + b) * (1 - s), before),
                                                            snScale((1 - b) * (1 + s), after)));
            worst = fmax(worst, snDistance(side ? out : in, expected));
        }
        if (c == 0) CHECK_NEAR(snDistance(in, out), 0, 1e-6);
        snPostures_Destroy(postures);
    }
    printf("  tangents off by %.1e rad/s\n", worst);
    CHECK(worst < 1e-6);
}

// Seen from another frame, before or after, the motion is the same.
static void framesDoNotMatter(void)
{
    snRandom random = snMakeRandom(4);
    snPostures *first = randomPostures(&random, 2.5, true);
    snContext context = snDefaultContext();
    snPostures *second = NULL;
    CHECK(snPostures_Make(&second, JOINTS, &context, NULL) == SN_OK);
    snQuat a = snRandom_Rotation(&random), b = snRandom_Rotation(&random);
    for (int k = 0; k < KEYS; k++) {
        const snPosture *key = snPostures_At(first, k);
        memcpy(storage, key->local, sizeof storage);
        storage[1].rotation = snMulQQ(a, snMulQQ(storage[1].rotation, b));
        set(second, key->time, &key->shape);
    }
    for (int i = 0; i <= 300; i++) {
        double t = -0.5 + 0.01 * i;
        snPostures_Sample(first, t, &pose);
        snQuat expected = snMulQQ(a, snMulQQ(storage[1].rotation, b));
        snPostures_Sample(second, t, &pose);
        CHECK_NEAR(snLength(turnBetween(expected, storage[1].rotation)), 0, 1e-13);
    }
    snPostures_Destroy(first);
    snPostures_Destroy(second);
}

// The analytic spin is the derivative, within spans.
static void spinsAreDerivatives(void)
{
    snRandom random = snMakeRandom(5);
    for (int round = 0; round < 20; round++) {
        snRotationSpan span =
            snMakeRotationSpan(snRandom_Rotation(&random), snRandom_UnitVector(&random),
                               snRandom_Rotation(&random), snRandom_UnitVector(&random), 0.7);
        for (int i = 1; i < 10; i++) {
            double u = 0.1 * i, h = 1e-5;
            snVec3 spin;
            snRotationSpan_At(&span, u, &spin);
            snVec3 turn = turnBetween(snRotationSpan_At(&span, u - h, NULL),
                                      snRotationSpan_At(&span, u + h, NULL));
            CHECK_NEAR(snDistance(snScale(1 / (2 * h * 0.7), turn), spin), 0, 1e-7);
        }
    }
}

// Overshooting postures with strong tangents lead round by more than half a turn, not back.
static void strongTangentsGoRound(void)
{
    snPostures *postures = make();
    const double angles[4] = {0, 2.9, 0, 2.9};
    double times[4] = {0, 1, 2, 3};
    snKnotShape shapes[4];
    for (int k = 0; k < 4; k++) {
        shapes[k] = (snKnotShape){-1, 0, k % 2 ? 1 : -1};
        storage[1].rotation = snQuatFromAxisAngle(snVec(0, 1, 0), angles[k]);
        set(postures, times[k], &shapes[k]);
    }
    snKochanekBartels curve = {
        .count = 4, .width = 1, .knots = times, .values = angles, .shape = shapes};
    for (int i = 0; i <= 300; i++) {
        double t = 0.01 * i, angle;
        snKochanekBartels_Sample(&curve, t, SN_VALUE, &angle);
        snPostures_Sample(postures, t, &pose);
        snQuat expected = snQuatFromAxisAngle(snVec(0, 1, 0), angle);
        CHECK_NEAR(snLength(turnBetween(expected, storage[1].rotation)), 0, 1e-13);
    }
    snPostures_Destroy(postures);
}

// Clips show the same motion, open and closed; joints that stay at rest have no channel.
static void clipsShowTheSame(void)
{
    snRandom random = snMakeRandom(6);
    snContext context = snDefaultContext();
    for (int round = 0; round < 6; round++) {
        snPostures *postures = randomPostures(&random, 2.5, round % 3 > 0);
        if (round % 2) snPostures_Close(postures, 0.9);
        snArena arena = snMakeArena(&context);
        snClip clip;
        snTransform other[JOINTS];
        double turn = 0, place = 0;
        int keys = 0;
        CHECK(snPostures_ToClip(postures, &skeleton, "wave", &arena, &clip, NULL) == SN_OK);
        CHECK(clip.channelCount == 4 && strcmp(clip.name, "wave") == 0);
        CHECK_NEAR(clip.start, -0.5, 0);
        CHECK_NEAR(clip.duration, round % 2 ? 3.9 : 3.0, 1e-12);
        for (int c = 0; c < clip.channelCount; c++)
            keys += clip.channels[c].keyCount;
        for (int i = 0; i <= 777; i++) {
            double t = clip.start + clip.duration * i / 777;
            snPostures_Sample(postures, t, &pose);
            memcpy(other, storage, sizeof other);
            snPose_SetRest(&pose, &skeleton);
            snClip_Sample(&clip, t, &pose);
            for (int j = 0; j < JOINTS; j++) {
                turn = fmax(turn, snLength(turnBetween(other[j].rotation, storage[j].rotation)));
                place = fmax(place, snDistance(other[j].translation, storage[j].translation));
            }
        }
        printf("  off by %.1e rad, %.1e m; %d keys\n", turn, place, keys);
        CHECK(turn < 3e-5 && place < 3e-6);
        snArena_Destroy(&arena);
        snPostures_Destroy(postures);
    }
}

static void fewPostures(void)
{
    snPostures *postures = make();
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snClip clip;
    storage[0].translation.x = 5;
    snPostures_Sample(postures, 1, &pose); // nothing to show
    CHECK_NEAR(storage[0].translation.x, 5, 0);
    snError error = {0};
    CHECK(snPostures_ToClip(postures, &skeleton, "", &arena, &clip, &error) == SN_ERROR_ARGUMENT);
    set(postures, 1, NULL);
    snPostures_Close(postures, 1);
    storage[0].translation.x = 0;
    snPostures_Sample(postures, 7, &pose);
    CHECK_NEAR(storage[0].translation.x, 5, 0);
    CHECK(snPostures_ToClip(postures, &skeleton, "", &arena, &clip, NULL) == SN_OK);
    CHECK(clip.channelCount == 1 && clip.channels[0].keyCount == 1);
    storage[0].translation.x = 6; // replaced, not added
    set(postures, 1, NULL);
    CHECK(snPostures_Count(postures) == 1);
    CHECK(snPostures_Set(postures, NAN, &pose, NULL, &error) == SN_ERROR_ARGUMENT);
    storage[2].rotation = (snQuat){0};
    CHECK(snPostures_Set(postures, 2, &pose, NULL, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "joint 2") != NULL);
    snPostures_Remove(postures, 0);
    CHECK(snPostures_Count(postures) == 0);
    snArena_Destroy(&arena);
    snPostures_Destroy(postures);
}

static snStatus useMemory(const snContext *context)
{
    snPostures *postures = NULL;
    snArena arena = snMakeArena(context);
    snClip clip;
    snStatus status = snPostures_Make(&postures, JOINTS, context, NULL);
    for (int k = 0; k < 20 && !status; k++) {
        storage[1].rotation = snQuatFromAxisAngle(snVec(1, 0, 0), 0.1 * k);
        status = snPostures_Set(postures, k, &pose, NULL, NULL);
    }
    if (!status) status = snPostures_ToClip(postures, &skeleton, "a", &arena, &clip, NULL);
    snPostures_Destroy(postures);
    snArena_Destroy(&arena);
    return status;
}

static void memoryMayRunOut(void)
{
    makeSkeleton();
    snFailingMemory memory = {0};
    for (int failAt = 1; failAt < 100; failAt++) {
        snContext context = snDefaultContext();
        memory = (snFailingMemory){.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = useMemory(&context);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    CHECK(memory.count < memory.failAtWay);
}

int main(void)
{
    RUN(keysAreExact);
    RUN(oneAxisIsTheCurveOfNumbers);
    RUN(tangentsAreTheClosedForm);
    RUN(framesDoNotMatter);
    RUN(spinsAreDerivatives);
    RUN(strongTangentsGoRound);
    RUN(clipsShowTheSame);
    RUN(fewPostures);
    RUN(memoryMayRunOut);
    return snTest_Finish();
}
