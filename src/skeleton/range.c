#include "skeleton/range.h"

#include "core/elementary.h"
#include "core/error.h"

// Limits are kept in coordinates; what reading a rotation back may be off by.
#define ROUNDING 1e-12

snJointRange snFreeBall(void)
{
    return (snJointRange){.kind = SN_JOINT_BALL, .frame = snIdentityQuat()};
}

snJointRange snFixedJoint(void)
{
    return (snJointRange){.kind = SN_JOINT_FIXED, .frame = snIdentityQuat()};
}

static snQuat frameAbout(snVec3 axis)
{
    return snQuatBetween(snVec(1, 0, 0), snNormalizeOr(axis, snVec(1, 0, 0)));
}

snJointRange snFreeHinge(snVec3 axis)
{
    return (snJointRange){.kind = SN_JOINT_HINGE, .frame = frameAbout(axis)};
}

snJointRange snLimitedHinge(snVec3 axis, double low, double high)
{
    snJointRange range = snFreeHinge(axis);
    range.limited = true;
    range.low[0] = low;
    range.high[0] = high;
    return range;
}

// The square of swings with its corners on the circle.
snJointRange snLimitedBall(snVec3 axis, double twist, double swing)
{
    double side = swing * sqrt(0.5);
    return (snJointRange){.kind = SN_JOINT_BALL,
                          .frame = frameAbout(axis),
                          .limited = true,
                          .low = {-twist, -side, -side},
                          .high = {twist, side, side}};
}

int snJointRange_Coordinates(const snJointRange *range)
{
    return range->kind == SN_JOINT_BALL ? 3 : range->kind == SN_JOINT_HINGE ? 1 : 0;
}

snStatus snJointRange_Check(const snJointRange *range, int joint, snError *error)
{
    static const char *const names[3] = {"twist", "swing about y", "swing about z"};
    if (!(fabs(snDotQ(range->frame, range->frame) - 1) < 1e-6))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "ranges[%d].frame is no rotation: its length must be 1", joint);
    if (!range->limited) return SN_OK;
    double corner = 0;
    for (int i = 0; i < snJointRange_Coordinates(range); i++) {
        double low = range->low[i], high = range->high[i];
        if (!(low <= high) || !(low >= -SN_PI - ROUNDING) || !(high <= SN_PI + ROUNDING))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "ranges[%d]: %s from %g to %g radians; limits must ascend, within -pi "
                          "and pi",
                          joint, names[i], low, high);
        double most = fmax(fabs(low), fabs(high));
        if (i > 0) corner += most * most;
    }
    if (corner > SN_PI * SN_PI * (1 + ROUNDING))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "ranges[%d]: swings about y and z reach %g radians together; that must be no "
                      "more than half a turn, pi",
                      joint, sqrt(corner));
    return SN_OK;
}

// turn = rest⁻¹ rotation, seen in the range's frame.
static snQuat turnOf(const snJointRange *range, snQuat rest, snQuat rotation)
{
    snQuat turn = snMulQQ(snConjugate(snNormalizeQ(rest)), snNormalizeQ(rotation));
    return snMulQQ(snConjugate(range->frame), snMulQQ(turn, range->frame));
}

// q = s t with t = (x, 0, 0, w) / |(x, w)| the twist, since s = q t⁻¹ then has no x. |(x, w)| is the
// cosine of half the swing; at a swing of half a turn any twist will do, and is 0.
void snJointRange_Read(const snJointRange *range, snQuat rest, snQuat rotation, double angles[3])
{
    angles[0] = angles[1] = angles[2] = 0;
    if (range->kind == SN_JOINT_FIXED) return;
    snQuat q = turnOf(range, rest, rotation);
    if (q.w < 0) q = (snQuat){-q.x, -q.y, -q.z, -q.w};
    snQuat twist = snNormalizeQ((snQuat){q.x, 0, 0, q.w});
    angles[0] = 2 * snAtan2(twist.x, twist.w);
    if (range->kind == SN_JOINT_HINGE) return;
    snVec3 swing = snQuatToVector(snNormalizeQ(snMulQQ(q, snConjugate(twist))));
    angles[1] = swing.y;
    angles[2] = swing.z;
}

snQuat snJointRange_Rotation(const snJointRange *range, snQuat rest, const double angles[3])
{
    if (range->kind == SN_JOINT_FIXED) return rest;
    snQuat turn = snQuatFromAxisAngle(snVec(1, 0, 0), angles[0]);
    if (range->kind == SN_JOINT_BALL)
        turn = snMulQQ(snQuatFromVector(snVec(0, angles[1], angles[2])), turn);
    turn = snMulQQ(range->frame, snMulQQ(turn, snConjugate(range->frame)));
    return snNormalizeQ(snMulQQ(snNormalizeQ(rest), turn));
}

// With R = exp(s) T, R' R⁻¹ = L(s) s' + exp(s) x̂ twist', where L is the left Jacobian of exp,
//     L(s) v = v + (1 - cos φ)/φ² s × v + (φ - sin φ)/φ³ s × (s × v),   φ = |s|;
// with small φ the factors are 1/2 - φ²/24 and 1/6 - φ²/120.
static snVec3 leftJacobian(snVec3 s, snVec3 v)
{
    double angle = snLength(s), a, b, sine, cosine;
    snSinCos(angle, &sine, &cosine);
    if (angle > 1e-2) {
        a = (1 - cosine) / (angle * angle);
        b = (angle - sine) / (angle * angle * angle);
    } else { // the next terms are below 1e-11 of these
        double t = angle * angle;
        a = 0.5 - t / 24 * (1 - t / 30);
        b = 1.0 / 6 - t / 120 * (1 - t / 42);
    }
    snVec3 once = snCross(s, v);
    return snMulAdd(snMulAdd(v, a, once), b, snCross(s, once));
}

void snJointRange_Axes(const snJointRange *range, snQuat rest, const double angles[3],
                       snVec3 axes[3])
{
    if (range->kind == SN_JOINT_FIXED) return;
    snVec3 swing = snVec(0, 0, 0);
    if (range->kind == SN_JOINT_BALL) swing = snVec(0, angles[1], angles[2]);
    snQuat frame = snMulQQ(snNormalizeQ(rest), range->frame);
    axes[0] = snRotate(frame, snRotate(snQuatFromVector(swing), snVec(1, 0, 0)));
    if (range->kind == SN_JOINT_HINGE) return;
    axes[1] = snRotate(frame, leftJacobian(swing, snVec(0, 1, 0)));
    axes[2] = snRotate(frame, leftJacobian(swing, snVec(0, 0, 1)));
}

// How much of a hinge's rotation is not about its axis.
static bool isOffAxis(const snJointRange *range, snQuat rest, snQuat rotation)
{
    snQuat q = turnOf(range, rest, rotation);
    return fabs(q.y) > ROUNDING || fabs(q.z) > ROUNDING;
}

snQuat snJointRange_Clamp(const snJointRange *range, snQuat rest, snQuat rotation)
{
    if (range->kind == SN_JOINT_FIXED) return rotation;
    if (range->kind == SN_JOINT_BALL && !range->limited) return rotation;
    double angles[3];
    snJointRange_Read(range, rest, rotation, angles);
    bool changed = range->kind == SN_JOINT_HINGE && isOffAxis(range, rest, rotation);
    for (int i = 0; i < snJointRange_Coordinates(range) && range->limited; i++) {
        if (angles[i] >= range->low[i] - ROUNDING && angles[i] <= range->high[i] + ROUNDING)
            continue;
        angles[i] = snClamp(angles[i], range->low[i], range->high[i]);
        changed = true;
    }
    return changed ? snJointRange_Rotation(range, rest, angles) : rotation;
}
