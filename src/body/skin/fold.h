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
    bool edges;
    double
        until; // m: as long as snFoldPair_Travel is less, they are farther apart than the thickness
} snFoldPair;

// One that is looked at again within a substep.
typedef struct snFoldNear {
    int pair;
    double wanted; // m, the gap; 0: not known yet
} snFoldNear;

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
    int *besideStart,
        *beside;         // [pointCount + 2], [edgeCount * 2], points across edges of triangles
    snTree tree;         // over triangles
    bool *whole;         // [tree.nodeCount], its triangles hang together
    snBox *boxes;        // [triangleCount]
    snBox *normals;      // [tree.nodeCount], of all normals within
    snVec3 *faceNormals; // [triangleCount]
    snBox *around;       // [pointCount], of the normals at a point
    bool *inSheet;       // [pointCount], of a sheet in which no pairs were looked for
    // Pairs that may meet: as long as no point, its mean motion aside, has gone farther than `margin` from `from`.
    bool found;
    snVec3 *from; // [pointCount], where they were found
    double margin;
    int pairCount, mostPairs;
    snFoldPair *pairs; // [mostPairs]
    int nearCount;
    snFoldNear *near; // [mostPairs], of them those that are looked at again
    double longest;   // m, what one was short of its gap at most since snSkinFold_Begin
    double share;     // of thicknesses that is asked for in it
    int cuts;         // pairs of triangles that cut each other there ...
    bool *tangled;    // [pointCount], and their points
    // How far points have gone since, the mean motion of all taken out (snSkinFold_Follow).
    snVec3 *last; // [pointCount], where they were when that was asked last, less their mean motion
    double *travel; // [pointCount], m
    snSkinFoldCount count;
} snSkinFold;

snStatus snSkinFold_Make(snSkinFold *fold, const snSkinFoldDef *def, const snSkinMesh *mesh,
                         const snVec3 *places, snArena *arena, snError *error);

// How far points have gone since pairs were found, up to where they are now.
void snSkinFold_Follow(snSkinFold *fold, const snVec3 *places);
// By how much the two of a pair may have come nearer by that at most.
static inline double snFoldPair_Travel(const snSkinFold *fold, const snFoldPair *pair)
{
    const double *way = fold->travel;
    double a = way[pair->point[0]], b = way[pair->point[1]], c = way[pair->point[2]],
           d = way[pair->point[3]];
    double far = c > d ? c : d;
    return pair->edges ? (a > b ? a : b) + far : a + (b > far ? b : far);
}

// Makes sure that `pairs` has all that may meet while points go from one place to another.
void snSkinFold_Find(snSkinFold *fold, const snVec3 *from, const snVec3 *to);

typedef struct snFoldMove {
    const snVec3 *from;        // [pointCount], at the substep's begin
    snVec3 *to, *velocities;   // [pointCount], at its end
    const double *inverseMass; // [pointCount * 3]
    double length;             // s
} snFoldMove;

// Once over all pairs: parts what is nearer than its thickness or has passed through. Returns how much the worst was short of what is
// wanted, in what may be recovered in a substep; 0: nothing was changed. Then once more over those that were near, as often as wanted;
// with a share of their thickness that is asked for then.
double snSkinFold_Begin(snSkinFold *fold, const snFoldMove *move);
double snSkinFold_Again(snSkinFold *fold, const snFoldMove *move, double share);
// How many pairs pass through each other on their way. `stop`: their points go on as one.
int snSkinFold_Crossings(snSkinFold *fold, const snFoldMove *move, bool stop);

#endif
