// Inverse kinematics against closed forms; limits, targets out of reach,
// several effectors, poses that lock; random trees; the same bits again.
#include "tests/skeleton/iks.h"

#include "core/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Two links of lengths a and b in a plane, hinges about z: for a target at distance d the elbow's
// angle has cos = (d² - a² - b²) / 2ab.
static void twoLinksInAPlane(void)
{
    double a = 1.3, b = 0.8, worst = 0;
    for (int i = 0; i < 40; i++) {
        Rig rig;
        beginRig(&rig);
        addJoint(&rig, -1, snVec(0, 0, 0));
        addJoint(&rig, 0, snVec(a, 0, 0));
        rig.ranges[0] = snFreeHinge(snVec(0, 0, 1));
        rig.ranges[1] = snFreeHinge(snVec(0, 0, 1));
        double d = 0.52 + 0.039 * i, phi = 0.4 * i;
        snIkEffector hand = snDefaultIkEffector(1);
        hand.point = snVec(b, 0, 0);
        hand.position = snVec(d * snCos(phi), d * snSin(phi), 0);
        want(&rig, hand);
        if (makeRig(&rig)) {
            snIkReport report;
            snIk_Solve(rig.ik, &rig.pose, &report);
            CHECK(report.outcome == SN_IK_REACHED);
            double elbow;
            double angles[3];
            snJointRange_Read(&rig.ranges[1], snIdentityQuat(), rig.pose.local[1].rotation, angles);
            elbow = angles[0];
            worst = fmax(worst, fabs(snCos(elbow) - (d * d - a * a - b * b) / (2 * a * b)));
            CHECK_NEAR(snDistance(placeOf(&rig, 1, hand.point), hand.position), 0, 1e-9);
        }
        endRig(&rig);
    }
    printf("  cosine of the elbow off by %.1e\n", worst);
    CHECK(worst < 1e-9);
}

static double worstLimit(const Rig *rig)
{
    double worst = 0;
    for (int j = 0; j < rig->skeleton.jointCount; j++) {
        const snJointRange *range = &rig->ranges[j];
        double angles[3];
        snJointRange_Read(range, rig->joints[j].rest.rotation, rig->pose.local[j].rotation, angles);
        for (int i = 0; i < snJointRange_Coordinates(range) && range->limited; i++)
            worst = fmax(worst, fmax(range->low[i] - angles[i], angles[i] - range->high[i]));
    }
    return worst;
}

// Targets that some pose within the limits reaches, from poses some way off.
static void randomTargetsAreReached(void)
{
    snRandom random = snMakeRandom(7);
    int reached = 0, count = 0, iterations = 0, most = 0;
    double worst = 0, limit = 0;
    for (int round = 0; round < 300; round++) {
        Rig rig;
        randomTree(&rig, &random, 8 + round % 12, false, round % 3);
        int last = rig.skeleton.jointCount - 1;
        snIkEffector effector = snDefaultIkEffector(last);
        effector.point = snVec(0.3, 0, 0);
        effector.root = 0;
        want(&rig, effector);
        if (makeRig(&rig)) {
            snIkReport report;
            randomPose(&rig, &random, 1);
            snVec3 target = placeOf(&rig, last, effector.point);
            randomPose(&rig, &random, 1);
            snIk_SetTarget(rig.ik, 0, target, snIdentityQuat(), NULL);
            int taken = snIk_Solve(rig.ik, &rig.pose, &report);
            count++;
            iterations += taken;
            most = taken > most ? taken : most;
            double miss = snDistance(placeOf(&rig, last, effector.point), target);
            bool there = report.outcome == SN_IK_REACHED && miss < 1e-9;
            reached += there;
            if (!there)
                printf("  round %d: %s, %.2e\n", round, snIkOutcome_Name(report.outcome), miss);
            worst = fmax(worst, there ? miss : 0);
            limit = fmax(limit, worstLimit(&rig));
        }
        endRig(&rig);
    }
    printf("  %d of %d reached, to %.1e, in %.1f iterations (most %d)\n", reached, count, worst,
           (double)iterations / count, most);
    CHECK(reached == count);
}

// With limits: those that are not reached are at limits, which nothing ever passes.
static void limitsHold(void)
{
    snRandom random = snMakeRandom(8);
    int reached = 0, stopped = 0;
    double limit = 0;
    for (int round = 0; round < 200; round++) {
        Rig rig;
        randomTree(&rig, &random, 10, true, round % 2);
        snIkEffector effector = snDefaultIkEffector(9);
        effector.point = snVec(0.3, 0, 0);
        effector.root = 0;
        effector.position = snScale(snRandom_Uniform(&random, 0, 3), snRandom_UnitVector(&random));
        want(&rig, effector);
        if (makeRig(&rig)) {
            snIkReport report;
            rig.ik->def.mostIterations = 1; // look at every iteration
            for (int i = 0; i < 300; i++) {
                snIk_Solve(rig.ik, &rig.pose, &report);
                limit = fmax(limit, worstLimit(&rig));
                if (report.outcome != SN_IK_ITERATIONS) break;
            }
            CHECK(report.outcome != SN_IK_ITERATIONS && report.outcome != SN_IK_CONFLICT);
            reached += report.outcome == SN_IK_REACHED;
            stopped += report.outcome == SN_IK_LIMITS;
        }
        endRig(&rig);
    }
    printf("  %d reached, %d at limits, limits passed by %.1e\n", reached, stopped, limit);
    CHECK(limit < 2e-12 && reached > 20 && stopped > 20);
}

// Targets that some pose within the limits reaches, from rest.
static void targetsWithinLimitsAreReached(void)
{
    snRandom random = snMakeRandom(18);
    int reached = 0;
    for (int round = 0; round < 200; round++) {
        Rig rig;
        randomTree(&rig, &random, 10, true, round % 2);
        snIkEffector effector = snDefaultIkEffector(9);
        effector.point = snVec(0.3, 0, 0);
        effector.root = 0;
        want(&rig, effector);
        if (makeRig(&rig)) {
            snIkReport report;
            randomPose(&rig, &random, 1);
            snVec3 target = placeOf(&rig, 9, effector.point);
            snPose_SetRest(&rig.pose, &rig.skeleton);
            snIk_SetTarget(rig.ik, 0, target, snIdentityQuat(), NULL);
            snIk_Solve(rig.ik, &rig.pose, &report);
            reached += report.outcome == SN_IK_REACHED;
        }
        endRig(&rig);
    }
    printf("  %d of 200 reached\n", reached);
    CHECK(reached == 200);
}

// A limit is left again when the target moves back, and the joint takes part anew.
static void limitsAreLeftAgain(void)
{
    Rig rig;
    beginRig(&rig);
    addJoint(&rig, -1, snVec(0, 0, 0));
    addJoint(&rig, 0, snVec(1, 0, 0));
    rig.ranges[0] = snLimitedHinge(snVec(0, 0, 1), -0.5, 0.5);
    rig.ranges[1] = snLimitedHinge(snVec(0, 0, 1), 0, 2);
    snIkEffector hand = snDefaultIkEffector(1);
    hand.point = snVec(1, 0, 0);
    want(&rig, hand);
    if (makeRig(&rig)) {
        snIkReport report;
        snIk_SetTarget(rig.ik, 0, snVec(-2, 2, 0), snIdentityQuat(), NULL);
        snIk_Solve(rig.ik, &rig.pose, &report);
        CHECK(report.outcome == SN_IK_LIMITS);
        double angles[3];
        snJointRange_Read(&rig.ranges[0], snIdentityQuat(), rig.pose.local[0].rotation, angles);
        CHECK_NEAR(angles[0], 0.5, 1e-12);
        snVec3 back = snVec(snCos(0.1) + snCos(0.8), snSin(0.1) + snSin(0.8), 0);
        snIk_SetTarget(rig.ik, 0, back, snIdentityQuat(), NULL);
        snIk_Solve(rig.ik, &rig.pose, &report);
        CHECK(report.outcome == SN_IK_REACHED && report.miss < 1e-9);
        snJointRange_Read(&rig.ranges[0], snIdentityQuat(), rig.pose.local[0].rotation, angles);
        CHECK_NEAR(angles[0], 0.1, 1e-8);
    }
    endRig(&rig);
}

// Out of reach: stretched straight toward the target, at the distance that is left; the same target
// again changes no bit. Also within limits.
static void outOfReachIsStill(void)
{
    snRandom random = snMakeRandom(9);
    int total = 0, most = 0;
    for (int round = 0; round < 60; round++) {
        Rig rig;
        bool limits = round % 3 == 2;
        beginRig(&rig);
        for (int j = 0; j < 5; j++)
            addJoint(&rig, j - 1, snVec(j == 0 ? 0 : 1, 0, 0));
        for (int j = 1; j < 5 && limits; j++)
            rig.ranges[j] = j % 2 ? snLimitedHinge(snVec(0, 0, 1), -0.3, 0.8)
                                  : snLimitedBall(snVec(1, 0, 0), 0.2, 0.6);
        snIkEffector hand = snDefaultIkEffector(4);
        hand.root = round % 2;
        double distance = round < 10 ? 5.000001 : snRandom_Uniform(&random, 5.5, 1000);
        hand.position = snScale(distance, snRandom_UnitVector(&random));
        hand.point = snVec(1, 0, 0);
        want(&rig, hand);
        if (makeRig(&rig)) {
            snIkReport report;
            if (round % 4) randomPose(&rig, &random, 0.9);
            snVec3 base = rig.pose.global[hand.root].origin;
            int iterations = snIk_Solve(rig.ik, &rig.pose, &report);
            CHECK(report.outcome == SN_IK_OUT_OF_REACH || report.outcome == SN_IK_LIMITS);
            double length = 5 - hand.root;
            if (!limits)
                CHECK_NEAR(report.miss, snDistance(base, hand.position) - length, 1e-9 * distance);
            snTransform before[5];
            memcpy(before, rig.pose.local, sizeof before);
            CHECK(snIk_Solve(rig.ik, &rig.pose, &report) == 0);
            CHECK(memcmp(before, rig.pose.local, sizeof before) == 0);
            total += iterations;
            most = iterations > most ? iterations : most;
        }
        endRig(&rig);
    }
    printf("  %.1f iterations, most %d\n", total / 60.0, most);
}

// An arm that is straight, its target between shoulder and hand: no gradient, and yet it bends.
static void straightArmsBend(void)
{
    for (int kind = 0; kind < 3; kind++) {
        Rig rig;
        beginRig(&rig);
        addJoint(&rig, -1, snVec(0, 0, 0));
        addJoint(&rig, 0, snVec(1, 0, 0));
        if (kind > 0) rig.ranges[1] = snFreeHinge(snVec(0, 0, 1));
        if (kind > 1) rig.ranges[1] = snLimitedHinge(snVec(0, 0, 1), 0, 2.5); // at its limit
        snIkEffector hand = snDefaultIkEffector(1);
        hand.point = snVec(0.7, 0, 0);
        hand.position = snVec(1.1, 0, 0);
        want(&rig, hand);
        if (makeRig(&rig)) {
            snIkReport report;
            int iterations = snIk_Solve(rig.ik, &rig.pose, &report);
            printf("  %d iterations, %s\n", iterations, snIkOutcome_Name(report.outcome));
            CHECK(report.outcome == SN_IK_REACHED && report.miss < 1e-9);
        }
        endRig(&rig);
    }
}

// Orientation alone, and both: a wrist of three hinges takes any, by Euler's angles.
static void orientationsAreReached(void)
{
    snRandom random = snMakeRandom(10);
    int reached = 0, count = 0;
    for (int round = 0; round < 100; round++) {
        Rig rig;
        beginRig(&rig);
        for (int j = 0; j < 6; j++)
            addJoint(&rig, j - 1, snVec(j == 0 ? 0 : 1, 0, 0));
        rig.ranges[3] = snFreeHinge(snVec(0, 0, 1));
        rig.ranges[4] = snFreeHinge(snVec(0, 1, 0));
        rig.ranges[5] = snFreeHinge(snVec(1, 0, 0));
        snIkEffector hand = snDefaultIkEffector(5);
        hand.turn = true;
        hand.place = round % 2;
        want(&rig, hand);
        if (makeRig(&rig)) {
            snIkReport report;
            randomPose(&rig, &random, 1.2);
            snVec3 place = rig.pose.global[5].origin;
            snQuat turned = snQuatFromMat(rig.pose.global[5].linear);
            randomPose(&rig, &random, 1.2);
            snIk_SetTarget(rig.ik, 0, place, turned, NULL);
            snIk_Solve(rig.ik, &rig.pose, &report);
            count++;
            reached += report.outcome == SN_IK_REACHED;
            if (report.outcome != SN_IK_REACHED) continue;
            snQuat got = snQuatFromMat(rig.pose.global[5].linear);
            CHECK_NEAR(fabs(snDotQ(got, turned)), 1, 1e-12);
            if (hand.place) CHECK_NEAR(snDistance(rig.pose.global[5].origin, place), 0, 1e-9);
        }
        endRig(&rig);
    }
    printf("  %d of %d reached\n", reached, count);
    CHECK(reached == count);
}

// A spine of two with two arms of three: both hands at once, from the hips. Then each pulls its way.
static void buildTwoArms(Rig *rig)
{
    beginRig(rig);
    addJoint(rig, -1, snVec(0, 0, 0));
    addJoint(rig, 0, snVec(0, 0.5, 0)); // the branch
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++)
            addJoint(rig, k == 0 ? 1 : 1 + 3 * side + k, snVec(side ? -0.4 : 0.4, 0.05, 0));
}

static void twoHandsAtOnce(void)
{
    snRandom random = snMakeRandom(12);
    for (int round = 0; round < 50; round++) {
        Rig rig;
        buildTwoArms(&rig);
        for (int side = 0; side < 2; side++) {
            snIkEffector hand = snDefaultIkEffector(4 + 3 * side);
            hand.point = snVec(side ? -0.3 : 0.3, 0, 0);
            hand.root = 0;
            want(&rig, hand);
        }
        if (makeRig(&rig)) {
            snIkReport reports[2];
            snVec3 wanted[2];
            randomPose(&rig, &random, 0.9);
            for (int e = 0; e < 2; e++)
                wanted[e] = placeOf(&rig, 4 + 3 * e, rig.effectors[e].point);
            snPose_SetRest(&rig.pose, &rig.skeleton);
            for (int e = 0; e < 2; e++)
                snIk_SetTarget(rig.ik, e, wanted[e], snIdentityQuat(), NULL);
            snIk_Solve(rig.ik, &rig.pose, reports);
            for (int e = 0; e < 2; e++) {
                CHECK(reports[e].outcome == SN_IK_REACHED);
                CHECK_NEAR(snDistance(placeOf(&rig, 4 + 3 * e, rig.effectors[e].point), wanted[e]),
                           0, 1e-9);
            }
            // Far apart to both sides: neither is reached, and by symmetry both miss alike.
            for (int e = 0; e < 2; e++)
                snIk_SetTarget(rig.ik, e, snVec(e ? -9 : 9, 0.3, 0), snIdentityQuat(), NULL);
            snIk_Solve(rig.ik, &rig.pose, reports);
            CHECK(reports[0].outcome == SN_IK_OUT_OF_REACH || reports[0].outcome == SN_IK_CONFLICT);
            CHECK_NEAR(reports[0].miss, reports[1].miss, 1e-7);
        }
        endRig(&rig);
    }
}

// Up to the nearest branch: the spine stays, bit for bit; one joint alone; all fixed.
static void chainsEndAtBranches(void)
{
    Rig rig;
    buildTwoArms(&rig);
    CHECK(snSkeleton_ChainRoot(&rig.skeleton, 4) == 2 &&
          snSkeleton_ChainRoot(&rig.skeleton, 7) == 5);
    CHECK(snSkeleton_ChainRoot(&rig.skeleton, 1) == 0);
    snIkEffector hand = snDefaultIkEffector(4);
    hand.position = snVec(0.5, 1.2, 0.4);
    want(&rig, hand);
    if (makeRig(&rig)) {
        snIkReport report;
        snTransform before[MOST];
        memcpy(before, rig.pose.local, 8 * sizeof *before);
        snIk_Solve(rig.ik, &rig.pose, &report);
        CHECK(report.outcome == SN_IK_REACHED);
        for (int j = 0; j < 8; j++)
            CHECK((memcmp(&before[j], &rig.pose.local[j], sizeof *before) == 0) ==
                  (j < 2 || j > 3)); // the hand's own joint has no need to turn
    }
    endRig(&rig);
    buildTwoArms(&rig);
    rig.ranges[2] = rig.ranges[3] = rig.ranges[4] = snFixedJoint();
    want(&rig, hand);
    if (makeRig(&rig)) {
        snIkReport report;
        CHECK(snIk_Solve(rig.ik, &rig.pose, &report) == 0);
        CHECK(report.outcome == SN_IK_NO_JOINTS && report.miss > 0.1);
    }
    endRig(&rig);
}

// One joint: a point on a sphere; a bone of no length; a scale of zero.
static void smallThings(void)
{
    for (int kind = 0; kind < 3; kind++) {
        Rig rig;
        beginRig(&rig);
        addJoint(&rig, -1, snVec(1, 2, 3));
        snIkEffector point = snDefaultIkEffector(0);
        point.point = snVec(kind == 1 ? 0 : 2, 0, 0);
        point.position = snVec(1, 5, 3);
        if (kind == 2) rig.joints[0].rest.scale = snVec(0, 1, 1);
        want(&rig, point);
        if (makeRig(&rig)) {
            snIkReport report;
            snIk_Solve(rig.ik, &rig.pose, &report);
            CHECK(report.outcome == SN_IK_OUT_OF_REACH);
            CHECK_NEAR(report.miss, kind == 0 ? 1 : 3, 1e-12);
        }
        endRig(&rig);
    }
}

// Ranges: coordinates there and back, axes by differences, clamping leaves what is within.
static void rangesThereAndBack(void)
{
    snRandom random = snMakeRandom(13);
    for (int i = 0; i < 200; i++) {
        snJointRange range = snLimitedBall(snRandom_UnitVector(&random), 1.5, 2.8);
        snQuat rest = snRandom_Rotation(&random);
        double angles[3], read[3], h = 1e-6;
        for (int k = 0; k < 3; k++)
            angles[k] =
                snRandom_Uniform(&random, range.low[k], range.high[k]) * (i < 20 ? 1e-3 : 1);
        snQuat q = snJointRange_Rotation(&range, rest, angles);
        snJointRange_Read(&range, rest, q, read);
        snVec3 axes[3];
        snJointRange_Axes(&range, rest, angles, axes);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(read[k], angles[k], 1e-11);
            double more[3] = {angles[0], angles[1], angles[2]}, less[3];
            memcpy(less, more, sizeof less);
            more[k] += h, less[k] -= h;
            snQuat turn = snMulQQ(snJointRange_Rotation(&range, rest, more),
                                  snConjugate(snJointRange_Rotation(&range, rest, less)));
            snVec3 seen = snScale(0.5 / h, snQuatToVector(turn));
            CHECK_NEAR(snDistance(seen, axes[k]), 0, 1e-8);
        }
        snQuat same = snJointRange_Clamp(&range, rest, q);
        CHECK(memcmp(&same, &q, sizeof q) == 0);
        snQuat free = snRandom_Rotation(&random);
        snQuat clamped = snJointRange_Clamp(&range, rest, free);
        snJointRange_Read(&range, rest, clamped, read);
        for (int k = 0; k < 3; k++)
            CHECK(read[k] >= range.low[k] - 1e-11 && read[k] <= range.high[k] + 1e-11);
    }
}

// A chain with limits that follows a target on a curve, some of it out of reach: the same bits everywhere.
static void sameBits(void)
{
    Rig rig;
    uint64_t hash = SN_HASH_BEGIN;
    buildTwoArms(&rig);
    rig.ranges[3] = snLimitedHinge(snVec(0, 1, 0), -0.2, 2);
    rig.ranges[2] = snLimitedBall(snVec(1, 0, 0), 0.7, 1.5);
    snIkEffector hand = snDefaultIkEffector(4);
    hand.root = 0;
    hand.turn = true;
    hand.point = snVec(0.2, 0, 0);
    want(&rig, hand);
    if (makeRig(&rig)) {
        for (int i = 0; i < 60; i++) {
            double t = 0.1 * i;
            snVec3 place = snVec(1.2 * snCos(t), 0.6 + 0.5 * snSin(2 * t), 0.9 * snSin(t));
            snIk_SetTarget(rig.ik, 0, place, snQuatFromVector(snVec(0, t, 0.3)), NULL);
            snIk_Solve(rig.ik, &rig.pose, NULL);
            hash = snHash(hash, rig.pose.local, 8 * sizeof *rig.pose.local);
        }
    }
    endRig(&rig);
    if (!CHECK(hash == 0x08713d31b7013749u)) printf("  0x%016" PRIx64 "\n", hash);
}

// A target that goes smoothly is followed by turns that do: by at most 7 radians for a metre of
// its way, where Newton may slide along what leaves the point in place. The point is another than the one it was made with.
static void smoothWaysAreFollowedSmoothly(void)
{
    Rig rig;
    beginRig(&rig);
    addJoint(&rig, -1, snVec(0, 0, 0));
    for (int j = 0; j < 3; j++)
        addJoint(&rig, j, snVec(0.2, 0.1 * (j % 2), 0.05));
    snIkEffector hand = snDefaultIkEffector(3);
    hand.root = 0;
    want(&rig, hand);
    if (!makeRig(&rig)) return;
    rig.ik->def.follow = true;
    snVec3 point = {0.3, 0.05, 0}, from = placeOf(&rig, 3, point), before = from;
    double most = 0, miss = 0;
    snIk_SetPoint(rig.ik, 0, point);
    for (int k = 1; k <= 200; k++) {
        double u = k / 200.0;
        snVec3 to = snAdd(from, snVec(-0.2 * u, 0.3 * snSin(3 * u), 0.2 * u * u));
        snQuat old[4];
        for (int j = 0; j < 4; j++)
            old[j] = rig.pose.local[j].rotation;
        CHECK(snIk_SetTarget(rig.ik, 0, to, snIdentityQuat(), NULL) == SN_OK);
        snIk_Solve(rig.ik, &rig.pose, NULL);
        miss = fmax(miss, snDistance(to, placeOf(&rig, 3, point)));
        for (int j = 0; j < 4; j++) {
            snQuat turn = snMulQQ(snConjugate(old[j]), rig.pose.local[j].rotation);
            double angle = snLength(snQuatToVector(snNormalizeQ(turn)));
            most = fmax(most, angle / snDistance(to, before));
        }
        before = to;
    }
    printf("    off by %.1e m; %.2f radians for a metre at most\n", miss, most);
    CHECK(miss < 1e-9 && most < 7);
    endRig(&rig);
}

static void badInputIsRefused(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    for (int kind = 0; kind < 10; kind++) {
        Rig rig;
        buildTwoArms(&rig);
        snIkEffector hand = snDefaultIkEffector(4);
        snIkDef def = snDefaultIkDef(&rig.skeleton);
        const char *word = "";
        if (kind == 0) hand.joint = 8, word = "effectors[0].joint is 8";
        if (kind == 1) hand.place = false, word = "effectors[0] wants neither";
        if (kind == 2) hand.weight = 0, word = "effectors[0].weight is 0";
        if (kind == 3) hand.root = 5, word = "effectors[0].root is 5";
        if (kind == 4) hand.position.x = NAN, word = "effectors[0].position is not finite";
        if (kind == 5)
            rig.ranges[3] = snLimitedHinge(snVec(0, 0, 1), 1, -1), word = "ranges[3]: twist";
        if (kind == 6)
            rig.ranges[3] = snLimitedBall(snVec(0, 0, 1), 1, 4), word = "ranges[3]: swing";
        if (kind == 7)
            hand.turn = true, hand.orientation = (snQuat){0}, word = "effectors[0].orient";
        if (kind == 8) rig.ranges[2].frame.w = 0, word = "ranges[2]: frame";
        if (kind == 9) def.mostAngle = 0, word = "mostAngle 0";
        def.ranges = rig.ranges;
        def.effectors = &hand;
        def.effectorCount = 1;
        snIk *ik;
        CHECK(snIk_Make(&ik, &def, &context, &error) == SN_ERROR_ARGUMENT && ik == NULL);
        if (!CHECK(strstr(error.message, word) != NULL)) printf("  %s\n", error.message);
    }
}

static void memoryMayRunOut(void)
{
    Rig rig;
    buildTwoArms(&rig);
    snIkEffector hand = snDefaultIkEffector(4);
    snIkDef def = snDefaultIkDef(&rig.skeleton);
    def.effectors = &hand;
    def.effectorCount = 1;
    snFailingMemory memory = {0};
    for (int failAt = 1; failAt < 50; failAt++) {
        snContext context = snDefaultContext();
        memory = (snFailingMemory){.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snIk *ik;
        snStatus status = snIk_Make(&ik, &def, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snIk_Destroy(ik);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    CHECK(memory.count < memory.failAtWay);
}

int main(void)
{
    RUN(rangesThereAndBack);
    RUN(twoLinksInAPlane);
    RUN(randomTargetsAreReached);
    RUN(limitsHold);
    RUN(targetsWithinLimitsAreReached);
    RUN(limitsAreLeftAgain);
    RUN(outOfReachIsStill);
    RUN(straightArmsBend);
    RUN(orientationsAreReached);
    RUN(twoHandsAtOnce);
    RUN(chainsEndAtBranches);
    RUN(smallThings);
    RUN(sameBits);
    RUN(smoothWaysAreFollowedSmoothly);
    RUN(badInputIsRefused);
    RUN(memoryMayRunOut);
    return snTest_Finish();
}
