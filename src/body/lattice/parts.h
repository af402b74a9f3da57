// Which copy of a cell a point belongs to. Copies of one tet overlap in space (clone.h): a point
// of the surface hangs on the copy whose part its triangles bound, and flesh counts only in its own.
#ifndef SN_BODY_LATTICE_PARTS_H
#define SN_BODY_LATTICE_PARTS_H

#include "body/lattice/cut.h"
#include "body/lattice/lattice.h"

typedef struct snCellParts {
    snCut cut;
    int tetCount;
    int *tetOf;      // [lattice cells]
    int *copies;     // [tets], lattice cells that are copies of it
    int *cellOf;     // [pieces], lattice cell
    int *background; // [tets], the cell of what no piece in the tet bounds, or -1
} snCellParts;

// Whether a point of the body, in the place of a cell, belongs to it and not to another copy.
bool snCellParts_Owns(const snCellParts *parts, const snLattice *lattice, int cell, snVec3 point);

// The same for a point of the surface on given triangles.
bool snCellParts_Holds(const snCellParts *parts, int cell, int triangleCount, const int *triangles);

#endif
