// Picking points of surfaces, and holding them by hand. Surfaces move in every step and are picked
// from seldom, so all triangles are looked at.
#include "core/error.h"
#include "geometry/primitive.h"
#include "world/world.h"

// Where a ray passes through a triangle: its parameter, or INFINITY.
//     o + t d = (1 - u - v) a + u b + v c
static double hitTriangle(snVec3 o, snVec3 d, snTriangle t, double share[3])
{
    snVec3 b = snSub(t.b, t.a), c = snSub(t.c, t.a), s = snSub(o, t.a);
    snVec3 p = snCross(d, c), q = snCross(s, b);
    double det = snDot(b, p);
    if (det == 0) return INFINITY;
    double u = snDot(s, p) / det, v = snDot(d, q) / det, at = snDot(c, q) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1 && at >= 0)) return INFINITY;
    share[0] = 1 - u - v;
    share[1] = u;
    share[2] = v;
    return at;
}

typedef struct Asked {
    bool ray;
    snVec3 origin, direction;
} Asked;

static double askTriangle(const Asked *asked, snTriangle t, double share[3])
{
    if (asked->ray) return hitTriangle(asked->origin, asked->direction, t, share);
    return snDistance(asked->origin, snClosestOnTriangle(asked->origin, t, share));
}

// Of bodies [first, end).
static snPick pick(const snWorld *world, int first, int end, const Asked *asked, double reach)
{
    snPick best = {.body = SN_WORLD_NOBODY, .distance = reach};
    for (int i = first; i < end; i++) {
        const snBody *body = world->bodies.data[i];
        for (int t = 0; t < body->triangleCount; t++) {
            const int *c = body->triangles + 3 * (size_t)t;
            snTriangle triangle = {snBody_Vertex(body, c[0]), snBody_Vertex(body, c[1]),
                                   snBody_Vertex(body, c[2])};
            double share[3], distance = askTriangle(asked, triangle, share);
            if (!(distance < best.distance)) continue;
            snVec3 place = snMulAdd(snScale(share[0], triangle.a), share[1], triangle.b);
            best = (snPick){.body = i,
                            .spot = {.onSurface = true,
                                     .corner = {c[0], c[1], c[2]},
                                     .share = {share[0], share[1], share[2]}},
                            .place = snMulAdd(place, share[2], triangle.c),
                            .distance = distance};
        }
    }
    return best;
}

snPick snWorld_PickRay(const snWorld *world, snVec3 origin, snVec3 direction)
{
    return pick(world, 0, world->bodies.count, &(Asked){true, origin, direction}, INFINITY);
}

snPick snWorld_PickNear(const snWorld *world, snVec3 place, double reach)
{
    return pick(world, 0, world->bodies.count, &(Asked){.origin = place}, reach);
}

snPick snWorld_PickNearOf(const snWorld *world, int body, snVec3 place)
{
    return pick(world, body, body + 1, &(Asked){.origin = place}, INFINITY);
}

// ---- holding ------------------------------------------------------------------------------------

// Whether one more tie between two bodies was reserved.
static bool hasReserve(const snWorld *world, int body, int other)
{
    int left = 0;
    for (int i = 0; i < world->reserves.count && world->isJoined; i++) {
        const snTieReserve *r = &world->reserves.data[i];
        bool ours =
            (r->body == body && r->other == other) || (r->body == other && r->other == body);
        if (ours) left += r->count;
    }
    for (int i = 0; i < world->def.mostGrabs; i++) {
        const snGrab *g = &world->grabs[i];
        bool ours =
            (g->body == body && g->other == other) || (g->body == other && g->other == body);
        if (g->used && g->tied && ours) left--;
    }
    return left > 0;
}

static snStatus checkGrab(const snWorld *world, const snGrabDef *def, snError *error)
{
    int count = world->bodies.count;
    if (def->body < 0 || def->body >= count)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no body %d", def->body);
    if (def->between && (def->other < 0 || def->other >= count))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no body %d", def->other);
    if (def->between && !(def->ease >= 0 && isfinite(def->ease)))
        return snFail(error, SN_ERROR_ARGUMENT, "points are brought together over %g s", def->ease);
    if (!def->hard && !(def->stiffness >= 0 && isfinite(def->stiffness) && def->damping >= 0 &&
                        isfinite(def->damping)))
        return snFail(error, SN_ERROR_ARGUMENT, "a spring of %g N/m with damping %g N s/m",
                      def->stiffness, def->damping);
    if (def->between && def->hard && !hasReserve(world, def->body, def->other))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "no tie between points of bodies \"%s\" and \"%s\" is left in reserve",
                      world->bodies.data[def->body]->name, world->bodies.data[def->other]->name);
    return SN_OK;
}

static snStatus locateEnds(snWorld *world, const snGrabDef *def, snGrab *grab, snError *error)
{
    snBody *body = world->bodies.data[def->body];
    grab->point = def->point;
    grab->otherPoint = def->between ? def->otherPoint : -1;
    grab->owned = !def->located;
    if (def->located) return SN_OK;
    snStatus status = snBody_Locate(body, &def->spot, &grab->point, error);
    if (status || !def->between) return status;
    status =
        snBody_Locate(world->bodies.data[def->other], &def->otherSpot, &grab->otherPoint, error);
    if (status) snBody_Forget(body, grab->point);
    return status;
}

snStatus snWorld_Grab(snWorld *world, const snGrabDef *def, int *grab, snError *error)
{
    int free = 0;
    *grab = -1;
    snStatus status = checkGrab(world, def, error);
    if (status) return status;
    while (free < world->def.mostGrabs && world->grabs[free].used)
        free++;
    if (free == world->def.mostGrabs)
        return snFail(error, SN_ERROR_ARGUMENT, "%d points are grabbed already", free);
    snGrab hold = {.used = 1,
                   .hard = def->hard,
                   .body = def->body,
                   .other = def->between ? def->other : SN_WORLD_NOBODY,
                   .first = world->ticks,
                   .stiffness = def->stiffness,
                   .damping = def->damping,
                   .ease = def->ease};
    status = locateEnds(world, def, &hold, error);
    if (status) return status;
    hold.target = hold.before = snBody_Place(world->bodies.data[def->body], hold.point);
    if (def->between) {
        hold.tied = hasReserve(world, def->body, def->other);
        hold.offset =
            snSub(hold.target, snBody_Place(world->bodies.data[def->other], hold.otherPoint));
    }
    world->grabs[free] = hold;
    *grab = free;
    snWorld_Wake(world, def->body);
    if (def->between) snWorld_Wake(world, def->other);
    return SN_OK;
}

void snWorld_MoveGrab(snWorld *world, int grab, snVec3 target)
{
    if (world->grabs[grab].used && snIsFinite3(target)) world->grabs[grab].target = target;
}

void snWorld_Release(snWorld *world, int grab)
{
    snGrab *hold = &world->grabs[grab];
    if (!hold->used) return;
    snWorld_Wake(world, hold->body);
    if (hold->other != SN_WORLD_NOBODY) snWorld_Wake(world, hold->other);
    if (hold->owned) snBody_Forget(world->bodies.data[hold->body], hold->point);
    if (hold->owned && hold->other != SN_WORLD_NOBODY)
        snBody_Forget(world->bodies.data[hold->other], hold->otherPoint);
    *hold = (snGrab){0};
}
