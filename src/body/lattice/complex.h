// The vertices, edges, faces and cells of a lattice: what lies round what, and what is sharp.
//
// Numbers of edges, faces and cells are those of the vertices that subdivision puts in their
// middles (subdivide.h): vertex firstEdge + e of the split lattice is the midpoint of edge e.
#ifndef SN_BODY_LATTICE_COMPLEX_H
#define SN_BODY_LATTICE_COMPLEX_H

#include "body/lattice/subdivide.h"
#include "core/lists.h"

typedef struct snComplex {
    const snLattice *lattice;
    snFineLattice split; // one trilinear step of it; its cells are the corners of the cells
    int edgeCount, faceCount;
    int firstEdge, firstFace, firstCell; // vertices of `split`
    snLists vertexEdges, vertexFaces, vertexCells, edgeFaces, edgeCells, faceCells;
    // The surface is the boundary and the sharp faces. An edge of it with another number of
    // surface faces than two is sharp: there a sheet ends, or meets the boundary.
    bool *surface;     // [faceCount]
    int *surfaceFaces; // [edgeCount], how many faces of the surface hold the edge
    bool *sharp;       // [edgeCount]
    bool *corner;      // [vertexCount], tagged ones
} snComplex;

// `split` is kept in `keep`, all else in `arena`. Fails when lattice->sharp names an edge, face
// or vertex that the lattice has not: the message begins "lattice.sharp.edges[3]: ".
snStatus snComplex_Make(snComplex *complex, const snLattice *lattice, snArena *keep, snArena *arena,
                        const snContext *context, snError *error);

// The coarse vertices that a vertex of `split` is the mean of.
static inline const int *snComplex_Sources(const snComplex *complex, int vertex, int *count)
{
    const int *start = complex->split.sourceStart + vertex;
    *count = start[1] - start[0];
    return complex->split.source + start[0];
}

// Their number, or -1 when the lattice has no such edge or face.
int snComplex_FindEdge(const snComplex *complex, int a, int b);
int snComplex_FindFace(const snComplex *complex, const int vertices[SN_FACE_CORNERS]);

// The tags of the split lattice: halves of edges, quarters of faces. NULL in, NULL out.
snStatus snComplex_SplitSharp(const snComplex *complex, const snSharp **out, snArena *arena,
                              snError *error);

// The quadrilaterals of the split lattice that lie in the surface (or only in sharp faces), four
// vertices each: the corner, a midpoint, the face's centroid, the other midpoint. With quads NULL
// only their number is given.
int snComplex_SplitSurface(const snComplex *complex, bool onlySharp, int (*quads)[4]);

// Checks lattice->sharp alone.
snStatus snLattice_CheckSharp(const snLattice *lattice, const snContext *context, snError *error);

#endif
