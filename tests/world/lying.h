// How bodies are laid on each other, for tests of pairs of models.
#ifndef SN_TESTS_WORLD_LYING_H
#define SN_TESTS_WORLD_LYING_H

#include "tests/world/kinds.h"

#define LYING_HIGH 20.0 // m, from where bodies come down
#define LYING_BACK 0.1  // m behind a beast's middle is its rump

static inline bool isBeast(int m)
{
    return m == RIGGED || m == LIMP;
}

// How a body lies: coats along z; of two beasts the upper one on its back, heads at both ends.
static inline snMat3 turnOf(int model, bool upper)
{
    if (model == COAT) return snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), SN_PI / 2));
    if (isBeast(model) && upper) return snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), SN_PI));
    return snIdentity3();
}

// How far a body that is high above another can come down until they touch: by the vertices of both.
static inline double fallOf(const snWorld *world, const Actor actors[2])
{
    double fall = INFINITY;
    for (int k = 0; k < 2; k++) {
        const snBody *body = actors[k].body;
        snBox other = boxOf(actors[1 - k].body);
        for (int v = 0; v < body->vertexCount; v++) {
            snVec3 from = snBody_Vertex(body, v), way = {0, k ? -1 : 1, 0};
            bool over = from.x >= other.lower.x && from.x <= other.upper.x &&
                        from.z >= other.lower.z && from.z <= other.upper.z;
            if (!over) continue;
            snPick pick = snWorld_PickRay(world, snMulAdd(from, LYING_HIGH / 2, way), way);
            if (pick.body == actors[1 - k].number) fall = fmin(fall, snDistance(from, pick.place));
        }
    }
    return fall;
}

// The lower one on the floor, a millimetre above it.
static inline void layLower(const Actor *actor, int model)
{
    snAffine place = {turnOf(model, false), snVec(0, 0, 0)};
    putActor(actor, &place);
    snBox box = boxOf(actor->body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    place.origin = snVec(-middle.x, 0.001 - box.lower.y, -middle.z);
    putActor(actor, &place);
}

// The upper one above the lower, by a gap; of beasts rump comes to rump.
static inline void layUpper(const snWorld *world, const Actor actors[2], const int models[2],
                            double gap)
{
    static double falls[KINDS][KINDS]; // m, how far it comes down from high above; 0: not known yet
    double *fall = &falls[models[0]][models[1]];
    snAffine place = {turnOf(models[1], true), snVec(0, 0, 0)};
    putActor(&actors[1], &place);
    snBox box = boxOf(actors[1].body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    double rump = isBeast(models[0]) ? -LYING_BACK : 0;
    double z = isBeast(models[1]) ? -LYING_BACK : rump - middle.z;
    place.origin = snVec(-middle.x, LYING_HIGH - box.lower.y, z);
    putActor(&actors[1], &place);
    if (*fall == 0) *fall = fallOf(world, actors);
    place.origin.y -= *fall - gap;
    putActor(&actors[1], &place);
}

#endif
