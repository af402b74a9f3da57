// Points that goals speak of, and where they will be.
//
// A body's point goes on as it does: straight, and where its acceleration is steady, as of what falls, along a parabola. With
// places x₀, x₋₁, ... at the ends of steps of length h, first and second differences d = x₀ - x₋₁ and b = x₀ - 2 x₋₁ + x₋₂,
//
//     x_N = x₀ + N d + N (N + 1) / 2 b
//
// goes on with the same second difference: steps of backward Euler and of the midpoint rule in free fall are both of this form,
// to rounding. It is trusted for as long as it has been seen, for what falls will meet a floor: M steps since the acceleration
// jumped last, and no more than it takes to change by a quarter, ¼ |b| / |j| with j the change of b in a step. From then on
// straight. A jump is a change by more than that quarter within a step; what is struck between two steps goes straight.
#include "control/parts.h"

snVec3 snControl_Place(const snControl *control, const snWorld *world, int point, double time)
{
    const snControlPoint *p = &control->points[point];
    if (p->body >= 0) return snBody_Place(world->bodies.data[p->body], p->handle);
    return p->moves ? snRoute_Place(&p->path, time) : p->place;
}

snVec3 snControl_Velocity(const snControl *control, const snWorld *world, int point, double time)
{
    const snControlPoint *p = &control->points[point];
    if (p->body >= 0) return snBody_Velocity(world->bodies.data[p->body], p->handle);
    return p->moves ? snRoute_Velocity(&p->path, time) : snVec(0, 0, 0);
}

// ---- what will be -------------------------------------------------------------------------------

#define STEADY 0.25 // of an acceleration: by how much it may change

static snVec3 bendOf(const snWake *t, int back)
{
    return snAdd(snSub(t->place[back], snScale(2, t->place[back + 1])), t->place[back + 2]);
}

static void track(snWake *t, int64_t tick, snVec3 place)
{
    int64_t ticks = tick - t->tick;
    if (t->count && !ticks) return;
    if (t->count > 1 && ticks != t->ticks) t->count = 1; // steps of another length
    for (int i = 3; i > 0; i--)
        t->place[i] = t->place[i - 1];
    t->place[0] = place;
    t->ticks = (int)ticks;
    t->tick = tick;
    t->count = t->count < 4 ? t->count + 1 : 4;
    if (t->count < 4) {
        t->steady = tick;
        return;
    }
    snVec3 bend = bendOf(t, 0);
    if (snDistance(bend, bendOf(t, 1)) > STEADY * snLength(bend)) t->steady = tick;
}

void snControl_TrackAll(snControl *control, const snWorld *world)
{
    for (int i = 0; i < control->pointCount; i++)
        if (control->points[i].body >= 0)
            track(&control->wakes[i], world->ticks,
                  snControl_Place(control, world, i, snWorld_Time(world)));
}

// For how many steps the parabola is trusted.
static double trustOf(const snWake *t, int64_t now, double step, snVec3 velocity)
{
    if (t->count < 4 || t->tick != now || t->steady == now) return 0;
    snVec3 bend = bendOf(t, 0), way = snSub(t->place[0], t->place[1]);
    double size = snLength(bend), change = snDistance(bend, bendOf(t, 1));
    if (snDistance(snScale(step, velocity), way) > size) return 0; // struck since
    double seen = (double)(now - t->steady) / t->ticks;
    return change * seen > STEADY * size ? STEADY * size / change : seen;
}

// A place of the world is known at all times.
snVec3 snControl_Ahead(const snControl *control, const snWorld *world, int point, double time,
                       snVec3 *velocity)
{
    double now = snWorld_Time(world);
    bool known = control->points[point].body < 0;
    snVec3 place = snControl_Place(control, world, point, time);
    snVec3 speed = snControl_Velocity(control, world, point, known ? time : now);
    if (!known) {
        const snWake *t = &control->wakes[point];
        double step = t->ticks * world->def.step;
        double trust = trustOf(t, world->ticks, step, speed),
               steps = trust > 0 ? (time - now) / step : 0;
        double n = fmax(0, fmin(steps, trust));
        snVec3 bend = bendOf(t, 0), way = snSub(t->place[0], t->place[1]);
        if (n > 0) {
            place = snMulAdd(snMulAdd(place, n, way), 0.5 * n * (n + 1), bend);
            speed = snMulAdd(speed, n / step, bend);
        }
        place = snMulAdd(place, time - now - n * step, speed);
    }
    if (velocity) *velocity = speed;
    return place;
}

// In the last step its body could not be computed, or it is nowhere.
bool snControl_IsLost(const snControl *control, const snWorld *world, int point)
{
    if (point < 0 || control->points[point].body < 0) return false;
    int body = control->points[point].body;
    bool failed = world->steps > 0 && world->reports.data[body].failed;
    double now = snWorld_Time(world);
    return failed || !snIsFinite3(snControl_Place(control, world, point, now)) ||
           !snIsFinite3(snControl_Velocity(control, world, point, now));
}
