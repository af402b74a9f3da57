#include "bench/bench.h"

#include "core/array.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef struct Figure {
    char *id;
    char *unit;
    char *goal;
    double value;
    bool ok;
} Figure;

struct snBench {
    const char *only;     // ids asked for begin with this; "" is all
    const char *partName; // of the part that runs now
    Figure *figures;
    int count, capacity;
    double (*now)(void); // snBench_Computed, or a test's own
};

// A benchmark without memory has nothing better to do than to end.
static void *orEnd(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "sinew-bench: out of memory\n");
        exit(1);
    }
    return memory;
}

static bool startsWith(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

snBench *snBench_Make(const char *only)
{
    snBench *bench = orEnd(calloc(1, sizeof(snBench)));
    bench->only = only != NULL ? only : "";
    bench->partName = "";
    bench->now = snBench_Computed;
    return bench;
}

void snBench_SetClock(snBench *bench, double (*now)(void))
{
    bench->now = now;
}

void snBench_Destroy(snBench *bench)
{
    if (bench == NULL) return;
    for (int i = 0; i < bench->count; i++) {
        free(bench->figures[i].id);
        free(bench->figures[i].unit);
        free(bench->figures[i].goal);
    }
    free(bench->figures);
    free(bench);
}

// ONLY may name an issue ("skeleton"), a part, or one figure of a part: a part runs when either
// name begins with the other, and in the last case its other figures are left out.
bool snBench_RunPart(snBench *bench, const snBenchPart *part)
{
    if (!startsWith(part->name, bench->only) && !startsWith(bench->only, part->name)) return false;
    bench->partName = part->name;
    part->run(bench);
    bench->partName = "";
    return true;
}

bool snBench_Wants(const snBench *bench, const char *id)
{
    return startsWith(bench->partName, bench->only) || startsWith(id, bench->only);
}

typedef bool Comparison(double value, double bound);
static bool atLeast(double value, double bound)
{
    return value >= bound;
}
static bool atMost(double value, double bound)
{
    return value <= bound;
}
static bool above(double value, double bound)
{
    return value > bound;
}
static bool below(double value, double bound)
{
    return value < bound;
}
static bool equals(double value, double bound)
{
    return !(value < bound) && !(value > bound);
}

static bool reaches(double value, const char *goal)
{
    static const struct {
        const char *sign;
        Comparison *holds;
    } comparisons[] = {{">=", atLeast}, {"<=", atMost}, {"==", equals}, {">", above}, {"<", below}};
    if (goal[0] == '\0') return true;
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        if (!startsWith(goal, comparisons[i].sign)) continue;
        const char *number = goal + strlen(comparisons[i].sign);
        char *end;
        double bound = strtod(number, &end);
        if (end == number || *end != '\0') break;
        return isfinite(value) && comparisons[i].holds(value, bound);
    }
    fprintf(stderr, "sinew-bench: \"%s\" is not a goal such as \">= 10\"\n", goal);
    exit(1);
}

static char *copyText(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(orEnd(malloc(size)), text, size);
}

static Figure *addFigure(snBench *bench)
{
    if (bench->count == bench->capacity) {
        bench->capacity = bench->capacity > 0 ? 2 * bench->capacity : 64;
        size_t size = (size_t)bench->capacity * sizeof(Figure);
        bench->figures = orEnd(realloc(bench->figures, size));
    }
    return &bench->figures[bench->count++];
}

void snBench_Report(snBench *bench, const char *id, double value, const char *unit,
                    const char *goal)
{
    if (!snBench_Wants(bench, id)) return;
    Figure *figure = addFigure(bench);
    *figure = (Figure){copyText(id), copyText(unit), copyText(goal), value, reaches(value, goal)};
    const char *verdict = goal[0] == '\0' ? "" : figure->ok ? "ok" : "MISSED";
    printf("%-44s %12.4g %-14s %-8s %s\n", id, value, unit, goal, verdict);
    fflush(stdout);
}

void snBench_Note(snBench *bench, const char *format, ...)
{
    (void)bench;
    va_list arguments;
    va_start(arguments, format);
    printf("    ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
}

void snBench_Skip(snBench *bench, const char *reason)
{
    printf("%-44s skipped: %s\n", bench->partName, reason);
    fflush(stdout);
}

int snBench_Count(const snBench *bench)
{
    return bench->count;
}

int snBench_Missed(const snBench *bench)
{
    int missed = 0;
    for (int i = 0; i < bench->count; i++) {
        missed += !bench->figures[i].ok;
    }
    return missed;
}

// ---- JSON ----

static void writeString(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20) {
            fprintf(file, "\\u%04x", (unsigned)*c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

// JSON has no word for infinity or not-a-number.
static void writeNumber(FILE *file, double value)
{
    if (isfinite(value)) {
        fprintf(file, "%.9g", value);
    } else {
        fputs("null", file);
    }
}

static void writeFigure(FILE *file, const Figure *figure)
{
    fputs("  {\"id\": ", file);
    writeString(file, figure->id);
    fputs(", \"value\": ", file);
    writeNumber(file, figure->value);
    fputs(", \"unit\": ", file);
    writeString(file, figure->unit);
    fputs(", \"goal\": ", file);
    writeString(file, figure->goal);
    fprintf(file, ", \"ok\": %s}", figure->ok ? "true" : "false");
}

// The folder of a path, made when it is not there. Only the last folder: "out" of "out/bench.json".
static void makeFolder(const char *path)
{
    char *folder = copyText(path);
    char *slash = strrchr(folder, '/');
    if (slash != NULL && slash != folder) {
        *slash = '\0';
        mkdir(folder, 0777);
    }
    free(folder);
}

// Written next to its place and then moved, so that a reader sees the old file or the new one.
bool snBench_WriteJson(const snBench *bench, const char *path)
{
    makeFolder(path);
    size_t size = strlen(path) + sizeof ".part";
    char *partPath = orEnd(malloc(size));
    snprintf(partPath, size, "%s.part", path);
    FILE *file = fopen(partPath, "w");
    bool written = file != NULL;
    if (written) {
        fputs("[\n", file);
        for (int i = 0; i < bench->count; i++) {
            writeFigure(file, &bench->figures[i]);
            fputs(i + 1 < bench->count ? ",\n" : "\n", file);
        }
        fputs("]\n", file);
        written = !ferror(file);
        written = fclose(file) == 0 && written && rename(partPath, path) == 0;
    }
    if (!written) fprintf(stderr, "sinew-bench: %s: %s\n", path, strerror(errno));
    free(partPath);
    return written;
}

// ---- Timing ----

double snBench_Computed(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

double snBench_Now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void snBench_Keep(const void *result)
{
    __asm__ volatile("" : : "g"(result) : "memory");
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(double), snCompareDoubles);
    int middle = count / 2;
    return count % 2 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

static double sample(const snBench *bench, const snContestant *contestant, int repeats)
{
    double begin = bench->now();
    for (int i = 0; i < repeats; i++) {
        contestant->run(contestant->context);
    }
    return (bench->now() - begin) / repeats;
}

// A sample of 5 ms is long against the clock's grain (well under 1 us) and short against the
// seconds over which a machine's speed drifts. The first run warms caches and does not count.
static void chooseRepeats(const snBench *bench, snContestant *contestant)
{
    const double wanted = 0.005;
    const int most = 1 << 20;
    sample(bench, contestant, 1);
    int repeats = 1;
    for (;;) {
        double total = sample(bench, contestant, repeats) * repeats;
        if (total >= wanted || repeats >= most) break;
        double factor = total > 0.1 * wanted ? 1.2 * wanted / total : 10;
        repeats = (int)(repeats * factor) + 1;
    }
    contestant->repeats = repeats < most ? repeats : most;
}

void snBench_Compare(const snBench *bench, snContestant *contestants, int count)
{
    const int fewest = 7; // rounds, even when one round is long
    const double budget = 1.0 * count;
    for (int c = 0; c < count; c++) {
        chooseRepeats(bench, &contestants[c]);
    }
    double begin = bench->now();
    int rounds = 0;
    while (rounds < SN_BENCH_MAX_ROUNDS && (rounds < fewest || bench->now() - begin < budget)) {
        for (int turn = 0; turn < count; turn++) {
            snContestant *contestant = &contestants[(rounds + turn) % count];
            contestant->samples[rounds] = sample(bench, contestant, contestant->repeats);
        }
        rounds++;
    }
    for (int c = 0; c < count; c++) {
        double sorted[SN_BENCH_MAX_ROUNDS];
        memcpy(sorted, contestants[c].samples, (size_t)rounds * sizeof(double));
        contestants[c].seconds = median(sorted, rounds);
        contestants[c].rounds = rounds;
    }
}

double snBench_Ratio(const snContestant *slow, const snContestant *fast)
{
    double ratios[SN_BENCH_MAX_ROUNDS];
    int rounds = slow->rounds;
    for (int i = 0; i < rounds; i++) {
        ratios[i] = slow->samples[i] / fast->samples[i];
    }
    return median(ratios, rounds);
}
