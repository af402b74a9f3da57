// What each kind of goal does. A chase has a plan: the cubic from where its point is, and how fast, to where the target will
// be at the appointed time if it goes on as it does, and the velocity of arrival. With p₀, v₀ and the way d to there,
// in the time t that is left,
//
//     v₁ = 3/2 d / t - v₀ / 2
//
// is the velocity for which the cubic's acceleration is 0 at its end: of all arrivals the one with the least ∫ |a|² on the
// way. It is what is taken where none is given. The plan is made anew in every step from where the old one is, as long as
// there are more than a few steps left: a change δ of where the target will be asks for accelerations of 6 δ / t².
#include "control/parts.h"

#include <string.h>

#define LAST_TICKS 4 // in which a plan stays as it is

static double timeOf(const snActor *a, int64_t tick)
{
    return (double)tick * a->world->def.step;
}

static int64_t ticksOf(const snActor *a, double time)
{
    double ticks = floor(time / a->world->def.step + 0.5);
    return ticks > 1 ? (int64_t)ticks : 1;
}

static bool moves(snGoalKind kind)
{
    return kind == SN_GOAL_CHASE || kind == SN_GOAL_GRAB || kind == SN_GOAL_MOVE;
}

static snGoalPhase fail(snActor *a, snGoalReason reason)
{
    a->state->reason = (int)reason;
    return SN_GOAL_FAILED;
}

static void strike(snActor *a, snVec3 velocity)
{
    const snControlPoint *p = &a->control->points[a->goal->def.point];
    snStrike one = {
        .body = p->body, .point = p->handle, .other = SN_WORLD_NOBODY, .velocity = velocity};
    snWorld_Strike(a->world, 1, &one);
}

// ---- where to -----------------------------------------------------------------------------------

// Where the target will be, and how fast it goes.
static void predict(const snActor *a, double time, snVec3 *place, snVec3 *velocity)
{
    const snGoalDef *def = &a->goal->def;
    *velocity = snVec(0, 0, 0);
    *place = def->relative ? snAdd(a->state->origin, def->place) : def->place;
    if (def->target == SN_CONTROL_NONE) return;
    *place = snControl_Ahead(a->control, a->world, def->target, time, velocity);
}

static void plan(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    snArc *arc = &a->state->plan;
    double now = snWorld_Time(a->world), end = timeOf(a, a->state->end);
    snVec3 from = snArc_Place(arc, now), speed = snArc_Velocity(arc, now), to, with;
    predict(a, end, &to, &with);
    snVec3 arrive = def->velocity;
    if (def->arrival == SN_ARRIVE_TARGET) arrive = snAdd(arrive, with);
    if (def->arrival == SN_ARRIVE_FREE)
        arrive = snMulAdd(snScale(1.5 / (end - now), snSub(to, from)), -0.5, speed);
    *arc = (snArc){
        .begin = now, .length = end - now, .place = {from, to}, .velocity = {speed, arrive}};
}

static bool isOutOfReach(const snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    const snControlPoint *p = &a->control->points[def->point];
    snVec3 place, velocity;
    if (def->path) return false;
    double end = timeOf(a, a->state->end);
    // A skeleton's reach is asked of the target as it is: where something that is pushed will be is known badly.
    predict(a, snWorld_Time(a->world), &place, &velocity);
    if (snBody_Beyond(a->world->bodies.data[p->body], p->handle, place) > 0) return true;
    if (def->reachFrom == SN_CONTROL_NONE) return false;
    predict(a, end, &place, &velocity);
    snVec3 from = snControl_Ahead(a->control, a->world, def->reachFrom, end, NULL);
    return !(snDistance(place, from) <= def->reach);
}

// ---- driving ------------------------------------------------------------------------------------

// Whether another goal drives the point, or it is connected to a place.
static bool isHeld(const snActor *a)
{
    int point = a->goal->def.point, hold = snControl_FindHold(a->control, point);
    for (int s = 0; s < a->control->scriptCount; s++)
        for (int g = 0; g < a->control->scripts[s].goalCount; g++) {
            const snGoalState *state = snControl_Goal(a->control, s, g);
            bool drives = state != a->state && state->phase == SN_GOAL_ACTIVE && state->grab >= 0;
            if (drives && a->control->scripts[s].goals[g].def.point == point) return true;
        }
    return hold >= 0 && a->control->connections[hold].target != SN_CONTROL_NONE;
}

// What a goal before it left held is taken over.
static bool takePoint(snActor *a)
{
    const snControlPoint *p = &a->control->points[a->goal->def.point];
    int hold = snControl_FindHold(a->control, a->goal->def.point);
    if (hold >= 0) snControl_DropConnection(a->control, a->world, hold);
    snGrabDef grab = {.body = p->body, .located = true, .point = p->handle, .hard = true};
    return snWorld_Grab(a->world, &grab, &a->state->grab, NULL) == SN_OK;
}

void snGoal_Drop(snActor *a)
{
    if (a->state->grab >= 0) snWorld_Release(a->world, a->state->grab);
    a->state->grab = -1;
}

// The time of a path's own, and where it is from.
static double pathTime(const snActor *a, double time)
{
    double began = timeOf(a, a->state->begin);
    if (a->goal->def.preroll > 0) began += timeOf(a, ticksOf(a, a->goal->def.preroll));
    return time - began;
}

static snVec3 pathPlace(const snActor *a, double time)
{
    snVec3 place = snRoute_Place(&a->goal->path, pathTime(a, time));
    return a->goal->def.relative ? snAdd(place, a->state->origin) : place;
}

// The cubic to the path's begin.
static void planPreroll(snActor *a)
{
    double now = snWorld_Time(a->world);
    double end = timeOf(a, a->state->begin + ticksOf(a, a->goal->def.preroll));
    snArc *arc = &a->state->plan;
    arc->length = end - now;
    arc->place[1] = pathPlace(a, end);
    arc->velocity[1] = snRoute_Velocity(&a->goal->path, 0);
}

static void beginPath(snActor *a)
{
    bool rolls = a->goal->def.preroll > 0;
    a->state->end = a->state->begin + ticksOf(a, snRoute_End(&a->goal->path));
    if (rolls) a->state->end += ticksOf(a, a->goal->def.preroll);
    a->state->stage = 0;
    if (rolls) planPreroll(a);
}

// Velocities that jump along a path: at its begin, where no cubic led to it or that came in steps, and at kinks.
static void followPath(snActor *a)
{
    double now = snWorld_Time(a->world), slack = 1e-6 * a->world->def.step;
    double begin = pathTime(a, now), end = pathTime(a, timeOf(a, a->world->ticks + a->ticks));
    double kink = begin;
    bool first = !a->state->stage && begin > -slack;
    if (begin < -slack) return;
    if (first) a->state->stage = 1;
    bool kinked = snRoute_HasKink(&a->goal->path, begin - slack, end - slack, &kink);
    if (first || kinked) strike(a, snRoute_Velocity(&a->goal->path, fmax(begin, kink)));
}

void snGoal_Drive(snActor *a)
{
    snGoalState *state = a->state;
    if (!moves(a->goal->def.kind)) return;
    double end = timeOf(a, a->world->ticks + a->ticks);
    if (a->goal->def.path) {
        followPath(a);
        bool rolls = !state->stage;
        snWorld_MoveGrab(a->world, state->grab,
                         rolls ? snArc_Place(&state->plan, end) : pathPlace(a, end));
        return;
    }
    if (state->end - a->world->ticks > LAST_TICKS) plan(a);
    snWorld_MoveGrab(a->world, state->grab, snArc_Place(&state->plan, end));
}

// ---- the ends of motions ------------------------------------------------------------------------

static snVec3 lastVelocity(const snActor *a)
{
    const snCubicSpline *piece = NULL;
    double v[3];
    if (!a->goal->def.path) return a->state->plan.velocity[1];
    piece = &a->goal->path.pieces[a->goal->path.pieceCount - 1];
    snCubicSpline_Sample(piece, piece->knots[piece->count - 1], SN_FIRST, v);
    return snVec(v[0], v[1], v[2]);
}

// A point that arrives is let go with the velocity of its plan, to the last digit; or stopped and held.
static snGoalPhase arrive(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    if (def->kind == SN_GOAL_GRAB) {
        snGoal_Drop(a);
        snGoalReason reason = snControl_Connect(a);
        return reason ? fail(a, reason) : SN_GOAL_DONE;
    }
    strike(a, def->hold ? snVec(0, 0, 0) : lastVelocity(a));
    if (def->hold && !snControl_AddHold(a)) return fail(a, SN_REASON_NO_ROOM);
    if (!def->hold) snGoal_Drop(a);
    return SN_GOAL_DONE;
}

// ---- begin and end ------------------------------------------------------------------------------

static snGoalPhase beginMotion(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    double now = snWorld_Time(a->world);
    snVec3 place = snControl_Place(a->control, a->world, def->point, now);
    if (isHeld(a)) return fail(a, SN_REASON_HELD);
    a->state->origin = place;
    a->state->end = a->state->begin + ticksOf(a, def->time);
    if (isOutOfReach(a)) return fail(a, SN_REASON_REACH);
    snVec3 velocity = snControl_Velocity(a->control, a->world, def->point, now);
    a->state->plan = (snArc){.begin = now,
                             .length = timeOf(a, a->state->end) - now,
                             .place = {place, place},
                             .velocity = {velocity, velocity}};
    if (!takePoint(a)) return fail(a, SN_REASON_NO_ROOM);
    if (def->path)
        beginPath(a);
    else
        plan(a);
    return SN_GOAL_ACTIVE;
}

static bool isLost(const snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    bool lost = false;
    for (int i = 0; i < def->conditionCount && !lost; i++) {
        const snConditionDef *c = &def->conditions[i];
        bool points = c->kind >= SN_IF_NEAR && c->kind <= SN_IF_OUTSIDE;
        lost = points && snControl_IsLost(a->control, a->world, c->points[0]);
        if (!lost && points && c->kind <= SN_IF_FAR)
            lost = snControl_IsLost(a->control, a->world, c->points[1]);
    }
    if (lost || def->kind == SN_GOAL_WAIT) return lost;
    if (def->kind == SN_GOAL_REPEAT || def->kind == SN_GOAL_DISCONNECT ||
        def->kind == SN_GOAL_SWITCH)
        return false;
    return snControl_IsLost(a->control, a->world, def->point) ||
           snControl_IsLost(a->control, a->world, def->target) ||
           snControl_IsLost(a->control, a->world, def->reachFrom);
}

static snGoalPhase checkWait(snActor *a)
{
    if (!snGoal_IsMet(a)) return SN_GOAL_ACTIVE;
    snGoal_Notice(a);
    return SN_GOAL_DONE;
}

static void switchAll(snActor *a)
{
    for (int i = 0; i < a->world->attachments.count; i++)
        if (!strcmp(a->world->attachments.data[i].def.name, a->goal->def.attachments))
            snWorld_Switch(a->world, i, a->goal->def.on);
}

snGoalPhase snGoal_Begin(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    snGoalState *state = a->state;
    state->begin = state->end = a->world->ticks;
    state->grab = -1;
    state->reason = SN_REASON_NONE;
    if (isLost(a)) return fail(a, SN_REASON_LOST);
    if (moves(def->kind)) return beginMotion(a);
    if (def->kind == SN_GOAL_WAIT) return checkWait(a);
    if (def->kind == SN_GOAL_CONNECT) {
        snGoalReason reason = snControl_Connect(a);
        return reason ? fail(a, reason) : SN_GOAL_DONE;
    }
    if (def->kind == SN_GOAL_DISCONNECT)
        return snControl_Disconnect(a) ? SN_GOAL_DONE : fail(a, SN_REASON_UNCONNECTED);
    if (def->kind == SN_GOAL_SWITCH) switchAll(a);
    if (def->kind == SN_GOAL_STRIKE) {
        snVec3 velocity = def->velocity;
        if (def->target != SN_CONTROL_NONE)
            velocity = snAdd(velocity, snControl_Velocity(a->control, a->world, def->target,
                                                          snWorld_Time(a->world)));
        strike(a, velocity);
    }
    return SN_GOAL_DONE;
}

snGoalPhase snGoal_Check(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    double now = snWorld_Time(a->world), slack = 1e-6 * a->world->def.step;
    if (isLost(a)) return fail(a, SN_REASON_LOST);
    if (def->kind == SN_GOAL_WAIT && checkWait(a) == SN_GOAL_DONE) return SN_GOAL_DONE;
    if (moves(def->kind) && a->world->ticks >= a->state->end) return arrive(a);
    if (moves(def->kind) && def->conditionCount && checkWait(a) == SN_GOAL_DONE) {
        snGoal_Drop(a);
        return SN_GOAL_DONE;
    }
    if (def->limit > 0 && now - timeOf(a, a->state->begin) >= def->limit - slack)
        return fail(a, SN_REASON_LIMIT);
    if (moves(def->kind) && isOutOfReach(a)) return fail(a, SN_REASON_REACH);
    return SN_GOAL_ACTIVE;
}
