// Every character that is there, baked by the program as a person runs it, with no options but one thread:
// the demo and those of ../shared/assets. A table, and the figures of it that have goals.
#include "bench/bench.h"
#include "bench/command.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SINEW "'" SN_BUILD_DIR "/sinew'"
#define MAKE_DEMO "'" SN_BUILD_DIR "/tools/make-demo'"
#define OUT "out/bench-bake"
#define PATH_SIZE 1200

typedef struct Subject {
    char name[64];
    char file[PATH_SIZE];
    bool animated; // by its makers, and not by a clip of ours
} Subject;

typedef struct Result {
    double vertices, cells, build, simulation, whole; // the last two: times real time
    double clips, seconds, targets, error, gap;       // % of the height
    double before, after;                             // bytes
    double changed;                                   // bytes of the original's data
} Result;

// ---- files ----------------------------------------------------------------------------------------

static double fileSize(const char *path)
{
    struct stat status;
    return stat(path, &status) ? -1 : (double)status.st_size;
}

static unsigned char *readFile(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    double length = fileSize(path);
    unsigned char *bytes = file && length > 0 ? malloc((size_t)length) : NULL;
    *size = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    if (file) fclose(file);
    return bytes;
}

static size_t numberAt(const unsigned char *bytes)
{
    return (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 |
           (size_t)bytes[3] << 24;
}

// The binary chunk of a .glb: behind the header of 12 bytes and the JSON chunk.
static const unsigned char *binaryChunk(const unsigned char *glb, size_t size, size_t *length)
{
    if (!glb || size < 20) return NULL;
    size_t at = 20 + numberAt(glb + 12);
    if (at + 8 > size || numberAt(glb + at) > size - at - 8) return NULL;
    *length = numberAt(glb + at);
    return glb + at + 8;
}

// Bytes of the original's data that are not in the result, at their place; -1: no such data.
static double changedBytes(const char *before, const char *after)
{
    size_t sizes[2], lengths[2] = {0};
    unsigned char *files[2] = {readFile(before, &sizes[0]), readFile(after, &sizes[1])};
    const unsigned char *a = binaryChunk(files[0], sizes[0], &lengths[0]);
    const unsigned char *b = binaryChunk(files[1], sizes[1], &lengths[1]);
    double changed = a && b ? 0 : -1;
    for (size_t i = 0; a && b && i < lengths[0]; i++)
        changed += i >= lengths[1] || a[i] != b[i];
    free(files[0]);
    free(files[1]);
    return changed;
}

// ---- one character --------------------------------------------------------------------------------

// The largest gap of all loops, in % of the height; `clip`: of that one only.
static double loopGap(const char *json, const char *clip)
{
    const char *at = strstr(json, "\"clips\":");
    double worst = clip ? -1 : 0;
    while (at && (at = strstr(at, "\"name\":")) != NULL) {
        const char *next = strstr(at + 1, "\"name\":"), *loops = strstr(at, "\"loops\": true");
        char quoted[80];
        snprintf(quoted, sizeof quoted, "\"name\": \"%s\"", clip ? clip : "");
        bool wanted = !clip || !strncmp(at, quoted, strlen(quoted));
        if (wanted && loops && (!next || loops < next)) {
            double gap = 100 * snFindNumber(at, "loopGap");
            if (gap > worst) worst = gap;
        }
        at++;
    }
    return worst;
}

static int countClips(const char *json)
{
    int count = 0;
    for (const char *at = json; (at = strstr(at, "\"loopGap\":")) != NULL; at++)
        count++;
    return count;
}

// Simulating is timed by the program itself, in time that passes; on a busy machine it has only a share
// of a core, the same as of its whole run.
static bool bakeSubject(const Subject *subject, Result *result, char **json)
{
    char command[3 * PATH_SIZE], output[PATH_SIZE];
    snprintf(output, sizeof output, OUT "/%s-soft.glb", subject->name);
    snprintf(command, sizeof command, SINEW " bake --threads 1 --json '%s' -o '%s'", subject->file,
             output);
    snCommandRun run = snRunCommand(command);
    if (run.code != 0 || !run.text) {
        snCommandRun_Free(&run);
        return false;
    }
    double share = run.computed / (run.elapsed > 0 ? run.elapsed : 1);
    if (share > 1) share = 1;
    *result = (Result){
        .vertices = snFindNumber(run.text, "vertices"),
        .cells = snFindNumber(run.text, "cells"),
        .build = snFindNumber(run.text, "buildSeconds") * share,
        .seconds = snFindNumber(run.text, "clipSeconds"),
        .clips = countClips(run.text),
        .targets = snFindNumber(run.text, "morphTargets"),
        .error = 100 * snFindNumber(run.text, "morphError"),
        .gap = loopGap(run.text, NULL),
        .before = fileSize(subject->file),
        .after = fileSize(output),
        .changed = changedBytes(subject->file, output),
    };
    result->simulation = snFindNumber(run.text, "simulatedSeconds") /
                         (snFindNumber(run.text, "bakeSeconds") * share);
    result->whole = result->seconds / run.computed;
    *json = run.text;
    return true;
}

static void printRow(snBench *bench, const Subject *s, const Result *r)
{
    snBench_Note(bench,
                 "%-14s %8.0f %6.0f %6.0f %8.1f %7.2f %7.1f %7.1f %8.0f %7.2f %7.3f %8.2f %8.2f",
                 s->name, r->vertices, r->cells, r->clips, r->seconds, r->build, r->simulation,
                 r->whole, r->targets, r->error, r->gap, r->before / 1e6, r->after / 1e6);
}

static void reportSubject(snBench *bench, const Subject *s, const Result *r)
{
    char id[128];
    bool small = r->vertices < 10000;
    snprintf(id, sizeof id, "bake/speed-%s", s->name);
    snBench_Report(bench, id, r->simulation, "x real time", small ? ">= 1" : "");
    snprintf(id, sizeof id, "bake/whole-%s", s->name);
    snBench_Report(bench, id, r->whole, "x real time", small && s->animated ? ">= 1" : "");
    snprintf(id, sizeof id, "bake/error-%s", s->name);
    snBench_Report(bench, id, r->error, "% of height", "<= 0.5");
    snprintf(id, sizeof id, "bake/targets-%s", s->name);
    snBench_Report(bench, id, r->targets, "targets", "");
    snprintf(id, sizeof id, "bake/loop-gap-%s", s->name);
    snBench_Report(bench, id, r->gap, "% of height", "<= 0.5");
    snprintf(id, sizeof id, "bake/changed-%s", s->name);
    if (r->changed >= 0) snBench_Report(bench, id, r->changed, "bytes", "== 0");
}

// The fox's walk and run, which the loops are judged by.
static void reportFox(snBench *bench, const char *json)
{
    snBench_Report(bench, "bake/loop-fox-walk", loopGap(json, "Walk"), "% of height", "<= 0.5");
    snBench_Report(bench, "bake/loop-fox-run", loopGap(json, "Run"), "% of height", "<= 0.5");
}

// ---- all of them ----------------------------------------------------------------------------------

static bool endsWith(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static void nameSubject(Subject *s, const char *file)
{
    size_t k = 0;
    for (; file[k] && file[k] != '.' && k + 1 < sizeof s->name; k++)
        s->name[k] = (char)tolower((unsigned char)file[k]);
    s->name[k] = '\0';
}

// Surfaces without bones get some, and a clip that sways them.
static bool rigSubject(Subject *s)
{
    char command[3 * PATH_SIZE], bare[PATH_SIZE];
    snprintf(bare, sizeof bare, "%s", s->file);
    snprintf(s->file, sizeof s->file, OUT "/%.60s-rigged.glb", s->name);
    snprintf(command, sizeof command, SINEW " rig -q --sway '%s' -o '%s'", bare, s->file);
    snCommandRun run = snRunCommand(command);
    snCommandRun_Free(&run);
    return run.code == 0;
}

static void measure(snBench *bench, const Subject *subject)
{
    Result result;
    char *json = NULL;
    if (!bakeSubject(subject, &result, &json)) {
        snBench_Note(bench, "%s: cannot be baked", subject->name);
        snBench_Report(bench, "bake/failed", 1, "characters", "== 0");
        return;
    }
    printRow(bench, subject, &result);
    reportSubject(bench, subject, &result);
    if (!strcmp(subject->name, "fox")) reportFox(bench, json);
    free(json);
}

static void measureAssets(snBench *bench)
{
    struct dirent **list;
    int count = scandir(SN_ASSET_DIR, &list, NULL, alphasort);
    if (count < 0) {
        snBench_Skip(bench, "no characters of others: ../shared/assets is not there");
        return;
    }
    for (int i = 0; i < count; i++) {
        Subject subject = {.animated = true};
        const char *file = list[i]->d_name;
        bool bare = endsWith(file, ".obj");
        nameSubject(&subject, file);
        snprintf(subject.file, sizeof subject.file, "%s/%s", SN_ASSET_DIR, file);
        subject.animated = !bare;
        if (endsWith(file, ".glb") || endsWith(file, ".gltf") || (bare && rigSubject(&subject)))
            measure(bench, &subject);
        free(list[i]);
    }
    free(list);
}

void snBench_Characters(snBench *bench)
{
    Subject demo = {.name = "demo", .file = OUT "/character.glb", .animated = true};
    snCommandRun made = snRunCommand("mkdir -p " OUT " && " MAKE_DEMO " " OUT "/character.glb");
    snCommandRun_Free(&made);
    snBench_Note(bench, "one thread; build in s; speeds in times real time, whole with all of it; "
                        "error and loop gap in %% of the height; files in MB");
    snBench_Note(bench, "%-14s %8s %6s %6s %8s %7s %7s %7s %8s %7s %7s %8s %8s", "character",
                 "vertices", "cells", "clips", "seconds", "build", "speed", "whole", "targets",
                 "error", "gap", "in", "out");
    if (made.code == 0)
        measure(bench, &demo);
    else
        snBench_Skip(bench, "the demo character cannot be made");
    measureAssets(bench);
    snCommandRun end = snRunCommand("rm -rf " OUT);
    snCommandRun_Free(&end);
}

// ---- a million triangles --------------------------------------------------------------------------

// The demo with every triangle in 64: read, built, simulated, written, on all threads.
void snBench_Million(snBench *bench)
{
    snCommandRun made =
        snRunCommand("mkdir -p " OUT " && " MAKE_DEMO " --fine 3 " OUT "/million.glb >/dev/null");
    snCommandRun run = {.code = -1};
    if (made.code == 0)
        run = snRunCommand(SINEW " bake --json " OUT "/million.glb --clip walk -o " OUT
                                 "/million-soft.glb");
    if (run.code != 0) {
        snBench_Skip(bench, "the demo character with a million triangles cannot be baked");
    } else {
        double build = snFindNumber(run.text, "buildSeconds");
        double bake = snFindNumber(run.text, "bakeSeconds");
        double write = snFindNumber(run.text, "writeSeconds");
        snBench_Report(bench, "bake/million-memory", run.peak / (1 << 30), "GiB", "<= 4");
        snBench_Report(bench, "bake/million-build", build, "s", "<= 60");
        snBench_Report(bench, "bake/million-whole", run.elapsed, "s", "");
        snBench_Report(bench, "bake/million-computed", run.computed, "s", "");
        snBench_Note(bench,
                     "1,164,416 triangles, %.0f vertices, a walk of %.1f s: read %.1f s, build "
                     "%.1f s, simulate %.1f s, morph targets and writing %.1f s; %.0f targets, "
                     "%.2f %% of the height; %.0f MB from %.0f MB",
                     snFindNumber(run.text, "vertices"), snFindNumber(run.text, "clipSeconds"),
                     run.elapsed - build - bake - write, build, bake, write,
                     snFindNumber(run.text, "morphTargets"),
                     100 * snFindNumber(run.text, "morphError"),
                     fileSize(OUT "/million-soft.glb") / 1e6, fileSize(OUT "/million.glb") / 1e6);
    }
    snCommandRun_Free(&run);
    snCommandRun_Free(&made);
    snCommandRun end = snRunCommand("rm -rf " OUT);
    snCommandRun_Free(&end);
}
