#define _POSIX_C_SOURCE 200809L

#include "platform/interrupt.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
static const int failures[] = {SIGPIPE, SIGXFSZ}; // what a write may raise where it could also fail
#define COUNT ((int)(sizeof numbers / sizeof *numbers))
#define FAILURES ((int)(sizeof failures / sizeof *failures))

static struct sigaction former[COUNT], formerFailure[FAILURES];
static volatile sig_atomic_t deferred, pending;

// Raised in here, the signal comes when this returns.
static void onSignal(int number)
{
    pending = number;
    if (deferred) return;
    signal(number, SIG_DFL);
    raise(number);
}

void snInterrupt_Begin(void)
{
    struct sigaction action = {.sa_handler = onSignal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    deferred = pending = 0;
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
