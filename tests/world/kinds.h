// Kinds of bodies beside those of models.h: a layered character, whose skin lies on muscles of a limp skeleton, and
// a skin that lies over the flesh of another body; and a smooth body of several resolutions. All of them are put, thrown and measured by the same calls.
#ifndef SN_TESTS_WORLD_KINDS_H
#define SN_TESTS_WORLD_KINDS_H

#include "layered/play.h"
#include "layered/script.h"
#include "tests/world/models.h"

enum { LAYERED = MODELS, OVER, SMOOTH, NEWTON, LINEAR, QUASI, SOFT, KINDS };
static const char *const kindNames[KINDS] = {
    "lattice", "poly",   "rigged", "limp",   "coat",         "skin", "layered",
    "over",    "smooth", "newton", "linear", "quasi-linear", "soft"};

// What kinds are made from.
typedef struct Kinds {
    Bumble bumble[2]; // the second of fewer vertices
    bool coarse;      // beasts are made of that one
    snEditor layered;
} Kinds;

static Kinds kinds;

// A trunk of two muscles on two joints, 0.3 m high.
static const char layeredScript[] =
    "joint add low parent=none at=0,-0.15,0 size=3cm\n"
    "joint add middle at=0,0.15,0 kind=ball size=3cm\n"
    "joint add high at=0,0.15,0 kind=fixed size=3cm\n"
    "muscle add belly joint=low at=0,0.08,0 size=0.08\n"
    "muscle add chest joint=middle at=0,0.07,0 size=0.08\n"
    "skin create bottom=low top=high rows=8 columns=10 gap=5mm\nskin attach\n"
    "skin paint elasticity=100 stiffness=2e4\n";

static inline void makeKinds(void)
{
    snContext context = snDefaultContext();
    snScriptReport report;
    snError error = {0};
    makeLimpBumble(&kinds.bumble[0], 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    makeLimpBumble(&kinds.bumble[1], 30, 1.0 / 120, 3.0 * SN_DEMO_CROWD_EDGE);
    snStatus status = snEditor_Make(&kinds.layered, &context, &error);
    if (!status)
        status =
            snScript_Run(&kinds.layered, layeredScript, strlen(layeredScript), &report, &error);
    if (!CHECK(status == SN_OK)) printf("  %s\n", error.message), exit(1);
}

static inline void freeKinds(void)
{
    snEditor_Destroy(&kinds.layered);
    freeBumble(&kinds.bumble[0]);
    freeBumble(&kinds.bumble[1]);
}

static inline snBody *newLayeredBody(ModelDef model)
{
    snPlayBodyDef def = snDefaultPlayBodyDef();
    snStrength limp = snDefaultStrength();
    snBody *body = NULL;
    snError error = {0};
    limp.strength = limp.hand = 0;
    def.name = "layered";
    def.step = 1.0 / 120;
    def.friction = model.friction;
    def.strength = &limp;
    def.density = 300 * model.density;
    def.play.settle = 0.1;
    def.play.smooth = 0;
    def.mostPoints = 16;
    def.meets = true;
    if (!CHECK(snPlayBody_Make(&body, &kinds.layered.layered, &def, &error) == SN_OK))
        printf("  %s\n", error.message), exit(1);
    return body;
}

#define OVER_FAT 0.01 // m

// Around a block, which has to stay.
static inline snBody *newOverBody(const snBody *flesh, ModelDef model, const snContext *context)
{
    snMesh mesh = {flesh->vertexCount, flesh->triangleCount,
                   (snVec3 *)(uintptr_t)flesh->restSurface, (int *)(uintptr_t)flesh->triangles};
    snSkinUnder under;
    snMesh around;
    snBody *body = NULL;
    snSkinTissue tissue = snDefaultSkinTissue();
    beginSetup();
    CHECK(snSkinUnder_Make(&under, &mesh, 1, &setup.arena, NULL) == SN_OK);
    CHECK(snSkinUnder_Surface(&under, 0.08, OVER_FAT + 0.002, &around, &setup.arena, NULL) ==
          SN_OK);
    memcpy(setup.places, around.positions, (size_t)around.vertexCount * sizeof(snVec3));
    CHECK(snSkinMesh_FromTriangles(&setup.mesh, &around, &setup.arena, NULL) == SN_OK);
    tissue.elasticity = 200.0;
    tissue.fat = OVER_FAT;
    tissue.mass *= model.density;
    tissue.bandStiffness = 2e5;
    tissue.damping = 0;
    fill(&tissue);
    snSkinUnder_Attach(&under, setup.places, INFINITY, around.vertexCount, setup.points);
    setup.def.under = &mesh;
    useSetup(0, 1);
    snSkinBodyDef def = snDefaultSkinBodyDef();
    snError error = {0};
    def.name = "over";
    def.skin = &setup.def;
    def.step = 1.0 / 120;
    def.over = flesh;
    def.presses = def.meets = true;
    def.friction = model.friction;
    if (!CHECK(snSkinBody_Make(&body, &def, context, &error) == SN_OK))
        printf("  %s\n", error.message), exit(1);
    endSetup();
    return body;
}

// A lattice under MacCracken and Joy's scheme whose finer functions come and go.
static inline snBody *newSmoothBody(ModelDef model, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snLattice control = makeBlock(BLOCK_HEXES, 2, 2, 2, snVec(0.34, 0.24, 0.34), &arena);
    snSolidDef solid = snDefaultSolidDef();
    snSolidBodyDef def = blockDef().solid;
    snBody *body = NULL;
    snError error = {0};
    solid.lattice = &control;
    solid.levels = 1;
    solid.mostActive = 60;
    solid.young = 4e4;
    solid.density = 200 * model.density;
    snStatus status = snSolid_Build(&def.solid, &solid, context, &error);
    def.name = "smooth";
    def.density = solid.density;
    def.friction = model.friction;
    def.meets = def.tied = true;
    if (!status) status = snSolidBody_Make(&body, &def, context, &error);
    if (!CHECK(status == SN_OK)) printf("  %s\n", error.message), exit(1);
    snArena_Destroy(&arena);
    return body;
}

// Blocks that find no contacts with others in their own searches: of other solvers, and with contacts that give way.
static inline snBody *newSolvedBody(int kind, ModelDef model, const snContext *context)
{
    BlockDef def = blockDef();
    def.n = def.m = def.k = 2;
    def.size = snVec(0.3, 0.2, 0.3);
    def.young = 4e4;
    def.solid.name = kindNames[kind];
    if (kind == NEWTON) def.solid.solver = SN_SOLVER_NEWTON;
    if (kind == LINEAR || kind == QUASI) def.solid.solver = SN_SOLVER_LINEAR;
    def.solid.soft = kind == SOFT;
    def.solid.turn = kind == QUASI ? SN_TURN_POLAR : SN_TURN_NONE;
    def.solid.density = 200 * model.density;
    def.solid.friction = model.friction;
    def.solid.meets = true;
    return newBlock(&def, context, NULL);
}

// Of these blocks make test has every third pair, make test ALL=1 all.
static inline bool isAskedOf(int a, int b)
{
    return (a < NEWTON && b < NEWTON) || (a + b) % 3 == 0 || snTest_Whole();
}

// A body of a kind, with what it lies over: NULL for all but skins over others.
typedef struct Actor {
    int number;
    snBody *body, *under;
} Actor;

static inline Actor actorOf(snWorld *world, int number)
{
    Actor actor = {.number = number, .body = world->bodies.data[number]};
    if (actor.body->over) actor.under = world->bodies.data[number - 1];
    return actor;
}

static inline void putActor(const Actor *actor, const snAffine *place)
{
    if (actor->under) snBody_Put(actor->under, place);
    snBody_Put(actor->body, place);
}

static inline void throwActor(const Actor *actor, snVec3 velocity)
{
    if (actor->under) snBody_SetVelocity(actor->under, velocity, snVec(0, 0, 0));
    snBody_SetVelocity(actor->body, velocity, snVec(0, 0, 0));
}

// Mass and momentum of all of it.
static inline snBodyMeasure measureActor(const Actor *actor)
{
    snBodyMeasure all, more;
    snBody_Measure(actor->body, &all);
    if (!actor->under) return all;
    snBody_Measure(actor->under, &more);
    all.mass += more.mass;
    all.momentum = snAdd(all.momentum, more.momentum);
    return all;
}

// As it is made.
static inline Actor addKind(snWorld *world, int kind, ModelDef with)
{
    snAffine place = snIdentityAffine();
    int number = -1;
    if (kind == LAYERED) {
        CHECK(snWorld_AddBody(world, newLayeredBody(with), &number, NULL) == SN_OK);
    } else if (kind == SMOOTH) {
        snBody *smooth = newSmoothBody(with, &world->context);
        CHECK(snWorld_AddBody(world, smooth, &number, NULL) == SN_OK);
    } else if (kind >= NEWTON) {
        snBody *solved = newSolvedBody(kind, with, &world->context);
        CHECK(snWorld_AddBody(world, solved, &number, NULL) == SN_OK);
    } else if (kind == OVER) {
        ModelDef below = with;
        snBody *flesh = newLatticeBody(below, &world->context);
        CHECK(snWorld_AddBody(world, flesh, &number, NULL) == SN_OK);
        snBody *skin = newOverBody(flesh, with, &world->context);
        CHECK(snWorld_AddBody(world, skin, &number, NULL) == SN_OK);
    } else {
        const Bumble *bumble = &kinds.bumble[kinds.coarse];
        number = addModelOf(world, (Model)kind, bumble, with, snVec(0, 0, 0));
    }
    Actor actor = actorOf(world, number);
    putActor(&actor, &place);
    return actor;
}

#endif
