// Options of `bake` about what changes over time: stiffness, and how much is seen of the flesh.
#ifndef SN_CLI_KEY_OPTIONS_H
#define SN_CLI_KEY_OPTIONS_H

#include "bake/keys.h"
#include "cli/cli.h"
#include "cli/options.h"

#define SN_KEY_OPTIONS                                                                             \
    {                                                                                              \
        "key", 0, "[CLIP:]WHAT=VALUE@TIME,...",                                                    \
            "change stiffness, amount or amount.PART over time: amount=0@0s,1@0.5s"                \
    }

#define SN_MOST_TRACKS 64
#define SN_MOST_KEYS 256 // of one track
#define SN_KEY_CHARS 128 // of the names of clips and parts

// A track as it was given; what its times and clip are is known later.
typedef struct snGivenTrack {
    snKeyed what;
    bool smooth;
    char clip[SN_KEY_CHARS], part[SN_KEY_CHARS]; // empty: all
    int count;
    bool frames[SN_MOST_KEYS]; // its time is in frames
    double times[SN_MOST_KEYS], values[SN_MOST_KEYS];
} snGivenTrack;

typedef struct snKeyOptions {
    int count;
    snGivenTrack *list; // [SN_MOST_TRACKS], made with the first
} snKeyOptions;

// As snFleshOptions_Take.
int snKeyOptions_Take(snKeyOptions *options, const snOptionReader *reader);
void snKeyOptions_Free(snKeyOptions *options);

// The tracks for a bake of the character at a frame rate; they live in the arena and the options.
snStatus snKeyOptions_Tracks(const snKeyOptions *options, const snCharacter *character,
                             double frameRate, snKeyTrack **tracks, snArena *arena, snError *error);

#endif
