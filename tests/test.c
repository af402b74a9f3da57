#include "tests/test.h"

#include "sinew/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A test program is one process with one thread of checks, so plain counters will do.
static int passedCount, failedCount;
static const char *currentTest;
static bool currentFailed;

void snTest_Begin(const char *name)
{
    currentTest = name;
    currentFailed = false;
}

void snTest_End(void)
{
    if (currentFailed)
        failedCount++;
    else
        passedCount++;
    printf("%s %s\n", currentFailed ? "FAILED" : "ok", currentTest);
}

int snTest_Finish(void)
{
    printf("%d passed, %d failed\n", passedCount, failedCount);
    return failedCount ? 1 : 0;
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

static void *failingAllocate(void *user, size_t size)
{
    snFailingMemory *memory = user;
    memory->count++;
    if (memory->count == memory->failAt) return NULL;
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
    context->allocator = (snAllocator){failingAllocate, failingRelease, memory};
}
