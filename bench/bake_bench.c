// The program as a person runs it: the demo character's walk, baked on one thread, against the time
// that the motion itself takes.
#include "bench/bench.h"
#include "bench/command.h"

#include <stdio.h>

// Three times, and the fastest counts: other work on the machine only ever slows it.
void snBench_BakeWalk(snBench *bench)
{
    static const char prepare[] =
        "mkdir -p out && '" SN_BUILD_DIR "/tools/make-demo' out/bench-character.glb";
    static const char bake[] =
        "'" SN_BUILD_DIR "/sinew' bake out/bench-character.glb --clip walk --threads 1 --json "
        "-o out/bench-walk.glb";
    snCommandRun run = snRunCommand(prepare);
    snCommandRun_Free(&run);
    if (run.code != 0) {
        snBench_Skip(bench, "the demo character cannot be made");
        return;
    }
    double speed = 0, whole = 0, motion = 0, cells = 0;
    for (int i = 0; i < 3; i++) {
        run = snRunCommand(bake);
        if (run.code != 0) {
            snCommandRun_Free(&run);
            snBench_Skip(bench, "the demo character cannot be baked");
            return;
        }
        double now =
            snFindNumber(run.text, "simulatedSeconds") / snFindNumber(run.text, "bakeSeconds");
        motion = snFindNumber(run.text, "clipSeconds");
        cells = snFindNumber(run.text, "cells");
        if (now > speed) speed = now;
        if (motion / run.elapsed > whole) whole = motion / run.elapsed;
        snCommandRun_Free(&run);
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
