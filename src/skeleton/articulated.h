// Articulated dynamics: links joined into trees by balls, hinges or rigidly, moved by forces. The cost of
// a step grows with the number of links alone (Featherstone's articulated-body algorithm, 1983).
//
//     snArticulated_Make(&tree, &def, &context, &error);       // const from here on
//     snArticulatedState_Make(&state, tree, &context, &error);
//     snArticulated_Push(tree, state, link, point, force);     // until the next step
//     snArticulated_Step(tree, state, &step);                  // allocates nothing
//
// Begin reading with snArticulated_Step in articulated_step.c, then articulated_solve.c.
#ifndef SN_SKELETON_ARTICULATED_H
#define SN_SKELETON_ARTICULATED_H

#include "skeleton/range.h"
#include "skeleton/spatial.h"

typedef enum snLinkKind {
    SN_LINK_FREE,   // a root that nothing holds
    SN_LINK_DRIVEN, // a root that is where it is put: fixed, or on a path
    SN_LINK_BALL,
    SN_LINK_HINGE,
    SN_LINK_FIXED, // rigidly on its parent
} snLinkKind;

// What draws a joint to a rotation. All of it acts on the link and, the other way, on its parent.
typedef struct snJointDrive {
    double stiffness; // N m/rad; any: steps are implicit in it
    double damping;   // N m s/rad
    double friction;  // N m, Coulomb's: the most that it holds or takes
    snQuat target;    // of balls: the rotation in the parent at the step's end
    snVec3 spin;      // its angular velocity, in the link's frame: damping is relative to it
    double angle;     // of hinges, instead; `spin.x` is its rate
    double limits;    // N m/rad, of springs that begin where the link's range ends; 0: no limits
    // Free roots are drawn in the world, by a hand from outside: turned as above, and moved.
    double pull, drag;      // N/m, N s/m
    snVec3 place, velocity; // of the frame's origin, at the step's end
} snJointDrive;

// A link's frame stands in its joint. At rest it is turned by `rest` in the parent's frame.
typedef struct snLinkDef {
    int parent; // -1: a root; always less than the link's own number
    snLinkKind kind;
    snVec3 offset;      // the joint, in the parent's frame; of roots: in the world
    snQuat rest;        // rotation at rest
    snVec3 axis;        // of hinges, in the link's frame
    snJointRange range; // of balls and hinges, for `drive.limits`
    double mass;        // kg
    snVec3 center;      // of mass, in the link's frame
    snMat3 inertia;     // about it, in the axes of the link, kg m²
    snJointDrive drive;
} snLinkDef;

typedef struct snArticulatedDef {
    int linkCount;
    const snLinkDef *links; // copied
} snArticulatedDef;

// Where a link is and how it moves: all that lasts from step to step.
typedef struct snLinkState {
    snQuat rotation; // in the parent's frame; of roots: in the world
    snVec3 place;    // of roots
    snVec3 spin;     // relative to the parent, in the link's frame, rad/s; of hinges: x is the rate
    snVec3 velocity; // of free roots: of the frame's origin
    double angle;    // of hinges; it goes on counting beyond a turn
    snVec3 friction; // torque that friction held with in the last step, in the link's frame
} snLinkState;

typedef struct snArticulated snArticulated;
typedef struct snArticulatedState snArticulatedState;

typedef enum snArticulatedMethod {
    SN_ARTICULATED_IMPLICIT, // of first order; springs, dampers and friction of any strength
    SN_ARTICULATED_RK4, // of fourth order, explicit: keeps energy; needs short steps when stiff
} snArticulatedMethod;

typedef struct snArticulatedStep {
    double length; // s
    snVec3 gravity;
    snArticulatedMethod method;
} snArticulatedStep;

typedef struct snArticulatedMeasure {
    double mass, kinetic, potential, elastic; // kg, J: of gravity, of springs in joints
    snVec3 center, momentum, angularMomentum; // the latter about the world's origin
    snMat3 inertia;                           // about the centre
} snArticulatedMeasure;

snLinkDef snDefaultLinkDef(int parent, snLinkKind kind);
// Mass, centre and inertia of a solid box, and of a solid capsule from head to tail, in the link's frame.
void snLinkDef_SetBox(snLinkDef *link, snVec3 center, snVec3 halfSize, double mass);
void snLinkDef_SetCapsule(snLinkDef *link, snVec3 head, snVec3 tail, double radius, double mass);

// Refuses links that nothing could move (a joint whose links weigh nothing), and names them.
snStatus snArticulated_Make(snArticulated **tree, const snArticulatedDef *def,
                            const snContext *context, snError *error);
void snArticulated_Destroy(snArticulated *tree);
// Degrees of freedom: 6 of a free root, 3 of a ball, 1 of a hinge; where a link's begin.
int snArticulated_Size(const snArticulated *tree);
int snArticulated_First(const snArticulated *tree, int link);

// At rest, still. The links of a state are one block, [linkCount]: saving, restoring and hashing are a
// copy; after writing into it call snArticulated_Update.
snStatus snArticulatedState_Make(snArticulatedState **state, const snArticulated *tree,
                                 const snContext *context, snError *error);
void snArticulatedState_Destroy(snArticulatedState *state);
snLinkState *snArticulatedState_Links(snArticulatedState *state);
snJointDrive *snArticulatedState_Drives(snArticulatedState *state); // as defined; may be changed
uint64_t snArticulated_Hash(const snArticulated *tree, const snArticulatedState *state);
void snArticulated_Update(const snArticulated *tree, snArticulatedState *state);

// World frames (unscaled), and motion of points, as they are now.
snAffine snArticulated_Frame(const snArticulatedState *state, int link);
snVec3 snArticulated_Velocity(const snArticulatedState *state, int link, snVec3 worldPoint);
snVec3 snArticulated_Spin(const snArticulatedState *state, int link); // in the world

// Forces of the next step, which forgets them: at points of links, and turning ones.
void snArticulated_Push(const snArticulated *tree, snArticulatedState *state, int link,
                        snVec3 worldPoint, snVec3 force);
void snArticulated_Twist(const snArticulated *tree, snArticulatedState *state, int link,
                         snVec3 torque);
// Where a driven root is at the next step's end; it stays where it is if this is not called.
void snArticulated_Lead(snArticulatedState *state, int link, snVec3 place, snQuat rotation);

void snArticulated_Step(const snArticulated *tree, snArticulatedState *state,
                        const snArticulatedStep *step);

// The implicit step in two, in one piece, for those who solve contacts in between: velocities as forces and drives make
// them, at the places that are; there, columns of the step's matrix (below) say how points answer to what holds them apart,
// and snArticulated_Strike carries it out; then the way with these velocities.
void snArticulated_Speed(const snArticulated *tree, snArticulatedState *state,
                         const snArticulatedStep *step);
void snArticulated_Move(const snArticulated *tree, snArticulatedState *state,
                        const snArticulatedStep *step);

// Accelerations as forces and drives are now, [size]: of each joint's spin (free roots: spin in the
// link's frame, then velocity). Takes nothing forward; dampers and springs explicitly.
void snArticulated_Accelerations(const snArticulated *tree, snArticulatedState *state,
                                 snVec3 gravity, double *accelerations);

// Impulses. With M the mass matrix over the degrees of freedom and J the rows of a point's velocity:
// snArticulated_Column gives M⁻¹Jᵀ, [3][size], for blows along x, y, z; in a step of length h, if
// given, (M + hC + h²K)⁻¹Jᵀ, with the drives' stiffness and damping. snArticulated_Response is J_p of it, in 1/kg, and
// snArticulated_Strike adds it times an impulse. Prepare factors M (h = 0) or the step's matrix as the tree stands.
void snArticulated_Prepare(const snArticulated *tree, snArticulatedState *state, double h);
void snArticulated_Column(const snArticulated *tree, snArticulatedState *state, int link,
                          snVec3 worldPoint, double *column);
snMat3 snArticulated_Response(const snArticulated *tree, const snArticulatedState *state, int link,
                              snVec3 worldPoint, const double *column);
// J_p of any change of velocities over the degrees of freedom, [size].
snVec3 snArticulated_Change(const snArticulated *tree, const snArticulatedState *state, int link,
                            snVec3 worldPoint, const double *change);
// Changes of motion of all links about their joints, in world axes, [linkCount], by a wrench on one about its joint.
void snArticulated_Answer(const snArticulated *tree, snArticulatedState *state, int link,
                          snSpatial wrench, snSpatial *motions);
// The same for `count` links at once: the motions of each by six unit wrenches (turning about x, y, z, then along them) on each of
// them, [count][count][6]: wrenches on one of them, at each of them.
void snArticulated_Answers(const snArticulated *tree, snArticulatedState *state, int count,
                           const int *links, snSpatialRow *blocks);
void snArticulated_Strike(const snArticulated *tree, snArticulatedState *state,
                          const double *column, snVec3 impulse);
// Velocities change by `change` over the degrees of freedom, [size], and places by so much in a time.
void snArticulated_Shift(const snArticulated *tree, snArticulatedState *state, const double *change,
                         double time);
// A blow at once, without columns: velocities change by M⁻¹Jᵀ P.
void snArticulated_Blow(const snArticulated *tree, snArticulatedState *state, int link,
                        snVec3 worldPoint, snVec3 impulse);

void snArticulated_Measure(const snArticulated *tree, const snArticulatedState *state,
                           snVec3 gravity, snArticulatedMeasure *measure);

#endif
