// Options of `bake` about time: which part of the clips, what comes before, whether they go round.
#ifndef SN_CLI_TIME_OPTIONS_H
#define SN_CLI_TIME_OPTIONS_H

#include "bake/bake.h"
#include "cli/options.h"

#define SN_TIME_OPTIONS                                                                            \
    {"from", 0, "TIME",                                                                            \
     "keep frames from this time of a clip on: seconds (1.5s) or frames (45f)"},                   \
        {"to", 0, "TIME", "keep frames up to this time"},                                          \
        {"preroll", 0, "TIME",                                                                     \
         "hold the first pose so long before a clip that is no loop, or auto"},                    \
        {"loop", 0, NULL, "take every clip as a loop"},                                            \
        {"no-loop", 0, NULL, "take no clip as a loop"},                                            \
    {                                                                                              \
        "no-carry", 0, NULL, "simulate jumps of the skeleton instead of carrying flesh over them"  \
    }

// A time as it was given: in seconds, or in frames of a rate that is known later.
typedef struct snGivenTime {
    bool given, frames;
    double value;
} snGivenTime;

// Takes the value of the present option: 1.5s, 1.5 or 45f. False, and a message, when it is no time.
bool snGivenTime_Take(const snOptionReader *reader, snGivenTime *time);
double snGivenTime_Seconds(const snGivenTime *time, double frameRate);

typedef struct snTimeOptions {
    snGivenTime from, to, preroll;
    bool autoPreroll, noCarry;
    snLoopChoice loop;
} snTimeOptions;

// As snFleshOptions_Take.
int snTimeOptions_Take(snTimeOptions *options, const snOptionReader *reader);

// Into the definition, whose frame rate is known. False, and a message, when the range is empty.
bool snTimeOptions_Apply(const snTimeOptions *options, snBakeDef *def);

#endif
