#include "body/coat/coat_parts.h"

#include "core/tasks.h"

// What is still in something at the end of the world's step, and how deep.

#define PARTINGS 3 // of a sample by its own flesh and the other's
#define ROUNDS 3   // of all samples, at most
#define SUNK 1e-3  // of its cylinder: a sample that is deeper is parted again

static void putTo(snCoatBody *b, int e, int i, double length)
{
    const snCoatElement *ce = &b->coating->elements[e];
    snElement_Strike(&ce->element, &b->flesh[e], i, length, 0);
    b->samples[b->first[e] + i] =
        snMulAP(b->frames[ce->joint], snElement_Sample(&ce->element, b->lengths[e], i));
    snCoatBody_MovePlanes(b, e, i);
}

// As the paper has it: sample and facet meet by their stiffness. Of all shortenings c with Σ lever c = depth those with the least
// Σ k c²/2 are c ∝ lever / k.
static void shortenBoth(snCoatSide sides[2], double depth)
{
    double sum = 0;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < sides[s].count; n++) {
            double lever = sides[s].weight[n] * sides[s].slant[n];
            sum += lever * lever / sides[s].stiff[n];
        }
    if (!(sum > 0)) return;
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < sides[s].count; n++) {
            snCoatSide *side = &sides[s];
            snCoatBody *b = side->body;
            int e = side->element, i = side->cylinder[n];
            double lever = side->weight[n] * side->slant[n];
            double c = fmin(side->most[n], depth * lever / (side->stiff[n] * sum));
            putTo(b, e, i, b->lengths[e][i] - c);
        }
}

// What bulged into something, because flesh beside it was pressed, goes back. Else both give way by their stiffness at the place where
// the segment goes in. The sample comes out slantwise, where the facet may have moved less, so that is done again; what is still in is
// brought back to where it goes in, along its own axis. Lengths shrink alone: what has nothing between its foot and its sample stays out.
// What went out beside its axis (coat_cross.c) has the other's edge there, and comes into it again if it gets shorter, as the corner of a
// facet that another sample is parted from: that is seen when depths are sounded, and such bodies are parted once more.
static void partSample(snCoatGroup *g, int i, int k, int s)
{
    const double h = 1e9; // no time passes: dampers do not count
    snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k];
    const snElement *other = &b->coating->elements[eb].element;
    const snVec3 *x = &a->samples[a->first[ea] + s];
    snCoatEntry entry;
    double freely = a->freely[a->first[ea] + s];
    if (a->lengths[ea][s] > freely) putTo(a, ea, s, freely);
    for (int n = 0; n < PARTINGS; n++) {
        if (!snCoatBody_MayHold(b, eb, *x) || !snCoatBody_FindEntry(a, ea, s, b, eb, &entry))
            return;
        snCoatSide sides[2] = {{.body = a, .element = ea}, {.body = b, .element = eb}};
        snVec3 normal = snNormalizeOr(entry.normal, snVec(0, 1, 0));
        double depth = entry.depth;
        snCoatSide_Add(&sides[0], s, 1, snNeg(normal), h);
        for (int c = 0; c < 3; c++)
            snCoatSide_Add(&sides[1], other->triangles[3 * entry.triangle + c], entry.share[c],
                           normal, h);
        shortenBoth(sides, depth);
    }
    if (snCoatBody_FindEntry(a, ea, s, b, eb, &entry)) putTo(a, ea, s, entry.t * a->lengths[ea][s]);
}

static void partPairs(snCoatGroup *g, int node, int count, const int *items)
{
    (void)node;
    for (int n = 0; n < count; n++) {
        const snCoatPair *pair = &g->pairs[items[n]];
        const snCoatHit *hits = snCoatGroup_Hits(g, pair);
        for (int k = 0; k < pair->count; k++) {
            int one = hits[k].back ? pair->other : pair->one;
            if (g->bodies[g->elementBody[one]]->sunk)
                partSample(g, one, hits[k].back ? pair->one : pair->other, hits[k].sample);
        }
    }
}

static void soundHit(snCoatGroup *g, int i, int k, int s)
{
    snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k];
    snVec3 x = a->samples[a->first[ea] + s];
    snCoatEntry entry;
    if (!snCoatBody_MayHold(b, eb, x) || !snCoatBody_FindEntry(a, ea, s, b, eb, &entry)) return;
    snContactReport_Add(&a->report.contact, entry.depth);
    a->sunk = a->sunk || entry.depth > SUNK * a->coating->elements[ea].element.rest[s];
}

static void soundPairs(snCoatGroup *g, int node, int count, const int *items)
{
    (void)node;
    for (int n = 0; n < count; n++) {
        const snCoatPair *pair = &g->pairs[items[n]];
        const snCoatHit *hits = snCoatGroup_Hits(g, pair);
        for (int k = 0; k < pair->count; k++)
            soundHit(g, hits[k].back ? pair->other : pair->one,
                     hits[k].back ? pair->one : pair->other, hits[k].sample);
    }
}

// How deep those are in each other that were so before they were parted. True: some are to be parted again.
static bool soundEnvelopes(snCoatGroup *g)
{
    bool any = false;
    for (int b = 0; b < g->count; b++) {
        g->bodies[b]->report.contact = (snContactReport){0};
        g->bodies[b]->sunk = false;
    }
    snCoatQueue_Run(g, &g->pairQueue, soundPairs);
    for (int b = 0; b < g->count; b++)
        any = any || g->bodies[b]->sunk;
    return any;
}

static bool endsOfPair(const snCoatGroup *g, int p, int bodies[2])
{
    bodies[0] = g->elementBody[g->pairs[p].one];
    bodies[1] = g->elementBody[g->pairs[p].other];
    return g->pairs[p].count > 0;
}

void snCoatGroup_Part(snCoatGroup *group)
{
    snCoatGroup_FindHits(group);
    snCoatGroup_Split(group);
    for (int b = 0; b < group->count; b++)
        group->bodies[b]->sunk = true;
    snCoatQueue_Fill(group, &group->pairQueue, group->pairCount, endsOfPair);
    snCoatQueue_Run(group, &group->pairQueue, partPairs);
    for (int n = 1; soundEnvelopes(group) && n < ROUNDS; n++)
        snCoatQueue_Run(group, &group->pairQueue, partPairs);
}

// ---- how deep samples are in colliders --------------------------------------------------------------------

static void soundElement(snCoatBody *b, const snCollider *collider, int e)
{
    for (int i = b->first[e]; i < b->first[e + 1]; i++) {
        snTouch touch;
        if (!snCollider_Query(collider, b->samples[i], 1e-9, &touch)) continue;
        b->report.contact.touching++;
        b->report.contact.deepest = fmax(b->report.contact.deepest, -touch.distance);
    }
}

static void soundSome(int begin, int end, int worker, void *context)
{
    const snCoatGroup *g = context;
    snVec3 near = snVec(1e-9, 1e-9, 1e-9);
    (void)worker;
    for (int n = begin; n < end; n++) {
        snCoatBody *b = g->bodies[n];
        for (int k = 0; k < b->step.colliderCount && !b->skipped; k++) {
            snBox bounds = snCollider_Bounds(&b->step.colliders[k]);
            bounds = (snBox){snSub(bounds.lower, near), snAdd(bounds.upper, near)};
            for (int e = 0; e < b->coating->elementCount; e++)
                if (snBoxOverlap(bounds, b->boxes[e])) soundElement(b, &b->step.colliders[k], e);
        }
    }
}

// In colliders, beside what was found among envelopes.
void snCoatGroup_Sound(snCoatGroup *group)
{
    snParallelFor(&group->tasks, group->count, 4, soundSome, group);
}
