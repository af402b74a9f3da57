// The bits themselves: a hash over what core computes from seeded inputs. It must come out the same
// from every compiler, optimisation level and machine; change it only with the functions.
#include "core/elementary.h"
#include "core/random.h"
#include "core/svd.h"
#include "core/tasks.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

// FNV-1a
static uint64_t hashBytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hashNumber(uint64_t hash, double x)
{
    return hashBytes(hash, &x, sizeof x);
}

#define HASH_START 0xcbf29ce484222325u

static bool isGolden(const char *name, uint64_t hash, uint64_t golden)
{
    if (hash != golden) printf("%s: 0x%016llxu\n", name, (unsigned long long)hash);
    return hash == golden;
}

static void elementaryFunctions(void)
{
    snRandom random = snMakeRandom(2024);
    uint64_t hash = HASH_START;
    for (int i = 0; i < 20000; i++) {
        double unit = snRandom_Uniform(&random, -1, 1), wide = snRandom_Uniform(&random, -1e3, 1e3);
        double positive = ldexp(1.5 + 0.5 * unit, snRandom_Below(&random, 40) - 20);
        hash = hashNumber(hash, snSin(wide));
        hash = hashNumber(hash, snCos(1e5 * wide));
        hash = hashNumber(hash, snTan(wide));
        hash = hashNumber(hash, snAsin(unit));
        hash = hashNumber(hash, snAcos(unit));
        hash = hashNumber(hash, snAtan(wide));
        hash = hashNumber(hash, snAtan2(unit, 1e-3 * wide));
        hash = hashNumber(hash, snExp(0.7 * wide));
        hash = hashNumber(hash, snLn(positive));
        hash = hashNumber(hash, snPow(positive, 1e-2 * wide));
        hash = hashNumber(hash, snCbrt(wide));
    }
    CHECK(isGolden("elementary", hash, 0xde08843e4ee510cau));
}

static void rotationsAndRandom(void)
{
    snRandom random = snMakeRandom(7);
    uint64_t hash = HASH_START;
    for (int i = 0; i < 5000; i++) {
        snQuat a = snRandom_Rotation(&random), b = snRandom_Rotation(&random);
        snVec3 p = snRandom_UnitVector(&random), q = snRandom_UnitVector(&random);
        double t = snRandom_Uniform(&random, 0, 1), angle = snRandom_Normal(&random);
        const snQuat results[] = {snSlerp(a, b, t), snQuatBetween(p, q),
                                  snQuatFromMat(snQuatToMat(a)), snQuatFromAxisAngle(p, angle)};
        hash = hashBytes(hash, results, sizeof results);
    }
    CHECK(isGolden("rotations", hash, 0xa722b77ce7879cdbu));
}

static void decompositions(void)
{
    snRandom random = snMakeRandom(99);
    uint64_t hash = HASH_START;
    for (int i = 0; i < 5000; i++) {
        double entries[9];
        for (int k = 0; k < 9; k++)
            entries[k] = i % 3 ? snRandom_Normal(&random) : snRandom_Below(&random, 3) - 1;
        snMat3 a, u, v, stretch;
        memcpy(&a, entries, sizeof a);
        if (i % 3 == 2) a = snAddMM(snIdentity3(), snScaleM(0.1, a));
        snVec3 s, values;
        snSvd3(a, &u, &s, &v);
        snMat3 r = snPolar(a, &stretch), w;
        snEigenSymmetric3(a, &values, &w);
        const snMat3 results[] = {u, v, r, stretch, w};
        hash = hashBytes(hash, results, sizeof results);
        hash = hashBytes(hashBytes(hash, &s, sizeof s), &values, sizeof values);
    }
    CHECK(isGolden("decompositions", hash, 0x35d2b25974642796u));
}

static double sumOfSines(int begin, int end, void *context)
{
    (void)context;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += snSin(i);
    return sum;
}

static void sums(void)
{
    snTasks tasks = {.workers = 1};
    uint64_t hash = HASH_START;
    for (int grain = 1; grain < 20000; grain *= 3)
        hash = hashNumber(hash, snParallelSum(&tasks, 20000, grain, sumOfSines, NULL));
    CHECK(isGolden("sums", hash, 0x9acf86559419c1fcu));
}

int main(void)
{
    RUN(elementaryFunctions);
    RUN(rotationsAndRandom);
    RUN(decompositions);
    RUN(sums);
    return snTest_Finish();
}
