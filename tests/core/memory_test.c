#include "core/memory.h"

#include "tests/test.h"

#include <stdint.h>
#include <string.h>

static bool isZero(const void *memory, size_t size)
{
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i]) return false;
    }
    return true;
}

static void memoryIsAlignedAndZero(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    for (size_t size = 0; size < 40000; size = 2 * size + 1) {
        unsigned char *memory = snArena_Alloc(&arena, 1, size);
        CHECK(memory && (uintptr_t)memory % 64 == 0);
        CHECK(isZero(memory, size));
        memset(memory, 0xff, size); // a neighbour that overlapped would see it
    }
    snArena_Destroy(&arena);
    CHECK(arena.total == 0 && arena.head == NULL);
}

static void piecesDoNotOverlap(void)
{
    enum { COUNT = 500 };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char *pieces[COUNT];
    for (int i = 0; i < COUNT; i++) {
        pieces[i] = snArena_Alloc(&arena, 1, (size_t)(37 * i % 3000 + 1));
        memset(pieces[i], i & 255, (size_t)(37 * i % 3000 + 1));
    }
    int overwritten = 0;
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 37 * i % 3000 + 1; k++)
            overwritten += pieces[i][k] != (i & 255);
    }
    CHECK(overwritten == 0);
    snArena_Destroy(&arena);
}

static void anEmptyRequestGivesAPointer(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    CHECK(snArena_Alloc(&arena, 8, 0) != NULL);
    CHECK(snArena_Alloc(&arena, 0, 8) != NULL);
    snArena_Destroy(&arena);
}

static void overflowGivesNull(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    CHECK(snArena_Alloc(&arena, SIZE_MAX, 2) == NULL);
    CHECK(snArena_Alloc(&arena, 2, SIZE_MAX) == NULL);
    CHECK(snArena_Alloc(&arena, 1, SIZE_MAX) == NULL);
    CHECK(snArena_Alloc(&arena, SIZE_MAX / 2, SIZE_MAX / 2) == NULL);
    CHECK(SN_NEW(&arena, double, -1) == NULL); // a negative count is a huge one
    CHECK(arena.total == 0);
    snArena_Destroy(&arena);
}

static void rewindGivesBackAndZeroesAgain(void)
{
    snFailingMemory memory = {0};
    snContext context = snDefaultContext();
    snTest_UseFailingMemory(&context, &memory);
    snArena arena = snMakeArena(&context);
    snArenaMark empty = snArena_Mark(&arena);
    char *kept = snArena_Alloc(&arena, 1, 100);
    memcpy(kept, "kept", 5);
    snArenaMark mark = snArena_Mark(&arena);
    size_t total = arena.total;
    char *first = snArena_Alloc(&arena, 1, 1000);
    memset(first, 1, 1000);
    for (int i = 0; i < 10; i++)
        snArena_Alloc(&arena, 1, 100000);
    CHECK(memory.alive > 1);
    snArena_Rewind(&arena, mark);
    CHECK(arena.total == total && memory.alive == 1);
    CHECK(strcmp(kept, "kept") == 0);
    char *again = snArena_Alloc(&arena, 1, 1000);
    CHECK(again == first && isZero(again, 1000));
    snArena_Rewind(&arena, empty);
    CHECK(memory.alive == 0 && arena.total == 0);
    snArena_Destroy(&arena);
}

static void aFailingAllocatorGivesNullAndLeavesTheRest(void)
{
    snFailingMemory memory = {.failAt = 2};
    snContext context = snDefaultContext();
    snTest_UseFailingMemory(&context, &memory);
    snArena arena = snMakeArena(&context);
    char *text = snArena_CopyString(&arena, "abc", 2);
    CHECK(text && strcmp(text, "ab") == 0);
    CHECK(snArena_Alloc(&arena, 1, 1000000) == NULL);
    CHECK(strcmp(text, "ab") == 0);
    CHECK(snArena_Alloc(&arena, 1, 1000000) != NULL);
    snArena_Destroy(&arena);
    CHECK(memory.alive == 0);
}

static void copiesAreEqual(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const double numbers[3] = {1.5, -2.5, 3.5};
    double *copy = SN_COPY(&arena, double, numbers, 3);
    CHECK(copy && memcmp(copy, numbers, sizeof numbers) == 0);
    CHECK(SN_COPY(&arena, double, NULL, 0) != NULL);
    CHECK(*snArena_CopyString(&arena, NULL, 0) == '\0');
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(memoryIsAlignedAndZero);
    RUN(piecesDoNotOverlap);
    RUN(anEmptyRequestGivesAPointer);
    RUN(overflowGivesNull);
    RUN(rewindGivesBackAndZeroesAgain);
    RUN(aFailingAllocatorGivesNullAndLeavesTheRest);
    RUN(copiesAreEqual);
    return snTest_Finish();
}
