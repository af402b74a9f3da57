// Core: what every other room stands on, and nothing that knows of physics or files.
// It may use only the C library. Begin with vec.h (numbers), then memory.h (arena and arrays),
// error.h (how functions fail) and tasks.h (parallel loops with the same bits on any machine).
#ifndef SN_CORE_CORE_H
#define SN_CORE_CORE_H

#include "core/array.h"
#include "core/error.h"
#include "core/elementary.h"
#include "core/memory.h"
#include "core/tasks.h"
#include "core/vec.h"

#endif
