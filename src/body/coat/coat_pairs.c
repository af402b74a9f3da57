#include "body/coat/coat_parts.h"

#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

// Which elements may touch: pairs whose boxes overlap, and whose hulls are as near as they are thick.
//
// The tree is asked for boxes that are wider than needed, and its pairs serve until an element has left its wide box; mostly many steps,
// and while things fall for the parts of one. Pairs stand in the order of their elements' numbers: what is found does not depend
// on when the tree was asked.

#define MARGIN 0.25   // of the mean extent of elements
#define MOST_PAIRS 32 // of an element with others, in the mean

snStatus snCoatGroup_ReservePairs(snCoatGroup *g, snError *error)
{
    g->mostPairs = MOST_PAIRS * g->elementCount;
    g->boxes = SN_NEW(&g->arena, snBox, g->elementCount);
    g->wide = SN_NEW(&g->arena, snBox, g->elementCount);
    g->pairs = SN_NEW(&g->arena, snCoatPair, g->mostPairs);
    g->beside = SN_NEW(&g->arena, snCoatBeside, g->mostPairs);
    g->near = SN_NEW(&g->arena, unsigned char, g->mostPairs);
    g->pairQueue.items = SN_NEW(&g->arena, int, g->mostPairs);
    g->pairQueue.node = SN_NEW(&g->arena, int, g->mostPairs);
    if (!g->near || !g->pairQueue.items || !g->pairQueue.node) return snFailMemory(error);
    if (!g->boxes || !g->wide || !g->pairs || !g->beside) return snFailMemory(error);
    for (int i = 0; i < g->elementCount; i++) {
        g->boxes[i] = g->bodies[g->elementBody[i]]->boxes[g->elementOf[i]];
        g->wide[i] = snEmptyBox();
        g->margin += MARGIN * snDistance(g->boxes[i].lower, g->boxes[i].upper) / g->elementCount;
    }
    return snTree_Build(&g->tree, g->elementCount, g->boxes, &g->arena, error);
}

// Elements of two bodies that meet, or of two links of one that bumps into itself.
static bool mayMeet(const snCoatGroup *g, int i, int k)
{
    const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    if (a != b) return a->def.meets && b->def.meets;
    return a->def.self && a->linkOf[a->coating->elements[g->elementOf[i]].joint] !=
                              a->linkOf[a->coating->elements[g->elementOf[k]].joint];
}

typedef struct Visit {
    snCoatGroup *group;
    int element, first;
    bool full;
} Visit;

// What is found for one element is put in order at once: it is little.
static bool visit(int other, void *context)
{
    Visit *v = context;
    snCoatGroup *g = v->group;
    if (other <= v->element || !mayMeet(g, v->element, other)) return true;
    if (g->besideCount == g->mostPairs) {
        v->full = true;
        return false;
    }
    int at = g->besideCount++;
    for (; at > v->first && g->beside[at - 1].other > other; at--)
        g->beside[at] = g->beside[at - 1];
    g->beside[at] = (snCoatBeside){v->element, other};
    return true;
}

// False: there is no place for all.
static bool askTree(snCoatGroup *g, double margin)
{
    bool full = false;
    snVec3 by = snVec(margin, margin, margin);
    for (int i = 0; i < g->elementCount; i++)
        g->wide[i] = (snBox){snSub(g->boxes[i].lower, by), snAdd(g->boxes[i].upper, by)};
    snTree_Refit(&g->tree, g->wide);
    g->besideCount = 0;
    for (int i = 0; i < g->elementCount && !full; i++) {
        Visit v = {g, i, g->besideCount, false};
        snTree_Overlap(&g->tree, g->wide[i], visit, &v);
        full = v.full;
    }
    return !full;
}

static bool isWithin(snBox box, snBox in)
{
    return box.lower.x >= in.lower.x && box.lower.y >= in.lower.y && box.lower.z >= in.lower.z &&
           box.upper.x <= in.upper.x && box.upper.y <= in.upper.y && box.upper.z <= in.upper.z;
}

static bool allWithin(const snCoatGroup *g)
{
    for (int i = 0; i < g->elementCount; i++)
        if (!isWithin(g->boxes[i], g->wide[i])) return false;
    return true;
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
        int i = g->beside[p].one, k = g->beside[p].other;
        const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
        g->near[p] = !(a->rest.island && b->rest.island) && !a->skipped && !b->skipped &&
                     snBoxOverlap(g->boxes[i], g->boxes[k]) &&
                     areNear(&a->hulls[g->elementOf[i]], &b->hulls[g->elementOf[k]]);
    }
}

void snCoatGroup_Pairs(snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++)
        memset(g->bodies[b]->paired, 0, (size_t)g->bodies[b]->coating->elementCount);
    for (int i = 0; i < g->elementCount; i++)
        g->boxes[i] = g->bodies[g->elementBody[i]]->boxes[g->elementOf[i]];
    if (!allWithin(g) && !askTree(g, g->margin) && !askTree(g, 0)) g->dropped++;
    snParallelFor(&g->tasks, g->besideCount, 256, lookSome, g);
    g->pairCount = 0;
    for (int p = 0; p < g->besideCount; p++) {
        int i = g->beside[p].one, k = g->beside[p].other;
        if (!g->near[p]) continue;
        g->bodies[g->elementBody[i]]->paired[g->elementOf[i]] = 1;
        g->bodies[g->elementBody[k]]->paired[g->elementOf[k]] = 1;
        g->pairs[g->pairCount++] = (snCoatPair){.one = i, .other = k};
    }
}
