// Bodies that are at rest are not stepped.
//
// Who falls asleep. A few points of a body's surface stand for it. It is still while none of them gets farther from where it was than `still` of the
// body's size, counted from when one last did: a swing that comes back does not look like rest, and what creeps does not fall asleep. Bodies
// whose surfaces are within reach of each other, that are held to each other, or of which one lies over the other are an island, and fall asleep
// together when all have been still for as long as is asked for. Those that one model advances together are of one island no more than
// others are: it leaves out those that sleep.
//     Who does not: what something moves from within, a clip or a strength that changes (snBody_Stirs), what a hand or a path holds; nobody in turbulence.
//     Who wakes: an island that an awake body or a moving collider comes near to, that something moves from within, or that is thrown, struck, carried,
// taken hold of or let go; all of them when gravity, pushes or fields change. All of that is decided by the state, in the order of
// bodies: the same for any number of threads. Clocks of sleepers go on (snBody_Pass).
//     Whoever sleeps keeps its velocities, and goes on with them.
//
// Reach. A surface is cut into pieces of triangles that stand together at rest; two surfaces are within reach where boxes of two of their pieces
// are, each wider by 3 % of its body's size, and by where an awake body may go in a step. What lies in a bowl, or between a giant's feet, is
// not in its reach, though it is in its box.
#ifndef SN_WORLD_SLEEP_H
#define SN_WORLD_SLEEP_H

#include "world/world.h"

// Room for one more body.
bool snWorld_ReserveSleeper(snWorld *world, const snBody *body);
// Before a step, when all that holds and moves in it is known; time passes for those that sleep on; and after it.
void snWorld_WakeUp(snWorld *world);
void snWorld_SleepOn(snWorld *world);
void snWorld_FallAsleep(snWorld *world);

// States were restored: where sleepers are is found anew.
void snWorld_ForgetBeds(snWorld *world);

static inline bool snWorld_IsAsleep(const snWorld *world, int body)
{
    return world->sleepers.data[body].asleep;
}

#endif
