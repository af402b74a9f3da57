// Skeletons as articulated trees: poses there and back, masses, clips that are followed, blows that deflect, recovery.
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
    snFollow *follow;
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
    snFollow_Destroy(rig->follow);
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

// Arms that wave, the root going to and fro.
static float times[41], turns[2][41 * 4], places[41 * 3];
static snChannel channels[3];
static snClip clip = {.name = "wave", .duration = 4, .channelCount = 3, .channels = channels};

static void makeClip(void)
{
    static const int turning[2] = {2, 6};
    for (int k = 0; k <= 40; k++) {
        double t = 0.1 * k;
        times[k] = (float)t;
        for (int c = 0; c < 2; c++) {
            snQuat q = snQuatFromVector(snVec(0, 0.5 * snSin(3 * t), 0.3 + 0.4 * snSin(2 * t + c)));
            float *to = turns[c] + 4 * k;
            to[0] = (float)q.x, to[1] = (float)q.y, to[2] = (float)q.z, to[3] = (float)q.w;
        }
        places[3 * k] = (float)(0.3 * snSin(1.5 * t));
        places[3 * k + 1] = 1;
    }
    for (int c = 0; c < 2; c++)
        channels[c] = (snChannel){turning[c], SN_PATH_ROTATION, SN_LINEAR, 41, 4, times, turns[c]};
    channels[2] = (snChannel){0, SN_PATH_TRANSLATION, SN_LINEAR, 41, 3, times, places};
}

static double follow(Rig *rig, double from, double until, double h)
{
    snArticulatedStep step = {h, GRAVITY, SN_ARTICULATED_IMPLICIT};
    double worst = 0;
    for (double t = from; t < until - 0.5 * h; t += h) {
        snFollow_Aim(rig->follow, rig->state, &clip, t, h, GRAVITY);
        snArticulated_Step(rig->tree, rig->state, &step);
        worst = fmax(worst, worstPlace(rig, snFollow_Target(rig->follow)));
    }
    return worst;
}

// Strong joints follow closely, weak ones loosely; a blow deflects, the weaker the further, and half a second and more later
// it is back.
static void clipsAreFollowed(void)
{
    double before[2][3], hit[2][3];
    makeClip();
    for (int kind = 0; kind < 6; kind++) {
        Rig rig;
        snLimbsDef def = snDefaultLimbsDef();
        def.freeRoot = kind > 2;
        if (makeRig(&rig, &def)) {
            static const double frequencies[3] = {1.5, 5, 20};
            snContext context = snDefaultContext();
            snFollowDef aim = snDefaultFollowDef(rig.tree, &rig.skeleton);
            aim.frequency = frequencies[kind % 3];
            aim.rootFrequency = 5;
            CHECK(!snFollow_Make(&rig.follow, &aim, &context, NULL));
            snClip_Sample(&clip, 0, &rig.pose);
            snPose_Globals(&rig.pose, &rig.skeleton);
            snArticulated_TakePose(rig.tree, rig.state, &rig.skeleton, &rig.pose);
            double h = 1 / 60.0;
            follow(&rig, 0, 1, h);
            before[kind / 3][kind % 3] = follow(&rig, 1, 2, h);
            snArticulated_Blow(rig.tree, rig.state, 4, snArticulated_Frame(rig.state, 4).origin,
                               snVec(0, 0, 10));
            hit[kind / 3][kind % 3] = follow(&rig, 2, 2.5, h);
            follow(&rig, 2.5, 3.5, h);
            double later = follow(&rig, 3.5, 4, h);
            printf("  %s root, %4.1f Hz: off by %.4f m, struck %.3f m, 1.5 s later %.4f m\n",
                   kind > 2 ? "free" : "led", aim.frequency, before[kind / 3][kind % 3],
                   hit[kind / 3][kind % 3], later);
            CHECK(later < 1.5 * before[kind / 3][kind % 3] + 0.01);
        }
        freeRig(&rig);
    }
    for (int root = 0; root < 2; root++) {
        CHECK(before[root][0] > before[root][1] && before[root][1] > before[root][2]);
        CHECK(hit[root][0] > hit[root][1] && hit[root][1] > hit[root][2]);
        CHECK(before[root][2] < 0.02 && hit[root][0] > 0.1);
    }
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
        snFollowDef aim = snDefaultFollowDef(rig.tree, &rig.skeleton);
        double strength[JOINTS] = {0, 1, 2, -3};
        aim.strength = strength;
        CHECK(snFollow_Make(&rig.follow, &aim, &context, &error) == SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "strength[3] is -3") != NULL);
        snSkeleton less = {JOINTS - 1, rig.joints};
        aim = snDefaultFollowDef(rig.tree, &less);
        CHECK(snFollow_Make(&rig.follow, &aim, &context, &error) == SN_ERROR_ARGUMENT);
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
            snFollowDef aim = snDefaultFollowDef(rig.tree, &rig.skeleton);
            snFollow *one = NULL;
            snStatus status = snSkeleton_Links(&rig.skeleton, &def, rig.links, &context, NULL);
            if (!status) status = snFollow_Make(&one, &aim, &context, NULL);
            CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
            snFollow_Destroy(one);
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
    RUN(clipsAreFollowed);
    RUN(badInputIsRefused);
    RUN(memoryMayRunOut);
    return snTest_Finish();
}
