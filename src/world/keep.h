// What steps must keep of bodies that fly: their angular momentum. keep.c has the derivation.
#ifndef SN_WORLD_KEEP_H
#define SN_WORLD_KEEP_H

#include "world/world.h"

// Of a body in a step.
typedef struct snKept {
    bool asked; // its motion and its elastic energy before the step are known
    bool free;  // and nothing from outside was at it in the step
    snBodyMeasure after;
    snVec3 wanted; // angular momentum that it is to have
    int cluster;   // the lowest number of those of its group that it hung together with
    int island;    // and of all that it met beyond it
} snKept;

void snWorld_KeepBegin(snWorld *world); // before bodies advance
void snWorld_KeepEnd(snWorld *world);   // after it, before they finish

#endif
