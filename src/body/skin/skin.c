#include "body/skin/skin.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/hash.h"

#include <string.h>

snElasticSkinDef snDefaultElasticSkinDef(void)
{
    snOdeControl control = snDefaultOdeControl();
    control.place = 1e-3;
    control.pace = 0.25;
    control.least = 1e-5;
    control.mostForced = 8; // characters whose skins can be computed have none
    control.settle = 0.6;
    control.linear = 1e-2;
    return (snElasticSkinDef){.gravity = {0, -9.81, 0},
                              .friction = 5.0,
                              .fold = snDefaultSkinFoldDef(),
                              .correction = 0.01,
                              .method = SN_ODE_VERLET,
                              .control = control};
}

// ---- making -------------------------------------------------------------------------------------

static bool isFinitePoint(const snSkinPoint *p)
{
    double sum = p->damping + p->bending + p->curvature + p->fat + p->bandStiffness +
                 p->bandDamping + p->bandLength;
    for (int i = 0; i < 3; i++)
        sum += p->elasticity[i] + p->metric[i] + p->viscosity[i];
    return isfinite(sum) && snIsFinite3(p->attach) && snIsFinite3(p->pin);
}

static bool isOnSurface(const snElasticSkinDef *def, const snSkinPoint *p)
{
    return def->under && p->muscle == SN_SKIN_SURFACE && p->face >= 0 &&
           p->face < def->under->triangleCount;
}

static snStatus checkPoints(const snElasticSkinDef *def, snError *error)
{
    for (int i = 0; i < def->mesh->pointCount; i++) {
        const snSkinPoint *p = &def->points[i];
        if (!(p->mass > 0.0 && isfinite(p->mass)))
            return snFail(error, SN_ERROR_ARGUMENT, "points[%d].mass is %g; it must be above 0", i,
                          p->mass);
        if (!isFinitePoint(p) || !snIsFinite3(def->places[i]))
            return snFail(error, SN_ERROR_ARGUMENT, "points[%d] has numbers that are not finite",
                          i);
        if ((p->muscle >= def->muscleCount && !isOnSurface(def, p)) || p->frame >= def->frameCount)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "points[%d] is on muscle %d and frame %d; there are %d and %d", i,
                          p->muscle, p->frame, def->muscleCount, def->frameCount);
        if (!(def->mesh->area[i] > 0.0))
            return snFail(error, SN_ERROR_GEOMETRY, "points[%d] is on no face; leave it out", i);
    }
    return SN_OK;
}

static void odeForce(void *context, double t, const double *y, const double *v, double *f);
static void odeLinearise(void *context, double t, const double *y, const double *v);
static void odeDerivative(void *context, double a, double b, const double *x, double *f);
static void odeDiagonal(void *context, double a, double b, double *out);
static double odeFinish(void *context, double t, double h, double *y, double *v);
static snSkinContact contactOf(snElasticSkin *skin);
static void odeAccept(void *context);

static bool allocate(snElasticSkin *skin)
{
    snArena *arena = &skin->arena;
    size_t n = (size_t)skin->mesh->pointCount;
    // places, velocities, touching, what leapfrog remembers, samples touching, the step
    size_t samples = 9 * n + SN_ODE_MEMORY(3 * n);
    skin->stateCount = samples + 3 * (size_t)skin->cover.count + 1;
    skin->state = SN_NEW(arena, double, skin->stateCount);
    skin->inverseMass = SN_NEW(arena, double, 3 * n);
    skin->mass = SN_NEW(arena, double, n);
    skin->drag = SN_NEW(arena, double, n);
    skin->ties = SN_NEW(arena, snSkinTie, n);
    skin->bandFrom = SN_NEW(arena, snVec3, n);
    skin->bandTo = SN_NEW(arena, snVec3, n);
    skin->bandPace = SN_NEW(arena, snVec3, n);
    skin->linear = SN_NEW(arena, snVec3, n);
    skin->bands = SN_NEW(arena, snSkinBand, n);
    skin->touched = SN_NEW(arena, snVec3, n);
    skin->heldUp = SN_NEW(arena, bool, n);
    skin->projected = SN_NEW(arena, snVec3, n);
    skin->led = SN_NEW(arena, bool, n);
    skin->wasLed = SN_NEW(arena, bool, n);
    skin->ledTo = SN_NEW(arena, snVec3, n);
    skin->mostPulls = 64;
    skin->pulls = SN_NEW(arena, snSkinPull, skin->mostPulls);
    if (!skin->state || !skin->inverseMass || !skin->mass || !skin->drag || !skin->ties ||
        !skin->bandFrom || !skin->bandTo || !skin->bandPace || !skin->linear || !skin->bands ||
        !skin->touched || !skin->heldUp || !skin->projected || !skin->led || !skin->wasLed ||
        !skin->ledTo || !skin->pulls)
        return false;
    skin->places = (snVec3 *)skin->state;
    skin->velocities = skin->places + n;
    skin->touching = skin->velocities + n;
    skin->cover.touching = (snVec3 *)(skin->state + samples);
    skin->stepLength = skin->state + skin->stateCount - 1;
    return true;
}

static snStatus makeOde(snElasticSkin *skin, const snContext *context, snError *error)
{
    snOdeSystem system = {.size = 3 * skin->mesh->pointCount,
                          .inverseMass = skin->inverseMass,
                          .force = odeForce,
                          .linearise = odeLinearise,
                          .derivative = odeDerivative,
                          .diagonal = odeDiagonal,
                          .context = skin};
    snStatus status = snOde_Make(&skin->ode, &system, context, error);
    if (!status) skin->ode.memory = skin->state + 9 * (size_t)skin->mesh->pointCount;
    return status;
}

static snStatus build(snElasticSkin *skin, const snElasticSkinDef *def, const snContext *context,
                      snError *error)
{
    snArena *arena = &skin->arena;
    skin->mesh = def->mesh;
    snStatus status = checkPoints(def, error);
    if (!status) {
        skin->points = SN_COPY(arena, snSkinPoint, def->points, def->mesh->pointCount);
        skin->built = SN_COPY(arena, snSkinPoint, def->points, def->mesh->pointCount);
        skin->stiffness = 1.0;
        if (!skin->points || !skin->built) status = snFailMemory(error);
    }
    if (!status) status = snSkinElastic_Make(&skin->elastic, def->mesh, arena, error);
    if (!status)
        status = snSkinMuscles_Make(&skin->muscles, def->muscleCount, def->muscles, def->frameCount,
                                    def->frames, arena, error);
    if (!status)
        status = snSkinCull_Make(&skin->cull, def->mesh->pointCount, def->places, def->muscleCount,
                                 arena, error);
    if (!status && def->bulge != 0.0) {
        snSkinContact contact = contactOf(skin);
        status = snSkinCover_Make(&skin->cover, &contact, def->places, def->bulge, arena, error);
    }
    if (!status && !allocate(skin)) status = snFailMemory(error);
    if (!status && def->under)
        status = snSkinUnder_Make(&skin->under, def->under, def->mesh->pointCount, arena, error);
    skin->folds = def->fold.on;
    if (!status && skin->folds)
        status = snSkinFold_Make(&skin->fold, &def->fold, def->mesh, def->places, arena, error);
    if (!status) status = makeOde(skin, context, error);
    return status;
}

snStatus snElasticSkin_Make(snElasticSkin **out, const snElasticSkinDef *def,
                            const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snElasticSkin *skin = SN_NEW(&arena, snElasticSkin, 1);
    if (!skin) return snFailMemory(error);
    *skin = (snElasticSkin){.arena = arena,
                            .gravity = def->gravity,
                            .push = {def->restitution, 1.0, def->correction},
                            .friction = def->friction,
                            .method = def->method,
                            .control = def->control};
    snStatus status = build(skin, def, context, error);
    if (status) {
        snElasticSkin_Destroy(skin);
        return status;
    }
    memcpy(skin->places, def->places, (size_t)def->mesh->pointCount * sizeof(snVec3));
    snElasticSkin_Load(skin);
    skin->elastic.volume =
        def->volume > 0.0 ? def->volume : snSkinElastic_Volume(&skin->elastic, skin->places);
    skin->elastic.pressure = skin->elastic.volume > 0.0 ? def->pressure : 0.0;
    skin->control.finish = odeFinish;
    skin->control.accept = odeAccept;
    snElasticSkin_Settle(skin);
    *out = skin;
    return SN_OK;
}

void snElasticSkin_Destroy(snElasticSkin *skin)
{
    if (!skin) return;
    snOde_Destroy(&skin->ode);
    snArena_DestroyWithin(&skin->arena);
}

static snSkinTie tieOf(const snSkinPoint *p, double area)
{
    if (p->muscle < 0 || !(p->bandStiffness > 0.0 || p->bandDamping > 0.0))
        return (snSkinTie){0.0, 0.0, INFINITY};
    return (snSkinTie){area * p->bandStiffness, area * p->bandDamping, p->bandLength};
}

void snElasticSkin_Load(snElasticSkin *skin)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        skin->mass[i] = skin->mesh->area[i] * skin->points[i].mass;
        skin->drag[i] = skin->mesh->area[i] * skin->points[i].damping;
        skin->ties[i] = tieOf(&skin->points[i], skin->mesh->area[i]);
    }
    snSkinElastic_Load(&skin->elastic, skin->points);
}

void snElasticSkin_SetStiffness(snElasticSkin *skin, double factor)
{
    if (factor == skin->stiffness) return;
    skin->stiffness = factor;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *from = &skin->built[i];
        snSkinPoint *to = &skin->points[i];
        *to = *from;
        for (int k = 0; k < 3; k++) {
            to->elasticity[k] = factor * from->elasticity[k];
            to->viscosity[k] = factor * from->viscosity[k];
        }
        to->bending = factor * from->bending;
        to->bandStiffness = factor * from->bandStiffness;
        to->bandDamping = factor * from->bandDamping;
    }
    snElasticSkin_Load(skin);
}

// ---- what the integrator asks for ---------------------------------------------------------------

static double now(const snElasticSkin *skin)
{
    return skin->clock ? skin->clock() : 0.0;
}

static double shareOf(const snElasticSkin *skin, double t)
{
    return skin->length > 0.0 ? t / skin->length : 1.0;
}

// A point that lies on a muscle and is pressed on it is held up: what presses has no effect, so that it neither sinks in
// to be pushed out again nor sets the pace of the integrator. So are samples of faces.
static void holdUp(snElasticSkin *skin, snVec3 *force)
{
    snSkinCover_HoldUp(&skin->cover, skin->inverseMass, force);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        double into = snDot(force[i], skin->touching[i]);
        skin->heldUp[i] = into < 0.0;
        if (into < 0.0) force[i] = snMulAdd(force[i], -into, skin->touching[i]);
    }
}

static void project(const snElasticSkin *skin, const snVec3 *from, snVec3 *to)
{
    for (int i = 0; i < skin->mesh->pointCount; i++)
        to[i] = skin->heldUp[i]
                    ? snMulAdd(from[i], -snDot(from[i], skin->touching[i]), skin->touching[i])
                    : from[i];
}

static void odeForce(void *context, double t, const double *y, const double *v, double *f)
{
    snElasticSkin *skin = context;
    double begin = now(skin);
    snElasticSkin_Force(skin, shareOf(skin, t), (const snVec3 *)y, (const snVec3 *)v, (snVec3 *)f);
    holdUp(skin, (snVec3 *)f);
    skin->count.forceSeconds += now(skin) - begin;
}

static void odeLinearise(void *context, double t, const double *y, const double *v)
{
    snElasticSkin *skin = context;
    snElasticSkin_Linearise(skin, shareOf(skin, t), (const snVec3 *)y, (const snVec3 *)v);
}

// P Q f' Qᵀ P with the projections P of points and Q of samples (cover.c) that are held up, so that it stays symmetric.
static void odeDerivative(void *context, double a, double b, const double *x, double *f)
{
    snElasticSkin *skin = context;
    double begin = now(skin);
    project(skin, (const snVec3 *)x, skin->projected);
    snSkinCover_Still(&skin->cover, skin->inverseMass, skin->projected);
    snElasticSkin_Derivative(skin, a, b, skin->projected, (snVec3 *)f);
    snSkinCover_Hold(&skin->cover, skin->inverseMass, (snVec3 *)f);
    project(skin, (const snVec3 *)f, (snVec3 *)f);
    skin->count.forceSeconds += now(skin) - begin;
}

static void odeDiagonal(void *context, double a, double b, double *out)
{
    snElasticSkin_Diagonal(context, a, b, (snVec3 *)out);
}

static snSkinContact contactOf(snElasticSkin *skin)
{
    return (snSkinContact){.mesh = skin->mesh,
                           .points = skin->points,
                           .inverseMass = skin->inverseMass,
                           .muscles = &skin->muscles,
                           .push = skin->push,
                           .length = skin->length,
                           .pressed = skin->length > 0.0 ? skin->heldUp : NULL,
                           .touched = skin->touched};
}

// Points last: they are where they may be afterwards. Faces are watched once in a substep.
static double pushAll(snElasticSkin *skin, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                      snSkinPushCount *count)
{
    double longest = 0.0;
    if (!contact->again) longest = snSkinCover_Push(&skin->cover, contact, r, v, count);
    longest = fmax(longest, snSkinCull_Push(&skin->cull, contact, r, v, count));
    if (snSkinUnder_IsThere(&skin->under))
        longest = fmax(longest, snSkinUnder_Push(&skin->under, contact, r, v));
    return longest;
}

static double pushOut(snElasticSkin *skin, snSkinContact *contact, snVec3 *r, snVec3 *v)
{
    double begin = now(skin);
    double longest = pushAll(skin, contact, r, v, &skin->count.push);
    skin->count.pushSeconds += now(skin) - begin;
    contact->push.slide = 1.0; // friction counts once
    contact->again = true;
    return skin->push.limit > 0.0 ? longest / skin->push.limit : 0.0;
}

// Layers are parted and points put out of muscles in turn: projections onto the conditions of both, one after the other, which cannot
// run away (fold.c). Last come muscles. What is short of its gap by much asks for a shorter step, and so does what would pass
// through after all of it; where steps are not shortened any more, it is stopped.
#define FOLD_ROUNDS 16
#define FOLD_WHOLE 6  // of them those in which whole thicknesses are asked for; then ...
#define FOLD_HARD 0.3 // ... this share: what is nearest goes first where there is no room for all
#define FOLD_ENOUGH                                                                                \
    0.3 // of what may be recovered: what was missing less does not ask for another round
#define FOLD_STOPS 12   // rounds in which what still passes through is stopped
#define FOLD_LIMIT 0.25 // thicknesses: what was missing more asks for a shorter step
#define FOLD_LEAST 1e-4 // s: no shorter steps are asked for

static void settleLayers(snElasticSkin *skin, snSkinContact *contact, const snFoldMove *move,
                         double deep, double *far)
{
    for (int k = 1; k <= FOLD_ROUNDS && deep > 0.0; k++) {
        double share = k < FOLD_WHOLE ? 1.0 : FOLD_HARD;
        *far = fmax(*far, pushOut(skin, contact, move->to, move->velocities));
        if (k == FOLD_ROUNDS || deep <= FOLD_ENOUGH) return;
        deep = snSkinFold_Again(&skin->fold, move, share);
    }
}

// How many still pass through.
static int stopLayers(snElasticSkin *skin, snSkinContact *contact, const snFoldMove *move,
                      double *far)
{
    int left = snSkinFold_Crossings(&skin->fold, move, true);
    for (int k = 1; k <= FOLD_STOPS && left; k++) {
        *far = fmax(*far, pushOut(skin, contact, move->to, move->velocities));
        left = snSkinFold_Crossings(&skin->fold, move, k < FOLD_STOPS);
    }
    return left;
}

static double partLayers(snElasticSkin *skin, snSkinContact *contact, double h, snVec3 *r,
                         snVec3 *v, double far)
{
    snSkinFold *fold = &skin->fold;
    bool shorter = h > FOLD_LEAST && !(skin->control.fixed > 0.0);
    snFoldMove move = {skin->places, r, v, skin->inverseMass, h};
    int64_t dropped = fold->count.dropped;
    double deep = snSkinFold_Begin(fold, &move);
    double missing = shorter ? fold->longest / (FOLD_LIMIT * fold->thickness) : 0.0;
    if (shorter &&
        fold->count.dropped > dropped) { // points went so far that too many pairs might meet
        fold->found = false;
        missing = fmax(missing, 2.0);
    }
    if (deep > 0.0 && missing <= 1.0) {
        settleLayers(skin, contact, &move, deep, &far);
        if (!shorter)
            fold->count.left += stopLayers(skin, contact, &move, &far);
        else if (snSkinFold_Crossings(fold, &move, false))
            missing = 2.0;
    }
    return fmax(far, missing);
}

static double odeFinish(void *context, double t, double h, double *y, double *v)
{
    snElasticSkin *skin = context;
    double share = fmin(shareOf(skin, t), 1.0);
    snSkinMuscles_At(&skin->muscles, share);
    if (snSkinUnder_IsThere(&skin->under)) snSkinUnder_At(&skin->under, share);
    snSkinContact contact = contactOf(skin);
    contact.push.slide = snExp(-skin->friction * h);
    contact.substep = h;
    double far = pushOut(skin, &contact, (snVec3 *)y, (snVec3 *)v);
    return skin->folds ? partLayers(skin, &contact, h, (snVec3 *)y, (snVec3 *)v, far) : far;
}

static void odeAccept(void *context)
{
    snElasticSkin *skin = context;
    memcpy(skin->touching, skin->touched, (size_t)skin->mesh->pointCount * sizeof(snVec3));
    if (skin->cover.count)
        memcpy(skin->cover.touching, skin->cover.touched,
               (size_t)skin->cover.count * sizeof(snVec3));
}

// ---- a step -------------------------------------------------------------------------------------

// Points that are led go straight to where they are to be at the step's end.
static void leadPoints(snElasticSkin *skin, double length)
{
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        double inverse = 1.0 / skin->mass[i];
        if (p->frame >= 0 || skin->led[i]) {
            snVec3 to =
                skin->led[i] ? skin->ledTo[i] : snMulAP(skin->muscles.frame[1][p->frame], p->pin);
            skin->velocities[i] = snScale(1.0 / length, snSub(to, skin->places[i]));
            inverse = 0.0;
        }
        for (int c = 0; c < 3; c++)
            skin->inverseMass[3 * i + c] = inverse;
    }
}

static void placeBands(snElasticSkin *skin)
{
    double perSecond = skin->length > 0.0 ? 1.0 / skin->length : 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        skin->bandPace[i] = snVec(0, 0, 0);
        if (p->muscle == SN_SKIN_SURFACE) {
            snSkinUnder_Band(&skin->under, p, &skin->bandFrom[i], &skin->bandTo[i]);
            skin->bandPace[i] = snScale(perSecond, snSub(skin->bandTo[i], skin->bandFrom[i]));
        }
        if (p->muscle < 0 || p->muscle == SN_SKIN_SURFACE) continue;
        skin->bandFrom[i] = snMuscle_Place(&skin->muscles.edge[0][p->muscle], p->attach);
        skin->bandTo[i] = snMuscle_Place(&skin->muscles.edge[1][p->muscle], p->attach);
        skin->bandPace[i] = snScale(perSecond, snSub(skin->bandTo[i], skin->bandFrom[i]));
    }
}

// Explicit Euler makes fast vibrations grow that are damped by less than their pace times the step, and its estimate sees them only
// when they are large: it is judged by a smaller error of velocities.

static snOdeControl controlOf(const snElasticSkin *skin)
{
    snOdeControl control = skin->control;
    if (skin->method == SN_ODE_EULER) control.pace *= SN_SKIN_EULER_PACE;
    return control;
}

bool snElasticSkin_Step(snElasticSkin *skin, double length, const snAffine *frames,
                        const snSkinMuscle *shapes)
{
    snSkinMuscles_Aim(&skin->muscles, frames, shapes);
    skin->length = length;
    leadPoints(skin, length);
    placeBands(skin);
    skin->fold.found = false; // so that nothing of it is state
    snOdeControl control = controlOf(skin);
    bool good = snOde_Advance(&skin->ode, skin->method, &control, 0.0, length, skin->stepLength,
                              (double *)skin->places, (double *)skin->velocities);
    skin->count.ode = skin->ode.count;
    skin->count.fold = skin->fold.count;
    snSkinMuscles_Arrive(&skin->muscles);
    snSkinMuscles_At(&skin->muscles, 1.0);
    if (snSkinUnder_IsThere(&skin->under)) snSkinUnder_Arrive(&skin->under);
    skin->pulledCount = skin->pullCount;
    skin->pullCount = 0;
    memcpy(skin->wasLed, skin->led, (size_t)skin->mesh->pointCount * sizeof(bool));
    memset(skin->led, 0, (size_t)skin->mesh->pointCount * sizeof(bool));
    for (int i = 0; i < skin->mesh->pointCount && good; i++)
        good = snIsFinite3(skin->places[i]) && snIsFinite3(skin->velocities[i]);
    return good;
}

void snElasticSkin_Settle(snElasticSkin *skin)
{
    skin->length = 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        for (int c = 0; c < 3; c++)
            skin->inverseMass[3 * i + c] = skin->points[i].frame >= 0 ? 0.0 : 1.0 / skin->mass[i];
    placeBands(skin);
    snSkinMuscles_At(&skin->muscles, 1.0);
    snSkinContact contact = contactOf(skin);
    snSkinPushCount count = {0};
    if (snSkinUnder_IsThere(&skin->under)) snSkinUnder_At(&skin->under, 1.0);
    pushAll(skin, &contact, skin->places, NULL, &count);
    odeAccept(skin);
}

void snElasticSkin_AimUnder(snElasticSkin *skin, const snVec3 *places)
{
    snSkinUnder_Aim(&skin->under, places);
}

double snElasticSkin_Deepest(snElasticSkin *skin)
{
    snSkinContact contact = contactOf(skin);
    snSkinMuscles_At(&skin->muscles, 1.0);
    return snSkinCull_Deepest(&skin->cull, &contact, skin->places);
}

// ---- state --------------------------------------------------------------------------------------

static size_t frameBytes(const snElasticSkin *skin)
{
    return (size_t)skin->muscles.frameCount * sizeof(snAffine);
}

static size_t shapeBytes(const snElasticSkin *skin)
{
    return (size_t)skin->muscles.count * sizeof(snSkinMuscle);
}

size_t snElasticSkin_SaveSize(const snElasticSkin *skin)
{
    return skin->stateCount * sizeof(double) + frameBytes(skin) + shapeBytes(skin) +
           snSkinUnder_SaveSize(&skin->under);
}

void snElasticSkin_Save(const snElasticSkin *skin, void *bytes)
{
    char *at = bytes;
    size_t size = skin->stateCount * sizeof(double);
    memcpy(at, skin->state, size);
    memcpy(at + size, skin->muscles.frame[1], frameBytes(skin));
    memcpy(at + size + frameBytes(skin), skin->muscles.shape[1], shapeBytes(skin));
    snSkinUnder_Save(&skin->under, at + size + frameBytes(skin) + shapeBytes(skin));
}

void snElasticSkin_Restore(snElasticSkin *skin, const void *bytes)
{
    const char *at = bytes;
    size_t size = skin->stateCount * sizeof(double);
    memcpy(skin->state, at, size);
    memcpy(skin->muscles.frame[1], at + size, frameBytes(skin));
    memcpy(skin->muscles.shape[1], at + size + frameBytes(skin), shapeBytes(skin));
    snSkinMuscles_Aim(&skin->muscles, skin->muscles.frame[1], NULL);
    snSkinMuscles_Arrive(&skin->muscles);
    snSkinMuscles_At(&skin->muscles, 1.0);
    snSkinUnder_Restore(&skin->under, at + size + frameBytes(skin) + shapeBytes(skin));
}

uint64_t snElasticSkin_Hash(const snElasticSkin *skin)
{
    return snHash(SN_HASH_BEGIN, skin->state, skin->stateCount * sizeof(double));
}
