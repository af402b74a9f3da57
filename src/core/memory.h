// Memory: an arena per built object. Everything an object owns comes from its arena and goes with
// it, so a builder that fails half-way has one thing to free. All memory is zeroed and 64-byte
// aligned (a cache line, and the widest SIMD register).
#ifndef SN_CORE_MEMORY_H
#define SN_CORE_MEMORY_H

#include "sinew/base.h"

typedef struct snArenaBlock snArenaBlock;

typedef struct snArena {
    snAllocator allocator;
    snArenaBlock *head; // newest block first
    size_t total;       // bytes taken from the allocator
} snArena;

// A point in an arena's life to return to.
typedef struct snArenaMark {
    snArenaBlock *block;
    size_t used;
} snArenaMark;

snArena snMakeArena(const snContext *context);
void snArena_Destroy(snArena *arena); // frees all; the arena may be used again
// The same for an arena that is kept in its own memory: what holds it goes with it.
void snArena_DestroyWithin(const snArena *arena);

// Zeroed memory for count elements, or NULL when there is none (or the product overflows).
// A count of 0 gives a valid pointer.
void *snArena_Alloc(snArena *arena, size_t elementSize, size_t count);

snArenaMark snArena_Mark(const snArena *arena);
void snArena_Rewind(snArena *arena, snArenaMark mark); // frees what came after the mark

char *snArena_CopyString(snArena *arena, const char *text, size_t length); // adds the final zero
void *snArena_Copy(snArena *arena, const void *data, size_t elementSize, size_t count);

#define SN_NEW(arena, type, count) ((type *)snArena_Alloc((arena), sizeof(type), (size_t)(count)))
#define SN_COPY(arena, type, data, count)                                                          \
    ((type *)snArena_Copy((arena), (data), sizeof(type), (size_t)(count)))

#endif
