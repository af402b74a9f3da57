// What a step must keep: momentum and energy.
//
// Forces within a tree leave its momentum as it is, and so do the equations that are solved, at one place; but
// velocities are carried to other places in a step, by which angular momentum drifts by the step's error. Any
// tree whose root is free can be moved as one rigid body, so what it lacks is given back that way:
//     Δv = ΔP / m,   Δω = I⁻¹ ΔS,   I and S about the centre of mass,
// and the centre is put where its momentum takes it. Of all changes of velocity with that effect it takes the least
// energy. Both momenta are then kept to rounding, but for angular momentum in steps far too long (slowWhole).
//
// Energy. Carrying velocities on (articulated_step.c) takes a share (hω)² of it each step. The motion as a whole and the
// motion within are at right angles, T = P²/2m + S·I⁻¹S/2 + T_within, so T_within is scaled until T is what it was
// before links moved on, T', less what gravity was thought to give on the way and did not, as links go in arcs:
//     T = T' - g·(h (P' + P)/2 - m Δc).
// (This is the energy that Euler's semi-implicit rule keeps, H + h/2 g·P, in its own terms.) It is not scaled up by
// more than what carrying can have taken: 50 (hω)² of it with ω the fastest link's, and no more than a quarter. A tree on
// a root that stands still has only motion within.
#include "skeleton/articulated_parts.h"

#include <math.h>

typedef struct Rigid {
    snVec3 velocity, spin; // of the centre of mass, and about it
    double kinetic;
} Rigid;

static Rigid rigidOf(const snTreeSum *sum, snVec3 momentum, snVec3 spin)
{
    Rigid rigid = {snScale(1 / sum->mass, momentum), snMulMV(snInverse3(sum->inertia), spin), 0};
    rigid.kinetic = 0.5 * (snDot(momentum, rigid.velocity) + snDot(spin, rigid.spin));
    return rigid;
}

// The root moves as the whole is to, plus `share` of how it moved beside the whole.
static void moveRoot(const snArticulatedState *s, int l, const Rigid *is, const Rigid *wanted,
                     double share, snVec3 center, snLinkState *root)
{
    const snLinkPlace *place = &s->places[l];
    snVec3 arm = snSub(place->at, center);
    snVec3 own = snAdd(is->velocity, snCross(is->spin, arm));
    snVec3 new = snAdd(wanted->velocity, snCross(wanted->spin, arm));
    root->velocity = snMulAdd(new, share, snSub(root->velocity, own));
    snVec3 within = snSub(place->velocity.turn, is->spin);
    root->spin = snTree_Inward(place, snMulAdd(wanted->spin, share, within));
}

static void scaleJoints(const snArticulated *tree, snArticulatedState *s, int r, double share)
{
    for (int l = tree->roots[r] + 1; l < tree->linkCount; l++)
        if (tree->links[l].root == r) s->links[l].spin = snScale(share, s->links[l].spin);
}

void snTree_KeepMomentum(const snArticulated *tree, snArticulatedState *s, double h)
{
    snTree_Sum(tree, s, snVec(0, 0, 0), s->after);
    for (int r = 0; r < tree->rootCount; r++) {
        const snTreeSum *before = &s->before[r], *after = &s->after[r];
        int l = tree->roots[r];
        if (tree->links[l].def.kind != SN_LINK_FREE) continue;
        snVec3 momentum = snMulAdd(before->momentum, h, before->pushed);
        snVec3 spin = snMulAdd(before->spin, h, before->twisted);
        Rigid is = rigidOf(after, after->momentum, after->spin);
        Rigid wanted = rigidOf(after, momentum, spin);
        moveRoot(s, l, &is, &wanted, 1, after->center, &s->links[l]);
        snVec3 mean = snScale(0.5, snAdd(before->momentum, momentum));
        snVec3 center = snMulAdd(before->center, h / before->mass, mean);
        s->links[l].place = snAdd(s->links[l].place, snSub(center, after->center));
    }
    snArticulated_Update(tree, s);
}

// What the motion within is to be multiplied by.
static double shareOf(double allowed, double whole, double within, double turn)
{
    if (!(allowed > whole)) return 0;
    if (!(within > 0)) return 1;
    return sqrt(fmin((allowed - whole) / within, 1 + fmin(50 * turn * turn, 0.25)));
}

// The whole turned further than its energy allows, about an axis that became too light: angular momentum gives way, for
// what would grow without bound does not look like anything.
static Rigid slowWhole(const snTreeSum *sum, const Rigid *wanted, double allowed)
{
    double straight = 0.5 * sum->mass * snLengthSquared(wanted->velocity);
    double turning = wanted->kinetic - straight;
    Rigid slower = *wanted;
    double share = allowed > straight && turning > 0 ? sqrt((allowed - straight) / turning) : 0;
    slower.spin = snScale(share, wanted->spin);
    return slower;
}

static void keepFree(const snArticulated *tree, snArticulatedState *s, int r, double h)
{
    const snTreeSum *before = &s->before[r], *sped = &s->sped[r], *after = &s->after[r];
    int l = tree->roots[r];
    Rigid is = rigidOf(after, after->momentum, after->spin);
    Rigid wanted = rigidOf(after, sped->momentum, sped->spin);
    double within = after->kinetic - is.kinetic, allowed = sped->kinetic;
    double share = shareOf(allowed, wanted.kinetic, within, s->turn);
    if (wanted.kinetic > allowed) wanted = slowWhole(after, &wanted, allowed);
    moveRoot(s, l, &is, &wanted, share, after->center, &s->links[l]);
    scaleJoints(tree, s, r, share);
    // The centre goes h P'/m: what gravity gave is what it was thought to.
    snVec3 center = snMulAdd(before->center, h / before->mass, sped->momentum);
    s->links[l].place = snAdd(s->links[l].place, snSub(center, after->center));
}

static void keepHeld(const snArticulated *tree, snArticulatedState *s, int r, double h,
                     snVec3 gravity)
{
    const snTreeSum *before = &s->before[r], *sped = &s->sped[r], *after = &s->after[r];
    snVec3 mean = snScale(0.5 * h, snAdd(sped->momentum, after->momentum));
    snVec3 fall = snScale(after->mass, snSub(after->center, before->center));
    double allowed = sped->kinetic - snDot(gravity, snSub(mean, fall));
    scaleJoints(tree, s, r, shareOf(allowed, 0, after->kinetic, s->turn));
}

static bool isStill(const snLinkState *root)
{
    return snLengthSquared(root->velocity) + snLengthSquared(root->spin) == 0;
}

void snTree_KeepEnergy(const snArticulated *tree, snArticulatedState *s, double h, snVec3 gravity)
{
    snTree_Sum(tree, s, snVec(0, 0, 0), s->after);
    for (int r = 0; r < tree->rootCount; r++) {
        int l = tree->roots[r];
        if (tree->links[l].def.kind == SN_LINK_FREE)
            keepFree(tree, s, r, h);
        else if (isStill(&s->links[l]))
            keepHeld(tree, s, r, h, gravity);
    }
    snArticulated_Update(tree, s);
}
