#if defined(__linux__)
#define _GNU_SOURCE // for the affinity mask
#include <sched.h>
#endif

#include "platform/threads.h"

#include <sys/resource.h>
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

size_t snPeakMemory(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) || usage.ru_maxrss < 0) return 0;
#if defined(__APPLE__)
    return (size_t)usage.ru_maxrss;
#else
    return (size_t)usage.ru_maxrss * 1024;
#endif
}
