#include "body/coat/element.h"

#include "core/error.h"

#include <string.h>

// The envelope's corners are p_i = foot_i + l_i axis_i.
//
// Volume. V = Σ det(a, b, c) / 6 over triangles: linear in every corner, so linear in every length by itself, and
// of degree three along any line of lengths. With Σ over the triangles (i, b, c) round corner i
//     ∂V/∂l_i = axis_i · Σ b × c / 6.
// The corners k = 0, 1 ... round i are f_k + l_k a_k, so this is a polynomial of their lengths whose coefficients last:
//     ∂V/∂l_i = A + Σ l_k (B_k + C_k l_{k+1}),
//     6A = axis_i · Σ f_k × f_{k+1},   6B_k = axis_i · (a_k × f_{k+1} + f_{k-1} × a_k),   6C_k = axis_i · a_k × a_{k+1}.
//
// Area. A = Σ |n| / 2, n = (b - a) × (c - a). Moving a by da changes n by da × (b - c), so
//     ∂A/∂l_a = axis_a · Σ (b - c) × n / (2 |n|).
// A triangle without area has no such derivative; it adds nothing.

typedef struct Corners {
    const int *index;
    snVec3 p[3];
} Corners;

static inline Corners cornersOf(const snElement *e, const double *length, snTriangleList list,
                                int k)
{
    int triangle = list.triangles ? list.triangles[k] : k;
    Corners c = {.index = e->triangles + 3 * (size_t)triangle};
    for (int i = 0; i < 3; i++)
        c.p[i] = snElement_Sample(e, length, c.index[i]);
    return c;
}

static snVec3 areaVector(const Corners *c)
{
    return snTwiceArea(c->p[0], c->p[1], c->p[2]);
}

double snElement_VolumeOf(const snElement *e, const double *length, snTriangleList list)
{
    double sum = 0;
    for (int t = 0; t < list.count; t++) {
        Corners c = cornersOf(e, length, list, t);
        sum += snDot(c.p[0], snCross(c.p[1], c.p[2]));
    }
    return sum / 6;
}

double snElement_AreaOf(const snElement *e, const double *length, snTriangleList list)
{
    double sum = 0;
    for (int t = 0; t < list.count; t++) {
        Corners c = cornersOf(e, length, list, t);
        sum += snLength(areaVector(&c));
    }
    return sum / 2;
}

void snElement_AddVolumeGradient(const snElement *e, const double *length, snTriangleList list,
                                 double *gradient)
{
    for (int t = 0; t < list.count; t++) {
        Corners c = cornersOf(e, length, list, t);
        for (int k = 0; k < 3; k++) {
            int i = c.index[k];
            snVec3 normal = snCross(c.p[(k + 1) % 3], c.p[(k + 2) % 3]);
            gradient[i] += snDot(e->axis[i], normal) / 6;
        }
    }
}

void snElement_AddAreaGradient(const snElement *e, const double *length, snTriangleList list,
                               double *gradient)
{
    for (int t = 0; t < list.count; t++) {
        Corners c = cornersOf(e, length, list, t);
        snVec3 n = snNormalizeOr(areaVector(&c), snVec(0, 0, 0));
        for (int k = 0; k < 3; k++) {
            int i = c.index[k];
            snVec3 edge = snSub(c.p[(k + 1) % 3], c.p[(k + 2) % 3]);
            gradient[i] += snDot(e->axis[i], snCross(edge, n)) / 2;
        }
    }
}

double snElement_VolumeBy(const snElement *e, const double *length, int i)
{
    const int *ring = e->ring + e->ringStart[i];
    const double *by = e->slopeRing + 2 * (size_t)e->ringStart[i];
    int last = e->ringStart[i + 1] - e->ringStart[i] - 1;
    double sum = e->slope[i];
    for (int k = 0; k < last; k++)
        sum += length[ring[k]] * (by[2 * k] + by[2 * k + 1] * length[ring[k + 1]]);
    return sum + length[ring[last]] * (by[2 * last] + by[2 * last + 1] * length[ring[0]]);
}

static void setSlope(snElement *e, int i)
{
    const int *ring = e->ring + e->ringStart[i];
    double *by = e->slopeRing + 2 * (size_t)e->ringStart[i];
    int count = e->ringStart[i + 1] - e->ringStart[i];
    snVec3 axis = snScale(1.0 / 6, e->axis[i]);
    e->slope[i] = 0;
    for (int k = 0; k < count; k++) {
        int before = ring[(k + count - 1) % count], here = ring[k], next = ring[(k + 1) % count];
        snVec3 turn =
            snAdd(snCross(e->axis[here], e->foot[next]), snCross(e->foot[before], e->axis[here]));
        e->slope[i] += snDot(axis, snCross(e->foot[here], e->foot[next]));
        by[2 * k] = snDot(axis, turn);
        by[2 * k + 1] = snDot(axis, snCross(e->axis[here], e->axis[next]));
    }
}

snStatus snElement_SetSlopes(snElement *e, snArena *arena, snError *error)
{
    e->slope = SN_NEW(arena, double, e->count);
    e->slopeRing = SN_NEW(arena, double, 2 * (size_t)e->ringStart[e->count]);
    e->dets = SN_NEW(arena, double, 4 * (size_t)e->triangleCount);
    if (!e->slope || !e->slopeRing || !e->dets) return snFailMemory(error);
    for (int i = 0; i < e->count; i++)
        setSlope(e, i);
    for (int t = 0; t < e->triangleCount; t++) {
        const int *c = e->triangles + 3 * (size_t)t;
        double *det = e->dets + 4 * (size_t)t;
        for (int k = 0; k < 3; k++) {
            snVec3 turn = snCross(e->axis[c[(k + 1) % 3]], e->axis[c[(k + 2) % 3]]);
            det[k] = snDot(e->foot[c[k]], turn) / 6;
            det[3] = snDot(e->axis[c[k]], turn) / 6;
        }
    }
    return SN_OK;
}

// ---- all of it --------------------------------------------------------------------------------------

double snElement_Volume(const snElement *e, const double *length)
{
    return snElement_VolumeOf(e, length, (snTriangleList){e->triangleCount, NULL});
}

double snElement_Area(const snElement *e, const double *length)
{
    return snElement_AreaOf(e, length, (snTriangleList){e->triangleCount, NULL});
}

void snElement_VolumeGradient(const snElement *e, const double *length, double *gradient)
{
    memset(gradient, 0, (size_t)e->count * sizeof *gradient);
    snElement_AddVolumeGradient(e, length, (snTriangleList){e->triangleCount, NULL}, gradient);
}

void snElement_AreaGradient(const snElement *e, const double *length, double *gradient)
{
    memset(gradient, 0, (size_t)e->count * sizeof *gradient);
    snElement_AddAreaGradient(e, length, (snTriangleList){e->triangleCount, NULL}, gradient);
}
