// A run's surfaces as a .glb: what bodies look like, and where it goes.
#ifndef SN_CLI_RUN_GLB_H
#define SN_CLI_RUN_GLB_H

#include "bake/motion.h"
#include "cli/run_request.h"

snStatus snRunGlb_Write(const snRunRequest *request, const snWorld *world,
                        const snSequence *sequence, snBytes *out, snMotionReport *report,
                        const snCli *cli, snError *error);

#endif
