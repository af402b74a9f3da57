// What `sinew bake` was asked for: its table of options, and what was given.
#ifndef SN_CLI_BAKE_REQUEST_H
#define SN_CLI_BAKE_REQUEST_H

#include "bake/bones.h"
#include "bake/soft.h"
#include "cli/bake_outputs.h"
#include "cli/bind.h"
#include "cli/flesh_options.h"
#include "cli/time_options.h"

#define SN_MOST_CLIPS 1024
#define SN_MOST_INPUTS 3

typedef struct snBakeRequest {
    const char *input;
    snOutputs outputs;
    int clipCount;
    const char *clips[SN_MOST_CLIPS]; // names or numbers; none: all of the file
    snBindOptions bind;
    snFleshOptions flesh;
    snTimeOptions time;
    snBakeDef bake;
    snSoftDef soft;
    bool asBones;
    snBonesDef bones;
} snBakeRequest;

snBakeRequest snDefaultBakeRequest(void);

// Reads the command line. Returns an exit code, or -1 to go on.
int snBakeRequest_Read(snBakeRequest *request, snCli *cli, int count, char **arguments);

// Files that are read, the character first: none of them is written. Returns their number, at most
// SN_MOST_INPUTS.
int snBakeRequest_Inputs(const snBakeRequest *request, const char **inputs);

#endif
