#include "body/skin/muscles.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

// Points against muscles. Which muscles are near a point, and what is known of them, is in near.c; here is what is done about it.
//
// A point inside is pushed out along the gradient (Newton's method on g), its foot being r - τ n: skin and foot move
// together. In the crease between two muscles it is pushed to and fro and gets out sideways, slowly where their normals are
// almost opposite; then both are left at once, by the shortest step that does so to first order:
//     d = α n_1 + β n_2,  α + c β = d_1,  c α + β = d_2,  c = n_1·n_2.
// Normals turn when neighbours move, so with fat all of it is done again, until nothing is inside.

#define ROUNDS 80    // for one point
#define SEQUENTIAL 4 // of them one muscle after the other, then two at once
#define LEAP 0.1     // of a muscle's size, the longest way at once then
#define SWEEPS 30    // over all points, with fat; three in most steps
#define FOLLOWING 3  // of them those in which points follow muscles that they lay on
#define OUTSIDE 1e-6 // of a muscle's size: deep enough to count
#define CLOSE 2e-4   // the same: along a normal so far away distances are right to its square
#define ALLOWED 2e-5 // the same: sweeps end when no point went farther
#define PER_POINT 16 // muscles near a point, on average at most

snStatus snSkinCull_Make(snSkinCull *cull, int count, const snVec3 *places, int muscleCount,
                         snArena *arena, snError *error)
{
    *cull = (snSkinCull){.listWidth = muscleCount, .loose = 1.0};
    cull->boxes = SN_NEW(arena, snBox, count);
    cull->fat = SN_NEW(arena, snVec3, count);
    cull->normal = SN_NEW(arena, snVec3, count);
    cull->still = SN_NEW(arena, bool, count);
    cull->list = SN_NEW(arena, int, (size_t)(SN_TREE_DEPTH + 2) * (size_t)(muscleCount + 1));
    cull->nearMost = count * (muscleCount < PER_POINT ? muscleCount : PER_POINT);
    cull->near = SN_NEW(arena, snSkinNear, cull->nearMost);
    cull->start = SN_NEW(arena, int, count);
    cull->count = SN_NEW(arena, int, count);
    cull->listed = SN_NEW(arena, snVec3, count);
    cull->passing = SN_NEW(arena, snSkinNear, muscleCount);
    cull->calm = SN_NEW(arena, snSkinCalm, count);
    cull->listedIn = -1;
    if (!cull->still || !cull->boxes || !cull->fat || !cull->normal || !cull->list || !cull->near ||
        !cull->start || !cull->count || !cull->listed || !cull->passing || !cull->calm)
        return snFailMemory(error);
    for (int i = 0; i < count; i++)
        cull->boxes[i] = (snBox){places[i], places[i]};
    return snTree_Build(&cull->tree, count, cull->boxes, arena, error);
}

void snSkinMesh_Normals(const snSkinMesh *mesh, const snVec3 *r, snVec3 *normals)
{
    memset(normals, 0, (size_t)mesh->pointCount * sizeof *normals);
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        snVec3 n = snTwiceArea(r[c[0]], r[c[1]], r[c[2]]);
        for (int k = 0; k < 3; k++)
            normals[c[k]] = snAdd(normals[c[k]], n);
    }
    for (int i = 0; i < mesh->pointCount; i++)
        normals[i] = snNormalizeOr(normals[i], snVec(0, 0, 0));
}

// Those that come to be within `near` of where they were are still; below 0: none is.
static void placeFeet(snSkinCull *cull, const snSkinContact *contact, const snVec3 *r, double near)
{
    const snSkinMesh *mesh = contact->mesh;
    cull->thick = false;
    for (int i = 0; i < mesh->pointCount && !cull->thick; i++)
        cull->thick = contact->points[i].fat != 0.0;
    if (cull->thick) snSkinMesh_Normals(mesh, r, cull->normal);
    for (int i = 0; i < mesh->pointCount; i++) {
        snVec3 foot = cull->thick ? snMulAdd(r[i], -contact->points[i].fat, cull->normal[i]) : r[i];
        cull->still[i] = near >= 0.0 && snDistance(foot, cull->fat[i]) <= near;
        cull->fat[i] = foot;
    }
}

// ---- one point ----------------------------------------------------------------------------------

typedef struct Walk {
    snSkinCull *cull;
    const snSkinContact *contact;
    snVec3 *r, *v;
    snSkinPushCount *count;
    double longest; // push
    double moved;   // the same in this sweep
    int sweeps;     // before this one
    double margin;  // no muscle is touched from farther away than this, of some at least
} Walk;

static double sizeOf(const Walk *walk, const snSkinNear *near)
{
    return walk->contact->muscles->now[near->muscle].size;
}

static double depthIn(Walk *walk, snSkinNear *near, snVec3 p, snVec3 *out)
{
    return snSkinNear_Depth(near, walk->contact->muscles, p, out, walk->count);
}

// The velocity of what comes nearer; v∥ along the normal: -k∥ v∥ + k⊥ v⊥, all relative to the muscle.
static void changeVelocity(const snSkinContact *contact, const snSkinNear *near, snVec3 foot,
                           snVec3 out, snVec3 *v)
{
    snVec3 base = snSkinNear_Velocity(near, contact->muscles, foot, contact->length);
    snVec3 relative = snSub(*v, base);
    double into = snDot(relative, out);
    if (into >= 0.0) return;
    snVec3 along = snMulAdd(relative, -into, out);
    *v = snAdd(base,
               snMulAdd(snScale(contact->push.slide, along), -contact->push.normal * into, out));
}

// Of what lies on the muscle: the muscle's along the normal.
static void matchVelocity(const snSkinContact *contact, const snSkinNear *near, snVec3 foot,
                          snVec3 out, snVec3 *v)
{
    snVec3 base = snSkinNear_Velocity(near, contact->muscles, foot, contact->length);
    snVec3 relative = snSub(*v, base);
    snVec3 along = snMulAdd(relative, -snDot(relative, out), out);
    *v = snAdd(base, snScale(contact->push.slide, along));
}

// What was pressed on a muscle and has hardly left it lies on it still: it follows the muscle, rather than being let fall
// to be pushed again. After some sweeps nothing goes inwards any more: normals that turn would lift feet off for ever. The nearest
// of them is meant. True: it is out of all of them now, for there is
// one alone and it was close to it.
static bool followMuscle(Walk *walk, snSkinNear *near, int count, int point, snVec3 *move)
{
    const snSkinContact *contact = walk->contact;
    if (!contact->pressed || !contact->pressed[point] || walk->sweeps >= FOLLOWING) return false;
    double nearest = -INFINITY;
    int best = -1;
    snVec3 out = {0, 0, 0}, n;
    for (int k = 0; k < count; k++) {
        double depth = depthIn(walk, &near[k], walk->cull->fat[point], &n);
        if (depth <= nearest || depth < -SN_SKIN_TOUCHING * sizeOf(walk, &near[k])) continue;
        nearest = depth;
        best = k;
        out = n;
    }
    // What is deeper is pushed, and touches by that.
    double size = best < 0 ? 0.0 : sizeOf(walk, &near[best]);
    if (best < 0 || nearest > OUTSIDE * size) return false;
    *move = snScale(nearest, out);
    contact->touched[point] = out;
    // Once: after that it keeps what other layers gave it.
    if (walk->v && !contact->again)
        matchVelocity(contact, &near[best], walk->cull->fat[point], out, &walk->v[point]);
    return count == 1 && fabs(nearest) <= CLOSE * size;
}

// The muscles that a point is in or close to, two at most: the deepest first.
typedef struct Inside {
    int count;
    double depth[2], size[2];
    snVec3 out[2];
} Inside;

static void noteInside(Inside *in, double depth, double size, snVec3 out)
{
    int at = in->count == 0 ? 0 : (depth > in->depth[0] ? 0 : 1);
    if (in->count == 2 && at == 1 && depth <= in->depth[1]) return;
    if (at == 0 && in->count > 0) {
        in->depth[1] = in->depth[0];
        in->size[1] = in->size[0];
        in->out[1] = in->out[0];
    }
    in->depth[at] = depth;
    in->size[at] = size;
    in->out[at] = out;
    if (in->count < 2) in->count++;
}

static snVec3 leaveBoth(const Inside *in)
{
    double c = in->count < 2 ? 0.0 : snDot(in->out[0], in->out[1]), det = fmax(1.0 - c * c, 1e-4);
    // The second does not matter where leaving the first does not get into it.
    if (in->count < 2 || in->depth[1] <= c * in->depth[0]) return snScale(in->depth[0], in->out[0]);
    double a = (in->depth[0] - c * in->depth[1]) / det, b = (in->depth[1] - c * in->depth[0]) / det;
    snVec3 step = snMulAdd(snScale(fmax(a, 0.0), in->out[0]), fmax(b, 0.0), in->out[1]);
    double length = snLength(step), most = LEAP * fmin(in->size[0], in->size[1]);
    return length > most ? snScale(most / length, step) : step;
}

// One round over the candidates; returns the deepest, in sizes.
static double pushRound(Walk *walk, snSkinNear *near, int count, int point, int round, snVec3 *move)
{
    const snSkinContact *contact = walk->contact;
    snVec3 foot = walk->cull->fat[point];
    Inside in = {0};
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        snVec3 out, at = snAdd(foot, *move);
        double depth = depthIn(walk, &near[k], at, &out), size = sizeOf(walk, &near[k]);
        if (round >= SEQUENTIAL && depth > -LEAP * size)
            noteInside(&in, depth + 0.1 * OUTSIDE * size, size, out);
        if (!(depth > OUTSIDE * size)) continue;
        if (contact->touched) contact->touched[point] = out;
        if (walk->v) changeVelocity(contact, &near[k], at, out, &walk->v[point]);
        worst = fmax(worst, depth / size);
        // A little beyond: else the next step begins inside by rounding.
        if (round < SEQUENTIAL) *move = snMulAdd(*move, depth + 0.1 * OUTSIDE * size, out);
    }
    if (worst > 0.0 && in.count) *move = snAdd(*move, leaveBoth(&in));
    return worst;
}

// Rounds until it is in none of the candidates; how deep it was.
static double pushOut(Walk *walk, snSkinNear *near, int count, int point, snVec3 *move)
{
    double worst = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        double depth = pushRound(walk, near, count, point, round, move);
        if (round == 0) worst = depth;
        if (depth == 0.0) break;
    }
    return worst;
}

static void pushPoint(Walk *walk, int point)
{
    snSkinCull *cull = walk->cull;
    int few;
    double room;
    snSkinNear *near = snSkinCull_Close(cull, walk->contact->muscles, point, &few, &room);
    if (few == 0) return;
    int64_t tests = walk->count->tests;
    snVec3 move = {0, 0, 0};
    bool lies = followMuscle(walk, near, few, point, &move);
    double worst = lies ? 0.0 : pushOut(walk, near, few, point, &move), far = snLength(move);
    if (far >= room) worst = fmax(worst, pushOut(walk, near, cull->count[point], point, &move));
    if (walk->count->tests > tests) cull->calm[point].room = -1.0; // more is known now
    if (far == 0.0) return;
    // Farther away there may be muscles that were no candidates.
    for (int again = 0; again < 4 && worst > 0.0 && far > walk->margin; again++) {
        int passing =
            snSkinCull_Passing(cull, walk->contact->muscles, snAdd(cull->fat[point], move));
        worst = pushOut(walk, cull->passing, passing, point, &move);
    }
    walk->count->touched++;
    walk->moved = fmax(walk->moved, snLength(move));
    walk->r[point] = snAdd(walk->r[point], move);
    cull->fat[point] = snAdd(cull->fat[point], move);
}

// ---- all points ---------------------------------------------------------------------------------

// A sweep after another asks only points whose feet were moved by their neighbours: all others are out of all muscles.
static void sweep(Walk *walk, bool again)
{
    snSkinCull *cull = walk->cull;
    const snSkinContact *contact = walk->contact;
    int points = cull->tree.itemCount;
    placeFeet(cull, contact, walk->r, again ? OUTSIDE / SN_SKIN_TOUCHING * walk->margin : -1.0);
    walk->count->brute += (int64_t)points * contact->muscles->count;
    walk->moved = 0.0;
    snSkinCull_Near(cull, contact->muscles);
    for (int i = 0; i < points; i++)
        if (contact->inverseMass[3 * i] > 0.0 && !cull->still[i]) pushPoint(walk, i);
}

double snSkinCull_Push(snSkinCull *cull, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                       snSkinPushCount *count)
{
    Walk walk = {
        .cull = cull, .contact = contact, .r = r, .v = v, .count = count, .margin = INFINITY};
    for (int k = 0; k < contact->muscles->count; k++)
        walk.margin = fmin(walk.margin, SN_SKIN_TOUCHING * contact->muscles->now[k].size);
    if (contact->touched && !contact->again)
        memset(contact->touched, 0, (size_t)contact->mesh->pointCount * sizeof(snVec3));
    for (; walk.sweeps < SWEEPS; walk.sweeps++) {
        sweep(&walk, walk.sweeps > 0 || contact->again);
        walk.longest = fmax(walk.longest, walk.moved);
        if (!cull->thick || walk.moved <= ALLOWED / SN_SKIN_TOUCHING * walk.margin) break;
    }
    return walk.longest;
}

double snSkinCull_Deepest(snSkinCull *cull, const snSkinContact *contact, const snVec3 *r)
{
    double worst = 0.0;
    placeFeet(cull, contact, r, -1.0);
    for (int i = 0; i < contact->mesh->pointCount; i++)
        for (int k = 0; k < contact->muscles->count; k++) {
            const snMuscle *muscle = &contact->muscles->now[k];
            if (!(contact->inverseMass[3 * i] > 0.0) || contact->muscles->shape[1][k].bare)
                continue;
            double distance = snMuscle_Distance(muscle, cull->fat[i]);
            if (snMuscle_Value(muscle, cull->fat[i], NULL) < 0.0)
                worst = fmax(worst, -distance / muscle->size);
        }
    return worst;
}
