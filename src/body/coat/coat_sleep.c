#include "body/coat/coat_parts.h"

#include "core/sets.h"
#include "core/tasks.h"

#include <string.h>

// Bodies that rest are not computed.
//
// Bodies that touch each other are an island. When all bodies of one have been slow for a while, and something holds it up that does not
// move, it falls asleep: velocities are put to nothing, flesh stays as it is pressed, and steps leave it out. An island that flies, however
// slowly, never does: its momentum is its own. It wakes as a whole, in the step in which something comes into it; before a step in which a force,
// a hold or a motion acts on one of its bodies, in which a collider that moves is about it, or when gravity or its colliders are not
// what they were. All of it is decided body by body in the order of their numbers, from what is saved with bodies, so that threads and
// saved states make no difference.

#define SLOW 0.02 // m/s, a body's root mean square
#define WHILE 0.5 // s

static bool movesBy(const snCollider *c)
{
    return memcmp(&c->begin, &c->end, sizeof c->begin) != 0;
}

// Gravity and colliders, as one number (FNV).
static uint64_t keyOf(const snBodyStep *step)
{
    uint64_t key = 14695981039346656037u;
    const unsigned char *p = (const unsigned char *)&step->gravity;
    for (size_t i = 0; i < sizeof step->gravity; i++)
        key = (key ^ p[i]) * 1099511628211u;
    for (int k = 0; k < step->colliderCount; k++) {
        p = (const unsigned char *)&step->colliders[k].begin;
        for (size_t i = 0; i < sizeof step->colliders[k].begin; i++)
            key = (key ^ p[i]) * 1099511628211u;
    }
    return key;
}

// Nothing but contacts and gravity acts on it.
static bool isLeftAlone(const snCoatBody *b)
{
    return !(b->forceCount || b->thrustCount || b->pullCount || b->holdCount || b->led || b->acts ||
             b->follow || b->def.posture > 0);
}

static bool isMoved(const snCoatBody *b)
{
    const snLinkState *links = snArticulatedState_Links(b->state);
    for (int l = 0; l < b->linkCount; l++)
        if (snLengthSquared(links[l].velocity) + snLengthSquared(links[l].spin) > 0) return true;
    return false;
}

static bool isReached(const snCoatBody *b)
{
    for (int k = 0; k < b->step.colliderCount; k++) {
        if (!movesBy(&b->step.colliders[k])) continue;
        snBox bounds = snCollider_Bounds(&b->step.colliders[k]);
        for (int e = 0; e < b->coating->elementCount; e++)
            if (snBoxOverlap(bounds, b->boxes[e])) return true;
    }
    return false;
}

static void wake(snCoatGroup *g, int island)
{
    for (int b = 0; b < g->count; b++)
        if (g->bodies[b]->rest.island == island) g->bodies[b]->rest = (snCoatRest){0};
}

void snCoatGroup_WakeActed(snCoatGroup *g)
{
    for (int i = 0; i < g->count; i++) {
        snCoatBody *b = g->bodies[i];
        if (!b->rest.island || b->skipped) continue;
        if (!b->placed) snCoatBody_PlaceSamples(b);
        if (!isLeftAlone(b) || isMoved(b) || isReached(b) || b->rest.key != keyOf(&b->step))
            wake(g, b->rest.island);
    }
}

bool snCoatGroup_WakeTouched(snCoatGroup *g)
{
    bool any = false;
    for (int p = 0; p < g->pairCount; p++) {
        const snCoatPair *pair = &g->pairs[p];
        if (!pair->count) continue;
        int one = g->bodies[g->elementBody[pair->one]]->rest.island;
        int other = g->bodies[g->elementBody[pair->other]]->rest.island;
        if (!one == !other) continue;
        wake(g, one ? one : other);
        any = true;
    }
    return any;
}

// ---- falling asleep -----------------------------------------------------------------------------------

static void timeSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snCoatBody *b = g->bodies[i];
        snArticulatedMeasure m;
        if (snCoatBody_Rests(b)) continue;
        snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
        bool slow = b->def.sleeps && isLeftAlone(b) && 2 * m.kinetic < SLOW * SLOW * m.mass;
        b->rest.still = slow ? b->rest.still + b->step.length : 0;
    }
}

// island[b]: the least number of those that touch each other, by the contacts of the last step.
static void findIslands(snCoatGroup *g)
{
    int *island = g->island;
    snSets_Begin(island, g->count);
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        if (c->side[1].body) snSets_Join(island, c->side[0].body->number, c->side[1].body->number);
    }
    for (int b = 0; b < g->count; b++)
        island[b] = snSets_Root(island, b);
}

// An island that has all that it needs: bodies that have been still for long, and something to stand on.
static void judgeIslands(snCoatGroup *g)
{
    memset(g->calm, 0, (size_t)g->count * sizeof *g->calm);
    for (int b = 0; b < g->count; b++)
        if (g->bodies[b]->def.fixed) g->calm[g->island[b]] = 1;
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        const snCoatBody *b = c->side[0].body;
        if (c->hold || c->side[1].body || !(c->push > 0)) continue;
        if (!movesBy(&b->step.colliders[-1 - c->other])) g->calm[g->island[b->number]] = 1;
    }
    for (int b = 0; b < g->count; b++)
        if (g->bodies[b]->rest.still < WHILE) g->calm[g->island[b]] = 0;
}

static void fallAsleep(snCoatBody *b, int island)
{
    snLinkState *links = snArticulatedState_Links(b->state);
    for (int l = 0; l < b->linkCount; l++)
        links[l].velocity = links[l].spin = snVec(0, 0, 0);
    snArticulated_Update(b->tree, b->state);
    for (int l = 0; l < b->linkCount; l++)
        b->frameBegin[l] = snArticulated_Frame(b->state, l);
    for (int e = 0; e < b->coating->elementCount; e++)
        memset(b->flesh[e].speed, 0,
               (size_t)b->coating->elements[e].element.count * sizeof(double));
    memset(b->kick, 0, (size_t)b->linkCount * sizeof *b->kick);
    memset(b->kickSpin, 0, (size_t)b->linkCount * sizeof *b->kickSpin);
    b->closing = 0;
    b->rest.island = island;
    b->rest.key = keyOf(&b->step);
    snCoatBody_PlaceSamples(b);
}

void snCoatGroup_Sleep(snCoatGroup *g)
{
    snParallelFor(&g->tasks, g->count, 8, timeSome, g);
    bool any = false;
    for (int b = 0; b < g->count; b++)
        any = any || (!snCoatBody_Rests(g->bodies[b]) && g->bodies[b]->rest.still >= WHILE);
    if (!any) return;
    findIslands(g);
    judgeIslands(g);
    for (int b = 0; b < g->count; b++)
        if (g->calm[g->island[b]] && !snCoatBody_Rests(g->bodies[b]))
            fallAsleep(g->bodies[b], 1 + g->island[b]);
}
