// Joints placed by rays, bones between them, and the hierarchy from a root: places against closed
// forms, every mistake with its message.
#include "character/instrument.h"

#include "core/error.h"
#include "core/random.h"
#include "tests/character/bodies.h"

#include <string.h>

static snMesh box(snArena *arena, snVec3 lower, snVec3 upper)
{
    snVec3 *p = SN_NEW(arena, snVec3, 8);
    static const int quads[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                  2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    int *t = SN_NEW(arena, int, 36);
    for (int i = 0; i < 8; i++)
        p[i] =
            snVec(i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z);
    for (int q = 0; q < 6; q++)
        for (int i = 0; i < 6; i++) {
            static const int corner[6] = {0, 1, 2, 0, 2, 3};
            t[6 * q + i] = quads[4 * q + corner[i]];
        }
    return (snMesh){8, 12, p, t};
}

static snSolid boxSolid(snArena *arena)
{
    snMesh mesh = box(arena, snVec(-1, 0, -2), snVec(1, 3, 2));
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, arena, NULL) == SN_OK);
    return solid;
}

static void raysEndInTheMiddle(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = boxSolid(&arena);
    snVec3 at;
    CHECK(snPlaceByRay(&at, &solid, snVec(0.3, 1.1, -10), snVec(0, 0, 5), NULL) == SN_OK);
    CHECK_NEAR(snDistance(at, snVec(0.3, 1.1, 0)), 0.0, 1e-12);
    // The diagonal of the faces goes through two triangles at once, far away the numbers are coarse.
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 1.5, -1e5), snVec(0, 0, 1), NULL) == SN_OK);
    CHECK_NEAR(snDistance(at, snVec(0, 1.5, 0)), 0.0, 1e-8);
    // Slanted, against the closed form of a slab: it enters at z = -2, x = 0.6 and leaves by x = 1.
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 1, -5), snVec(0.2, 0, 1), NULL) == SN_OK);
    CHECK_NEAR(snDistance(at, snVec(0.8, 1, -1)), 0.0, 1e-12);
    snArena_Destroy(&arena);
}

static void raysThatPlaceNothing(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = boxSolid(&arena);
    snVec3 at;
    snError error;
    CHECK(snPlaceByRay(&at, &solid, snVec(5, 1, -9), snVec(0, 0, 1), &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "misses") != NULL);
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 1, -9), snVec(0, 0, -1), &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "misses") != NULL);
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 1, 0), snVec(0, 0, 1), &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "begins inside") != NULL);
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 1, -9), snVec(0, 0, 0), &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "no direction") != NULL);
    CHECK(snPlaceByRay(&at, &solid, snVec(0, NAN, -9), snVec(0, 0, 1), &error) ==
          SN_ERROR_ARGUMENT);
    // Through a corner only.
    CHECK(snPlaceByRay(&at, &solid, snVec(2, 3, -2), snVec(-1, 1, 0), &error) != SN_OK);
    CHECK(snPlaceByRay(&at, &solid, snVec(0, 3, -3), snVec(0, 1, 1), &error) != SN_OK);
    snArena_Destroy(&arena);
}

// A sheet in front of the body is passed over; alone it places nothing. A ball inside the box:
// between the skin and it.
static void sheetsAndShells(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh body = box(&arena, snVec(-1, 0, -2), snVec(1, 3, 2));
    snVec3 *p = SN_NEW(&arena, snVec3, 12);
    int *t = SN_NEW(&arena, int, 42);
    memcpy(p, body.positions, 8 * sizeof *p);
    memcpy(t, body.triangles, 36 * sizeof *t);
    const snVec3 sheet[4] = {{-1, 0, -4}, {1, 0, -4}, {1, 3, -4}, {-1, 3, -4}};
    const int corners[6] = {8, 9, 10, 8, 10, 11};
    memcpy(p + 8, sheet, sizeof sheet);
    memcpy(t + 36, corners, sizeof corners);
    snMesh both = {12, 14, p, t};
    snSolid solid;
    snVec3 at;
    snError error;
    CHECK(snSolid_Make(&solid, &both, &arena, NULL) == SN_OK);
    CHECK(snPlaceByRay(&at, &solid, snVec(0.1, 1, -9), snVec(0, 0, 1), NULL) == SN_OK);
    CHECK_NEAR(snDistance(at, snVec(0.1, 1, 0)), 0.0, 1e-9);
    snMesh alone = {4, 2, sheet, body.triangles};
    const int two[6] = {0, 1, 2, 0, 2, 3};
    alone.triangles = two;
    CHECK(snSolid_Make(&solid, &alone, &arena, NULL) == SN_OK);
    CHECK(snPlaceByRay(&at, &solid, snVec(0.1, 1, -9), snVec(0, 0, 1), &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "crosses 1 sheet of") != NULL);
    snArena_Destroy(&arena);
}

static int add(snRigPlan *plan, const char *name, double x, double y, double z)
{
    int joint = -1;
    CHECK(snRigPlan_AddJoint(plan, name, snVec(x, y, z), &joint, NULL) == SN_OK);
    return joint;
}

// hip - knee - foot, hip - spine - head, built in a strange order.
static snRigPlan figure(const snContext *context)
{
    snRigPlan plan = snMakeRigPlan(context);
    int foot = add(&plan, "foot", 0.1, 0, 0.1), knee = add(&plan, "knee", 0.1, 0.5, 0.05);
    int head = add(&plan, "head", 0, 2, 0), hip = add(&plan, "hip", 0, 1, 0);
    int spine = add(&plan, "spine", 0, 1.5, -0.1);
    CHECK(snRigPlan_Connect(&plan, foot, knee, NULL) == SN_OK);
    CHECK(snRigPlan_Connect(&plan, head, spine, NULL) == SN_OK);
    CHECK(snRigPlan_Connect(&plan, spine, hip, NULL) == SN_OK);
    CHECK(snRigPlan_Connect(&plan, knee, hip, NULL) == SN_OK);
    plan.root = hip;
    return plan;
}

static void hierarchyKeepsPlaces(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRigPlan plan = figure(&context);
    int jointOf[5];
    snSkeleton skeleton;
    snPose pose;
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, jointOf, &arena, NULL) == SN_OK);
    CHECK(snPose_Make(&pose, &skeleton, 0, &arena, NULL) == SN_OK);
    CHECK(skeleton.jointCount == 5 && skeleton.joints[0].parent == -1);
    CHECK(!strcmp(skeleton.joints[0].name, "hip"));
    for (int j = 0; j < 5; j++) {
        int k = jointOf[j], parent = skeleton.joints[k].parent;
        CHECK(!strcmp(skeleton.joints[k].name, plan.joints.data[j].name));
        CHECK_NEAR(snDistance(pose.global[k].origin, plan.joints.data[j].at), 0.0, 1e-14);
        CHECK(parent < k);
        CHECK_NEAR(snDet(pose.global[k].linear), 1.0, 1e-12);
        // An only child lies along its parent's y axis.
        if (parent > 0) {
            snVec3 way = snSub(pose.global[k].origin, pose.global[parent].origin);
            CHECK_NEAR(snDot(snNormalizeOr(way, way), pose.global[parent].linear.cy), 1.0, 1e-12);
        }
    }
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void mistakesNameTheirJoints(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRigPlan plan = figure(&context);
    snSkeleton skeleton;
    snError error;
    CHECK(snRigPlan_AddJoint(&plan, "knee", snVec(0, 0, 0), NULL, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "'knee'") != NULL);
    CHECK(snRigPlan_AddJoint(&plan, "", snVec(0, 0, 0), NULL, &error) == SN_ERROR_ARGUMENT);
    CHECK(snRigPlan_AddJoint(&plan, "far", snVec(0, INFINITY, 0), NULL, &error) != SN_OK);
    CHECK(snRigPlan_Connect(&plan, 1, 1, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "'knee' to itself") != NULL);
    CHECK(snRigPlan_Connect(&plan, 1, 0, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "connected twice") != NULL);
    CHECK(snRigPlan_Connect(&plan, 1, 99, &error) == SN_ERROR_ARGUMENT);
    CHECK(snRigPlan_Rename(&plan, 1, "foot", &error) == SN_ERROR_ARGUMENT);
    CHECK(snRigPlan_Rename(&plan, 1, "knee", &error) == SN_OK); // its own name

    CHECK(snRigPlan_Connect(&plan, 0, 2, NULL) == SN_OK); // foot and head
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "closes a cycle") != NULL &&
          strstr(error.message, "'head'") != NULL);
    snRigPlan_Disconnect(&plan, 2, 0);
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, &error) == SN_OK);
    int alone = add(&plan, "wing", 5, 5, 5);
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "'wing' is not connected to the root 'hip'") != NULL);
    snRigPlan_RemoveJoint(&plan, alone);
    plan.root = 17;
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, &error) == SN_ERROR_ARGUMENT);
    snRigPlan_Destroy(&plan);
    plan = snMakeRigPlan(&context);
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, &error) == SN_ERROR_ARGUMENT);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void jointsCanBeTakenOut(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRigPlan plan = figure(&context);
    snSkeleton skeleton;
    snRigPlan_RemoveJoint(&plan, snRigPlan_Find(&plan, "foot"));
    CHECK(plan.joints.count == 4 && plan.bones.count == 3);
    CHECK(!strcmp(plan.joints.data[plan.root].name, "hip"));
    CHECK(snRigPlan_Find(&plan, "foot") == -1 && snRigPlan_Find(&plan, "knee") == 0);
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, NULL) == SN_OK);
    snRigPlan_RemoveJoint(&plan, plan.root);
    CHECK(plan.root == 0 && plan.bones.count == 1);
    snRigPlan_RemoveJoint(&plan, 99); // nothing
    CHECK(plan.joints.count == 3);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

// Joints at one place, and a bone that turns straight back, still give finite frames.
static void degenerateBones(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRigPlan plan = snMakeRigPlan(&context);
    add(&plan, "a", 0, 0, 0);
    add(&plan, "b", 0, 1, 0);
    add(&plan, "c", 0, 0, 0);
    add(&plan, "d", 0, 0, 0);
    for (int i = 0; i < 3; i++)
        CHECK(snRigPlan_Connect(&plan, i, i + 1, NULL) == SN_OK);
    snSkeleton skeleton;
    snPose pose;
    CHECK(snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, NULL) == SN_OK);
    CHECK(snPose_Make(&pose, &skeleton, 0, &arena, NULL) == SN_OK);
    for (int j = 0; j < 4; j++) {
        CHECK_NEAR(snDistance(pose.global[j].origin, plan.joints.data[j].at), 0.0, 1e-12);
        CHECK_NEAR(snDet(pose.global[j].linear), 1.0, 1e-12);
    }
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static snStatus buildAll(const snContext *context)
{
    snRigPlan plan = snMakeRigPlan(context);
    snArena arena = snMakeArena(context);
    snSkeleton skeleton;
    int a = 0, b = 0;
    snStatus status = snRigPlan_AddJoint(&plan, "a", snVec(0, 0, 0), &a, NULL);
    if (!status) status = snRigPlan_AddJoint(&plan, "b", snVec(0, 1, 0), &b, NULL);
    if (!status) status = snRigPlan_Connect(&plan, a, b, NULL);
    if (!status) status = snRigPlan_Skeleton(&skeleton, &plan, NULL, &arena, NULL);
    snArena_Destroy(&arena);
    snRigPlan_Destroy(&plan);
    return status;
}

static void everyAllocationMayFail(void)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 50; n++) {
        memory = (snFailingMemory){.failAtWay = n};
        status = buildAll(&context);
        CHECK(!status || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(raysEndInTheMiddle);
    RUN(raysThatPlaceNothing);
    RUN(sheetsAndShells);
    RUN(hierarchyKeepsPlaces);
    RUN(mistakesNameTheirJoints);
    RUN(jointsCanBeTakenOut);
    RUN(degenerateBones);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
