// Writing the sidecar of a bake (sidecar.h).
#ifndef SN_CLI_SIDECAR_WRITE_H
#define SN_CLI_SIDECAR_WRITE_H

#include "cli/bake_summary.h"

typedef struct snSidecarDef {
    const snBakeRequest *request; // with the clips that were chosen
    const snLoaded *loaded;
    const snFlesh *flesh;
    const snBake *bake;         // NULL: not yet baked
    const snBakeResult *result; // its size, then all of it
} snSidecarDef;

// The whole document.
snStatus snSidecar_Write(const snSidecarDef *def, snBytes *bytes, const snCli *cli, snError *error);

// What a bake goes by, without what was given, names of outputs and results: two bakes of which this
// is the same do the same.
snStatus snSidecar_WritePlan(const snSidecarDef *def, snBytes *bytes, const snCli *cli,
                             snError *error);

#endif
