// sinew-bench: measures every figure of the project and writes out/bench.json.
//     make bench [ONLY=foundation/cholesky]
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

snBenchFcn snBench_Adapt;
snBenchFcn snBench_Articulated;
snBenchFcn snBench_BakeWalk;
snBenchFcn snBench_Bullet;
snBenchFcn snBench_Carry;
snBenchFcn snBench_Characters;
snBenchFcn snBench_Cholesky;
snBenchFcn snBench_Coat;
snBenchFcn snBench_Crowd;
snBenchFcn snBench_Blended;
snBenchFcn snBench_Convergence;
snBenchFcn snBench_Held;
snBenchFcn snBench_Hook;
snBenchFcn snBench_Levels;
snBenchFcn snBench_Constraints;
snBenchFcn snBench_Puppet;
snBenchFcn snBench_LinearStep;
snBenchFcn snBench_Million;
snBenchFcn snBench_Monster;
snBenchFcn snBench_Multigrid;
snBenchFcn snBench_Newton;
snBenchFcn snBench_Skins;
snBenchFcn snBench_Resolutions;
snBenchFcn snBench_SolidStep;
snBenchFcn snBench_Rate;
snBenchFcn snBench_Rest;
snBenchFcn snBench_SecondMake;
snBenchFcn snBench_Solvers;
snBenchFcn snBench_Step;
snBenchFcn snBench_StepDemo;
snBenchFcn snBench_StepGrowth;
snBenchFcn snBench_Thrown;

// One line per part; the first word is the issue that asks for it.
static const snBenchPart parts[] = {
    {"foundation/second-make", snBench_SecondMake},
    {"foundation/bake-walk", snBench_BakeWalk},
    {"foundation/cholesky", snBench_Cholesky},
    {"skeleton/step", snBench_Step},
    {"skeleton/step-demo", snBench_StepDemo},
    {"skeleton/growth", snBench_StepGrowth},
    {"skeleton/rate", snBench_Rate},
    {"skeleton/bullet", snBench_Bullet},
    {"skeleton/carry", snBench_Carry},
    {"skeleton/adapt", snBench_Adapt},
    {"skeleton/linear", snBench_LinearStep},
    {"skeleton/blended", snBench_Blended},
    {"skeleton/solvers", snBench_Solvers},
    {"multires/convergence", snBench_Convergence},
    {"bake/held", snBench_Held},
    {"bake/characters", snBench_Characters},
    {"bake/million", snBench_Million},
    {"multires/multigrid", snBench_Multigrid},
    {"multires/newton", snBench_Newton},
    {"multires/step", snBench_SolidStep},
    {"multires/rest-in-box", snBench_Rest},
    {"multires/thrown", snBench_Thrown},
    {"multires/adaptive", snBench_Levels},
    {"nonrigid/constraints", snBench_Constraints},
    {"nonrigid/hook", snBench_Hook},
    {"nonrigid/monster", snBench_Monster},
    {"coat/articulated", snBench_Articulated},
    {"coat/speed", snBench_Coat},
    {"crowd", snBench_Crowd},
    {"nonrigid/puppet", snBench_Puppet},
    {"leman/table1", snBench_Skins},
    {"leman/resolution", snBench_Resolutions},
};

typedef struct Options {
    const char *only;
    const char *json;
    bool strict, list;
} Options;

static int usage(FILE *file)
{
    fputs("usage: sinew-bench [--only PREFIX] [--json FILE] [--strict] [--list]\n"
          "  --only PREFIX  only parts or figures whose id begins so: skeleton, bake/loop\n"
          "  --json FILE    where the figures go (out/bench.json)\n"
          "  --strict       exit code 1 when a goal is missed\n"
          "  --list         name the parts\n",
          file);
    return file == stdout ? 0 : 2;
}

static bool parse(Options *options, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--strict") == 0) {
            options->strict = true;
        } else if (strcmp(words[i], "--list") == 0) {
            options->list = true;
        } else if (strcmp(words[i], "--only") == 0 && i + 1 < count) {
            options->only = words[++i];
        } else if (strcmp(words[i], "--json") == 0 && i + 1 < count) {
            options->json = words[++i];
        } else {
            return false;
        }
    }
    return true;
}

// CHOLMOD, the baseline, calls OpenBLAS, which starts threads whatever OMP_NUM_THREADS says and is
// then four times slower. Only OMP_THREAD_LIMIT stops it, and OpenMP reads that while the program
// loads, before main: so set it and begin again.
static void limitThreads(char **words)
{
    const char *limit = getenv("OMP_THREAD_LIMIT");
    if (limit != NULL && strcmp(limit, "1") == 0) return;
    setenv("OMP_THREAD_LIMIT", "1", 1);
    execv("/proc/self/exe", words);
    fprintf(stderr, "sinew-bench: set OMP_THREAD_LIMIT=1 yourself, CHOLMOD is slow without it\n");
}

static int runParts(const Options *options)
{
    snBench *bench = snBench_Make(options->only);
    int ran = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ran += snBench_RunPart(bench, &parts[i]);
    }
    if (ran == 0) {
        fprintf(stderr, "sinew-bench: no part begins with \"%s\"; --list names them\n",
                options->only);
        snBench_Destroy(bench);
        return 2;
    }
    bool written = snBench_WriteJson(bench, options->json);
    int missed = snBench_Missed(bench);
    printf("%d figures, %d MISSED; written to %s\n", snBench_Count(bench), missed, options->json);
    snBench_Destroy(bench);
    return !written || (missed > 0 && options->strict);
}

int main(int count, char **words)
{
    limitThreads(words);
    if (count == 2 && strcmp(words[1], "--help") == 0) return usage(stdout);
    Options options = {.json = "out/bench.json"};
    if (!parse(&options, count, words)) return usage(stderr);
    if (options.list) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            puts(parts[i].name);
        }
        return 0;
    }
    return runParts(&options);
}
