#include "body/skin/skin_links.h"

#include "body/saved.h"
#include "contact/solve.h"
#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"
#include "skeleton/limbs.h"
#include "skeleton/spatial.h"

#include <string.h>

#define CELLS 40   // of the space that muscles are in, along its longest side
#define LEAST 1e-3 // of the whole's mass: every joint has so much
#define ROWS 6     // of a muscle's samples
#define COLUMNS 8  //
#define SAMPLES SN_MUSCLE_VERTICES(ROWS, COLUMNS)
#define OVER 0.8     // from muscles out to the skin: where links touch
#define MOST 160     // contacts at a time
#define SWEEPS 200   // of their impulses, at most
#define SETTLED 1e-7 // m/s: sweeps end when none moves farther
#define OUT 0.2      // of a depth that is taken back in a step
#define SLOP 2e-4    // of the whole's size: so deep contacts rest

typedef struct Sample {
    int link;
    snVec3 place; // in its frame
} Sample;

typedef struct Contact {
    int link;
    snVec3 point, normal;
    double friction;
    double least;  // m/s, of the speed along the normal
    snVec3 freely; // m/s, relative to what it touches, without impulses
    bool held;     // by a hand: it is to be 0
} Contact;

struct snSkinLinks {
    snArena arena;
    snArticulated *tree;
    snArticulatedState *state;
    int count;
    const snSkeleton *skeleton;
    snJointRange *ranges; // [count]
    snStrength strength;
    double *inertia; // [count], kg m², of what hangs on a joint
    double *mass;    // [count], kg
    snVec3 *center;  // [count], of mass, in their frames
    double friction, size;
    int sampleCount, muscleSamples; // those of muscles first
    Sample *samples;
    int *linkOf; // [points of the skin], -1: it is fixed to a frame
    // Saved beside the links: what the skin gave them, about the world's origin; and what they were drawn to.
    snVec3 *force, *moment; // [count]
    snQuat *wanted;         // [count]
    // Of fields, in the coming step: about the world's origin; and D of field.h.
    bool acts;
    snVec3 *fieldForce, *fieldMoment; // [count]
    double *fieldDamping;             // [count]
    // Scratch.
    int holdCount; // contacts that hands are, the first of them
    int contactCount;
    Contact contacts[MOST];
    snContactRow rows[MOST]; // gaps and slips are speeds, m/s
    double *columns;         // [MOST][3 * size]
    double *change;          // [size]
    double deepest;
};

snSkinLinksDef snDefaultSkinLinksDef(const snSkeleton *skeleton)
{
    return (snSkinLinksDef){
        .skeleton = skeleton, .density = 1000, .friction = -1, .strength = snDefaultStrength()};
}

// ---- mass ---------------------------------------------------------------------------------------

// Mass points, added to a link: sums of m, m x and m x xᵀ in its frame.
typedef struct Heap {
    double mass;
    snVec3 sum;
    snMat3 square;
} Heap;

static void addMass(Heap *heap, double mass, snVec3 x)
{
    heap->mass += mass;
    heap->sum = snMulAdd(heap->sum, mass, x);
    heap->square = snAddMM(heap->square, snScaleM(mass, snOuter(x, x)));
}

// About its centre.
static void takeHeap(snLinkDef *link, const Heap *heap)
{
    snVec3 c = snScale(1 / heap->mass, heap->sum);
    snMat3 second = snAddMM(heap->square, snScaleM(-heap->mass, snOuter(c, c)));
    link->mass = heap->mass;
    link->center = c;
    link->inertia = snInertiaOf(second);
}

// Cells of a grid, each to the muscle in which its middle is deepest.
static void weighMuscles(const snElasticSkin *skin, double density, Heap *heaps)
{
    const snSkinMuscles *m = &skin->muscles;
    snBox box = snEmptyBox();
    for (int i = 0; i < m->count; i++)
        box = snBoxUnion(box, m->edge[0][i].bounds);
    snVec3 size = snSub(box.upper, box.lower);
    double cell = fmax(size.x, fmax(size.y, size.z)) / CELLS;
    int n[3] = {(int)(size.x / cell) + 1, (int)(size.y / cell) + 1, (int)(size.z / cell) + 1};
    for (int k = 0; m->count && k < n[0] * n[1] * n[2]; k++) {
        snVec3 x = {k % n[0] + 0.5, k / n[0] % n[1] + 0.5, k / (n[0] * n[1]) + 0.5};
        x = snMulAdd(box.lower, cell, x);
        int best = -1;
        double deepest = 0;
        for (int i = 0; i < m->count; i++) {
            if (!snBox_Contains(m->edge[0][i].bounds, x)) continue;
            double d = snMuscle_Distance(&m->edge[0][i], x);
            if (d < deepest) deepest = d, best = i;
        }
        if (best < 0) continue;
        int frame = m->shape[0][best].frame;
        snVec3 own = snMulAP(snInverseAffine(m->frame[0][frame]), x);
        addMass(&heaps[frame], density * cell * cell * cell, own);
    }
}

// Every joint has a little: a ball, where nothing hangs on it.
static void weighAll(snSkinLinks *l, const snElasticSkin *skin, double density, Heap *heaps)
{
    double total = 0;
    weighMuscles(skin, density, heaps);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        const snSkinPoint *p = &skin->points[i];
        if (p->frame >= 0) addMass(&heaps[p->frame], skin->mass[i], p->pin);
    }
    for (int j = 0; j < l->count; j++)
        total += heaps[j].mass;
    for (int j = 0; j < l->count; j++)
        for (int k = 0; k < 6; k++) {
            snVec3 at = {0, 0, 0};
            (&at.x)[k / 2] = (k % 2 ? -0.05 : 0.05) * l->size;
            addMass(&heaps[j], fmax(LEAST * total, 1e-6) / 6, at);
        }
}

// ---- samples ------------------------------------------------------------------------------------

// Vertices of muscles that are in no other one.
static void addMuscle(snSkinLinks *l, const snSkinMuscles *m, int i, snVec3 *places, int *triangles)
{
    int frame = m->shape[0][i].frame;
    snMuscle_Mesh(&m->edge[0][i], ROWS, COLUMNS, places, triangles);
    for (int k = 0; k < SAMPLES; k++) {
        bool inside = false;
        for (int o = 0; o < m->count && !inside; o++)
            inside = o != i && snMuscle_Value(&m->edge[0][o], places[k], NULL) < 0;
        if (inside) continue;
        snVec3 own = snMulAP(snInverseAffine(m->frame[0][frame]), places[k]);
        l->samples[l->sampleCount++] = (Sample){frame, own};
    }
}

// Where the skin lies over muscles as it stands, most of the way out to it: so much of it is pressed flat before links touch.
static void addSkin(snSkinLinks *l, const snElasticSkin *skin)
{
    const snSkinMuscles *m = &skin->muscles;
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        int muscle = skin->points[i].muscle;
        if (muscle < 0) continue;
        int frame = m->shape[0][muscle].frame;
        snVec3 normal, foot = snMuscle_Project(&m->edge[0][muscle], skin->places[i], &normal);
        snVec3 at = snLerp(foot, skin->places[i], OVER);
        l->samples[l->sampleCount++] =
            (Sample){frame, snMulAP(snInverseAffine(m->frame[0][frame]), at)};
    }
}

static snStatus findSamples(snSkinLinks *l, const snElasticSkin *skin, const snContext *context,
                            snError *error)
{
    const snSkinMuscles *m = &skin->muscles;
    snArena scratch = snMakeArena(context);
    snVec3 *places = SN_NEW(&scratch, snVec3, SAMPLES);
    int *triangles = SN_NEW(&scratch, int, 3 * SN_MUSCLE_TRIANGLES(ROWS, COLUMNS));
    l->samples = SN_NEW(&l->arena, Sample, m->count * SAMPLES + skin->mesh->pointCount);
    bool good = places && triangles && l->samples;
    for (int i = 0; i < m->count && good; i++)
        addMuscle(l, m, i, places, triangles);
    l->muscleSamples = l->sampleCount;
    if (good) addSkin(l, skin);
    snArena_Destroy(&scratch);
    return good ? SN_OK : snFailMemory(error);
}

// ---- making -------------------------------------------------------------------------------------

static snStatus makeTree(snSkinLinks *l, const snSkinLinksDef *def, const snElasticSkin *skin,
                         const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snLinkDef *links = SN_NEW(&scratch, snLinkDef, l->count);
    Heap *heaps = SN_NEW(&scratch, Heap, l->count);
    snLimbsDef limbs = snDefaultLimbsDef();
    limbs.ranges = l->ranges;
    limbs.freeRoot = true;
    snStatus status = links && heaps ? SN_OK : snFailMemory(error);
    if (!status) status = snSkeleton_Links(def->skeleton, &limbs, links, context, error);
    if (!status) weighAll(l, skin, def->density, heaps);
    for (int j = 0; j < l->count && !status; j++) {
        takeHeap(&links[j], &heaps[j]);
        l->mass[j] = links[j].mass;
        l->center[j] = links[j].center;
        links[j].drive = snDefaultLinkDef(0, SN_LINK_BALL).drive;
    }
    snArticulatedDef tree = {l->count, links};
    if (!status) status = snArticulated_Make(&l->tree, &tree, context, error);
    if (!status) status = snArticulatedState_Make(&l->state, l->tree, context, error);
    snArena_Destroy(&scratch);
    return status;
}

// What hangs on a joint turns about it as one piece.
static void findInertia(snSkinLinks *l)
{
    snArticulatedMeasure all;
    snArticulated_Measure(l->tree, l->state, snVec(0, 0, 0), &all);
    for (int j = 0; j < l->count; j++)
        l->inertia[j] = 0;
    for (int s = 0; s < l->muscleSamples; s++) { // as if its mass were at its samples, evenly
        const Sample *sample = &l->samples[s];
        snVec3 at = snMulAP(snArticulated_Frame(l->state, sample->link), sample->place);
        for (int j = sample->link; j >= 0; j = l->skeleton->joints[j].parent) {
            snVec3 arm = snSub(at, snArticulated_Frame(l->state, j).origin);
            l->inertia[j] += all.mass / l->muscleSamples * 2 / 3 * snLengthSquared(arm);
        }
    }
    for (int j = 0; j < l->count; j++)
        l->inertia[j] = fmax(l->inertia[j], LEAST * all.mass * l->size * l->size);
}

static snStatus build(snSkinLinks *l, const snSkinLinksDef *def, const snElasticSkin *skin,
                      const snContext *context, snError *error)
{
    snArena *arena = &l->arena;
    int n = skin->mesh->pointCount;
    l->size = snBoxDiagonal(snBoxOf(n, skin->places));
    l->ranges = SN_NEW(arena, snJointRange, l->count);
    l->inertia = SN_NEW(arena, double, l->count);
    l->linkOf = SN_NEW(arena, int, n);
    l->force = SN_NEW(arena, snVec3, l->count);
    l->moment = SN_NEW(arena, snVec3, l->count);
    l->wanted = SN_NEW(arena, snQuat, l->count);
    l->mass = SN_NEW(arena, double, l->count);
    l->center = SN_NEW(arena, snVec3, l->count);
    l->fieldForce = SN_NEW(arena, snVec3, l->count);
    l->fieldMoment = SN_NEW(arena, snVec3, l->count);
    l->fieldDamping = SN_NEW(arena, double, l->count);
    if (!l->mass || !l->center || !l->fieldForce || !l->fieldMoment || !l->fieldDamping)
        return snFailMemory(error);
    if (!l->ranges || !l->inertia || !l->linkOf || !l->force || !l->moment || !l->wanted)
        return snFailMemory(error);
    for (int j = 0; j < l->count; j++)
        l->ranges[j] = def->ranges ? def->ranges[j] : snFreeBall();
    for (int i = 0; i < n; i++) {
        const snSkinPoint *p = &skin->points[i];
        l->linkOf[i] = p->frame >= 0    ? -1
                       : p->muscle >= 0 ? skin->muscles.shape[0][p->muscle].frame
                                        : 0;
    }
    snStatus status = snStrength_Copy(&l->strength, &def->strength, l->count, arena, error);
    if (!status) status = makeTree(l, def, skin, context, error);
    if (!status) status = findSamples(l, skin, context, error);
    if (status) return status;
    size_t size = (size_t)snArticulated_Size(l->tree);
    l->columns = SN_NEW(arena, double, MOST * 3 * size);
    l->change = SN_NEW(arena, double, size);
    if (!l->columns || !l->change) return snFailMemory(error);
    findInertia(l);
    snSkinLinks_Put(l, skin->muscles.frame[0]);
    return SN_OK;
}

snStatus snSkinLinks_Make(snSkinLinks **out, const snSkinLinksDef *def, const snElasticSkin *skin,
                          const snContext *context, snError *error)
{
    *out = NULL;
    if (!(def->density > 0) || def->skeleton->jointCount != skin->muscles.frameCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "muscles of %g kg/m³ on %d joints under a skin of %d frames: the density is "
                      "above 0, and there are as many",
                      def->density, def->skeleton->jointCount, skin->muscles.frameCount);
    snStatus status = snStrength_Check(&def->strength, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snSkinLinks *l = SN_NEW(&arena, snSkinLinks, 1);
    if (!l) return snFailMemory(error);
    l->arena = arena;
    l->skeleton = def->skeleton;
    l->count = def->skeleton->jointCount;
    l->friction = def->friction;
    status = build(l, def, skin, context, error);
    if (status)
        snSkinLinks_Destroy(l);
    else
        *out = l;
    return status;
}

void snSkinLinks_Destroy(snSkinLinks *l)
{
    if (!l) return;
    snArticulatedState_Destroy(l->state);
    snArticulated_Destroy(l->tree);
    snArena_DestroyWithin(&l->arena);
}

// ---- poses --------------------------------------------------------------------------------------

static snQuat relativeTurn(const snSkinLinks *l, const snAffine *frames, int j)
{
    int parent = l->skeleton->joints[j].parent;
    snMat3 turn = frames[j].linear;
    if (parent >= 0) turn = snMulTMM(frames[parent].linear, turn);
    return snNormalizeQ(snQuatFromMat(turn));
}

static double angleOf(const snSkinLinks *l, int j, snQuat rotation)
{
    double angles[3];
    snJointRange_Read(&l->ranges[j], l->skeleton->joints[j].rest.rotation, rotation, angles);
    return angles[0];
}

static bool isHinge(const snSkinLinks *l, int j)
{
    return l->skeleton->joints[j].parent >= 0 && l->ranges[j].kind == SN_JOINT_HINGE;
}

void snSkinLinks_Put(snSkinLinks *l, const snAffine *frames)
{
    snLinkState *links = snArticulatedState_Links(l->state);
    snJointDrive *drives = snArticulatedState_Drives(l->state);
    for (int j = 0; j < l->count; j++) {
        l->wanted[j] = relativeTurn(l, frames, j);
        drives[j].place = frames[j].origin; // from there on its goal moves: no way, no velocity
        links[j] = (snLinkState){.rotation = l->wanted[j], .place = frames[j].origin};
        if (isHinge(l, j)) links[j].angle = angleOf(l, j, l->wanted[j]);
        l->force[j] = l->moment[j] = snVec(0, 0, 0);
    }
    snArticulated_Update(l->tree, l->state);
}

// What the skin gave them acts about the world's origin: Σ (R x + t) x R f = R m + t x R f.
void snSkinLinks_Carry(snSkinLinks *l, const snAffine *motion)
{
    snLinkState *links = snArticulatedState_Links(l->state);
    snJointDrive *drives = snArticulatedState_Drives(l->state);
    snQuat turn = snQuatFromMat(motion->linear);
    for (int j = 0; j < l->count; j++) {
        snVec3 force = snMulMV(motion->linear, l->force[j]);
        l->moment[j] = snAdd(snMulMV(motion->linear, l->moment[j]), snCross(motion->origin, force));
        l->force[j] = force;
        links[j].place = snMulAP(*motion, links[j].place);
        if (l->skeleton->joints[j].parent >= 0) continue;
        links[j].rotation = snNormalizeQ(snMulQQ(turn, links[j].rotation));
        links[j].velocity = snMulMV(motion->linear, links[j].velocity);
        l->wanted[j] = snNormalizeQ(snMulQQ(turn, l->wanted[j]));
        drives[j].target = snNormalizeQ(snMulQQ(turn, drives[j].target));
        drives[j].place = snMulAP(*motion, drives[j].place);
        drives[j].velocity = snMulMV(motion->linear, drives[j].velocity);
    }
    snArticulated_Update(l->tree, l->state);
}

bool snSkinLinks_Feel(const snSkinLinks *l, double time)
{
    snStrengthKey key = snStrength_At(&l->strength, time);
    bool any = key.hand * l->strength.hand > 0;
    for (int j = 0; j < l->count && !any; j++)
        any = key.strength * snStrength_Of(&l->strength, j) > 0;
    return any;
}

bool snSkinLinks_Change(const snSkinLinks *l, double from, double to)
{
    snStrengthKey a = snStrength_At(&l->strength, from), b = snStrength_At(&l->strength, to);
    return a.strength != b.strength || a.hand != b.hand;
}

void snSkinLinks_Want(snSkinLinks *l, const snAffine *wanted)
{
    snJointDrive *drives = snArticulatedState_Drives(l->state);
    for (int j = 0; j < l->count; j++) {
        l->wanted[j] = relativeTurn(l, wanted, j);
        if (l->skeleton->joints[j].parent < 0) drives[j].place = wanted[j].origin;
    }
}

static void aim(snSkinLinks *l, const snBodyStep *step, double time, const snAffine *wanted)
{
    snJointDrive *drives = snArticulatedState_Drives(l->state);
    snStrengthKey key = snStrength_At(&l->strength, time);
    snArticulatedMeasure m;
    snArticulated_Measure(l->tree, l->state, step->gravity, &m);
    for (int j = 0; j < l->count; j++) {
        bool root = l->skeleton->joints[j].parent < 0;
        double hand = 2 * SN_PI * key.hand * l->strength.hand;
        double rate = root ? hand : 2 * SN_PI * key.strength * snStrength_Of(&l->strength, j);
        snQuat turn = relativeTurn(l, wanted, j);
        snJointDrive *drive = &drives[j];
        snVec3 spin = snTurnFromTo(l->wanted[j], turn);
        double damping = root ? 0 : l->strength.damping;
        snStrengthSpring turning = snStrength_Spring(l->inertia[j], rate, damping);
        snStrengthSpring moving = snStrength_Spring(m.mass, rate, 0);
        drive->stiffness = turning.stiffness;
        drive->damping = turning.damping;
        drive->limits = 1e4 * l->inertia[j];
        drive->spin = rate > 0 ? snScale(1 / step->length, spin) : snVec(0, 0, 0);
        drive->target = turn;
        if (isHinge(l, j)) {
            double angle = angleOf(l, j, turn), before = angleOf(l, j, l->wanted[j]);
            drive->angle = angle;
            drive->spin = snVec(rate > 0 ? (angle - before) / step->length : 0, 0, 0);
        }
        l->wanted[j] = turn;
        if (!root) continue;
        drive->pull = moving.stiffness;
        drive->drag = moving.damping;
        drive->velocity = snScale(1 / step->length, snSub(wanted[j].origin, drive->place));
        if (!(rate > 0)) drive->velocity = snVec(0, 0, 0);
        drive->place = wanted[j].origin;
        double lifted = snStrength_Lifted(key.hand * l->strength.hand);
        snArticulated_Push(l->tree, l->state, j, m.center,
                           snScale(-lifted * m.mass, step->gravity));
    }
}

// ---- contacts -----------------------------------------------------------------------------------

// Samples that would be in a collider at the step's end; the deepest, where there are too many.
static void findContacts(snSkinLinks *l, const snBodyStep *step)
{
    double h = step->length, slop = SLOP * l->size;
    l->deepest = 0;
    for (int s = 0; s < l->sampleCount; s++) {
        int link = l->samples[s].link;
        snVec3 at = snMulAP(snArticulated_Frame(l->state, link), l->samples[s].place);
        snVec3 v = snArticulated_Velocity(l->state, link, at);
        for (int k = 0; k < step->colliderCount && l->contactCount < MOST; k++) {
            const snCollider *collider = &step->colliders[k];
            snTouch touch;
            if (!snCollider_Query(collider, at, h * snLength(v) + 2 * slop, &touch)) continue;
            double gap = touch.distance + slop;
            l->deepest = fmax(l->deepest, -touch.distance);
            Contact *c = &l->contacts[l->contactCount++];
            *c = (Contact){.link = link, .point = at, .normal = touch.normal};
            c->least = (snGapToAsk(gap, 0, -OUT * gap) - gap) / h;
            c->freely = snMulAdd(v, -1 / h, touch.move);
            c->friction = snMixFriction(l->friction, collider->friction);
        }
    }
}

void snSkinLinks_Release(snSkinLinks *l)
{
    l->holdCount = 0;
}

void snSkinLinks_Hold(snSkinLinks *l, int link, snVec3 point, snVec3 velocity)
{
    if (l->holdCount == MOST) return;
    l->contacts[l->holdCount++] =
        (Contact){.link = link, .point = point, .freely = velocity, .held = true};
}

// From the velocities that they are to have to how far links are from these without impulses.
static void findHolds(snSkinLinks *l)
{
    l->contactCount = l->holdCount;
    for (int i = 0; i < l->holdCount; i++) {
        Contact *c = &l->contacts[i];
        c->freely = snSub(snArticulated_Velocity(l->state, c->link, c->point), c->freely);
    }
    l->holdCount = 0;
}

static double *columnOf(const snSkinLinks *l, int contact)
{
    return l->columns + (size_t)contact * 3 * (size_t)snArticulated_Size(l->tree);
}

static snVec3 between(const void *context, int i)
{
    const snSkinLinks *l = context;
    const Contact *c = &l->contacts[i];
    return snAdd(c->freely, snArticulated_Change(l->tree, l->state, c->link, c->point, l->change));
}

static double act(void *context, int i, snVec3 impulse)
{
    const snSkinLinks *l = context;
    int size = snArticulated_Size(l->tree);
    const double *column = columnOf(l, i);
    snVec3 before = between(context, i);
    for (int k = 0; k < size; k++)
        l->change[k] +=
            column[k] * impulse.x + column[size + k] * impulse.y + column[2 * size + k] * impulse.z;
    return snDistance(before, between(context, i));
}

static snContactRow rowOf(const Contact *c, const snMat3 *response)
{
    double least = SN_ROW_SINGULAR * fabs(snTrace(*response));
    if (c->held) return snMakeTieRow(response, least);
    snContactRow row = snMakeContactRow(c->normal, c->friction, response, least);
    row.depth = c->least;
    return row;
}

// Where hands hold them links go with these; no faster into what they touch than their gaps allow, and along it as Coulomb has it. The answers of one tree are not negative: sweeps come
// nearer, and what they leave is small.
static void push(snSkinLinks *l, const snBodyStep *step)
{
    findHolds(l);
    findContacts(l, step);
    if (!l->contactCount) return;
    snArticulated_Prepare(l->tree, l->state, step->length);
    memset(l->change, 0, (size_t)snArticulated_Size(l->tree) * sizeof(double));
    for (int i = 0; i < l->contactCount; i++) {
        const Contact *c = &l->contacts[i];
        snArticulated_Column(l->tree, l->state, c->link, c->point, columnOf(l, i));
        snMat3 response =
            snArticulated_Response(l->tree, l->state, c->link, c->point, columnOf(l, i));
        l->rows[i] = rowOf(c, &response);
    }
    snContactSystem system = {l->contactCount, l->rows, l, between, act};
    (void)snContactSystem_Solve(&system, SWEEPS, SETTLED);
    for (int i = 0; i < l->contactCount; i++)
        snArticulated_Strike(l->tree, l->state, columnOf(l, i), snContactRow_Impulse(&l->rows[i]));
}

// ---- a step -------------------------------------------------------------------------------------

void snSkinLinks_Step(snSkinLinks *l, const snBodyStep *step, double time, const snAffine *wanted,
                      snAffine *frames)
{
    snArticulatedStep own = {.length = step->length, .gravity = step->gravity};
    aim(l, step, time, wanted);
    for (int j = 0; j < l->count; j++) { // of the last step: a force and a moment about the origin
        snVec3 at = snArticulated_Frame(l->state, j).origin;
        snVec3 force = l->force[j], moment = l->moment[j];
        if (l->acts) force = snAdd(force, l->fieldForce[j]);
        if (l->acts) moment = snAdd(moment, l->fieldMoment[j]);
        snArticulated_Push(l->tree, l->state, j, at, force);
        snArticulated_Twist(l->tree, l->state, j, snSub(moment, snCross(at, force)));
    }
    snArticulated_Speed(l->tree, l->state, &own);
    push(l, step);
    snArticulated_Move(l->tree, l->state, &own);
    for (int j = 0; j < l->count; j++)
        frames[j] = snArticulated_Frame(l->state, j);
}

// ---- fields -------------------------------------------------------------------------------------

static void pushLink(snSkinLinks *l, int j, snVec3 at, snVec3 force)
{
    l->fieldForce[j] = snAdd(l->fieldForce[j], force);
    l->fieldMoment[j] = snAdd(l->fieldMoment[j], snCross(at, force));
}

// A link's damping is that of all that is blown at it, against its own mass, which is no less than light.
static void blowAt(snSkinLinks *l, const snElasticSkin *skin, const snAirSurface *air, double h)
{
    memset(l->fieldDamping, 0, (size_t)l->count * sizeof(double));
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        int j = skin->points[i].frame;
        if (j < 0) continue;
        pushLink(l, j, skin->places[i], air->forces[i]);
        l->fieldDamping[j] += air->damping[i];
    }
    for (int j = 0; j < l->count; j++) {
        double share = l->mass[j] / fmax(l->mass[j], h * l->fieldDamping[j]);
        l->fieldForce[j] = snScale(share, l->fieldForce[j]);
        l->fieldMoment[j] = snScale(share, l->fieldMoment[j]);
    }
}

void snSkinLinks_Act(snSkinLinks *l, const snElasticSkin *skin, const snFields *fields,
                     const snAirSurface *air, double length)
{
    l->acts = fields != NULL;
    if (!fields) return;
    memset(l->fieldForce, 0, (size_t)l->count * sizeof *l->fieldForce);
    memset(l->fieldMoment, 0, (size_t)l->count * sizeof *l->fieldMoment);
    if (air) blowAt(l, skin, air, length);
    for (int j = 0; j < l->count && snFields_HaveMass(fields); j++) {
        snVec3 at = snMulAP(snArticulated_Frame(l->state, j), l->center[j]);
        pushLink(l, j, at, snScale(l->mass[j], snFields_Acceleration(fields, at)));
    }
}

// Forces from outside at a point of the skin, at the step's end.
static snVec3 pulledBy(const snElasticSkin *skin, int point, double length)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < skin->pulledCount; k++) {
        const snSkinPull *p = &skin->pulls[k];
        snVec3 at = snCombine(3, p->corner, p->share, skin->places);
        snVec3 v = snCombine(3, p->corner, p->share, skin->velocities);
        snVec3 pace = snScale(1 / length, snSub(p->to, p->from));
        snVec3 force = snMulAdd(p->force, p->stiffness, snSub(p->to, at));
        force = snMulAdd(force, -p->damping, snSub(v, pace));
        for (int c = 0; c < 3; c++)
            if (p->corner[c] == point) sum = snMulAdd(sum, p->share[c], force);
    }
    return sum;
}

// A point that a hand holds does not tell by its motion what it gets: what it has of forces but its weight is its neighbours', which get it from
// here, and its link's.
void snSkinLinks_React(snSkinLinks *l, const snElasticSkin *skin, const snVec3 *before,
                       const snVec3 *forces, double length)
{
    for (int j = 0; j < l->count; j++)
        l->force[j] = l->moment[j] = snVec(0, 0, 0);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        int j = snSkinLinks_Of(l, skin, i);
        if (l->linkOf[i] < 0 && skin->wasLed[i]) continue; // the link is held
        if (l->linkOf[i] < 0) { // it goes with the link, which feels what pulls it
            snVec3 pull = pulledBy(skin, i, length);
            l->force[j] = snAdd(l->force[j], pull);
            l->moment[j] = snAdd(l->moment[j], snCross(skin->places[i], pull));
            continue;
        }
        snVec3 change = snScale(1 / length, snSub(skin->velocities[i], before[i]));
        snVec3 got = snScale(skin->mass[i], snSub(change, skin->gravity));
        if (skin->fields) got = snMulAdd(got, -skin->mass[i], skin->fields[i]);
        if (skin->pulledCount) got = snSub(got, pulledBy(skin, i, length));
        if (skin->wasLed[i]) got = snMulAdd(forces[i], -skin->mass[i], skin->gravity);
        l->force[j] = snSub(l->force[j], got);
        l->moment[j] = snSub(l->moment[j], snCross(skin->places[i], got));
    }
}

void snSkinLinks_SetVelocity(snSkinLinks *l, snVec3 center, snVec3 velocity, snVec3 spin)
{
    snLinkState *links = snArticulatedState_Links(l->state);
    for (int j = 0; j < l->count; j++) {
        links[j].spin = links[j].velocity = snVec(0, 0, 0);
        if (l->skeleton->joints[j].parent >= 0) continue;
        links[j].velocity = snAdd(velocity, snCross(spin, snSub(links[j].place, center)));
        links[j].spin = snRotate(snConjugate(links[j].rotation), spin);
    }
    snArticulated_Update(l->tree, l->state);
}

void snSkinLinks_Measure(const snSkinLinks *l, snArticulatedMeasure *measure)
{
    snArticulated_Measure(l->tree, l->state, snVec(0, 0, 0), measure);
}

snVec3 snSkinLinks_Owed(const snSkinLinks *l, double length)
{
    snVec3 sum = {0, 0, 0};
    for (int j = 0; j < l->count; j++)
        sum = snMulAdd(sum, length, l->force[j]);
    return sum;
}

double snSkinLinks_Deepest(const snSkinLinks *l)
{
    return l->deepest;
}

void snSkinLinks_Turn(const snSkinLinks *l, double *change, double time,
                      const snArticulatedMeasure *want)
{
    snLinkState *links = snArticulatedState_Links(l->state);
    snArticulatedMeasure is;
    snArticulated_Shift(l->tree, l->state, change, time);
    for (int i = 0; i < snArticulated_Size(l->tree); i++)
        change[i] = -change[i];
    snArticulated_Shift(l->tree, l->state, change, 0);
    snSkinLinks_Measure(l, &is);
    snVec3 more = snSub(want->momentum, is.momentum), by = snScale(1 / is.mass, more);
    snVec3 turn = snSub(snSub(want->angularMomentum, is.angularMomentum), snCross(is.center, more));
    bool turns = snDet(is.inertia) > 0;
    snVec3 spin = turns ? snMulMV(snInverse3(is.inertia), turn) : snVec(0, 0, 0);
    for (int j = 0; j < l->count; j++) {
        if (l->skeleton->joints[j].parent >= 0) continue;
        snVec3 here = snAdd(by, snCross(spin, snSub(links[j].place, is.center)));
        links[j].velocity = snAdd(links[j].velocity, here);
        links[j].spin = snAdd(links[j].spin, snRotate(snConjugate(links[j].rotation), spin));
    }
    snArticulated_Update(l->tree, l->state);
}

int snSkinLinks_Of(const snSkinLinks *l, const snElasticSkin *skin, int point)
{
    return l->linkOf[point] >= 0 ? l->linkOf[point] : skin->points[point].frame;
}

snArticulated *snSkinLinks_Tree(const snSkinLinks *l, snArticulatedState **state)
{
    *state = l->state;
    return l->tree;
}

// ---- state --------------------------------------------------------------------------------------

#define PARTS 5

static void listParts(const snSkinLinks *l, snSavedPart parts[PARTS])
{
    size_t n = (size_t)l->count;
    parts[0] = (snSavedPart){snArticulatedState_Links(l->state), n * sizeof(snLinkState)};
    parts[1] = (snSavedPart){snArticulatedState_Drives(l->state), n * sizeof(snJointDrive)};
    parts[2] = (snSavedPart){l->force, n * sizeof(snVec3)};
    parts[3] = (snSavedPart){l->moment, n * sizeof(snVec3)};
    parts[4] = (snSavedPart){l->wanted, n * sizeof(snQuat)};
}

size_t snSkinLinks_SaveSize(const snSkinLinks *l)
{
    snSavedPart parts[PARTS];
    listParts(l, parts);
    return snSaved_Size(PARTS, parts);
}

void snSkinLinks_Save(const snSkinLinks *l, void *bytes)
{
    snSavedPart parts[PARTS];
    listParts(l, parts);
    snSaved_Write(PARTS, parts, bytes);
}

void snSkinLinks_Restore(snSkinLinks *l, const void *bytes)
{
    snSavedPart parts[PARTS];
    listParts(l, parts);
    snSaved_Read(PARTS, parts, bytes);
    snArticulated_Update(l->tree, l->state);
}
