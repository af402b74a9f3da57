#include "core/elementary.h"

#include "core/twofold.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Every function is reduced to a short Taylor series on a small interval. The reductions, and the
// leading terms of the series, are carried as two-fold numbers (twofold.h), so that little more
// than the last rounding is left of the error.

double snClamp(double x, double low, double high)
{
    if (x < low) return low;
    return x > high ? high : x;
}

// c[0] + c[1] x + ... + c[count - 1] x^(count - 1)
static double polynomial(const double *c, int count, double x)
{
    double sum = c[count - 1];
    for (int i = count - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

// --- sine, cosine, tangent -----------------------------------------------------------------------

// π/2 to 160 bits.
static const double halfPi[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                 -0x1.f1976b7ed8fbcp-110};

#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define SMALL 0x1p-28          // below it sin x, tan x, asin x, atan x round to x
#define REDUCTION_LIMIT 0x1p30 // up to here the reduction loses nothing

// r = x - n π/2 with |r| <= π/4 and a bit; returns n modulo 4. n P1 and n P2 are exact two-fold
// products, and the subtractions that cancel are exact sums. The double that comes nearest to a
// multiple of π/2 leaves 2^-62 or so, while n P3 is good to 2^-130: r keeps 60 bits at the worst.
static int reduceQuarter(double x, twofold *r)
{
    if (fabs(x) <= 0.78) {
        *r = (twofold){x, 0.0};
        return 0;
    }
    // Past the limit angles are taken modulo the double nearest to 2π: fmod is exact everywhere.
    if (fabs(x) > REDUCTION_LIMIT) x = fmod(x, 4.0 * halfPi[0]);
    double n = floor(x * TWO_OVER_PI + 0.5);
    twofold p = twofoldProduct(n, halfPi[0]);
    twofold q = twofoldProduct(n, halfPi[1]);
    twofold a = twofoldSum(x, -p.hi);
    twofold b = twofoldSum(a.hi, -p.lo);
    twofold c = twofoldSum(b.hi, -q.hi);
    *r = twofoldSum(c.hi, ((c.lo + b.lo) + (a.lo - q.lo)) - n * halfPi[2]);
    return (int)((int64_t)n & 3);
}

// sin r = r - r³/3! + r⁵/5! - ..., |r| <= π/4
static twofold sineOfReduced(twofold r)
{
    static const double c[] = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    double z = r.hi * r.hi;
    double tail = r.hi * (z * polynomial(c, 8, z));
    return twofoldQuickSum(r.hi, tail + r.lo * (1.0 - 0.5 * z));
}

// cos r = 1 - r²/2! + r⁴/4! - ..., |r| <= π/4; r² is two-fold because its half is subtracted from 1.
static twofold cosineOfReduced(twofold r)
{
    static const double c[] = {
        1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
        1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
    twofold z = twofoldProduct(r.hi, r.hi);
    double tail = z.hi * z.hi * polynomial(c, 8, z.hi);
    twofold head = twofoldQuickSum(1.0, -0.5 * z.hi);
    return twofoldQuickSum(head.hi, (head.lo - (0.5 * z.lo + r.hi * r.lo)) + tail);
}

// sin and cos of x, two-fold. The quarter turns through (s, c) -> (c, -s).
static void sineAndCosine(double x, twofold *sine, twofold *cosine)
{
    twofold r;
    int quarter = reduceQuarter(x, &r);
    twofold s = sineOfReduced(r), c = cosineOfReduced(r);
    twofold minusS = {-s.hi, -s.lo}, minusC = {-c.hi, -c.lo};
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? minusS : minusC;
    *cosine = quarter == 0 ? c : quarter == 1 ? minusS : quarter == 2 ? minusC : s;
}

void snSinCos(double x, double *sine, double *cosine)
{
    if (!isfinite(x)) {
        *sine = *cosine = NAN;
        return;
    }
    twofold s, c;
    sineAndCosine(x, &s, &c);
    *sine = fabs(x) < SMALL ? x : s.hi;
    *cosine = c.hi;
}

double snSin(double x)
{
    if (!isfinite(x)) return NAN;
    if (fabs(x) < SMALL) return x;
    twofold r;
    int quarter = reduceQuarter(x, &r);
    double value = quarter & 1 ? cosineOfReduced(r).hi : sineOfReduced(r).hi;
    return quarter & 2 ? -value : value;
}

double snCos(double x)
{
    if (!isfinite(x)) return NAN;
    twofold r;
    int quarter = reduceQuarter(x, &r);
    double value = quarter & 1 ? sineOfReduced(r).hi : cosineOfReduced(r).hi;
    return quarter == 1 || quarter == 2 ? -value : value;
}

double snTan(double x)
{
    if (!isfinite(x)) return NAN;
    if (fabs(x) < SMALL) return x;
    twofold s, c;
    sineAndCosine(x, &s, &c);
    return twofoldDiv(s, c).hi;
}

// --- arc functions -------------------------------------------------------------------------------

// arctan(i / 8)
static const twofold arctanOfEighths[9] = {{0.0, 0.0},
                                           {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                           {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                           {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                           {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                           {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                           {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                           {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                           {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// arctan(y / x) for 0 <= y <= x, x > 0. With c the eighth nearest to y / x,
//     arctan(y / x) = arctan c + arctan t,  t = (y - c x) / (x + c y),  |t| <= 1/16,
// and arctan t = t - t³/3 + t⁵/5 - ...
static twofold arctanOfOctant(twofold y, twofold x)
{
    static const double odd[] = {-1.0 / 3.0,  1.0 / 5.0,  -1.0 / 7.0,  1.0 / 9.0,
                                 -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0};
    int i = (int)(8.0 * (y.hi / x.hi) + 0.5);
    twofold t;
    if (i == 0) {
        t = twofoldDiv(y, x);
    } else {
        double c = 0.125 * i;
        t = twofoldDiv(twofoldSub(y, twofoldScale(c, x)), twofoldAdd(x, twofoldScale(c, y)));
    }
    double z = t.hi * t.hi;
    double tail = t.hi * (z * polynomial(odd, 8, z));
    twofold sum = twofoldAdd(arctanOfEighths[i], t);
    return twofoldQuickSum(sum.hi, sum.lo + tail);
}

// The angle of (x, y) for y >= 0, not both zero, neither huge nor tiny: in [0, π].
static double angleOfUpperHalf(twofold y, twofold x)
{
    const twofold quarterTurn = {halfPi[0], halfPi[1]};
    const twofold halfTurn = {2.0 * halfPi[0], 2.0 * halfPi[1]};
    bool left = x.hi < 0.0;
    if (left) x = (twofold){-x.hi, -x.lo};
    twofold angle =
        y.hi > x.hi ? twofoldSub(quarterTurn, arctanOfOctant(x, y)) : arctanOfOctant(y, x);
    return left ? twofoldSub(halfTurn, angle).hi : angle.hi;
}

double snAtan(double x)
{
    if (isnan(x) || fabs(x) < SMALL) return x;
    if (fabs(x) > 0x1p60) return copysign(halfPi[0], x);
    double angle = angleOfUpperHalf((twofold){fabs(x), 0.0}, (twofold){1.0, 0.0});
    return copysign(angle, x);
}

// The angle of (x, y), y >= 0, for the finite that are not both zero. The larger is scaled to lie in
// [1/2, 1); where the smaller then nearly vanishes the answer is that of the nearer axis.
static double angleOfFinite(double y, double x)
{
    int exponent;
    frexp(fmax(y, fabs(x)), &exponent);
    double b = ldexp(y, -exponent), a = ldexp(x, -exponent);
    if (fabs(a) < 0x1p-60) return halfPi[0];
    if (b < 0x1p-60) return x > 0.0 ? y / x : 2.0 * halfPi[0];
    return angleOfUpperHalf((twofold){b, 0.0}, (twofold){a, 0.0});
}

double snAtan2(double y, double x)
{
    if (isnan(x) || isnan(y)) return NAN;
    double b = fabs(y);
    if (b == 0.0 && x == 0.0) return copysign(signbit(x) ? 2.0 * halfPi[0] : 0.0, y);
    if (isinf(b) || isinf(x)) { // infinities outweigh all else and equal each other
        b = isinf(b) ? 1.0 : 0.0;
        x = copysign(isinf(x) ? 1.0 : 0.0, x);
    }
    return copysign(angleOfFinite(b, x), y);
}

// √(1 - x²) = √((1 - x)(1 + x)), where both factors are known exactly.
static twofold otherLeg(double x)
{
    return twofoldSqrt(twofoldMul(twofoldSum(1.0, -x), twofoldSum(1.0, x)));
}

double snAsin(double x)
{
    if (isnan(x) || fabs(x) < SMALL) return x;
    double y = fmin(fabs(x), 1.0);
    return copysign(angleOfUpperHalf((twofold){y, 0.0}, otherLeg(y)), x);
}

double snAcos(double x)
{
    if (isnan(x)) return x;
    x = snClamp(x, -1.0, 1.0);
    return angleOfUpperHalf(otherLeg(x), (twofold){x, 0.0});
}

// --- exponential, logarithm, powers --------------------------------------------------------------

// ln 2 as a part of 40 bits, whose product with a whole number below 2^12 is exact, and the rest.
#define LN2_HEAD 0x1.62e42fefa3000p-1
#define LN2_TAIL 0x1.3de6af278ece6p-42
#define ONE_OVER_LN2 0x1.71547652b82fep+0

// e^x is infinite above the first and rounds to zero below the second.
#define EXP_HIGHEST 709.79
#define EXP_LOWEST (-745.14)

// 2^n for -1022 <= n <= 1023
static double powerOfTwo(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// e^x = 2^n e^r with r = x - n ln 2, |r| <= ln 2 / 2, and e^r = 1 + r + r²/2! + r³/3! + ...
// The power of two goes on in two steps, so that only the second can round (below the normals).
static double exponential(twofold x)
{
    static const double c[] = {1.0 / 2.0,          1.0 / 6.0,         1.0 / 24.0,
                               1.0 / 120.0,        1.0 / 720.0,       1.0 / 5040.0,
                               1.0 / 40320.0,      1.0 / 362880.0,    1.0 / 3628800.0,
                               1.0 / 39916800.0,   1.0 / 479001600.0, 1.0 / 6227020800.0,
                               1.0 / 87178291200.0};
    double n = floor(x.hi * ONE_OVER_LN2 + 0.5);
    twofold r = twofoldSum(x.hi - n * LN2_HEAD, -n * LN2_TAIL);
    r = twofoldQuickSum(r.hi, r.lo + x.lo);
    double tail = r.hi * r.hi * polynomial(c, 13, r.hi) + r.lo * (1.0 + r.hi);
    twofold head = twofoldQuickSum(1.0, r.hi);
    int whole = (int)n, half = whole / 2;
    return (head.hi + (head.lo + tail)) * powerOfTwo(half) * powerOfTwo(whole - half);
}

double snExp(double x)
{
    if (isnan(x)) return x;
    if (x > EXP_HIGHEST) return INFINITY;
    if (x < EXP_LOWEST) return 0.0;
    return exponential((twofold){x, 0.0});
}

// ln x for finite x > 0. With x = 2^k m, √½ <= m < √2, s = (m - 1) / (m + 1), z = s²:
//     ln x = k ln 2 + 2s (1 + z/3 + z²/5 + z³/7 + ...),  z < 0.0295
// The terms up to z²/5 are two-fold, which leaves a relative error near 2^-68.
static twofold logarithm(double x)
{
    static const twofold third = {1.0 / 3.0, 0x1.5555555555555p-56};
    static const twofold fifth = {1.0 / 5.0, -0x1.999999999999ap-57};
    static const double c[] = {1.0 / 7.0,  1.0 / 9.0,  1.0 / 11.0, 1.0 / 13.0,
                               1.0 / 15.0, 1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0,
                               1.0 / 23.0, 1.0 / 25.0, 1.0 / 27.0};
    int k;
    double m = frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) { // √½
        m *= 2.0;
        k--;
    }
    twofold s = twofoldDiv((twofold){m - 1.0, 0.0}, twofoldSum(m, 1.0));
    twofold z = twofoldMul(s, s);
    twofold a = twofoldAdd(fifth, (twofold){z.hi * polynomial(c, 11, z.hi), 0.0});
    a = twofoldAdd(third, twofoldMul(z, a));
    a = twofoldAdd(s, twofoldMul(s, twofoldMul(z, a)));
    twofold kLn2 = twofoldSum(k * LN2_HEAD, k * LN2_TAIL);
    return twofoldAdd(kLn2, (twofold){2.0 * a.hi, 2.0 * a.lo});
}

double snLn(double x)
{
    if (isnan(x)) return x;
    if (x < 0.0) return NAN;
    if (x == 0.0) return -INFINITY;
    if (isinf(x)) return x;
    return logarithm(x).hi;
}

static bool isWhole(double x)
{
    return floor(x) == x;
}

// x^y for finite x > 0 and finite y: e^(y ln x) with the product two-fold.
static double positivePower(double x, double y)
{
    if (x == 1.0) return 1.0;
    twofold l = logarithm(x);
    double estimate = y * l.hi;
    if (estimate > EXP_HIGHEST + 1.0) return INFINITY;
    if (estimate < EXP_LOWEST - 1.0) return 0.0;
    // Where y ln x vanishes beside 1 the exact product could underflow.
    if (fabs(estimate) < 0x1p-60) return 1.0;
    return exponential(twofoldScale(y, l));
}

double snPow(double base, double exponent)
{
    if (exponent == 0.0 || base == 1.0) return 1.0;
    if (exponent == 1.0) return base; // superellipsoids that are round ask for it much
    if (isnan(base) || isnan(exponent)) return NAN;
    double size = fabs(base);
    if (isinf(exponent)) {
        if (size == 1.0) return 1.0;
        return (size > 1.0) == (exponent > 0.0) ? INFINITY : 0.0;
    }
    bool zeroOrInfinite = size == 0.0 || isinf(size);
    if (base < 0.0 && !zeroOrInfinite && !isWhole(exponent)) return NAN;
    double value = zeroOrInfinite ? (size == 0.0) == (exponent > 0.0) ? 0.0 : INFINITY
                                  : positivePower(size, exponent);
    bool odd = isWhole(exponent) && !isWhole(0.5 * exponent);
    return signbit(base) && odd ? -value : value;
}

// ∛x. With |x| = 2^(3k) m, 1/2 <= m < 4: a chord, three steps of Halley's iteration (each cubes the
// error: 0.08, 3e-4, 2e-11, rounding), and a last Newton step with the residual m - t³ two-fold.
double snCbrt(double x)
{
    if (x == 0.0 || !isfinite(x)) return x;
    int exponent;
    double m = frexp(fabs(x), &exponent);
    int k = (exponent + 3000) / 3 - 1000; // floor(exponent / 3)
    m = ldexp(m, exponent - 3 * k);
    double t = 0.70 + 0.23 * m;
    for (int step = 0; step < 3; step++) {
        double cube = t * t * t;
        t = t * (cube + 2.0 * m) / (2.0 * cube + m);
    }
    twofold cube = twofoldScale(t, twofoldProduct(t, t));
    t += ((m - cube.hi) - cube.lo) / (3.0 * t * t);
    return copysign(ldexp(t, k), x);
}

double snSmooth(double x)
{
    if (!(x > 0)) return 0;
    if (!(x < 1)) return 1;
    return x * x * x * (10 + x * (6 * x - 15));
}

double snLinearOfSrgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : snPow((value + 0.055) / 1.055, 2.4);
}
