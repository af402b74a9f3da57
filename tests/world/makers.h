// Worlds without bodies, points of bodies, and whether a world's bits are the same on any number of threads and
// after going back: what tests of all models of bodies share.
#ifndef SN_TESTS_WORLD_MAKERS_H
#define SN_TESTS_WORLD_MAKERS_H

#include "platform/threads.h"
#include "tests/test.h"
#include "world/world.h"

#include <stdlib.h>

static inline snWorld *makeWorld(const snContext *context, snVec3 gravity)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    def.gravity = gravity;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    return world;
}

// Without gravity; gentle or not (snWorldDef.gentle).
static inline snWorld *makeGentle(const snContext *context, bool gentle)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    def.gravity = snVec(0, 0, 0);
    def.gentle = gentle;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    return world;
}

static inline int pointOf(snWorld *world, int body, snVec3 rest)
{
    snBodySpot spot = snRestSpot(rest);
    int point = -1;
    CHECK(snBody_Locate(world->bodies.data[body], &spot, &point, NULL) == SN_OK);
    return point;
}

// Joins points p of a and q of b by a blow, and measures before and after; returns how far their velocities are apart then.
static inline double joinPoints(snWorld *world, snStrike strike, snWorldMeasure *before,
                                snWorldMeasure *after)
{
    snWorld_Measure(world, before);
    snWorld_Strike(world, 1, &strike);
    snWorld_Measure(world, after);
    return snDistance(snBody_Velocity(world->bodies.data[strike.body], strike.point),
                      snBody_Velocity(world->bodies.data[strike.other], strike.otherPoint));
}

static inline uint64_t hashAfter(snWorld *world, int steps)
{
    for (int k = 0; k < steps; k++)
        snWorld_Step(world);
    return snWorld_Hash(world);
}

// Goes on, back to now, and on again: to the same bits. Returns them.
static inline uint64_t checkGoesOn(snWorld *world, int steps)
{
    size_t size = snWorld_SaveSize(world);
    void *bytes = malloc(size);
    snWorld_Save(world, bytes);
    uint64_t hash = hashAfter(world, steps);
    CHECK(snWorld_Restore(world, bytes, size, NULL) == SN_OK);
    CHECK(hashAfter(world, steps) == hash);
    free(bytes);
    return hash;
}

// A world that can be made again.
typedef struct Remade {
    snWorld *(*make)(void *user, const snContext *context);
    void (*end)(void *user); // NULL: the world is destroyed
    void *user;
    int threads;       // of the second
    int before, after; // steps until it is saved, and from there on
} Remade;

// Three of them: on one thread, which is saved; on several; and one that has not moved, restored to where the first was.
static inline void checkSameBits(const Remade *remade)
{
    uint64_t hash[3];
    void *bytes = NULL;
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, i == 1 ? remade->threads : 1, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        snWorld *world = remade->make(remade->user, &context);
        if (i < 2) hashAfter(world, remade->before);
        if (i == 0) {
            size = snWorld_SaveSize(world);
            bytes = malloc(size);
            snWorld_Save(world, bytes);
        }
        if (i == 2) CHECK(snWorld_Restore(world, bytes, size, NULL) == SN_OK);
        hash[i] = i ? hashAfter(world, remade->after) : checkGoesOn(world, remade->after);
        if (remade->end)
            remade->end(remade->user);
        else
            snWorld_Destroy(world);
        snThreadPool_Destroy(pool);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
    free(bytes);
}

#endif
