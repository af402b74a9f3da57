// Options of `bake` about the run itself: by what it goes, what it leaves beside its outputs, how
// much it tells, and whether it takes up one that was interrupted.
#ifndef SN_CLI_RUN_OPTIONS_H
#define SN_CLI_RUN_OPTIONS_H

#include "cli/options.h"

#define SN_RUN_OPTIONS                                                                             \
    {"with", 0, "FILE", "bake by what a sidecar says (.sinew.json); other options overrule it"},   \
        {"sidecar", 0, "FILE", "where to write the sidecar (beside the first output)"},            \
        {"no-sidecar", 0, NULL, "write none"},                                                     \
        {"dry-run", 'n', NULL, "say what would be done, and write nothing"},                       \
        {"resume", 0, NULL, "go on where the last bake with the same options was interrupted"},    \
    {                                                                                              \
        "progress", 0, NULL, "tell how far it is as lines, where there is no terminal"             \
    }

typedef struct snRunOptions {
    const char *with;    // a sidecar, or NULL
    const char *sidecar; // where to write one; NULL: beside the first output
    bool noSidecar;
    bool dryRun;
    bool resume;
    bool progress;
} snRunOptions;

// As snFleshOptions_Take.
int snRunOptions_Take(snRunOptions *options, const snOptionReader *reader);

#endif
