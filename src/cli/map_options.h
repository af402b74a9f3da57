// Options about painted maps: vertex colours and attributes of a file that say how soft flesh is, and where
// physics acts.
#ifndef SN_CLI_MAP_OPTIONS_H
#define SN_CLI_MAP_OPTIONS_H

#include "body/lattice/flesh.h"
#include "cli/options.h"

// Rows of a table of options.
#define SN_MAP_OPTIONS                                                                             \
    {"softness-map", 0, "MAP[=LOW..HIGH]",                                                         \
     "COLOR_0.r, _NAME, ...: how soft flesh is where it has 0 and 1 (0.25..4)"},                   \
    {                                                                                              \
        "mask", 0, "MAP", "where physics acts: 0 follows the rig exactly, 1 is all of it"          \
    }

#define SN_MAP_CHARS 160

typedef struct snMapOptions {
    char softness[SN_MAP_CHARS]; // empty: not given
    double range[2];             // 0: as the definition has it
    const char *mask;
} snMapOptions;

// As snFleshOptions_Take.
int snMapOptions_Take(snMapOptions *options, const snOptionReader *reader);

// Over what a rig document says. The definition points into the options.
void snMapOptions_Apply(const snMapOptions *options, snFleshDef *def);

#endif
