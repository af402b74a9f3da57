// What `sinew bake` was asked for: its table of options, and what was given.
#ifndef SN_CLI_BAKE_REQUEST_H
#define SN_CLI_BAKE_REQUEST_H

#include "bake/bones.h"
#include "bake/soft.h"
#include "cli/bake_outputs.h"
#include "cli/bind.h"
#include "cli/chain_options.h"
#include "cli/contact_options.h"
#include "cli/flesh_options.h"
#include "cli/key_options.h"
#include "cli/run_options.h"
#include "cli/sidecar.h"
#include "cli/time_options.h"

#define SN_MOST_CLIPS 1024
#define SN_MOST_INPUTS 3
#define SN_MOST_GIVEN 1024

// Options as they were given, in order.
typedef struct snGivenOption {
    const char *name;  // without dashes; or all of it, "--name=value", out of a sidecar
    const char *value; // NULL: a flag, or in the name
} snGivenOption;

typedef struct snGiven {
    int count;
    snGivenOption list[SN_MOST_GIVEN];
} snGiven;

typedef struct snBakeRequest {
    const char *input;
    snOutputs outputs;
    int clipCount;
    const char *clips[SN_MOST_CLIPS]; // names or numbers; none: all of the file
    bool ownClips;                    // of the command line, not of a sidecar
    bool still;                       // no clip in the file: gravity alone moves it
    snRunOptions run;
    snSidecar sidecar; // of run.with; empty without
    snGiven given;     // all that matters to the result, for the record
    snGiven kept;      // of these, what no section of a sidecar holds
    snBindOptions bind;
    snChainOptions chain;
    snKeyOptions keys;
    snFleshOptions flesh;
    snContactOptions contact;
    snTimeOptions time;
    snBakeDef bake;
    snSoftDef soft;
    bool asBones;
    snBonesDef bones;
} snBakeRequest;

snBakeRequest snDefaultBakeRequest(void);

// Reads the sidecar of --with, then the command line. Returns an exit code, or -1 to go on.
int snBakeRequest_Read(snBakeRequest *request, snCli *cli, int count, char **arguments);
void snBakeRequest_Free(snBakeRequest *request);

// Files that are read, the character first: none of them is written. Returns their number, at most
// SN_MOST_INPUTS.
int snBakeRequest_Inputs(const snBakeRequest *request, const char **inputs);

#endif
