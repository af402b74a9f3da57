// Eight doubles as the registers of the instruction set that a kernel is compiled for: one of
// eight, two of four or four of two. A compiler keeps these structs in registers, where it would
// put vectors wider than the machine's on the stack. Every lane sees the same operations at any
// width, and sums over lanes are always taken in the order
//     ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))
// that halving gives, so all variants have the same bits.
#ifndef SN_NUMERICS_LANES_H
#define SN_NUMERICS_LANES_H

#include "core/simd.h"

typedef double snDouble2 __attribute__((vector_size(16)));

#if defined(__AVX512F__)
#define SN_LANES_PARTS 1
typedef snDouble8 snPart;
typedef struct snLanes {
    snPart a;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a)})
#elif defined(__AVX__)
#define SN_LANES_PARTS 2
typedef snDouble4 snPart;
typedef struct snLanes {
    snPart a, b;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a), op(b)})
#else
#define SN_LANES_PARTS 4
typedef snDouble2 snPart;
typedef struct snLanes {
    snPart a, b, c, d;
} snLanes;
#define SN_EACH(op) ((snLanes){op(a), op(b), op(c), op(d)})
#endif

#define SN_INLINE static inline __attribute__((always_inline))

SN_INLINE snLanes snLanes_Load(const double *p)
{
    snLanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

SN_INLINE void snLanes_Store(double *p, snLanes v)
{
    memcpy(p, &v, sizeof v);
}

SN_INLINE snLanes snLanes_All(double value)
{
#define OP(part) ((snPart){0} + value)
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

SN_INLINE double snLanes_Sum(snLanes x)
{
#if SN_LANES_PARTS == 1
    snDouble4 four = __builtin_shufflevector(x.a, x.a, 0, 1, 2, 3) +
                     __builtin_shufflevector(x.a, x.a, 4, 5, 6, 7);
#elif SN_LANES_PARTS == 2
    snDouble4 four = x.a + x.b;
#endif
#if SN_LANES_PARTS == 4
    snDouble2 two = (x.a + x.c) + (x.b + x.d);
#else
    snDouble2 two =
        __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
#endif
    return two[0] + two[1];
}

#endif
