// Faces of a skin kept out of muscles, where points alone are too far apart: a muscle that is small beside a face would come
// through between its corners, and a coarse skin would lose a flipper that a fine one covers. On faces that a muscle bulges
// into there are samples, means of the corners, which are pushed out as points are, and their corners with them.
#ifndef SN_BODY_SKIN_COVER_H
#define SN_BODY_SKIN_COVER_H

#include "body/skin/muscles.h"

typedef struct snSkinSpot {
    int corner[4];    // of its face; of triangles the last is the third again
    double weight[4]; // sum to 1; of triangles the last is 0
} snSkinSpot;

typedef struct snSkinCover {
    int count;
    snSkinSpot *spots; // [count], four on a quad, three on a triangle
    double slack;      // m: how deep samples may be
    int *moved;        // [points], the last sweep that moved them, scratch
    snSkinCull cull;   // what is near samples
    bool *heldUp;      // [count], presses on the muscle that it lies on
    double *hold;      // [count], N, with what it is held up then
    snVec3 *touched;   // [count], normals of the muscles that samples came to lie on; 0: none
    snVec3 *touching;  // [count], the same when the step began: the owner's state
} snSkinCover;

// On faces into which a muscle, as it stands, bulges by more than `bulge` metres beyond what lies straight between their corners, and on
// those around them: there samples may be as deep as that, for so deep are those of other faces. Below 0: on all, as deep as -bulge.
// Where nothing bulges there are none, and nothing is computed.
snStatus snSkinCover_Make(snSkinCover *cover, const snSkinContact *contact, const snVec3 *places,
                          double bulge, snArena *arena, snError *error);

// Moves faces out of all muscles, and changes velocities of those that came nearer (v may be NULL): returns the longest way of a
// sample. Points may be in muscles afterwards and are pushed then (snSkinCull_Push).
double snSkinCover_Push(snSkinCover *cover, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                        snSkinPushCount *count);
// How deep the deepest sample is in a muscle, m.
double snSkinCover_Deepest(const snSkinCover *cover, const snSkinContact *contact, const snVec3 *r);

// Takes from forces what presses samples on muscles that they lie on, and notes which they are; then the same of what was
// noted, Q f, and its transpose Qᵀ x, which takes the motion into muscles from velocities.
void snSkinCover_HoldUp(snSkinCover *cover, const double *inverseMass, snVec3 *force);
void snSkinCover_Hold(const snSkinCover *cover, const double *inverseMass, snVec3 *force);
void snSkinCover_Still(const snSkinCover *cover, const double *inverseMass, snVec3 *x);

#endif
