// Options of `bake` about clips that are played one after another.
#ifndef SN_CLI_CHAIN_OPTIONS_H
#define SN_CLI_CHAIN_OPTIONS_H

#include "cli/cli.h"
#include "cli/time_options.h"

#define SN_CHAIN_OPTIONS                                                                           \
    {"chain", 0, "CLIP,CLIP[=NAME]",                                                               \
     "bake these clips as one, one after another; may be repeated"},                               \
    {                                                                                              \
        "blend", 0, "TIME", "how long clips of a chain take to go over into each other (0.2s)"     \
    }

#define SN_MOST_CHAINS 16
#define SN_CHAIN_NAME 256

typedef struct snChainOptions {
    int count;
    const char *texts[SN_MOST_CHAINS];             // as they were given
    char names[SN_MOST_CHAINS][SN_CHAIN_NAME + 8]; // of the new clips, snLoaded_AddChains
    snGivenTime blend;
} snChainOptions;

// As snFleshOptions_Take.
int snChainOptions_Take(snChainOptions *options, const snOptionReader *reader);

// Adds the chains to a character that was read: it is then as if read from a .glb, in memory, that has them
// behind its own clips.
snStatus snLoaded_AddChains(snLoaded *loaded, const char *input, snChainOptions *options,
                            double frameRate, const snCli *cli, snError *error);

#endif
