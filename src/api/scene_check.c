// What a definition of a scene has that its text could not say: numbers that are none, kinds that are not there, lists that are missing. Ranges
// that the text can break are the reader's (scene/read.c), with its messages.
#include "api/scene_check.h"

#include "core/check.h"

static snStatus checkShape(const snFormDef *shape, snError *error)
{
    const double lengths[] = {shape->radius, shape->length, shape->height};
    snStatus status = snCheckIndex("kind of shape", (int)shape->kind, SN_FORM_FLOOR + 1, error);
    if (!status) status = snCheckNumbers("size", 3, shape->size, error);
    if (!status) status = snCheckNumbers("radius, length, height", 3, lengths, error);
    if (status || shape->kind != SN_FORM_MESH) return status;
    status = snCheckRange("vertexCount", shape->vertexCount, 0, 1e9, error);
    if (!status) status = snCheckRange("triangleCount", shape->triangleCount, 0, 1e9, error);
    if (status || !shape->vertexCount) return status;
    status = snCheckPointer("positions", shape->positions, error);
    if (!status) status = snCheckPointer("triangles", shape->triangles, error);
    for (size_t k = 0; k < 3 * (size_t)shape->vertexCount && !status; k++)
        if (!isfinite(shape->positions[k]))
            status = snFail(error, SN_ERROR_ARGUMENT, "positions[%zu] is %g; it must be finite", k,
                            (double)shape->positions[k]);
    for (size_t k = 0; k < 3 * (size_t)shape->triangleCount && !status; k++)
        status = snCheckIndex("vertex", shape->triangles[k], shape->vertexCount, error);
    return status;
}

static snStatus checkBody(const snBodyDef *def, snError *error)
{
    const double material[] = {def->young, def->poisson, def->density, def->damping};
    bool solid = def->model == SN_MODEL_LATTICE || def->model == SN_MODEL_POLY;
    snStatus status = snCheckIndex("model", (int)def->model, SN_MODEL_SKIN + 1, error);
    if (!status && solid) status = checkShape(&def->shape, error);
    if (!status && solid)
        status = snCheckIndex("body's shape", (int)def->shape.kind, SN_FORM_FLOOR, error);
    if (!status && def->model == SN_MODEL_LATTICE)
        status = snCheckRange("cells", def->cells, 1, 100000, error);
    if (!status) status = snCheckNumbers("young, poisson, density, damping", 4, material, error);
    if (!status) status = snCheckNumber("friction", def->friction, error);
    if (!status) status = snCheckRange("restitution", def->restitution, 0, 1, error);
    if (!status) status = snCheckPlacement("place", &def->place, error);
    if (!status) status = snCheckNumbers("velocity", 3, def->velocity, error);
    if (!status) status = snCheckNumbers("spin", 3, def->spin, error);
    if (!status) status = snCheckNumber("height", def->height, error);
    return status;
}

static snStatus checkCollider(const snColliderDef *def, snError *error)
{
    snStatus status = checkShape(&def->shape, error);
    if (!status && def->shape.kind == SN_FORM_CYLINDER)
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "a collider is no cylinder; a capsule or a mesh may stand for it");
    if (!status) status = snCheckPlacement("place", &def->place, error);
    if (!status) status = snCheckNumber("friction", def->friction, error);
    if (!status) status = snCheckRange("restitution", def->restitution, 0, 1, error);
    return status;
}

static snStatus checkTimes(double from, double to, snError *error)
{
    snStatus status = snCheckNumber("from", from, error);
    return status ? status : snCheckRange("to", to, from, INFINITY, error);
}

static snStatus checkHold(const snHoldDef *def, int bodies, snError *error)
{
    snStatus status = snCheckIndex("body", def->body, bodies, error);
    if (!status && def->other != -1) status = snCheckIndex("other body", def->other, bodies, error);
    if (!status) status = snCheckNumbers("point", 3, def->point, error);
    if (!status) status = snCheckNumbers("at", 3, def->at, error);
    if (!status) status = snCheckNumbers("otherPoint", 3, def->otherPoint, error);
    if (!status) status = snCheckRange("stiffness", def->stiffness, 0, 1e12, error);
    if (!status) status = snCheckRange("damping", def->damping, 0, 1e12, error);
    return status ? status : checkTimes(def->from, def->to, error);
}

static snStatus checkField(const snFieldDef *def, snError *error)
{
    const double sizes[] = {def->strength, def->radius, def->scale, def->period};
    snStatus status = snCheckIndex("kind of field", (int)def->kind, SN_FIELD_TURBULENCE + 1, error);
    if (!status) status = snCheckNumbers("value", 3, def->value, error);
    if (!status) status = snCheckNumbers("center", 3, def->center, error);
    if (!status) status = snCheckNumbers("strength, radius, scale, period", 4, sizes, error);
    return status ? status : checkTimes(def->from, def->to, error);
}

static snStatus checkList(const char *what, int count, const void *list, snError *error)
{
    snStatus status = snCheckRange(what, count, 0, 1e6, error);
    return status || !count ? status : snCheckPointer(what, list, error);
}

static snStatus checkWorld(const snSceneDef *def, snError *error)
{
    snStatus status = snCheckNumber("step", def->step, error);
    if (!status) status = snCheckNumbers("gravity", 3, def->gravity, error);
    if (!status) status = snCheckRange("still", def->still, 0, 1e6, error);
    if (!status) status = snCheckNumber("stillFor", def->stillFor, error);
    if (!status) status = snCheckNumber("airDensity", def->airDensity, error);
    if (!status) status = checkList("bodies", def->bodyCount, def->bodies, error);
    if (!status) status = checkList("colliders", def->colliderCount, def->colliders, error);
    if (!status) status = checkList("holds", def->holdCount, def->holds, error);
    if (!status) status = checkList("fields", def->fieldCount, def->fields, error);
    return status;
}

snStatus snSceneDef_Check(const snSceneDef *def, snError *error)
{
    snStatus status = snCheckPointer("def", def, error);
    if (!status) status = checkWorld(def, error);
    if (status) return status;
    for (int i = 0; i < def->bodyCount && !status; i++)
        if ((status = checkBody(&def->bodies[i], error))) snError_Prefix(error, "bodies[%d]", i);
    for (int i = 0; i < def->colliderCount && !status; i++)
        if ((status = checkCollider(&def->colliders[i], error)))
            snError_Prefix(error, "colliders[%d]", i);
    for (int i = 0; i < def->holdCount && !status; i++)
        if ((status = checkHold(&def->holds[i], def->bodyCount, error)))
            snError_Prefix(error, "holds[%d]", i);
    for (int i = 0; i < def->fieldCount && !status; i++)
        if ((status = checkField(&def->fields[i], error))) snError_Prefix(error, "fields[%d]", i);
    return status;
}
