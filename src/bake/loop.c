#include "bake/loop.h"

#include "core/error.h"

#define SAME 0.01      // of the height: poses that agree
#define PACE_SHARE 0.6 // of the steps beside the seam: how far a prediction over it may be off
#define MOST_STEPS 2.0 // of the motion beside it, that the seam may be long

double snClip_KeyStep(const snClip *clip)
{
    const snChannel *most = NULL;
    for (int i = 0; i < clip->channelCount; i++)
        if (clip->channels[i].keyCount > 1 &&
            (!most || clip->channels[i].keyCount > most->keyCount))
            most = &clip->channels[i];
    if (!most) return 1.0 / 30;
    return ((double)most->times[most->keyCount - 1] - (double)most->times[0]) /
           (most->keyCount - 1);
}

void snLoopPose(const snCharacter *c, const snClip *clip, double closing, double time, snPose *pose,
                snPose *other)
{
    if (time <= clip->duration || !(closing > 0)) {
        snCharacter_Pose(c, clip, clip->start + time, pose);
        return;
    }
    double t = (time - clip->duration) / closing;
    snCharacter_Pose(c, clip, clip->start + clip->duration, pose);
    snCharacter_Pose(c, clip, clip->start, other);
    for (int j = 0; j < c->skeleton.jointCount; j++) {
        snTransform *a = &pose->local[j], *b = &other->local[j];
        a->translation = snLerp(a->translation, b->translation, t);
        a->rotation = snSlerp(a->rotation, b->rotation, t);
        a->scale = snLerp(a->scale, b->scale, t);
    }
    for (int k = 0; k < c->morphCount; k++)
        pose->morphs[k] += t * (other->morphs[k] - pose->morphs[k]);
    snPose_Globals(pose, &c->skeleton);
}

// p, p + h, q - h, q
enum { FIRST, SECOND, BEFORE, LAST, POSES };

static void compare(const snCharacter *c, snVec3f *const *x, double height, snLoop *loop)
{
    for (int v = 0; v < c->vertexCount; v++) {
        snVec3 p = snFromF(x[FIRST][v]), q = snFromF(x[LAST][v]);
        snVec3 start = snSub(snFromF(x[SECOND][v]), p), end = snSub(q, snFromF(x[BEFORE][v]));
        snVec3 guess = snMulAdd(q, 0.5, snAdd(start, end));
        double distance = snDistance(p, q) / height, missed = snDistance(p, guess) / height;
        double pace = fmax(snLength(start), snLength(end)) / height;
        if (distance > loop->distance) loop->distance = distance;
        if (missed > loop->missed) loop->missed = missed;
        if (pace > loop->pace) loop->pace = pace;
    }
}

snStatus snFindLoop(snLoop *loop, const snCharacter *c, int number, double height,
                    const snContext *context, snError *error)
{
    const snClip *clip = &c->clips[number];
    double h = snClip_KeyStep(clip), times[POSES] = {0, h, clip->duration - h, clip->duration};
    snArena arena = snMakeArena(context);
    snPose pose;
    snVec3f *x[POSES] = {0};
    *loop = (snLoop){0};
    snStatus status = snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, error);
    for (int i = 0; i < POSES && !status; i++) {
        x[i] = SN_NEW(&arena, snVec3f, c->vertexCount);
        if (!x[i]) status = snFailMemory(error);
        if (status) break;
        snCharacter_Pose(c, clip, clip->start + times[i], &pose);
        snCharacter_Surface(c, &pose, &context->tasks, x[i], NULL);
    }
    if (!status) compare(c, x, height, loop);
    snArena_Destroy(&arena);
    if (status) return status;
    bool moves = clip->duration > 0;
    loop->closed = moves && loop->distance < SAME;
    loop->open = moves && !loop->closed && clip->duration > 3 * h &&
                 loop->missed < fmax(SAME, PACE_SHARE * loop->pace) &&
                 loop->distance < MOST_STEPS * loop->pace;
    loop->closing = loop->closed ? 0 : h;
    return SN_OK;
}
