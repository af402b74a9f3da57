#include "core/random.h"

#include "core/elementary.h"

#define MULTIPLIER 6364136223846793005u
#define INCREMENT 1442695040888963407u // any odd number; this one is the reference's default stream

snRandom snMakeRandom(uint64_t seed)
{
    snRandom random = {seed + INCREMENT};
    snRandom_Bits(&random);
    return random;
}

// PCG-XSH-RR: a linear congruential step; the high bits fold over and are turned by the top five.
uint32_t snRandom_Bits(snRandom *random)
{
    uint64_t old = random->state;
    random->state = old * MULTIPLIER + INCREMENT;
    uint32_t folded = (uint32_t)(((old >> 18) ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return (folded >> turn) | (folded << ((32u - turn) & 31u));
}

// Numbers below 2^32 modulo limit are thrown away, so that every remainder has as many left.
int snRandom_Below(snRandom *random, int limit)
{
    if (limit <= 1) return 0;
    uint32_t n = (uint32_t)limit;
    uint32_t surplus = (UINT32_MAX - n + 1u) % n; // 2^32 mod n
    uint32_t bits;
    do
        bits = snRandom_Bits(random);
    while (bits < surplus);
    return (int)(bits % n);
}

double snRandom_Uniform(snRandom *random, double low, double high)
{
    uint64_t upper = snRandom_Bits(random) >> 5, lower = snRandom_Bits(random) >> 6;
    double unit = (double)((upper << 26) | lower) * 0x1p-53; // 0 <= unit < 1
    double value = low + unit * (high - low);
    return value < high ? value : low; // rounding may reach the upper end
}

// A point (u, v) uniform in the unit disc, s = u² + v²: u √(-2 ln s / s) is normal (Marsaglia's
// polar method; its twin with v is dropped so that the state is one number).
double snRandom_Normal(snRandom *random)
{
    double u, s;
    do {
        u = snRandom_Uniform(random, -1.0, 1.0);
        double v = snRandom_Uniform(random, -1.0, 1.0);
        s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return u * sqrt(-2.0 * snLn(s) / s);
}

// The height on a sphere is uniform (Archimedes).
snVec3 snRandom_UnitVector(snRandom *random)
{
    double z = snRandom_Uniform(random, -1.0, 1.0), s, c;
    snSinCos(snRandom_Uniform(random, -SN_PI, SN_PI), &s, &c);
    double r = sqrt((1.0 - z) * (1.0 + z));
    return snVec(r * c, r * s, z);
}

// Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
snQuat snRandom_Rotation(snRandom *random)
{
    double t = snRandom_Uniform(random, 0.0, 1.0), s1, c1, s2, c2;
    snSinCos(snRandom_Uniform(random, -SN_PI, SN_PI), &s1, &c1);
    snSinCos(snRandom_Uniform(random, -SN_PI, SN_PI), &s2, &c2);
    double r1 = sqrt(1.0 - t), r2 = sqrt(t);
    return (snQuat){r1 * s1, r1 * c1, r2 * s2, r2 * c2};
}
