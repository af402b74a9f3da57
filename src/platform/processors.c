#if defined(__linux__)
#define _GNU_SOURCE // for the affinity mask
#include <sched.h>
#endif

#include "platform/threads.h"

#include <unistd.h>

int snProcessorCount(void)
{
#if defined(__linux__)
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0)
        return CPU_COUNT(&mask);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > SN_MAX_THREADS ? SN_MAX_THREADS : (int)count;
}
