// Steps of articulated trees: the implicit one.
//
//     1. forces   (M + hC + h²K) (u' - u) = h Q, at the places that are: springs and dampers as they will be
//                 at the step's end (articulated_load.c), friction.
//     2. move     q <- q exp(h u'), which stays unit.
//     3. carry    u: every link would fly on as a free body, v* and ω*; joints at their new places allow
//                 some velocities only, and of these the nearest in kinetic energy is taken:
//                     M u = Jᵀ 𝓜 (v*, ω*),   M = Jᵀ 𝓜 J at the new places.
//
// The third is what centrifugal and Coriolis forces do, M u = M u' - h Jᵀ𝓜 J' u' + O(h²), but it can never
// bring in energy: a projection makes nothing longer, and free bodies keep theirs. Taken as forces
// at the step's begin they do, and a limp chain at 60 Hz is torn apart by them within a second. What energy it
// takes, and what it leaves undone to angular momentum, is given back in the end (articulated_keep.c).
//
// A free body turns by J ω' + ω × J ω = 0 in its own frame. The midpoint rule, J (ω* - ω) = -h ω̄ × J ω̄,
// keeps ½ ω·Jω; ω̄ = (ω + ω*)/2 is found by two solutions with the factor ω̄ before × held, and a last scaling
// makes the energy exact.
#include "skeleton/articulated_parts.h"

#include "core/elementary.h"

#include <string.h>

#define MOST_TRIES 8
#define MOST_TURN 0.25 // radians, of a link in a part of a step
#define MOST_PARTS 16

snRootLead snTree_Lead(const snArticulatedState *s, int l, double h)
{
    const snLinkState *state = &s->links[l];
    snRootLead lead = {.place = state->place, .rotation = state->rotation};
    if (!s->leads[l].led) return lead;
    lead.place = s->leads[l].place;
    lead.rotation = s->leads[l].rotation;
    if (s->ahead < 1) {
        lead.place = snLerp(state->place, lead.place, s->ahead);
        lead.rotation = snSlerp(state->rotation, lead.rotation, s->ahead);
    }
    lead.velocity = snScale(1 / h, snSub(lead.place, state->place));
    snQuat turn = snMulQQ(lead.rotation, snConjugate(state->rotation));
    lead.spin = snScale(1 / h, snQuatToVector(snNormalizeQ(turn)));
    return lead;
}

void snTree_LoadLeads(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int r = 0; r < tree->rootCount; r++) {
        int l = tree->roots[r];
        if (tree->links[l].def.kind != SN_LINK_DRIVEN) continue;
        snRootLead lead = snTree_Lead(s, l, h);
        snSpatial now = s->places[l].velocity;
        s->loads[l].motion.turn = snScale(1 / h, snSub(lead.spin, now.turn));
        s->loads[l].motion.move = snScale(1 / h, snSub(lead.velocity, now.move));
    }
}

void snTree_LeadVelocities(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int r = 0; r < tree->rootCount; r++) {
        int l = tree->roots[r];
        if (tree->links[l].def.kind != SN_LINK_DRIVEN) continue;
        snRootLead lead = snTree_Lead(s, l, h);
        s->links[l].velocity = lead.velocity;
        s->links[l].spin = snRotate(snConjugate(s->links[l].rotation), lead.spin);
    }
}

void snTree_FinishLeads(const snArticulated *tree, snArticulatedState *s, const snLinkState *begin,
                        double h)
{
    for (int r = 0; r < tree->rootCount; r++) {
        int l = tree->roots[r];
        if (tree->links[l].def.kind != SN_LINK_DRIVEN) continue;
        snLinkState *state = &s->links[l];
        *state = begin[l];
        snRootLead lead = snTree_Lead(s, l, h);
        state->place = lead.place;
        state->rotation = lead.rotation;
        state->velocity = lead.velocity;
        state->spin = snRotate(snConjugate(lead.rotation), lead.spin);
    }
}

// Acceleration of a joint's spin, in the link's frame.
snVec3 snTree_SpinRate(const snLink *link, const snLinkPlace *place, const snLinkLoad *load)
{
    if (link->def.kind == SN_LINK_BALL) return snTree_Inward(place, load->joint);
    if (link->def.kind == SN_LINK_HINGE) return snVec(load->joint.x, 0, 0);
    if (link->def.kind == SN_LINK_FREE) return snTree_Inward(place, load->motion.turn);
    return snVec(0, 0, 0);
}

// 1: changes of velocity are accelerations times h; products of velocities are left to the third part.
static void solveOnce(const snArticulated *tree, snArticulatedState *s,
                      const snArticulatedStep *step, bool rubs)
{
    double h = step->length;
    snTree_LoadLeads(tree, s, h);
    snTree_LoadStill(tree, s, step->gravity);
    snTree_LoadDrives(tree, s, h);
    if (rubs) snTree_LoadFriction(tree, s, h);
    snTree_Factor(tree, s);
    snTree_Solve(tree, s, s->loads);
}

static void accelerate(const snArticulated *tree, snArticulatedState *s,
                       const snArticulatedStep *step)
{
    if (!snTree_HasFriction(tree, s)) {
        solveOnce(tree, s, step, false);
        return;
    }
    snTree_LoadDrives(tree, s, step->length);
    snTree_BeginFriction(tree, s, step->length);
    for (int i = 0; i < MOST_TRIES; i++) {
        solveOnce(tree, s, step, true);
        if (i + 1 == MOST_TRIES || snTree_JudgeFriction(tree, s, step->length)) break;
    }
}

static void speedUp(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        snLinkState *state = &s->links[l];
        snVec3 rate = snTree_SpinRate(link, &s->places[l], &s->loads[l]);
        state->spin = snMulAdd(state->spin, h, rate);
        if (link->def.kind == SN_LINK_FREE)
            state->velocity = snMulAdd(state->velocity, h, s->loads[l].motion.move);
    }
}

// 2
static void move(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        snLinkState *state = &s->links[l];
        snLinkKind kind = tree->links[l].def.kind;
        if (kind == SN_LINK_HINGE) state->angle += h * state->spin.x;
        if (kind == SN_LINK_BALL || kind == SN_LINK_FREE)
            state->rotation =
                snNormalizeQ(snMulQQ(state->rotation, snQuatFromVector(snScale(h, state->spin))));
        if (kind == SN_LINK_FREE) state->place = snMulAdd(state->place, h, state->velocity);
    }
}

// (J + h/2 [ω̄] J) ω* = (J - h/2 [ω̄] J) ω, for the ω̄ that is given. The matrix is (1 + h/2 [ω̄]) J, and the
// first factor has an inverse for any h.
static snVec3 turnOnce(snMat3 inertia, snVec3 mean, snVec3 spin, double h)
{
    snMat3 cross = snScaleM(0.5 * h, snCrossMatrix(mean));
    snVec3 momentum = snMulMV(inertia, spin);
    snVec3 right = snSub(momentum, snMulMV(cross, momentum));
    snMat3 left = snAddMM(snIdentity3(), cross);
    return snMulMV(snInverse3(inertia), snMulMV(snInverse3(left), right));
}

// Links that are thin to a line, or weigh nothing, have no inertia to divide by: they turn on as they do.
static snVec3 turnFreely(const snMat3 *inertia, snVec3 spin, double h)
{
    double size = snTrace(*inertia);
    if (!(snDet(*inertia) > 1e-12 * size * size * size)) return spin;
    snVec3 next = turnOnce(*inertia, spin, spin, h);
    next = turnOnce(*inertia, snScale(0.5, snAdd(spin, next)), spin, h);
    double before = snDot(spin, snMulMV(*inertia, spin));
    double after = snDot(next, snMulMV(*inertia, next));
    return after > 0 ? snScale(sqrt(before / after), next) : next;
}

// Velocities of centres of mass, and spins in the links' frames, as they are on the way: into `loads`,
// before anything is at its new place.
static void keepMotion(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        snVec3 spin = snTree_Inward(place, place->velocity.turn);
        s->loads[l].motion.turn = turnFreely(&tree->links[l].def.inertia, spin, h);
        s->loads[l].motion.move = snMotionAt(place->velocity, place->mass).move;
    }
}

// 3: momenta that links bring along, about their joints' new places, as forces to be answered by velocities.
static void carry(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        const snLinkPlace *place = &s->places[l];
        snVec3 spin = snTree_Outward(place, s->loads[l].motion.turn);
        snSpatial brought = {snMulMV(place->inertia, spin),
                             snScale(link->def.mass, s->loads[l].motion.move)};
        brought = snForceFrom(brought, place->mass);
        s->loads[l] = (snLinkLoad){.force = snScaleS(-1, brought)};
        if (link->def.kind == SN_LINK_DRIVEN) s->loads[l].motion = place->velocity;
        s->stiff[l] = (snJointStiff){0};
    }
    snTree_Factor(tree, s);
    snTree_Solve(tree, s, s->loads);
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        if (link->def.kind == SN_LINK_DRIVEN) continue;
        s->links[l].spin = snTree_SpinRate(link, &s->places[l], &s->loads[l]);
        if (link->def.kind == SN_LINK_FREE) s->links[l].velocity = s->loads[l].motion.move;
    }
}

static double fastestTurn(const snArticulated *tree, const snArticulatedState *s)
{
    double most = 0;
    for (int l = 0; l < tree->linkCount; l++)
        most = fmax(most, snLengthSquared(s->places[l].velocity.turn));
    return sqrt(most);
}

static void stepImplicit(const snArticulated *tree, snArticulatedState *s,
                         const snArticulatedStep *step)
{
    double h = step->length;
    snTree_Sum(tree, s, step->gravity, s->before);
    accelerate(tree, s, step);
    speedUp(tree, s, h);
    if (snTree_HasFriction(tree, s)) snTree_FinishFriction(tree, s);
    snTree_LeadVelocities(tree, s, h);
    snArticulated_Update(tree, s);
    snTree_Sum(tree, s, step->gravity, s->sped);
    s->turn = fmin(h * fastestTurn(tree, s), MOST_TURN);
    keepMotion(tree, s, h);
    move(tree, s, h);
    snTree_FinishLeads(tree, s, s->links, h);
    snArticulated_Update(tree, s);
    carry(tree, s);
    snArticulated_Update(tree, s);
    snTree_KeepEnergy(tree, s, h, step->gravity);
}

// A step in which links turn far is taken in parts: what is linear in it holds for small angles.
static int partsOf(const snArticulated *tree, const snArticulatedState *s, double h)
{
    double parts = ceil(h * fastestTurn(tree, s) / MOST_TURN);
    return parts > MOST_PARTS ? MOST_PARTS : parts > 1 ? (int)parts : 1;
}

static void stepInParts(const snArticulated *tree, snArticulatedState *s,
                        const snArticulatedStep *step)
{
    int parts = partsOf(tree, s, step->length);
    snArticulatedStep part = *step;
    part.length = step->length / parts;
    for (int i = parts - 1; i >= 0; i--) {
        s->ahead = 1.0 / (i + 1);
        s->late = i * part.length;
        stepImplicit(tree, s, &part);
    }
}

void snArticulated_Step(const snArticulated *tree, snArticulatedState *s,
                        const snArticulatedStep *step)
{
    if (!(step->length > 0)) return;
    if (step->method == SN_ARTICULATED_RK4)
        snTree_StepRungeKutta(tree, s, step);
    else
        stepInParts(tree, s, step);
    memset(s->push, 0, (size_t)tree->linkCount * sizeof *s->push);
    memset(s->leads, 0, (size_t)tree->linkCount * sizeof *s->leads);
}
