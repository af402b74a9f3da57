#include "tests/hostile/sound.h"

#include "core/error.h"

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
