#include "core/memory.h"

#include "core/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64u
#define BLOCK_BYTES (64u * 1024u) // small objects share blocks of this size

struct snArenaBlock {
    snArenaBlock *next;
    size_t size; // bytes of content
    size_t used;
};

static void *defaultAllocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void defaultRelease(void *user, void *memory)
{
    (void)user;
    free(memory);
}

snContext snDefaultContext(void)
{
    return (snContext){.allocator = {defaultAllocate, defaultRelease, NULL},
                       .tasks = {.workers = 1}};
}

snArena snMakeArena(const snContext *context)
{
    return (snArena){.allocator = context->allocator};
}

// The first aligned byte behind the block's header.
static char *content(snArenaBlock *block)
{
    uintptr_t address = (uintptr_t)(block + 1);
    return (char *)((address + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static snArenaBlock *addBlock(snArena *arena, size_t size)
{
    size_t bytes = sizeof(snArenaBlock) + ALIGNMENT + size;
    snArenaBlock *block = arena->allocator.allocate(arena->allocator.user, bytes);
    if (!block) return NULL;
    *block = (snArenaBlock){.next = arena->head, .size = size};
    arena->head = block;
    arena->total += bytes;
    return block;
}

void *snArena_Alloc(snArena *arena, size_t elementSize, size_t count)
{
    size_t limit = SIZE_MAX / 2;
    if (elementSize && count > limit / elementSize) return NULL;
    size_t size = (elementSize * count + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    snArenaBlock *block = arena->head;
    if (!block || block->size - block->used < size) {
        block = addBlock(arena, size > BLOCK_BYTES / 4 ? size : BLOCK_BYTES);
        if (!block) return NULL;
    }
    char *memory = content(block) + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

static void dropHead(snArena *arena)
{
    snArenaBlock *block = arena->head;
    arena->head = block->next;
    arena->total -= sizeof(snArenaBlock) + ALIGNMENT + block->size;
    arena->allocator.release(arena->allocator.user, block);
}

void snArena_Destroy(snArena *arena)
{
    while (arena->head)
        dropHead(arena);
}

void snArena_DestroyWithin(const snArena *arena)
{
    snArena own = *arena;
    snArena_Destroy(&own);
}

snArenaMark snArena_Mark(const snArena *arena)
{
    return (snArenaMark){arena->head, arena->head ? arena->head->used : 0};
}

void snArena_Rewind(snArena *arena, snArenaMark mark)
{
    while (arena->head != mark.block) {
        SN_ASSERT(arena->head);
        dropHead(arena);
    }
    if (arena->head) arena->head->used = mark.used;
}

void *snArena_Copy(snArena *arena, const void *data, size_t elementSize, size_t count)
{
    void *memory = snArena_Alloc(arena, elementSize, count);
    if (memory && elementSize && count) memcpy(memory, data, elementSize * count);
    return memory;
}

char *snArena_CopyString(snArena *arena, const char *text, size_t length)
{
    char *copy = snArena_Alloc(arena, 1, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}
