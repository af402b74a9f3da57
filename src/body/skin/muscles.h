// The muscles under a skin, and how they move within a step: frames from one place to another, shapes from one set of
// numbers to another. Points of the skin may not be inside them.
#ifndef SN_BODY_SKIN_MUSCLES_H
#define SN_BODY_SKIN_MUSCLES_H

#include "body/skin/point.h"
#include "geometry/muscle.h"
#include "geometry/tree.h"

typedef struct snSkinMuscle {
    snMuscleShape shape; // placed in its frame
    int frame;
} snSkinMuscle;

typedef struct snSkinMuscles {
    int count, frameCount;
    snSkinMuscle *shape[2]; // [count], at a step's begin and end
    snAffine *frame[2];     // [frameCount]
    snMuscle *edge[2];      // [count], ready to be asked, at begin and end
    snMuscle *now;          // [count], at the time of the last snSkinMuscles_At
    double nowAt;           // that time, as a share of the step; below 0: none
    bool moving;            // begin and end differ
    snTree tree;            // over `now`
    snBox *boxes;           // [count]
} snSkinMuscles;

snStatus snSkinMuscles_Make(snSkinMuscles *muscles, int count, const snSkinMuscle *shapes,
                            int frameCount, const snAffine *frames, snArena *arena, snError *error);
// Where a step leads to: frames, and shapes with other numbers (NULL: the same), as many as they are.
void snSkinMuscles_Aim(snSkinMuscles *muscles, const snAffine *frames, const snSkinMuscle *shapes);
void snSkinMuscles_Arrive(snSkinMuscles *muscles); // the step's end becomes the begin
void snSkinMuscles_At(snSkinMuscles *muscles, double share);

// A place that is fixed to a muscle or a frame, at a share of the step.
snAffine snSkinMuscles_Frame(const snSkinMuscles *muscles, int frame, double share);
// How fast the material of a muscle moves where a point is now, with a step of this length.
snVec3 snSkinMuscles_Velocity(const snSkinMuscles *muscles, int muscle, snVec3 point,
                              double length);

// Between two affine maps: rotations turn at an even pace.
snAffine snBlendAffine(snAffine a, snAffine b, double share);

// ---- not inside ---------------------------------------------------------------------------------

typedef struct snSkinPush {
    double normal, slide; // what is left of the velocity into a muscle (reversed) and along it
    double limit;         // m; pushes that are longer reject a step
} snSkinPush;

typedef struct snSkinPushCount {
    int64_t tests;   // evaluations of inside functions
    int64_t brute;   // what they would be without trees: points times muscles
    int64_t touched; // points that were pushed
} snSkinPushCount;

// Trees over points, built once, and scratch.
typedef struct snSkinCull {
    snTree tree;
    snBox *boxes;   // [pointCount]
    snVec3 *fat;    // [pointCount], r - τ n
    snVec3 *normal; // [pointCount]
    bool *still;    // [pointCount], its foot is where the sweep before left it
    int *list;      // candidates, a row for every depth
    int listWidth;
    double *depth; // [muscles], of one point in its candidates
    bool thick;    // some point has fat
} snSkinCull;
snStatus snSkinCull_Make(snSkinCull *cull, const snSkinMesh *mesh, const snVec3 *places,
                         int muscleCount, snArena *arena, snError *error);

typedef struct snSkinContact {
    const snSkinMesh *mesh;
    const snSkinPoint *points;
    const double *inverseMass; // [pointCount * 3]; 0: is not pushed
    snSkinMuscles *muscles;    // at the time that is asked for
    snSkinPush push;
    double length;       // of the step in which muscles move, s
    bool again;          // right after a push: only points that were moved since are asked
    const bool *pressed; // [pointCount], lay on a muscle and were pressed on it; NULL: none
    snVec3 *
        touched; // [pointCount], normals of the muscles that they lie on, 0: none. NULL: not wanted
} snSkinContact;

// Moves all points out of all muscles and changes velocities of those that came nearer: returns the longest way. r and v
// have a row per point.
double snSkinCull_Push(snSkinCull *cull, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                       snSkinPushCount *count);
// How deep the deepest point is in a muscle, as a share of the muscle's size; every point with every muscle.
double snSkinCull_Deepest(snSkinCull *cull, const snSkinContact *contact, const snVec3 *r);

// Unit normals of points by area.
void snSkinMesh_Normals(const snSkinMesh *mesh, const snVec3 *r, snVec3 *normals);

#endif
