// The ground of the library: status codes, error messages, and the context that every
// object is made from. Begin reading here; sinew.h includes everything.
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What stands between these two is what the shared library exports, and nothing else is.
#if defined(__GNUC__)
#define SN_API_BEGIN _Pragma("GCC visibility push(default)")
#define SN_API_END _Pragma("GCC visibility pop")
#else
#define SN_API_BEGIN
#define SN_API_END
#endif

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// The version of all of the project: its build reads it here.
#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 8
#define SN_VERSION_PATCH 0

// Grows whenever programs that were built against an older library must be built anew: a function that went, a
// definition that has other fields. It is the number in the shared library's name: libsinew.so.2 is of version 2.
#define SN_ABI_VERSION 2

// What a function that can fail returns. SN_OK is zero, so `if (status)` reads "if it failed".
typedef enum snStatus {
    SN_OK = 0,            // all went well
    SN_ERROR_MEMORY,      // the allocator returned NULL
    SN_ERROR_ARGUMENT,    // a definition or parameter is out of its range
    SN_ERROR_FILE,        // a file cannot be opened, read or written
    SN_ERROR_FORMAT,      // a file's bytes are not what its format asks for
    SN_ERROR_UNSUPPORTED, // the file is valid but uses something this version does not read
    SN_ERROR_GEOMETRY,    // a surface, skeleton or lattice cannot be worked with
    SN_ERROR_NUMERIC,     // a matrix is not positive definite, an iteration did not converge
    SN_ERROR_CANCELLED,   // the progress callback asked to stop
} snStatus;

// Filled by functions that fail, when the caller passes one. The message is one sentence without
// a full stop at its end: what is wrong, with the element and the value at fault, and what to do.
typedef struct snError {
    snStatus code;     // what the function returned
    char message[512]; // ends with a zero; cut where it would be longer
} snError;

// What is handed over is checked. A function with a status refuses what is not finite or out of its range, a number of nothing that is there, and
// NULL where it is not said to be allowed: SN_ERROR_ARGUMENT with a message, and everything stays as it was. A function without a status does nothing
// then, and gives 0, false, -1 where that stands for none, or "" for a name; the context's log gets a warning with the reason. The object itself, the first argument of
// these, must be there: only what frees it accepts NULL.

// Memory hooks. Both must be safe to call from any thread that uses the context. All memory of the library comes from here but for what
// Qhull takes by malloc, and gives back, while automatic lattices are built: its allocator is fixed when it is compiled. Steps take no memory
// at all.
typedef struct snAllocator {
    void *(*allocate)(void *user, size_t size); // 16-byte aligned, or NULL
    void (*release)(void *user, void *memory);  // accepts NULL
    void *user;                                 // handed to both
} snAllocator;

typedef enum snLogLevel { SN_LOG_INFO, SN_LOG_WARNING } snLogLevel; // a warning wants to be read

// Receives one line without line break. NULL: silence.
typedef struct snLogHook {
    void (*write)(void *user, snLogLevel level, const char *line); // from any thread
    void *user;                                                    // handed to it
} snLogHook;

// A piece of a parallel loop: handle the indices begin <= i < end. `worker` is in [0, workers):
// two pieces that run at the same time have different workers.
typedef void snTaskFcn(int begin, int end, int worker, void *context);

// Runs a loop in pieces of `grain` indices, in any order, on any threads, and returns when all are
// done. Pieces are cut by grain alone, never by the number of threads, so results that are kept per
// piece do not depend on it. run == NULL: the calling thread does everything in order. It is never asked from within a piece: loops within
// loops are run by the thread that comes to them, so a scheduler may wait for all pieces and need not expect to be called again meanwhile.
typedef struct snTasks {
    void (*run)(void *user, int count, int grain, snTaskFcn *fcn, void *context); // or NULL
    void *user;                                                                   // handed to it
    int workers;                                                                  // at least 1
} snTasks;

// Where memory, log lines and threads come from. Objects copy it; nothing is global.
typedef struct snContext {
    snAllocator allocator; // of all that is made with this context
    snLogHook log;         // warnings, and what is worth telling
    snTasks tasks;         // parallel loops
} snContext;

// Where something is and how it is turned: a point p of it is at rotation p + position. Right-handed, Y up, metres.
typedef struct snPlacement {
    double position[3]; // m
    double rotation
        [4]; // a quaternion x, y, z, w as in glTF; made a unit one where it is not, identity where it is 0
} snPlacement;

// malloc and free, no log, one thread.
snContext snDefaultContext(void);

// Of the library that is linked, to hold against the macros that the program was built with.
typedef struct snVersion {
    int major, minor, patch, abi; // SN_VERSION_MAJOR, ..., SN_ABI_VERSION
} snVersion;
snVersion snGetVersion(void); // of the library

// A short English name: "out of memory", "bad file format", ...
const char *snStatus_Name(snStatus status);

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
