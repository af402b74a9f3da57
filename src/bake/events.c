#include "bake/events.h"

#define APART 0.25 // s

static bool goesOn(const snBakeEvent *old, const snBakeEvent *new)
{
    return old->trouble == new->trouble && old->remedy == new->remedy && old->clip == new->clip &&
           old->joint == new->joint &&new->from <= old->to + APART &&new->to >= old->from - APART;
}

void snEvents_Add(snEvents *events, const snBakeEvent *event)
{
    for (int i = events->count - 1; i >= 0; i--) {
        snBakeEvent *old = &events->list[i];
        if (!goesOn(old, event)) continue;
        if (event->from < old->from) old->from = event->from;
        if (event->to > old->to) old->to = event->to;
        if (event->size > old->size) old->size = event->size;
        if (event->joints > old->joints) old->joints = event->joints;
        old->times += event->times;
        return;
    }
    if (events->count < SN_MOST_EVENTS)
        events->list[events->count++] = *event;
    else
        events->more++;
}

const char *snTrouble_Name(snTrouble trouble)
{
    static const char *const names[SN_TROUBLES] = {"keys",     "pose",     "jump",  "stretch",
                                                   "inverted", "distance", "speed", "lost"};
    return names[trouble];
}

const char *snRemedy_Name(snRemedy remedy)
{
    static const char *const names[SN_REMEDIES] = {"held", "carried", "smallerSteps", "skinnedPart",
                                                   "skinned"};
    return names[remedy];
}
