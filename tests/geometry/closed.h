// Whether a surface is closed.
#ifndef SN_TESTS_GEOMETRY_CLOSED_H
#define SN_TESTS_GEOMETRY_CLOSED_H

#include <stdlib.h>

#define NOT_CLOSED (-100)

static inline int byEnds(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

// Every edge runs once each way: closed and consistently wound. Returns the Euler characteristic, or NOT_CLOSED.
static inline int closedEuler(int vertexCount, int triangleCount, const int *triangles)
{
    int count = 3 * triangleCount, wrong = 0;
    int(*edges)[2] = malloc(sizeof *edges * (size_t)count);
    int(*turned)[2] = malloc(sizeof *turned * (size_t)count);
    for (int i = 0; i < count; i++) {
        int from = triangles[i], to = triangles[i - i % 3 + (i + 1) % 3];
        edges[i][0] = turned[i][1] = from;
        edges[i][1] = turned[i][0] = to;
    }
    qsort(edges, (size_t)count, sizeof *edges, byEnds);
    qsort(turned, (size_t)count, sizeof *turned, byEnds);
    for (int i = 0; i < count; i++) {
        wrong += byEnds(edges[i], turned[i]) != 0;
        wrong += i > 0 && byEnds(edges[i], edges[i - 1]) == 0;
    }
    free(edges);
    free(turned);
    return wrong ? NOT_CLOSED : vertexCount - count / 2 + triangleCount;
}

#endif
