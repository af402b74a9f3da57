// A skin with levels as one body. One of its skins moves; those finer than it follow, as what its surface is, so that the surface of
// the finest can always be asked for. A point is located on all of them.
#include "body/skin/levels.h"
#include "core/error.h"

#include <string.h>

typedef struct LevelsBody {
    snBody body;
    snArena arena;
    int count, level;
    snBody *levels[SN_SKIN_LEVELS];
    snSkinRung rungs[SN_SKIN_LEVELS - 1]; // from each to the next
    int *handles;                         // [mostPoints * count]; -1: free
} LevelsBody;

static snBody *active(const snBody *body)
{
    const LevelsBody *self = (const LevelsBody *)body;
    return self->levels[self->level];
}

snBody *snSkinLevels_Active(snBody *body)
{
    return active(body);
}

static snElasticSkin *skinOf(const LevelsBody *self, int level)
{
    return snSkinBody_Skin(self->levels[level]);
}

// Finer skins are what the surface of the one that moves is; the finest, which is seen, is out of muscles as well.
static void show(LevelsBody *self)
{
    const snSkinMuscles *muscles = &skinOf(self, self->level)->muscles;
    snElasticSkin *seen = skinOf(self, 0);
    if (self->level == 0) return;
    for (int k = self->level; k > 0; k--) {
        snElasticSkin *coarse = skinOf(self, k), *fine = skinOf(self, k - 1);
        snSkinRung_Up(&self->rungs[k - 1], coarse->places, fine->places);
        snSkinRung_Up(&self->rungs[k - 1], coarse->velocities, fine->velocities);
    }
    snSkinMuscles_Aim(&seen->muscles, muscles->frame[1], muscles->shape[1]);
    snSkinMuscles_Arrive(&seen->muscles);
    snElasticSkin_Settle(seen);
}

static void destroyBody(snBody *body)
{
    LevelsBody *self = (LevelsBody *)body;
    for (int k = 0; k < self->count; k++)
        snBody_Destroy(self->levels[k]);
    snArena arena = self->arena; // it lives in it itself
    snArena_Destroy(&arena);
}

// ---- points -------------------------------------------------------------------------------------

static int *handlesOf(const snBody *body, int point)
{
    const LevelsBody *self = (const LevelsBody *)body;
    return self->handles + (size_t)point * (size_t)self->count;
}

static int handleOf(const snBody *body, int point)
{
    return handlesOf(body, point)[((const LevelsBody *)body)->level];
}

static snVec3 restOf(const snBody *body, const snBodySpot *spot)
{
    snVec3 sum = snVec(0, 0, 0);
    if (!spot->onSurface) return spot->rest;
    for (int k = 0; k < 3; k++)
        sum = snMulAdd(sum, spot->share[k], body->restSurface[spot->corner[k]]);
    return sum;
}

static snStatus locate(snBody *body, const snBodySpot *spot, int *point, snError *error)
{
    LevelsBody *self = (LevelsBody *)body;
    snBodySpot rest = snRestSpot(restOf(body, spot));
    int at = 0, made = 0;
    snStatus status = SN_OK;
    while (at < body->mostPoints && handlesOf(body, at)[0] >= 0)
        at++;
    if (at == body->mostPoints)
        return snFail(error, SN_ERROR_ARGUMENT, "body \"%s\" has %d points already", body->name,
                      body->mostPoints);
    int *handles = handlesOf(body, at);
    for (; made < self->count && !status; made++)
        status = snBody_Locate(self->levels[made], made ? &rest : spot, &handles[made], error);
    for (int k = 0; k < made - 1 && status; k++)
        snBody_Forget(self->levels[k], handles[k]);
    if (status) handles[0] = -1;
    *point = status ? -1 : at;
    return status;
}

static void forget(snBody *body, int point)
{
    LevelsBody *self = (LevelsBody *)body;
    int *handles = handlesOf(body, point);
    for (int k = 0; k < self->count; k++)
        snBody_Forget(self->levels[k], handles[k]);
    handles[0] = -1;
}

static snVec3 placeOf(const snBody *body, int point)
{
    return snBody_Place(active(body), handleOf(body, point));
}

static snVec3 velocityOf(const snBody *body, int point)
{
    return snBody_Velocity(active(body), handleOf(body, point));
}

static void column(snBody *body, int point, double *out)
{
    memset(out, 0, (size_t)body->size * sizeof *out);
    snBody_Column(active(body), handleOf(body, point), out);
}

static snMat3 row(const snBody *body, int point, const double *columnOfQ)
{
    return snBody_Response(active(body), handleOf(body, point), columnOfQ);
}

static double give(const snBody *body, int point)
{
    return snBody_Give(active(body), handleOf(body, point));
}

static void strike(snBody *body, const double *impulseColumn, snVec3 impulse)
{
    snBody_Strike(active(body), impulseColumn, impulse);
    show((LevelsBody *)body);
}

// ---- a step -------------------------------------------------------------------------------------

static snStatus prepare(snBody *body, const snBodyRange *range, snError *error)
{
    LevelsBody *self = (LevelsBody *)body;
    snStatus status = SN_OK;
    for (int k = 0; k < self->count && !status; k++)
        status = snBody_Prepare(self->levels[k], range, error);
    return status;
}

static void begin(snBody *body, const snBodyStep *step)
{
    snBody_Begin(active(body), step);
}

static void hold(snBody *body, int point, snVec3 target)
{
    snBody_Hold(active(body), handleOf(body, point), target);
}

static void pull(snBody *body, int point, const snBodyPull *spring)
{
    snBody_Pull(active(body), handleOf(body, point), spring);
}

static void push(snBody *body, int point, snVec3 force)
{
    snBody_Push(active(body), handleOf(body, point), force);
}

static void advance(snBody *body)
{
    snBody_Advance(active(body));
    show((LevelsBody *)body);
}

static void finish(snBody *body, snBodyReport *report)
{
    snBody_Finish(active(body), report);
}

static void setLevel(snBody *body, int level)
{
    LevelsBody *self = (LevelsBody *)body;
    while (self->level != level) {
        bool down = level > self->level;
        int next = self->level + (down ? 1 : -1), rung = down ? self->level : next;
        snSkinBody_Follow(self->levels[next], self->levels[self->level]);
        snSkinRung_Carry(&self->rungs[rung], skinOf(self, self->level), skinOf(self, next), down);
        self->level = next;
    }
    show(self);
}

// ---- putting and measuring ----------------------------------------------------------------------

static void put(snBody *body, const snAffine *place)
{
    LevelsBody *self = (LevelsBody *)body;
    for (int k = 0; k < self->count; k++)
        snBody_Put(self->levels[k], place);
    show(self);
}

static snStatus reserveFields(snBody *body, snError *error)
{
    LevelsBody *self = (LevelsBody *)body;
    snStatus status = SN_OK;
    for (int k = 0; k < self->count && !status; k++)
        status = snBody_ReserveFields(self->levels[k], error);
    return status;
}

static void act(snBody *body, const snFields *fields)
{
    snBody_Act(active(body), fields);
}

static bool carry(snBody *body, const snAffine *motion)
{
    LevelsBody *self = (LevelsBody *)body;
    for (int k = 0; k < self->count; k++)
        snBody_Carry(self->levels[k], motion);
    return true;
}

static bool go(snBody *body, const snAffine *place, snAffine *stands)
{
    LevelsBody *self = (LevelsBody *)body;
    bool led = false;
    for (int k = 0; k < self->count; k++)
        led = snBody_Go(self->levels[k], place, stands);
    return led;
}

static void setVelocity(snBody *body, snVec3 velocity, snVec3 spin)
{
    snBody_SetVelocity(active(body), velocity, spin);
    show((LevelsBody *)body);
}

static snVec3 vertex(const snBody *body, int v)
{
    return snBody_Vertex(((const LevelsBody *)body)->levels[0], v);
}

static void measure(snBody *body, snBodyMeasure *measure)
{
    snBody_Measure(active(body), measure);
}

// ---- state --------------------------------------------------------------------------------------

static size_t handleBytes(const LevelsBody *self)
{
    return (size_t)self->body.mostPoints * (size_t)self->count * sizeof(int);
}

static size_t saveSize(const snBody *body)
{
    const LevelsBody *self = (const LevelsBody *)body;
    size_t size = sizeof self->level + handleBytes(self);
    for (int k = 0; k < self->count; k++)
        size += snBody_SaveSize(self->levels[k]);
    return size;
}

static void save(const snBody *body, void *bytes)
{
    const LevelsBody *self = (const LevelsBody *)body;
    char *at = bytes;
    memcpy(at, &self->level, sizeof self->level);
    at += sizeof self->level;
    memcpy(at, self->handles, handleBytes(self));
    at += handleBytes(self);
    for (int k = 0; k < self->count; at += snBody_SaveSize(self->levels[k++]))
        snBody_Save(self->levels[k], at);
}

static snStatus restore(snBody *body, const void *bytes, snError *error)
{
    LevelsBody *self = (LevelsBody *)body;
    const char *at = bytes;
    int level;
    memcpy(&level, at, sizeof level);
    if (level < 0 || level >= self->count)
        return snFail(error, SN_ERROR_FORMAT, "body \"%s\" has %d levels and was saved at level %d",
                      body->name, self->count, level);
    self->level = level;
    at += sizeof level;
    memcpy(self->handles, at, handleBytes(self));
    at += handleBytes(self);
    snStatus status = SN_OK;
    for (int k = 0; k < self->count && !status; at += snBody_SaveSize(self->levels[k++]))
        status = snBody_Restore(self->levels[k], at, error);
    return status;
}

static const snBodyKind levelsKind = {.name = "skin",
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
                                      .setLevel = setLevel,
                                      .put = put,
                                      .carry = carry,
                                      .reserveFields = reserveFields,
                                      .act = act,
                                      .go = go,
                                      .setVelocity = setVelocity,
                                      .vertex = vertex,
                                      .measure = measure,
                                      .saveSize = saveSize,
                                      .save = save,
                                      .restore = restore};

// ---- making -------------------------------------------------------------------------------------

static double massOf(const snElasticSkin *skin)
{
    double sum = 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        sum += skin->mass[i];
    return sum;
}

// Faces of fewer points are flatter, or farther out: all of it weighs the same nevertheless.
static void weighAlike(const snElasticSkin *fine, snElasticSkin *coarse)
{
    double ratio = massOf(fine) / massOf(coarse);
    for (int i = 0; i < coarse->mesh->pointCount; i++)
        coarse->points[i].mass *= ratio;
    snElasticSkin_Load(coarse);
}

static snStatus build(LevelsBody *self, const snContext *context, snError *error)
{
    int handles = self->levels[0]->mostPoints * self->count;
    self->handles = SN_NEW(&self->arena, int, handles);
    if (!self->handles) return snFailMemory(error);
    for (int i = 0; i < handles; i++)
        self->handles[i] = -1;
    snStatus status = SN_OK;
    for (int k = 0; k + 1 < self->count && !status; k++) {
        snSkinAtRest fine = snSkinBody_AtRest(self->levels[k]);
        snSkinAtRest coarse = snSkinBody_AtRest(self->levels[k + 1]);
        status = snSkinRung_Make(&self->rungs[k], fine, coarse, &self->arena, context, error);
        if (!status) weighAlike(skinOf(self, k), skinOf(self, k + 1));
    }
    return status;
}

snStatus snSkinLevels_Make(snBody **out, int count, snBody *const *levels, const snContext *context,
                           snError *error)
{
    snArena arena = snMakeArena(context);
    LevelsBody *self = SN_NEW(&arena, LevelsBody, 1);
    *out = NULL;
    if (!self) {
        for (int k = 0; k < count; k++)
            snBody_Destroy(levels[k]);
        return snFailMemory(error);
    }
    SN_ASSERT(count >= 1 && count <= SN_SKIN_LEVELS);
    *self = (LevelsBody){.arena = arena, .count = count};
    memcpy(self->levels, levels, (size_t)count * sizeof *levels);
    self->body = *levels[0];
    self->body.kind = &levelsKind;
    self->body.levelCount = count;
    self->body.constantMatrix = false; // other masses at every level
    snStatus status = build(self, context, error);
    if (status)
        destroyBody(&self->body);
    else
        *out = &self->body;
    return status;
}
