// Loops over the samples and triangles of an element, compiled once per instruction set (core/simd.h).
#ifndef SN_BODY_COAT_COAT_KERNEL_H
#define SN_BODY_COAT_COAT_KERNEL_H

#include "core/vec.h"

// A cylinder about an element's axis that has all of its envelope within it, in the world.
typedef struct snCoatHull {
    snVec3 origin, axis;
    double low, high;       // along the axis
    double radius, radius2; // and squared
    snVec3 side, third;     // of its sectors
} snCoatHull;

#define SN_COAT_PLANE 6 // numbers of a triangle's plane

#define SN_COAT_AT_ONCE 64 // points or planes that are looked at together

typedef struct snCoatKernels {
    // Which points are in the hull, SN_COAT_AT_ONCE at most: their numbers, and how many there are.
    int (*within)(const snCoatHull *hull, int count, const snVec3 *points, int *found);
    // Which of n planes (coat_cross.c) the segment from `foot` by `way` goes through, of SN_COAT_AT_ONCE at most from `from` on.
    int (*cut)(const double *planes, int n, int from, snVec3 foot, snVec3 way, int *found);
    // Planes of n triangles, and from where to where each is along the axis; `along` [points] is how far points are along it.
    void (*planes)(int n, const int *triangles, const snVec3 *points, const double *along,
                   double *planes);
} snCoatKernels;

const snCoatKernels *snChooseCoatKernels(void);

#endif
