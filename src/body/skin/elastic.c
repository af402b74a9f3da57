#include "body/skin/elastic.h"

#include "core/error.h"
#include "core/simd.h"

#include <string.h>

// Terzopoulos, Platt, Barr, Fleischer, "Elastically Deformable Models", 1987, discretised as an energy and
// differentiated, so that forces are exact.
//
// *Metric*. At a corner c of a face with edges to a and b, in the chart du_1, du_2: r_,j = Σ_k e_k B_kj with B the inverse
// of (du_kj). A triangle is one such corner, with weight w all of its area; a quad two, the first and the third with half of
// its area each: they see all four edges, and a point of a grid the differences forwards and backwards.
//     E = ¼ w Σ_ij η_ij s_ij²,   s_ij = G_ij - G⁰_ij,   G_ij = r_,i · r_,j
//     p_1 = ∂E/∂r_,1 = w (η11 s11 r_,1 + η12 s12 r_,2),   p_2 = w (η12 s12 r_,1 + η22 s22 r_,2)
// and the forces on a and b are -(p_1 B_k1 + p_2 B_k2), on c what makes the sum zero. As E depends on dot products alone,
// torques vanish too.
//
// *Rate*. R = ¼ w Σ ν_ij Ġ_ij², Ġ_ij = ṙ_,i·r_,j + r_,i·ṙ_,j, half of the power that is lost, differentiated by ṙ gives the
// same p with ν Ġ in place of η s.
//
// *Bending*. l = Σ_n w_n (r_n - r), w_n = 4 / (valence |u_n|²): Δr where the ring is regular (of squares or of
// equilateral triangles). E = ½ A b (|l| - c)²: a skin that is flat at rest has c = 0 and constant stiffness.
//     ∂E/∂l = A b (1 - c/|l|) l,   and its change A b [(1 - c/|l|) dl + (c/|l|) n (n·dl)],  n = l/|l|
// Rims have none.
//
// *Volume*. V = Σ a·(b × c)/6 over triangles of the closed surface, E = ½ p (V - V⁰)²/V⁰.

// Metric forces and their derivatives are computed in elastic_kernel.c.

SN_DECLARE_VARIANTS(const snSkinKernel, snSkinKernel);

static const snSkinKernel *chooseKernel(void)
{
    return SN_CHOOSE(&snSkinKernel);
}

// ---- making -------------------------------------------------------------------------------------

static int faceCorners(const snSkinMesh *mesh, int f)
{
    return mesh->corner[4 * (size_t)f + 3] < 0 ? 3 : 4;
}

static snSkinSample makeSample(const snSkinMesh *mesh, int f, int k)
{
    const int *corner = mesh->corner + 4 * (size_t)f;
    const double *u = mesh->chart + 8 * (size_t)f;
    int n = faceCorners(mesh, f), next = (k + 1) % n, last = (k + n - 1) % n;
    double a = u[2 * next] - u[2 * k], b = u[2 * next + 1] - u[2 * k + 1];
    double d = u[2 * last] - u[2 * k], e = u[2 * last + 1] - u[2 * k + 1], det = a * e - b * d;
    // B = (a b; d e)⁻¹, r_,j = Σ B_jk e_k: b_kj stands for its transpose.
    return (snSkinSample){.c = corner[k],
                          .a = corner[next],
                          .b = corner[last],
                          .b11 = e / det,
                          .b12 = -d / det,
                          .b21 = -b / det,
                          .b22 = a / det};
}

// Of the triangle of its corner.
static double sampleArea(const snSkinSample *s)
{
    return 0.5 / (s->b11 * s->b22 - s->b12 * s->b21);
}

// Rims are closed by fans from their first point.
static int closeRims(const snSkinMesh *mesh, int *caps, bool *seen)
{
    int count = 0;
    const int *after = mesh->rimNext;
    for (int p = 0; p < mesh->pointCount; p++) {
        if (seen[p] || after[p] < 0) continue;
        seen[p] = true;
        for (int q = after[p]; q >= 0 && !seen[q]; q = after[q]) {
            seen[q] = true;
            if (after[q] < 0 || after[q] == p || seen[after[q]]) continue;
            int cap[3] = {p, q, after[q]};
            memcpy(caps + 3 * (size_t)count++, cap, sizeof cap);
        }
    }
    return count;
}

snStatus snSkinElastic_Make(snSkinElastic *elastic, const snSkinMesh *mesh, snArena *arena,
                            snError *error)
{
    int samples = 0, curves = 0;
    for (int f = 0; f < mesh->faceCount; f++)
        samples += faceCorners(mesh, f) - 2;
    for (int p = 0; p < mesh->pointCount; p++)
        curves += mesh->rimNext[p] < 0;
    *elastic = (snSkinElastic){.mesh = mesh, .sampleCount = samples, .curveCount = curves};
    elastic->samples = SN_NEW(arena, snSkinSample, samples);
    elastic->curves = SN_NEW(arena, snSkinCurve, curves);
    elastic->slope = SN_NEW(arena, snVec3, mesh->pointCount);
    elastic->kernel = chooseKernel();
    elastic->groupCount = (samples + SN_SKIN_GROUP - 1) / SN_SKIN_GROUP;
    elastic->groups = SN_NEW(arena, snSkinGroup, elastic->groupCount);
    elastic->linear = SN_NEW(arena, snSkinLinear, elastic->groupCount);
    elastic->caps = SN_NEW(arena, int, 3 * (size_t)mesh->pointCount);
    bool *seen = SN_NEW(arena, bool, mesh->pointCount);
    if (!elastic->samples || !elastic->curves || !elastic->slope || !elastic->linear ||
        !elastic->groups || !elastic->caps || !seen)
        return snFailMemory(error);
    elastic->capCount = closeRims(mesh, elastic->caps, seen);
    snSkinSample *s = elastic->samples;
    for (int f = 0; f < mesh->faceCount; f++)
        for (int k = 0; k + 2 < faceCorners(mesh, f); k++)
            *s++ = makeSample(mesh, f, 2 * k);
    return SN_OK;
}

// A triangle has the mean of its corners, a corner of a quad its own values.
static void loadSample(const snSkinMesh *mesh, int f, const snSkinPoint *points, snSkinSample *s)
{
    double area = sampleArea(s);
    bool triangle = faceCorners(mesh, f) == 3;
    const snSkinPoint *own[3] = {&points[s->c], triangle ? &points[s->a] : &points[s->c],
                                 triangle ? &points[s->b] : &points[s->c]};
    for (int i = 0; i < 3; i++) {
        s->eta[i] = s->rest[i] = s->viscosity[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            s->eta[i] += area / 3.0 * own[k]->elasticity[i];
            s->rest[i] += own[k]->metric[i] / 3.0;
            s->viscosity[i] += area / 3.0 * own[k]->viscosity[i];
        }
    }
}

static void groupSample(snSkinGroup *g, int l, const snSkinSample *s)
{
    g->count = l + 1;
    g->c[l] = s->c, g->a[l] = s->a, g->b[l] = s->b;
    g->b11[l] = s->b11, g->b12[l] = s->b12, g->b21[l] = s->b21, g->b22[l] = s->b22;
    for (int k = 0; k < 3; k++) {
        g->eta[k][l] = s->eta[k];
        g->rest[k][l] = s->rest[k];
        g->viscosity[k][l] = s->viscosity[k];
    }
}

void snSkinElastic_Load(snSkinElastic *elastic, const snSkinPoint *points)
{
    const snSkinMesh *mesh = elastic->mesh;
    snSkinSample *s = elastic->samples;
    elastic->viscous = false;
    for (int f = 0; f < mesh->faceCount; f++)
        for (int k = 0; k + 2 < faceCorners(mesh, f); k++, s++) {
            loadSample(mesh, f, points, s);
            if (s->viscosity[0] > 0.0 || s->viscosity[1] > 0.0 || s->viscosity[2] > 0.0)
                elastic->viscous = true;
        }
    for (int i = 0; i < elastic->sampleCount; i++)
        groupSample(&elastic->groups[i / SN_SKIN_GROUP], i % SN_SKIN_GROUP, &elastic->samples[i]);
    elastic->curveCount = 0;
    for (int p = 0; p < mesh->pointCount; p++)
        if (mesh->rimNext[p] < 0 && points[p].bending > 0.0)
            elastic->curves[elastic->curveCount++] =
                (snSkinCurve){p, mesh->ringStart[p], mesh->ringStart[p + 1],
                              mesh->area[p] * points[p].bending, points[p].curvature};
}

// ---- the metric ---------------------------------------------------------------------------------

typedef struct Tangents {
    snVec3 r1, r2;
} Tangents;

static inline Tangents tangents(const snSkinSample *s, const snVec3 *r)
{
    snVec3 e = snSub(r[s->a], r[s->c]), f = snSub(r[s->b], r[s->c]);
    return (Tangents){snMulAdd(snScale(s->b11, e), s->b21, f),
                      snMulAdd(snScale(s->b12, e), s->b22, f)};
}

static double metricEnergy(const snSkinElastic *elastic, const snVec3 *r)
{
    double sum = 0.0;
    for (int i = 0; i < elastic->sampleCount; i++) {
        const snSkinSample *s = &elastic->samples[i];
        Tangents t = tangents(s, r);
        double s11 = snDot(t.r1, t.r1) - s->rest[0], s12 = snDot(t.r1, t.r2) - s->rest[1];
        double s22 = snDot(t.r2, t.r2) - s->rest[2];
        sum += 0.25 * (s->eta[0] * s11 * s11 + 2.0 * s->eta[1] * s12 * s12 + s->eta[2] * s22 * s22);
    }
    return sum;
}

// ---- bending ------------------------------------------------------------------------------------

static double ringWeight(const snSkinElastic *elastic, const snSkinCurve *c, int k)
{
    double length = elastic->mesh->ringLength[k];
    return 4.0 / ((c->ringEnd - c->ringStart) * length * length);
}

static snVec3 laplacian(const snSkinElastic *elastic, const snSkinCurve *c, const snVec3 *r)
{
    snVec3 sum = {0, 0, 0};
    for (int k = c->ringStart; k < c->ringEnd; k++)
        sum =
            snMulAdd(sum, ringWeight(elastic, c, k), snSub(r[elastic->mesh->ring[k]], r[c->point]));
    return sum;
}

static void spreadRing(const snSkinElastic *elastic, const snSkinCurve *c, snVec3 m, snVec3 *force)
{
    for (int k = c->ringStart; k < c->ringEnd; k++) {
        int q = elastic->mesh->ring[k];
        snVec3 f = snScale(ringWeight(elastic, c, k), m);
        force[q] = snSub(force[q], f);
        force[c->point] = snAdd(force[c->point], f);
    }
}

// c/|l|, 0 where the skin is flat at rest or l has no direction.
static double curveShare(const snSkinCurve *c, snVec3 l)
{
    double length = snLength(l);
    return c->rest != 0.0 && length > 1e-12 * fabs(c->rest) ? c->rest / length : 0.0;
}

static void addBending(const snSkinElastic *elastic, const snVec3 *r, snVec3 *force)
{
    for (int i = 0; i < elastic->curveCount; i++) {
        const snSkinCurve *c = &elastic->curves[i];
        snVec3 l = laplacian(elastic, c, r);
        spreadRing(elastic, c, snScale(c->stiffness * (1.0 - curveShare(c, l)), l), force);
    }
}

static void addBendingDerivative(const snSkinElastic *elastic, const snVec3 *r, double a,
                                 const snVec3 *x, snVec3 *force)
{
    for (int i = 0; i < elastic->curveCount; i++) {
        const snSkinCurve *c = &elastic->curves[i];
        snVec3 d = laplacian(elastic, c, x), m = d;
        if (c->rest != 0.0) {
            snVec3 l = laplacian(elastic, c, r), n = snNormalizeOr(l, snVec(0, 0, 0));
            double share = curveShare(c, l);
            m = snMulAdd(snScale(1.0 - share, d), share * snDot(n, d), n);
        }
        spreadRing(elastic, c, snScale(a * c->stiffness, m), force);
    }
}

static double bendingEnergy(const snSkinElastic *elastic, const snVec3 *r)
{
    double sum = 0.0;
    for (int i = 0; i < elastic->curveCount; i++) {
        const snSkinCurve *c = &elastic->curves[i];
        double off = snLength(laplacian(elastic, c, r)) - c->rest;
        sum += 0.5 * c->stiffness * off * off;
    }
    return sum;
}

// ---- volume -------------------------------------------------------------------------------------

static const int *closedTriangle(const snSkinElastic *elastic, int t)
{
    int surface = elastic->mesh->triangleCount;
    return t < surface ? elastic->mesh->triangles + 3 * (size_t)t
                       : elastic->caps + 3 * (size_t)(t - surface);
}

static int closedCount(const snSkinElastic *elastic)
{
    return elastic->mesh->triangleCount + elastic->capCount;
}

double snSkinElastic_Volume(const snSkinElastic *elastic, const snVec3 *r)
{
    double sum = 0.0;
    for (int t = 0; t < closedCount(elastic); t++) {
        const int *c = closedTriangle(elastic, t);
        sum += snDot(r[c[0]], snCross(r[c[1]], r[c[2]]));
    }
    return sum / 6.0;
}

// force += s ∂V/∂r
static void addVolumeSlope(const snSkinElastic *elastic, const snVec3 *r, double s, snVec3 *force)
{
    for (int t = 0; t < closedCount(elastic); t++) {
        const int *c = closedTriangle(elastic, t);
        for (int k = 0; k < 3; k++) {
            int a = c[k], b = c[(k + 1) % 3], d = c[(k + 2) % 3];
            force[a] = snMulAdd(force[a], s / 6.0, snCross(r[b], r[d]));
        }
    }
}

static void addVolumeCurve(const snSkinElastic *elastic, const snVec3 *r, const snVec3 *dr,
                           double s, snVec3 *force)
{
    for (int t = 0; t < closedCount(elastic); t++) {
        const int *c = closedTriangle(elastic, t);
        for (int k = 0; k < 3; k++) {
            int a = c[k], b = c[(k + 1) % 3], d = c[(k + 2) % 3];
            snVec3 change = snAdd(snCross(dr[b], r[d]), snCross(r[b], dr[d]));
            force[a] = snMulAdd(force[a], s / 6.0, change);
        }
    }
}

static double volumeForce(const snSkinElastic *elastic, double volume)
{
    return -elastic->pressure * (volume - elastic->volume) / elastic->volume;
}

// ---- all of it ----------------------------------------------------------------------------------

double snSkinElastic_Energy(const snSkinElastic *elastic, const snVec3 *r)
{
    double energy = metricEnergy(elastic, r) + bendingEnergy(elastic, r);
    if (elastic->pressure > 0.0) {
        double off = snSkinElastic_Volume(elastic, r) - elastic->volume;
        energy += 0.5 * elastic->pressure * off * off / elastic->volume;
    }
    return energy;
}

void snSkinElastic_AddForce(const snSkinElastic *elastic, const snVec3 *r, const snVec3 *v,
                            snVec3 *force)
{
    elastic->kernel->addForce(elastic->groupCount, elastic->groups, elastic->viscous,
                              (const double *)r, (const double *)v, (double *)force);
    addBending(elastic, r, force);
    if (elastic->pressure > 0.0)
        addVolumeSlope(elastic, r, volumeForce(elastic, snSkinElastic_Volume(elastic, r)), force);
}

void snSkinElastic_Linearise(snSkinElastic *elastic, const snVec3 *r)
{
    elastic->kernel->linearise(elastic->groupCount, elastic->groups, (const double *)r,
                               elastic->linear);
    if (!(elastic->pressure > 0.0)) return;
    memset(elastic->slope, 0, (size_t)elastic->mesh->pointCount * sizeof(snVec3));
    addVolumeSlope(elastic, r, 1.0, elastic->slope);
    elastic->linearVolume = snSkinElastic_Volume(elastic, r);
}

void snSkinElastic_AddDerivative(const snSkinElastic *elastic, const snVec3 *r, double a, double b,
                                 const snVec3 *x, snVec3 *force)
{
    elastic->kernel->addDerivative(elastic->groupCount, elastic->groups, elastic->linear, a, b,
                                   (const double *)x, (double *)force);
    addBendingDerivative(elastic, r, a, x, force);
    if (!(elastic->pressure > 0.0)) return;
    double change = 0.0;
    for (int p = 0; p < elastic->mesh->pointCount; p++)
        change += snDot(elastic->slope[p], x[p]);
    change *= -a * elastic->pressure / elastic->volume;
    for (int p = 0; p < elastic->mesh->pointCount; p++)
        force[p] = snMulAdd(force[p], change, elastic->slope[p]);
    addVolumeCurve(elastic, r, x, a * volumeForce(elastic, elastic->linearVolume), force);
}

static void addBendingDiagonal(const snSkinElastic *elastic, double a, snVec3 *diagonal)
{
    for (int i = 0; i < elastic->curveCount; i++) {
        const snSkinCurve *k = &elastic->curves[i];
        double sum = 0.0;
        for (int j = k->ringStart; j < k->ringEnd; j++) {
            double w = ringWeight(elastic, k, j), add = a * k->stiffness * w * w;
            snVec3 *d = &diagonal[elastic->mesh->ring[j]];
            *d = snAdd(*d, snVec(add, add, add));
            sum += w;
        }
        double add = a * k->stiffness * sum * sum;
        diagonal[k->point] = snAdd(diagonal[k->point], snVec(add, add, add));
    }
}

void snSkinElastic_AddDiagonal(const snSkinElastic *elastic, double a, double b, snVec3 *diagonal)
{
    elastic->kernel->addDiagonal(elastic->groupCount, elastic->groups, elastic->linear, a, b,
                                 (double *)diagonal);
    addBendingDiagonal(elastic, a, diagonal);
}
