// What `sinew run` says: before the work (--dry-run) and after it.
#ifndef SN_CLI_RUN_SUMMARY_H
#define SN_CLI_RUN_SUMMARY_H

#include "cli/run_request.h"
#include "world/pace.h"

typedef struct snRunResult {
    const snRunRequest *request;
    const snStage *stage;
    int frames, keptFrames; // all, and those of --frames
    int64_t steps, ticks;
    const snPace *pace; // of a run in real time, or NULL
    double buildSeconds, runSeconds, writeSeconds;
    uint64_t hash;  // of the world at its end
    bool hasMotion; // a .glb was written
    snMotionReport motion;
} snRunResult;

// Whether something could not be computed or held as the scene has it.
bool snRunResult_IsDegraded(const snRunResult *result);
void snRunResult_Print(const snRunResult *result, bool dry);
void snRunResult_PrintJson(const snRunResult *result, bool dry, const snCli *cli);

#endif
