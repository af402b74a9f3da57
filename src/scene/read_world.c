// What is around bodies and what happens to them: colliders, attachments, throws, probes.
#include "scene/reader.h"

#include <string.h>

#define MOST 100000

// Memory for the things of a list; NULL where there are none or it fails.
void *snReader_MakeList(snReader *r, const snJsonNode *list, size_t size, int *count)
{
    *count = 0;
    if (r->status || !list || !snJson_Count(list)) return NULL;
    if (snJson_Count(list) > MOST) snReader_Fail(r, list, "has more than %d", MOST);
    void *memory = snArena_Alloc(r->arena, size, (size_t)snJson_Count(list));
    if (!memory) snReader_Take(r, snFailMemory(r->error));
    if (!r->status) *count = snJson_Count(list);
    return memory;
}

// ---- colliders ----------------------------------------------------------------------------------

enum { FLOOR, WALL, BOX, CONTAINER, SPHERE, CAPSULE, MESH, KINDS };
static const char *const kindNames[KINDS] = {"floor",  "wall",    "box", "container",
                                             "sphere", "capsule", "mesh"};

// y of its frame is the wall's normal.
static snAffine wallFrame(snReader *r, const snJsonNode *node)
{
    snVec3 place = {0, 0, 0}, normal = {0, 1, 0};
    snReader_Vector(r, node, "place", SN_QUANTITY_LENGTH, &place);
    snReader_Need(r, node, "normal");
    snReader_Vector(r, node, "normal", SN_QUANTITY_PLAIN, &normal);
    if (!r->status && !(snLength(normal) > 1e-12))
        snReader_Fail(r, snJson_Member(r->json, node, "normal"), "is zero");
    snVec3 unit = snNormalizeOr(normal, snVec(0, 1, 0));
    return (snAffine){snQuatToMat(snQuatBetween(snVec(0, 1, 0), unit)), place};
}

static void readSize(snReader *r, const snJsonNode *node, snVec3 *half)
{
    snVec3 size = {0, 0, 0};
    snReader_Need(r, node, "size");
    snReader_Vector(r, node, "size", SN_QUANTITY_LENGTH, &size);
    if (!r->status && !(size.x > 0 && size.y > 0 && size.z > 0))
        snReader_Fail(r, snJson_Member(r->json, node, "size"), "must be three lengths above 0");
    *half = snScale(0.5, size);
}

static void readRound(snReader *r, const snJsonNode *node, int kind, snCollider *shape)
{
    double length = 0;
    snReader_Need(r, node, "radius");
    snReader_Number(r, node, "radius", (snRange){1e-6, 1e6, SN_QUANTITY_LENGTH}, &shape->radius);
    if (kind != CAPSULE) return;
    snReader_Need(r, node, "length");
    snReader_Number(r, node, "length", (snRange){0, 1e6, SN_QUANTITY_LENGTH}, &length);
    shape->half = snVec(0, 0.5 * length, 0);
}

// Keys that go with a kind, behind those that all have.
static void checkKeys(snReader *r, const snJsonNode *node, int kind)
{
    static const char *const own[KINDS][3] = {
        {"height"}, {"place", "normal"},  {"size"},         {"size"},
        {"radius"}, {"radius", "length"}, {"file", "scale"}};
    const char *keys[16] = {"kind", "name", "friction", "restitution", "hidden", "keys", "loose"};
    int count = 7;
    for (int k = 0; k < 3 && own[kind][k]; k++)
        keys[count++] = own[kind][k];
    if (kind != FLOOR && kind != WALL) {
        keys[count++] = "place";
        keys[count++] = "rotation";
    }
    snReader_Keys(r, node, keys, count);
}

static void readColliderShape(snReader *r, const snJsonNode *node, int kind,
                              snSceneCollider *collider)
{
    static const snColliderKind kinds[KINDS] = {
        SN_COLLIDER_PLANE,  SN_COLLIDER_PLANE,   SN_COLLIDER_BOX,  SN_COLLIDER_PLANE,
        SN_COLLIDER_SPHERE, SN_COLLIDER_CAPSULE, SN_COLLIDER_SHELL};
    snCollider *shape = &collider->def.shape;
    double height = 0, scale = 1;
    *shape = snMakeCollider(kinds[kind]);
    if (kind == FLOOR) {
        snReader_Number(r, node, "height", (snRange){-1e6, 1e6, SN_QUANTITY_LENGTH}, &height);
        shape->end.origin.y = height;
    } else if (kind == WALL) {
        shape->end = wallFrame(r, node);
    } else {
        snReader_Place(r, node, &shape->end);
    }
    if (kind == BOX || kind == CONTAINER) readSize(r, node, &shape->half);
    if (kind == SPHERE || kind == CAPSULE) readRound(r, node, kind, shape);
    if (kind != MESH) return;
    snReader_Number(r, node, "scale", (snRange){1e-6, 1e6, SN_QUANTITY_PLAIN}, &scale);
    snReader_LoadShell(r, snReader_Need(r, node, "file"), scale, &shape->shell);
}

// Along keys, the shape stands in what moves as it was made: floors and walls with their normal.
static void readCollider(snReader *r, const snJsonNode *node, snSceneCollider *collider)
{
    int kind = -1;
    *collider = (snSceneCollider){0};
    if (node->kind != SN_JSON_OBJECT) snReader_Fail(r, node, "must be an object");
    snReader_Need(r, node, "kind");
    snReader_Word(r, node, "kind", kindNames, KINDS, &kind);
    if (r->status) return;
    collider->name = kindNames[kind];
    collider->hidden = kind == FLOOR || kind == WALL || kind == CONTAINER;
    checkKeys(r, node, kind);
    snReader_Text(r, node, "name", &collider->name);
    snReader_Bool(r, node, "hidden", &collider->hidden);
    collider->left = collider->hidden && snJson_Member(r->json, node, "hidden");
    readColliderShape(r, node, kind, collider);
    collider->def.shape.friction = 0.5;
    snReader_Number(r, node, "friction", (snRange){0, 100, SN_QUANTITY_PLAIN},
                    &collider->def.shape.friction);
    snReader_Number(r, node, "restitution", (snRange){0, 1, SN_QUANTITY_PLAIN},
                    &collider->def.shape.restitution);
    snReader_Route(r, node, &collider->route);
    if (collider->route.count &&
        (snJson_Member(r->json, node, "place") || snJson_Member(r->json, node, "rotation") ||
         snJson_Member(r->json, node, "height")))
        snReader_Fail(r, node, "has keys, which say where it is; leave its own place out");
    const snCollider *shape = &collider->def.shape;
    collider->def.name = collider->name;
    collider->container = kind == CONTAINER;
    collider->box = (snContainerDef){.name = collider->name,
                                     .frame = shape->end,
                                     .half = shape->half,
                                     .friction = shape->friction,
                                     .restitution = shape->restitution};
}

// Something must be able to bounce where a collider lets it.
static void checkTouching(snReader *r, const snJsonNode *list)
{
    const snSceneFile *scene = snReader_Scene(r);
    bool bounces = false;
    for (int i = 0; i < scene->bodyCount && !r->status && scene->colliderCount; i++) {
        const snSolidBodyDef *def = &scene->bodies[i].solid;
        bounces |= !def->soft && !def->apart && def->solver != SN_SOLVER_NEWTON;
    }
    for (int i = 0; i < scene->colliderCount && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        if (scene->colliders[i].def.shape.restitution > 0 && !bounces)
            snReader_Fail(r, snJson_Member(r->json, node, "restitution"),
                          "no body of the scene bounces: contacts of all give way, or they have "
                          "none; leave it out, or let one be exact");
    }
}

void snReader_Colliders(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    int planes = 0;
    scene->colliders = snReader_MakeList(r, list, sizeof *scene->colliders, &scene->colliderCount);
    for (int i = 0; i < scene->colliderCount && !r->status; i++) {
        readCollider(r, snJson_At(r->json, list, i), &scene->colliders[i]);
        planes += scene->colliders[i].container ? 6 : 1;
    }
    if (planes > 256) snReader_Fail(r, list, "are %d surfaces to bump into; 256 are most", planes);
    checkTouching(r, list);
}

// ---- points of bodies ---------------------------------------------------------------------------

static void readBodyName(snReader *r, const snJsonNode *node, int *body)
{
    const snNames bodies = snReader_BodyNames(r);
    const snJsonNode *name = snReader_Need(r, node, "body");
    *body = snReader_FindName(r, name, "body", snReader_TextOf(r, name), &bodies);
}

static void readWithin(snReader *r, const snJsonNode *object, snBox *box)
{
    static const char *const keys[] = {"lower", "upper"};
    const snJsonNode *node = snReader_Object(r, object, "within");
    if (!node) return;
    snReader_Keys(r, node, keys, 2);
    snReader_Box(r, node, box);
}

// "body", and one of "point", "vertex", "near", and "within" where several points are meant.
void snReader_Spot(snReader *r, const snJsonNode *node, bool several, snSceneSpot *spot)
{
    static const char *const kinds[] = {"point", "vertex", "near", "within"};
    int count = several ? 4 : 3, found = -1;
    *spot = (snSceneSpot){0};
    readBodyName(r, node, &spot->body);
    for (int k = 0; k < count; k++) {
        if (!snJson_Member(r->json, node, kinds[k])) continue;
        if (found >= 0)
            snReader_Fail(r, node, "has \"%s\" and \"%s\"; one of them does", kinds[found],
                          kinds[k]);
        found = k;
    }
    if (found < 0)
        snReader_Fail(r, node, "does not say which point: \"point\", \"vertex\"%s \"near\"%s",
                      several ? "," : " or", several ? " or \"within\"" : "");
    if (r->status) return;
    spot->kind = (snSceneSpotKind)found;
    if (found == SN_SPOT_VERTEX) snReader_Int(r, node, "vertex", 0, 1 << 30, &spot->vertex);
    if (found == SN_SPOT_WITHIN) readWithin(r, node, &spot->box);
    if (found == SN_SPOT_POINT || found == SN_SPOT_NEAR)
        snReader_Vector(r, node, kinds[found], SN_QUANTITY_LENGTH, &spot->place);
}

// ---- attachments --------------------------------------------------------------------------------

bool snReader_Spring(snReader *r, const snJsonNode *object, double *stiffness, double *damping)
{
    static const char *const keys[] = {"stiffness", "damping"};
    const snJsonNode *node = snReader_Object(r, object, "spring");
    if (!node || r->status) return false;
    snReader_Keys(r, node, keys, 2);
    snReader_Need(r, node, "stiffness");
    snReader_Number(r, node, "stiffness", (snRange){0, 1e12, SN_QUANTITY_PLAIN}, stiffness);
    snReader_Number(r, node, "damping", (snRange){0, 1e12, SN_QUANTITY_PLAIN}, damping);
    return true;
}

static void readSpring(snReader *r, const snJsonNode *object, snAttachmentDef *def)
{
    def->hard = !snReader_Spring(r, object, &def->stiffness, &def->damping);
}

// Whether points of a body may be held to others hard.
void snReader_CheckTie(snReader *r, const snJsonNode *node, int body)
{
    const snSolidBodyDef *def = &snReader_Scene(r)->bodies[body].solid;
    if (r->status) return;
    if (!snSceneBody_Ties(&snReader_Scene(r)->bodies[body]))
        snReader_Fail(r, node,
                      "body \"%.60s\" has %s, in which points are held together by "
                      "nothing but a \"spring\"; give one, or take the integrator \"euler\"",
                      def->name,
                      def->integrator > SN_INTEGRATOR_MIDPOINT ? "explicit steps"
                                                               : "the midpoint rule with newton");
}

// Steps of bodies that hang together are found together: by one rule.
void snReader_CheckRules(snReader *r, const snJsonNode *node, int a, int b)
{
    const snSceneBody *first = &snReader_Scene(r)->bodies[a],
                      *second = &snReader_Scene(r)->bodies[b];
    if (r->status || !snSceneBody_Ties(first) || !snSceneBody_Ties(second)) return;
    if (first->solid.integrator != second->solid.integrator)
        snReader_Fail(r, node,
                      "bodies \"%.60s\" and \"%.60s\" are held together and have different "
                      "integrators; give them the same in their \"solver\"",
                      first->solid.name, second->solid.name);
}

static void readOther(snReader *r, const snJsonNode *object, snSceneAttachment *a)
{
    static const char *const keys[] = {"body", "point", "vertex", "near"};
    const snJsonNode *node = snReader_Object(r, object, "to");
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 4);
    snReader_Spot(r, node, false, &a->other);
    a->def.other = a->other.body;
    if (r->status) return;
    if (a->def.hard) {
        snReader_CheckTie(r, node, a->spot.body);
        snReader_CheckTie(r, node, a->other.body);
    }
    snReader_CheckRules(r, node, a->spot.body, a->other.body);
    if (a->def.anchored || a->route.count)
        snReader_Fail(r, object,
                      "goes \"to\" a point of a body; then it has neither \"at\" nor keys");
    if (a->spot.kind == SN_SPOT_WITHIN)
        snReader_Fail(r, object, "bodies are joined at one point each, not \"within\"");
}

static void readAttachment(snReader *r, const snJsonNode *node, snSceneAttachment *a)
{
    static const char *const keys[] = {"name",  "body", "point",   "vertex", "near",   "within",
                                       "at",    "keys", "loose",   "to",     "spring", "from",
                                       "until", "ease", "preroll", "off"};
    const snRange time = {0, 1e9, SN_QUANTITY_TIME};
    *a = (snSceneAttachment){.def = snDefaultAttachmentDef()};
    snReader_Keys(r, node, keys, (int)(sizeof keys / sizeof *keys));
    snReader_Text(r, node, "name", &a->def.name);
    snReader_Spot(r, node, true, &a->spot);
    a->def.body = a->spot.body;
    a->def.anchored = snJson_Member(r->json, node, "at") != NULL;
    snReader_Vector(r, node, "at", SN_QUANTITY_LENGTH, &a->def.anchor);
    snReader_Route(r, node, &a->route);
    if (a->def.anchored && a->route.count)
        snReader_Fail(r, node, "has \"at\" and \"keys\"; one of them does");
    readSpring(r, node, &a->def);
    readOther(r, node, a);
    snReader_Number(r, node, "from", time, &a->def.from);
    snReader_Number(r, node, "until", time, &a->def.to);
    snReader_Number(r, node, "ease", (snRange){0, 100, SN_QUANTITY_TIME}, &a->def.ease);
    snReader_Number(r, node, "preroll", (snRange){0, 1e6, SN_QUANTITY_TIME}, &a->def.preroll);
    snReader_Bool(r, node, "off", &a->def.off);
    if (a->def.preroll > 0 && a->def.other != SN_WORLD_NOBODY)
        snReader_Fail(r, snJson_Member(r->json, node, "preroll"),
                      "is for points that go to a place or along keys");
    if (!r->status && !(a->def.to >= a->def.from))
        snReader_Fail(r, snJson_Member(r->json, node, "until"), "is before it begins, at %g s",
                      a->def.from);
}

void snReader_Attachments(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    scene->attachments =
        snReader_MakeList(r, list, sizeof *scene->attachments, &scene->attachmentCount);
    for (int i = 0; i < scene->attachmentCount && !r->status; i++)
        readAttachment(r, snJson_At(r->json, list, i), &scene->attachments[i]);
}

// ---- throws and probes --------------------------------------------------------------------------

void snReader_Throws(snReader *r, const snJsonNode *list)
{
    static const char *const keys[] = {"body", "time", "velocity", "spin"};
    snSceneFile *scene = snReader_Scene(r);
    scene->throws = snReader_MakeList(r, list, sizeof *scene->throws, &scene->throwCount);
    for (int i = 0; i < scene->throwCount && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snThrowDef *t = &scene->throws[i];
        snReader_Keys(r, node, keys, 4);
        readBodyName(r, node, &t->body);
        snReader_Number(r, node, "time", (snRange){0, 1e9, SN_QUANTITY_TIME}, &t->time);
        snReader_Vector(r, node, "velocity", SN_QUANTITY_LENGTH, &t->velocity);
        snReader_Vector(r, node, "spin", SN_QUANTITY_ANGLE, &t->spin);
    }
}

static const char *probeAt(const void *probes, int i)
{
    return ((const snSceneProbe *)probes)[i].name;
}

void snReader_Probes(snReader *r, const snJsonNode *list)
{
    static const char *const keys[] = {"name", "body", "point", "vertex", "near"};
    snSceneFile *scene = snReader_Scene(r);
    scene->probes = snReader_MakeList(r, list, sizeof *scene->probes, &scene->probeCount);
    for (int i = 0; i < scene->probeCount && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snSceneProbe *probe = &scene->probes[i];
        snReader_Keys(r, node, keys, 5);
        snReader_Need(r, node, "name");
        snReader_Text(r, node, "name", &probe->name);
        snReader_Spot(r, node, false, &probe->spot);
    }
    const snNames names = {scene->probeCount, probeAt, scene->probes};
    snReader_CheckNames(r, list, "probes", &names);
}
