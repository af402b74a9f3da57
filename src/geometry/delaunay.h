// Delaunay tetrahedra of a point set. The only door to Qhull, which can be left out of a build by
// leaving out delaunay.c.
#ifndef SN_GEOMETRY_DELAUNAY_H
#define SN_GEOMETRY_DELAUNAY_H

#include "core/memory.h"
#include "core/vec.h"

typedef struct snTets {
    int count;
    int *corners;    // [count * 4], positive: det(b - a, c - a, d - a) > 0; the lowest comes first
    int *neighbours; // [count * 4], the tetrahedron across from that corner, -1 on the hull
} snTets;

// Fills the convex hull of the points with tetrahedra that meet face to face, sorted by their
// corners. Of points at one place (within 1e-7 of the size) only the lowest-numbered is used. Where
// more than four points lie almost on one empty sphere (regular grids, also with rounded
// coordinates) the choice between the possible tetrahedra is made by a fixed pseudo-random rule,
// so that neighbours agree and none is flat; a point may therefore lie inside a circumscribed
// sphere by a thousandth of its squared distance to the next point. Slivers on the hull flatter
// than about 1e-6 (volume over edges) are left out. Fails for fewer than four places, for points in
// one plane, and for NaN.
// The result lives in the arena; Qhull's own working memory comes from malloc.
snStatus snDelaunay(int count, const snVec3 *points, snTets *out, snArena *arena, snError *error);

#endif
