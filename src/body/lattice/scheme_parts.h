// What the files of limit evaluation share (scheme_limit.c, scheme_grid.c).
#ifndef SN_BODY_LATTICE_SCHEME_PARTS_H
#define SN_BODY_LATTICE_SCHEME_PARTS_H

#include "body/lattice/scheme.h"

// Corners of a hexahedron by coordinate bits x + 2 y + 4 z, and back (the same table).
static const int snHexBits[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// A hexahedron and the cells that touch it, refined once.
typedef struct snPatch {
    snLattice lattice;
    int cell;          // the hexahedron in the middle
    snComplex complex; // of `lattice`
    snWeightRows step; // its matrix S
} snPatch;

// Whether the scheme is the tensor product of cubic splines on the patch's middle cell. Then gives
// the weights of the patch's vertices at u, zero where they have none.
bool snPatch_EvaluateGrid(const snPatch *patch, const double u[3], double *weight);

#endif
