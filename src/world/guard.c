// Bodies that a step leaves without numbers. Models meet most of what cannot be computed by themselves, but forces and speeds beyond all
// bounds (a field of 1e9 m/s², a throw at 1e200 m/s) overflow before any of them looks, and what is not finite stays so: every later
// step begins with it. So the motion of the whole is asked for before and after each step, sums in which every vertex with mass has
// its part: where they are not finite, or the body is nowhere that can be drawn, it is put back, undeformed and still, with its centre of mass where it was before
// the step, and the step counts as one that could not be computed. Who is led by others goes back to where they have him stand. What was
// before a step follows from the state alone, so nothing of this has to be saved.
#include "world/guard.h"

#include "core/tasks.h"
#include "world/meet.h"
#include "world/sleep.h"

#include <math.h>

#define FARTHEST                                                                                   \
    1e15 // m from the origin: squares of places beyond it are too large for surfaces' floats

static bool isPlace(snVec3 p)
{
    return snLengthSquared(p) < FARTHEST * FARTHEST; // nor is it one that is not finite
}

static bool isFinite(const snBodyMeasure *m)
{
    return isPlace(m->center) && snIsFinite3(m->momentum) && snIsFinite3(m->angularMomentum) &&
           isfinite(m->kinetic);
}

typedef struct Look {
    const snWorld *world;
    snBodyMeasure *motions; // [bodies]
} Look;

static void measureSome(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Look *look = context;
    for (int i = begin; i < end; i++)
        if (!snWorld_IsAsleep(look->world, i))
            snBody_Motion(look->world->bodies.data[i], &look->motions[i]);
}

static void measure(const snWorld *world, snBodyMeasure *motions)
{
    Look look = {world, motions};
    snParallelFor(&world->context.tasks, world->bodies.count, 1, measureSome, &look);
}

void snWorld_GuardBegin(snWorld *world)
{
    measure(world, world->before.data);
}

// Undeformed, with its centre of mass there. Where that is in its rest shape is seen when it is put.
static void putBack(snBody *body, snVec3 center)
{
    snAffine place = snIdentityAffine();
    snBodyMeasure now;
    if (snBody_Go(body, NULL, &place)) {
        snBody_Put(body, &place);
        return;
    }
    place.origin = center;
    snBody_Put(body, &place);
    snBody_Motion(body, &now);
    if (!isPlace(now.center)) return;
    place.origin = snAdd(center, snSub(center, now.center));
    snBody_Put(body, &place);
}

void snWorld_GuardEnd(snWorld *world)
{
    measure(world, world->after.data);
    for (int i = 0; i < world->bodies.count; i++) {
        if (snWorld_IsAsleep(world, i) || isFinite(&world->after.data[i])) continue;
        snVec3 stood = world->before.data[i].center;
        putBack(world->bodies.data[i], isPlace(stood) ? stood : snVec(0, 0, 0));
        snWorld_ForgetMeetings(world, i);
        world->reports.data[i].failed = true;
    }
}
