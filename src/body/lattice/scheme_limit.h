// Limit values of a subdivision scheme: what the basis functions of the first lattice's vertices are
// at any point, to about 1e-13, without subdividing the whole lattice.
#ifndef SN_BODY_LATTICE_SCHEME_LIMIT_H
#define SN_BODY_LATTICE_SCHEME_LIMIT_H

#include "body/lattice/scheme.h"

// A point of the lattice's domain, by a cell and three coordinates in [0, 1].
typedef struct snLimitPoint {
    int cell;
    // The hexahedron that one split makes of this corner: u runs from the corner to the midpoints
    // of its edges to shape->neighbour[corner][0], [1] and [2]. In a cell that is a hexahedron it
    // may be -1: u runs over the whole of it, from corner 0 to corners 1, 3 and 4.
    int corner;
    double u[3];
} snLimitPoint;

typedef struct snLimit {
    snScheme scheme;
    const snLattice *lattice; // the caller's, to outlive this
    snComplex complex;
} snLimit;

snStatus snLimit_Make(snLimit *limit, snScheme scheme, const snLattice *lattice, snArena *arena,
                      const snContext *context, snError *error);

// One row over the lattice's vertices, from `arena`. Fails when the point is not in the lattice.
snStatus snLimit_At(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                    snArena *arena, const snContext *context, snError *error);

#endif
