// The part of `sinew rig` for a surface without a skin: it gets a skeleton, proposed or from a file,
// and skin weights, and is written as a character that can be animated and baked.
#ifndef SN_CLI_RIG_BARE_H
#define SN_CLI_RIG_BARE_H

#include "cli/bind.h"

typedef struct snRigBareDef {
    const char *input;       // for messages
    const char *output;      // .glb to write, or NULL: none
    snBindOptions bind;      // a skeleton to use; without a file one is proposed
    const char *skeletonOut; // .json to write the skeleton to, or NULL
    bool sway;               // add the clip SN_SWAY_NAME
} snRigBareDef;

// Returns an exit code; messages have been printed. Fails for a character that has a skin.
int snRigBare(const snLoaded *loaded, const snRigBareDef *def, const snCli *cli);

#endif
