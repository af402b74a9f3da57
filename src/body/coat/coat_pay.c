#include "body/coat/coat_parts.h"

#include <string.h>

// What a step must not gain. Where it ends flesh is put out of what it is in (clip in coat_step.c, coat_sunk.c) whatever that takes: ½ k c² of a spring
// that nobody pressed. Of flesh it is next to nothing; of what is as stiff as horn, in steps in which links go far, it would be more than all
// motion. With
//
//     E = kinetic + lifted + in joints + Σ ½ k (l - rest)²
//
// of all bodies that nothing from outside brings energy to, E' > E is paid by those that gained, each its share: links are slowed down, by √(1 - X/T) for
// an excess X of their kinetic energy T, as if they had been stopped where they touched; and what is still too much leaves
// the flesh, by √(1 - X/F) of how far it is off its rest. It then stays in what it is in, as deep as a report says, and
// the next step's contacts bring it out.
//
// It is for steps in which a body goes far, or that are long for its flesh: h² Σ k / m is large. In others contacts follow the flesh,
// what is pressed out of it comes back by its dampers, and to be out of things matters more (an octopus at rest was let sink by 6 mm).

#define GAIN 0.05       // of the energy of motion, in a step
#define LEAST_GAIN 4e-4 // J/kg: what moves by three centimetres per second does not matter
#define FAST 0.2        // of its size in a step: far
#define STIFF 100       // h² Σ k / m; of flesh about 1

static double fleshOf(const snCoatBody *b)
{
    double sum = 0;
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snElement *element = &b->coating->elements[e].element;
        const snElementMotion *f = &b->flesh[e];
        for (int i = 0; i < element->count; i++) {
            double off = f->length[i] - f->rest[i];
            sum += 0.5 * element->spring[i].stiffness * off * off;
        }
    }
    return sum;
}

snCoatEnergy snCoatBody_Energy(const snCoatBody *b)
{
    snArticulatedMeasure m;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    return (snCoatEnergy){m.kinetic, m.potential + m.elastic + fleshOf(b), m.mass};
}

bool snCoatGroup_IsLeftAlone(const snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++) {
        const snCoatBody *body = g->bodies[b];
        if (body->skipped) continue;
        if (body->forceCount || body->thrustCount || body->pullCount || body->holdCount ||
            body->def.fixed || body->def.posture > 0 || body->follow)
            return false;
        for (int k = 0; k < body->step.colliderCount; k++) {
            const snCollider *c = &body->step.colliders[k];
            if (memcmp(&c->begin, &c->end, sizeof c->begin)) return false;
        }
    }
    return true;
}

static bool isBlown(const snCoatGroup *g)
{
    bool any = false;
    for (int b = 0; b < g->count; b++)
        any |= !g->bodies[b]->skipped && g->bodies[b]->acts;
    return any;
}

// How far it goes in the step, or would fall from rest.
static bool isFast(const snCoatBody *b)
{
    double h = b->step.length, speed = sqrt(2 * b->had.kinetic / b->had.mass);
    return h * (speed + h * snLength(b->step.gravity)) > FAST * b->extent;
}

bool snCoatBody_IsTaut(const snCoatBody *b, double h)
{
    return h * h * b->stiffness > STIFF * b->mass;
}

void snCoatGroup_Count(snCoatGroup *g)
{
    bool matters = false;
    g->counted = snCoatGroup_IsLeftAlone(g) && !isBlown(g);
    for (int b = 0; b < g->count && g->counted; b++) {
        snCoatBody *body = g->bodies[b];
        if (body->skipped) continue;
        body->had = snCoatBody_Energy(body);
        matters |= isFast(body) || snCoatBody_IsTaut(body, body->step.length);
    }
    g->counted &= matters;
}

static void slowDown(snCoatBody *b, double share)
{
    snLinkState *links = snArticulatedState_Links(b->state);
    for (int l = 0; l < b->linkCount; l++) {
        links[l].spin = snScale(share, links[l].spin);
        links[l].velocity = snScale(share, links[l].velocity);
    }
    snArticulated_Update(b->tree, b->state);
}

static void relax(snCoatBody *b, double share)
{
    for (int e = 0; e < b->coating->elementCount; e++) {
        const snElement *element = &b->coating->elements[e].element;
        snElementMotion *f = &b->flesh[e];
        for (int i = 0; i < element->count; i++)
            snElement_Strike(element, f, i, f->rest[i] + share * (f->length[i] - f->rest[i]),
                             share * f->speed[i]);
    }
    snCoatBody_PlaceSamples(b);
}

double snCoatBody_Relax(snCoatBody *b, double energy)
{
    double flesh = fleshOf(b), given = fmin(energy, flesh);
    if (!(given > 0)) return 0;
    relax(b, sqrt(1 - given / flesh));
    return given;
}

static void pay(snCoatBody *b, double kinetic, double excess)
{
    double taken = fmin(excess, kinetic);
    if (taken > 0) slowDown(b, sqrt(1 - taken / kinetic));
    snCoatBody_Relax(b, excess - taken);
}

static double gainOf(const snCoatBody *b)
{
    const snCoatEnergy *has = &b->energy[1];
    return has->kinetic + has->stored - b->had.kinetic - b->had.stored;
}

void snCoatGroup_Pay(snCoatGroup *g)
{
    double excess = 0, gained = 0, allowed = 0;
    for (int b = 0; b < g->count && g->counted; b++) {
        snCoatBody *body = g->bodies[b];
        if (body->skipped) continue;
        body->energy[1] = snCoatBody_Energy(body);
        double gain = gainOf(body);
        excess += gain;
        gained += fmax(0, gain);
        allowed += GAIN * body->had.kinetic + LEAST_GAIN * body->had.mass;
    }
    if (!(excess > allowed)) return;
    for (int b = 0; b < g->count; b++) {
        double gain = g->bodies[b]->skipped ? 0 : gainOf(g->bodies[b]);
        if (gain > 0) pay(g->bodies[b], g->bodies[b]->energy[1].kinetic, excess * gain / gained);
    }
}
