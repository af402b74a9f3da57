// Seeded random numbers (PCG32: O'Neill, "PCG: A Family of Simple Fast Space-Efficient
// Statistically Good Algorithms for Random Number Generation", 2014). Same seed, same sequence.
#ifndef SN_CORE_RANDOM_H
#define SN_CORE_RANDOM_H

#include "core/vec.h"

#include <stdint.h>

typedef struct snRandom {
    uint64_t state;
} snRandom;

snRandom snMakeRandom(uint64_t seed);
uint32_t snRandom_Bits(snRandom *random);
int snRandom_Below(snRandom *random, int limit);                    // 0 <= result < limit, unbiased
double snRandom_Uniform(snRandom *random, double low, double high); // low <= result < high
double snRandom_Normal(snRandom *random);                           // mean 0, variance 1
snVec3 snRandom_UnitVector(snRandom *random);
snQuat snRandom_Rotation(snRandom *random); // uniform over all rotations

#endif
