// On which side of a surface a sample of another one touches it. The way out that is nearest is the wrong one at rims: of two
// plates that lie on each other and overlap a little, a corner of the upper one is nearer to the other's side
// than to its top, and would be pushed along instead of up. But surfaces that touch face each other. So with N the
// outward normal of the sample's own surface and n that of what it touches, n . N must be below 0; else what
// counts is the nearest triangle of which that is true, or none.
//
// At edges and corners N is the mean of the faces there, which says little where these are sharp: a cube's corner that comes
// through a ball at the brim of its own top has n = (-0.4, -0.8, -0.4) and N = (-1, 1, -1) / sqrt(3), but its top faces the ball.
// There one face that clearly faces n will do for N.
#ifndef SN_CONTACT_SIDE_H
#define SN_CONTACT_SIDE_H

#include "contact/collider.h"
#include "geometry/primitive.h"

// A triangle of a surface, at its begin or its end.
static inline snTriangle snShell_Triangle(const snShell *shell, int t, const snVec3 *places)
{
    return snTriangle_At(places, shell->triangles + 3 * (size_t)t);
}

// The nearest triangle, not farther than `reach` along each axis, of those whose normal n has n . facing below a little (cosine
// -0.05), or where that is NULL of those that the place is behind. Fills the triangle, its point nearest to the place, where
// that is on it, and how far; false where there is none.
bool snShell_NearestFacing(const snShell *shell, snVec3 place, double reach, const snVec3 *facing,
                           snTouch *touch);

// A place of a surface. Triangle -1: none.
typedef struct snShellSpot {
    int triangle;
    double barycentric[3];
} snShellSpot;

// A sample that is swept to a surface (snCollider_Sweep), and where it is on its own, which is in its place too.
typedef struct snSideAsk {
    snVec3 from, to;
    const snShell *own; // NULL: it has none, and faces all
    snShellSpot spot;
    double deep; // farther in than this no other side is looked for
} snSideAsk;
// Whether it and what it touches face each other; else the touch may become one that does. The surface is in its place.
bool snShell_Faces(const snShell *shell, const snSideAsk *ask, snTouch *touch);

#endif
