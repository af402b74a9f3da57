// Scenes by definitions (include/sinew/scene.h): a definition is written as the text of a scene, and that is loaded. So there is one
// way from a scene to a world, one set of ranges, and one kind of messages. Meshes that are given as arrays are files of the hook.
#include "api/scene_check.h"

#include "asset/json_number.h"
#include "asset/json_write.h"
#include "core/check.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define DEGREES 57.29577951308232

snBodyDef snDefaultBodyDef(void)
{
    return (snBodyDef){.shape = {.size = {0.3, 0.3, 0.3}, .radius = 0.15, .length = 0.3},
                       .cells = 60,
                       .order = 2,
                       .young = 1e5,
                       .poisson = 0.4,
                       .density = 1000,
                       .damping = 5e-3,
                       .friction = -1,
                       .place = {.rotation = {0, 0, 0, 1}}};
}

snColliderDef snDefaultColliderDef(void)
{
    return (snColliderDef){
        .shape = {.kind = SN_FORM_FLOOR, .size = {1, 1, 1}, .radius = 0.5, .length = 1},
        .place = {.rotation = {0, 0, 0, 1}},
        .friction = 0.5};
}

snHoldDef snDefaultHoldDef(void)
{
    return (snHoldDef){.other = -1, .to = INFINITY};
}

snSceneDef snDefaultSceneDef(void)
{
    return (snSceneDef){.step = 1.0 / 120,
                        .gravity = {0, -9.81, 0},
                        .touching = true,
                        .stillFor = 0.5,
                        .airDensity = 1.2};
}

// ---- parts of the text ----------------------------------------------------------------------------------

static void putPlace(snJsonWriter *w, const snPlacement *place)
{
    const double *q = place->rotation;
    double none = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    snJsonWriter_PutDoubles(w, "place", place->position, 3);
    if (none > 0) snJsonWriter_PutDoubles(w, "rotation", q, 4);
}

static void putName(snJsonWriter *w, const char *key, const char *name, int number)
{
    char made[32];
    snprintf(made, sizeof made, "body %d", number);
    snJsonWriter_PutString(w, key, name ? name : made);
}

static void putFile(snJsonWriter *w, const snFormDef *shape, const char *owner, int number)
{
    char made[48];
    snprintf(made, sizeof made, "#%s%d.obj", owner, number);
    snJsonWriter_PutString(w, "file", shape->vertexCount ? made : shape->file ? shape->file : "");
}

// A box has cells along its sides, as even as they can be, other shapes so many in all.
static void putBox(snJsonWriter *w, const snBodyDef *def)
{
    const double *s = def->shape.size;
    double volume = s[0] * s[1] * s[2], edge = cbrt(volume / (def->cells > 0 ? def->cells : 1));
    snJsonWriter_Key(w, "box");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDoubles(w, "size", s, 3);
    if (def->model != SN_MODEL_POLY) {
        snJsonWriter_Key(w, "cells");
        snJsonWriter_BeginLine(w);
        for (int k = 0; k < 3; k++) {
            double count = edge > 0 ? floor(s[k] / edge + 0.5) : 1;
            snJsonWriter_Int(w, count >= 1 && count < 1e4 ? (int)count : 1);
        }
        snJsonWriter_EndArray(w);
    }
    snJsonWriter_EndObject(w);
}

static void putShape(snJsonWriter *w, const snBodyDef *def, int number)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    const snFormDef *s = &def->shape;
    if (s->kind == SN_FORM_BOX) {
        putBox(w, def);
        return;
    }
    snJsonWriter_Key(w, names[s->kind]);
    snJsonWriter_BeginObject(w);
    if (s->kind == SN_FORM_MESH)
        putFile(w, s, "body", number);
    else
        snJsonWriter_PutDouble(w, "radius", s->radius);
    if (s->kind == SN_FORM_CYLINDER || s->kind == SN_FORM_CAPSULE)
        snJsonWriter_PutDouble(w, "length", s->length);
    if (def->model == SN_MODEL_LATTICE) snJsonWriter_PutInt(w, "cells", def->cells);
    snJsonWriter_EndObject(w);
}

static void putContact(snJsonWriter *w, const snBodyDef *def)
{
    snJsonWriter_Key(w, "contact");
    if (def->passes) {
        snJsonWriter_Bool(w, false);
        return;
    }
    snJsonWriter_BeginObject(w);
    if (def->friction >= 0) snJsonWriter_PutDouble(w, "friction", def->friction);
    if (def->restitution > 0) snJsonWriter_PutDouble(w, "restitution", def->restitution);
    snJsonWriter_EndObject(w);
}

static void putSolid(snJsonWriter *w, const snBodyDef *def, int number)
{
    putShape(w, def, number);
    if (def->model == SN_MODEL_LATTICE && def->shape.kind == SN_FORM_BOX)
        snJsonWriter_PutInt(w, "quadrature", 1); // the quickest
    if (def->model == SN_MODEL_POLY) {
        snJsonWriter_Key(w, "poly");
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutInt(w, "order", def->order);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_Key(w, "material");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "young", def->young);
    snJsonWriter_PutDouble(w, "poisson", def->poisson);
    snJsonWriter_PutDouble(w, "density", def->density);
    snJsonWriter_PutDouble(w, "damping", def->damping);
    snJsonWriter_EndObject(w);
    putContact(w, def);
}

// Bodies that a file describes.
static void putDocument(snJsonWriter *w, const snBodyDef *def, const char *key)
{
    snJsonWriter_Key(w, key);
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "file", def->file ? def->file : "");
    if (def->model == SN_MODEL_CHARACTER) {
        snJsonWriter_PutInt(w, "cells", def->cells);
        if (def->clip) snJsonWriter_PutString(w, "clip", def->clip);
        if (def->posed) snJsonWriter_PutBool(w, "posed", true);
        if (def->height != 0) snJsonWriter_PutDouble(w, "height", def->height);
    }
    snJsonWriter_EndObject(w);
}

static void putMotion(snJsonWriter *w, const snBodyDef *def)
{
    double spin[3];
    for (int k = 0; k < 3; k++)
        spin[k] = DEGREES * def->spin[k];
    snJsonWriter_PutDoubles(w, "velocity", def->velocity, 3);
    snJsonWriter_PutDoubles(w, "spin", spin, 3);
}

static void putBody(snJsonWriter *w, const snSceneDef *scene, int number)
{
    const snBodyDef *def = &scene->bodies[number];
    bool solid = def->model == SN_MODEL_LATTICE || def->model == SN_MODEL_POLY;
    snJsonWriter_BeginObject(w);
    putName(w, "name", def->name, number);
    if (solid) putSolid(w, def, number);
    if (def->model == SN_MODEL_COAT) putDocument(w, def, "coat");
    if (def->model == SN_MODEL_CHARACTER) putDocument(w, def, "character");
    if (def->model == SN_MODEL_LAYERED) putDocument(w, def, "layered");
    if (def->model == SN_MODEL_SKIN) {
        bool there = def->over >= 0 && def->over < number;
        snJsonWriter_Key(w, "skin");
        snJsonWriter_BeginObject(w);
        putName(w, "over", there ? scene->bodies[def->over].name : NULL, def->over);
        snJsonWriter_EndObject(w);
    } else {
        putPlace(w, &def->place);
    }
    if (def->detail) snJsonWriter_PutBool(w, "detail", true);
    if (solid || def->model == SN_MODEL_COAT) putMotion(w, def);
    snJsonWriter_EndObject(w);
}

static void putCollider(snJsonWriter *w, const snColliderDef *def, int number)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "capsule", "mesh", "floor"};
    const snFormDef *s = &def->shape;
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "kind", names[s->kind]);
    if (def->name) snJsonWriter_PutString(w, "name", def->name);
    if (s->kind == SN_FORM_BOX) snJsonWriter_PutDoubles(w, "size", s->size, 3);
    if (s->kind == SN_FORM_BALL || s->kind == SN_FORM_CAPSULE)
        snJsonWriter_PutDouble(w, "radius", s->radius);
    if (s->kind == SN_FORM_CAPSULE) snJsonWriter_PutDouble(w, "length", s->length);
    if (s->kind == SN_FORM_MESH) putFile(w, s, "collider", number);
    if (s->kind == SN_FORM_FLOOR)
        snJsonWriter_PutDouble(w, "height", s->height);
    else
        putPlace(w, &def->place);
    snJsonWriter_PutDouble(w, "friction", def->friction);
    if (def->restitution > 0) snJsonWriter_PutDouble(w, "restitution", def->restitution);
    snJsonWriter_EndObject(w);
}

static void putBodyName(snJsonWriter *w, const snSceneDef *scene, int body)
{
    bool there = body >= 0 && body < scene->bodyCount;
    putName(w, "body", there ? scene->bodies[body].name : NULL, body);
}

static void putHold(snJsonWriter *w, const snSceneDef *scene, const snHoldDef *def)
{
    snJsonWriter_BeginObject(w);
    if (def->name) snJsonWriter_PutString(w, "name", def->name);
    putBodyName(w, scene, def->body);
    snJsonWriter_PutDoubles(w, "point", def->point, 3);
    if (def->placed) snJsonWriter_PutDoubles(w, "at", def->at, 3);
    if (def->other >= 0) {
        snJsonWriter_Key(w, "to");
        snJsonWriter_BeginObject(w);
        putBodyName(w, scene, def->other);
        snJsonWriter_PutDoubles(w, "point", def->otherPoint, 3);
        snJsonWriter_EndObject(w);
    }
    if (def->stiffness > 0) {
        snJsonWriter_Key(w, "spring");
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutDouble(w, "stiffness", def->stiffness);
        snJsonWriter_PutDouble(w, "damping", def->damping);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_PutDouble(w, "from", def->from);
    if (def->to < 1e9) snJsonWriter_PutDouble(w, "until", def->to);
    if (def->off) snJsonWriter_PutBool(w, "off", true);
    snJsonWriter_EndObject(w);
}

static void putField(snJsonWriter *w, const snFieldDef *def)
{
    static const char *const names[] = {"uniform", "radial", "vortex", "turbulence"};
    const char *key = def->air ? "wind" : "acceleration";
    bool round = def->kind == SN_FIELD_RADIAL || def->kind == SN_FIELD_VORTEX;
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "kind", names[def->kind]);
    if (def->kind == SN_FIELD_UNIFORM)
        snJsonWriter_PutDoubles(w, key, def->value, 3);
    else
        snJsonWriter_PutDouble(w, key, def->strength);
    if (round) snJsonWriter_PutDoubles(w, "center", def->center, 3);
    if (round) snJsonWriter_PutDouble(w, "radius", def->radius);
    if (def->kind == SN_FIELD_VORTEX) snJsonWriter_PutDoubles(w, "axis", def->value, 3);
    if (def->kind == SN_FIELD_TURBULENCE) {
        snJsonWriter_PutDouble(w, "scale", def->scale);
        snJsonWriter_PutDouble(w, "period", def->period);
        snJsonWriter_PutInt(w, "seed", def->seed);
    }
    snJsonWriter_PutDouble(w, "from", def->from);
    if (def->to < 1e6) snJsonWriter_PutDouble(w, "until", def->to);
    snJsonWriter_EndObject(w);
}

// ---- the text -------------------------------------------------------------------------------------------

static void putWorld(snJsonWriter *w, const snSceneDef *def)
{
    snJsonWriter_PutString(w, "sinew", "scene");
    snJsonWriter_PutInt(w, "version", 1);
    snJsonWriter_PutDouble(w, "step", def->step);
    snJsonWriter_PutDouble(w, "duration", 10);
    snJsonWriter_PutDoubles(w, "gravity", def->gravity, 3);
    snJsonWriter_PutBool(w, "bodiesTouch", def->touching);
    snJsonWriter_Key(w, "air");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "density", def->airDensity);
    snJsonWriter_EndObject(w);
    if (!(def->still > 0)) return;
    snJsonWriter_Key(w, "sleep");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "still", def->still);
    snJsonWriter_PutDouble(w, "after", def->stillFor);
    snJsonWriter_EndObject(w);
}

static void beginList(snJsonWriter *w, const char *key)
{
    snJsonWriter_Key(w, key);
    snJsonWriter_BeginArray(w);
}

static void writeText(const snSceneDef *def, snBytes *text)
{
    snJsonWriter w = snMakeJsonWriter(text, true);
    snJsonWriter_BeginObject(&w);
    putWorld(&w, def);
    beginList(&w, "bodies");
    for (int i = 0; i < def->bodyCount; i++)
        putBody(&w, def, i);
    snJsonWriter_EndArray(&w);
    beginList(&w, "colliders");
    for (int i = 0; i < def->colliderCount; i++)
        putCollider(&w, &def->colliders[i], i);
    snJsonWriter_EndArray(&w);
    beginList(&w, "attachments");
    for (int i = 0; i < def->holdCount; i++)
        putHold(&w, def, &def->holds[i]);
    snJsonWriter_EndArray(&w);
    beginList(&w, "fields");
    for (int i = 0; i < def->fieldCount; i++)
        putField(&w, &def->fields[i]);
    snJsonWriter_EndArray(&w);
    snJsonWriter_EndObject(&w);
}

snStatus snWorld_WriteScene(const snSceneDef *def, char **out, size_t *size,
                            const snContext *context, snError *error)
{
    snStatus status = snCheckPointer("text", out, error);
    if (out) *out = NULL;
    if (!status) status = snCheckPointer("size", size, error);
    if (!status) status = snCheckContext(context, error);
    if (!status) status = snSceneDef_Check(def, error);
    if (status) return status;
    snBytes text = snMakeBytes(context);
    writeText(def, &text);
    snBytes_AppendByte(&text, 0);
    status = snBytes_Check(&text, error);
    if (!status) {
        *out = context->allocator.allocate(context->allocator.user, text.size);
        if (*out) memcpy(*out, text.data, text.size);
        *size = text.size - 1;
        if (!*out) status = snFailMemory(error);
    }
    snBytes_Destroy(&text);
    return status;
}

// ---- meshes as files --------------------------------------------------------------------------------------

typedef struct Files {
    const snSceneDef *def;
    const snFileHook *hook; // or NULL
    snBytes mesh;           // one at a time
} Files;

static void putNumbers(snBytes *out, char kind, const float *p, const int *c)
{
    char number[SN_NUMBER_CHARS];
    snBytes_AppendByte(out, (uint8_t)kind);
    for (int k = 0; k < 3; k++) {
        int length =
            p ? snFormatFloat(number, p[k]) : snprintf(number, sizeof number, "%d", c[k] + 1);
        snBytes_AppendByte(out, ' ');
        snBytes_Append(out, number, (size_t)length);
    }
    snBytes_AppendByte(out, '\n');
}

// The shape that "#body3.obj" stands for.
static const snFormDef *findShape(const snSceneDef *def, const char *path)
{
    char name[48];
    for (int i = 0; i < def->bodyCount + def->colliderCount; i++) {
        bool body = i < def->bodyCount;
        int number = body ? i : i - def->bodyCount;
        snprintf(name, sizeof name, "#%s%d.obj", body ? "body" : "collider", number);
        if (!strcmp(name, path))
            return body ? &def->bodies[number].shape : &def->colliders[number].shape;
    }
    return NULL;
}

static const void *openFile(void *user, const char *path, size_t *size)
{
    Files *files = user;
    const snFormDef *shape = path[0] == '#' ? findShape(files->def, path) : NULL;
    if (!shape)
        return files->hook && files->hook->open ? files->hook->open(files->hook->user, path, size)
                                                : NULL;
    files->mesh.size = 0;
    for (int v = 0; v < shape->vertexCount; v++)
        putNumbers(&files->mesh, 'v', shape->positions + 3 * (size_t)v, NULL);
    for (int t = 0; t < shape->triangleCount; t++)
        putNumbers(&files->mesh, 'f', NULL, shape->triangles + 3 * (size_t)t);
    *size = files->mesh.size;
    return files->mesh.failed ? NULL : files->mesh.data;
}

static void closeFile(void *user, const void *bytes)
{
    Files *files = user;
    if (bytes != files->mesh.data && files->hook && files->hook->close)
        files->hook->close(files->hook->user, bytes);
}

snStatus snWorld_Build(snWorld **world, const snSceneDef *def, const snFileHook *hook,
                       const snContext *context, snError *error)
{
    char *text;
    size_t size;
    snStatus status = snCheckPointer("world", world, error);
    if (status) return status;
    *world = NULL;
    status = snCheckContext(context, error);
    if (status) return status;
    Files files = {.def = def, .hook = hook, .mesh = snMakeBytes(context)};
    snFileHook both = {.open = openFile, .close = closeFile, .user = &files};
    status = snWorld_WriteScene(def, &text, &size, context, error);
    if (!status) {
        status = snWorld_Load(world, text, size, &both, context, error);
        context->allocator.release(context->allocator.user, text);
    }
    if (status && files.mesh.failed)
        status = snFailMemory(error); // a mesh of ours is a file that is there
    snBytes_Destroy(&files.mesh);
    return status;
}
