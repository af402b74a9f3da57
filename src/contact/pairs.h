// The broad phase: which of many boxes may touch. The one tree (geometry/tree.h) is asked for boxes that are wider than needed, and its pairs
// serve until something has left its wide box: mostly for many steps. Pairs stand in the order of their numbers, so that what is found
// does not depend on when the tree was asked.
#ifndef SN_CONTACT_PAIRS_H
#define SN_CONTACT_PAIRS_H

#include "geometry/tree.h"

typedef struct snPair {
    int one, other; // one < other
} snPair;

// Whether two come into question at all, as long as the pairs are used.
typedef bool snMayMeetFcn(const void *context, int one, int other);

typedef struct snPairs {
    int count, most;
    snPair *list; // [most], by their first numbers, then by their second
    int boxCount;
    snBox *boxes, *wide; // [boxCount], as they are, and as the tree was asked for
    double margin;       // by which those are wider, m
    snTree tree;
    snMayMeetFcn *mayMeet;
    const void *context;
} snPairs;

// Room for all pairs of few boxes, and for no more than so many of each in the mean where there are many.
#define SN_MOST_PAIRS 256
static inline int snMostPairs(int boxCount)
{
    int each = (boxCount - 1) / 2 + 1;
    return boxCount * (each < SN_MOST_PAIRS ? each : SN_MOST_PAIRS);
}

// With the boxes as they are then, from which the tree and its margin are made, and room for `most` pairs.
snStatus snPairs_Make(snPairs *pairs, int boxCount, const snBox *boxes, int most,
                      snMayMeetFcn *mayMeet, const void *context, snArena *arena, snError *error);
// Pairs for boxes that are in `boxes` by now: all that overlap, and some beside them. False: there is no place for all. Allocates nothing.
bool snPairs_Find(snPairs *pairs);

#endif
