// Implicit shapes: f(x) < 0 inside, 0 on the surface, > 0 outside; near the surface f is about the
// distance. Shapes are combined in a tree of smooth unions; the polygoniser turns any field into
// a closed triangle mesh.
#ifndef SN_GEOMETRY_IMPLICIT_H
#define SN_GEOMETRY_IMPLICIT_H

#include "geometry/mesh.h"

typedef enum snShapeKind {
    SN_SHAPE_SPHERE,         // radius = size.x
    SN_SHAPE_SUPERELLIPSOID, // semi-axes size, exponents e1 (along z profile), e2 (in the xy section)
                             // from 0.2 (almost a box) over 1 (ellipsoid) to 2 (octahedron)
    SN_SHAPE_CYLINDER,       // radius size.x, half height size.y, along y
    SN_SHAPE_CAPSULE, // radius size.x at -y end, size.z at +y end, half length size.y along y
    SN_SHAPE_BOX,     // half extents size, edges rounded by `round`
} snShapeKind;

typedef struct snShape {
    snShapeKind kind;
    int gap;        // 0: states with shapes in them are hashed by their bytes
    snAffine place; // shape frame to world: a rotation (no scale) and an origin
    snVec3 size;
    double e1, e2; // superellipsoid exponents, 1 is an ellipsoid
    double round;  // box edge radius
} snShape;

snShape snDefaultShape(snShapeKind kind); // unit size at the origin

// The distance to the surface, exact but for superellipsoids with exponents other than 1: those
// have the right slope at the surface and grow somewhat faster or slower away from it.
double snShape_Value(const snShape *shape, snVec3 point);
snVec3 snShape_Gradient(const snShape *shape, snVec3 point);                 // analytic
double snShape_Sample(const snShape *shape, snVec3 point, snVec3 *gradient); // both at once
snBox snShape_Bounds(const snShape *shape);

// A blob of shapes joined by a smooth minimum. `blend` of shape i is the width over which it
// melts into what came before it (0: a sharp union).
typedef struct snBlend {
    int count;
    const snShape *shapes; // [count]
    const double *blend;   // [count], the first one is not used
} snBlend;
// Two values melted over the width k (0: the lower one), and the share of b in the gradient.
double snSmoothMin(double a, double b, double k, double *shareOfB);
double snBlend_Value(const snBlend *blend, snVec3 point);
snVec3 snBlend_Gradient(const snBlend *blend, snVec3 point);
snBox snBlend_Bounds(const snBlend *blend); // holds all of f <= 0, with a small margin

// Any field with a gradient, for the polygoniser.
typedef struct snField {
    double (*value)(const void *user, snVec3 point);
    snVec3 (*gradient)(const void *user, snVec3 point); // may be NULL: differences
    const void *user;
    // The largest slope: |f(x) - f(y)| <= lipschitz |x - y|. 0: not known. The polygoniser then
    // visits every grid point; with it, it skips what is surely far from the surface.
    double lipschitz;
} snField;
snField snBlend_Field(const snBlend *blend);

// The surface f = 0 inside the box, on a grid of about `cell` spacing: closed, manifold, outward
// wound, well-shaped triangles (vertices are projected onto the surface and relaxed along it).
// Where the field is still inside at the box, the surface is closed there: what is polygonised is
// the intersection of the field with the box. Details below `cell` may be missed. A field that is
// nowhere inside gives an empty mesh. Positions and triangles live in the arena.
typedef struct snPolygoniseDef {
    snBox box;
    double cell; // grid spacing, and about the length of the edges
    int relax;   // rounds of remeshing and tangential smoothing with re-projection; 0 gives the raw
                 // surface with its slivers, 5 is good, more than 10 changes little
} snPolygoniseDef;
snPolygoniseDef snDefaultPolygoniseDef(void);
snStatus snPolygonise(snMesh *mesh, const snField *field, const snPolygoniseDef *def,
                      snArena *arena, snError *error);

#endif
