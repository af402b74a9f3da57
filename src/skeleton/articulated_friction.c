// Coulomb's friction in joints. It holds a joint as long as its torque needs no more than it may be, and slides against the
// motion with just that otherwise: whether it holds or slides is found by trying, each try a pass over the tree.
//
// A joint that holds is damped so strongly that it moves a thousandth of what it would, and what its friction
// took in one step is where the next begins: under a steady load the creep dies out within a few steps.
#include "skeleton/articulated_parts.h"

#include <math.h>

#define GRIP 1e3 // how much stiffer than its inertia a joint that holds is

// How hard a joint that holds is held: many times the inertia that it feels.
void snTree_BeginFriction(const snArticulated *tree, snArticulatedState *s, double h)
{
    snTree_Factor(tree, s);
    for (int l = 0; l < tree->linkCount; l++) {
        snLinkRub *rub = &s->rubs[l];
        double most = s->drives[l].friction, speed = snLength(s->links[l].spin);
        *rub = (snLinkRub){0};
        if (!snTree_Turns(&tree->links[l]) || !(most > 0)) continue;
        double inertia = snTrace(s->factor[l].inertia.a) / 3 + snTrace(s->stiff[l].ball) / 3;
        if (tree->links[l].def.kind == SN_LINK_HINGE) inertia = 1 / s->factor[l].hinge;
        rub->grip = GRIP * inertia / h;
        rub->torque = s->links[l].friction;
        double took = snLength(rub->torque);
        bool slid = took > most * (1 - 1e-9) && speed > 0; // in the step before
        rub->mode = slid ? SN_FRICTION_SLIDES : SN_FRICTION_HOLDS;
        if (slid) rub->direction = snScale(1 / speed, s->links[l].spin);
        if (took > most) rub->torque = snScale(most / took, rub->torque);
    }
}

// One that holds: λ - grip u', with λ what it took in the step before. One that slides: all it can, against it.
void snTree_LoadFriction(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkRub *rub = &s->rubs[l];
        if (rub->mode == SN_FRICTION_NONE) continue;
        snVec3 torque = snScale(-s->drives[l].friction, rub->direction);
        if (rub->mode == SN_FRICTION_HOLDS) {
            torque = snMulAdd(rub->torque, -rub->grip, s->links[l].spin);
            s->stiff[l].hinge += h * rub->grip;
            s->stiff[l].ball = snAddMM(s->stiff[l].ball, snScaleM(h * rub->grip, snIdentity3()));
        }
        bool ball = tree->links[l].def.kind == SN_LINK_BALL;
        if (ball) torque = snTree_Outward(&s->places[l], torque);
        s->loads[l].torque = snAdd(s->loads[l].torque, torque);
    }
}

// Whether what was found is what was tried; else the joint is tried the other way. Three times at most: where
// two joints contradict each other, what is left is off by less than the friction of one.
static bool judgeJoint(snLinkRub *rub, snVec3 spin, double most)
{
    if (rub->changes == 3) return true;
    if (rub->mode == SN_FRICTION_SLIDES) {
        if (snDot(spin, rub->direction) >= 0) return true;
        rub->mode = SN_FRICTION_HOLDS;
        rub->torque = snScale(-most, rub->direction);
    } else {
        snVec3 needed = snMulAdd(rub->torque, -rub->grip, spin);
        double size = snLength(needed);
        if (size <= most * (1 + 1e-9)) return true;
        rub->mode = SN_FRICTION_SLIDES;
        rub->direction = snScale(-1 / size, needed);
    }
    rub->changes++;
    return false;
}

bool snTree_JudgeFriction(const snArticulated *tree, snArticulatedState *s, double h)
{
    bool good = true;
    for (int l = 0; l < tree->linkCount; l++) {
        snLinkRub *rub = &s->rubs[l];
        if (rub->mode == SN_FRICTION_NONE) continue;
        snVec3 rate = snTree_SpinRate(&tree->links[l], &s->places[l], &s->loads[l]);
        snVec3 spin = snMulAdd(s->links[l].spin, h, rate);
        if (!judgeJoint(rub, spin, s->drives[l].friction)) good = false;
    }
    return good;
}

void snTree_FinishFriction(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkRub *rub = &s->rubs[l];
        snLinkState *state = &s->links[l];
        state->friction = snVec(0, 0, 0);
        if (rub->mode == SN_FRICTION_SLIDES)
            state->friction = snScale(-s->drives[l].friction, rub->direction);
        if (rub->mode == SN_FRICTION_HOLDS)
            state->friction = snMulAdd(rub->torque, -rub->grip, state->spin);
    }
}

bool snTree_HasFriction(const snArticulated *tree, const snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++)
        if (s->drives[l].friction > 0 && snTree_Turns(&tree->links[l])) return true;
    return false;
}
