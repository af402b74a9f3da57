// Surfaces of spheres, pyramids, cylinders, capsules and tubes.
#include "scene/reader.h"

#include "core/elementary.h"
#include "geometry/shape.h"
#include "numerics/spline.h"

#define MOST_SIDES 200
#define MOST_POINTS 200 // of a tube
#define MOST_RINGS 40   // from one of its points to the next, or along a cylinder
#define CAP_RINGS 8     // of half a sphere, at most
#define FINE_ROWS 6     // of a pyramid that can bend

static const snRange lengths = {1e-6, 1e6, SN_QUANTITY_LENGTH};

typedef struct Making {
    snReader *r;
    snArena scratch;
    int sides, count;
    snShapeRing *rings;
} Making;

static void reserve(Making *m, int rings)
{
    m->rings = SN_NEW(&m->scratch, snShapeRing, rings);
    if (!m->rings) snReader_Take(m->r, snFailMemory(m->r->error));
}

// So many that quadrilaterals are about square.
static int ringsFor(const Making *m, double length, double radius)
{
    double rings = ceil(length * m->sides / (2 * SN_PI * fmax(radius, 1e-3 * length)));
    return (int)fmax(1, fmin(rings, MOST_RINGS));
}

// ---- about y ------------------------------------------------------------------------------------

static void addLevel(Making *m, double y, double x, double z, bool sharp)
{
    m->rings[m->count++] = (snShapeRing){{0, y, 0}, {x, 0, 0}, {0, 0, -z}, sharp};
}

static void makeSphere(Making *m, snVec3 radii)
{
    int rings = m->sides / 2;
    reserve(m, rings + 1);
    for (int k = 0; k <= rings && !m->r->status; k++) {
        double sine, cosine;
        snSinCos(SN_PI * k / rings, &sine, &cosine);
        bool pole = k == 0 || k == rings;
        addLevel(m, -radii.y * cosine, pole ? 0 : radii.x * sine, pole ? 0 : radii.z * sine, false);
    }
}

static void makeCylinder(Making *m, double radius, double top, double length)
{
    int rings = ringsFor(m, length, fmax(radius, top));
    reserve(m, rings + 3);
    if (m->r->status) return;
    if (radius > 0) addLevel(m, -0.5 * length, 0, 0, false);
    for (int k = 0; k <= rings; k++) {
        double u = (double)k / rings, at = k == rings ? top : radius + u * (top - radius);
        bool end = k == 0 || k == rings;
        addLevel(m, (u - 0.5) * length, at, at, end && at > 0);
    }
    if (top > 0) addLevel(m, 0.5 * length, 0, 0, false);
}

// ---- tubes --------------------------------------------------------------------------------------

typedef struct Tube {
    int count;
    double *knots, *values; // [count], [count * 3]: length of the chords, places
    double *radii;          // [count]
    snCubicSpline curve;
    snVec3 side; // across the way, carried along it
} Tube;

static snVec3 sampleTube(const Tube *t, double s, snDerivative derivative)
{
    double v[3];
    snCubicSpline_Sample(&t->curve, s, derivative, v);
    return snVec(v[0], v[1], v[2]);
}

static void addAcross(Making *m, Tube *t, snVec3 center, snVec3 along, double radius)
{
    t->side = snMulAdd(t->side, -snDot(t->side, along), along);
    t->side = snNormalizeOr(t->side, snPerpendicular(along));
    m->rings[m->count++] = (snShapeRing){.center = center,
                                         .u = snScale(radius, t->side),
                                         .v = snScale(radius, snCross(along, t->side))};
}

// Half a sphere at an end, but for its rim; where the radius is 0 the end is a point by itself.
static void addCap(Making *m, Tube *t, bool last)
{
    double s = last ? t->knots[t->count - 1] : 0, radius = t->radii[last ? t->count - 1 : 0];
    snVec3 end = sampleTube(t, s, SN_VALUE);
    snVec3 along = snNormalizeOr(sampleTube(t, s, SN_FIRST), snVec(0, 1, 0));
    int rings = m->sides / 4 < CAP_RINGS ? m->sides / 4 : CAP_RINGS;
    for (int i = 0; i < rings && radius > 0; i++) {
        int k = last ? rings - 1 - i : i;
        double sine, cosine;
        snSinCos(0.5 * SN_PI * k / rings, &sine, &cosine);
        addAcross(m, t, snMulAdd(end, last ? radius * cosine : -radius * cosine, along), along,
                  k ? radius * sine : 0);
    }
}

static void addSpan(Making *m, Tube *t, int i)
{
    double from = t->knots[i], length = t->knots[i + 1] - from;
    int rings = ringsFor(m, length, 0.5 * (t->radii[i] + t->radii[i + 1]));
    for (int k = i ? 1 : 0; k <= rings; k++) {
        double u = (double)k / rings, s = k == rings ? t->knots[i + 1] : from + u * length;
        double radius =
            k == rings ? t->radii[i + 1] : t->radii[i] + u * (t->radii[i + 1] - t->radii[i]);
        snVec3 along = snNormalizeOr(sampleTube(t, s, SN_FIRST), snVec(0, 1, 0));
        addAcross(m, t, sampleTube(t, s, SN_VALUE), along, radius);
    }
}

static void makeTube(Making *m, Tube *t)
{
    snReader *r = m->r;
    double *tangents = SN_NEW(&m->scratch, double, 3 * t->count);
    double *scratch = SN_NEW(&m->scratch, double, t->count);
    reserve(m, t->count * (MOST_RINGS + 1) + 2 * CAP_RINGS);
    if (!tangents || !scratch) snReader_Take(r, snFailMemory(r->error));
    if (r->status) return;
    t->curve = (snCubicSpline){.count = t->count,
                               .width = 3,
                               .knots = t->knots,
                               .values = t->values,
                               .tangents = tangents,
                               .ends = {SN_END_LOOSE, SN_END_LOOSE}};
    snReader_Take(r, snCubicSpline_Solve(&t->curve, scratch, r->error));
    if (r->status) return;
    t->side = snPerpendicular(snNormalizeOr(sampleTube(t, 0, SN_FIRST), snVec(0, 1, 0)));
    addCap(m, t, false);
    for (int i = 0; i + 1 < t->count; i++)
        addSpan(m, t, i);
    addCap(m, t, true);
}

// One for all, or a list; 0 only at the ends, where the tube is pointed.
static void readRadii(snReader *r, const snJsonNode *node, Tube *t)
{
    const snRange any = {0, 1e6, SN_QUANTITY_LENGTH};
    bool list = node && node->kind == SN_JSON_ARRAY;
    if (r->status) return;
    if (list && snJson_Count(node) != t->count)
        snReader_Fail(r, node, "are %d, and there are %d points", snJson_Count(node), t->count);
    for (int i = 0; i < t->count && !r->status; i++) {
        const snJsonNode *one = list ? snJson_At(r->json, node, i) : node;
        bool end = list && (i == 0 || i == t->count - 1);
        snReader_Value(r, one, end ? any : lengths, &t->radii[i]);
    }
}

static void readTube(Making *m, const snJsonNode *node, Tube *t)
{
    snReader *r = m->r;
    const snJsonNode *list = snReader_List(r, node, "points");
    snReader_Need(r, node, "points");
    const snJsonNode *radius = snReader_Need(r, node, "radius");
    t->count = snJson_Count(list);
    if (!r->status && (t->count < 2 || t->count > MOST_POINTS))
        snReader_Fail(r, list, "are %d; there must be 2 to %d", t->count, MOST_POINTS);
    if (r->status) return;
    t->knots = SN_NEW(&m->scratch, double, t->count);
    t->values = SN_NEW(&m->scratch, double, 3 * t->count);
    t->radii = SN_NEW(&m->scratch, double, t->count);
    if (!t->knots || !t->values || !t->radii) snReader_Take(r, snFailMemory(r->error));
    snVec3 before = {0, 0, 0};
    for (int i = 0; i < t->count && !r->status; i++) {
        const snJsonNode *point = snJson_At(r->json, list, i);
        snVec3 at = {0, 0, 0};
        snReader_VectorOf(r, point, SN_QUANTITY_LENGTH, &at);
        t->values[3 * i] = at.x, t->values[3 * i + 1] = at.y, t->values[3 * i + 2] = at.z;
        if (i) t->knots[i] = t->knots[i - 1] + snDistance(before, at);
        if (!r->status && i && !(snDistance(before, at) > 1e-6))
            snReader_Fail(r, point, "is where the one before it is");
        before = at;
    }
    readRadii(r, radius, t);
}

// ---- what is said -------------------------------------------------------------------------------

static void readSize(snReader *r, const snJsonNode *node, snVec3 *size)
{
    snReader_Vector(r, node, "size", SN_QUANTITY_LENGTH, size);
    if (!r->status && !(size->x >= 1e-6 && size->y >= 1e-6 && size->z >= 1e-6))
        snReader_Fail(r, snJson_Member(r->json, node, "size"), "must be three lengths above 0");
}

static void readSphere(Making *m, const snJsonNode *node)
{
    bool wide = snJson_Member(m->r->json, node, "size") != NULL;
    double radius = 1;
    if (wide == (snJson_Member(m->r->json, node, "radius") != NULL))
        snReader_Fail(m->r, node, "has a \"radius\", or the \"size\" of its box; one of them");
    snReader_Number(m->r, node, "radius", lengths, &radius);
    snVec3 size = {2 * radius, 2 * radius, 2 * radius};
    readSize(m->r, node, &size);
    if (!m->r->status) makeSphere(m, snScale(0.5, size));
}

static void readCylinder(Making *m, const snJsonNode *node)
{
    const snRange any = {0, 1e6, SN_QUANTITY_LENGTH};
    double radius = 1, length = 1;
    snReader_Need(m->r, node, "radius");
    snReader_Need(m->r, node, "length");
    snReader_Number(m->r, node, "radius", any, &radius);
    snReader_Number(m->r, node, "length", lengths, &length);
    double top = radius;
    snReader_Number(m->r, node, "top", any, &top);
    if (!m->r->status && !(fmax(radius, top) >= 1e-6))
        snReader_Fail(m->r, node, "is of no width at either end");
    if (!m->r->status) makeCylinder(m, radius, top, length);
}

static void readCapsule(Making *m, const snJsonNode *node)
{
    double radius = 1, length = 1, knots[2] = {0, 0}, values[6] = {0}, radii[2];
    snReader_Need(m->r, node, "radius");
    snReader_Need(m->r, node, "length");
    snReader_Number(m->r, node, "radius", lengths, &radius);
    snReader_Number(m->r, node, "length", lengths, &length);
    if (m->r->status) return;
    knots[1] = length;
    values[1] = -0.5 * length, values[4] = 0.5 * length;
    radii[0] = radii[1] = radius;
    makeTube(m, &(Tube){.count = 2, .knots = knots, .values = values, .radii = radii});
}

static void makePyramid(Making *m, const snJsonNode *node, const snSceneBody *body, snMesh *mesh)
{
    snReader *r = m->r;
    snVec3 size = {1, 1, 1};
    int rows = body->isPoly && body->poly.order == 1 ? 1 : FINE_ROWS;
    snReader_Need(r, node, "size");
    readSize(r, node, &size);
    snBox box = {snScale(-0.5, size), snScale(0.5, size)};
    if (!r->status) snReader_Take(r, snShape_Pyramid(mesh, box, rows, r->arena, r->error));
}

void snReader_MakeShape(snReader *r, const snJsonNode *node, snSceneShape kind,
                        const snSceneBody *body, snMesh *mesh)
{
    static const char *const keys[][6] = {{"grid", "cells", "sides", "radius", "size"},
                                          {"grid", "cells", "size"},
                                          {"grid", "cells", "sides", "radius", "length", "top"},
                                          {"grid", "cells", "sides", "radius", "length"},
                                          {"grid", "cells", "sides", "radius", "points"}};
    static const int counts[] = {5, 3, 6, 5, 5};
    Making m = {.r = r, .scratch = snMakeArena(r->context), .sides = 24};
    Tube tube = {0};
    *mesh = (snMesh){0};
    snReader_Keys(r, node, keys[kind - SN_SCENE_SPHERE], counts[kind - SN_SCENE_SPHERE]);
    snReader_Int(r, node, "sides", 6, MOST_SIDES, &m.sides);
    if (kind == SN_SCENE_SPHERE) readSphere(&m, node);
    if (kind == SN_SCENE_PYRAMID) makePyramid(&m, node, body, mesh);
    if (kind == SN_SCENE_CYLINDER) readCylinder(&m, node);
    if (kind == SN_SCENE_CAPSULE) readCapsule(&m, node);
    if (kind == SN_SCENE_TUBE) readTube(&m, node, &tube);
    if (kind == SN_SCENE_TUBE && !r->status) makeTube(&m, &tube);
    if (kind != SN_SCENE_PYRAMID && !r->status)
        snReader_Take(r, snShape_Sweep(mesh, m.count, m.rings, m.sides, r->arena, r->error));
    snArena_Destroy(&m.scratch);
}
