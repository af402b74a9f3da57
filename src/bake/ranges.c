#include "bake/ranges.h"

#include "core/error.h"

#include <string.h>

snStatus snWeightRanges_Make(snWeightRanges *r, int count, snArena *arena, snError *error)
{
    *r = (snWeightRanges){
        .count = count, .lows = SN_NEW(arena, float, count), .scales = SN_NEW(arena, float, count)};
    return r->lows && r->scales ? SN_OK : snFailMemory(error);
}

void snWeightRanges_Widen(snWeightRanges *r, const float *weights)
{
    for (int k = 0; k < r->count; k++) {
        r->lows[k] = fminf(r->lows[k], weights[k]);
        r->scales[k] = fmaxf(r->scales[k], weights[k]);
    }
}

void snWeightRanges_Close(snWeightRanges *r, bool single)
{
    for (int k = 0; k < r->count; k++) {
        float low = r->lows[k], high = r->scales[k];
        r->lifted |= low < 0 && !single;
        if (single) {
            r->scales[k] = fmaxf(high, -low);
            r->lows[k] = 0;
        } else {
            r->scales[k] = high - low;
        }
        if (!(r->scales[k] > 0)) r->scales[k] = 1;
    }
}

int snWeightRanges_Targets(const snWeightRanges *r)
{
    return r->count + r->lifted;
}

void snWeightRanges_Share(const snWeightRanges *r, const float *weights, float *out)
{
    for (int k = 0; k < r->count; k++)
        out[k] = (weights[k] - r->lows[k]) / r->scales[k];
    if (r->lifted) out[r->count] = 1;
}

// The sum of all components with their lowest weights.
static void sumLows(const snWeightRanges *r, const float *planes, size_t n, snVec3f *out)
{
    for (size_t k = 0; k < (size_t)r->count; k++) {
        const float *plane = planes + k * 3 * n;
        for (size_t v = 0; v < n; v++) {
            out[v].x += r->lows[k] * plane[v];
            out[v].y += r->lows[k] * plane[n + v];
            out[v].z += r->lows[k] * plane[2 * n + v];
        }
    }
}

static void joinPlanes(const snWeightRanges *r, float *planes, size_t n, float *copy)
{
    for (size_t k = 0; k < (size_t)r->count; k++) {
        float *plane = planes + k * 3 * n, scale = r->scales[k];
        memcpy(copy, plane, 3 * n * sizeof *copy);
        for (size_t v = 0; v < n; v++)
            for (size_t a = 0; a < 3; a++)
                plane[3 * v + a] = 0.0f + scale * copy[a * n + v]; // no -0
    }
}

snStatus snWeightRanges_Join(const snWeightRanges *r, float *planes, int vertices,
                             const snVec3f **lift, snArena *arena, snError *error)
{
    size_t n = (size_t)vertices;
    snVec3f *sum = NULL;
    *lift = NULL;
    if (r->lifted && !(sum = SN_NEW(arena, snVec3f, n))) return snFailMemory(error);
    if (r->lifted) sumLows(r, planes, n, sum);
    snArenaMark mark = snArena_Mark(arena);
    float *copy = SN_NEW(arena, float, 3 * n);
    if (!copy) return snFailMemory(error);
    joinPlanes(r, planes, n, copy);
    snArena_Rewind(arena, mark);
    *lift = sum;
    return SN_OK;
}
