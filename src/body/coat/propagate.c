#include "body/coat/propagate.h"

#include "core/elementary.h"

#include <string.h>

// Geometric modes. Let F be the volume or the area of the envelope as a function of the lengths, and F₀ what it is to
// be. The cylinders of the zone go along one line of lengths, l_i + s d_i, kept within their limits, and the s nearest to
// 0 with F = F₀ is found. The line is the one that costs the least work: of all small changes δ with g·δ = F₀ - F,
// g = ∂F/∂l, Σ k_i δ_i² / 2w_i is least for δ_i ∝ w_i g_i / k_i, k_i the stiffness of cylinders and w_i how much a
// cylinder belongs to the zone (its direction). Volume grows with every length of a star, so the one root lies where
// g says; area need not: both ways are searched.
//
// Along the line F is continuous (lengths stop at limits), with a kink where one stops. A bracket is sought by growing
// steps, then narrowed by Newton's steps with the exact gradient of the cylinders that still move, halved where they leave it.
// When all have stopped and there is no root, no such shape exists in this zone.
//
// Volume by itself is a polynomial along the line until a length stops, for every corner goes straight:
//     V(s) - V₀ = g_p by + s Σ g_i d_i + s² c₂ + s³ c₃,
//     6 c₂ = Σ det(a, db, dc) + det(da, b, dc) + det(da, db, c),   6 c₃ = Σ det(da, db, dc),
// with da = d_a axis_a and sums over triangles that have two corners in the zone, or three: polynomials of lengths and ways, with
// determinants that last (det(a, db, dc) = d_b d_c (det(foot_a, axis_b, axis_c) + l_a det(axes))). The push itself brings g_p by, for volume
// is linear in each length. So four or five gradients tell all of it, and triangles are not summed again and again. Where a length
// would stop the search above is done.

#define GROWTH 1.6
#define MOST_GROWTHS 24
#define MOST_STEPS 80
#define CLOSE 1e-10 // of F₀

snPropagation snDefaultPropagation(void)
{
    return (snPropagation){.mode = SN_PROPAGATE_GEOMETRIC, .share = -0.5};
}

snPush snMakePush(int cylinder, double length)
{
    return (snPush){.cylinder = cylinder, .length = length, .volume = -1, .area = -1};
}

// Only triangles about the zone change, and only they are summed.
typedef double Measure(const snElement *element, const double *length, snTriangleList list);
typedef void Gradient(const snElement *element, const double *length, snTriangleList list,
                      double *gradient);

typedef struct Search {
    const snElement *element;
    const int *zone;
    int zoneCount;
    snTriangleList near;
    Measure *measure;
    Gradient *gradient;
    double wanted;      // F₀ of these triangles
    double close;       // how near to it is near enough
    const double *from; // [count], lengths at s = 0
    double *at;         // [count], lengths at the s asked for
    double *way;        // [count], d; 0 outside of the zone
    double *slope;      // [count], scratch
} Search;

// F - F₀ at s. *stopped: all of the zone are at their limits.
static double offAt(Search *q, double s, bool *stopped)
{
    const snElement *e = q->element;
    *stopped = true;
    for (int k = 0; k < q->zoneCount; k++) {
        int i = q->zone[k];
        double to = q->from[i] + s * q->way[i];
        q->at[i] = snClamp(to, e->shortest[i], e->longest[i]);
        if (q->way[i] != 0 && q->at[i] == to) *stopped = false;
    }
    return q->measure(e, q->at, q->near) - q->wanted;
}

static void findSlope(Search *q, const double *length)
{
    for (int k = 0; k < q->near.count; k++)
        for (int c = 0; c < 3; c++)
            q->slope[q->element->triangles[3 * q->near.triangles[k] + c]] = 0;
    q->gradient(q->element, length, q->near, q->slope);
}

// Its derivative where the last offAt was.
static double slopeAt(Search *q, double s)
{
    double sum = 0;
    findSlope(q, q->at);
    for (int k = 0; k < q->zoneCount; k++) {
        int i = q->zone[k];
        if (q->at[i] == q->from[i] + s * q->way[i]) sum += q->slope[i] * q->way[i];
    }
    return sum;
}

// The root between two values of s at which F - F₀ differs in sign.
static double narrow(Search *q, double low, double high, double offLow)
{
    double s = (low + high) / 2;
    bool stopped;
    for (int n = 0; n < MOST_STEPS; n++) {
        double off = offAt(q, s, &stopped);
        if (fabs(off) <= q->close) break;
        if ((off > 0) == (offLow > 0))
            low = s;
        else
            high = s;
        double slope = slopeAt(q, s), next = slope != 0 ? s - off / slope : low;
        double least = low < high ? low : high, most = low < high ? high : low;
        s = next > least && next < most ? next : (low + high) / 2;
    }
    return s;
}

// Walks from 0 by growing steps of the sign of `step` until F - F₀ changes sign.
static bool walk(Search *q, double off, double step, double *root)
{
    double before = 0, s = step;
    bool stopped = false;
    for (int n = 0; n < MOST_GROWTHS && !stopped; n++) {
        double here = offAt(q, s, &stopped);
        if ((here > 0) != (off > 0) || here == 0) {
            *root = narrow(q, before, s, off);
            return true;
        }
        before = s;
        s *= GROWTH;
    }
    return false;
}

// Newton's method from 0, which small pushes need no more than: false where limits are met or it does not end at once.
static bool followSlope(Search *q, double off, double slope)
{
    double s = 0, first = -off / slope;
    bool turns = q->measure != snElement_VolumeOf;
    for (int n = 0; n < 4 && !turns && slope > 0; n++) {
        bool stopped, free = true;
        s -= off / slope;
        if (fabs(s) > 2 * fabs(first)) return false;
        off = offAt(q, s, &stopped);
        for (int k = 0; k < q->zoneCount; k++)
            free = free && q->at[q->zone[k]] == q->from[q->zone[k]] + s * q->way[q->zone[k]];
        if (!free) return false;
        if (fabs(off) <= q->close) return true;
        slope = slopeAt(q, s);
    }
    return false;
}

// Lengths of the zone that keep F, in q->at; false: there are none.
static bool solve(Search *q, const double *weight)
{
    const snElement *e = q->element;
    bool stopped;
    double slope = 0, root = 0, other;
    memcpy(q->at, q->from, (size_t)e->count * sizeof *q->at);
    findSlope(q, q->from);
    for (int k = 0; k < q->zoneCount; k++) {
        int i = q->zone[k];
        q->way[i] = weight[i] * q->slope[i] / e->spring[i].stiffness;
        slope += q->way[i] * q->slope[i];
    }
    double off = offAt(q, 0, &stopped);
    if (fabs(off) <= q->close) return true;
    if (!(slope > 0)) return false;
    if (followSlope(q, off, slope)) return true;
    double step = -off / slope / 2;
    bool found = walk(q, off, step, &root), turns = q->measure != snElement_VolumeOf;
    if (turns && walk(q, off, -step / 4, &other) && (!found || fabs(other) < fabs(root))) {
        found = true;
        root = other;
    }
    offAt(q, found ? root : 0, &stopped);
    return found;
}

// ---- volume alone --------------------------------------------------------------------------------------

typedef struct Cubic {
    double c0, c1, c2, c3;
} Cubic;

static void addInner(const snElement *e, int p, const double *length, const double *way, Cubic *f)
{
    for (int n = e->innerStart[p]; n < e->innerStart[p + 1]; n++) {
        const int *c = e->triangles + 3 * (size_t)e->inner[n];
        const double *det = e->dets + 4 * (size_t)e->inner[n];
        double u = way[c[0]], v = way[c[1]], w = way[c[2]];
        f->c2 += v * w * (det[0] + length[c[0]] * det[3]) +
                 w * u * (det[1] + length[c[1]] * det[3]) +
                 u * v * (det[2] + length[c[2]] * det[3]);
        f->c3 += u * v * w * det[3];
    }
}

// The root that Newton's steps from 0 lead to; false where that is not soon and not near.
static bool rootOf(const Cubic *f, double close, double *root)
{
    double s = 0, off = f->c0, first = f->c0 / f->c1;
    for (int n = 0; n < 6; n++) {
        if (fabs(off) <= close) {
            *root = s;
            return true;
        }
        double slope = f->c1 + s * (2 * f->c2 + 3 * s * f->c3);
        if (!(slope > 0)) return false;
        s -= off / slope;
        if (fabs(s) > 2 * fabs(first)) return false;
        off = f->c0 + s * (f->c1 + s * (f->c2 + s * f->c3));
    }
    return false;
}

// The cylinder p was moved `by` already. Where the zone goes to no limit it follows, and that is all; false: it is to be searched.
static bool keepVolume(const snElement *e, int p, double by, const double *weight, double *length,
                       double *way)
{
    const int *zone = e->zone + e->zoneStart[p];
    int count = e->zoneStart[p + 1] - e->zoneStart[p];
    Cubic f = {.c0 = by * snElement_VolumeBy(e, length, p)};
    double root;
    for (int n = 3 * e->innerStart[p]; n < 3 * e->innerStart[p + 1]; n++)
        way[e->triangles[3 * e->inner[n / 3] + n % 3]] = 0;
    for (int k = 0; k < count; k++) {
        int i = zone[k];
        way[i] = 0;
        if (!(weight[i] > 0)) continue;
        double slope = snElement_VolumeBy(e, length, i);
        way[i] = weight[i] * slope / e->spring[i].stiffness;
        f.c1 += way[i] * slope;
    }
    addInner(e, p, length, way, &f);
    // Slopes of cylinders at their limits count only where they can go; the search tells.
    if (!(f.c1 > 0) || !rootOf(&f, CLOSE * e->volume, &root)) return false;
    for (int k = 0; k < count; k++) {
        int i = zone[k];
        double to = length[i] + root * way[i];
        if (way[i] != 0 && (to < e->shortest[i] || to > e->longest[i])) return false;
    }
    for (int k = 0; k < count; k++)
        length[zone[k]] += root * way[zone[k]];
    return true;
}

// ---- zones ----------------------------------------------------------------------------------------

// How much each cylinder of the zone takes part. With t the part of the force along the surface and e the way to the neighbour
// along it: 1 + direction |t|/|f| (cos(t, e) - 1) / 1, so that at direction 1 and a force along the surface what lies across
// takes no part and what lies ahead does whole.
static void weigh(const snElement *e, const snPropagation *how, const snPush *push,
                  const double *length, const unsigned char *moved, double *weight)
{
    int p = push->cylinder;
    snVec3 axis = e->axis[p], here = snElement_Sample(e, length, p);
    snVec3 along = snMulAdd(push->force, -snDot(push->force, axis), axis);
    double force = snLength(push->force), tilt = force > 0 ? snLength(along) / force : 0;
    for (int k = e->zoneStart[p]; k < e->zoneStart[p + 1]; k++) {
        int i = e->zone[k];
        weight[i] = moved && moved[i] ? 0 : 1;
        if (weight[i] == 0 || how->direction * tilt == 0) continue;
        snVec3 way = snSub(snElement_Sample(e, length, i), here);
        way = snNormalizeOr(snMulAdd(way, -snDot(way, axis), axis), snVec(0, 0, 0));
        double ahead = tilt > 0 ? snDot(way, along) / (tilt * force) : 1;
        double w = 1 + how->direction * tilt * (ahead - 1);
        weight[i] = w > 0 ? w : 0;
    }
}

// ---- modes ----------------------------------------------------------------------------------------

// The force that was used to move the cylinder, k_P (l' - l), goes times `share` to the zone by weights, and each deforms as its
// own stiffness lets it.
static void shareForce(const snElement *e, const snPropagation *how, int p, double by,
                       const double *weight, double *length)
{
    double sum = 0, force = how->share * e->spring[p].stiffness * by;
    for (int k = e->zoneStart[p]; k < e->zoneStart[p + 1]; k++)
        sum += weight[e->zone[k]];
    if (!(sum > 0)) return;
    for (int k = e->zoneStart[p]; k < e->zoneStart[p + 1]; k++) {
        int i = e->zone[k];
        double to = length[i] + force * weight[i] / sum / e->spring[i].stiffness;
        length[i] = snClamp(to, e->shortest[i], e->longest[i]);
    }
}

// What there is of the envelope's F about a push, before it and as it is to be afterwards.
typedef struct Kept {
    double volume, area;
} Kept;

static double wantedOf(const snElement *e, const double *length, snTriangleList near, double whole,
                       Measure *measure)
{
    double here = measure(e, length, near);
    if (whole < 0) return here;
    return whole - (measure(e, length, (snTriangleList){e->triangleCount, NULL}) - here);
}

static void keepShape(const snElement *e, const snPropagation *how, int p, const Kept *kept,
                      double *length, const double *weight, double *scratch, snPropagated *out)
{
    size_t n = (size_t)e->count;
    double *byVolume = scratch, *byArea = scratch + n;
    Search q = {.element = e,
                .zone = e->zone + e->zoneStart[p],
                .zoneCount = e->zoneStart[p + 1] - e->zoneStart[p],
                .near = {e->nearStart[p + 1] - e->nearStart[p], e->near + e->nearStart[p]},
                .from = length,
                .way = scratch + 2 * n,
                .slope = scratch + 3 * n};
    memcpy(byVolume, length, n * sizeof *length);
    memcpy(byArea, length, n * sizeof *length);
    if (how->area < 1) {
        q.measure = snElement_VolumeOf, q.gradient = snElement_AddVolumeGradient;
        q.wanted = kept->volume, q.close = CLOSE * e->volume, q.at = byVolume;
        out->volumeKept = solve(&q, weight);
    }
    if (how->area > 0) {
        q.measure = snElement_AreaOf, q.gradient = snElement_AddAreaGradient;
        q.wanted = kept->area, q.close = CLOSE * e->area, q.at = byArea;
        out->areaKept = solve(&q, weight);
    }
    for (int k = 0; k < q.zoneCount; k++) {
        int i = q.zone[k];
        length[i] = (1 - how->area) * byVolume[i] + how->area * byArea[i];
    }
}

static bool allMoved(const snElement *e, int p, const unsigned char *moved)
{
    for (int k = e->zoneStart[p]; k < e->zoneStart[p + 1]; k++)
        if (!moved[e->zone[k]]) return false;
    return true;
}

static void markZone(const snElement *e, int p, const double *weight, unsigned char *moved)
{
    if (!moved) return;
    moved[p] = 1;
    for (int k = e->zoneStart[p]; k < e->zoneStart[p + 1]; k++)
        if (weight[e->zone[k]] > 0) moved[e->zone[k]] = 1;
}

snPropagated snPropagate(const snElement *e, const snPropagation *how, const snPush *push,
                         double *length, unsigned char *moved, double *scratch)
{
    int p = push->cylinder;
    double *weight = scratch + 5 * (size_t)e->count;
    double from = length[p], to = snClamp(push->length, e->shortest[p], e->longest[p]);
    double by = to - from;
    snTriangleList near = {e->nearStart[p + 1] - e->nearStart[p], e->near + e->nearStart[p]};
    bool geometric = how->mode == SN_PROPAGATE_GEOMETRIC;
    snPropagated out = {0};
    Kept kept = {0, 0};
    if (moved && geometric && allMoved(e, p, moved)) { // no zone is left to follow
        out.volumeKept = out.areaKept = by == 0;
        length[p] = to;
        moved[p] = 1;
        return out;
    }
    length[p] = to;
    weigh(e, how, push, length, moved, weight);
    if (geometric && how->area == 0 && push->volume < 0 &&
        keepVolume(e, p, by, weight, length, scratch)) {
        out.volumeKept = true;
        markZone(e, p, weight, moved);
        return out;
    }
    length[p] = from;
    if (geometric && how->area < 1)
        kept.volume = wantedOf(e, length, near, push->volume, snElement_VolumeOf);
    if (geometric && how->area > 0)
        kept.area = wantedOf(e, length, near, push->area, snElement_AreaOf);
    length[p] = to;
    if (how->mode == SN_PROPAGATE_INTUITIVE) shareForce(e, how, p, by, weight, length);
    if (geometric) keepShape(e, how, p, &kept, length, weight, scratch, &out);
    if (moved && how->mode == SN_PROPAGATE_NOTHING) moved[p] = 1;
    if (how->mode != SN_PROPAGATE_NOTHING) markZone(e, p, weight, moved);
    return out;
}
