#include "body/skin/muscles.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

// Points against muscles. A tree over the points is walked from its root with a list of muscles, found in the tree over the
// muscles; at every node those whose box does not overlap the node's leave the list, and a node without any is left.
// What is left at a point is asked box by box in the muscle's own frame, and only then by its inside function.
//
// A point inside is pushed out along the gradient (Newton's method on g), its foot being r - τ n: skin and foot move
// together. In the crease between two muscles it is pushed to and fro and gets out sideways, slowly where their normals are
// almost opposite; then both are left at once, by the shortest step that does so to first order:
//     d = α n_1 + β n_2,  α + c β = d_1,  c α + β = d_2,  c = n_1·n_2.
// Normals turn when neighbours move, so with fat all of it is done again, until nothing is inside.

#define ROUNDS 80    // for one point
#define SEQUENTIAL 4 // of them one muscle after the other, then two at once
#define LEAP 0.1     // of a muscle's size, the longest way at once then
#define SWEEPS 6     // over all points, with fat
#define OUTSIDE 1e-6 // of a muscle's size: deep enough to count
#define ALLOWED 2e-5 // the same after which sweeps end
#define TOUCHING                                                                                   \
    5e-3 // of a muscle's size: what was pressed on it and is no farther away still touches

snStatus snSkinCull_Make(snSkinCull *cull, const snSkinMesh *mesh, const snVec3 *places,
                         int muscleCount, snArena *arena, snError *error)
{
    *cull = (snSkinCull){.listWidth = muscleCount};
    cull->boxes = SN_NEW(arena, snBox, mesh->pointCount);
    cull->fat = SN_NEW(arena, snVec3, mesh->pointCount);
    cull->normal = SN_NEW(arena, snVec3, mesh->pointCount);
    cull->still = SN_NEW(arena, bool, mesh->pointCount);
    cull->list = SN_NEW(arena, int, (size_t)(SN_TREE_DEPTH + 2) * (size_t)(muscleCount + 1));
    cull->depth = SN_NEW(arena, double, muscleCount + 1);
    if (!cull->depth || !cull->still || !cull->boxes || !cull->fat || !cull->normal || !cull->list)
        return snFailMemory(error);
    for (int i = 0; i < mesh->pointCount; i++)
        cull->boxes[i] = (snBox){places[i], places[i]};
    return snTree_Build(&cull->tree, mesh->pointCount, cull->boxes, arena, error);
}

void snSkinMesh_Normals(const snSkinMesh *mesh, const snVec3 *r, snVec3 *normals)
{
    memset(normals, 0, (size_t)mesh->pointCount * sizeof *normals);
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = mesh->triangles + 3 * (size_t)t;
        snVec3 n = snCross(snSub(r[c[1]], r[c[0]]), snSub(r[c[2]], r[c[0]]));
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
        cull->boxes[i] = (snBox){cull->fat[i], cull->fat[i]};
    }
}

// ---- one point ----------------------------------------------------------------------------------

typedef struct Walk {
    snSkinCull *cull;
    const snSkinContact *contact;
    snVec3 *r, *v;
    snSkinPushCount *count;
    double longest; // push
    double deepest; // in sizes, before pushes
    bool known;     // cull->depth has the depths in the candidates, of where the point was
    double margin;  // boxes are grown by no less
} Walk;

static bool isIn(snBox b, snVec3 p, double margin)
{
    return p.x >= b.lower.x - margin && p.x <= b.upper.x + margin && p.y >= b.lower.y - margin &&
           p.y <= b.upper.y + margin && p.z >= b.lower.z - margin && p.z <= b.upper.z + margin;
}

// Whether a point may be inside, by the boxes in the world and in the muscle's frame.
static bool mayBeInside(const snMuscle *muscle, snVec3 p)
{
    double margin = TOUCHING * muscle->size;
    return isIn(muscle->bounds, p, margin) &&
           isIn(muscle->own, snMulMV(muscle->inverse, snSub(p, muscle->frame.origin)), margin);
}

// How deep, and which way is out; far below 0 where it is surely outside.
static double depthIn(Walk *walk, const snMuscle *muscle, snVec3 p, snVec3 *out)
{
    if (!mayBeInside(muscle, p)) return -INFINITY;
    walk->count->tests++;
    double value = snMuscle_Value(muscle, p, out), slope = snLength(*out);
    *out = snNormalizeOr(*out, snVec(0, 1, 0));
    return slope > 0.0 ? -value / slope : -value;
}

// The velocity of what comes nearer; v∥ along the normal: -k∥ v∥ + k⊥ v⊥, all relative to the muscle.
static void changeVelocity(const snSkinContact *contact, int muscle, snVec3 foot, snVec3 out,
                           snVec3 *v)
{
    snVec3 base = snSkinMuscles_Velocity(contact->muscles, muscle, foot, contact->length);
    snVec3 relative = snSub(*v, base);
    double into = snDot(relative, out);
    if (into >= 0.0) return;
    snVec3 along = snMulAdd(relative, -into, out);
    *v = snAdd(base,
               snMulAdd(snScale(contact->push.slide, along), -contact->push.normal * into, out));
}

// Of what lies on the muscle: the muscle's along the normal.
static void matchVelocity(const snSkinContact *contact, int muscle, snVec3 foot, snVec3 out,
                          snVec3 *v)
{
    snVec3 base = snSkinMuscles_Velocity(contact->muscles, muscle, foot, contact->length);
    snVec3 relative = snSub(*v, base);
    snVec3 along = snMulAdd(relative, -snDot(relative, out), out);
    *v = snAdd(base, snScale(contact->push.slide, along));
}

// What was pressed on a muscle and has hardly left it lies on it still: it follows the muscle, rather than being let fall
// to be pushed again. The nearest of them is meant.
static void followMuscle(Walk *walk, const int *list, int count, int point, snVec3 *move)
{
    const snSkinContact *contact = walk->contact;
    walk->known = contact->pressed && contact->pressed[point];
    if (!walk->known) return;
    double nearest = -INFINITY;
    int best = -1;
    snVec3 out = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        const snMuscle *muscle = &contact->muscles->now[list[k]];
        snVec3 n;
        double depth = depthIn(walk, muscle, walk->cull->fat[point], &n);
        walk->cull->depth[k] = depth;
        if (depth <= nearest || depth < -TOUCHING * muscle->size) continue;
        nearest = depth;
        best = k;
        out = n;
    }
    if (best < 0 || nearest > 0.0) return;
    *move = snScale(nearest, out);
    walk->cull->depth[best] = -INFINITY; // it lies on it now
    contact->touched[point] = out;
    if (walk->v) matchVelocity(contact, list[best], walk->cull->fat[point], out, &walk->v[point]);
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

// By what was found when it followed a muscle, it cannot be in this one: it has moved by less than it was away.
static bool isFarFrom(const Walk *walk, int k, snVec3 move)
{
    return walk->known && walk->cull->depth[k] < -2.0 * snLength(move);
}

// One round over the candidates; returns the deepest, in sizes.
static double pushRound(Walk *walk, const int *list, int count, int point, int round, snVec3 *move)
{
    const snSkinContact *contact = walk->contact;
    snVec3 foot = walk->cull->fat[point];
    Inside in = {0};
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        const snMuscle *muscle = &contact->muscles->now[list[k]];
        if (round == 0 && isFarFrom(walk, k, *move)) continue;
        snVec3 out, at = snAdd(foot, *move);
        double depth = depthIn(walk, muscle, at, &out);
        if (round >= SEQUENTIAL && depth > -LEAP * muscle->size)
            noteInside(&in, depth + 0.1 * OUTSIDE * muscle->size, muscle->size, out);
        if (!(depth > OUTSIDE * muscle->size)) continue;
        if (contact->touched) contact->touched[point] = out;
        worst = fmax(worst, depth / muscle->size);
        if (walk->v) changeVelocity(contact, list[k], at, out, &walk->v[point]);
        // A little beyond: else the next step begins inside by rounding.
        if (round < SEQUENTIAL) *move = snMulAdd(*move, depth + 0.1 * OUTSIDE * muscle->size, out);
    }
    if (worst > 0.0 && in.count) *move = snAdd(*move, leaveBoth(&in));
    return worst;
}

typedef struct List {
    int *items, count;
} List;

static bool collect(int item, void *context)
{
    List *list = context;
    list->items[list->count++] = item;
    return true;
}

// What a point that was pushed may be in now.
static List musclesAt(const Walk *walk, snVec3 foot)
{
    size_t last = (size_t)(SN_TREE_DEPTH + 1) * (size_t)(walk->cull->listWidth + 1);
    List list = {walk->cull->list + last, 0};
    snTree_Overlap(&walk->contact->muscles->tree, (snBox){foot, foot}, collect, &list);
    return list;
}

// Rounds until it is in none of the candidates; how deep it was.
static double pushOut(Walk *walk, const int *list, int count, int point, snVec3 *move)
{
    double worst = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        double depth = pushRound(walk, list, count, point, round, move);
        if (round == 0) worst = depth;
        if (depth == 0.0) break;
    }
    return worst;
}

static void pushPoint(Walk *walk, const int *list, int count, int point)
{
    snVec3 move = {0, 0, 0};
    followMuscle(walk, list, count, point, &move);
    double worst = pushOut(walk, list, count, point, &move), far = snLength(move);
    walk->deepest = fmax(walk->deepest, worst);
    if (far == 0.0) return;
    // Farther away there may be muscles that were no candidates.
    walk->known = false;
    for (int again = 0; again < 4 && worst > 0.0 && far > walk->margin; again++) {
        List near = musclesAt(walk, snAdd(walk->cull->fat[point], move));
        worst = pushOut(walk, near.items, near.count, point, &move);
    }
    walk->count->touched++;
    walk->longest = fmax(walk->longest, snLength(move));
    walk->r[point] = snAdd(walk->r[point], move);
    walk->cull->fat[point] = snAdd(walk->cull->fat[point], move);
}

// ---- all points ---------------------------------------------------------------------------------

static bool overlaps(snBox box, const snMuscle *muscle)
{
    return snBoxOverlap(snBox_Grow(box, TOUCHING * muscle->size), muscle->bounds);
}

static void walkNode(Walk *walk, int node, const int *above, int count, int depth)
{
    const snSkinContact *contact = walk->contact;
    const snTreeNode *n = &walk->cull->tree.nodes[node];
    int *list = walk->cull->list + (size_t)depth * (size_t)(walk->cull->listWidth + 1), kept = 0;
    for (int k = 0; k < count; k++)
        if (overlaps(n->box, &contact->muscles->now[above[k]])) list[kept++] = above[k];
    if (kept == 0) return;
    if (n->count == 0) {
        walkNode(walk, n->first, list, kept, depth + 1);
        walkNode(walk, n->first + 1, list, kept, depth + 1);
        return;
    }
    for (int i = n->first; i < n->first + n->count; i++) {
        int point = walk->cull->tree.items[i];
        if (contact->inverseMass[3 * point] > 0.0 && !walk->cull->still[point])
            pushPoint(walk, list, kept, point);
    }
}

// A sweep after another asks only points whose feet were moved by their neighbours: all others are out of all muscles.
static void sweep(Walk *walk, bool again)
{
    snSkinCull *cull = walk->cull;
    snSkinMuscles *muscles = walk->contact->muscles;
    placeFeet(cull, walk->contact, walk->r, again ? OUTSIDE / TOUCHING * walk->margin : -1.0);
    snTree_Refit(&cull->tree, cull->boxes);
    walk->count->brute += (int64_t)cull->tree.itemCount * muscles->count;
    walk->deepest = 0.0;
    if (!cull->tree.nodeCount || !muscles->count) return;
    List list = {cull->list, 0};
    snTree_Overlap(&muscles->tree, cull->tree.nodes[0].box, collect, &list);
    walkNode(walk, 0, list.items, list.count, 1);
}

double snSkinCull_Push(snSkinCull *cull, const snSkinContact *contact, snVec3 *r, snVec3 *v,
                       snSkinPushCount *count)
{
    Walk walk = {
        .cull = cull, .contact = contact, .r = r, .v = v, .count = count, .margin = INFINITY};
    for (int k = 0; k < contact->muscles->count; k++)
        walk.margin = fmin(walk.margin, TOUCHING * contact->muscles->now[k].size);
    if (contact->touched && !contact->again)
        memset(contact->touched, 0, (size_t)contact->mesh->pointCount * sizeof(snVec3));
    for (int k = 0; k < SWEEPS; k++) {
        sweep(&walk, k > 0 || contact->again);
        if (!cull->thick || walk.deepest <= ALLOWED) break;
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
            if (!(contact->inverseMass[3 * i] > 0.0)) continue;
            double distance = snMuscle_Distance(muscle, cull->fat[i]);
            if (snMuscle_Value(muscle, cull->fat[i], NULL) < 0.0)
                worst = fmax(worst, -distance / muscle->size);
        }
    return worst;
}
