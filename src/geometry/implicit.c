#include "geometry/implicit.h"

#include "core/elementary.h"
#include "geometry/primitive.h"

// Distances to ball, ellipsoid, box, cylinder and round cone are exact. The superellipsoid (Barr,
// "Superquadrics and Angle-Preserving Transformations", 1981) has none in closed form. With the homogeneous inside-outside function
//     F(x) = (((|u|^(2/e2) + |v|^(2/e2))^(e2/e1) + |w|^(2/e1))^e1 - 1,   u = x/a, v = y/b, w = z/c
// and g = |∇F| we use
//     f = 2 F / (g + √(g² - k F)),
// which has unit slope on the surface and is the exact distance for spheres with k = 4/radius².
// Inside, k = 4/(least axis)² makes f = -(least axis) at the centre; outside, k = 4/(largest
// radius)² keeps the root real because g ≥ 2 h²/|x| for F = h² - 1.

#define CREASE 1e-5        // |u| is √(u² + CREASE²): keeps second derivatives finite for e > 1
#define LEAST_EXPONENT 0.2 // below, powers leave the range of doubles, and the shape is a box
#define LARGEST_EXPONENT 2.0
#define FAR 1e6 // in semi-axes; beyond it a superellipsoid is as good as a ball
#define TINY 1e-12

static double atLeast(double x, double low)
{
    return x > low ? x : low;
}

snShape snDefaultShape(snShapeKind kind)
{
    return (snShape){
        .kind = kind, .place = snIdentityAffine(), .size = {1, 1, 1}, .e1 = 1.0, .e2 = 1.0};
}

static double sphereValue(const snShape *shape, snVec3 p, snVec3 *gradient)
{
    *gradient = snNormalizeOr(p, snVec(0, 1, 0));
    return snLength(p) - shape->size.x;
}

// The distance to the corner of a quadrant, given the distances (a, b) beyond its two sides.
static double corner2(double a, double b, double *da, double *db)
{
    *da = a >= b ? 1.0 : 0.0;
    *db = 1.0 - *da;
    if (a <= 0.0 || b <= 0.0) return a >= b ? a : b;
    double length = sqrt(a * a + b * b);
    *da = a / length;
    *db = b / length;
    return length;
}

static double cylinderValue(const snShape *shape, snVec3 p, snVec3 *gradient)
{
    snVec3 radial = snVec(p.x, 0, p.z);
    double da, db;
    double value = corner2(snLength(radial) - shape->size.x, fabs(p.y) - shape->size.y, &da, &db);
    *gradient = snScale(da, snNormalizeOr(radial, snVec(1, 0, 0)));
    gradient->y = p.y < 0.0 ? -db : db;
    return value;
}

// A ball rolls along the axis while its radius goes from size.x to size.z. In the half-plane of
// the axis the side is a line with the unit normal (a, b), b = (r1 - r2)/length.
static double capsuleValue(const snShape *shape, snVec3 p, snVec3 *gradient)
{
    double r1 = shape->size.x, r2 = shape->size.z, length = 2.0 * shape->size.y;
    snVec3 fromLow = snVec(p.x, p.y + shape->size.y, p.z);
    snVec3 fromHigh = snVec(p.x, p.y - shape->size.y, p.z);
    double radius = sqrt(p.x * p.x + p.z * p.z);
    bool oneBall = !(length > fabs(r1 - r2)); // the larger ball holds the smaller
    double b = oneBall ? 0.0 : (r1 - r2) / length, a = sqrt(1.0 - b * b);
    double along = a * fromLow.y - b * radius;
    if (oneBall ? r1 >= r2 : along <= 0.0) {
        *gradient = snNormalizeOr(fromLow, snVec(0, -1, 0));
        return snLength(fromLow) - r1;
    }
    if (oneBall || along >= a * length) {
        *gradient = snNormalizeOr(fromHigh, snVec(0, 1, 0));
        return snLength(fromHigh) - r2;
    }
    *gradient = snScale(a, snNormalizeOr(snVec(p.x, 0, p.z), snVec(1, 0, 0)));
    gradient->y = b;
    return a * radius + b * fromLow.y - r1;
}

static double boxValue(const snShape *shape, snVec3 p, snVec3 *gradient)
{
    snVec3 size = shape->size;
    double least = size.x < size.y ? size.x : size.y;
    if (size.z < least) least = size.z;
    double round = shape->round < least ? atLeast(shape->round, 0.0) : least;
    double d[3] = {fabs(p.x) - size.x + round, fabs(p.y) - size.y + round,
                   fabs(p.z) - size.z + round};
    double sign[3] = {p.x < 0 ? -1.0 : 1.0, p.y < 0 ? -1.0 : 1.0, p.z < 0 ? -1.0 : 1.0};
    int most = d[0] >= d[1] ? 0 : 1;
    if (d[2] > d[most]) most = 2;
    if (d[most] <= 0.0) {
        *gradient =
            snVec(most == 0 ? sign[0] : 0, most == 1 ? sign[1] : 0, most == 2 ? sign[2] : 0);
        return d[most] - round;
    }
    snVec3 beyond = snVec(atLeast(d[0], 0.0), atLeast(d[1], 0.0), atLeast(d[2], 0.0));
    double length = snLength(beyond);
    *gradient =
        snScale(1.0 / length, snVec(sign[0] * beyond.x, sign[1] * beyond.y, sign[2] * beyond.z));
    return length - round;
}

// The nearest point x of the ellipsoid Σ (x_i/s_i)² = 1 has p - x along its normal, so that
//     x_i = s_i² p_i / (t + s_i²),   S(t) = Σ (s_i p_i / (t + s_i²))² = 1
// with t above the largest pole (Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a
// Hyperellipsoid", 2013). 1/√S is concave and almost straight, so Newton on 1/√S = 1 climbs to the
// root from the left without overshooting:  t += (√S - 1) S / Q,  Q = Σ (s_i p_i)² / (t + s_i²)³.
// t is counted from the largest pole, -(least s)², to keep its digits near it.
static double ellipsoidValue(snVec3 size, snVec3 point, snVec3 *gradient)
{
    double s[3] = {size.x, size.y, size.z}, p[3] = {point.x, point.y, point.z}, pole[3], n[3];
    double least = size.x < size.y ? size.x : size.y, t = 0.0;
    if (size.z < least) least = size.z;
    for (int i = 0; i < 3; i++) {
        // A point on a plane of symmetry is moved off it: its nearest point may lie beside it.
        double off = CREASE * CREASE * s[i];
        if (fabs(p[i]) < off) p[i] = p[i] < 0.0 ? -off : off;
        pole[i] = (s[i] - least) * (s[i] + least);
        t = atLeast(s[i] * fabs(p[i]) - pole[i], t); // where one term of S alone is 1
    }
    for (int round = 0; round < 40; round++) {
        double sum = 0.0, slope = 0.0;
        for (int i = 0; i < 3; i++) {
            double a = s[i] * p[i] / (t + pole[i]);
            sum += a * a;
            slope += a * a / (t + pole[i]);
        }
        double step = (sqrt(sum) - 1.0) * sum / slope;
        if (!(step > 1e-15 * t)) break;
        t += step;
    }
    for (int i = 0; i < 3; i++)
        n[i] = p[i] / (t + pole[i]); // x_i / s_i²
    *gradient = snNormalizeOr(snVec(n[0], n[1], n[2]), snVec(0, 1, 0));
    snVec3 nearest = snVec(s[0] * s[0] * n[0], s[1] * s[1] * n[1], s[2] * s[2] * n[2]);
    return snDot(*gradient, snSub(point, nearest));
}

// A function of three variables with its first and second derivatives.
typedef struct Jet {
    double value;
    snVec3 gradient;
    snMat3 hessian;
} Jet;

// (u² + CREASE²)^power, the derivative and the second derivative.
static void powerTerm(double u, double power, double term[3])
{
    double q = u * u + CREASE * CREASE, s = snPow(q, power);
    term[0] = s;
    term[1] = 2.0 * power * u * s / q;
    term[2] = 2.0 * power * s / q + 4.0 * power * (power - 1.0) * u * u * s / (q * q);
}

// F in units of the semi-axes.
static Jet superquadric(snVec3 u, double e1, double e2)
{
    double x[3], y[3], z[3], r = e2 / e1;
    powerTerm(u.x, 1.0 / e2, x);
    powerTerm(u.y, 1.0 / e2, y);
    powerTerm(u.z, 1.0 / e1, z);
    // C = A^r with A = x + y;  B = C + z;  F = B^e1 - 1
    double a = x[0] + y[0], c = snPow(a, r), c1 = r * c / a, c2 = (r - 1.0) * c1 / a;
    double b = c + z[0], f = snPow(b, e1), f1 = e1 * f / b, f2 = (e1 - 1.0) * f1 / b;
    snVec3 gradient = snVec(c1 * x[1], c1 * y[1], z[1]);
    double xy = c2 * x[1] * y[1];
    snMat3 hessian = {
        {c2 * x[1] * x[1] + c1 * x[2], xy, 0}, {xy, c2 * y[1] * y[1] + c1 * y[2], 0}, {0, 0, z[2]}};
    return (Jet){f - 1.0, snScale(f1, gradient),
                 snAddMM(snScaleM(f1, hessian), snScaleM(f2, snOuter(gradient, gradient)))};
}

static double superellipsoidValue(const snShape *shape, snVec3 p, snVec3 *gradient)
{
    snVec3 s = snMax(shape->size, snVec(TINY, TINY, TINY));
    double least = s.x < s.y ? s.x : s.y, most = s.x > s.y ? s.x : s.y;
    least = s.z < least ? s.z : least;
    most = s.z > most ? s.z : most;
    double e1 = snClamp(shape->e1, LEAST_EXPONENT, LARGEST_EXPONENT);
    double e2 = snClamp(shape->e2, LEAST_EXPONENT, LARGEST_EXPONENT);
    if (e1 == 1.0 && e2 == 1.0) return ellipsoidValue(s, p, gradient);
    if (e1 < 1.0 || e2 < 1.0) most = snLength(s); // bulges beyond the ellipsoid, not the box
    snVec3 u = snVec(p.x / s.x, p.y / s.y, p.z / s.z);
    if (!(snLengthSquared(u) < FAR * FAR)) {
        *gradient = snNormalizeOr(p, snVec(0, 1, 0));
        return snLength(p) - most;
    }
    Jet f = superquadric(u, e1, e2);
    snVec3 slope = snVec(f.gradient.x / s.x, f.gradient.y / s.y, f.gradient.z / s.z); // ∇F
    snVec3 bend = snMulMV(f.hessian, snVec(slope.x / s.x, slope.y / s.y, slope.z / s.z));
    bend = snVec(bend.x / s.x, bend.y / s.y, bend.z / s.z); // ∇∇F ∇F = g ∇g
    double g = snLength(slope), k = f.value < 0.0 ? 4.0 / (least * least) : 4.0 / (most * most);
    double root = sqrt(atLeast(g * g - k * f.value, TINY * k)), sum = g + root;
    // ∇f = 2 ∇F / sum - 2 F (∇g + ∇root) / sum²,  root ∇root = g ∇g - k ∇F / 2
    snVec3 rise = snScale(1.0 / root, snMulAdd(bend, -0.5 * k, slope));
    if (g * g > TINY * TINY * k) rise = snMulAdd(rise, 1.0 / g, bend);
    *gradient = snMulAdd(snScale(2.0 / sum, slope), -2.0 * f.value / (sum * sum), rise);
    return 2.0 * f.value / sum;
}

double snShape_Sample(const snShape *shape, snVec3 point, snVec3 *gradient)
{
    snVec3 p = snMulTMV(shape->place.linear, snSub(point, shape->place.origin)), local = {0};
    double value = 0.0;
    switch (shape->kind) {
    case SN_SHAPE_SPHERE:
        value = sphereValue(shape, p, &local);
        break;
    case SN_SHAPE_SUPERELLIPSOID:
        value = superellipsoidValue(shape, p, &local);
        break;
    case SN_SHAPE_CYLINDER:
        value = cylinderValue(shape, p, &local);
        break;
    case SN_SHAPE_CAPSULE:
        value = capsuleValue(shape, p, &local);
        break;
    case SN_SHAPE_BOX:
        value = boxValue(shape, p, &local);
        break;
    }
    *gradient = snMulMV(shape->place.linear, local);
    return value;
}

double snShape_Value(const snShape *shape, snVec3 point)
{
    snVec3 gradient;
    return snShape_Sample(shape, point, &gradient);
}

snVec3 snShape_Gradient(const snShape *shape, snVec3 point)
{
    snVec3 gradient;
    snShape_Sample(shape, point, &gradient);
    return gradient;
}

static snBox ballBox(snVec3 centre, double radius)
{
    return snBox_Grow((snBox){centre, centre}, radius);
}

static snVec3 absolute(snVec3 v)
{
    return snVec(fabs(v.x), fabs(v.y), fabs(v.z));
}

// A disc of unit radius with the unit normal n reaches √(1 - n_i²) along axis i.
static snVec3 discReach(snVec3 n)
{
    return snVec(sqrt(atLeast(1.0 - n.x * n.x, 0.0)), sqrt(atLeast(1.0 - n.y * n.y, 0.0)),
                 sqrt(atLeast(1.0 - n.z * n.z, 0.0)));
}

snBox snShape_Bounds(const snShape *shape)
{
    snVec3 origin = shape->place.origin, size = shape->size, reach;
    snMat3 axes = shape->place.linear;
    switch (shape->kind) {
    case SN_SHAPE_SPHERE:
        return ballBox(origin, size.x);
    case SN_SHAPE_CAPSULE:
        return snBoxUnion(ballBox(snMulAdd(origin, -size.y, axes.cy), size.x),
                          ballBox(snMulAdd(origin, size.y, axes.cy), size.z));
    case SN_SHAPE_CYLINDER:
        reach = snMulAdd(snScale(size.y, absolute(axes.cy)), size.x, discReach(axes.cy));
        break;
    default:
        reach = snMulAdd(snMulAdd(snScale(size.x, absolute(axes.cx)), size.y, absolute(axes.cy)),
                         size.z, absolute(axes.cz));
    }
    return (snBox){snSub(origin, reach), snAdd(origin, reach)};
}
