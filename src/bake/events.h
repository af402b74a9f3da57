// What went wrong in a bake and how it was met, for its summary and its sidecar.
#ifndef SN_BAKE_EVENTS_H
#define SN_BAKE_EVENTS_H

#include "sinew/base.h"

#define SN_MOST_EVENTS 1024 // kept; those beyond are counted

typedef enum snTrouble {
    SN_TROUBLE_KEYS,    // keys of a clip that are not finite; size: how many
    SN_TROUBLE_POSE,    // a pose that is not finite
    SN_TROUBLE_JUMP,    // a joint put elsewhere in no time; size: how far flesh went, of its extent
    SN_TROUBLE_STRETCH, // flesh torn; size: how many times as long as in the rig, at worst
    SN_TROUBLE_INVERTED, // much of it turned inside out; size: share of the cells
    SN_TROUBLE_DISTANCE, // flesh far from its rig; size: of its extent
    SN_TROUBLE_SPEED,    // flesh far faster than its rig; size: extents per second
    SN_TROUBLE_LOST,     // a step that could not be computed
    SN_TROUBLES,
} snTrouble;

typedef enum snRemedy {
    SN_REMEDY_HELD,    // the last good value stays
    SN_REMEDY_CARRIED, // flesh was carried along, unmoved relative to its bones
    SN_REMEDY_SMALLER, // smaller steps went well
    SN_REMEDY_PART,    // that part of the body was put on its rig, from where it blends back
    SN_REMEDY_ALL,     // all of it was
    SN_REMEDIES,
} snRemedy;

typedef struct snBakeEvent {
    snTrouble trouble;
    snRemedy remedy;
    int clip;                  // number in the character
    int joint;                 // the one concerned most; -1: none in particular
    int joints;                // how many are concerned
    int times;                 // steps, or keys
    int firstFrame, lastFrame; // of the whole clip, counted from 0: the nearest ones
    double from, to;           // s from the clip's beginning
    double size;               // see snTrouble; the largest while it lasts
} snBakeEvent;

typedef struct snEvents {
    int count;
    int more;          // that found no room
    snBakeEvent *list; // [SN_MOST_EVENTS]
} snEvents;

// Adds an event, or lets one go on that is as good as the same: the same trouble with the same joint at
// most a quarter of a second before or behind, in any round of a loop.
void snEvents_Add(snEvents *events, const snBakeEvent *event);

// The names that files and summaries use: "jump", "carried".
const char *snTrouble_Name(snTrouble trouble);
const char *snRemedy_Name(snRemedy remedy);

#endif
