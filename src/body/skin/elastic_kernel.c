// The metric's forces, eight samples side by side (elastic.c has the formulas). Every lane sees the same operations at any
// width, and forces are added sample by sample: the same bits on every machine.
#include "body/skin/elastic.h"
#include "core/simd.h"

#define LANES SN_SKIN_GROUP
#define INLINE SN_ALWAYS_INLINE

typedef snDouble8 Lanes;

typedef struct Vector { // of eight samples
    Lanes x, y, z;
} Vector;

static INLINE Vector gather(const double *r, const int *at)
{
    const double *p[LANES];
    for (int l = 0; l < LANES; l++)
        p[l] = r + 3 * (size_t)at[l];
#define EIGHT(c)                                                                                   \
    (Lanes)                                                                                        \
    {                                                                                              \
        p[0][c], p[1][c], p[2][c], p[3][c], p[4][c], p[5][c], p[6][c], p[7][c]                     \
    }
    return (Vector){EIGHT(0), EIGHT(1), EIGHT(2)};
#undef EIGHT
}

static INLINE Vector sub(Vector a, Vector b)
{
    return (Vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static INLINE Vector add(Vector a, Vector b)
{
    return (Vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

// s a + t b
static INLINE Vector mix(Lanes s, Vector a, Lanes t, Vector b)
{
    return (Vector){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

static INLINE Lanes dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static INLINE Vector square(Vector a)
{
    return (Vector){a.x * a.x, a.y * a.y, a.z * a.z};
}

typedef struct Tangents {
    Vector r1, r2;
} Tangents;

static INLINE Tangents tangents(const snSkinGroup *g, const double *r)
{
    Vector c = gather(r, g->c), e = sub(gather(r, g->a), c), f = sub(gather(r, g->b), c);
    return (Tangents){mix(snLoad8(g->b11), e, snLoad8(g->b21), f),
                      mix(snLoad8(g->b12), e, snLoad8(g->b22), f)};
}

// Adds what is for a, b and c of every sample, in their order.
static INLINE void scatter(const snSkinGroup *g, Vector a, Vector b, Vector c, double *force)
{
    for (int l = 0; l < g->count; l++) {
        double *fa = force + 3 * (size_t)g->a[l], *fb = force + 3 * (size_t)g->b[l];
        double *fc = force + 3 * (size_t)g->c[l];
        fa[0] += a.x[l], fa[1] += a.y[l], fa[2] += a.z[l];
        fb[0] += b.x[l], fb[1] += b.y[l], fb[2] += b.z[l];
        fc[0] += c.x[l], fc[1] += c.y[l], fc[2] += c.z[l];
    }
}

// The forces of p_1, p_2: -(p_1 B_k1 + p_2 B_k2), and what makes their sum zero.
static INLINE void spread(const snSkinGroup *g, Vector p1, Vector p2, double *force)
{
    Vector a = mix(-snLoad8(g->b11), p1, -snLoad8(g->b12), p2);
    Vector b = mix(-snLoad8(g->b21), p1, -snLoad8(g->b22), p2);
    Vector sum = add(a, b);
    scatter(g, a, b, (Vector){-sum.x, -sum.y, -sum.z}, force);
}

static void addForce(int count, const snSkinGroup *groups, bool viscous, const double *r,
                     const double *v, double *force)
{
    for (int i = 0; i < count; i++) {
        const snSkinGroup *g = &groups[i];
        Tangents t = tangents(g, r);
        Lanes q11 = snLoad8(g->eta[0]) * (dot(t.r1, t.r1) - snLoad8(g->rest[0]));
        Lanes q12 = snLoad8(g->eta[1]) * (dot(t.r1, t.r2) - snLoad8(g->rest[1]));
        Lanes q22 = snLoad8(g->eta[2]) * (dot(t.r2, t.r2) - snLoad8(g->rest[2]));
        if (viscous) {
            Tangents d = tangents(g, v);
            q11 += 2.0 * snLoad8(g->viscosity[0]) * dot(t.r1, d.r1);
            q12 += snLoad8(g->viscosity[1]) * (dot(t.r1, d.r2) + dot(t.r2, d.r1));
            q22 += 2.0 * snLoad8(g->viscosity[2]) * dot(t.r2, d.r2);
        }
        spread(g, mix(q11, t.r1, q12, t.r2), mix(q12, t.r1, q22, t.r2), force);
    }
}

static INLINE void keep(double (*to)[LANES], Vector v)
{
    snStore8(to[0], v.x);
    snStore8(to[1], v.y);
    snStore8(to[2], v.z);
}

static INLINE Vector kept(const double (*from)[LANES])
{
    return (Vector){snLoad8(from[0]), snLoad8(from[1]), snLoad8(from[2])};
}

static void linearise(int count, const snSkinGroup *groups, const double *r, snSkinLinear *linear)
{
    for (int i = 0; i < count; i++) {
        const snSkinGroup *g = &groups[i];
        Tangents t = tangents(g, r);
        keep(linear[i].r1, t.r1);
        keep(linear[i].r2, t.r2);
        snStore8(linear[i].q[0], snLoad8(g->eta[0]) * (dot(t.r1, t.r1) - snLoad8(g->rest[0])));
        snStore8(linear[i].q[1], snLoad8(g->eta[1]) * (dot(t.r1, t.r2) - snLoad8(g->rest[1])));
        snStore8(linear[i].q[2], snLoad8(g->eta[2]) * (dot(t.r2, t.r2) - snLoad8(g->rest[2])));
    }
}

static INLINE Lanes resistance(const snSkinGroup *g, double a, double b, int k)
{
    return a * snLoad8(g->eta[k]) + b * snLoad8(g->viscosity[k]);
}

// dp_1 = η11 (s11 dr_1 + 2 (r_1·dr_1) r_1) + η12 (s12 dr_2 + (r_1·dr_2 + r_2·dr_1) r_2), dp_2 alike; the parts that are not of s
// by velocities too, with ν.
static void addDerivative(int count, const snSkinGroup *groups, const snSkinLinear *linear,
                          double a, double b, const double *x, double *force)
{
    for (int i = 0; i < count; i++) {
        const snSkinGroup *g = &groups[i];
        const snSkinLinear *l = &linear[i];
        Vector r1 = kept(l->r1), r2 = kept(l->r2);
        Tangents d = tangents(g, x);
        Lanes d11 = 2.0 * resistance(g, a, b, 0) * dot(r1, d.r1);
        Lanes d22 = 2.0 * resistance(g, a, b, 2) * dot(r2, d.r2);
        Lanes d12 = resistance(g, a, b, 1) * (dot(r1, d.r2) + dot(r2, d.r1));
        Lanes q11 = a * snLoad8(l->q[0]), q12 = a * snLoad8(l->q[1]), q22 = a * snLoad8(l->q[2]);
        spread(g, add(mix(q11, d.r1, q12, d.r2), mix(d11, r1, d12, r2)),
               add(mix(q12, d.r1, q22, d.r2), mix(d12, r1, d22, r2)), force);
    }
}

static INLINE Lanes positive(Lanes x)
{
    return (Lanes)((snLong8)x & (snLong8)(x > 0.0));
}

// Of a corner with coefficients (k1, k2) of r_,1 and r_,2: k1² (η11 (s11 + 2 r1²) + η12 r2²) + ..., the squares taken
// component by component.
static INLINE Vector diagonalOf(Lanes k1, Lanes k2, Vector r1, Vector r2, const Lanes e[3],
                                const Lanes q[2])
{
    Lanes even = positive(q[0]) * k1 * k1 + positive(q[1]) * k2 * k2;
    Vector x = square((Vector){k1 * r1.x, k1 * r1.y, k1 * r1.z});
    Vector y = square((Vector){k2 * r2.x, k2 * r2.y, k2 * r2.z});
    Vector z = square(mix(k1, r2, k2, r1));
    Lanes e0 = 2.0 * e[0], e2 = 2.0 * e[2];
    return (Vector){e0 * x.x + e2 * y.x + e[1] * z.x + even,
                    e0 * x.y + e2 * y.y + e[1] * z.y + even,
                    e0 * x.z + e2 * y.z + e[1] * z.z + even};
}

static void addDiagonal(int count, const snSkinGroup *groups, const snSkinLinear *linear, double a,
                        double b, double *diagonal)
{
    for (int i = 0; i < count; i++) {
        const snSkinGroup *g = &groups[i];
        const snSkinLinear *l = &linear[i];
        Vector r1 = kept(l->r1), r2 = kept(l->r2);
        Lanes e[3] = {resistance(g, a, b, 0), resistance(g, a, b, 1), resistance(g, a, b, 2)};
        Lanes q[2] = {a * snLoad8(l->q[0]), a * snLoad8(l->q[2])};
        Lanes b11 = snLoad8(g->b11), b12 = snLoad8(g->b12), b21 = snLoad8(g->b21),
              b22 = snLoad8(g->b22);
        scatter(g, diagonalOf(b11, b12, r1, r2, e, q), diagonalOf(b21, b22, r1, r2, e, q),
                diagonalOf(b11 + b21, b12 + b22, r1, r2, e, q), diagonal);
    }
}

const snSkinKernel SN_VARIANT(snSkinKernel) = {addForce, linearise, addDerivative, addDiagonal};
