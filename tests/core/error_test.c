#include "core/error.h"

#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static void failFillsTheError(void)
{
    snError error = {0};
    snStatus status = snFail(&error, SN_ERROR_GEOMETRY, "face %d has %d corners", 7, 2);
    CHECK(status == SN_ERROR_GEOMETRY && error.code == SN_ERROR_GEOMETRY);
    CHECK(strcmp(error.message, "face 7 has 2 corners") == 0);
    CHECK(snFail(NULL, SN_ERROR_FILE, "nobody listens") == SN_ERROR_FILE);
    CHECK(snFailMemory(&error) == SN_ERROR_MEMORY);
    CHECK(strcmp(error.message, "out of memory") == 0);
    CHECK(snFailMemory(NULL) == SN_ERROR_MEMORY);
}

static void prefixGoesInFront(void)
{
    snError error = {0};
    snFail(&error, SN_ERROR_FORMAT, "accessor 3 is too short");
    snError_Prefix(&error, "mesh %d", 5);
    CHECK(strcmp(error.message, "mesh 5: accessor 3 is too short") == 0);
    snError_Prefix(&error, "%s", "fox.glb");
    CHECK(strcmp(error.message, "fox.glb: mesh 5: accessor 3 is too short") == 0);
    CHECK(error.code == SN_ERROR_FORMAT);
    snError_Prefix(NULL, "nobody");
}

static void longTextsAreCutNotSpilled(void)
{
    char text[2000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct {
        snError error;
        char guard[16];
    } box = {0};
    memcpy(box.guard, "fifteen letters", 16);
    snFail(&box.error, SN_ERROR_FILE, "%s", text);
    CHECK(strlen(box.error.message) == sizeof box.error.message - 1);
    snError_Prefix(&box.error, "short");
    CHECK(strlen(box.error.message) == sizeof box.error.message - 1);
    CHECK(strncmp(box.error.message, "short: aaa", 10) == 0);
    snFail(&box.error, SN_ERROR_FILE, "the end");
    memset(text, 'b', sizeof text - 1);
    snError_Prefix(&box.error, "%s", text);
    const char *end = strstr(box.error.message, "b: the end");
    CHECK(end && strlen(end) == 10);
    CHECK(strcmp(box.guard, "fifteen letters") == 0);
}

static void everyStatusHasItsName(void)
{
    for (int i = SN_OK; i <= SN_ERROR_CANCELLED; i++) {
        CHECK(strcmp(snStatus_Name((snStatus)i), "unknown status") != 0);
        for (int k = SN_OK; k < i; k++)
            CHECK(strcmp(snStatus_Name((snStatus)i), snStatus_Name((snStatus)k)) != 0);
    }
    CHECK(strcmp(snStatus_Name((snStatus)100), "unknown status") == 0);
}

static void keepLine(void *user, snLogLevel level, const char *line)
{
    snprintf(user, 600, "%d %s", (int)level, line);
}

static void logLinesReachTheHook(void)
{
    char kept[600] = "";
    snContext context = snDefaultContext();
    snLog(&context, SN_LOG_INFO, "nobody listens");
    context.log = (snLogHook){keepLine, kept};
    snLog(&context, SN_LOG_WARNING, "%d bones", 3);
    CHECK(strcmp(kept, "1 3 bones") == 0);
}

int main(void)
{
    RUN(failFillsTheError);
    RUN(prefixGoesInFront);
    RUN(longTextsAreCutNotSpilled);
    RUN(everyStatusHasItsName);
    RUN(logLinesReachTheHook);
    return snTest_Finish();
}
