// Points that are held. A spring to the world is part of the body's own step and stable at any
// stiffness; so are springs and constraints between bodies that are joined (snBodyKind.tie). Between others a
// spring k with damping c between two bodies is one force f on the one and -f on the
// other, so that momentum is kept to rounding. Where both ends coasted, the spring would be stretched
// by d = p_a - p_b + H (v_a - v_b) at the step's end; the force itself brings it nearer by H² g f, with g
// what both ends give way (snBody_Give). What it is at the end, and not before, gives
//
//     f = -(k d + c (v_a - v_b)) / (1 + (H² k + H c) g).
//
// g is no less than what the bodies truly give, which keeps this stable for every k: with an end of
// mass m = 1/g alone, k → ∞ closes the gap in one step; with more behind it, by a part of it.
#include "world/attach.h"
#include "core/elementary.h"
#include "world/meet.h"

#define MOST_STRIKES 64 // points whose velocities jump in the same step

static double timeOf(const snWorld *world, int64_t tick)
{
    return (double)tick * world->def.step;
}

// Acts in the step that begins at a time.
static bool isOn(const snWorld *world, int number, double time)
{
    const snAttachmentDef *def = &world->attachments.data[number].def;
    double slack = 1e-6 * world->def.step, from = def->from - def->preroll;
    return world->held.data[number].on && time >= from - slack && time < def->to - slack;
}

// Where a point of the world holds it, without what is eased out.
static snVec3 aim(const snWorld *world, int number, double time)
{
    const snAttachment *a = &world->attachments.data[number];
    if (a->def.path) return snMulAP(snRoute_Frame(&a->path, time), a->def.arm);
    return a->def.anchored ? snAdd(a->def.anchor, a->def.arm) : world->held.data[number].anchor;
}

static snVec3 aimVelocity(const snAttachment *a, double time)
{
    return a->def.path ? snRoute_VelocityOf(&a->path, a->def.arm, time) : snVec(0, 0, 0);
}

// How much of an offset is left.
static double offsetLeft(const snWorld *world, double ease, int64_t first, double time)
{
    return ease > 0 ? 1 - snSmooth((time - timeOf(world, first)) / ease) : 0;
}

// Where it is held: on the way to its path, or there but for what is eased out.
static snVec3 easedAim(const snWorld *world, int number, double time)
{
    const snAttachment *a = &world->attachments.data[number];
    const snAttachmentState *state = &world->held.data[number];
    double onset = timeOf(world, state->onset);
    if (time >= onset - 1e-6 * world->def.step) {
        double left = offsetLeft(world, a->def.ease, state->first, time);
        return snMulAdd(aim(world, number, time), left, state->offset);
    }
    double first = timeOf(world, state->first);
    snArc arc = {.begin = first,
                 .length = onset - first,
                 .place = {state->anchor, aim(world, number, onset)},
                 .velocity = {state->velocity, aimVelocity(a, onset)}};
    return snArc_Place(&arc, time);
}

static void takeHold(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    snAttachmentState *state = &world->held.data[number];
    snBody *body = world->bodies.data[a->def.body];
    snVec3 place = snBody_Place(body, a->point);
    double now = snWorld_Time(world), onset = fmax(a->def.from, now + a->def.preroll);
    bool rolls = a->def.preroll > 0 && onset > now;
    *state = (snAttachmentState){.on = 1,
                                 .acts = 1,
                                 .first = world->ticks,
                                 .onset = world->ticks,
                                 .anchor = place,
                                 .velocity = snBody_Velocity(body, a->point)};
    if (rolls) {
        double tick = ceil(onset / world->def.step - 1e-6);
        state->onset = tick < 9e15 ? (int64_t)tick : world->ticks;
        return;
    }
    snVec3 goal = a->def.other == SN_WORLD_NOBODY
                      ? aim(world, number, now)
                      : snBody_Place(world->bodies.data[a->def.other], a->otherPoint);
    state->offset = snSub(place, goal);
}

// ---- what jumps ---------------------------------------------------------------------------------

// The velocity that a point is to have right now, where it may be another than it has: where it is taken hold of, at the
// end of a preroll, and at kinks of its path.
static bool jumps(const snWorld *world, int number, snStrike *strike)
{
    const snAttachment *a = &world->attachments.data[number];
    const snAttachmentState *state = &world->held.data[number];
    double now = snWorld_Time(world), slack = 1e-6 * world->def.step, kink = now;
    double end = timeOf(world, world->ticks + world->length);
    bool rolls = world->ticks < state->onset;
    bool any = state->first == world->ticks ? !rolls : state->onset == world->ticks;
    bool kinked =
        a->def.path && !rolls && snRoute_HasKink(&a->path, now - slack, end - slack, &kink);
    *strike = (snStrike){.body = a->def.body,
                         .point = a->point,
                         .other = a->def.other,
                         .otherPoint = a->otherPoint,
                         .velocity = aimVelocity(a, fmax(now, kink))};
    return any || kinked;
}

static bool isJolt(const snWorld *world, const snStrike *s)
{
    snVec3 v = snBody_Velocity(world->bodies.data[s->body], s->point), other = {0, 0, 0};
    if (s->other >= 0) other = snBody_Velocity(world->bodies.data[s->other], s->otherPoint);
    double speed = fmax(fmax(snLength(v), snLength(other)), snLength(s->velocity));
    return snDistance(snSub(v, other), s->velocity) > 1e-9 * speed;
}

// All points at once, as many as a blow may have.
static void strike(snWorld *world)
{
    snStrike strikes[MOST_STRIKES];
    int count = 0;
    for (int i = 0; i < world->attachments.count && count < MOST_STRIKES; i++) {
        if (!world->held.data[i].acts || !world->attachments.data[i].def.hard) continue;
        bool jolt = jumps(world, i, &strikes[count]) && isJolt(world, &strikes[count]);
        count += jolt;
    }
    snWorld_Strike(world, count, strikes);
}

static void wakeEnds(snWorld *world, int number)
{
    const snAttachmentDef *def = &world->attachments.data[number].def;
    snWorld_Wake(world, def->body);
    if (def->other != SN_WORLD_NOBODY) snWorld_Wake(world, def->other);
}

void snWorld_TakeHold(snWorld *world)
{
    double time = snWorld_Time(world);
    for (int i = 0; i < world->attachments.count; i++) {
        snAttachmentState *state = &world->held.data[i];
        bool on = isOn(world, i, time);
        if (on != (state->acts != 0)) wakeEnds(world, i);
        if (!on)
            *state = (snAttachmentState){.on = state->on};
        else if (!state->acts)
            takeHold(world, i);
    }
    if (!world->def.gentle) strike(world);
}

void snWorld_Switch(snWorld *world, int attachment, bool on)
{
    snAttachmentState *state = &world->held.data[attachment];
    if (state->on == (int)on) return;
    if (state->acts) wakeEnds(world, attachment);
    *state = (snAttachmentState){.on = on};
}

// ---- holding ------------------------------------------------------------------------------------

static void toWorld(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    double time = snWorld_Time(world), step = world->length * world->def.step;
    snBody *body = world->bodies.data[a->def.body];
    snVec3 end = easedAim(world, number, time + step);
    if (a->def.hard) {
        snBody_Hold(body, a->point, end);
        return;
    }
    snBodyPull pull = {.target = end,
                       .move = snSub(end, easedAim(world, number, time)),
                       .stiffness = a->def.stiffness,
                       .damping = a->def.damping};
    snBody_Pull(body, a->point, &pull);
}

// Two points that are held together, of whatever was made beforehand or while running. Bodies that are joined hold
// them in their own step.
typedef struct Link {
    snBodyTie tie;
    int body, other;
    bool tied;
    double give; // of both ends, 1/kg
} Link;

static void hold(snWorld *world, const Link *link)
{
    const snBodyTie *tie = &link->tie;
    int holder = link->tied ? snWorld_Holder(world, link->body, link->other) : SN_HOLDER_NONE;
    if (holder >= 0) {
        const snWorldGroup *group = &world->groups.data[holder];
        group->kind->tie(group->group, tie);
        return;
    }
    if (holder == SN_HOLDER_MEET && tie->hard) {
        snMeet_Tie(world->meet, tie);
        return;
    }
    double h = world->length * world->def.step, k = tie->stiffness, c = tie->damping;
    snBody *body = tie->body[0], *other = tie->body[1];
    snVec3 apart = snSub(snBody_Place(body, tie->point[0]), snBody_Place(other, tie->point[1]));
    snVec3 speed =
        snSub(snBody_Velocity(body, tie->point[0]), snBody_Velocity(other, tie->point[1]));
    snVec3 pull = snMulAdd(snScale(k, snMulAdd(apart, h, speed)), c, speed);
    snVec3 force = snScale(-1 / (1 + (h * h * k + h * c) * link->give), pull);
    snBody_Push(body, tie->point[0], force);
    snBody_Push(other, tie->point[1], snNeg(force));
}

static void toOther(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    const snAttachmentState *state = &world->held.data[number];
    double end = timeOf(world, world->ticks + world->length);
    Link link = {.body = a->def.body, .other = a->def.other, .tied = a->tied, .give = a->give};
    link.tie = (snBodyTie){
        .body = {world->bodies.data[a->def.body], world->bodies.data[a->def.other]},
        .point = {a->point, a->otherPoint},
        .hard = a->def.hard,
        .apart = snScale(offsetLeft(world, a->def.ease, state->first, end), state->offset),
        .stiffness = a->def.stiffness,
        .damping = a->def.damping};
    hold(world, &link);
}

static void holdTogether(snWorld *world, const snGrab *g)
{
    snBody *body = world->bodies.data[g->body], *other = world->bodies.data[g->other];
    double end = timeOf(world, world->ticks + world->length);
    Link link = {.body = g->body, .other = g->other, .tied = g->tied != 0};
    link.tie = (snBodyTie){.body = {body, other},
                           .point = {g->point, g->otherPoint},
                           .hard = g->hard != 0,
                           .apart = snScale(offsetLeft(world, g->ease, g->first, end), g->offset),
                           .stiffness = g->stiffness,
                           .damping = g->damping};
    if (!g->hard) link.give = snBody_Give(body, g->point) + snBody_Give(other, g->otherPoint);
    hold(world, &link);
}

static void holdGrabs(snWorld *world)
{
    for (int i = 0; i < world->def.mostGrabs; i++) {
        snGrab *grab = &world->grabs[i];
        if (!grab->used) continue;
        if (grab->other != SN_WORLD_NOBODY) {
            holdTogether(world, grab);
            continue;
        }
        snBody *body = world->bodies.data[grab->body];
        snBodyPull pull = {grab->target, snSub(grab->target, grab->before), grab->stiffness,
                           grab->damping};
        if (grab->hard)
            snBody_Hold(body, grab->point, grab->target);
        else
            snBody_Pull(body, grab->point, &pull);
    }
}

void snWorld_MoveHands(snWorld *world)
{
    for (int i = 0; i < world->def.mostGrabs; i++) {
        snGrab *grab = &world->grabs[i];
        if (grab->used && grab->other == SN_WORLD_NOBODY) grab->before = grab->target;
    }
}

void snWorld_Attach(snWorld *world)
{
    for (int i = 0; i < world->attachments.count; i++) {
        if (!world->held.data[i].acts) continue;
        if (snWorld_Sleeps(world, world->attachments.data[i].def.body)) continue; // both ends do
        if (world->attachments.data[i].def.other == SN_WORLD_NOBODY)
            toWorld(world, i);
        else
            toOther(world, i);
    }
    holdGrabs(world);
}
