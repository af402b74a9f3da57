// A character of another size. With S = s 1 every map M of it becomes S M S⁻¹, which has the same linear part and s times the translation: so do joints at
// rest and in clips, bind matrices, and nodes; places and offsets of morph targets are s times what they were. Turns, scales, weights
// and normals stay. What is drawn is s times what it was, in every pose.
#include "character/size.h"

#include "core/error.h"

static void scalePart(snPart *part, float s)
{
    for (int v = 0; v < part->vertexCount; v++) {
        snVec3f *p = &part->positions[v];
        *p = (snVec3f){s * p->x, s * p->y, s * p->z};
        for (int t = 0; t < part->targetCount; t++) {
            snVec3f *o = &part->targets[t][v];
            *o = (snVec3f){s * o->x, s * o->y, s * o->z};
        }
    }
}

// Channels may share their numbers: they get others.
static bool scaleClip(const snClip *clip, float s, snArena *arena)
{
    for (int c = 0; c < clip->channelCount; c++) {
        snChannel *channel = &clip->channels[c];
        if (channel->path != SN_PATH_TRANSLATION) continue;
        int sets = channel->interpolation == SN_CUBIC ? 3 : 1;
        size_t count = (size_t)channel->keyCount * (size_t)channel->width * (size_t)sets;
        float *values = SN_NEW(arena, float, count);
        if (!values) return false;
        for (size_t k = 0; k < count; k++)
            values[k] = s * channel->values[k];
        channel->values = values;
    }
    return true;
}

snStatus snCharacter_Scale(snCharacter *c, double scale, snError *error)
{
    for (int j = 0; j < c->skeleton.jointCount; j++) {
        snJoint *joint = &c->skeleton.joints[j];
        joint->rest.translation = snScale(scale, joint->rest.translation);
        joint->matrix.origin = snScale(scale, joint->matrix.origin);
    }
    for (int k = 0; k < c->skinCount; k++)
        for (int j = 0; j < c->skins[k].jointCount; j++) {
            snVec3 *origin = &c->skins[k].inverseBind[j].origin;
            *origin = snScale(scale, *origin);
        }
    for (int p = 0; p < c->partCount; p++)
        scalePart(&c->parts[p], (float)scale);
    bool good = true;
    for (int k = 0; k < c->clipCount && good; k++)
        good = scaleClip(&c->clips[k], (float)scale, &c->arena);
    return good ? SN_OK : snFailMemory(error);
}
