// Skins over other bodies of a scene: "skin": {"over": "belly", ...}.
#include "scene/reader.h"

#include "body/skin/smooth.h"

#include <string.h>

// A body that stands before it in the list, and is no skin itself.
static void findUnder(snSceneReader *r, const snJsonNode *node, snSceneSkin *skin)
{
    const snJsonNode *over = snReader_Need(r, node, "over");
    const char *name = "";
    snReader_Text(r, node, "over", &name);
    skin->over = -1;
    for (int i = 0; i + 1 < r->scene->bodyCount && !r->status; i++)
        if (!strcmp(r->scene->bodies[i].solid.name, name)) skin->over = i;
    if (r->status) return;
    if (skin->over < 0)
        snReader_Fail(r, over, "there is no body \"%s\" before this one in the list", name);
    else if (r->scene->bodies[skin->over].skin)
        snReader_Fail(r, over, "is a skin itself; a skin lies over flesh");
}

void snReader_Skin(snSceneReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const bodyKeys[] = {"name", "skin", "color", "stiffness"};
    static const char *const keys[] = {"over",        "cell",       "fat",     "mass",
                                       "elasticity",  "tightness",  "damping", "stiffness",
                                       "bandDamping", "integrator", "self",    "smooth"};
    static const char *const words[SN_ODE_METHODS] = {
        [SN_ODE_EULER] = "euler",   [SN_ODE_IMPLICIT_EULER] = "implicit-euler",
        [SN_ODE_VERLET] = "verlet", [SN_ODE_RK2] = "rk2",
        [SN_ODE_RK4] = "rk4",       [SN_ODE_ROSENBROCK4] = "rosenbrock"};
    const snJsonNode *node = snReader_Object(r, body, "skin");
    snReader_Keys(r, body, bodyKeys, 4);
    if (r->status || !node) return;
    snSceneSkin *skin = out->skin = SN_NEW(r->arena, snSceneSkin, 1);
    if (!skin) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    *skin = (snSceneSkin){.tissue = snDefaultSkinTissue(), .method = SN_ODE_VERLET, .smooth = 1};
    snSkinTissue *t = &skin->tissue;
    t->fat = 0.005;
    snReader_Keys(r, node, keys, 12);
    findUnder(r, node, skin);
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
    snReader_Int(r, node, "smooth", 0, SN_SKIN_SMOOTH_LEVELS, &skin->smooth);
    snReader_Color(r, body, "color", out->color);
    if (!r->status) out->place = r->scene->bodies[skin->over].place;
}
