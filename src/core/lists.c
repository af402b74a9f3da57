#include "core/lists.h"

#include "core/error.h"

// start[v + 1] is where the list of v is filled next, and so in the end where it ends.
snStatus snLists_Make(snLists *lists, const int *owner, int count, int size, int owners,
                      snArena *arena, snError *error)
{
    int *start = SN_NEW(arena, int, (size_t)owners + 2);
    lists->item = SN_NEW(arena, int, (size_t)count *(size_t)size);
    lists->start = start;
    if (!start || !lists->item) return snFailMemory(error);
    for (int i = 0; i < count * size; i++)
        if (owner[i] >= 0) start[owner[i] + 2]++;
    for (int v = 0; v < owners; v++)
        start[v + 2] += start[v + 1];
    for (int i = 0; i < count * size; i++)
        if (owner[i] >= 0) lists->item[start[owner[i] + 1]++] = i / size;
    return SN_OK;
}
