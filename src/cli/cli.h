// The command: one file per subcommand, over the library and the renderer. May use every room.
// Begin with main.c, then bake_command.c, the main job.
#ifndef SN_CLI_CLI_H
#define SN_CLI_CLI_H

#include "asset/gltf.h"
#include "platform/platform.h"

// Exit codes.
enum { SN_EXIT_DONE = 0, SN_EXIT_FAILED = 1, SN_EXIT_USAGE = 2, SN_EXIT_DEGRADED = 3 };

typedef struct snCommand {
    const char *name;
    const char *summary;                     // one line for `sinew --help`
    int (*run)(int count, char **arguments); // without the program's and the command's name
} snCommand;

int snCommand_Bake(int count, char **arguments);
int snCommand_Run(int count, char **arguments);
int snCommand_Build(int count, char **arguments);
int snCommand_Rig(int count, char **arguments);
int snCommand_Coat(int count, char **arguments);
int snCommand_Render(int count, char **arguments);
int snCommand_Info(int count, char **arguments);

// What all commands have: where memory and threads come from, how much to say.
typedef struct snCli {
    snContext context;
    snThreadPool *pool;
    int threads; // 0: one per processor
    bool quiet;
    bool json;
    snProgress *progress; // a bar that may stand on the line, or NULL
} snCli;

snStatus snCli_Begin(snCli *cli, snError *error); // starts the threads
void snCli_End(snCli *cli);

// "sinew: MESSAGE" on standard error; returns SN_EXIT_FAILED.
int snCli_Fail(const snError *error);

// "sinew COMMAND: MESSAGE" and where to read on; returns SN_EXIT_USAGE.
int snCli_Usage(const char *command, const char *format, ...) SN_PRINTF(2, 3);

// Paths of files that are read, which nothing may be written over. Each is kept once.
typedef struct snInputs {
    int count, room;
    const char **paths; // [room]
} snInputs;
snStatus snInputs_Add(snInputs *inputs, const char *path, snArena *arena, snError *error);

// What is read is not written, and nothing is written twice. Both lists may have gaps (NULL, ""); the first that is read is
// the input. An exit code, or -1 to go on.
typedef struct snOutputCheck {
    int outputCount, inputCount;
    const char *const *outputs, *const *inputs;
} snOutputCheck;
int snCli_CheckOutputs(const char *command, const snOutputCheck *check);

// The clip of that name or number; fails with the name that was perhaps meant.
snStatus snFindClip(const snCharacter *character, const char *name, int *clip, snError *error);

// Whether files can be written to these places (NULL: none), before the work.
snStatus snCli_Probe(const char *const *paths, int count, const snCli *cli, snError *error);

// A character file with its bytes, which writers need again.
typedef struct snLoaded {
    snFileContent file;
    snCharacter character;
    snGltfSource source; // of a glTF file; points into `folder`
    char folder[SN_MAX_PATH];
    size_t size;      // bytes of the file
    uint64_t hash;    // of the file and the neighbours that were read with it
    uint64_t reading; // of all that has been read, also when neighbours are read again
    snArena arena;
    snInputs neighbours; // files that it names and that were read with it
    const snContext *context;
} snLoaded;

// Reads .glb, .gltf, .obj and .bvh (a skeleton and its motion, without a surface). The message of a failure begins with the path.
snStatus snLoaded_Read(snLoaded *loaded, const char *path, const snCli *cli, snError *error);
void snLoaded_Free(snLoaded *loaded);

#endif
