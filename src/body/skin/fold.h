// A skin against itself: wrinkles and creases whose layers do not pass through each other. Points keep a distance from faces,
// edges from edges; fold_find.c has which pairs come into question, fold.c what is done with them.
#ifndef SN_BODY_SKIN_FOLD_H
#define SN_BODY_SKIN_FOLD_H

#include "body/skin/mesh.h"
#include "geometry/tree.h"

typedef struct snSkinFoldDef {
    bool on;
    double thickness; // m between two layers; 0: a quarter of the mean edge
    double friction;  // of layers on each other (Coulomb); 0.3
} snSkinFoldDef;
snSkinFoldDef snDefaultSkinFoldDef(void); // off

// Four points of which one face or two edges are made: a point (0) and a face (1, 2, 3), or edges (0, 1) and (2, 3).
typedef struct snFoldPair {
    int point[4];
    float thickness; // m; cells that are small have less
    float apart;     // m, where it was found
    bool edges;
} snFoldPair;

typedef struct snSkinFoldCount {
    int64_t finds; // times that the tree was walked
    int64_t pairs; // that were looked at
    int64_t parted;
    int64_t crossed; // of them those that would have passed through each other
    int64_t left;    // still crossing when a step was taken: none had a way out
    int64_t dropped; // pairs for which there was no place
} snSkinFoldCount;

typedef struct snSkinFold {
    const snSkinMesh *mesh;
    double thickness, friction;
    // Built once.
    double *pointThickness; // [pointCount]
    int edgeCount, *edges;  // [edgeCount * 2]
    int *
        owned; // [triangleCount * 6], points and edges (by number) that are this triangle's; -1: another's
    snTree tree;         // over triangles
    bool *whole;         // [tree.nodeCount], its triangles hang together
    snBox *boxes;        // [triangleCount]
    snBox *normals;      // [tree.nodeCount], of all normals within
    snVec3 *faceNormals; // [triangleCount]
    // Pairs that may meet: as long as no point, its mean motion aside, has gone farther than `margin` from `from`.
    bool found;
    snVec3 *from, *to; // [pointCount], of the step in which they were found
    double margin;
    int pairCount, mostPairs;
    snFoldPair *pairs;    // [mostPairs]
    int nearCount, *near; // [mostPairs], of them those that are looked at again
    double motion;        // of the present step: how far two points went against each other at most
    double away;          // and how much nearer two may be in it than where they were found
    snSkinFoldCount count;
} snSkinFold;

snStatus snSkinFold_Make(snSkinFold *fold, const snSkinFoldDef *def, const snSkinMesh *mesh,
                         const snVec3 *places, snArena *arena, snError *error);

// Makes sure that `pairs` has all that may meet while points go from one place to another.
void snSkinFold_Find(snSkinFold *fold, const snVec3 *from, const snVec3 *to);

typedef struct snFoldMove {
    const snVec3 *from;        // [pointCount], at the step's begin
    snVec3 *to, *velocities;   // [pointCount], at its end
    const double *inverseMass; // [pointCount * 3]
    const snVec3
        *held;  // [pointCount], what a point lies on: it is not moved against this; 0: nothing
    bool again; // the step may be taken back: where something passes through, it is left at once
} snFoldMove;

// Parts what is nearer than its thickness or has passed through: returns how far the deepest was beyond its thickness, in
// thicknesses (above 1: it went through); 0: nothing was moved.
double snSkinFold_Part(snSkinFold *fold, const snFoldMove *move);
// How many pairs pass through each other on their way.
int snSkinFold_Crossings(snSkinFold *fold, const snVec3 *from, const snVec3 *to);

#endif
