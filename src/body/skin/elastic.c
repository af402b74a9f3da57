#include "body/skin/elastic.h"

#include "core/error.h"

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
    elastic->linear = SN_NEW(arena, snSkinLinear, samples);
    elastic->caps = SN_NEW(arena, int, 3 * (size_t)mesh->pointCount);
    bool *seen = SN_NEW(arena, bool, mesh->pointCount);
    if (!elastic->samples || !elastic->curves || !elastic->slope || !elastic->linear ||
        !elastic->caps || !seen)
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

// Adds the forces of p_1, p_2.
static inline void spread(const snSkinSample *s, snVec3 p1, snVec3 p2, snVec3 *force)
{
    snVec3 fa = snMulAdd(snScale(s->b11, p1), s->b12, p2);
    snVec3 fb = snMulAdd(snScale(s->b21, p1), s->b22, p2);
    force[s->a] = snSub(force[s->a], fa);
    force[s->b] = snSub(force[s->b], fb);
    force[s->c] = snAdd(force[s->c], snAdd(fa, fb));
}

static inline void stress(const Tangents *t, double q11, double q12, double q22, snVec3 *p1,
                          snVec3 *p2)
{
    *p1 = snMulAdd(snScale(q11, t->r1), q12, t->r2);
    *p2 = snMulAdd(snScale(q12, t->r1), q22, t->r2);
}

static void addMetric(const snSkinElastic *elastic, const snVec3 *r, const snVec3 *v, snVec3 *force)
{
    for (int i = 0; i < elastic->sampleCount; i++) {
        const snSkinSample *s = &elastic->samples[i];
        Tangents t = tangents(s, r);
        double q11 = s->eta[0] * (snDot(t.r1, t.r1) - s->rest[0]);
        double q12 = s->eta[1] * (snDot(t.r1, t.r2) - s->rest[1]);
        double q22 = s->eta[2] * (snDot(t.r2, t.r2) - s->rest[2]);
        if (elastic->viscous) {
            Tangents d = tangents(s, v);
            q11 += 2.0 * s->viscosity[0] * snDot(t.r1, d.r1);
            q12 += s->viscosity[1] * (snDot(t.r1, d.r2) + snDot(t.r2, d.r1));
            q22 += 2.0 * s->viscosity[2] * snDot(t.r2, d.r2);
        }
        snVec3 p1, p2;
        stress(&t, q11, q12, q22, &p1, &p2);
        spread(s, p1, p2, force);
    }
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

// dp_1 = η11 (s11 dr_1 + 2 (r_1·dr_1) r_1) + η12 (s12 dr_2 + (r_1·dr_2 + r_2·dr_1) r_2), dp_2 alike; the parts that are not of s
// by velocities too, with ν.
static void addMetricDerivative(const snSkinElastic *elastic, double a, double b, const snVec3 *x,
                                snVec3 *force)
{
    for (int i = 0; i < elastic->sampleCount; i++) {
        const snSkinSample *s = &elastic->samples[i];
        const snSkinLinear *l = &elastic->linear[i];
        Tangents t = {l->r1, l->r2}, d = tangents(s, x);
        double d11 = 2.0 * (a * s->eta[0] + b * s->viscosity[0]) * snDot(t.r1, d.r1);
        double d22 = 2.0 * (a * s->eta[2] + b * s->viscosity[2]) * snDot(t.r2, d.r2);
        double d12 =
            (a * s->eta[1] + b * s->viscosity[1]) * (snDot(t.r1, d.r2) + snDot(t.r2, d.r1));
        snVec3 p1, p2, g1, g2;
        stress(&d, a * l->q11, a * l->q12, a * l->q22, &p1, &p2);
        stress(&t, d11, d12, d22, &g1, &g2);
        spread(s, snAdd(p1, g1), snAdd(p2, g2), force);
    }
}

static void lineariseMetric(snSkinElastic *elastic, const snVec3 *r)
{
    for (int i = 0; i < elastic->sampleCount; i++) {
        const snSkinSample *s = &elastic->samples[i];
        Tangents t = tangents(s, r);
        elastic->linear[i] =
            (snSkinLinear){t.r1, t.r2, s->eta[0] * (snDot(t.r1, t.r1) - s->rest[0]),
                           s->eta[1] * (snDot(t.r1, t.r2) - s->rest[1]),
                           s->eta[2] * (snDot(t.r2, t.r2) - s->rest[2])};
    }
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
    addMetric(elastic, r, v, force);
    addBending(elastic, r, force);
    if (elastic->pressure > 0.0)
        addVolumeSlope(elastic, r, volumeForce(elastic, snSkinElastic_Volume(elastic, r)), force);
}

void snSkinElastic_Linearise(snSkinElastic *elastic, const snVec3 *r)
{
    lineariseMetric(elastic, r);
    if (!(elastic->pressure > 0.0)) return;
    memset(elastic->slope, 0, (size_t)elastic->mesh->pointCount * sizeof(snVec3));
    addVolumeSlope(elastic, r, 1.0, elastic->slope);
    elastic->linearVolume = snSkinElastic_Volume(elastic, r);
}

void snSkinElastic_AddDerivative(const snSkinElastic *elastic, const snVec3 *r, double a, double b,
                                 const snVec3 *x, snVec3 *force)
{
    addMetricDerivative(elastic, a, b, x, force);
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

// Per sample and corner with coefficients (k1, k2) of r_,1 and r_,2: k1² (η11 (s11 + 2 r1²) + η12 r2²) + ..., the
// squares taken component by component.
static void sampleDiagonal(const snSkinSample *s, const snSkinLinear *l, double a, double b,
                           double k1, double k2, snVec3 *out)
{
    double *sum = &out->x;
    const double *r1 = &l->r1.x, *r2 = &l->r2.x;
    double even = a * (fmax(l->q11, 0.0) * k1 * k1 + fmax(l->q22, 0.0) * k2 * k2);
    double e[3];
    for (int i = 0; i < 3; i++)
        e[i] = a * s->eta[i] + b * s->viscosity[i];
    for (int i = 0; i < 3; i++) {
        double x = k1 * r1[i], y = k2 * r2[i], z = k1 * r2[i] + k2 * r1[i];
        sum[i] += 2.0 * e[0] * x * x + 2.0 * e[2] * y * y + e[1] * z * z + even;
    }
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
    for (int i = 0; i < elastic->sampleCount; i++) {
        const snSkinSample *s = &elastic->samples[i];
        const snSkinLinear *l = &elastic->linear[i];
        sampleDiagonal(s, l, a, b, s->b11, s->b12, &diagonal[s->a]);
        sampleDiagonal(s, l, a, b, s->b21, s->b22, &diagonal[s->b]);
        sampleDiagonal(s, l, a, b, s->b11 + s->b21, s->b12 + s->b22, &diagonal[s->c]);
    }
    addBendingDiagonal(elastic, a, diagonal);
}
