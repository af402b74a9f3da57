// Compiled once per instruction set. Loops go over lanes that do not depend on each other.
#include "bake/soft_kernels.h"

#include "core/simd.h"

// ---- corrections ----------------------------------------------------------------------------------------

#define LANES SN_NORMAL_LANES

// Some vertices side by side: blended matrices column by column with their origins behind them, positions
// before skinning, and where the bake has them.
typedef struct Block {
    double m[12 * LANES], p[3 * LANES], baked[3 * LANES];
    double d[3 * LANES];
    double flat[LANES]; // above 0: M has been flattened
} Block;

// Joints of weight 0 are added like all others, which costs less than to ask; none of them is infinite.
static inline void blend(const snSoftPart *s, int k, int influences, Block *x, int lane)
{
    size_t first = (size_t)k * (size_t)influences;
    const int *joints = s->part->joints + first;
    const float *weights = s->part->weights + first;
    snDouble4 m[3] = {{0}, {0}, {0}};
    for (int i = 0; i < influences; i++) {
        double w = (double)weights[i];
        const double *joint = (const double *)&s->joints[joints[i]];
        for (int c = 0; c < 3; c++)
            m[c] += w * snLoad4(joint + 4 * c);
    }
    for (int c = 0; c < 12; c++)
        x->m[c * LANES + lane] = m[c / 4][c % 4];
}

// The position in bind space with the file's own morph targets.
static inline void place(const snSoftPart *s, int k, Block *x, int lane)
{
    const snPart *part = s->part;
    snVec3 p = snFromF(part->positions[k]);
    for (int t = 0; t < part->targetCount; t++)
        p = snMulAdd(p, s->morphs[part->firstMorph + t], snFromF(part->targets[t][k]));
    snPlanes_Put(x->p, lane, p);
}

static void blendAll(const snSoftPart *s, int entry, int count, Block *x)
{
    const double *node = (const double *)s->node;
    int influences = s->part->skin < 0 ? 0 : s->part->influences;
    for (int i = 0; i < count; i++) {
        int k = (entry + i) * s->stride - s->first;
        if (influences == 4) // nearly always, and with a number that is known
            blend(s, k, 4, x, i);
        else if (influences)
            blend(s, k, influences, x, i);
        else
            for (int c = 0; c < 12; c++)
                x->m[c * LANES + i] = node[c];
    }
}

static void gather(const snSoftPart *s, int entry, int count, Block *x)
{
    blendAll(s, entry, count, x);
    for (int i = 0; i < count; i++) {
        int v = (entry + i) * s->stride;
        place(s, v - s->first, x, i);
        snPlanes_Put(x->baked, i, snFromF(s->baked[v]));
    }
}

static inline snMat3 matrixOf(const Block *x, int i)
{
    return (snMat3){snPlanes_At(x->m, i), snPlanes_At(x->m + 3 * LANES, i),
                    snPlanes_At(x->m + 6 * LANES, i)};
}

// p becomes the rig's position, baked the offset from there, and d is M⁻¹ offset where M has a volume.
static void solve(Block *x)
{
    for (int i = 0; i < LANES; i++) {
        snMat3 m = matrixOf(x, i);
        snVec3 rig = snAdd(snMulMV(m, snPlanes_At(x->p, i)), snPlanes_At(x->m + 9 * LANES, i));
        snVec3 offset = snSub(snPlanes_At(x->baked, i), rig);
        double size = snNormSquaredM(m) / 3, det = snDet(m);
        snMat3 cofactor = snCofactor(m);
        snVec3 d = snScale(1.0 / det, snMulTMV(cofactor, offset));
        x->flat[i] = 0.05 * size * sqrt(size) - fabs(det);
        snPlanes_Put(x->p, i, rig);
        snPlanes_Put(x->baked, i, offset);
        snPlanes_Put(x->d, i, d);
    }
}

// Where blending has flattened M (a joint bent by 180°), the least squares answer with a small weight on
// |d|² keeps corrections from exploding.
static void solveFlat(Block *x, int i)
{
    snMat3 m = matrixOf(x, i), normal = snMulTMM(m, m);
    double weight = 1e-3 * snNormSquaredM(m) / 3 + 1e-30;
    normal = snAddMM(normal, snDiagonal3(weight, weight, weight));
    snVec3 d = snMulMV(snInverse3(normal), snMulTMV(m, snPlanes_At(x->baked, i)));
    snPlanes_Put(x->d, i, d);
}

static void toFloats(const double *from, int count, float *to)
{
    for (int i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void scatter(const snSoftPart *s, int entry, int count, const Block *x)
{
    size_t at = (size_t)entry, n = s->entryCount;
    for (size_t c = 0; c < 9; c++)
        toFloats(x->m + c * LANES, count, s->matrix + c * n + at);
    for (size_t c = 0; c < 3; c++) {
        toFloats(x->baked + c * LANES, count, s->offset + c * n + at);
        toFloats(x->d + c * LANES, count, s->wanted + c * n + at);
    }
    for (int i = 0; i < count && s->rig; i++)
        s->rig[entry + i] = snPlanes_At(x->p, i);
}

static void correct(const snSoftPart *s, int begin, int end)
{
    Block block = {0};
    for (int at = begin; at < end; at += LANES) {
        int count = end - at < LANES ? end - at : LANES;
        gather(s, at, count, &block);
        solve(&block);
        for (int i = 0; i < count; i++)
            if (!(block.flat[i] < 0)) solveFlat(&block, i);
        scatter(s, at, count, &block);
    }
}

// ---- sums of targets, and what they leave ---------------------------------------------------------------

// out += Σ_r p_r row_r, four rows for each reading of it.
static inline void addRows(const snRowSum *s, size_t width, float *restrict out)
{
    int r = 0;
    const float *products = s->products;
    for (; r + 4 <= s->count; r += 4) {
        const float *a = s->rows + (size_t)r * s->stride, *b = a + s->stride, *c = b + s->stride;
        const float *d = c + s->stride;
        for (size_t i = 0; i < width; i++)
            out[i] = (((out[i] + products[r] * a[i]) + products[r + 1] * b[i]) +
                      products[r + 2] * c[i]) +
                     products[r + 3] * d[i];
    }
    for (; r < s->count; r++) {
        const float *a = s->rows + (size_t)r * s->stride;
        for (size_t i = 0; i < width; i++)
            out[i] += products[r] * a[i];
    }
}

static void add(const snRowSum *s, size_t width, float *out)
{
    addRows(s, width, out);
}

#define SIDE 128 // entries whose state stays near while targets are taken off

typedef struct Left {
    float e[3][SIDE];   // what is missing
    float sum[3][SIDE]; // of targets, before skinning
    float square[SIDE]; // |e|²
} Left;

// e -= w M d
static void takeOff(Left *x, const float *m, size_t n, int count, const float *const d[3], float w)
{
    for (size_t a = 0; a < 3; a++) {
        const float *x0 = m + a * n, *x1 = m + (3 + a) * n, *x2 = m + (6 + a) * n;
        float *restrict e = x->e[a];
        for (int i = 0; i < count; i++)
            e[i] -= w * (x0[i] * d[0][i] + x1[i] * d[1][i] + x2[i] * d[2][i]);
    }
}

static float largest(Left *x, int count)
{
    float worst[16] = {0};
    for (int i = 0; i < count; i++)
        x->square[i] = x->e[0][i] * x->e[0][i] + x->e[1][i] * x->e[1][i] + x->e[2][i] * x->e[2][i];
    for (int i = 0; i < SIDE; i += 16)
        for (int l = 0; l < 16; l++)
            worst[l] = x->square[i + l] > worst[l] ? x->square[i + l] : worst[l];
    for (int l = 1; l < 16; l++)
        if (worst[l] > worst[0]) worst[0] = worst[l];
    return worst[0];
}

// e = offset - M (Σ_j<first w_j T_j + shift)
static void beginLeft(const snSoftSum *s, size_t at, int count, Left *x)
{
    size_t n = s->entryCount;
    for (size_t a = 0; a < 3; a++) {
        snRowSum rows = {s->targets + a * n + at, 3 * n, s->weights, s->first};
        memcpy(x->e[a], s->offset + a * n + at, (size_t)count * sizeof(float));
        if (s->shift) memcpy(x->sum[a], s->shift + a * n + at, (size_t)count * sizeof(float));
        addRows(&rows, (size_t)count, x->sum[a]);
    }
    const float *sum[3] = {x->sum[0], x->sum[1], x->sum[2]};
    if (s->first || s->shift) takeOff(x, s->matrix + at, n, count, sum, 1);
}

// The next target: number k.
static void takeTarget(const snSoftSum *s, size_t at, int count, int k, Left *x)
{
    size_t n = s->entryCount;
    const float *t = s->targets + (size_t)k * 3 * n + at;
    const float *d[3] = {t, t + n, t + 2 * n};
    takeOff(x, s->matrix + at, n, count, d, s->weights[k]);
}

static void leaveSide(const snSoftSum *s, size_t at, int count, float *left)
{
    Left x = {0};
    beginLeft(s, at, count, &x);
    for (int k = s->first; k <= s->last; k++) {
        float square = largest(&x, count);
        if (square > left[k]) left[k] = square;
        if (k < s->last) takeTarget(s, at, count, k, &x);
    }
}

static int needSide(const snSoftSum *s, size_t at, int count, float square)
{
    Left x = {0};
    int k = s->first;
    beginLeft(s, at, count, &x);
    for (; k < s->last && largest(&x, count) > square; k++)
        takeTarget(s, at, count, k, &x);
    return k;
}

static void leave(const snSoftSum *s, float *left)
{
    for (int i = 0; i < s->count; i += SIDE)
        leaveSide(s, s->begin + (size_t)i, s->count - i < SIDE ? s->count - i : SIDE, left);
}

static int need(const snSoftSum *whole, float square)
{
    snSoftSum s = *whole;
    for (int i = 0; i < s.count; i += SIDE)
        s.first =
            needSide(&s, s.begin + (size_t)i, s.count - i < SIDE ? s.count - i : SIDE, square);
    return s.first;
}

// ---- normals --------------------------------------------------------------------------------------------

// The rotation that takes unit a to unit b, with c = a x b:
//     R v = v + c x v + c x (c x v) / (1 + a · b).
// Of M^-T n the direction is enough, sign(det M) cof(M) n, for MᵀR M^-T n gets the length of n.
static void turn(snNormalBlock *x)
{
    for (int i = 0; i < SN_NORMAL_LANES; i++) {
        snMat3 m = {snPlanes_At(x->m, i), snPlanes_At(x->m + 3 * LANES, i),
                    snPlanes_At(x->m + 6 * LANES, i)};
        snVec3 n = snPlanes_At(x->own, i), a = snPlanes_At(x->before, i),
               b = snPlanes_At(x->after, i);
        snVec3 v = snMulMV(snCofactor(m), n);
        double sign = snDet(m) < 0.0 ? -1.0 : 1.0;
        double scale = 1.0 / sqrt(snDot(a, a) * snDot(b, b)), along = scale * snDot(a, b);
        snVec3 c = snScale(scale, snCross(a, b)), cv = snCross(c, v);
        snVec3 turned = snMulAdd(snAdd(v, cv), 1.0 / (1.0 + along), snCross(c, cv));
        snVec3 back = snMulTMV(m, turned);
        double length = sign * sqrt(snDot(n, n) / snDot(back, back));
        snPlanes_Put(x->change, i, snSub(snScale(length, back), n));
        x->along[i] = along;
    }
}

const snSoftKernels SN_VARIANT(snSoftKernels) = {correct, leave, need, turn, add};
