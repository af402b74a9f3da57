// A curve skeleton: a tree of curves through the middle of a solid, that ends in its limbs.
// Grown branch by branch as in Sato, Bitter, Bender, Kaufman, Nakajima, "TEASAR: Tree-structure
// Extraction Algorithm for Accurate and Robust Skeletons", 2000: the farthest place that no ball
// around the tree covers yet is joined to it by the way that keeps to the middle.
#ifndef SN_CHARACTER_CURVE_H
#define SN_CHARACTER_CURVE_H

#include "character/mirror.h"
#include "character/voxels.h"

typedef struct snCurveNode {
    snVec3 at;     // inside
    double radius; // distance to the surface there
    int parent;    // -1: the root, node 0
    bool central;  // on the mirror plane
} snCurveNode;

typedef struct snCurve {
    snMirror mirror; // where found, nodes that are not central stand on the side of its normal, and
                     // each of them stands for its mirror image too
    double cell;     // of the grid: what is finer was not seen
    int count;
    snCurveNode *nodes; // [count], parents before children
} snCurve;

typedef struct snCurveDef {
    int maxCells;   // of the grid; 200000
    bool symmetric; // look for a mirror plane
    double slender; // how many times longer than thick what sticks out must be to get a branch; 2.6
    int maxBranches; // 40
} snCurveDef;

snCurveDef snDefaultCurveDef(void);

// Lives in the arena. Fails with SN_ERROR_GEOMETRY where the surface encloses nothing.
snStatus snCurve_Trace(snCurve *curve, const snSolid *solid, const snCurveDef *def,
                       const snTasks *tasks, snArena *arena, snError *error);

#endif
