// The program as a person runs it: the demo character's walk, baked on one thread, against the time
// that the motion itself takes.
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Runs a command and keeps the beginning of what it prints. False when it does not succeed.
static bool runCommand(const char *command, char *text, size_t size)
{
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return false;
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = '\0';
    return pclose(pipe) == 0;
}

// The number behind "key": in a JSON text of which the keys are known to occur once; -1 without it.
static double numberOf(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(json, quoted);
    return found != NULL ? strtod(found + strlen(quoted), NULL) : -1;
}

// Three times, and the fastest counts: other work on the machine only ever slows it.
void snBench_BakeWalk(snBench *bench)
{
    static const char prepare[] =
        "mkdir -p out && '" SN_BUILD_DIR "/tools/make-demo' out/bench-character.glb";
    static const char bake[] =
        "'" SN_BUILD_DIR "/sinew' bake out/bench-character.glb --clip walk --threads 1 --json "
        "-o out/bench-walk.glb";
    char text[8192];
    if (!runCommand(prepare, text, sizeof text)) {
        snBench_Skip(bench, "the demo character cannot be made");
        return;
    }
    double speed = 0, whole = 0, motion = 0, cells = 0;
    for (int i = 0; i < 3; i++) {
        double begin = snBench_Now();
        if (!runCommand(bake, text, sizeof text)) {
            snBench_Skip(bench, "the demo character cannot be baked");
            return;
        }
        double elapsed = snBench_Now() - begin;
        double now = numberOf(text, "simulatedSeconds") / numberOf(text, "bakeSeconds");
        motion = numberOf(text, "clipSeconds");
        cells = numberOf(text, "cells");
        if (now > speed) speed = now;
        if (motion / elapsed > whole) whole = motion / elapsed;
    }
    snBench_Report(bench, "foundation/bake-walk", speed, "x real time", ">= 1");
    snBench_Report(bench, "foundation/bake-walk-whole", whole, "x real time", ">= 1");
    snBench_Note(bench,
                 "%.2f s of walk, %.0f cells, one thread; whole: with reading, building, rounds "
                 "until it loops, morph targets and writing",
                 motion, cells);
    remove("out/bench-character.glb");
    remove("out/bench-walk.glb");
}
