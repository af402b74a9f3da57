// The lattice of a body with linear deformations: vertices and their masses, elements, and where points hang
// (derivation in poly.h).
#ifndef SN_BODY_POLY_GRID_H
#define SN_BODY_POLY_GRID_H

#include "body/poly/poly.h"

#define SN_POLY_NODES (2 * SN_POLY_ORDER + 1) // most, along an axis

// What a solid of this room keeps beside its lattice.
typedef struct snPoly {
    snPolyFunctions functions;                              // of a grid
    int nodes[3];                                           // along each axis; all 0: affine
    double node[3][SN_POLY_NODES], block[3][SN_POLY_NODES]; // planes, and borders of blocks
    snVec3 center;                                          // of an affine body: of mass, and L
    snMat3 spread;
    snBox box; // of the surface
} snPoly;

// One tetrahedron; fails where the mass lies in a plane.
snStatus snPolyTet_Make(snSolid *solid, snPoly *poly, const snPolyMoments *moments, snError *error);

// The grid's lattice and elements, with whole blocks; rows over functions; masses.
snStatus snPolyGrid_Make(snSolid *solid, snPoly *poly, const snPolyMeasure *measure,
                         const snContext *context, snError *error);

// Blocks to what of them is in the surface, together `volume`; elements of those that have nothing are left out.
snStatus snPolyGrid_Cut(snSolid *solid, const snPoly *poly, const snMesh *surface, double volume,
                        const snContext *context, snError *error);

// solid->row: of an affine body its four vertices; else the 27 of two by two by two cells, quadratic along each axis:
// exact for functions of second degree, and of any degree at vertices.
int snPoly_Row(const snSolid *solid, snVec3 rest, int *vertex, double *weight);
#define SN_POLY_ROW 27 // entries at most

#endif
