// Implicit shapes: f(x) < 0 inside, 0 on the surface, > 0 outside; near the surface f is about the
// distance. Shapes are combined in a tree of smooth unions; the polygoniser turns any field into
// a closed triangle mesh.
#ifndef SN_GEOMETRY_IMPLICIT_H
#define SN_GEOMETRY_IMPLICIT_H

#include "geometry/mesh.h"

typedef enum snShapeKind {
    SN_SHAPE_SPHERE,         // radius = size.x
    SN_SHAPE_SUPERELLIPSOID, // semi-axes size, exponents e1 (along z profile), e2 (in the xy section)
    SN_SHAPE_CYLINDER,       // radius size.x, half height size.y, along y
    SN_SHAPE_CAPSULE, // radius size.x at -y end, size.z at +y end, half length size.y along y
    SN_SHAPE_BOX,     // half extents size, edges rounded by `round`
} snShapeKind;

typedef struct snShape {
    snShapeKind kind;
    snAffine place; // shape frame to world: a rotation (no scale) and an origin
    snVec3 size;
    double e1, e2; // superellipsoid exponents, 1 is an ellipsoid
    double round;  // box edge radius
} snShape;

snShape snDefaultShape(snShapeKind kind); // unit size at the origin
double snShape_Value(const snShape *shape, snVec3 point);
snVec3 snShape_Gradient(const snShape *shape, snVec3 point); // analytic
snBox snShape_Bounds(const snShape *shape);

// A blob of shapes joined by a smooth minimum. `blend` of shape i is the width over which it
// melts into what came before it (0: a sharp union).
typedef struct snBlend {
    int count;
    const snShape *shapes; // [count]
    const double *blend;   // [count]
} snBlend;
double snBlend_Value(const snBlend *blend, snVec3 point);
snVec3 snBlend_Gradient(const snBlend *blend, snVec3 point);
snBox snBlend_Bounds(const snBlend *blend);

// Any field with a gradient, for the polygoniser.
typedef struct snField {
    double (*value)(const void *user, snVec3 point);
    snVec3 (*gradient)(const void *user, snVec3 point); // may be NULL: differences
    const void *user;
} snField;
snField snBlend_Field(const snBlend *blend);

// The surface f = 0 inside the box, on a grid of about `cell` spacing: closed, manifold, outward
// wound, well-shaped triangles (vertices are projected onto the surface and relaxed along it).
// Positions and triangles live in the arena.
typedef struct snPolygoniseDef {
    snBox box;
    double cell;
    int relax; // rounds of tangential smoothing with re-projection
} snPolygoniseDef;
snPolygoniseDef snDefaultPolygoniseDef(void);
snStatus snPolygonise(snMesh *mesh, const snField *field, const snPolygoniseDef *def,
                      snArena *arena, snError *error);

#endif
