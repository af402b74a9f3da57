// Checkpoints of a bake as files beside its first output, hidden ones: ".fox-soft.glb.sinew-checkpoint"
// with the state, replaced as a whole, and ".fox-soft.glb.sinew-frames", which grows. Both go when the
// bake is finished. The second begins with the plan: what the bake goes by, as in its sidecar. A bake with
// another plan does not go on from them.
#ifndef SN_CLI_CHECKPOINT_FILE_H
#define SN_CLI_CHECKPOINT_FILE_H

#include "asset/bytes.h"
#include "bake/bake.h"
#include "cli/cli.h"
#include "core/hash.h"

// What is in the two files, found and checked; points into them.
typedef struct snCheckpointContent {
    const uint8_t *state;
    size_t stateSize;
    const uint8_t *frames; // without the plan in front of them
    size_t framesSize;
    size_t kept; // bytes of the file of frames that belong to the state
} snCheckpointContent;

// Whether the files are whole, belong together and to this plan; if not, the message says what
// differs.
snStatus snCheckpointContent_Find(snCheckpointContent *content, const snFileContent *state,
                                  const snFileContent *frames, const snBytes *plan, snError *error);

typedef struct snCheckpointFile {
    const snCli *cli;
    const snBytes *plan;
    char statePath[SN_MAX_PATH], framesPath[SN_MAX_PATH];
    snFileContent state, frames; // what a bake goes on from, while it is read
    snGrowingFile growing;
    snHasher hasher;  // of all in it
    uint64_t written; // bytes in it
    bool begun;       // it is open
    bool broken;      // it could not be written: the bake goes on without
    int saves;
    double due, asked; // s of the clock: when to save next, when a save began
} snCheckpointFile;

// Prepares for a bake whose first output is `output`. The plan must live as long.
snStatus snCheckpointFile_Make(snCheckpointFile *file, const char *output, const snBytes *plan,
                               const snCli *cli, snError *error);

// Reads what there is to go on from into the hook. *found is false where there is nothing.
snStatus snCheckpointFile_Resume(snCheckpointFile *file, snCheckpointHook *hook, bool *found,
                                 snError *error);
bool snCheckpointFile_Exists(const snCheckpointFile *file);

// For the hook: saves every few seconds, and seldom enough that it does not slow the bake down. What
// cannot be written is a warning, not the end of the bake.
void snCheckpointFile_Hook(snCheckpointFile *file, snCheckpointHook *hook);

void snCheckpointFile_Close(snCheckpointFile *file);
void snCheckpointFile_Remove(snCheckpointFile *file); // closes it too

#endif
