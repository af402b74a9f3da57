#include "core/random.h"

#include "tests/test.h"

#include <math.h>
#include <string.h>

#define COUNT 200000

// Computed apart, from the definition in O'Neill's paper (PCG-XSH-RR 64/32, default stream).
static void firstValuesAreThoseOfThePaper(void)
{
    const uint32_t of42[6] = {0xc2f57bd6u, 0x6b07c4a9u, 0x72b7b29bu,
                              0x44215383u, 0xf5af5eadu, 0x68beb632u};
    const uint32_t of0[3] = {0xe823a24eu, 0x7a7ecbd9u, 0x89fd6c06u};
    snRandom random = snMakeRandom(42);
    for (int i = 0; i < 6; i++)
        CHECK(snRandom_Bits(&random) == of42[i]);
    random = snMakeRandom(0);
    for (int i = 0; i < 3; i++)
        CHECK(snRandom_Bits(&random) == of0[i]);
}

static void sameSeedSameSequence(void)
{
    snRandom a = snMakeRandom(5), b = snMakeRandom(5), c = snMakeRandom(6);
    int different = 0;
    for (int i = 0; i < 1000; i++) {
        double x = snRandom_Normal(&a);
        CHECK(x == snRandom_Normal(&b));
        different += x != snRandom_Normal(&c);
    }
    CHECK(different > 990);
}

// Mean 1/2 and variance 1/12, within five standard deviations of the estimates.
static void uniformHasItsMoments(void)
{
    snRandom random = snMakeRandom(1);
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < COUNT; i++) {
        double x = snRandom_Uniform(&random, -3.0, 5.0);
        CHECK(x >= -3.0 && x < 5.0);
        double unit = (x + 3.0) / 8.0;
        sum += unit;
        squares += (unit - 0.5) * (unit - 0.5);
    }
    CHECK_NEAR(sum / COUNT, 0.5, 5.0 * sqrt(1.0 / 12.0 / COUNT));
    CHECK_NEAR(squares / COUNT, 1.0 / 12.0, 5.0 * sqrt(1.0 / 180.0 / COUNT));
}

static void uniformStaysBelowItsEnd(void)
{
    snRandom random = snMakeRandom(2);
    double low = 1.0, high = 1.0 + 0x1p-52; // only one number lies between
    for (int i = 0; i < 1000; i++)
        CHECK(snRandom_Uniform(&random, low, high) == low);
    CHECK(snRandom_Uniform(&random, 2.0, 2.0) == 2.0);
}

// Moments up to the fourth: 0, 1, 0, 3.
static void normalHasItsMoments(void)
{
    snRandom random = snMakeRandom(3);
    double moment[5] = {0};
    for (int i = 0; i < COUNT; i++) {
        double x = snRandom_Normal(&random), power = 1.0;
        for (int k = 0; k < 5; k++) {
            moment[k] += power / COUNT;
            power *= x;
        }
    }
    CHECK_NEAR(moment[1], 0.0, 5.0 * sqrt(1.0 / COUNT));
    CHECK_NEAR(moment[2], 1.0, 5.0 * sqrt(2.0 / COUNT));
    CHECK_NEAR(moment[3], 0.0, 5.0 * sqrt(15.0 / COUNT));
    CHECK_NEAR(moment[4], 3.0, 5.0 * sqrt(96.0 / COUNT));
}

// Chi-squared of the counts, for several limits; the biased remainder of a limit near 2^31 would
// put half again as many into the lower part.
static void belowIsUnbiased(void)
{
    snRandom random = snMakeRandom(4);
    const int limits[3] = {3, 10, 97};
    for (int l = 0; l < 3; l++) {
        int limit = limits[l], counts[97] = {0};
        for (int i = 0; i < COUNT; i++)
            counts[snRandom_Below(&random, limit)]++;
        double expected = (double)COUNT / limit, chi = 0.0;
        for (int i = 0; i < limit; i++)
            chi += (counts[i] - expected) * (counts[i] - expected) / expected;
        CHECK_NEAR(chi, limit - 1, 5.0 * sqrt(2.0 * (limit - 1)));
    }
    int large = 1610612736, lower = 0; // 3 * 2^29: 2^32 is not a multiple
    for (int i = 0; i < COUNT; i++) {
        int x = snRandom_Below(&random, large);
        CHECK(x >= 0 && x < large);
        lower += x < large / 3;
    }
    CHECK_NEAR((double)lower / COUNT, 1.0 / 3.0, 5.0 * sqrt(2.0 / 9.0 / COUNT));
    CHECK(snRandom_Below(&random, 1) == 0 && snRandom_Below(&random, 0) == 0 &&
          snRandom_Below(&random, -5) == 0);
}

static void unitVectorsCoverTheSphere(void)
{
    snRandom random = snMakeRandom(5);
    snVec3 sum = {0};
    snMat3 spread = {0};
    for (int i = 0; i < COUNT; i++) {
        snVec3 v = snRandom_UnitVector(&random);
        CHECK(fabs(snLength(v) - 1.0) < 1e-15);
        sum = snMulAdd(sum, 1.0 / COUNT, v);
        spread = snAddMM(spread, snScaleM(1.0 / COUNT, snOuter(v, v)));
    }
    CHECK(snLength(sum) < 5.0 / sqrt(COUNT));
    snMat3 error = snAddMM(spread, snDiagonal3(-1.0 / 3, -1.0 / 3, -1.0 / 3));
    CHECK(sqrt(snNormSquaredM(error)) < 5.0 / sqrt(COUNT)); // mean of v vᵀ is I/3
}

// Under rotations uniform over the group every matrix entry has mean 0 and mean square 1/3.
static void rotationsCoverTheGroup(void)
{
    snRandom random = snMakeRandom(6);
    double mean[9] = {0}, square[9] = {0};
    for (int i = 0; i < COUNT / 4; i++) {
        snQuat q = snRandom_Rotation(&random);
        CHECK(fabs(snDotQ(q, q) - 1.0) < 2e-15);
        snMat3 m = snQuatToMat(q);
        double entries[9];
        memcpy(entries, &m, sizeof entries);
        for (int k = 0; k < 9; k++) {
            mean[k] += entries[k] * 4.0 / COUNT;
            square[k] += entries[k] * entries[k] * 4.0 / COUNT;
        }
    }
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(mean[k], 0.0, 10.0 / sqrt(COUNT));
        CHECK_NEAR(square[k], 1.0 / 3.0, 10.0 / sqrt(COUNT));
    }
}

int main(void)
{
    RUN(firstValuesAreThoseOfThePaper);
    RUN(sameSeedSameSequence);
    RUN(uniformHasItsMoments);
    RUN(uniformStaysBelowItsEnd);
    RUN(normalHasItsMoments);
    RUN(belowIsUnbiased);
    RUN(unitVectorsCoverTheSphere);
    RUN(rotationsCoverTheGroup);
    return snTest_Finish();
}
