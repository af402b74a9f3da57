// Which samples touch what, at the first guess of a step.
//
// Contacts that give way (contact.c) ask each collider where a sample would be. Exact ones ask along the
// way that it goes (collider.h), so that nothing is between two steps that it could pass through, and have
// room for three colliders, as in the corner of a box.
#include "body/lattice/contact_parts.h"

#include "body/lattice/active.h"
#include "body/lattice/self_contact.h"
#include "contact/law.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/primitive.h"

#define GRAIN 128     // samples per piece of a parallel loop
#define SLACK 4       // in reaches: drawn surfaces may be so far from the lattice's
#define LATE 0.9      // of where contact begins: where it does for late samples
#define EXIT 20       // reaches per second: late samples come out no faster
#define BEHIND 0.25   // of a reach: as far behind a side a sample still is held at it
#define FAST 1        // reaches in a step
#define MOST_SWAY 10  // reaches
#define LATE_SWAY 0.1 // of the sway: how far late samples are looked for

snContactRecord *snLatticeContacts_Take(snLatticeContacts *c, int s, double gap)
{
    snContactRecord *own = c->records + (size_t)s * (size_t)(c->touches + 1), *r = own;
    if (c->found[s] < c->touches) return own + c->found[s]++;
    for (int k = 1; k < c->touches; k++)
        if (own[k].bound > r->bound) r = &own[k];
    return r->bound <= gap ? NULL : r;
}

// How far a row falls in a step beyond where its velocity leads it, while nothing touches.
static snVec3 freeFall(const snLatticeContacts *c, int first, int count, const int *vertex,
                       const double *weight)
{
    double h = c->model->def.step;
    snVec3 sum = {0, 0, 0};
    for (int k = first; k < first + count; k++) {
        const double *t = c->state->target + 4 * (size_t)vertex[k];
        const double *x = c->state->position + 4 * (size_t)vertex[k];
        const double *v = c->state->velocity + 4 * (size_t)vertex[k];
        snVec3 more = {t[0] - x[0] - h * v[0], t[1] - x[1] - h * v[1], t[2] - x[2] - h * v[2]};
        if (vertex[k] < c->model->freeCount) sum = snMulAdd(sum, weight[k], more);
    }
    return sum;
}

// How a sample comes in that is to bounce. It is at a gap γ above where contact begins and comes in at a
// speed v, which an acceleration a makes larger:
//
//     u = √(v² + 2 a γ) after τ = 2 γ / (v + u),
//
// and what is left of the step it goes away, from e u on. The step's end then has it at
//
//     e u (h - τ) - ½ a (h - τ)²   with   e u - a (h - τ).
void snLatticeContacts_FindBounce(const snLatticeContacts *c, snContactRecord *r, double e,
                                  snVec3 move)
{
    double h = c->model->def.step;
    const snLatticeState *state = c->state, *other = r->other ? r->other->state : state;
    snVec3 from = snRecordPlace(c, r, state->position, other->position);
    snVec3 speed = snRecordPlace(c, r, state->velocity, other->velocity);
    double v = r->drift - snDot(r->normal, speed);
    if (!(v > c->slow)) return;
    snVec3 fall = freeFall(c, c->start[r->sample], c->start[r->sample + 1] - c->start[r->sample],
                           c->vertex, c->weight);
    if (r->other)
        fall = snAdd(fall, freeFall(r->other, 0, r->otherCount, r->otherVertex, r->otherWeight));
    double a = fmax(-snDot(r->normal, fall) / (h * h), 0);
    double gap = fmax(snDot(r->normal, snAdd(from, move)) + r->constant - r->thick, 0);
    double u = sqrt(v * v + 2 * a * gap), left = h - 2 * gap / (v + u);
    if (!(left > 0 && e * u > a * left)) return;
    r->bounce = e * u - a * left;
    r->thick += e * u * left - 0.5 * a * left * left;
}

// Gaps at a step's begin.
static double gapBefore(const snLatticeContacts *c, const snContactRecord *r, snVec3 move)
{
    const snLatticeState *other = r->other ? r->other->state : c->state;
    snVec3 from = snRecordPlace(c, r, c->state->position, other->position);
    return snDot(r->normal, snAdd(from, move)) + r->constant;
}

// What is inside when a step begins is not thrown out, which would be a shock to the flesh around it, but creeps.
// Of late samples that is always so. Early ones are what holds a body out, and must be out at the step's end, or
// what a step leaves of their conditions would add up, and they would creep in. So they creep only where they were
// in when the body was put there, and by a plan: at first as deep as they are, and from then on less by EXIT reaches
// per second, wherever they are. A plan ends, and nothing begins another.
void snLatticeContacts_LimitExit(snLatticeContacts *c, snContactRecord *r, snVec3 move)
{
    double pace = EXIT * c->reach * c->model->def.step, gap = gapBefore(c, r, move);
    if (r->sample >= c->early) {
        r->thick = snGapToAsk(gap, LATE * r->thick, pace);
        return;
    }
    double *plan = &c->plan[r->sample];
    if (c->plan[c->sampleCount] > 0) *plan = fmax(*plan, r->thick - gap); // the first step
    if (*plan > 0) r->thick = snGapToAsk(fmax(gap, r->thick - *plan), r->thick, pace);
}

void snLatticeContacts_FollowPlans(snLatticeContacts *c)
{
    double pace = EXIT * c->reach * c->model->def.step;
    c->plan[c->sampleCount] = 0;
    for (int s = 0; s < c->early; s++)
        c->plan[s] = fmax(c->plan[s] - pace, 0);
}

// A plane that a sample was behind when the step began is of a side that it never came to: it went past an edge,
// or only the first guess did. But what is a little inside is held at its side, and so is what began there.
static bool wasAhead(const snLatticeContacts *c, int s, const snTouch *touch)
{
    snVec3 from = snAdd(snSampleBegin(c, s), touch->move);
    double gap = snDot(touch->normal, snSub(from, touch->point));
    return c->plan[c->sampleCount] > 0 || gap > -fmax(BEHIND * c->reach, c->plan[s]);
}

// Late samples count where they are inside or may come to be, or pushed in the step before.
bool snLatticeContacts_Counts(const snLatticeContacts *c, int s, int who, const snTouch *touch)
{
    if (!wasAhead(c, s, touch)) return false;
    if (s < c->early || touch->distance < LATE * c->thickness + LATE_SWAY * c->sway) return true;
    const snSampleMemory *memory = snLatticeContacts_Memory(c, s, who);
    return memory && memory->touching;
}

// What is drawn beyond the lattice and moves is as what it touches moving the other way.
static void keepTouch(snLatticeContacts *c, int s, int who, const snTouch *touch, snVec3 offset)
{
    snVec3 move = snSub(touch->move, snSampleCarried(c, s));
    snContactRecord *r = snLatticeContacts_Take(c, s, touch->distance);
    if (!r) return;
    snFriction before = snLatticeContacts_Friction(c, s, who);
    snVec3 slip = snSub(before.slip, move);
    double push = snMixFriction(c->friction, c->colliders[who].friction) * before.force;
    *r = (snContactRecord){.sample = s,
                           .who = who,
                           .normal = touch->normal,
                           .constant = snDot(touch->normal, snSub(offset, touch->point)),
                           .thick = c->thickness,
                           .stiffness = c->stiffness[s],
                           .hard = c->stiffness[s],
                           .drift = snDot(touch->normal, move) / c->model->def.step,
                           .bound = touch->distance,
                           .slide = push / c->stiffness[s],
                           .slip = snAlongSurface(slip, touch->normal)};
    double e = snMixRestitution(c->restitution, c->colliders[who].restitution);
    if (c->dual) snLatticeContacts_LimitExit(c, r, move);
    if (c->dual && e > 0) snLatticeContacts_FindBounce(c, r, e, move);
}

// What the drawn surface has at a sample beyond the lattice, o = drawn - Σ w p', p' the rig.
static snVec3 offsetOf(const snLatticeContacts *c, int s)
{
    if (c->offset[1] || !c->rig.place) return snSampleOffset(c, s, 1);
    return snSub(c->rig.place(c->rig.user, s), snSamplePlace(c, s, c->rigRows));
}

static void findTouches(int begin, int end, int worker, void *context)
{
    (void)worker;
    snLatticeContacts *c = context;
    for (int s = begin; s < end; s++) {
        snVec3 place = c->place[s] = snSamplePlace(c, s, c->state->next), offset = {0, 0, 0};
        bool known = !c->rig.place && !c->offset[1];
        c->found[s] = 0;
        if (!(c->stiffness[s] > 0)) continue;
        for (int k = 0; k < c->colliderCount; k++) {
            snTouch touch;
            if (!snBox_Contains(c->boxes[k], place)) continue;
            if (!known) offset = offsetOf(c, s), known = true;
            if (snCollider_Query(&c->colliders[k], snAdd(place, offset), c->reach, &touch))
                keepTouch(c, s, k, &touch, offset);
        }
    }
}

static void findSwept(int begin, int end, int worker, void *context)
{
    (void)worker;
    snLatticeContacts *c = context;
    for (int s = begin; s < end; s++) {
        snVec3 to = c->place[s], from = snSampleBegin(c, s);
        snBox way = {snMin(from, to), snMax(from, to)};
        c->found[s] = 0;
        if (!(c->stiffness[s] > 0) || !snIsFinite3(to)) continue;
        for (int k = 0; k < c->colliderCount; k++) {
            snTouch touch;
            if (snBoxOverlap(c->boxes[k], way) &&
                snCollider_Sweep(&c->colliders[k], from, to, c->reach + c->sway, &touch) &&
                snLatticeContacts_Counts(c, s, k, &touch))
                keepTouch(c, s, k, &touch, snSampleOffset(c, s, 1));
        }
    }
}

// Where samples are at the first guess, and how far they go. What bumps into something ends elsewhere than the guess
// has it: flesh that is pressed together at one side comes out at another. So all that is as near as
// this to something may touch it, where it is much more than a reach.
static void findWays(snLatticeContacts *c)
{
    c->sway = 0;
    for (int s = 0; s < c->sampleCount; s++) {
        c->place[s] = snAdd(snSamplePlace(c, s, c->state->next), snSampleOffset(c, s, 1));
        double way = snDistance(c->place[s], snSampleBegin(c, s));
        if (way > c->sway && isfinite(way)) c->sway = way;
    }
    c->sway = fmin(fmax(c->sway - FAST * c->reach, 0), MOST_SWAY * c->reach);
}

// Records stand at several places for each sample; now one after another.
static void gather(snLatticeContacts *c)
{
    int count = 0;
    for (int s = 0; s < c->sampleCount; s++)
        for (int k = 0; k < c->found[s]; k++) {
            snContactRecord *r = &c->records[count++];
            *r = c->records[(size_t)s * (size_t)(c->touches + 1) + (size_t)k];
            if (r->who != SN_CONTACT_SELF) r->bound = INFINITY;
            const double *other = r->other ? r->other->state->position : c->state->position;
            r->before = snRecordPlace(c, r, c->state->position, other);
        }
    c->recordCount = count;
}

// A collider's box, over all of a step where samples are swept.
static snBox boxOf(const snLatticeContacts *c, const snCollider *collider, double slack)
{
    snBox box = snCollider_Bounds(collider);
    if (c->dual) {
        snCollider before = *collider;
        before.end = before.begin;
        snBox old = snCollider_Bounds(&before);
        box = (snBox){snMin(box.lower, old.lower), snMax(box.upper, old.upper)};
    }
    return snBox_Grow(box, slack);
}

void snLatticeContacts_Look(snLatticeContacts *c, const snLatticeState *state, const double *rig)
{
    SN_ASSERT(state->lanes == 1 && c->colliderCount <= SN_MOST_COLLIDERS);
    c->state = state;
    c->acting = snActive_Hash(c->model, state);
    c->rigRows = rig;
    if (c->dual) findWays(c);
    double slack = c->reach * (c->rig.place || c->offset[1] ? 1 + SLACK : 1) + c->sway;
    for (int k = 0; k < c->colliderCount; k++)
        c->boxes[k] = boxOf(c, &c->colliders[k], slack);
    snParallelFor(&c->model->context.tasks, c->sampleCount, GRAIN,
                  c->dual ? findSwept : findTouches, c);
    if (c->self) snSelfContact_Find(c->self, c);
}

int snLatticeContacts_Gather(snLatticeContacts *c)
{
    gather(c);
    return c->recordCount;
}

int snLatticeContacts_Begin(snLatticeContacts *c, const snLatticeState *state, const double *rig)
{
    c->state = state;
    c->recordCount = 0;
    c->sway = 0;
    if (!c->colliderCount && !c->self) return 0; // alone in the world
    snLatticeContacts_Look(c, state, rig);
    return snLatticeContacts_Gather(c);
}
