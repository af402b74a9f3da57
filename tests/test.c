#include "tests/test.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__GLIBC__)
#include <execinfo.h>
#endif

// A test program is one process with one thread of checks, so plain counters will do.
static int passedCount, failedCount;
static const char *currentTest;
static bool currentFailed;
static double currentBegin; // s of the processor

static double timeUsed(void)
{
#if defined(__wasi__)
    return 0; // has no clock of processes
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}

void snTest_Begin(const char *name)
{
    currentBegin = timeUsed();
    currentTest = name;
    currentFailed = false;
}

void snTest_End(void)
{
    if (currentFailed)
        failedCount++;
    else
        passedCount++;
    double took = timeUsed() - currentBegin;
    printf("%s %s", currentFailed ? "FAILED" : "ok", currentTest);
    if (took >= 0.5) printf(", %.1f s", took);
    printf("\n");
}

int snTest_Finish(void)
{
    printf("%d passed, %d failed\n", passedCount, failedCount);
    return failedCount ? 1 : 0;
}

bool snTest_Whole(void)
{
    return getenv("SINEW_WHOLE") != NULL;
}

bool snTest_Check(bool passed, const char *file, int line, const char *text)
{
    if (passed) return true;
    currentFailed = true;
    printf("%s:%d: %s: not true: %s\n", file, line, currentTest, text);
    return false;
}

bool snTest_Near(double a, double b, double tolerance, const char *file, int line, const char *text)
{
    if (fabs(a - b) <= tolerance) return true;
    currentFailed = true;
    printf("%s:%d: %s: %s: %.17g and %.17g differ by %.3g, allowed %.3g\n", file, line, currentTest,
           text, a, b, fabs(a - b), tolerance);
    return false;
}

void snTest_Skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    exit(77);
}

void snTest_MakeFolder(char *path, size_t size, const char *name)
{
    const char *base = getenv("TMPDIR");
    snprintf(path, size, "%s/%s-XXXXXX", base ? base : "/tmp", name);
    if (!mkdtemp(path)) snTest_Skip("no folder for temporary files");
}

unsigned char *snTest_ReadFile(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc((size_t)length + 1);
    if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

unsigned char *snTest_Asset(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", SN_ASSET_DIR, name);
    return snTest_ReadFile(path, size);
}

// ---- memory that fails ------------------------------------------------------------------------------------

#define WAY_CALLERS 2            // the place that allocates, and who called it
#define WAY_SLOTS 16384u         // a power of two, and more than any builder has ways
static uint64_t ways[WAY_SLOTS]; // those met in this run, by their hash
static bool inArena;             // what it takes of the allocator was counted already

// Who asks for memory, as a number that is not 0.
__attribute__((noinline)) static uint64_t wayHere(size_t size)
{
    uint64_t hash = 1469598103934665603u; // FNV-1a
#if defined(__GLIBC__)
    (void)size;
    void *callers[WAY_CALLERS + 3]; // after this function, the next, and the allocator's or arena's
    int count = backtrace(callers, WAY_CALLERS + 3);
    for (int k = 0; k < count; k++)
        hash = (hash ^ (uint64_t)(uintptr_t)callers[k]) * 1099511628211u;
#else // nobody tells: by what is asked for
    hash = (hash ^ size) * 1099511628211u;
#endif
    return hash | 1;
}

// Counts a way that was not met before; true where this is the one that fails.
__attribute__((noinline)) static bool failsHere(snFailingMemory *memory, size_t size)
{
    if (!memory->failAtWay) return false;
    if (!memory->count) memset(ways, 0, sizeof ways); // a new run
    uint64_t way = wayHere(size);
    for (unsigned k = 0; k < WAY_SLOTS; k++) {
        uint64_t *slot = &ways[(way + k) & (WAY_SLOTS - 1)];
        if (*slot == way) return false;
        if (*slot) continue;
        *slot = way;
        return ++memory->count == memory->failAtWay;
    }
    return false;
}

static void *failingAllocate(void *user, size_t size)
{
    snFailingMemory *memory = user;
    if (!memory->failAtWay && ++memory->count == memory->failAt) return NULL;
    if (!inArena && failsHere(memory, size)) return NULL;
    void *result = malloc(size);
    if (result) memory->alive++;
    return result;
}

static void failingRelease(void *user, void *memory)
{
    if (memory) ((snFailingMemory *)user)->alive--;
    free(memory);
}

void snTest_UseFailingMemory(snContext *context, snFailingMemory *memory)
{
    memset(ways, 0, sizeof ways);
    context->allocator = (snAllocator){failingAllocate, failingRelease, memory};
}

// The arena's functions, put in the place of the real ones by the linker (--wrap). Weak: a program that is linked without
// has them as they are.
__attribute__((weak)) void *__real_snArena_Alloc(snArena *arena, size_t elementSize, size_t count);
__attribute__((weak)) void *__real_snArena_Copy(snArena *arena, const void *data,
                                                size_t elementSize, size_t count);
__attribute__((weak)) char *__real_snArena_CopyString(snArena *arena, const char *text,
                                                      size_t length);
void *__wrap_snArena_Alloc(snArena *arena, size_t elementSize, size_t count);
void *__wrap_snArena_Copy(snArena *arena, const void *data, size_t elementSize, size_t count);
char *__wrap_snArena_CopyString(snArena *arena, const char *text, size_t length);

// The memory that an arena takes its blocks from, if ways of it are counted.
static snFailingMemory *failingOf(const snArena *arena)
{
    if (arena->allocator.allocate != failingAllocate) return NULL;
    snFailingMemory *memory = arena->allocator.user;
    return memory->failAtWay ? memory : NULL;
}

void *__wrap_snArena_Alloc(snArena *arena, size_t elementSize, size_t count)
{
    snFailingMemory *memory = failingOf(arena);
    if (!memory) return __real_snArena_Alloc(arena, elementSize, count);
    if (failsHere(memory, elementSize * count)) return NULL;
    inArena = true;
    void *result = __real_snArena_Alloc(arena, elementSize, count);
    inArena = false;
    return result;
}

void *__wrap_snArena_Copy(snArena *arena, const void *data, size_t elementSize, size_t count)
{
    snFailingMemory *memory = failingOf(arena);
    if (!memory) return __real_snArena_Copy(arena, data, elementSize, count);
    if (failsHere(memory, elementSize * count)) return NULL;
    inArena = true;
    void *result = __real_snArena_Copy(arena, data, elementSize, count);
    inArena = false;
    return result;
}

char *__wrap_snArena_CopyString(snArena *arena, const char *text, size_t length)
{
    snFailingMemory *memory = failingOf(arena);
    if (!memory) return __real_snArena_CopyString(arena, text, length);
    if (failsHere(memory, length)) return NULL;
    inArena = true;
    char *result = __real_snArena_CopyString(arena, text, length);
    inArena = false;
    return result;
}
