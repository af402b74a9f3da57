// Bodies: what they are made of, where they begin.
#include "scene/reader.h"

#include <string.h>

#define MOST_BODIES 10000

// ---- a body -------------------------------------------------------------------------------------

void snReader_Stiffness(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    snKeyList keys;
    snReader_KeyList(r, snReader_List(r, node, "stiffness"), 1,
                     (snRange){1e-3, 1e3, SN_QUANTITY_PLAIN}, &keys);
    body->stiffnessCount = keys.count;
    body->stiffnessTimes = keys.times;
    body->stiffnessFactors = keys.values;
}

// Finer functions come and go: by a target error, or by thresholds of strain.
static void readAdaptive(snReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const keys[] = {"error", "refine", "coarsen", "functions", "every"};
    const snJsonNode *node = snReader_Object(r, body, "adaptive");
    snAdaptDef *adapt = &out->solid.adapt;
    double refine = adapt->refine[0], coarsen = adapt->coarsen[0];
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 5);
    bool strain = snJson_Member(r->json, node, "refine") || snJson_Member(r->json, node, "coarsen");
    if (strain && snJson_Member(r->json, node, "error"))
        snReader_Fail(r, node, "has an \"error\" and thresholds of strain; one of them does");
    adapt->error = strain ? 0 : 0.01;
    adapt->every = 8;
    adapt->mostChanges = SN_MOST_CHANGES;
    out->mostActive = 300;
    snReader_Number(r, node, "error", (snRange){1e-6, 1, SN_QUANTITY_PLAIN}, &adapt->error);
    snReader_Number(r, node, "refine", (snRange){0, 10, SN_QUANTITY_PLAIN}, &refine);
    snReader_Number(r, node, "coarsen", (snRange){0, 10, SN_QUANTITY_PLAIN}, &coarsen);
    snReader_Int(r, node, "functions", 1, 2000, &out->mostActive);
    snReader_Int(r, node, "every", 1, 1000, &adapt->every);
    if (!r->status && coarsen > refine)
        snReader_Fail(r, node, "\"coarsen\" must not be above \"refine\"");
    for (int level = 0; level < SN_DETAIL_LEVELS; level++) {
        adapt->refine[level] = refine * (1 << level);
        adapt->coarsen[level] = coarsen * (1 << level);
    }
    if (out->levels < 1 || out->levels > SN_DETAIL_LEVELS)
        snReader_Fail(r, node, "needs \"levels\" of 1 to %d: the functions that come and go",
                      SN_DETAIL_LEVELS);
    if (out->solid.solver != SN_SOLVER_PROJECTIVE || out->solid.precision != SN_PRECISION_DOUBLE)
        snReader_Fail(r, node, "goes with the solver projective in double precision");
}

static void readName(snReader *r, const snJsonNode *node, int number)
{
    snSceneFile *scene = snReader_Scene(r);
    const char **name = &scene->bodies[number].solid.name;
    snReader_Need(r, node, "name");
    snReader_Text(r, node, "name", name);
    if (r->status) return;
    if (!**name) snReader_Fail(r, snJson_Member(r->json, node, "name"), "is empty");
}

// Levels of detail; layered characters have theirs in real time alone.
static void readDetail(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    bool other = snJson_Member(r->json, node, "coat") || snJson_Member(r->json, node, "skin") ||
                 snJson_Member(r->json, node, "layered");
    snReader_Bool(r, node, "detail", &body->solid.detail);
    if (!r->status && other && body->solid.detail)
        snReader_Fail(r, snJson_Member(r->json, node, "detail"),
                      "goes with solids and characters; layered characters have levels under "
                      "--realtime alone, coats and skins none; leave it out");
}

static void readBody(snReader *r, const snJsonNode *node, int number)
{
    static const char *const keys[] = {
        "name",      "box",    "lattice",   "mesh",  "scheme",   "levels",   "quadrature",
        "material",  "solver", "contact",   "place", "rotation", "velocity", "spin",
        "stiffness", "color",  "adaptive",  "poly",  "sphere",   "pyramid",  "cylinder",
        "capsule",   "tube",   "character", "coat",  "layered",  "skin",     "detail"};
    static const float colors[4][3] = {
        {0.78f, 0.33f, 0.22f}, {0.24f, 0.45f, 0.72f}, {0.35f, 0.6f, 0.28f}, {0.8f, 0.58f, 0.2f}};
    snSceneBody *body = &snReader_Scene(r)->bodies[number];
    int scheme = SN_SCHEME_TRILINEAR;
    const char *names[SN_SCHEME_COUNT];
    for (int i = 0; i < SN_SCHEME_COUNT; i++)
        names[i] = snScheme_Name((snScheme)i);
    *body = (snSceneBody){.solid = snDefaultSolidBodyDef(), .place = snIdentityAffine()};
    memcpy(body->color, colors[number % 4], sizeof body->color);
    body->solid.step = snReader_Scene(r)->step;
    snReader_Keys(r, node, keys, (int)(sizeof keys / sizeof *keys));
    readName(r, node, number);
    readDetail(r, node, body);
    if (snJson_Member(r->json, node, "coat")) {
        snReader_Coat(r, node, body);
        return;
    }
    if (snJson_Member(r->json, node, "skin")) {
        snReader_Skin(r, node, body);
        return;
    }
    if (snJson_Member(r->json, node, "layered")) {
        snReader_Layered(r, node, body);
        return;
    }
    snReader_Poly(r, node, body);
    snReader_Shape(r, node, body);
    if (body->character) snReader_CheckCharacter(r, node, body);
    snReader_Word(r, node, "scheme", names, SN_SCHEME_COUNT, &scheme);
    body->scheme = (snScheme)scheme;
    snReader_Int(r, node, "levels", 0, 4, &body->levels);
    snReader_Int(r, node, "quadrature", body->levels + 1, 6, &body->nodeLevel);
    if (snSceneBody_IsAutomatic(body) && (scheme || body->levels))
        snReader_Fail(r, node,
                      "an automatic lattice is of tets, whose functions are linear: \"scheme\" and "
                      "\"levels\" go with a box, a lattice, or a mesh in a \"grid\"");
    snReader_Material(r, snReader_Object(r, node, "material"), body);
    snReader_Solver(r, node, body);
    snReader_Place(r, node, &body->place);
    snReader_Vector(r, node, "velocity", SN_QUANTITY_LENGTH, &body->velocity);
    snReader_Vector(r, node, "spin", SN_QUANTITY_ANGLE, &body->spin);
    snReader_Stiffness(r, node, body);
    readAdaptive(r, node, body);
    snReader_Color(r, node, "color", body->color);
    body->painted = snJson_Member(r->json, node, "color") != NULL;
    if (body->painted) body->colors = NULL;
    snReader_CheckSolver(r, node, body);
    snReader_CheckPoly(r, node, body);
}

static const char *bodyAt(const void *bodies, int i)
{
    return ((const snSceneBody *)bodies)[i].solid.name;
}

snNames snReader_BodyNames(const snReader *r)
{
    return (snNames){snReader_Scene(r)->bodyCount, bodyAt, snReader_Scene(r)->bodies};
}

void snReader_Bodies(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    int count = snJson_Count(list);
    if (r->status) return;
    if (!count || count > MOST_BODIES)
        snReader_Fail(r, list, "has %d bodies; there must be one to %d", count, MOST_BODIES);
    scene->bodies = SN_NEW(r->arena, snSceneBody, count);
    if (!scene->bodies) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++) {
        scene->bodyCount = i + 1;
        readBody(r, snJson_At(r->json, list, i), i);
    }
    const snNames names = snReader_BodyNames(r);
    snReader_CheckNames(r, list, "bodies", &names);
}
