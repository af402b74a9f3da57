// A bake of the beast that was stopped half-way, and what comes of going on with other bytes.
#ifndef SN_TESTS_HOSTILE_STOPPED_H
#define SN_TESTS_HOSTILE_STOPPED_H

#include "asset/bytes.h"
#include "bake/bake.h"

typedef struct snStopped {
    const snContext *context;
    snCharacter beast;
    snFlesh *flesh;
    snBytes frames, state; // what was saved
    int told;              // frames so far
    int stopAt;
} snStopped;

// From the beast as a .glb. It stays to the end of the process.
snStatus snStopped_Make(snStopped *stopped, const snBytes *beast, const snContext *context,
                        snError *error);

// Goes on from a state, for a frame; *done says whether it did. Also takes the bytes for a file with a
// checkpoint. Fails when something happens that must not.
snStatus snStopped_Try(snStopped *stopped, const uint8_t *bytes, size_t size, bool *done,
                       snError *error);

#endif
