// Bodies of capsules for the tests of rigging, polygonised in an arena. All are symmetric in x.
#ifndef SN_TESTS_CHARACTER_BODIES_H
#define SN_TESTS_CHARACTER_BODIES_H

#include "character/solid.h"
#include "geometry/implicit.h"
#include "tests/test.h"

#include <stdio.h>
#include <time.h>

enum { MOST_SHAPES = 24 };

static const snTasks serial = {NULL, NULL, 1};

typedef struct Body {
    int count;
    snShape shapes[MOST_SHAPES];
    double blend[MOST_SHAPES];
} Body;

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A round bone from a, where it has one radius, to b, where it has another.
static inline void addCapsule(Body *body, snVec3 a, double ra, snVec3 b, double rb)
{
    snShape shape = snDefaultShape(SN_SHAPE_CAPSULE);
    snVec3 along = snNormalizeOr(snSub(b, a), snVec(0, 1, 0));
    shape.place.linear = snQuatToMat(snQuatBetween(snVec(0, 1, 0), along));
    shape.place.origin = snLerp(a, b, 0.5);
    shape.size = snVec(ra, 0.5 * snDistance(a, b), rb);
    body->blend[body->count] = 0.05;
    body->shapes[body->count++] = shape;
}

static inline void addPair(Body *body, snVec3 a, double ra, snVec3 b, double rb)
{
    addCapsule(body, a, ra, b, rb);
    a.x = -a.x;
    b.x = -b.x;
    addCapsule(body, a, ra, b, rb);
}

// Looks along z, stands on the ground y = 0.
static inline Body quadruped(void)
{
    Body body = {0};
    addCapsule(&body, snVec(0, 1, -0.6), 0.32, snVec(0, 1, 0.6), 0.3);
    addPair(&body, snVec(0.2, 0.9, 0.6), 0.13, snVec(0.22, 0.12, 0.62), 0.1);
    addPair(&body, snVec(0.2, 0.9, -0.6), 0.14, snVec(0.22, 0.12, -0.62), 0.1);
    addCapsule(&body, snVec(0, 1.05, 0.7), 0.17, snVec(0, 1.6, 1.1), 0.14); // neck
    addCapsule(&body, snVec(0, 1.62, 1.1), 0.22, snVec(0, 1.5, 1.5), 0.12); // head
    addPair(&body, snVec(0.1, 1.75, 1.05), 0.07, snVec(0.25, 2.1, 1.0), 0.05);
    addCapsule(&body, snVec(0, 1.1, -0.85), 0.08, snVec(0, 1.0, -1.6), 0.05); // tail
    return body;
}

static inline Body person(void)
{
    Body body = {0};
    addCapsule(&body, snVec(0, 1.0, 0), 0.2, snVec(0, 1.5, 0), 0.22);
    addCapsule(&body, snVec(0, 1.6, 0), 0.08, snVec(0, 1.8, 0), 0.08);
    addCapsule(&body, snVec(0, 1.9, 0), 0.16, snVec(0, 2.05, 0), 0.15);
    addPair(&body, snVec(0.12, 1.0, 0), 0.11, snVec(0.15, 0.1, 0), 0.08);
    addPair(&body, snVec(0.15, 1.5, 0), 0.09, snVec(0.95, 1.5, 0), 0.06);
    return body;
}

// Two legs that almost touch, joined at the top by a bridge.
static inline Body horseshoe(double gap)
{
    Body body = {0};
    double x = 0.15 + 0.5 * gap;
    addCapsule(&body, snVec(-x, 1.2, 0), 0.15, snVec(x, 1.2, 0), 0.15);
    addPair(&body, snVec(x, 1.2, 0), 0.15, snVec(x, 0.0, 0), 0.15);
    for (int i = 0; i < body.count; i++)
        body.blend[i] = 0.0;
    return body;
}

static inline snMesh polygonise(const Body *body, double cell, snArena *arena)
{
    snBlend blend = {body->count, body->shapes, body->blend};
    snField field = snBlend_Field(&blend);
    snPolygoniseDef def = snDefaultPolygoniseDef();
    def.box = snBlend_Bounds(&blend);
    // The same cells on both sides of x = 0.
    double x = cell * ceil(fmax(def.box.upper.x, -def.box.lower.x) / cell + 1.0);
    def.box.lower.x = -x;
    def.box.upper.x = x;
    def.cell = cell;
    def.relax = 2;
    snMesh mesh = {0};
    snError error = {0};
    if (!CHECK(snPolygonise(&mesh, &field, &def, arena, &error) == SN_OK))
        printf("%s\n", error.message);
    return mesh;
}

static inline snSolid solidOf(const Body *body, double cell, snArena *arena)
{
    snMesh mesh = polygonise(body, cell, arena);
    snSolid solid = {0};
    CHECK(snSolid_Make(&solid, &mesh, arena, NULL) == SN_OK);
    return solid;
}

static const snTasks backwards = {snTest_RunBackwards, NULL, 2};

#endif
