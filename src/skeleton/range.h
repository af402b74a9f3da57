// What a joint can do: turn freely, about one axis, or not at all, and how far. Ranges stand beside
// a skeleton, one per joint; a NULL array of them is a skeleton of free ball joints.
//
// A joint's turn is what its rotation adds to the one at rest: rotation = rest * turn. A range looks
// at it in a frame of its own, whose x is the axis of a hinge, or the one along which a ball twists:
//     turn = frame * swing * twist * frame⁻¹,
// twist about x, swing about an axis in the plane of y and z. Coordinates are (twist, swing about y,
// swing about z), the latter two a rotation vector: no pole but at a swing of half a turn.
#ifndef SN_SKELETON_RANGE_H
#define SN_SKELETON_RANGE_H

#include "skeleton/skeleton.h"

typedef enum snJointKind {
    SN_JOINT_BALL,
    SN_JOINT_HINGE,
    SN_JOINT_FIXED,
} snJointKind;

typedef struct snJointRange {
    snJointKind kind;
    snQuat frame;           // in the joint's own frame at rest
    bool limited;           // false: low and high do not matter
    double low[3], high[3]; // radians: twist (or the hinge's angle), swing about y, about z
} snJointRange;

snJointRange snFreeBall(void);
snJointRange snFixedJoint(void);
snJointRange snFreeHinge(snVec3 axis);                             // in the joint's frame at rest
snJointRange snLimitedHinge(snVec3 axis, double low, double high); // radians
// A ball that twists by up to ±twist about the axis, and swings by up to ±swing about any axis across.
snJointRange snLimitedBall(snVec3 axis, double twist, double swing);

// Limits in order, within half a turn, the corner of the swings too; a frame that is a rotation.
// Messages speak of ranges[joint].
snStatus snJointRange_Check(const snJointRange *range, int joint, snError *error);

// Coordinates of a rotation of the joint, and back. A hinge has the first alone, and what of the
// rotation is not about its axis is lost; a fixed joint has none.
void snJointRange_Read(const snJointRange *range, snQuat rest, snQuat rotation, double angles[3]);
snQuat snJointRange_Rotation(const snJointRange *range, snQuat rest, const double angles[3]);

// How the rotation turns when the coordinates change: axes in the parent's frame, angular velocity
// = Σ axes[i] d(angles[i])/dt.
void snJointRange_Axes(const snJointRange *range, snQuat rest, const double angles[3],
                       snVec3 axes[3]);

// The rotation nearest in coordinates that the range allows; itself, bit for bit, if it does already.
snQuat snJointRange_Clamp(const snJointRange *range, snQuat rest, snQuat rotation);

int snJointRange_Coordinates(const snJointRange *range); // 3, 1, 0

#endif
