// Skeletons to solve inverse kinematics on: built joint by joint, or random trees in random poses.
#ifndef SN_TESTS_SKELETON_IKS_H
#define SN_TESTS_SKELETON_IKS_H

#include "core/elementary.h"
#include "core/error.h"
#include "core/random.h"
#include "skeleton/ik.h"
#include "skeleton/ik_parts.h"
#include "tests/test.h"

#include <stdio.h>

enum { MOST = 40 };

// A skeleton with its pose and whatever is solved on it.
typedef struct Rig {
    snJoint joints[MOST];
    snJointRange ranges[MOST];
    snSkeleton skeleton;
    snArena arena;
    snPose pose;
    snIkEffector effectors[4];
    snIkDef def;
    snIk *ik;
} Rig;

static inline void addJoint(Rig *rig, int parent, snVec3 at)
{
    int j = rig->skeleton.jointCount++;
    rig->joints[j] =
        (snJoint){.name = "", .parent = parent, .rest = {at, snIdentityQuat(), snVec(1, 1, 1)}};
    rig->ranges[j] = snFreeBall();
    rig->skeleton.joints = rig->joints;
}

static inline void beginRig(Rig *rig)
{
    *rig = (Rig){0};
    rig->skeleton.joints = rig->joints;
}

static inline void want(Rig *rig, snIkEffector effector)
{
    rig->effectors[rig->def.effectorCount++] = effector;
}

static inline bool makeRig(Rig *rig)
{
    snContext context = snDefaultContext();
    int count = rig->def.effectorCount;
    snError error = {0};
    rig->def = snDefaultIkDef(&rig->skeleton);
    rig->def.ranges = rig->ranges;
    rig->def.effectors = rig->effectors;
    rig->def.effectorCount = count;
    rig->arena = snMakeArena(&context);
    bool made = CHECK(!snPose_Make(&rig->pose, &rig->skeleton, 0, &rig->arena, &error)) &&
                CHECK(!snIk_Make(&rig->ik, &rig->def, &context, &error));
    if (!made) printf("  %s\n", error.message);
    return made;
}

static inline void endRig(Rig *rig)
{
    snIk_Destroy(rig->ik);
    snArena_Destroy(&rig->arena);
}

static inline snVec3 placeOf(const Rig *rig, int joint, snVec3 point)
{
    return snMulAP(rig->pose.global[joint], point);
}

// A tree of random bones, some of no length, some joints scaled (uniformly, or not), turned at rest.
static inline void randomTree(Rig *rig, snRandom *random, int count, bool limits, int scales)
{
    beginRig(rig);
    for (int j = 0; j < count; j++) {
        int parent = j == 0 ? -1 : snRandom_Below(random, 3) ? j - 1 : snRandom_Below(random, j);
        double length = snRandom_Below(random, 8) ? snRandom_Uniform(random, 0.2, 1) : 0;
        addJoint(rig, parent, snScale(length, snRandom_UnitVector(random)));
        snTransform *rest = &rig->joints[j].rest;
        rest->rotation = snRandom_Rotation(random);
        if (scales) {
            double s = snRandom_Uniform(random, 0.8, 1.25);
            rest->scale = snVec(s, s, s);
            if (scales > 1) rest->scale.y *= snRandom_Uniform(random, 0.8, 1.25);
        }
        int kind = snRandom_Below(random, 4);
        snVec3 axis = snRandom_UnitVector(random);
        if (kind == 0)
            rig->ranges[j] = limits ? snLimitedHinge(axis, -1.2, 0.9) : snFreeHinge(axis);
        if (kind == 1 && limits) rig->ranges[j] = snLimitedBall(axis, 0.5, 1.2);
        if (kind == 2 && j > 0 && snRandom_Below(random, 3) == 0) rig->ranges[j] = snFixedJoint();
    }
}

// A random pose within the ranges.
static inline void randomPose(Rig *rig, snRandom *random, double share)
{
    snPose_SetRest(&rig->pose, &rig->skeleton);
    for (int j = 0; j < rig->skeleton.jointCount; j++) {
        const snJointRange *range = &rig->ranges[j];
        snTransform *local = &rig->pose.local[j];
        double angles[3];
        for (int i = 0; i < 3; i++)
            angles[i] = range->limited ? snRandom_Uniform(random, share * range->low[i],
                                                          share * range->high[i])
                                       : snRandom_Uniform(random, -share, share);
        local->rotation = snJointRange_Rotation(range, local->rotation, angles);
    }
    snPose_Globals(&rig->pose, &rig->skeleton);
}

#endif
