// The surface of a subdivision volume in the limit, drawn at any level, sharp edges kept.
//
// Its points are limit nodes of the level (nodes.h), so all of them lie on the limit surface itself, and
// a finer level only adds to them. They are rows over the body's functions: drawing is one sparse
// product. Where edges are sharp (creases that were tagged; in the trilinear scheme, where it bends by
// more than 30 degrees at rest) a point has as many *corners* as there are smooth sides, each with a
// normal of its own.
#ifndef SN_BODY_LATTICE_LIMIT_SURFACE_H
#define SN_BODY_LATTICE_LIMIT_SURFACE_H

#include "body/lattice/nodes.h"
#include "body/lattice/step.h"

typedef struct snLimitSurface {
    int pointCount;
    int *node;         // [pointCount], vertex of the level
    snVec3 *rest;      // [pointCount]
    snWeightRows rows; // [pointCount] over functions, as the body's def numbers them
    int cornerCount;
    int *point; // [cornerCount], the point that a corner is at
    int faceCount;
    int (*faces)[4]; // [faceCount], corners, counter-clockwise from outside; fourth -1: a triangle
    int triangleCount;
    int *triangles; // [triangleCount * 3], the same cut into triangles
} snLimitSurface;

typedef struct snLimitSurfaceDef {
    snNodesDef nodes;  // nodeLevel is the level to draw, the others are as in the body
    bool hierarchical; // as in the body (solid.h)
} snLimitSurfaceDef;

// Everything lives in the arena.
snStatus snLimitSurface_Make(snLimitSurface *surface, const snLimitSurfaceDef *def, snArena *arena,
                             const snContext *context, snError *error);

// Where the points are in a state of a body in that space, [pointCount]; and unit normals of the
// corners by area, [cornerCount], zero where a corner has no area.
void snLimitSurface_Points(const snLimitSurface *surface, const snLatticeModel *model,
                           const snLatticeState *state, snVec3 *points);
void snLimitSurface_Normals(const snLimitSurface *surface, const snVec3 *points, snVec3 *normals);

#endif
