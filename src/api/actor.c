// The public face of flesh (include/sinew/actor.h): an actor is a crowd of one.
#include "api/crowd_parts.h"

#include "core/check.h"

#include <string.h>

struct snActor {
    snCrowd crowd;
};

static snCrowd *crowdOf(const snActor *actor)
{
    return (snCrowd *)(uintptr_t)actor; // the same object, by its other name
}

snStatus snActor_Make(snActor **out, const snCharacter *character, const snActorDef *def,
                      const snContext *context, snError *error)
{
    snStatus status = snCheckPointer("actor", out, error);
    if (out) *out = NULL;
    if (!status) status = snCheckPointer("def", def, error);
    if (status) return status;
    snCrowdDef crowd = {.actor = *def, .members = 1};
    snCrowd *made = NULL;
    status = snCrowd_Make(&made, character, &crowd, context, error);
    *out = (snActor *)made;
    return status;
}

void snActor_Destroy(snActor *actor)
{
    snCrowd_Destroy((snCrowd *)actor);
}

void snActor_Start(snActor *actor, int clip, double time)
{
    if (!isfinite(time)) return;
    snCrowd_Play(crowdOf(actor), 0, clip, time, 0);
    snCrowd_Start(crowdOf(actor), 0);
}

bool snActor_Step(snActor *actor, int clip, double time)
{
    if (!isfinite(time)) return false;
    snCrowd_Play(crowdOf(actor), 0, clip, time, 0);
    return snCrowd_Step(crowdOf(actor), 1, NULL) == 0;
}

bool snActor_StepPose(snActor *actor, const float *matrices, size_t stride)
{
    if (!matrices) return false;
    snCrowd_SetPose(crowdOf(actor), 0, matrices, stride);
    return snCrowd_Step(crowdOf(actor), 1, NULL) == 0;
}

snCrowd *snActor_Crowd(snActor *actor)
{
    return crowdOf(actor);
}

void snActor_ReadPositions(const snActor *actor, float *positions, size_t stride)
{
    snSurfaceBuffer out = {.positions = positions, .positionStride = stride};
    snCrowd_ReadSurface(crowdOf(actor), 0, &out);
}

double snActor_Offset(const snActor *actor)
{
    return snCrowd_Offset(crowdOf(actor), 0);
}

size_t snActor_StateSize(const snActor *actor)
{
    return snCrowd_StateSize(crowdOf(actor));
}

void snActor_Save(const snActor *actor, void *state)
{
    snCrowd_Save(crowdOf(actor), state);
}

snStatus snActor_Restore(snActor *actor, const void *state, size_t size, snError *error)
{
    return snCrowd_Restore(crowdOf(actor), state, size, error);
}

uint64_t snActor_Hash(const snActor *actor)
{
    return snCrowd_Hash(crowdOf(actor), 0);
}
