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

snStatus snWorld_Grab(snWorld *world, const snGrabDef *def, int *grab, snError *error)
{
    int free = 0;
    *grab = -1;
    if (def->body < 0 || def->body >= world->bodies.count)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no body %d", def->body);
    while (free < world->def.mostGrabs && world->grabs[free].used)
        free++;
    if (free == world->def.mostGrabs)
        return snFail(error, SN_ERROR_ARGUMENT, "%d points are grabbed already", free);
    snGrab hold = {.used = 1,
                   .hard = def->hard,
                   .body = def->body,
                   .stiffness = def->stiffness,
                   .damping = def->damping};
    snBody *body = world->bodies.data[def->body];
    snStatus status = snBody_Locate(body, &def->spot, &hold.point, error);
    if (status) return status;
    hold.target = hold.before = snBody_Place(body, hold.point);
    world->grabs[free] = hold;
    *grab = free;
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
    snBody_Forget(world->bodies.data[hold->body], hold->point);
    *hold = (snGrab){0};
}
