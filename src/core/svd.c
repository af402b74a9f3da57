#include "core/svd.h"

// One-sided Jacobi: plane rotations V turn the columns of A until those of B = A V are at right
// angles to each other; then their lengths are the singular values and their directions are U.
// Unlike a solver on AᵀA it loses nothing of the small singular values (Hestenes, "Inversion of
// matrices by biorthogonalization", 1958; the column order kept on the way is de Rijk's, 1989).

#define MAX_SWEEPS 40      // four to six are usual
#define ORTHOGONAL 5e-16   // a cosine below this is rounding
#define SAFE_SQUARE 1e-140 // squared lengths above this, and their products, have not underflowed

static double largest(snVec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

static double largestOf(snMat3 a)
{
    return fmax(largest(a.cx), fmax(largest(a.cy), largest(a.cz)));
}

static bool isFiniteM(snMat3 a)
{
    return snIsFinite3(a.cx) && snIsFinite3(a.cy) && snIsFinite3(a.cz);
}

// The length and direction of a, also where its square underflows. The zero vector has none.
static double lengthAndDirection(snVec3 a, snVec3 *direction)
{
    double square = snLengthSquared(a);
    if (square > SAFE_SQUARE) {
        double length = sqrt(square);
        *direction = snScale(1.0 / length, a);
        return length;
    }
    *direction = snVec(0, 0, 0);
    double size = largest(a);
    if (!(size > 0.0)) return 0.0;
    int exponent;
    frexp(size, &exponent);
    a = snVec(ldexp(a.x, -exponent), ldexp(a.y, -exponent), ldexp(a.z, -exponent));
    double length = snLength(a);
    *direction = snScale(1.0 / length, a);
    return ldexp(length, exponent);
}

// (p, q) -> (q, -p): exchanges two columns and keeps the determinant.
static void exchange(snVec3 *p, snVec3 *q)
{
    snVec3 old = *p;
    *p = *q;
    *q = snNeg(old);
}

// (p, q) -> (c p + s q, c q - s p)
static void turn(snVec3 *p, snVec3 *q, double c, double s)
{
    snVec3 old = *p;
    *p = snMulAdd(snScale(c, old), s, *q);
    *q = snMulAdd(snScale(c, *q), -s, old);
}

// t = tan φ, |φ| <= π/4, from cot 2φ = ζ: the smaller root of t² + 2ζt - 1 = 0.
static double smallerTangent(double zeta)
{
    double size = fabs(zeta);
    double t = size > 1e8 ? 0.5 / size : 1.0 / (size + sqrt(1.0 + size * size));
    return copysign(t, zeta);
}

// Rotates a pair of columns of B, and of V with it, by the angle φ with cot 2φ = ζ.
static void turnPair(snVec3 *bp, snVec3 *bq, snVec3 *vp, snVec3 *vq, double zeta)
{
    double t = smallerTangent(zeta);
    double c = 1.0 / sqrt(1.0 + t * t);
    turn(bp, bq, c, c * t);
    turn(vp, vq, c, c * t);
}

// As makeOrthogonal, where squares of lengths underflow. With lengths l >= m and the cosine γ
// between the columns, ζ = (l² - m²) / (2 l m γ) = (l/m - m/l) / (2γ).
static bool makeTinyOrthogonal(snVec3 *bp, snVec3 *bq, snVec3 *vp, snVec3 *vq)
{
    snVec3 p, q;
    double l = lengthAndDirection(*bp, &p), m = lengthAndDirection(*bq, &q);
    double cosine = snDot(p, q);
    bool swapped = m > l;
    if (swapped) {
        exchange(bp, bq);
        exchange(vp, vq);
        cosine = -cosine;
    }
    if (!(fabs(cosine) > ORTHOGONAL)) return swapped; // also for a zero column
    double ratio = swapped ? l / m : m / l;
    turnPair(bp, bq, vp, vq, (1.0 / ratio - ratio) / (2.0 * cosine));
    return true;
}

// Makes two columns orthogonal, the longer first: with squared lengths α >= β and γ = p · q,
// ζ = cot 2φ = (α - β) / (2γ). Returns whether there was anything to do.
static bool makeOrthogonal(snVec3 *bp, snVec3 *bq, snVec3 *vp, snVec3 *vq)
{
    double alpha = snLengthSquared(*bp), beta = snLengthSquared(*bq), gamma = snDot(*bp, *bq);
    if (alpha < SAFE_SQUARE || beta < SAFE_SQUARE) return makeTinyOrthogonal(bp, bq, vp, vq);
    bool swapped = beta > alpha;
    if (swapped) {
        exchange(bp, bq);
        exchange(vp, vq);
        gamma = -gamma;
    }
    if (gamma * gamma <= ORTHOGONAL * ORTHOGONAL * alpha * beta) return swapped;
    turnPair(bp, bq, vp, vq, fabs(alpha - beta) / (2.0 * gamma));
    return true;
}

// U from orthogonal columns in order of length: the first two give directions (any, where they are
// zero), the third follows, and its sign against the third column is that of the determinant.
static void takeDirections(snMat3 b, snMat3 *u, snVec3 *s)
{
    snVec3 third;
    s->x = lengthAndDirection(b.cx, &u->cx);
    s->y = lengthAndDirection(b.cy, &u->cy);
    s->z = lengthAndDirection(b.cz, &third);
    if (s->x == 0.0) u->cx = snVec(1, 0, 0);
    if (s->y == 0.0) u->cy = snPerpendicular(u->cx);
    u->cy = snMulAdd(u->cy, -snDot(u->cx, u->cy), u->cx);
    u->cy = snNormalizeOr(u->cy, snPerpendicular(u->cx));
    u->cz = snCross(u->cx, u->cy);
    if (snDot(u->cz, third) < 0.0) s->z = -s->z;
}

static snMat3 scaleByPowerOfTwo(snMat3 a, int exponent)
{
    snVec3 *columns[3] = {&a.cx, &a.cy, &a.cz};
    for (int i = 0; i < 3; i++) {
        snVec3 c = *columns[i];
        *columns[i] = snVec(ldexp(c.x, exponent), ldexp(c.y, exponent), ldexp(c.z, exponent));
    }
    return a;
}

void snSvd3(snMat3 a, snMat3 *u, snVec3 *s, snMat3 *v)
{
    *u = *v = snIdentity3();
    if (!isFiniteM(a)) {
        *s = snVec(NAN, NAN, NAN);
        return;
    }
    int exponent;
    frexp(largestOf(a), &exponent);
    snMat3 b = scaleByPowerOfTwo(a, -exponent); // largest entry in [1/2, 1)
    bool busy = true;
    for (int sweep = 0; busy && sweep < MAX_SWEEPS; sweep++) {
        busy = makeOrthogonal(&b.cx, &b.cy, &v->cx, &v->cy);
        busy |= makeOrthogonal(&b.cx, &b.cz, &v->cx, &v->cz);
        busy |= makeOrthogonal(&b.cy, &b.cz, &v->cy, &v->cz);
    }
    takeDirections(b, u, s);
    *s = snVec(ldexp(s->x, exponent), ldexp(s->y, exponent), ldexp(s->z, exponent));
}

// One Jacobi rotation of the symmetric matrix with diagonal p, q and off-diagonal entry g between
// them; h and k are the entries that couple p and q to the third axis. Returns false where g is
// only rounding beside p and q.
static bool annihilate(double *p, double *q, double *g, double *h, double *k, snVec3 *vp,
                       snVec3 *vq)
{
    double off = *g;
    if (fabs(off) <= 1e-17 * sqrt(fabs(*p)) * sqrt(fabs(*q)) || fabs(off) <= 1e-300) return false;
    double t = smallerTangent((*p - *q) / (2.0 * off));
    double c = 1.0 / sqrt(1.0 + t * t), s = c * t, oldH = *h;
    *p += t * off;
    *q -= t * off;
    *g = 0.0;
    *h = c * oldH + s * *k;
    *k = c * *k - s * oldH;
    turn(vp, vq, c, s);
    return true;
}

static void orderPair(double *p, double *q, snVec3 *vp, snVec3 *vq)
{
    if (*p >= *q) return;
    double old = *p;
    *p = *q;
    *q = old;
    exchange(vp, vq);
}

// Jacobi's own method, on (A + Aᵀ) / 2 scaled to entries of at most 1.
void snEigenSymmetric3(snMat3 a, snVec3 *values, snMat3 *vectors)
{
    *vectors = snIdentity3();
    if (!isFiniteM(a)) {
        *values = snVec(NAN, NAN, NAN);
        return;
    }
    int exponent;
    frexp(largestOf(a), &exponent);
    a = scaleByPowerOfTwo(a, -exponent);
    double x = a.cx.x, y = a.cy.y, z = a.cz.z;
    double xy = 0.5 * (a.cx.y + a.cy.x), xz = 0.5 * (a.cx.z + a.cz.x), yz = 0.5 * (a.cy.z + a.cz.y);
    bool busy = true;
    for (int sweep = 0; busy && sweep < MAX_SWEEPS; sweep++) {
        busy = annihilate(&x, &y, &xy, &xz, &yz, &vectors->cx, &vectors->cy);
        busy |= annihilate(&x, &z, &xz, &xy, &yz, &vectors->cx, &vectors->cz);
        busy |= annihilate(&y, &z, &yz, &xy, &xz, &vectors->cy, &vectors->cz);
    }
    orderPair(&x, &y, &vectors->cx, &vectors->cy);
    orderPair(&x, &z, &vectors->cx, &vectors->cz);
    orderPair(&y, &z, &vectors->cy, &vectors->cz);
    *values = snVec(ldexp(x, exponent), ldexp(y, exponent), ldexp(z, exponent));
}

// Newton's iteration for the orthogonal factor, X <- (γ X + X^-T / γ) / 2, which keeps the factor
// and draws every singular value towards 1, quadratically near the end (Higham, "Computing the
// polar decomposition - with applications", 1986; γ² = |X^-1| / |X| evens the sizes at first).
// Several times faster than a full decomposition. Declines where A is inverted, near to flat, or so
// large or small that the determinant is in danger.
static bool polarByNewton(snMat3 a, snMat3 *rotation)
{
    double square = snNormSquaredM(a);
    if (!(square > 1e-60 && square < 1e60)) return false;
    if (!(snDet(a) > 1e-5 * square * sqrt(square))) return false;
    snMat3 x = a;
    double change = 1.0;
    for (int step = 0; step < 20 && change > 1e-17; step++) {
        snMat3 cofactor = snCofactor(x);
        double det = snDot(x.cx, cofactor.cx);
        double gamma = 1.0;
        if (change > 1e-2)
            gamma = sqrt(sqrt(snNormSquaredM(cofactor) / (det * det * snNormSquaredM(x))));
        snMat3 next = snAddMM(snScaleM(0.5 * gamma, x), snScaleM(0.5 / (gamma * det), cofactor));
        change = snNormSquaredM(snAddMM(next, snScaleM(-1.0, x)));
        x = next;
    }
    *rotation = x;
    return true;
}

snMat3 snPolar(snMat3 a, snMat3 *stretch)
{
    snMat3 rotation;
    if (!polarByNewton(a, &rotation)) {
        snMat3 u, v;
        snVec3 s;
        snSvd3(a, &u, &s, &v);
        rotation = snMulMM(u, snTranspose(v));
    }
    if (stretch) {
        snMat3 s = snMulTMM(rotation, a); // symmetric but for rounding
        *stretch = snScaleM(0.5, snAddMM(s, snTranspose(s)));
    }
    return rotation;
}
