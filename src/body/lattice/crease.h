// The corners of a lattice's boundary: where edges of it are sharp, a vertex has as many as there are smooth sides, each
// with a normal of its own when it is drawn.
#ifndef SN_BODY_LATTICE_CREASE_H
#define SN_BODY_LATTICE_CREASE_H

#include "body/lattice/boundary.h"

typedef struct snCreases {
    int cornerCount;
    int *vertex;     // [cornerCount], of the lattice
    int (*faces)[4]; // [boundary->faceCount], corners of the faces; fourth -1: a triangle
} snCreases;

// Sharp are edges that the lattice has tagged, and those where a sharp sheet inside meets the boundary. With `bends` those
// along which it bends by more than 30 degrees at rest, too. In the arena.
snStatus snCreases_Find(snCreases *creases, const snBoundary *boundary, const snLattice *lattice,
                        bool bends, snArena *arena, const snContext *context, snError *error);

#endif
