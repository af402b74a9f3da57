// Skeletons that give way: "skeleton": {"strength": 8, "hand": 8, "joints": [...], "keys": [...]}. How strong joints are and how far they
// go is told for parts of the body, as rules of rig documents tell what flesh is like; keys tell when.
#include "scene/reader.h"

#include "character/rules.h"
#include "core/elementary.h"

#include <stdio.h>

#define MOST_STRENGTH 100.0 // Hz
#define MOST_PARTS 256
#define MOST_KEYS 1000

static void listJoints(const snSkeleton *skeleton, char *text, size_t size)
{
    char label[SN_JOINT_LABEL];
    size_t used = 0;
    text[0] = 0;
    for (int j = 0; j < skeleton->jointCount && used + 40 < size; j++) {
        int more = snprintf(text + used, size - used, "%s%.24s", j ? ", " : "",
                            snSkeleton_Label(skeleton, j, label));
        used += more > 0 ? (size_t)more : 0;
    }
}

typedef struct Parts {
    const snSkeleton *skeleton;
    unsigned char *in;                // [joints], scratch
    double *strength, *swing, *twist; // [joints], below 0: not told
} Parts;

static void set(const Parts *p, double *values, double value)
{
    for (int j = 0; j < p->skeleton->jointCount && value >= 0; j++)
        if (p->in[j]) values[j] = value;
}

static void readPart(snReader *r, const snJsonNode *node, const Parts *p)
{
    static const char *const keys[] = {"part", "strength", "swing", "twist"};
    const snRange angle = {0, 170 * SN_PI / 180, SN_QUANTITY_ANGLE};
    const char *part = NULL;
    double strength = -1, swing = -1, twist = -1;
    char names[200];
    snReader_Keys(r, node, keys, 4);
    const snJsonNode *at = snReader_Need(r, node, "part");
    snReader_Text(r, node, "part", &part);
    snReader_Number(r, node, "strength", (snRange){0, MOST_STRENGTH, SN_QUANTITY_PLAIN}, &strength);
    snReader_Number(r, node, "swing", angle, &swing);
    snReader_Number(r, node, "twist", angle, &twist);
    if (r->status) return;
    if (!snSkeleton_FindPart(p->skeleton, part, p->in)) {
        listJoints(p->skeleton, names, sizeof names);
        snReader_Fail(r, at,
                      "is \"%.40s\", which no joint is called; there are %s, ...; a pattern with "
                      "* or a word that is in their names does too",
                      part, names);
        return;
    }
    set(p, p->strength, strength);
    set(p, p->swing, swing);
    set(p, p->twist, twist);
}

static void readParts(snReader *r, const snJsonNode *node, const snSkeleton *skeleton,
                      snStrength *out)
{
    const snJsonNode *list = snJson_Member(r->json, node, "joints");
    int count = list ? snJson_Count(list) : 0, n = skeleton->jointCount;
    if (!list || r->status) return;
    if (list->kind != SN_JSON_ARRAY) snReader_Fail(r, list, "must be a list of {\"part\", ...}");
    if (count > MOST_PARTS) snReader_Fail(r, list, "has %d; %d are most", count, MOST_PARTS);
    Parts p = {.skeleton = skeleton,
               .in = SN_NEW(r->arena, unsigned char, n),
               .strength = SN_NEW(r->arena, double, n),
               .swing = SN_NEW(r->arena, double, n),
               .twist = SN_NEW(r->arena, double, n)};
    if (!p.in || !p.strength || !p.swing || !p.twist) snReader_Take(r, snFailMemory(r->error));
    for (int j = 0; j < n && !r->status; j++)
        p.strength[j] = p.swing[j] = p.twist[j] = -1;
    for (int i = 0; i < count && !r->status; i++)
        readPart(r, snJson_At(r->json, list, i), &p);
    out->strengths = p.strength;
    out->swings = p.swing;
    out->twists = p.twist;
}

static void readKeys(snReader *r, const snJsonNode *node, snStrength *out)
{
    static const char *const keys[] = {"time", "strength", "hand"};
    const snJsonNode *list = snJson_Member(r->json, node, "keys");
    int count = list ? snJson_Count(list) : 0;
    if (!list || r->status) return;
    if (list->kind != SN_JSON_ARRAY || !count)
        snReader_Fail(r, list, "must be a list of {\"time\", \"strength\", \"hand\"}");
    if (count > MOST_KEYS) snReader_Fail(r, list, "has %d; %d are most", count, MOST_KEYS);
    snStrengthKey *all = SN_NEW(r->arena, snStrengthKey, count);
    if (!all) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *key = snJson_At(r->json, list, i);
        all[i] = i ? all[i - 1] : (snStrengthKey){0, 1, 1};
        snReader_Keys(r, key, keys, 3);
        snReader_Need(r, key, "time");
        snReader_Number(r, key, "time", (snRange){0, 1e9, SN_QUANTITY_TIME}, &all[i].time);
        snReader_Number(r, key, "strength", (snRange){0, 100, SN_QUANTITY_PLAIN}, &all[i].strength);
        snReader_Number(r, key, "hand", (snRange){0, 100, SN_QUANTITY_PLAIN}, &all[i].hand);
        if (i) snReader_CheckLater(r, key, all[i].time, all[i - 1].time);
    }
    out->keys = all;
    out->keyCount = count;
}

void snReader_Strength(snReader *r, const snJsonNode *node, const snSkeleton *skeleton,
                       const snStrengthMore *more, snStrength *out)
{
    const char *keys[] = {"strength", "damping", "hand", "joints", "keys", more ? more->key : ""};
    const snRange rate = {0, MOST_STRENGTH, SN_QUANTITY_PLAIN};
    snReader_Keys(r, node, keys, more ? 6 : 5);
    *out = snDefaultStrength();
    snReader_Number(r, node, "strength", rate, &out->strength);
    snReader_Number(r, node, "hand", rate, &out->hand);
    snReader_Number(r, node, "damping", (snRange){0, 1000, SN_QUANTITY_PLAIN}, &out->damping);
    if (more) snReader_Number(r, node, more->key, more->range, more->value);
    readParts(r, node, skeleton, out);
    readKeys(r, node, out);
}
