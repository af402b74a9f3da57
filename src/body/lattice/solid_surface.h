// The surface of a lattice body without a character: the boundary of its cells, or a mesh that its
// cells carry; and the points of it that bump into things.
#ifndef SN_BODY_LATTICE_SOLID_SURFACE_H
#define SN_BODY_LATTICE_SOLID_SURFACE_H

#include "body/lattice/contact_samples.h"
#include "body/lattice/embed.h"
#include "geometry/mesh.h"

typedef struct snSolidSurface {
    int vertexCount, triangleCount;
    int *triangles; // [triangleCount * 3], counter-clockwise from outside
    snVec3 *rest;   // [vertexCount]
    // Those of the triangles that things bump into; NULL: all.
    int touchCount;
    int *touch; // [touchCount * 3]
    // For drawing: vertices that are on sharp edges have a corner for each of their smooth sides (crease.h).
    int cornerCount;      // 0: as they are
    int *corner;          // [cornerCount], their vertices
    int *cornerTriangles; // [triangleCount * 3], the same triangles over corners
    snEmbedding embedding;
    double edge; // mean length of the lattice's edges
    double size; // diagonal of the surface's box at rest
} snSolidSurface;

// The faces that only one cell has, cut into triangles; vertices are those of the lattice that are
// on them. Sharp are edges as of snCreases_Find. Everything lives in the arena.
snStatus snSolidSurface_FromLattice(snSolidSurface *surface, const snLattice *lattice, bool bends,
                                    snArena *arena, const snContext *context, snError *error);

// A mesh in the lattice, its vertices and triangles as they are. Where its vertices hang is told by their
// places, or by an embedding that was made elsewhere (copied).
typedef struct snSolidMesh {
    snMesh mesh;
    const snEmbedding *embedding; // or NULL
    // For drawing, as of snSolidSurface; copied. 0: none.
    int cornerCount;
    const int *corner, *cornerTriangles;
} snSolidMesh;
snStatus snSolidSurface_FromMesh(snSolidSurface *surface, const snLattice *lattice,
                                 const snSolidMesh *mesh, snArena *arena, const snContext *context,
                                 snError *error);

// Rows of all vertices, over the lattice's.
snStatus snSolidSurface_Rows(const snSolidSurface *surface, snContactSamples *rows, snArena *arena,
                             snError *error);

// Vertices, as many as do, and points within triangles that are large against an edge (contact_samples.h).
snStatus snSolidSurface_Samples(const snSolidSurface *surface, int most, double edge,
                                snSampleChoice *choice, snArena *arena, snError *error);

// The mesh that things bump into, at rest.
snMesh snSolidSurface_Mesh(const snSolidSurface *surface);

// The box's diagonal at rest, and the lattice's edges.
void snSolidSurface_FindSizes(snSolidSurface *surface, const snLattice *lattice);

#endif
