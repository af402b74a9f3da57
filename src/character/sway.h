// A clip to see a new rig move at once.
#ifndef SN_CHARACTER_SWAY_H
#define SN_CHARACTER_SWAY_H

#include "skeleton/skeleton.h"

#define SN_SWAY_NAME "test-sway"

typedef struct snSwayDef {
    double degrees; // how far each joint swings to either side. 8
    double seconds; // one swing there and back; the clip is one of them and loops. 1
    double lag;     // how much later a joint swings than its parent, in swings. 0.1
    double bounce;  // how far the root goes up and down, twice in a swing, as a share of the
                    // skeleton's size; 0: it stays. 0.02
} snSwayDef;

snSwayDef snDefaultSwayDef(void);

// A clip called SN_SWAY_NAME: every chain swings about the axis across which it hangs, each joint a
// little behind its parent, and the root bounces, up being y. Lives in the arena.
snStatus snMakeSway(snClip *clip, const snSkeleton *skeleton, const snSwayDef *def, snArena *arena,
                    snError *error);

#endif
