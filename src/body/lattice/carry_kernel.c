// The loops of carry.c, compiled once per instruction set (core/simd.h). A row of four numbers
// (x, y, z, and one that nobody reads) is a vector.
#include "body/lattice/carry.h"

#include "core/simd.h"

#include <math.h>

typedef float F4 __attribute__((vector_size(16)));

static inline F4 load3(const snVec3f *p)
{
    F4 v = {p->x, p->y, p->z, 0};
    return v;
}

static inline void store3(snVec3f *p, F4 v)
{
    memcpy(p, &v, sizeof *p);
}

// Σ φ_a (x_a - p_L,a), added one corner after another.
static inline void offsetsOf(const snCarryPass *pass, int begin, int end, int width)
{
    const int *vertex = pass->carry->vertex + (size_t)begin * (size_t)width;
    const double *weight = pass->carry->weight + (size_t)begin * (size_t)width;
    const double *position = pass->position, *rig = pass->rig;
    snVec3f *points = pass->points;
    for (int p = begin; p < end; p++, vertex += width, weight += width) {
        snDouble4 sum = __builtin_convertvector(load3(&points[p]), snDouble4);
        for (int k = 0; k < width; k++) {
            size_t row = 4 * (size_t)vertex[k];
            sum += weight[k] * (snLoad4(position + row) - snLoad4(rig + row));
        }
        store3(&points[p], __builtin_convertvector(sum, F4));
    }
}

static void offsets(const snCarryPass *pass, int begin, int end)
{
    if (pass->carry->width == 4)
        offsetsOf(pass, begin, end, 4);
    else
        offsetsOf(pass, begin, end, 8);
}

// (b - a) x (c - a) = u x v = (u v' - u' v)', with ' turning (x, y, z) to (y, z, x).
static void areas(const snCarryPass *pass, int begin, int end)
{
    const int *corner = pass->carry->triangle + 3 * (size_t)begin;
    const snVec3f *points = pass->points;
    float *out = pass->areas;
    for (int t = begin; t < end; t++, corner += 3) {
        F4 a = load3(&points[corner[0]]);
        F4 u = load3(&points[corner[1]]) - a, v = load3(&points[corner[2]]) - a;
        F4 turned = u * __builtin_shufflevector(v, v, 1, 2, 0, 3) -
                    __builtin_shufflevector(u, u, 1, 2, 0, 3) * v;
        F4 area = __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
        memcpy(out + 4 * (size_t)t, &area, sizeof area);
    }
}

static inline F4 fanSum(const float *list, const int *fan, int begin, int end)
{
    F4 sum = {0};
    for (int k = begin; k < end; k++) {
        F4 area;
        memcpy(&area, list + 4 * (size_t)fan[k], sizeof area);
        sum += area;
    }
    return sum;
}

// Eight points at a time: their roots and divisions are what takes time. In double precision, where
// the squares of the smallest floats are not zero yet.
static void normals(const snCarryPass *pass, int begin, int end)
{
    const int *start = pass->carry->fanStart, *fan = pass->carry->fan;
    const float *list = pass->areas;
    snVec3f *out = pass->normals;
    for (int p = begin; p < end; p += 8) {
        int count = end - p < 8 ? end - p : 8;
        F4 sum[8] = {{0}};
        double square[8], scale[8];
        for (int k = 0; k < count; k++)
            sum[k] = fanSum(list, fan, start[p + k], start[p + k + 1]);
        for (int k = 0; k < 8; k++)
            square[k] = (double)sum[k][0] * (double)sum[k][0] +
                        (double)sum[k][1] * (double)sum[k][1] +
                        (double)sum[k][2] * (double)sum[k][2];
        for (int k = 0; k < 8; k++)
            scale[k] = 1.0 / sqrt(square[k]);
        for (int k = 0; k < count; k++) {
            bool good = square[k] > 0 && square[k] <= 1e300;
            snDouble4 unit = scale[k] * __builtin_convertvector(sum[k], snDouble4);
            store3(&out[p + k], good ? __builtin_convertvector(unit, F4) : (F4){0});
        }
    }
}

extern const snCarryKernels SN_VARIANT(snCarryKernels);
const snCarryKernels SN_VARIANT(snCarryKernels) = {
    .offsets = offsets,
    .areas = areas,
    .normals = normals,
};
