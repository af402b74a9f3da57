// The lattice body: flesh as a volume of tetrahedra, prisms and hexahedra around the bones.
// May use everything up to character. Begin with snLattice (the control lattice), then
// quadrature.h (what is integrated over it), model.h (the built body) and step.h (its motion).
//
// Capell, Green, Curless, Duchamp, Popovic, "Interactive Skeleton-Driven Dynamic Deformations",
// 2002, section 3: a control lattice K of convex cells whose corners all have three neighbours.
#ifndef SN_BODY_LATTICE_LATTICE_H
#define SN_BODY_LATTICE_LATTICE_H

#include "core/memory.h"
#include "core/vec.h"
#include "skeleton/skeleton.h"

// The kind of a cell is its number of corners. Corners are numbered so that volumes are positive:
//   tet    (r1 - r0) x (r2 - r0) . (r3 - r0) > 0
//   prism  0 1 2 is the bottom triangle, corner i + 3 stands above i
//   hex    0 1 2 3 is the bottom quadrilateral in order round, corner i + 4 stands above i
typedef enum snCellKind { SN_TET = 4, SN_PRISM = 6, SN_HEX = 8 } snCellKind;

#define SN_CELL_CORNERS 8 // most corners a cell can have
#define SN_FACE_CORNERS 4 // most corners a face can have
#define SN_POINT_TERMS                                                                             \
    27 // most vertices that a point hangs on: of a cell, or of a grid (body/poly)

// The shape of a kind of cell, by corner numbers 0 ... corners - 1.
typedef struct snCellShape {
    int corners, faces, edges;
    int face[6][SN_FACE_CORNERS]; // counter-clockwise from outside; fourth is -1 for triangles
    int edge[12][2];
    int neighbour[SN_CELL_CORNERS][3]; // of each corner, right-handed: n0 x n1 . n2 > 0
} snCellShape;
const snCellShape *snCellShape_Of(snCellKind kind);

// What smooth subdivision (scheme.h) keeps sharp. Numbers are the lattice's vertices.
typedef struct snSharp {
    int edgeCount, cornerCount, faceCount;
    int (*edge)[2];               // creases, on the boundary or inside
    int *corner;                  // vertices that stay where they are
    int (*face)[SN_FACE_CORNERS]; // inner sheets, in any order; the fourth is -1 for triangles
} snSharp;

typedef struct snLattice {
    int vertexCount;
    snVec3 *rest; // [vertexCount], r_a
    int *joint;   // [vertexCount], the joint whose bone this vertex lies on, or -1
    int cellCount;
    int *cellStart; // [cellCount + 1], into corners
    int *corners;   // [cellStart[cellCount]]
    bool decided;   // of one that was brought: `joint` is meant as it is, even if none is on a bone
    const snSharp *sharp; // or NULL: nothing is
} snLattice;

static inline snCellKind snLattice_Kind(const snLattice *lattice, int cell)
{
    return (snCellKind)(lattice->cellStart[cell + 1] - lattice->cellStart[cell]);
}

static inline const int *snLattice_Corners(const snLattice *lattice, int cell)
{
    return lattice->corners + lattice->cellStart[cell];
}

// The diagonal of its box at rest, m.
static inline double snLattice_Size(const snLattice *lattice)
{
    return snBoxDiagonal(snBoxOf(lattice->vertexCount, lattice->rest));
}

// Memory for a lattice of given counts; joint is set to -1, everything else to zero.
snStatus snLattice_Alloc(snLattice *lattice, int vertexCount, int cellCount, int cornerCount,
                         snArena *arena, snError *error);

// A copy with all that it points to.
snStatus snLattice_Copy(snLattice *copy, const snLattice *lattice, snArena *arena, snError *error);

// Gives the lattice its own copy of what is sharp; NULL stays NULL.
snStatus snLattice_CopySharp(snLattice *lattice, const snSharp *sharp, snArena *arena,
                             snError *error);

// Checks the numbers (finite, in range, kinds), that every cell is positive at each of its
// corners, and condition (i): cells meet in whole faces, two at most on a face, or on either side
// copies of one cell (clone.h). Names the cell.
snStatus snLattice_Check(const snLattice *lattice, const snContext *context, snError *error);

// Condition (ii) for one straight bone: its vertices, sorted along it, are joined by edges.
// Counts the missing links over all bones; 0 is right. Vertices belong to a bone when they lie on
// it within `tolerance`.
int snLattice_MissingBoneEdges(const snLattice *lattice, const snBone *bones, int boneCount,
                               double tolerance, const snContext *context);

double snLattice_Volume(const snLattice *lattice, int cell); // exact for planar faces

// Smallest over its corners of the scaled Jacobian: 1 for the regular cell of its kind, 0 when
// flat, negative when inverted.
double snLattice_Quality(const snLattice *lattice, int cell);

#endif
