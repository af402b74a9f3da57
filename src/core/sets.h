// Sets that grow together (union-find): up[i] leads from each of n numbers towards the lowest of its set, which is its root and
// leads to itself. Which numbers are together does not depend on the order in which they were joined, nor does the root.
#ifndef SN_CORE_SETS_H
#define SN_CORE_SETS_H

#include <stdbool.h>

// Each number for itself.
static inline void snSets_Begin(int *up, int count)
{
    for (int i = 0; i < count; i++)
        up[i] = i;
}

// Paths are halved on the way.
static inline int snSets_Root(int *up, int i)
{
    while (up[i] != i)
        i = up[i] = up[up[i]];
    return i;
}

// Whether they were apart.
static inline bool snSets_Join(int *up, int a, int b)
{
    a = snSets_Root(up, a);
    b = snSets_Root(up, b);
    up[a > b ? a : b] = a < b ? a : b;
    return a != b;
}

#endif
