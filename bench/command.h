// Programs that the benchmarks run as a person would: what they print, and what they took.
#ifndef SN_BENCH_COMMAND_H
#define SN_BENCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snCommandRun {
    int code;        // exit code; -1: it could not be run
    double elapsed;  // s
    double computed; // s of all its threads, user and system
    double peak;     // bytes, largest resident set
    char *text;      // standard output; snCommandRun_Free
} snCommandRun;

// Through the shell, waiting for its end.
snCommandRun snRunCommand(const char *command);
void snCommandRun_Free(snCommandRun *run);

// The number behind "key": in a JSON text, the first behind `from`; -1 without it.
double snFindNumber(const char *from, const char *key);

#endif
