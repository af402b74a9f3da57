// The benchmarks' own small harness. A part is a function in its own file (bench/NAME_bench.c) and
// a line of the table in main.c; it measures and reports figures:
//     void snBench_Cholesky(snBench *bench)
//     {
//         snContestant sides[] = {{.name = "sinew", .run = solveOurs, .context = &job},
//                                 {.name = "cholmod", .run = solveTheirs, .context = &job}};
//         snBench_Compare(bench, sides, 2);
//         snBench_Report(bench, "foundation/cholesky-solve-2000",
//                        snBench_Ratio(&sides[1], &sides[0]), "x", ">= 1");
//     }
// Machines are noisy and differ: report ratios within one run wherever it is possible.
#ifndef SN_BENCH_BENCH_H
#define SN_BENCH_BENCH_H

#include <stdbool.h>

typedef struct snBench snBench;

// Prints a line of the table and collects the figure for out/bench.json. The id begins with its
// part's name ("foundation/cholesky-solve-200"), so that ONLY finds both. `goal` is a comparison
// with a number, ">= 10", "<= 4", "> 0", "< 1", "== 0", or "" when the figure only informs (its
// "ok" is then true). A value that is not finite misses every goal. Strings are copied.
void snBench_Report(snBench *bench, const char *id, double value, const char *unit,
                    const char *goal);

// A line of explanation under the figures: the scene, the sizes, a table. printf rules.
void snBench_Note(snBench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));

// A part that cannot measure here (a program is missing) says why; nothing is reported.
void snBench_Skip(snBench *bench, const char *reason);

// Would a figure with this id be reported? Parts with several long measurements ask first.
bool snBench_Wants(const snBench *bench, const char *id);

// Seconds of a clock that never jumps.
double snBench_Now(void);

// Seconds that this thread has computed: while others have the processor this clock stands still.
double snBench_Computed(void);

enum { SN_BENCH_MAX_ROUNDS = 61 };

// One side of a comparison: `run` does the work once. The rest is filled by snBench_Compare.
typedef struct snContestant {
    const char *name;
    void (*run)(void *context);
    void *context;
    double seconds;                      // median time of one run
    int rounds;                          // samples taken
    int repeats;                         // runs per sample
    double samples[SN_BENCH_MAX_ROUNDS]; // seconds of one run, by round
} snContestant;

// Times the contestants against each other. They take turns in every round (and change who goes
// first), so that a busy machine slows all of them alike; short work is repeated within a sample
// until it lasts longer than the clock's grain. The clock is snBench_Computed, so contestants work on
// the calling thread alone. Takes about a second per contestant.
void snBench_Compare(const snBench *bench, snContestant *contestants, int count);

// How many times longer `slow` takes than `fast`: the median over rounds of the ratio within a
// round. Both come from the same snBench_Compare.
double snBench_Ratio(const snContestant *slow, const snContestant *fast);

// Keeps the compiler from removing work whose result nobody reads.
void snBench_Keep(const void *result);

// For main.c: makes a bench that reports ids beginning with `only` (NULL: all), runs parts, and
// writes the figures as JSON (false and a message on stderr when it cannot). Missed counts goals
// not reached so far.
typedef void snBenchFcn(snBench *bench);
typedef struct snBenchPart {
    const char *name; // "foundation/cholesky": the issue, and what is measured
    snBenchFcn *run;
} snBenchPart;

snBench *snBench_Make(const char *only);
void snBench_SetClock(snBench *bench, double (*now)(void)); // for tests: snBench_Compare's clock
void snBench_Destroy(snBench *bench);
bool snBench_RunPart(snBench *bench, const snBenchPart *part); // false: not asked for
int snBench_Missed(const snBench *bench);
int snBench_Count(const snBench *bench);
bool snBench_WriteJson(const snBench *bench, const char *path);

#endif
