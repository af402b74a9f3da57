// Numbers to calculate with.
#ifndef SN_TESTS_NUMERICS_FILL_H
#define SN_TESTS_NUMERICS_FILL_H

#include "core/random.h"

// From -1 to 1.
static inline void fillRandom(double *x, int count, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int i = 0; i < count; i++)
        x[i] = snRandom_Uniform(&random, -1, 1);
}

#endif
