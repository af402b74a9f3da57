#include "body/skin/muscles.h"

#include "geometry/primitive.h"

#include <string.h>

// What is known of points near muscles, so that inside functions are asked seldom. A muscle's own frame takes its
// motion away: there, what is left is how a foot slides and how the shape changes.
//
// *Far.* Where g is known, no part of the muscle is nearer than g / (its largest slope), nor nearer than its box. So as
// long as the foot has moved by less than that, and the muscle in its frame, it is outside: nothing is asked.
//
// *Near*, the distance is that to a tangent plane, which is off by ½ κ s² when the foot has slid by s over a surface of
// curvature κ. With u = W_1 - W_0 the way in the whole step of what lies there (in the own frame, where numbers of the warp
// change), and a share t of the step since,
//     d = d_0 + ∇d·(y - y_0 - t u),
// off by the path's curvature too. That is good enough up to a radius at which it is off by PLANE of the muscle's size. How
// large that is, is learned: whenever the muscle is asked again, what the plane had said is compared.
//
// All of it is forgotten when a step begins, so that a step is a function of the state alone.

#define PLANE 2e-6 // of a muscle's size, how much the plane may be off
#define BEGIN 1e-3 // of a muscle's size, the radius to begin with ...
#define MOST 1e-2  // ... and at most
#define UNIT 1e-12 // that squares of lengths may be off by
#define SHARE 0.1  // of the distance, that it may be off by outside
#define PATH 4.0   // paths are less curved than surfaces: drift may be so much longer
#define REACH                                                                                      \
    5e-3 // m, beyond what muscles do in a step, that a foot may move until lists are made anew

// What is to be known of a muscle from now on.
static snSkinNear unknown(const snSkinCull *cull, const snSkinMuscles *muscles, int muscle)
{
    double size = muscles->now[muscle].size;
    return (snSkinNear){.muscle = muscle,
                        .clear = -1.0,
                        .radius = BEGIN * sqrt(cull->loose) * size,
                        .off = PLANE * cull->loose * size};
}

static double ownDistance(const snMuscle *muscle, snVec3 own)
{
    return sqrt(snBox_DistanceSquared(muscle->own, own));
}

static snVec3 ownPlace(const snMuscle *muscle, snVec3 foot)
{
    return snMulMV(muscle->inverse, snSub(foot, muscle->frame.origin));
}

// ---- lists --------------------------------------------------------------------------------------

typedef struct Build {
    snSkinCull *cull;
    const snSkinMuscles *muscles;
} Build;

static void listPoint(Build *build, int point, const int *list, int count)
{
    snSkinCull *cull = build->cull;
    const snSkinMuscles *muscles = build->muscles;
    int begin = cull->nearCount;
    cull->start[point] = begin;
    for (int k = 0; k < count; k++) {
        const snMuscle *muscle = &muscles->now[list[k]];
        snVec3 own = ownPlace(muscle, cull->fat[point]);
        double far = ownDistance(muscle, own);
        if (far > muscles->sway[list[k]].shrunk * (cull->reach + SN_SKIN_TOUCHING * muscle->size))
            continue;
        if (cull->nearCount == cull->nearMost) {
            cull->nearCount = begin;
            cull->count[point] = -1;
            return;
        }
        snSkinNear near = unknown(cull, muscles, list[k]);
        near.at = own;
        near.share = muscles->nowAt;
        near.clear = far;
        cull->near[cull->nearCount++] = near;
    }
    cull->count[point] = cull->nearCount - begin;
}

static void listNode(Build *build, int node, const int *above, int count, int depth)
{
    snSkinCull *cull = build->cull;
    const snTreeNode *n = &cull->tree.nodes[node];
    int *list = cull->list + (size_t)depth * (size_t)(cull->listWidth + 1), kept = 0;
    for (int k = 0; k < count; k++) {
        const snMuscle *muscle = &build->muscles->now[above[k]];
        double margin = cull->reach + SN_SKIN_TOUCHING * muscle->size;
        if (snBoxOverlap(snBox_Grow(n->box, margin), muscle->bounds)) list[kept++] = above[k];
    }
    if (kept == 0) return;
    if (n->count == 0) {
        listNode(build, n->first, list, kept, depth + 1);
        listNode(build, n->first + 1, list, kept, depth + 1);
        return;
    }
    for (int i = n->first; i < n->first + n->count; i++)
        listPoint(build, cull->tree.items[i], list, kept);
}

static void makeLists(snSkinCull *cull, snSkinMuscles *muscles)
{
    int points = cull->tree.itemCount;
    snSkinMuscles_Bound(muscles);
    for (int i = 0; i < points; i++) {
        cull->boxes[i] = (snBox){cull->fat[i], cull->fat[i]};
        cull->listed[i] = cull->fat[i];
        cull->start[i] = cull->count[i] = 0;
        cull->calm[i].room = -1.0;
    }
    snTree_Refit(&cull->tree, cull->boxes);
    cull->nearCount = 0;
    cull->listedAt = muscles->nowAt;
    cull->listedIn = muscles->steps;
    cull->reach = 2.0 * muscles->travel + REACH;
    int count = 0;
    for (int k = 0; k < muscles->count; k++)
        if (!muscles->shape[1][k].bare) cull->list[count++] = k;
    Build build = {cull, muscles};
    if (points && count) listNode(&build, 0, cull->list, count, 1);
}

static bool holds(const snSkinCull *cull, const snSkinMuscles *muscles)
{
    if (cull->listedIn != muscles->steps) return false;
    double most = cull->reach - muscles->travel * fabs(muscles->nowAt - cull->listedAt);
    bool good = most > 0.0;
    for (int i = 0; i < cull->tree.itemCount && good; i++)
        good = snLengthSquared(snSub(cull->fat[i], cull->listed[i])) <= most * most;
    return good;
}

void snSkinCull_Near(snSkinCull *cull, snSkinMuscles *muscles)
{
    if (!holds(cull, muscles)) makeLists(cull, muscles);
}

typedef struct Found {
    snSkinCull *cull;
    const snSkinMuscles *muscles;
    int count;
} Found;

static bool collect(int item, void *context)
{
    Found *found = context;
    found->cull->passing[found->count++] = unknown(found->cull, found->muscles, item);
    return true;
}

int snSkinCull_Passing(snSkinCull *cull, snSkinMuscles *muscles, snVec3 foot)
{
    Found found = {cull, muscles, 0};
    snSkinMuscles_Bound(muscles);
    snTree_Overlap(&muscles->tree, (snBox){foot, foot}, collect, &found);
    return found.count;
}

// ---- one point and one muscle -------------------------------------------------------------------

// What the plane says of a place in the muscle's own frame; false: it is not good enough there.
static bool askPlane(const snSkinNear *near, snVec3 own, double passed, double *away)
{
    snVec3 drift = snScale(passed, snSub(near->to, near->from));
    snVec3 slide = snSub(snSub(own, near->at), drift);
    double r = near->radius * near->radius;
    *away = near->away + snDot(near->slope, slide);
    // A point that is away need not be known better than by a share of that.
    if (*away * SHARE > near->off) r *= *away * SHARE / near->off;
    return snLengthSquared(slide) <= r && snLengthSquared(drift) <= PATH * PATH * r;
}

// The radius by what the plane was off at this slide: ½ κ s² = off.
static double learnRadius(const snSkinNear *near, const snMuscle *muscle, snVec3 own, double passed,
                          double away)
{
    double said, most = MOST * sqrt(near->off / (PLANE * muscle->size)) * muscle->size;
    askPlane(near, own, passed, &said);
    snVec3 slide = snMulAdd(snSub(own, near->at), -passed, snSub(near->to, near->from));
    double off = fabs(away - said),
           s = snLength(slide) + fabs(passed) * snDistance(near->to, near->from);
    double radius = off > 0.0 ? s * sqrt(near->off / off) : 2.0 * near->radius;
    radius = radius < 0.25 * near->radius ? 0.25 * near->radius : radius;
    radius = radius > 2.0 * near->radius ? 2.0 * near->radius : radius;
    return radius < most ? radius : most;
}

static void ask(snSkinNear *near, const snSkinMuscles *muscles, snVec3 own)
{
    const snMuscle *muscle = &muscles->now[near->muscle];
    const snSkinSway *sway = &muscles->sway[near->muscle];
    snVec3 n, source;
    double value = snMuscle_Own(muscle, own, &n, &source);
    double slope = snLength(snMulTMV(muscle->inverse, n)),
           away = slope > 0.0 ? value / slope : value;
    double passed = muscles->nowAt - near->share;
    if (near->plane) near->radius = learnRadius(near, muscle, own, passed, away);
    near->plane = slope > 0.0;
    near->at = own;
    near->share = muscles->nowAt;
    near->clear = value / sway->steepest;
    near->away = away;
    near->slope = slope > 0.0 ? snScale(1.0 / slope, n) : snVec(0, 0, 0);
    near->from = near->to = snVec(0, 0, 0);
    if (!sway->changes || !(away < 2.0 * SN_SKIN_TOUCHING * muscle->size)) return;
    const snMuscle *a = &muscles->edge[0][near->muscle], *b = &muscles->edge[1][near->muscle];
    near->from = snSub(a->warped ? snWarpMap_Forward(&a->map, source) : source, own);
    near->to = snSub(b->warped ? snWarpMap_Forward(&b->map, source) : source, own);
}

// How far a place in its own frame may move until it may touch the muscle, in metres of the world; 0 where that is not known.
static double roomOf(const snSkinNear *near, const snSkinMuscles *muscles, snVec3 own)
{
    const snSkinSway *sway = &muscles->sway[near->muscle];
    double margin = sway->shrunk * SN_SKIN_TOUCHING * muscles->now[near->muscle].size;
    double left = near->clear - sway->far * fabs(muscles->nowAt - near->share) - margin;
    if (!(left > 0.0)) return 0.0;
    left -= snDistance(own, near->at);
    return left > 0.0 ? left / sway->shrunk : 0.0;
}

int snSkinCull_Few(snSkinCull *cull, const snSkinMuscles *muscles, int point, double *room)
{
    snSkinCalm *calm = &cull->calm[point];
    snVec3 foot = cull->fat[point];
    double gone = muscles->travel * fabs(muscles->nowAt - calm->share);
    *room = calm->room - gone - (calm->room > gone ? snDistance(foot, calm->foot) : 0.0);
    if (*room > 0.0) return calm->few;
    snSkinNear *near = cull->near + cull->start[point];
    *calm = (snSkinCalm){.room = INFINITY, .foot = foot, .share = muscles->nowAt};
    for (int k = 0; k < cull->count[point]; k++) {
        double left = roomOf(&near[k], muscles, ownPlace(&muscles->now[near[k].muscle], foot));
        if (left > 0.0) {
            calm->room = left < calm->room ? left : calm->room;
            continue;
        }
        snSkinNear swap = near[k];
        near[k] = near[calm->few];
        near[calm->few++] = swap;
    }
    *room = calm->room;
    return calm->few;
}

snSkinNear *snSkinCull_Close(snSkinCull *cull, snSkinMuscles *muscles, int point, int *few,
                             double *room)
{
    *room = INFINITY;
    *few = 0;
    if (cull->count[point] < 0) {
        *few = snSkinCull_Passing(cull, muscles, cull->fat[point]);
        return cull->passing;
    }
    if (cull->count[point] > 0) *few = snSkinCull_Few(cull, muscles, point, room);
    return cull->near + cull->start[point];
}

double snSkinNear_Depth(snSkinNear *near, const snSkinMuscles *muscles, snVec3 foot, snVec3 *out,
                        snSkinPushCount *count)
{
    const snMuscle *muscle = &muscles->now[near->muscle];
    const snSkinSway *sway = &muscles->sway[near->muscle];
    snVec3 own = ownPlace(muscle, foot);
    double margin = sway->shrunk * SN_SKIN_TOUCHING * muscle->size, away;
    double passed = muscles->nowAt - near->share;
    double left = near->clear - sway->far * fabs(passed) - margin;
    if (left > 0.0 && snLengthSquared(snSub(own, near->at)) < left * left) return -INFINITY;
    bool timely = !sway->swells || passed == 0.0;
    if (!(near->plane && timely && askPlane(near, own, passed, &away))) {
        double far = ownDistance(muscle, own);
        if (far > margin || !(far >= 0.0)) { // or nowhere
            near->plane = false;
            near->at = own;
            near->share = muscles->nowAt;
            near->clear = far;
            return -INFINITY;
        }
        count->tests++;
        ask(near, muscles, own);
        away = near->away;
    }
    *out = snMulTMV(muscle->inverse, near->slope);
    // It is of unit length by itself where frames only turn.
    if (!(fabs(snLengthSquared(*out) - 1.0) <= UNIT)) *out = snNormalizeOr(*out, snVec(0, 1, 0));
    return -away;
}

snVec3 snSkinNear_Velocity(const snSkinNear *near, const snSkinMuscles *muscles, snVec3 foot,
                           double length)
{
    if (!muscles->moving || !(length > 0.0)) return snVec(0, 0, 0);
    snVec3 own = ownPlace(&muscles->now[near->muscle], foot);
    snAffine a = muscles->edge[0][near->muscle].frame, b = muscles->edge[1][near->muscle].frame;
    return snScale(1.0 / length,
                   snSub(snMulAP(b, snAdd(own, near->to)), snMulAP(a, snAdd(own, near->from))));
}
