#include "body/skin/point.h"

#include <stddef.h>
#include <string.h>

snSkinPoint snDefaultSkinPoint(void)
{
    return (snSkinPoint){.muscle = -1, .frame = -1};
}

snSkinTissue snDefaultSkinTissue(void)
{
    return (snSkinTissue){.mass = 2.0,
                          .elasticity = 100.0,
                          .shear = 1.0,
                          .damping = 2.0,
                          .viscosity = 1e-3,
                          .bandStiffness = 2e4,
                          .bandDamping = 20.0};
}

// Σ over the corners of a face: edges at corner k in the chart, and the metric that places have there. With edges
// e = (du, dr), r_,j solves dr_k = Σ_j du_kj r_,j.
static void cornerMetric(const double *u, const int *c, int n, int k, const snVec3 *places,
                         double *metric)
{
    int last = (k + n - 1) % n, next = (k + 1) % n;
    double a = u[2 * next] - u[2 * k], b = u[2 * next + 1] - u[2 * k + 1];
    double d = u[2 * last] - u[2 * k], e = u[2 * last + 1] - u[2 * k + 1], det = a * e - b * d;
    snVec3 p = snSub(places[c[next]], places[c[k]]), q = snSub(places[c[last]], places[c[k]]);
    snVec3 r1 = snMulAdd(snScale(e / det, p), -b / det, q);
    snVec3 r2 = snMulAdd(snScale(a / det, q), -d / det, p);
    metric[0] = snDot(r1, r1);
    metric[1] = snDot(r1, r2);
    metric[2] = snDot(r2, r2);
}

// Twice the area of the chart's triangle at a corner.
static double cornerArea(const double *u, int n, int k)
{
    int last = (k + n - 1) % n, next = (k + 1) % n;
    return (u[2 * next] - u[2 * k]) * (u[2 * last + 1] - u[2 * k + 1]) -
           (u[2 * next + 1] - u[2 * k + 1]) * (u[2 * last] - u[2 * k]);
}

static void pointMetrics(const snSkinMesh *mesh, const snVec3 *places, snSkinPoint *points)
{
    for (int p = 0; p < mesh->pointCount; p++)
        memset(points[p].metric, 0, sizeof points[p].metric);
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        const double *u = mesh->chart + 8 * (size_t)f;
        int n = c[3] < 0 ? 3 : 4;
        for (int k = 0; k < n; k++) {
            double g[3], area = cornerArea(u, n, k);
            cornerMetric(u, c, n, k, places, g);
            for (int i = 0; i < 3; i++)
                points[c[k]].metric[i] +=
                    (n == 3 ? area / 6.0 : area / 4.0) / mesh->area[c[k]] * g[i];
        }
    }
}

// With stretches s1² = G11, s2² = G22 and the area's J = √det G of the chart: an area density d is d J there, and η of
// a metric of unit stretches is η J / (s_i s_j)². Near the rims of a grid columns come together and cells get
// tiny; there the skin is as soft, for its mass, as if cells were not below a share of the usual size, for else a few of
// them would set the pace of all.
#define SMALL_CELLS 0.6

typedef struct Stretches {
    double s1, s2; // usual squares
} Stretches;

static Stretches usualStretches(const snSkinMesh *mesh, const snSkinPoint *points)
{
    Stretches sum = {0, 0};
    double area = 0.0;
    for (int p = 0; p < mesh->pointCount; p++) {
        sum.s1 += mesh->area[p] * points[p].metric[0];
        sum.s2 += mesh->area[p] * points[p].metric[2];
        area += mesh->area[p];
    }
    double share = SMALL_CELLS * SMALL_CELLS / area;
    return (Stretches){share * sum.s1, share * sum.s2};
}

static void fillPoint(const snSkinTissue *tissue, const double *g, Stretches least,
                      snSkinPoint *point)
{
    double g11 = fmax(g[0], 1e-12), g22 = fmax(g[2], 1e-12);
    double area = sqrt(fmax(g11 * g22 - g[1] * g[1], 1e-4 * g11 * g22));
    double rest = (1.0 - tissue->tightness) * (1.0 - tissue->tightness);
    double s1 = fmax(g11, least.s1), s2 = fmax(g22, least.s2);
    // A lag damps a cell by lag times its pace: the same in small ones, where it is shorter. Those below the share are no
    // faster than at it.
    double small = SMALL_CELLS * SMALL_CELLS * fmin(g11 / least.s1, g22 / least.s2);
    double lag = tissue->viscosity * fmax(SMALL_CELLS, sqrt(fmin(1.0, small)));
    double eta[3] = {1.0 / (s1 * s1), tissue->shear / (s1 * s2), 1.0 / (s2 * s2)};
    for (int i = 0; i < 3; i++) {
        point->elasticity[i] = tissue->elasticity * area * eta[i];
        point->viscosity[i] = lag * point->elasticity[i];
        point->metric[i] = rest * g[i];
    }
    point->mass = tissue->mass * area;
    point->damping = tissue->damping * area;
    point->bandStiffness = tissue->bandStiffness * area;
    point->bandDamping = tissue->bandDamping * area;
    // |Δr| is in 1/m of the surface times stretches; a mean one stands for both.
    point->bending = tissue->bending * area / (s1 * s2);
    point->fat = tissue->fat;
}

void snSkinTissue_Fill(const snSkinTissue *tissue, const snSkinMesh *mesh, const snVec3 *places,
                       snSkinPoint *points)
{
    pointMetrics(mesh, places, points);
    Stretches least = usualStretches(mesh, points);
    for (int p = 0; p < mesh->pointCount; p++) {
        double g[3] = {points[p].metric[0], points[p].metric[1], points[p].metric[2]};
        fillPoint(tissue, g, least, &points[p]);
    }
}

// The parent with the largest weight; of those with a band, where there are any.
static int heaviest(const snSkinBlend *blend, const snSkinPoint *from)
{
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int k = 0; k < 4; k++) {
            bool counts = pass || from[blend->parent[k]].muscle >= 0;
            if (counts && blend->weight[k] > (best < 0 ? 0.0 : blend->weight[best])) best = k;
        }
    return blend->parent[best < 0 ? 0 : best];
}

// Fixed is what lies between points that are fixed to one frame, and nothing else.
static void blendPin(const snSkinBlend *b, const snSkinPoint *from, snSkinPoint *to)
{
    to->frame = -1;
    to->pin = snVec(0, 0, 0);
    for (int k = 0; k < 4; k++)
        if (b->weight[k] > 0.0) to->frame = from[b->parent[k]].frame;
    for (int k = 0; k < 4; k++) {
        if (!(b->weight[k] > 0.0)) continue;
        if (from[b->parent[k]].frame != to->frame) to->frame = -1;
        to->pin = snMulAdd(to->pin, b->weight[k], from[b->parent[k]].pin);
    }
}

static void blendOne(const snSkinBlend *b, const snSkinPoint *from, snSkinPoint *to)
{
    const snSkinPoint *main = &from[heaviest(b, from)];
    *to = *main;
    // All leading numbers of the struct are doubles that are averaged.
    enum { NUMBERS = offsetof(snSkinPoint, muscle) / sizeof(double) };
    double *out = (double *)to;
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 4; k++)
            out[i] += b->weight[k] * ((const double *)&from[b->parent[k]])[i];
    }
    snVec3 attach = {0, 0, 0};
    double attached = 0.0;
    for (int k = 0; k < 4; k++) {
        const snSkinPoint *p = &from[b->parent[k]];
        if (p->muscle != main->muscle) continue;
        attach = snMulAdd(attach, b->weight[k], p->attach);
        attached += b->weight[k];
    }
    if (attached > 0.0) to->attach = snScale(1.0 / attached, attach);
    blendPin(b, from, to);
}

void snSkinPoint_Blend(const snSkinBlend *blend, int count, const snSkinPoint *from,
                       snSkinPoint *to)
{
    for (int i = 0; i < count; i++)
        blendOne(&blend[i], from, &to[i]);
}

void snSkinPlaces_Blend(const snSkinBlend *blend, int count, const snVec3 *from, snVec3 *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = snVec(0, 0, 0);
        for (int k = 0; k < 4; k++)
            to[i] = snMulAdd(to[i], blend[i].weight[k], from[blend[i].parent[k]]);
    }
}
