// The options of `sinew run`, and the scene that they are about.
#ifndef SN_CLI_RUN_REQUEST_H
#define SN_CLI_RUN_REQUEST_H

#include "bake/motion.h"
#include "cli/bake_outputs.h"
#include "scene/scene.h"
#include "world/recording.h"

typedef struct snRunRequest {
    const char *input;
    snOutputs outputs;   // caches; the table of probes is their sidecar
    const char *picture; // .png or .mp4, or NULL
    int size[2];         // of its panels or frames, pixels; 0: by the scene
    snMotionDef motion;  // of .glb
    int first, last;     // frames that are kept, from 1; last 0: all
    bool dryRun, everyStep;
    bool realtime;               // steps as long as it takes to keep up with the clock
    double ratio;                // of simulated time to the clock's
    const char *record, *replay; // recordings of steps, to be written and read; or NULL
    // Names that the scene gives, in its folder.
    char names[SN_MOST_OUTPUTS][SN_MAX_PATH];
    char pictureName[SN_MAX_PATH];
    // The scene, read.
    snFileContent file;
    snSceneFile scene;
    snFileContent recording; // --replay
    snReplay replayed;
    // All files that were read, the scene first.
    snArena arena;
    snInputs inputs;
    char folder[SN_MAX_PATH];
    const snContext *context;
} snRunRequest;

// An exit code, or -1 to go on.
int snRunRequest_Read(snRunRequest *request, snCli *cli, int count, char **arguments);

// Reads the scene and takes its outputs where the command line names none of their kind. An exit code, or
// -1 to go on.
int snRunRequest_Load(snRunRequest *request, const snCli *cli);
void snRunRequest_Free(snRunRequest *request);

#endif
