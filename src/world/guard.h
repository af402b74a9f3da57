// What no step may leave behind: numbers that are not finite. guard.c says what happens to them.
#ifndef SN_WORLD_GUARD_H
#define SN_WORLD_GUARD_H

#include "world/world.h"

void snWorld_GuardBegin(snWorld *world); // before bodies advance
void snWorld_GuardEnd(snWorld *world);   // after they have finished

#endif
