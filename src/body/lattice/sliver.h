// Slivers: flat tets, four points nearly on a circle. They ruin the conditioning of everything that
// is solved on them.
#ifndef SN_BODY_LATTICE_SLIVER_H
#define SN_BODY_LATTICE_SLIVER_H

#include "core/memory.h"
#include "geometry/delaunay.h"

typedef struct snSliverDef {
    const snTets *tets;
    const unsigned char *keep; // [tets], 1: this one's shape counts; others must only stay positive
    snVec3 *points;            // [pointCount], moved
    int pointCount;
    int railCount;       // the first points are on bones: they slide along a rail, or stay
    const snVec3 *rails; // [railCount], unit vectors, zero for points that stay
    double reach;        // no point moves farther
} snSliverDef;

// Moves points so that the worst tets around them get better. False when memory runs out.
bool snImproveTets(const snSliverDef *def, snArena *scratch);

#endif
