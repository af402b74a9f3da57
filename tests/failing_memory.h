// Every allocation fails in turn, of whatever is made into an arena.
#ifndef SN_TESTS_FAILING_MEMORY_H
#define SN_TESTS_FAILING_MEMORY_H

#include "core/core.h"
#include "core/memory.h"
#include "tests/test.h"

typedef snStatus Maker(const void *user, snArena *arena, const snContext *context);

// The first way to an allocation fails, then the second, ... to where none does: failures are told as such, and all memory is
// given back. Beyond `sparse` ways, 0 for never, some are left out. Returns how many there are.
static inline int failEvery(Maker *make, const void *user, int sparse)
{
    for (int at = 1;; at += sparse ? 1 + at / sparse : 1) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = at};
        snTest_UseFailingMemory(&failing, &memory);
        snArena out = snMakeArena(&failing);
        snStatus status = make(user, &out, &failing);
        bool failed = memory.count >= at;
        CHECK(status == (failed ? SN_ERROR_MEMORY : SN_OK));
        snArena_Destroy(&out);
        CHECK(memory.alive == 0);
        if (!failed) return memory.count;
    }
}

#endif
