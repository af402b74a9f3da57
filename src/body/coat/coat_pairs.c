#include "body/coat/coat_parts.h"

#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

// Which elements may touch: pairs whose boxes overlap (contact/pairs.h), and whose hulls are as near as they are thick.

#define MOST_PAIRS 32 // of an element with others, in the mean

// Elements of two bodies that meet, or of two links of one that bumps into itself.
static bool mayMeet(const void *context, int i, int k)
{
    const snCoatGroup *g = context;
    const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    if (a != b) return a->def.meets && b->def.meets;
    return a->def.self && a->linkOf[a->coating->elements[g->elementOf[i]].joint] !=
                              a->linkOf[a->coating->elements[g->elementOf[k]].joint];
}

snStatus snCoatGroup_ReservePairs(snCoatGroup *g, snError *error)
{
    int most = MOST_PAIRS * g->elementCount;
    snBox *boxes = SN_NEW(&g->arena, snBox, g->elementCount);
    g->pairs = SN_NEW(&g->arena, snCoatPair, most);
    g->near = SN_NEW(&g->arena, unsigned char, most);
    g->pairQueue.items = SN_NEW(&g->arena, int, most);
    g->pairQueue.node = SN_NEW(&g->arena, int, most);
    if (!boxes || !g->pairs || !g->near || !g->pairQueue.items || !g->pairQueue.node)
        return snFailMemory(error);
    for (int i = 0; i < g->elementCount; i++)
        boxes[i] = g->bodies[g->elementBody[i]]->boxes[g->elementOf[i]];
    return snPairs_Make(&g->beside, g->elementCount, boxes, most, mayMeet, g, &g->arena, error);
}

// The nearest points of the segments p + s d and q + t e, 0 ≤ s, t ≤ 1: their distance, squared (Ericson, "Real-Time Collision
// Detection", 2005, 5.1.9).
static double squaredBetween(snVec3 p, snVec3 d, snVec3 q, snVec3 e)
{
    snVec3 r = snSub(p, q);
    double a = snDot(d, d), b = snDot(d, e), c = snDot(d, r), f = snDot(e, r), g = snDot(e, e);
    double det = a * g - b * b, s = 0, t = 0;
    if (det > 1e-12 * a * g) s = fmin(1, fmax(0, (b * f - c * g) / det));
    if (g > 0) t = (b * s + f) / g;
    if (t < 0 || t > 1) {
        t = fmin(1, fmax(0, t));
        if (a > 0) s = fmin(1, fmax(0, (b * t - c) / a));
    }
    return snLengthSquared(snAdd(r, snSub(snScale(s, d), snScale(t, e))));
}

// Every point of an element is within the hull's radius of a piece of its axis.
static bool areNear(const snCoatHull *a, const snCoatHull *b)
{
    double square =
        squaredBetween(snMulAdd(a->origin, a->low, a->axis), snScale(a->high - a->low, a->axis),
                       snMulAdd(b->origin, b->low, b->axis), snScale(b->high - b->low, b->axis));
    double sum = a->radius + b->radius;
    return square <= sum * sum * (1 + 1e-9);
}

static void lookSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int p = begin; p < end; p++) {
        int i = g->beside.list[p].one, k = g->beside.list[p].other;
        const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
        g->near[p] = !(a->rest.island && b->rest.island) && !a->skipped && !b->skipped &&
                     snBoxOverlap(g->beside.boxes[i], g->beside.boxes[k]) &&
                     areNear(&a->hulls[g->elementOf[i]], &b->hulls[g->elementOf[k]]);
    }
}

void snCoatGroup_Pairs(snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++)
        memset(g->bodies[b]->paired, 0, (size_t)g->bodies[b]->coating->elementCount);
    for (int i = 0; i < g->elementCount; i++)
        g->beside.boxes[i] = g->bodies[g->elementBody[i]]->boxes[g->elementOf[i]];
    if (!snPairs_Find(&g->beside)) g->dropped++;
    snParallelFor(&g->tasks, g->beside.count, 256, lookSome, g);
    g->pairCount = 0;
    for (int p = 0; p < g->beside.count; p++) {
        int i = g->beside.list[p].one, k = g->beside.list[p].other;
        if (!g->near[p]) continue;
        g->bodies[g->elementBody[i]]->paired[g->elementOf[i]] = 1;
        g->bodies[g->elementBody[k]]->paired[g->elementOf[k]] = 1;
        g->pairs[g->pairCount++] = (snCoatPair){.one = i, .other = k};
    }
}
