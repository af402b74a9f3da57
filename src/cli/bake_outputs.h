// Where a bake or a run goes: outputs by their endings, which files each of them becomes, and writing all of
// these files or none.
#ifndef SN_CLI_BAKE_OUTPUTS_H
#define SN_CLI_BAKE_OUTPUTS_H

#include "asset/sequence.h"
#include "cli/cli.h"

#define SN_MOST_OUTPUTS 16

typedef enum snOutputKind {
    SN_OUTPUT_GLB,
    SN_OUTPUT_PC2,  // a file per mesh
    SN_OUTPUT_MDD,  // a file per mesh
    SN_OUTPUT_OBJ,  // a file per frame
    SN_OUTPUT_USDA, // one file
    SN_OUTPUT_DUMP, // .json and .bin
} snOutputKind;

typedef struct snOutput {
    const char *path; // as it was given
    snOutputKind kind;
    int firstFile, fileCount; // in snOutputs.files
} snOutput;

typedef struct snOutputs {
    const char *command; // that writes them, for messages
    int count;
    snOutput list[SN_MOST_OUTPUTS];
    int fileCount;
    const char **files; // all files that will be written, but for the sidecar
    char sidecar
        [SN_MAX_PATH]; // a file beside them: of a bake its document, of a run its table; "": none
} snOutputs;

// Adds an output. Fails when its ending is unknown or there are too many; of an option that is wrong usage, and said as such.
snStatus snOutputs_Take(snOutputs *outputs, const char *path, snError *error);
bool snOutputs_Add(snOutputs *outputs, const char *path);
bool snOutputs_Has(const snOutputs *outputs, snOutputKind kind);

// What is read is not written, and nothing is written twice. An exit code, or -1 to go on.
int snOutputs_CheckNames(const snOutputs *outputs, const char *const *inputs, int inputCount);

// Where the sidecar goes: as it was given, else beside the first output, with its name. What is read
// is not overwritten, but for the sidecar that the bake goes by (`with`, or NULL). As CheckNames.
int snOutputs_PlaceSidecar(snOutputs *outputs, const char *given, const char *with,
                           const char *const *inputs, int inputCount);

// Whether the places given can be written to: before anything else is done.
snStatus snOutputs_Probe(const snOutputs *outputs, const snCli *cli, snError *error);

// Decides on all files, once meshes and the number of frames are known, and checks them like the
// names that were given.
typedef struct snOutputPlan {
    const snSequence *sequence; // its meshes
    int frameCount;
    const char *const *inputs; // files that are read
    int inputCount;
} snOutputPlan;
snStatus snOutputs_Plan(snOutputs *outputs, const snOutputPlan *plan, const snCli *cli,
                        snArena *arena, snError *error);

// Writes all files into a batch, with which they get their names or not.
typedef struct snOutputContent {
    const snSequence *sequence;
    const snBytes *glb;
    const snBytes *sidecar;
} snOutputContent;
snStatus snOutputs_Write(const snOutputs *outputs, const snOutputContent *content,
                         snFileBatch *batch, const snCli *cli, snError *error);

#endif
