// Bodies that lie over others and push them (snBody.presses): what is under them moves first, by what they are expected to do to it, and both are
// moved again where they did something else.
#ifndef SN_WORLD_PRESS_H
#define SN_WORLD_PRESS_H

#include "world/world.h"

void snWorld_Press(snWorld *world);       // once bodies have begun
double snWorld_PressMiss(snWorld *world); // once they have advanced: the worst one's
void snWorld_TakePressed(snWorld *world); // begins and advances all bodies, as often as it takes

#endif
