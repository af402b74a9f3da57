// Linear corotated tets, as many at a time as a register has numbers. Compiled once per instruction
// set (core/simd.h).
//
//     F = Σ_{a>0} (y_a - y_0) g_aᵀ,   R near the rotation of F,   M = RᵀF,
//     P = R (2μ (sym M - I) + λ tr(M - I) I),   f_a = P g_a,   f_0 = -Σ f_a.
//
// R comes from the last one by a Newton step of max tr(RᵀF): (tr(M) I - sym M) ω = axial(M - Mᵀ).
#include "bench/bare.h"

#include "core/simd.h"

#if defined(__AVX512F__)
enum { LANES = 8 };
typedef snDouble8 V;
#else
enum { LANES = 4 };
typedef snDouble4 V;
#endif

static inline V load(const double *p)
{
    V v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(double *p, V v)
{
    memcpy(p, &v, sizeof v);
}

// Rows (x, y, z, pad) of four vertices to x, y and z of four cells.
static inline void transpose(const double *position, const int *vertex, snDouble4 out[3])
{
    snDouble4 a = snLoad4(position + 4 * vertex[0]), b = snLoad4(position + 4 * vertex[1]);
    snDouble4 c = snLoad4(position + 4 * vertex[2]), d = snLoad4(position + 4 * vertex[3]);
    snDouble4 xz = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    snDouble4 xz2 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    out[0] = __builtin_shufflevector(xz, xz2, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(__builtin_shufflevector(a, b, 1, 5, 3, 7),
                                     __builtin_shufflevector(c, d, 1, 5, 3, 7), 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(xz, xz2, 2, 3, 6, 7);
}

// x, y and z of four cells to rows (x, y, z, 0).
static inline void transposeBack(double *force, snDouble4 x, snDouble4 y, snDouble4 z)
{
    snDouble4 zero = {0};
    snDouble4 xy = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    snDouble4 xy1 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    snDouble4 z0 = __builtin_shufflevector(z, zero, 0, 4, 2, 6);
    snDouble4 z1 = __builtin_shufflevector(z, zero, 1, 5, 3, 7);
    snStore4(force, __builtin_shufflevector(xy, z0, 0, 1, 4, 5));
    snStore4(force + 4, __builtin_shufflevector(xy1, z1, 0, 1, 4, 5));
    snStore4(force + 8, __builtin_shufflevector(xy, z0, 2, 3, 6, 7));
    snStore4(force + 12, __builtin_shufflevector(xy1, z1, 2, 3, 6, 7));
}

#if defined(__AVX512F__)
static inline void gatherCorner(const double *position, const int *vertex, V out[3])
{
    snDouble4 low[3], high[3];
    transpose(position, vertex, low);
    transpose(position, vertex + 4, high);
    for (int c = 0; c < 3; c++)
        out[c] = __builtin_shufflevector(low[c], high[c], 0, 1, 2, 3, 4, 5, 6, 7);
}

static inline void scatter(double *force, const V f[3])
{
    snDouble4 low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = __builtin_shufflevector(f[c], f[c], 0, 1, 2, 3);
        high[c] = __builtin_shufflevector(f[c], f[c], 4, 5, 6, 7);
    }
    transposeBack(force, low[0], low[1], low[2]);
    transposeBack(force + 16, high[0], high[1], high[2]);
}
#else
static inline void gatherCorner(const double *position, const int *vertex, V out[3])
{
    transpose(position, vertex, out);
}

static inline void scatter(double *force, const V f[3])
{
    transposeBack(force, f[0], f[1], f[2]);
}
#endif

static inline void deformation(const double *position, const int *vertex, const double *gradient,
                               V f[3][3])
{
    V base[3], p[3];
    gatherCorner(position, vertex, base);
    for (int a = 1; a < 4; a++) {
        gatherCorner(position, vertex + a * SN_GROUP, p);
        for (int c = 0; c < 3; c++) {
            V g = load(gradient + (3 * (a - 1) + c) * SN_GROUP);
            for (int r = 0; r < 3; r++)
                f[r][c] = a == 1 ? (p[r] - base[r]) * g : f[r][c] + (p[r] - base[r]) * g;
        }
    }
}

// The rotation matrix of q, which has length 1.
static inline void matrixOf(const V q[4], V r[3][3])
{
    V x = q[0], y = q[1], z = q[2], w = q[3];
    r[0][0] = 1.0 - 2.0 * (y * y + z * z);
    r[0][1] = 2.0 * (x * y - z * w);
    r[0][2] = 2.0 * (x * z + y * w);
    r[1][0] = 2.0 * (x * y + z * w);
    r[1][1] = 1.0 - 2.0 * (x * x + z * z);
    r[1][2] = 2.0 * (y * z - x * w);
    r[2][0] = 2.0 * (x * z - y * w);
    r[2][1] = 2.0 * (y * z + x * w);
    r[2][2] = 1.0 - 2.0 * (x * x + y * y);
}

static inline void transposedMultiply(V a[3][3], V b[3][3], V c[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c[i][j] = a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
}

static inline void newtonStep(V m[3][3], V q[4])
{
    V g0 = m[2][1] - m[1][2], g1 = m[0][2] - m[2][0], g2 = m[1][0] - m[0][1];
    V h00 = m[1][1] + m[2][2], h11 = m[0][0] + m[2][2], h22 = m[0][0] + m[1][1];
    V h01 = -0.5 * (m[0][1] + m[1][0]), h02 = -0.5 * (m[0][2] + m[2][0]);
    V h12 = -0.5 * (m[1][2] + m[2][1]);
    V c00 = h11 * h22 - h12 * h12, c01 = h02 * h12 - h01 * h22, c02 = h01 * h12 - h02 * h11;
    V c11 = h00 * h22 - h02 * h02, c12 = h01 * h02 - h00 * h12, c22 = h00 * h11 - h01 * h01;
    V half = 0.5 / (h00 * c00 + h01 * c01 + h02 * c02);
    V w0 = (c00 * g0 + c01 * g1 + c02 * g2) * half;
    V w1 = (c01 * g0 + c11 * g1 + c12 * g2) * half;
    V w2 = (c02 * g0 + c12 * g1 + c22 * g2) * half;
    V x = q[0] + q[3] * w0 + (q[1] * w2 - q[2] * w1);
    V y = q[1] + q[3] * w1 + (q[2] * w0 - q[0] * w2);
    V z = q[2] + q[3] * w2 + (q[0] * w1 - q[1] * w0);
    V w = q[3] - q[0] * w0 - q[1] * w1 - q[2] * w2;
    V shrink = 1.5 - 0.5 * (x * x + y * y + z * z + w * w); // towards length 1
    q[0] = shrink * x, q[1] = shrink * y, q[2] = shrink * z, q[3] = shrink * w;
}

static inline void cells(const snBare *bare, int group, int at, double scale)
{
    const snElementClass *class = &bare->model->classes[0];
    const int *vertex = class->vertex + (size_t)group * 4 * SN_GROUP + at;
    const double *gradient = (const double *)class->gradient + (size_t)group * 9 * SN_GROUP + at;
    double *rotation = bare->rotation + (size_t)group * 4 * SN_GROUP + at;
    double *force = bare->force + ((size_t)group * 4 * SN_GROUP + (size_t)at) * 4;
    V f[3][3], r[3][3], m[3][3], p[3][3], q[4], first[3] = {{0}}, corner[3];
    for (int k = 0; k < 4; k++)
        q[k] = load(rotation + k * SN_GROUP);
    deformation(bare->next, vertex, gradient, f);
    matrixOf(q, r);
    transposedMultiply(r, f, m);
    newtonStep(m, q);
    for (int k = 0; k < 4; k++)
        store(rotation + k * SN_GROUP, q[k]);
    matrixOf(q, r);
    transposedMultiply(r, f, m);
    V shear = scale * load((const double *)class->shear + (size_t)group * SN_GROUP + at);
    V bulk = scale * load((const double *)class->bulk + (size_t)group * SN_GROUP + at);
    V pressure = bulk * (m[0][0] + m[1][1] + m[2][2] - 3.0) - shear;
    V s[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s[i][j] = i == j ? shear * m[i][i] + pressure : 0.5 * shear * (m[i][j] + m[j][i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p[i][j] = r[i][0] * s[0][j] + r[i][1] * s[1][j] + r[i][2] * s[2][j];
    for (int a = 1; a < 4; a++) {
        const double *g = gradient + 3 * (a - 1) * SN_GROUP;
        V gx = load(g), gy = load(g + SN_GROUP), gz = load(g + 2 * SN_GROUP);
        for (int k = 0; k < 3; k++) {
            corner[k] = p[k][0] * gx + p[k][1] * gy + p[k][2] * gz;
            first[k] -= corner[k];
        }
        scatter(force + (size_t)a * 4 * SN_GROUP, corner);
    }
    scatter(force, first);
}

snBareCellsFcn SN_VARIANT(snBareCells);
void SN_VARIANT(snBareCells)(const snBare *bare)
{
    double h = bare->model->def.step, scale = h * (h + bare->model->def.stiffnessDamping);
    for (int g = 0; g < bare->model->classes[0].groupCount; g++)
        for (int at = 0; at < SN_GROUP; at += LANES)
            cells(bare, g, at, scale);
}
