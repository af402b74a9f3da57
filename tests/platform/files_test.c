#define _XOPEN_SOURCE 700 // for mkdtemp

#include "platform/files.h"
#include "platform/paths.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

static char folder[256]; // a new one for each run, removed at the end

static const char *inFolder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int filesInFolder(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2; // "." and ".."
}

static bool contains(const char *name, const void *bytes, size_t size)
{
    snContext context = snDefaultContext();
    snFileContent content;
    snError error = {0};
    if (snFile_Read(&context, inFolder(name), 1 << 28, &content, &error)) {
        printf("%s\n", error.message);
        return false;
    }
    bool same =
        content.size == size && memcmp(content.bytes, bytes, size) == 0 && content.bytes[size] == 0;
    snFile_Release(&context, &content);
    return same;
}

static void writtenFilesReadBack(void)
{
    snContext context = snDefaultContext();
    const size_t sizes[] = {0, 1, 65535, 65536, 65537, 3000000};
    unsigned char *bytes = malloc(3000000);
    for (int i = 0; i < 3000000; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (int i = 0; i < 6; i++) {
        snError error = {0};
        CHECK(snFile_Write(&context, inFolder("a.bin"), bytes, sizes[i], &error) == SN_OK);
        CHECK(contains("a.bin", bytes, sizes[i]));
        CHECK(filesInFolder() == 1);
    }
    free(bytes);
    unlink(inFolder("a.bin"));
}

static void readErrorsAreClear(void)
{
    snContext context = snDefaultContext();
    snFileContent content;
    snError error = {0};
    CHECK(snFile_Read(&context, "nothing.glb", 100, &content, &error) == SN_ERROR_FILE);
    CHECK(strcmp(error.message, "nothing.glb: no such file") == 0 && content.bytes == NULL);
    CHECK(snFile_Read(&context, folder, 100, &content, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, ": is a folder, not a file") != NULL);
    CHECK(snFile_Read(&context, "", 100, &content, NULL) == SN_ERROR_FILE);
    CHECK(snFile_Read(&context, inFolder("x/y"), 100, &content, NULL) == SN_ERROR_FILE);
    CHECK(snFile_Write(&context, inFolder("a"), "0123456789", 10, &error) == SN_OK);
    CHECK(snFile_Read(&context, inFolder("a"), 9, &content, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "has 10 bytes; the limit is 9") != NULL);
    CHECK(snFile_Read(&context, inFolder("a"), 10, &content, &error) == SN_OK);
    CHECK(content.size == 10);
    snFile_Release(&context, &content);
    chmod(inFolder("a"), 0);
    if (geteuid() != 0) { // root may read everything
        CHECK(snFile_Read(&context, inFolder("a"), 100, &content, &error) == SN_ERROR_FILE);
        CHECK(strstr(error.message, "cannot be read: permission denied") != NULL);
    }
    unlink(inFolder("a"));
}

// A file without a size, and one without an end.
static void devicesStopAtTheLimit(void)
{
    snContext context = snDefaultContext();
    snFileContent content;
    snError error = {0};
    CHECK(snFile_Read(&context, "/dev/null", 0, &content, &error) == SN_OK && content.size == 0);
    snFile_Release(&context, &content);
    CHECK(snFile_Read(&context, "/dev/zero", 300000, &content, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "/dev/zero: is larger than 300000 bytes") == error.message);
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], "through a pipe", 14) == 14);
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    CHECK(snFile_Read(&context, path, 100, &content, &error) == SN_OK);
    CHECK(content.size == 14 && strcmp((char *)content.bytes, "through a pipe") == 0);
    snFile_Release(&context, &content);
    close(ends[0]);
}

// Neighbours: what lies in the folder or below is read, by links too; what lies elsewhere is not.
static void neighboursStayInTheFolder(void)
{
    snContext context = snDefaultContext();
    char below[600], link[600], out[600], pipe[600], elsewhere[] = "/tmp/sinew-neighbour-XXXXXX";
    snprintf(below, sizeof below, "%s/below", folder);
    snprintf(link, sizeof link, "%s/link.bin", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    int other = mkstemp(elsewhere);
    CHECK(other >= 0 && write(other, "secret", 6) == 6);
    close(other);
    CHECK(!mkdir(below, 0700) && !mkfifo(pipe, 0600));
    CHECK(snFile_Write(&context, inFolder("below/a.bin"), "abc", 3, NULL) == SN_OK);
    CHECK(!symlink("below/a.bin", link) && !symlink("/tmp", out));
    static const struct {
        const char *name, *expected; // NULL: it is read
    } cases[] = {{"below/a.bin", NULL},      {"link.bin", NULL},
                 {"./below/a.bin", NULL},    {"none.bin", "no such file"},
                 {"below", "is a folder"},   {"pipe", "is not a file"},
                 {"secret", "leads out of"}, {"out/NAME", "leads out of"}};
    char secret[600], through[64];
    snprintf(secret, sizeof secret, "%s/secret", folder);
    CHECK(!symlink(elsewhere, secret));
    snprintf(through, sizeof through, "out/%s", strrchr(elsewhere, '/') + 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snFileContent content;
        snError error = {0};
        const char *name = strcmp(cases[i].name, "out/NAME") ? cases[i].name : through;
        snStatus status = snFile_ReadNeighbour(&context, folder, name, 1000, &content, &error);
        if (!cases[i].expected) {
            CHECK(status == SN_OK && content.size == 3 && !memcmp(content.bytes, "abc", 3));
            snFile_Release(&context, &content);
        } else if (!CHECK(status && strstr(error.message, cases[i].expected))) {
            printf("    %s: %s\n", name, error.message);
        }
    }
    unlink(elsewhere);
    unlink(secret), unlink(out), unlink(link), unlink(pipe);
    unlink(inFolder("below/a.bin"));
    rmdir(below);
}

static void anAbortLeavesNothing(void)
{
    snContext context = snDefaultContext();
    snFileWriter *writer;
    snError error = {0};
    CHECK(snFile_Write(&context, inFolder("a"), "old", 3, &error) == SN_OK);
    CHECK(snFileWriter_Open(&context, inFolder("a"), &writer, &error) == SN_OK);
    CHECK(snFileWriter_TemporaryPath(writer) && !access(snFileWriter_TemporaryPath(writer), F_OK));
    CHECK(snFileWriter_Append(writer, "new", 3, &error) == SN_OK);
    CHECK(filesInFolder() == 2 && contains("a", "old", 3)); // nobody sees it yet
    snFileWriter_Abort(writer);
    CHECK(filesInFolder() == 1 && contains("a", "old", 3));
    snFileWriter_Abort(NULL);
    CHECK(snFileWriter_Commit(NULL, NULL) == SN_OK);
    unlink(inFolder("a"));
}

static void streamsAndPatches(void)
{
    snContext context = snDefaultContext();
    snFileWriter *writer;
    snError error = {0};
    unsigned char *wanted = malloc(1000000);
    CHECK(snFileWriter_Open(&context, inFolder("a"), &writer, &error) == SN_OK);
    size_t size = 0;
    for (size_t step = 0; size + step < 1000000; step = step * 5 / 4 + 1) {
        memset(wanted + size, (int)(step % 251), step);
        CHECK(snFileWriter_Append(writer, wanted + size, step, &error) == SN_OK);
        size += step;
    }
    memcpy(wanted + 8, "1234", 4);
    CHECK(snFileWriter_Patch(writer, 8, "1234", 4, &error) == SN_OK);
    memcpy(wanted + size - 4, "abcd", 4);
    CHECK(snFileWriter_Patch(writer, size - 4, "abcd", 4, &error) == SN_OK);
    CHECK(snFileWriter_Patch(writer, size - 3, "abcd", 4, &error) == SN_ERROR_ARGUMENT);
    CHECK(snFileWriter_Patch(writer, UINT64_MAX, "abcd", 4, &error) == SN_ERROR_ARGUMENT);
    memcpy(wanted + size, "end", 3); // and the end is still the end
    CHECK(snFileWriter_Append(writer, "end", 3, &error) == SN_OK);
    CHECK(snFileWriter_Commit(writer, &error) == SN_OK);
    CHECK(contains("a", wanted, size + 3) && filesInFolder() == 1);
    free(wanted);
    unlink(inFolder("a"));
}

static void badDestinationsFailAtOnce(void)
{
    snContext context = snDefaultContext();
    snFileWriter *writer;
    snError error = {0};
    CHECK(snFileWriter_Open(&context, folder, &writer, &error) == SN_ERROR_FILE && !writer);
    CHECK(strstr(error.message, "it is a folder") != NULL);
    CHECK(snFileWriter_Open(&context, inFolder("no/a"), &writer, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "cannot be written: its folder does not exist") != NULL);
    CHECK(snFileWriter_Open(&context, "", &writer, NULL) == SN_ERROR_FILE);
    char longName[SN_MAX_PATH + 100];
    memset(longName, 'a', sizeof longName - 1);
    longName[sizeof longName - 1] = '\0';
    CHECK(snFileWriter_Open(&context, longName, &writer, &error) == SN_ERROR_FILE);
    CHECK(filesInFolder() == 0);
    if (geteuid() == 0) return; // root may write everything
    CHECK(snFile_Write(&context, inFolder("a"), "old", 3, &error) == SN_OK);
    chmod(inFolder("a"), 0444);
    CHECK(snFile_Write(&context, inFolder("a"), "new", 3, &error) == SN_ERROR_FILE);
    CHECK(contains("a", "old", 3));
    unlink(inFolder("a"));
    chmod(folder, 0555);
    CHECK(snFile_Write(&context, inFolder("a"), "new", 3, &error) == SN_ERROR_FILE);
    chmod(folder, 0755);
    CHECK(filesInFolder() == 0);
}

// A limit on the size of files stands for a full disk.
static void aFullDiskLeavesNothing(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    struct rlimit before, small = {100000, 100000};
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(snFile_Write(&context, inFolder("a"), "old", 3, &error) == SN_OK);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    unsigned char *bytes = calloc(1, 200000);
    CHECK(snFile_Write(&context, inFolder("a"), bytes, 200000, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "cannot be written") != NULL);
    CHECK(filesInFolder() == 1 && contains("a", "old", 3));
    snFileWriter *writer;
    CHECK(snFileWriter_Open(&context, inFolder("a"), &writer, &error) == SN_OK);
    for (int i = 0; i < 100; i++)
        snFileWriter_Append(writer, bytes, 3000, NULL);
    snError later = {0};
    CHECK(snFileWriter_Append(writer, bytes, 1, &later) == SN_ERROR_FILE); // stays broken
    CHECK(snFileWriter_Patch(writer, 0, bytes, 1, &later) == SN_ERROR_FILE);
    CHECK(snFileWriter_Commit(writer, &later) == SN_ERROR_FILE && later.message[0]);
    CHECK(filesInFolder() == 1 && contains("a", "old", 3));
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    free(bytes);
    unlink(inFolder("a"));
}

static void permissionsAndLinksStay(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    struct stat info;
    mode_t mask = umask(022);
    CHECK(snFile_Write(&context, inFolder("a"), "1", 1, &error) == SN_OK);
    CHECK(stat(inFolder("a"), &info) == 0 && (info.st_mode & 0777) == 0644);
    chmod(inFolder("a"), 0600);
    CHECK(snFile_Write(&context, inFolder("a"), "2", 1, &error) == SN_OK);
    CHECK(stat(inFolder("a"), &info) == 0 && (info.st_mode & 0777) == 0600);
    umask(mask);
    CHECK(symlink("a", inFolder("link")) == 0);
    CHECK(snFile_Write(&context, inFolder("link"), "3", 1, &error) == SN_OK);
    CHECK(lstat(inFolder("link"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(contains("a", "3", 1) && filesInFolder() == 2);
    unlink(inFolder("link"));
    unlink(inFolder("a"));
    CHECK(snFile_Write(&context, "/dev/null", "4", 1, &error) == SN_OK);
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
}

static void batchesAreWholeOrNothing(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snFileWriter *a, *b;
    snFileBatch batch = snMakeFileBatch(&context);
    CHECK(snFileBatch_Open(&batch, inFolder("a"), &a, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("b"), &b, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("no/c"), &b, &error) == SN_ERROR_FILE && !b);
    CHECK(snFileWriter_Append(a, "aa", 2, &error) == SN_OK);
    snFileBatch_Abandon(&batch);
    CHECK(filesInFolder() == 0);
    CHECK(snFileBatch_Open(&batch, inFolder("a"), &a, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("b"), &b, &error) == SN_OK);
    CHECK(snFileWriter_Append(a, "aa", 2, &error) == SN_OK);
    CHECK(snFileWriter_Append(b, "bb", 2, &error) == SN_OK);
    CHECK(snFileBatch_Commit(&batch, &error) == SN_OK);
    CHECK(filesInFolder() == 2 && contains("a", "aa", 2) && contains("b", "bb", 2));
    CHECK(snFileBatch_Commit(&batch, &error) == SN_OK); // empty
    unlink(inFolder("a"));
    unlink(inFolder("b"));
}

// A destination that becomes a folder meanwhile: the second name cannot be given.
static void aFailedNameIsReported(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snFileWriter *a;
    snFileBatch batch = snMakeFileBatch(&context);
    CHECK(snFileBatch_Open(&batch, inFolder("a"), &a, &error) == SN_OK);
    CHECK(mkdir(inFolder("a"), 0777) == 0);
    CHECK(snFileBatch_Commit(&batch, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "cannot be replaced") != NULL);
    CHECK(filesInFolder() == 1); // the folder alone
    rmdir(inFolder("a"));
}

// Of three names the last cannot be given: the first is taken back, the second's older file returns.
static void namesAreTakenBack(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snFileWriter *a, *b, *c;
    snFileBatch batch = snMakeFileBatch(&context);
    CHECK(snFile_Write(&context, inFolder("b"), "old", 3, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("a"), &a, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("b"), &b, &error) == SN_OK);
    CHECK(snFileBatch_Open(&batch, inFolder("c"), &c, &error) == SN_OK);
    CHECK(snFileWriter_Append(b, "new", 3, &error) == SN_OK);
    CHECK(snFileBatch_Close(b, &error) == SN_OK);
    CHECK(mkdir(inFolder("c"), 0777) == 0);
    CHECK(snFileBatch_Commit(&batch, &error) == SN_ERROR_FILE);
    CHECK(filesInFolder() == 2 && contains("b", "old", 3));
    rmdir(inFolder("c"));
    unlink(inFolder("b"));
}

// Names of files that do not exist yet are compared by their folders.
static void namesThatMeet(void)
{
    char other[600];
    snprintf(other, sizeof other, "%s", inFolder("./x"));
    CHECK(snFile_IsSame(inFolder("x"), other));
    CHECK(!snFile_IsSame(inFolder("y"), other));
    CHECK(!snFile_IsSame(inFolder("no/x"), other));
    CHECK(snFile_IsSame("no-such-file", "./no-such-file"));
}

static void temporaryNamesMayBeTaken(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snFileWriter *first, *second; // two for one destination: the last commit wins
    CHECK(snFileWriter_Open(&context, inFolder("a"), &first, &error) == SN_OK);
    CHECK(snFileWriter_Open(&context, inFolder("a"), &second, &error) == SN_OK);
    CHECK(snFileWriter_Append(first, "1", 1, &error) == SN_OK);
    CHECK(snFileWriter_Append(second, "2", 1, &error) == SN_OK);
    CHECK(snFileWriter_Commit(second, &error) == SN_OK && contains("a", "2", 1));
    CHECK(snFileWriter_Commit(first, &error) == SN_OK && contains("a", "1", 1));
    CHECK(filesInFolder() == 1);
    unlink(inFolder("a"));
}

static void everyAllocationMayFail(void)
{
    snFailingMemory memory = {0};
    snContext context = snDefaultContext();
    snTest_UseFailingMemory(&context, &memory);
    snFileContent content;
    snError error = {0};
    for (int failAt = 1; failAt <= 4; failAt++) { // writer, buffer, list
        memory = (snFailingMemory){.failAt = failAt};
        snFileBatch batch = snMakeFileBatch(&context);
        snFileWriter *writer;
        snStatus status = snFileBatch_Open(&batch, inFolder("a"), &writer, &error);
        CHECK(status == (failAt <= 3 ? SN_ERROR_MEMORY : SN_OK));
        snFileBatch_Abandon(&batch);
        CHECK(memory.alive == 0 && filesInFolder() == 0);
    }
    for (int failAt = 1; failAt <= 4; failAt++) { // /dev/zero makes the memory grow twice
        memory = (snFailingMemory){.failAt = failAt};
        snStatus status = snFile_Read(&context, "/dev/zero", 200000, &content, &error);
        CHECK(status == (failAt <= 3 ? SN_ERROR_MEMORY : SN_ERROR_FILE));
        CHECK(memory.alive == 0 && content.bytes == NULL);
    }
}

int main(void)
{
    snTest_MakeFolder(folder, sizeof folder, "sinew-files");
    RUN(writtenFilesReadBack);
    RUN(readErrorsAreClear);
    RUN(devicesStopAtTheLimit);
    RUN(neighboursStayInTheFolder);
    RUN(anAbortLeavesNothing);
    RUN(streamsAndPatches);
    RUN(badDestinationsFailAtOnce);
    RUN(aFullDiskLeavesNothing);
    RUN(permissionsAndLinksStay);
    RUN(batchesAreWholeOrNothing);
    RUN(aFailedNameIsReported);
    RUN(namesAreTakenBack);
    RUN(namesThatMeet);
    RUN(temporaryNamesMayBeTaken);
    RUN(everyAllocationMayFail);
    rmdir(folder);
    return snTest_Finish();
}
