// A recording of what was done with a world: the lengths of its steps, and what a hand did between them. Played again
// from the same begin it gives the same bits, on any number of threads, however long steps took then.
//
// Bytes, little-endian; numbers in entries have 7 bits in a byte, the lowest first, and a high bit where more follow.
//     "SNSTEPS" 0, u32 version, u32 count of lengths, u32 each of them, u32 count of levels (not in version 1), f64 tick, u64 hash of the world at its begin,
//     entries, the last of them with what the world was like in the end:
//         1 length count                   so many steps of a length, by its number
//         2 body spot hard k c             a grab: u8 1 and three corners with f64 shares, or 0 and f64 place
//         3 grab x y z                     moved, f64
//         4 grab                           released
//         5 level                          of bodies' detail from then on
//         6 body level                     of one body's
//         0 u64 steps, u64 ticks, u64 hash
//     u64 hash of everything before.
#ifndef SN_WORLD_RECORDING_H
#define SN_WORLD_RECORDING_H

#include "asset/bytes.h"
#include "world/world.h"

#define SN_RECORDING_VERSION 3 // 1 had no levels, 2 none of single bodies; both are played as well

// What an entry begins with.
enum {
    SN_ENTRY_END,
    SN_ENTRY_STEPS,
    SN_ENTRY_GRAB,
    SN_ENTRY_MOVE,
    SN_ENTRY_RELEASE,
    SN_ENTRY_LEVEL,
    SN_ENTRY_BODY_LEVEL
};

// ---- recording ----------------------------------------------------------------------------------

typedef struct snRecorder {
    snBytes bytes; // the recording, whole after snRecorder_End
    int length;    // of steps that are yet to be written down: their number, and how many
    int64_t run;
} snRecorder;

// The world as it is now is the begin. Then these instead of the world's own functions.
snRecorder snMakeRecorder(const snContext *context);
void snRecorder_Begin(snRecorder *recorder, const snWorld *world);
void snRecorder_Advance(snRecorder *recorder, snWorld *world, int ticks);
snStatus snRecorder_Grab(snRecorder *recorder, snWorld *world, const snGrabDef *def, int *grab,
                         snError *error);
void snRecorder_MoveGrab(snRecorder *recorder, snWorld *world, int grab, snVec3 target);
void snRecorder_Release(snRecorder *recorder, snWorld *world, int grab);
void snRecorder_SetLevel(snRecorder *recorder, snWorld *world, int level);
void snRecorder_SetBodyLevel(snRecorder *recorder, snWorld *world, int body, int level);
// Fails when memory ran out on the way.
snStatus snRecorder_End(snRecorder *recorder, const snWorld *world, snError *error);
void snRecorder_Destroy(snRecorder *recorder);

// ---- playing ------------------------------------------------------------------------------------

typedef struct snReplay {
    const uint8_t *bytes; // the caller's, while it is played
    size_t size;
    double tick;
    int lengthCount;
    int lengths[SN_WORLD_LENGTHS];
    int levelCount;       // of detail
    uint64_t begin, end;  // hashes of the world
    int64_t steps, ticks; // in all
    // Where it is.
    size_t at;
    int length; // of steps that are yet to be taken: their number, and how many
    int64_t run;
} snReplay;

// Reads it through: what is cut off or damaged is refused here, with where.
snStatus snReplay_Open(snReplay *replay, const void *bytes, size_t size, snError *error);

// Whether a world is the one that was recorded, as it was at the begin.
snStatus snReplay_Check(const snReplay *replay, const snWorld *world, snError *error);

// What a hand did before the next step, which then is `*ticks` long: snWorld_Advance takes it. 0: there are no more, and
// the world has ended as it did; else it is an error.
snStatus snReplay_Next(snReplay *replay, snWorld *world, int *ticks, snError *error);

#endif
