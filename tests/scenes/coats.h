// How deep coated bodies are in each other, and whether their kernels are apart, by another computation than the one that steps
// use: whether a point is in an envelope is told by the solid angle under which it sees it, how deep by the nearest point of all
// triangles, and kernels by their edges and triangles. All of it by brute force.
#ifndef SN_TESTS_SCENES_COATS_H
#define SN_TESTS_SCENES_COATS_H

#include "body/coat/coat_parts.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// Corners and triangles of an element in the world.
typedef struct Envelope {
    int count, triangleCount;
    const int *triangles;
    const double *rest; // [count], of its cylinders
    snVec3 *corners;    // [count]
    snBox box;
} Envelope;

typedef struct Envelopes {
    int count;
    int *body; // [count]
    Envelope *of;
} Envelopes;

// `kernels`: with all cylinders as short as they can be.
static inline Envelope envelopeOf(const snCoatBody *b, int e, bool kernel)
{
    const snCoatElement *ce = &b->coating->elements[e];
    const double *lengths = kernel ? ce->element.shortest : b->flesh[e].length;
    Envelope out = {.count = ce->element.count,
                    .triangleCount = ce->element.triangleCount,
                    .triangles = ce->element.triangles,
                    .rest = ce->element.rest,
                    .corners = malloc((size_t)ce->element.count * sizeof(snVec3)),
                    .box = snEmptyBox()};
    for (int i = 0; i < out.count; i++) {
        out.corners[i] = snMulAP(b->frames[ce->joint], snElement_Sample(&ce->element, lengths, i));
        out.box = snBoxAdd(out.box, out.corners[i]);
    }
    return out;
}

static inline Envelopes makeEnvelopes(const snWorld *world, bool kernels)
{
    Envelopes all = {0};
    for (int b = 0; b < world->bodies.count; b++)
        all.count += ((const snCoatBody *)world->bodies.data[b])->coating->elementCount;
    all.body = malloc((size_t)all.count * sizeof *all.body);
    all.of = malloc((size_t)all.count * sizeof *all.of);
    for (int b = 0, n = 0; b < world->bodies.count; b++) {
        const snCoatBody *body = (const snCoatBody *)world->bodies.data[b];
        for (int e = 0; e < body->coating->elementCount; e++, n++) {
            all.body[n] = b;
            all.of[n] = envelopeOf(body, e, kernels);
        }
    }
    return all;
}

static inline void freeEnvelopes(Envelopes *all)
{
    for (int i = 0; i < all->count; i++)
        free(all->of[i].corners);
    free(all->of), free(all->body);
}

static inline bool boxHas(snBox box, snVec3 x)
{
    return x.x >= box.lower.x && x.y >= box.lower.y && x.z >= box.lower.z && x.x <= box.upper.x &&
           x.y <= box.upper.y && x.z <= box.upper.z;
}

// Van Oosterom and Strackee's solid angle, summed: 4π within, 0 outside.
static inline bool isInside(const Envelope *e, snVec3 x)
{
    double sum = 0;
    if (!boxHas(e->box, x)) return false;
    for (int t = 0; t < e->triangleCount; t++) {
        snVec3 p[3];
        double l[3];
        for (int k = 0; k < 3; k++) {
            p[k] = snSub(e->corners[e->triangles[3 * t + k]], x);
            l[k] = snLength(p[k]);
        }
        double over = snDot(p[0], snCross(p[1], p[2]));
        double under = l[0] * l[1] * l[2] + snDot(p[0], p[1]) * l[2] + snDot(p[1], p[2]) * l[0] +
                       snDot(p[2], p[0]) * l[1];
        sum += 2 * atan2(over, under);
    }
    return fabs(sum) > 6;
}

static inline double distanceToSegment(snVec3 x, snVec3 a, snVec3 b)
{
    snVec3 way = snSub(b, a);
    double squared = snLengthSquared(way);
    double t = squared > 0 ? snDot(snSub(x, a), way) / squared : 0;
    return snDistance(x, snMulAdd(a, t < 0 ? 0 : t > 1 ? 1 : t, way));
}

static inline double distanceToTriangle(snVec3 x, snVec3 a, snVec3 b, snVec3 c)
{
    double least = fmin(distanceToSegment(x, a, b),
                        fmin(distanceToSegment(x, b, c), distanceToSegment(x, c, a)));
    snVec3 n = snCross(snSub(b, a), snSub(c, a));
    double size = snLength(n);
    if (!(size > 0)) return least;
    bool over = snDot(n, snCross(snSub(b, a), snSub(x, a))) >= 0 &&
                snDot(n, snCross(snSub(c, b), snSub(x, b))) >= 0 &&
                snDot(n, snCross(snSub(a, c), snSub(x, c))) >= 0;
    return over ? fmin(least, fabs(snDot(n, snSub(x, a))) / size) : least;
}

static inline double distanceToEnvelope(const Envelope *e, snVec3 x)
{
    double least = INFINITY;
    for (int t = 0; t < e->triangleCount; t++) {
        const int *c = e->triangles + 3 * (size_t)t;
        least = fmin(least,
                     distanceToTriangle(x, e->corners[c[0]], e->corners[c[1]], e->corners[c[2]]));
    }
    return least;
}

typedef struct Sunk {
    double share, depth; // of its cylinder at rest; m
    double rest;         // of that cylinder
} Sunk;

static inline void sinkTo(Sunk *deepest, double depth, double rest)
{
    if (depth <= deepest->share * rest) return;
    *deepest = (Sunk){depth / rest, depth, rest};
}

// The sample that is deepest in another body, or in a collider, as a share of its own cylinder.
static inline Sunk deepestSample(const snWorld *world)
{
    Envelopes all = makeEnvelopes(world, false);
    Sunk deepest = {0};
    for (int i = 0; i < all.count; i++) {
        const Envelope *one = &all.of[i];
        for (int k = 0; k < all.count; k++) {
            if (all.body[i] == all.body[k] || !snBoxOverlap(one->box, all.of[k].box)) continue;
            for (int s = 0; s < one->count; s++)
                if (isInside(&all.of[k], one->corners[s]))
                    sinkTo(&deepest, distanceToEnvelope(&all.of[k], one->corners[s]), one->rest[s]);
        }
        const snCoatBody *body = (const snCoatBody *)world->bodies.data[all.body[i]];
        for (int k = 0; k < body->step.colliderCount; k++)
            for (int s = 0; s < one->count; s++) {
                snTouch touch;
                if (snCollider_Query(&body->step.colliders[k], one->corners[s], 0, &touch))
                    sinkTo(&deepest, -touch.distance, one->rest[s]);
            }
    }
    freeEnvelopes(&all);
    return deepest;
}

static inline bool edgeCuts(snVec3 a, snVec3 b, const snVec3 p[3])
{
    snVec3 way = snSub(b, a);
    double side[2] = {snDot(snCross(snSub(p[1], p[0]), snSub(p[2], p[0])), snSub(a, p[0])),
                      snDot(snCross(snSub(p[1], p[0]), snSub(p[2], p[0])), snSub(b, p[0]))};
    if ((side[0] > 0) == (side[1] > 0)) return false;
    int sign = 0;
    for (int k = 0; k < 3; k++) {
        double v = snDot(way, snCross(snSub(p[k], a), snSub(p[(k + 1) % 3], a)));
        if (k > 0 && (v > 0 ? 1 : -1) != sign) return false;
        sign = v > 0 ? 1 : -1;
    }
    return true;
}

static inline bool edgesCut(const Envelope *a, const Envelope *b)
{
    for (int t = 0; t < a->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            snVec3 from = a->corners[a->triangles[3 * t + k]];
            snVec3 to = a->corners[a->triangles[3 * t + (k + 1) % 3]];
            snBox edge = snBoxAdd(snBoxAdd(snEmptyBox(), from), to);
            if (!snBoxOverlap(edge, b->box)) continue;
            for (int u = 0; u < b->triangleCount; u++) {
                const int *c = b->triangles + 3 * (size_t)u;
                const snVec3 p[3] = {b->corners[c[0]], b->corners[c[1]], b->corners[c[2]]};
                if (edgeCuts(from, to, p)) return true;
            }
        }
    return false;
}

static inline bool overlap(const Envelope *a, const Envelope *b)
{
    if (!snBoxOverlap(a->box, b->box)) return false;
    for (int i = 0; i < a->count; i++)
        if (isInside(b, a->corners[i])) return true;
    for (int i = 0; i < b->count; i++)
        if (isInside(a, b->corners[i])) return true;
    return edgesCut(a, b) || edgesCut(b, a);
}

typedef struct Kernels {
    int pairs;    // of elements of different bodies that were looked at
    int meeting;  // those that overlap
    double least; // room between two within 5 cm: corners of one to the other's triangles, m
} Kernels;

// The kernel of an element is what its cylinders are when they are as short as they can be.
static inline Kernels kernelsOf(const snWorld *world)
{
    Envelopes all = makeEnvelopes(world, true);
    Kernels out = {.least = INFINITY};
    for (int i = 0; i < all.count; i++)
        for (int k = 0; k < i; k++) {
            const Envelope *a = &all.of[i], *b = &all.of[k];
            if (all.body[i] == all.body[k]) continue;
            out.pairs++;
            out.meeting += overlap(a, b);
            snBox wide = {snMulAdd(a->box.lower, -0.05, snVec(1, 1, 1)),
                          snMulAdd(a->box.upper, 0.05, snVec(1, 1, 1))};
            if (!snBoxOverlap(wide, b->box)) continue;
            for (int s = 0; s < a->count; s++)
                out.least = fmin(out.least, distanceToEnvelope(b, a->corners[s]));
            for (int s = 0; s < b->count; s++)
                out.least = fmin(out.least, distanceToEnvelope(a, b->corners[s]));
        }
    freeEnvelopes(&all);
    return out;
}

#endif
