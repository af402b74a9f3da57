#include "tests/hostile/sound.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

snStatus snCheckPoints(const snVec3f *points, int count, const char *what, snError *error)
{
    for (int v = 0; v < count; v++)
        if (!snIsFinite3(snFromF(points[v])))
            return snFail(error, SN_ERROR_NUMERIC, "%s: vertex %d is not finite", what, v);
    return SN_OK;
}

static snStatus checkClip(const snClip *clip, snError *error)
{
    for (int c = 0; c < clip->channelCount; c++) {
        const snChannel *channel = &clip->channels[c];
        int count =
            channel->keyCount * channel->width * (channel->interpolation == SN_CUBIC ? 3 : 1);
        for (int i = 0; i < count; i++)
            if (!(channel->values[i] - channel->values[i] == 0))
                return snFail(error, SN_ERROR_NUMERIC, "%s: channel %d: value %d is not finite",
                              clip->name, c, i);
    }
    return SN_OK;
}

static snStatus checkIndices(const snCharacter *character, const snPart *part, snError *error)
{
    for (int i = 0; i < 3 * part->triangleCount; i++)
        if (part->triangles[i] < 0 || part->triangles[i] >= part->vertexCount)
            return snFail(error, SN_ERROR_FORMAT, "%s: corner %d is out of range", part->name, i);
    for (int i = 0; i < part->vertexCount * part->influences; i++)
        if (part->joints[i] < 0 || part->joints[i] >= character->skins[part->skin].jointCount)
            return snFail(error, SN_ERROR_FORMAT, "%s: joint %d is out of range", part->name, i);
    return SN_OK;
}

snStatus snCheckCharacter(const snCharacter *character, snError *error)
{
    snStatus status = SN_OK;
    for (int p = 0; p < character->partCount && !status; p++) {
        const snPart *part = &character->parts[p];
        status = snCheckPoints(part->positions, part->vertexCount, part->name, error);
        if (!status) status = checkIndices(character, part, error);
        for (int t = 0; t < part->targetCount && !status; t++)
            status = snCheckPoints(part->targets[t], part->vertexCount, "a target", error);
    }
    for (int c = 0; c < character->clipCount && !status; c++)
        status = checkClip(&character->clips[c], error);
    return status;
}

// ---- flesh that is far away ----

#define MOMENTS 24 // of a clip that are looked at

typedef struct Look {
    const snCharacter *character;
    const snContext *context;
    snPose rigPose, softPose;
    snVec3f *rig, *soft; // [vertices]
    double extent, far;  // the largest so far
    int vertex;          // that is so far away
    double time;
} Look;

static snStatus makeLook(Look *look, snArena *arena, snError *error)
{
    const snCharacter *c = look->character;
    snStatus status = snPose_Make(&look->rigPose, &c->skeleton, c->morphCount, arena, error);
    if (!status) status = snPose_Make(&look->softPose, &c->skeleton, c->morphCount, arena, error);
    look->rig = SN_NEW(arena, snVec3f, c->vertexCount);
    look->soft = SN_NEW(arena, snVec3f, c->vertexCount);
    return status || (look->rig && look->soft) ? status : snFailMemory(error);
}

static void growExtent(Look *look)
{
    snBox box = snEmptyBox();
    snCharacter_Surface(look->character, &look->rigPose, &look->context->tasks, look->rig, NULL);
    for (int v = 0; v < look->character->vertexCount; v++)
        box = snBoxAdd(box, snFromF(look->rig[v]));
    snVec3 size = snSub(box.upper, box.lower);
    look->extent = fmax(look->extent, fmax(size.x, fmax(size.y, size.z)));
}

static void lookAt(Look *look, const snClip *rig, const snClip *soft, double time)
{
    const snCharacter *c = look->character;
    snCharacter_Pose(c, rig, time, &look->rigPose);
    snCharacter_Pose(c, soft, time, &look->softPose);
    snCharacter_Surface(c, &look->softPose, &look->context->tasks, look->soft, NULL);
    growExtent(look);
    for (int v = 0; v < c->vertexCount; v++) {
        double d = snDistance(snFromF(look->rig[v]), snFromF(look->soft[v]));
        if (!(d > look->far)) continue;
        look->far = d;
        look->vertex = v;
        look->time = time;
    }
}

static const snClip *findRig(const snCharacter *c, const snClip *soft)
{
    size_t length = strlen(soft->name);
    if (length < 5 || strcmp(soft->name + length - 5, ".soft")) return NULL;
    for (int k = 0; k < c->clipCount; k++)
        if (strlen(c->clips[k].name) == length - 5 &&
            !strncmp(c->clips[k].name, soft->name, length - 5))
            return &c->clips[k];
    return NULL;
}

snStatus snCheckNear(const snCharacter *c, double extents, const snContext *context, snError *error)
{
    Look look = {.character = c, .context = context};
    snArena arena = snMakeArena(context);
    snStatus status = makeLook(&look, &arena, error);
    for (int k = 0; k < c->clipCount && !status; k++) {
        const snClip *soft = &c->clips[k], *rig = findRig(c, soft);
        look.far = look.extent = 0;
        snCharacter_Pose(c, NULL, 0, &look.rigPose);
        growExtent(&look);
        for (int i = 0; rig && i < MOMENTS; i++)
            lookAt(&look, rig, soft, rig->start + rig->duration * i / (MOMENTS - 1));
        if (look.far > extents * look.extent)
            status = snFail(error, SN_ERROR_NUMERIC,
                            "%s: vertex %d is %.3g extents of the rig away from it at %.3g s",
                            soft->name, look.vertex, look.far / look.extent, look.time);
    }
    snArena_Destroy(&arena);
    return status;
}
