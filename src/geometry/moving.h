// A mesh whose vertices go straight within a step, asked at any share of it: one tree for all of the step, fitted once.
#ifndef SN_GEOMETRY_MOVING_H
#define SN_GEOMETRY_MOVING_H

#include "geometry/primitive.h"
#include "geometry/tree.h"

typedef struct snMovingMesh {
    int vertexCount;
    const int *triangles; // [triangles of the mesh * 3]
    snVec3 *place[2];     // [vertexCount], at the step's begin and end
    snTree tree;          // its structure alone counts: boxes are these
    int *triangleOf;      // [tree.itemCount], of the tree's items in their order
    snBox *node[2];       // [tree.nodeCount], at the step's begin and end
    snBox *item[2];       // [tree.itemCount]
    double slack;         // m, far above rounding: by so much bounds are loosened
} snMovingMesh;

// Copies places, and keeps a pointer to the triangles. `leaves` says which triangles are left out of the tree, so that they are
// never found; NULL: none.
snStatus snMovingMesh_Make(snMovingMesh *moving, const snMesh *mesh, const bool *leaves,
                           snArena *arena, snError *error);
// After place[1] was written to: where the step leads to. Allocates nothing.
void snMovingMesh_Aim(snMovingMesh *moving);
// The step's end becomes its begin, and everything stands.
void snMovingMesh_Arrive(snMovingMesh *moving);

snVec3 snMovingMesh_Vertex(const snMovingMesh *moving, int vertex, double share);
snTriangle snMovingMesh_Triangle(const snMovingMesh *moving, int triangle, double share);

// As snMeshTree_Closest, at a share of the step. `near` is a triangle to begin with, which changes nothing but how long it
// takes; -1: none.
snSurfacePoint snMovingMesh_Closest(const snMovingMesh *moving, double share, snVec3 point,
                                    double maxDistance, int near);

// Whether a triangle is nearer than what was found, or as near and of a lower number: then it is what is found. `best->distance`
// is a square; it begins as that of what is near enough.
void snMovingMesh_Nearer(const snMovingMesh *moving, double share, snVec3 point, int triangle,
                         snSurfacePoint *best);

// A point that goes along: it is at `point` at a share of the step, and goes evenly by `way` in all of it.
typedef struct snMovingPoint {
    snVec3 point, way;
    double share;
} snMovingPoint;
// A triangle, and that it never comes nearer to such a point.
typedef struct snMovingNear {
    int triangle;
    double least; // m; below 0: it may get there
} snMovingNear;
// Triangles that come nearer to it than `reach` at some time of the step, or may: no others do. Returns how many, and writes
// as many as there is room for, those that come nearest first where there is room for all; `loosest` is how far a corner of them goes from the point's way in a step.
int snMovingMesh_Gather(const snMovingMesh *moving, const snMovingPoint *along, double reach,
                        int most, snMovingNear *list, double *loosest);
// How far a corner of a triangle goes from a way in the step at most.
double snMovingMesh_Loose(const snMovingMesh *moving, int triangle, snVec3 way);
// No triangle comes nearer to it in the step than this, which is no more than `most`.
double snMovingMesh_Clearance(const snMovingMesh *moving, const snMovingPoint *along, double most);

#endif
