#include "body/skin/fold.h"

#include "contact/law.h"
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
// Parting. Along n, with masses m_i, each point moves by λ w_i/m_i n: the centre of mass stays. To get from n·p to a gap g
//     λ = (g - n·p)/S,  S = Σ w_i²/m_i.
// This is the least Σ m |Δr|² that does so: a projection onto the half space n·p >= g. So are the pushes out of muscles that it takes
// turns with (skin.c). Projections onto half spaces never bring places farther from what is in all of them: whatever their
// order, and however hard layers are pinched between muscles, places cannot run away. (Moving only those points of a pair that a muscle
// lets go, along the muscle, is none, for it moves them by 1/sin of the angle between n and the muscle: skins burst by that.)
//
// The gap wanted is the thickness d; where the pair was nearer when the substep began, what it was then and a little more: h/RECOVERY
// of d. So corrections become shorter as the step does, which is what a step that is taken back and shortened relies on.
//
// Velocities change by impulses j w_i/m_i, which keep momentum whatever j is. Along n what comes nearer stops:
// j_n = -n·ṗ/S. Angular momentum Σ m r x v changes by λ n x ṗ with the places, and by p x j with the velocities, where p = g n now:
// it is kept by
//     j_t = -(λ/g) ṗ_t,
// which leaves (n·p)/g of the sliding: as a skater turns slower with arms held out. It takes energy, never gives any. Friction takes up to
// μ times what was lost along n as well; as it acts at a distance g it turns the whole by g j_t, as thick layers without a moment of
// inertia do.

#define RECOVERY 2e-3 // s in which layers that are too near come apart by a thickness
#define FLOOR 0.05    // of a thickness: what has passed through is brought back so far at least
#define TOUCH 0.02    // of a thickness: what is nearer has as good as passed through
#define SLACK 1e-2    // of a thickness: what is missing less is left
#define NEAR                                                                                       \
    0.5 // of a thickness beyond it: what is nearer may come to be too near when others are parted
#define HALVINGS 30 // of an interval in which there may be a root
#define BESIDE 1e-6 // shares that are so little below 0 are inside still

typedef struct Meeting {
    double share[4]; // of the four points; those of the second side below 0
    snVec3 normal;
    double gap;    // n·p
    double before; // the same when the step began
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
                      : snTwiceArea(at[1], at[2], at[3]);
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
    meeting->before = fabs(before);
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

// The nearest places of both, and how far apart they are. False: those of others are as near (ends of edges are points of faces).
static bool nearest(bool edges, const snVec3 r[4], Meeting *meeting)
{
    double *w = meeting->share;
    bool inner = true;
    if (edges) {
        double s, t;
        snClosestOfSegments(r[0], r[1], r[2], r[3], &s, &t);
        inner = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
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
    return inner;
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

static void strike(const snFoldPair *pair, const snFoldMove *move, const Meeting *meeting,
                   snVec3 impulse)
{
    for (int k = 0; k < 4; k++) {
        int i = pair->point[k];
        move->velocities[i] =
            snMulAdd(move->velocities[i], meeting->share[k] * move->inverseMass[3 * i], impulse);
    }
}

// `lost`: what the places that were moved apart take of the sliding.
static double changeVelocities(const snSkinFold *fold, const snFoldPair *pair,
                               const snFoldMove *move, const Meeting *meeting, double sum,
                               double lost)
{
    snVec3 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = move->velocities[pair->point[k]];
    snVec3 pace = gapOf(meeting->share, v);
    double along = snDot(meeting->normal, pace), taken = fmax(-along, 0.0);
    snVec3 slide = snMulAdd(pace, -along, meeting->normal);
    double speed = snLength(slide);
    if (speed > 0.0) lost = fmin(lost + fold->friction * taken / speed, 1.0);
    if (taken > 0.0 || lost > 0.0)
        strike(pair, move, meeting,
               snScale(1.0 / sum, snMulAdd(snScale(-lost, slide), taken, meeting->normal)));
    return taken;
}

// How much of a thickness layers may come apart in a substep.
static double recovery(const snFoldMove *move)
{
    return fmin(move->length / RECOVERY, 1.0);
}

// What it was short of the gap that is wanted, in what may be recovered in a substep; or how fast it came nearer, in that alike.
static double part(const snSkinFold *fold, const snFoldPair *pair, const snFoldMove *move,
                   const Meeting *meeting, double wanted)
{
    double sum = 0.0, missing = wanted - meeting->gap, lost = 0.0;
    for (int k = 0; k < 4; k++)
        sum += meeting->share[k] * meeting->share[k] * move->inverseMass[3 * pair->point[k]];
    if (!(sum > 0.0)) return 0.0;
    if (missing > SLACK * pair->thickness * recovery(move)) {
        lost = missing / wanted;
        for (int k = 0; k < 4; k++) {
            int i = pair->point[k];
            double by = missing / sum * meeting->share[k] * move->inverseMass[3 * i];
            move->to[i] = snMulAdd(move->to[i], by, meeting->normal);
            fold->last[i] = snMulAdd(fold->last[i], by, meeting->normal);
            fold->travel[i] += fabs(by);
        }
    }
    double taken = changeVelocities(fold, pair, move, meeting, sum, lost);
    double most = pair->thickness * recovery(move);
    return fmax(lost > 0.0 ? missing : 0.0, taken * move->length) / most;
}

static double wantedGap(const snFoldPair *pair, const snFoldMove *move, const Way *way,
                        const Meeting *crossing)
{
    Meeting begin;
    double d = pair->thickness, gap = d;
    if (crossing)
        gap = fmax(crossing->before, FLOOR * d);
    else if (nearest(way->edges, way->from, &begin))
        gap = begin.gap;
    return snGapToAsk(gap, d, d * recovery(move));
}

// Whether points that go on straight ways passed through each other; they are `gap` apart in the end.
static bool hasCrossed(const Way *way, double gap, Meeting *meeting)
{
    return gap <= motionOf(way) && passesThrough(way, meeting);
}

static double partPair(snSkinFold *fold, snFoldNear *near, const snFoldMove *move)
{
    snFoldPair *pair = &fold->pairs[near->pair];
    Way way = wayOf(pair, move->from, move->to);
    Meeting meeting, crossing;
    bool inner = nearest(way.edges, way.to, &meeting);
    bool crossed = hasCrossed(&way, meeting.gap, &crossing);
    if (!crossed && (meeting.gap >= pair->thickness || !inner)) {
        pair->until = snFoldPair_Travel(fold, pair) + fmax(meeting.gap - pair->thickness, 0.0);
        return 0.0;
    }
    if (crossed) meeting = crossing;
    if (!(near->wanted > 0.0))
        near->wanted = wantedGap(pair, move, &way, crossed ? &crossing : NULL);
    double deep =
        part(fold, pair, move, &meeting, fmin(near->wanted, fold->share * pair->thickness));
    fold->count.parted += deep > 0.0;
    fold->count.crossed += crossed && deep > 0.0;
    fold->longest = fmax(fold->longest, near->wanted - meeting.gap);
    return deep;
}

double snSkinFold_Begin(snSkinFold *fold, const snFoldMove *move)
{
    double deepest = 0.0;
    snSkinFold_Find(fold, move->from, move->to);
    fold->longest = 0.0;
    fold->share = 1.0;
    fold->nearCount = 0;
    for (int i = 0; i < fold->pairCount; i++) {
        snFoldPair *pair = &fold->pairs[i];
        double left = pair->until - snFoldPair_Travel(fold, pair);
        if (left > NEAR * pair->thickness) continue;
        snFoldNear near = {i, 0.0};
        if (left <= 0.0) deepest = fmax(deepest, partPair(fold, &near, move));
        fold->count.pairs += left <= 0.0;
        fold->near[fold->nearCount++] = near;
    }
    return deepest;
}

double snSkinFold_Again(snSkinFold *fold, const snFoldMove *move, double share)
{
    double deepest = 0.0;
    fold->share = share;
    snSkinFold_Follow(fold, move->to);
    for (int i = 0; i < fold->nearCount; i++) {
        const snFoldPair *pair = &fold->pairs[fold->near[i].pair];
        if (pair->until > snFoldPair_Travel(fold, pair)) continue;
        fold->count.pairs++;
        deepest = fmax(deepest, partPair(fold, &fold->near[i], move));
    }
    return deepest;
}

// Four points go on as one, with the mean of their momenta; if some are led, with those.
static void carry(const snFoldPair *pair, const snFoldMove *move)
{
    snVec3 sum = {0, 0, 0};
    double mass = 0.0;
    bool led = false;
    for (int k = 0; k < 4; k++)
        led |= !(move->inverseMass[3 * pair->point[k]] > 0.0);
    for (int k = 0; k < 4; k++) {
        double inverse = move->inverseMass[3 * pair->point[k]];
        double m = led ? !(inverse > 0.0) : 1.0 / inverse;
        sum = snMulAdd(sum, m, move->velocities[pair->point[k]]);
        mass += m;
    }
    snVec3 pace = snScale(1.0 / mass, sum);
    for (int k = 0; k < 4; k++) {
        int i = pair->point[k];
        if (!(move->inverseMass[3 * i] > 0.0)) continue;
        move->velocities[i] = pace;
        move->to[i] = snMulAdd(move->from[i], move->length, pace);
    }
}

// So near that the next steps could not part them any more, and still coming nearer.
static bool touches(const snFoldPair *pair, const Way *way, double gap)
{
    Meeting begin;
    if (gap >= TOUCH * pair->thickness) return false;
    nearest(way->edges, way->from, &begin);
    return gap < begin.gap;
}

int snSkinFold_Crossings(snSkinFold *fold, const snFoldMove *move, bool stop)
{
    int count = 0;
    snSkinFold_Follow(fold, move->to);
    for (int i = 0; i < fold->pairCount; i++) {
        const snFoldPair *pair = &fold->pairs[i];
        Meeting meeting, crossing;
        if (pair->until > snFoldPair_Travel(fold, pair)) continue;
        Way way = wayOf(pair, move->from, move->to);
        nearest(way.edges, way.to, &meeting);
        if (!hasCrossed(&way, meeting.gap, &crossing) && !touches(pair, &way, meeting.gap))
            continue;
        count++;
        if (stop) carry(pair, move);
    }
    return count;
}
