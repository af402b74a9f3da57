// Compiled once per instruction set. Rows are taken four at a time, so that what they are multiplied with is
// read and converted once for all.
#include "bake/rows.h"

#include "core/simd.h"

#define LANES 8

static inline snDouble8 load(const float *p)
{
    snFloat8 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, snDouble8);
}

// The last few, with nothing behind them.
static inline snDouble8 loadRest(const float *p, size_t count)
{
    float v[LANES] = {0};
    memcpy(v, p, count * sizeof *v);
    return load(v);
}

static inline double addLanes(snDouble8 s)
{
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static void dotFour(const snRowProducts *p, size_t row, double *out)
{
    size_t size = p->size, stride = p->stride;
    const float *a = p->a, *b = p->rows + row * stride, *c = b + stride, *d = c + stride;
    const float *e = d + stride;
    snDouble8 sb = {0}, sc = {0}, sd = {0}, se = {0};
    size_t k = 0;
    for (; k + LANES <= size; k += LANES) {
        snDouble8 x = load(a + k);
        sb += x * load(b + k);
        sc += x * load(c + k);
        sd += x * load(d + k);
        se += x * load(e + k);
    }
    if (k < size) {
        snDouble8 x = loadRest(a + k, size - k);
        sb += x * loadRest(b + k, size - k);
        sc += x * loadRest(c + k, size - k);
        sd += x * loadRest(d + k, size - k);
        se += x * loadRest(e + k, size - k);
    }
    out[0] = addLanes(sb);
    out[1] = addLanes(sc);
    out[2] = addLanes(sd);
    out[3] = addLanes(se);
}

static void dotOne(const float *a, const float *b, size_t size, double *out)
{
    snDouble8 sum = {0};
    size_t k = 0;
    for (; k + LANES <= size; k += LANES)
        sum += load(a + k) * load(b + k);
    if (k < size) sum += loadRest(a + k, size - k) * loadRest(b + k, size - k);
    *out = addLanes(sum);
}

static void dot(const snRowProducts *p, double *out)
{
    size_t k = 0;
    for (; k + 4 <= p->count; k += 4)
        dotFour(p, k, out + k);
    for (; k < p->count; k++)
        dotOne(p->a, p->rows + k * p->stride, p->size, out + k);
}

static inline snDouble8 column(const snRowTurn *t, size_t row)
{
    const float *p = t->rows + row * t->size + t->first;
    return t->width == LANES ? load(p) : loadRest(p, t->width);
}

static inline void store(float *p, snDouble8 v)
{
    snFloat8 f = __builtin_convertvector(v, snFloat8);
    memcpy(p, &f, sizeof f);
}

static void turnFour(const snRowTurn *t, const double *u, float *out)
{
    size_t n = t->count;
    snDouble8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (size_t i = 0; i < n; i++) {
        snDouble8 x = column(t, i);
        s0 += u[i] * x;
        s1 += u[n + i] * x;
        s2 += u[2 * n + i] * x;
        s3 += u[3 * n + i] * x;
    }
    store(out, s0);
    store(out + LANES, s1);
    store(out + 2 * LANES, s2);
    store(out + 3 * LANES, s3);
}

static void turnOne(const snRowTurn *t, const double *u, float *out)
{
    snDouble8 sum = {0};
    for (size_t i = 0; i < t->count; i++)
        sum += u[i] * column(t, i);
    store(out, sum);
}

static void turn(const snRowTurn *t, float *out)
{
    size_t k = 0;
    for (; k + 4 <= t->kept; k += 4)
        turnFour(t, t->vectors + k * t->count, out + k * LANES);
    for (; k < t->kept; k++)
        turnOne(t, t->vectors + k * t->count, out + k * LANES);
}

const snRowKernels SN_VARIANT(snRowKernels) = {dot, turn};
