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

// Bodies begin and are held; they advance; and grabs are where they went. world.c, attach.c
void snWorld_BeginStep(snWorld *world);
void snWorld_AdvanceBodies(snWorld *world);
void snWorld_MoveHands(snWorld *world);
// Who holds points of two bodies together: the number of their group, or one of these.
#define SN_HOLDER_MEET (-1)                                    // meet.h
#define SN_HOLDER_NONE (-2)                                    // nobody; springs act as forces
int snWorld_Holder(const snWorld *world, int body, int other); // make.c

#endif
