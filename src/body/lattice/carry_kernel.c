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

// (b - a) x (c - a) = u x v = (u v' - u' v)', with ' turning (x, y, z) to (y, z, x).
static SN_ALWAYS_INLINE void areasOf(const snCarryPass *pass, int begin, int end, size_t stride)
{
    const int *corner = pass->carry->triangle + 3 * (size_t)begin;
    const float *points = pass->points;
    float *out = pass->areas;
    for (int t = begin; t < end; t++, corner += 3) {
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

// Eight points at a time: no sum waits for another, and the loop is as long for all of them. Roots and divisions in
// double precision, where the squares of the smallest floats are not zero yet.
static void normals(const snCarryPass *pass, int begin, int end)
{
    const int *start = pass->carry->fanStart;
    const float *list = pass->areas;
    float *out = pass->normals;
    size_t stride = pass->normalStride;
    for (int p = begin; p < end; p += 8) {
        int count = end - p < 8 ? end - p : 8;
        const int *fan = pass->carry->fan + 8 * (size_t)start[p / 8];
        const int *last = pass->carry->fan + 8 * (size_t)start[p / 8 + 1];
        F4 sum[8] = {{0}};
        double square[8], scale[8];
        for (; fan < last; fan += 8)
            for (int k = 0; k < 8; k++) {
                F4 area;
                memcpy(&area, list + 4 * (size_t)fan[k], sizeof area);
                sum[k] += area;
            }
        for (int k = 0; k < 8; k++)
            square[k] = (double)sum[k][0] * (double)sum[k][0] +
                        (double)sum[k][1] * (double)sum[k][1] +
                        (double)sum[k][2] * (double)sum[k][2];
        for (int k = 0; k < 8; k++)
            scale[k] = 1.0 / sqrt(square[k]);
        for (int k = 0; k < count; k++) {
            bool good = square[k] > 0 && square[k] <= 1e300;
            snDouble4 unit = scale[k] * __builtin_convertvector(sum[k], snDouble4);
            F4 normal = good ? __builtin_convertvector(unit, F4) : (F4){0};
            memcpy(out + stride * (size_t)(p + k), &normal, 3 * sizeof(float));
        }
    }
}

extern const snCarryKernels SN_VARIANT(snCarryKernels);
const snCarryKernels SN_VARIANT(snCarryKernels) = {
    .offsets = offsets,
    .rowOffsets = rowOffsets,
    .areas = areas,
    .normals = normals,
};
