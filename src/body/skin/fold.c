#include "body/skin/fold.h"

#include "geometry/primitive.h"

#include <math.h>

// What is done with a pair: a point and a face, or two edges. Four points with shares w, above 0 on one side and below on the
// other, Σ w = 0: p = Σ w_i r_i goes from a place of one side to one of the other. The distance |p| is to be the thickness d.
//
// Passing through. Points go straight from where they were. They are in one plane when det(r_1 - r_0, r_2 - r_0, r_3 - r_0) = 0,
// a cubic in time; where its numbers in Bernstein's form have one sign there is no root, else the interval is halved. At a
// root the pair has met if the point is within the face, or the edges cross (Provot, "Collision and self-collision handling
// in cloth model dedicated to design garments", 1997). Then n is the normal of that time, towards the side on which it began.
//
// Parting. Along n, with masses m_i, each point moves by λ w_i/m_i n: the centre of mass stays. To get from n·p to d
//     λ = (d - n·p)/S,  S = Σ w_i²/m_i.
// Velocities change by impulses j w_i/m_i, which keep momentum whatever j is. Along n what comes nearer stops:
// j_n = -n·ṗ/S. Angular momentum Σ m r x v changes by λ n x ṗ with the places, and by p x j with the velocities, where p = d n now:
// it is kept by
//     j_t = -(λ/d) ṗ_t,
// which leaves (n·p)/d of the sliding: as a skater turns slower with arms held out. It takes energy, never gives any. Friction takes up to
// μ times what was lost along n as well; as it acts at a distance d it turns the whole by d j_t, as thick layers without a moment of
// inertia do.
//
// A point that lies on a muscle is not moved into it: its own n is n less what goes inwards there.

#define SWEEPS 8
#define ENOUGH 0.1   // of a thickness: what is missing less does not ask for another sweep
#define SLACK 1e-2   // of a thickness: what is missing less is left
#define NEAR 1.5     // thicknesses: what is nearer may come to be too near when others are parted
#define HALVINGS 30  // of an interval in which there may be a root
#define BESIDE 1e-6  // shares that are so little below 0 are inside still
#define PINCHED 1e-3 // of what it would be if all could move: where so little can, nothing is done

typedef struct Meeting {
    double share[4]; // of the four points; those of the second side below 0
    snVec3 normal;
    double gap; // n·p
} Meeting;

// ---- the cubic ----------------------------------------------------------------------------------

static double det(snVec3 a, snVec3 b, snVec3 c)
{
    return snDot(snCross(a, b), c);
}

typedef struct Way {
    snVec3 from[4], to[4];
    bool edges;
} Way;

static void placesAt(const Way *way, double t, snVec3 at[4])
{
    for (int k = 0; k < 4; k++)
        at[k] = snLerp(way->from[k], way->to[k], t);
}

// Bernstein's numbers of det(t), and how large they could be.
static double cubicOf(const Way *way, double b[4])
{
    snVec3 u[3], v[3];
    double size = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = snSub(way->from[k + 1], way->from[0]);
        v[k] = snSub(way->to[k + 1], way->to[0]);
        size = fmax(size, fmax(snLengthSquared(u[k]), snLengthSquared(v[k])));
    }
    b[0] = det(u[0], u[1], u[2]);
    b[1] = (det(v[0], u[1], u[2]) + det(u[0], v[1], u[2]) + det(u[0], u[1], v[2])) / 3.0;
    b[2] = (det(u[0], v[1], v[2]) + det(v[0], u[1], v[2]) + det(v[0], v[1], u[2])) / 3.0;
    b[3] = det(v[0], v[1], v[2]);
    return size * sqrt(size);
}

static bool oneSign(const double b[4], double tiny)
{
    return (b[0] > tiny && b[1] > tiny && b[2] > tiny && b[3] > tiny) ||
           (b[0] < -tiny && b[1] < -tiny && b[2] < -tiny && b[3] < -tiny);
}

// ---- what meets ---------------------------------------------------------------------------------

// Shares where the four are in one plane; false: beside each other.
static bool planeShares(const Way *way, const snVec3 at[4], double share[4])
{
    if (!way->edges) {
        snVec3 ab = snSub(at[2], at[1]), ac = snSub(at[3], at[1]), ap = snSub(at[0], at[1]);
        snVec3 n = snCross(ab, ac);
        double area = snLengthSquared(n);
        if (!(area > 0.0)) return false;
        double v = snDot(snCross(ap, ac), n) / area, w = snDot(snCross(ab, ap), n) / area;
        share[0] = 1.0;
        share[1] = -(1.0 - v - w);
        share[2] = -v;
        share[3] = -w;
        return v >= -BESIDE && w >= -BESIDE && v + w <= 1.0 + BESIDE;
    }
    snVec3 e = snSub(at[1], at[0]), f = snSub(at[3], at[2]), r = snSub(at[2], at[0]);
    snVec3 n = snCross(e, f);
    double area = snLengthSquared(n);
    if (!(area > 1e-20 * snLengthSquared(e) * snLengthSquared(f))) return false;
    double s = snDot(snCross(r, f), n) / area, t = snDot(snCross(r, e), n) / area;
    share[0] = 1.0 - s;
    share[1] = s;
    share[2] = -(1.0 - t);
    share[3] = -t;
    return s >= -BESIDE && s <= 1.0 + BESIDE && t >= -BESIDE && t <= 1.0 + BESIDE;
}

static snVec3 normalOf(const Way *way, const snVec3 at[4])
{
    return way->edges ? snCross(snSub(at[1], at[0]), snSub(at[3], at[2]))
                      : snCross(snSub(at[2], at[1]), snSub(at[3], at[1]));
}

static snVec3 gapOf(const double share[4], const snVec3 at[4])
{
    snVec3 p = snScale(share[0], at[0]);
    for (int k = 1; k < 4; k++)
        p = snMulAdd(p, share[k], at[k]);
    return p;
}

// At a root: whether they meet, and the normal towards where they came from.
static bool meetsAt(const Way *way, double t, Meeting *meeting)
{
    snVec3 at[4];
    placesAt(way, t, at);
    if (!planeShares(way, at, meeting->share)) return false;
    snVec3 n = snNormalizeOr(normalOf(way, at), snVec(0, 0, 0));
    // Their side before: they came to the plane along p, from p(0) to 0.
    double before = snDot(n, gapOf(meeting->share, way->from));
    if (before == 0.0) return false;
    meeting->normal = before > 0.0 ? n : snNeg(n);
    meeting->gap = snDot(meeting->normal, gapOf(meeting->share, way->to));
    return true;
}

// The first root at which they meet. Left halves come first.
static bool firstMeeting(const Way *way, const double b[4], double tiny, double t, double width,
                         int halvings, Meeting *meeting)
{
    if (oneSign(b, tiny)) return false;
    if (!halvings) return meetsAt(way, t + 0.5 * width, meeting);
    double c1 = 0.5 * (b[0] + b[1]), m = 0.5 * (b[1] + b[2]), d2 = 0.5 * (b[2] + b[3]);
    double c2 = 0.5 * (c1 + m), d1 = 0.5 * (m + d2), middle = 0.5 * (c2 + d1);
    double left[4] = {b[0], c1, c2, middle}, right[4] = {middle, d1, d2, b[3]};
    return firstMeeting(way, left, tiny, t, 0.5 * width, halvings - 1, meeting) ||
           firstMeeting(way, right, tiny, t + 0.5 * width, 0.5 * width, halvings - 1, meeting);
}

static bool passesThrough(const Way *way, Meeting *meeting)
{
    double b[4], size = cubicOf(way, b), tiny = 0.0;
    if (oneSign(b, tiny)) return false;
    // All the way in one plane: beside each other, and kept so by their distance.
    double most = fmax(fmax(fabs(b[0]), fabs(b[1])), fmax(fabs(b[2]), fabs(b[3])));
    if (!(most > 1e-14 * size)) return false;
    return firstMeeting(way, b, tiny, 0.0, 1.0, HALVINGS, meeting);
}

// The nearest places at the end. False: those of others are nearer (ends of edges are points of faces).
static bool nearest(const Way *way, Meeting *meeting)
{
    const snVec3 *r = way->to;
    double *w = meeting->share;
    if (way->edges) {
        double s, t;
        snClosestOfSegments(r[0], r[1], r[2], r[3], &s, &t);
        if (!(s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)) return false;
        w[0] = 1.0 - s;
        w[1] = s;
        w[2] = -(1.0 - t);
        w[3] = -t;
    } else {
        double b[3];
        snClosestOnTriangle(r[0], (snTriangle){r[1], r[2], r[3]}, b);
        w[0] = 1.0;
        for (int k = 0; k < 3; k++)
            w[k + 1] = -b[k];
    }
    snVec3 p = gapOf(w, r);
    meeting->gap = snLength(p);
    if (!(meeting->gap > 0.0)) return false;
    meeting->normal = snScale(1.0 / meeting->gap, p);
    return true;
}

// ---- parting ------------------------------------------------------------------------------------

static Way wayOf(const snFoldPair *pair, const snVec3 *from, const snVec3 *to)
{
    Way way = {.edges = pair->edges};
    for (int k = 0; k < 4; k++) {
        way.from[k] = from[pair->point[k]];
        way.to[k] = to[pair->point[k]];
    }
    return way;
}

// How far one of the points went against another at most.
static double motionOf(const Way *way)
{
    snVec3 first = snSub(way->to[0], way->from[0]);
    double most = 0.0;
    for (int k = 1; k < 4; k++)
        most = fmax(most, snLengthSquared(snSub(snSub(way->to[k], way->from[k]), first)));
    return 2.0 * sqrt(most);
}

// Places are so far apart, by boxes, that nothing is to be asked.
static bool areApart(const Way *way, double distance)
{
    const snVec3 *r = way->to;
    snBox a = {r[0], r[0]}, b = {r[3], r[3]};
    if (way->edges)
        a = snBoxAdd(a, r[1]);
    else
        b = snBoxAdd(b, r[1]);
    return !snBoxOverlap(snBox_Grow(a, distance), snBoxAdd(b, r[2]));
}

// Which way each point is moved: n, less what a muscle forbids.
static double waysOf(const snFoldPair *pair, const snFoldMove *move, const Meeting *meeting,
                     snVec3 way[4])
{
    double sum = 0.0, free = 0.0;
    for (int k = 0; k < 4; k++) {
        int i = pair->point[k];
        double w = meeting->share[k], inverse = move->inverseMass[3 * i];
        way[k] = meeting->normal;
        free += w * w * inverse;
        double in = move->held ? w * snDot(way[k], move->held[i]) : 0.0;
        if (in < 0.0) way[k] = snMulAdd(way[k], -in / w, move->held[i]);
        sum += w * w * inverse * snDot(way[k], meeting->normal);
    }
    return sum > PINCHED * free ? sum : 0.0;
}

static void strike(const snFoldPair *pair, const snFoldMove *move, const Meeting *meeting,
                   double impulse, const snVec3 way[4])
{
    for (int k = 0; k < 4; k++) {
        int i = pair->point[k];
        move->velocities[i] = snMulAdd(
            move->velocities[i], impulse * meeting->share[k] * move->inverseMass[3 * i], way[k]);
    }
}

static void changeVelocities(const snSkinFold *fold, const snFoldPair *pair, const snFoldMove *move,
                             const Meeting *meeting, double sum, double shift, const snVec3 way[4])
{
    snVec3 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = move->velocities[pair->point[k]];
    snVec3 pace = gapOf(meeting->share, v);
    double along = snDot(meeting->normal, pace), taken = fmax(-along, 0.0) / sum;
    if (taken > 0.0) strike(pair, move, meeting, taken, way);
    snVec3 slide = snMulAdd(pace, -along, meeting->normal);
    double speed = snLength(slide);
    if (!(speed > 0.0)) return;
    // As a share of the sliding: places that were moved apart, and friction.
    double free = 0.0;
    for (int k = 0; k < 4; k++)
        free += meeting->share[k] * meeting->share[k] * move->inverseMass[3 * pair->point[k]];
    double lost = shift * free / pair->thickness + fold->friction * taken * free / speed;
    snVec3 back[4];
    for (int k = 0; k < 4; k++)
        back[k] = slide;
    strike(pair, move, meeting, -fmin(lost, 1.0) / free, back);
}

static double part(const snSkinFold *fold, const snFoldPair *pair, const snFoldMove *move,
                   const Meeting *meeting)
{
    double missing = pair->thickness - meeting->gap;
    if (!(missing > SLACK * pair->thickness)) return 0.0;
    snVec3 way[4];
    double sum = waysOf(pair, move, meeting, way);
    if (!(sum > 0.0)) return 0.0;
    double shift = missing / sum;
    for (int k = 0; k < 4; k++) {
        int i = pair->point[k];
        move->to[i] =
            snMulAdd(move->to[i], shift * meeting->share[k] * move->inverseMass[3 * i], way[k]);
    }
    changeVelocities(fold, pair, move, meeting, sum, shift, way);
    return missing / pair->thickness;
}

// Below 0: they are so far apart that nothing else that is parted brings them together.
static double partPair(snSkinFold *fold, const snFoldPair *pair, const snFoldMove *move)
{
    Way way = wayOf(pair, move->from, move->to);
    if (areApart(&way, fmax(NEAR * pair->thickness, fold->motion))) return -1.0;
    Meeting meeting;
    bool crossed = !areApart(&way, motionOf(&way)) && passesThrough(&way, &meeting);
    if (!crossed && (!nearest(&way, &meeting) || meeting.gap >= pair->thickness)) return 0.0;
    double deep = part(fold, pair, move, &meeting);
    fold->count.parted += deep > 0.0;
    fold->count.crossed += crossed && deep > 0.0;
    return crossed ? fmax(deep, 1.0 + ENOUGH) : deep;
}

// Once over all pairs; those that are near are kept for more.
static double partAll(snSkinFold *fold, const snFoldMove *move)
{
    double deepest = 0.0;
    fold->nearCount = 0;
    fold->count.pairs += fold->pairCount;
    for (int i = 0; i < fold->pairCount; i++) {
        const snFoldPair *pair = &fold->pairs[i];
        double deep =
            pair->apart - fold->away > NEAR * pair->thickness ? -1.0 : partPair(fold, pair, move);
        if (deep >= 0.0) fold->near[fold->nearCount++] = i;
        deepest = fmax(deepest, deep);
    }
    return deepest;
}

double snSkinFold_Part(snSkinFold *fold, const snFoldMove *move)
{
    snSkinFold_Find(fold, move->from, move->to);
    double first = partAll(fold, move), deepest = first;
    for (int k = 1; k < SWEEPS && deepest > ENOUGH && !(first > 1.0 && move->again); k++) {
        deepest = 0.0;
        fold->count.pairs += fold->nearCount;
        for (int i = 0; i < fold->nearCount; i++)
            deepest = fmax(deepest, partPair(fold, &fold->pairs[fold->near[i]], move));
    }
    return first;
}

int snSkinFold_Crossings(snSkinFold *fold, const snVec3 *from, const snVec3 *to)
{
    int count = 0;
    snSkinFold_Find(fold, from, to);
    for (int i = 0; i < fold->pairCount; i++) {
        Way way;
        Meeting meeting;
        if (fold->pairs[i].apart > fold->away) continue;
        way = wayOf(&fold->pairs[i], from, to);
        count += !areApart(&way, motionOf(&way)) && passesThrough(&way, &meeting);
    }
    return count;
}
