// The boundary of a lattice: the faces that one of its cells has alone.
#ifndef SN_BODY_LATTICE_BOUNDARY_H
#define SN_BODY_LATTICE_BOUNDARY_H

#include "body/lattice/lattice.h"

typedef struct snBoundary {
    int faceCount;
    int (*faces)
        [SN_FACE_CORNERS]; // from outside counter-clockwise, in the order of cells; fourth -1:
                           // a triangle
} snBoundary;

// In the arena.
snStatus snBoundary_Find(snBoundary *boundary, const snLattice *lattice, snArena *arena,
                         const snContext *context, snError *error);

#endif
