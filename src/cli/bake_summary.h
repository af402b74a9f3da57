// What `sinew bake` says at its end, to people or to programs.
#ifndef SN_CLI_BAKE_SUMMARY_H
#define SN_CLI_BAKE_SUMMARY_H

#include "asset/json_write.h"
#include "cli/bake_request.h"

// What is known when everything is written, besides the bake.
typedef struct snBakeResult {
    double buildSeconds, bakeSeconds, writeSeconds;
    snSize size;
    double floor; // its height in the file's units, where there is one
    snSoftReport soft;
    bool hasSoft;
    snBonesReport bones;
    bool hasBones;
    bool still; // no clip moves any mesh, and nothing else moves flesh either
} snBakeResult;

void snPrintBakeSummary(const snBakeRequest *request, const snBake *bake,
                        const snBakeResult *result);
void snPrintBakeJson(const snBakeRequest *request, const snBake *bake, const snBakeResult *result,
                     const snCli *cli);

// The same on every machine and however long it took: clips, steps; what compression left. Members
// of an object that has been begun.
void snWriteBakeMotion(const snBake *bake, snJsonWriter *writer);
void snWriteBakeErrors(const snBakeResult *result, snJsonWriter *writer);

// Whether the result is less than was asked for: the command ends with SN_EXIT_DEGRADED.
bool snIsBakeDegraded(const snBakeRequest *request, const snBake *bake, const snBakeResult *result);

#endif
