// Smooth curves through rotations: Kochanek and Bartels' tangents, and Hermite spans, on rotations
// themselves. They do not depend on the frame in which rotations are written, and about one axis they are
// the curves of numerics/spline.h over the angle.
#ifndef SN_SKELETON_ROTATION_CURVE_H
#define SN_SKELETON_ROTATION_CURVE_H

#include "core/vec.h"
#include "numerics/spline.h"

// A key with its neighbours; NULL where an open curve ends.
typedef struct snRotationKnot {
    const snQuat *before, *here, *after;
    double spanBefore, spanAfter; // s
    snKnotShape shape;
} snRotationKnot;

// The same tangents of vectors: velocities into and out of `here`. NULL where an open curve ends.
void snVectorTangents(const snVec3 *before, snVec3 here, const snVec3 *after, const double spans[2],
                      snKnotShape shape, snVec3 *incoming, snVec3 *outgoing);

// Angular velocities at the key, in the frame that is turned by it (body frame), radians per second.
void snRotationKnot_Tangents(const snRotationKnot *knot, snVec3 *incoming, snVec3 *outgoing);

// From one rotation to another within `length` seconds, with the angular velocities at both ends. Keys
// lie half a turn apart at most, as the shorter way is taken.
typedef struct snRotationSpan {
    snQuat from;
    snVec3 turn[3];
    double length;
} snRotationSpan;

snRotationSpan snMakeRotationSpan(snQuat from, snVec3 spinFrom, snQuat to, snVec3 spinTo,
                                  double length);
// u in [0, 1]; `spin`, the angular velocity in the body's frame, may be NULL.
snQuat snRotationSpan_At(const snRotationSpan *span, double u, snVec3 *spin);

#endif
