#define _POSIX_C_SOURCE 200809L

#include "platform/growing_file.h"

#include "core/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static snStatus failSystem(const char *path, int code, snError *error)
{
    char text[128];
    if (strerror_r(code, text, sizeof text)) strcpy(text, "unknown error");
    return snFail(error, SN_ERROR_FILE, "%.300s: cannot be written: %s", path, text);
}

snStatus snGrowingFile_Open(snGrowingFile *file, const char *path, uint64_t keep, snError *error)
{
    struct stat info;
    *file = (snGrowingFile){.path = path};
    file->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | (keep ? 0 : O_CREAT), (mode_t)0666);
    if (file->file < 0) return failSystem(path, errno, error);
    snStatus status = SN_OK;
    if (fstat(file->file, &info) || !S_ISREG(info.st_mode) || (uint64_t)info.st_size < keep)
        status = snFail(error, SN_ERROR_FILE, "%.300s: it is not the file that was written before",
                        path);
    else if (ftruncate(file->file, (off_t)keep))
        status = failSystem(path, errno, error);
    if (status) snGrowingFile_Close(file);
    return status;
}

snStatus snGrowingFile_Append(snGrowingFile *file, const void *bytes, size_t size, snError *error)
{
    const unsigned char *at = bytes;
    while (size) {
        ssize_t done = write(file->file, at, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failSystem(file->path, errno, error);
        at += done;
        size -= (size_t)done;
    }
    return SN_OK;
}

void snGrowingFile_Close(snGrowingFile *file)
{
    if (file->file >= 0) close(file->file);
    file->file = -1;
}
