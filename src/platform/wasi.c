// What WASI, the system under WebAssembly, has not. Threads: a pool whose loops run on the caller, piece by piece in order;
// results are the same, for they depend on no number of threads. Links and rights of files.
#define _XOPEN_SOURCE 700 // for realpath

#include "core/error.h"
#include "platform/interrupt.h"
#include "platform/paths.h"
#include "platform/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct snThreadPool {
    int workers; // as many as were asked for: what is laid out by their number stays as it is
};

static void runLoop(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    (void)user;
    if (grain < 1) grain = 1;
    for (int begin = 0; begin < count; begin += grain)
        fcn(begin, count - begin > grain ? begin + grain : count, 0, context);
}

snStatus snThreadPool_Make(snThreadPool **pool, int threads, snError *error)
{
    *pool = NULL;
    if (threads < 0 || threads > SN_MAX_THREADS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d threads; take 1 to %d, or 0 for all processors",
                      threads, SN_MAX_THREADS);
    snThreadPool *made = malloc(sizeof *made);
    if (!made) return snFailMemory(error);
    made->workers = threads ? threads : 1;
    *pool = made;
    return SN_OK;
}

void snThreadPool_Destroy(snThreadPool *pool)
{
    free(pool);
}

snTasks snThreadPool_Tasks(snThreadPool *pool)
{
    return (snTasks){runLoop, pool, pool->workers};
}

int snProcessorCount(void)
{
    return 1;
}

size_t snPeakMemory(void)
{
    return 0;
}

// The path itself without slashes at its end, where there is something.
char *realpath(const char *path, char *resolved)
{
    struct stat info;
    if (stat(path, &info)) return NULL;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length + 1 > SN_MAX_PATH) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    char *out = resolved ? resolved : malloc(length + 1);
    if (!out) return NULL;
    memcpy(out, path, length);
    out[length] = '\0';
    return out;
}

// There are no rights to files.
int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    return 0;
}

// Nothing interrupts: half files are removed by whoever began them.
void snInterrupt_Watch(snHalfFile *file)
{
    (void)file;
}

void snInterrupt_Forget(snHalfFile *file)
{
    (void)file;
}

void snInterrupt_Hold(bool hold)
{
    (void)hold;
}
