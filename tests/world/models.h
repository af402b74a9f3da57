// One small body of each model, for tests of how they meet.
#ifndef SN_TESTS_WORLD_MODELS_H
#define SN_TESTS_WORLD_MODELS_H

#include "body/coat/coat_body.h"
#include "body/skin/skin_body.h"
#include "tests/body/coat/trees.h"
#include "tests/body/poly/polys.h"
#include "tests/body/skin/skins.h"
#include "tests/world/box.h"
#include "tests/world/characters.h"

typedef enum Model { LATTICE, POLY, RIGGED, LIMP, COAT, SKIN, MODELS } Model;
static const char *const modelNames[MODELS] = {"lattice", "poly", "rigged", "limp", "coat", "skin"};

static inline snWorld *newWorld(const snContext *context, double gravity)
{
    return makeWorld(context, snVec(0, -gravity, 0));
}

// How a body is to be: density in times of the default, friction (below 0: what it meets decides), and of beasts how fast bones are led.
typedef struct ModelDef {
    double density, friction;
    snVec3 travel;
} ModelDef;

// About 0.3 m in size, around the origin.
static inline snBody *newLatticeBody(ModelDef model, const snContext *context)
{
    BlockDef def = blockDef();
    def.n = def.m = def.k = 2;
    def.size = snVec(0.3, 0.2, 0.3);
    def.young = 4e4;
    def.solid.density = 200 * model.density;
    def.solid.friction = model.friction;
    def.solid.meets = def.solid.tied = true;
    return newBlock(&def, context, NULL);
}

static inline snBody *newPolyBody(ModelDef model, const snContext *context)
{
    static Surface surface;
    snPolyDef poly = snDefaultPolyDef();
    snSolidBodyDef def = snDefaultSolidBodyDef();
    poly.surface = boxSurface(&surface, snVec(0.15, 0.1, 0.15));
    poly.density = 200 * model.density;
    def.friction = model.friction;
    snPolyEnergies_Moduli(&(snPolyEnergies){4e4, 4e4}, &poly.young, &poly.poisson);
    def.material = SN_MATERIAL_NONRIGID;
    def.meets = def.tied = true;
    return newPoly(&poly, def, context, NULL);
}

static inline snBody *newCoatBody(ModelDef model, const snContext *context)
{
    static Tree tree;
    snArena arena = snMakeArena(context);
    snCoatDef coat = snDefaultCoatDef();
    snCoatPlan plan;
    snBody *body = NULL;
    memset(&tree, 0, sizeof tree);
    int root = Tree_Add(&tree, "a", -1, snVec(-0.15, 0, 0));
    int next = Tree_Add(&tree, "b", root, snVec(0.15, 0, 0));
    Tree_Add(&tree, "c", next, snVec(0.15, 0, 0));
    coat.flesh.density *= model.density;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    def.friction = model.friction;
    snError error = {0};
    snStatus status = snCoatPlan_Propose(&plan, &tree.skeleton, &coat, &arena, &error);
    if (!status) status = snCoating_Build(&def.owned, &plan, context, &error);
    def.coating = def.owned;
    if (!status) status = snCoatBody_Make(&body, &def, context, &error);
    if (!CHECK(status == SN_OK)) printf("  %s\n", error.message);
    snArena_Destroy(&arena);
    return body;
}

// A ball of skin with air in it.
static inline snBody *newSkinBody(ModelDef model, const snContext *context)
{
    beginSetup();
    makeBallSkin(0.15, 9, 12);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 200.0;
    tissue.mass *= model.density;
    tissue.damping = 0; // by the air, which would take momentum
    fill(&tissue);
    useSetup(0, 1);
    setup.def.pressure = 1e5;
    snSkinBodyDef def = snDefaultSkinBodyDef();
    snBody *body = NULL;
    def.skin = &setup.def;
    def.friction = model.friction;
    def.step = 1.0 / 120;
    def.meets = true;
    CHECK(snSkinBody_Make(&body, &def, context, NULL) == SN_OK);
    endSetup();
    return body;
}

// Where a model's body is put so that its middle is at a place; bumble stands with its back there.
static inline int addModelOf(snWorld *world, Model model, const Bumble *bumble, ModelDef with,
                             snVec3 at)
{
    snBody *body = NULL;
    int number = -1;
    if (model == RIGGED || model == LIMP) {
        snFleshBodyDef def = bumbleDef(bumble, NULL);
        snFleshSkeleton limp = snDefaultFleshSkeleton();
        limp.strength.strength = limp.strength.hand = 0;
        if (model == LIMP) def.skeleton = &limp;
        def.solid.meets = def.solid.tied = true;
        def.solid.friction = with.friction;
        def.travel = with.travel;
        CHECK(snFleshBody_Make(&body, &def, &world->context, NULL) == SN_OK);
    }
    if (model == LATTICE) body = newLatticeBody(with, &world->context);
    if (model == POLY) body = newPolyBody(with, &world->context);
    if (model == COAT) body = newCoatBody(with, &world->context);
    if (model == SKIN) body = newSkinBody(with, &world->context);
    snBox box = boxOf(body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    snAffine place = {snIdentity3(), snSub(at, middle)};
    snBody_Put(body, &place);
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    return number;
}

static inline int addModel(snWorld *world, Model model, const Bumble *bumble, double density,
                           snVec3 at)
{
    return addModelOf(world, model, bumble, (ModelDef){.density = density, .friction = -1}, at);
}

#endif
