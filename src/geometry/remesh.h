// Makes the triangles of a closed manifold mesh on a level set well shaped. Used inside this room
// by the polygoniser.
#ifndef SN_GEOMETRY_REMESH_H
#define SN_GEOMETRY_REMESH_H

#include "geometry/level.h"

// Collapses short edges, turns edges, and moves vertices along the surface, `rounds` times. The
// mesh stays closed and manifold, and keeps its topology. Arrays are changed in place; counts
// become smaller.
snStatus snRemesh(snVec3 *positions, int *vertexCount, int *triangles, int *triangleCount,
                  const snLevel *level, int rounds, const snAllocator *allocator, snError *error);

#endif
