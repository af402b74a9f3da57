// Keys that are not finite numbers: the last good one before them stands for them, or the first behind
// where there is none before.
#ifndef SN_ASSET_HELD_H
#define SN_ASSET_HELD_H

#include "sinew/base.h"

typedef struct snHold {
    float *values; // [keyCount * (cubic ? 3 : 1) * width]
    int keyCount;
    int width;  // numbers per value
    bool cubic; // each key has an in-tangent, a value, an out-tangent
} snHold;

// Returns how many keys were held and the first of them in *first (-1: none); or -1 when no key is good.
// Tangents of keys that are held are zero.
int snHold_Run(const snHold *hold, int *first);

#endif
