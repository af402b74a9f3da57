// Bodies that are rigged characters: a file with a skeleton, its clip, and what its flesh is like.
#include "scene/reader.h"

#include "character/size.h"
#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

#define MOST_CELLS 200000
#define MOST_REACHES 64
#define LEAST_RANGE 0.01 // degrees that a joint may be turned, at least
#define MOST_RANGE 120.0
#define ITERATIONS                                                                                 \
    12 // of a step with bones that give way: 1 % of 100 (docs/theory/flesh-and-bones.md)

// ---- names --------------------------------------------------------------------------------------

static const char *clipName(const void *character, int i)
{
    return ((const snCharacter *)character)->clips[i].name;
}

static const char *jointName(const void *character, int i)
{
    return ((const snCharacter *)character)->skeleton.joints[i].name;
}

// By its name, or its number: not all clips have names.
void snReader_Clip(snReader *r, const snJsonNode *node, const snCharacter *c, int *out)
{
    const snJsonNode *clip = snJson_Member(r->json, node, "clip");
    int count = c->clipCount;
    const snNames names = {count, clipName, c};
    const char *name = NULL;
    if (!clip || r->status) return;
    if (!count) snReader_Fail(r, clip, "is given, and the file has no clips; leave it out");
    if (clip->kind == SN_JSON_NUMBER) {
        snReader_Int(r, node, "clip", 0, count - 1, out);
        return;
    }
    snReader_Text(r, node, "clip", &name);
    if (r->status) return;
    *out = snNames_Find(&names, name);
    if (*out < 0)
        snReader_Fail(r, clip,
                      "is \"%.40s\"; the file has the clips %s; a number from 0 to %d does too",
                      name, snNames_List(&names).text, count - 1);
}

// Needed: -1 only after a failure.
static int readJoint(snReader *r, const snJsonNode *node, const char *key, const snCharacter *c)
{
    const snNames names = {c->skeleton.jointCount, jointName, c};
    const char *name = NULL;
    snReader_Text(r, node, key, &name);
    if (r->status || !name) return -1;
    int joint = snNames_Find(&names, name);
    if (joint < 0)
        snReader_Fail(r, snJson_Member(r->json, node, key),
                      "is \"%.40s\"; the skeleton has the joints %s, ...", name,
                      snNames_List(&names).text);
    return joint;
}

// ---- what the skeleton reaches with -------------------------------------------------------------

static void readReach(snReader *r, const snJsonNode *node, const snCharacter *c,
                      snFleshReach *reach)
{
    static const char *const keys[] = {"joint", "root", "range"};
    const snJsonNode *root = snJson_Member(r->json, node, "root");
    double range = 0;
    snReader_Keys(r, node, keys, 3);
    snReader_Need(r, node, "joint");
    snReader_Need(r, node, "root");
    reach->joint = readJoint(r, node, "joint", c);
    reach->root = readJoint(r, node, "root", c);
    if (!r->status && !snSkeleton_IsAtOrAbove(&c->skeleton, reach->root, reach->joint))
        snReader_Fail(r, root, "is no joint above the joint, nor itself");
    snReader_Number(
        r, node, "range",
        (snRange){LEAST_RANGE * SN_PI / 180, MOST_RANGE * SN_PI / 180, SN_QUANTITY_ANGLE}, &range);
    reach->most = range;
}

// false, an object, or a list of them.
static void readReaches(snReader *r, const snJsonNode *node, snSceneCharacter *c)
{
    const snJsonNode *list = snJson_Member(r->json, node, "reach");
    bool reaches = true;
    if (!list || r->status) return;
    if (list->kind == SN_JSON_BOOL) {
        snReader_Bool(r, node, "reach", &reaches);
        c->body.limp = !reaches;
        return;
    }
    bool several = list->kind == SN_JSON_ARRAY;
    int count = several ? snJson_Count(list) : 1;
    if (!several && list->kind != SN_JSON_OBJECT)
        snReader_Fail(r, list, "must be {\"joint\", \"root\"}, a list of these, or false");
    if (count > MOST_REACHES) snReader_Fail(r, list, "has %d; %d are most", count, MOST_REACHES);
    if (r->status) return;
    snFleshReach *out = SN_NEW(r->arena, snFleshReach, count);
    if (!out) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++)
        readReach(r, several ? snJson_At(r->json, list, i) : list, &c->character, &out[i]);
    c->body.reaches = out;
    c->body.reachCount = count;
}

// ---- its size -----------------------------------------------------------------------------------

// Files do not say what their units are: told so, the character is made as large as it is meant to be; else one that looks like it has others
// is told of.
static void readSize(snReader *r, const snJsonNode *node, const snSceneBody *body)
{
    snSceneCharacter *c = body->character;
    const snJsonNode *tall = snJson_Member(r->json, node, "height");
    bool told = tall || snJson_Member(r->json, node, "scale");
    double scale = 1, height = 0;
    snSize size;
    snReader_Number(r, node, "scale", (snRange){1e-6, 1e6, SN_QUANTITY_PLAIN}, &scale);
    snReader_Number(r, node, "height", (snRange){1e-3, 1e3, SN_QUANTITY_LENGTH}, &height);
    if (!r->status && tall && snJson_Member(r->json, node, "scale"))
        snReader_Fail(r, tall, "and \"scale\" both say how large it is; one of them does");
    if (!r->status) snReader_Take(r, snMeasureSize(&size, &c->character, r->context, r->error));
    if (r->status) return;
    if (tall && !(size.height > 0)) {
        snReader_Fail(r, tall, "is given, and the character has no height");
        return;
    }
    if (tall) scale = height / size.height;
    if (scale != 1) snReader_Take(r, snCharacter_Scale(&c->character, scale, r->error));
    if (told) snSize_SetHeight(&size, scale * size.height);
    if (tall && !snJson_Member(r->json, node, "rig"))
        snFleshDef_Pace(&c->flesh, snSize_Pace(&size));
    if (!snSize_IsLikely(&size))
        snLog(r->context, SN_LOG_WARNING,
              "%s is %.3g m tall: its file looks like %s; \"scale\": %g in \"character\" makes "
              "them metres, \"scale\": 1 says that it is so",
              body->solid.name, size.height, size.units, size.unit);
}

// ---- a character --------------------------------------------------------------------------------

static void readFlesh(snReader *r, const snJsonNode *node, snSceneCharacter *c)
{
    static const char *const motions[] = {"secondary", "full"};
    const snJsonNode *rig = snJson_Member(r->json, node, "rig");
    snFleshDef *flesh = &c->flesh;
    int motion = SN_MOTION_SECONDARY;
    snReader_Word(r, node, "motion", motions, 2, &motion);
    flesh->motion = (snMotion)motion;
    snReader_Int(r, node, "cells", 1, MOST_CELLS, &flesh->cells);
    snReader_Number(r, node, "wobble", (snRange){0.01, 999, SN_QUANTITY_PLAIN}, &flesh->wobble);
    snReader_Number(r, node, "damping", (snRange){0, 1000, SN_QUANTITY_PLAIN}, &flesh->massDamping);
    snReader_Number(r, node, "amplitude", (snRange){0, 100, SN_QUANTITY_PLAIN}, &flesh->amplitude);
    snReader_Number(r, node, "gravityChange", (snRange){0, 1000, SN_QUANTITY_PLAIN},
                    &flesh->gravityChange);
    snReader_Int(r, node, "iterations", 1, 100, &flesh->iterations);
    flesh->step = snReader_Scene(r)->step;
    if (rig) snReader_LoadRig(r, rig, c);
}

static void readMotion(snReader *r, const snJsonNode *node, snSceneCharacter *c)
{
    snFleshBodyDef *body = &c->body;
    snReader_Clip(r, node, &c->character, &body->clip);
    snReader_Bool(r, node, "loop", &body->loop);
    snReader_Bool(r, node, "posed", &body->posed);
    snReader_Number(r, node, "speed", (snRange){-100, 100, SN_QUANTITY_PLAIN}, &body->speed);
    snReader_Number(r, node, "start", (snRange){-1e5, 1e5, SN_QUANTITY_TIME}, &body->start);
    snReader_Vector(r, node, "travel", SN_QUANTITY_LENGTH, &body->travel);
    if (!r->status && !(snLength(body->travel) <= 1000))
        snReader_Fail(r, snJson_Member(r->json, node, "travel"), "is faster than 1000 m/s");
    snReader_Number(r, node, "ease", (snRange){0.01, 100, SN_QUANTITY_TIME}, &body->ease);
    readReaches(r, node, c);
}

// Bones that give way: flesh is then moved by physics alone, and iterated until both are found.
static void readSkeleton(snReader *r, const snJsonNode *node, snSceneCharacter *c)
{
    const snJsonNode *skeleton = snReader_Object(r, node, "skeleton");
    const snJsonNode *motion = snJson_Member(r->json, node, "motion");
    snFleshDef *flesh = c->hasRig ? &c->rig.def : &c->flesh;
    if (!skeleton || r->status) return;
    c->skeleton = snDefaultFleshSkeleton();
    snStrengthMore bones = {"bones", {0.001, 0.9, SN_QUANTITY_PLAIN}, &c->skeleton.bones};
    snReader_Strength(r, skeleton, &c->character.skeleton, &bones, &c->skeleton.strength);
    if (!r->status && motion && flesh->motion != SN_MOTION_FULL)
        snReader_Fail(r, motion,
                      "must be \"full\" where a \"skeleton\" gives way: leave it out, or make "
                      "it \"full\"");
    flesh->motion = SN_MOTION_FULL;
    flesh->precision = SN_PRECISION_DOUBLE;
    if (!snJson_Member(r->json, node, "iterations")) flesh->iterations = ITERATIONS;
    c->body.skeleton = &c->skeleton;
}

void snReader_Character(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    static const char *const keys[] = {
        "file",          "clip",       "loop",     "speed", "start",     "travel", "motion",
        "cells",         "wobble",     "damping",  "rig",   "amplitude", "reach",  "ease",
        "gravityChange", "iterations", "skeleton", "posed", "scale",     "height"};
    body->shape = SN_SCENE_CHARACTER;
    snReader_Keys(r, node, keys, (int)(sizeof keys / sizeof *keys));
    const snJsonNode *file = snReader_Need(r, node, "file");
    if (r->status) return;
    snSceneCharacter *c = body->character = SN_NEW(r->arena, snSceneCharacter, 1);
    if (!c) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    c->flesh = snDefaultFleshDef();
    c->body = snDefaultFleshBodyDef();
    snReader_LoadCharacter(r, file, c, &body->colors);
    readSize(r, node, body);
    readFlesh(r, node, c);
    readMotion(r, node, c);
    readSkeleton(r, node, c);
}

void snReader_CheckCharacter(snReader *r, const snJsonNode *node, const snSceneBody *body)
{
    static const char *const others[] = {"scheme",   "levels", "quadrature", "material", "solver",
                                         "adaptive", "poly",   "velocity",   "spin"};
    int count = (int)(sizeof others / sizeof *others) - (body->character->body.skeleton ? 2 : 0);
    for (int k = 0; k < count && !r->status; k++) {
        const snJsonNode *found = snJson_Member(r->json, node, others[k]);
        if (found)
            snReader_Fail(r, found,
                          "does not go with a character, whose clip leads it and whose flesh is "
                          "described by \"character\" and its rig document; leave it out");
    }
}

void snSceneCharacter_Destroy(snSceneCharacter *c)
{
    if (!c) return;
    if (c->hasRig) snRigFile_Destroy(&c->rig);
    snCharacter_Destroy(&c->character);
}
