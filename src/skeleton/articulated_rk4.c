// Runge and Kutta's step of fourth order: q' = ½ q u as four numbers, made unit at the end; what the length
// lacks is of the method's own order. Springs, dampers and friction are explicit.
#include "skeleton/articulated_parts.h"

#include <math.h>
#include <string.h>

#define CREEP 1e-3 // rad/s, at which explicit friction is whole

// Explicit friction: full against any motion that can be seen.
static void rubExplicitly(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++) {
        double most = s->drives[l].friction;
        if (!snTree_Turns(&tree->links[l]) || !(most > 0)) continue;
        snVec3 spin = s->links[l].spin;
        snVec3 torque = snScale(-most / fmax(snLength(spin), CREEP), spin);
        if (tree->links[l].def.kind == SN_LINK_BALL) torque = snTree_Outward(&s->places[l], torque);
        s->loads[l].torque = snAdd(s->loads[l].torque, torque);
    }
}

static void findRates(const snArticulated *tree, snArticulatedState *s, snVec3 gravity)
{
    snTree_LoadForces(tree, s, gravity);
    snTree_LoadDrives(tree, s, 0);
    rubExplicitly(tree, s);
    snTree_Factor(tree, s);
    snTree_Solve(tree, s, s->loads);
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        const snLinkState *state = &s->links[l];
        snLinkState rate = {.spin = snTree_SpinRate(link, &s->places[l], &s->loads[l])};
        snVec3 u = state->spin;
        snQuat turn = snMulQQ(state->rotation, (snQuat){0.5 * u.x, 0.5 * u.y, 0.5 * u.z, 0});
        if (link->def.kind == SN_LINK_BALL || link->def.kind == SN_LINK_FREE) rate.rotation = turn;
        if (link->def.kind == SN_LINK_HINGE) rate.angle = u.x;
        if (link->def.kind == SN_LINK_FREE) {
            rate.place = state->velocity;
            rate.velocity = s->loads[l].motion.move;
        }
        s->rate[l] = rate;
    }
}

// to = from + a rate
static snLinkState forward(const snLinkState *from, double a, const snLinkState *rate)
{
    snLinkState to = *from;
    snQuat q = from->rotation, d = rate->rotation;
    to.rotation = (snQuat){q.x + a * d.x, q.y + a * d.y, q.z + a * d.z, q.w + a * d.w};
    to.place = snMulAdd(from->place, a, rate->place);
    to.spin = snMulAdd(from->spin, a, rate->spin);
    to.velocity = snMulAdd(from->velocity, a, rate->velocity);
    to.angle = from->angle + a * rate->angle;
    return to;
}

static void putLeads(const snArticulated *tree, snArticulatedState *s, double fraction, double h)
{
    for (int r = 0; r < tree->rootCount; r++) {
        int l = tree->roots[r];
        if (tree->links[l].def.kind != SN_LINK_DRIVEN) continue;
        s->links[l] = s->begin[l];
        snRootLead lead = snTree_Lead(s, l, h);
        snLinkState *state = &s->links[l];
        state->place = snLerp(state->place, lead.place, fraction);
        state->rotation = snSlerp(state->rotation, lead.rotation, fraction);
        snVec3 spin = snRotate(s->begin[l].rotation, s->begin[l].spin);
        spin = snLerp(spin, lead.spin, fraction);
        state->velocity = snLerp(state->velocity, lead.velocity, fraction);
        state->spin = snRotate(snConjugate(state->rotation), spin);
    }
}

// Goes on from the step's begin by what was found last.
static void putStage(const snArticulated *tree, snArticulatedState *s, double fraction, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        s->links[l] = forward(&s->begin[l], fraction * h, &s->rate[l]);
        s->links[l].rotation = snNormalizeQ(s->links[l].rotation);
    }
    putLeads(tree, s, fraction, h);
    snArticulated_Update(tree, s);
}

// Mean of what acts from outside, for momenta.
static void addOutside(const snArticulated *tree, snArticulatedState *s, snVec3 gravity,
                       double weight)
{
    snTree_Sum(tree, s, gravity, s->after);
    for (int r = 0; r < tree->rootCount; r++) {
        s->before[r].pushed = snMulAdd(s->before[r].pushed, weight, s->after[r].pushed);
        s->before[r].twisted = snMulAdd(s->before[r].twisted, weight, s->after[r].twisted);
    }
}

void snTree_StepRungeKutta(const snArticulated *tree, snArticulatedState *s,
                           const snArticulatedStep *step)
{
    static const double fraction[4] = {0, 0.5, 0.5, 1},
                        weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    size_t bytes = (size_t)tree->linkCount * sizeof *s->links;
    double h = step->length;
    memcpy(s->begin, s->links, bytes);
    memset(s->sum, 0, bytes);
    snTree_Sum(tree, s, step->gravity, s->before);
    for (int r = 0; r < tree->rootCount; r++)
        s->before[r].pushed = s->before[r].twisted = snVec(0, 0, 0);
    snTree_LoadLeads(tree, s, h);
    for (int stage = 0; stage < 4; stage++) {
        if (stage) putStage(tree, s, fraction[stage], h);
        addOutside(tree, s, step->gravity, weight[stage]);
        findRates(tree, s, step->gravity);
        for (int l = 0; l < tree->linkCount; l++)
            s->sum[l] = forward(&s->sum[l], weight[stage], &s->rate[l]);
    }
    memcpy(s->rate, s->sum, bytes);
    putStage(tree, s, 1, h);
    snTree_FinishLeads(tree, s, s->begin, h);
    snArticulated_Update(tree, s);
    snTree_KeepMomentum(tree, s, h);
}
