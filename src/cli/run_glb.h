// A run's surfaces as a .glb: what bodies look like, and where it goes.
#ifndef SN_CLI_RUN_GLB_H
#define SN_CLI_RUN_GLB_H

#include "bake/motion.h"
#include "cli/run_bare.h"
#include "cli/run_request.h"

// Frames of the sequence have the points of bare muscles behind those of its meshes.
typedef struct snRunGlb {
    const snRunRequest *request;
    const snWorld *world;
    const snSequence *sequence;
    const snRunBare *bare;
} snRunGlb;
snStatus snRunGlb_Write(const snRunGlb *run, snBytes *out, snMotionReport *report, const snCli *cli,
                        snError *error);

#endif
