#include "body/coat/coating.h"

#include "character/tissue.h"
#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

// Thickness. A limb must carry, feed and move what lies beyond it. With L the length of all bones from a link on, r² = κ L
// gives a person's thighs, calves, arms and trunk within a fifth when κ is a 240th of the height, and sections of branches
// that sum to that of what they grow from (da Vinci's rule for trees). Heads are told by their names.

#define SLENDER 0.0042    // κ, of the skeleton's largest extent
#define LEAST_LENGTH 1e-3 // of the extent: joints that are nearer are in one place
#define HEAD_SIZE 0.046   // half a head's width, of the extent
#define TIP 0.7           // how thick the end of a chain is, of its beginning
#define ROOTED 0.62       // how thick a branch is at its beginning, of what it grows from, at most
#define MOST_GAP 0.15     // of a link's length: between it and the next
#define TURN 0.2          // cosine beyond which a chain does not go on at a branch

snCoatDef snDefaultCoatDef(void)
{
    snElementDef e = snDefaultElementDef();
    return (snCoatDef){.thickness = 1,
                       .along = 4,
                       .round = 8,
                       .spacing = 0.3,
                       .bulge = 0.08,
                       .spread = -1,
                       .flesh = {.young = e.young,
                                 .density = e.density,
                                 .damping = e.damping,
                                 .plasticity = e.plasticity,
                                 .propagation = snDefaultPropagation(),
                                 .reach = e.reach},
                       .spline = snDefaultSplineShape(SN_SPLINE_B),
                       .fineAlong = 3,
                       .fineAcross = 3};
}

typedef struct Bone {
    int joint, child;
    int parent; // the bone that it grows from; -1: none
    snVec3 head, way;
    double length, beyond; // of all from here on
    int next;              // the bone that continues its chain; -1: none
    bool begins;           // a chain
    double radius[2];
    snVec3 side;
    double reach; // how far branches reach sideways
} Bone;

typedef struct Planner {
    const snSkeleton *skeleton;
    const snCoatDef *def;
    snCoatPlan *plan;
    double extent;
    int count;
    unsigned char *used; // [jointCount], with what lies between
    Bone *bones;
    int *boneTo; // [jointCount], the bone that ends in a joint; -1: none
} Planner;

// ---- bones ------------------------------------------------------------------------------------------

// Those asked for, and whatever has one above and one below it. Children stand behind their parents.
static snStatus findUsed(Planner *p, snArena *arena, snError *error)
{
    const unsigned char *given = p->def->used;
    int n = p->skeleton->jointCount;
    unsigned char *above = SN_NEW(arena, unsigned char, n),
                  *below = SN_NEW(arena, unsigned char, n);
    p->used = SN_NEW(arena, unsigned char, n);
    if (!above || !below || !p->used) return snFailMemory(error);
    for (int j = 0; j < n; j++) {
        int parent = p->skeleton->joints[j].parent;
        below[j] = !given || given[j];
        above[j] = below[j] || (parent >= 0 && above[parent]);
    }
    for (int j = n - 1; j >= 0; j--) {
        int parent = p->skeleton->joints[j].parent;
        if (parent >= 0) below[parent] |= below[j];
        p->used[j] = above[j] && below[j];
    }
    return SN_OK;
}

static snStatus findMedian(Planner *p, snArena *arena, snError *error)
{
    snPose pose;
    snStatus status = snPose_Make(&pose, p->skeleton, 0, arena, error);
    if (status) return status;
    for (int j = 0; p->def->median && j < p->skeleton->jointCount; j++)
        pose.local[j].rotation = p->def->median[j];
    snPose_Globals(&pose, p->skeleton);
    p->plan->median = pose.global;
    p->plan->turns = SN_NEW(arena, snQuat, p->skeleton->jointCount);
    if (!p->plan->turns) return snFailMemory(error);
    for (int j = 0; j < p->skeleton->jointCount; j++)
        p->plan->turns[j] = pose.local[j].rotation;
    snBox box = snEmptyBox();
    for (int j = 0; j < p->skeleton->jointCount; j++)
        if (p->used[j]) box = snBoxAdd(box, pose.global[j].origin);
    snVec3 size = snSub(box.upper, box.lower);
    p->extent = fmax(size.x, fmax(size.y, size.z));
    return SN_OK;
}

static snStatus findBones(Planner *p, snArena *arena, snError *error)
{
    int n = p->skeleton->jointCount;
    p->bones = SN_NEW(arena, Bone, n);
    p->boneTo = SN_NEW(arena, int, n);
    if (!p->bones || !p->boneTo) return snFailMemory(error);
    for (int j = 0; j < n; j++) {
        int parent = p->skeleton->joints[j].parent;
        p->boneTo[j] = parent >= 0 ? p->boneTo[parent] : -1; // where nothing is between
        if (parent < 0 || !p->used[j] || !p->used[parent]) continue;
        snVec3 head = p->plan->median[parent].origin;
        snVec3 way = snSub(p->plan->median[j].origin, head);
        double length = snLength(way);
        if (!(length > LEAST_LENGTH * p->extent)) continue;
        Bone *b = &p->bones[p->count];
        *b = (Bone){.joint = parent, .child = j, .head = head, .length = length, .next = -1};
        b->parent = p->boneTo[parent];
        b->way = snScale(1 / length, way);
        p->boneTo[j] = p->count++;
    }
    if (p->count > 0) return SN_OK;
    return snFail(error, SN_ERROR_GEOMETRY,
                  "the skeleton has no two joints that are apart, so there is nothing to coat");
}

static void measureBeyond(Planner *p)
{
    for (int b = 0; b < p->count; b++)
        p->bones[b].beyond = p->bones[b].length;
    for (int b = p->count - 1; b > 0; b--) // children stand behind their parents
        if (p->bones[b].parent >= 0) p->bones[p->bones[b].parent].beyond += p->bones[b].beyond;
}

// ---- chains -------------------------------------------------------------------------------------------

// A chain goes on with its only child, or where it branches with the one that goes on straightest and is the heaviest.
static void findChains(Planner *p)
{
    for (int b = 0; b < p->count; b++) {
        Bone *bone = &p->bones[b];
        double best = -2;
        int children = 0, straight = -1;
        for (int c = b + 1; c < p->count; c++) {
            if (p->bones[c].parent != b) continue;
            double turn = snDot(bone->way, p->bones[c].way);
            double share = p->bones[c].beyond / (bone->beyond - bone->length);
            children++;
            if (turn + 0.3 * share > best) best = turn + 0.3 * share, straight = c;
        }
        if (straight < 0) continue;
        if (children == 1 || snDot(bone->way, p->bones[straight].way) > TURN) bone->next = straight;
    }
    for (int b = 0; b < p->count; b++)
        p->bones[b].begins = true;
    for (int b = 0; b < p->count; b++)
        if (p->bones[b].next >= 0) p->bones[p->bones[b].next].begins = false;
}

// ---- sections -----------------------------------------------------------------------------------------

static bool branches(const Planner *p, int b)
{
    for (int c = b + 1; c < p->count; c++)
        if (p->bones[c].parent == b && c != p->bones[b].next) return true;
    return false;
}

static void findRadii(Planner *p)
{
    double scale = p->def->thickness;
    for (int b = 0; b < p->count; b++) {
        Bone *bone = &p->bones[b];
        const char *name = p->skeleton->joints[bone->joint].name;
        bone->radius[0] = scale * sqrt(SLENDER * p->extent * bone->beyond);
        bool head = snTissue_NameHas(name, "head") || snTissue_NameHas(name, "skull");
        if (head && bone->next < 0) bone->radius[0] = scale * HEAD_SIZE * p->extent;
    }
    for (int b = 0; b < p->count; b++) {
        Bone *bone = &p->bones[b];
        double rest = bone->beyond - bone->length; // of all that goes on from its tail
        double least = branches(p, b) ? scale * sqrt(SLENDER * p->extent * rest) : 0;
        double next = bone->next >= 0 ? p->bones[bone->next].radius[0] : TIP * bone->radius[0];
        bone->radius[1] = fmax(least, next);
    }
    for (int b = 0; b < p->count; b++) { // a branch begins inside what it grows from
        Bone *bone = &p->bones[b];
        if (bone->begins && bone->parent >= 0)
            bone->radius[0] = fmin(bone->radius[0], ROOTED * p->bones[bone->parent].radius[1]);
    }
}

// What branches off at a bone's head or tail tells which way its section is wide.
static void findSides(Planner *p)
{
    for (int b = 0; b < p->count; b++) {
        Bone *bone = &p->bones[b];
        for (int c = 0; c < p->count; c++) {
            const Bone *branch = &p->bones[c];
            bool atHead = branch->begins && branch->parent == bone->parent && c != b;
            bool atTail = branch->begins && branch->parent == b;
            if (!atHead && !atTail) continue;
            snVec3 end = snMulAdd(branch->head, branch->length, branch->way);
            snVec3 off = snSub(end, bone->head);
            off = snMulAdd(off, -snDot(off, bone->way), bone->way);
            // A long branch (an arm without a shoulder) says where, not how far.
            double reach = fmin(snLength(off), 2 * bone->radius[0]);
            if (reach > 0.5 * bone->radius[0] && reach > bone->reach) {
                bone->reach = reach;
                bone->side = snNormalizeOr(off, snVec(0, 0, 0));
            }
        }
    }
    for (int b = 0; b < p->count;
         b++) { // a chain that knows its sides somewhere has them everywhere
        int next = p->bones[b].next;
        if (next >= 0 && p->bones[next].reach == 0 && p->bones[b].reach > 0)
            p->bones[next].side = p->bones[b].side;
    }
}

static double bestSpread(const Bone *bone)
{
    double radius = (bone->radius[0] + bone->radius[1]) / 2;
    return fmax(0, 1 - 2 * radius / bone->length);
}

static void setLink(Planner *p, int b, int chain)
{
    const Bone *bone = &p->bones[b];
    snCoatLinkDef *link = &p->plan->links[b];
    double width = 1;
    *link = (snCoatLinkDef){.joint = bone->joint, .child = bone->child, .chain = chain};
    if (bone->reach > 0) width = snClamp(0.85 * bone->reach / bone->radius[0], 1.12, 1.35);
    for (int k = 0; k < 2; k++) {
        link->width[k] = bone->radius[k] * width;
        link->depth[k] = bone->radius[k] / width;
    }
    link->side = bone->side;
    double radius = (bone->radius[0] + bone->radius[1]) / 2; // short thick links would get ripples
    link->bulge = p->def->bulge * snClamp(bone->length / (2 * radius) - 0.5, 0, 1);
    link->spread = p->def->spread < 0 ? bestSpread(bone) : p->def->spread;
    link->along = p->def->along;
    link->flesh = p->def->flesh;
    double gap[2] = {p->def->spacing * bone->radius[0] / bone->length,
                     p->def->spacing * bone->radius[1] / bone->length};
    bool free = bone->begins && bone->parent < 0;
    link->from = free ? 0 : fmin(gap[0], MOST_GAP);
    link->to = bone->next < 0 ? 1 : 1 - fmin(gap[1], MOST_GAP);
    if (bone->begins) link->caps[0] = (free && bone->reach > 0 ? 1 : 0.6) * bone->radius[0];
    if (bone->next < 0) link->caps[1] = 0.6 * bone->radius[1];
}

snStatus snCoatPlan_Propose(snCoatPlan *plan, const snSkeleton *skeleton, const snCoatDef *def,
                            snArena *arena, snError *error)
{
    Planner p = {.skeleton = skeleton, .def = def, .plan = plan};
    *plan = (snCoatPlan){.skeleton = skeleton,
                         .round = def->round,
                         .spline = def->spline,
                         .fineAlong = def->fineAlong,
                         .fineAcross = def->fineAcross};
    snStatus status = findUsed(&p, arena, error);
    if (!status) status = findMedian(&p, arena, error);
    if (!status) status = findBones(&p, arena, error);
    if (status) return status;
    measureBeyond(&p);
    findChains(&p);
    findRadii(&p);
    findSides(&p);
    plan->linkCount = p.count;
    plan->links = SN_NEW(arena, snCoatLinkDef, p.count);
    if (!plan->links) return snFailMemory(error);
    for (int b = 0, chain = 0; b < p.count; b++)
        if (p.bones[b].begins) {
            for (int c = b; c >= 0; c = p.bones[c].next)
                setLink(&p, c, chain);
            chain++;
        }
    return snCoatPlan_Check(plan, error);
}

// ---- checking -------------------------------------------------------------------------------------------

static bool positive(double x)
{
    return x > 0 && isfinite(x);
}

static snStatus checkFlesh(const snCoatFlesh *f, int k, snError *error)
{
    const snPropagation *p = &f->propagation;
    if (!positive(f->young) || !positive(f->density))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "links[%d].flesh: young is %g and density %g; both must be above 0", k,
                      f->young, f->density);
    if (!(f->damping >= 0) || f->reach < 1)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "links[%d].flesh: damping is %g and reach %d; they must be 0 or more, 1 or more", k,
            f->damping, f->reach);
    if (!(fabs(p->share) < 1) || !(p->area >= 0 && p->area <= 1) ||
        !(p->direction >= 0 && p->direction <= 1))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "links[%d].flesh.propagation: share is %g, area %g, direction %g; the first must "
            "be in (-1, 1), the others in [0, 1]",
            k, p->share, p->area, p->direction);
    return SN_OK;
}

static snStatus checkLink(const snCoatPlan *plan, int k, snError *error)
{
    const snCoatLinkDef *l = &plan->links[k];
    int n = plan->skeleton->jointCount;
    if (l->joint < 0 || l->joint >= n || l->child < 0 || l->child >= n)
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].joint: there is no joint %d or %d", k,
                      l->joint, l->child);
    double apart = snDistance(plan->median[l->joint].origin, plan->median[l->child].origin);
    if (!(apart > 0))
        return snFail(error, SN_ERROR_GEOMETRY, "links[%d].joint: its joints are in one place", k);
    for (int e = 0; e < 2; e++)
        if (!positive(l->width[e]) || !positive(l->depth[e]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "links[%d].%s: %g; half a thickness must be above 0", k,
                          positive(l->width[e]) ? "depth" : "width",
                          positive(l->width[e]) ? l->depth[e] : l->width[e]);
    if (!(l->from >= 0 && l->to > l->from && l->to <= 1))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "links[%d].from: the element reaches from %g to %g; it must ascend within [0, 1]", k,
            l->from, l->to);
    if (l->along < 2 || l->along > 1000)
        return snFail(error, SN_ERROR_ARGUMENT, "links[%d].along: %d; it must be from 2 to 1000", k,
                      l->along);
    if (!(l->spread >= 0 && l->spread <= 1) || !(l->bulge > -0.9 && l->bulge < 10))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "links[%d].spread: it is %g and bulge %g; the first must be in [0, 1], the second "
            "in (-0.9, 10)",
            k, l->spread, l->bulge);
    return checkFlesh(&l->flesh, k, error);
}

snStatus snCoatPlan_Check(const snCoatPlan *plan, snError *error)
{
    if (plan->round < 3 || plan->round > 1000)
        return snFail(error, SN_ERROR_ARGUMENT, "round: %d; it must be from 3 to 1000",
                      plan->round);
    if (plan->linkCount < 1) return snFail(error, SN_ERROR_ARGUMENT, "links: there are none");
    for (int k = 0; k < plan->linkCount; k++) {
        snStatus status = checkLink(plan, k, error);
        if (status) return status;
    }
    return SN_OK;
}

int snCoatPlan_Before(const snCoatPlan *plan, int link)
{
    for (int k = link - 1; k >= 0; k--)
        if (plan->links[k].chain == plan->links[link].chain) return k;
    return -1;
}

int snCoatPlan_Behind(const snCoatPlan *plan, int link)
{
    for (int k = link + 1; k < plan->linkCount; k++)
        if (plan->links[k].chain == plan->links[link].chain) return k;
    return -1;
}
