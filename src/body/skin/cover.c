#include "body/skin/cover.h"

#include "core/error.h"

#include <string.h>

// A sample p = Σ w_k r_k with the foot q = p - τ n, n the normal of its face, τ = Σ w_k τ_k. Where q is in a muscle by d, and
// out is that way, the corners move so that p gets out by the least of Σ m_k |Δr_k|²:
//     Δr_k = d (w_k / m_k) / S out,  S = Σ w_k² / m_k.
// Velocities change by the same rule, so that p's is what a point's would be (cull.c). Samples follow each other in the order
// of faces, several times over: what one moves the next sees. Those whose corners have not moved since they were asked are not
// asked again.

#define SWEEPS 4
#define SETTLED 1e-3 // of a muscle's size, after which sweeps end

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

static const double quadShares[4][2] = {{0.25, 0.25}, {0.75, 0.25}, {0.75, 0.75}, {0.25, 0.75}};

static int spotsOf(const int *corner, snSkinSpot spots[4])
{
    int n = corner[3] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++) {
        double s = quadShares[k][0], t = quadShares[k][1];
        snSkinSpot quad = {{corner[0], corner[1], corner[2], corner[3]},
                           {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t}};
        snSkinSpot triangle = {{corner[0], corner[1], corner[2], corner[2]},
                               {0.25, 0.25, 0.25, 0.0}};
        triangle.weight[k % 3] = 0.5;
        spots[k] = n == 4 ? quad : triangle;
    }
    return n;
}

static snVec3 meanOf(const snSkinSpot *spot, const snVec3 *values)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = snMulAdd(sum, spot->weight[k], values[spot->corner[k]]);
    return sum;
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
    snSkinSpot spots[4];
    int n = spotsOf(corner, spots);
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

snStatus snSkinCover_Make(snSkinCover *cover, const snSkinContact *contact, const snVec3 *places,
                          double bulge, snArena *arena, snError *error)
{
    const snSkinMesh *mesh = contact->mesh;
    snArena scratch = {.allocator = arena->allocator};
    double *depth = SN_NEW(&scratch, double, mesh->pointCount);
    unsigned char *face = SN_NEW(&scratch, unsigned char, mesh->faceCount);
    unsigned char *point = SN_NEW(&scratch, unsigned char, mesh->pointCount);
    snStatus status = depth && face && point ? SN_OK : snFailMemory(error);
    int count = 0;
    *cover = (snSkinCover){.slack = fabs(bulge)};
    if (!status && contact->muscles->count) {
        if (bulge >= 0.0)
            markFaces(contact, places, bulge, depth, face, point);
        else
            memset(face, 1, (size_t)mesh->faceCount);
    }
    for (int f = 0; f < mesh->faceCount && !status; f++)
        if (face[f]) count += mesh->corner[4 * (size_t)f + 3] < 0 ? 3 : 4;
    if (!status) {
        cover->spots = SN_NEW(arena, snSkinSpot, count);
        cover->moved = SN_NEW(arena, int, mesh->pointCount);
        if (!cover->spots || !cover->moved) status = snFailMemory(error);
    }
    for (int f = 0; f < mesh->faceCount && !status; f++)
        if (face[f]) {
            snSkinSpot spots[4];
            int n = spotsOf(mesh->corner + 4 * (size_t)f, spots);
            memcpy(cover->spots + cover->count, spots, (size_t)n * sizeof *spots);
            cover->count += n;
        }
    snArena_Destroy(&scratch);
    return status;
}

// ---- pushing ------------------------------------------------------------------------------------

typedef struct Pushing {
    snSkinCover *cover;
    const snSkinContact *contact;
    snVec3 *r, *v;
    snSkinPushCount *count;
    double longest, deepest; // m; of a muscle's size
} Pushing;

// S; 0: nothing of it can move.
static double giveOf(const snSkinSpot *spot, const double *inverseMass)
{
    double sum = 0.0;
    for (int k = 0; k < 4; k++)
        sum += spot->weight[k] * spot->weight[k] * inverseMass[3 * (size_t)spot->corner[k]];
    return sum;
}

// Whether the muscle's box in its own frame has the place: bounds in the world would have to be found anew in each push.
static bool mayHave(const snMuscle *m, snVec3 place)
{
    snVec3 p = snMulMV(m->inverse, snSub(place, m->frame.origin));
    return p.x >= m->own.lower.x && p.x <= m->own.upper.x && p.y >= m->own.lower.y &&
           p.y <= m->own.upper.y && p.z >= m->own.lower.z && p.z <= m->own.upper.z;
}

static void moveSpot(const snSkinSpot *spot, const double *inverseMass, double give, snVec3 by,
                     snVec3 *values)
{
    for (int k = 0; k < 4; k++) {
        int c = spot->corner[k];
        values[c] = snMulAdd(values[c], spot->weight[k] * inverseMass[3 * (size_t)c] / give, by);
    }
}

// Of the muscle's own point that is at the foot.
static snVec3 velocityOf(const snSkinMuscles *muscles, int muscle, snVec3 foot, double length)
{
    if (!muscles->moving || !(length > 0.0)) return snVec(0, 0, 0);
    snVec3 source = snMuscle_Source(&muscles->now[muscle], foot);
    return snScale(1.0 / length, snSub(snMuscle_Place(&muscles->edge[1][muscle], source),
                                       snMuscle_Place(&muscles->edge[0][muscle], source)));
}

static void slowSpot(const Pushing *p, const snSkinSpot *spot, double give, int muscle, snVec3 foot,
                     snVec3 out)
{
    const snSkinContact *contact = p->contact;
    snVec3 base = velocityOf(contact->muscles, muscle, foot, contact->length);
    snVec3 pace = meanOf(spot, p->v), relative = snSub(pace, base);
    double into = snDot(relative, out);
    if (into >= 0.0) return;
    snVec3 along = snMulAdd(relative, -into, out);
    snVec3 wanted = snAdd(
        base, snMulAdd(snScale(contact->push.slide, along), -contact->push.normal * into, out));
    moveSpot(spot, contact->inverseMass, give, snSub(wanted, pace), p->v);
}

// Out of the muscle that it is deepest in; false: it is in none.
static bool pushSpot(Pushing *p, const snSkinSpot *spot, double give)
{
    const snSkinContact *contact = p->contact;
    snVec3 foot = footOf(spot, contact->points, p->r), out = {0, 0, 0};
    double deepest = p->cover->slack;
    int muscle = -1;
    for (int k = 0; k < contact->muscles->count; k++) {
        const snMuscle *m = &contact->muscles->now[k];
        snVec3 n;
        if (contact->muscles->shape[1][k].bare || !mayHave(m, foot)) continue;
        p->count->tests++;
        double value = snMuscle_Value(m, foot, &n), slope = snLength(n);
        double depth = slope > 0.0 ? -value / slope : 0.0;
        if (!(depth > deepest)) continue;
        deepest = depth;
        muscle = k;
        out = snScale(1.0 / slope, n);
    }
    if (muscle < 0) return false;
    deepest -= p->cover->slack;
    p->deepest = fmax(p->deepest, deepest / contact->muscles->now[muscle].size);
    p->longest = fmax(p->longest, deepest);
    moveSpot(spot, contact->inverseMass, give, snScale(deepest, out), p->r);
    if (p->v) slowSpot(p, spot, give, muscle, foot, out);
    return true;
}

static bool hasMoved(const snSkinCover *cover, const snSkinSpot *spot, int sweep)
{
    for (int k = 0; k < 4; k++)
        if (cover->moved[spot->corner[k]] >= sweep - 1) return true;
    return false;
}

static void sweepSpots(Pushing *p, int sweep)
{
    snSkinCover *cover = p->cover;
    p->deepest = 0.0;
    for (int i = 0; i < cover->count; i++) {
        const snSkinSpot *spot = &cover->spots[i];
        if (sweep > 1 && !hasMoved(cover, spot, sweep)) continue;
        double give = giveOf(spot, p->contact->inverseMass);
        if (give > 0.0 && pushSpot(p, spot, give))
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
