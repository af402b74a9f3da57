#include "lumps.h"

#include "core/error.h"
#include "core/sets.h"

// Balls about the shape's origin: one that holds it and one that it holds.
static void measure(const snShape *shape, double *outer, double *inner)
{
    snVec3 s = shape->size;
    if (shape->kind == SN_SHAPE_CAPSULE) {
        *outer = s.y + fmax(s.x, s.z);
        *inner = fmin(s.x, s.z);
    } else { // a rounded box is larger than its ellipsoid, and smaller than its own diagonal
        *outer = shape->e1 == 1.0 && shape->e2 == 1.0 ? fmax(s.x, fmax(s.y, s.z)) : snLength(s);
        *inner = 0.5 * fmin(s.x, fmin(s.y, s.z));
    }
}

void snLumps_Add(snLumps *lumps, snShape shape, double fillet, int region)
{
    int i = lumps->count++;
    SN_ASSERT(i < LUMPS_MOST);
    lumps->shapes[i] = shape;
    lumps->blend[i] = 1.5 * fillet;
    lumps->region[i] = region;
    if (lumps->blend[i] > lumps->widest) lumps->widest = lumps->blend[i];
    measure(&shape, &lumps->outer[i], &lumps->inner[i]);
}

snShape snEgg(snVec3 center, snVec3 axes, snMat3 turn)
{
    snShape shape = snDefaultShape(SN_SHAPE_SUPERELLIPSOID);
    shape.place = (snAffine){turn, center};
    shape.size = axes;
    return shape;
}

snShape snCone(snVec3 from, snVec3 to, double radiusFrom, double radiusTo)
{
    snShape shape = snDefaultShape(SN_SHAPE_CAPSULE);
    snVec3 up = snVec(0, 1, 0);
    snQuat turn = snQuatBetween(up, snNormalizeOr(snSub(to, from), up));
    shape.place = (snAffine){snQuatToMat(turn), snLerp(from, to, 0.5)};
    shape.size = snVec(radiusFrom, 0.5 * snDistance(from, to), radiusTo);
    return shape;
}

// The shapes that matter at a point; most are left out beforehand, which changes nothing. A shape does
// nothing where it is farther off than what came before it by its own width. One that is farther off
// than the nearest of all by more than 13/6 of the widest width W does nothing either: whatever it melts
// with is then more than W + W/6 farther off than the nearest, lowered by W/6 at most, and is dropped
// when the nearest comes.
typedef struct Near {
    int count;
    snShape shapes[LUMPS_MOST];
    double widths[LUMPS_MOST];
} Near;

static snBlend nearShapes(const snLumps *lumps, snVec3 point, Near *near)
{
    double away[LUMPS_MOST], atMost = 1e300, nearest = 1e300;
    for (int i = 0; i < lumps->count; i++) {
        away[i] = snDistance(point, lumps->shapes[i].place.origin);
        if (away[i] - lumps->inner[i] < nearest) nearest = away[i] - lumps->inner[i];
    }
    near->count = 0;
    for (int i = 0; i < lumps->count; i++) {
        if (away[i] - lumps->outer[i] > nearest + 2.5 * lumps->widest) continue;
        if (away[i] - lumps->outer[i] > atMost + lumps->blend[i]) continue;
        if (away[i] - lumps->inner[i] < atMost) atMost = away[i] - lumps->inner[i];
        near->shapes[near->count] = lumps->shapes[i];
        near->widths[near->count++] = lumps->blend[i];
    }
    return (snBlend){near->count, near->shapes, near->widths};
}

double snLumps_Value(const snLumps *lumps, snVec3 point)
{
    Near near;
    snBlend blend = nearShapes(lumps, point, &near);
    return snBlend_Value(&blend, point);
}

snVec3 snLumps_Gradient(const snLumps *lumps, snVec3 point)
{
    Near near;
    snBlend blend = nearShapes(lumps, point, &near);
    return snBlend_Gradient(&blend, point);
}

// Newton's method along the gradient; the field is about a distance, so three steps are plenty.
snVec3 snLumps_Project(const snLumps *lumps, snVec3 point)
{
    Near near;
    for (int i = 0; i < 3; i++) {
        snBlend blend = nearShapes(lumps, point, &near);
        snVec3 gradient = snBlend_Gradient(&blend, point);
        double slope = snLengthSquared(gradient);
        if (slope < 1e-6) break;
        point = snMulAdd(point, -snBlend_Value(&blend, point) / slope, gradient);
    }
    return point;
}

double snLumps_Region(const snLumps *lumps, int region, snVec3 point)
{
    double nearest = 1e300;
    for (int i = 0; i < lumps->count; i++)
        if (lumps->region[i] == region)
            nearest = fmin(nearest, snShape_Value(&lumps->shapes[i], point));
    return nearest;
}

snBox snLumps_Bounds(const snLumps *lumps)
{
    snBlend blend = {lumps->count, lumps->shapes, lumps->blend};
    return snBlend_Bounds(&blend);
}

// The polygoniser works in a space in which the surroundings of c are swollen: x = c + g d with
// d = u - c, q = |d| / R and
//     g = 1 - s / sqrt(1 + q²) ,
// which shrinks by 1 - s at c and only shifts far away from it. The field there is f(x(u)) / g, about
// a distance again; on the surface, where f = 0, its gradient is Jᵀ ∇f / g with
//     J = g I + s / R² (1 + q²)^(-3/2) d dᵀ .
typedef struct Swollen {
    const snLumps *lumps;
    const snLumpsDef *def;
} Swollen;

static double shrink(const snLumpsDef *def, snVec3 u)
{
    double q = snDistance(u, def->center) / def->radius;
    return 1.0 - def->finer / sqrt(1.0 + q * q);
}

static snVec3 fromSwollen(const snLumpsDef *def, snVec3 u)
{
    return snMulAdd(def->center, shrink(def, u), snSub(u, def->center));
}

static double swollenValue(const void *user, snVec3 u)
{
    const Swollen *s = user;
    return snLumps_Value(s->lumps, fromSwollen(s->def, u)) / shrink(s->def, u);
}

static snVec3 swollenGradient(const void *user, snVec3 u)
{
    const Swollen *s = user;
    double rr = s->def->radius * s->def->radius;
    snVec3 gradient = snLumps_Gradient(s->lumps, fromSwollen(s->def, u));
    snVec3 d = snSub(u, s->def->center);
    double qq = snLengthSquared(d) / rr;
    double stretch = s->def->finer / rr / ((1.0 + qq) * sqrt(1.0 + qq));
    return snMulAdd(gradient, stretch * snDot(d, gradient) / shrink(s->def, u), d);
}

// Swelling makes the field steeper by less than 1 / (1 - s), and melting not at all. Rounded boxes are
// steeper by nobody knows how much: 0.
static double slopeOf(const snLumps *lumps, const snLumpsDef *def)
{
    for (int i = 0; i < lumps->count; i++)
        if (lumps->shapes[i].e1 != 1.0 || lumps->shapes[i].e2 != 1.0) return 0.0;
    return 1.1 / (1.0 - def->finer);
}

// The swollen space reaches farther by s R at most.
static snBox swollenBounds(const snLumps *lumps, const snLumpsDef *def)
{
    if (def->box.lower.x < def->box.upper.x) return def->box;
    double more = def->finer * def->radius / (1.0 - def->finer) + 2.0 * def->edge;
    snBox box = snLumps_Bounds(lumps);
    snVec3 margin = snVec(more, more, more);
    return (snBox){snSub(box.lower, margin), snAdd(box.upper, margin)};
}

// Tips that are thinner than the triangles may be cut off: of all pieces the largest is kept.
static snStatus keepLargest(snMesh *mesh, snArena *arena, snError *error)
{
    int *root = SN_NEW(arena, int, mesh->vertexCount),
        *size = SN_NEW(arena, int, mesh->vertexCount);
    int *triangles = SN_NEW(arena, int, 3 * (size_t)mesh->triangleCount), kept = 0, best = 0;
    snVec3 *positions = SN_NEW(arena, snVec3, mesh->vertexCount);
    if (!root || !size || !triangles || !positions) return snFailMemory(error);
    snSets_Begin(root, mesh->vertexCount);
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        snSets_Join(root, mesh->triangles[i], mesh->triangles[i - i % 3]);
    for (int v = 0; v < mesh->vertexCount; v++) {
        root[v] = snSets_Root(root, v);
        if (++size[root[v]] > size[best]) best = root[v];
    }
    for (int v = 0; v < mesh->vertexCount; v++) { // `size` becomes the new number
        bool keep = root[v] == best;
        positions[kept] = mesh->positions[v];
        size[v] = keep ? kept++ : -1;
    }
    int count = 0;
    for (int i = 0; i < 3 * mesh->triangleCount; i++)
        if (size[mesh->triangles[i]] >= 0) triangles[count++] = size[mesh->triangles[i]];
    *mesh = (snMesh){kept, count / 3, positions, triangles};
    return SN_OK;
}

snStatus snLumps_Surface(snMesh *mesh, const snLumps *lumps, const snLumpsDef *def, snArena *arena,
                         snError *error)
{
    Swollen swollen = {lumps, def};
    snField field = {swollenValue, swollenGradient, &swollen, slopeOf(lumps, def)};
    snPolygoniseDef polygonise = snDefaultPolygoniseDef();
    polygonise.box = swollenBounds(lumps, def);
    polygonise.cell = def->edge;
    polygonise.relax = 5;
    snStatus status = snPolygonise(mesh, &field, &polygonise, arena, error);
    if (status) return status;
    snVec3 *positions = SN_NEW(arena, snVec3, mesh->vertexCount);
    if (!positions) return snFailMemory(error);
    for (int v = 0; v < mesh->vertexCount; v++)
        positions[v] = fromSwollen(def, mesh->positions[v]);
    mesh->positions = positions;
    return keepLargest(mesh, arena, error);
}
