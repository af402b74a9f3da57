// Interrupts reach a program when it can do with them, and who started it sees them.
#define _POSIX_C_SOURCE 200809L

#include "tests/test.h"

#include "platform/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// How a child that runs the function ends: the signal that killed it, or 1000 + its exit code.
static int endOf(int (*function)(void))
{
    int ended = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(function());
    waitpid(child, &ended, 0);
    return WIFSIGNALED(ended) ? WTERMSIG(ended) : 1000 + WEXITSTATUS(ended);
}

static int atOnce(void)
{
    snInterrupt_Begin();
    raise(SIGINT);
    return 1; // not reached
}

static int later(void)
{
    snInterrupt_Begin();
    snInterrupt_Defer(true);
    raise(SIGTERM);
    raise(SIGTERM); // again: still noted only
    if (!snInterrupt_Pending()) return 1;
    snInterrupt_End();
    return 2; // not reached
}

// A second Ctrl-C does not wait, and nothing half written is left.
static char halfPath[] = "interrupt-half-file";
static int twice(void)
{
    snHalfFile half = {halfPath, NULL}, other = {"interrupt-not-there", NULL};
    FILE *file = fopen(halfPath, "w");
    if (!file || fclose(file)) return 1;
    snInterrupt_Begin();
    snInterrupt_Defer(true);
    snInterrupt_Watch(&half);
    snInterrupt_Watch(&other);
    snInterrupt_Forget(&other);
    raise(SIGINT);
    if (!snInterrupt_Pending()) return 2;
    snInterrupt_Hold(true);
    raise(SIGINT); // files get their names: not now
    snInterrupt_Hold(false);
    if (access(halfPath, F_OK)) return 3;
    raise(SIGINT);
    return 4; // not reached
}

// What is not deferred ends the program at once, but not while files get their names.
static int held(void)
{
    snInterrupt_Begin();
    snInterrupt_Hold(true);
    raise(SIGTERM);
    if (!snInterrupt_Pending()) return 1;
    snInterrupt_Hold(false);
    return 2; // not reached
}

static int never(void)
{
    snInterrupt_Begin();
    snInterrupt_Defer(true);
    bool calm = !snInterrupt_Pending();
    snInterrupt_End();
    return calm ? 0 : 1;
}

static int ignored(void)
{
    signal(SIGHUP, SIG_IGN); // as under nohup
    snInterrupt_Begin();
    raise(SIGHUP);
    snInterrupt_End();
    return snInterrupt_Pending() ? 1 : 0;
}

static int failingWrites(void)
{
    snInterrupt_Begin();
    raise(SIGPIPE);
    raise(SIGXFSZ); // not while somebody cleans up behind a write that failed
    snInterrupt_End();
    raise(SIGPIPE);
    return 1; // not reached
}

static int again(void)
{
    snInterrupt_Begin();
    snInterrupt_End();
    snInterrupt_Begin();
    snInterrupt_Defer(true);
    raise(SIGHUP);
    snInterrupt_End();
    return 1;
}

static void interruptsComeInTime(void)
{
    CHECK(endOf(atOnce) == SIGINT);
    CHECK(endOf(later) == SIGTERM);
    CHECK(endOf(twice) == SIGINT);
    CHECK(access(halfPath, F_OK) != 0);
    CHECK(endOf(held) == SIGTERM);
    CHECK(endOf(never) == 1000);
    CHECK(endOf(ignored) == 1000);
    CHECK(endOf(failingWrites) == SIGPIPE);
    CHECK(endOf(again) == SIGHUP);
}

int main(void)
{
    RUN(interruptsComeInTime);
    return snTest_Finish();
}
