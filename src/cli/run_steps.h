// The steps of a run: all of a tick, or as long as it takes to keep up with the clock, or those of a recording; and
// recorded where that is wanted.
#ifndef SN_CLI_RUN_STEPS_H
#define SN_CLI_RUN_STEPS_H

#include "cli/run_request.h"
#include "control/control.h"
#include "world/pace.h"
#include "world/recording.h"

typedef struct snRunSteps {
    const snRunRequest *request;
    snPace pace;         // --realtime
    snRecorder recorder; // --record
    snReplay replay;     // --replay
    int level;           // of detail
    double last;         // s on the clock, when the last step was done
    snControl *control;  // of the scene's scripts, or NULL; set by the caller
} snRunSteps;

// The world is at its begin; it is to go on for so many ticks.
snStatus snRunSteps_Begin(snRunSteps *steps, const snRunRequest *request, const snWorld *world,
                          int64_t total, snError *error);
// How long the next step is, `left` ticks before the end. Of a recording it may go beyond that.
snStatus snRunSteps_Next(snRunSteps *steps, snWorld *world, int64_t left, int *ticks,
                         snError *error);
// Waits for it, if there is a clock to go by, and takes it.
void snRunSteps_Take(snRunSteps *steps, snWorld *world, int ticks);
// Whether a recording that was played to its end has ended as it did; else what was recorded is whole.
snStatus snRunSteps_End(snRunSteps *steps, snWorld *world, snError *error);
snStatus snRunSteps_Write(const snRunSteps *steps, snFileBatch *batch, snError *error);
void snRunSteps_Free(snRunSteps *steps);

#endif
