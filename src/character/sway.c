#include "character/sway.h"

#include "core/elementary.h"
#include "core/error.h"

enum { KEYS = 25 };

snSwayDef snDefaultSwayDef(void)
{
    return (snSwayDef){8.0, 1.0, 0.1, 0.02};
}

// The axis of the swing in the parent's frame. Chains that hang or stand swing to the front and the
// back, others up and down: about the world's x, or z for bones along x.
static snVec3 swingAxis(const snPose *rest, int joint, int parent)
{
    snVec3 along = rest->global[joint].linear.cy;
    snVec3 axis = fabs(along.x) < 0.8 ? snVec(1, 0, 0) : snVec(0, 0, 1);
    return snNormalizeOr(snMulTMV(rest->global[parent].linear, axis), snVec(1, 0, 0));
}

static int depthOf(const snSkeleton *skeleton, int joint)
{
    int depth = 0;
    for (int j = joint; skeleton->joints[j].parent >= 0; j = skeleton->joints[j].parent)
        depth++;
    return depth;
}

static bool carriesBone(const snSkeleton *skeleton, int joint)
{
    for (int j = joint + 1; j < skeleton->jointCount; j++)
        if (skeleton->joints[j].parent == joint) return true;
    return false;
}

static void fillChannel(float *values, const snSkeleton *skeleton, const snPose *rest, int joint,
                        const snSwayDef *def)
{
    snVec3 axis = swingAxis(rest, joint, skeleton->joints[joint].parent);
    double late = def->lag * depthOf(skeleton, joint);
    for (int k = 0; k < KEYS; k++) {
        // The last key is the first again, to the bit.
        double phase = (double)(k % (KEYS - 1)) / (KEYS - 1) - late;
        double angle = def->degrees * SN_PI / 180.0 * snSin(2.0 * SN_PI * phase);
        snQuat q = snMulQQ(snQuatFromAxisAngle(axis, angle), skeleton->joints[joint].rest.rotation);
        const double numbers[4] = {q.x, q.y, q.z, q.w};
        for (int i = 0; i < 4; i++)
            values[4 * k + i] = (float)numbers[i];
    }
}

// Twice in a swing, beginning at the bottom.
static void fillBounce(float *values, const snSkeleton *skeleton, const snPose *rest,
                       const snSwayDef *def)
{
    snBox box = snEmptyBox();
    for (int j = 0; j < skeleton->jointCount; j++)
        box = snBoxAdd(box, rest->global[j].origin);
    double height = def->bounce * snDistance(box.lower, box.upper);
    for (int k = 0; k < KEYS; k++) {
        double phase = (double)(k % (KEYS - 1)) / (KEYS - 1);
        snVec3 at = skeleton->joints[0].rest.translation;
        at.y += 0.5 * height * (1.0 - snCos(4.0 * SN_PI * phase));
        const double numbers[3] = {at.x, at.y, at.z};
        for (int i = 0; i < 3; i++)
            values[3 * k + i] = (float)numbers[i];
    }
}

static snStatus addChannel(snClip *clip, snChannel channel, float **values, snArena *arena,
                           snError *error)
{
    *values = SN_NEW(arena, float, channel.keyCount *channel.width);
    if (!*values) return snFailMemory(error);
    channel.values = *values;
    clip->channels[clip->channelCount++] = channel;
    return SN_OK;
}

snStatus snMakeSway(snClip *clip, const snSkeleton *skeleton, const snSwayDef *def, snArena *arena,
                    snError *error)
{
    if (!(def->seconds > 0.0) || !isfinite(def->degrees) || !isfinite(def->lag) ||
        !isfinite(def->bounce))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a sway of %g degrees in %g seconds with lag %g and bounce %g cannot be made",
                      def->degrees, def->seconds, def->lag, def->bounce);
    snPose rest;
    snStatus status = snPose_Make(&rest, skeleton, 0, arena, error);
    if (status) return status;
    float *times = SN_NEW(arena, float, KEYS);
    *clip = (snClip){.name = SN_SWAY_NAME, .duration = def->seconds};
    clip->channels = SN_NEW(arena, snChannel, skeleton->jointCount + 1);
    if (!times || !clip->channels) return snFailMemory(error);
    for (int k = 0; k < KEYS; k++)
        times[k] = (float)(def->seconds * k / (KEYS - 1));
    clip->duration = (double)times[KEYS - 1];
    for (int j = 0; j < skeleton->jointCount; j++) {
        float *values;
        if (skeleton->joints[j].parent < 0 || !carriesBone(skeleton, j)) continue;
        snChannel turn = {j, SN_PATH_ROTATION, SN_LINEAR, KEYS, 4, times, NULL};
        if ((status = addChannel(clip, turn, &values, arena, error))) return status;
        fillChannel(values, skeleton, &rest, j, def);
    }
    if (def->bounce > 0.0 && skeleton->jointCount > 0) {
        float *values;
        snChannel bounce = {0, SN_PATH_TRANSLATION, SN_LINEAR, KEYS, 3, times, NULL};
        if ((status = addChannel(clip, bounce, &values, arena, error))) return status;
        fillBounce(values, skeleton, &rest, def);
    }
    return SN_OK;
}
