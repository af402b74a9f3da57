#include "body/coat/coat_parts.h"

#include "contact/law.h"
#include "core/tasks.h"

#include <string.h>

// Who is in whom. Against colliders: sample points inside. Among envelopes: segments of springs (coat_cross.c). What is found is counted
// first, so that every contact has its place and all are written on any thread.

#define RECOVERY 3.0     // m/s: no faster are things parted that were in each other before the step
#define LEAST_SLANT 0.15 // a cylinder that hardly points at what it touches gives way no more

// NULL: there is no place for it.
static snCoatContact *contactAt(snCoatGroup *group, int number)
{
    if (number >= group->mostContacts) return NULL;
    group->contacts[number] = (snCoatContact){0};
    return &group->contacts[number];
}

// What came in by its own motion is to come out again; more than that comes out bit by bit.
static double depthToTake(const snCoatContact *c, double depth, double h)
{
    double approach = fmax(0, -snDot(c->slip, c->normal));
    return fmax(0, snGapToAsk(0, depth, h * (approach + RECOVERY)));
}

// A point on a link where it would be freely, as it stands at the step's begin.
static snVec3 backToBegin(const snCoatBody *b, int joint, snVec3 x)
{
    return snMulAP(b->back[b->linkOf[joint]], x);
}

void snCoatSide_Add(snCoatSide *side, int i, double weight, snVec3 inwards, double h)
{
    const snCoatBody *b = side->body;
    const snCoatElement *ce = &b->coating->elements[side->element];
    const snElement *e = &ce->element;
    const snElementMotion *flesh = &b->flesh[side->element];
    snVec3 axis = snMulMV(b->frames[ce->joint].linear, e->axis[i]);
    double slant = snDot(axis, inwards);
    if (slant < LEAST_SLANT || !(weight > 0)) return;
    int n = side->count++;
    double length = flesh->length[i], k = e->spring[i].stiffness;
    double damping = e->spring[i].damping + b->def.dissipation * k;
    double force = k * (flesh->rest[i] - length) +
                   damping * (b->begin[b->first[side->element] + i] - length) / h;
    side->cylinder[n] = i;
    side->weight[n] = weight;
    side->slant[n] = slant;
    side->stiff[n] = k + damping / h;
    side->preload[n] = fmax(0, force);
    side->most[n] = fmax(0, length - e->shortest[i]);
}

// ---- colliders ------------------------------------------------------------------------------------------

// Where the collider is when `share` of the world's step is over.
static bool queryAt(const snCollider *collider, snVec3 x, double share, snTouch *touch)
{
    if (!snCollider_Query(collider, x, 0, touch)) return false;
    if (share < 1 && snLengthSquared(touch->move) > 0) {
        snVec3 then = snMulAdd(x, 1 - share, touch->move);
        if (!snCollider_Query(collider, then, 0, touch)) return false;
    }
    return touch->distance < 0;
}

static void touchCollider(snCoatGroup *group, int number, snCoatBody *b, int e, int i, int k,
                          const snTouch *touch)
{
    double h = group->h;
    const snCoatElement *ce = &b->coating->elements[e];
    snVec3 x = b->samples[b->first[e] + i];
    snCoatContact *c = contactAt(group, number);
    if (!c) return;
    c->normal = touch->normal;
    c->friction = snMixFriction(b->def.friction, b->step.colliders[k].friction);
    c->sample = i;
    c->other = -1 - k;
    c->point = backToBegin(b, ce->joint, x);
    c->side[0].body = b;
    c->side[0].link = b->linkOf[ce->joint];
    c->side[0].element = e;
    snCoatSide_Add(&c->side[0], i, 1, snNeg(touch->normal), h);
    snVec3 v = snScale(1 / h, snSub(x, c->point));
    c->slip = snMulAdd(v, -1 / b->step.length, touch->move);
    c->depth = depthToTake(c, -touch->distance, h);
}

// How many samples of a body are in colliders; with number >= 0 their contacts are written from there on.
static int findColliders(snCoatGroup *group, snCoatBody *b, int number)
{
    int count = 0;
    for (int k = 0; k < b->step.colliderCount; k++) {
        const snCollider *collider = &b->step.colliders[k];
        snBox bounds = snCollider_Bounds(collider);
        for (int e = 0; e < b->coating->elementCount; e++) {
            if (!snBoxOverlap(bounds, b->boxes[e])) continue;
            for (int i = 0; i < b->coating->elements[e].element.count; i++) {
                snTouch touch;
                if (!queryAt(collider, b->samples[b->first[e] + i], group->share, &touch)) continue;
                if (number >= 0) touchCollider(group, number + count, b, e, i, k, &touch);
                count++;
            }
        }
    }
    return count;
}

static void countColliders(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int b = begin; b < end; b++)
        g->firstOf[b + 1] = snCoatBody_Rests(g->bodies[b]) ? 0 : findColliders(g, g->bodies[b], -1);
}

static void writeColliders(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int b = begin; b < end; b++)
        if (g->firstOf[b + 1] > g->firstOf[b]) findColliders(g, g->bodies[b], g->firstOf[b]);
}

// ---- envelopes ------------------------------------------------------------------------------------------

// Sample i of element `one` of the group is in its element `other`.
static void touchEnvelope(snCoatGroup *group, int number, int one, int i, int other,
                          const snCoatEntry *entry)
{
    double h = group->h;
    snCoatBody *a = group->bodies[group->elementBody[one]];
    snCoatBody *b = group->bodies[group->elementBody[other]];
    int ea = group->elementOf[one], eb = group->elementOf[other];
    const snCoatElement *ca = &a->coating->elements[ea], *cb = &b->coating->elements[eb];
    const int *corners = cb->element.triangles + 3 * (size_t)entry->triangle;
    snVec3 foot = snMulAP(a->frames[ca->joint], ca->element.foot[i]);
    snVec3 x = a->samples[a->first[ea] + i];
    snVec3 at = snMulAdd(foot, entry->t, snSub(x, foot));
    if (entry->beside) at = snMulAdd(x, entry->depth / snLength(entry->normal), entry->normal);
    snCoatContact *c = contactAt(group, number);
    if (!c) return;
    c->normal = snNormalizeOr(entry->normal, snVec(0, 1, 0));
    c->friction = snMixFriction(a->def.friction, b->def.friction);
    snVec3 begin[2] = {backToBegin(a, ca->joint, at), backToBegin(b, cb->joint, at)};
    c->point = snScale(0.5, snAdd(begin[0], begin[1])); // one for both: angular momentum is kept
    c->slip = snScale(1 / h, snSub(begin[1], begin[0]));
    c->depth = depthToTake(c, snDot(c->normal, snSub(at, x)), h);
    c->sample = i;
    c->other = other;
    c->side[0] = (snCoatSide){.body = a, .link = a->linkOf[ca->joint], .element = ea};
    c->side[1] = (snCoatSide){.body = b, .link = b->linkOf[cb->joint], .element = eb};
    snCoatSide_Add(&c->side[0], i, 1, snNeg(c->normal), h);
    for (int k = 0; k < 3; k++)
        snCoatSide_Add(&c->side[1], corners[k], entry->share[k], c->normal, h);
}

// Samples of element i in element k: their number; the first `most` are written.
static int hitsAmong(const snCoatGroup *g, int i, int k, bool back, int most, snCoatHit *hits)
{
    const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k], count = 0;
    const snVec3 *samples = a->samples + a->first[ea];
    int samplesOf = a->coating->elements[ea].element.count;
    for (int from = 0; from < samplesOf; from += SN_COAT_AT_ONCE) {
        int found[SN_COAT_AT_ONCE], some = samplesOf - from;
        if (some > SN_COAT_AT_ONCE) some = SN_COAT_AT_ONCE;
        some = b->kernels->within(&b->hulls[eb], some, samples + from, found);
        for (int n = 0; n < some; n++) {
            int s = from + found[n];
            snCoatEntry entry;
            if (!snCoatBody_MayHold(b, eb, samples[s])) continue;
            if (!snCoatBody_FindEntry(a, ea, s, b, eb, &entry)) continue;
            if (count < most) hits[count] = (snCoatHit){back, s, entry};
            count++;
        }
    }
    return count;
}

static void planSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int b = begin; b < end; b++)
        for (int e = 0; e < g->bodies[b]->coating->elementCount; e++)
            if (g->bodies[b]->paired[e]) snCoatBody_SetPlanes(g->bodies[b], e);
}

static void hitSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    for (int p = begin; p < end; p++) {
        snCoatPair *pair = &g->pairs[p];
        pair->worker = worker;
        pair->first = g->hitCount[worker];
        for (int back = 0; back < 2; back++) {
            int used = g->hitCount[worker];
            int one = back ? pair->other : pair->one, other = back ? pair->one : pair->other;
            int count = hitsAmong(g, one, other, back, g->mostHits - used,
                                  g->hits + (size_t)worker * (size_t)g->mostHits + used);
            g->hitCount[worker] += count < g->mostHits - used ? count : g->mostHits - used;
        }
        pair->count = g->hitCount[worker] - pair->first;
    }
}

// All pairs that may touch, and their hits. A worker has places for as many hits as there can be contacts: where one has
// filled them there are too many, and a single one goes through all pairs, so that the same are left out for any number.
void snCoatGroup_FindHits(snCoatGroup *g)
{
    bool full = false;
    snCoatGroup_Pairs(g);
    int workers = g->tasks.workers > 1 ? g->tasks.workers : 1;
    memset(g->hitCount, 0, (size_t)workers * sizeof *g->hitCount);
    snParallelFor(&g->tasks, g->count, 1, planSome, g);
    snParallelFor(&g->tasks, g->pairCount, 16, hitSome, g);
    for (int w = 0; w < workers; w++)
        full = full || g->hitCount[w] == g->mostHits;
    if (full) {
        g->hitCount[0] = 0;
        hitSome(0, g->pairCount, 0, g);
        g->dropped += g->hitCount[0] == g->mostHits;
    }
}

static void writeEnvelopes(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int p = begin; p < end; p++) {
        const snCoatPair *pair = &g->pairs[p];
        const snCoatHit *hits = snCoatGroup_Hits(g, pair);
        for (int k = 0; k < pair->count; k++)
            touchEnvelope(g, pair->contact + k, hits[k].back ? pair->other : pair->one,
                          hits[k].sample, hits[k].back ? pair->one : pair->other, &hits[k].entry);
    }
}

// ---- points that are held -------------------------------------------------------------------------------

static void writeHolds(snCoatGroup *group, int number, snCoatBody *b)
{
    double h = group->h, share = group->share;
    for (int k = 0; k < b->holdCount; k++) {
        const snCoatPoint *point = &b->points[b->holds[k].point];
        snCoatContact *c = contactAt(group, number + k);
        if (!c) return;
        snVec3 now = snMulAP(b->frameBegin[point->link], point->local);
        snVec3 freely = snMulAP(b->frameFree[point->link], point->local);
        double left =
            (1 - share) * b->step.length + h; // of the world's step: the target is met at its end
        snVec3 want = snMulAdd(now, h / left, snSub(b->holds[k].target, now));
        c->hold = true;
        c->point = now;
        c->slip = snScale(1 / h, snSub(freely, want));
        c->side[0].body = b;
        c->side[0].link = point->link;
    }
}

// Holds come first, then colliders body by body, then pairs of elements.
bool snCoatGroup_Find(snCoatGroup *g, double h, double share)
{
    int count = 0;
    g->h = h, g->share = share;
    snCoatGroup_FindHits(g);
    if (snCoatGroup_WakeTouched(g)) return false;
    for (int b = 0; b < g->count; b++) {
        writeHolds(g, count, g->bodies[b]);
        count += g->bodies[b]->holdCount;
    }
    g->firstOf[0] = count;
    snParallelFor(&g->tasks, g->count, 4, countColliders, g);
    for (int b = 0; b < g->count; b++)
        g->firstOf[b + 1] += g->firstOf[b];
    count = g->firstOf[g->count];
    for (int p = 0; p < g->pairCount; p++) {
        g->pairs[p].contact = count;
        count += g->pairs[p].count;
    }
    snParallelFor(&g->tasks, g->count, 4, writeColliders, g);
    snParallelFor(&g->tasks, g->pairCount, 32, writeEnvelopes, g);
    g->contactCount = count < g->mostContacts ? count : g->mostContacts;
    g->dropped += count - g->contactCount;
    return true;
}
