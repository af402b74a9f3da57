// Where links are and how they move, from the root down; forces upon them.
#include "skeleton/articulated_parts.h"

#include "core/error.h"

// R J Rᵀ
static snMat3 turnInertia(snQuat turned, snMat3 inertia)
{
    snMat3 r = snQuatToMat(turned);
    return snSymmetric3(snMulMM(r, snMulMM(inertia, snTranspose(r))));
}

// Balls and roots have their rotation in the state; those of others follow from it.
static void turnLink(const snLink *link, snLinkState *state)
{
    if (link->def.kind == SN_LINK_HINGE)
        state->rotation =
            snMulQQ(link->def.rest, snQuatFromAxisAngle(link->def.axis, state->angle));
    if (link->def.kind == SN_LINK_FIXED) state->rotation = link->def.rest;
}

static void placeRoot(const snLinkState *state, snLinkPlace *place)
{
    place->turned = state->rotation;
    place->at = state->place;
    place->arm = snVec(0, 0, 0);
    place->relative = snTree_Outward(place, state->spin);
    place->velocity = (snSpatial){place->relative, state->velocity};
}

static void placeLink(const snLink *link, const snLinkState *state, const snLinkPlace *parent,
                      snLinkPlace *place)
{
    place->turned = snNormalizeQ(snMulQQ(parent->turned, state->rotation));
    place->arm = snTree_Outward(parent, link->def.offset);
    place->at = snAdd(parent->at, place->arm);
    place->relative = snVec(0, 0, 0);
    if (link->def.kind == SN_LINK_BALL) place->relative = snTree_Outward(place, state->spin);
    if (link->def.kind == SN_LINK_HINGE) {
        place->axis = snTree_Outward(place, link->def.axis);
        place->relative = snScale(state->spin.x, place->axis);
    }
    place->velocity = snMotionAt(parent->velocity, place->arm);
    place->velocity.turn = snAdd(place->velocity.turn, place->relative);
}

void snArticulated_Update(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        snLinkPlace *place = &s->places[l];
        turnLink(link, &s->links[l]);
        if (link->def.parent < 0)
            placeRoot(&s->links[l], place);
        else
            placeLink(link, &s->links[l], &s->places[link->def.parent], place);
        place->mass = snTree_Outward(place, link->def.center);
        place->inertia = turnInertia(place->turned, link->def.inertia);
    }
}

snAffine snArticulated_Frame(const snArticulatedState *s, int link)
{
    return (snAffine){snQuatToMat(s->places[link].turned), s->places[link].at};
}

snVec3 snArticulated_Velocity(const snArticulatedState *s, int link, snVec3 worldPoint)
{
    const snLinkPlace *place = &s->places[link];
    return snMotionAt(place->velocity, snSub(worldPoint, place->at)).move;
}

snVec3 snArticulated_Spin(const snArticulatedState *s, int link)
{
    return s->places[link].velocity.turn;
}

void snArticulated_Push(const snArticulated *tree, snArticulatedState *s, int link,
                        snVec3 worldPoint, snVec3 force)
{
    SN_ASSERT(link >= 0 && link < tree->linkCount);
    (void)tree;
    snSpatial push = {snVec(0, 0, 0), force};
    s->push[link] = snAddS(s->push[link], snForceFrom(push, snSub(worldPoint, s->places[link].at)));
}

void snArticulated_Twist(const snArticulated *tree, snArticulatedState *s, int link, snVec3 torque)
{
    SN_ASSERT(link >= 0 && link < tree->linkCount);
    (void)tree;
    s->push[link].turn = snAdd(s->push[link].turn, torque);
}

void snArticulated_Lead(snArticulatedState *s, int link, snVec3 place, snQuat rotation)
{
    s->leads[link] = (snLinkLead){true, place, snNormalizeQ(rotation)};
}
