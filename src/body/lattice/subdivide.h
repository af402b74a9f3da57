// Trilinear subdivision of a lattice: edge midpoints, face centroids, cell centroids. Each corner
// of a cell becomes a hexahedron, so after one step all cells are hexahedra.
//
// Every vertex of the fine lattice carries its weights over the vertices of the first one as a
// sparse row, Σ_a w_a = 1: the values of the level-0 basis functions at that vertex.
#ifndef SN_BODY_LATTICE_SUBDIVIDE_H
#define SN_BODY_LATTICE_SUBDIVIDE_H

#include "body/lattice/lattice.h"
#include "numerics/weight_rows.h"

typedef struct snFineLattice {
    snLattice lattice;
    snWeightRows rows; // one row per vertex of `lattice`
    int *parent;       // [lattice.cellCount], the cell of the first lattice it lies in
    // How the vertices came about. A vertex keeps its number from level to level: those of level k
    // are the first levelVertices[k], and every later one is the mean of its source vertices, which
    // are the ends of an edge or the corners of a face or cell of the level before.
    int *levelVertices; // [level + 1]
    int *sourceStart;   // [lattice.vertexCount + 1], into source; level 0 has none
    int *source;
} snFineLattice;

// Level 0 is the lattice itself with rows of one entry.
snStatus snSubdivide(snFineLattice *fine, const snLattice *lattice, int level, snArena *arena,
                     const snContext *context, snError *error);

// Cuts a cell into tets without new vertices: a cone from its lowest-numbered vertex over the
// faces that do not contain it, quadrilaterals cut from their own lowest vertex. Cells that share
// a face thus cut it alike. Returns their number (1, 3 or 6), positively oriented.
#define SN_CELL_TETS 6
int snSplitCell(const snLattice *lattice, int cell, int tets[SN_CELL_TETS][4]);

// All cells, one after another, in the arena; `parent` gives the cell that each of them lies in.
typedef struct snTetCut {
    int count;
    int (*tets)[4]; // [count], vertices
    int *cell;      // [count], parent
} snTetCut;
snStatus snSplitCells(snTetCut *cut, const snLattice *lattice, const int *parent, snArena *arena,
                      snError *error);

#endif
