// Skeleton files: what is written is read again; every mistake is told with its place in the file.
#include "cli/skeleton_file.h"

#include "core/memory.h"
#include "tests/character/bodies.h"

#include <string.h>

static snSolid column(snArena *arena)
{
    Body body = {0};
    addCapsule(&body, snVec(0, 0, 0), 0.5, snVec(0, 2, 0), 0.5);
    return solidOf(&body, 0.15, arena);
}

static snStatus readText(snRigPlan *plan, const char *text, const snSolid *solid, snError *error)
{
    return snSkeletonFile_Read(plan, text, strlen(text), solid, error);
}

static void placesAndRays(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = column(&arena);
    snRigPlan plan = snMakeRigPlan(&context);
    const char *text =
        "{\"root\": \"b\", \"joints\": [{\"name\": \"a\", \"at\": [0, 0.25, 0]},"
        " {\"ray\": {\"origin\": [5, 1.5, 0], \"direction\": [-2, 0, 0]}, \"name\": \"b\"}],"
        " \"bones\": [[\"a\", \"b\"]]}";
    CHECK(readText(&plan, text, &solid, NULL) == SN_OK);
    CHECK(plan.joints.count == 2 && plan.bones.count == 1 && plan.root == 1);
    CHECK_NEAR(snDistance(plan.joints.data[0].at, snVec(0, 0.25, 0)), 0.0, 0.0);
    CHECK_NEAR(snDistance(plan.joints.data[1].at, snVec(0, 1.5, 0)), 0.0, 0.01);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void writtenAndReadAgain(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = column(&arena);
    snRigPlan plan = snMakeRigPlan(&context), again = snMakeRigPlan(&context);
    CHECK(snRigPlan_AddJoint(&plan, "one", snVec(0.123456789, -1e-9, 0.4), NULL, NULL) == SN_OK);
    CHECK(snRigPlan_AddJoint(&plan, "a \"two\"", snVec(0, 1, 0), NULL, NULL) == SN_OK);
    CHECK(snRigPlan_Connect(&plan, 1, 0, NULL) == SN_OK);
    plan.root = 1;
    snBytes bytes = snMakeBytes(&context);
    CHECK(snSkeletonFile_Write(&plan, 3.0, &bytes, NULL) == SN_OK);
    CHECK(snSkeletonFile_Read(&again, (char *)bytes.data, bytes.size, &solid, NULL) == SN_OK);
    CHECK(again.joints.count == 2 && again.bones.count == 1 && again.root == 1);
    CHECK(!strcmp(again.joints.data[1].name, "a \"two\""));
    CHECK(again.joints.data[0].at.x == 0.12346 && again.joints.data[0].at.y == 0.0);
    CHECK(again.bones.data[0].a == 1 && again.bones.data[0].b == 0);
    snBytes_Destroy(&bytes);
    snRigPlan_Destroy(&plan);
    snRigPlan_Destroy(&again);
    snArena_Destroy(&arena);
}

#define JOINT_A "{\"name\": \"spine\", \"at\": [0, 1, 0]}"
#define JOINT_B "{\"name\": \"neck\", \"at\": [0, 2, 0]}"

static void mistakesAreNamed(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[]", "a skeleton is an object"},
        {"{", "line"},
        {"{\"joints\": []}", "'bones' is missing"},
        {"{\"bones\": []}", "'joints' is missing"},
        {"{\"joint\": [], \"bones\": []}", "did you mean \"joints\"?"},
        {"{\"joints\": 3, \"bones\": []}", "joints"},
        {"{\"joints\": [4], \"bones\": []}", "joints[0]"},
        {"{\"joints\": [{\"at\": [0,0,0]}], \"bones\": []}", "'name' is missing"},
        {"{\"joints\": [{\"name\": \"\", \"at\": [0,0,0]}], \"bones\": []}", "has no name"},
        {"{\"joints\": [{\"name\": \"x\"}], \"bones\": []}", "either 'at' or 'ray'"},
        {"{\"joints\": [{\"name\": \"x\", \"at\": [1,2]}], \"bones\": []}", "joints[0].at"},
        {"{\"joints\": [{\"name\": \"x\", \"at\": [1,2,\"3\"]}], \"bones\": []}", "joints[0].at"},
        {"{\"joints\": [{\"name\": \"x\", \"att\": [1,2,3]}], \"bones\": []}",
         "did you mean \"at\"?"},
        {"{\"joints\": [{\"name\": \"x\", \"at\": [0,0,0], \"at\": [1,2,3]}], \"bones\": []}",
         "twice"},
        {"{\"joints\": [{\"name\": \"x\", \"ray\": {}, \"at\": [1,2,3]}], \"bones\": []}",
         "not both"},
        {"{\"joints\": [{\"name\": \"x\", \"ray\": {\"origin\": [9,9,9]}}], \"bones\": []}",
         "joints[0].ray: 'direction' is missing"},
        {"{\"joints\": [{\"name\": \"x\", \"ray\": {\"origin\": [9,9,9], \"direction\": [1,0,0]}}],"
         " \"bones\": []}",
         "joints[0].ray: the ray misses"},
        {"{\"joints\": [{\"name\": \"x\", \"ray\": {\"orgin\": [9,9,9]}}], \"bones\": []}",
         "did you mean \"origin\"?"},
        {"{\"joints\": [" JOINT_A "," JOINT_A "], \"bones\": []}", "joints[1]: two joints"},
        {"{\"joints\": [" JOINT_A "," JOINT_B "], \"bones\": [[\"spine\", \"nekc\"]]}",
         "bones[0][1]: there is no joint 'nekc'; did you mean 'neck'?"},
        {"{\"joints\": [" JOINT_A "," JOINT_B "], \"bones\": [[\"spine\"]]}",
         "bones[0]: a bone is"},
        {"{\"joints\": [" JOINT_A "," JOINT_B "], \"bones\": [[\"spine\", \"spine\"]]}",
         "to itself"},
        {"{\"joints\": [" JOINT_A "," JOINT_B "], \"bones\": [[\"spine\", 3]]}", "bones[0][1]"},
        {"{\"joints\": [" JOINT_A "], \"bones\": [], \"root\": \"spin\"}",
         "root: there is no joint"},
        {"{\"joints\": [" JOINT_A "], \"bones\": [], \"root\": 1}", "root"},
        // The column is 3 high and 1 wide.
        {"{\"joints\": [" JOINT_A ", {\"name\": \"far\", \"at\": [0, 11.5, 0]}], \"bones\": []}",
         "joints[1]: joint 'far' is outside the surface by 3.01 times its height; move it inside"},
        {"{\"joints\": [{\"name\": \"side\", \"at\": [1.1, 1, 0]}], \"bones\": []}",
         "joint 'side' is outside the surface by 0.2 times its height"},
    };
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = column(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snRigPlan plan = snMakeRigPlan(&context);
        snError error = {0};
        CHECK(readText(&plan, cases[i].text, &solid, &error) != SN_OK);
        if (!CHECK(strstr(error.message, cases[i].message) != NULL))
            printf("%s\n  gives: %s\n", cases[i].text, error.message);
        snRigPlan_Destroy(&plan);
    }
    snArena_Destroy(&arena);
}

static void jointsALittleOutsideStay(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSolid solid = column(&arena);
    snRigPlan plan = snMakeRigPlan(&context);
    const char *text = "{\"joints\": [" JOINT_A ", {\"name\": \"tip\", \"at\": [0, 2.502, 0]},"
                       " {\"name\": \"eye\", \"at\": [0, 2, 0.7]}],"
                       " \"bones\": [[\"spine\", \"tip\"], [\"spine\", \"eye\"]]}";
    CHECK(!snSolid_Inside(&solid, snVec(0, 2, 0.7)));
    CHECK(readText(&plan, text, &solid, NULL) == SN_OK);
    CHECK(plan.joints.count == 3);
    snRigPlan_Destroy(&plan);
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext(), context = plain;
    snArena arena = snMakeArena(&plain);
    snSolid solid = column(&arena);
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 100; n++) {
        memory = (snFailingMemory){.failAtWay = n};
        snRigPlan plan = snMakeRigPlan(&context);
        snBytes bytes = snMakeBytes(&context);
        status = readText(&plan,
                          "{\"joints\": [" JOINT_A "," JOINT_B "],"
                          " \"bones\": [[\"spine\", \"neck\"]], \"root\": \"neck\"}",
                          &solid, NULL);
        if (!status) status = snSkeletonFile_Write(&plan, 1.0, &bytes, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snBytes_Destroy(&bytes);
        snRigPlan_Destroy(&plan);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(placesAndRays);
    RUN(writtenAndReadAgain);
    RUN(mistakesAreNamed);
    RUN(jointsALittleOutsideStay);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
