#include "body/skin/skin_body_parts.h"
#include "core/error.h"
#include "skeleton/spatial.h"

#include <string.h>

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

snVec3 snSkinBody_Owed(const snBody *body)
{
    return snSkinPress_Owed(&((const SkinBody *)body)->press);
}

const snSkinLinks *snSkinBody_Links(const snBody *body)
{
    return ((const SkinBody *)body)->links;
}

snBody *snSkinBody_Moving(snBody *body)
{
    const snSkinLevels *levels = ((const SkinBody *)body)->levels;
    return levels ? levels->bodies[levels->at] : body;
}

snSkinLevels *snSkinBody_Levels(const snBody *body)
{
    return ((const SkinBody *)body)->levels;
}

void snSkinBody_SetLevels(snBody *body, snSkinLevels *levels)
{
    ((SkinBody *)body)->levels = levels;
    body->levelCount = levels->count;
    body->constantMatrix = false; // other masses at every level
}

static void destroyBody(snBody *body)
{
    SkinBody *self = (SkinBody *)body;
    if (self->levels) snSkinLevels_Destroy(self->levels);
    snElasticSkin_Destroy(self->skin);
    snSkinLinks_Destroy(self->links);
    if (self->release) self->release(self->user);
    snArena_DestroyWithin(&self->arena);
}

// ---- points -------------------------------------------------------------------------------------

// A place of the surface that is drawn; the nearest one of the points' surface stands for it.
static snVec3 restOf(const snBody *body, const snBodySpot *spot)
{
    return snBodySpot_Rest(spot, body->restSurface);
}

static bool findNearest(const SkinBody *self, snVec3 rest, int corner[3], double share[3])
{
    snSurfacePoint near = snMeshTree_Closest(&self->tree, rest, INFINITY);
    for (int k = 0; k < 3 && near.triangle >= 0; k++) {
        corner[k] = self->mesh.triangles[3 * near.triangle + k];
        share[k] = near.barycentric[k];
    }
    return near.triangle >= 0;
}

static snStatus locate(snBody *body, const snBodySpot *spot, int *point, snError *error)
{
    SkinBody *self = (SkinBody *)body;
    snVec3 rest = restOf(body, spot);
    int at = 0;
    while (at < body->mostPoints && self->points[at].used)
        at++;
    if (at == body->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT, "body \"%s\" has %d points already", body->name,
                      body->mostPoints);
    for (int k = 0; k < countLevels(self); k++) { // at all levels in the same place
        SkinBody *level = levelOf(self, k);
        Point *p = &level->points[at];
        for (int c = 0; c < 3; c++) {
            p->corner[c] = spot->corner[c];
            p->share[c] = spot->share[c];
        }
        bool own = spot->onSurface && !self->smooth && k == 0;
        if (!own && !findNearest(level, rest, p->corner, p->share))
            return snFail(error, SN_ERROR_GEOMETRY, "body \"%s\" has no surface", body->name);
    }
    self->points[at].used = true;
    *point = at;
    return SN_OK;
}

void snSkinBody_EndRow(const snBody *body, const snBodyEnd *end, int corner[3], double share[3])
{
    const SkinBody *self = (const SkinBody *)body, *level = moving(body);
    const Point *p = end->point >= 0 ? &level->points[end->point] : NULL;
    memcpy(corner, p ? p->corner : end->corner, sizeof p->corner);
    memcpy(share, p ? p->share : end->share, sizeof p->share);
    if (p || level == self) return;
    findNearest(level, snCombine(3, corner, share, self->rest), corner, share);
}

static void forget(snBody *body, int point)
{
    ((SkinBody *)body)->points[point].used = false;
}

static snVec3 meanOf(const SkinBody *self, int point, const snVec3 *values)
{
    const Point *p = &self->points[point];
    return snCombine3(p->corner, p->share, values);
}

static snVec3 placeOf(const snBody *body, int point)
{
    const SkinBody *self = moving(body);
    return meanOf(self, point, self->skin->places);
}

static snVec3 velocityOf(const snBody *body, int point)
{
    const SkinBody *self = moving(body);
    return meanOf(self, point, self->skin->velocities);
}

static double inverseMass(const SkinBody *self, int i)
{
    return self->skin->points[i].frame >= 0 ? 0.0 : 1.0 / self->skin->mass[i];
}

static void column(snBody *body, int point, double *out)
{
    const SkinBody *self = moving(body);
    const Point *p = &self->points[point];
    memset(out, 0, (size_t)body->size * sizeof *out);
    for (int k = 0; k < 3; k++)
        out[p->corner[k]] += p->share[k] * inverseMass(self, p->corner[k]);
}

static snMat3 row(const snBody *body, int point, const double *columnOfQ)
{
    const Point *p = &moving(body)->points[point];
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += p->share[k] * columnOfQ[p->corner[k]];
    return snDiagonal3(sum, sum, sum);
}

static double give(const snBody *body, int point)
{
    const SkinBody *self = moving(body);
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
    snElasticSkin *skin = moving(body)->skin;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snMulAdd(skin->velocities[i], impulseColumn[i], impulse);
    show(body);
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
    SkinBody *self = moving(body);
    self->step = *step;
    self->skin->gravity = step->gravity;
    self->skin->pullCount = 0;
    self->foreign = false;
    self->skin->fields = NULL;
    memset(self->skin->led, 0, (size_t)self->mesh.pointCount * sizeof(bool));
    if (self->links) snSkinLinks_Release(self->links);
}

// Of a point on corners that are fixed to a link, that link is held: there, and to go as far as the point.
static void holdLink(SkinBody *self, const Point *p, snVec3 move)
{
    const snElasticSkin *skin = self->skin;
    snVec3 at = {0, 0, 0};
    double share = 0.0, most = 0.0;
    int link = -1;
    for (int k = 0; k < 3; k++) {
        int frame = skin->points[p->corner[k]].frame;
        if (frame < 0 || p->share[k] == 0.0) continue;
        at = snMulAdd(at, p->share[k], skin->places[p->corner[k]]);
        share += p->share[k];
        if (p->share[k] > most) most = p->share[k], link = frame;
    }
    if (link >= 0)
        snSkinLinks_Hold(self->links, link, snScale(1.0 / share, at),
                         snScale(1.0 / self->step.length, move));
}

// The triangle goes along as it is.
static void hold(snBody *body, int point, snVec3 target)
{
    SkinBody *self = moving(body);
    const Point *p = &self->points[point];
    snVec3 move = snSub(target, placeOf(body, point));
    self->foreign = true;
    if (self->links) holdLink(self, p, move);
    for (int k = 0; k < 3; k++) {
        if (p->share[k] == 0.0) continue;
        self->skin->led[p->corner[k]] = true;
        self->skin->ledTo[p->corner[k]] = snAdd(self->skin->places[p->corner[k]], move);
    }
}

static void addPull(SkinBody *self, int point, snSkinPull pull)
{
    const Point *p = &self->points[point];
    self->foreign = true;
    if (self->skin->pullCount == self->skin->mostPulls) return;
    for (int k = 0; k < 3; k++) {
        pull.corner[k] = p->corner[k];
        pull.share[k] = p->share[k];
    }
    self->skin->pulls[self->skin->pullCount++] = pull;
}

static void pull(snBody *body, int point, const snBodyPull *spring)
{
    addPull(moving(body), point,
            (snSkinPull){.from = snSub(spring->target, spring->move),
                         .to = spring->target,
                         .stiffness = spring->stiffness,
                         .damping = spring->damping});
}

static void push(snBody *body, int point, snVec3 force)
{
    addPull(moving(body), point, (snSkinPull){.force = force});
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
    snContactReport_Add(&self->contact, -touch.distance);
    skin->places[i] = snMulAdd(skin->places[i], -touch.distance, touch.normal);
    snVec3 base = snScale(1.0 / self->step.length, touch.move);
    snVec3 relative = snSub(skin->velocities[i], base);
    double into = snDot(relative, touch.normal);
    if (into >= 0.0) return;
    double friction = snMixFriction(self->friction, collider->friction);
    double bounce = snMixRestitution(self->restitution, collider->restitution);
    snVec3 along = snMulAdd(relative, -into, touch.normal);
    double speed = snLength(along), lost = fmin(speed, -friction * (1.0 + bounce) * into);
    if (speed > 0.0) along = snScale((speed - lost) / speed, along);
    skin->velocities[i] = snAdd(base, snMulAdd(along, -bounce * into, touch.normal));
}

static void bumpAll(SkinBody *self)
{
    self->contact = (snContactReport){0};
    for (int k = 0; k < self->step.colliderCount; k++)
        for (int i = 0; i < self->mesh.pointCount; i++)
            if (self->skin->inverseMass[3 * i] > 0.0) bump(self, i, &self->step.colliders[k]);
}

static void aimUnder(SkinBody *self)
{
    const snBody *over = self->body.over;
    if (!self->underCount) return;
    if (self->play) self->play(self->user, self->time, self->under);
    for (int v = 0; v < self->underCount; v++)
        self->under[v] =
            over ? snBody_Vertex(over, v)
                 : snMulAP(self->place, self->play ? self->under[v] : self->underRest[v]);
    snElasticSkin_AimUnder(self->skin, self->under);
}

// The world's, times its own.
static void setStiffness(SkinBody *self)
{
    double factor = self->step.stiffness > 0.0 ? self->step.stiffness : 1.0;
    if (self->stiffness) factor *= self->stiffness(self->user, self->time);
    snElasticSkin_SetStiffness(self->skin, factor);
}

static void press(snBody *body, snBody *under)
{
    SkinBody *self = (SkinBody *)body;
    snSkinPress_Push(&self->press, self->skin, under, self->step.length);
}

static double pressMiss(snBody *body)
{
    return snSkinPress_Miss(&((SkinBody *)body)->press);
}

static bool passes(const snBody *body, const snBody *other)
{
    return body->over == other;
}

static void react(SkinBody *self)
{
    snElasticSkin *skin = self->skin;
    bool held = false;
    for (int i = 0; i < self->mesh.pointCount && !held; i++)
        held = skin->wasLed[i];
    if (held) snElasticSkin_Force(skin, 1.0, skin->places, skin->velocities, self->forces);
    snSkinLinks_React(self->links, skin, self->pace, self->forces, self->step.length);
}

static void advanceOne(SkinBody *self)
{
    snElasticSkin *skin = self->skin;
    memcpy(self->before, skin->places, (size_t)self->mesh.pointCount * sizeof *self->before);
    self->time += self->step.length;
    if (self->drive) self->drive(self->user, self->time, self->driven, self->muscles);
    setStiffness(self);
    carryFrames(self);
    memcpy(self->pace, skin->velocities, (size_t)self->mesh.pointCount * sizeof *self->pace);
    if (self->links)
        snSkinLinks_Step(self->links, &self->step, self->time, self->frames, self->frames);
    aimUnder(self);
    if (self->press.count) snSkinPress_Begin(&self->press, skin);
    self->failed = !snElasticSkin_Step(skin, self->step.length, self->frames, self->muscles);
    if (self->press.count) snSkinPress_End(&self->press, skin, self->pace);
    if (self->links) react(self);
    for (int i = 0; i < self->mesh.pointCount && self->step.planar; i++) {
        skin->places[i].z = self->before[i].z;
        skin->velocities[i].z = 0.0;
    }
    bumpAll(self);
}

static void advance(snBody *body)
{
    advanceOne(moving(body));
    show(body);
}

static void setLevel(snBody *body, int level)
{
    snSkinLevels *levels = ((SkinBody *)body)->levels;
    if (levels) snSkinLevels_Set(levels, level);
}

static void finish(snBody *body, snBodyReport *report)
{
    SkinBody *self = moving(body);
    snSkinPress_Finish(&self->press);
    report->functions = self->mesh.pointCount;
    report->failed = self->failed;
    report->contact = self->contact;
    if (self->links)
        report->contact.deepest = fmax(self->contact.deepest, snSkinLinks_Deepest(self->links));
}

// ---- putting and measuring ----------------------------------------------------------------------

static void putOne(SkinBody *self, const snAffine *place)
{
    snElasticSkin *skin = self->skin;
    memset(skin->state, 0, skin->stateCount * sizeof(double));
    for (int i = 0; i < self->mesh.pointCount; i++)
        skin->places[i] = snMulAP(*place, self->rest[i]);
    self->place = *place;
    memcpy(self->driven, self->restFrames, (size_t)skin->muscles.frameCount * sizeof *self->driven);
    carryFrames(self);
    if (self->links) snSkinLinks_Put(self->links, self->frames);
    snSkinPress_Clear(&self->press);
    snSkinMuscles_Aim(&skin->muscles, self->frames, NULL);
    snSkinMuscles_Arrive(&skin->muscles);
    aimUnder(self);
    if (self->underCount) snSkinUnder_Arrive(&skin->under);
    snElasticSkin_Settle(skin);
}

static void put(snBody *body, const snAffine *place)
{
    const SkinBody *self = (const SkinBody *)body;
    for (int k = 0; k < countLevels(self); k++)
        putOne(levelOf(self, k), place);
    show(body);
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
    snElasticSkin *skin = moving(body)->skin;
    double mass;
    snVec3 middle = centre(skin, &mass);
    for (int i = 0; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snAdd(velocity, snCross(spin, snSub(skin->places[i], middle)));
    snSkinLinks *links = moving(body)->links;
    if (links) snSkinLinks_SetVelocity(links, middle, velocity, spin);
    show(body);
}

static snVec3 vertex(const snBody *body, int v)
{
    const SkinBody *self = (const SkinBody *)body;
    return self->smooth ? snSkinSmooth_Place(&self->drawn, self->skin->places, v)
                        : self->skin->places[v];
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
    snMat3 far = snPointInertia(snSub(own.center, m->center));
    m->inertia = snAddMM(own.inertia, snScaleM(own.mass, far));
    for (int i = 0; i < self->mesh.pointCount; i++) {
        if (skin->points[i].frame >= 0) continue;
        snMat3 one = snPointInertia(snSub(skin->places[i], m->center));
        m->inertia = snAddMM(m->inertia, snScaleM(skin->mass[i], one));
    }
}

static void motion(const snBody *body, snBodyMeasure *measure)
{
    const SkinBody *self = moving(body);
    const snElasticSkin *skin = self->skin;
    measure->center = centre(skin, &measure->mass);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 p = snScale(skin->mass[i], skin->velocities[i]);
        snMat3 own = snPointInertia(snSub(skin->places[i], measure->center));
        measure->kinetic += 0.5 * snDot(p, skin->velocities[i]);
        measure->momentum = snAdd(measure->momentum, p);
        measure->angularMomentum = snAdd(measure->angularMomentum, snCross(skin->places[i], p));
        measure->inertia = snAddMM(measure->inertia, snScaleM(skin->mass[i], own));
    }
    if (self->links) measureLinks(self, measure);
}

static double elastic(snBody *body)
{
    const snElasticSkin *skin = moving(body)->skin;
    return snSkinElastic_Energy(&skin->elastic, skin->places);
}

static void measure(snBody *body, snBodyMeasure *measure)
{
    const snElasticSkin *skin = moving(body)->skin;
    motion(body, measure);
    measure->elastic = elastic(body);
    measure->volume = snSkinElastic_Volume(&skin->elastic, skin->places);
}

static void stir(snBody *body, const snBodyStir *how)
{
    snElasticSkin *skin = moving(body)->skin;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        skin->velocities[i] = snBodyStir_At(how, skin->places[i], skin->velocities[i]);
}

// Nothing within it is led from outside, and no air is at it.
static bool mayFly(const SkinBody *self)
{
    const snElasticSkin *skin = self->skin;
    bool free = skin->muscles.count == 0 && !self->links && !self->body.over;
    for (int i = 0; i < self->mesh.pointCount && free; i++)
        free = skin->points[i].frame < 0 && skin->drag[i] == 0.0;
    return free;
}

// Places go h (v + v')/2 where forces are constant, whatever the steps within: gravity acts at X + h V/2.
static bool flewFree(const snBody *body, const snBodyMeasure *begin, snVec3 *brought)
{
    const SkinBody *self = moving(body);
    double h = self->step.length;
    bool held = self->failed || self->contact.touching > 0 || self->step.planar || self->foreign ||
                self->skin->fields;
    snVec3 middle = snMulAdd(begin->center, 0.5 * h / begin->mass, begin->momentum);
    *brought = snCross(middle, snScale(h * begin->mass, self->step.gravity));
    return !held;
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
                                        .stirs = snSkinBody_Stirs,
                                        .pass = snSkinBody_Pass,
                                        .reserveFields = snSkinBody_ReserveFields,
                                        .act = snSkinBody_Act,
                                        .setLevel = setLevel,
                                        .put = put,
                                        .carry = snSkinBody_Carry,
                                        .go = snSkinBody_Go,
                                        .setVelocity = setVelocity,
                                        .vertex = vertex,
                                        .measure = measure,
                                        .motion = motion,
                                        .elastic = elastic,
                                        .stir = stir,
                                        .isFree = flewFree,
                                        .rows = snSkinBody_Rows,
                                        .controls = snSkinBody_Controls,
                                        .saveSize = snSkinBody_SaveSize,
                                        .save = snSkinBody_Save,
                                        .restore = snSkinBody_Restore,
                                        .press = press,
                                        .pressMiss = pressMiss,
                                        .passes = passes,
                                        .meeting = &snSkinMeeting};

// ---- making -------------------------------------------------------------------------------------

static snStatus allocate(SkinBody *self, const snSkinBodyDef *def, snError *error)
{
    snArena *arena = &self->arena;
    const snElasticSkinDef *skin = def->skin;
    self->rest = SN_COPY(arena, snVec3, skin->places, skin->mesh->pointCount);
    self->before = SN_NEW(arena, snVec3, skin->mesh->pointCount);
    self->pace = SN_NEW(arena, snVec3, skin->mesh->pointCount);
    self->forces = SN_NEW(arena, snVec3, skin->mesh->pointCount);
    self->restFrames = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->frames = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->muscles = SN_COPY(arena, snSkinMuscle, skin->muscles, skin->muscleCount);
    self->driven = SN_COPY(arena, snAffine, skin->frames, skin->frameCount);
    self->points = SN_NEW(arena, Point, def->mostPoints);
    self->underCount = skin->under ? skin->under->vertexCount : 0;
    self->under = SN_NEW(arena, snVec3, self->underCount);
    self->underRest = self->underCount
                          ? SN_COPY(arena, snVec3, skin->under->positions, self->underCount)
                          : self->under;
    self->body.name = snArena_CopyString(arena, def->name, strlen(def->name));
    if (!self->under || !self->underRest || !self->rest || !self->before || !self->pace ||
        !self->forces || !self->driven || !self->restFrames || !self->frames || !self->muscles ||
        !self->points || !self->body.name)
        return snFailMemory(error);
    return snSkinBody_ReserveRest(self, def, error);
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

static bool canPress(const snBody *under)
{
    snBodyShell shell;
    if (!under->kind->meeting) return false;
    snBody_Shell(under, &shell);
    return shell.vertexCount == under->vertexCount;
}

static snStatus makePress(SkinBody *self, const snBody *under, snError *error)
{
    snBodyMeasure flesh;
    double mass;
    snBody_Measure((snBody *)(uintptr_t)under, &flesh); // nothing of it changes
    centre(self->skin, &mass);
    double ratio = flesh.mass > 0.0 ? mass / flesh.mass : 0.0;
    return snSkinPress_Make(&self->press, self->mesh.pointCount, ratio, &self->arena, error);
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
    if (!status && def->presses && def->over && canPress(def->over))
        status = makePress(self, def->over, error);
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
                       .stiffness = def->stiffness,
                       .play = def->play,
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
        .presses = self->press.count,
        .constantMatrix = true,
        .meets = def->meets && (!def->over || self->press.count),
        .yields = true};
    self->body.keeps = mayFly(self);
    self->release = def->release;
    *out = &self->body;
    return SN_OK;
}
