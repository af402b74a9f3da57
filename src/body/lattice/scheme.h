// Subdivision schemes of volume lattices behind one interface.
//
// All of them split alike (subdivide.h: every corner of a cell becomes a hexahedron; the old
// vertices come first, then those of edges, faces and cells) and differ only in where the vertices
// go: a level is a sparse matrix, p^{j+1} = S_j p^j, rows summing to one. In the smooth schemes the
// old vertices move too.
//
// MacCracken, Joy, "Free-Form Deformations with Lattices of Arbitrary Topology", 1996; its boundary
// is the surface of Catmull and Clark, 1978, with the sharp features of DeRose, Kass, Truong,
// "Subdivision Surfaces in Character Animation", 1998. Bajaj, Schaefer, Warren, Xu, "A Subdivision
// Scheme for Hexahedral Meshes", 2002.
#ifndef SN_BODY_LATTICE_SCHEME_H
#define SN_BODY_LATTICE_SCHEME_H

#include "body/lattice/complex.h"

typedef enum snScheme {
    SN_SCHEME_TRILINEAR,
    SN_SCHEME_MACCRACKEN_JOY,
    SN_SCHEME_BAJAJ,
    SN_SCHEME_COUNT
} snScheme;

const char *snScheme_Name(snScheme scheme); // "trilinear", "maccracken-joy", "bajaj"

// The cells of one level. Vertices keep their numbers from level to level.
typedef struct snSubdivisionLevel {
    int vertexCount, cellCount;
    int *cellStart, *corners; // as in snLattice
    int *parent;              // [cellCount], the cell of the first lattice it lies in
} snSubdivisionLevel;

typedef struct snSubdivision {
    snScheme scheme;
    int levels;
    // As snSubdivide makes it, with the scheme's places and rows; its lattice has the tags of the
    // first carried along. The sources of a vertex still say in the middle of which edge, face or
    // cell it was put; in a smooth scheme it is not their mean.
    snFineLattice fine;
    snWeightRows *step;        // [levels], S_j: the vertices of level j + 1 over those of level j
    snSubdivisionLevel *level; // [levels + 1]
    snWeightRows limit;        // when asked for: the limits of the finest vertices, over themselves
} snSubdivision;

typedef struct snSubdivisionDef {
    snScheme scheme;
    const snLattice *lattice;
    int levels;
    // Rows are over the functions of levels 0 ... functions: the vertices of that level, a function for
    // each of them, of the level in which it appears (nodes.h). 0: the vertices of the lattice.
    int functions;
    bool limit; // with one level at least
} snSubdivisionDef;
snStatus snSubdivision_Make(snSubdivision *subdivision, const snSubdivisionDef *def, snArena *arena,
                            const snContext *context, snError *error);

// Level 0 is the lattice itself. Trilinear gives the same bits as snSubdivide.
snStatus snSubdivideBy(snSubdivision *subdivision, snScheme scheme, const snLattice *lattice,
                       int levels, snArena *arena, const snContext *context, snError *error);

// The rows of one step; the matrix S of the complex's lattice.
snStatus snScheme_Step(snWeightRows *rows, snScheme scheme, const snComplex *complex,
                       snArena *arena, const snContext *context, snError *error);

#endif
