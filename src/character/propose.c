// From a curve skeleton to joints. Key nodes of the curve (root, forks, ends) become joints; forks
// close to each other become one. The chains between them get joints where a limb leaves the body,
// where the curve bends, and at regular distances.
#include "character/propose_parts.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

typedef struct Builder {
    snProposal *proposal;
    const snCurve *curve;
    int capacity;
    int *children;  // [nodes], number of children; mirror images count
    bool *key;      // [nodes]
    int *above;     // [nodes], the nearest key node above
    double *length; // [nodes], length of the way from it
    int *jointOf;   // [nodes], of key nodes
    int *points;    // [nodes + 1], the chain at hand, from its upper key node on
    double *arc;    // [nodes + 1], length of the way to each of them
    bool *chosen;   // [nodes + 1], which of them become joints
    int chains;
} Builder;

snProposeDef snDefaultProposeDef(void)
{
    return (snProposeDef){snDefaultCurveDef(), {0, 1, 0}, 0.11};
}

// ---- key nodes ----

// A fork right behind a fork or the root, nearer than half the flesh is deep, is no place of its own.
static bool isCrowded(const Builder *builder, int node)
{
    const snCurveNode *nodes = builder->curve->nodes;
    int above = builder->above[node];
    if (builder->children[node] == 0 || above < 0) return false;
    return builder->length[node] < 0.5 * nodes[above].radius;
}

static void findKeys(Builder *builder)
{
    const snCurve *curve = builder->curve;
    bool mirrored = curve->mirror.found;
    for (int i = 1; i < curve->count; i++) {
        const snCurveNode *node = &curve->nodes[i], *parent = &curve->nodes[node->parent];
        builder->children[node->parent] += mirrored && parent->central && !node->central ? 2 : 1;
        // A half ring that comes back to the middle ends there.
        if (mirrored && !parent->central && node->central) builder->key[node->parent] = true;
    }
    builder->above[0] = -1;
    builder->key[0] = true;
    for (int i = 1; i < curve->count; i++) {
        int parent = curve->nodes[i].parent;
        bool below = builder->key[parent];
        builder->above[i] = below ? parent : builder->above[parent];
        builder->length[i] = (below ? 0.0 : builder->length[parent]) +
                             snDistance(curve->nodes[i].at, curve->nodes[parent].at);
        if (builder->children[i] != 1) builder->key[i] = true;
        if (builder->key[i] && isCrowded(builder, i)) builder->key[i] = false;
    }
}

// ---- one chain ----

static int collectChain(Builder *builder, int end)
{
    const snCurveNode *nodes = builder->curve->nodes;
    int count = 0, top = builder->above[end];
    for (int i = end; i != top; i = nodes[i].parent)
        builder->points[count++] = i;
    builder->points[count++] = top;
    for (int a = 0, b = count - 1; a < b; a++, b--) {
        int swap = builder->points[a];
        builder->points[a] = builder->points[b];
        builder->points[b] = swap;
    }
    builder->arc[0] = 0.0;
    builder->chosen[0] = false;
    for (int i = 1; i < count; i++) {
        builder->chosen[i] = false;
        builder->arc[i] = builder->arc[i - 1] + snDistance(nodes[builder->points[i]].at,
                                                           nodes[builder->points[i - 1]].at);
    }
    return count;
}

static const snCurveNode *pointOf(const Builder *builder, int i)
{
    return &builder->curve->nodes[builder->points[i]];
}

// Where a limb that is thinner than the body at its root comes out of it, so that it turns there and
// not in the middle of the body. 0: nowhere.
static int findBase(const Builder *builder, int count)
{
    const snCurveNode *top = pointOf(builder, 0);
    double whole = builder->arc[count - 1], rest = fmax(3.0 * builder->curve->cell, 0.1 * whole);
    for (int i = 1; i + 1 < count && whole - builder->arc[i] >= rest; i++)
        if (snDistance(pointOf(builder, i)->at, top->at) >= 0.9 * top->radius)
            return pointOf(builder, i)->radius < 0.8 * top->radius ? i : 0;
    return 0;
}

static double meanRadius(const Builder *builder, int from, int to)
{
    double sum = 0.0;
    for (int i = from; i <= to; i++)
        sum += pointOf(builder, i)->radius;
    return sum / (to - from + 1);
}

// The point of the chain that is farthest from the straight line, and how far it is.
static int farthestFromLine(const Builder *builder, int from, int to, double *distance)
{
    snVec3 a = pointOf(builder, from)->at;
    snVec3 u = snNormalizeOr(snSub(pointOf(builder, to)->at, a), snVec(0, 0, 0));
    int best = -1;
    *distance = -1.0;
    for (int i = from + 1; i < to; i++) {
        snVec3 d = snSub(pointOf(builder, i)->at, a);
        double away = snLength(snMulAdd(d, -snDot(d, u), u));
        if (away <= *distance) continue;
        best = i;
        *distance = away;
    }
    return best;
}

// Douglas and Peucker's method: where the chain leaves the straight line by more than a good part of
// its thickness, or the line leaves the inside, there is a joint.
static void chooseBends(Builder *builder, int from, int to)
{
    double distance, allowed = 0.4 * meanRadius(builder, from, to) + builder->curve->cell;
    int bend = farthestFromLine(builder, from, to, &distance);
    if (bend < 0) return;
    if (distance <= allowed &&
        snSolid_SegmentInside(builder->proposal->solid, pointOf(builder, from)->at,
                              pointOf(builder, to)->at, 0.5 * builder->curve->cell))
        return;
    builder->chosen[bend] = true;
    chooseBends(builder, from, bend);
    chooseBends(builder, bend, to);
}

static int pointAt(const Builder *builder, int from, int to, double arc)
{
    int best = from;
    for (int i = from; i <= to; i++)
        if (fabs(builder->arc[i] - arc) < fabs(builder->arc[best] - arc)) best = i;
    return best;
}

// Long straight pieces get joints at equal distances; a limb that is long for its thickness gets one
// in its middle at least.
static void divide(Builder *builder, int from, int to, bool limb)
{
    const snProposal *proposal = builder->proposal;
    double length = builder->arc[to] - builder->arc[from];
    double bone = proposal->def->boneLength * proposal->solid->size;
    int pieces = (int)floor(length / bone + 0.5);
    bool slender = limb && length > 2.0 * meanRadius(builder, from, to) && length > 0.6 * bone;
    if (pieces < 1) pieces = 1;
    if (slender && pieces < 2) pieces = 2;
    for (int k = 1; k < pieces; k++) {
        int i = pointAt(builder, from, to, builder->arc[from] + k * length / pieces);
        if (i > from && i < to) builder->chosen[i] = true;
    }
}

static int nextChosen(const Builder *builder, int from, int last)
{
    int i = from + 1;
    while (i < last && !builder->chosen[i])
        i++;
    return i;
}

static void chooseJoints(Builder *builder, int count)
{
    int last = count - 1, base = findBase(builder, count);
    bool limb = builder->children[builder->points[last]] == 0;
    if (base > 0) builder->chosen[base] = true;
    chooseBends(builder, 0, base);
    chooseBends(builder, base, last);
    bool whole = nextChosen(builder, base, last) == last; // without bends
    for (int from = base; from < last;) {
        int to = nextChosen(builder, from, last);
        divide(builder, from, to, limb && whole);
        from = to;
    }
    // Joints at equal distances need not be on the bends' straight lines: look again.
    for (int from = 0; from < last;) {
        int to = nextChosen(builder, from, last);
        chooseBends(builder, from, to);
        from = to;
    }
    builder->chosen[last] = true;
}

static snStatus addJoint(Builder *builder, int node, int parent, int *joint, snError *error)
{
    snProposal *proposal = builder->proposal;
    const snCurveNode *at = &builder->curve->nodes[node];
    if (proposal->count >= builder->capacity) return snFailMemory(error);
    *joint = proposal->count++;
    proposal->joints[*joint] = (snProposed){.at = at->at,
                                            .radius = at->radius,
                                            .parent = parent,
                                            .central = at->central,
                                            .chain = builder->chains};
    return SN_OK;
}

static snStatus addChain(Builder *builder, int end, snError *error)
{
    int count = collectChain(builder, end), joint = builder->jointOf[builder->above[end]];
    builder->chains++;
    chooseJoints(builder, count);
    for (int i = 1; i < count; i++) {
        if (!builder->chosen[i]) continue;
        snStatus status = addJoint(builder, builder->points[i], joint, &joint, error);
        if (status) return status;
    }
    builder->jointOf[end] = joint;
    return SN_OK;
}

static snStatus buildJoints(Builder *builder, snArena *arena, snError *error)
{
    size_t count = (size_t)builder->curve->count;
    builder->children = SN_NEW(arena, int, count);
    builder->key = SN_NEW(arena, bool, count);
    builder->above = SN_NEW(arena, int, count);
    builder->length = SN_NEW(arena, double, count);
    builder->jointOf = SN_NEW(arena, int, count);
    builder->points = SN_NEW(arena, int, count + 1);
    builder->arc = SN_NEW(arena, double, count + 1);
    builder->chosen = SN_NEW(arena, bool, count + 1);
    builder->proposal->joints = SN_NEW(arena, snProposed, count);
    builder->capacity = builder->curve->count;
    if (!builder->children || !builder->key || !builder->above || !builder->length ||
        !builder->jointOf || !builder->points || !builder->arc || !builder->chosen ||
        !builder->proposal->joints)
        return snFailMemory(error);
    findKeys(builder);
    snStatus status = addJoint(builder, 0, -1, &builder->jointOf[0], error);
    for (int i = 1; !status && i < builder->curve->count; i++)
        if (builder->key[i]) status = addChain(builder, i, error);
    return status;
}

// ---- the plan ----

static snStatus addPlanJoint(snRigPlan *plan, const snProposed *joint, const char *side, snVec3 at,
                             int *number, snError *error)
{
    char name[SN_PROPOSED_NAME + 4];
    snprintf(name, sizeof name, "%s%s", joint->name, side);
    return snRigPlan_AddJoint(plan, name, at, number, error);
}

static snStatus connectTo(snRigPlan *plan, int joint, int parent, snError *error)
{
    return parent < 0 ? SN_OK : snRigPlan_Connect(plan, parent, joint, error);
}

// Unfolds: each joint that is not central becomes two. first[j] and second[j] are their numbers; for
// central ones they are the same.
static snStatus unfold(snRigPlan *plan, const snProposal *proposal, int *first, int *second,
                       snError *error)
{
    bool mirrored = proposal->mirror.found;
    const char *near = proposal->leftIsNormal ? "_L" : "_R";
    const char *far = proposal->leftIsNormal ? "_R" : "_L";
    for (int j = 0; j < proposal->count; j++) {
        const snProposed *joint = &proposal->joints[j];
        bool single = !mirrored || joint->central;
        snStatus status =
            addPlanJoint(plan, joint, single ? "" : near, joint->at, &first[j], error);
        if (!status)
            status =
                connectTo(plan, first[j], joint->parent < 0 ? -1 : first[joint->parent], error);
        second[j] = first[j];
        if (!status && !single) {
            snVec3 image = snMirror_Of(&proposal->mirror, joint->at);
            status = addPlanJoint(plan, joint, far, image, &second[j], error);
            if (!status) status = connectTo(plan, second[j], second[joint->parent], error);
        }
        if (status) return status;
    }
    plan->root = 0;
    return SN_OK;
}

static snStatus propose(snRigPlan *plan, snProposal *proposal, const snTasks *tasks, snArena *arena,
                        snError *error)
{
    snCurve curve;
    snStatus status =
        snCurve_Trace(&curve, proposal->solid, &proposal->def->curve, tasks, arena, error);
    if (status) return status;
    Builder builder = {.proposal = proposal, .curve = &curve};
    proposal->mirror = curve.mirror;
    status = buildJoints(&builder, arena, error);
    if (status) return status;
    snProposal_NameJoints(proposal);
    int *first = SN_NEW(arena, int, proposal->count), *second = SN_NEW(arena, int, proposal->count);
    if (!first || !second) return snFailMemory(error);
    return unfold(plan, proposal, first, second, error);
}

snStatus snProposeRig(snRigPlan *plan, const snSolid *solid, const snProposeDef *def,
                      const snTasks *tasks, snError *error)
{
    SN_ASSERT(plan->joints.count == 0);
    if (!(def->boneLength > 0.0))
        return snFail(error, SN_ERROR_ARGUMENT, "boneLength is %g; it must be above 0",
                      def->boneLength);
    snContext context = {.allocator = plan->arena.allocator};
    snArena scratch = snMakeArena(&context);
    snProposal proposal = {.solid = solid, .def = def};
    snStatus status = propose(plan, &proposal, tasks, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
