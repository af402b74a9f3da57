#include "body/skin/skin_body.h"

#include "body/skin/smooth.h"
#include "core/error.h"

#include <string.h>

// A point is the mean of three of the skin's. Masses stand at points, so that both A and M of body.h are diagonal: a step is
// explicit as far as others are concerned.

typedef struct Point {
    bool used;
    int corner[3];
    double share[3];
} Point;

typedef struct SkinBody {
    snBody body;
    snArena arena;
    snSkinMesh mesh;
    snElasticSkin *skin;
    snSkinDriveFcn *drive;
    void *user;
    void (*release)(void *user);
    bool smooth;        // the surface is `drawn`; else the points themselves
    snSkinSmooth drawn; //
    snVec3 *drawnRest;  // [drawn.vertexCount]
    snAffine place;     // where it was put
    double friction, restitution;
    snVec3 *rest;         // [pointCount]
    snAffine *restFrames; // [frameCount]
    snMeshTree tree;      // over the rest surface
    Point *points;        // [mostPoints]
    double time;
    snBodyStep step;
    snAffine *driven;      // [frameCount], where they go, in the body's own frame
    snAffine *frames;      // [frameCount], the same in the world
    snSkinMuscle *muscles; // [muscleCount]
    snVec3 *before;        // [pointCount], places before the step
    snVec3 *pace;          // [pointCount], velocities before it
    snSkinLinks *links;    // frames that give way, or NULL
    snVec3 *fields;        // [pointCount], of skin->fields; NULL: there is no room for any
    snAirSurface air;
    snVec3 *under; // [over->vertexCount], where the surface of what it lies over is
    bool failed;
    int touching;
    double deepest;
} SkinBody;

snSkinBodyDef snDefaultSkinBodyDef(void)
{
    return (snSkinBodyDef){.name = "skin",
                           .step = 1.0 / 60.0,
                           .friction = -1.0,
                           .mostPoints = 64,
                           .mostHeld = 16,
                           .smooth = -1};
}

snElasticSkin *snSkinBody_Skin(snBody *body)
{
    return ((SkinBody *)body)->skin;
}

snSkinAtRest snSkinBody_AtRest(const snBody *body)
{
    const SkinBody *self = (const SkinBody *)body;
    return (snSkinAtRest){&self->mesh, self->rest};
}

void snSkinBody_Follow(snBody *body, const snBody *leader)
{
    SkinBody *self = (SkinBody *)body;
    const SkinBody *from = (const SkinBody *)leader;
    size_t frames = (size_t)self->skin->muscles.frameCount * sizeof(snAffine);
    self->time = from->time;
    self->place = from->place;
    memcpy(self->driven, from->driven, frames);
    memcpy(self->frames, from->frames, frames);
    memcpy(self->muscles, from->muscles, (size_t)self->skin->muscles.count * sizeof(snSkinMuscle));
}

const snSkinLinks *snSkinBody_Links(const snBody *body)
{
    return ((const SkinBody *)body)->links;
}

static void destroyBody(snBody *body)
{
    SkinBody *self = (SkinBody *)body;
    snElasticSkin_Destroy(self->skin);
    snSkinLinks_Destroy(self->links);
    if (self->release) self->release(self->user);
    snArena arena = self->arena; // it lives in it itself
    snArena_Destroy(&arena);
}

// ---- points -------------------------------------------------------------------------------------

// A place of the refined surface; the nearest one of the points' surface stands for it.
static snVec3 restOf(const SkinBody *self, const snBodySpot *spot)
{
    snVec3 sum = snVec(0, 0, 0);
    for (int k = 0; k < 3; k++)
        sum = snMulAdd(sum, spot->share[k], self->drawnRest[spot->corner[k]]);
    return sum;
}

static snStatus locate(snBody *body, const snBodySpot *spot, int *point, snError *error)
{
    SkinBody *self = (SkinBody *)body;
    int at = 0;
    while (at < body->mostPoints && self->points[at].used)
        at++;
    if (at == body->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT, "body \"%s\" has %d points already", body->name,
                      body->mostPoints);
    Point *p = &self->points[at];
    for (int k = 0; k < 3; k++) {
        p->corner[k] = spot->corner[k];
        p->share[k] = spot->share[k];
    }
    if (!spot->onSurface || self->smooth) {
        snVec3 rest = spot->onSurface ? restOf(self, spot) : spot->rest;
        snSurfacePoint near = snMeshTree_Closest(&self->tree, rest, INFINITY);
        if (near.triangle < 0)
            return snFail(error, SN_ERROR_GEOMETRY, "body \"%s\" has no surface", body->name);
        for (int k = 0; k < 3; k++) {
            p->corner[k] = self->mesh.triangles[3 * near.triangle + k];
            p->share[k] = near.barycentric[k];
        }
    }
    p->used = true;
    *point = at;
    return SN_OK;
}

void snSkinBody_PointRow(const snBody *body, int point, int corner[3], double share[3])
{
    const Point *p = &((const SkinBody *)body)->points[point];
    memcpy(corner, p->corner, sizeof p->corner);
    memcpy(share, p->share, sizeof p->share);
}

static void shellOf(const snBody *body, snBodyShell *shell)
{
    const SkinBody *self = (const SkinBody *)body;
    *shell = (snBodyShell){.vertexCount = self->mesh.pointCount,
                           .friction = self->friction,
                           .restitution = self->restitution};
    shell->triangles = snSkinBody_ShellTriangles(body, &shell->triangleCount);
}

static void forget(snBody *body, int point)
{
    ((SkinBody *)body)->points[point].used = false;
}

static snVec3 meanOf(const SkinBody *self, int point, const snVec3 *values)
{
    const Point *p = &self->points[point];
    snVec3 sum = snScale(p->share[0], values[p->corner[0]]);
    sum = snMulAdd(sum, p->share[1], values[p->corner[1]]);
    return snMulAdd(sum, p->share[2], values[p->corner[2]]);
}

static snVec3 placeOf(const snBody *body, int point)
{
    const SkinBody *self = (const SkinBody *)body;
    return meanOf(self, point, self->skin->places);
}

static snVec3 velocityOf(const snBody *body, int point)
{
    const SkinBody *self = (const SkinBody *)body;
    return meanOf(self, point, self->skin->velocities);
}

static double inverseMass(const SkinBody *self, int i)
{
    return self->skin->points[i].frame >= 0 ? 0.0 : 1.0 / self->skin->mass[i];
}

static void column(snBody *body, int point, double *out)
{
    const SkinBody *self = (const SkinBody *)body;
    const Point *p = &self->points[point];
    memset(out, 0, (size_t)body->size * sizeof *out);
    for (int k = 0; k < 3; k++)
        out[p->corner[k]] += p->share[k] * inverseMass(self, p->corner[k]);
}

static snMat3 row(const snBody *body, int point, const double *columnOfQ)
{
    const Point *p = &((const SkinBody *)body)->points[point];
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += p->share[k] * columnOfQ[p->corner[k]];
    return snDiagonal3(sum, sum, sum);
}

static double give(const snBody *body, int point)
{
    const SkinBody *self = (const SkinBody *)body;
    const Point *p = &self->points[point];
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            if (p->corner[k] == p->corner[l])
                sum += p->share[k] * p->share[l] / self->skin->mass[p->corner[k]];
    return sum;
}

static void strike(snBody *body, const double *impulseColumn, snVec3 impulse)
{
    SkinBody *self = (SkinBody *)body;
    for (int i = 0; i < body->size; i++)
        self->skin->velocities[i] = snMulAdd(self->skin->velocities[i], impulseColumn[i], impulse);
}

// ---- a step -------------------------------------------------------------------------------------

// Its own steps are as long as they have to be, whatever the world's are.
static snStatus prepare(snBody *body, const snBodyRange *range, snError *error)
{
    (void)body, (void)range, (void)error;
    return SN_OK;
}

static void begin(snBody *body, const snBodyStep *step)
{
    SkinBody *self = (SkinBody *)body;
    self->step = *step;
    self->skin->gravity = step->gravity;
    self->skin->pullCount = 0;
    self->skin->fields = NULL;
    memset(self->skin->led, 0, (size_t)self->mesh.pointCount * sizeof(bool));
}

// ---- fields ---------------------------------------------------------------------------------------

static snStatus reserveFields(snBody *body, snError *error)
{
    SkinBody *self = (SkinBody *)body;
    if (self->fields) return SN_OK;
    snVec3 *fields = SN_NEW(&self->arena, snVec3, self->mesh.pointCount);
    if (!fields) return snFailMemory(error);
    snStatus status = snAirSurface_Make(&self->air, self->mesh.pointCount, self->mesh.triangleCount,
                                        self->mesh.triangles, &self->arena, error);
    if (!status) self->fields = fields;
    return status;
}

// Air presses on the points' own triangles, whatever is drawn.
static void act(snBody *body, const snFields *fields)
{
    SkinBody *self = (SkinBody *)body;
    snElasticSkin *skin = self->skin;
    bool air = snFields_HaveAir(fields), mass = snFields_HaveMass(fields);
    size_t count = (size_t)self->mesh.pointCount;
    if (!self->fields || !(air || mass)) return;
    memset(self->fields, 0, count * sizeof *self->fields);
    skin->fields = self->fields;
    if (air) {
        memcpy(self->air.places, skin->places, count * sizeof *self->air.places);
        memcpy(self->air.velocities, skin->velocities, count * sizeof *self->air.velocities);
        snAirSurface_Blow(&self->air, fields);
    }
    for (size_t i = 0; i < count; i++) {
        double whole = fmax(skin->mass[i], self->step.length * self->air.damping[i]);
        if (air && whole > 0) self->fields[i] = snScale(1 / whole, self->air.forces[i]);
        if (mass)
            self->fields[i] =
                snAdd(self->fields[i], snFields_Acceleration(fields, skin->places[i]));
    }
}

// The triangle goes along as it is.
static void hold(snBody *body, int point, snVec3 target)
{
    SkinBody *self = (SkinBody *)body;
    const Point *p = &self->points[point];
    snVec3 move = snSub(target, placeOf(body, point));
    for (int k = 0; k < 3; k++) {
        if (p->share[k] == 0.0) continue;
        self->skin->led[p->corner[k]] = true;
        self->skin->ledTo[p->corner[k]] = snAdd(self->skin->places[p->corner[k]], move);
    }
}

static void addPull(SkinBody *self, int point, snSkinPull pull)
{
    const Point *p = &self->points[point];
    if (self->skin->pullCount == self->skin->mostPulls) return;
    for (int k = 0; k < 3; k++) {
        pull.corner[k] = p->corner[k];
        pull.share[k] = p->share[k];
    }
    self->skin->pulls[self->skin->pullCount++] = pull;
}

static void pull(snBody *body, int point, const snBodyPull *spring)
{
    addPull((SkinBody *)body, point,
            (snSkinPull){.from = snSub(spring->target, spring->move),
                         .to = spring->target,
                         .stiffness = spring->stiffness,
                         .damping = spring->damping});
}

static void push(snBody *body, int point, snVec3 force)
{
    addPull((SkinBody *)body, point, (snSkinPull){.force = force});
}

// A point that went into a collider comes out where it went in; what of its velocity goes into the collider is taken or
// thrown back, and as much of what goes along it as friction allows (Coulomb).
static void bump(SkinBody *self, int i, const snCollider *collider)
{
    snElasticSkin *skin = self->skin;
    snTouch touch;
    if (!snCollider_Sweep(collider, self->before[i], skin->places[i], 0.0, &touch) ||
        !(touch.distance < 0.0))
        return;
    self->touching++;
    self->deepest = fmax(self->deepest, -touch.distance);
    skin->places[i] = snMulAdd(skin->places[i], -touch.distance, touch.normal);
    snVec3 base = snScale(1.0 / self->step.length, touch.move);
    snVec3 relative = snSub(skin->velocities[i], base);
    double into = snDot(relative, touch.normal);
    if (into >= 0.0) return;
    double friction = self->friction >= 0.0 ? self->friction : collider->friction;
    double bounce = fmax(self->restitution, collider->restitution);
    snVec3 along = snMulAdd(relative, -into, touch.normal);
    double speed = snLength(along), lost = fmin(speed, -friction * (1.0 + bounce) * into);
    if (speed > 0.0) along = snScale((speed - lost) / speed, along);
    skin->velocities[i] = snAdd(base, snMulAdd(along, -bounce * into, touch.normal));
}

static void bumpAll(SkinBody *self)
{
    self->touching = 0;
    self->deepest = 0.0;
    for (int k = 0; k < self->step.colliderCount; k++)
        for (int i = 0; i < self->mesh.pointCount; i++)
            if (self->skin->inverseMass[3 * i] > 0.0) bump(self, i, &self->step.colliders[k]);
}

static void carryFrames(SkinBody *self)
{
    for (int i = 0; i < self->skin->muscles.frameCount; i++)
        self->frames[i] = snMulAA(self->place, self->driven[i]);
}

static void aimUnder(SkinBody *self)
{
    const snBody *over = self->body.over;
    if (!over) return;
    for (int v = 0; v < over->vertexCount; v++)
        self->under[v] = snBody_Vertex(over, v);
    snElasticSkin_AimUnder(self->skin, self->under);
}

static void advance(snBody *body)
{
    SkinBody *self = (SkinBody *)body;
    snElasticSkin *skin = self->skin;
    memcpy(self->before, skin->places, (size_t)self->mesh.pointCount * sizeof *self->before);
    self->time += self->step.length;
    if (self->drive) self->drive(self->user, self->time, self->driven, self->muscles);
    carryFrames(self);
    memcpy(self->pace, skin->velocities, (size_t)self->mesh.pointCount * sizeof *self->pace);
    if (self->links)
        snSkinLinks_Step(self->links, &self->step, self->time, self->frames, self->frames);
    aimUnder(self);
    self->failed = !snElasticSkin_Step(skin, self->step.length, self->frames, self->muscles);
    if (self->links) snSkinLinks_React(self->links, skin, self->pace, self->step.length);
    for (int i = 0; i < self->mesh.pointCount && self->step.planar; i++) {
        skin->places[i].z = self->before[i].z;
        skin->velocities[i].z = 0.0;
    }
    bumpAll(self);
}

static void finish(snBody *body, snBodyReport *report)
{
    const SkinBody *self = (const SkinBody *)body;
    report->functions = self->mesh.pointCount;
    report->failed = self->failed;
    report->touching = self->touching;
    report->deepest = self->deepest;
    if (self->links) report->deepest = fmax(report->deepest, snSkinLinks_Deepest(self->links));
}

// ---- putting and measuring ----------------------------------------------------------------------

static void put(snBody *body, const snAffine *place)
{
    SkinBody *self = (SkinBody *)body;
    snElasticSkin *skin = self->skin;
    memset(skin->state, 0, skin->stateCount * sizeof(double));
    for (int i = 0; i < self->mesh.pointCount; i++)
        skin->places[i] = snMulAP(*place, self->rest[i]);
    self->place = *place;
    memcpy(self->driven, self->restFrames, (size_t)skin->muscles.frameCount * sizeof *self->driven);
    carryFrames(self);
    if (self->links) snSkinLinks_Put(self->links, self->frames);
    snSkinMuscles_Aim(&skin->muscles, self->frames, NULL);
    snSkinMuscles_Arrive(&skin->muscles);
    aimUnder(self);
    if (body->over) snSkinUnder_Arrive(&skin->under);
    snElasticSkin_Settle(skin);
}

// Places of muscles and of what is under it go along; so do the links'.
static bool carry(snBody *body, const snAffine *motion)
{
    SkinBody *self = (SkinBody *)body;
    snElasticSkin *skin = self->skin;
    for (int i = 0; i < self->mesh.pointCount; i++) {
        skin->places[i] = snMulAP(*motion, skin->places[i]);
        skin->velocities[i] = snMulMV(motion->linear, skin->velocities[i]);
        skin->touching[i] = snMulMV(motion->linear, skin->touching[i]);
    }
    for (int f = 0; f < skin->muscles.frameCount; f++)
        self->frames[f] = snMulAA(*motion, skin->muscles.frame[1][f]);
    snSkinMuscles_Aim(&skin->muscles, self->frames, NULL);
    snSkinMuscles_Arrive(&skin->muscles);
    snSkinMuscles_At(&skin->muscles, 1.0);
    for (int v = 0; body->over && v < body->over->vertexCount; v++)
        skin->under.to[v] = snMulAP(*motion, skin->under.to[v]);
    if (body->over) snSkinUnder_Arrive(&skin->under);
    self->place = snMulAA(*motion, self->place);
    carryFrames(self);
    if (self->links) snSkinLinks_Carry(self->links, motion);
    return true;
}

static bool go(snBody *body, const snAffine *place, snAffine *stands)
{
    SkinBody *self = (SkinBody *)body;
    *stands = self->place;
    if (place) self->place = *place;
    return self->drive != NULL && !body->over;
}

static snVec3 centre(const snElasticSkin *skin, double *mass)
{
    snVec3 sum = {0, 0, 0};
    *mass = 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        sum = snMulAdd(sum, skin->mass[i], skin->places[i]);
        *mass += skin->mass[i];
    }
    return snScale(1.0 / *mass, sum);
}

static void setVelocity(snBody *body, snVec3 velocity, snVec3 spin)
{
    snElasticSkin *skin = ((SkinBody *)body)->skin;
    double mass;
    snVec3 middle = centre(skin, &mass);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snAdd(velocity, snCross(spin, snSub(skin->places[i], middle)));
    snSkinLinks *links = ((SkinBody *)body)->links;
    if (links) snSkinLinks_SetVelocity(links, middle, velocity, spin);
}

static snVec3 vertex(const snBody *body, int v)
{
    const SkinBody *self = (const SkinBody *)body;
    return self->smooth ? snSkinSmooth_Place(&self->drawn, self->skin->places, v)
                        : self->skin->places[v];
}

static bool rowsOf(const snBody *body, snBodyRows *rows)
{
    const SkinBody *self = (const SkinBody *)body;
    const snWeightRows *smooth = &self->drawn.rows;
    if (!self->smooth) return false; // points are the vertices
    *rows = (snBodyRows){.controlCount = self->mesh.pointCount,
                         .start = smooth->start,
                         .index = smooth->vertex,
                         .weight = smooth->weight};
    return true;
}

static void controlsOf(const snBody *body, snVec3 *places)
{
    const SkinBody *self = (const SkinBody *)body;
    memcpy(places, self->skin->places, (size_t)self->mesh.pointCount * sizeof *places);
}

// Points that are fixed to frames are in the links' mass.
static void measureLinks(const SkinBody *self, snBodyMeasure *m)
{
    const snElasticSkin *skin = self->skin;
    snArticulatedMeasure own;
    snSkinLinks_Measure(self->links, &own);
    m->center = snScale(m->mass, m->center);
    for (int i = 0; i < self->mesh.pointCount; i++) {
        if (skin->points[i].frame < 0) continue;
        snVec3 p = snScale(skin->mass[i], skin->velocities[i]);
        m->mass -= skin->mass[i];
        m->center = snMulAdd(m->center, -skin->mass[i], skin->places[i]);
        m->momentum = snSub(m->momentum, p);
        m->angularMomentum = snSub(m->angularMomentum, snCross(skin->places[i], p));
        m->kinetic -= 0.5 * snDot(p, skin->velocities[i]);
    }
    m->mass += own.mass;
    m->center = snScale(1 / m->mass, snMulAdd(m->center, own.mass, own.center));
    m->momentum = snAdd(m->momentum, own.momentum);
    m->angularMomentum = snAdd(m->angularMomentum, own.angularMomentum);
    m->kinetic += own.kinetic;
}

static void measure(snBody *body, snBodyMeasure *measure)
{
    snElasticSkin *skin = ((SkinBody *)body)->skin;
    *measure = (snBodyMeasure){0};
    measure->center = centre(skin, &measure->mass);
    measure->elastic = snSkinElastic_Energy(&skin->elastic, skin->places);
    measure->volume = snSkinElastic_Volume(&skin->elastic, skin->places);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 p = snScale(skin->mass[i], skin->velocities[i]);
        measure->kinetic += 0.5 * snDot(p, skin->velocities[i]);
        measure->momentum = snAdd(measure->momentum, p);
        measure->angularMomentum = snAdd(measure->angularMomentum, snCross(skin->places[i], p));
    }
    if (((SkinBody *)body)->links) measureLinks((SkinBody *)body, measure);
}

// ---- state --------------------------------------------------------------------------------------

// What stands before the skin's own: time, where it was put and leads to, points.
typedef struct Part {
    void *data;
    size_t size;
} Part;
#define PARTS 4

static void listParts(const SkinBody *self, Part parts[PARTS])
{
    parts[0] = (Part){(void *)&self->time, sizeof self->time};
    parts[1] = (Part){(void *)&self->place, sizeof self->place};
    parts[2] = (Part){self->driven, (size_t)self->skin->muscles.frameCount * sizeof(snAffine)};
    parts[3] = (Part){self->points, (size_t)self->body.mostPoints * sizeof(Point)};
}

static size_t saveSize(const snBody *body)
{
    const SkinBody *self = (const SkinBody *)body;
    Part parts[PARTS];
    size_t size = snElasticSkin_SaveSize(self->skin);
    if (self->links) size += snSkinLinks_SaveSize(self->links);
    listParts(self, parts);
    for (int i = 0; i < PARTS; i++)
        size += parts[i].size;
    return size;
}

static void save(const snBody *body, void *bytes)
{
    const SkinBody *self = (const SkinBody *)body;
    char *at = bytes;
    Part parts[PARTS];
    listParts(self, parts);
    for (int i = 0; i < PARTS; at += parts[i++].size)
        memcpy(at, parts[i].data, parts[i].size);
    snElasticSkin_Save(self->skin, at);
    if (self->links) snSkinLinks_Save(self->links, at + snElasticSkin_SaveSize(self->skin));
}

static snStatus restore(snBody *body, const void *bytes, snError *error)
{
    SkinBody *self = (SkinBody *)body;
    const char *at = bytes;
    Part parts[PARTS];
    (void)error;
    listParts(self, parts);
    for (int i = 0; i < PARTS; at += parts[i++].size)
        memcpy(parts[i].data, at, parts[i].size);
    snElasticSkin_Restore(self->skin, at);
    if (self->links) snSkinLinks_Restore(self->links, at + snElasticSkin_SaveSize(self->skin));
    carryFrames(self);
    memcpy(self->muscles, self->skin->muscles.shape[1],
           (size_t)self->skin->muscles.count * sizeof(snSkinMuscle));
    return SN_OK;
}

static const snBodyKind skinBodyKind = {.name = "skin",
                                        .destroy = destroyBody,
                                        .locate = locate,
                                        .forget = forget,
                                        .place = placeOf,
                                        .velocity = velocityOf,
                                        .column = column,
                                        .row = row,
                                        .give = give,
                                        .impulseColumn = column,
                                        .strike = strike,
                                        .prepare = prepare,
                                        .begin = begin,
                                        .hold = hold,
                                        .pull = pull,
                                        .push = push,
                                        .advance = advance,
                                        .finish = finish,
                                        .reserveFields = reserveFields,
                                        .act = act,
                                        .put = put,
                                        .carry = carry,
                                        .go = go,
                                        .setVelocity = setVelocity,
                                        .vertex = vertex,
                                        .measure = measure,
                                        .rows = rowsOf,
                                        .controls = controlsOf,
                                        .saveSize = saveSize,
                                        .save = save,
                                        .restore = restore,
                                        .shell = shellOf,
                                        .shellPlaces = snSkinBody_ShellPlaces,
                                        .reserve = snSkinBody_Reserve,
                                        .thrust = snSkinBody_Thrust,
                                        .yieldSize = snSkinBody_YieldSize,
                                        .yieldBegin = snSkinBody_YieldBegin,
                                        .yieldColumn = snSkinBody_YieldColumn,
                                        .yieldRow = snSkinBody_YieldRow,
                                        .yield = snSkinBody_Yield,
                                        .backing = snSkinBody_Backing};

// ---- making -------------------------------------------------------------------------------------

static snStatus allocate(SkinBody *self, const snSkinBodyDef *def, snError *error)
{
    snArena *arena = &self->arena;
    const snElasticSkinDef *skin = def->skin;
    self->rest = SN_COPY(arena, snVec3, skin->places, skin->mesh->pointCount);
    self->before = SN_NEW(arena, snVec3, skin->mesh->pointCount);
    self->pace = SN_NEW(arena, snVec3, skin->mesh->pointCount);
    self->restFrames = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->frames = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->muscles = SN_COPY(arena, snSkinMuscle, skin->muscles, skin->muscleCount);
    self->driven = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->points = SN_NEW(arena, Point, def->mostPoints);
    self->under = SN_NEW(arena, snVec3, def->over ? def->over->vertexCount : 1);
    self->body.name = snArena_CopyString(arena, def->name, strlen(def->name));
    if (!self->under || !self->rest || !self->before || !self->pace || !self->driven ||
        !self->restFrames || !self->frames || !self->muscles || !self->points || !self->body.name)
        return snFailMemory(error);
    return SN_OK;
}

static snStatus makeDrawn(SkinBody *self, const snSkinBodyDef *def, const snContext *context,
                          snError *error)
{
    snStatus status =
        snSkinSmooth_Make(&self->drawn, def->skin->mesh, def->smooth, &self->arena, context, error);
    if (status) return status;
    self->drawnRest = SN_NEW(&self->arena, snVec3, self->drawn.vertexCount);
    if (!self->drawnRest) return snFailMemory(error);
    snSkinSmooth_Places(&self->drawn, self->rest, self->drawnRest);
    self->smooth = true;
    return SN_OK;
}

static snStatus build(SkinBody *self, const snSkinBodyDef *def, const snContext *context,
                      snError *error)
{
    const snSkinMesh *mesh = def->skin->mesh;
    snStatus status = allocate(self, def, error);
    if (!status)
        status = snSkinMesh_Make(&self->mesh, mesh->pointCount, mesh->faceCount, mesh->corner,
                                 mesh->chart, &self->arena, error);
    self->mesh.columns = mesh->columns;
    self->mesh.rows = mesh->rows;
    snElasticSkinDef skin = *def->skin;
    skin.mesh = &self->mesh;
    if (!status) status = snElasticSkin_Make(&self->skin, &skin, context, error);
    if (!status && def->links)
        status = snSkinLinks_Make(&self->links, def->links, self->skin, context, error);
    snMesh surface = {self->mesh.pointCount, self->mesh.triangleCount, self->rest,
                      self->mesh.triangles};
    if (!status) status = snMeshTree_Build(&self->tree, &surface, &self->arena, error);
    if (!status && def->smooth >= 0) status = makeDrawn(self, def, context, error);
    return status;
}

snStatus snSkinBody_Make(snBody **out, const snSkinBodyDef *def, const snContext *context,
                         snError *error)
{
    *out = NULL;
    if (!(def->step > 0.0) || def->mostPoints < 0 || def->mostHeld > def->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "steps of %g s, %d points of which %d may be held; a step is above 0, and no "
                      "more are held than there are",
                      def->step, def->mostPoints, def->mostHeld);
    if (def->over && (!def->skin->under || def->skin->under->vertexCount != def->over->vertexCount))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the surface under the skin is not that of body \"%s\"", def->over->name);
    snArena arena = snMakeArena(context);
    SkinBody *self = SN_NEW(&arena, SkinBody, 1);
    if (!self) return snFailMemory(error);
    *self = (SkinBody){.arena = arena,
                       .drive = def->drive,
                       .user = def->user,
                       .place = snIdentityAffine(),
                       .friction = def->friction,
                       .restitution = def->restitution};
    snStatus status = build(self, def, context, error);
    if (status) {
        destroyBody(&self->body);
        return status;
    }
    self->body = (snBody){
        .kind = &skinBodyKind,
        .name = self->body.name,
        .step = def->step,
        .functions = self->mesh.pointCount,
        .vertexCount = self->smooth ? self->drawn.vertexCount : self->mesh.pointCount,
        .triangleCount = self->smooth ? self->drawn.triangleCount : self->mesh.triangleCount,
        .triangles = self->smooth ? self->drawn.triangles : self->mesh.triangles,
        .restSurface = self->smooth ? self->drawnRest : self->rest,
        .mostPoints = def->mostPoints,
        .mostHeld = def->mostHeld,
        .size = self->mesh.pointCount,
        .block = 1,
        .over = def->over,
        .constantMatrix = true,
        .meets = def->meets,
        .restless = def->drive != NULL,
        .yields = true};
    self->release = def->release;
    *out = &self->body;
    return SN_OK;
}
