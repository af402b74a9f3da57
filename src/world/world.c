// The step, and what all of a world shares.
#include "world/world.h"

#include "core/check.h"
#include "core/tasks.h"
#include "world/attach.h"
#include "world/guard.h"
#include "world/keep.h"
#include "world/meet.h"
#include "world/press.h"
#include "world/sleep.h"

double snWorld_Time(const snWorld *world)
{
    return (double)world->ticks * world->def.step;
}

// At the end of the present step.
static double endOf(const snWorld *world)
{
    return (double)(world->ticks + world->length) * world->def.step;
}

// The tick that begins at a time, or right after it.
static int64_t tickOf(const snWorld *world, double time)
{
    double tick = ceil(time / world->def.step - 1e-6);
    return tick < 9e18 ? (int64_t)tick : INT64_MAX;
}

static int64_t sooner(const snWorld *world, double time, int64_t next)
{
    int64_t tick = tickOf(world, time);
    return tick > world->ticks && tick < next ? tick : next;
}

bool snWorld_HasLength(const snWorld *world, int ticks)
{
    bool has = ticks == 1;
    for (int i = 0; i < world->def.lengthCount; i++)
        has |= world->def.lengths[i] == ticks;
    return has;
}

int snWorld_Room(const snWorld *world, int most)
{
    int64_t next = world->ticks + (most > 1 ? most : 1);
    for (int i = 0; i < world->throws.count; i++)
        next = sooner(world, world->throws.data[i].time, next);
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachment *a = &world->attachments.data[i];
        next = sooner(world, a->def.from, next);
        next = sooner(world, a->def.from - a->def.preroll, next);
        next = sooner(world, a->def.to, next);
        next = sooner(world, (double)world->held.data[i].onset * world->def.step, next);
        for (int k = 0; k < a->path.kinkCount; k++)
            next = sooner(world, a->path.kinks[k], next);
    }
    int room = 1;
    for (int i = 0; i < world->def.lengthCount; i++)
        if (world->def.lengths[i] <= next - world->ticks) room = world->def.lengths[i];
    return room;
}

snVec3 snWorld_Gravity(const snWorld *world, double time)
{
    double g[3];
    if (!world->gravity.count) return world->def.gravity;
    snTrack_Sample(&world->gravity, time, g);
    return snVec(g[0], g[1], g[2]);
}

snCollider snWorld_ColliderAt(const snWorld *world, int number, double time)
{
    const snWorldCollider *mover = &world->colliders.data[number];
    snCollider collider = world->frame.data[number];
    if (mover->moves)
        collider.begin = collider.end = snMulAA(snRoute_Frame(&mover->path, time), mover->frame);
    return collider;
}

void snWorld_Lead(snWorld *world, int collider, const snAffine *motion)
{
    snWorldCollider *mover = &world->colliders.data[collider];
    if (!mover->led && !mover->moves) mover->frame = world->frame.data[collider].end;
    mover->led = true;
    mover->moves = false; // no path any more
    mover->next = *motion;
}

// ---- the phases of a step -----------------------------------------------------------------------

// Bodies that are thrown in this step.
static void throwBodies(snWorld *world)
{
    for (int i = 0; i < world->throws.count; i++) {
        const snThrowDef *t = &world->throws.data[i];
        int64_t tick = tickOf(world, t->time);
        if (tick < world->ticks || tick >= world->ticks + world->length) continue;
        snBody_SetVelocity(world->bodies.data[t->body], t->velocity, t->spin);
        snWorld_Wake(world, t->body);
    }
}

static void moveColliders(snWorld *world)
{
    double end = endOf(world);
    for (int i = 0; i < world->colliders.count; i++) {
        const snWorldCollider *mover = &world->colliders.data[i];
        if (mover->led) {
            world->frame.data[i].begin = world->frame.data[i].end;
            world->frame.data[i].end = snMulAA(mover->next, mover->frame);
        }
        if (!mover->moves) continue;
        world->frame.data[i].begin = snWorld_ColliderAt(world, i, snWorld_Time(world)).end;
        world->frame.data[i].end = snWorld_ColliderAt(world, i, end).end;
    }
}

double snWorld_StiffnessOf(const snWorld *world, int body, double time)
{
    const snTrack *track = &world->stiffness.data[body];
    double factor = 1;
    if (track->count) snTrack_Sample(track, time, &factor);
    return factor;
}

static void beginBodies(snWorld *world)
{
    double end = endOf(world);
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyStep step = {.length = world->length * world->def.step,
                           .ticks = world->length,
                           .gravity = snAdd(snWorld_Gravity(world, end), world->push),
                           .stiffness = snWorld_StiffnessOf(world, i, end),
                           .planar = world->def.planar,
                           .colliderCount = world->frame.count,
                           .colliders = world->frame.data};
        if (!snWorld_IsAsleep(world, i)) snBody_Begin(world->bodies.data[i], &step);
    }
}

static void actSome(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snWorld *world = context;
    snFields fields = {.count = world->fields.count,
                       .list = world->fields.data,
                       .density = world->def.airDensity,
                       .drag = world->def.airDrag,
                       .time = endOf(world)};
    for (int i = begin; i < end; i++)
        if (!snWorld_IsAsleep(world, i)) snBody_Act(world->bodies.data[i], &fields);
}

typedef struct Turn {
    snWorld *world;
    bool over; // bodies that lie over others come after all others
} Turn;

static void advanceSome(int begin, int end, int worker, void *context)
{
    (void)worker;
    const Turn *turn = context;
    snWorld *world = turn->world;
    for (int i = begin; i < end; i++) {
        if ((world->bodies.data[i]->over != NULL) != turn->over) continue;
        bool joined = i < world->joined.count && world->joined.data[i];
        if (!joined && !snWorld_IsAsleep(world, i)) snBody_Advance(world->bodies.data[i]);
    }
}

static void finishSome(int begin, int end, int worker, void *context)
{
    (void)worker;
    snWorld *world = context;
    for (int i = begin; i < end; i++)
        if (snWorld_IsAsleep(world, i)) // as it was
            world->reports.data[i].columnsSolved = world->reports.data[i].rowsFactored = 0;
        else
            snBody_Finish(world->bodies.data[i], &world->reports.data[i]);
}

static void forBodies(snWorld *world, snTaskFcn *some, void *context)
{
    if (world->bodies.count == 1)
        some(0, 1, 0, context);
    else
        snParallelFor(&world->context.tasks, world->bodies.count, 1, some, context);
}

// Those of a group that sleep are left out, each with all that it touches; false: none is awake.
static bool wakesIn(const snWorld *world, int group)
{
    int count = 0, asleep = 0;
    for (int i = 0; i < world->joined.count; i++) {
        if (world->joined.data[i] != group + 1) continue;
        bool sleeps = snWorld_IsAsleep(world, i);
        world->resting.data[count++] = sleeps;
        asleep += sleeps;
    }
    return asleep < count;
}

// One body has all threads for itself; of several each has one.
void snWorld_AdvanceBodies(snWorld *world)
{
    for (int i = 0; i < world->groups.count; i++)
        if (wakesIn(world, i))
            world->groups.data[i].kind->advanceGroup(world->groups.data[i].group,
                                                     world->resting.data);
    bool over = false;
    for (int i = 0; i < world->bodies.count; i++)
        over |= world->bodies.data[i]->over != NULL;
    for (int k = 0; k <= over; k++)
        forBodies(world, advanceSome, &(Turn){world, k > 0});
    if (over) world->pressMiss = snWorld_PressMiss(world);
}

void snWorld_BeginStep(snWorld *world)
{
    beginBodies(world);
    if (world->fields.count) forBodies(world, actSome, world);
    snWorld_Attach(world);
    snWorld_Press(world);
}

// Those that meet others beyond their groups may take their step several times.
static void advance(snWorld *world)
{
    snWorld_GuardBegin(world);
    snWorld_KeepBegin(world);
    if (world->meet) {
        snMeet_Advance(world->meet);
    } else {
        snWorld_TakePressed(world);
    }
    snWorld_KeepEnd(world);
    forBodies(world, finishSome, world);
    if (world->meet) snMeet_Report(world->meet);
    snWorld_GuardEnd(world);
    snWorld_MoveHands(world);
}

static void keepTales(snWorld *world)
{
    for (int i = 0; i < world->bodies.count; i++) {
        const snBodyReport *report = &world->reports.data[i];
        snBodyTale *tale = &world->tales.data[i];
        tale->functions = report->functions > tale->functions ? report->functions : tale->functions;
        tale->failures += report->failed;
        tale->conflicts += report->conflicts > 0;
        tale->dropped += report->contact.dropped > 0;
        tale->touching = report->contact.touching;
        tale->lastDeepest = report->contact.deepest;
        tale->columnsSolved += report->columnsSolved;
        tale->rowsFactored += report->rowsFactored;
        if (report->contact.deepest <= tale->deepest) continue;
        tale->deepest = report->contact.deepest;
        tale->deepestTime = endOf(world);
    }
}

void snWorld_Step(snWorld *world)
{
    snWorld_Advance(world, 1);
}

void snWorld_Advance(snWorld *world, int ticks)
{
    SN_ASSERT(ticks == 1 || snWorld_HasLength(world, ticks));
    world->length = ticks;
    if (world->driver.step) world->driver.step(world->driver.user, world, ticks);
    throwBodies(world);
    moveColliders(world);
    snWorld_TakeHold(world);
    snWorld_WakeUp(world);
    snWorld_SleepOn(world);
    advance(world);
    keepTales(world);
    world->ticks += ticks;
    world->steps++;
    snWorld_FallAsleep(world);
}

// ---- levels -------------------------------------------------------------------------------------

void snWorld_SetLevel(snWorld *world, int level)
{
    for (int i = 0; i < world->bodies.count; i++)
        snWorld_SetBodyLevel(world, i, level);
}

void snWorld_SetBodyLevel(snWorld *world, int body, int level)
{
    snError why;
    snStatus bad = snCheckIndex("body", body, world->bodies.count, &why);
    if (!bad) bad = snCheckRange("level", level, 0, INFINITY, &why);
    if (!snRefuse(&world->context, bad, &why)) snBody_SetLevel(world->bodies.data[body], level);
}

int snWorld_LevelCount(const snWorld *world)
{
    int most = 1;
    for (int i = 0; i < world->bodies.count; i++)
        if (world->bodies.data[i]->levelCount > most) most = world->bodies.data[i]->levelCount;
    return most;
}

// ---- measuring ----------------------------------------------------------------------------------

void snWorld_Measure(snWorld *world, snWorldMeasure *measure)
{
    snVec3 gravity = snWorld_Gravity(world, snWorld_Time(world));
    *measure = (snWorldMeasure){0};
    snBodyMeasure *sum = &measure->sum;
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyMeasure m;
        snBody_Measure(world->bodies.data[i], &m);
        sum->mass += m.mass;
        sum->kinetic += m.kinetic;
        sum->elastic += m.elastic;
        sum->volume += m.volume;
        sum->center = snMulAdd(sum->center, m.mass, m.center);
        sum->momentum = snAdd(sum->momentum, m.momentum);
        sum->angularMomentum = snAdd(sum->angularMomentum, m.angularMomentum);
    }
    measure->potential = -snDot(gravity, sum->center); // mass times centre
    if (sum->mass > 0) sum->center = snScale(1 / sum->mass, sum->center);
}
