// Closest points, overlaps and measures of single points, segments, triangles, boxes and
// tetrahedra. Everything is by value, allocates nothing and copes with degenerate elements.
#ifndef SN_GEOMETRY_PRIMITIVE_H
#define SN_GEOMETRY_PRIMITIVE_H

#include "core/vec.h"

typedef struct snTriangle {
    snVec3 a, b, c;
} snTriangle;

// By the numbers of its corners among places.
static inline snTriangle snTriangle_At(const snVec3 *places, const int *corners)
{
    return (snTriangle){places[corners[0]], places[corners[1]], places[corners[2]]};
}

// Positively oriented when d is on the side of (b - a) x (c - a) to which that vector points:
// det(b - a, c - a, d - a) > 0.
typedef struct snTetrahedron {
    snVec3 a, b, c, d;
} snTetrahedron;

// The nearest point of the segment; *t is its place, 0 at a and 1 at b (t may be NULL).
snVec3 snClosestOnSegment(snVec3 point, snVec3 a, snVec3 b, double *t);

// The nearest points of two segments: *s of a to b, *t of c to d, each from 0 to 1. Of parallel ones some of those that are.
void snClosestOfSegments(snVec3 a, snVec3 b, snVec3 c, snVec3 d, double *s, double *t);

// The nearest point of the triangle with its barycentric coordinates (each >= 0, sum 1).
// A triangle without area counts as its three edges. `barycentric` may be NULL.
snVec3 snClosestOnTriangle(snVec3 point, snTriangle triangle, double barycentric[3]);

double snBox_DistanceSquared(snBox box, snVec3 point); // 0 inside
bool snBox_Contains(snBox box, snVec3 point);          // with its boundary
snBox snBox_Grow(snBox box, double margin);
snBox snBox_Around(snVec3 point, double radius);
snBox snTriangle_Bounds(snTriangle triangle);
snVec3 snTriangle_AreaVector(snTriangle triangle); // the normal, as long as the area

// Overlap of closed sets: touching counts, and so does a gap below 1e-12 of the size, so that no
// overlap is lost to rounding.
bool snTriangle_OverlapsBox(snTriangle triangle, snBox box);
bool snTriangle_OverlapsTetrahedron(snTriangle triangle, snTetrahedron tet);

// Barycentric coordinates of a point, inside or not (sum 1). False for a flat tetrahedron, whose
// coordinates are set to 1/4.
bool snTetrahedron_Barycentric(snTetrahedron tet, snVec3 point, double barycentric[4]);
bool snTetrahedron_Contains(snTetrahedron tet, snVec3 point, double tolerance); // of coordinates
double snTetrahedron_Volume(snTetrahedron tet);                                 // signed

typedef struct snTetQuality {
    double minDihedral; // radians, 0 for flat; a regular tetrahedron has 1.23 (70.5 degrees)
    double maxDihedral; // radians, pi for flat
    double radiusRatio; // 3 * inscribed / circumscribed radius: 1 regular, 0 flat, < 0 inverted
} snTetQuality;
snTetQuality snTetrahedron_Quality(snTetrahedron tet);

#endif
