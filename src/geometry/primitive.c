#include "geometry/primitive.h"

#include "core/elementary.h"

// Closest point on a triangle: the regions of Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
// Overlap by separating axes: Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", 2001; for the
// tetrahedron the same theorem over 1 + 4 + 3 * 6 axes.

#define GAP 1e-12 // relative to the size: a separation below it may be rounding

snVec3 snClosestOnSegment(snVec3 point, snVec3 a, snVec3 b, double *t)
{
    snVec3 ab = snSub(b, a);
    double length2 = snLengthSquared(ab);
    double s = length2 > 0.0 ? snDot(snSub(point, a), ab) / length2 : 0.0;
    s = s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0;
    if (t) *t = s;
    return snLerp(a, b, s);
}

// |a + s e - c - t f|² is least where both derivatives are 0; clamped one after the other (Ericson, 5.1.9).
void snClosestOfSegments(snVec3 a, snVec3 b, snVec3 c, snVec3 d, double *s, double *t)
{
    snVec3 e = snSub(b, a), f = snSub(d, c), r = snSub(a, c);
    double ee = snLengthSquared(e), ff = snLengthSquared(f), ef = snDot(e, f), fr = snDot(f, r);
    double determinant = ee * ff - ef * ef;
    *s = determinant > 1e-20 * ee * ff ? snClamp((ef * fr - snDot(e, r) * ff) / determinant, 0, 1)
                                       : 0.0;
    *t = ff > 0.0 ? (ef * *s + fr) / ff : 0.0;
    if (*t >= 0.0 && *t <= 1.0) return;
    *t = snClamp(*t, 0, 1);
    snClosestOnSegment(snLerp(c, d, *t), a, b, s);
}

static snVec3 weigh(snTriangle t, double u, double v, double w, double barycentric[3])
{
    if (barycentric) {
        barycentric[0] = u;
        barycentric[1] = v;
        barycentric[2] = w;
    }
    return snMulAdd(snMulAdd(snScale(u, t.a), v, t.b), w, t.c);
}

// The nearest point of the three edges.
static snVec3 closestOnEdges(snVec3 point, snTriangle t, double barycentric[3])
{
    double s[3];
    snVec3 q[3] = {snClosestOnSegment(point, t.a, t.b, &s[0]),
                   snClosestOnSegment(point, t.b, t.c, &s[1]),
                   snClosestOnSegment(point, t.c, t.a, &s[2])};
    int best = 0;
    for (int i = 1; i < 3; i++)
        if (snLengthSquared(snSub(q[i], point)) < snLengthSquared(snSub(q[best], point))) best = i;
    if (best == 0) return weigh(t, 1.0 - s[0], s[0], 0.0, barycentric);
    if (best == 1) return weigh(t, 0.0, 1.0 - s[1], s[1], barycentric);
    return weigh(t, s[2], 0.0, 1.0 - s[2], barycentric);
}

snVec3 snClosestOnTriangle(snVec3 point, snTriangle t, double barycentric[3])
{
    snVec3 ab = snSub(t.b, t.a), ac = snSub(t.c, t.a);
    snVec3 normal = snCross(ab, ac);
    // The sine of the angle at a below 1e-10: the projections below lose all their digits.
    double area2 = snLengthSquared(normal);
    if (!(area2 > 1e-20 * snLengthSquared(ab) * snLengthSquared(ac)))
        return closestOnEdges(point, t, barycentric);

    snVec3 ap = snSub(point, t.a), bp = snSub(point, t.b), cp = snSub(point, t.c);
    double d1 = snDot(ab, ap), d2 = snDot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return weigh(t, 1, 0, 0, barycentric);
    double d3 = snDot(ab, bp), d4 = snDot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return weigh(t, 0, 1, 0, barycentric);
    double d5 = snDot(ab, cp), d6 = snDot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return weigh(t, 0, 0, 1, barycentric);

    double wc = d1 * d4 - d3 * d2, wb = d5 * d2 - d1 * d6, wa = d3 * d6 - d5 * d4;
    if (wc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        double s = d1 / (d1 - d3);
        return weigh(t, 1.0 - s, s, 0, barycentric);
    }
    if (wb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        double s = d2 / (d2 - d6);
        return weigh(t, 1.0 - s, 0, s, barycentric);
    }
    if (wa <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        double s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return weigh(t, 0, 1.0 - s, s, barycentric);
    }
    double v = wb / (wa + wb + wc), w = wc / (wa + wb + wc);
    return weigh(t, 1.0 - v - w > 0.0 ? 1.0 - v - w : 0.0, v, w, barycentric);
}

static double outside(double x, double low, double high)
{
    return x < low ? low - x : (x > high ? x - high : 0.0);
}

double snBox_DistanceSquared(snBox box, snVec3 p)
{
    double x = outside(p.x, box.lower.x, box.upper.x);
    double y = outside(p.y, box.lower.y, box.upper.y);
    double z = outside(p.z, box.lower.z, box.upper.z);
    return x * x + y * y + z * z;
}

bool snBox_Contains(snBox box, snVec3 p)
{
    return p.x >= box.lower.x && p.x <= box.upper.x && p.y >= box.lower.y && p.y <= box.upper.y &&
           p.z >= box.lower.z && p.z <= box.upper.z;
}

snBox snBox_Grow(snBox box, double margin)
{
    snVec3 m = snVec(margin, margin, margin);
    return (snBox){snSub(box.lower, m), snAdd(box.upper, m)};
}

snBox snBox_Around(snVec3 point, double radius)
{
    return snBox_Grow((snBox){point, point}, radius);
}

snBox snTriangle_Bounds(snTriangle t)
{
    return (snBox){snMin(snMin(t.a, t.b), t.c), snMax(snMax(t.a, t.b), t.c)};
}

snVec3 snTriangle_AreaVector(snTriangle t)
{
    return snScale(0.5, snTwiceArea(t.a, t.b, t.c));
}

// Whether the projections of two point sets onto the axis are apart. A zero axis separates
// nothing, which makes degenerate elements safe.
static bool separates(snVec3 axis, const snVec3 *p, int pCount, const snVec3 *q, int qCount)
{
    double pLow = INFINITY, pHigh = -INFINITY, qLow = INFINITY, qHigh = -INFINITY, size = 0.0;
    for (int i = 0; i < pCount; i++) {
        double s = snDot(axis, p[i]);
        pLow = fmin(pLow, s);
        pHigh = fmax(pHigh, s);
        size = fmax(size, snLengthSquared(p[i]));
    }
    for (int i = 0; i < qCount; i++) {
        double s = snDot(axis, q[i]);
        qLow = fmin(qLow, s);
        qHigh = fmax(qHigh, s);
        size = fmax(size, snLengthSquared(q[i]));
    }
    double gap = GAP * sqrt(size * snLengthSquared(axis));
    return pLow > qHigh + gap || qLow > pHigh + gap;
}

bool snTriangle_OverlapsBox(snTriangle t, snBox box)
{
    if (!snBoxOverlap(snTriangle_Bounds(t), box)) return false;
    // Relative to the box's middle, so that the rounding is that of the element's own size.
    snVec3 middle = snScale(0.5, snAdd(box.lower, box.upper));
    snVec3 h = snScale(0.5, snSub(box.upper, box.lower));
    snVec3 p[3] = {snSub(t.a, middle), snSub(t.b, middle), snSub(t.c, middle)};
    snVec3 q[8];
    for (int i = 0; i < 8; i++)
        q[i] = snVec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    snVec3 edges[3] = {snSub(p[1], p[0]), snSub(p[2], p[1]), snSub(p[0], p[2])};
    if (separates(snCross(edges[0], edges[1]), p, 3, q, 8)) return false;
    for (int i = 0; i < 3; i++) {
        snVec3 e = edges[i];
        if (separates(snVec(0, -e.z, e.y), p, 3, q, 8)) return false; // x × e
        if (separates(snVec(e.z, 0, -e.x), p, 3, q, 8)) return false; // y × e
        if (separates(snVec(-e.y, e.x, 0), p, 3, q, 8)) return false; // z × e
    }
    return true;
}

bool snTriangle_OverlapsTetrahedron(snTriangle t, snTetrahedron tet)
{
    snVec3 middle = snScale(0.25, snAdd(snAdd(tet.a, tet.b), snAdd(tet.c, tet.d)));
    snVec3 p[3] = {snSub(t.a, middle), snSub(t.b, middle), snSub(t.c, middle)};
    snVec3 q[4] = {snSub(tet.a, middle), snSub(tet.b, middle), snSub(tet.c, middle),
                   snSub(tet.d, middle)};
    snVec3 edges[3] = {snSub(p[1], p[0]), snSub(p[2], p[1]), snSub(p[0], p[2])};
    snVec3 sides[6] = {snSub(q[1], q[0]), snSub(q[2], q[0]), snSub(q[3], q[0]),
                       snSub(q[2], q[1]), snSub(q[3], q[1]), snSub(q[3], q[2])};
    static const int faces[4][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}};
    for (int i = 0; i < 4; i++)
        if (separates(snCross(sides[faces[i][0]], sides[faces[i][1]]), p, 3, q, 4)) return false;
    if (separates(snCross(edges[0], edges[1]), p, 3, q, 4)) return false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            if (separates(snCross(edges[i], sides[j]), p, 3, q, 4)) return false;
    return true;
}

double snTetrahedron_Volume(snTetrahedron t)
{
    return snDot(snSub(t.b, t.a), snTwiceArea(t.a, t.c, t.d)) / 6.0;
}

bool snTetrahedron_Barycentric(snTetrahedron t, snVec3 point, double barycentric[4])
{
    snVec3 u = snSub(t.b, t.a), v = snSub(t.c, t.a), w = snSub(t.d, t.a), p = snSub(point, t.a);
    double det = snDot(u, snCross(v, w));
    double size = snLength(u) * snLength(v) * snLength(w);
    if (!(fabs(det) > 1e-14 * size)) {
        for (int i = 0; i < 4; i++)
            barycentric[i] = 0.25;
        return false;
    }
    barycentric[1] = snDot(p, snCross(v, w)) / det;
    barycentric[2] = snDot(u, snCross(p, w)) / det;
    barycentric[3] = snDot(u, snCross(v, p)) / det;
    barycentric[0] = 1.0 - barycentric[1] - barycentric[2] - barycentric[3];
    return true;
}

bool snTetrahedron_Contains(snTetrahedron tet, snVec3 point, double tolerance)
{
    double b[4];
    if (!snTetrahedron_Barycentric(tet, point, b)) return false;
    return b[0] >= -tolerance && b[1] >= -tolerance && b[2] >= -tolerance && b[3] >= -tolerance;
}

snTetQuality snTetrahedron_Quality(snTetrahedron t)
{
    snVec3 u = snSub(t.b, t.a), v = snSub(t.c, t.a), w = snSub(t.d, t.a);
    snVec3 normals[4] = {// outward, twice the area long, of the faces opposite to a, b, c, d
                         snTwiceArea(t.b, t.c, t.d), snCross(w, v), snCross(u, w), snCross(v, u)};
    double volume6 = snDot(u, snCross(v, w)), size = snLength(u) * snLength(v) * snLength(w);
    if (!(fabs(volume6) > 1e-14 * size)) return (snTetQuality){0.0, SN_PI, 0.0};

    snTetQuality quality = {SN_PI, 0.0, 0.0};
    double area2 = 0.0; // twice the surface
    for (int i = 0; i < 4; i++) {
        area2 += snLength(normals[i]);
        for (int j = 0; j < i; j++) {
            double sine = snLength(snCross(normals[i], normals[j]));
            double angle = SN_PI - snAtan2(sine, snDot(normals[i], normals[j]));
            quality.minDihedral = fmin(quality.minDihedral, angle);
            quality.maxDihedral = fmax(quality.maxDihedral, angle);
        }
    }
    // r = 3 V / A;  R = | |u|² v×w + |v|² w×u + |w|² u×v | / (12 V)
    double inscribed = volume6 / area2;
    snVec3 centre = snMulAdd(
        snMulAdd(snScale(snLengthSquared(u), snCross(v, w)), snLengthSquared(v), snCross(w, u)),
        snLengthSquared(w), snCross(u, v));
    quality.radiusRatio = 3.0 * inscribed * 2.0 * fabs(volume6) / snLength(centre);
    return quality;
}
