// What the files of key postures share.
#ifndef SN_SKELETON_POSTURES_PARTS_H
#define SN_SKELETON_POSTURES_PARTS_H

#include "core/array.h"
#include "skeleton/postures.h"
#include "skeleton/rotation_curve.h"

struct snPostures {
    snContext context;
    int jointCount;
    double closing;           // 0: open
    SN_ARRAY(snPosture) keys; // times ascend
};

// Key k with what is beside it, 0 <= k < count.
typedef struct snPostureKnot {
    const snPosture *before, *here, *after; // NULL where an open motion ends
    double spanBefore, spanAfter;
} snPostureKnot;

snPostureKnot snPostures_Knot(const snPostures *postures, int k);

// Velocities into and out of a key, of three numbers per joint.
typedef enum snPosturePath { SN_POSTURE_PLACE, SN_POSTURE_SCALE } snPosturePath;
void snPostureKnot_Tangents(const snPostureKnot *knot, int joint, snPosturePath path,
                            snVec3 *incoming, snVec3 *outgoing);

// The rotations of a joint between key k and the next.
snRotationSpan snPostures_RotationSpan(const snPostures *postures, int k, int joint);

#endif
