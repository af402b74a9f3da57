// wait4, which tells what a child took, is older than POSIX.
#define _DEFAULT_SOURCE
#include "bench/command.h"
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// All that comes out of a pipe, as a string.
static char *readAll(int pipe)
{
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        ssize_t count = read(pipe, text + size, room - size - 1);
        if (count <= 0) break;
        size += (size_t)count;
        if (room - size < 2) {
            char *larger = realloc(text, room *= 2);
            if (!larger) break;
            text = larger;
        }
    }
    if (text) text[size] = '\0';
    return text;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

snCommandRun snRunCommand(const char *command)
{
    snCommandRun run = {.code = -1};
    struct rusage usage;
    int ends[2], status;
    double begin = snBench_Now();
    fflush(NULL);
    if (pipe(ends)) return run;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (child > 0) run.text = readAll(ends[0]);
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &usage) != child) return run;
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.elapsed = snBench_Now() - begin;
    run.computed = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    run.peak = 1024.0 * (double)usage.ru_maxrss;
    return run;
}

void snCommandRun_Free(snCommandRun *run)
{
    free(run->text);
    run->text = NULL;
}

double snFindNumber(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = from ? strstr(from, quoted) : NULL;
    return found != NULL ? strtod(found + strlen(quoted), NULL) : -1;
}
