#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snVersion snGetVersion(void)
{
    return (snVersion){SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH, SN_ABI_VERSION};
}

const char *snStatus_Name(snStatus status)
{
    switch (status) {
    case SN_OK:
        return "done";
    case SN_ERROR_MEMORY:
        return "out of memory";
    case SN_ERROR_ARGUMENT:
        return "bad argument";
    case SN_ERROR_FILE:
        return "file trouble";
    case SN_ERROR_FORMAT:
        return "bad file format";
    case SN_ERROR_UNSUPPORTED:
        return "not supported";
    case SN_ERROR_GEOMETRY:
        return "unusable geometry";
    case SN_ERROR_NUMERIC:
        return "numerical trouble";
    case SN_ERROR_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}

snStatus snFail(snError *error, snStatus code, const char *format, ...)
{
    if (error) {
        error->code = code;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return code;
}

snStatus snFailMemory(snError *error)
{
    return snFail(error, SN_ERROR_MEMORY, "out of memory");
}

// The prefix keeps at most half of the room, so that something of both is always left.
void snError_Prefix(snError *error, const char *format, ...)
{
    if (!error) return;
    char prefix[sizeof error->message / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    size_t before = strlen(prefix), room = sizeof error->message - before - 3;
    size_t length = strlen(error->message);
    if (length > room) length = room;
    memmove(error->message + before + 2, error->message, length);
    memcpy(error->message, prefix, before);
    memcpy(error->message + before, ": ", 2);
    error->message[before + 2 + length] = '\0';
}

void snLog(const snContext *context, snLogLevel level, const char *format, ...)
{
    if (!context->log.write) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    context->log.write(context->log.user, level, line);
}
