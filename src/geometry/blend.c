#include "geometry/implicit.h"

#include "geometry/primitive.h"

// The smooth minimum of a and b over the width k, twice continuously differentiable:
//     d = |a - b|,  h = max(1 - d/k, 0),   m = min(a, b) - k h³/6.
// For a <= b:  ∂m/∂a = 1 - h²/2,  ∂m/∂b = h²/2,  so that ∇m is a convex combination of the
// gradients: slopes never grow by blending. The first union lowers f by k/6 at most.

#define BOUNDS_DEPTH 7 // bounds are found to 1/128 of their size
#define SHAPE_SLOPE 4.0

double snSmoothMin(double a, double b, double k, double *shareOfB)
{
    double low = a <= b ? a : b, h = k > 0.0 ? 1.0 - fabs(a - b) / k : 0.0;
    if (h <= 0.0) {
        *shareOfB = a <= b ? 0.0 : 1.0;
        return low;
    }
    *shareOfB = a <= b ? 0.5 * h * h : 1.0 - 0.5 * h * h;
    return low - k * h * h * h / 6.0;
}

double snBlend_Value(const snBlend *blend, snVec3 point)
{
    double value = blend->count > 0 ? snShape_Value(&blend->shapes[0], point) : 1e300, share;
    for (int i = 1; i < blend->count; i++)
        value =
            snSmoothMin(value, snShape_Value(&blend->shapes[i], point), blend->blend[i], &share);
    return value;
}

snVec3 snBlend_Gradient(const snBlend *blend, snVec3 point)
{
    if (blend->count <= 0) return snVec(0, 0, 0);
    double value = snShape_Value(&blend->shapes[0], point), share;
    snVec3 gradient = snShape_Gradient(&blend->shapes[0], point);
    for (int i = 1; i < blend->count; i++) {
        value =
            snSmoothMin(value, snShape_Value(&blend->shapes[i], point), blend->blend[i], &share);
        if (share > 0.0)
            gradient = snLerp(gradient, snShape_Gradient(&blend->shapes[i], point), share);
    }
    return gradient;
}

static bool isExact(const snShape *shape)
{
    return shape->kind != SN_SHAPE_SUPERELLIPSOID || (shape->e1 == 1.0 && shape->e2 == 1.0);
}

static double slopeOf(const snBlend *blend)
{
    for (int i = 0; i < blend->count; i++)
        if (!isExact(&blend->shapes[i])) return 0.0;
    return 1.0;
}

static double fieldValue(const void *user, snVec3 point)
{
    return snBlend_Value(user, point);
}

static snVec3 fieldGradient(const void *user, snVec3 point)
{
    return snBlend_Gradient(user, point);
}

snField snBlend_Field(const snBlend *blend)
{
    return (snField){fieldValue, fieldGradient, blend, slopeOf(blend)};
}

// Finds the box of f <= 0 by cutting a box that surely holds it into eighths: those that lie in
// the box found so far, or where f is too large to reach 0, are not cut further.
typedef struct Search {
    const snBlend *blend;
    double slope;
    snBox found;
} Search;

static snBox octant(snBox box, int which)
{
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    if (which & 1)
        box.lower.x = middle.x;
    else
        box.upper.x = middle.x;
    if (which & 2)
        box.lower.y = middle.y;
    else
        box.upper.y = middle.y;
    if (which & 4)
        box.lower.z = middle.z;
    else
        box.upper.z = middle.z;
    return box;
}

static void searchBox(Search *search, snBox box, int depth)
{
    if (snBox_Contains(search->found, box.lower) && snBox_Contains(search->found, box.upper))
        return;
    double reach = 0.5 * snDistance(box.lower, box.upper);
    double value = snBlend_Value(search->blend, snLerp(box.lower, box.upper, 0.5));
    if (value > search->slope * reach) return;
    if (depth == 0) {
        search->found = snBoxUnion(search->found, box);
        return;
    }
    for (int i = 0; i < 8; i++)
        searchBox(search, octant(box, i), depth - 1);
}

snBox snBlend_Bounds(const snBlend *blend)
{
    Search search = {blend, slopeOf(blend) > 0.0 ? 1.0 : SHAPE_SLOPE, snEmptyBox()};
    snBox box = snEmptyBox();
    double lowered = 0.0; // f is at least the least shape's value minus this
    for (int i = 0; i < blend->count; i++) {
        box = snBoxUnion(box, snShape_Bounds(&blend->shapes[i]));
        if (i && blend->blend[i] > 0.0) lowered += blend->blend[i] / 6.0;
    }
    if (blend->count == 0) return box;
    if (lowered == 0.0) return box;
    searchBox(&search, snBox_Grow(box, search.slope * lowered), BOUNDS_DEPTH);
    return search.found.lower.x <= search.found.upper.x ? search.found : box;
}
