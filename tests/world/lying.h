// How bodies are laid on each other, for tests of pairs of models.
#ifndef SN_TESTS_WORLD_LYING_H
#define SN_TESTS_WORLD_LYING_H

#include "tests/world/models.h"

#define LYING_HIGH 20.0 // m, from where bodies come down
#define LYING_BACK 0.1  // m behind a beast's middle is its rump

static inline bool isBeast(Model m)
{
    return m == RIGGED || m == LIMP;
}

static inline snBox boxOf(const snBody *body)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(body, v));
    return box;
}

// How a body lies: coats along z; of two beasts the upper one on its back, heads at both ends.
static inline snMat3 turnOf(Model model, bool upper)
{
    if (model == COAT) return snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), SN_PI / 2));
    if (isBeast(model) && upper) return snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), SN_PI));
    return snIdentity3();
}

// How far a body that is high above another can come down until they touch: by the vertices of both.
static inline double fallOf(const snWorld *world, snBody *const bodies[2])
{
    double fall = INFINITY;
    for (int k = 0; k < 2; k++) {
        snBox other = boxOf(bodies[1 - k]);
        for (int v = 0; v < bodies[k]->vertexCount; v++) {
            snVec3 from = snBody_Vertex(bodies[k], v), way = {0, k ? -1 : 1, 0};
            bool over = from.x >= other.lower.x && from.x <= other.upper.x &&
                        from.z >= other.lower.z && from.z <= other.upper.z;
            if (!over) continue;
            snPick pick = snWorld_PickRay(world, snMulAdd(from, LYING_HIGH / 2, way), way);
            if (pick.body == 1 - k) fall = fmin(fall, snDistance(from, pick.place));
        }
    }
    return fall;
}

// High above, turned as it lies; `rump` is the z of where it is to touch. Of two beasts rump comes to rump.
static inline snAffine highAbove(snBody *body, Model model, double rump)
{
    snAffine place = {turnOf(model, true), snVec(0, 0, 0)};
    snBody_Put(body, &place);
    snBox box = boxOf(body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    double z = isBeast(model) ? -LYING_BACK : rump - middle.z;
    place.origin = snVec(-middle.x, LYING_HIGH - box.lower.y, z);
    snBody_Put(body, &place);
    return place;
}

#endif
