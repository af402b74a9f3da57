#include "world/sleep.h"

#include "core/check.h"
#include "core/sets.h"
#include "geometry/primitive.h"

#include <string.h>

#define NEAR 0.03 // of a body's size: nearer boxes are of one island
#define AHEAD 2   // times as far as it went in the last step: an awake body's box
#define AWAY (-1) // of how far it went: by its level it meets nobody, and is not looked at
#define CUTS 8    // of a body's size: its pieces

static bool isOn(const snWorld *world)
{
    return world->def.sleep.still > 0;
}

// ---- making -------------------------------------------------------------------------------------

// Which piece a triangle is of: a cube, of an eighth of the body's size, in which its middle is.
typedef struct Cut {
    snBox box;
    double edge;
    int n[3];
} Cut;

static Cut makeCut(const snBody *body, double *size)
{
    Cut cut = {.box = snBoxOf(body->vertexCount, body->restSurface)};
    snVec3 side = body->vertexCount ? snSub(cut.box.upper, cut.box.lower) : snVec(1, 1, 1);
    *size = fmax(side.x, fmax(side.y, side.z));
    cut.edge = *size / CUTS;
    for (int k = 0; k < 3; k++) {
        double count = *size > 0 ? ceil((&side.x)[k] / cut.edge) : 1;
        cut.n[k] = count < 1 ? 1 : count < CUTS ? (int)count : CUTS;
    }
    return cut;
}

static int pieceOf(const snBody *body, const Cut *cut, int triangle)
{
    const int *c = body->triangles + 3 * (size_t)triangle;
    const snVec3 *x = body->restSurface;
    snVec3 middle = snScale(1.0 / 3, snAdd(x[c[0]], snAdd(x[c[1]], x[c[2]])));
    snVec3 from = snSub(middle, cut->box.lower);
    int at[3];
    for (int k = 0; k < 3; k++) {
        double cell = cut->edge > 0 ? (&from.x)[k] / cut->edge : 0;
        at[k] = cell < 0 ? 0 : cell < cut->n[k] ? (int)cell : cut->n[k] - 1;
    }
    return at[0] + cut->n[0] * (at[1] + cut->n[1] * at[2]);
}

// Vertices of each piece once, one piece after another; empty ones too.
static bool cutSurface(snSleepScratch *bed, const snBody *body, const Cut *cut, snArena *arena,
                       snArena *scratch)
{
    int pieces = cut->n[0] * cut->n[1] * cut->n[2], count = 0;
    int *seen = SN_NEW(scratch, int, body->vertexCount);
    int *of = SN_NEW(scratch, int, body->triangleCount);
    bed->start = SN_NEW(arena, int, pieces + 1);
    bed->vertex = SN_NEW(arena, int, 3 * (size_t)body->triangleCount);
    bed->pieces = SN_NEW(arena, snBox, pieces);
    if (!seen || !of || !bed->start || !bed->vertex || !bed->pieces) return false;
    for (int t = 0; t < body->triangleCount; t++)
        of[t] = pieceOf(body, cut, t);
    for (int p = 0; p < pieces; p++) {
        for (int t = 0; t < body->triangleCount; t++) {
            if (of[t] != p) continue;
            for (int k = 0; k < 3; k++) {
                int v = body->triangles[3 * (size_t)t + (size_t)k];
                if (seen[v] == p + 1) continue;
                seen[v] = p + 1;
                bed->vertex[count++] = v;
            }
        }
        bed->start[p + 1] = count;
    }
    bed->pieceCount = pieces;
    return true;
}

bool snWorld_ReserveSleeper(snWorld *world, const snBody *body)
{
    const snAllocator *allocator = &world->context.allocator;
    snSleepScratch bed = {0};
    Cut cut = makeCut(body, &bed.size);
    snSleeper sleeper;
    memset(&sleeper, 0, sizeof sleeper); // it is hashed
    snArena scratch = snMakeArena(&world->context);
    bool room = snArray_Reserve(allocator, &world->sleepers, world->sleepers.count + 1) &&
                snArray_Reserve(allocator, &world->beds, world->beds.count + 1) &&
                snArray_Reserve(allocator, &world->resting, world->beds.count + 1) &&
                (!isOn(world) || cutSurface(&bed, body, &cut, &world->arena, &scratch));
    snArena_Destroy(&scratch);
    if (!room) return false;
    world->sleepers.data[world->sleepers.count++] = sleeper;
    world->beds.data[world->beds.count++] = bed;
    return true;
}

static int sampleOf(const snBody *body, int k)
{
    return (int)((int64_t)k * body->vertexCount / SN_SLEEP_POINTS);
}

static void writeDown(const snBody *body, snVec3 *to)
{
    for (int k = 0; k < SN_SLEEP_POINTS && body->vertexCount; k++)
        to[k] = snBody_Vertex(body, sampleOf(body, k));
}

static void wakeOne(snWorld *world, int body)
{
    world->sleepers.data[body].asleep = 0;
    world->sleepers.data[body].since = world->ticks;
    world->beds.data[body].boxed = false;
}

// Where it is put it was before, too: it did not go there.
void snWorld_Wake(snWorld *world, int body)
{
    int64_t island = world->sleepers.data[body].asleep;
    if (isOn(world) && !world->bodies.data[body]->away)
        writeDown(world->bodies.data[body], world->sleepers.data[body].last);
    wakeOne(world, body);
    for (int i = 0; i < world->bodies.count && island; i++)
        if (world->sleepers.data[i].asleep == island) wakeOne(world, i);
}

static void wakeAll(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        wakeOne(world, i);
}

void snWorld_ForgetBeds(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        world->beds.data[i].boxed = false;
}

bool snWorld_Sleeps(const snWorld *world, int body)
{
    bool there = !snCheckIndex("body", body, world->bodies.count, NULL);
    return there && world->sleepers.data[body].asleep != 0;
}

// ---- where bodies are ---------------------------------------------------------------------------

// How far the farthest of its points is from where it was.
static double farthest(const snBody *body, const snVec3 *from)
{
    double most = 0;
    for (int k = 0; k < SN_SLEEP_POINTS && body->vertexCount; k++)
        most = fmax(most, snDistance(snBody_Vertex(body, sampleOf(body, k)), from[k]));
    return most;
}

// Of a sleeper's they are found once.
static void findBox(const snWorld *world, int i)
{
    const snBody *body = world->bodies.data[i];
    const snSleeper *s = &world->sleepers.data[i];
    snSleepScratch *bed = &world->beds.data[i];
    if (s->asleep && bed->boxed) return;
    double margin = NEAR * bed->size + (s->asleep ? 0 : AHEAD * fmax(0, s->went));
    bed->box = snEmptyBox();
    bed->boxed = false;
    if (body->away) return; // nobody is in its reach
    for (int p = 0; p < bed->pieceCount; p++) {
        snBox box = snEmptyBox();
        for (int k = bed->start[p]; k < bed->start[p + 1]; k++)
            box = snBoxAdd(box, snBody_Vertex(body, bed->vertex[k]));
        bed->pieces[p] = bed->start[p] < bed->start[p + 1] ? snBox_Grow(box, margin) : box;
        bed->box = snBoxUnion(bed->box, bed->pieces[p]);
    }
    bed->boxed = s->asleep != 0;
}

// Pieces of two bodies are within reach of each other.
static bool areNear(const snWorld *world, int i, int k)
{
    const snSleepScratch *a = &world->beds.data[i], *b = &world->beds.data[k];
    bool any = false;
    if (!snBoxOverlap(a->box, b->box)) return false;
    for (int p = 0; p < a->pieceCount && !any; p++)
        for (int q = 0; q < b->pieceCount && !any && snBoxOverlap(a->pieces[p], b->box); q++)
            any = snBoxOverlap(a->pieces[p], b->pieces[q]);
    return any;
}

// ---- waking -------------------------------------------------------------------------------------

static bool actsAt(const snFieldDef *field, double time)
{
    return time >= field->from && time < field->to;
}

// Something acts on all that was not there in the last step, or is never the same.
static bool isStirred(snWorld *world)
{
    double now = snWorld_Time(world), end = now + world->length * world->def.step;
    snVec3 pull = snAdd(snWorld_Gravity(world, end), world->push);
    bool stirred = memcmp(&pull, &world->stillGravity, sizeof pull) != 0 || world->fieldsChanged;
    for (int i = 0; i < world->fields.count; i++) {
        const snFieldDef *field = &world->fields.data[i];
        stirred |= actsAt(field, now) != actsAt(field, end);
        stirred |= actsAt(field, end) && field->kind == SN_FIELD_TURBULENCE;
    }
    world->stillGravity = pull;
    world->fieldsChanged = false;
    return stirred;
}

static bool isReached(const snCollider *collider, const snBox *box)
{
    snTouch touch;
    double reach = 0.5 * snDistance(box->lower, box->upper);
    return snCollider_Query(collider, snLerp(box->lower, box->upper, 0.5), reach, &touch);
}

static void wakeByColliders(snWorld *world, int i)
{
    const snSleepScratch *bed = &world->beds.data[i];
    if (world->bodies.data[i]->away) return;
    for (int c = 0; c < world->frame.count; c++) {
        const snCollider *collider = &world->frame.data[c];
        if (!memcmp(&collider->begin, &collider->end, sizeof collider->end)) continue;
        if (!bed->pieceCount || !isReached(collider, &bed->box)) continue;
        for (int p = 0; p < bed->pieceCount; p++)
            if (bed->start[p] < bed->start[p + 1] && isReached(collider, &bed->pieces[p])) {
                snWorld_Wake(world, i);
                return;
            }
    }
}

// What moves it from within does, or it gets stiffer.
static bool stirs(const snWorld *world, int i, int ticks)
{
    double now = snWorld_Time(world), end = now + ticks * world->def.step;
    return snWorld_StiffnessOf(world, i, now) != snWorld_StiffnessOf(world, i, end) ||
           snBody_Stirs(world->bodies.data[i], ticks);
}

static bool anyAsleep(const snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        if (world->sleepers.data[i].asleep) return true;
    return false;
}

void snWorld_WakeUp(snWorld *world)
{
    if (!isOn(world)) return;
    if (isStirred(world)) wakeAll(world);
    for (int i = 0; i < world->bodies.count; i++)
        if (world->sleepers.data[i].asleep && stirs(world, i, world->length))
            snWorld_Wake(world, i);
    if (!anyAsleep(world)) return;
    for (int i = 0; i < world->bodies.count; i++)
        findBox(world, i);
    bool again = true;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->sleepers.data[i].asleep) wakeByColliders(world, i);
    while (again) { // who wakes may wake others
        again = false;
        for (int i = 0; i < world->bodies.count; i++)
            for (int k = 0; k < world->bodies.count && !world->sleepers.data[i].asleep; k++)
                if (world->sleepers.data[k].asleep && areNear(world, i, k)) {
                    snWorld_Wake(world, k);
                    again = true;
                }
    }
}

void snWorld_SleepOn(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        if (world->sleepers.data[i].asleep) snBody_Pass(world->bodies.data[i], world->length);
}

// ---- falling asleep -----------------------------------------------------------------------------

// Sleepers of different islands are out of each other's reach.
static bool hangTogether(const snWorld *world, int i, int k)
{
    const snBody *a = world->bodies.data[i], *b = world->bodies.data[k];
    int64_t one = world->sleepers.data[i].asleep, other = world->sleepers.data[k].asleep;
    if (one && other) return one == other;
    return a->over == b || b->over == a || areNear(world, i, k);
}

static void findIslands(snWorld *world)
{
    int count = world->bodies.count;
    snSets_Begin(world->islands.data, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (hangTogether(world, i, k)) snSets_Join(world->islands.data, i, k);
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachmentDef *def = &world->attachments.data[i].def;
        if (world->held.data[i].acts && def->other != SN_WORLD_NOBODY)
            snSets_Join(world->islands.data, def->body, def->other);
    }
}

// What hands and paths hold is moved from outside, whenever they like.
static void markHeld(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        world->beds.data[i].held = false;
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachmentDef *def = &world->attachments.data[i].def;
        bool eases =
            world->held.data[i].acts &&
            (double)(world->ticks - world->held.data[i].first) * world->def.step < def->ease;
        if (world->held.data[i].acts && (def->path || eases))
            world->beds.data[def->body].held = true;
    }
    for (int i = 0; i < world->def.mostGrabs; i++) {
        const snGrab *grab = &world->grabs[i];
        if (!grab->used) continue;
        world->beds.data[grab->body].held = true;
        if (grab->other >= 0) world->beds.data[grab->other].held = true;
    }
}

// Points are where they were, as they are after a step; returns whether anybody has been still for long.
static bool watch(snWorld *world)
{
    bool any = false;
    double after = world->def.sleep.after / world->def.step;
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        snSleeper *s = &world->sleepers.data[i];
        if (s->asleep) continue;
        bool moved = !body->away &&
                     farthest(body, s->anchor) > world->def.sleep.still * world->beds.data[i].size;
        if (moved || world->beds.data[i].held || stirs(world, i, 1)) {
            if (!body->away) writeDown(body, s->anchor);
            s->since = world->ticks;
        }
        any |= (double)(world->ticks - s->since) >= after;
    }
    return any;
}

void snWorld_FallAsleep(snWorld *world)
{
    if (!isOn(world)) return;
    double after = world->def.sleep.after / world->def.step;
    markHeld(world);
    if (watch(world)) {
        for (int i = 0; i < world->bodies.count; i++)
            findBox(world, i);
        findIslands(world);
        int *up = world->islands.data;
        for (int i = 0; i < world->bodies.count; i++)
            world->beds.data[i].tired = true;
        for (int i = 0; i < world->bodies.count; i++) {
            const snSleeper *s = &world->sleepers.data[i];
            bool tired = s->asleep || (double)(world->ticks - s->since) >= after;
            if (!tired) world->beds.data[snSets_Root(up, i)].tired = false;
        }
        for (int i = 0; i < world->bodies.count; i++)
            if (world->beds.data[snSets_Root(up, i)].tired)
                world->sleepers.data[i].asleep = 1 + snSets_Root(up, i);
    }
    for (int i = 0; i < world->bodies.count; i++) {
        snSleeper *s = &world->sleepers.data[i];
        if (s->asleep) continue;
        const snBody *body = world->bodies.data[i];
        s->went = body->away ? AWAY : s->went == AWAY ? 0 : farthest(body, s->last);
        if (!body->away) writeDown(body, s->last);
    }
}
