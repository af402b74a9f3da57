// The search of inverse kinematics: Newton's method on E, damped, in the box of the joints' limits.
//
//     (H + μ) Δ = -∇E   over the coordinates that are free,
// those at a limit that the gradient presses against left out; they come back when it lets go. Near
// the target H is JᵀJ, and the step that of the damped pseudo-inverse. μ falls when E does and
// rises when E would not, or H + μ is not positive definite: near singular poses, where the
// pseudo-inverse alone would ask for wild turns. A step is shortened to the angle that is allowed and
// clamped to the box; with μ large enough it goes along the gradient, so a better pose is found if there is one.
//
// Where the gradient vanishes without the target being met, the pose is the best there is, or a saddle:
// an arm stretched out straight, with the target between shoulder and hand. H tells: along its lowest
// eigenvector, if that is negative, E falls.
#include "skeleton/ik_parts.h"

#include "core/elementary.h"
#include "numerics/dense.h"

#include <float.h>
#include <string.h>

#define FIRST_DAMPING 1e-3 // of the largest diagonal element of JᵀJ
#define LEAST_DAMPING 1e-9 // keeps rounding from turning what need not turn
#define MOST_TRIALS 40     // each 4 times as damped
#define STILL 1e-10        // of the gradient's noise: this is none
#define ROUNDING 1e-15     // of a miss times the reach: E cannot be seen to change by less
#define AT_LIMIT 1e-9      // radians: as near is at the limit
#define SADDLE 1e-7        // of the same: eigenvalues below minus this are negative

bool snIk_IsStopped(const snIk *ik, const snIkJoint *joint, int i)
{
    double pull = -ik->gradient[joint->first + i];
    if (!joint->range.limited || joint->freeBall) return false;
    return (pull > 0 && joint->angles[i] >= joint->range.high[i] - AT_LIMIT) ||
           (pull < 0 && joint->angles[i] <= joint->range.low[i] + AT_LIMIT);
}

static void findFree(snIk *ik)
{
    ik->freeCount = 0;
    for (int m = 0; m < ik->jointCount; m++)
        for (int i = 0; i < ik->joints[m].count; i++)
            if (!snIk_IsStopped(ik, &ik->joints[m], i))
                ik->free[ik->freeCount++] = ik->joints[m].first + i;
}

static bool isStill(const snIk *ik)
{
    for (int f = 0; f < ik->freeCount; f++) {
        int i = ik->free[f];
        if (fabs(ik->gradient[i]) > STILL * ik->noise[i]) return false;
    }
    return true;
}

// The lower triangle of H over free coordinates, plus μ on the diagonal.
static void gatherHessian(const snIk *ik, double mu, double *out)
{
    size_t n = (size_t)ik->freeCount, size = (size_t)ik->size;
    for (size_t c = 0; c < n; c++) {
        for (size_t r = c; r < n; r++)
            out[c * n + r] = ik->hessian[(size_t)ik->free[c] * size + (size_t)ik->free[r]];
        out[c * n + c] += mu;
    }
}

static bool findStep(snIk *ik, double mu)
{
    gatherHessian(ik, mu, ik->factor);
    if (snDenseCholesky(ik->freeCount, ik->factor, NULL) != SN_OK) return false;
    for (int f = 0; f < ik->freeCount; f++)
        ik->work[f] = -ik->gradient[ik->free[f]];
    snDenseCholesky_Solve(ik->freeCount, ik->factor, ik->work);
    memset(ik->step, 0, (size_t)ik->size * sizeof(double));
    for (int f = 0; f < ik->freeCount; f++)
        ik->step[ik->free[f]] = ik->work[f];
    return true;
}

static double turnOfJoint(const snIk *ik, const snIkJoint *joint)
{
    double sum = 0;
    for (int i = 0; i < joint->count; i++)
        sum += ik->step[joint->first + i] * ik->step[joint->first + i];
    return sqrt(sum);
}

static void shortenStep(snIk *ik)
{
    double most = 0;
    for (int m = 0; m < ik->jointCount; m++)
        most = fmax(most, turnOfJoint(ik, &ik->joints[m]));
    if (!(most > ik->def.mostAngle)) return;
    for (int i = 0; i < ik->size; i++)
        ik->step[i] *= ik->def.mostAngle / most;
}

// q <- exp(Σ step axis) q of free balls; others by their coordinates, within their limits.
static void turnJoint(const snIk *ik, snIkJoint *joint, snPose *pose)
{
    const double *step = ik->step + joint->first;
    snQuat *rotation = &pose->local[joint->joint].rotation;
    joint->rotationBefore = *rotation;
    memcpy(joint->anglesBefore, joint->angles, sizeof joint->angles);
    if (turnOfJoint(ik, joint) == 0) return; // its bits stay
    if (joint->freeBall) {
        snQuat turn = snQuatFromVector(snVec(step[0], step[1], step[2]));
        *rotation = snNormalizeQ(snMulQQ(turn, snNormalizeQ(*rotation)));
        return;
    }
    for (int i = 0; i < joint->count; i++) {
        joint->angles[i] += step[i];
        if (joint->range.limited)
            joint->angles[i] = snClamp(joint->angles[i], joint->range.low[i], joint->range.high[i]);
    }
    *rotation = snJointRange_Rotation(
        &joint->range, ik->skeleton->joints[joint->joint].rest.rotation, joint->angles);
}

static void goBack(snIk *ik, snPose *pose)
{
    for (int m = 0; m < ik->jointCount; m++) {
        snIkJoint *joint = &ik->joints[m];
        pose->local[joint->joint].rotation = joint->rotationBefore;
        memcpy(joint->angles, joint->anglesBefore, sizeof joint->angles);
    }
}

// Whether E fell by more than rounding. |b|² - |a|² = (b - a)·(b + a): the change of a large miss is
// seen as sharply as that of a small one.
static bool isBetter(const snIk *ik)
{
    double change = 0, rounding = 0;
    for (int e = 0; e < ik->effectorCount; e++) {
        const snIkMiss *a = &ik->missBefore[e], *b = &ik->miss[e];
        double weight = ik->effectors[e].weight, turn = weight * ik->lever * ik->lever;
        change += 0.5 * weight * snDot(snSub(b->place, a->place), snAdd(b->place, a->place));
        change += 0.5 * turn * snDot(snSub(b->turn, a->turn), snAdd(b->turn, a->turn));
        rounding += weight * a->distance * (ik->reach + a->distance) + turn * a->angle;
    }
    return change < -ROUNDING * rounding;
}

// Takes the step if it makes E smaller.
static bool tryStep(snIk *ik, snPose *pose)
{
    shortenStep(ik);
    for (int m = 0; m < ik->jointCount; m++)
        turnJoint(ik, &ik->joints[m], pose);
    memcpy(ik->missBefore, ik->miss, (size_t)ik->effectorCount * sizeof *ik->miss);
    snIk_Measure(ik, pose);
    if (isBetter(ik)) return true;
    goBack(ik, pose);
    snIk_Measure(ik, pose);
    return false;
}

// Whether a step was found that makes E smaller.
static bool descend(snIk *ik, snPose *pose, double *damping)
{
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        if (findStep(ik, *damping * ik->stiffest) && tryStep(ik, pose)) {
            *damping = fmax(LEAST_DAMPING, *damping * (trial == 0 ? 0.1 : 1));
            return true;
        }
        *damping *= 4;
    }
    return false;
}

// Off a saddle, along the direction in which E bends down most.
static bool leaveSaddle(snIk *ik, snPose *pose)
{
    int n = ik->freeCount;
    if (n == 0) return false;
    gatherHessian(ik, 0, ik->factor);
    if (snSymmetricEigen(n, ik->factor, ik->values, ik->vectors, ik->work, NULL) != SN_OK)
        return false;
    if (!(ik->values[n - 1] < -SADDLE * ik->stiffest)) return false;
    const double *lowest = ik->vectors + (size_t)(n - 1) * (size_t)n;
    for (int trial = 0; trial < 16; trial++) {
        double length = ik->def.mostAngle / (1 << (trial / 2)) * (trial % 2 ? -1 : 1);
        memset(ik->step, 0, (size_t)ik->size * sizeof(double));
        for (int f = 0; f < n; f++)
            ik->step[ik->free[f]] = length * lowest[f];
        if (tryStep(ik, pose)) return true;
    }
    return false;
}

static void begin(snIk *ik, snPose *pose)
{
    for (int m = 0; m < ik->jointCount; m++) {
        snIkJoint *joint = &ik->joints[m];
        snQuat rest = ik->skeleton->joints[joint->joint].rest.rotation;
        snQuat *rotation = &pose->local[joint->joint].rotation;
        *rotation = snJointRange_Clamp(&joint->range, rest, *rotation);
        if (!joint->freeBall) snJointRange_Read(&joint->range, rest, *rotation, joint->angles);
    }
}

static bool allReached(const snIk *ik)
{
    for (int e = 0; e < ik->effectorCount; e++)
        if (!snIk_IsReached(ik, e)) return false;
    return true;
}

// How much of the gradient of one effector alone is left over coordinates that are free: none if it is
// as near as it can be by itself.
static bool wantsMore(const snIk *ik, int e)
{
    const snIkEffector *effector = &ik->effectors[e];
    const snVec3 *columns = ik->place + (size_t)e * (size_t)ik->size;
    const bool *acts = ik->acts + (size_t)e * (size_t)ik->jointCount;
    double square = ik->lever * ik->lever;
    for (int m = 0; m < ik->jointCount; m++)
        for (int i = 0; i < ik->joints[m].count && acts[m]; i++) {
            int k = ik->joints[m].first + i;
            if (snIk_IsStopped(ik, &ik->joints[m], i)) continue;
            double pull = snDot(ik->miss[e].place, columns[k]);
            double size = ik->miss[e].distance * snLength(columns[k]);
            if (effector->turn) {
                pull += square * snDot(ik->miss[e].turn, ik->axis[k]);
                size += square * ik->miss[e].angle;
            }
            if (fabs(pull) > 1e-6 * size) return true;
        }
    return false;
}

static snIkOutcome outcomeOf(const snIk *ik, int e, bool stopped)
{
    const bool *acts = ik->acts + (size_t)e * (size_t)ik->jointCount;
    bool any = false, limits = false;
    if (snIk_IsReached(ik, e)) return SN_IK_REACHED;
    for (int m = 0; m < ik->jointCount; m++) {
        any |= acts[m];
        for (int i = 0; i < ik->joints[m].count && acts[m]; i++)
            limits |= snIk_IsStopped(ik, &ik->joints[m], i);
    }
    if (!any) return SN_IK_NO_JOINTS;
    if (!stopped) return SN_IK_ITERATIONS;
    if (limits) return SN_IK_LIMITS;
    return wantsMore(ik, e) ? SN_IK_CONFLICT : SN_IK_OUT_OF_REACH;
}

int snIk_Solve(snIk *ik, snPose *pose, snIkReport *reports)
{
    double damping = FIRST_DAMPING;
    int iterations = 0;
    bool stopped = false;
    begin(ik, pose);
    snIk_Measure(ik, pose);
    while (!allReached(ik) && !stopped && iterations < ik->def.mostIterations) {
        snIk_Differentiate(ik, pose);
        findFree(ik);
        if (isStill(ik))
            stopped = !leaveSaddle(ik, pose);
        else
            stopped = !descend(ik, pose, &damping);
        if (!stopped) iterations++;
    }
    if (ik->size > 0 && !allReached(ik)) snIk_Differentiate(ik, pose);
    for (int e = 0; e < ik->effectorCount && reports; e++)
        reports[e] =
            (snIkReport){outcomeOf(ik, e, stopped), ik->miss[e].distance, ik->miss[e].angle};
    snPose_Globals(pose, ik->skeleton);
    return iterations;
}
