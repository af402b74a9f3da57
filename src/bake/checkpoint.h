// Checkpoints: a bake that is interrupted goes on later from where it was, and ends with the same
// bits. Frames that are kept only grow in number, so they are handed out once and appended to what
// was handed out before; all else that changes is small, and replaced as a whole.
//
// All that changes while a bake runs is walked over in two places: snPlayer_Exchange, and
// exchangeBake in checkpoint.c. Whatever is added to either and changes belongs there.
#ifndef SN_BAKE_CHECKPOINT_H
#define SN_BAKE_CHECKPOINT_H

#include "bake/archive.h"
#include "bake/bake.h"
#include "bake/player.h"

// Where a bake is: between two frames of a round.
typedef struct snBakePlace {
    int clip;    // number among the bake's clips; their count: it is finished
    int keeps;   // 1: in the round whose frames are kept, 0: in one before
    int step;    // of that round, done
    double told; // frames of all rounds, for progress
} snBakePlace;

typedef struct snCheckpoint {
    snBake *bake;
    snPlayer *player;
    snBakePlace *place;
    int substeps; // per frame
    int64_t sent; // frames that were handed out
} snCheckpoint;

// Hands out what is new, through the hook.
snStatus snCheckpoint_Save(snCheckpoint *checkpoint, const snCheckpointHook *hook, snError *error);

// Puts back what was saved. The bake's clips are chosen and have their memory, the player is made. A failure
// leaves them in disorder.
snStatus snCheckpoint_Restore(snCheckpoint *checkpoint, const snCheckpointHook *hook,
                              snError *error);

#endif
