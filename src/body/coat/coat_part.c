#include "body/coat/coating.h"

#include "character/tissue.h"
#include "core/error.h"
#include "geometry/tree.h"
#include "geometry/winding.h"

// No two elements may touch at rest. Where two do, the one that grows from the other gives way by beginning farther out
// (or the lighter one, or both, where neither does), until they are apart or so little is left of it that it has no element. Those
// that are no neighbours (an arm that hangs beside a thigh) get thinner instead.

#define SHORTER 0.06 // of a link's length, in a round
#define THINNER 0.94 // times as thick, in a round
#define LEAST 0.25   // of a link's length, or it gets bare
#define LIGHTER 0.8  // times as thick: it gives way alone
#define ROUNDS 60

typedef struct Envelope {
    int count, triangleCount;
    snVec3 *points;
    int *triangles;
    snMeshTree tree;
    snBox box;
} Envelope;

typedef struct Parting {
    snCoatPlan *plan;
    snCoatTube *tubes;
    Envelope *envelopes; // [linkCount], count 0: bare
    snArena arena;       // scratch of a round
} Parting;

static snStatus makeEnvelope(Parting *p, int k, snError *error)
{
    const snCoatLinkDef *link = &p->plan->links[k];
    Envelope *out = &p->envelopes[k];
    *out = (Envelope){0};
    if (link->bare) return SN_OK;
    snElementDef def = snDefaultElementDef();
    snElement element;
    int n = link->along * p->plan->round + 2;
    out->points = SN_NEW(&p->arena, snVec3, n);
    snVec3 *feet = SN_NEW(&p->arena, snVec3, n);
    if (!out->points || !feet) return snFailMemory(error);
    snCoatTube_Samples(&p->tubes[k], p->plan, k, out->points, feet);
    def.rows = link->along, def.columns = p->plan->round;
    def.samples = out->points, def.feet = feet;
    snStatus status = snElement_Make(&element, &def, &p->arena, error);
    if (status) {
        snError_Prefix(error, "links[%d]", k);
        return status;
    }
    out->count = n;
    out->triangleCount = element.triangleCount;
    out->triangles = element.triangles;
    out->box = snBoxOf(n, out->points);
    snMesh mesh = {n, out->triangleCount, out->points, out->triangles};
    return snMeshTree_Build(&out->tree, &mesh, &p->arena, error);
}

// An edge of a goes through a triangle of b, or a corner of a is inside of b.
static bool reachesInto(const Envelope *a, const Envelope *b)
{
    for (int t = 0; t < a->triangleCount; t++)
        for (int k = 0; k < 3; k++) {
            int i = a->triangles[3 * t + k], j = a->triangles[3 * t + (k + 1) % 3];
            if (i > j) continue; // each edge once
            snVec3 way = snSub(a->points[j], a->points[i]);
            if (snMeshTree_Ray(&b->tree, a->points[i], way, 1).triangle >= 0) return true;
        }
    return fabs(snMesh_Winding(&b->tree.mesh, a->points[0])) > 0.5;
}

static bool touch(const Envelope *a, const Envelope *b)
{
    if (!a->count || !b->count || !snBoxOverlap(a->box, b->box)) return false;
    return reachesInto(a, b) || reachesInto(b, a);
}

static bool isAncestor(const snSkeleton *skeleton, int ancestor, int joint)
{
    while (joint >= 0 && joint != ancestor)
        joint = skeleton->joints[joint].parent;
    return joint >= 0;
}

// Links that have an end in one place; which end of each.
static bool meet(const Parting *p, int a, int b, int end[2])
{
    snVec3 ends[2][2];
    int link[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        const snCoatTube *t = &p->tubes[link[k]];
        ends[k][0] = t->head;
        ends[k][1] = snMulAdd(t->head, t->length, t->axis);
    }
    double near = 1e-3 * (p->tubes[a].length + p->tubes[b].length);
    for (int e = 0; e < 4; e++)
        if (snDistance(ends[0][e & 1], ends[1][e >> 1]) < near) {
            end[0] = e & 1, end[1] = e >> 1;
            return true;
        }
    return false;
}

static void shorten(snCoatLinkDef *link, int end)
{
    if (end)
        link->to -= SHORTER;
    else
        link->from += SHORTER;
    if (link->to - link->from < LEAST) link->bare = true;
}

static void thin(snCoatLinkDef *link)
{
    for (int e = 0; e < 2; e++)
        link->width[e] *= THINNER, link->depth[e] *= THINNER;
}

// At its branch b begins inside of a: where b's place on its own axis comes out of a is not known, so it goes outwards a bit.
static void giveWay(Parting *p, int a, int b)
{
    snCoatLinkDef *links = p->plan->links;
    int end[2], chain = links[a].chain == links[b].chain;
    bool below = isAncestor(p->plan->skeleton, links[a].child, links[b].joint);
    if (meet(p, a, b, end)) {
        double thick[2] = {links[a].width[end[0]], links[b].width[end[1]]};
        if (chain || (!below && thick[0] < thick[1] / LIGHTER)) shorten(&links[a], end[0]);
        if (chain || below || thick[1] < thick[0] / LIGHTER) shorten(&links[b], end[1]);
    } else if (below && snCoatPlan_Before(p->plan, b) < 0) {
        shorten(&links[b], 0);
    } else {
        thin(&links[a]);
        thin(&links[b]);
    }
}

// A round: what touched has given way. *count is how many pairs did.
static snStatus playRound(Parting *p, int *count, snError *error)
{
    int n = p->plan->linkCount;
    snStatus status = SN_OK;
    *count = 0;
    snArenaMark mark = snArena_Mark(&p->arena);
    for (int k = 0; k < n && !status; k++)
        status = makeEnvelope(p, k, error);
    for (int a = 0; a < n && !status; a++)
        for (int b = a + 1; b < n; b++) {
            if (p->plan->links[a].bare || p->plan->links[b].bare) continue;
            if (!touch(&p->envelopes[a], &p->envelopes[b])) continue;
            giveWay(p, a, b);
            ++*count;
        }
    snArena_Rewind(&p->arena, mark);
    return status;
}

// Left and right are rarely as alike in captures as people are: what one side lost the other loses too.
static void evenOut(snCoatPlan *plan)
{
    const snJoint *joints = plan->skeleton->joints;
    for (int a = 0; a < plan->linkCount; a++)
        for (int b = a + 1; b < plan->linkCount; b++) {
            snCoatLinkDef *l = &plan->links[a], *r = &plan->links[b];
            if (!snTissue_AreSides(joints[l->joint].name, joints[r->joint].name) ||
                !snTissue_AreSides(joints[l->child].name, joints[r->child].name))
                continue;
            l->bare = r->bare = l->bare || r->bare;
            l->from = r->from = fmax(l->from, r->from);
            l->to = r->to = fmin(l->to, r->to);
            if (l->to - l->from < LEAST) l->bare = r->bare = true;
        }
}

snStatus snCoatPlan_Part(snCoatPlan *plan, const snContext *context, snError *error)
{
    Parting p = {.plan = plan, .arena = snMakeArena(context)};
    int count = 1;
    snStatus status = snCoatPlan_Tubes(plan, &p.tubes, &p.arena, error);
    p.envelopes = SN_NEW(&p.arena, Envelope, plan->linkCount);
    if (!status && !p.envelopes) status = snFailMemory(error);
    bool changed = false;
    for (int r = 0; r < ROUNDS && count && !status; r++) {
        status = playRound(&p, &count, error);
        changed |= count > 0;
        if (count || !changed) continue;
        evenOut(plan); // looked at once more: rings of shorter elements stand a little differently
        changed = false;
        count = 1;
    }
    if (!status && count)
        status = snFail(error, SN_ERROR_GEOMETRY,
                        "%d pairs of elements still touch at rest; make flesh thinner", count);
    snArena_Destroy(&p.arena);
    return status;
}
