#include "body/coat/coat_parts.h"

#include "core/error.h"
#include "core/sets.h"
#include "core/tasks.h"

#include <string.h>

// Steps of coated bodies that may meet. A step in which the energy of motion jumps, where nothing brings any, is taken back and
// done in halves.

#define MOST_HALVINGS 4
#define FAST_HALVINGS 2 // because contacts close fast
// Of a cylinder, that a contact closes by in a step, and in a half of one; quarters are taken whatever. Below 1 the segment from its foot
// to its sample still goes in where the sample did; what is left is for links that turn meanwhile.
static const double mostClosing[FAST_HALVINGS] = {0.5, 0.9};
#define GAIN 0.05       // of the energy of motion, in a step
#define LEAST_CLIP 0.03 // slant of a cylinder that is cut off at a collider
#define LEAST_GAIN 4e-4 // J/kg: what moves by three centimetres per second does not matter

// ---- making -----------------------------------------------------------------------------------------

static snStatus reserve(snCoatGroup *g, snError *error)
{
    for (int b = 0; b < g->count; b++) {
        const snCoatBody *body = g->bodies[b];
        g->elementCount += body->coating->elementCount;
        g->mostContacts += body->def.mostContacts;
        g->dense = (b == 0 || g->dense) && body->answers.dense;
    }
    g->contacts = SN_NEW(&g->arena, snCoatContact, g->mostContacts);
    g->rows = SN_NEW(&g->arena, snCoatRow, g->mostContacts);
    g->blocks = SN_NEW(&g->arena, snCoatBlock, g->mostContacts);
    g->blockQueue.items = SN_NEW(&g->arena, int, g->mostContacts);
    g->blockQueue.node = SN_NEW(&g->arena, int, g->mostContacts);
    g->firstOf = SN_NEW(&g->arena, int, g->count + 1);
    g->island = SN_NEW(&g->arena, int, g->count);
    g->partner = SN_NEW(&g->arena, int, g->count);
    g->calm = SN_NEW(&g->arena, unsigned char, g->count);
    if (!g->island || !g->partner || !g->calm) return snFailMemory(error);
    if (!g->rows || !g->blocks || !g->blockQueue.items || !g->blockQueue.node || !g->firstOf)
        return snFailMemory(error);
    g->elementBody = SN_NEW(&g->arena, int, g->elementCount);
    g->elementOf = SN_NEW(&g->arena, int, g->elementCount);
    int workers = g->tasks.workers > 1 ? g->tasks.workers : 1;
    g->mostHits = g->mostContacts + 1;
    g->hitCount = SN_NEW(&g->arena, int, workers);
    g->hits = SN_NEW(&g->arena, snCoatHit, (size_t)workers * (size_t)g->mostHits);
    if (!g->hitCount || !g->hits) return snFailMemory(error);
    snStatus status = snCoatSplit_Make(&g->split, g->count, &g->arena, error);
    if (status) return status;
    return g->contacts && g->elementBody && g->elementOf ? SN_OK : snFailMemory(error);
}

snStatus snCoatGroup_Make(snCoatGroup **group, int count, snCoatBody *const *bodies,
                          const snContext *context, snError *error)
{
    snArena arena = snMakeArena(context);
    snCoatGroup *g = SN_NEW(&arena, snCoatGroup, 1);
    *group = NULL;
    if (!g) return snFailMemory(error);
    g->arena = arena;
    if (count > 1) g->tasks = context->tasks; // one body alone may be in a loop over bodies already
    g->count = count;
    g->kernels = snChooseCoatSweep();
    g->bodies = SN_COPY(&g->arena, snCoatBody *, bodies, count);
    snStatus status = g->bodies ? reserve(g, error) : snFailMemory(error);
    for (int b = 0, n = 0; b < count && !status; b++) {
        snCoatBody_PlaceSamples(g->bodies[b]);
        for (int e = 0; e < g->bodies[b]->coating->elementCount; e++, n++) {
            g->elementBody[n] = b;
            g->elementOf[n] = e;
        }
    }
    if (!status) status = snCoatGroup_ReservePairs(g, error);
    if (status)
        snCoatGroup_Destroy(g);
    else
        *group = g;
    return status;
}

void snCoatGroup_Destroy(snCoatGroup *group)
{
    if (!group) return;
    snArena_DestroyWithin(&group->arena);
}

// ---- where things are -----------------------------------------------------------------------------------

void snCoatBody_Pose(snCoatBody *b)
{
    for (int j = 0; j < b->coating->plan.skeleton->jointCount; j++)
        b->frames[j] = snMulAA(snArticulated_Frame(b->state, b->linkOf[j]), b->within[j]);
}

static snCoatHull hullOf(const snCoatElement *ce, const snCoatSectors *sectors, snAffine frame,
                         int count, const snVec3 *samples)
{
    snVec3 way = snMulMV(frame.linear, snSub(ce->tail, ce->head));
    snCoatHull hull = {.origin = snMulAP(frame, ce->head),
                       .axis = snNormalizeOr(way, snVec(1, 0, 0)),
                       .low = 1e300,
                       .high = -1e300,
                       .side = snMulMV(frame.linear, sectors->side),
                       .third = snMulMV(frame.linear, sectors->third)};
    for (int i = 0; i < count; i++) {
        snVec3 d = snSub(samples[i], hull.origin);
        double along = snDot(d, hull.axis), off = snLengthSquared(d) - along * along;
        if (along < hull.low) hull.low = along;
        if (along > hull.high) hull.high = along;
        if (off > hull.radius2) hull.radius2 = off;
    }
    double slack = 1e-9 * (hull.high - hull.low);
    hull.low -= slack, hull.high += slack, hull.radius2 *= 1 + 1e-9;
    hull.radius = sqrt(hull.radius2);
    return hull;
}

void snCoatBody_PlaceSamples(snCoatBody *b)
{
    b->placed = true;
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snCoatElement *ce = &b->coating->elements[e];
        snAffine frame = b->frames[ce->joint];
        snVec3 *samples = b->samples + b->first[e];
        b->boxes[e] = snEmptyBox();
        for (int i = 0; i < ce->element.count; i++) {
            samples[i] = snMulAP(frame, snElement_Sample(&ce->element, b->lengths[e], i));
            b->boxes[e] = snBoxAdd(b->boxes[e], samples[i]);
        }
        b->hulls[e] = hullOf(ce, &b->sectors[e], frame, ce->element.count, samples);
    }
}

// ---- a step -----------------------------------------------------------------------------------------------

static void keep(snCoatBody *b)
{
    memcpy(b->kept, snArticulatedState_Links(b->state), (size_t)b->linkCount * sizeof *b->kept);
    for (int e = 0; e < b->coating->elementCount; e++) {
        size_t n = (size_t)b->coating->elements[e].element.count * sizeof(double);
        double *to = b->keptFlesh + 3 * (size_t)b->first[e];
        memcpy(to, b->flesh[e].length, n);
        memcpy((char *)to + n, b->flesh[e].speed, n);
        memcpy((char *)to + 2 * n, b->flesh[e].rest, n);
    }
}

static void returnLinks(snCoatBody *b)
{
    memcpy(snArticulatedState_Links(b->state), b->kept, (size_t)b->linkCount * sizeof *b->kept);
    snArticulated_Update(b->tree, b->state);
}

static void returnFlesh(snCoatBody *b)
{
    for (int e = 0; e < b->coating->elementCount; e++) {
        size_t n = (size_t)b->coating->elements[e].element.count * sizeof(double);
        const double *from = b->keptFlesh + 3 * (size_t)b->first[e];
        memcpy(b->flesh[e].length, from, n);
        memcpy(b->flesh[e].speed, (const char *)from + n, n);
        memcpy(b->flesh[e].rest, (const char *)from + 2 * n, n);
    }
}

static snVec3 placeOf(const snCoatBody *b, int point)
{
    const snCoatPoint *p = &b->points[point];
    return snMulAP(snArticulated_Frame(b->state, p->link), p->local);
}

static void loadForces(snCoatBody *b)
{
    if (b->follow) snCoatFollow_Lift(b);
    if (b->acts) snCoatBody_PushFields(b);
    for (int k = 0; k < b->forceCount; k++) {
        int point = b->forces[k].point;
        snArticulated_Push(b->tree, b->state, b->points[point].link, placeOf(b, point),
                           b->forces[k].force);
    }
    for (int k = 0; k < b->thrustCount; k++)
        snArticulated_Push(b->tree, b->state, b->thrusts[k].link, b->thrusts[k].place,
                           b->thrusts[k].force);
    for (int k = 0; k < b->pullCount; k++) {
        const snBodyPull *pull = &b->pulls[k].pull;
        int point = b->pulls[k].point, link = b->points[point].link;
        snVec3 at = placeOf(b, point), v = snArticulated_Velocity(b->state, link, at);
        snVec3 anchor = snScale(1 / b->step.length, pull->move);
        snVec3 force = snScale(pull->stiffness, snSub(pull->target, at));
        force = snMulAdd(force, -pull->damping, snSub(v, anchor));
        snArticulated_Push(b->tree, b->state, link, at, force);
    }
}

// `share` of the world's step is over at the end.
static void advanceLinks(snCoatBody *b, double h, double share)
{
    if (b->led) {
        snVec3 way = snSub(b->leadPlace[1], b->leadPlace[0]);
        snArticulated_Lead(b->state, 0, snMulAdd(b->leadPlace[0], share, way),
                           snSlerp(b->leadTurn[0], b->leadTurn[1], share));
    }
    snArticulatedStep step = {
        .length = h, .gravity = b->step.gravity, .method = SN_ARTICULATED_IMPLICIT};
    snArticulated_Step(b->tree, b->state, &step);
    snCoatBody_Pose(b);
}

static void motionOf(const snCoatBody *b, snVec3 *velocity, snVec3 *spin)
{
    for (int l = 0; l < b->linkCount; l++) {
        velocity[l] = snArticulated_Velocity(b->state, l, snArticulated_Frame(b->state, l).origin);
        spin[l] = snArticulated_Spin(b->state, l);
    }
}

// What flesh on a link feels: how it accelerates in this step freely, with what contacts did to it in the last one.
static snFelt feltOn(const snCoatBody *b, int link, double h)
{
    snMat3 turn = b->frameFree[link].linear;
    snVec3 dv = snAdd(snSub(b->velocityFree[link], b->velocity[link]), b->kick[link]);
    snVec3 dw = snAdd(snSub(b->spinFree[link], b->spin[link]), b->kickSpin[link]);
    snVec3 linear = snSub(snScale(1 / h, dv), b->step.gravity);
    return (snFelt){.linear = snMulTMV(turn, linear),
                    .spin = snMulTMV(turn, b->spinFree[link]),
                    .turn = snMulTMV(turn, snScale(1 / h, dw))};
}

static void predict(snCoatBody *b, double h, double share)
{
    keep(b);
    motionOf(b, b->velocity, b->spin);
    for (int l = 0; l < b->linkCount; l++)
        b->frameBegin[l] = snArticulated_Frame(b->state, l);
    loadForces(b);
    advanceLinks(b, h, share);
    motionOf(b, b->velocityFree, b->spinFree);
    for (int l = 0; l < b->linkCount; l++) {
        b->frameFree[l] = snArticulated_Frame(b->state, l);
        b->back[l] = snMulAA(b->frameBegin[l], snInverseAffine(b->frameFree[l]));
    }
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snCoatElement *ce = &b->coating->elements[e];
        snFelt felt = feltOn(b, b->linkOf[ce->joint], h);
        memcpy(b->begin + b->first[e], b->lengths[e], (size_t)ce->element.count * sizeof(double));
        snElement_Advance(&ce->element, &b->flesh[e], h, &felt);
        memcpy(b->freely + b->first[e], b->lengths[e], (size_t)ce->element.count * sizeof(double));
    }
    snCoatBody_PlaceSamples(b);
}

// What the contact of a side gives to it, N s.
static snVec3 impulseOn(const snCoatGroup *g, int side)
{
    const snCoatContact *c = &g->contacts[side / 2];
    return snScale(side % 2 ? -1 : 1, snMulAdd(c->rub, c->push, c->normal));
}

static void pushLinks(snCoatGroup *g, snCoatBody *b, double h)
{
    for (int n = b->firstSide; n >= 0; n = snCoatGroup_Side(g, n)->next) {
        const snCoatContact *c = &g->contacts[n / 2];
        snVec3 force = snScale(1 / h, impulseOn(g, n));
        snArticulated_Push(b->tree, b->state, c->side[n % 2].link, c->point, force);
    }
    for (int l = 0; l < b->linkCount; l++)
        snArticulated_Twist(b->tree, b->state, l, snScale(1 / h, b->twists[l]));
}

// What touches, with or without a force, does not bulge: it would go into what it touches.
static void markTouching(snCoatGroup *g, snCoatBody *b)
{
    memset(b->moved, 0, (size_t)b->cylinderCount);
    for (int n = b->firstSide; n >= 0; n = snCoatGroup_Side(g, n)->next) {
        const snCoatSide *side = snCoatGroup_Side(g, n);
        for (int k = 0; k < side->count; k++)
            b->moved[b->first[side->element] + side->cylinder[k]] = 1;
    }
}

// Flesh is put to where it gave way to, and its zone follows. What was pushed is not moved by other pushes.
static void deform(snCoatGroup *g, int number)
{
    const snCoatSide *side = snCoatGroup_Side(g, number);
    snCoatBody *b = side->body;
    int e = side->element;
    const snCoatElement *ce = &b->coating->elements[e];
    snVec3 force = snMulTMV(b->frames[ce->joint].linear, impulseOn(g, number));
    for (int k = 0; k < side->count; k++) {
        int i = side->cylinder[k];
        double length = b->freely[b->first[e] + i] - side->give[k];
        if (length >= b->lengths[e][i]) continue; // another contact has pushed it as far
        snPush push = snMakePush(i, length);
        push.force = force;
        snPropagate(&ce->element, &ce->propagation, &push, b->lengths[e], b->moved + b->first[e],
                    b->scratch);
        snElement_Strike(&ce->element, &b->flesh[e], i, b->lengths[e][i], 0);
    }
}

// What zones bulged into colliders, or links moved there beyond what was foreseen, ends at their surface.
static bool clip(snCoatBody *b)
{
    bool any = false;
    for (int k = 0; k < b->step.colliderCount; k++) {
        snBox bounds = snCollider_Bounds(&b->step.colliders[k]);
        for (int e = 0; e < b->coating->elementCount; e++) {
            const snCoatElement *ce = &b->coating->elements[e];
            if (!snBoxOverlap(bounds, b->boxes[e])) continue;
            for (int i = 0; i < ce->element.count; i++) {
                snTouch touch;
                if (!snCollider_Query(&b->step.colliders[k], b->samples[b->first[e] + i], 0,
                                      &touch))
                    continue;
                snVec3 axis = snMulMV(b->frames[ce->joint].linear, ce->element.axis[i]);
                double slant = -snDot(axis, touch.normal);
                if (!(touch.distance < 0) || slant < LEAST_CLIP) continue;
                double length = b->lengths[e][i] + touch.distance / slant;
                snElement_Strike(&ce->element, &b->flesh[e], i, length, 0);
                any = true;
            }
        }
    }
    return any;
}

// Before the step, or after it.
static snCoatEnergy sumOf(const snCoatGroup *g, int when)
{
    snCoatEnergy sum = {0};
    for (int b = 0; b < g->count; b++) {
        const snCoatEnergy *one = &g->bodies[b]->energy[when];
        sum.kinetic += one->kinetic, sum.stored += one->stored, sum.mass += one->mass;
    }
    return sum;
}

// More motion than there was, and than what was stored has given.
static bool jumped(const snCoatGroup *g)
{
    snCoatEnergy before = sumOf(g, 0), after = sumOf(g, 1);
    double given = fmax(0, before.stored - after.stored);
    double allowed = before.kinetic * (1 + GAIN) + given + LEAST_GAIN * before.mass;
    return after.kinetic > allowed;
}

// ---- parts of a step, body by body on any thread ------------------------------------------------------------

static void predictSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snCoatBody *b = g->bodies[i];
        b->energy[1] = (snCoatEnergy){0};
        if (snCoatBody_Rests(b)) b->energy[0] = b->energy[1];
        if (snCoatBody_Rests(b) || b->ahead) continue;
        if (g->watched) b->energy[0] = snCoatBody_Energy(b);
        predict(b, g->h, g->share);
        b->ahead = true;
    }
}

// Back to the begin; what touches nothing is where it goes already.
static void prepareSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snCoatBody *b = g->bodies[i];
        if (b->firstSide < 0) continue;
        memset(b->pressed, 0, (size_t)b->cylinderCount * sizeof *b->pressed);
        memset(b->twists, 0, (size_t)b->linkCount * sizeof *b->twists);
        returnLinks(b);
        snArticulated_Prepare(b->tree, b->state, g->h);
        snCoatBody_PrepareAnswers(b);
    }
}

static void goWithImpulses(snCoatGroup *g, snCoatBody *b)
{
    loadForces(b);
    pushLinks(g, b, g->h);
    advanceLinks(b, g->h, g->share);
    motionOf(b, b->kick, b->kickSpin);
    for (int l = 0; l < b->linkCount; l++) {
        b->kick[l] = snSub(b->kick[l], b->velocityFree[l]);
        b->kickSpin[l] = snSub(b->kickSpin[l], b->spinFree[l]);
    }
    markTouching(g, b);
    for (int n = b->firstSide; n >= 0; n = snCoatGroup_Side(g, n)->next)
        if (g->contacts[n / 2].push > 0) deform(g, n);
}

static void finishSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snCoatBody *b = g->bodies[i];
        if (snCoatBody_Rests(b)) continue;
        memset(b->kick, 0, (size_t)b->linkCount * sizeof *b->kick);
        memset(b->kickSpin, 0, (size_t)b->linkCount * sizeof *b->kickSpin);
        snCoatBody_Remember(g, b);
        if (b->firstSide >= 0) goWithImpulses(g, b);
        if (b->thrustCount) snCoatBody_Press(b, g->h);
        if (g->share >= 1) {
            if (b->firstSide >= 0 || b->thrustCount) snCoatBody_PlaceSamples(b);
            if (clip(b)) snCoatBody_PlaceSamples(b);
        }
        if (g->watched) b->energy[1] = snCoatBody_Energy(b);
    }
}

// How fast contacts close, in lengths of their cylinders per second: the fastest of each body, and of all.
static double findClosing(snCoatGroup *g)
{
    double most = 0;
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        snCoatBody *b = c->side[0].body;
        if (c->hold) continue;
        double length = b->coating->elements[c->side[0].element].element.rest[c->sample];
        double closing = -snDot(c->slip, c->normal) / length;
        b->closing = fmax(b->closing, closing);
        most = fmax(most, closing);
    }
    return most;
}

// False: something closes too fast, and nothing was done but looking ahead.
static bool takeOnce(snCoatGroup *g, double h, double share, double most)
{
    g->h = h, g->share = share;
    for (int b = 0; b < g->count; b++)
        g->bodies[b]->ahead = false;
    do {
        snParallelFor(&g->tasks, g->count, 1, predictSome, g);
    } while (!snCoatGroup_Find(g, h, share));
    if (h * findClosing(g) > most) return false;
    snCoatGroup_ListSides(g);
    snParallelFor(&g->tasks, g->count, 1, prepareSome, g);
    snCoatGroup_Solve(g);
    snParallelFor(&g->tasks, g->count, 1, finishSome, g);
    return true;
}

static void takeStep(snCoatGroup *g, double h, double share, double whole, int halvings);

static void takeHalves(snCoatGroup *g, double h, double share, double whole, int halvings)
{
    takeStep(g, h / 2, share - h / 2 / whole, whole, halvings + 1);
    takeStep(g, h / 2, share, whole, halvings + 1);
}

// From `share` - h / H of the world's step to `share` of it. Where contacts closed too fast in the last step they are thought to do so
// again.
static void takeStep(snCoatGroup *g, double h, double share, double whole, int halvings)
{
    double most = halvings < FAST_HALVINGS ? mostClosing[halvings] : INFINITY;
    if (h * g->closing > most) {
        takeHalves(g, h, share, whole, halvings);
        return;
    }
    bool watched = g->watched = halvings < MOST_HALVINGS && snCoatGroup_IsLeftAlone(g);
    bool taken = takeOnce(g, h, share, most);
    if (taken && (!watched || !jumped(g))) return;
    g->jumps += taken;
    for (int b = 0; b < g->count; b++) {
        if (snCoatBody_Rests(g->bodies[b])) continue;
        returnLinks(g->bodies[b]);
        returnFlesh(g->bodies[b]);
        snCoatBody_Pose(g->bodies[b]);
    }
    takeHalves(g, h, share, whole, halvings);
}

void snCoatGroup_Step(snCoatGroup *g)
{
    int substeps = 1, first = 0;
    while (first < g->count - 1 && g->bodies[first]->skipped)
        first++;
    double length = g->bodies[first]->step.length;
    g->dropped = g->jumps = 0;
    g->closing = 0;
    snSets_Begin(g->partner, g->count);
    for (int b = 0; b < g->count; b++) {
        g->bodies[b]->number = b;
        if (g->bodies[b]->skipped) continue;
        g->closing = fmax(g->closing, g->bodies[b]->closing);
        g->bodies[b]->closing = 0;
    }
    snCoatGroup_WakeActed(g);
    snCoatGroup_Count(g);
    for (int b = 0; b < g->count; b++)
        if (!g->bodies[b]->skipped && g->bodies[b]->def.substeps > substeps)
            substeps = g->bodies[b]->def.substeps;
    for (int s = 0; s < substeps; s++)
        takeStep(g, length / substeps, (s + 1.0) / substeps, length, 0);
    snCoatGroup_Part(g);
    snCoatGroup_Pay(g);
    snCoatGroup_Sound(g);
    snCoatGroup_Sleep(g);
    g->bodies[first]->report.contact.dropped = g->dropped; // the group's as a whole
}
