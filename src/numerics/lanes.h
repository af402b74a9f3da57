// Eight numbers as the registers of the instruction set that a kernel is compiled for: one of
// eight, two of four or four of two. They are doubles, or floats where SN_SINGLE is defined. A compiler keeps these structs in registers, where it would
// put vectors wider than the machine's on the stack. Every lane sees the same operations at any
// width, and sums over lanes are always taken in the order
//     ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))
// that halving gives, so all variants have the same bits.
#ifndef SN_NUMERICS_LANES_H
#define SN_NUMERICS_LANES_H

#include "core/simd.h"

typedef double snDouble2 __attribute__((vector_size(16)));

#if defined(SN_SINGLE)
typedef float snReal;
typedef snFloat4 snFour;
#else
typedef double snReal;
typedef snDouble4 snFour;
#endif

#if defined(__AVX512F__) || (defined(SN_SINGLE) && defined(__AVX__))
#define SN_LANES_PARTS 1
#if defined(SN_SINGLE)
typedef snFloat8 snLanePart;
#else
typedef snDouble8 snLanePart;
#endif
typedef struct snLanes {
    snLanePart a;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a)})
#elif defined(__AVX__) || defined(SN_SINGLE)
#define SN_LANES_PARTS 2
typedef snFour snLanePart;
typedef struct snLanes {
    snLanePart a, b;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a), op(b)})
#else
#define SN_LANES_PARTS 4
typedef snDouble2 snLanePart;
typedef struct snLanes {
    snLanePart a, b, c, d;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a), op(b), op(c), op(d)})
#endif

#define SN_INLINE static SN_ALWAYS_INLINE

// At any address; through pointers, because a copy by memcpy can end up on the stack.
typedef snLanePart snPartAt __attribute__((aligned(sizeof(snReal)), may_alias));

SN_INLINE snLanes snLanes_Load(const snReal *p)
{
    const snPartAt *at = (const snPartAt *)p;
#if SN_LANES_PARTS == 1
    return (snLanes){at[0]};
#elif SN_LANES_PARTS == 2
    return (snLanes){at[0], at[1]};
#else
    return (snLanes){at[0], at[1], at[2], at[3]};
#endif
}

SN_INLINE void snLanes_Store(snReal *p, snLanes v)
{
    snPartAt *at = (snPartAt *)p;
    at[0] = v.a;
#if SN_LANES_PARTS >= 2
    at[1] = v.b;
#endif
#if SN_LANES_PARTS == 4
    at[2] = v.c;
    at[3] = v.d;
#endif
}

// One broadcast, where 0 + value would also have to be added (for the sign of zero).
SN_INLINE snLanePart snPart_All(snReal value)
{
#if SN_LANES_PARTS == 1
    return (snLanePart){value, value, value, value, value, value, value, value};
#elif SN_LANES_PARTS == 2
    return (snLanePart){value, value, value, value};
#else
    return (snLanePart){value, value};
#endif
}

SN_INLINE snLanes snLanes_All(snReal value)
{
#define OP(part) snPart_All(value)
    return SN_EACH(OP);
#undef OP
}

SN_INLINE snLanes snLanes_Add(snLanes x, snLanes y)
{
#define OP(part) x.part + y.part
    return SN_EACH(OP);
#undef OP
}

SN_INLINE snLanes snLanes_Subtract(snLanes x, snLanes y)
{
#define OP(part) x.part - y.part
    return SN_EACH(OP);
#undef OP
}

SN_INLINE snLanes snLanes_Multiply(snLanes x, snLanes y)
{
#define OP(part) x.part *y.part
    return SN_EACH(OP);
#undef OP
}

SN_INLINE snLanes snLanes_Divide(snLanes x, snLanes y)
{
#define OP(part) x.part / y.part
    return SN_EACH(OP);
#undef OP
}

// x - l * y, not fused.
SN_INLINE snLanes snLanes_Less(snLanes x, snLanes l, snLanes y)
{
    return snLanes_Subtract(x, snLanes_Multiply(l, y));
}

SN_INLINE snLanes snLanes_More(snLanes x, snLanes l, snLanes y)
{
    return snLanes_Add(x, snLanes_Multiply(l, y));
}

SN_INLINE snReal snLanes_Sum(snLanes x)
{
#if SN_LANES_PARTS == 1
    snFour four = __builtin_shufflevector(x.a, x.a, 0, 1, 2, 3) +
                  __builtin_shufflevector(x.a, x.a, 4, 5, 6, 7);
#elif SN_LANES_PARTS == 2
    snFour four = x.a + x.b;
#endif
#if defined(SN_SINGLE)
    return (four[0] + four[2]) + (four[1] + four[3]);
#else
#if SN_LANES_PARTS == 4
    snDouble2 two = (x.a + x.c) + (x.b + x.d);
#else
    snDouble2 two =
        __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
#endif
    return two[0] + two[1];
#endif
}

// sums[k] = the sum of x[k], for `count` <= 8; `sums` has room for 8.
#if SN_LANES_PARTS == 1
// Eight sums by three rounds of halving; a round puts two half-done vectors into one, so that the
// additions of all eight run side by side. The comments name the vectors that lanes belong to.
SN_INLINE void snLanes_Sums(const snLanes *x, int count, snReal *sums)
{
    snLanePart v[8];
    for (int k = 0; k < 8; k++)
        v[k] = k < count ? x[k].a : (snLanePart){0};
    for (int k = 0; k < 4; k++) // k k k k K K K K with K = k + 4
        v[k] = __builtin_shufflevector(v[k], v[k + 4], 0, 1, 2, 3, 8, 9, 10, 11) +
               __builtin_shufflevector(v[k], v[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    for (int k = 0; k < 2; k++) // 0 0 2 2 4 4 6 6 and 1 1 3 3 5 5 7 7
        v[k] = __builtin_shufflevector(v[k], v[k + 2], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(v[k], v[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    v[0] = __builtin_shufflevector(v[0], v[1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(v[0], v[1], 1, 9, 3, 11, 5, 13, 7, 15);
    snLanes_Store(sums, (snLanes){v[0]});
}
#else
SN_INLINE void snLanes_Sums(const snLanes *x, int count, snReal *sums)
{
    for (int k = 0; k < count; k++)
        sums[k] = snLanes_Sum(x[k]);
}
#endif

#endif
