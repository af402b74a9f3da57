#include "platform/clock.h"

#include <time.h>

double snClock_Seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void snClock_Sleep(double seconds)
{
    if (!(seconds > 0)) return;
    if (seconds > 3600) seconds = 3600;
    struct timespec span = {.tv_sec = (time_t)seconds};
    span.tv_nsec = (long)(1e9 * (seconds - (double)span.tv_sec));
    nanosleep(&span, NULL);
}
