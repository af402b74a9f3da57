#include "geometry/warp.h"

#include "core/elementary.h"

// In axes (u, v, w), w along the warp's axis:
//     bulge    x' = x + a G(x) d,  G = exp(-|x - c|² / 2 s²),  in the order of the list
//     taper    (u, v, w) -> (u exp(p w), v exp(q w), w)
//     twist    (u, v) turned by t w
//     bend     with θ = k w:  axis point ((1 - cos θ)/k, sin θ/k) in (u, w), and u along (cos θ, -sin θ)
// Their inverses. Of a bend: (1 - k u) (cos θ, sin θ) = (1 - k U, k W), so that θ = atan2(k W, 1 - k U),
// w = θ/k, and with h = 1 - k u, 1 - h² = 2 k U - k² (U² + W²), u = (2 U - k (U² + W²)) / (1 + h): no
// digits are lost as k goes to 0. Of a bulge: x = x' - r d where r = a G(x' - r d), one equation with
// one root, for the right side's slope stays below 1 (HEIGHT).
// A gradient n of a function of the undeformed point becomes m = J⁻ᵀ n; each step in closed form:
//     bulge    m = n - b (d·n) / (1 + b·d),  b = a ∇G            (Sherman and Morrison)
//     taper    m_u = n_u exp(-p w),  m_v alike,  m_w = n_w - p u n_u - q v n_v
//     twist    (m_U, m_V) = n turned,  m_w = n_w + t (V m_U - U m_V)
//     bend     m = n_u (cos θ, -sin θ) + n_w / (1 - k u) (sin θ, cos θ)   in (u, w)

#define CLOSE 1e-6  // of a bulge's height: a last step whose cube is nothing
#define HEIGHT 1.4  // of a bulge in widths, at most: the slope is then below 1.4 exp(-1/2) = 0.85
#define INSIDE 0.95 // k u at most within the shape: at 1 it would fold
#define ROUNDS 60   // of Newton's method; with bisection, ever enough

static snVec3 toAxes(int axis, snVec3 p)
{
    if (axis == 0) return snVec(p.y, p.z, p.x);
    if (axis == 1) return snVec(p.z, p.x, p.y);
    return p;
}

static snVec3 fromAxes(int axis, snVec3 p)
{
    if (axis == 0) return snVec(p.z, p.x, p.y);
    if (axis == 1) return snVec(p.y, p.z, p.x);
    return p;
}

static snBulge readyBulge(const snBulge *bulge, int axis)
{
    snBulge ready = *bulge;
    snVec3 out = toAxes(axis, bulge->place), along = fromAxes(axis, snVec(0, 0, 1));
    if (snLengthSquared(bulge->direction) == 0.0) {
        if (out.z < 0.0) along = snNeg(along);
        out.z = 0.0;
        ready.direction = fromAxes(axis, out);
    }
    ready.direction = snNormalizeOr(ready.direction, along);
    ready.height = snClamp(bulge->height, -HEIGHT * bulge->width, HEIGHT * bulge->width);
    return ready;
}

static double widest(double rate, snBox box)
{
    return snExp(fmax(rate * box.lower.z, rate * box.upper.z));
}

// A box in axes after bulges, taper, and the circle that a twist or a turn sweeps.
static snBox sweptBox(const snWarpMap *map, snVec3 half)
{
    snVec3 lower = snNeg(half), upper = half, none = {0, 0, 0};
    for (int i = 0; i < map->bulgeCount; i++) {
        snVec3 reach = snScale(map->bulges[i].height, map->bulges[i].direction);
        lower = snAdd(lower, snMin(reach, none));
        upper = snAdd(upper, snMax(reach, none));
    }
    snBox box = {toAxes(map->axis, lower), toAxes(map->axis, upper)};
    double u = widest(map->taper[0], box), v = widest(map->taper[1], box);
    box.lower = snVec(u * box.lower.x, v * box.lower.y, box.lower.z);
    box.upper = snVec(u * box.upper.x, v * box.upper.y, box.upper.z);
    if (map->twist == 0.0 && map->sine == 0.0) return box;
    snVec3 most = snMax(box.upper, snNeg(box.lower));
    double radius = sqrt(most.x * most.x + most.y * most.y);
    return (snBox){snVec(-radius, -radius, box.lower.z), snVec(radius, radius, box.upper.z)};
}

snWarpMap snMakeWarpMap(const snWarp *warp, snVec3 halfExtents)
{
    snWarpMap map = {.axis = warp->axis};
    double half = toAxes(warp->axis, halfExtents).z;
    double rate = half > 0.0 ? 1.0 / half : 0.0;
    map.taper[0] = warp->taper[0] * rate;
    map.taper[1] = warp->taper[1] * rate;
    map.twist = 0.5 * warp->twist * rate;
    map.cosine = 1.0;
    if (warp->bend != 0.0) snSinCos(warp->bendAround, &map.sine, &map.cosine);
    for (int i = 0; i < warp->bulgeCount && i < SN_WARP_BULGES; i++)
        if (warp->bulges[i].width > 0.0 && warp->bulges[i].height != 0.0)
            map.bulges[map.bulgeCount++] = readyBulge(&warp->bulges[i], warp->axis);
    snBox box = sweptBox(&map, halfExtents);
    snVec3 swept = snMax(box.upper, snNeg(box.lower));
    double most = swept.x > 0.0 ? INSIDE / swept.x : 0.0;
    // The ends may not meet behind the centre either: θ stays below π.
    if (swept.z > 0.0) most = fmin(most, INSIDE * SN_PI / swept.z);
    map.bend = snClamp(0.5 * warp->bend * rate, -most, most);
    return map;
}

static double gauss(const snBulge *bulge, snVec3 point)
{
    double s = bulge->width;
    return bulge->height * snExp(-0.5 * snLengthSquared(snSub(point, bulge->place)) / (s * s));
}

// How far the bulge carried what is now here: the root r of f = r - g, g = a G(x' - r d), by Halley's method, whose error is the
// cube of its last step: with u = (x - c)·d / s², g' = u g, so f' = 1 - u g and f'' = -(u² - 1/s²) g.
static double liftOf(const snBulge *bulge, snVec3 point)
{
    double low = fmin(bulge->height, 0.0), high = fmax(bulge->height, 0.0), r = gauss(bulge, point);
    double perWidth = 1.0 / (bulge->width * bulge->width);
    for (int round = 0; round < ROUNDS; round++) {
        snVec3 x = snMulAdd(point, -r, bulge->direction);
        double value = gauss(bulge, x), error = r - value;
        if (error > 0.0)
            high = r;
        else
            low = r;
        double u = perWidth * snDot(snSub(x, bulge->place), bulge->direction);
        double slope = 1.0 - u * value, curve = (perWidth - u * u) * value;
        double next = r - error * slope / (slope * slope - 0.5 * error * curve);
        bool held = !(next >= low && next <= high);
        if (held) next = 0.5 * (low + high);
        double change = fabs(next - r);
        r = next;
        if (!(change > (held ? 1e-16 : CLOSE) * fabs(bulge->height))) break;
    }
    return r;
}

static snVec3 turn(snVec3 p, double sine, double cosine)
{
    return snVec(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z);
}

static snVec3 taper(const snWarpMap *map, snVec3 p, double sign)
{
    if (map->taper[0] != 0.0) p.x *= snExp(sign * map->taper[0] * p.z);
    if (map->taper[1] != 0.0) p.y *= snExp(sign * map->taper[1] * p.z);
    return p;
}

static snVec3 twist(const snWarpMap *map, snVec3 p, double sign)
{
    if (map->twist == 0.0) return p;
    double sine, cosine;
    snSinCos(sign * map->twist * p.z, &sine, &cosine);
    return turn(p, sine, cosine);
}

static snVec3 bend(const snWarpMap *map, snVec3 p)
{
    double k = map->bend;
    if (k == 0.0) return p;
    p = turn(p, -map->sine, map->cosine);
    double theta = k * p.z, sine, cosine, half = snSin(0.5 * theta);
    snSinCos(theta, &sine, &cosine);
    snVec3 q = snVec(2.0 * half * half / k + p.x * cosine, p.y, sine / k - p.x * sine);
    return turn(q, map->sine, map->cosine);
}

// With the sine and cosine of the angle that it was turned by.
static snVec3 unbend(const snWarpMap *map, snVec3 q, double *sine, double *cosine)
{
    double k = map->bend;
    if (k == 0.0) return q;
    q = turn(q, -map->sine, map->cosine);
    double a = 1.0 - k * q.x, b = k * q.z, h = sqrt(a * a + b * b);
    *sine = h > 0.0 ? b / h : 0.0;
    *cosine = h > 0.0 ? a / h : 1.0;
    double u = (2.0 * q.x - k * (q.x * q.x + q.z * q.z)) / (1.0 + h);
    return turn(snVec(u, q.y, snAtan2(b, a) / k), map->sine, map->cosine);
}

snVec3 snWarpMap_Forward(const snWarpMap *map, snVec3 point)
{
    for (int i = 0; i < map->bulgeCount; i++)
        point = snMulAdd(point, gauss(&map->bulges[i], point), map->bulges[i].direction);
    snVec3 p = toAxes(map->axis, point);
    return fromAxes(map->axis, bend(map, twist(map, taper(map, p, 1.0), 1.0)));
}

snWarpTrace snWarpMap_Trace(const snWarpMap *map, snVec3 point)
{
    snWarpTrace trace;
    trace.sine = 0.0, trace.cosine = 1.0;
    trace.straight = unbend(map, toAxes(map->axis, point), &trace.sine, &trace.cosine);
    trace.round = twist(map, trace.straight, -1.0);
    trace.narrow = taper(map, snVec(1, 1, trace.round.z), -1.0);
    trace.tapered =
        snVec(trace.narrow.x * trace.round.x, trace.narrow.y * trace.round.y, trace.round.z);
    trace.source = fromAxes(map->axis, trace.tapered);
    for (int i = map->bulgeCount; i-- > 0;) {
        trace.lift[i] = liftOf(&map->bulges[i], trace.source);
        trace.source = snMulAdd(trace.source, -trace.lift[i], map->bulges[i].direction);
        trace.bulged[i] = trace.source;
    }
    return trace;
}

snVec3 snWarpMap_Inverse(const snWarpMap *map, snVec3 point)
{
    return snWarpMap_Trace(map, point).source;
}

// Where it was carried by `lift`, which is a G there.
static snVec3 carryBulge(const snBulge *bulge, snVec3 x, double lift, snVec3 n)
{
    double s = bulge->width;
    snVec3 b = snScale(-lift / (s * s), snSub(x, bulge->place));
    return snMulAdd(n, -snDot(bulge->direction, n) / (1.0 + snDot(b, bulge->direction)), b);
}

static snVec3 carryTaper(const snWarpMap *map, snVec3 p, snVec3 narrow, snVec3 n)
{
    double along = n.z - map->taper[0] * p.x * n.x - map->taper[1] * p.y * n.y;
    return snVec(n.x * narrow.x, n.y * narrow.y, along);
}

static snVec3 carryTwist(const snWarpMap *map, snVec3 before, snVec3 after, snVec3 n)
{
    snVec3 m = twist(map, snVec(n.x, n.y, before.z), 1.0);
    return snVec(m.x, m.y, n.z + map->twist * (after.y * m.x - after.x * m.y));
}

static snVec3 carryBend(const snWarpMap *map, const snWarpTrace *trace, snVec3 n)
{
    double k = map->bend, sine = trace->sine, cosine = trace->cosine;
    if (k == 0.0) return n;
    snVec3 p = turn(trace->straight, -map->sine, map->cosine);
    n = turn(n, -map->sine, map->cosine);
    double along = n.z / (1.0 - k * p.x);
    return turn(snVec(n.x * cosine + along * sine, n.y, along * cosine - n.x * sine), map->sine,
                map->cosine);
}

snVec3 snWarpMap_Carry(const snWarpMap *map, const snWarpTrace *trace, snVec3 gradient)
{
    for (int i = 0; i < map->bulgeCount; i++)
        gradient = carryBulge(&map->bulges[i], trace->bulged[i], trace->lift[i], gradient);
    snVec3 n = toAxes(map->axis, gradient);
    n = carryTaper(map, trace->tapered, trace->narrow, n);
    n = carryTwist(map, trace->round, trace->straight, n);
    return fromAxes(map->axis, carryBend(map, trace, n));
}

// Bulges move points by what a Gauss function has at most at those heights; taper widens, also what was moved
// along the axis; twist and bend keep distances within a disc, and the way along the axis.
double snWarpMap_Spread(const snWarpMap *map, double along, double half, double radius,
                        snVec3 *middle)
{
    double moved = 0.0;
    for (int i = 0; i < map->bulgeCount; i++) {
        const snBulge *bulge = &map->bulges[i];
        // Bulges before it may have brought points nearer to this one.
        double off = fabs(along - toAxes(map->axis, bulge->place).z) - half - moved;
        off = fmax(off, 0.0) / bulge->width;
        moved += fabs(bulge->height) * snExp(-0.5 * off * off);
    }
    double end = fabs(along) + half + moved;
    double wide = fmax(map->taper[0] * along, map->taper[1] * along);
    double rate = fmax(fabs(map->taper[0]), fabs(map->taper[1]));
    wide = fmin(rate * end, wide + rate * (half + moved));
    *middle = fromAxes(map->axis, bend(map, snVec(0, 0, along)));
    return (radius + moved) * snExp(fmax(wide, 0.0)) + half + moved;
}

// Norms of the inverses' derivatives, multiplied:
//     bulge    |1 - d bᵀ/(1 + b·d)| <= 1/(1 - |b|),  |b| <= |a|/s exp(-1/2)
//     taper    max(exp(-p w), 1) + |p u| + |q v|, u and v undeformed
//     twist    1 + |t| radius
//     bend     1/(1 - k u)
double snWarpMap_Steepest(const snWarpMap *map, snVec3 half)
{
    double steepest = 1.0;
    for (int i = 0; i < map->bulgeCount; i++)
        steepest /= 1.0 - 0.60653066 * fabs(map->bulges[i].height) / map->bulges[i].width;
    snBox box = sweptBox(map, half);
    snVec3 swept = snMax(box.upper, snNeg(box.lower)), h = toAxes(map->axis, half);
    double p = fabs(map->taper[0]), q = fabs(map->taper[1]);
    steepest *= snExp(fmax(p, q) * swept.z) + p * h.x + q * h.y;
    steepest *= 1.0 + fabs(map->twist) * sqrt(swept.x * swept.x + swept.y * swept.y);
    return steepest / fmax(1.0 - fabs(map->bend) * swept.x, 0.02);
}

// For k > 0 and |θ| <= t < π: U = u + (1 - cos θ) (1/k - u) lies above u, and |W| = (1/k - u) |sin θ|.
static snBox bentBox(snBox box, double k)
{
    double half, sine, cosine, t = k * fmax(box.upper.z, -box.lower.z);
    half = snSin(0.5 * t);
    snSinCos(t, &sine, &cosine);
    double upper = 2.0 * half * half / k + cosine * (cosine >= 0.0 ? box.upper.x : box.lower.x);
    double along = (t < 0.5 * SN_PI ? sine : 1.0) * (1.0 / k - box.lower.x);
    return (snBox){snVec(box.lower.x, box.lower.y, -along),
                   snVec(fmax(upper, box.upper.x), box.upper.y, along)};
}

static snBox mirrored(snBox box)
{
    return (snBox){snVec(-box.upper.x, box.lower.y, box.lower.z),
                   snVec(-box.lower.x, box.upper.y, box.upper.z)};
}

snBox snWarpMap_Bounds(const snWarpMap *map, snVec3 halfExtents)
{
    snBox box = sweptBox(map, halfExtents);
    if (map->bend > 0.0) box = bentBox(box, map->bend);
    if (map->bend < 0.0) box = mirrored(bentBox(mirrored(box), -map->bend));
    snBox turned = snEmptyBox();
    for (int i = 0; i < 8; i++) {
        snVec3 corner = snBoxCorner(box, i);
        turned = snBoxAdd(turned, fromAxes(map->axis, turn(corner, map->sine, map->cosine)));
    }
    return turned;
}
