// Regular lattices: a box of hexahedra, and those of a box that hold some of a surface's inside.
#ifndef SN_BODY_LATTICE_GRID_LATTICE_H
#define SN_BODY_LATTICE_GRID_LATTICE_H

#include "body/lattice/lattice.h"
#include "geometry/winding.h"

#define SN_GRID_CELLS 1000000 // most cells of a box

// cells[0] x cells[1] x cells[2] hexahedra. Vertices are numbered along x first, then y, then z.
snStatus snBoxLattice(snLattice *lattice, snBox box, const int cells[3], snArena *arena,
                      snError *error);

// A box of so many cells around a surface, a little larger than it, without those that neither the
// surface nor its inside reaches, and without vertices that are then in none.
snStatus snGridLattice(snLattice *lattice, const snMeshTree *surface, const snWinding *winding,
                       const int cells[3], snArena *arena, snError *error);

#endif
