// A thread pool behind the context's task hook:
//     snThreadPool *pool;
//     if (snThreadPool_Make(&pool, 0, &error)) ...
//     context.tasks = snThreadPool_Tasks(pool);
// The calling thread works too, as worker 0. A loop inside a loop, or a second loop from another
// thread meanwhile, runs on its own thread alone. Small loops are cheap: idle threads watch for
// work for a moment before they sleep, and nobody waits for a sleeper that came too late.
#ifndef SN_PLATFORM_THREADS_H
#define SN_PLATFORM_THREADS_H

#include "sinew/base.h"

#define SN_MAX_THREADS 1024

typedef struct snThreadPool snThreadPool;

// `threads` counts the caller; 0 takes one for each processor. *pool is NULL after a failure.
snStatus snThreadPool_Make(snThreadPool **pool, int threads, snError *error);
void snThreadPool_Destroy(snThreadPool *pool); // accepts NULL; no loop may be running

snTasks snThreadPool_Tasks(snThreadPool *pool); // valid as long as the pool

// Processors that this process may run on (its affinity mask), at least 1.
int snProcessorCount(void);

// Bytes of memory that this process has had at most; 0 where it cannot be told.
size_t snPeakMemory(void);

#endif
