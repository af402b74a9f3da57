// What the passes over elements (cells_kernel.c) are computed with: numbers REAL, LANES of them side
// by side in V, comparisons in I, groups of GROUP elements. Doubles, or floats where a kernel file
// defines SN_SINGLE. Also rows (x, y, z, 0) of vertices turned into lanes and back.
//
// For kernels: included by one file per precision, compiled per instruction set.
#ifndef SN_BODY_LATTICE_CELLS_LANES_H
#define SN_BODY_LATTICE_CELLS_LANES_H

#include "body/lattice/cells.h"
#include "core/simd.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// Compilers give up inlining before these kernels are whole, and pass matrices through memory.
#define INLINE SN_ALWAYS_INLINE

#if defined(SN_SINGLE)
#define SINGLE 1
#define GROUP SN_GROUP_SINGLE
typedef float REAL;
#if defined(__AVX512F__)
#define LANES 16
typedef snFloat16 V;
typedef snInt16 I;
#elif defined(__AVX2__)
#define LANES 8
typedef snFloat8 V;
typedef snInt8 I;
#else
#define LANES 4
typedef snFloat4 V;
typedef snInt4 I;
#endif
#else
#define SINGLE 0
#define GROUP SN_GROUP
typedef double REAL;
#if defined(__AVX512F__)
#define LANES 8
typedef snDouble8 V;
typedef snLong8 I;
#else
#define LANES 4
typedef snDouble4 V;
typedef snLong4 I;
#endif
#endif

typedef struct M3 {
    V m[3][3]; // row, column
} M3;

static INLINE V load(const REAL *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static INLINE void store(REAL *p, V v)
{
    memcpy(p, &v, sizeof v);
}

// Number k of an array that holds the model's precision.
static INLINE REAL *item(void *array, size_t k)
{
    return (REAL *)array + k;
}

static INLINE const REAL *constItem(const void *array, size_t k)
{
    return (const REAL *)array + k;
}

static INLINE V constant(double x)
{
    return (V){0} + (REAL)x;
}

static INLINE V choose(I mask, V yes, V no)
{
    return (V)((mask & (I)yes) | (~mask & (I)no));
}

static INLINE bool any(I mask)
{
#if defined(__AVX512F__)
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif SINGLE && LANES == 8
    snLong4 m = (snLong4)mask;
    m |= __builtin_shufflevector(m, m, 2, 3, 0, 1);
    return (m[0] | m[1]) != 0;
#elif SINGLE
    snLong2 m = (snLong2)mask;
    return (m[0] | m[1]) != 0;
#else
    snLong4 m = mask;
    m |= __builtin_shufflevector(m, m, 2, 3, 0, 1);
    return (m[0] | m[1]) != 0;
#endif
}

#if !SINGLE
// Four rows (x, y, z, pad) to x, y and z of four lanes.
static INLINE void transpose4(const double *r0, const double *r1, const double *r2,
                              const double *r3, snDouble4 out[3])
{
    snDouble4 a = snLoad4(r0), b = snLoad4(r1), c = snLoad4(r2), d = snLoad4(r3);
    snDouble4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    snDouble4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    snDouble4 abOdd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    snDouble4 cdOdd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(abOdd, cdOdd, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// The listed rows as lanes.
static INLINE void gatherRows(const double *rows, const int *row, V out[3])
{
#if LANES == 8
    snDouble4 low[3], high[3];
    transpose4(rows + 4 * row[0], rows + 4 * row[1], rows + 4 * row[2], rows + 4 * row[3], low);
    transpose4(rows + 4 * row[4], rows + 4 * row[5], rows + 4 * row[6], rows + 4 * row[7], high);
    for (int c = 0; c < 3; c++)
        out[c] = __builtin_shufflevector(low[c], high[c], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    transpose4(rows + 4 * row[0], rows + 4 * row[1], rows + 4 * row[2], rows + 4 * row[3], out);
#endif
}

// x, y and z of four lanes to four rows.
static INLINE void scatter4(double *out, snDouble4 x, snDouble4 y, snDouble4 z)
{
    snDouble4 zero = {0};
    snDouble4 xy = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    snDouble4 xyOdd = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    snDouble4 zz = __builtin_shufflevector(z, zero, 0, 4, 2, 6);
    snDouble4 zzOdd = __builtin_shufflevector(z, zero, 1, 5, 3, 7);
    snStore4(out, __builtin_shufflevector(xy, zz, 0, 1, 4, 5));
    snStore4(out + 4, __builtin_shufflevector(xyOdd, zzOdd, 0, 1, 4, 5));
    snStore4(out + 8, __builtin_shufflevector(xy, zz, 2, 3, 6, 7));
    snStore4(out + 12, __builtin_shufflevector(xyOdd, zzOdd, 2, 3, 6, 7));
}

// Lanes from `at` on of a group's corner to its rows.
static INLINE void scatterRows(double *rows, int at, const V f[3])
{
    double *out = rows + 4 * at;
#if LANES == 8
    snDouble4 low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = __builtin_shufflevector(f[c], f[c], 0, 1, 2, 3);
        high[c] = __builtin_shufflevector(f[c], f[c], 4, 5, 6, 7);
    }
    scatter4(out, low[0], low[1], low[2]);
    scatter4(out + 16, high[0], high[1], high[2]);
#else
    scatter4(out, f[0], f[1], f[2]);
#endif
}

#else
// In every four lanes: the lower and the upper half of a and b in turns; the first and the second
// halves of both.
#if LANES == 16
#define TURNS_LOW(a, b)                                                                            \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define TURNS_HIGH(a, b)                                                                           \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define FIRST_HALVES(a, b)                                                                         \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define SECOND_HALVES(a, b)                                                                        \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif LANES == 8
#define TURNS_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define TURNS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define TURNS_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define TURNS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

// Rows of the lanes r, r + 4, r + 8, ... in one vector.
static INLINE V joinRows(const snFloat4 *rows)
{
#if LANES == 16
    __m512 v = _mm512_castps128_ps512((__m128)rows[0]);
    v = _mm512_insertf32x4(v, (__m128)rows[4], 1);
    v = _mm512_insertf32x4(v, (__m128)rows[8], 2);
    return (V)_mm512_insertf32x4(v, (__m128)rows[12], 3);
#elif LANES == 8
    return __builtin_shufflevector(rows[0], rows[4], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return rows[0];
#endif
}

static INLINE void transposeRows(const snFloat4 rows[LANES], V out[3])
{
    V a = joinRows(rows), b = joinRows(rows + 1), c = joinRows(rows + 2), d = joinRows(rows + 3);
    V ab = TURNS_LOW(a, b), cd = TURNS_LOW(c, d), abEnd = TURNS_HIGH(a, b),
      cdEnd = TURNS_HIGH(c, d);
    out[0] = FIRST_HALVES(ab, cd);
    out[1] = SECOND_HALVES(ab, cd);
    out[2] = FIRST_HALVES(abEnd, cdEnd);
}

// The listed rows as lanes.
static INLINE void gatherRows(const float *rows, const int *row, V out[3])
{
    snFloat4 four[LANES];
    for (int l = 0; l < LANES; l++)
        memcpy(&four[l], rows + 4 * (size_t)(unsigned)row[l], sizeof four[l]);
    transposeRows(four, out);
}

// Differences of rows: exact numbers in, rounded once.
static INLINE void gatherDifferences(const double *rows, const int *row, const int *from, V out[3])
{
    snFloat4 four[LANES];
    for (int l = 0; l < LANES; l++)
        four[l] = __builtin_convertvector(snLoad4(rows + 4 * (size_t)(unsigned)row[l]) -
                                              snLoad4(rows + 4 * (size_t)(unsigned)from[l]),
                                          snFloat4);
    transposeRows(four, out);
}

// Lanes from `at` on of a group's corner to its rows, which stand in the order 0, 4, 8, 12, 1, 5, ...
// (snSlotOffset): so four stores put them all.
static INLINE void scatterRows(float *rows, int at, const V f[3])
{
    V zero = {0}, xy = TURNS_LOW(f[0], f[1]), z = TURNS_LOW(f[2], zero);
    V xyEnd = TURNS_HIGH(f[0], f[1]), zEnd = TURNS_HIGH(f[2], zero);
    store(rows + at, FIRST_HALVES(xy, z));
    store(rows + at + 16, SECOND_HALVES(xy, z));
    store(rows + at + 32, FIRST_HALVES(xyEnd, zEnd));
    store(rows + at + 48, SECOND_HALVES(xyEnd, zEnd));
}
#endif

#endif
