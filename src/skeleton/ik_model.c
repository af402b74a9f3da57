// Derivatives of inverse kinematics.
//
// A coordinate i turns joint j about the axis a (parent's frame) and with it a point that stands at z
// from the joint, in the parent's frame too. With M the parent's linear part in the skeleton's frame
// (scales and all) and Q the product of the rotations down to the parent,
//     ∂p/∂i = M (a × z),     the axis in the skeleton's frame A = Q a.
// z is gathered on the way up from the effector, so that nothing is inverted: scales may be zero.
//
// E = ½ w |e|² with e = target - p has
//     ∂E/∂i = -w e·∂p/∂i,   ∂²E/∂i∂k = w (∂p/∂i·∂p/∂k - e·(A_i × ∂p/∂k))   for i above k,
// as turning i turns all that k does (exact where scales are uniform; else near enough, for it only
// chooses steps). Two coordinates of one joint: the mean of both orders. The first term alone is that of the
// pseudo-inverse; the second vanishes at the target and makes far ones, those out of reach above all,
// converge by Newton's rate instead of creeping.
//
// E = ½ w |ρ|² with exp(ρ) = target Q_e⁻¹. Turning by ω makes it exp(ρ) exp(-ω), so
//     dρ = -(1 + ½ρ× + (1 - c)/φ² ρ×ρ×) ω,    c = φ/2 cot(φ/2),  φ = |ρ|,
//     ∂E/∂i = -w ρ·A_i,
//     ∂²E/∂i∂k = w (c A_i·A_k + (1 - c) (A_i·ρ)(A_k·ρ)/φ² - ½ ρ·(A_i × A_k))   for i above k,
// where -½ is ½ from dρ and -1 from A_k turning with i; for one joint it drops out.
#include "skeleton/ik_parts.h"

#include "core/elementary.h"

#include <string.h>

static snAffine localOf(const snIk *ik, const snPose *pose, int j)
{
    const snJoint *joint = &ik->skeleton->joints[j];
    return joint->hasMatrix ? joint->matrix : snTransform_ToAffine(pose->local[j]);
}

static snQuat rotationOf(const snIk *ik, const snPose *pose, int j)
{
    const snJoint *joint = &ik->skeleton->joints[j];
    if (joint->hasMatrix) return snTransform_FromAffine(joint->matrix).rotation;
    return snNormalizeQ(pose->local[j].rotation);
}

static void placeJoints(snIk *ik, const snPose *pose)
{
    for (int n = 0; n < ik->neededCount; n++) {
        int j = ik->needed[n], parent = ik->skeleton->joints[j].parent;
        snAffine local = localOf(ik, pose, j);
        snQuat rotation = rotationOf(ik, pose, j);
        ik->frame[j] = parent < 0 ? local : snMulAA(ik->frame[parent], local);
        ik->turned[j] = parent < 0 ? rotation : snMulQQ(ik->turned[parent], rotation);
    }
}

void snIk_Measure(snIk *ik, const snPose *pose)
{
    placeJoints(ik, pose);
    for (int e = 0; e < ik->effectorCount; e++) {
        const snIkEffector *effector = &ik->effectors[e];
        snIkMiss *miss = &ik->miss[e];
        *miss = (snIkMiss){0};
        if (effector->place)
            miss->place =
                snSub(effector->position, snMulAP(ik->frame[effector->joint], effector->point));
        if (effector->turn) {
            snQuat back = snConjugate(ik->turned[effector->joint]);
            miss->turn = snQuatToVector(snNormalizeQ(snMulQQ(effector->orientation, back)));
        }
        miss->distance = snLength(miss->place);
        miss->angle = snLength(miss->turn);
    }
}

bool snIk_IsReached(const snIk *ik, int effector)
{
    const snIkMiss *miss = &ik->miss[effector];
    double tolerance = ik->def.tolerance;
    return miss->distance <= tolerance * ik->reach && miss->angle <= tolerance;
}

// Axes of a joint's coordinates in its parent's frame.
static void axesOf(const snIk *ik, const snIkJoint *joint, snVec3 axes[3])
{
    if (joint->freeBall) {
        axes[0] = snVec(1, 0, 0), axes[1] = snVec(0, 1, 0), axes[2] = snVec(0, 0, 1);
        return;
    }
    snJointRange_Axes(&joint->range, ik->skeleton->joints[joint->joint].rest.rotation,
                      joint->angles, axes);
}

// Goes up from the effector; turning joints are met from the last to the first.
static void differentiatePlace(snIk *ik, const snPose *pose, int e)
{
    snVec3 *columns = ik->place + (size_t)e * (size_t)ik->size;
    snVec3 y = ik->effectors[e].point;
    int next = ik->jointCount - 1;
    memset(columns, 0, (size_t)ik->size * sizeof *columns);
    if (!ik->effectors[e].place) return;
    for (int j = ik->effectors[e].joint; j >= 0; j = ik->skeleton->joints[j].parent) {
        snAffine local = localOf(ik, pose, j);
        snVec3 z = snMulMV(local.linear, y);
        while (next >= 0 && ik->joints[next].joint > j)
            next--;
        if (next >= 0 && ik->joints[next].joint == j) {
            const snIkJoint *joint = &ik->joints[next];
            int parent = ik->skeleton->joints[j].parent;
            snVec3 axes[3];
            axesOf(ik, joint, axes);
            for (int i = 0; i < joint->count; i++) {
                snVec3 move = snCross(axes[i], z);
                columns[joint->first + i] =
                    parent < 0 ? move : snMulMV(ik->frame[parent].linear, move);
            }
        }
        y = snAdd(local.origin, z);
    }
}

static void findAxes(snIk *ik)
{
    for (int m = 0; m < ik->jointCount; m++) {
        const snIkJoint *joint = &ik->joints[m];
        int parent = ik->skeleton->joints[joint->joint].parent;
        snVec3 axes[3];
        axesOf(ik, joint, axes);
        for (int i = 0; i < joint->count; i++)
            ik->axis[joint->first + i] =
                parent < 0 ? axes[i] : snRotate(ik->turned[parent], axes[i]);
    }
}

// What the second derivatives of an effector are made of.
typedef struct Bend {
    snVec3 place, turn, unit; // misses, and the direction of the turn's
    const snVec3 *columns;
    double weight, turnWeight, c;
} Bend;

static Bend bendOf(const snIk *ik, int e)
{
    const snIkEffector *effector = &ik->effectors[e];
    const snIkMiss *miss = &ik->miss[e];
    Bend bend = {.place = miss->place, .turn = miss->turn};
    bend.unit = snNormalizeOr(miss->turn, snVec(0, 0, 0));
    bend.columns = ik->place + (size_t)e * (size_t)ik->size;
    bend.weight = effector->place ? effector->weight : 0;
    bend.turnWeight = effector->turn ? effector->weight * ik->lever * ik->lever : 0;
    double half = 0.5 * miss->angle;
    bend.c = half > 1e-4 ? half * snCos(half) / snSin(half) : 1 - half * half / 3;
    return bend;
}

// ∂²E/∂i∂k with i above k, or both of one joint.
static double secondDerivative(const snIk *ik, const Bend *b, int i, int k, bool oneJoint)
{
    snVec3 ai = ik->axis[i], ak = ik->axis[k], pi = b->columns[i], pk = b->columns[k];
    snVec3 curve = snCross(ai, pk);
    double twist = 0.5 * snDot(b->turn, snCross(ai, ak));
    if (oneJoint) {
        curve = snScale(0.5, snAdd(curve, snCross(ak, pi)));
        twist = 0;
    }
    double place = snDot(pi, pk) - snDot(b->place, curve);
    double turn = b->c * snDot(ai, ak) + (1 - b->c) * snDot(ai, b->unit) * snDot(ak, b->unit);
    return b->weight * place + b->turnWeight * (turn - twist);
}

static void addEffector(snIk *ik, int e)
{
    Bend bend = bendOf(ik, e);
    const bool *acts = ik->acts + (size_t)e * (size_t)ik->jointCount;
    double distance = ik->miss[e].distance, angle = ik->miss[e].angle;
    for (int n = 0; n < ik->jointCount; n++) {
        const snIkJoint *low = &ik->joints[n];
        for (int k = low->first; k < low->first + low->count && acts[n]; k++) {
            ik->gradient[k] -= bend.weight * snDot(bend.place, bend.columns[k]) +
                               bend.turnWeight * snDot(bend.turn, ik->axis[k]);
            ik->noise[k] += bend.weight * distance * snLength(bend.columns[k]) +
                            bend.turnWeight * angle * snLength(ik->axis[k]);
            ik->work[k] += bend.weight * snLengthSquared(bend.columns[k]) +
                           bend.turnWeight * snLengthSquared(ik->axis[k]);
            for (int m = 0; m <= n; m++) {
                const snIkJoint *high = &ik->joints[m];
                for (int i = high->first; i < high->first + high->count && acts[m]; i++)
                    ik->hessian[(size_t)i * (size_t)ik->size + (size_t)k] +=
                        secondDerivative(ik, &bend, i, k, m == n);
            }
        }
    }
}

void snIk_Differentiate(snIk *ik, const snPose *pose)
{
    size_t size = (size_t)ik->size;
    findAxes(ik);
    memset(ik->gradient, 0, size * sizeof(double));
    memset(ik->noise, 0, size * sizeof(double));
    memset(ik->work, 0, size * sizeof(double));
    memset(ik->hessian, 0, size * size * sizeof(double));
    for (int e = 0; e < ik->effectorCount; e++) {
        differentiatePlace(ik, pose, e);
        addEffector(ik, e);
    }
    ik->stiffest = 0;
    for (size_t i = 0; i < size; i++)
        ik->stiffest = fmax(ik->stiffest, ik->work[i]);
}
