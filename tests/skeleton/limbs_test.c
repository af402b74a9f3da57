// Skeletons as articulated trees: poses there and back, masses, how a limp one falls.
#include "skeleton/limbs.h"

#include "core/elementary.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

enum { JOINTS = 8 };

typedef struct Rig {
    snJoint joints[JOINTS];
    snSkeleton skeleton;
    snLinkDef links[JOINTS];
    snJointRange ranges[JOINTS];
    snArena arena;
    snPose pose;
    snArticulated *tree;
    snArticulatedState *state;
} Rig;

static const snVec3 GRAVITY = {0, -9.81, 0};

// A trunk of two with two arms of three; turned frames, and a scale.
static bool makeRig(Rig *rig, const snLimbsDef *given)
{
    static const int parents[JOINTS] = {-1, 0, 1, 2, 3, 1, 5, 6};
    snContext context = snDefaultContext();
    snError error = {0};
    snLimbsDef def = given ? *given : snDefaultLimbsDef();
    *rig = (Rig){.skeleton = {JOINTS, rig->joints}};
    for (int j = 0; j < JOINTS; j++) {
        snVec3 at = j == 0   ? snVec(0, 1, 0)
                    : j == 1 ? snVec(0, 0.25, 0)
                             : snVec(j < 5 ? 0.15 : -0.15, 0, 0);
        rig->joints[j] = (snJoint){.name = "", .parent = parents[j]};
        rig->joints[j].rest = (snTransform){at, snQuatFromVector(snVec(0, 0, j == 2 ? 0.3 : 0)),
                                            j ? snVec(1, 1, 1) : snVec(2, 2, 2)};
        rig->ranges[j] = j == 3 ? snFreeHinge(snVec(0, 1, 0)) : snFreeBall();
    }
    def.ranges = rig->ranges;
    rig->arena = snMakeArena(&context);
    snArticulatedDef tree = {JOINTS, rig->links};
    bool made = CHECK(!snPose_Make(&rig->pose, &rig->skeleton, 0, &rig->arena, &error)) &&
                CHECK(!snSkeleton_Links(&rig->skeleton, &def, rig->links, &context, &error)) &&
                CHECK(!snArticulated_Make(&rig->tree, &tree, &context, &error)) &&
                CHECK(!snArticulatedState_Make(&rig->state, rig->tree, &context, &error));
    if (!made) printf("  %s\n", error.message);
    return made;
}

static void freeRig(Rig *rig)
{
    snArticulatedState_Destroy(rig->state);
    snArticulated_Destroy(rig->tree);
    snArena_Destroy(&rig->arena);
}

static double worstPlace(const Rig *rig, const snPose *pose)
{
    double worst = 0;
    for (int j = 0; j < JOINTS; j++)
        worst = fmax(worst,
                     snDistance(snArticulated_Frame(rig->state, j).origin, pose->global[j].origin));
    return worst;
}

static void posesThereAndBack(void)
{
    Rig rig;
    if (makeRig(&rig, NULL)) {
        snRandom random = snMakeRandom(1);
        CHECK_NEAR(worstPlace(&rig, &rig.pose), 0, 1e-15); // at rest, scaled by 2
        for (int j = 0; j < JOINTS; j++)
            rig.pose.local[j].rotation =
                j == 3 ? snQuatFromVector(snVec(0, 0.7, 0)) : snRandom_Rotation(&random);
        rig.pose.local[0].translation = snVec(3, 2, 1);
        snPose_Globals(&rig.pose, &rig.skeleton);
        snArticulated_TakePose(rig.tree, rig.state, &rig.skeleton, &rig.pose);
        CHECK_NEAR(worstPlace(&rig, &rig.pose), 0, 1e-14);
        snTransform before[JOINTS];
        memcpy(before, rig.pose.local, sizeof before);
        snPose_SetRest(&rig.pose, &rig.skeleton);
        snArticulated_GivePose(rig.tree, rig.state, &rig.skeleton, &rig.pose);
        for (int j = 0; j < JOINTS; j++) {
            CHECK_NEAR(fabs(snDotQ(before[j].rotation, rig.pose.local[j].rotation)), 1, 1e-14);
            CHECK_NEAR(snDistance(before[j].translation, rig.pose.local[j].translation), 0, 1e-14);
        }
        CHECK_NEAR(worstPlace(&rig, &rig.pose), 0, 1e-14);
    }
    freeRig(&rig);
}

// A trunk's capsule and two arms'; ends are balls.
static void bonesHaveMass(void)
{
    Rig rig;
    if (makeRig(&rig, NULL)) {
        double r = 0.1,
               trunk = 1000 * SN_PI * r * r * (0.5 + r * 4 / 3); // 0.5 m long, a fifth thick
        CHECK_NEAR(rig.links[0].mass, trunk, 1e-9 * trunk);
        CHECK_NEAR(rig.links[0].center.y, 0.25, 1e-12);
        CHECK_NEAR(snLength(rig.links[1].center), 0, 1e-12); // arms to both sides
        double end = 1000 * SN_PI * 4 / 3 * 0.06 * 0.06 * 0.06;
        CHECK_NEAR(rig.links[4].mass, end, 1e-9 * end);
        for (int j = 0; j < JOINTS; j++)
            CHECK(rig.links[j].mass > 0 && rig.links[j].drive.damping > 0);
        CHECK(rig.links[3].kind == SN_LINK_HINGE && rig.links[2].kind == SN_LINK_BALL);
    }
    freeRig(&rig);
}

// Limp: nothing holds it, it falls as a whole and stays together.
static void limpTreesFall(void)
{
    Rig rig;
    snLimbsDef def = snDefaultLimbsDef();
    def.freeRoot = true;
    if (makeRig(&rig, &def)) {
        snArticulatedMeasure a, b;
        double h = 1 / 60.0, time = 120 * h;
        snArticulatedStep step = {h, GRAVITY, SN_ARTICULATED_IMPLICIT};
        snArticulatedState_Links(rig.state)[0].spin = snVec(2, 1, -3);
        snArticulated_Update(rig.tree, rig.state);
        snArticulated_Measure(rig.tree, rig.state, GRAVITY, &a);
        for (int i = 0; i < 120; i++)
            snArticulated_Step(rig.tree, rig.state, &step);
        snArticulated_Measure(rig.tree, rig.state, GRAVITY, &b);
        snVec3 fall = snMulAdd(a.center, 0.5 * time * (time + h), GRAVITY);
        fall = snMulAdd(fall, time / a.mass, a.momentum);
        CHECK_NEAR(snDistance(b.center, fall), 0, 0.01 * snDistance(b.center, a.center));
        CHECK(isfinite(b.kinetic));
    }
    freeRig(&rig);
}

static void badInputIsRefused(void)
{
    Rig rig;
    snContext context = snDefaultContext();
    snError error = {0};
    if (makeRig(&rig, NULL)) {
        snLimbsDef def = snDefaultLimbsDef();
        def.density = 0;
        CHECK(snSkeleton_Links(&rig.skeleton, &def, rig.links, &context, &error) ==
              SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "density 0") != NULL);
    }
    freeRig(&rig);
}

static void memoryMayRunOut(void)
{
    Rig rig;
    if (makeRig(&rig, NULL)) {
        snFailingMemory memory = {0};
        for (int failAt = 1; failAt < 60; failAt++) {
            snContext context = snDefaultContext();
            memory = (snFailingMemory){.failAtWay = failAt};
            snTest_UseFailingMemory(&context, &memory);
            snLimbsDef def = snDefaultLimbsDef();
            snStatus status = snSkeleton_Links(&rig.skeleton, &def, rig.links, &context, NULL);
            CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
            CHECK(memory.alive == 0);
            if (status == SN_OK) break;
        }
        CHECK(memory.count < memory.failAtWay);
    }
    freeRig(&rig);
}

int main(void)
{
    RUN(posesThereAndBack);
    RUN(bonesHaveMass);
    RUN(limpTreesFall);
    RUN(badInputIsRefused);
    RUN(memoryMayRunOut);
    return snTest_Finish();
}
