#define _POSIX_C_SOURCE 200809L

#include "platform/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static const int failures[] = {SIGPIPE, SIGXFSZ}; // what a write may raise where it could also fail
#define COUNT ((int)(sizeof numbers / sizeof *numbers))
#define FAILURES ((int)(sizeof failures / sizeof *failures))

static struct sigaction former[COUNT], formerFailure[FAILURES];
static volatile sig_atomic_t deferred, pending, held;
static snHalfFile
    *volatile half; // a list that is whole at any moment, for the handler may come at any

// Raised in here, the signal comes when this returns. Threads of pools leave signals to the program's own.
static void onSignal(int number)
{
    bool again = number == SIGINT && pending == SIGINT;
    pending = number;
    if (held || (deferred && !again)) return;
    for (const snHalfFile *file = half; file; file = file->next)
        unlink(file->path);
    signal(number, SIG_DFL);
    raise(number);
}

void snInterrupt_Begin(void)
{
    struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    deferred = pending = held = 0;
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &former[i]);
        if (former[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    for (int i = 0; i < FAILURES; i++)
        sigaction(failures[i], &action, &formerFailure[i]);
}

void snInterrupt_Defer(bool defer)
{
    deferred = defer;
    if (!defer && pending) snInterrupt_End();
}

void snInterrupt_Watch(snHalfFile *file)
{
    file->next = half;
    half = file;
}

void snInterrupt_Forget(snHalfFile *file)
{
    snHalfFile *volatile *at = &half;
    while (*at && *at != file)
        at = &(*at)->next;
    if (*at) *at = file->next;
}

void snInterrupt_Hold(bool hold)
{
    held = hold;
    if (!hold && pending && !deferred) snInterrupt_End();
}

bool snInterrupt_Pending(void)
{
    return pending != 0;
}

void snInterrupt_End(void)
{
    int number = pending;
    for (int i = 0; i < COUNT; i++)
        sigaction(numbers[i], &former[i], NULL);
    for (int i = 0; i < FAILURES; i++)
        sigaction(failures[i], &formerFailure[i], NULL);
    deferred = pending = 0;
    if (number) raise(number);
}
