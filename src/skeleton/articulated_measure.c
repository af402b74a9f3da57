// Energy and momentum.
#include "skeleton/articulated_parts.h"

static snVec3 massVelocity(const snLinkPlace *place)
{
    return snMotionAt(place->velocity, place->mass).move;
}

static void addMasses(const snArticulated *tree, const snArticulatedState *s, snTreeSum *sums)
{
    for (int r = 0; r < tree->rootCount; r++)
        sums[r] = (snTreeSum){0};
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        snTreeSum *sum = &sums[tree->links[l].root];
        double m = tree->links[l].def.mass;
        sum->mass += m;
        sum->center = snMulAdd(sum->center, m, snAdd(place->at, place->mass));
        sum->momentum = snMulAdd(sum->momentum, m, massVelocity(place));
    }
    for (int r = 0; r < tree->rootCount; r++)
        if (sums[r].mass > 0) sums[r].center = snScale(1 / sums[r].mass, sums[r].center);
}

void snTree_Sum(const snArticulated *tree, const snArticulatedState *s, snVec3 gravity,
                snTreeSum *sums)
{
    addMasses(tree, s, sums);
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        snTreeSum *sum = &sums[tree->links[l].root];
        double m = tree->links[l].def.mass;
        snVec3 d = snSub(snAdd(place->at, place->mass), sum->center);
        // About the moving centre: the velocity of the centre adds nothing to the sum.
        snVec3 v = massVelocity(place);
        if (sum->mass > 0) v = snMulAdd(v, -1 / sum->mass, sum->momentum);
        snVec3 own = snMulMV(place->inertia, place->velocity.turn);
        sum->kinetic += 0.5 * (m * snDot(v, v) + snDot(place->velocity.turn, own));
        sum->spin = snAdd(sum->spin, snAdd(own, snScale(m, snCross(d, v))));
        sum->inertia =
            snAddMM(sum->inertia, snAddMM(place->inertia, snScaleM(m, snPointInertia(d))));
        snVec3 arm = snSub(place->at, sum->center);
        sum->pushed = snAdd(snMulAdd(sum->pushed, m, gravity), s->push[l].move);
        sum->twisted = snAdd(sum->twisted, snAdd(s->push[l].turn, snCross(arm, s->push[l].move)));
    }
    for (int r = 0; r < tree->rootCount; r++)
        if (sums[r].mass > 0)
            sums[r].kinetic += 0.5 * snLengthSquared(sums[r].momentum) / sums[r].mass;
}

void snArticulated_Measure(const snArticulated *tree, const snArticulatedState *s, snVec3 gravity,
                           snArticulatedMeasure *measure)
{
    *measure = (snArticulatedMeasure){.elastic = snTree_DriveEnergy(tree, s)};
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        double m = tree->links[l].def.mass;
        snVec3 v = massVelocity(place), w = place->velocity.turn;
        snVec3 at = snAdd(place->at, place->mass), turning = snMulMV(place->inertia, w);
        measure->mass += m;
        measure->kinetic += 0.5 * (m * snDot(v, v) + snDot(w, turning));
        measure->potential -= m * snDot(gravity, at);
        measure->center = snMulAdd(measure->center, m, at);
        measure->momentum = snMulAdd(measure->momentum, m, v);
        measure->angularMomentum =
            snAdd(measure->angularMomentum, snAdd(turning, snScale(m, snCross(at, v))));
    }
    if (measure->mass > 0) measure->center = snScale(1 / measure->mass, measure->center);
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        snVec3 d = snSub(snAdd(place->at, place->mass), measure->center);
        snMat3 own = snScaleM(tree->links[l].def.mass, snPointInertia(d));
        measure->inertia = snAddMM(measure->inertia, snAddMM(place->inertia, own));
    }
}
