// Moving rows between interleaved vectors (row i of side r at x[i * step + r]) and planar work
// (at work[r * stride + i]), four rows and four sides at a time where registers hold four numbers.
// For kernels: `sides` is a constant wherever these functions are inlined.
#ifndef SN_NUMERICS_TRANSPOSE_H
#define SN_NUMERICS_TRANSPOSE_H

#include "numerics/lanes.h"

SN_INLINE snFour snFour_Load(const snReal *p)
{
    snFour v;
    memcpy(&v, p, sizeof v);
    return v;
}

SN_INLINE void snFour_Store(snReal *p, snFour v)
{
    memcpy(p, &v, sizeof v);
}

// Three sides in rows of four: the fourth is 0 and may be read and written with them.
SN_INLINE int snSidesWithPad(int sides, size_t step)
{
    return sides == 3 && step == 4 ? 4 : sides;
}

// Three or four sides of one row.
SN_INLINE snFour snLoadSides(const snReal *p, int sides)
{
    return sides >= 4 ? snFour_Load(p) : (snFour){p[0], p[1], p[2], 0};
}

SN_INLINE void snStoreSides(snReal *p, int sides, snFour v)
{
    if (sides >= 4) {
        snFour_Store(p, v);
    } else {
#if defined(SN_SINGLE)
        p[0] = v[0];
        p[1] = v[1];
#else
        snDouble2 low = __builtin_shufflevector(v, v, 0, 1);
        memcpy(p, &low, sizeof low);
#endif
        p[2] = v[2];
    }
}

SN_INLINE void snTranspose4(snFour v[4])
{
    snFour a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    snFour b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    snFour c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    snFour d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Does a group of sides go through registers of four?
SN_INLINE int snSidesByFour(int sides)
{
    return SN_LANES_PARTS < 4 && sides >= 3;
}

// Four rows, at p[0] ... p[3], of up to four sides into planar work; `read` sides are there.
SN_INLINE void snLoadFour(const snReal *const p[4], int sides, int read, snReal *work, int stride)
{
    snFour v[4];
    for (int i = 0; i < 4; i++)
        v[i] = snLoadSides(p[i], read);
    snTranspose4(v);
    for (int r = 0; r < 4 && r < sides; r++)
        snFour_Store(work + r * stride, v[r]);
}

// Four rows from planar work, added to what is at p[0] ... p[3] or put there.
SN_INLINE void snStoreFour(snReal *const p[4], int sides, int write, const snReal *work, int stride,
                           int add)
{
    snFour v[4];
    for (int r = 0; r < 4; r++)
        v[r] = r < sides ? snFour_Load(work + r * stride) : (snFour){0};
    snTranspose4(v);
    for (int i = 0; i < 4; i++)
        snStoreSides(p[i], write, add ? snLoadSides(p[i], write) + v[i] : v[i]);
}

// Consecutive rows, interleaved to planar.
SN_INLINE void snLoadRows(const snReal *x, size_t step, int rows, int sides, snReal *work,
                          int stride)
{
    int i = 0;
    for (; snSidesByFour(sides) && i + 4 <= rows; i += 4) {
        const snReal *at = x + (size_t)i * step;
        for (int r = 0; r < sides; r += 4) {
            const snReal *p[4] = {at + r, at + step + r, at + 2 * step + r, at + 3 * step + r};
            snLoadFour(p, sides - r, snSidesWithPad(sides, step) - r, work + r * stride + i,
                       stride);
        }
    }
    for (; i < rows; i++)
        for (int r = 0; r < sides; r++)
            work[r * stride + i] = x[(size_t)i * step + (size_t)r];
}

SN_INLINE void snPutRows(snReal *x, size_t step, int rows, int sides, const snReal *work,
                         int stride, int add)
{
    int i = 0;
    for (; snSidesByFour(sides) && i + 4 <= rows; i += 4) {
        snReal *at = x + (size_t)i * step;
        for (int r = 0; r < sides; r += 4) {
            snReal *p[4] = {at + r, at + step + r, at + 2 * step + r, at + 3 * step + r};
            snStoreFour(p, sides - r, snSidesWithPad(sides, step) - r, work + r * stride + i,
                        stride, add);
        }
    }
    for (; i < rows; i++)
        for (int r = 0; r < sides; r++) {
            snReal *p = x + (size_t)i * step + (size_t)r;
            *p = add ? *p + work[r * stride + i] : work[r * stride + i];
        }
}

SN_INLINE void snStoreRows(snReal *x, size_t step, int rows, int sides, const snReal *work,
                           int stride)
{
    snPutRows(x, step, rows, sides, work, stride, 0);
}

SN_INLINE void snAddRows(snReal *x, size_t step, int rows, int sides, const snReal *work,
                         int stride)
{
    snPutRows(x, step, rows, sides, work, stride, 1);
}

// Listed rows, interleaved to planar.
SN_INLINE void snGatherRows(const snReal *x, size_t step, const int *row, int rows, int sides,
                            snReal *work, int stride)
{
    int k = 0;
    for (; snSidesByFour(sides) && k + 4 <= rows; k += 4)
        for (int r = 0; r < sides; r += 4) {
            const snReal *p[4];
            for (int i = 0; i < 4; i++)
                p[i] = x + (size_t)row[k + i] * step + r;
            snLoadFour(p, sides - r, snSidesWithPad(sides, step) - r, work + r * stride + k,
                       stride);
        }
    for (; k < rows; k++)
        for (int r = 0; r < sides; r++)
            work[r * stride + k] = x[(size_t)row[k] * step + (size_t)r];
}

// Planar rows added to the listed rows. The rows of a list differ, so four can be in flight.
SN_INLINE void snScatterRows(snReal *x, size_t step, const int *row, int rows, int sides,
                             const snReal *work, int stride)
{
    int k = 0;
    for (; snSidesByFour(sides) && k + 4 <= rows; k += 4)
        for (int r = 0; r < sides; r += 4) {
            snReal *p[4];
            for (int i = 0; i < 4; i++)
                p[i] = x + (size_t)row[k + i] * step + r;
            snStoreFour(p, sides - r, snSidesWithPad(sides, step) - r, work + r * stride + k,
                        stride, 1);
        }
    for (; k < rows; k++)
        for (int r = 0; r < sides; r++)
            x[(size_t)row[k] * step + (size_t)r] += work[r * stride + k];
}

#endif
