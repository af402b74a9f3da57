// The one bounding-volume tree: over triangles, or over any boxes. Queries do not allocate and
// give the same answer whatever the machine.
#ifndef SN_GEOMETRY_TREE_H
#define SN_GEOMETRY_TREE_H

#include "geometry/mesh.h"

#define SN_TREE_DEPTH 64 // a traversal stack of this size never overflows (tree.c)

typedef struct snTreeNode {
    snBox box;
    int first; // leaf: first item; inner: index of the left child (the right one is first + 1)
    int count; // leaf: number of items; inner: 0
} snTreeNode;

typedef struct snTree {
    int nodeCount;
    int itemCount;
    snTreeNode *nodes; // [nodeCount], the root is 0
    int *items;        // [itemCount], permuted box numbers; leaves hold ranges of it
    snBox *boxes;      // [itemCount], the items' boxes in the same order
} snTree;

// No boxes make an empty tree in which nothing is found.
snStatus snTree_Build(snTree *tree, int count, const snBox *boxes, snArena *arena, snError *error);
// Moves the boxes of all nodes to new item boxes, keeping the structure.
void snTree_Refit(snTree *tree, const snBox *boxes);

// Calls `visit` for every item whose box overlaps; visit returns false to stop.
typedef bool snTreeVisit(int item, void *context);
void snTree_Overlap(const snTree *tree, snBox box, snTreeVisit *visit, void *context);

// A mesh with its tree. Keeps a pointer to the mesh's arrays. Triangles without area are found as
// the segments or points that they are, but rays pass through them.
typedef struct snMeshTree {
    snMesh mesh;
    snTree tree;
} snMeshTree;
snStatus snMeshTree_Build(snMeshTree *tree, const snMesh *mesh, snArena *arena, snError *error);

typedef struct snSurfacePoint {
    int triangle; // -1: nothing found
    double distance;
    snVec3 point;
    double barycentric[3];
} snSurfacePoint;

// The nearest point of the surface, within maxDistance; of several equally near the one on the
// lowest triangle.
snSurfacePoint snMeshTree_Closest(const snMeshTree *tree, snVec3 point, double maxDistance);

// The first hit of origin + t * direction with 0 <= t <= maxT; `distance` is t. Both sides of a
// triangle count. A ray through an edge or a corner hits at least one of the triangles that share
// it: nothing slips through a closed surface.
snSurfacePoint snMeshTree_Ray(const snMeshTree *tree, snVec3 origin, snVec3 direction, double maxT);

#endif
