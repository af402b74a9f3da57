#define _XOPEN_SOURCE 700 // for realpath

#include "platform/files.h"
#include "platform/interrupt.h"
#include "platform/paths.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (1u << 16)
#define NAME_ATTEMPTS 1000

struct snFileWriter {
    const snContext *context;
    int file;                // -1 when closed
    bool direct;             // no temporary file
    snError broken;          // the first failure
    char shown[SN_MAX_PATH]; // the name as the caller wrote it, for messages
    char destination[SN_MAX_PATH];
    char temporary[SN_MAX_PATH];
    snHalfFile half;         // the temporary file, as long as it is there
    char older[SN_MAX_PATH]; // a second name of the file that was replaced; "": none
    bool named;              // it has its name
    bool fresh;              // nothing had that name before
    uint64_t written;        // without the buffer
    size_t buffered;
    unsigned char *buffer; // NULL when closed
};

static snStatus failSystem(snFileWriter *writer, const char *action, int code, snError *error)
{
    char text[128] = "unknown error";
    if (code == ENOENT)
        strcpy(text, "its folder does not exist");
    else if (code == EISDIR)
        strcpy(text, "it is a folder");
    else if (strerror_r(code, text, sizeof text))
        strcpy(text, "unknown error");
    if (writer->broken.code == SN_OK)
        snFail(&writer->broken, SN_ERROR_FILE, "%.300s: cannot be %s: %s", writer->shown, action,
               text);
    if (error) *error = writer->broken;
    return writer->broken.code;
}

static snStatus stayBroken(const snFileWriter *writer, snError *error)
{
    if (error && writer->broken.code) *error = writer->broken;
    return writer->broken.code;
}

// Follows links, so that a link to a file stays one. What does not exist yet is its own destination.
static snStatus findDestination(snFileWriter *writer, const char *path, snError *error)
{
    if (!*path) return snFail(error, SN_ERROR_FILE, "the file to write has no name");
    char *resolved = realpath(path, NULL);
    const char *destination = resolved ? resolved : path;
    size_t length = strlen(destination);
    bool fits = length + 32 < SN_MAX_PATH; // the temporary name is longer
    if (fits) memcpy(writer->destination, destination, length + 1);
    free(resolved);
    return fits ? SN_OK : failSystem(writer, "written", ENAMETOOLONG, error);
}

// Opens a new file beside the destination, with the permissions that any new file gets. Names
// already taken, by another program or a crashed one, are passed over.
static snStatus openTemporary(snFileWriter *writer, snError *error)
{
    for (int i = 0; i < NAME_ATTEMPTS; i++) {
        snprintf(writer->temporary, sizeof writer->temporary, "%.*s.part%ld-%d", SN_MAX_PATH - 32,
                 writer->destination, (long)getpid(), i);
        writer->file =
            open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        if (writer->file >= 0) {
            writer->half.path = writer->temporary;
            snInterrupt_Watch(&writer->half);
            return SN_OK;
        }
        if (errno != EEXIST) break;
    }
    int code = errno;
    writer->temporary[0] = '\0'; // not ours to remove
    return failSystem(writer, "written", code, error);
}

static snStatus openFile(snFileWriter *writer, const char *path, snError *error)
{
    snStatus status = findDestination(writer, path, error);
    if (status) return status;
    struct stat info;
    bool exists = stat(writer->destination, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) return failSystem(writer, "written", EISDIR, error);
    writer->direct = exists && !S_ISREG(info.st_mode);
    if (writer->direct) {
        writer->file = open(writer->destination, O_WRONLY | O_CLOEXEC);
        return writer->file < 0 ? failSystem(writer, "written", errno, error) : SN_OK;
    }
    // A file that may not be written is not replaced either, although its folder would allow it.
    if (exists && access(writer->destination, W_OK))
        return failSystem(writer, "written", errno, error);
    status = openTemporary(writer, error);
    if (status) return status;
    if (exists && fchmod(writer->file, info.st_mode & (mode_t)0777))
        return failSystem(writer, "written", errno, error);
    return SN_OK;
}

snStatus snFileWriter_Open(const snContext *context, const char *path, snFileWriter **writer,
                           snError *error)
{
    *writer = NULL;
    snFileWriter *made = context->allocator.allocate(context->allocator.user, sizeof *made);
    if (!made) return snFailMemory(error);
    memset(made, 0, sizeof *made);
    made->context = context;
    made->file = -1;
    snprintf(made->shown, sizeof made->shown, "%s", path);
    made->buffer = context->allocator.allocate(context->allocator.user, BUFFER_BYTES);
    snStatus status = made->buffer ? openFile(made, path, error) : snFailMemory(error);
    if (status) {
        snFileWriter_Abort(made);
        return status;
    }
    *writer = made;
    return SN_OK;
}

static snStatus writeOut(snFileWriter *writer, const unsigned char *bytes, size_t size,
                         snError *error)
{
    while (size) {
        ssize_t done = write(writer->file, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failSystem(writer, "written", errno, error);
        bytes += done;
        size -= (size_t)done;
        writer->written += (uint64_t)done;
    }
    return SN_OK;
}

static snStatus flush(snFileWriter *writer, snError *error)
{
    size_t size = writer->buffered;
    writer->buffered = 0;
    return writeOut(writer, writer->buffer, size, error);
}

snStatus snFileWriter_Append(snFileWriter *writer, const void *bytes, size_t size, snError *error)
{
    if (writer->broken.code) return stayBroken(writer, error);
    if (size > BUFFER_BYTES - writer->buffered) {
        snStatus status = flush(writer, error);
        if (status) return status;
    }
    if (size > BUFFER_BYTES) return writeOut(writer, bytes, size, error);
    if (size) memcpy(writer->buffer + writer->buffered, bytes, size);
    writer->buffered += size;
    return SN_OK;
}

snStatus snFileWriter_Patch(snFileWriter *writer, uint64_t offset, const void *bytes, size_t size,
                            snError *error)
{
    if (writer->broken.code) return stayBroken(writer, error);
    uint64_t end = writer->written + writer->buffered;
    if (offset > end || size > end - offset)
        return snFail(error, SN_ERROR_ARGUMENT, "%.300s: bytes %llu to %llu are not written yet",
                      writer->shown, (unsigned long long)offset, (unsigned long long)offset + size);
    snStatus status = flush(writer, error);
    const unsigned char *next = bytes;
    while (!status && size) {
        ssize_t done = pwrite(writer->file, next, size, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failSystem(writer, "written", errno, error);
        next += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return status;
}

static void releaseBuffer(snFileWriter *writer)
{
    if (writer->buffer)
        writer->context->allocator.release(writer->context->allocator.user, writer->buffer);
    writer->buffer = NULL;
}

// Everything up to the name: the bytes are out and the file is closed.
static snStatus finish(snFileWriter *writer, snError *error)
{
    if (writer->broken.code) return stayBroken(writer, error);
    if (writer->file < 0) return SN_OK;
    snStatus status = flush(writer, error);
    if (status) return status;
    int failed = close(writer->file);
    writer->file = -1;
    releaseBuffer(writer);
    return failed ? failSystem(writer, "written", errno, error) : SN_OK;
}

static snStatus giveName(snFileWriter *writer, snError *error)
{
    if (writer->direct) return SN_OK;
    if (rename(writer->temporary, writer->destination))
        return failSystem(writer, "replaced", errno, error);
    snInterrupt_Forget(&writer->half);
    writer->temporary[0] = '\0'; // nothing to remove any more
    writer->named = true;
    return SN_OK;
}

// Gives a file that is about to be replaced a second name, to go back to. Where the file system has
// no links it is replaced without.
static void keepOlder(snFileWriter *writer)
{
    struct stat info;
    if (writer->direct) return;
    writer->fresh = lstat(writer->destination, &info) != 0;
    if (writer->fresh) return;
    snprintf(writer->older, sizeof writer->older, "%.*s.old%ld", SN_MAX_PATH - 32,
             writer->destination, (long)getpid());
    if (link(writer->destination, writer->older)) writer->older[0] = '\0';
}

static void forgetOlder(snFileWriter *writer)
{
    if (writer->older[0]) unlink(writer->older);
    writer->older[0] = '\0';
}

// Takes the name away again: what was there before comes back.
static void takeBack(snFileWriter *writer)
{
    if (writer->named && writer->older[0] && !rename(writer->older, writer->destination))
        writer->older[0] = '\0';
    else if (writer->named && writer->fresh)
        unlink(writer->destination);
}

snStatus snFileWriter_Commit(snFileWriter *writer, snError *error)
{
    if (!writer) return SN_OK;
    snStatus status = finish(writer, error);
    if (!status) status = giveName(writer, error);
    snFileWriter_Abort(writer); // frees, and removes what did not get its name
    return status;
}

void snFileWriter_Abort(snFileWriter *writer)
{
    if (!writer) return;
    if (writer->file >= 0) close(writer->file);
    if (writer->temporary[0]) unlink(writer->temporary);
    snInterrupt_Forget(&writer->half);
    forgetOlder(writer);
    releaseBuffer(writer);
    writer->context->allocator.release(writer->context->allocator.user, writer);
}

const char *snFileWriter_TemporaryPath(const snFileWriter *writer)
{
    return writer->temporary[0] ? writer->temporary : NULL;
}

snFileBatch snMakeFileBatch(const snContext *context)
{
    return (snFileBatch){.context = context};
}

snStatus snFileBatch_Open(snFileBatch *batch, const char *path, snFileWriter **writer,
                          snError *error)
{
    snStatus status = snFileWriter_Open(batch->context, path, writer, error);
    if (status) return status;
    if (snArray_Push(&batch->context->allocator, &batch->writers, *writer)) return SN_OK;
    snFileWriter_Abort(*writer);
    *writer = NULL;
    return snFailMemory(error);
}

snStatus snFileBatch_Close(snFileWriter *writer, snError *error)
{
    return finish(writer, error);
}

// All names or none: when one cannot be given, those before it are taken back.
snStatus snFileBatch_Commit(snFileBatch *batch, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < batch->writers.count && !status; i++)
        status = finish(batch->writers.data[i], error);
    snInterrupt_Hold(true);
    for (int i = 0; i < batch->writers.count && !status && batch->writers.count > 1; i++)
        keepOlder(batch->writers.data[i]);
    for (int i = 0; i < batch->writers.count && !status; i++)
        status = giveName(batch->writers.data[i], error);
    for (int i = 0; i < batch->writers.count && status; i++)
        takeBack(batch->writers.data[i]);
    snFileBatch_Abandon(batch); // keeps those that have their names
    snInterrupt_Hold(false);
    return status;
}

void snFileBatch_Abandon(snFileBatch *batch)
{
    for (int i = 0; i < batch->writers.count; i++)
        snFileWriter_Abort(batch->writers.data[i]);
    snArray_Free(&batch->context->allocator, &batch->writers);
}

snStatus snFileBatch_Write(snFileBatch *batch, const char *path, const void *bytes, size_t size,
                           snError *error)
{
    snFileWriter *writer;
    snStatus status = snFileBatch_Open(batch, path, &writer, error);
    return status ? status : snFileWriter_Append(writer, bytes, size, error);
}

snStatus snFileBatch_End(snFileBatch *batch, snStatus status, snError *error)
{
    if (!status) return snFileBatch_Commit(batch, error);
    snFileBatch_Abandon(batch);
    return status;
}
