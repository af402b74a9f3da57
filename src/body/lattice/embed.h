// Where points sit in a lattice: p(x) = Σ_a φ_a(x) p_a with at most eight weights.
#ifndef SN_BODY_LATTICE_EMBED_H
#define SN_BODY_LATTICE_EMBED_H

#include "body/lattice/lattice.h"
#include "body/lattice/parts.h"

// Rows have a fixed width so that carrying a surface is one straight loop: 4 for lattices of
// tets alone, else 8. Unused places have weight 0 and repeat the first vertex.
typedef struct snEmbedding {
    int pointCount;
    int width;      // 4 or 8, or what a solid has (solid.h)
    int *vertex;    // [pointCount * width]
    double *weight; // [pointCount * width], each row sums to 1
    int *cell;      // [pointCount]
    int outside;    // points that lie in no cell: they hang on the nearest one, extrapolated
} snEmbedding;

// The mean row of three points, each vertex once; returns how many there are, three times the width at most.
int snEmbedding_Mean(const snEmbedding *embedding, const int corner[3], const double share[3],
                     int *vertex, double *weight);

snStatus snEmbed(snEmbedding *embedding, const snLattice *lattice, int pointCount,
                 const snVec3 *points, snArena *arena, const snContext *context, snError *error);

// Points of the surface that was cut by the lattice's cells: where copies of a cell overlap, a point
// hangs on the one that has its triangles. meshVertex[i] is the vertex of parts->cut.mesh at point i,
// or -1 for points that belong to no triangle.
typedef struct snSurfacePoints {
    int count;
    const snVec3 *points;
    const int *meshVertex;
    const snCellParts *parts;
} snSurfacePoints;
snStatus snEmbedSurface(snEmbedding *embedding, const snLattice *lattice,
                        const snSurfacePoints *surface, snArena *arena, const snContext *context,
                        snError *error);

// The values of a cell's basis functions at a point (which may lie outside of it). Tets:
// barycentric coordinates. Prisms and hexahedra: the trilinear map inverted by Newton's method.
// Returns the smallest parametric distance to the cell's border: negative when outside.
double snCellWeights(const snLattice *lattice, int cell, snVec3 point,
                     double weight[SN_CELL_CORNERS]);

#endif
