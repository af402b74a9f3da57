// Clips against closed forms: a cubic reproduces any cubic polynomial, slerp turns at constant
// speed, ends hold, and one channel leaves the others alone.
#include "skeleton/skeleton.h"

#include "core/elementary.h"
#include "tests/test.h"

static snTransform localStorage[2];
static double morphStorage[4];

static snPose freshPose(void)
{
    snTransform rest = {{7, 8, 9}, {0, 0, 0, 1}, {1, 1, 1}};
    localStorage[0] = localStorage[1] = rest;
    for (int i = 0; i < 4; i++)
        morphStorage[i] = 0.25;
    return (snPose){localStorage, morphStorage, NULL};
}

static snPose sampleOne(const snChannel *channel, double t)
{
    snPose pose = freshPose();
    snChannel copy = *channel;
    snClip clip = {.name = "clip", .duration = 1.0, .channelCount = 1, .channels = &copy};
    snClip_Sample(&clip, t, &pose);
    return pose;
}

static void linearAndStep(void)
{
    const float times[3] = {0.5f, 1.0f, 3.0f};
    const float values[9] = {0, 0, 0, 1, 2, 3, 5, 6, 7};
    snChannel channel = {1, SN_PATH_TRANSLATION, SN_LINEAR, 3, 3, times, values};
    CHECK_NEAR(sampleOne(&channel, 0.75).local[1].translation.y, 1.0, 1e-15);
    CHECK_NEAR(sampleOne(&channel, 2.0).local[1].translation.x, 3.0, 1e-15);
    CHECK_NEAR(sampleOne(&channel, 1.0).local[1].translation.z, 3.0, 0.0);
    CHECK_NEAR(sampleOne(&channel, 2.0).local[0].translation.x, 7.0, 0.0); // not animated
    CHECK_NEAR(sampleOne(&channel, 2.0).local[1].scale.x, 1.0, 0.0);
    channel.interpolation = SN_STEP;
    CHECK_NEAR(sampleOne(&channel, 0.99).local[1].translation.x, 0.0, 0.0);
    CHECK_NEAR(sampleOne(&channel, 1.0).local[1].translation.x, 1.0, 0.0);
    CHECK_NEAR(sampleOne(&channel, 2.999).local[1].translation.x, 1.0, 0.0);
    channel.path = SN_PATH_SCALE;
    CHECK_NEAR(sampleOne(&channel, 3.0).local[1].scale.z, 7.0, 0.0);
}

static void endsHold(void)
{
    const float times[2] = {1.0f, 2.0f};
    const float values[6] = {1, 1, 1, 4, 4, 4};
    const float cubic[18] = {9, 9, 9, 1, 1, 1, 9, 9, 9, -9, -9, -9, 4, 4, 4, -9, -9, -9};
    for (int k = 0; k < 3; k++) {
        snInterpolation kind = (snInterpolation)k;
        snChannel channel = {
            0, SN_PATH_TRANSLATION, kind, 2, 3, times, kind == SN_CUBIC ? cubic : values};
        CHECK_NEAR(sampleOne(&channel, -5.0).local[0].translation.x, 1.0, 0.0);
        CHECK_NEAR(sampleOne(&channel, 1.0).local[0].translation.x, 1.0, 0.0);
        CHECK_NEAR(sampleOne(&channel, 2.0).local[0].translation.x, 4.0, 0.0);
        CHECK_NEAR(sampleOne(&channel, 1e9).local[0].translation.x, 4.0, 0.0);
        CHECK_NEAR(sampleOne(&channel, NAN).local[0].translation.x, 1.0, 0.0);
        channel.keyCount = 1;
        CHECK_NEAR(sampleOne(&channel, 0.0).local[0].translation.x, 1.0, 0.0);
        CHECK_NEAR(sampleOne(&channel, 7.0).local[0].translation.x, 1.0, 0.0);
        channel.keyCount = 0;
        CHECK_NEAR(sampleOne(&channel, 7.0).local[0].translation.x, 7.0, 0.0); // left as it was
    }
}

// f(t) = t³ - 2t² + 3 with its own tangents f'(t) = 3t² - 4t on uneven keys.
static void cubicReproducesPolynomials(void)
{
    enum { KEYS = 4 };
    const float times[KEYS] = {0.0f, 0.25f, 1.0f, 2.5f};
    float values[KEYS * 9];
    for (int k = 0; k < KEYS; k++) {
        double t = (double)times[k];
        for (int i = 0; i < 3; i++) {
            values[9 * k + i] = values[9 * k + 6 + i] = (float)(3 * t * t - 4 * t);
            values[9 * k + 3 + i] = (float)(t * t * t - 2 * t * t + 3);
        }
    }
    snChannel channel = {0, SN_PATH_TRANSLATION, SN_CUBIC, KEYS, 3, times, values};
    for (int i = 0; i <= 100; i++) {
        double t = 0.025 * i;
        CHECK_NEAR(sampleOne(&channel, t).local[0].translation.y, t * t * t - 2 * t * t + 3, 1e-6);
    }
}

// A turn about y by 120 degrees, once with the second key's sign turned round: the same rotation,
// so the same path, at constant angular speed.
static void rotationsTakeTheShortArc(void)
{
    const float times[2] = {0.0f, 1.0f};
    float s = (float)snSin(SN_PI / 3.0), c = (float)snCos(SN_PI / 3.0);
    for (int sign = -1; sign <= 1; sign += 2) {
        float values[8] = {0, 0, 0, 1, 0, (float)sign * s, 0, (float)sign * c};
        snChannel channel = {0, SN_PATH_ROTATION, SN_LINEAR, 2, 4, times, values};
        for (int i = 0; i <= 10; i++) {
            double t = 0.1 * i, angle = t * SN_PI * 2.0 / 3.0;
            snVec3 x = snRotate(sampleOne(&channel, t).local[0].rotation, snVec(1, 0, 0));
            CHECK_NEAR(x.x, snCos(angle), 1e-6);
            CHECK_NEAR(x.z, -snSin(angle), 1e-6);
        }
    }
}

static void cubicRotationsAreUnit(void)
{
    const float times[2] = {0.0f, 2.0f};
    const float values[24] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 1.5f, 0, 0,
                              1, 0, 0, 0, 0, 1, 0, 0, 0, 0,    0, 0};
    snChannel channel = {0, SN_PATH_ROTATION, SN_CUBIC, 2, 4, times, values};
    for (int i = 0; i <= 20; i++) {
        snQuat q = sampleOne(&channel, 0.1 * i).local[0].rotation;
        CHECK_NEAR(snDotQ(q, q), 1.0, 1e-14);
    }
    // Half-way by the formula: 0.5 v0 + 2 (1/8) b0 + 0.5 v1 - 2 (1/8) a1, then normalised.
    snQuat expected = snNormalizeQ((snQuat){-0.25, 0.375 + 0.5, 0, 0.5});
    snQuat q = sampleOne(&channel, 1.0).local[0].rotation;
    CHECK_NEAR(snDotQ(q, expected), 1.0, 1e-14);
}

static void morphsAreWrittenTogether(void)
{
    const float times[2] = {0.0f, 1.0f};
    const float values[4] = {0, 1, 1, 0};
    snChannel channel = {1, SN_PATH_MORPHS, SN_LINEAR, 2, 2, times, values};
    snPose pose = sampleOne(&channel, 0.25);
    CHECK_NEAR(pose.morphs[0], 0.25, 0.0);
    CHECK_NEAR(pose.morphs[1], 0.25, 1e-15);
    CHECK_NEAR(pose.morphs[2], 0.75, 1e-15);
    CHECK_NEAR(pose.morphs[3], 0.25, 0.0);
}

// Many keys: the search agrees with a walk through all of them.
static void searchFindsEveryInterval(void)
{
    enum { KEYS = 97 };
    float times[KEYS], values[KEYS * 3];
    double t = 0.0;
    for (int k = 0; k < KEYS; k++) {
        t += 0.01 * (1 + (k * 37) % 11);
        times[k] = (float)t;
        values[3 * k] = values[3 * k + 1] = values[3 * k + 2] = (float)k;
    }
    snChannel channel = {0, SN_PATH_TRANSLATION, SN_STEP, KEYS, 3, times, values};
    for (int i = 0; i < 700; i++) {
        double at = 0.01 * i;
        int expected = 0;
        while (expected + 1 < KEYS && (double)times[expected + 1] <= at)
            expected++;
        CHECK_NEAR(sampleOne(&channel, at).local[0].translation.x, expected, 0.0);
    }
}

// Two keys at the same time are a jump, not a division by zero.
static void doubledKeysJump(void)
{
    const float times[4] = {0.0f, 1.0f, 1.0f, 2.0f};
    const float values[12] = {0, 0, 0, 1, 1, 1, 5, 5, 5, 6, 6, 6};
    snChannel channel = {0, SN_PATH_TRANSLATION, SN_LINEAR, 4, 3, times, values};
    CHECK_NEAR(sampleOne(&channel, 0.5).local[0].translation.x, 0.5, 1e-15);
    CHECK_NEAR(sampleOne(&channel, 1.0).local[0].translation.x, 5.0, 0.0);
    CHECK_NEAR(sampleOne(&channel, 1.5).local[0].translation.x, 5.5, 1e-15);
}

int main(void)
{
    RUN(linearAndStep);
    RUN(endsHold);
    RUN(cubicReproducesPolynomials);
    RUN(rotationsTakeTheShortArc);
    RUN(cubicRotationsAreUnit);
    RUN(morphsAreWrittenTogether);
    RUN(searchFindsEveryInterval);
    RUN(doubledKeysJump);
    return snTest_Finish();
}
