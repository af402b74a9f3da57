#include "body/poly/measure.h"

#include "core/error.h"
#include "geometry/edges.h"
#include "numerics/gauss.h"

#define SAME_PLACE 1e-9   // of its size: vertices that are as near are one
#define LEAST_VOLUME 1e-9 // of the cube of its size

// ---- points and weights -------------------------------------------------------------------------

typedef struct Rule {
    int count;
    double at[SN_GAUSS_POINTS], weight[SN_GAUSS_POINTS]; // on [0, 1]
} Rule;

static Rule makeRule(int degree)
{
    Rule rule = {.count = (degree + 4) / 2};
    snGauss_Rule(rule.count, rule.at, rule.weight);
    for (int i = 0; i < rule.count; i++) {
        rule.at[i] = 0.5 * (1 + rule.at[i]);
        rule.weight[i] *= 0.5;
    }
    return rule;
}

static void visitTetrahedron(const Rule *rule, const snVec3 corner[4], double density,
                             snPolyVisit *visit, void *user)
{
    snVec3 a = snSub(corner[1], corner[0]), b = snSub(corner[2], corner[0]),
           c = snSub(corner[3], corner[0]);
    double volume = density * snDot(a, snCross(b, c));
    snVec3 ab = snSub(b, a), bc = snSub(c, b);
    for (int k = 0; k < rule->count; k++)
        for (int j = 0; j < rule->count; j++) {
            double t = rule->at[j], side = rule->weight[k] * rule->weight[j] * t;
            snVec3 foot = snMulAdd(a, t, snMulAdd(ab, rule->at[k], bc));
            for (int i = 0; i < rule->count; i++) {
                double s = rule->at[i];
                visit(user, snMulAdd(corner[0], s, foot), volume * side * rule->weight[i] * s * s);
            }
        }
}

void snPolyMeasure_Visit(const snPolyMeasure *m, int degree, snPolyVisit *visit, void *user)
{
    for (int i = 0; i < m->pointCount; i++)
        visit(user, m->points[i], m->masses[i]);
    if (m->pointCount > 0) return;
    const snMesh *mesh = m->surface;
    snBox box = snMesh_Bounds(mesh);
    Rule rule = makeRule(degree);
    for (int i = 0; i < mesh->triangleCount; i++) {
        const int *t = mesh->triangles + 3 * (size_t)i;
        const snVec3 corner[4] = {snLerp(box.lower, box.upper, 0.5), mesh->positions[t[0]],
                                  mesh->positions[t[1]], mesh->positions[t[2]]};
        visitTetrahedron(&rule, corner, m->density, visit, user);
    }
}

// ---- moments ------------------------------------------------------------------------------------

static void addCenter(void *user, snVec3 x, double weight)
{
    snPolyMoments *m = user;
    m->mass += weight;
    m->center = snMulAdd(m->center, weight, x);
}

static void addSpread(void *user, snVec3 x, double weight)
{
    snPolyMoments *m = user;
    snVec3 d = snSub(x, m->center);
    m->spread = snAddMM(m->spread, snScaleM(weight, snOuter(d, d)));
}

snPolyMoments snPolyMeasure_Moments(const snPolyMeasure *measure)
{
    snPolyMoments m = {0};
    snPolyMeasure_Visit(measure, 1, addCenter, &m);
    m.center = snScale(1 / m.mass, m.center);
    snPolyMeasure_Visit(measure, 2, addSpread, &m);
    m.spread = snScaleM(1 / m.mass, m.spread);
    return m;
}

// ---- whether there is an inside -----------------------------------------------------------------

// Along every edge as many triangles go one way as the other.
static snStatus checkEdges(const snMesh *mesh, snArena *scratch, snError *error)
{
    int count = 3 * mesh->triangleCount;
    snSide *sides = SN_NEW(scratch, snSide, count);
    if (!sides) return snFailMemory(error);
    snSides_Sort(sides, mesh->triangles, mesh->triangleCount);
    for (int first = 0, end; first < count; first = end) {
        int sum = 0;
        end = snSides_End(sides, count, first);
        for (int k = first; k < end; k++)
            sum += mesh->triangles[sides[k].corner] == sides[k].low ? 1 : -1;
        snVec3 p = mesh->positions[sides[first].low];
        if (sum != 0)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "the surface is open at (%g, %g, %g): it encloses nothing; close it", p.x,
                          p.y, p.z);
    }
    return SN_OK;
}

snStatus snPolyMeasure_CheckSurface(const snMesh *surface, const snContext *context, snError *error)
{
    if (surface->triangleCount < 4)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "a surface of %d triangles encloses nothing; it must be closed",
                      surface->triangleCount);
    for (int v = 0; v < surface->vertexCount; v++)
        if (!snIsFinite3(surface->positions[v]))
            return snFail(error, SN_ERROR_GEOMETRY, "vertex %d of the surface is not finite", v);
    snBox box = snMesh_Bounds(surface);
    double size = snDistance(box.lower, box.upper), volume = snMesh_Volume(surface);
    snArena scratch = snMakeArena(context);
    snWeld weld;
    snStatus status = snMesh_Weld(&weld, surface, SAME_PLACE * size, &scratch, error);
    if (!status) status = checkEdges(&weld.mesh, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    if (volume < 0 && -volume > LEAST_VOLUME * size * size * size)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the surface is inside out: its volume is %g m³; turn its triangles round",
                      volume);
    if (!(volume > LEAST_VOLUME * size * size * size))
        return snFail(error, SN_ERROR_GEOMETRY, "the surface encloses no volume: %g m³", volume);
    return SN_OK;
}
