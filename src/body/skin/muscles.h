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
    int bare; // 1: the skin passes it by, as what grows out of it: a beak, claws
} snSkinMuscle;

// How a muscle changes within a step, beside what its frame does.
typedef struct snSkinSway {
    bool changes;    // its numbers do
    bool swells;     // more than the warp
    bool shifts;     // its place in its frame does
    double far;      // m in its own frame, no point of it goes farther
    double steepest; // of its g, there (snMuscle_Steepest)
    double shrunk;   // no less than what its frame makes metres shorter by; 1 where it turns alone
} snSkinSway;

typedef struct snSkinMuscles {
    int count, frameCount;
    snSkinMuscle *shape[2]; // [count], at a step's begin and end
    snAffine *frame[2];     // [frameCount]
    snMuscle *edge[2];      // [count], ready to be asked, at begin and end
    snMuscle *now; // [count], at the time of the last snSkinMuscles_At; no bounds, size of the end
    double nowAt;  // that time, as a share of the step; below 0: none
    bool moving;   // begin and end differ
    snSkinSway *sway; // [count], snSkinMuscles_Aim
    double travel;    // m, no point of a muscle goes farther in the step
    int steps; // counts snSkinMuscles_Aim: what was known of muscles before is not true any more
    snAffine *between; // [frameCount], scratch
    // snSkinMuscles_Bound
    bool bounded; // those of `now` are known
    snTree tree;  // over `now`
    snBox *boxes; // [count]
} snSkinMuscles;

snStatus snSkinMuscles_Make(snSkinMuscles *muscles, int count, const snSkinMuscle *shapes,
                            int frameCount, const snAffine *frames, snArena *arena, snError *error);
// Where a step leads to: frames, and shapes with other numbers (NULL: the same), as many as they are.
void snSkinMuscles_Aim(snSkinMuscles *muscles, const snAffine *frames, const snSkinMuscle *shapes);
void snSkinMuscles_Arrive(snSkinMuscles *muscles); // the step's end becomes the begin
void snSkinMuscles_At(snSkinMuscles *muscles, double share);
void snSkinMuscles_Bound(snSkinMuscles *muscles); // bounds and the tree, where they are now

// A place that is fixed to a muscle or a frame, at a share of the step.
snAffine snSkinMuscles_Frame(const snSkinMuscles *muscles, int frame, double share);

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

// What is known of a point near a muscle since it was asked for, in the muscle's own frame (near.c).
typedef struct snSkinNear {
    int muscle;
    bool plane;      // all but `clear` is known
    snVec3 at;       // where it was asked for ...
    double share;    // ... and when, as a share of the step
    double clear;    // m, no part of the muscle was nearer to there; below 0: not known
    double away;     // m in the world, its distance, below 0 inside
    snVec3 slope;    // of the distance, by own coordinates
    snVec3 from, to; // off `at`: where at the step's begin and end that is which is there then
    double
        radius; // m: as long as the point is no farther from there, it is as far away as a plane says
    double off; // m, how much that may be off
} snSkinNear;

// Until a foot and the muscles have moved by `room`, it is far from all of its list but the first few.
typedef struct snSkinCalm {
    int few;
    double room;  // m; below 0: not known
    snVec3 foot;  // when it was found
    double share; // of the step, too
} snSkinCalm;

// Trees over feet, of points or of samples of faces, built once; what is near them; scratch.
typedef struct snSkinCull {
    snTree tree;
    double loose;   // how many times farther off planes may be than those of points
    snBox *boxes;   // [pointCount]
    snVec3 *fat;    // [pointCount], r - τ n
    snVec3 *normal; // [pointCount]
    bool *still;    // [pointCount], its foot is where the sweep before left it
    int *list;      // candidates, a row for every depth
    int listWidth;
    bool thick; // some point has fat
    // Muscles near points: lists that hold until a foot and the muscles have moved by `reach`.
    snSkinNear *near; // [nearMost]
    int nearCount, nearMost;
    int *start, *count;  // [pointCount], its part of them; count -1: there was no room
    snVec3 *listed;      // [pointCount], feet when lists were made
    double listedAt;     // share of the step
    int listedIn;        // snSkinMuscles.steps
    double reach;        // m
    snSkinNear *passing; // [muscles], for one point without a list
    snSkinCalm *calm;    // [pointCount]
} snSkinCull;
snStatus snSkinCull_Make(snSkinCull *cull, int count, const snVec3 *places, int muscleCount,
                         snArena *arena, snError *error);

typedef struct snSkinContact {
    const snSkinMesh *mesh;
    const snSkinPoint *points;
    const double *inverseMass; // [pointCount * 3]; 0: is not pushed
    snSkinMuscles *muscles;    // at the time that is asked for
    snSkinPush push;
    double length;       // of the step in which muscles move, s
    double substep;      // of it, that which ends here
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

// ---- what is near (near.c) -----------------------------------------------------------------------

#define SN_SKIN_TOUCHING                                                                           \
    5e-3 // of a muscle's size: what was pressed on it and is no farther away still touches

// Lists of muscles near feet (cull->fat), made anew where they do not hold any more.
void snSkinCull_Near(snSkinCull *cull, snSkinMuscles *muscles);
// Brings those that are not surely far to the front of a point's list; how many, and how far the foot may be moved until there
// may be more.
int snSkinCull_Few(snSkinCull *cull, const snSkinMuscles *muscles, int point, double *room);
// Those of one foot that has left its list, in cull->passing; how many.
int snSkinCull_Passing(snSkinCull *cull, snSkinMuscles *muscles, snVec3 foot);
// One of both, as the foot has a list: those that it may touch, how many, and its room.
snSkinNear *snSkinCull_Close(snSkinCull *cull, snSkinMuscles *muscles, int point, int *few,
                             double *room);
// How deep a foot is in the muscle now, m, and which way is out; minus infinity where it surely is outside and does not touch.
double snSkinNear_Depth(snSkinNear *near, const snSkinMuscles *muscles, snVec3 foot, snVec3 *out,
                        snSkinPushCount *count);
// How fast what is at a foot on the muscle moves, after snSkinNear_Depth there, in a step of this length.
snVec3 snSkinNear_Velocity(const snSkinNear *near, const snSkinMuscles *muscles, snVec3 foot,
                           double length);

// Unit normals of points by area.
void snSkinMesh_Normals(const snSkinMesh *mesh, const snVec3 *r, snVec3 *normals);

#endif
