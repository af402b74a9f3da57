// Two-fold numbers: a value kept as the unevaluated sum hi + lo of two doubles, about 106 bits.
// The elementary functions use them where one double would lose the last bits. Nothing here needs
// a fused multiply-add, so the bits are the same on every machine. Internal to core.
//
// Knuth, "The Art of Computer Programming", vol. 2, 4.2.2 (exact sum); Dekker, "A floating-point
// technique for extending the available precision", 1971 (exact product).
#ifndef SN_CORE_TWOFOLD_H
#define SN_CORE_TWOFOLD_H

#include <math.h>

typedef struct twofold {
    double hi, lo;
} twofold;

// a + b exactly, for any a and b.
static inline twofold twofoldSum(double a, double b)
{
    double s = a + b;
    double t = s - a;
    return (twofold){s, (a - (s - t)) + (b - t)};
}

// a + b exactly, where |a| >= |b| or a = 0.
static inline twofold twofoldQuickSum(double a, double b)
{
    double s = a + b;
    return (twofold){s, b - (s - a)};
}

// a in two halves of 26 bits whose products are exact. |a| < 2^996.
static inline twofold twofoldSplit(double a)
{
    double t = 134217729.0 * a; // 2^27 + 1
    double hi = t - (t - a);
    return (twofold){hi, a - hi};
}

// a b exactly, away from overflow and underflow.
static inline twofold twofoldProduct(double a, double b)
{
    twofold u = twofoldSplit(a), v = twofoldSplit(b);
    double p = a * b;
    double e = ((u.hi * v.hi - p) + u.hi * v.lo + u.lo * v.hi) + u.lo * v.lo;
    return (twofold){p, e};
}

static inline twofold twofoldAdd(twofold a, twofold b)
{
    twofold s = twofoldSum(a.hi, b.hi);
    return twofoldQuickSum(s.hi, s.lo + (a.lo + b.lo));
}

static inline twofold twofoldSub(twofold a, twofold b)
{
    return twofoldAdd(a, (twofold){-b.hi, -b.lo});
}

static inline twofold twofoldMul(twofold a, twofold b)
{
    twofold p = twofoldProduct(a.hi, b.hi);
    return twofoldQuickSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline twofold twofoldScale(double s, twofold a)
{
    twofold p = twofoldProduct(s, a.hi);
    return twofoldQuickSum(p.hi, p.lo + s * a.lo);
}

// q = a / b: the rounded quotient, and what it leaves of a, divided once more.
static inline twofold twofoldDiv(twofold a, twofold b)
{
    double q = a.hi / b.hi;
    twofold p = twofoldProduct(q, b.hi);
    double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
    return twofoldQuickSum(q, rest / b.hi);
}

// √a by one Newton step from the rounded root; a >= 0.
static inline twofold twofoldSqrt(twofold a)
{
    double s = sqrt(a.hi);
    if (!(s > 0.0)) return (twofold){0.0, 0.0};
    twofold p = twofoldProduct(s, s);
    return twofoldQuickSum(s, (((a.hi - p.hi) - p.lo) + a.lo) / (2.0 * s));
}

#endif
