#define _XOPEN_SOURCE 700 // for realpath

#include "platform/files.h"
#include "platform/paths.h"

#include "core/error.h"
#include "platform/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_STEP (1u << 16)

// Says what the system says, in plain words where it is common.
static snStatus failSystem(snError *error, const char *path, const char *action, int code)
{
    char text[128] = "unknown error";
    switch (code) {
    case ENOENT:
        return snFail(error, SN_ERROR_FILE, "%.300s: no such file", path);
    case EISDIR:
        return snFail(error, SN_ERROR_FILE, "%.300s: is a folder, not a file", path);
    case EACCES:
        return snFail(error, SN_ERROR_FILE, "%.300s: cannot be %s: permission denied", path,
                      action);
    case ENOMEM:
        return snFailMemory(error);
    default:
        break;
    }
    if (strerror_r(code, text, sizeof text)) strcpy(text, "unknown error");
    return snFail(error, SN_ERROR_FILE, "%.300s: cannot be %s: %s", path, action, text);
}

static bool grow(const snContext *context, snFileContent *content, size_t *capacity)
{
    if (*capacity > SIZE_MAX / 4) return false;
    size_t wanted = *capacity ? 2 * *capacity : READ_STEP;
    unsigned char *bytes = context->allocator.allocate(context->allocator.user, wanted);
    if (!bytes) return false;
    if (content->size) memcpy(bytes, content->bytes, content->size);
    context->allocator.release(context->allocator.user, content->bytes);
    content->bytes = bytes;
    *capacity = wanted;
    return true;
}

// The size that the system tells is only a hint: pipes have none, and files grow meanwhile. One
// byte more than the limit is asked for, to see whether there is more.
static snStatus readAll(const snContext *context, int file, const char *path, size_t limit,
                        size_t capacity, snFileContent *content, snError *error)
{
    content->bytes = context->allocator.allocate(context->allocator.user, capacity);
    if (!content->bytes) return snFailMemory(error);
    for (;;) {
        if (content->size + 1 >= capacity && !grow(context, content, &capacity))
            return snFailMemory(error);
        ssize_t got = read(file, content->bytes + content->size, capacity - content->size - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failSystem(error, path, "read", errno);
        if (got == 0) break;
        content->size += (size_t)got;
        if (content->size > limit)
            return snFail(error, SN_ERROR_FILE, "%.300s: is larger than %zu bytes, the limit", path,
                          limit);
    }
    content->bytes[content->size] = 0;
    return SN_OK;
}

static snStatus readOpen(const snContext *context, int file, const char *path, size_t limit,
                         snFileContent *content, snError *error)
{
    struct stat info;
    if (fstat(file, &info)) return failSystem(error, path, "read", errno);
    if (S_ISDIR(info.st_mode)) return failSystem(error, path, "read", EISDIR);
    uint64_t size = S_ISREG(info.st_mode) && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    if (size > limit)
        return snFail(error, SN_ERROR_FILE, "%.300s: has %llu bytes; the limit is %zu", path,
                      (unsigned long long)size, limit);
    size_t capacity = size ? (size_t)size + 2 : READ_STEP; // the zero, and room to see the end
    return readAll(context, file, path, limit, capacity, content, error);
}

snStatus snFile_Read(const snContext *context, const char *path, size_t limit,
                     snFileContent *content, snError *error)
{
    *content = (snFileContent){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return failSystem(error, path, "read", errno);
    snStatus status = readOpen(context, file, path, limit, content, error);
    close(file);
    if (status) snFile_Release(context, content);
    return status;
}

// Whether a path without links lies below a folder without links.
static bool isBelow(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (!strcmp(folder, "/")) return true;
    return !strncmp(path, folder, length) && path[length] == '/';
}

// Both names are freed of links first; then the file is opened without waiting, for a pipe that
// nobody writes to would never open.
snStatus snFile_ReadNeighbour(const snContext *context, const char *folder, const char *name,
                              size_t limit, snFileContent *content, snError *error)
{
    char joined[SN_MAX_PATH], resolved[PATH_MAX], inside[PATH_MAX];
    struct stat info;
    *content = (snFileContent){0};
    if (!snPath_Join(folder, name, joined, sizeof joined))
        return snFail(error, SN_ERROR_FILE, "%.300s: the path is too long", name);
    if (!realpath(folder[0] ? folder : ".", inside))
        return failSystem(error, folder, "read", errno);
    if (!realpath(joined, resolved)) return failSystem(error, joined, "read", errno);
    if (!isBelow(resolved, inside))
        return snFail(error, SN_ERROR_FILE,
                      "%.300s: is a link that leads out of the file's own folder, which is not "
                      "allowed; copy the file there",
                      joined);
    int file = open(resolved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return failSystem(error, joined, "read", errno);
    bool regular = !fstat(file, &info) && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    snStatus status = regular ? readOpen(context, file, joined, limit, content, error)
                              : snFail(error, SN_ERROR_FILE, "%.300s: is not a file", joined);
    close(file);
    if (status) snFile_Release(context, content);
    return status;
}

void snFile_Release(const snContext *context, snFileContent *content)
{
    context->allocator.release(context->allocator.user, content->bytes);
    *content = (snFileContent){0};
}

static bool statFolder(const char *path, struct stat *info)
{
    char folder[SN_MAX_PATH] = ".";
    size_t length = snPath_FolderLength(path);
    if (length >= sizeof folder) return false;
    if (length) memcpy(folder, path, length);
    if (length) folder[length] = '\0';
    return !stat(folder, info);
}

bool snFile_IsSame(const char *path, const char *other)
{
    struct stat a, b;
    bool first = !stat(path, &a), second = !stat(other, &b);
    if (first || second) return first && second && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return !strcmp(snPath_Name(path), snPath_Name(other)) && statFolder(path, &a) &&
           statFolder(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

snStatus snFile_Write(const snContext *context, const char *path, const void *bytes, size_t size,
                      snError *error)
{
    snFileWriter *writer;
    snStatus status = snFileWriter_Open(context, path, &writer, error);
    if (status) return status;
    status = snFileWriter_Append(writer, bytes, size, error);
    if (status) {
        snFileWriter_Abort(writer);
        return status;
    }
    return snFileWriter_Commit(writer, error);
}
