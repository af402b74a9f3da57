// Graphs parted in two: cuts of few edges, separators of few vertices, and the search that improves
// both. What nested dissection (dissection.c) is made of; begin with split.c, then bisection.c and
// separator.c.
#ifndef SN_NUMERICS_SPLIT_H
#define SN_NUMERICS_SPLIT_H

#include "core/memory.h"

#include <stdint.h>

// An undirected graph: the neighbours of i are neighbour[start[i]] ..., without i itself. All weights
// are positive; the sum of those of the vertices, and of those of the edges, must be below 2^31.
typedef struct snWeightedGraph {
    int size;
    int *start;     // [size + 1]
    int *neighbour; // [start[size]]
    int *edge;      // weights of the edges, [start[size]]
    int *weight;    // of the vertices, [size]
} snWeightedGraph;

enum { SN_SIDE_A, SN_SIDE_B, SN_SEPARATOR };

// Vertices that may move to one side, those first whose move gains most, of equal ones those first
// that have waited longest.
typedef struct snGainHeap {
    int count;
    int *vertex; // [count], a binary heap
    int *place;  // [size], where a vertex stands in it; -1: it does not
    int *gain;   // [size]
    int *stamp;  // [size], when it came; one for both heaps
} snGainHeap;

typedef struct snSplit snSplit;

// What tells cuts from separators.
typedef struct snSplitRule {
    // Computes cost and gains, and inserts what may move.
    void (*begin)(snSplit *split);
    // Moves a vertex, and what must follow; keeps gains, sets sides by snSplit_SetSide.
    void (*move)(snSplit *split, int vertex, int to);
} snSplitRule;

// A graph with its sides, and a search in it.
struct snSplit {
    const snSplitRule *rule;
    const snWeightedGraph *graph;
    signed char *side; // [size]
    int64_t weight[3]; // of side A, side B, and the separator
    int64_t bound;     // neither side should weigh more
    int64_t cost;      // what is to be least: edges that are cut, or the separator's weight
    snGainHeap heap[2];
    int stamps;
    bool *locked;     // [size], has moved in this pass
    int *changed;     // [3 size], vertices whose side was set in this pass
    signed char *was; // [3 size], and the side they had
    size_t changes;
};

// Room for graphs of at most `size` vertices.
snStatus snSplit_Make(snSplit *split, int size, snArena *arena, snError *error);
// Takes up a graph and its sides.
void snSplit_Use(snSplit *split, const snSplitRule *rule, const snWeightedGraph *graph,
                 signed char *side);
// A new pass: weights of the sides, nothing is locked, and rule->begin.
void snSplit_Begin(snSplit *split);
// Passes of moves until none helps.
void snSplit_Refine(snSplit *split);

// How good a split is: less weight above the bound, then less cost, then sides of more equal weight.
typedef struct snSplitCost {
    int64_t over, cost, apart;
} snSplitCost;
snSplitCost snSplit_Cost(const snSplit *split);
bool snSplitCost_IsLess(snSplitCost a, snSplitCost b);

// For rules:
void snSplit_SetSide(snSplit *split, int vertex, int side);
void snSplit_Insert(snSplit *split, int to, int vertex);
void snSplit_Remove(snSplit *split, int to, int vertex); // if it is there
void snSplit_ChangeGain(snSplit *split, int to, int vertex, int change);

// Parts the vertices into sides A and B, of about the same weight, with few edges between them.
snStatus snBisect(signed char *side, const snWeightedGraph *graph, snArena *scratch,
                  snError *error);

// Parts them by a light separator: no edge leads from side A to side B. A side is empty where
// nothing can be parted, as in complete graphs.
snStatus snSeparate(signed char *side, const snWeightedGraph *graph, snArena *scratch,
                    snError *error);

#endif
