#include "world/sleep.h"

#include "geometry/primitive.h"

#include <string.h>

#define NEAR 0.03 // of a body's size: nearer boxes are of one island
#define AHEAD 2   // times as far as it went in the last step: an awake body's box

// ---- making -------------------------------------------------------------------------------------

bool snWorld_ReserveSleeper(snWorld *world, const snBody *body)
{
    const snAllocator *allocator = &world->context.allocator;
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, body->restSurface[v]);
    snVec3 side = body->vertexCount ? snSub(box.upper, box.lower) : snVec(1, 1, 1);
    snSleepScratch scratch = {.size = fmax(side.x, fmax(side.y, side.z))};
    snSleeper sleeper;
    memset(&sleeper, 0, sizeof sleeper); // it is hashed
    bool room = snArray_Reserve(allocator, &world->sleepers, world->sleepers.count + 1) &&
                snArray_Reserve(allocator, &world->beds, world->beds.count + 1);
    if (!room) return false;
    world->sleepers.data[world->sleepers.count++] = sleeper;
    world->beds.data[world->beds.count++] = scratch;
    return true;
}

static bool isOn(const snWorld *world)
{
    return world->def.sleep.still > 0;
}

void snWorld_Wake(snWorld *world, int body)
{
    snSleeper *s = &world->sleepers.data[body];
    int64_t island = s->asleep;
    s->asleep = 0;
    s->since = world->ticks;
    for (int i = 0; i < world->bodies.count && island; i++)
        if (world->sleepers.data[i].asleep == island) {
            world->sleepers.data[i].asleep = 0;
            world->sleepers.data[i].since = world->ticks;
        }
}

static void wakeAll(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        world->sleepers.data[i].asleep = 0;
        world->sleepers.data[i].since = world->ticks;
    }
}

bool snWorld_Sleeps(const snWorld *world, int body)
{
    return world->sleepers.data[body].asleep != 0;
}

// ---- where bodies are ---------------------------------------------------------------------------

static int sampleOf(const snBody *body, int k)
{
    return (int)((int64_t)k * body->vertexCount / SN_SLEEP_POINTS);
}

// How far the farthest of its points is from where it was.
static double farthest(const snBody *body, const snVec3 *from)
{
    double most = 0;
    for (int k = 0; k < SN_SLEEP_POINTS && body->vertexCount; k++)
        most = fmax(most, snDistance(snBody_Vertex(body, sampleOf(body, k)), from[k]));
    return most;
}

static void writeDown(const snBody *body, snVec3 *to)
{
    for (int k = 0; k < SN_SLEEP_POINTS && body->vertexCount; k++)
        to[k] = snBody_Vertex(body, sampleOf(body, k));
}

static void findBox(const snWorld *world, int i, double margin)
{
    const snBody *body = world->bodies.data[i];
    snSleepScratch *bed = &world->beds.data[i];
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(body, v));
    bed->box = snBox_Grow(box, margin);
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

static void wakeByColliders(snWorld *world, int i)
{
    const snBox *box = &world->beds.data[i].box;
    snVec3 middle = snLerp(box->lower, box->upper, 0.5);
    double reach = 0.5 * snDistance(box->lower, box->upper);
    for (int c = 0; c < world->frame.count; c++) {
        const snCollider *collider = &world->frame.data[c];
        snTouch touch;
        if (!memcmp(&collider->begin, &collider->end, sizeof collider->end)) continue;
        if (snCollider_Query(collider, middle, reach, &touch)) snWorld_Wake(world, i);
    }
}

// Boxes of sleepers stay; those of the others are as large as where they may go.
static void findBoxes(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        const snSleeper *s = &world->sleepers.data[i];
        double size = world->beds.data[i].size;
        double ahead = s->asleep ? 0 : AHEAD * s->went;
        findBox(world, i, NEAR * size + ahead);
    }
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
    if (!anyAsleep(world)) return;
    findBoxes(world);
    bool again = true;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->sleepers.data[i].asleep) wakeByColliders(world, i);
    while (again) { // who wakes may wake others
        again = false;
        for (int i = 0; i < world->bodies.count; i++)
            for (int k = 0; k < world->bodies.count && !world->sleepers.data[i].asleep; k++)
                if (world->sleepers.data[k].asleep &&
                    snBoxOverlap(world->beds.data[i].box, world->beds.data[k].box)) {
                    snWorld_Wake(world, k);
                    again = true;
                }
    }
}

// ---- falling asleep -----------------------------------------------------------------------------

static int rootOf(const snWorld *world, int i)
{
    while (world->beds.data[i].island != i)
        i = world->beds.data[i].island;
    return i;
}

static void unite(snWorld *world, int a, int b)
{
    a = rootOf(world, a);
    b = rootOf(world, b);
    world->beds.data[a > b ? a : b].island = a > b ? b : a;
}

static void findIslands(snWorld *world)
{
    int count = world->bodies.count;
    for (int i = 0; i < count; i++)
        world->beds.data[i].island = i;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            const snBody *a = world->bodies.data[i], *b = world->bodies.data[k];
            bool grouped = world->joined.count && world->joined.data[i] &&
                           world->joined.data[i] == world->joined.data[k];
            if (grouped || a->over == b || b->over == a ||
                snBoxOverlap(world->beds.data[i].box, world->beds.data[k].box))
                unite(world, i, k);
        }
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachmentDef *def = &world->attachments.data[i].def;
        if (world->held.data[i].acts && def->other != SN_WORLD_NOBODY)
            unite(world, def->body, def->other);
    }
}

// What hands and paths hold is moved from outside, whenever they like.
static void markHeld(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++)
        world->beds.data[i].restless = world->bodies.data[i]->restless;
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachmentDef *def = &world->attachments.data[i].def;
        bool eases =
            world->held.data[i].acts &&
            (double)(world->ticks - world->held.data[i].first) * world->def.step < def->ease;
        if (world->held.data[i].acts && (def->path || eases))
            world->beds.data[def->body].restless = true;
    }
    for (int i = 0; i < world->def.mostGrabs; i++) {
        const snGrab *grab = &world->grabs[i];
        if (!grab->used) continue;
        world->beds.data[grab->body].restless = true;
        if (grab->other >= 0) world->beds.data[grab->other].restless = true;
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
        bool moved = farthest(body, s->anchor) > world->def.sleep.still * world->beds.data[i].size;
        if (moved || world->beds.data[i].restless) {
            writeDown(body, s->anchor);
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
            findBox(world, i, NEAR * world->beds.data[i].size);
        findIslands(world);
        for (int i = 0; i < world->bodies.count; i++)
            world->beds.data[i].tired = true;
        for (int i = 0; i < world->bodies.count; i++) {
            const snSleeper *s = &world->sleepers.data[i];
            bool tired = s->asleep || (double)(world->ticks - s->since) >= after;
            if (!tired) world->beds.data[rootOf(world, i)].tired = false;
        }
        for (int i = 0; i < world->bodies.count; i++)
            if (world->beds.data[rootOf(world, i)].tired)
                world->sleepers.data[i].asleep = 1 + rootOf(world, i);
    }
    for (int i = 0; i < world->bodies.count; i++) {
        snSleeper *s = &world->sleepers.data[i];
        if (s->asleep) continue;
        s->went = farthest(world->bodies.data[i], s->last);
        writeDown(world->bodies.data[i], s->last);
    }
}
