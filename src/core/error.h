// How functions fail: they fill the caller's snError (if there is one) and return its code.
//     if (count < 3) return snFail(error, SN_ERROR_GEOMETRY, "face %d has %d corners", f, count);
#ifndef SN_CORE_ERROR_H
#define SN_CORE_ERROR_H

#include "sinew/base.h"

#include <assert.h>

// For the project's own mistakes only; bad input gets a status.
#define SN_ASSERT(condition) assert(condition)

#if defined(__GNUC__)
#define SN_PRINTF(index, first) __attribute__((format(printf, index, first)))
#else
#define SN_PRINTF(index, first)
#endif

// Writes the message (printf rules) and returns `code`. `error` may be NULL.
snStatus snFail(snError *error, snStatus code, const char *format, ...) SN_PRINTF(3, 4);

// Says "out of memory" and returns SN_ERROR_MEMORY.
snStatus snFailMemory(snError *error);

// Puts "prefix: " in front of a message that is already there, to add a file or element name.
void snError_Prefix(snError *error, const char *format, ...) SN_PRINTF(2, 3);

// One line to the context's log hook, if it has one.
void snLog(const snContext *context, snLogLevel level, const char *format, ...) SN_PRINTF(3, 4);

#endif
