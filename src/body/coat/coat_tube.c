#include "body/coat/coating.h"

#include "core/elementary.h"
#include "core/error.h"

// Where control points of links are put.
//
// Columns. A chain's skin needs columns that do not twist: the first link's `side` is turned along the chain by the shortest
// rotations from axis to axis. The section's own axes stand at an angle to it, so that a point of column θ is at the distance
//     r(θ) = ( (cos φ / w)² + (sin φ / d)² )^(-1/2),   φ = θ - tilt
// of the ellipse in its own direction.
//
// Joints. Two links of a chain with axes a and a' meet in the plane through the joint with the normal n ∝ a + a'. A point that
// stands off the axis by r along u lies in a plane parallel to it when it is shifted along the axis by -r (u·n)/(a·n). Rings are shifted so
// at the joint and less and less away from it: flesh that was put on in the middle of a joint's range bends as far to
// either side.

#define MOST_SHIFT 0.45 // of the element's length: rings do not pass each other

static snVec3 startSide(const snCoatPlan *plan, int link, snVec3 axis)
{
    for (int k = link; k >= 0; k = snCoatPlan_Behind(plan, k)) {
        snVec3 side = plan->links[k].side;
        side = snMulAdd(side, -snDot(side, axis), axis);
        if (snLength(side) > 1e-3) return snNormalizeOr(side, snVec(1, 0, 0));
    }
    return snPerpendicular(axis);
}

static void setFrame(snCoatTube *tubes, const snCoatPlan *plan, int k)
{
    snCoatTube *tube = &tubes[k];
    int before = snCoatPlan_Before(plan, k);
    if (before < 0) {
        tube->side = startSide(plan, k, tube->axis);
    } else {
        snQuat turn = snQuatBetween(tubes[before].axis, tube->axis);
        snVec3 side = snRotate(turn, tubes[before].side);
        side = snMulAdd(side, -snDot(side, tube->axis), tube->axis);
        tube->side = snNormalizeOr(side, snPerpendicular(tube->axis));
    }
    tube->third = snCross(tube->axis, tube->side);
    snVec3 wide = plan->links[k].side;
    double x = snDot(wide, tube->side), y = snDot(wide, tube->third);
    tube->tilt = x * x + y * y > 1e-6 * snLengthSquared(wide) ? snAtan2(y, x) : 0;
}

static void setPlanes(snCoatTube *tubes, const snCoatPlan *plan, int k)
{
    int near[2] = {snCoatPlan_Before(plan, k), snCoatPlan_Behind(plan, k)};
    for (int e = 0; e < 2; e++) {
        snVec3 axis = tubes[k].axis, other = near[e] >= 0 ? tubes[near[e]].axis : axis;
        snVec3 normal = snNormalizeOr(snAdd(axis, other), axis);
        tubes[k].planes[e] = snDot(normal, axis) > 0.3 ? normal : axis; // a hairpin is cut straight
    }
}

snStatus snCoatPlan_Tubes(const snCoatPlan *plan, snCoatTube **tubes, snArena *arena,
                          snError *error)
{
    *tubes = SN_NEW(arena, snCoatTube, plan->linkCount);
    if (!*tubes) return snFailMemory(error);
    for (int k = 0; k < plan->linkCount; k++) {
        const snCoatLinkDef *link = &plan->links[k];
        snCoatTube *tube = &(*tubes)[k];
        tube->head = plan->median[link->joint].origin;
        snVec3 way = snSub(plan->median[link->child].origin, tube->head);
        tube->length = snLength(way);
        tube->axis = snScale(1 / tube->length, way);
        setFrame(*tubes, plan, k);
    }
    for (int k = 0; k < plan->linkCount; k++)
        setPlanes(*tubes, plan, k);
    return SN_OK;
}

static double shiftAt(const snCoatTube *tube, const snCoatLinkDef *link, double at, double r,
                      snVec3 out)
{
    double most = MOST_SHIFT * tube->length * (link->to - link->from), sum = 0;
    double weight[2] = {(1 - at) * (1 - at), at * at};
    for (int e = 0; e < 2; e++) {
        double full = -r * snDot(out, tube->planes[e]) / snDot(tube->axis, tube->planes[e]);
        sum += weight[e] * snClamp(full, -most, most);
    }
    return sum;
}

void snCoatTube_Ring(const snCoatTube *tube, const snCoatPlan *plan, int k, double at, snVec3 *ring)
{
    const snCoatLinkDef *link = &plan->links[k];
    double swell = (1 + link->bulge * snSin(SN_PI * snClamp(at, 0, 1))) /
                   snSplineShape_Shrink(&plan->spline, plan->round);
    double w = swell * (link->width[0] + at * (link->width[1] - link->width[0]));
    double d = swell * (link->depth[0] + at * (link->depth[1] - link->depth[0]));
    snVec3 center = snMulAdd(tube->head, at * tube->length, tube->axis);
    for (int c = 0; c < plan->round; c++) {
        double turn = 2 * SN_PI * c / plan->round, sine, cosine, s, t;
        snSinCos(turn, &s, &t);
        snSinCos(turn - tube->tilt, &sine, &cosine);
        double r = 1 / sqrt(cosine * cosine / (w * w) + sine * sine / (d * d));
        snVec3 out = snAdd(snScale(t, tube->side), snScale(s, tube->third));
        double shift = shiftAt(tube, link, at, r, out);
        ring[c] = snAdd(snMulAdd(center, r, out), snScale(shift, tube->axis));
    }
}

static snVec3 meanOf(const snVec3 *points, int count)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = snAdd(sum, points[i]);
    return snScale(1.0 / count, sum);
}

void snCoatTube_Samples(const snCoatTube *tube, const snCoatPlan *plan, int k, snVec3 *samples,
                        snVec3 *feet)
{
    const snCoatLinkDef *link = &plan->links[k];
    int round = plan->round, n = link->along * round;
    double middle = (link->from + link->to) / 2;
    for (int r = 0; r < link->along; r++) {
        double at = link->from + (link->to - link->from) * r / (link->along - 1);
        double foot = middle + link->spread * (at - middle);
        snCoatTube_Ring(tube, plan, k, at, samples + r * round);
        for (int c = 0; c < round; c++)
            feet[r * round + c] = snMulAdd(tube->head, foot * tube->length, tube->axis);
    }
    // Caps: flat towards neighbours, rounded where a chain ends. Their feet stay away from them.
    double stand = fmin(link->spread, 0.6), half = (link->to - link->from) / 2;
    double out[2] = {link->from == 0 ? link->caps[0] : 0, link->to == 1 ? link->caps[1] : 0};
    snVec3 ends[2] = {meanOf(samples, round), meanOf(samples + n - round, round)};
    for (int e = 0; e < 2; e++) {
        double sign = e ? 1 : -1, foot = middle + sign * stand * half;
        samples[n + e] = snMulAdd(ends[e], sign * out[e], tube->axis);
        feet[n + e] = snMulAdd(tube->head, foot * tube->length, tube->axis);
    }
    for (int i = 0; link->lengths && i < n + 2; i++) {
        snVec3 way = snNormalizeOr(snSub(samples[i], feet[i]), tube->axis);
        samples[i] = snMulAdd(feet[i], link->lengths[i], way);
    }
}
