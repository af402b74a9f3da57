// A layered character with its skin simulated over its animation: all frames kept, for pictures and caches.
#ifndef SN_CLI_BUILD_PLAY_H
#define SN_CLI_BUILD_PLAY_H

#include "bake/motion.h"
#include "cli/bake_outputs.h"
#include "cli/build_picture.h"
#include "layered/play.h"
#include "world/pace.h"

typedef struct snBuildPlay {
    snPlay *play;
    snArena arena;
    int frameCount;
    snVec3f **frames;  // [frameCount][vertices of the surface]
    double *times;     // [frameCount] s
    double seconds;    // of the clock, that the simulation took
    double deepest;    // in muscles over all frames, as a share of their size
    double slid;       // m: how far a foot below the skin has moved over its muscle, at most
    snPace pace;       // of what was played by the clock
    uint64_t hash;     // of its end
    snBytes recording; // of its steps and levels, where it is asked for
    bool coarse;       // a .glb has more error than its tolerance
} snBuildPlay;

typedef struct snBuildPlayDef {
    bool finalGrid; // at the document's final resolution
    int smooth;     // snPlayDef.smooth
    // By the clock: at a ratio of simulated time to it (0: the document's), with fewer points where it cannot be kept up with.
    bool realtime;
    double ratio;
    const char *record,
        *replay; // recordings of steps and levels, to be written and played again; or NULL
} snBuildPlayDef;

// Simulates all frames of the animation; without postures the skin hangs for a second.
snStatus snBuildPlay_Run(snBuildPlay *run, const snLayered *layered, const snBuildPlayDef *request,
                         const snCli *cli, snError *error);
// What is played by the clock, or from a recording; frames are reserved (build_realtime.c).
snStatus snBuildPlay_RunPaced(snBuildPlay *run, const snLayered *layered,
                              const snBuildPlayDef *request, const snCli *cli, snError *error);
void snBuildPlay_Free(snBuildPlay *run);

// All frames as surfaces to draw, in its arena. NULL: out of memory.
snBuildSurface *snBuildPlay_Surfaces(snBuildPlay *run);

// Caches of the surfaces.
typedef struct snBuildPlayNames {
    const char *character, *input; // what it is called, and the file that it comes from
} snBuildPlayNames;
snStatus snBuildPlay_Write(snBuildPlay *run, snOutputs *outputs, const snBuildPlayNames *names,
                           snFileBatch *batch, const snCli *cli, snError *error);

#endif
