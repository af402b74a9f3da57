#include "body/skin/cover.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

// A sample p = Σ w_k r_k with the foot q = p - τ n, n the normal of its face, τ = Σ w_k τ_k. Where q is in a muscle by d, and
// out is that way, the corners move so that p gets out by the least of Σ m_k |Δr_k|²:
//     Δr_k = d (w_k / m_k) / S out,  S = Σ w_k² / m_k.
// Velocities change by the same rule, so that p's is what a point's would be (cull.c). Samples follow each other in the order
// of faces, several times over: what one moves the next sees. Those whose corners have not moved since they were asked are not
// asked again.
//
// A sample that is pressed on a muscle is held up, as points are (skin.c): else its corners are drawn in by the skin's tension and
// pushed out in every step, and what they would have done in between counts as error. With c = w_k n, a row for each corner,
//     Q f = f - c (cᵀ M⁻¹ f) / S,   so that the sample does not accelerate into the muscle,
// for one sample after the other, and Qᵀ x = x - M⁻¹ c (cᵀ x) / S in the opposite order, so that Q K Qᵀ is symmetric. After
// the step it is put where it may be, as long as it is not far from there.

#define SWEEPS 4
#define SETTLED 1e-3 // of a muscle's size, after which sweeps end
#define HOLDS 12     // times over: samples of a face, and of its neighbours, share corners
#define LEAVING 1.0  // m/s: what leaves a muscle faster than this does not lie on it any more
#define SMALL 1.2    // of an edge: narrower muscles come far through between two samples along it
#define LOOSE 25.0   // times what points are asked for: samples may be as deep as the slack anyway

// ---- which faces --------------------------------------------------------------------------------

// How deep a place is in the muscle in which it is deepest.
static double depthOf(const snSkinMuscles *muscles, snVec3 place)
{
    double deepest = -INFINITY;
    for (int k = 0; k < muscles->count; k++)
        if (!muscles->shape[1][k].bare)
            deepest = fmax(deepest, -snMuscle_Distance(&muscles->now[k], place));
    return deepest;
}

// Samples of a face: n × n on a quad, n(n + 1)/2 on a triangle, whose third corner counts twice, with nothing.
#define FINEST 12
#define MOST_SPOTS (FINEST * FINEST)

static snSkinSpot quadSpot(const int *c, double s, double t)
{
    return (snSkinSpot){{c[0], c[1], c[2], c[3]},
                        {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t}};
}

// n at most FINEST.
static int spotsOf(const int *corner, int n, snSkinSpot spots[MOST_SPOTS])
{
    bool quad = corner[3] >= 0;
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < (quad ? n : n - i); j++) {
            double each = 1.0 / (n + 2.0), a = (i + 1) * each, b = (j + 1) * each;
            snSkinSpot triangle = {{corner[0], corner[1], corner[2], corner[2]},
                                   {1.0 - a - b, a, b, 0.0}};
            spots[count++] = quad ? quadSpot(corner, (i + 0.5) / n, (j + 0.5) / n) : triangle;
        }
    return count;
}

static double longestEdge(const int *c, const snVec3 *places)
{
    double longest = 0.0;
    int n = c[3] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++)
        longest = fmax(longest, snDistance(places[c[k]], places[c[(k + 1) % n]]));
    return longest;
}

static double widthOf(const snMuscle *muscle)
{
    snVec3 d = snSub(muscle->own.upper, muscle->own.lower);
    return fmin(d.x, fmin(d.y, d.z));
}

// How many samples a face has along an edge: two, and more where a muscle is near that is so small that it would come through
// between them. They are two fifths of its width apart then, so that a ball comes through by less than 0.18 of its radius, down to
// a fifth of an edge.
static int finenessOf(const snSkinContact *contact, const int *c, const snVec3 *places)
{
    double edge = longestEdge(c, places);
    snBox box = snEmptyBox();
    int n = 2;
    for (int k = 0; k < 4; k++)
        if (c[k] >= 0) box = snBoxAdd(box, places[c[k]]);
    box = snBox_Grow(box, edge);
    for (int k = 0; k < contact->muscles->count; k++) {
        const snMuscle *muscle = &contact->muscles->now[k];
        double width = widthOf(muscle);
        if (contact->muscles->shape[1][k].bare || !(width < SMALL * edge)) continue;
        if (!snBoxOverlap(box, muscle->bounds)) continue;
        int wanted = width * FINEST > 2.5 * edge ? (int)(2.5 * edge / width) + 1 : FINEST;
        n = wanted > n ? wanted : n;
    }
    return n < FINEST ? n : FINEST;
}

static snVec3 meanOf(const snSkinSpot *spot, const snVec3 *values)
{
    return snCombine(4, spot->corner, spot->weight, values);
}

static snVec3 footOf(const snSkinSpot *spot, const snSkinPoint *points, const snVec3 *r)
{
    double fat = 0.0;
    for (int k = 0; k < 4; k++)
        fat += spot->weight[k] * points[spot->corner[k]].fat;
    snVec3 foot = meanOf(spot, r);
    if (fat == 0.0) return foot;
    const int *c = spot->corner;
    snVec3 a = c[2] == c[3] ? snSub(r[c[1]], r[c[0]]) : snSub(r[c[2]], r[c[0]]);
    snVec3 b = c[2] == c[3] ? snSub(r[c[2]], r[c[0]]) : snSub(r[c[3]], r[c[1]]);
    return snMulAdd(foot, -fat, snNormalizeOr(snCross(a, b), snVec(0, 0, 0)));
}

// Whether some sample is deeper than the mean of its corners by more than `bulge`.
static bool isBulged(const snSkinContact *contact, const int *corner, const snVec3 *places,
                     const double *depth, double bulge)
{
    snSkinSpot spots[MOST_SPOTS];
    int n = spotsOf(corner, finenessOf(contact, corner, places), spots);
    for (int i = 0; i < n; i++) {
        double straight = 0.0;
        for (int k = 0; k < 4; k++)
            straight += spots[i].weight[k] * depth[spots[i].corner[k]];
        if (depthOf(contact->muscles, meanOf(&spots[i], places)) - straight > bulge) return true;
    }
    return false;
}

// 1: samples are wanted there.
static void markFaces(const snSkinContact *contact, const snVec3 *places, double bulge,
                      double *depth, unsigned char *face, unsigned char *point)
{
    const snSkinMesh *mesh = contact->mesh;
    for (int i = 0; i < mesh->pointCount; i++)
        depth[i] = depthOf(contact->muscles, places[i]);
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *c = mesh->corner + 4 * (size_t)f;
        if (!isBulged(contact, c, places, depth, bulge)) continue;
        for (int k = 0; k < 4; k++)
            if (c[k] >= 0) point[c[k]] = 1;
    }
    for (int f = 0; f < mesh->faceCount; f++)
        for (int k = 0; k < 4; k++) {
            int c = mesh->corner[4 * (size_t)f + (size_t)k];
            if (c >= 0 && point[c]) face[f] = 1;
        }
}

static snStatus reserve(snSkinCover *cover, const snSkinContact *contact, int count, snArena *arena,
                        snError *error)
{
    cover->spots = SN_NEW(arena, snSkinSpot, count);
    cover->moved = SN_NEW(arena, int, contact->mesh->pointCount);
    cover->heldUp = SN_NEW(arena, bool, count);
    cover->hold = SN_NEW(arena, double, count);
    cover->touched = SN_NEW(arena, snVec3, count);
    cover->touching = SN_NEW(arena, snVec3, count);
    bool good = cover->spots && cover->moved && cover->heldUp && cover->hold && cover->touched &&
                cover->touching;
    return good ? SN_OK : snFailMemory(error);
}

static snStatus listSpots(snSkinCover *cover, const snSkinContact *contact,
                          const unsigned char *face, const snVec3 *places, snArena *arena,
                          snError *error)
{
    const snSkinMesh *mesh = contact->mesh;
    snSkinSpot spots[MOST_SPOTS];
    int count = 0;
    for (int f = 0; f < mesh->faceCount; f++)
        if (face[f]) {
            const int *c = mesh->corner + 4 * (size_t)f;
            count += spotsOf(c, finenessOf(contact, c, places), spots);
        }
    if (!count) return SN_OK;
    snStatus status = reserve(cover, contact, count, arena, error);
    for (int f = 0; f < mesh->faceCount && !status; f++)
        if (face[f]) {
            const int *c = mesh->corner + 4 * (size_t)f;
            int n = spotsOf(c, finenessOf(contact, c, places), spots);
            memcpy(cover->spots + cover->count, spots, (size_t)n * sizeof *spots);
            cover->count += n;
        }
    for (int i = 0; i < count && !status; i++)
        cover->touched[i] = meanOf(&cover->spots[i], places);
    if (!status)
        status = snSkinCull_Make(&cover->cull, count, cover->touched, contact->muscles->count,
                                 arena, error);
    if (status) return status;
    memset(cover->touched, 0, (size_t)count * sizeof *cover->touched);
    cover->cull.loose = LOOSE;
    return SN_OK;
}

snStatus snSkinCover_Make(snSkinCover *cover, const snSkinContact *contact, const snVec3 *places,
                          double bulge, snArena *arena, snError *error)
{
    const snSkinMesh *mesh = contact->mesh;
    snArena scratch = {.allocator = arena->allocator};
    double *depth = SN_NEW(&scratch, double, mesh->pointCount);
    unsigned char *face = SN_NEW(&scratch, unsigned char, mesh->faceCount);
    unsigned char *point = SN_NEW(&scratch, unsigned char, mesh->pointCount);
    snStatus status = depth && face && point ? SN_OK : snFailMemory(error);
    *cover = (snSkinCover){.slack = fabs(bulge)};
    snSkinMuscles_Bound(contact->muscles);
    if (!status && contact->muscles->count) {
        if (bulge >= 0.0)
            markFaces(contact, places, bulge, depth, face, point);
        else
            memset(face, 1, (size_t)mesh->faceCount);
    }
    if (!status) status = listSpots(cover, contact, face, places, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

// ---- holding up ---------------------------------------------------------------------------------

// S; 0: nothing of it can move.
static double giveOf(const snSkinSpot *spot, const double *inverseMass)
{
    double sum = 0.0;
    for (int k = 0; k < 4; k++)
        sum += spot->weight[k] * spot->weight[k] * inverseMass[3 * (size_t)spot->corner[k]];
    return sum;
}

// cᵀ M⁻¹ f
static double pressing(const snSkinSpot *spot, const double *inverseMass, snVec3 n,
                       const snVec3 *force)
{
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        int c = spot->corner[k];
        sum += spot->weight[k] * inverseMass[3 * (size_t)c] * snDot(n, force[c]);
    }
    return sum;
}

static void relieve(const snSkinSpot *spot, snVec3 by, snVec3 *force)
{
    for (int k = 0; k < 4; k++) {
        int c = spot->corner[k];
        force[c] = snMulAdd(force[c], -spot->weight[k], by);
    }
}

static void holdOnce(const snSkinCover *cover, const double *inverseMass, snVec3 *force)
{
    for (int i = 0; i < cover->count; i++) {
        if (!cover->heldUp[i]) continue;
        const snSkinSpot *spot = &cover->spots[i];
        snVec3 n = cover->touching[i];
        double give = giveOf(spot, inverseMass), into = pressing(spot, inverseMass, n, force);
        relieve(spot, snScale(into / give, n), force);
    }
}

// By Gauss and Seidel: what holds a sample up is never below 0, and where it is not, the sample does not accelerate into the muscle.
static void holdSweep(snSkinCover *cover, const double *inverseMass, snVec3 *force)
{
    for (int i = 0; i < cover->count; i++) {
        const snSkinSpot *spot = &cover->spots[i];
        snVec3 n = cover->touching[i];
        if (snLengthSquared(n) == 0.0) continue;
        double give = giveOf(spot, inverseMass), before = cover->hold[i];
        if (!(give > 0.0)) continue;
        cover->hold[i] = fmax(0.0, before - pressing(spot, inverseMass, n, force) / give);
        relieve(spot, snScale(before - cover->hold[i], n), force);
    }
}

void snSkinCover_HoldUp(snSkinCover *cover, const double *inverseMass, snVec3 *force)
{
    if (!cover->count) return;
    memset(cover->hold, 0, (size_t)cover->count * sizeof *cover->hold);
    for (int k = 0; k < HOLDS; k++)
        holdSweep(cover, inverseMass, force);
    for (int i = 0; i < cover->count; i++)
        cover->heldUp[i] = cover->hold[i] > 0.0;
}

void snSkinCover_Hold(const snSkinCover *cover, const double *inverseMass, snVec3 *force)
{
    for (int k = 0; k < HOLDS; k++)
        holdOnce(cover, inverseMass, force);
}

static void moveSpot(const snSkinSpot *spot, const double *inverseMass, double give, snVec3 by,
                     snVec3 *values)
{
    for (int k = 0; k < 4; k++) {
        int c = spot->corner[k];
        values[c] = snMulAdd(values[c], spot->weight[k] * inverseMass[3 * (size_t)c] / give, by);
    }
}

static void stillOnce(const snSkinCover *cover, const double *inverseMass, snVec3 *x)
{
    for (int i = cover->count - 1; i >= 0; i--) {
        if (!cover->heldUp[i]) continue;
        const snSkinSpot *spot = &cover->spots[i];
        snVec3 n = cover->touching[i];
        double give = giveOf(spot, inverseMass), into = snDot(n, meanOf(spot, x));
        moveSpot(spot, inverseMass, give, snScale(-into, n), x);
    }
}

void snSkinCover_Still(const snSkinCover *cover, const double *inverseMass, snVec3 *x)
{
    for (int k = 0; k < HOLDS; k++)
        stillOnce(cover, inverseMass, x);
}

// ---- pushing ------------------------------------------------------------------------------------

typedef struct Pushing {
    snSkinCover *cover;
    const snSkinContact *contact;
    snVec3 *r, *v;
    snSkinPushCount *count;
    double longest, deepest; // m; of a muscle's size
} Pushing;

// The muscle that a sample is deepest in, or nearest to.
typedef struct Deepest {
    const snSkinNear *near; // NULL: it is far from all
    double depth;           // m, beyond the slack
    snVec3 out;
} Deepest;

static Deepest askSpot(Pushing *p, int i)
{
    snSkinCull *cull = &p->cover->cull;
    snSkinMuscles *muscles = p->contact->muscles;
    Deepest most = {.depth = -INFINITY};
    int64_t tests = p->count->tests;
    int few;
    double room;
    snSkinNear *near = snSkinCull_Close(cull, muscles, i, &few, &room);
    for (int k = 0; k < few; k++) {
        snVec3 out;
        double depth = snSkinNear_Depth(&near[k], muscles, cull->fat[i], &out, p->count);
        if (!(depth > most.depth)) continue;
        most = (Deepest){&near[k], depth, out};
    }
    most.depth -= p->cover->slack;
    if (p->count->tests > tests) cull->calm[i].room = -1.0; // more is known now
    return most;
}

// So that the sample's velocity is what a point's would be: what lies on the muscle follows it, else what comes nearer bounces.
static void slowSpot(const Pushing *p, int i, double give, const Deepest *most, bool follows)
{
    const snSkinContact *contact = p->contact;
    const snSkinSpot *spot = &p->cover->spots[i];
    snVec3 base =
        snSkinNear_Velocity(most->near, contact->muscles, p->cover->cull.fat[i], contact->length);
    snVec3 pace = meanOf(spot, p->v), relative = snSub(pace, base);
    double into = snDot(relative, most->out), back = follows ? 0.0 : -contact->push.normal * into;
    if (into >= 0.0 && !follows) return;
    snVec3 along = snMulAdd(relative, -into, most->out);
    snVec3 wanted = snAdd(base, snMulAdd(snScale(contact->push.slide, along), back, most->out));
    moveSpot(spot, contact->inverseMass, give, snSub(wanted, pace), p->v);
}

// Out of the muscle that it is deepest in, or back to one on which it was pressed; false: nothing moved.
static bool pushSpot(Pushing *p, int i, double give, bool first)
{
    snSkinCover *cover = p->cover;
    const snSkinContact *contact = p->contact;
    Deepest most = askSpot(p, i);
    if (!most.near) return false;
    double size = contact->muscles->now[most.near->muscle].size;
    bool follows = first && contact->pressed && !contact->again && cover->heldUp[i] &&
                   most.depth <= 0.0 &&
                   most.depth >= -fmin(LEAVING * contact->substep, SN_SKIN_TOUCHING * size);
    if (!(most.depth > 0.0) && !follows) return false;
    p->deepest = fmax(p->deepest, fabs(most.depth) / size);
    p->longest = fmax(p->longest, fabs(most.depth));
    cover->touched[i] = most.out;
    moveSpot(&cover->spots[i], contact->inverseMass, give, snScale(most.depth, most.out), p->r);
    if (p->v) slowSpot(p, i, give, &most, follows);
    return true;
}

// The last sweep in which a corner of it moved.
static int lastMoved(const snSkinCover *cover, const snSkinSpot *spot)
{
    int last = 0;
    for (int k = 0; k < 4; k++)
        if (cover->moved[spot->corner[k]] > last) last = cover->moved[spot->corner[k]];
    return last;
}

static void sweepSpots(Pushing *p, int sweep)
{
    snSkinCover *cover = p->cover;
    p->deepest = 0.0;
    for (int i = 0; i < cover->count; i++) {
        const snSkinSpot *spot = &cover->spots[i];
        int last = lastMoved(cover, spot);
        if (last < sweep - 1) continue;
        if (last > 0) cover->cull.fat[i] = footOf(spot, p->contact->points, p->r);
        double give = giveOf(spot, p->contact->inverseMass);
        if (give > 0.0 && pushSpot(p, i, give, sweep == 1))
            for (int k = 0; k < 4; k++)
                cover->moved[spot->corner[k]] = sweep;
    }
}

double snSkinCover_Push(snSkinCover *cover, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                        snSkinPushCount *count)
{
    Pushing p = {.cover = cover, .contact = contact, .r = r, .v = v, .count = count};
    if (!cover->count) return 0.0;
    memset(cover->moved, 0, (size_t)contact->mesh->pointCount * sizeof *cover->moved);
    if (!contact->again) memset(cover->touched, 0, (size_t)cover->count * sizeof *cover->touched);
    for (int i = 0; i < cover->count; i++)
        cover->cull.fat[i] = footOf(&cover->spots[i], contact->points, r);
    snSkinCull_Near(&cover->cull, contact->muscles);
    for (int sweep = 1; sweep <= SWEEPS; sweep++) {
        sweepSpots(&p, sweep);
        if (p.deepest <= SETTLED) break;
    }
    count->brute += (int64_t)cover->count * contact->muscles->count;
    return p.longest;
}

double snSkinCover_Deepest(const snSkinCover *cover, const snSkinContact *contact, const snVec3 *r)
{
    double deepest = 0.0;
    for (int i = 0; i < cover->count; i++)
        deepest =
            fmax(deepest, depthOf(contact->muscles, footOf(&cover->spots[i], contact->points, r)));
    return deepest;
}
