// Platform: threads, files, clock and terminal for native programs, on POSIX. It uses only core,
// and only programs (render, cli, tests, benchmarks, tools) use it: the library rooms see its
// threads through the context's task hook. Begin with threads.h and files.h.
#ifndef SN_PLATFORM_PLATFORM_H
#define SN_PLATFORM_PLATFORM_H

#include "platform/clock.h"
#include "platform/files.h"
#include "platform/growing_file.h"
#include "platform/interrupt.h"
#include "platform/paths.h"
#include "platform/terminal.h"
#include "platform/threads.h"

#endif
