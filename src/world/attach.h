// Within a world's step: what holds, pulls and pushes its bodies.
#ifndef SN_WORLD_ATTACH_H
#define SN_WORLD_ATTACH_H

#include "world/world.h"

// Between the beginning of bodies' steps and their advance.
void snWorld_Attach(snWorld *world);

#endif
