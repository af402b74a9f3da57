// Within a world's step: what holds, pulls and pushes its bodies.
#ifndef SN_WORLD_ATTACH_H
#define SN_WORLD_ATTACH_H

#include "world/world.h"

// Before bodies begin their steps: which attachments act, and blows for points whose velocity is to jump.
void snWorld_TakeHold(snWorld *world);
// Between the beginning of bodies' steps and their advance.
void snWorld_Attach(snWorld *world);

// impulse.c: memory of blows, for the rows of so many points that may be held beside grabs, and for bodies.
bool snWorld_ReserveRows(snWorld *world, int held);
void snWorld_FreeRows(snWorld *world);
bool snWorld_ReserveStruck(snWorld *world, const snBody *body);

#endif
