// What the files of articulated dynamics share.
#ifndef SN_SKELETON_ARTICULATED_PARTS_H
#define SN_SKELETON_ARTICULATED_PARTS_H

#include "skeleton/articulated.h"

typedef struct snLink {
    snLinkDef def; // the axis of a hinge a unit vector
    int first;     // of its degrees of freedom
    int root;      // number of its tree
} snLink;

struct snArticulated {
    snArena arena;
    int linkCount, size, rootCount;
    snLink *links;
    int *roots; // [rootCount], their links
};

// Of a link, found by snArticulated_Update: world axes throughout.
typedef struct snLinkPlace {
    snQuat turned;
    snVec3 at;       // the joint, o
    snVec3 arm;      // from the parent's joint to it, r
    snVec3 mass;     // from the joint to the centre of mass, c
    snVec3 axis;     // of a hinge
    snMat3 inertia;  // about the centre of mass
    snVec3 relative; // angular velocity relative to the parent
    snSpatial velocity;
} snLinkPlace;

// What the joint of a link adds to the matrix that is solved with: a ball's, over world axes, or a
// hinge's. h damping + h² stiffness.
typedef struct snJointStiff {
    snMat3 ball; // also of free roots
    double hinge;
    double place; // of free roots
} snJointStiff;

// Of a link, found by snTree_Factor.
typedef struct snLinkFactor {
    snSpatialInertia inertia; // of all that hangs on its joint, as the joint feels it
    snSpatial reaction;       // of hinges: I s
    snMat3 inverse;           // of balls: D⁻¹
    double hinge;             // of hinges: 1 / D
} snLinkFactor;

// What snTree_Solve is given for a link, and what it finds.
typedef struct snLinkLoad {
    snSpatial force;  // that the link needs beside I a: gyroscopic minus pushes
    snVec3 torque;    // of its joint: a ball's in world axes; of hinges x
    snSpatial extra;  // accelerations from products of velocities
    snSpatial motion; // acceleration of the link; of driven roots it is given
    snVec3 joint;     // its joint's: in world axes; of hinges x
} snLinkLoad;

typedef enum snFrictionMode {
    SN_FRICTION_NONE,
    SN_FRICTION_HOLDS,
    SN_FRICTION_SLIDES
} snFrictionMode;

// A joint that rubs, within a step.
typedef struct snLinkRub {
    snFrictionMode mode;
    int changes;      // of the mode, within the step
    double grip;      // N m s/rad: what a joint that holds is damped with
    snVec3 direction; // in which one that slides does, in the link's frame; of hinges x
    snVec3 torque;    // the friction's, in the link's frame; of hinges x
} snLinkRub;

// Sums over a tree, about its centre of mass.
typedef struct snTreeSum {
    double mass, kinetic;
    snVec3 center, momentum, spin;
    snMat3 inertia;
    snVec3 pushed, twisted; // rates of momentum and spin by what acts from outside
} snTreeSum;

typedef struct snLinkLead {
    bool led;
    snVec3 place;
    snQuat rotation;
} snLinkLead;

// Ends of a range that a joint is past: by how much, and along which vectors in the link's frame; `turned` is the rotation for which that
// was found (articulated_load.c).
typedef struct snLinkStops {
    bool known;
    snQuat turned;
    int count;
    double past[3];
    snVec3 along[3];
} snLinkStops;

// How a link follows its parent, and motions by six wrenches at once (articulated_answers.c).
typedef struct snLinkGain {
    bool wanted, passed;
    snMat3 turn, move, own; // P, Q, D⁻¹
    snSpatial motion[6];
} snLinkGain;

struct snArticulatedState {
    snArena arena;
    snLinkState *links; // what lasts
    snJointDrive *drives;
    snSpatial *push; // about the joints, in world axes
    snLinkLead *leads;
    // Of the piece of a step that is taken: the share of the way that is left to leads, and what is left of
    // the step behind it, s.
    double ahead, late;
    double turn; // what the link that turns most is about to turn by, rad
    // Scratch, found anew.
    snLinkPlace *places;
    snJointStiff *stiff;
    snLinkFactor *factor;
    double *rootFactor; // [rootCount * 36], Cholesky's
    snLinkLoad *loads;
    snLinkGain *gains;
    snLinkStops *stops;
    snLinkRub *rubs;
    snTreeSum *before,
        *after; // [rootCount], of a step; implicit: when forces have acted and nothing moved
    snLinkState *begin; // of a step
    snLinkState *rate;  // Runge and Kutta's
    snLinkState *sum;   // theirs; implicit: the motion of links that fly on
};

// articulated_solve.c
void snTree_Factor(const snArticulated *tree, snArticulatedState *state);
void snTree_Solve(const snArticulated *tree, const snArticulatedState *state, snLinkLoad *loads);
// Where nothing but one link has a load: other links have none to pass up.
void snTree_SolveFrom(const snArticulated *tree, const snArticulatedState *state, int link,
                      snLinkLoad *loads);
// The first link that nothing with inertia hangs on, -1 if there is none.
int snTree_FindLoose(const snArticulated *tree, snArticulatedState *state);

// Of a driven root: where it is at the step's end, and how it moves.
typedef struct snRootLead {
    snVec3 place, velocity, spin; // spin in the world
    snQuat rotation;
} snRootLead;

// articulated_step.c
snRootLead snTree_Lead(const snArticulatedState *state, int link, double h);
// Accelerations of driven roots into loads; their velocities; where they end, from `begin`.
void snTree_LoadLeads(const snArticulated *tree, snArticulatedState *state, double h);
void snTree_LeadVelocities(const snArticulated *tree, snArticulatedState *state, double h);
void snTree_FinishLeads(const snArticulated *tree, snArticulatedState *state,
                        const snLinkState *begin, double h);
// Acceleration of a joint's spin as it was solved for, in the link's frame.
snVec3 snTree_SpinRate(const snLink *link, const snLinkPlace *place, const snLinkLoad *load);

// articulated_rk4.c
void snTree_StepRungeKutta(const snArticulated *tree, snArticulatedState *state,
                           const snArticulatedStep *step);

// articulated_friction.c
bool snTree_HasFriction(const snArticulated *tree, const snArticulatedState *state);
void snTree_BeginFriction(const snArticulated *tree, snArticulatedState *state, double h);
void snTree_LoadFriction(const snArticulated *tree, snArticulatedState *state, double h);
// Whether all joints do what they were tried with; else they are to be tried again.
bool snTree_JudgeFriction(const snArticulated *tree, snArticulatedState *state, double h);
void snTree_FinishFriction(const snArticulated *tree, snArticulatedState *state);

// articulated_load.c: forces and products of velocities into loads; torques of drives, implicit in a
// step of length h (0: as they are now), into loads and `stiff`. LoadStill leaves products of velocities out.
void snTree_LoadForces(const snArticulated *tree, snArticulatedState *state, snVec3 gravity);
void snTree_LoadStill(const snArticulated *tree, snArticulatedState *state, snVec3 gravity);
void snTree_LoadDrives(const snArticulated *tree, snArticulatedState *state, double h);
// What the drive of a free root does to it, about its origin.
snSpatial snTree_RootDrive(const snArticulatedState *state, int link, double h);
double snTree_DriveEnergy(const snArticulated *tree, const snArticulatedState *state);

// articulated_measure.c
void snTree_Sum(const snArticulated *tree, const snArticulatedState *state, snVec3 gravity,
                snTreeSum *sums);

// articulated_keep.c: momenta are those of `before` and what acted since; or both momenta and the energy of `before`.
void snTree_KeepMomentum(const snArticulated *tree, snArticulatedState *state, double h);
void snTree_KeepEnergy(const snArticulated *tree, snArticulatedState *state, double h,
                       snVec3 gravity);

static inline bool snTree_Turns(const snLink *link)
{
    return link->def.kind == SN_LINK_BALL || link->def.kind == SN_LINK_HINGE;
}

static inline snVec3 snTree_Outward(const snLinkPlace *place, snVec3 inLink)
{
    return snRotate(place->turned, inLink);
}

static inline snVec3 snTree_Inward(const snLinkPlace *place, snVec3 inWorld)
{
    return snRotate(snConjugate(place->turned), inWorld);
}

#endif
