// Bodies that are at rest are not stepped.
//
// Who falls asleep. A few points of a body's surface stand for it. It is still while none of them gets farther from where it was than `still` of the
// body's size, counted from when one last did: a swing that comes back does not look like rest, and what creeps does not fall asleep. Bodies
// whose boxes are within reach of each other, that are held to each other, that one model advances together, or of which one lies over the
// other are an island, and fall asleep together when all have been still for as long as is asked for.
//     Who does not: what a clip or a script moves from within (snBody.restless), what a hand or a path holds; nobody in turbulence.
//     Who wakes: an island that an awake body or a moving collider comes near to, or that is thrown, struck, carried, taken hold of or let go; all of them
// when gravity, pushes or fields change. All of that is decided by the state, in the order of bodies: the same for any number of threads.
//     Whoever sleeps keeps its velocities, and goes on with them.
#ifndef SN_WORLD_SLEEP_H
#define SN_WORLD_SLEEP_H

#include "world/world.h"

// Room for one more body.
bool snWorld_ReserveSleeper(snWorld *world, const snBody *body);
// Before a step, when all that holds and moves in it is known; and after it.
void snWorld_WakeUp(snWorld *world);
void snWorld_FallAsleep(snWorld *world);

static inline bool snWorld_IsAsleep(const snWorld *world, int body)
{
    return world->sleepers.data[body].asleep;
}

#endif
