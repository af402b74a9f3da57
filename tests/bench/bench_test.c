// The benchmark harness: goals, the choice of parts, the JSON file, and ratios.
#include "bench/bench.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int partRuns;

static void reportAll(snBench *bench)
{
    partRuns++;
    snBench_Report(bench, "test/part-reached", 10, "x", ">= 10");
    snBench_Report(bench, "test/part-missed", 9.5, "x", ">= 10");
    snBench_Report(bench, "test/part-most", 4.5, "ms", "<= 4");
    snBench_Report(bench, "test/part-strict", 1, "s", "< 1");
    snBench_Report(bench, "test/part-zero", 0, "bytes", "== 0");
    snBench_Report(bench, "test/part-nan", NAN, "x", "< 1e9");
    snBench_Report(bench, "test/part-infinite", INFINITY, "x", "> 0");
    snBench_Report(bench, "test/part-\"quoted\"", 1e-7, "s", "");
}

static const snBenchPart part = {"test/part", reportAll};

static void goalsAreCompared(void)
{
    snBench *bench = snBench_Make(NULL);
    CHECK(snBench_RunPart(bench, &part));
    CHECK(snBench_Count(bench) == 8);
    CHECK(snBench_Missed(bench) == 5);
    snBench_Destroy(bench);
}

// How many figures a choice lets through; -1 when the part does not run at all.
static int chosen(const char *only)
{
    snBench *bench = snBench_Make(only);
    int count = snBench_RunPart(bench, &part) ? snBench_Count(bench) : -1;
    snBench_Destroy(bench);
    return count;
}

static void choiceNamesIssuePartOrFigure(void)
{
    CHECK(chosen("") == 8);
    CHECK(chosen("test") == 8);
    CHECK(chosen("test/part") == 8);
    CHECK(chosen("test/part-m") == 2);
    CHECK(chosen("test/part-reached") == 1);
    CHECK(chosen("other") == -1);
    CHECK(chosen("test/other") == -1);
}

static void jsonHoldsEveryFigure(void)
{
    char path[] = "/tmp/sinew-bench-test-XXXXXX";
    CHECK(mkdtemp(path) != NULL);
    char file[64], folder[64];
    snprintf(folder, sizeof folder, "%s/out", path);
    snprintf(file, sizeof file, "%s/out/bench.json", path);
    snBench *bench = snBench_Make(NULL);
    snBench_RunPart(bench, &part);
    CHECK(snBench_WriteJson(bench, file)); // makes the folder
    CHECK(snBench_WriteJson(bench, file)); // and replaces the file
    snBench_Destroy(bench);
    size_t size = 0;
    char *text = (char *)snTest_ReadFile(file, &size);
    CHECK(text != NULL && size > 0);
    static const char first[] =
        "[\n  {\"id\": \"test/part-reached\", \"value\": 10, \"unit\": \"x\", "
        "\"goal\": \">= 10\", \"ok\": true},\n";
    static const char last[] = "  {\"id\": \"test/part-\\\"quoted\\\"\", \"value\": 1e-07, "
                               "\"unit\": \"s\", \"goal\": \"\", \"ok\": true}\n]\n";
    if (text != NULL) {
        CHECK(size > sizeof first && memcmp(text, first, sizeof first - 1) == 0);
        CHECK(size > sizeof last &&
              memcmp(text + size - (sizeof last - 1), last, sizeof last - 1) == 0);
    }
    free(text);
    remove(file);
    remove(folder);
    remove(path);
}

static void unwritableFileIsSaid(void)
{
    snBench *bench = snBench_Make(NULL);
    CHECK(!snBench_WriteJson(bench, "/nowhere/at/all/bench.json"));
    snBench_Destroy(bench);
}

// A clock that only work moves, and a machine that becomes three times slower now and then: the
// ratio within a round does not see it.
static double seconds;
static int runs;

static double workClock(void)
{
    return seconds;
}

static void work(void *context)
{
    seconds += *(const double *)context * (runs++ / 500 % 2 ? 3 : 1);
}

static void ratioFindsTheSlowerOne(void)
{
    double little = 1e-4, much = 6e-4;
    snContestant sides[] = {{.name = "fast", .run = work, .context = &little},
                            {.name = "slow", .run = work, .context = &much}};
    snBench *bench = snBench_Make(NULL);
    snBench_SetClock(bench, workClock);
    snBench_Compare(bench, sides, 2);
    snBench_Destroy(bench);
    CHECK_NEAR(snBench_Ratio(&sides[1], &sides[0]), 6, 0.3);
    CHECK_NEAR(snBench_Ratio(&sides[0], &sides[1]), 1 / 6.0, 0.01);
    CHECK(sides[0].seconds >= little * 0.999 && sides[0].seconds <= 3.001 * little);
    CHECK(sides[0].rounds == sides[1].rounds && sides[0].rounds >= 7);
    CHECK(sides[0].repeats > sides[1].repeats && sides[1].repeats > 1);
}

// One run that takes longer than the whole budget is still done often enough for a median.
static void longWorkIsRunSeldom(void)
{
    double slow = 2;
    snContestant side = {.name = "slow", .run = work, .context = &slow};
    snBench *bench = snBench_Make(NULL);
    snBench_SetClock(bench, workClock);
    snBench_Compare(bench, &side, 1);
    snBench_Destroy(bench);
    CHECK(side.rounds == 7 && side.repeats == 1);
}

int main(void)
{
    RUN(goalsAreCompared);
    CHECK(partRuns == 1);
    RUN(choiceNamesIssuePartOrFigure);
    RUN(jsonHoldsEveryFigure);
    RUN(unwritableFileIsSaid);
    RUN(ratioFindsTheSlowerOne);
    RUN(longWorkIsRunSeldom);
    return snTest_Finish();
}
