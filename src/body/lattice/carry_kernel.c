// The loops of carry.c, compiled once per instruction set (core/simd.h). A row of four numbers
// (x, y, z, and one that nobody reads) is a vector.
#include "body/lattice/carry.h"

#include "core/simd.h"

#include <math.h>

typedef float F4 __attribute__((vector_size(16)));

// Points are three floats each, or rows of four, which are read and written whole.
static inline F4 loadPoint(const float *points, size_t point, size_t stride)
{
    const float *p = points + stride * point;
    F4 v = {p[0], p[1], p[2], 0};
    if (stride == 4) memcpy(&v, p, sizeof v);
    return v;
}

static inline void storePoint(float *points, size_t point, size_t stride, F4 v)
{
    memcpy(points + stride * point, &v, (stride == 4 ? 4 : 3) * sizeof(float));
}

// Σ φ_a (x_a - p_L,a), added one corner after another.
static SN_ALWAYS_INLINE void offsetsOf(const snCarryPass *pass, int begin, int end, int width,
                                       size_t stride)
{
    const int *vertex = pass->carry->vertex + (size_t)begin * (size_t)width;
    const double *weight = pass->carry->weight + (size_t)begin * (size_t)width;
    const double *position = pass->position, *rig = pass->rig;
    float *points = pass->points;
    for (int p = begin; p < end; p++, vertex += width, weight += width) {
        snDouble4 sum = __builtin_convertvector(loadPoint(points, (size_t)p, stride), snDouble4);
        for (int k = 0; k < width; k++) {
            size_t row = 4 * (size_t)vertex[k];
            sum += weight[k] * (snLoad4(position + row) - snLoad4(rig + row));
        }
        storePoint(points, (size_t)p, stride, __builtin_convertvector(sum, F4));
    }
}

static void offsets(const snCarryPass *pass, int begin, int end)
{
    if (pass->carry->width == 4)
        offsetsOf(pass, begin, end, 4, 3);
    else
        offsetsOf(pass, begin, end, 8, 3);
}

// Σ φ_a o_a over rows of floats, in two sums that do not wait for each other.
static SN_ALWAYS_INLINE void rowOffsetsOf(const snCarryPass *pass, int begin, int end, int width)
{
    const int *vertex = pass->carry->vertex + (size_t)begin * (size_t)width;
    const float *weight = pass->carry->single + (size_t)begin * (size_t)width;
    for (int p = begin; p < end; p++, vertex += width, weight += width) {
        F4 even = loadPoint(pass->points, (size_t)p, 4), odd = {0};
        for (int k = 0; k < width; k += 2) {
            even += weight[k] * loadPoint(pass->offset, (size_t)vertex[k], 4);
            odd += weight[k + 1] * loadPoint(pass->offset, (size_t)vertex[k + 1], 4);
        }
        storePoint(pass->points, (size_t)p, 4, even + odd);
    }
}

static void rowOffsets(const snCarryPass *pass, int begin, int end)
{
    if (pass->carry->width == 4)
        rowOffsetsOf(pass, begin, end, 4);
    else
        rowOffsetsOf(pass, begin, end, 8);
}

// Rows of so many triangles side by side, as many as a register holds.
#if defined(__AVX512F__)
enum { TOGETHER = 4 };
typedef snFloat16 Rows;
#define TURNED(v)                                                                                  \
    __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7, 9, 10, 8, 11, 13, 14, 12, 15)
#elif defined(__AVX2__)
enum { TOGETHER = 2 };
typedef snFloat8 Rows;
#define TURNED(v) __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7)
#else
enum { TOGETHER = 1 };
typedef F4 Rows;
#define TURNED(v) __builtin_shufflevector(v, v, 1, 2, 0, 3)
#endif

#define SIDE_BY_SIDE(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)

// The same corner of triangles that follow each other.
static inline Rows loadCorners(const float *points, const int *corner, size_t stride)
{
#if defined(__AVX512F__)
    snFloat8 low = SIDE_BY_SIDE(loadPoint(points, (size_t)corner[0], stride),
                                loadPoint(points, (size_t)corner[3], stride));
    snFloat8 high = SIDE_BY_SIDE(loadPoint(points, (size_t)corner[6], stride),
                                 loadPoint(points, (size_t)corner[9], stride));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif defined(__AVX2__)
    return SIDE_BY_SIDE(loadPoint(points, (size_t)corner[0], stride),
                        loadPoint(points, (size_t)corner[3], stride));
#else
    return loadPoint(points, (size_t)corner[0], stride);
#endif
}

// (b - a) x (c - a) = u x v = (u v' - u' v)', with ' turning (x, y, z) to (y, z, x).
static SN_ALWAYS_INLINE void areasOf(const snCarryPass *pass, int begin, int end, size_t stride)
{
    const int *corner = pass->carry->triangle + 3 * (size_t)begin;
    const float *points = pass->points;
    float *out = pass->areas;
    int t = begin;
    for (; t + TOGETHER <= end; t += TOGETHER, corner += 3 * TOGETHER) {
        Rows a = loadCorners(points, corner, stride);
        Rows u = loadCorners(points, corner + 1, stride) - a;
        Rows v = loadCorners(points, corner + 2, stride) - a;
        Rows turned = u * TURNED(v) - TURNED(u) * v, area = TURNED(turned);
        memcpy(out + 4 * (size_t)t, &area, sizeof area);
    }
    for (; t < end; t++, corner += 3) {
        F4 a = loadPoint(points, (size_t)corner[0], stride);
        F4 u = loadPoint(points, (size_t)corner[1], stride) - a;
        F4 v = loadPoint(points, (size_t)corner[2], stride) - a;
        F4 turned = u * __builtin_shufflevector(v, v, 1, 2, 0, 3) -
                    __builtin_shufflevector(u, u, 1, 2, 0, 3) * v;
        F4 area = __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
        memcpy(out + 4 * (size_t)t, &area, sizeof area);
    }
}

static void areas(const snCarryPass *pass, int begin, int end)
{
    if (pass->stride == 4)
        areasOf(pass, begin, end, 4);
    else
        areasOf(pass, begin, end, 3);
}

// In each half: the lower and the upper numbers of a and b in turns; the first and the second halves of both.
#define TURNS_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define TURNS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

// Eight rows as x, y and z of eight.
static inline void rowsToLanes(const F4 row[8], snFloat8 lanes[3])
{
    snFloat8 a = SIDE_BY_SIDE(row[0], row[4]), b = SIDE_BY_SIDE(row[1], row[5]);
    snFloat8 c = SIDE_BY_SIDE(row[2], row[6]), d = SIDE_BY_SIDE(row[3], row[7]);
    snFloat8 low = TURNS_LOW(a, b), high = TURNS_LOW(c, d);
    lanes[0] = FIRST_HALVES(low, high);
    lanes[1] = SECOND_HALVES(low, high);
    lanes[2] = FIRST_HALVES(TURNS_HIGH(a, b), TURNS_HIGH(c, d));
}

// And back: rows k and k + 4 side by side.
static inline void lanesToRows(const snFloat8 lanes[3], snFloat8 rows[4])
{
    snFloat8 xy = TURNS_LOW(lanes[0], lanes[1]), z = TURNS_LOW(lanes[2], lanes[2]);
    snFloat8 xyEnd = TURNS_HIGH(lanes[0], lanes[1]), zEnd = TURNS_HIGH(lanes[2], lanes[2]);
    rows[0] = FIRST_HALVES(xy, z);
    rows[1] = SECOND_HALVES(xy, z);
    rows[2] = FIRST_HALVES(xyEnd, zEnd);
    rows[3] = SECOND_HALVES(xyEnd, zEnd);
}

// To unit length, or to 0 where there is none. Roots and divisions in double precision, where the squares of the smallest
// floats are not zero yet.
static inline void normalise(snFloat8 lanes[3])
{
    double square[8], scale[8];
    snDouble8 x = __builtin_convertvector(lanes[0], snDouble8);
    snDouble8 y = __builtin_convertvector(lanes[1], snDouble8);
    snDouble8 z = __builtin_convertvector(lanes[2], snDouble8);
    snDouble8 sum = x * x + y * y + z * z;
    snLong8 good = (sum > 0.0) & (sum <= 1e300);
    snStore8(square, sum);
    for (int k = 0; k < 8; k++)
        scale[k] = 1.0 / sqrt(square[k]);
    snDouble8 inverse = snLoad8(scale);
    lanes[0] = __builtin_convertvector((snDouble8)((snLong8)(inverse * x) & good), snFloat8);
    lanes[1] = __builtin_convertvector((snDouble8)((snLong8)(inverse * y) & good), snFloat8);
    lanes[2] = __builtin_convertvector((snDouble8)((snLong8)(inverse * z) & good), snFloat8);
}

static inline void storeNormals(const snCarryPass *pass, int first, int count,
                                const snFloat8 rows[4])
{
    float *out = pass->normals + pass->normalStride * (size_t)first;
    if (count == 8 && pass->normalStride == 4) {
        for (int k = 0; k < 4; k++) {
            F4 low = __builtin_shufflevector(rows[k], rows[k], 0, 1, 2, 3);
            F4 high = __builtin_shufflevector(rows[k], rows[k], 4, 5, 6, 7);
            memcpy(out + 4 * k, &low, sizeof low);
            memcpy(out + 4 * k + 16, &high, sizeof high);
        }
        return;
    }
    float all[32];
    memcpy(all, rows, sizeof all);
    for (int k = 0; k < count; k++)
        memcpy(out + pass->normalStride * (size_t)k, all + 8 * (k % 4) + k / 4 * 4,
               3 * sizeof(float));
}

// Eight points at a time: no sum waits for another, and the loop is as long for all of them.
static void normals(const snCarryPass *pass, int begin, int end)
{
    const int *start = pass->carry->fanStart;
    const float *list = pass->areas;
    for (int p = begin; p < end; p += 8) {
        const int *fan = pass->carry->fan + 8 * (size_t)start[p / 8];
        const int *last = pass->carry->fan + 8 * (size_t)start[p / 8 + 1];
        F4 sum[8] = {{0}};
        snFloat8 lanes[3], rows[4];
        for (; fan < last; fan += 8)
            for (int k = 0; k < 8; k++) {
                F4 area;
                memcpy(&area, list + 4 * (size_t)fan[k], sizeof area);
                sum[k] += area;
            }
        rowsToLanes(sum, lanes);
        normalise(lanes);
        lanesToRows(lanes, rows);
        storeNormals(pass, p, end - p < 8 ? end - p : 8, rows);
    }
}

extern const snCarryKernels SN_VARIANT(snCarryKernels);
const snCarryKernels SN_VARIANT(snCarryKernels) = {
    .offsets = offsets,
    .rowOffsets = rowOffsets,
    .areas = areas,
    .normals = normals,
};
