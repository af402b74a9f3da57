// Closed surfaces of simple shapes: boxes, pyramids, and whatever rings along a way make (spheres, capsules, cones,
// tubes). Where an edge is sharp each of its sides has vertices of its own, in the same places, so that it is drawn sharp:
// snMesh_Weld joins them. Triangles are counter-clockwise from outside.
#ifndef SN_GEOMETRY_SHAPE_H
#define SN_GEOMETRY_SHAPE_H

#include "geometry/mesh.h"

// A box of so many quadrilaterals along x, y and z.
snStatus snShape_Box(snMesh *mesh, snBox box, const int cells[3], snArena *arena, snError *error);

// A pyramid in a box: its base is the lower face, its tip the middle of the upper one; each side of `cells` rows.
snStatus snShape_Pyramid(snMesh *mesh, snBox box, int cells, snArena *arena, snError *error);

// Points center + u cos α + v sin α; u = v = 0: a pole. u x v points along the way.
typedef struct snShapeRing {
    snVec3 center, u, v;
    bool sharp; // its edge is
} snShapeRing;

// From the first ring to the last, each of `sides` points; both ends are poles.
snStatus snShape_Sweep(snMesh *mesh, int count, const snShapeRing *rings, int sides, snArena *arena,
                       snError *error);

#endif
