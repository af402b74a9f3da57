#include "cli/bake_events.h"

#include "cli/text.h"

#include <stdio.h>

#define MOST_LINES 5

static void printPlace(const snBake *bake, const snBakeEvent *e)
{
    printf("warning: \"%s\"", snClipText(bake->character->clips, e->clip).text);
    if (e->trouble == SN_TROUBLE_KEYS)
        printf(": ");
    else if (e->firstFrame == e->lastFrame)
        printf(", frame %d (%.2f s): ", e->firstFrame, e->from);
    else
        printf(", frames %d to %d (%.2f s): ", e->firstFrame, e->lastFrame, e->from);
}

static void printTrouble(const snBake *bake, const snBakeEvent *e)
{
    snPlainText joint = {0};
    if (e->joint >= 0) joint = snJointText(&bake->character->skeleton, e->joint);
    switch (e->trouble) {
    case SN_TROUBLE_KEYS:
        printf("%.0f %s of %s not finite", e->size, snPlural((long long)e->size, "key", "keys"),
               e->joint < 0 ? "morph weights" : joint.text);
        break;
    case SN_TROUBLE_POSE:
        printf("the pose is not finite");
        break;
    case SN_TROUBLE_JUMP:
        printf("%s jumps by %.2g times the body's extent", joint.text, e->size);
        if (e->joints > 1)
            printf(", and %d %s more", e->joints - 1, snPlural(e->joints - 1, "joint", "joints"));
        break;
    case SN_TROUBLE_STRETCH:
        printf("flesh of %s stretched to %.3g times its length", joint.text, e->size);
        break;
    case SN_TROUBLE_INVERTED:
        printf("%.0f %% of the cells inside out, near %s", 100 * e->size, joint.text);
        break;
    case SN_TROUBLE_DISTANCE:
        printf("flesh of %s %.2g extents of the body from its bones", joint.text, e->size);
        break;
    case SN_TROUBLE_SPEED:
        printf("flesh of %s at %.2g extents of the body per second", joint.text, e->size);
        break;
    default:
        printf("%d %s not be computed", e->times, snPlural(e->times, "step could", "steps could"));
    }
}

static const char *remedyText(const snBakeEvent *e)
{
    switch (e->remedy) {
    case SN_REMEDY_HELD:
        return e->trouble == SN_TROUBLE_KEYS ? "the last good ones are held" : "flesh waits";
    case SN_REMEDY_CARRIED:
        return "its flesh is carried along";
    case SN_REMEDY_SMALLER:
        return "smaller steps helped";
    case SN_REMEDY_PART:
        return "it was put on the skinned pose and blends back";
    default:
        return "the body was put on the skinned pose";
    }
}

void snPrintBakeEvents(const snBake *bake)
{
    const snEvents *events = &bake->events;
    int shown = events->count < MOST_LINES ? events->count : MOST_LINES;
    int more = events->count - shown + events->more;
    for (int i = 0; i < shown; i++) {
        printPlace(bake, &events->list[i]);
        printTrouble(bake, &events->list[i]);
        printf("; %s\n", remedyText(&events->list[i]));
    }
    if (more > 0) printf("warning: and %d more of the kind; all are in the sidecar\n", more);
}

void snPutBakeEvents(snJsonWriter *w, const snBake *bake)
{
    snJsonWriter_Key(w, "events");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < bake->events.count; i++) {
        const snBakeEvent *e = &bake->events.list[i];
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "trouble", snTrouble_Name(e->trouble));
        snJsonWriter_PutString(w, "met", snRemedy_Name(e->remedy));
        snJsonWriter_PutString(w, "clip", bake->character->clips[e->clip].name);
        if (e->joint >= 0) {
            snJsonWriter_PutString(w, "joint", bake->character->skeleton.joints[e->joint].name);
            snJsonWriter_PutInt(w, "joints", e->joints);
        }
        snJsonWriter_PutInt(w, "firstFrame", e->firstFrame);
        snJsonWriter_PutInt(w, "lastFrame", e->lastFrame);
        snJsonWriter_PutDouble(w, "from", e->from);
        snJsonWriter_PutDouble(w, "to", e->to);
        snJsonWriter_PutInt(w, "times", e->times);
        snJsonWriter_PutDouble(w, "size", e->size);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}
