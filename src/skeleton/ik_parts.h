// What the files of inverse kinematics share.
#ifndef SN_SKELETON_IK_PARTS_H
#define SN_SKELETON_IK_PARTS_H

#include "skeleton/ik.h"

// A joint that turns, with `count` coordinates from `first` on. A free ball has no coordinates that
// last: each iteration turns it by a rotation vector in its parent's frame.
typedef struct snIkJoint {
    int joint, first, count;
    bool freeBall;
    snJointRange range;
    double angles[3]; // of all but free balls
    // Before the present trial.
    snQuat rotationBefore;
    double anglesBefore[3];
} snIkJoint;

// Where the pose stands against an effector's target.
typedef struct snIkMiss {
    snVec3 place, turn; // from what is to what is wanted; zero where it does not matter
    double distance, angle;
} snIkMiss;

struct snIk {
    snArena arena;
    const snSkeleton *skeleton;
    snIkDef def;
    double reach, lever; // m
    int effectorCount;
    snIkEffector *effectors;
    snIkMiss *miss, *missBefore; // [effectorCount], snIk_Measure, and before the present trial
    int neededCount;
    int *needed; // joints at or above an effector, ascending
    int jointCount;
    snIkJoint *joints; // those that turn, ascending
    bool *acts;        // [effectorCount * jointCount]: the joint is at or above the effector's
    // By joint of the skeleton, of the needed ones.
    snAffine *frame;                    // of the joint
    snQuat *turned;                     // product of rotations down to it
    int size;                           // coordinates
    snVec3 *axis;                       // [size], in the skeleton's frame; snIk_Differentiate
    snVec3 *place;                      // [effectorCount * size], d place / d coordinate
    double *gradient, *noise, *hessian; // [size], [size], [size * size]
    double stiffest; // the largest diagonal element of JᵀJ, what H is without its second term
    double *step, *factor, *vectors, *values, *work;
    int *free; // coordinates that may move in this iteration
    int freeCount;
};

// Frames of the needed joints, and misses. What is to be least is the energy
//     E = ½ Σ weight (|place|² + lever² |turn|²).
void snIk_Measure(snIk *ik, const snPose *pose);

// Gradient and Hessian of E over the coordinates, and `stiffest`, after snIk_Measure. noise[i] is what gradient[i]
// would be if everything pulled along the coordinate: smaller than that times rounding is zero.
void snIk_Differentiate(snIk *ik, const snPose *pose);

bool snIk_IsReached(const snIk *ik, int effector);

// Whether coordinate i of the joint stands at a limit that the gradient presses it against.
bool snIk_IsStopped(const snIk *ik, const snIkJoint *joint, int i);

#endif
