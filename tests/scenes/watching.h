// What tests and benchmarks of whole scenes measure, in doubles from the bodies themselves: how far vertices are
// in what they may not pass through, and how fast they are.
#ifndef SN_TESTS_SCENES_WATCHING_H
#define SN_TESTS_SCENES_WATCHING_H

#include "geometry/winding.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

// The longest side of a body's box at rest.
static inline double lengthOf(const snBody *body)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, body->restSurface[v]);
    snVec3 side = snSub(box.upper, box.lower);
    return fmax(side.x, fmax(side.y, side.z));
}

// The deepest vertex of a body in any collider, m, and how many are deeper than a limit.
static inline double deepestIn(const snWorld *world, const snBody *body, double limit, int *count)
{
    double deepest = 0;
    for (int k = 0; k < world->colliders.count; k++) {
        snCollider collider = snWorld_ColliderAt(world, k, snWorld_Time(world));
        for (int v = 0; v < body->vertexCount; v++) {
            snTouch touch;
            if (!snCollider_Query(&collider, snBody_Vertex(body, v), 0, &touch)) continue;
            deepest = fmax(deepest, -touch.distance);
            if (count && -touch.distance > limit) ++*count;
        }
    }
    return deepest;
}

// The deepest vertex of a body in another one. Inside is what its surface goes round. The sign of the distance to what is
// nearest (contact/shell.h) tells nothing where a surface is folded and overlaps itself: of a rim that is pressed
// inside out the nearest triangle faces inward, and what is in front of it would count as inside.
static inline double deepestInOther(const snBody *body, const snBody *other, double limit,
                                    int *count)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 *places = SN_NEW(&arena, snVec3, other->vertexCount);
    snBox box = snEmptyBox();
    for (int v = 0; v < other->vertexCount; v++) {
        places[v] = snBody_Vertex(other, v);
        box = snBoxAdd(box, places[v]);
    }
    snMesh mesh = {other->vertexCount, other->triangleCount, places, (int *)other->triangles};
    snMeshTree tree;
    double deepest = 0;
    snWinding *winding;
    if (snMeshTree_Build(&tree, &mesh, &arena, NULL) == SN_OK &&
        snWinding_Make(&winding, &tree, &arena, NULL) == SN_OK)
        for (int v = 0; v < body->vertexCount; v++) {
            snVec3 x = snBody_Vertex(body, v);
            if (!snBoxOverlap(box, (snBox){x, x}) || !snWinding_Inside(winding, x)) continue;
            double depth = snMeshTree_Closest(&tree, x, INFINITY).distance;
            deepest = fmax(deepest, depth);
            if (count && depth > limit) ++*count;
        }
    snArena_Destroy(&arena);
    return deepest;
}

// Of some time: how deep vertices were at worst, and how fast, in lengths of the body and those per second.
typedef struct Watch {
    double deepest, fastest;
    double last; // s, when some vertex was faster than 1e-4 lengths per second for the last time
} Watch;

static inline Watch watchBody(snWorld *world, int number, double seconds)
{
    const snBody *body = world->bodies.data[number];
    int n = body->vertexCount, steps = (int)(seconds / world->def.step + 0.5);
    double length = lengthOf(body);
    snVec3 *before = malloc((size_t)n * sizeof *before);
    Watch watch = {.last = snWorld_Time(world)};
    for (int v = 0; v < n; v++)
        before[v] = snBody_Vertex(body, v);
    for (int k = 0; k < steps; k++) {
        double fastest = 0;
        snWorld_Step(world);
        for (int v = 0; v < n; v++) {
            snVec3 now = snBody_Vertex(body, v);
            fastest = fmax(fastest, snDistance(now, before[v]) / world->def.step);
            before[v] = now;
        }
        watch.fastest = fmax(watch.fastest, fastest / length);
        if (!(fastest < 1e-4 * length)) watch.last = snWorld_Time(world);
        watch.deepest = fmax(watch.deepest, deepestIn(world, body, 0, NULL) / length);
    }
    free(before);
    return watch;
}

#endif
