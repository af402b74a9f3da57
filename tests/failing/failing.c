// What the command does when the system lets it down: its n-th allocation, or its n-th call that opens, writes, renames, ..., fails, for every n.
// Then it must say so and end with code 1 (or not need what failed), leave the files in its folder as they were, whole, and give back
// all memory and all open files. Calls are caught by the linker (--wrap), so the code under test is as it is shipped.
//     failing [--all] [CASE]     all n of allocations and calls; else a sample of them
#define _XOPEN_SOURCE 700 // for mkdtemp, realpath

#include "cli/cli.h"
#include "core/hash.h"
#include "platform/files.h"
#include "tests/hostile/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum Kind { KIND_MEMORY, KIND_CALL, KINDS } Kind;
static const char *const kindNames[KINDS] = {"allocation", "system call"};

// The command runs on one thread here.
static struct {
    long count[KINDS], failAt[KINDS]; // 0: none fails
    long alive;                       // allocations
    const char *failed;               // the name of the call that was made to fail
    double hurry;                     // s that the clock goes on each time it is asked
    double clock;
    int stopAfter; // so often it may be asked whether to end; 0: for ever
} fault;

static bool fails(Kind kind, const char *name)
{
    if (++fault.count[kind] != fault.failAt[kind]) return false;
    fault.failed = name;
    errno = kind == KIND_MEMORY ? ENOMEM : ENOSPC;
    return true;
}

// ---- what the linker puts in the place of the system's ------------------------------------------------

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
char *__real_realpath(const char *path, char *resolved);
int __real_open(const char *path, int flags, ...);
int __real_close(int file);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t offset);
int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_fchmod(int file, mode_t mode);
int __real_ftruncate(int file, off_t size);
double __real_snClock_Seconds(void);
bool __real_snInterrupt_Pending(void);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
char *__wrap_realpath(const char *path, char *resolved);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int file);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset);
int __wrap_rename(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_fchmod(int file, mode_t mode);
int __wrap_ftruncate(int file, off_t size);
double __wrap_snClock_Seconds(void);
bool __wrap_snInterrupt_Pending(void);

static void *alive(void *memory)
{
    if (memory) fault.alive++;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails(KIND_MEMORY, "malloc") ? NULL : alive(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(KIND_MEMORY, "calloc") ? NULL : alive(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (fails(KIND_MEMORY, "realloc")) return NULL;
    void *grown = __real_realloc(memory, size);
    return memory ? grown : alive(grown);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(KIND_MEMORY, "aligned_alloc") ? NULL
                                               : alive(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
    if (memory) fault.alive--;
    __real_free(memory);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    char *found = __real_realpath(path, resolved);
    return resolved ? found : alive(found);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return fails(KIND_CALL, "open") ? -1 : __real_open(path, flags, mode);
}

// A file whose closing fails is closed all the same.
int __wrap_close(int file)
{
    int result = __real_close(file);
    return fails(KIND_CALL, "close") ? -1 : result;
}

// Half of it is written before the disk is full.
ssize_t __wrap_write(int file, const void *bytes, size_t size)
{
    if (!fails(KIND_CALL, "write")) return __real_write(file, bytes, size);
    if (__real_write(file, bytes, size / 2) < 0) return -1;
    errno = ENOSPC;
    return -1;
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    return fails(KIND_CALL, "pwrite") ? -1 : __real_pwrite(file, bytes, size, offset);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(KIND_CALL, "rename") ? -1 : __real_rename(from, to);
}

int __wrap_link(const char *from, const char *to)
{
    return fails(KIND_CALL, "link") ? -1 : __real_link(from, to);
}

int __wrap_fchmod(int file, mode_t mode)
{
    return fails(KIND_CALL, "fchmod") ? -1 : __real_fchmod(file, mode);
}

int __wrap_ftruncate(int file, off_t size)
{
    return fails(KIND_CALL, "ftruncate") ? -1 : __real_ftruncate(file, size);
}

// Checkpoints are saved every few seconds.
double __wrap_snClock_Seconds(void)
{
    fault.clock += fault.hurry;
    return fault.hurry > 0 ? fault.clock : __real_snClock_Seconds();
}

// As if Ctrl-C had been pressed.
bool __wrap_snInterrupt_Pending(void)
{
    if (fault.stopAfter > 0 && --fault.stopAfter == 0) fault.stopAfter = -1;
    return fault.stopAfter < 0 || __real_snInterrupt_Pending();
}

// ---- folders -------------------------------------------------------------------------------------------

#define OLD "what was here before"

#define MOST_FILES 16

// The files in `out`, hidden ones too: their names, and hashes of their bytes.
typedef struct Folder {
    int count;
    struct {
        char name[200];
        uint64_t hash;
    } files[MOST_FILES];
} Folder;

static Folder lookAtFolder(void)
{
    Folder found = {0};
    snContext context = snDefaultContext();
    DIR *folder = opendir("out");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300];
        snFileContent content;
        bool folders = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
        if (folders || found.count == MOST_FILES) continue; // hidden ones are looked at, too
        snprintf(path, sizeof path, "out/%.200s", entry->d_name);
        if (snFile_Read(&context, path, (size_t)1 << 30, &content, NULL)) continue;
        snprintf(found.files[found.count].name, sizeof found.files[0].name, "%.199s",
                 entry->d_name);
        found.files[found.count++].hash = snHash(SN_HASH_BEGIN, content.bytes, content.size);
        snFile_Release(&context, &content);
    }
    if (folder) closedir(folder);
    return found;
}

// The hash of a file; 0: it is not there.
static uint64_t hashOf(const Folder *folder, const char *name)
{
    for (int i = 0; i < folder->count; i++)
        if (!strcmp(folder->files[i].name, name)) return folder->files[i].hash;
    return 0;
}

// Empties `out`; with `old` the files of `names` are there with other content.
static void resetFolder(const Folder *names, bool old)
{
    char path[300];
    Folder now = lookAtFolder();
    for (int i = 0; i < now.count; i++) {
        snprintf(path, sizeof path, "out/%s", now.files[i].name);
        unlink(path);
    }
    for (int i = 0; old && i < names->count; i++) {
        snprintf(path, sizeof path, "out/%s", names->files[i].name);
        FILE *file = fopen(path, "wb");
        if (!file) continue;
        fputs(OLD, file);
        fclose(file);
    }
}

static long sizeOf(const char *path)
{
    struct stat about;
    return stat(path, &about) ? 0 : (long)about.st_size;
}

static int openFiles(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder) closedir(folder);
    return count;
}

// ---- trials --------------------------------------------------------------------------------------------

typedef struct Case {
    const char *name;
    int (*run)(int count, char **arguments);
    const char *words; // its arguments, apart by spaces
    int sample;        // of allocations, and of calls, that are made to fail where not all are
    bool saves;        // checkpoints, all the time
    bool resumes;      // from one
} Case;

#define SHORT(file) file " --cells 30 --fps 6 -j1 --clip 0 --to 0.2s --no-loop "
#define BAKE SHORT("beast.glb")
#define LONGER "beast.glb --cells 30 --fps 30 -j1 --clip 0 --to 0.4s --no-loop -o out/long.glb "
static const Case cases[] = {
    {"bake", snCommand_Bake, BAKE "-o out/soft.glb -o out/soft.pc2 -o out/soft.usda", 12, 0, 0},
    {"dump", snCommand_Bake, SHORT("beast.gltf") "-o out/soft.json", 6, 0, 0},
    {"with", snCommand_Bake, SHORT("beast.glb") "--with kept.sinew.json -o out/soft.glb", 4, 0, 0},
    {"bones", snCommand_Bake, BAKE "--as bones -o out/soft.glb", 6, 0, 0},
    {"rigged", snCommand_Bake, BAKE "--rig beast.rig.json -o out/soft.mdd", 3, 0, 0},
    {"checkpoint", snCommand_Bake, LONGER, 4, true, 0},
    {"resume", snCommand_Bake, LONGER "--resume", 4, true, true},
    {"rig", snCommand_Rig, "beam.obj -j1 -o out/rigged.glb", 12, 0, 0},
    {"bound", snCommand_Rig,
     "beam.obj -j1 --skeleton leg.json -o out/bound.glb --skeleton-out out/leg.json", 6, 0, 0},
    {"rules", snCommand_Rig, "beast.glb -j1 --cells 30 -o out/beast.rig.json", 12, 0, 0},
    {"run", snCommand_Run,
     "drop.json -j1 --frames 1:2 --csv out/drop.csv -o out/drop.pc2 -o out/drop.mdd", 20, 0, 0},
    {"glb", snCommand_Run, "drop.json -j1 --frames 1:3 -o out/drop.glb", 10, 0, 0},
    {"sequence", snCommand_Run, "drop.json -j1 --frames 1:3 -o out/drop.####.obj", 10, 0, 0},
    {"record", snCommand_Run, "drop.json -j1 --frames 1:2 --record out/drop.steps", 10, 0, 0},
    {"replay", snCommand_Run, "drop.json -j1 --frames 1:2 --replay drop.steps -o out/drop.pc2", 10,
     0, 0},
    {"scene", snCommand_Run, "all.json -q -j1 -o out/all.glb --csv out/all.csv", 4, 0, 0},
    {"picture", snCommand_Run, "drop.json -q -j1 --frames 1:2 --picture out/drop.png", 3, 0, 0},
    {"render", snCommand_Render, "beast.glb -q -j1 -n 2 -s 64x48 -o out/beast.png", 3, 0, 0},
    {"build", snCommand_Build, "ball.txt -q -o out/ball.character.json --cache out/ball.pc2", 12, 0,
     0},
    {"coat", snCommand_Coat, "jumper.bvh -q -o out/jumper.coat.json", 15, 0, 0},
    {"info", snCommand_Info, "beast.glb", 20, 0, 0},
};
#define CASES ((int)(sizeof cases / sizeof *cases))

static FILE *report; // where this program speaks: the command's own words go into a log

static int runCase(const Case *c)
{
    char text[400], *words[40];
    int count = 0;
    snprintf(text, sizeof text, "%s", c->words);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    return c->run(count, words);
}

typedef struct Outcome {
    int code;
    bool spoke; // on stderr
    Folder folder;
    long leaked;
    int left; // open files
} Outcome;

static Outcome try(const Case *c, Kind kind, long n)
{
    Outcome o;
    int files = openFiles();
    long said = sizeOf("errors");
    memset(&fault, 0, sizeof fault);
    fault.hurry = c->saves ? 10 : 0;
    fault.failAt[kind] = n;
    o.code = runCase(c);
    fault.failAt[kind] = 0;
    fault.hurry = 0;
    fflush(stderr);
    o.spoke = sizeOf("errors") > said;
    o.leaked = fault.alive;
    fflush(stdout);
    o.folder = lookAtFolder();
    o.left = openFiles() - files;
    return o;
}

// The files of a checkpoint from one folder to another. False: they are not there.
static bool copyCheckpoint(const char *from, const char *to)
{
    static const char *const names[] = {".long.glb.sinew-checkpoint", ".long.glb.sinew-frames"};
    bool done = true;
    for (int i = 0; i < 2; i++) {
        char path[2][100];
        snContext context = snDefaultContext();
        snFileContent content;
        snprintf(path[0], sizeof path[0], "%s%s", from, names[i]);
        snprintf(path[1], sizeof path[1], "%s%s", to, names[i]);
        if (snFile_Read(&context, path[0], (size_t)1 << 30, &content, NULL)) return false;
        done &= !snFile_Write(&context, path[1], content.bytes, content.size, NULL);
        snFile_Release(&context, &content);
    }
    return done;
}

// A bake is ended in its middle; what it leaves is kept aside.
static bool stopBake(const Case *c)
{
    memset(&fault, 0, sizeof fault);
    fault.hurry = 10;
    fault.stopAfter = 12;
    runCase(c);
    memset(&fault, 0, sizeof fault);
    return copyCheckpoint("out/", "");
}

typedef struct Expected {
    Folder after; // when all went well
    long counts[KINDS];
} Expected;

// What a bake that failed may leave, for another one goes on from there.
static bool isCheckpoint(const char *name)
{
    return strstr(name, ".sinew-checkpoint") || strstr(name, ".sinew-frames");
}

// NULL: all is as it should be.
static const char *judge(const Outcome *o, const Expected *expected, bool old)
{
    bool done = o->code == SN_EXIT_DONE || o->code == SN_EXIT_DEGRADED;
    uint64_t before = old ? snHash(SN_HASH_BEGIN, OLD, strlen(OLD)) : 0;
    if (o->leaked) return "memory was not given back";
    if (o->left) return "a file stays open";
    if (!done && o->code != SN_EXIT_FAILED) return "another exit code";
    if (!done && !o->spoke) return "it failed without a word";
    for (int i = 0; i < o->folder.count; i++) {
        const char *name = o->folder.files[i].name;
        if (!hashOf(&expected->after, name) && !(!done && isCheckpoint(name))) return name;
    }
    for (int i = 0; i < expected->after.count; i++) {
        uint64_t hash = hashOf(&o->folder, expected->after.files[i].name);
        bool isOld = hash == before, isNew = hash == expected->after.files[i].hash;
        if (done && !isNew) return "it says that it is done, and a file is not";
        if (!done && !isOld) return "it failed, and changed a file";
    }
    return NULL;
}

#define FEW 10 // of cases that take long so many calls are not all made to fail, either

static int tryAll(const Case *c, Kind kind, const Expected *expected, bool all)
{
    int wrong = 0, trials = 0, done = 0;
    long last = expected->counts[kind];
    int sample = kind == KIND_MEMORY || c->sample < FEW ? c->sample : INT_MAX;
    long stride = all || last <= sample ? 1 : last / sample;
    for (long n = last % stride ? last % stride : stride; n <= last; n += stride) { // the last, too
        bool old = trials % 2;
        resetFolder(&expected->after, old);
        if (c->resumes) copyCheckpoint("", "out/");
        Outcome o = try(c, kind, n);
        const char *complaint = judge(&o, expected, old);
        trials++;
        done += o.code != SN_EXIT_FAILED;
        if (!complaint) continue;
        fprintf(report,
                "%s: %s %ld of %ld fails (%s): %s (code %d, %ld allocations, %d files open, %d in "
                "the folder)\n",
                c->name, kindNames[kind], n, last, fault.failed ? fault.failed : "none", complaint,
                o.code, o.leaked, o.left, o.folder.count);
        if (++wrong >= 10) break;
    }
    fprintf(report, "%s: %d of %ld %ss failed, %d were done without; %d wrong\n", c->name, trials,
            last, kindNames[kind], done, wrong);
    fflush(report);
    return wrong;
}

static int tryCase(const Case *c, bool all)
{
    Expected expected;
    resetFolder(NULL, false);
    if (c->resumes && !stopBake(c)) {
        fprintf(report, "%s: no checkpoint was left\n", c->name);
        return 1;
    }
    Outcome o = try(c, KIND_MEMORY, 0);
    expected.after = o.folder;
    for (int k = 0; k < KINDS; k++)
        expected.counts[k] = fault.count[k];
    if ((o.code != SN_EXIT_DONE && o.code != SN_EXIT_DEGRADED) || o.leaked || o.left) {
        fprintf(report, "%s: code %d when nothing fails, %ld allocations and %d files left\n",
                c->name, o.code, o.leaked, o.left);
        return 1;
    }
    int wrong = tryAll(c, KIND_CALL, &expected, all);
    wrong += tryAll(c, KIND_MEMORY, &expected, all);
    resetFolder(NULL, false);
    return wrong;
}

// ---- files to work on ------------------------------------------------------------------------------------

static const char ball[] =
    "settings duration=0.1 rate=10\njoint add low parent=none at=0,-0.11,0 size=4cm\n"
    "joint add high at=0,0.22,0 kind=fixed size=4cm\n"
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"
    "skin create bottom=low top=high rows=5 columns=8 gap=5mm\nskin attach\n"
    "posture keep a time=0\npose joint low shift=0.01,0,0\nposture keep b time=0.1\n";

// A character with a rig document, one whose bones give way, a coat, a layered character, a polynomial body and a lattice.
static const char everything[] =
    "{\"sinew\": \"scene\", \"version\": 1, \"stepsPerSecond\": 30, \"duration\": 0.05, "
    "\"bodies\": "
    "[{\"name\": \"beast\", \"character\": {\"file\": \"beast.glb\", \"clip\": 0, \"cells\": 30, "
    "\"rig\": \"beast.rig.json\"}}, {\"name\": \"limp\", \"character\": {\"file\": \"beast.glb\", "
    "\"cells\": 30, \"skeleton\": {\"strength\": 2}}, \"place\": [5, 0, 0]}, {\"name\": \"coat\", "
    "\"coat\": {\"file\": \"ball.coat.json\"}, \"place\": [-3, 2, 0]}, {\"name\": \"ball\", "
    "\"layered\": {\"file\": \"ball.txt\", \"settle\": 0, \"smooth\": 0}, \"place\": [-5, 1, 0]}, "
    "{\"name\": \"poly\", \"box\": {\"size\": [0.3, 0.2, 0.3]}, \"poly\": {\"order\": 1}, "
    "\"place\": "
    "[-7, 1, 0]}, {\"name\": \"block\", \"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, "
    "1]}, "
    "\"place\": [-3, 1, 0]}], \"colliders\": [{\"kind\": \"floor\"}]}";
static const char rules[] = "{\"sinew\": \"rig\", \"version\": 1, \"defaults\": {\"wobble\": 4}, "
                            "\"parts\": {\"head\": {\"stiffness\": 2}}}";

static snStatus copyExample(const snContext *context, const char *name, snError *error)
{
    char path[400];
    snFileContent content;
    snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/scenes/%s", name);
    snStatus status = snFile_Read(context, path, (size_t)1 << 26, &content, error);
    if (status) return status;
    status = snFile_Write(context, name, content.bytes, content.size, error);
    snFile_Release(context, &content);
    return status;
}

// The beast as .gltf with its numbers in a file beside it.
static snStatus splitBeast(const snBytes *glb, const snContext *context, snError *error)
{
    snGlbParts parts;
    snBytes out = snMakeBytes(context);
    if (!snCorpus_SplitGlb(glb, &parts)) return SN_ERROR_FORMAT;
    snBytes_Append(&out, parts.text, (size_t)(parts.buffer - parts.text));
    snBytes_AppendText(&out, "\"uri\":\"beast.bin\",");
    snBytes_Append(&out, parts.buffer, (size_t)(parts.end - parts.buffer));
    snStatus status = snFile_Write(context, "beast.gltf", out.data, out.size, error);
    snBytes_Destroy(&out);
    if (!status) status = snFile_Write(context, "beast.bin", parts.numbers, parts.size, error);
    return status;
}

static snStatus makeInputs(snError *error)
{
    static const char *const names[] = {"beast.glb", "beam.obj"};
    snContext context = snDefaultContext();
    snCorpus corpus;
    snStatus status = snCorpus_Make(&corpus, &context, error);
    for (int i = 0; i < 2 && !status; i++)
        status = snFile_Write(&context, names[i], corpus.seeds[i].bytes.data,
                              corpus.seeds[i].bytes.size, error);
    const snBytes *leg = &snCorpus_Pick(&corpus, SN_FORMAT_SKELETON, 0)->bytes;
    if (!status) status = snFile_Write(&context, "leg.json", leg->data, leg->size, error);
    if (!status) status = splitBeast(&corpus.seeds[SN_SEED_BEAST].bytes, &context, error);
    snCorpus_Destroy(&corpus);
    if (!status) status = snFile_Write(&context, "ball.txt", ball, sizeof ball - 1, error);
    if (!status)
        status = snFile_Write(&context, "all.json", everything, sizeof everything - 1, error);
    if (!status) status = snFile_Write(&context, "beast.rig.json", rules, sizeof rules - 1, error);
    if (!status) status = copyExample(&context, "ball.coat.json", error);
    if (!status) status = copyExample(&context, "drop.json", error);
    if (!status) status = copyExample(&context, "jumper.bvh", error);
    return status;
}

// Of drop.json, what is replayed.
static bool recordSteps(void)
{
    static const Case recording = {.run = snCommand_Run,
                                   .words = "drop.json -j1 --frames 1:2 --record drop.steps"};
    return runCase(&recording) == SN_EXIT_DONE;
}

// Of the beast, what is baked by once more.
static bool keepSidecar(void)
{
    static const Case bake = {.run = snCommand_Bake, .words = BAKE "-o kept.glb"};
    return runCase(&bake) != SN_EXIT_FAILED;
}

static void removeInputs(const char *folder)
{
    static const char *const names[] = {"beast.glb",
                                        "beam.obj",
                                        "ball.txt",
                                        "all.json",
                                        "beast.rig.json",
                                        "ball.coat.json",
                                        "drop.json",
                                        "drop.steps",
                                        "jumper.bvh",
                                        "leg.json",
                                        "beast.gltf",
                                        "beast.bin",
                                        "kept.glb",
                                        "kept.sinew.json",
                                        "log",
                                        "errors",
                                        ".long.glb.sinew-checkpoint",
                                        ".long.glb.sinew-frames"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(names[i]);
    rmdir("out");
    if (!chdir("/")) rmdir(folder);
}

int main(int count, char **arguments)
{
    char folder[] = "/tmp/sinew-failing-XXXXXX";
    snError error = {0};
    bool all = count > 1 && !strcmp(arguments[1], "--all");
    const char *only = count > 1 && !all ? arguments[1] : count > 2 ? arguments[2] : NULL;
    int wrong = 0;
    report = fdopen(dup(1), "w");
    if (!report || !mkdtemp(folder) || chdir(folder) || mkdir("out", 0777)) return 2;
    if (makeInputs(&error)) {
        fprintf(report, "%s\n", error.message);
        return 2;
    }
    if (!freopen("log", "w", stdout) || !freopen("errors", "a", stderr)) return 2;
    if (!recordSteps()) fprintf(report, "drop.json was not recorded\n");
    if (!keepSidecar()) fprintf(report, "the beast was not baked\n");
    for (int i = 0; i < CASES; i++)
        if (!only || !strcmp(cases[i].name, only)) wrong += tryCase(&cases[i], all);
    removeInputs(folder);
    fclose(report);
    return wrong ? 1 : 0;
}
