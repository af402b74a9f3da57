// --dry-run: what a bake would do, found without doing it. The lattice is built where that is quick,
// and a moment of the first clip is simulated to see how fast it goes.
#ifndef SN_CLI_DRY_RUN_H
#define SN_CLI_DRY_RUN_H

#include "cli/bake_summary.h"

#define SN_GUESSED_TARGETS 16 // morph targets per mesh, for sizes: characters needed 4 to 30

typedef struct snDryRunDef {
    const snBakeRequest *request; // clips chosen, files named
    const snLoaded *loaded;
    const snSequence *sequence; // its meshes
    const snFlesh *flesh;       // NULL: it was not built
    const snSize *size;
    double buildSeconds; // that building took, or is likely to
} snDryRunDef;

typedef struct snDryRunClip {
    int clip; // number in the character
    int frames;
    bool loops;
    int64_t steps; // of all rounds
} snDryRunClip;

typedef struct snDryRun {
    int clipCount;
    snDryRunClip *clips; // [clipCount]
    int64_t frames;      // that are kept, of all clips
    int64_t steps;
    double *bytes;      // [files of the outputs], sizes; of .glb, .obj and .usda by guess
    double memory;      // bytes at most, about; 0: not known
    double bakeSeconds; // about; below 0: not known
} snDryRun;

// Whether building its flesh is a matter of seconds.
bool snIsQuickToBuild(const snBakeRequest *request, const snCharacter *character);

snStatus snDryRun_Make(snDryRun *run, const snDryRunDef *def, snArena *arena, const snCli *cli,
                       snError *error);
void snDryRun_Print(const snDryRun *run, const snDryRunDef *def);
void snDryRun_PrintJson(const snDryRun *run, const snDryRunDef *def, const snCli *cli);

#endif
