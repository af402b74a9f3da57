// Growable arrays, for builders that do not know a count in advance:
//     SN_ARRAY(int) list = {0};
//     if (!snArray_Push(&context->allocator, &list, 7)) goto outOfMemory;
//     snArray_Free(&context->allocator, &list);
#ifndef SN_CORE_ARRAY_H
#define SN_CORE_ARRAY_H

#include "sinew/base.h"

#include <limits.h>

#define SN_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *data;                                                                                \
        int count;                                                                                 \
        int capacity;                                                                              \
    }

// Makes room for `needed` elements in all. False when memory runs out; the old content stays.
bool snArray_ReserveBytes(const snAllocator *allocator, void **data, int count, int *capacity,
                          int needed, size_t elementSize);

#define snArray_Reserve(allocator, array, needed)                                                  \
    snArray_ReserveBytes((allocator), (void **)(void *)&(array)->data, (array)->count,             \
                         &(array)->capacity, (needed), sizeof *(array)->data)

// Appends a value; false when memory runs out.
#define snArray_Push(allocator, array, value)                                                      \
    ((array)->count < INT_MAX && snArray_Reserve((allocator), (array), (array)->count + 1)         \
         ? ((array)->data[(array)->count++] = (value), true)                                       \
         : false)

#define snArray_Free(allocator, array)                                                             \
    ((allocator)->release((allocator)->user, (array)->data), (array)->data = NULL,                 \
     (array)->count = 0, (array)->capacity = 0)

// For qsort and bsearch: ascending; pairs (two ints, or a struct of two) by the first, then by the second.
int snCompareDoubles(const void *a, const void *b);
int snCompareInts(const void *a, const void *b);
int snComparePairs(const void *a, const void *b);

#endif
