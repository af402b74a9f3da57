// Fill-reducing orderings: the only place that knows AMD.
#ifndef SN_NUMERICS_ORDERING_H
#define SN_NUMERICS_ORDERING_H

#include "numerics/sparse.h"

// The pattern as a graph: the neighbours of i are neighbour[start[i]] ... without i itself.
typedef struct snGraph {
    int size;
    int *start;     // [size + 1]
    int *neighbour; // [start[size]], ascending for each i
} snGraph;

snStatus snGraph_FromPattern(snGraph *graph, const snPattern *pattern, snArena *arena,
                             snError *error);

// order[k] is the vertex to be eliminated k-th. Approximate minimum degree (Amestoy, Davis, Duff,
// "An approximate minimum degree ordering algorithm", 1996).
snStatus snOrderByDegree(int *order, const snGraph *graph, snArena *scratch, snError *error);

// The same in memory that the caller has: ints for so many vertices and neighbours in all.
size_t snOrderRoom(int size, size_t neighbours);
void snOrderByDegreeIn(int *order, const snGraph *graph, int *room);

// Nested dissection, which has less fill in large meshes (dissection.c). It uses nothing but its
// arguments: the same graph has the same order in every thread and on every machine.
snStatus snOrderByDissection(int *order, const snGraph *graph, snArena *scratch, snError *error);

#endif
