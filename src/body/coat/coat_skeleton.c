#include "body/coat/coat_skeleton.h"

#include "core/error.h"

#include <string.h>

void snRigidFrames(const snAffine *globals, int count, double unit, snAffine *frames)
{
    for (int j = 0; j < count; j++) {
        snTransform t = snTransform_FromAffine(globals[j]);
        frames[j] = (snAffine){snQuatToMat(t.rotation), snScale(unit, globals[j].origin)};
    }
}

snStatus snRigidSkeleton(snSkeleton *rigid, const snSkeleton *skeleton, double unit, snArena *arena,
                         snError *error)
{
    int n = skeleton->jointCount;
    snPose pose;
    snStatus status = snPose_Make(&pose, skeleton, 0, arena, error);
    *rigid = (snSkeleton){n, SN_COPY(arena, snJoint, skeleton->joints, n)};
    if (!status && !rigid->joints) status = snFailMemory(error);
    if (status) return status;
    snRigidFrames(pose.global, n, unit, pose.global);
    for (int j = 0; j < n; j++) {
        snJoint *joint = &rigid->joints[j];
        snAffine local = pose.global[j];
        if (joint->parent >= 0) local = snMulAA(snInverseAffine(pose.global[joint->parent]), local);
        joint->hasMatrix = false;
        joint->rest = (snTransform){local.origin, snQuatFromMat(local.linear), {1, 1, 1}};
        joint->name = snArena_CopyString(arena, joint->name, strlen(joint->name));
        if (!joint->name) return snFailMemory(error);
    }
    return SN_OK;
}
