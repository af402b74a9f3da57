#include "core/array.h"

#include "core/lists.h"
#include "core/random.h"
#include "core/sets.h"
#include "tests/test.h"

#include <limits.h>
#include <stdlib.h>

static void pushedValuesStay(void)
{
    snContext context = snDefaultContext();
    SN_ARRAY(int) list = {0};
    for (int i = 0; i < 100000; i++)
        CHECK(snArray_Push(&context.allocator, &list, 3 * i));
    CHECK(list.count == 100000 && list.capacity >= list.count && list.capacity <= 2 * list.count);
    int changed = 0;
    for (int i = 0; i < list.count; i++)
        changed += list.data[i] != 3 * i;
    CHECK(changed == 0);
    snArray_Free(&context.allocator, &list);
    CHECK(list.data == NULL && list.count == 0 && list.capacity == 0);
}

static void reserveKeepsContent(void)
{
    snContext context = snDefaultContext();
    SN_ARRAY(double) list = {0};
    CHECK(snArray_Push(&context.allocator, &list, 2.5));
    CHECK(snArray_Reserve(&context.allocator, &list, 1000));
    CHECK(list.capacity >= 1000 && list.count == 1 && list.data[0] == 2.5);
    double *data = list.data;
    CHECK(snArray_Reserve(&context.allocator, &list, 10) && list.data == data);
    CHECK(snArray_Reserve(&context.allocator, &list, -1) && list.data == data);
    snArray_Free(&context.allocator, &list);
}

static void failureKeepsContent(void)
{
    snFailingMemory memory = {.failAt = 2};
    snContext context = snDefaultContext();
    snTest_UseFailingMemory(&context, &memory);
    SN_ARRAY(int) list = {0};
    int pushed = 0;
    while (snArray_Push(&context.allocator, &list, pushed))
        pushed++;
    CHECK(pushed == 16 && list.count == 16 && list.data[15] == 15);
    CHECK(snArray_Push(&context.allocator, &list, 16)); // the next attempt has memory again
    CHECK(list.count == 17 && list.data[0] == 0 && list.data[16] == 16);
    snArray_Free(&context.allocator, &list);
    CHECK(memory.alive == 0);
}

static void *refuse(void *user, size_t size)
{
    *(size_t *)user = size;
    return NULL;
}

static void release(void *user, void *memory)
{
    (void)user, (void)memory;
}

typedef struct bigElement {
    char bytes[1 << 20];
} bigElement;

static void theLargestCountsDoNotOverflow(void)
{
    size_t asked = 0;
    snAllocator allocator = {refuse, release, &asked};
    SN_ARRAY(bigElement) list = {0};
    CHECK(!snArray_Reserve(&allocator, &list, INT_MAX));
    // Where no number of bytes is that large nothing is asked for.
    CHECK(asked == (sizeof(size_t) > 4 ? (size_t)INT_MAX << 20 : 0));
    int capacity = INT_MAX - 1;
    void *data = NULL;
    CHECK(!snArray_ReserveBytes(&allocator, &data, 0, &capacity, INT_MAX, 1));
    CHECK(asked == INT_MAX);
    CHECK(!snArray_ReserveBytes(&allocator, &data, 0, &capacity, INT_MAX, SIZE_MAX / 2));
    SN_ARRAY(char) full = {NULL, INT_MAX, INT_MAX};
    CHECK(!snArray_Push(&allocator, &full, 'x'));
}

static void pairsAreSorted(void)
{
    int pairs[4][2] = {{2, -1}, {1, 5}, {2, -7}, {INT_MIN, INT_MAX}}, ints[3] = {3, INT_MIN, -3};
    qsort(pairs, 4, sizeof *pairs, snComparePairs);
    qsort(ints, 3, sizeof *ints, snCompareInts);
    CHECK(pairs[0][0] == INT_MIN && pairs[1][1] == 5 && pairs[2][1] == -7 && pairs[3][1] == -1);
    CHECK(ints[0] == INT_MIN && ints[1] == -3 && ints[2] == 3);
}

// Numbers that are the same modulo 7 are joined in any order: roots are the lowest of each.
static void setsHaveTheLowest(void)
{
    enum { COUNT = 200, STEP = 7 };
    int up[COUNT], joined = 0;
    snRandom random = snMakeRandom(1);
    snSets_Begin(up, COUNT);
    for (int k = 0; k < 20000; k++) {
        int i = snRandom_Below(&random, COUNT - STEP);
        joined += snSets_Join(up, k % 2 ? i : i + STEP, k % 2 ? i + STEP : i);
    }
    CHECK(joined == COUNT - STEP);
    for (int i = 0; i < COUNT; i++)
        CHECK(snSets_Root(up, i) == i % STEP);
}

// Edges at the vertices of a path with a loop; of the last, one end is none.
static void listsAreInverse(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    static const int edges[10] = {0, 1, 1, 2, 2, 4, 4, 1, 4, -1};
    static const int starts[6] = {0, 1, 4, 6, 6, 9}, items[9] = {0, 0, 1, 3, 1, 2, 2, 3, 4};
    snLists lists;
    if (CHECK(snLists_Make(&lists, edges, 5, 2, 5, &arena, NULL) == SN_OK)) {
        for (int v = 0; v <= 5; v++)
            CHECK(lists.start[v] == starts[v]);
        for (int i = 0; i < 9; i++)
            CHECK(lists.item[i] == items[i]);
    }
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(listsAreInverse);
    RUN(pairsAreSorted);
    RUN(setsHaveTheLowest);
    RUN(pushedValuesStay);
    RUN(reserveKeepsContent);
    RUN(failureKeepsContent);
    RUN(theLargestCountsDoNotOverflow);
    return snTest_Finish();
}
