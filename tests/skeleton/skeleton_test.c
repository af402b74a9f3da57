// Forward kinematics against closed forms and against products of plain 4x4 matrices; transforms
// there and back; bones of awkward skeletons.
#include "skeleton/skeleton.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/random.h"
#include "tests/test.h"

static snTransform transform(snVec3 translation, snQuat rotation, snVec3 scale)
{
    return (snTransform){translation, rotation, scale};
}

static snTransform atPlace(double x, double y, double z)
{
    return transform(snVec(x, y, z), snIdentityQuat(), snVec(1, 1, 1));
}

static snJoint joint(const char *name, int parent, snTransform rest)
{
    return (snJoint){.name = name, .parent = parent, .rest = rest};
}

static double affineDistance(snAffine a, snAffine b)
{
    return sqrt(snNormSquaredM(snAddMM(a.linear, snScaleM(-1.0, b.linear)))) +
           snDistance(a.origin, b.origin);
}

// A planar arm of two bones of length 1: the elbow at (cos a, sin a), the hand at
// (cos a + cos(a + b), sin a + sin(a + b)).
static void twoBoneArm(void)
{
    snJoint joints[3] = {joint("shoulder", -1, atPlace(0, 0, 0)),
                         joint("elbow", 0, atPlace(1, 0, 0)), joint("hand", 1, atPlace(1, 0, 0))};
    snSkeleton skeleton = {3, joints};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    if (CHECK(snPose_Make(&pose, &skeleton, 2, &arena, NULL) == SN_OK)) {
        double a = 0.7, b = -1.9;
        pose.local[0].rotation = snQuatFromAxisAngle(snVec(0, 0, 1), a);
        pose.local[1].rotation = snQuatFromAxisAngle(snVec(0, 0, 1), b);
        snPose_Globals(&pose, &skeleton);
        CHECK_NEAR(pose.global[1].origin.x, snCos(a), 1e-14);
        CHECK_NEAR(pose.global[1].origin.y, snSin(a), 1e-14);
        CHECK_NEAR(pose.global[2].origin.x, snCos(a) + snCos(a + b), 1e-14);
        CHECK_NEAR(pose.global[2].origin.y, snSin(a) + snSin(a + b), 1e-14);
        snPose_SetRest(&pose, &skeleton);
        snPose_Globals(&pose, &skeleton);
        CHECK_NEAR(pose.global[2].origin.x, 2.0, 0.0);
    }
    snArena_Destroy(&arena);
}

typedef struct Mat4 {
    double m[4][4]; // rows
} Mat4;

static Mat4 multiply(Mat4 a, Mat4 b)
{
    Mat4 c = {{{0}}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

// T R S, each as its own matrix; R from the quaternion sandwich q v q*.
static Mat4 plainTransform(snTransform t)
{
    Mat4 place = {{{1, 0, 0, t.translation.x},
                   {0, 1, 0, t.translation.y},
                   {0, 0, 1, t.translation.z},
                   {0, 0, 0, 1}}};
    Mat4 turn = {{{0}}}, scale = {{{0}}};
    turn.m[3][3] = scale.m[3][3] = 1.0;
    for (int j = 0; j < 3; j++) {
        snQuat unit = {j == 0, j == 1, j == 2, 0};
        snQuat q = snMulQQ(snMulQQ(t.rotation, unit), snConjugate(t.rotation));
        turn.m[0][j] = q.x, turn.m[1][j] = q.y, turn.m[2][j] = q.z;
    }
    scale.m[0][0] = t.scale.x, scale.m[1][1] = t.scale.y, scale.m[2][2] = t.scale.z;
    return multiply(place, multiply(turn, scale));
}

static snTransform randomTransform(snRandom *random)
{
    snVec3 place = snVec(snRandom_Normal(random), snRandom_Normal(random), snRandom_Normal(random));
    snVec3 scale = snVec(snRandom_Uniform(random, 0.3, 2.0), snRandom_Uniform(random, 0.3, 2.0),
                         snRandom_Uniform(random, 0.3, 2.0));
    if (snRandom_Below(random, 3) == 0) scale.y = -scale.y; // mirrored
    return transform(place, snRandom_Rotation(random), scale);
}

static void globalsAreMatrixProducts(void)
{
    enum { COUNT = 12 };
    snRandom random = snMakeRandom(11);
    snJoint joints[COUNT];
    Mat4 global[COUNT];
    for (int j = 0; j < COUNT; j++) {
        int parent = j == 0 || j == 7 ? -1 : snRandom_Below(&random, j); // two roots
        joints[j] = joint("", parent, randomTransform(&random));
        Mat4 local = plainTransform(joints[j].rest);
        global[j] = parent < 0 ? local : multiply(global[parent], local);
    }
    snSkeleton skeleton = {COUNT, joints};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    if (CHECK(snPose_Make(&pose, &skeleton, 0, &arena, NULL) == SN_OK)) {
        for (int j = 0; j < COUNT; j++) {
            snVec3 p = snMulAP(pose.global[j], snVec(0.3, -0.7, 1.1));
            for (int i = 0; i < 3; i++) {
                const double *row = global[j].m[i];
                double expected = row[0] * 0.3 - row[1] * 0.7 + row[2] * 1.1 + row[3];
                double got = i == 0 ? p.x : i == 1 ? p.y : p.z;
                CHECK_NEAR(got, expected, 1e-11 * (1.0 + fabs(expected)));
            }
        }
    }
    snArena_Destroy(&arena);
}

static void matrixReplacesRest(void)
{
    snAffine shear = {{{1, 0, 0}, {0.5, 1, 0}, {0, 0, 2}}, {1, 2, 3}};
    snJoint joints[2] = {joint("sheared", -1, atPlace(9, 9, 9)),
                         joint("child", 0, atPlace(0, 1, 0))};
    joints[0].hasMatrix = true;
    joints[0].matrix = shear;
    snSkeleton skeleton = {2, joints};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    if (CHECK(snPose_Make(&pose, &skeleton, 0, &arena, NULL) == SN_OK)) {
        CHECK_NEAR(affineDistance(pose.global[0], shear), 0.0, 0.0);
        CHECK_NEAR(snDistance(pose.global[1].origin, snVec(1.5, 3, 3)), 0.0, 1e-15);
    }
    snArena_Destroy(&arena);
}

// Without shear an affine map is its translation, rotation and scale again, also when mirrored.
static void affineThereAndBack(void)
{
    snRandom random = snMakeRandom(5);
    for (int i = 0; i < 200; i++) {
        snAffine affine = snTransform_ToAffine(randomTransform(&random));
        snAffine again = snTransform_ToAffine(snTransform_FromAffine(affine));
        CHECK_NEAR(affineDistance(affine, again), 0.0, 1e-12);
    }
}

// Vanished axes leave a whole rotation, and the map is still the same.
static void flatAffine(void)
{
    snMat3 r = snQuatToMat(snQuatFromAxisAngle(snNormalizeOr(snVec(1, 2, 3), snVec(1, 0, 0)), 1.0));
    for (int mask = 0; mask < 8; mask++) {
        snVec3 s = snVec(mask & 1 ? 2 : 0, mask & 2 ? 3 : 0, mask & 4 ? 0.5 : 0);
        snAffine affine = {snMulMM(r, snDiagonal3(s.x, s.y, s.z)), {0, 1, 0}};
        snTransform t = snTransform_FromAffine(affine);
        CHECK_NEAR(snDotQ(t.rotation, t.rotation), 1.0, 1e-12);
        CHECK_NEAR(affineDistance(affine, snTransform_ToAffine(t)), 0.0, 1e-12);
    }
}

// root - (helper, unused) - spine - {twist on the very same place, arm, unused - leg}, and a
// second root without children.
static void bonesSkipHelpers(void)
{
    snJoint joints[8] = {
        joint("root", -1, atPlace(0, 1, 0)),   joint("helper", 0, atPlace(0, 0.5, 0)),
        joint("spine", 1, atPlace(0, 0.5, 0)), joint("twist", 2, atPlace(0, 0, 0)),
        joint("arm", 2, atPlace(1, 0, 0)),     joint("helper", 2, atPlace(-1, 0, 0)),
        joint("leg", 5, atPlace(0, -1, 0)),    joint("other", -1, atPlace(5, 0, 0))};
    unsigned char used[8] = {1, 0, 1, 1, 1, 0, 1, 1};
    snSkeleton skeleton = {8, joints};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snPose pose;
    if (CHECK(snPose_Make(&pose, &skeleton, 0, &arena, NULL) == SN_OK)) {
        snBone bones[8];
        int count = snSkeleton_Bones(&skeleton, used, pose.global, NULL);
        CHECK(count == 7);
        CHECK(snSkeleton_Bones(&skeleton, used, pose.global, bones) == count);
        const struct {
            int joint;
            snVec3 head, tail;
        } expected[7] = {
            {0, {0, 1, 0}, {0, 2, 0}}, {2, {0, 2, 0}, {1, 2, 0}}, {2, {0, 2, 0}, {-1, 1, 0}},
            {3, {0, 2, 0}, {0, 2, 0}}, {4, {1, 2, 0}, {1, 2, 0}}, {6, {-1, 1, 0}, {-1, 1, 0}},
            {7, {5, 0, 0}, {5, 0, 0}},
        };
        for (int b = 0; b < count && b < 7; b++) {
            CHECK(bones[b].joint == expected[b].joint);
            CHECK_NEAR(snDistance(bones[b].head, expected[b].head), 0.0, 0.0);
            CHECK_NEAR(snDistance(bones[b].tail, expected[b].tail), 0.0, 0.0);
        }
    }
    snArena_Destroy(&arena);
}

static void nothingUsedNoBones(void)
{
    snJoint only = joint("root", -1, atPlace(0, 0, 0));
    snSkeleton one = {1, &only}, none = {0, NULL};
    unsigned char used = 0;
    snAffine global = snIdentityAffine();
    CHECK(snSkeleton_Bones(&one, &used, &global, NULL) == 0);
    CHECK(snSkeleton_Bones(&none, NULL, NULL, NULL) == 0);
}

static void poseSurvivesFailingMemory(void)
{
    snJoint only = joint("root", -1, atPlace(0, 0, 0));
    snSkeleton skeleton = {1, &only};
    for (int failAt = 1;; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snPose pose;
        snStatus status = snPose_Make(&pose, &skeleton, 3, &arena, NULL);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
}

int main(void)
{
    RUN(twoBoneArm);
    RUN(globalsAreMatrixProducts);
    RUN(matrixReplacesRest);
    RUN(affineThereAndBack);
    RUN(flatAffine);
    RUN(bonesSkipHelpers);
    RUN(nothingUsedNoBones);
    RUN(poseSurvivesFailingMemory);
    return snTest_Finish();
}
