// What `sinew bake` says at its end, to people or to programs.
#ifndef SN_CLI_BAKE_SUMMARY_H
#define SN_CLI_BAKE_SUMMARY_H

#include "cli/bake_request.h"

// What is known when everything is written, besides the bake.
typedef struct snBakeResult {
    double buildSeconds, bakeSeconds, writeSeconds;
    snSize size;
    snSoftReport soft;
    bool hasSoft;
    snBonesReport bones;
    bool hasBones;
} snBakeResult;

void snPrintBakeSummary(const snBakeRequest *request, const snBake *bake,
                        const snBakeResult *result);
void snPrintBakeJson(const snBakeRequest *request, const snBake *bake, const snBakeResult *result,
                     const snCli *cli);

// Whether the result is less than was asked for: the command ends with SN_EXIT_DEGRADED.
bool snIsBakeDegraded(const snBakeRequest *request, const snBake *bake, const snBakeResult *result);

#endif
