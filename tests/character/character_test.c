// The posed surface: rigid motion stays rigid, a bent arm against an independent sum, mirrored and
// scaled joints, morph targets, normals against differences of the surface.
#include "character/character.h"

#include "character/skinning.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/random.h"
#include "core/simd.h"
#include "tests/test.h"

#include <string.h>

enum { VERTICES = 700, JOINTS = 4, TARGETS = 2 };

static snTransform atPlace(double x, double y, double z)
{
    return (snTransform){snVec(x, y, z), snIdentityQuat(), snVec(1, 1, 1)};
}

static void fillPart(snPart *part, snArena *arena, snRandom *random)
{
    part->name = "arm";
    part->material = -1;
    part->vertexCount = VERTICES;
    part->influences = 4;
    part->targetCount = TARGETS;
    part->positions = SN_NEW(arena, snVec3f, VERTICES);
    part->normals = SN_NEW(arena, snVec3f, VERTICES);
    part->joints = SN_NEW(arena, int, VERTICES * 4);
    part->weights = SN_NEW(arena, float, VERTICES * 4);
    part->targets = SN_NEW(arena, snVec3f *, TARGETS);
    part->targetNormals = SN_NEW(arena, snVec3f *, TARGETS);
    for (int k = 0; k < TARGETS; k++)
        part->targets[k] = SN_NEW(arena, snVec3f, VERTICES);
    part->targetNormals[1] = SN_NEW(arena, snVec3f, VERTICES);
    for (int v = 0; v < VERTICES; v++) {
        part->positions[v] = snToF(snVec(snRandom_Uniform(random, 0, 3), snRandom_Normal(random),
                                         snRandom_Normal(random)));
        part->normals[v] = snToF(snRandom_UnitVector(random));
        for (int k = 0; k < TARGETS; k++)
            part->targets[k][v] = snToF(snRandom_UnitVector(random));
        part->targetNormals[1][v] = snToF(snScale(0.1, snRandom_UnitVector(random)));
        double w[4], sum = 0.0;
        for (int i = 0; i < 4; i++) {
            w[i] = i == 3 && v % 2 ? 0.0 : snRandom_Uniform(random, 0.0, 1.0);
            sum += w[i];
        }
        for (int i = 0; i < 4; i++) {
            part->joints[4 * v + i] = snRandom_Below(random, JOINTS);
            part->weights[4 * v + i] = (float)(w[i] / sum);
        }
    }
}

// A chain of joints along x with a skinned part, and a rigid part on the last joint. The skinned
// part's own node (number 5) is somewhere else, which must not matter.
static snCharacter makeArm(void)
{
    snContext context = snDefaultContext();
    snCharacter character = {.arena = snMakeArena(&context)};
    snArena *arena = &character.arena;
    snRandom random = snMakeRandom(3);
    character.skeleton.jointCount = JOINTS + 2;
    character.skeleton.joints = SN_NEW(arena, snJoint, JOINTS + 2);
    character.skeleton.joints[0] =
        (snJoint){.name = "world", .parent = -1, .rest = atPlace(0, 0, 0)};
    for (int j = 1; j <= JOINTS; j++)
        character.skeleton.joints[j] =
            (snJoint){.name = "arm", .parent = j - 1, .rest = atPlace(j > 1, 0.1 * j, 0)};
    character.skeleton.joints[JOINTS + 1] =
        (snJoint){.name = "mesh", .parent = -1, .rest = atPlace(50, 60, 70)};
    character.skinCount = 1;
    character.skins = SN_NEW(arena, snSkin, 1);
    snPose rest;
    if (snPose_Make(&rest, &character.skeleton, 0, arena, NULL)) return character;
    snSkin *skin = &character.skins[0];
    *skin = (snSkin){"skin", JOINTS, SN_NEW(arena, int, JOINTS), SN_NEW(arena, snAffine, JOINTS)};
    for (int j = 0; j < JOINTS; j++) {
        skin->joints[j] = j + 1;
        skin->inverseBind[j] = snInverseAffine(rest.global[j + 1]);
    }
    character.partCount = 2;
    character.parts = SN_NEW(arena, snPart, 2);
    for (int p = 0; p < 2; p++)
        fillPart(&character.parts[p], arena, &random);
    character.parts[0].node = JOINTS + 1;
    character.parts[1].node = JOINTS;
    character.parts[1].skin = -1;
    character.parts[1].firstMorph = TARGETS;
    character.morphCount = 2 * TARGETS;
    character.restMorphs = SN_NEW(arena, double, 2 * TARGETS);
    character.vertexCount = 2 * VERTICES;
    return character;
}

static const snTasks serial = {NULL, NULL, 1};
static snVec3f positions[2 * VERTICES], normals[2 * VERTICES];

static void restIsTheBindSurface(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    CHECK(snPose_Make(&pose, &arm.skeleton, arm.morphCount, &arm.arena, NULL) == SN_OK);
    snCharacter_Pose(&arm, NULL, 0.0, &pose);
    snCharacter_Surface(&arm, &pose, &serial, positions, normals);
    for (int v = 0; v < VERTICES; v++) {
        CHECK_NEAR(snDistance(snFromF(positions[v]), snFromF(arm.parts[0].positions[v])), 0, 1e-6);
        CHECK_NEAR(snDistance(snFromF(normals[v]), snFromF(arm.parts[0].normals[v])), 0, 1e-6);
    }
    snCharacter_Destroy(&arm);
}

// A rotation and a translation of the root carry every vertex and normal along.
static void rootMotionIsRigid(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    CHECK(snPose_Make(&pose, &arm.skeleton, arm.morphCount, &arm.arena, NULL) == SN_OK);
    snCharacter_Pose(&arm, NULL, 0.0, &pose);
    snTransform move = {snVec(1, -2, 3),
                        snQuatFromAxisAngle(snNormalizeOr(snVec(1, 1, 0), snVec(1, 0, 0)), 2.0),
                        snVec(1, 1, 1)};
    pose.local[0] = move;
    snPose_Globals(&pose, &arm.skeleton);
    snCharacter_Surface(&arm, &pose, &serial, positions, normals);
    for (int v = 0; v < VERTICES; v++) {
        snVec3 p = snFromF(arm.parts[0].positions[v]), n = snFromF(arm.parts[0].normals[v]);
        snVec3 expected = snAdd(snRotate(move.rotation, p), move.translation);
        CHECK_NEAR(snDistance(snFromF(positions[v]), expected), 0, 1e-5);
        CHECK_NEAR(snDistance(snFromF(normals[v]), snRotate(move.rotation, n)), 0, 1e-5);
    }
    snCharacter_Destroy(&arm);
}

static void bendArm(snCharacter *arm, snPose *pose)
{
    snRandom random = snMakeRandom(21);
    CHECK(snPose_Make(pose, &arm->skeleton, arm->morphCount, &arm->arena, NULL) == SN_OK);
    snCharacter_Pose(arm, NULL, 0.0, pose);
    for (int j = 0; j <= JOINTS; j++) {
        pose->local[j].rotation = snRandom_Rotation(&random);
        pose->local[j].scale = snVec(1.5, j == 2 ? -1.0 : 1.0, 0.7); // one of them mirrored
    }
    for (int m = 0; m < arm->morphCount; m++)
        pose->morphs[m] = 0.3 * m - 0.2;
    snPose_Globals(pose, &arm->skeleton);
}

// Point by point: morph, then carry the point through every joint and add up.
static snVec3 plainSkinning(const snCharacter *arm, const snPose *pose, const snPart *part, int v)
{
    snVec3 p = snFromF(part->positions[v]), sum = snVec(0, 0, 0);
    for (int k = 0; k < part->targetCount; k++)
        p = snMulAdd(p, pose->morphs[part->firstMorph + k], snFromF(part->targets[k][v]));
    if (part->skin < 0) return snMulAP(pose->global[part->node], p);
    const snSkin *skin = &arm->skins[part->skin];
    for (int i = 0; i < part->influences; i++) {
        int j = part->joints[part->influences * v + i];
        snVec3 inJoint = snMulAP(skin->inverseBind[j], p);
        double w = (double)part->weights[part->influences * v + i];
        sum = snMulAdd(sum, w, snMulAP(pose->global[skin->joints[j]], inJoint));
    }
    return sum;
}

static void bentArmAgainstPlainSum(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    bendArm(&arm, &pose);
    snCharacter_Surface(&arm, &pose, &serial, positions, NULL);
    for (int p = 0; p < 2; p++)
        for (int v = 0; v < VERTICES; v++) {
            snVec3 expected = plainSkinning(&arm, &pose, &arm.parts[p], v);
            double scale = 1.0 + snLength(expected);
            CHECK_NEAR(snDistance(snFromF(positions[p * VERTICES + v]), expected), 0, 1e-6 * scale);
        }
    snCharacter_Destroy(&arm);
}

// Skins without morph targets go through kernels: the same bits as one vertex after another, whatever joints without
// weight are like; rows of four floats are near.
static void kernelsSkinToTheBit(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    snVec3f one[2 * VERTICES];
    float rows[8 * VERTICES];
    bendArm(&arm, &pose);
    for (int p = 0; p < 2; p++)
        arm.parts[p].targetCount = 0;
    for (int broken = 0; broken < 2; broken++) {
        if (broken) pose.global[JOINTS].origin.x = INFINITY; // then by hand
        snCharacter_Surface(&arm, &pose, &serial, positions, NULL);
        snCharacter_SurfaceRows(&arm, &pose, rows);
        for (int v = 0; v < 2 * VERTICES; v++) {
            one[v] = snToF(
                snCharacter_SurfacePoint(&arm, &pose, &arm.parts[v / VERTICES], v % VERTICES));
            CHECK(!memcmp(&one[v], &positions[v], sizeof one[v]));
            const float *row = rows + 4 * v;
            double scale = 1 + snLength(snFromF(one[v]));
            for (int c = 0; c < 3 && !broken; c++)
                CHECK_NEAR((double)row[c], (double)(&one[v].x)[c], 1e-5 * scale);
        }
    }
    snCharacter_Destroy(&arm);
}

static void instructionSetsSkinAlike(void)
{
#if defined(__x86_64__)
    enum { N = 37, MOVES = 5 };
    snSkinFcn snSkinVertices_base, snSkinVertices_avx2, snSkinVertices_avx512;
    snSkinFcn *kernels[] = {snSkinVertices_base, snSkinVertices_avx2, snSkinVertices_avx512};
    snRandom random = snMakeRandom(5);
    double moves[MOVES * SN_SKIN_MOVE];
    snVec3f points[N];
    float weights[8 * N], out[3][4 * N] = {{0}};
    int joints[8 * N];
    for (int k = 0; k < MOVES * SN_SKIN_MOVE; k++)
        moves[k] = k % 4 == 3 ? 0 : snRandom_Uniform(&random, -2, 2);
    for (int k = 0; k < 8 * N; k++) {
        weights[k] = k % 3 ? (float)snRandom_Uniform(&random, 0, 1) : 0;
        joints[k] = k * 7 % MOVES;
    }
    for (int v = 0; v < N; v++)
        points[v] = snToF(snVec(snRandom_Uniform(&random, -1, 1), v, 1));
    for (int influences = 4; influences <= 8; influences += 4)
        for (int k = 0; k <= (int)snDetectCpu(); k++) {
            snSkinPass pass = {moves, joints, weights, influences, points, out[k], 4};
            kernels[k](&pass, 0, N);
            CHECK(!memcmp(out[0], out[k], sizeof out[0]));
        }
    snSkinRowsFcn snSkinRows_Run_base, snSkinRows_Run_avx2, snSkinRows_Run_avx512;
    snSkinRowsFcn *rows[] = {snSkinRows_Run_base, snSkinRows_Run_avx2, snSkinRows_Run_avx512};
    float single[MOVES * SN_SKIN_MOVE];
    for (int k = 0; k < MOVES * SN_SKIN_MOVE; k++)
        single[k] = (float)moves[k];
    for (int influences = 4; influences <= 8; influences += 4)
        for (int k = 0; k <= (int)snDetectCpu(); k++) {
            snSkinRows pass = {single, joints, weights, influences, points, out[k]};
            rows[k](&pass, 0, N);
            CHECK(!memcmp(out[0], out[k], sizeof out[0]));
        }
#endif
}

// The plane across n at p is spanned by two tangents; the moved normal stands on both of them and
// keeps its side.
static void normalsStandOnMovedTangents(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    bendArm(&arm, &pose);
    arm.parts[0].targetCount = 0;
    snCharacter_Surface(&arm, &pose, &serial, positions, normals);
    for (int v = 0; v < VERTICES; v++) {
        snAffine m = snCharacter_SkinMatrix(&arm, &pose, &arm.parts[0], v);
        snVec3 n = snFromF(arm.parts[0].normals[v]), moved = snFromF(normals[v]);
        snVec3 a = snPerpendicular(n), b = snCross(n, a);
        snVec3 ma = snMulMV(m.linear, a), mb = snMulMV(m.linear, b), mn = snMulMV(m.linear, n);
        CHECK_NEAR(snLength(moved), 1.0, 1e-6);
        CHECK_NEAR(snDot(moved, snNormalizeOr(ma, a)), 0.0, 1e-5);
        CHECK_NEAR(snDot(moved, snNormalizeOr(mb, b)), 0.0, 1e-5);
        CHECK(snDot(moved, mn) > 0.0);
    }
    snCharacter_Destroy(&arm);
}

// A joint scaled to nothing gives finite positions and zero normals, never NaN.
static void collapsedJointsAreFinite(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    bendArm(&arm, &pose);
    pose.local[0].scale = snVec(0, 0, 0);
    snPose_Globals(&pose, &arm.skeleton);
    snCharacter_Surface(&arm, &pose, &serial, positions, normals);
    for (int v = 0; v < 2 * VERTICES; v++) {
        CHECK(snIsFinite3(snFromF(positions[v])));
        CHECK_NEAR(snLength(snFromF(normals[v])), 0.0, 0.0);
    }
    snCharacter_Destroy(&arm);
}

// A negative scale turns triangles round, two do not; rigid parts go by their node.
static void negativeScalesMirror(void)
{
    snCharacter arm = makeArm();
    snPose pose;
    CHECK(snPose_Make(&pose, &arm.skeleton, arm.morphCount, &arm.arena, NULL) == SN_OK);
    for (int negative = 0; negative < 4; negative++) {
        snCharacter_Pose(&arm, NULL, 0.0, &pose);
        pose.local[0].scale =
            snVec(negative > 0 ? -1 : 1, negative > 1 ? -2 : 1, negative > 2 ? -3 : 1);
        snPose_Globals(&pose, &arm.skeleton);
        CHECK(arm.parts[0].skin >= 0 && arm.parts[1].skin < 0);
        for (int p = 0; p < 2; p++)
            CHECK(snCharacter_IsMirrored(&arm, &pose, &arm.parts[p]) == (negative % 2 == 1));
    }
    snCharacter_Destroy(&arm);
}

static void sameBitsInAnyOrder(void)
{
    static snVec3f again[2 * VERTICES];
    snCharacter arm = makeArm();
    snPose pose;
    bendArm(&arm, &pose);
    snTasks tasks = {snTest_RunBackwards, NULL, 2};
    snCharacter_Surface(&arm, &pose, &serial, positions, normals);
    snCharacter_Surface(&arm, &pose, &tasks, again, normals);
    for (int v = 0; v < 2 * VERTICES; v++)
        CHECK(positions[v].x == again[v].x && positions[v].y == again[v].y &&
              positions[v].z == again[v].z);
    snCharacter_Destroy(&arm);
}

static void clipsByNameAndNumber(void)
{
    snClip clips[3] = {{.name = "Walk"}, {.name = "2"}, {.name = ""}};
    snCharacter character = {.clipCount = 3, .clips = clips};
    CHECK(snCharacter_FindClip(&character, "Walk") == 0);
    CHECK(snCharacter_FindClip(&character, "walk") == 0); // capitals do not matter
    CHECK(snCharacter_FindClip(&character, "wal") == -1);
    CHECK(snCharacter_FindClip(&character, "2") == 1); // a name goes before a number
    CHECK(snCharacter_FindClip(&character, "0") == 0);
    CHECK(snCharacter_FindClip(&character, "3") == -1);
    CHECK(snCharacter_FindClip(&character, "-1") == -1);
    CHECK(snCharacter_FindClip(&character, "1x") == -1);
    CHECK(snCharacter_FindClip(&character, "99999999999999999999") == -1);
    CHECK(snCharacter_FindClip(&character, "") == 2);
}

static void poseSetsRestMorphsAndClip(void)
{
    snCharacter arm = makeArm();
    const float times[1] = {0.0f}, values[3] = {4, 5, 6};
    snChannel channel = {0, SN_PATH_TRANSLATION, SN_LINEAR, 1, 3, times, values};
    snClip clip = {.name = "move", .channelCount = 1, .channels = &channel};
    snPose pose;
    CHECK(snPose_Make(&pose, &arm.skeleton, arm.morphCount, &arm.arena, NULL) == SN_OK);
    arm.restMorphs[1] = 0.5;
    snCharacter_Pose(&arm, &clip, 3.0, &pose);
    CHECK_NEAR(pose.morphs[1], 0.5, 0.0);
    CHECK_NEAR(snDistance(pose.global[1].origin, snVec(4, 5.1, 6)), 0.0, 1e-14);
    snCharacter_Pose(&arm, NULL, 3.0, &pose);
    CHECK_NEAR(snDistance(pose.global[1].origin, snVec(0, 0.1, 0)), 0.0, 1e-14);
    snCharacter_Destroy(&arm);
}

static void emptyCharacter(void)
{
    snCharacter character = {0};
    snPose pose = {0};
    snCharacter_Pose(&character, NULL, 0.0, &pose);
    snCharacter_Surface(&character, &pose, &serial, positions, normals);
    snCharacter_Destroy(&character);
    CHECK(snCharacter_FindClip(&character, "0") == -1);
}

int main(void)
{
    RUN(restIsTheBindSurface);
    RUN(rootMotionIsRigid);
    RUN(bentArmAgainstPlainSum);
    RUN(kernelsSkinToTheBit);
    RUN(instructionSetsSkinAlike);
    RUN(normalsStandOnMovedTangents);
    RUN(collapsedJointsAreFinite);
    RUN(negativeScalesMirror);
    RUN(sameBitsInAnyOrder);
    RUN(clipsByNameAndNumber);
    RUN(poseSetsRestMorphsAndClip);
    RUN(emptyCharacter);
    return snTest_Finish();
}
