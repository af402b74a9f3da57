// Derivatives of what inverse kinematics minimises, against differences: random trees with limits and scales that shear.
#include "tests/skeleton/iks.h"

// Moves one coordinate of the snIk by h, as a step would.
static void nudge(Rig *rig, int coordinate, double h)
{
    for (int m = 0; m < rig->ik->jointCount; m++) {
        snIkJoint *joint = &rig->ik->joints[m];
        int i = coordinate - joint->first;
        if (i < 0 || i >= joint->count) continue;
        snQuat *rotation = &rig->pose.local[joint->joint].rotation;
        if (joint->freeBall) {
            snVec3 turn = snVec(i == 0 ? h : 0, i == 1 ? h : 0, i == 2 ? h : 0);
            *rotation = snMulQQ(snQuatFromVector(turn), *rotation);
        } else {
            joint->angles[i] += h;
            *rotation = snJointRange_Rotation(
                &joint->range, rig->joints[joint->joint].rest.rotation, joint->angles);
        }
    }
}

static void readAngles(Rig *rig)
{
    for (int m = 0; m < rig->ik->jointCount; m++) {
        snIkJoint *joint = &rig->ik->joints[m];
        snJointRange_Read(&joint->range, rig->joints[joint->joint].rest.rotation,
                          rig->pose.local[joint->joint].rotation, joint->angles);
    }
}

static double energyOf(Rig *rig)
{
    double sum = 0;
    snIk_Measure(rig->ik, &rig->pose);
    for (int e = 0; e < rig->ik->effectorCount; e++) {
        const snIkMiss *miss = &rig->ik->miss[e];
        double turn = rig->ik->lever * miss->angle;
        sum += 0.5 * rig->ik->effectors[e].weight * (miss->distance * miss->distance + turn * turn);
    }
    return sum;
}

static double energyAt(Rig *rig, int i, double h, int k, double g)
{
    snQuat before[MOST];
    for (int j = 0; j < rig->skeleton.jointCount; j++)
        before[j] = rig->pose.local[j].rotation;
    readAngles(rig);
    nudge(rig, i, h);
    if (k >= 0) nudge(rig, k, g);
    double energy = energyOf(rig);
    for (int j = 0; j < rig->skeleton.jointCount; j++)
        rig->pose.local[j].rotation = before[j];
    return energy;
}

static void wantRandomly(Rig *rig, snRandom *random, int joint)
{
    snIkEffector effector = snDefaultIkEffector(joint);
    effector.point = snRandom_UnitVector(random);
    effector.position = snScale(2, snRandom_UnitVector(random));
    effector.turn = true;
    effector.orientation = snRandom_Rotation(random);
    effector.root = 0;
    effector.weight = snRandom_Uniform(random, 0.5, 2);
    want(rig, effector);
}

// Derivatives at a random pose; returns the energy there.
static double differentiateSomewhere(Rig *rig, snRandom *random)
{
    randomPose(rig, random, 0.8);
    readAngles(rig);
    double energy = energyOf(rig);
    snIk_Differentiate(rig->ik, &rig->pose);
    return energy;
}

// What a check finds at most over random rigs at random poses, two of whose effectors want something.
typedef struct RandomRigs {
    uint64_t seed;
    int rounds, joints, other; // other: the second effector; the first is the last joint
    bool limits;
    int scales;
} RandomRigs;

typedef double RigCheck(Rig *rig, double energy);

static double worstOver(RandomRigs rigs, RigCheck *check)
{
    snRandom random = snMakeRandom(rigs.seed);
    double worst = 0;
    for (int round = 0; round < rigs.rounds; round++) {
        Rig rig;
        randomTree(&rig, &random, rigs.joints, rigs.limits, rigs.scales);
        wantRandomly(&rig, &random, rigs.joints - 1);
        wantRandomly(&rig, &random, rigs.other);
        if (makeRig(&rig)) {
            double energy = differentiateSomewhere(&rig, &random);
            worst = fmax(worst, check(&rig, energy));
        }
        endRig(&rig);
    }
    return worst;
}

static double gradientOff(Rig *rig, double energy)
{
    double worst = 0, h = 1e-5;
    for (int i = 0; i < rig->ik->size; i++) {
        double slope = rig->ik->gradient[i];
        double seen = (energyAt(rig, i, h, -1, 0) - energyAt(rig, i, -h, -1, 0)) / (2 * h);
        worst = fmax(worst, fabs(slope - seen) / energy);
    }
    return worst;
}

// Columns of places and the gradient of E, with scales that shear and joints that are limited.
static void derivativesAreDifferences(void)
{
    double worst = worstOver((RandomRigs){5, 20, 9, 5, true, 2}, gradientOff);
    printf("  gradient off by %.1e of E\n", worst);
    CHECK(worst < 2e-9);
}

static double secondDerivativesOff(Rig *rig, double energy)
{
    double worst = 0, h = 1e-4;
    int size = rig->ik->size;
    for (int i = 0; i < size; i++)
        for (int k = i; k < size; k++) {
            // Of two coordinates of a ball the order matters: the mean of both.
            double seen = 0;
            for (int s = 0; s < 8; s++) {
                double a = s & 1 ? h : -h, b = s & 2 ? h : -h, sign = s % 4 % 3 ? -1 : 1;
                seen += sign * (s & 4 ? energyAt(rig, k, b, i, a) : energyAt(rig, i, a, k, b));
            }
            seen /= 8 * h * h;
            worst = fmax(worst, fabs(rig->ik->hessian[i * size + k] - seen) / energy);
        }
    return worst;
}

// Second derivatives, without shear: exact between joints, and within free balls and hinges.
static void secondDerivativesAreDifferences(void)
{
    double worst = worstOver((RandomRigs){6, 10, 7, 4, false, 1}, secondDerivativesOff);
    printf("  second derivatives off by %.1e of E\n", worst);
    CHECK(worst < 1e-5);
}

int main(void)
{
    RUN(derivativesAreDifferences);
    RUN(secondDerivativesAreDifferences);
    return snTest_Finish();
}
