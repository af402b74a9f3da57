// hostile [--seed N] [--count N] [--first N] [--work N] [--only FORMAT] [--keep FILE] [--corpus FOLDER]
// Makes `count` mutants from a seed, numbers `first` and on, and pushes each through the command.
// Every `work`-th is used as well as read: a short bake, a rig. A crash, ten seconds, two GiB,
// a file after a failure, or numbers that are none are failures; each is printed with the call that
// repeats it. --only takes one format: scenes, characters and scripts are tried so, and not among the others. --keep writes the last mutant to a file; --corpus writes the seeds into a folder, one
// folder per format, and does nothing else.
#include "core/error.h"
#include "platform/files.h"
#include "tests/hostile/mutate.h"
#include "tests/hostile/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define MOST_SECONDS (SANITIZED ? 60 : 10) // of processor time, for one mutant
#define MOST_WAITING 120                   // of real time: somebody sleeps
#define MOST_MEMORY ((size_t)2 << 30)
#define MOST_FAILURES 20 // after so many there is no point in going on

typedef struct Options {
    int seed, count, first, work;
    const char *keep, *corpus, *only;
} Options;

// What the child tells the parent, in memory that both see.
typedef struct Shared {
    int current;  // the mutant being tried
    int finished; // mutants that were tried to their end
    int failures;
    int made[SN_FORMATS], accepted[SN_FORMATS];
    snFormat format; // of the present mutant
    bool failed;     // the child has said what is wrong with it
    snError error;
} Shared;

static const int weights[SN_FORMATS] = {8, 5, 3, 3, 1, 3, 2, 2, 1, 0, 0, 0};

static snFormat pickFormat(const snCorpus *corpus, const char *only, snRandom *random)
{
    for (int f = 0; only && f < SN_FORMATS; f++)
        if (!strcmp(only, snFormat_Name((snFormat)f))) return (snFormat)f;
    for (;;) {
        int ticket = snRandom_Below(random, 28), format = 0;
        while (ticket >= weights[format])
            ticket -= weights[format++];
        if (snCorpus_Pick(corpus, (snFormat)format, 0)) return (snFormat)format;
    }
}

static snFormat makeMutant(snBytes *out, const snCorpus *corpus, const Options *options, int number)
{
    snRandom random = snMakeRandom(((uint64_t)options->seed << 32) + (uint64_t)number);
    snFormat format = pickFormat(corpus, options->only, &random);
    const snSeed *seed = snCorpus_Pick(corpus, format, snRandom_Below(&random, 64));
    snMutate(out, format, seed->bytes.data, seed->bytes.size, &random);
    return format;
}

static void setLimits(void)
{
    struct itimerval timer = {.it_value.tv_sec = MOST_SECONDS};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(MOST_WAITING);
}

static void limitMemory(void)
{
    struct rlimit limit = {MOST_MEMORY, MOST_MEMORY};
    if (!SANITIZED) setrlimit(RLIMIT_AS, &limit); // their shadow memory is larger than all of it
}

static size_t peakMemory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

// The child: mutants from `begin` on, to the first that fails.
static void tryMutants(const snContext *context, const snCorpus *corpus, const Options *options,
                       Shared *shared, int begin)
{
    limitMemory();
    snBytes mutant = snMakeBytes(context);
    for (int i = begin; i < options->first + options->count; i++) {
        bool done = false;
        snBytes_Clear(&mutant);
        shared->current = i;
        setLimits();
        snFormat format = shared->format = makeMutant(&mutant, corpus, options, i);
        snTrial trial = {format, mutant.data, mutant.size, options->work && i % options->work == 0};
        snStatus status = snTrial_Run(&trial, &done, context, &shared->error);
        if (!status && peakMemory() > MOST_MEMORY)
            status = snFail(&shared->error, SN_ERROR_MEMORY, "it took more than 2 GiB");
        shared->made[format]++;
        shared->accepted[format] += done;
        shared->failed = status != SN_OK;
        if (status) break;
        shared->finished++;
    }
    snBytes_Destroy(&mutant);
}

static void printLog(const snContext *context)
{
    snFileContent log;
    if (snFile_Read(context, "log", (size_t)64 << 20, &log, NULL)) return;
    printf("%.3000s\n", (const char *)log.bytes);
    snFile_Release(context, &log);
}

static void printFailure(const snContext *context, const Options *options, const Shared *shared,
                         int ended)
{
    int number = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    printf("FAILED: mutant %d of seed %d (%s): ", shared->current, options->seed,
           snFormat_Name(shared->format));
    if (shared->failed)
        printf("%s", shared->error.message);
    else if (number == SIGPROF || number == SIGALRM)
        printf("it took too long");
    else if (number)
        printf("it crashed: %s", strsignal(number));
    else
        printf("it ended the process, exit code %d", WEXITSTATUS(ended));
    printf("\n    again: hostile --seed %d --first %d --count 1 --work %d%s%s --keep mutant.%s\n",
           options->seed, shared->current, options->work, options->only ? " --only " : "",
           options->only ? options->only : "", snFormat_Name(shared->format));
    printLog(context);
}

// Goes on behind every mutant that ended a child.
static void runAll(const snContext *context, const snCorpus *corpus, const Options *options,
                   Shared *shared)
{
    int next = options->first, end = options->first + options->count;
    while (next < end && shared->failures < MOST_FAILURES) {
        int ended = 0;
        shared->failed = false;
        fflush(stdout);
        pid_t child = fork();
        if (child < 0) {
            perror("hostile");
            shared->failures++;
            return;
        }
        if (child == 0) {
            tryMutants(context, corpus, options, shared, next);
            _exit(0);
        }
        waitpid(child, &ended, 0);
        bool whole = WIFEXITED(ended) && WEXITSTATUS(ended) == 0 && !shared->failed;
        if (whole) break;
        shared->failures++;
        printFailure(context, options, shared, ended);
        next = shared->current + 1;
    }
}

// The command's output goes to the log, ours does not.
static snStatus prepare(snCorpus *corpus, const char *only, const snContext *context,
                        snError *error)
{
    int output = dup(1), errors = dup(2);
    snStatus status = snCorpus_Make(corpus, context, error);
    if (!status) status = snTrial_Prepare(corpus, only, context, error);
    fflush(stdout);
    fflush(stderr);
    dup2(output, 1);
    dup2(errors, 2);
    close(output);
    close(errors);
    return status;
}

static bool readOptions(Options *options, int count, char **words)
{
    const struct {
        const char *name;
        int *number;
        const char **text;
    } known[] = {{"--seed", &options->seed, NULL},   {"--count", &options->count, NULL},
                 {"--first", &options->first, NULL}, {"--work", &options->work, NULL},
                 {"--keep", NULL, &options->keep},   {"--corpus", NULL, &options->corpus},
                 {"--only", NULL, &options->only}};
    for (int i = 1; i + 1 < count; i += 2) {
        int which = 0;
        while (which < 7 && strcmp(words[i], known[which].name))
            which++;
        if (which == 7) return false;
        if (known[which].number) *known[which].number = atoi(words[i + 1]);
        if (known[which].text) *known[which].text = words[i + 1];
    }
    bool format = !options->only;
    for (int f = 0; f < SN_FORMATS && options->only; f++)
        format |= !strcmp(options->only, snFormat_Name((snFormat)f));
    return format && count % 2 == 1 && options->count > 0 && options->first >= 0;
}

static void removeFolder(const char *folder)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(1);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void printCounts(const Options *options, const Shared *shared)
{
    int made = 0;
    for (int f = 0; f < SN_FORMATS; f++) {
        made += shared->made[f];
        if (shared->made[f])
            printf("  %-10s %6d mutants, %6d of them accepted\n", snFormat_Name((snFormat)f),
                   shared->made[f], shared->accepted[f]);
    }
    printf("seed %d: %d mutants, %d failures\n", options->seed, made, shared->failures);
}

static snStatus writeCorpus(const snCorpus *corpus, const char *folder, const snContext *context,
                            snError *error)
{
    snStatus status = SN_OK;
    char path[1024];
    mkdir(folder, 0777);
    for (int i = 0; i < corpus->count && !status; i++) {
        const snSeed *seed = &corpus->seeds[i];
        snprintf(path, sizeof path, "%s/%s", folder, snFormat_Name(seed->format));
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/%s/%s", folder, snFormat_Name(seed->format), seed->name);
        status = snFile_Write(context, path, seed->bytes.data, seed->bytes.size, error);
    }
    return status;
}

// In the folder of the trials, which is empty; then back at home.
static int work(const Options *options, Shared *shared, int home, const snContext *context)
{
    snCorpus corpus = {0};
    snError error = {0};
    snBytes last = snMakeBytes(context);
    snStatus status = prepare(&corpus, options->only, context, &error);
    if (status) {
        printf("FAILED: the seeds cannot be made: %s\n", error.message);
        printLog(context);
    } else if (!options->corpus) {
        runAll(context, &corpus, options, shared);
        printCounts(options, shared);
        makeMutant(&last, &corpus, options, options->first + options->count - 1);
    }
    if (fchdir(home)) status = SN_ERROR_FILE;
    if (!status && options->keep)
        status = snFile_Write(context, options->keep, last.data, last.size, NULL);
    if (!status && options->corpus) status = writeCorpus(&corpus, options->corpus, context, &error);
    snBytes_Destroy(&last);
    snCorpus_Destroy(&corpus);
    return status || shared->failures > 0;
}

int main(int count, char **words)
{
    Options options = {.seed = 1, .count = 300, .work = 5};
    snContext context = snDefaultContext();
    if (!readOptions(&options, count, words)) {
        fprintf(stderr,
                "usage: hostile [--seed N] [--count N] [--first N] [--work N] [--only FORMAT] "
                "[--keep FILE] [--corpus FOLDER]\n");
        return 2;
    }
    const char *temporary = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%.400s/sinew-hostile-XXXXXX",
             temporary ? temporary : P_tmpdir);
    int home = open(".", O_RDONLY | O_DIRECTORY);
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (home < 0 || shared == MAP_FAILED || !mkdtemp(folder) || chdir(folder)) {
        perror("hostile");
        return 1;
    }
    int code = work(&options, shared, home, &context);
    removeFolder(folder);
    munmap(shared, sizeof *shared);
    close(home);
    return code;
}
