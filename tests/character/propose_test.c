// Proposed skeletons of bodies made in code: joints and bones inside, symmetric, of moderate number,
// named only where the shape tells.
#include "character/propose.h"

#include "core/elementary.h"
#include "core/error.h"
#include "tests/character/bodies.h"

#include <string.h>

static int countWith(const snRigPlan *plan, const char *start)
{
    int count = 0;
    for (int j = 0; j < plan->joints.count; j++)
        count += !strncmp(plan->joints.data[j].name, start, strlen(start));
    return count;
}

static snVec3 placeOf(const snRigPlan *plan, const char *name)
{
    int j = snRigPlan_Find(plan, name);
    if (!CHECK(j >= 0)) printf("there is no joint %s\n", name);
    return j < 0 ? snVec(0, 0, 0) : plan->joints.data[j].at;
}

static void checkInside(const snRigPlan *plan, const snSolid *solid)
{
    for (int j = 0; j < plan->joints.count; j++)
        if (!CHECK(snSolid_Depth(solid, plan->joints.data[j].at) > 0.0))
            printf("%s is outside\n", plan->joints.data[j].name);
    for (int b = 0; b < plan->bones.count; b++) {
        const snPlanJoint *a = &plan->joints.data[plan->bones.data[b].a];
        const snPlanJoint *c = &plan->joints.data[plan->bones.data[b].b];
        if (!CHECK(snSolid_SegmentInside(solid, a->at, c->at, 0.002 * solid->size)))
            printf("the bone from %s to %s leaves the body\n", a->name, c->name);
    }
}

// A joint that ends in _L has a partner in _R across x = 0 (up to where the plane was found); others
// are in the plane.
static void checkSymmetric(const snRigPlan *plan, double tolerance)
{
    char partner[64];
    for (int j = 0; j < plan->joints.count; j++) {
        const snPlanJoint *joint = &plan->joints.data[j];
        size_t length = strlen(joint->name);
        snprintf(partner, sizeof partner, "%s", joint->name);
        if (!strcmp(partner + length - 2, "_L")) memcpy(partner + length - 2, "_R", 2);
        snVec3 at = placeOf(plan, partner), image = snVec(-joint->at.x, joint->at.y, joint->at.z);
        if (strcmp(partner + length - 2, "_R") == 0)
            CHECK(snDistance(at, image) < tolerance || !strcmp(partner, joint->name));
        else
            CHECK(fabs(joint->at.x) < tolerance);
    }
}

static snRigPlan proposeFor(const snSolid *solid)
{
    snContext context = snDefaultContext();
    snRigPlan plan = snMakeRigPlan(&context);
    snProposeDef def = snDefaultProposeDef();
    snError error = {0};
    double begin = seconds();
    if (!CHECK(snProposeRig(&plan, solid, &def, &serial, &error) == SN_OK))
        printf("%s\n", error.message);
    printf("  %d joints in %.2f s\n", plan.joints.count, seconds() - begin);
    return plan;
}

static void checkTree(const snRigPlan *plan)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSkeleton skeleton;
    CHECK(plan->bones.count == plan->joints.count - 1);
    CHECK(snRigPlan_Skeleton(&skeleton, plan, NULL, &arena, NULL) == SN_OK);
    snArena_Destroy(&arena);
}

static void quadrupedGetsItsParts(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = quadruped();
    snSolid solid = solidOf(&body, 0.05, &arena);
    snRigPlan plan = proposeFor(&solid);
    CHECK(plan.joints.count >= 10 && plan.joints.count <= 40);
    checkInside(&plan, &solid);
    checkSymmetric(&plan, 0.01);
    checkTree(&plan);
    CHECK(plan.root == 0 && !strcmp(plan.joints.data[0].name, "body"));
    CHECK(snDistance(plan.joints.data[0].at, snVec(0, 1, 0)) < 0.6);
    CHECK(countWith(&plan, "leg_front_") >= 4 && countWith(&plan, "leg_hind_") >= 4);
    CHECK(countWith(&plan, "head") >= 1 && countWith(&plan, "tail_") >= 2);
    CHECK(placeOf(&plan, "leg_front_1_L").z > 0.3 && placeOf(&plan, "leg_front_1_L").x > 0.1);
    CHECK(placeOf(&plan, "leg_hind_1_R").z < -0.3 && placeOf(&plan, "leg_hind_1_R").x < -0.1);
    CHECK(snDistance(placeOf(&plan, "head"), snVec(0, 1.6, 1.1)) < 0.3);
    double back = 0.0;
    for (int j = 0; j < plan.joints.count; j++)
        if (!strncmp(plan.joints.data[j].name, "tail", 4))
            back = fmin(back, plan.joints.data[j].at.z);
    CHECK(back < -1.45);
    CHECK(countWith(&plan, "ear") == 0); // a round pair on a head may be ears or horns: not told
    CHECK(countWith(&plan, "branch") >= 4);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void personGetsItsParts(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = person();
    snSolid solid = solidOf(&body, 0.04, &arena);
    snRigPlan plan = proposeFor(&solid);
    CHECK(plan.joints.count >= 10 && plan.joints.count <= 40);
    checkInside(&plan, &solid);
    checkSymmetric(&plan, 0.01);
    checkTree(&plan);
    CHECK(countWith(&plan, "leg_") >= 6 && countWith(&plan, "arm_") >= 6);
    CHECK(countWith(&plan, "head") >= 1);
    CHECK(placeOf(&plan, "arm_1_L").x > 0.0);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

// The same body turned over: nothing looks like an animal, and nothing is named like one.
static void strangeShapesStayNeutral(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = quadruped();
    snMesh mesh = polygonise(&body, 0.06, &arena);
    snVec3 *turned = SN_NEW(&arena, snVec3, mesh.vertexCount);
    for (int v = 0; v < mesh.vertexCount; v++)
        turned[v] = snVec(mesh.positions[v].x, -mesh.positions[v].y, -mesh.positions[v].z);
    mesh.positions = turned;
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    snRigPlan plan = proposeFor(&solid);
    checkInside(&plan, &solid);
    checkSymmetric(&plan, 0.01);
    CHECK(countWith(&plan, "leg_front") == 0 && countWith(&plan, "head") == 0);
    CHECK(countWith(&plan, "tail") == 0 && countWith(&plan, "ear") == 0);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void ballIsOneJoint(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = {0};
    addCapsule(&body, snVec(-1e-6, 0, 0), 1.0, snVec(1e-6, 0, 0), 1.0);
    snSolid solid = solidOf(&body, 0.15, &arena);
    snRigPlan plan = proposeFor(&solid);
    CHECK(plan.joints.count == 1);
    CHECK(snLength(plan.joints.data[0].at) < 0.1);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

// A worm without any mirror plane but its own: a chain along its curve.
static void wormIsAChain(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = {0};
    snVec3 last = snVec(0, 0, 0);
    for (int i = 1; i <= 10; i++) {
        snVec3 next = snVec(0.3 * i, 0.4 * snSin(0.6 * i), 0.3 * snCos(0.9 * i) - 0.3 + 0.03 * i);
        addCapsule(&body, last, 0.12, next, 0.12);
        last = next;
    }
    snSolid solid = solidOf(&body, 0.06, &arena);
    snRigPlan plan = proposeFor(&solid);
    checkInside(&plan, &solid);
    checkTree(&plan);
    CHECK(plan.joints.count >= 6 && plan.joints.count <= 24);
    for (int j = 0; j < plan.joints.count; j++) { // each joint has one or two bones
        int bones = 0;
        for (int b = 0; b < plan.bones.count; b++)
            bones += plan.bones.data[b].a == j || plan.bones.data[b].b == j;
        CHECK(bones == 1 || bones == 2);
    }
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static snMesh ring(snArena *arena)
{
    enum { AROUND = 48, ACROSS = 16 };
    snVec3 *p = SN_NEW(arena, snVec3, AROUND * ACROSS);
    int *t = SN_NEW(arena, int, AROUND *ACROSS * 6), n = 0;
    for (int i = 0; i < AROUND; i++)
        for (int j = 0; j < ACROSS; j++) {
            double a = 2.0 * SN_PI * i / AROUND, b = 2.0 * SN_PI * j / ACROSS;
            double r = 1.0 + 0.25 * snCos(b);
            p[i * ACROSS + j] = snVec(r * snCos(a), 0.25 * snSin(b), r * snSin(a));
            int x = (i + 1) % AROUND, y = (j + 1) % ACROSS;
            int quad[6] = {i * ACROSS + j, i * ACROSS + y, x * ACROSS + y,
                           i * ACROSS + j, x * ACROSS + y, x * ACROSS + j};
            memcpy(t + 6 * n++, quad, sizeof quad);
        }
    return (snMesh){AROUND * ACROSS, 2 * n, p, t};
}

static void ringIsCutOpen(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snMesh mesh = ring(&arena);
    snSolid solid;
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    snRigPlan plan = proposeFor(&solid);
    checkInside(&plan, &solid);
    checkTree(&plan);
    CHECK(plan.joints.count >= 6);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void sameBitsInAnyOrder(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Body body = person();
    snSolid solid = solidOf(&body, 0.08, &arena);
    snProposeDef def = snDefaultProposeDef();
    def.curve.maxCells = 30000;
    snRigPlan one = snMakeRigPlan(&context), two = snMakeRigPlan(&context);
    CHECK(snProposeRig(&one, &solid, &def, &serial, NULL) == SN_OK);
    CHECK(snProposeRig(&two, &solid, &def, &backwards, NULL) == SN_OK);
    CHECK(one.joints.count == two.joints.count);
    for (int j = 0; j < one.joints.count; j++) {
        snVec3 a = one.joints.data[j].at, b = two.joints.data[j].at;
        CHECK(a.x == b.x && a.y == b.y && a.z == b.z);
        CHECK(!strcmp(one.joints.data[j].name, two.joints.data[j].name));
    }
    snRigPlan_Destroy(&one);
    snRigPlan_Destroy(&two);
    snArena_Destroy(&arena);
}

static void sheetIsRefused(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const snVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    snMesh mesh = {4, 2, points, triangles};
    snSolid solid;
    snError error = {0};
    snRigPlan plan = snMakeRigPlan(&context);
    snProposeDef def = snDefaultProposeDef();
    CHECK(snSolid_Make(&solid, &mesh, &arena, NULL) == SN_OK);
    CHECK(snProposeRig(&plan, &solid, &def, &serial, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "encloses no volume") != NULL);
    def.boneLength = 0.0;
    CHECK(snProposeRig(&plan, &solid, &def, &serial, &error) == SN_ERROR_ARGUMENT);
    def = snDefaultProposeDef();
    def.curve.slender = NAN;
    CHECK(snProposeRig(&plan, &solid, &def, &serial, &error) == SN_ERROR_ARGUMENT);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext(), context = plain;
    snArena arena = snMakeArena(&plain);
    Body body = person();
    snSolid solid = solidOf(&body, 0.12, &arena);
    snProposeDef def = snDefaultProposeDef();
    def.curve.maxCells = 4000;
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 500; n++) {
        memory = (snFailingMemory){.failAtWay = n};
        snRigPlan plan = snMakeRigPlan(&context);
        status = snProposeRig(&plan, &solid, &def, &serial, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snRigPlan_Destroy(&plan);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(quadrupedGetsItsParts);
    RUN(personGetsItsParts);
    RUN(strangeShapesStayNeutral);
    RUN(ballIsOneJoint);
    RUN(wormIsAChain);
    RUN(ringIsCutOpen);
    RUN(sameBitsInAnyOrder);
    RUN(sheetIsRefused);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
