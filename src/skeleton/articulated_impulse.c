// Blows: the same passes as for accelerations, with nothing but the blow to answer.
#include "skeleton/articulated_parts.h"

#include <string.h>

void snArticulated_Prepare(const snArticulated *tree, snArticulatedState *s, double h)
{
    if (h > 0)
        snTree_LoadDrives(tree, s, h);
    else
        memset(s->stiff, 0, (size_t)tree->linkCount * sizeof *s->stiff);
    snTree_Factor(tree, s);
}

// Changes of velocity by a blow at a point of a link, into the loads.
static void answer(const snArticulated *tree, snArticulatedState *s, int link, snVec3 worldPoint,
                   snVec3 impulse)
{
    snSpatial blow = {snVec(0, 0, 0), snNeg(impulse)};
    memset(s->loads, 0, (size_t)tree->linkCount * sizeof *s->loads);
    s->loads[link].force = snForceFrom(blow, snSub(worldPoint, s->places[link].at));
    snTree_SolveFrom(tree, s, link, s->loads);
}

void snArticulated_Answer(const snArticulated *tree, snArticulatedState *s, int link,
                          snSpatial wrench, snSpatial *motions)
{
    memset(s->loads, 0, (size_t)tree->linkCount * sizeof *s->loads);
    s->loads[link].force = snScaleS(-1, wrench);
    snTree_SolveFrom(tree, s, link, s->loads);
    for (int l = 0; l < tree->linkCount; l++)
        motions[l] = s->loads[l].motion;
}

// What was found for a link, over its degrees of freedom.
static void readAnswer(const snLink *link, const snLinkPlace *place, const snLinkLoad *load,
                       double *x)
{
    if (link->def.kind == SN_LINK_BALL) snToArray(x, snTree_Inward(place, load->joint));
    if (link->def.kind == SN_LINK_HINGE) x[0] = load->joint.x;
    if (link->def.kind == SN_LINK_FREE) {
        snToArray(x, snTree_Inward(place, load->motion.turn));
        snToArray(x + 3, load->motion.move);
    }
}

static void gather(const snArticulated *tree, const snArticulatedState *s, double *x)
{
    for (int l = 0; l < tree->linkCount; l++)
        readAnswer(&tree->links[l], &s->places[l], &s->loads[l], x + tree->links[l].first);
}

void snArticulated_Column(const snArticulated *tree, snArticulatedState *s, int link,
                          snVec3 worldPoint, double *column)
{
    for (int i = 0; i < 3; i++) {
        answer(tree, s, link, worldPoint, snVec(i == 0, i == 1, i == 2));
        gather(tree, s, column + (size_t)i * (size_t)tree->size);
    }
}

// Velocity of a point by degrees of freedom: each joint at or above it turns it about itself.
static snVec3 velocityBy(const snArticulated *tree, const snArticulatedState *s, int link,
                         snVec3 worldPoint, const double *x)
{
    snVec3 sum = snVec(0, 0, 0);
    for (int l = link; l >= 0; l = tree->links[l].def.parent) {
        const snLink *one = &tree->links[l];
        const snLinkPlace *place = &s->places[l];
        const double *from = x + one->first;
        snVec3 turn = snVec(0, 0, 0);
        if (one->def.kind == SN_LINK_HINGE)
            turn = snScale(from[0], place->axis);
        else if (one->def.kind == SN_LINK_BALL || one->def.kind == SN_LINK_FREE)
            turn = snTree_Outward(place, snVec(from[0], from[1], from[2]));
        if (one->def.kind == SN_LINK_FREE) sum = snAdd(sum, snVec(from[3], from[4], from[5]));
        sum = snAdd(sum, snCross(turn, snSub(worldPoint, place->at)));
    }
    return sum;
}

snVec3 snArticulated_Change(const snArticulated *tree, const snArticulatedState *s, int link,
                            snVec3 worldPoint, const double *change)
{
    return velocityBy(tree, s, link, worldPoint, change);
}

snMat3 snArticulated_Response(const snArticulated *tree, const snArticulatedState *s, int link,
                              snVec3 worldPoint, const double *column)
{
    size_t size = (size_t)tree->size;
    return (snMat3){velocityBy(tree, s, link, worldPoint, column),
                    velocityBy(tree, s, link, worldPoint, column + size),
                    velocityBy(tree, s, link, worldPoint, column + 2 * size)};
}

static void addVelocities(const snLink *link, snLinkState *state, const double *x, double scale)
{
    if (link->def.kind == SN_LINK_HINGE) state->spin.x += scale * x[0];
    if (link->def.kind != SN_LINK_BALL && link->def.kind != SN_LINK_FREE) return;
    state->spin = snMulAdd(state->spin, scale, snVec(x[0], x[1], x[2]));
    if (link->def.kind == SN_LINK_FREE)
        state->velocity = snMulAdd(state->velocity, scale, snVec(x[3], x[4], x[5]));
}

void snArticulated_Strike(const snArticulated *tree, snArticulatedState *s, const double *column,
                          snVec3 impulse)
{
    const double share[3] = {impulse.x, impulse.y, impulse.z};
    for (int l = 0; l < tree->linkCount; l++)
        for (int i = 0; i < 3; i++)
            addVelocities(&tree->links[l], &s->links[l],
                          column + (size_t)i * (size_t)tree->size + tree->links[l].first, share[i]);
    snArticulated_Update(tree, s);
}

void snArticulated_Shift(const snArticulated *tree, snArticulatedState *s, const double *change,
                         double time)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        snLinkState *state = &s->links[l];
        const double *x = change + link->first;
        addVelocities(link, state, x, 1);
        if (link->def.kind == SN_LINK_HINGE) state->angle += time * x[0];
        if (link->def.kind != SN_LINK_BALL && link->def.kind != SN_LINK_FREE) continue;
        snQuat turn = snQuatFromVector(snScale(time, snVec(x[0], x[1], x[2])));
        state->rotation = snNormalizeQ(snMulQQ(state->rotation, turn));
        if (link->def.kind == SN_LINK_FREE)
            state->place = snMulAdd(state->place, time, snVec(x[3], x[4], x[5]));
    }
    snArticulated_Update(tree, s);
}

void snArticulated_Blow(const snArticulated *tree, snArticulatedState *s, int link,
                        snVec3 worldPoint, snVec3 impulse)
{
    snArticulated_Prepare(tree, s, 0);
    answer(tree, s, link, worldPoint, impulse);
    for (int l = 0; l < tree->linkCount; l++) {
        double x[6];
        readAnswer(&tree->links[l], &s->places[l], &s->loads[l], x);
        addVelocities(&tree->links[l], &s->links[l], x, 1);
    }
    snArticulated_Update(tree, s);
}

void snArticulated_Accelerations(const snArticulated *tree, snArticulatedState *s, snVec3 gravity,
                                 double *accelerations)
{
    memset(s->loads, 0, (size_t)tree->linkCount * sizeof *s->loads);
    snTree_LoadForces(tree, s, gravity);
    snTree_LoadDrives(tree, s, 0);
    snTree_Factor(tree, s);
    snTree_Solve(tree, s, s->loads);
    gather(tree, s, accelerations);
}
