#include "contact/pairs.h"

#include "core/error.h"
#include "geometry/primitive.h"

#define MARGIN 0.25 // of the mean extent of boxes

snStatus snPairs_Make(snPairs *pairs, int boxCount, const snBox *boxes, int most,
                      snMayMeetFcn *mayMeet, const void *context, snArena *arena, snError *error)
{
    *pairs = (snPairs){.most = most, .boxCount = boxCount, .mayMeet = mayMeet, .context = context};
    pairs->list = SN_NEW(arena, snPair, most);
    pairs->boxes = SN_COPY(arena, snBox, boxes, boxCount);
    pairs->wide = SN_NEW(arena, snBox, boxCount);
    if (!pairs->list || !pairs->boxes || !pairs->wide) return snFailMemory(error);
    for (int i = 0; i < boxCount; i++) {
        pairs->wide[i] = snEmptyBox();
        double extent = snDistance(boxes[i].lower, boxes[i].upper);
        if (isfinite(extent)) pairs->margin += MARGIN * extent / boxCount;
    }
    return snTree_Build(&pairs->tree, boxCount, pairs->boxes, arena, error);
}

typedef struct Visit {
    snPairs *pairs;
    int one, first;
    bool full;
} Visit;

// What is found for one box is put in order at once: it is little.
static bool visit(int other, void *context)
{
    Visit *v = context;
    snPairs *p = v->pairs;
    if (other <= v->one || !p->mayMeet(p->context, v->one, other)) return true;
    if (p->count == p->most) {
        v->full = true;
        return false;
    }
    int at = p->count++;
    for (; at > v->first && p->list[at - 1].other > other; at--)
        p->list[at] = p->list[at - 1];
    p->list[at] = (snPair){v->one, other};
    return true;
}

// False: there is no place for all.
static bool askTree(snPairs *p, double margin)
{
    bool full = false;
    for (int i = 0; i < p->boxCount; i++)
        p->wide[i] = snBox_Grow(p->boxes[i], margin);
    snTree_Refit(&p->tree, p->wide);
    p->count = 0;
    for (int i = 0; i < p->boxCount && !full; i++) {
        Visit v = {p, i, p->count, false};
        snTree_Overlap(&p->tree, p->wide[i], visit, &v);
        full = v.full;
    }
    return !full;
}

static bool isWithin(snBox box, snBox in)
{
    return box.lower.x >= in.lower.x && box.lower.y >= in.lower.y && box.lower.z >= in.lower.z &&
           box.upper.x <= in.upper.x && box.upper.y <= in.upper.y && box.upper.z <= in.upper.z;
}

bool snPairs_Find(snPairs *p)
{
    bool within = true;
    for (int i = 0; i < p->boxCount && within; i++)
        within = isWithin(p->boxes[i], p->wide[i]);
    return within || askTree(p, p->margin) || askTree(p, 0);
}
