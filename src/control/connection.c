// Points that are connected: to each other by the world's attachments, or to places, to which they are led here.
#include "control/parts.h"

#include "core/elementary.h"

static snConnection *findFree(snControl *control)
{
    for (int i = 0; i < control->mostConnections; i++)
        if (!control->connections[i].used) return &control->connections[i];
    return NULL;
}

int snControl_FindHold(const snControl *control, int point)
{
    for (int i = 0; i < control->mostConnections; i++) {
        const snConnection *c = &control->connections[i];
        bool toPlace = c->target == SN_CONTROL_NONE || control->points[c->target].body < 0;
        if (c->used && toPlace && c->point == point) return i;
    }
    return -1;
}

void snControl_DropConnection(snControl *control, snWorld *world, int number)
{
    snConnection *c = &control->connections[number];
    if (c->used) snWorld_Release(world, c->grab);
    *c = (snConnection){0};
}

static bool isBetween(const snConnection *c, int a, int b)
{
    if (!c->used) return false;
    if (b == SN_CONTROL_NONE) return c->point == a || c->target == a;
    return (c->point == a && c->target == b) || (c->point == b && c->target == a);
}

// Both velocities become one, by equal and opposite impulses; that of a place stays as it is.
static void match(snActor *a)
{
    const snControlPoint *p = &a->control->points[a->goal->def.point];
    const snControlPoint *t = &a->control->points[a->goal->def.target];
    snStrike strike = {
        .body = p->body, .point = p->handle, .other = t->body, .otherPoint = t->handle};
    if (t->body < 0)
        strike.velocity =
            snControl_Velocity(a->control, a->world, a->goal->def.target, snWorld_Time(a->world));
    snWorld_Strike(a->world, 1, &strike);
}

static snGrabDef grabOf(const snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    const snControlPoint *p = &a->control->points[def->point];
    const snControlPoint *t = &a->control->points[def->target];
    return (snGrabDef){.body = p->body,
                       .located = true,
                       .point = p->handle,
                       .between = t->body >= 0,
                       .other = t->body,
                       .otherPoint = t->handle,
                       .hard = !def->spring,
                       .stiffness = def->stiffness,
                       .damping = def->damping,
                       .ease = def->ease};
}

snGoalReason snControl_Connect(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    double now = snWorld_Time(a->world);
    snVec3 apart = snSub(snControl_Place(a->control, a->world, def->point, now),
                         snControl_Place(a->control, a->world, def->target, now));
    double within = def->within > 0 ? def->within : 0.1 * a->control->points[def->point].size;
    bool place = a->control->points[def->target].body < 0;
    for (int i = 0; i < a->control->mostConnections; i++)
        if (isBetween(&a->control->connections[i], def->point, def->target)) return SN_REASON_HELD;
    int hold = place ? snControl_FindHold(a->control, def->point) : -1;
    if (hold >= 0 && a->control->connections[hold].target != SN_CONTROL_NONE) return SN_REASON_HELD;
    if (!(snLength(apart) <= within)) return SN_REASON_APART;
    if (hold >= 0) snControl_DropConnection(a->control, a->world, hold);
    snConnection *free = findFree(a->control);
    snGrabDef grab = grabOf(a);
    int number;
    if (!free) return SN_REASON_NO_ROOM;
    if (snWorld_Grab(a->world, &grab, &number, NULL)) return SN_REASON_NO_ROOM;
    if (!def->spring) match(a);
    *free = (snConnection){.used = 1,
                           .grab = number,
                           .point = def->point,
                           .target = def->target,
                           .first = a->world->ticks,
                           .ease = def->ease,
                           .offset = apart};
    return SN_REASON_NONE;
}

bool snControl_Disconnect(snActor *a)
{
    bool any = false;
    for (int i = 0; i < a->control->mostConnections; i++) {
        if (!isBetween(&a->control->connections[i], a->goal->def.point, a->goal->def.target))
            continue;
        snControl_DropConnection(a->control, a->world, i);
        any = true;
    }
    return any;
}

bool snControl_AddHold(snActor *a)
{
    snConnection *free = findFree(a->control);
    if (!free) return false;
    *free = (snConnection){.used = 1,
                           .grab = a->state->grab,
                           .point = a->goal->def.point,
                           .target = SN_CONTROL_NONE,
                           .first = a->world->ticks};
    a->state->grab = -1;
    return true;
}

// Those to places go along with them, and what they were apart at first is eased out.
void snControl_HoldAll(snControl *control, snWorld *world, int ticks)
{
    double end = (double)(world->ticks + ticks) * world->def.step;
    for (int i = 0; i < control->mostConnections; i++) {
        const snConnection *c = &control->connections[i];
        if (!c->used || c->target == SN_CONTROL_NONE || control->points[c->target].body >= 0)
            continue;
        double since = end - (double)c->first * world->def.step;
        double left = c->ease > 0 ? 1 - snSmooth(since / c->ease) : 0;
        snVec3 place = snControl_Place(control, world, c->target, end);
        snWorld_MoveGrab(world, c->grab, snMulAdd(place, left, c->offset));
    }
}
