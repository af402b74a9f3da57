// Matrices of three rows and columns in lanes (cells_lanes.h), and the rotations of quaternions, for the passes over elements.
#ifndef SN_BODY_LATTICE_CELLS_MATRIX_H
#define SN_BODY_LATTICE_CELLS_MATRIX_H

#include "body/lattice/cells_lanes.h"

static INLINE M3 identity(void)
{
    M3 one = {{{{0}}}};
    for (int i = 0; i < 3; i++)
        one.m[i][i] = constant(1);
    return one;
}

static INLINE M3 cofactor(const M3 *a)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[i][j] = a->m[i1][j1] * a->m[i2][j2] - a->m[i1][j2] * a->m[i2][j1];
        }
    return c;
}

static INLINE V determinant(const M3 *a, const M3 *cof)
{
    return a->m[0][0] * cof->m[0][0] + a->m[0][1] * cof->m[0][1] + a->m[0][2] * cof->m[0][2];
}

static INLINE V squareOf(const M3 *a)
{
    V sum = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += a->m[i][j] * a->m[i][j];
    return sum;
}

// A Bᵀ
static INLINE M3 multiplyTransposed(const M3 *a, const M3 *b)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
    return c;
}

// Aᵀ B
static INLINE M3 transposedMultiply(const M3 *a, const M3 *b)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[0][i] * b->m[0][j] + a->m[1][i] * b->m[1][j] + a->m[2][i] * b->m[2][j];
    return c;
}

// A B
static INLINE M3 multiply(const M3 *a, const M3 *b)
{
    M3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

// The rotation of a quaternion of length near 1: 1/n = (2 - n)(1 + (1 - n)²) up to (1 - n)⁴, which is
// below rounding for the results of findRotation and good enough on the way there.
static INLINE M3 rotationOf(const V q[4])
{
    V n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], d = 1.0 - n;
    V s = 2.0 * (1.0 + d) * (1.0 + d * d);
    V sx = s * q[0], sy = s * q[1], sz = s * q[2];
    V xx = sx * q[0], yy = sy * q[1], zz = sz * q[2], xy = sx * q[1], xz = sx * q[2];
    V yz = sy * q[2], xw = sx * q[3], yw = sy * q[3], zw = sz * q[3];
    M3 r = {{{1.0 - (yy + zz), xy - zw, xz + yw},
             {xy + zw, 1.0 - (xx + zz), yz - xw},
             {xz - yw, yz + xw, 1.0 - (xx + yy)}}};
    return r;
}

#endif
