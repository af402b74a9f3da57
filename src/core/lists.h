// Who has what: from rows of what each item has to the items of each owner.
#ifndef SN_CORE_LISTS_H
#define SN_CORE_LISTS_H

#include "core/memory.h"

typedef struct snLists {
    int *start; // [owners + 1]
    int *item;  // ascending inside a list
} snLists;

// Item i, of `count`, is of the owners owner[i * size] ...; negative ones are none. In the arena.
snStatus snLists_Make(snLists *lists, const int *owner, int count, int size, int owners,
                      snArena *arena, snError *error);

#endif
