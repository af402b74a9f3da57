#include "skeleton/skeleton.h"

#include "core/error.h"

#include <string.h>

snStatus snPose_Make(snPose *pose, const snSkeleton *skeleton, int morphCount, snArena *arena,
                     snError *error)
{
    SN_ASSERT(morphCount >= 0);
    *pose = (snPose){0};
    pose->local = SN_NEW(arena, snTransform, skeleton->jointCount);
    pose->morphs = SN_NEW(arena, double, morphCount);
    pose->global = SN_NEW(arena, snAffine, skeleton->jointCount);
    if (!pose->local || !pose->morphs || !pose->global) return snFailMemory(error);
    snPose_SetRest(pose, skeleton);
    snPose_Globals(pose, skeleton);
    return SN_OK;
}

void snPose_SetRest(snPose *pose, const snSkeleton *skeleton)
{
    for (int j = 0; j < skeleton->jointCount; j++)
        pose->local[j] = skeleton->joints[j].rest;
}

void snPose_Globals(snPose *pose, const snSkeleton *skeleton)
{
    for (int j = 0; j < skeleton->jointCount; j++) {
        const snJoint *joint = &skeleton->joints[j];
        SN_ASSERT(joint->parent < j);
        snAffine local = joint->hasMatrix ? joint->matrix : snTransform_ToAffine(pose->local[j]);
        pose->global[j] = joint->parent < 0 ? local : snMulAA(pose->global[joint->parent], local);
    }
}

snAffine snTransform_ToAffine(snTransform transform)
{
    snMat3 r = snQuatToMat(snNormalizeQ(transform.rotation));
    snVec3 s = transform.scale;
    snMat3 linear = {snScale(s.x, r.cx), snScale(s.y, r.cy), snScale(s.z, r.cz)};
    return (snAffine){linear, transform.translation};
}

// b made a unit vector at right angles to the unit vector x; zero where b is zero or along x.
static snVec3 across(snVec3 b, snVec3 x)
{
    snVec3 unit = snNormalizeOr(b, snVec(0, 0, 0));
    snVec3 rest = snMulAdd(unit, -snDot(unit, x), x);
    return snLength(rest) > 1e-12 ? snNormalizeOr(rest, snVec(0, 0, 0)) : snVec(0, 0, 0);
}

// The rotation that the columns of m show: x first, then y, so that shear goes into what is lost
// of y and z. Columns that vanish (a scale of zero) leave their axis to the others.
static snMat3 frameOfColumns(snMat3 m)
{
    snVec3 zero = snVec(0, 0, 0);
    snVec3 z = snNormalizeOr(m.cz, snNormalizeOr(m.cy, snVec(0, 0, 1)));
    snVec3 x = snNormalizeOr(m.cx, zero);
    if (snLength(x) == 0.0) x = snNormalizeOr(snCross(m.cy, m.cz), snPerpendicular(z));
    snVec3 y = across(m.cy, x);
    if (snLength(y) == 0.0) y = snCross(across(m.cz, x), x);
    if (snLength(y) == 0.0) y = snPerpendicular(x);
    return (snMat3){x, y, snCross(x, y)};
}

snTransform snTransform_FromAffine(snAffine affine)
{
    snMat3 m = affine.linear;
    double mirror = snDet(m) < 0.0 ? -1.0 : 1.0; // a mirrored frame is a negative scale along x
    m.cx = snScale(mirror, m.cx);
    snTransform result;
    result.translation = affine.origin;
    result.rotation = snQuatFromMat(frameOfColumns(m));
    result.scale = snVec(mirror * snLength(m.cx), snLength(m.cy), snLength(m.cz));
    return result;
}

// The nearest used joint above j that is not numbered below `stop`, or -1. Parents come before
// their children, so nothing at or above `stop` can be missed.
static int nearestUsedAbove(const snSkeleton *skeleton, const unsigned char *used, int j, int stop)
{
    int above = skeleton->joints[j].parent;
    while (above >= stop && !used[above])
        above = skeleton->joints[above].parent;
    return above >= stop ? above : -1;
}

// Bones from joint a to the used joints next below it. Helper joints that sit exactly on a have
// no extent and give no bone, unless a would have none at all.
static int bonesOf(const snSkeleton *skeleton, const unsigned char *used, const snAffine *globals,
                   int a, snBone *bones)
{
    int count = 0;
    snVec3 head = globals[a].origin;
    for (int j = a + 1; j < skeleton->jointCount; j++) {
        if (!used[j] || nearestUsedAbove(skeleton, used, j, a) != a) continue;
        snVec3 tail = globals[j].origin;
        if (tail.x == head.x && tail.y == head.y && tail.z == head.z) continue;
        if (bones) bones[count] = (snBone){a, head, tail};
        count++;
    }
    if (count > 0) return count;
    if (bones) bones[0] = (snBone){a, head, head};
    return 1;
}

int snSkeleton_Bones(const snSkeleton *skeleton, const unsigned char *used, const snAffine *globals,
                     snBone *bones)
{
    int count = 0;
    for (int a = 0; a < skeleton->jointCount; a++)
        if (used[a]) count += bonesOf(skeleton, used, globals, a, bones ? bones + count : NULL);
    return count;
}

int snSkeleton_Find(const snSkeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->jointCount; j++)
        if (!strcmp(skeleton->joints[j].name, name)) return j;
    return -1;
}

bool snSkeleton_IsAtOrAbove(const snSkeleton *skeleton, int above, int joint)
{
    while (joint > above) // parents come first
        joint = skeleton->joints[joint].parent;
    return joint == above;
}
