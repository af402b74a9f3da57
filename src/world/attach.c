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

static double smooth(double s)
{
    if (!(s > 0)) return 0;
    if (!(s < 1)) return 1;
    return s * s * s * (10 + s * (6 * s - 15)); // at rest at both ends, twice
}

// Acts in the step that begins at a time.
static bool isOn(const snAttachmentDef *def, double time, double step)
{
    double slack = 1e-6 * step;
    return time >= def->from - slack && time < def->to - slack;
}

static snVec3 aim(const snAttachment *a, const snAttachmentState *state, double time)
{
    if (a->def.path) return snMulAP(snRoute_Frame(&a->path, time), a->def.arm);
    return a->def.anchored ? snAdd(a->def.anchor, a->def.arm) : state->anchor;
}

// How much of where it was at first is left.
static double offsetLeft(const snWorld *world, const snAttachment *a,
                         const snAttachmentState *state, double time)
{
    double since = time - (double)state->first * world->def.step;
    return a->def.ease > 0 ? 1 - smooth(since / a->def.ease) : 0;
}

static snVec3 easedAim(const snWorld *world, int number, double time)
{
    const snAttachment *a = &world->attachments.data[number];
    const snAttachmentState *state = &world->held.data[number];
    return snMulAdd(aim(a, state, time), offsetLeft(world, a, state, time), state->offset);
}

static void takeHold(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    snAttachmentState *state = &world->held.data[number];
    snVec3 place = snBody_Place(world->bodies.data[a->def.body], a->point);
    *state = (snAttachmentState){.acts = 1, .first = (int)world->ticks, .anchor = place};
    snVec3 goal = a->def.other == SN_WORLD_NOBODY
                      ? aim(a, state, snWorld_Time(world))
                      : snBody_Place(world->bodies.data[a->def.other], a->otherPoint);
    state->offset = snSub(place, goal);
}

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

// Bodies that are joined hold the points together in their own step.
static void tie(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    const snAttachmentState *state = &world->held.data[number];
    double end = snWorld_Time(world) + world->length * world->def.step;
    snBodyTie tie = {.body = {world->bodies.data[a->def.body], world->bodies.data[a->def.other]},
                     .point = {a->point, a->otherPoint},
                     .hard = a->def.hard,
                     .apart = snScale(offsetLeft(world, a, state, end), state->offset),
                     .stiffness = a->def.stiffness,
                     .damping = a->def.damping};
    world->groupKind->tie(world->group, &tie);
}

static void toOther(snWorld *world, int number)
{
    const snAttachment *a = &world->attachments.data[number];
    if (a->tied) {
        tie(world, number);
        return;
    }
    double h = world->length * world->def.step, k = a->def.stiffness, c = a->def.damping;
    snBody *body = world->bodies.data[a->def.body], *other = world->bodies.data[a->def.other];
    snVec3 apart = snSub(snBody_Place(body, a->point), snBody_Place(other, a->otherPoint));
    snVec3 speed = snSub(snBody_Velocity(body, a->point), snBody_Velocity(other, a->otherPoint));
    snVec3 pull = snMulAdd(snScale(k, snMulAdd(apart, h, speed)), c, speed);
    snVec3 force = snScale(-1 / (1 + (h * h * k + h * c) * a->give), pull);
    snBody_Push(body, a->point, force);
    snBody_Push(other, a->otherPoint, snNeg(force));
}

static void holdGrabs(snWorld *world)
{
    for (int i = 0; i < world->def.mostGrabs; i++) {
        snGrab *grab = &world->grabs[i];
        if (!grab->used) continue;
        snBody *body = world->bodies.data[grab->body];
        snBodyPull pull = {grab->target, snSub(grab->target, grab->before), grab->stiffness,
                           grab->damping};
        if (grab->hard)
            snBody_Hold(body, grab->point, grab->target);
        else
            snBody_Pull(body, grab->point, &pull);
        grab->before = grab->target;
    }
}

void snWorld_Attach(snWorld *world)
{
    double time = snWorld_Time(world);
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachment *a = &world->attachments.data[i];
        snAttachmentState *state = &world->held.data[i];
        if (!isOn(&a->def, time, world->def.step)) {
            *state = (snAttachmentState){0};
            continue;
        }
        if (!state->acts) takeHold(world, i);
        if (a->def.other == SN_WORLD_NOBODY)
            toWorld(world, i);
        else
            toOther(world, i);
    }
    holdGrabs(world);
}
