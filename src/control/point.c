// Points that goals speak of.
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

// A place of the world is known at all times; a body's point is taken to go on as it does.
snVec3 snControl_Ahead(const snControl *control, const snWorld *world, int point, double time)
{
    double now = snWorld_Time(world);
    snVec3 place = snControl_Place(control, world, point, time);
    if (control->points[point].body < 0) return place;
    return snMulAdd(place, time - now, snControl_Velocity(control, world, point, now));
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
