#include "tests/hostile/trial.h"

#include "asset/gltf.h"
#include "asset/pc2.h"
#include "cli/cli.h"
#include "core/error.h"
#include "scene/scene.h"
#include "tests/hostile/sound.h"
#include "tests/hostile/fuzz_layered.h"
#include "tests/hostile/stopped.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_WORDS 24
#define LARGEST_OUTPUT ((size_t)256 << 20)
// Extents of the rig: the most that flesh may be from it where nothing is said. Of thousands of mutants none came
// to 0.6; the bake itself meets what comes to three.
#define FARTHEST 1.0

typedef struct Command {
    int count;
    const char *words[MOST_WORDS];
    bool nearRig; // where it says that all went well, flesh must be near its rig
} Command;

// ---- the command ----

static void openLog(void)
{
    fflush(stdout);
    fflush(stderr);
    int log = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (log < 0) return;
    dup2(log, 1);
    dup2(log, 2);
    close(log);
}

static void addWord(Command *command, const char *word)
{
    command->words[command->count++] = word;
}

static int runCommand(const Command *command)
{
    static const struct {
        const char *name;
        int (*run)(int count, char **arguments);
    } commands[] = {{"bake", snCommand_Bake},
                    {"rig", snCommand_Rig},
                    {"info", snCommand_Info},
                    {"run", snCommand_Run},
                    {"build", snCommand_Build}};
    for (int i = 0; i < 5; i++)
        if (!strcmp(command->words[0], commands[i].name))
            return commands[i].run(command->count - 1, (char **)(uintptr_t)(command->words + 1));
    return -1;
}

// ---- what it left ----

#define MOST_NAMES 64
#define NAME_CHARS 256

typedef struct Listing {
    int count;
    char paths[MOST_NAMES][NAME_CHARS + 4]; // "out/NAME"
} Listing;

static Listing listOutput(void)
{
    Listing listing = {0};
    DIR *folder = opendir("out");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && listing.count < MOST_NAMES)
            snprintf(listing.paths[listing.count++], NAME_CHARS + 4, "out/%.*s", NAME_CHARS - 1,
                     entry->d_name);
    if (folder) closedir(folder);
    return listing;
}

static void emptyOutput(void)
{
    Listing listing = listOutput();
    for (int i = 0; i < listing.count; i++)
        unlink(listing.paths[i]);
}

static snStatus checkGlb(const snFileContent *file, bool nearRig, const snContext *context,
                         snError *error)
{
    snGltfSource source = {.bytes = file->bytes, .size = file->size};
    snCharacter character;
    snStatus status = snGltf_Read(&character, &source, context, error);
    if (status) return status;
    status = snCheckCharacter(&character, error);
    if (!status && nearRig) status = snCheckNear(&character, FARTHEST, context, error);
    snCharacter_Destroy(&character);
    return status;
}

static snStatus checkCache(const snFileContent *file, const snContext *context, snError *error)
{
    snPc2Header header;
    snStatus status = snPc2_Open(&header, file->bytes, file->size, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snVec3f *points = SN_NEW(&arena, snVec3f, header.sampleCount ? header.pointCount : 0);
    for (int s = 0; points && s < header.sampleCount && !status; s++) {
        snPc2_Sample(&header, file->bytes, s, points);
        status = snCheckPoints(points, header.pointCount, "the cache", error);
    }
    snArena_Destroy(&arena);
    return status;
}

// Behind its first line, which has names, nothing but numbers.
static snStatus checkTable(const snFileContent *file, snError *error)
{
    const char *text = (const char *)file->bytes, *line = strchr(text, '\n');
    if (!line) return snFail(error, SN_ERROR_FORMAT, "the table has no rows");
    if (strspn(line, "0123456789.,+-e\n") == strlen(line)) return SN_OK;
    return snFail(error, SN_ERROR_NUMERIC, "the table has what is no number: %.20s",
                  line + strspn(line, "0123456789.,+-e\n"));
}

static snStatus checkFile(const char *path, bool nearRig, const snContext *context, snError *error)
{
    snFileContent file;
    snStatus status = snFile_Read(context, path, LARGEST_OUTPUT, &file, error);
    if (status) return status;
    if (snPath_HasExtension(path, ".glb"))
        status = checkGlb(&file, nearRig, context, error);
    else if (snPath_HasExtension(path, ".pc2"))
        status = checkCache(&file, context, error);
    else if (snPath_HasExtension(path, ".csv"))
        status = checkTable(&file, error);
    else if (!snPath_HasExtension(path, ".json"))
        status = snFail(error, SN_ERROR_FILE, "it should not be there");
    snFile_Release(context, &file);
    if (status) snError_Prefix(error, "%s", path);
    return status;
}

// The log has a line that says why, and memory was not the reason.
static snStatus checkReason(const snContext *context, snError *error)
{
    snFileContent log;
    fflush(stderr);
    snStatus status = snFile_Read(context, "log", LARGEST_OUTPUT, &log, error);
    if (status) return status;
    const char *reason = strstr((const char *)log.bytes, "sinew: ");
    if (!reason)
        status = snFail(error, SN_ERROR_FORMAT, "it failed without a word");
    else if (strstr(reason, "out of memory"))
        status = snFail(error, SN_ERROR_MEMORY, "it ran out of memory");
    snFile_Release(context, &log);
    return status;
}

// Whether exit code and files agree.
static snStatus judge(int code, const Command *command, const snContext *context, snError *error)
{
    Listing listing = listOutput();
    bool writes = strcmp(command->words[0], "info") != 0;
    bool done = code == SN_EXIT_DONE || code == SN_EXIT_DEGRADED;
    snStatus status = SN_OK;
    if (!done && code != SN_EXIT_FAILED)
        return snFail(error, SN_ERROR_FORMAT, "exit code %d", code);
    if (!done && listing.count > 0)
        return snFail(error, SN_ERROR_FILE, "it failed, and left %s", listing.paths[0]);
    if (!done) return checkReason(context, error);
    if (writes && listing.count == 0) return snFail(error, SN_ERROR_FILE, "it wrote nothing");
    for (int i = 0; i < listing.count && !status; i++)
        status =
            checkFile(listing.paths[i], command->nearRig && code == SN_EXIT_DONE, context, error);
    return status;
}

static snStatus try(const Command *command, bool *done, const snContext *context, snError *error)
{
    emptyOutput();
    openLog();
    int code = runCommand(command);
    *done = code == SN_EXIT_DONE || code == SN_EXIT_DEGRADED;
    snStatus status = judge(code, command, context, error);
    if (status) snError_Prefix(error, "sinew %s", command->words[0]);
    return status;
}

// ---- commands for formats ----

// No command reads these: they are looked at directly.
static snStopped stopped; // a bake that mutants of checkpoints are tried on

static snStatus tryCache(const snTrial *trial, bool *done, const snContext *context, snError *error)
{
    snPc2Header header;
    *done = snPc2_Open(&header, trial->bytes, trial->size, error) == SN_OK;
    if (!*done) return SN_OK;
    snArena arena = snMakeArena(context);
    snVec3f *points = SN_NEW(&arena, snVec3f, header.sampleCount ? header.pointCount : 0);
    for (int s = 0; points && s < header.sampleCount && s < 1000; s++)
        snPc2_Sample(&header, trial->bytes, s, points);
    snArena_Destroy(&arena);
    return points ? SN_OK : snFailMemory(error);
}

static Command makeBake(const char *input)
{
    const char *const words[] = {"bake", input,          "--cells", "60",          "--fps",
                                 "10",   "-j",           "1",       "--clip",      "0",
                                 "-o",   "out/soft.glb", "-o",      "out/soft.pc2"};
    Command command = {0};
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        addWord(&command, words[i]);
    return command;
}

static Command makeRig(const char *input)
{
    return (Command){.count = 6, .words = {"rig", input, "--sway", "-j1", "-o", "out/soft.glb"}};
}

// A tenth of a second or so; the table has a row for every step.
static Command makeRun(const char *input)
{
    return (Command){.count = 10,
                     .words = {"run", input, "-j1", "--frames", "1:4", "--every-step", "--csv",
                               "out/table.csv", "-o", "out/soft.pc2"}};
}

// Built, undone and done again, written; a character is played besides.
static Command makeBuild(const char *input, bool script)
{
    if (script)
        return (Command){.count = 5,
                         .words = {"build", input, "--undo", "-o", "out/made.character.json"}};
    return (Command){
        .count = 6,
        .words = {"build", input, "-o", "out/made.character.json", "--cache", "out/soft.pc2"}};
}

static snStatus readBeside(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                           size_t *size, snError *error)
{
    snFileContent file;
    snStatus status = snFile_ReadNeighbour(user, "", path, LARGEST_OUTPUT, &file, error);
    if (status) return status;
    *bytes = snArena_Copy(arena, file.bytes, 1, file.size);
    *size = file.size;
    snFile_Release(user, &file);
    return *bytes ? SN_OK : snFailMemory(error);
}

// A good scene that is only large: many cells, or many steps to a frame.
static bool isHeavy(const snTrial *trial, const snContext *context)
{
    snContext copy = *context;
    snSceneSource source = {readBeside, &copy, NULL};
    snSceneFile scene;
    double cells = 0, steps;
    if (snSceneFile_Read(&scene, (const char *)trial->bytes, trial->size, &source, context, NULL))
        return false;
    for (int i = 0; i < scene.bodyCount; i++) {
        const snSceneBody *body = &scene.bodies[i];
        double own = body->lattice.cellCount;
        if (own == 0)
            own = body->cells[1] ? (double)body->cells[0] * body->cells[1] * body->cells[2]
                                 : body->cells[0];
        int level = body->nodeLevel > body->levels + 2 ? body->nodeLevel - 2 : body->levels;
        for (int k = 0; k < level; k++)
            own *= 8;
        cells += own;
    }
    steps = snSceneFile_StepsPerFrame(&scene);
    snSceneFile_Destroy(&scene);
    return cells > 1000 || steps > 60 || cells * steps > 8000;
}

static void addWords(Command *command, const char *const *words)
{
    for (; *words; words++)
        addWord(command, *words);
}

// What is done with a mutant, beyond reading: one thing, or another besides. False: no more.
static bool makeWork(Command *command, snFormat format, int which, const char *mutant)
{
    static const char *const toy[] = {"--motion", "full", "--anchor", "top", "--to", "0.5s", NULL};
    const char *const skeleton[] = {"--skeleton", mutant, NULL}, *const rig[] = {"--rig", mutant,
                                                                                 NULL};
    const char *const sidecar[] = {"--with", mutant, NULL}, *const none[] = {NULL};
    const struct {
        snFormat format;
        bool bake;
        const char *input, *const *words;
    } works[] = {{SN_FORMAT_GLB, true, mutant, none},
                 {SN_FORMAT_GLTF, true, mutant, none},
                 {SN_FORMAT_OBJ, false, mutant, none},
                 {SN_FORMAT_OBJ, true, mutant, toy},
                 {SN_FORMAT_BVH, true, "beam.obj", skeleton},
                 {SN_FORMAT_SKELETON, false, "beam.obj", skeleton},
                 {SN_FORMAT_RIG, true, "beast.glb", rig},
                 {SN_FORMAT_SIDECAR, true, "beast.glb", sidecar}};
    for (int i = 0; i < (int)(sizeof works / sizeof *works); i++)
        if (works[i].format == format && which-- == 0) {
            *command = works[i].bake ? makeBake(works[i].input) : makeRig(works[i].input);
            addWords(command, works[i].words);
            // What falls may go anywhere, and documents may ask for ten times the motion.
            command->nearRig = works[i].bake && works[i].words != toy && format < SN_FORMAT_RIG;
            return true;
        }
    return false;
}

snStatus snTrial_Run(const snTrial *trial, bool *done, const snContext *context, snError *error)
{
    static const char *const names[SN_FORMATS] = {"m.glb",
                                                  "m.gltf",
                                                  "m.obj",
                                                  "m.bvh",
                                                  "m.pc2",
                                                  "m.rig.json",
                                                  "m.bone.json",
                                                  "m.sinew.json",
                                                  "",
                                                  "m.scene.json",
                                                  "m.character.json",
                                                  "m.txt"};
    if (trial->format == SN_FORMAT_PC2) return tryCache(trial, done, context, error);
    if (trial->format == SN_FORMAT_CHECKPOINT)
        return snStopped_Try(&stopped, trial->bytes, trial->size, done, error);
    const char *mutant = names[trial->format];
    Command info = {.count = 2, .words = {"info", mutant}}, command;
    snStatus status = snFile_Write(context, mutant, trial->bytes, trial->size, error);
    bool heavy = trial->format == SN_FORMAT_SCENE ? isHeavy(trial, context)
                 : trial->format >= SN_FORMAT_CHARACTER
                     ? snFuzz_IsHeavy(trial->format, trial->bytes, trial->size, context)
                     : false;
    if (!status && heavy) {
        *done = true;
        return SN_OK;
    }
    bool document = trial->format >= SN_FORMAT_RIG; // these are read only where they are used
    if (!status && !document) status = try(&info, done, context, error);
    for (int i = 0; (trial->work || document) && !status; i++) {
        if (trial->format == SN_FORMAT_SCENE && i == 0)
            command = makeRun(mutant);
        else if (trial->format >= SN_FORMAT_CHARACTER && i == 0)
            command = makeBuild(mutant, trial->format == SN_FORMAT_SCRIPT);
        else if (!makeWork(&command, trial->format, i, mutant))
            break;
        status = try(&command, done, context, error);
    }
    return status;
}

// ---- preparation ----

static snStatus writeSeed(const snCorpus *corpus, int seed, const char *path,
                          const snContext *context, snError *error)
{
    const snBytes *bytes = &corpus->seeds[seed].bytes;
    return snFile_Write(context, path, bytes->data, bytes->size, error);
}

// What the examples' scenes name.
static snStatus copyRing(const snContext *context, snError *error)
{
    snFileContent ring;
    snStatus status = snFile_Read(context, SN_SOURCE_DIR "/examples/scenes/ring.obj",
                                  LARGEST_OUTPUT, &ring, error);
    if (status) return status;
    status = snFile_Write(context, "ring.obj", ring.bytes, ring.size, error);
    snFile_Release(context, &ring);
    return status;
}

static snStatus addOutput(snCorpus *corpus, snFormat format, const char *path,
                          const snContext *context, snError *error)
{
    snFileContent file;
    snStatus status = snFile_Read(context, path, LARGEST_OUTPUT, &file, error);
    if (status) return status;
    snBytes *bytes = snCorpus_Add(corpus, format, "beast", context);
    snBytes_Append(bytes, file.bytes, file.size);
    snFile_Release(context, &file);
    return snBytes_Check(bytes, error);
}

bool snTrial_IsOf(snFormat format, const char *only)
{
    bool apart =
        format == SN_FORMAT_SCENE || format == SN_FORMAT_CHARACTER || format == SN_FORMAT_SCRIPT;
    return only ? !strcmp(only, snFormat_Name(format)) : !apart;
}

// What has not been broken must work.
static snStatus trySeed(const snSeed *seed, const snContext *context, snError *error)
{
    snTrial trial = {seed->format, seed->bytes.data, seed->bytes.size, true};
    bool done = false;
    snStatus status = snTrial_Run(&trial, &done, context, error);
    if (!status && !done) status = snFail(error, SN_ERROR_FORMAT, "it is refused");
    if (status) snError_Prefix(error, "%s, %s", seed->name, snFormat_Name(seed->format));
    return status;
}

snStatus snTrial_Prepare(snCorpus *corpus, const char *only, const snContext *context,
                         snError *error)
{
    bool done;
    mkdir("out", 0700);
    snStatus status = snFuzz_AddSeeds(corpus, context, error);
    if (!status) status = writeSeed(corpus, SN_SEED_BEAST, "beast.glb", context, error);
    if (!status) status = writeSeed(corpus, SN_SEED_BEAM, "beam.obj", context, error);
    if (!status) status = copyRing(context, error);
    Command describe = {
        .count = 7,
        .words = {"rig", "beast.glb", "--cells", "60", "-j1", "-o", "out/beast.rig.json"}};
    if (!status) status = try(&describe, &done, context, error);
    if (!status) status = addOutput(corpus, SN_FORMAT_RIG, "out/beast.rig.json", context, error);
    Command bake = makeBake("beast.glb");
    if (!status) status = try(&bake, &done, context, error);
    Listing listing = listOutput();
    for (int i = 0; i < listing.count && !status; i++)
        if (strstr(listing.paths[i], ".sinew.json"))
            status = addOutput(corpus, SN_FORMAT_SIDECAR, listing.paths[i], context, error);
    if (!status)
        status = snStopped_Make(&stopped, &corpus->seeds[SN_SEED_BEAST].bytes, context, error);
    snBytes *state = snCorpus_Add(corpus, SN_FORMAT_CHECKPOINT, "beast", context);
    snBytes_Append(state, stopped.state.data, stopped.state.size);
    for (int i = 0; i < corpus->count && !status; i++)
        if (snTrial_IsOf(corpus->seeds[i].format, only))
            status = trySeed(&corpus->seeds[i], context, error);
    return status;
}
