// Skins over other bodies of a scene, or over surfaces from files that are played: "skin": {"over": "belly", ...}, "skin": {"over":
// {"file": "fox-soft.glb", "clip": "Run.soft"}, ...}.
#include "scene/reader.h"

#include "asset/point_cache.h"
#include "body/skin/smooth.h"

#include <string.h>

#define MOST_CACHES 256 // of one surface

// A body that stands before it in the list, and is no skin itself.
static void findUnder(snReader *r, const snJsonNode *node, snSceneSkin *skin)
{
    const snJsonNode *over = snJson_Member(r->json, node, "over");
    const char *name = "";
    snReader_Text(r, node, "over", &name);
    for (int i = 0; i + 1 < snReader_Scene(r)->bodyCount && !r->status; i++)
        if (!strcmp(snReader_Scene(r)->bodies[i].solid.name, name)) skin->over = i;
    if (r->status) return;
    if (skin->over < 0)
        snReader_Fail(r, over,
                      "there is no body \"%s\" before this one in the list; a file is given as "
                      "{\"file\": ...}",
                      name);
    else if (snReader_Scene(r)->bodies[skin->over].skin)
        snReader_Fail(r, over, "is a skin itself; a skin lies over flesh");
}

// One file, or one for every mesh in their order.
static void readCaches(snReader *r, const snJsonNode *node, snScenePlayed *played)
{
    const snJsonNode *cache = snJson_Member(r->json, node, "cache");
    double rate = 30.0;
    if (!cache || r->status) {
        if (!cache && snJson_Member(r->json, node, "rate"))
            snReader_Fail(r, snJson_Member(r->json, node, "rate"), "is of a \"cache\" alone");
        return;
    }
    if (snJson_Member(r->json, node, "clip"))
        snReader_Fail(r, cache, "does not go with \"clip\": leave one of them out");
    snReader_Number(r, node, "rate", (snRange){1e-3, 1e5, SN_QUANTITY_PLAIN}, &rate);
    bool several = cache->kind == SN_JSON_ARRAY;
    int count = several ? snJson_Count(cache) : 1;
    if (count < 1 || count > MOST_CACHES)
        snReader_Fail(r, cache, "has %d files; it must be 1 to %d", count, MOST_CACHES);
    snPointSamples caches[MOST_CACHES];
    for (int i = 0; i < count && !r->status; i++)
        snReader_LoadCache(r, several ? snJson_At(r->json, cache, i) : cache, rate, &caches[i]);
    if (r->status) return;
    snReader_Take(r, snPointCache_Join(&played->samples, count, caches, r->arena, r->error));
    played->def.samples = &played->samples;
}

// Made once to find what is wrong with it, and again when the body is built.
static void checkPlayed(snReader *r, const snJsonNode *node, const snScenePlayed *played)
{
    snPlayed *made = NULL;
    char path[200];
    if (r->status) return;
    snReader_Take(r, snPlayed_Make(&made, &played->def, r->context, r->error));
    if (r->status && r->status != SN_ERROR_MEMORY) {
        snJson_Path(r->json, snJson_Member(r->json, node, played->def.samples ? "cache" : "file"),
                    path, sizeof path);
        snError_Prefix(r->error, "%s", path);
    }
    snPlayed_Destroy(made);
}

static void readPlayed(snReader *r, const snJsonNode *node, snSceneSkin *skin)
{
    static const char *const keys[] = {"file",  "clip",  "cache", "rate",
                                       "start", "speed", "loop",  "scale"};
    snReader_Keys(r, node, keys, 8);
    const snJsonNode *file = snReader_Need(r, node, "file");
    snScenePlayed *played = r->status ? NULL : SN_NEW(r->arena, snScenePlayed, 1);
    if (!r->status && !played) snReader_Take(r, snFailMemory(r->error));
    if (r->status) return;
    skin->played = played;
    played->def = snDefaultPlayedDef();
    played->def.character = &played->character;
    snReader_LoadPlayed(r, file, &played->character);
    played->loaded = !r->status;
    if (r->status) return;
    snReader_Clip(r, node, &played->character, &played->def.clip);
    readCaches(r, node, played);
    snReader_Number(r, node, "start", (snRange){-1e5, 1e5, SN_QUANTITY_TIME}, &played->def.start);
    snReader_Number(r, node, "speed", (snRange){-100, 100, SN_QUANTITY_PLAIN}, &played->def.speed);
    snReader_Bool(r, node, "loop", &played->def.loop);
    snReader_Number(r, node, "scale", (snRange){1e-6, 1e6, SN_QUANTITY_PLAIN}, &played->def.scale);
    checkPlayed(r, node, played);
}

void snSceneSkin_Destroy(snSceneSkin *skin)
{
    if (skin && skin->played && skin->played->loaded) snCharacter_Destroy(&skin->played->character);
}

static void readOver(snReader *r, const snJsonNode *body, const snJsonNode *node, snSceneBody *out)
{
    const snJsonNode *over = snReader_Need(r, node, "over");
    snSceneSkin *skin = out->skin;
    skin->over = -1;
    if (r->status) return;
    if (over->kind == SN_JSON_OBJECT) {
        readPlayed(r, over, skin);
        snReader_Place(r, body, &out->place);
        return;
    }
    static const char *const own[] = {"place", "rotation"};
    for (int k = 0; k < 2; k++)
        if (snJson_Member(r->json, body, own[k]))
            snReader_Fail(r, snJson_Member(r->json, body, own[k]),
                          "is that of the body under a skin");
    findUnder(r, node, skin);
    if (!r->status) out->place = snReader_Scene(r)->bodies[skin->over].place;
}

void snReader_Skin(snReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const bodyKeys[] = {"name",  "skin",     "color",
                                           "place", "rotation", "stiffness"};
    static const char *const keys[] = {
        "over",      "cell",        "fat",        "mass", "elasticity", "tightness", "damping",
        "stiffness", "bandDamping", "integrator", "self", "smooth",     "presses"};
    static const char *const words[SN_ODE_METHODS] = {
        [SN_ODE_EULER] = "euler",   [SN_ODE_IMPLICIT_EULER] = "implicit-euler",
        [SN_ODE_VERLET] = "verlet", [SN_ODE_RK2] = "rk2",
        [SN_ODE_RK4] = "rk4",       [SN_ODE_ROSENBROCK4] = "rosenbrock"};
    const snJsonNode *node = snReader_Object(r, body, "skin");
    snReader_Keys(r, body, bodyKeys, 6);
    if (r->status || !node) return;
    snSceneSkin *skin = out->skin = SN_NEW(r->arena, snSceneSkin, 1);
    if (!skin) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    *skin = (snSceneSkin){.tissue = snDefaultSkinTissue(), .method = SN_ODE_VERLET, .smooth = 1};
    snSkinTissue *t = &skin->tissue;
    t->fat = 0.005;
    snReader_Keys(r, node, keys, 13);
    readOver(r, body, node, out);
    snReader_Stiffness(r, body, out);
    snReader_Number(r, node, "cell", (snRange){0, 1e3, SN_QUANTITY_LENGTH}, &skin->cell);
    snReader_Number(r, node, "fat", (snRange){0, 1e3, SN_QUANTITY_LENGTH}, &t->fat);
    snReader_Number(r, node, "mass", (snRange){1e-6, 1e6, SN_QUANTITY_PLAIN}, &t->mass);
    snReader_Number(r, node, "elasticity", (snRange){0, 1e9, SN_QUANTITY_PLAIN}, &t->elasticity);
    snReader_Number(r, node, "tightness", (snRange){-2, 0.9, SN_QUANTITY_PLAIN}, &t->tightness);
    snReader_Number(r, node, "damping", (snRange){0, 1e6, SN_QUANTITY_PLAIN}, &t->damping);
    snReader_Number(r, node, "stiffness", (snRange){0, 1e9, SN_QUANTITY_PLAIN}, &t->bandStiffness);
    snReader_Number(r, node, "bandDamping", (snRange){0, 1e9, SN_QUANTITY_PLAIN}, &t->bandDamping);
    snReader_Word(r, node, "integrator", words, SN_ODE_METHODS, &skin->method);
    snReader_Bool(r, node, "self", &skin->self);
    bool presses = true;
    snReader_Bool(r, node, "presses", &presses);
    skin->oneWay = !presses;
    snReader_Int(r, node, "smooth", 0, SN_SKIN_SMOOTH_LEVELS, &skin->smooth);
    snReader_Color(r, body, "color", out->color);
}
