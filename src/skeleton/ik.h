// Inverse kinematics: turns joints of a pose so that points of it are where they are wanted, and
// turned as they are wanted. Begin with snIk_Solve in ik_solve.c; ik_model.c has the derivatives.
//
//     snIkEffector hand = snDefaultIkEffector(joint);
//     hand.position = wanted;
//     snIkDef def = snDefaultIkDef(&skeleton);
//     def.effectors = &hand, def.effectorCount = 1;
//     snIk_Make(&ik, &def, &context, &error);
//     snIk_SetTarget(ik, 0, wanted, turned, &error);    // as often as it moves
//     snIk_Solve(ik, &pose, reports);                   // allocates nothing
#ifndef SN_SKELETON_IK_H
#define SN_SKELETON_IK_H

#include "skeleton/range.h"

typedef struct snIk snIk;

typedef struct snIkEffector {
    int joint;
    snVec3 point;       // in the joint's frame: what is to come to `position`
    bool place, turn;   // which of the two is wanted; one at least
    snVec3 position;    // in the frame of the skeleton
    snQuat orientation; // of the joint: the product of rotations from its root down to it
    double weight;      // where not all can be met, how much this one counts; above 0
    int root;           // the topmost joint that turns for it; -1: up to the nearest branch
} snIkEffector;

typedef struct snIkDef {
    const snSkeleton *skeleton; // must live as long as the snIk
    const snJointRange *ranges; // [jointCount], copied; NULL: free balls
    int effectorCount;
    const snIkEffector *effectors; // copied
    int mostIterations;            // in one call
    double mostAngle;              // radians that a joint turns in one iteration
    double tolerance;              // of the reach: what counts as met; turns in radians
    double lever;                  // m: a radian off counts as much as this; 0: the reach
} snIkDef;

// Why a target was not met.
typedef enum snIkOutcome {
    SN_IK_REACHED,
    SN_IK_OUT_OF_REACH, // joints are too few or too short: it is stretched toward it
    SN_IK_LIMITS,       // joints stand at their limits
    SN_IK_CONFLICT,     // others pull the other way
    SN_IK_NO_JOINTS,    // nothing can turn: all joints above are fixed
    SN_IK_ITERATIONS,   // on its way: another call goes on
} snIkOutcome;

typedef struct snIkReport {
    snIkOutcome outcome;
    double miss;    // m, 0 where no place is wanted
    double turnOff; // radians, 0 where no orientation is wanted
} snIkReport;

snIkEffector snDefaultIkEffector(int joint); // place of the joint's origin, weight 1
snIkDef snDefaultIkDef(const snSkeleton *skeleton);

// The branch that is nearest above: a joint that others hang on too. It does not turn itself, for
// those would move along. Returns the topmost joint below it that turns with `joint`.
int snSkeleton_ChainRoot(const snSkeleton *skeleton, int joint);

snStatus snIk_Make(snIk **ik, const snIkDef *def, const snContext *context, snError *error);
void snIk_Destroy(snIk *ik); // accepts NULL

// SN_ERROR_ARGUMENT for what is no finite number; the old target stays. What the effector does not
// want (`place`, `turn`) is not looked at.
snStatus snIk_SetTarget(snIk *ik, int effector, snVec3 position, snQuat orientation,
                        snError *error);

// Turns the joints; the pose's globals are of the new pose afterwards. Joints outside of their
// ranges are brought into them first. A pose that cannot be made any better stays bit for bit, so the
// same target in the next frame gives the same pose. `reports` [effectorCount] may be NULL. Returns
// the number of iterations.
int snIk_Solve(snIk *ik, snPose *pose, snIkReport *reports);

const char *snIkOutcome_Name(snIkOutcome outcome); // "reached", "out of reach", ...

#endif
