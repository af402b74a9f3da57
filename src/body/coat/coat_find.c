#include "body/coat/coat_parts.h"

#include "core/tasks.h"

#include <string.h>

// Who is in whom. Against colliders: sample points inside. Among envelopes, as in the paper: the segments of springs, from foot to
// sample point, against the triangles of the other's envelope. A sample point is inside when its segment goes in more often than
// out; it is brought back to where it went in last.

#define RECOVERY 3.0     // m/s: no faster are things parted that were in each other before the step
#define PARTINGS 3       // of a sample by its own flesh and the other's
#define LEAST_SLANT 0.15 // a cylinder that hardly points at what it touches gives way no more

static snCoatContact *addContact(snCoatGroup *group)
{
    if (group->contactCount == group->mostContacts) {
        group->dropped++;
        return NULL;
    }
    snCoatContact *c = &group->contacts[group->contactCount];
    *c = (snCoatContact){0};
    group->contactCount++;
    return c;
}

// What came in by its own motion is to come out again; more than that comes out bit by bit.
static double depthToTake(const snCoatContact *c, double depth, double h)
{
    double approach = fmax(0, -snDot(c->slip, c->normal));
    return fmax(0, fmin(depth, h * (approach + RECOVERY)));
}

// A point on a link where it would be freely, as it stands at the step's begin; and its velocity.
static snVec3 backToBegin(const snCoatBody *b, int joint, snVec3 x)
{
    snAffine toJoint = snInverseAffine(b->frames[joint]);
    snAffine begin = snMulAA(b->frameBegin[b->linkOf[joint]], b->within[joint]);
    return snMulAP(begin, snMulAP(toJoint, x));
}

static void addCylinder(snCoatSide *side, int i, double weight, snVec3 inwards, double h)
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

static void touchCollider(snCoatGroup *group, snCoatBody *b, int e, int i, int k,
                          const snTouch *touch, double h)
{
    const snCoatElement *ce = &b->coating->elements[e];
    snVec3 x = b->samples[b->first[e] + i];
    snCoatContact *c = addContact(group);
    if (!c) return;
    c->normal = touch->normal;
    c->friction = b->step.colliders[k].friction;
    c->sample = i;
    c->other = -1 - k;
    c->point = backToBegin(b, ce->joint, x);
    c->side[0].body = b;
    c->side[0].link = b->linkOf[ce->joint];
    c->side[0].element = e;
    addCylinder(&c->side[0], i, 1, snNeg(touch->normal), h);
    snVec3 v = snScale(1 / h, snSub(x, c->point));
    c->slip = snMulAdd(v, -1 / b->step.length, touch->move);
    c->depth = depthToTake(c, -touch->distance, h);
}

static void findColliders(snCoatGroup *group, snCoatBody *b, double h, double share)
{
    for (int k = 0; k < b->step.colliderCount; k++) {
        const snCollider *collider = &b->step.colliders[k];
        snBox bounds = snCollider_Bounds(collider);
        for (int e = 0; e < b->coating->elementCount; e++) {
            if (!snBoxOverlap(bounds, b->boxes[e])) continue;
            for (int i = 0; i < b->coating->elements[e].element.count; i++) {
                snTouch touch;
                if (queryAt(collider, b->samples[b->first[e] + i], share, &touch))
                    touchCollider(group, b, e, i, k, &touch, h);
            }
        }
    }
}

// ---- envelopes ------------------------------------------------------------------------------------------

// Planes of an element's triangles as its samples stand: segments are held against them.
static void setPlanes(snCoatBody *b, int e)
{
    const snElement *element = &b->coating->elements[e].element;
    const snVec3 *points = b->samples + b->first[e];
    const snCoatHull *hull = &b->hulls[e];
    int n = element->triangleCount;
    double *x = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e], *y = x + n, *z = y + n,
           *d = z + n, *low = d + n, *high = low + n, *along = b->along + b->first[e];
    for (int i = 0; i < element->count; i++)
        along[i] = snDot(snSub(points[i], hull->origin), hull->axis);
    for (int t = 0; t < n; t++) {
        const int *c = element->triangles + 3 * (size_t)t;
        snVec3 p = points[c[0]], q = snCross(snSub(points[c[1]], p), snSub(points[c[2]], p));
        double k = along[c[0]], l = along[c[1]], m = along[c[2]];
        x[t] = q.x, y[t] = q.y, z[t] = q.z, d[t] = snDot(q, p);
        low[t] = k < l ? (k < m ? k : m) : (l < m ? l : m);
        high[t] = k > l ? (k > m ? k : m) : (l > m ? l : m);
    }
}

// Where the line a + t w is in the plane of a triangle: shares of its corners, if within (Möller, Trumbore 1997).
static bool isWithin(const snVec3 p[3], snVec3 a, snVec3 w, double det, double share[3])
{
    snVec3 u = snSub(p[1], p[0]), v = snSub(p[2], p[0]), s = snCross(snSub(a, p[0]), w);
    share[1] = -snDot(v, s) / det;
    share[2] = snDot(u, s) / det;
    share[0] = 1 - share[1] - share[2];
    return share[1] >= 0 && share[2] >= 0 && share[1] + share[2] <= 1;
}

// A triangle that the segment goes through: in, or out again.
static void crossOne(const snCoatBody *b, int e, int t, snVec3 foot, snVec3 way, int *within,
                     snCoatEntry *entry)
{
    const snElement *element = &b->coating->elements[e].element;
    const snVec3 *points = b->samples + b->first[e];
    const int *c = element->triangles + 3 * (size_t)t;
    const snVec3 p[3] = {points[c[0]], points[c[1]], points[c[2]]};
    const double *plane = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e] + t;
    int n = element->triangleCount;
    snVec3 normal = snVec(plane[0], plane[n], plane[2 * n]);
    double det = snDot(way, normal); // below 0 it goes in
    snCoatEntry here = {.triangle = t, .normal = normal};
    if (det == 0 || !isWithin(p, foot, way, det, here.share)) return;
    here.t = (plane[3 * n] - snDot(foot, normal)) / det;
    *within += det < 0 ? 1 : -1;
    if (det < 0 && (entry->triangle < 0 || here.t > entry->t)) *entry = here;
}

#define AT_ONCE 64  // triangles
#define BEHIND 1.25 // lengths of a segment, behind its foot

// The segment's ends are on different sides of a plane where 0 ≤ t ≤ 1, t = high / det: high (det - high) ≥ 0. Few are, so that is
// found for many at once.
static bool crossAll(const snCoatBody *b, int e, snVec3 foot, snVec3 way, snCoatEntry *entry)
{
    int within = 0, n = b->coating->elements[e].element.triangleCount;
    const double *x = b->planes + SN_COAT_PLANE * (size_t)b->firstPlane[e], *y = x + n, *z = y + n,
                 *d = z + n;
    *entry = (snCoatEntry){.triangle = -1};
    for (int from = 0; from < n; from += AT_ONCE) {
        double between[AT_ONCE];
        int count = n - from < AT_ONCE ? n - from : AT_ONCE;
        for (int i = 0; i < count; i++) {
            int t = from + i;
            double det = way.x * x[t] + way.y * y[t] + way.z * z[t];
            double high = d[t] - (foot.x * x[t] + foot.y * y[t] + foot.z * z[t]);
            between[i] = high * (det - high);
        }
        for (int i = 0; i < count; i++)
            if (between[i] >= 0) crossOne(b, e, from + i, foot, way, &within, entry);
    }
    return within > 0 && entry->triangle >= 0;
}

// Where the segment from the foot to the sample goes in. Where both are inside already it is made longer behind the foot, as far as the
// other side of its own element: t is below 0 then, the flesh gives way as far as it can, and links do the rest.
static bool findEntry(const snCoatBody *b, int e, snVec3 foot, snVec3 sample, snCoatEntry *entry)
{
    snVec3 way = snSub(sample, foot);
    if (crossAll(b, e, foot, way, entry)) return true;
    if (!snCoatBody_MayHold(b, e, foot)) return false;
    snVec3 far = snMulAdd(foot, -BEHIND, way);
    if (!crossAll(b, e, far, snScale(1 + BEHIND, way), entry)) return false;
    entry->t = (1 + BEHIND) * entry->t - BEHIND;
    return true;
}

// Sample i of element `one` of the group is in its element `other`.
static void touchEnvelope(snCoatGroup *group, int one, int i, int other, const snCoatEntry *entry,
                          double h)
{
    snCoatBody *a = group->bodies[group->elementBody[one]];
    snCoatBody *b = group->bodies[group->elementBody[other]];
    int ea = group->elementOf[one], eb = group->elementOf[other];
    const snCoatElement *ca = &a->coating->elements[ea], *cb = &b->coating->elements[eb];
    const int *corners = cb->element.triangles + 3 * (size_t)entry->triangle;
    snVec3 foot = a->feet[a->first[ea] + i], x = a->samples[a->first[ea] + i];
    snVec3 at = snMulAdd(foot, entry->t, snSub(x, foot));
    snCoatContact *c = addContact(group);
    if (!c) return;
    c->normal = snNormalizeOr(entry->normal, snVec(0, 1, 0));
    c->friction = fmin(a->def.friction, b->def.friction);
    snVec3 begin[2] = {backToBegin(a, ca->joint, at), backToBegin(b, cb->joint, at)};
    c->point = snScale(0.5, snAdd(begin[0], begin[1])); // one for both: angular momentum is kept
    c->slip = snScale(1 / h, snSub(begin[1], begin[0]));
    c->depth = depthToTake(c, snDot(c->normal, snSub(at, x)), h);
    c->sample = i;
    c->other = other;
    c->side[0] = (snCoatSide){.body = a, .link = a->linkOf[ca->joint], .element = ea};
    c->side[1] = (snCoatSide){.body = b, .link = b->linkOf[cb->joint], .element = eb};
    addCylinder(&c->side[0], i, 1, snNeg(c->normal), h);
    for (int k = 0; k < 3; k++)
        addCylinder(&c->side[1], corners[k], entry->share[k], c->normal, h);
}

// Samples of element i in element k: their number; the first `most` are written.
static int hitsAmong(const snCoatGroup *g, int i, int k, bool back, int most, snCoatHit *hits)
{
    const snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k], count = 0;
    const snVec3 *samples = a->samples + a->first[ea], *feet = a->feet + a->first[ea];
    for (int s = 0; s < a->coating->elements[ea].element.count; s++) {
        snCoatEntry entry;
        if (!snCoatBody_MayHold(b, eb, samples[s])) continue;
        if (!findEntry(b, eb, feet[s], samples[s], &entry)) continue;
        if (count < most) hits[count] = (snCoatHit){back, s, entry};
        count++;
    }
    return count;
}

static void planSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int b = begin; b < end; b++)
        for (int e = 0; e < g->bodies[b]->coating->elementCount; e++)
            if (g->bodies[b]->paired[e]) setPlanes(g->bodies[b], e);
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
static void findPairs(snCoatGroup *g)
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

static void touchEnvelopes(snCoatGroup *g, double h)
{
    for (int p = 0; p < g->pairCount; p++) {
        const snCoatPair *pair = &g->pairs[p];
        const snCoatHit *hits = g->hits + (size_t)pair->worker * (size_t)g->mostHits + pair->first;
        for (int k = 0; k < pair->count; k++)
            touchEnvelope(g, hits[k].back ? pair->other : pair->one, hits[k].sample,
                          hits[k].back ? pair->one : pair->other, &hits[k].entry, h);
    }
}

// ---- points that are held -------------------------------------------------------------------------------

static void findHolds(snCoatGroup *group, snCoatBody *b, double h, double share)
{
    for (int k = 0; k < b->holdCount; k++) {
        const snCoatPoint *point = &b->points[b->holds[k].point];
        snCoatContact *c = addContact(group);
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

// Between links of one body a cylinder that gives way in n contacts is n springs beside each other, each with its share of stiffness
// and force: all of them together hold what it holds. With all of its force in each contact flesh gives more energy than it
// takes, and what lies on the flesh of its neighbour for long rolls about: the octopus' head at 0.33 m/s after 14 s, where it
// now rests at 0.0007. Between bodies every contact has all of it, for a ball of 5.6 kg at 8 m/s goes through flesh of 30 kPa else.
static void shareCylinders(snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++)
        memset(g->bodies[b]->users, 0, (size_t)g->bodies[b]->cylinderCount * sizeof(int));
    for (int pass = 0; pass < 2; pass++)
        for (int n = 0; n < 2 * g->contactCount; n++) {
            snCoatSide *side = snCoatGroup_Side(g, n);
            if (snCoatGroup_Side(g, n ^ 1)->body != side->body) continue;
            for (int k = 0; k < side->count; k++) {
                snCoatBody *b = side->body;
                int *users = &b->users[b->first[side->element] + side->cylinder[k]];
                if (pass == 0) {
                    ++*users;
                } else {
                    side->stiff[k] /= *users;
                    side->preload[k] /= *users;
                }
            }
        }
}

void snCoatGroup_Find(snCoatGroup *group, double h, double share)
{
    group->contactCount = 0;
    for (int b = 0; b < group->count; b++)
        findHolds(group, group->bodies[b], h, share);
    for (int b = 0; b < group->count; b++)
        findColliders(group, group->bodies[b], h, share);
    findPairs(group);
    touchEnvelopes(group, h);
    shareCylinders(group);
}

// ---- what is left -----------------------------------------------------------------------------------------

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
            const snCoatElement *ce = &b->coating->elements[e];
            double lever = side->weight[n] * side->slant[n];
            double c = fmin(side->most[n], depth * lever / (side->stiff[n] * sum));
            snElement_Strike(&ce->element, &b->flesh[e], i, b->lengths[e][i] - c, 0);
            b->samples[b->first[e] + i] =
                snMulAP(b->frames[ce->joint], snElement_Sample(&ce->element, b->lengths[e], i));
        }
}

// A sample's cylinder ends where it goes in, if it can be so short.
static void shortenOne(snCoatBody *b, int e, int i, double t)
{
    const snCoatElement *ce = &b->coating->elements[e];
    snElement_Strike(&ce->element, &b->flesh[e], i, t * b->lengths[e][i], 0);
    b->samples[b->first[e] + i] =
        snMulAP(b->frames[ce->joint], snElement_Sample(&ce->element, b->lengths[e], i));
}

// Both give way by their stiffness at the place where the segment goes in. The sample comes out slantwise, where the facet may have
// moved less, so that is done again; what is still in is brought back to where it goes in, along its own axis. Lengths
// shrink alone, by which nothing comes into anything.
static void partSample(snCoatGroup *g, int i, int k, int s)
{
    const double h = 1e9; // no time passes: dampers do not count
    snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k];
    const snElement *other = &b->coating->elements[eb].element;
    snVec3 foot = a->feet[a->first[ea] + s];
    const snVec3 *x = &a->samples[a->first[ea] + s];
    snCoatEntry entry;
    for (int n = 0; n < PARTINGS; n++) {
        if (!snCoatBody_MayHold(b, eb, *x) || !findEntry(b, eb, foot, *x, &entry)) return;
        snCoatSide sides[2] = {{.body = a, .element = ea}, {.body = b, .element = eb}};
        a->sunk[ea] = b->sunk[eb] = 1;
        snVec3 normal = snNormalizeOr(entry.normal, snVec(0, 1, 0));
        double depth = (1 - entry.t) * fabs(snDot(normal, snSub(*x, foot)));
        addCylinder(&sides[0], s, 1, snNeg(normal), h);
        for (int c = 0; c < 3; c++)
            addCylinder(&sides[1], other->triangles[3 * entry.triangle + c], entry.share[c], normal,
                        h);
        shortenBoth(sides, depth);
        setPlanes(a, ea);
        setPlanes(b, eb);
    }
    if (!findEntry(b, eb, foot, *x, &entry)) return;
    shortenOne(a, ea, s, entry.t);
    setPlanes(a, ea);
}

static void partAmong(snCoatGroup *g, int i, int k)
{
    const snCoatBody *a = g->bodies[g->elementBody[i]];
    for (int s = 0; s < a->coating->elements[g->elementOf[i]].element.count; s++)
        partSample(g, i, k, s);
}

static bool isSunk(const snCoatGroup *g, int element)
{
    return g->bodies[g->elementBody[element]]->sunk[g->elementOf[element]];
}

// Pairs in which nothing is in anything need no look, until another pair has moved their flesh.
void snCoatGroup_Part(snCoatGroup *group)
{
    for (int b = 0; b < group->count; b++)
        memset(group->bodies[b]->sunk, 0, (size_t)group->bodies[b]->coating->elementCount);
    findPairs(group);
    for (int p = 0; p < group->pairCount; p++) {
        const snCoatPair *pair = &group->pairs[p];
        if (!pair->count && !isSunk(group, pair->one) && !isSunk(group, pair->other)) continue;
        partAmong(group, pair->one, pair->other);
        partAmong(group, pair->other, pair->one);
    }
}

// ---- how deep things are ----------------------------------------------------------------------------------

static void soundElement(snCoatBody *b, const snCollider *collider, int e)
{
    for (int i = b->first[e]; i < b->first[e + 1]; i++) {
        snTouch touch;
        if (!snCollider_Query(collider, b->samples[i], 1e-9, &touch)) continue;
        b->report.touching++;
        b->report.deepest = fmax(b->report.deepest, -touch.distance);
    }
}

static void soundSome(int begin, int end, int worker, void *context)
{
    const snCoatGroup *g = context;
    snVec3 near = snVec(1e-9, 1e-9, 1e-9);
    (void)worker;
    for (int n = begin; n < end; n++) {
        snCoatBody *b = g->bodies[n];
        b->report.touching = 0;
        b->report.deepest = 0;
        for (int k = 0; k < b->step.colliderCount; k++) {
            snBox bounds = snCollider_Bounds(&b->step.colliders[k]);
            bounds = (snBox){snSub(bounds.lower, near), snAdd(bounds.upper, near)};
            for (int e = 0; e < b->coating->elementCount; e++)
                if (snBoxOverlap(bounds, b->boxes[e])) soundElement(b, &b->step.colliders[k], e);
        }
    }
}

static void soundAmong(snCoatGroup *g, int i, int k)
{
    snCoatBody *a = g->bodies[g->elementBody[i]], *b = g->bodies[g->elementBody[k]];
    int ea = g->elementOf[i], eb = g->elementOf[k];
    for (int s = 0; s < a->coating->elements[ea].element.count; s++) {
        snVec3 x = a->samples[a->first[ea] + s], foot = a->feet[a->first[ea] + s];
        snCoatEntry entry;
        if (!snCoatBody_MayHold(b, eb, x) || !findEntry(b, eb, foot, x, &entry)) continue;
        snVec3 normal = snNormalizeOr(entry.normal, snVec(0, 0, 0));
        double depth = (1 - entry.t) * fabs(snDot(normal, snSub(x, foot)));
        a->report.deepest = fmax(a->report.deepest, depth);
        a->report.touching += depth > 0;
    }
}

void snCoatGroup_Sound(snCoatGroup *group)
{
    snParallelFor(&group->tasks, group->count, 4, soundSome, group);
    for (int p = 0; p < group->pairCount; p++) { // those of snCoatGroup_Part
        const snCoatPair *pair = &group->pairs[p];
        if (!isSunk(group, pair->one) && !isSunk(group, pair->other)) continue;
        soundAmong(group, pair->one, pair->other);
        soundAmong(group, pair->other, pair->one);
    }
}
