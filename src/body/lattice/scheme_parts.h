// What the files of subdivision schemes share.
#ifndef SN_BODY_LATTICE_SCHEME_PARTS_H
#define SN_BODY_LATTICE_SCHEME_PARTS_H

#include "body/lattice/scheme.h"

// Corners of a hexahedron by coordinate bits x + 2 y + 4 z, and back (the same table).
static const int snHexBits[8] = {0, 1, 3, 2, 4, 5, 7, 6};

// ---- what is around a vertex (scheme_pieces.c) ------------------------------------------------------

// What a vertex of a lattice has of the surface and of sharp edges.
typedef struct snPlace {
    int surfaceFaces, surfaceEdges, sharpEdges;
} snPlace;
snPlace snPlace_Of(const snComplex *complex, int vertex);
bool snPlace_CountsSharp(const snComplex *complex, const snPlace *place, int edge);

// Of a vertex of the split lattice: 0 one that stays, 1 on a sharp curve, 2 in the surface, 3 inside.
int snComplex_Dimension(const snComplex *complex, int vertex);

// Pieces of one dimension of the split lattice and which of them a vertex is in: halves of sharp
// edges (2 corners), quadrilaterals of the surface (4, in order round), hexahedra (8).
typedef struct snPieces {
    const int *vertex; // [count * corners]
    int count, corners;
    snLists of;
} snPieces;

// By dimension; pieces[0] is not set. May point into the complex.
snStatus snPieces_Make(snPieces pieces[4], const snComplex *complex, snArena *scratch,
                       snError *error);

// Whether a piece counts at vertex v: all do, but sharp edges inside at the surface.
bool snPieces_Counts(const snComplex *complex, const snPieces *pieces, int piece, int v);

// ---- parts of a lattice (scheme_cut.c) --------------------------------------------------------------

// A part of a lattice: the cells that touch some of its vertices.
typedef struct snCutPart {
    snLattice lattice;  // without places
    int *vertex, *cell; // the numbers of its vertices and cells in the whole
} snCutPart;

// Cuts out the cells that touch a vertex with mark 2. The other marks must be 0; vertices of these cells
// get 1. Tags are kept of features that hold a marked vertex: what is around those is as in the whole.
snStatus snCutPart_Make(snCutPart *part, const snLattice *whole, char *mark, snArena *arena,
                        snError *error);

// A hexahedron and the cells that touch it, refined once.
typedef struct snPatch {
    snLattice lattice;
    int cell;          // the hexahedron in the middle
    snComplex complex; // of `lattice`
    snWeightRows step; // its matrix S
} snPatch;

// ---- limits (scheme_mask.c, scheme_grid.c) ----------------------------------------------------------

// The cells around a vertex v refine to cells around v of the same topology, p' = M p. `vertex` are
// their vertices, v first, and `weight` the left eigenvector of M to the eigenvalue 1: the limit of v.
// When asked for, `tangent` spans the left eigenvectors of the three eigenvalues that follow it, where
// these stand out from the rest (found is false where they do not): along them the map leaves v.
typedef struct snRing {
    int *vertex, count;
    double *weight;
    bool wantTangent, found; // before; after
    double (*tangent)[3];
} snRing;

// The complex with its matrix S must hold all cells around v. `count` is 0 where some of them is no
// hexahedron: there refine once more. From `arena`, `scratch` [vertices] is -1 before and after.
snStatus snRing_Limit(snRing *ring, const snComplex *complex, const snWeightRows *step, int v,
                      int *scratch, snArena *arena, snError *error);

// The limits of the split lattice's vertices over themselves: one row for each of them.
snStatus snScheme_LimitMasks(snWeightRows *rows, snScheme scheme, const snComplex *complex,
                             snArena *arena, const snContext *context, snError *error);

// Where the scheme is the tensor product of cubic splines on a patch's middle cell.
typedef struct snGrid {
    bool regular;
    bool has[3][2]; // per axis and side: there is a cell beyond
    int *place;     // [patch vertices], (x * 4 + y) * 4 + z with 0 ... 3, or -1
} snGrid;
snStatus snGrid_Find(snGrid *grid, const snPatch *patch, snArena *arena, snError *error);

// The weights of the patch's vertices at u, zero where they have none, and their derivatives by u.
void snGrid_Evaluate(const snGrid *grid, int vertices, const double u[3], double (*weight)[4]);

#endif
