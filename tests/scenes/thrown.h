// The bodies of the example scenes, thrown: at the walls of a box, and at each other.
#ifndef SN_TESTS_SCENES_THROWN_H
#define SN_TESTS_SCENES_THROWN_H

#include "tests/scenes/shipped.h"
#include "tests/scenes/watching.h"

static const char *const shippedBodies[] = {"drop",
                                            "bar",
                                            "box",
                                            "hung",
                                            "duck-tossed",
                                            "star-released",
                                            "cucumber-shaken",
                                            "dragon-stretched",
                                            "dragon-grid",
                                            "dragon-lip",
                                            "clasp",
                                            "trunk"};
#define SHIPPED_BODIES (int)(sizeof shippedBodies / sizeof *shippedBodies)

typedef struct Throw {
    const char *first, *second; // scenes whose first bodies are thrown; second NULL: at walls
    double speed;               // m/s
    double seconds;
} Throw;

// What was seen of a throw. Depths are in lengths of the body.
typedef struct Thrown {
    bool good; // the scenes could be built
    int steps;
    int failures; // steps that could not be computed
    int through;  // vertices that were deeper in something than 1e-3 of the length, over all steps
    double deepest;
    double left, energy; // kinetic energy at the end, and all energy at most, of that at the begin
    double rise;         // of all energy within a step, at most, likewise
} Thrown;

// The middle of the body's surface in its own frame.
static inline snVec3 middleOf(const snBody *body, snVec3 *half)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, body->restSurface[v]);
    *half = snScale(0.5, snSub(box.upper, box.lower));
    return snScale(0.5, snAdd(box.lower, box.upper));
}

static inline void putAt(snBody *body, snVec3 place, snVec3 velocity, snVec3 spin)
{
    snVec3 half, middle = middleOf(body, &half);
    snAffine at = snIdentityAffine();
    at.origin = snSub(place, middle);
    snBody_Put(body, &at);
    snBody_SetVelocity(body, velocity, spin);
}

// Two scenes' first bodies in one world, in the steps of the first, without what held them.
static inline snStatus buildThrow(snStage *stage, snSceneFile *scenes, int count,
                                  snSceneBody bodies[2], const snContext *context, snError *error)
{
    snSceneFile both = scenes[0];
    for (int i = 0; i < count; i++) {
        bodies[i] = scenes[i].bodies[0];
        bodies[i].solid.step = scenes[0].step;
        bodies[i].stiffnessCount = 0;
    }
    if (count == 2) bodies[1].solid.name = "second";
    both.bodies = bodies;
    both.bodyCount = count;
    both.bodiesTouch = true;
    both.colliderCount = both.attachmentCount = both.throwCount = both.probeCount = 0;
    both.scriptCount = both.pointCount = 0;
    both.gravityCount = 0;
    both.gravity = snVec(0, 0, 0);
    return snSceneFile_Build(&both, stage, context, error);
}

static inline void arrange(snWorld *world, const Throw *def, snError *error)
{
    snBody *a = world->bodies.data[0];
    snVec3 half, other;
    double length = lengthOf(a);
    middleOf(a, &half);
    if (!def->second) {
        snContainerDef walls = {.name = "walls",
                                .frame = snIdentityAffine(),
                                .half = snScale(1.2 * length, snVec(1, 1, 1)),
                                .friction = 0.4};
        snWorld_AddContainer(world, &walls, error);
        snVec3 way = snNormalizeOr(snVec(1, -0.5, 0.3), snVec(1, 0, 0));
        putAt(a, snVec(0, 0, 0), snScale(def->speed, way), snVec(1, 2, 3));
        return;
    }
    snBody *b = world->bodies.data[1];
    middleOf(b, &other);
    double apart = half.x + other.x + 0.05 * length;
    putAt(a, snVec(0, 0, 0), snVec(def->speed, 0, 0), snVec(0, 0, 1));
    putAt(b, snVec(apart, 0.3 * half.y, 0.2 * half.z), snVec(0, 0, 0), snVec(0, 0, 0));
}

static inline void watchThrow(snWorld *world, const Throw *def, Thrown *seen)
{
    double first = 0, before = 0;
    seen->steps = (int)(def->seconds / world->def.step + 0.5);
    for (int k = 0; k <= seen->steps; k++) {
        snWorldMeasure m;
        snWorld_Measure(world, &m);
        double all = m.sum.kinetic + m.sum.elastic;
        if (k == 0) first = before = m.sum.kinetic;
        seen->energy = fmax(seen->energy, all / first);
        seen->rise = fmax(seen->rise, (all - before) / first);
        before = all;
        seen->left = m.sum.kinetic / first;
        for (int i = 0; i < world->bodies.count && k > 0; i++) {
            const snBody *body = world->bodies.data[i];
            double length = lengthOf(body), limit = 1e-3 * length;
            double deep = deepestIn(world, body, limit, &seen->through);
            if (def->second)
                deep = fmax(deep,
                            deepestInOther(body, world->bodies.data[1 - i], limit, &seen->through));
            seen->deepest = fmax(seen->deepest, deep / length);
        }
        if (k < seen->steps) snWorld_Step(world);
    }
    for (int i = 0; i < world->bodies.count; i++)
        seen->failures += world->tales.data[i].failures;
}

static inline Thrown throwBodies(Shipped *shipped, const Throw *def, snError *error)
{
    Thrown seen = {0};
    snSceneFile scenes[2];
    snSceneBody bodies[2];
    snStage stage;
    int count = def->second ? 2 : 1, read = 0;
    snStatus status = SN_OK;
    for (; read < count && !status; read++)
        status = readShippedScene(shipped, read ? def->second : def->first, &scenes[read], error);
    if (!status) status = buildThrow(&stage, scenes, count, bodies, &shipped->context, error);
    if (!status) {
        seen.good = true;
        arrange(stage.world, def, error);
        watchThrow(stage.world, def, &seen);
        snStage_Destroy(&stage);
    }
    for (int i = 0; i < read - (status && read > 0 ? 1 : 0); i++)
        snSceneFile_Destroy(&scenes[i]);
    return seen;
}

#endif
