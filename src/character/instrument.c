#include "character/instrument.h"

#include "core/error.h"

#include <string.h>

// ---- the plan ----

snRigPlan snMakeRigPlan(const snContext *context)
{
    return (snRigPlan){.arena = snMakeArena(context)};
}

void snRigPlan_Destroy(snRigPlan *plan)
{
    const snAllocator *allocator = &plan->arena.allocator;
    if (!allocator->release) return;
    snArray_Free(allocator, &plan->joints);
    snArray_Free(allocator, &plan->bones);
    snArena_Destroy(&plan->arena);
}

int snRigPlan_Find(const snRigPlan *plan, const char *name)
{
    for (int j = 0; j < plan->joints.count; j++)
        if (!strcmp(plan->joints.data[j].name, name)) return j;
    return -1;
}

static snStatus copyName(snRigPlan *plan, const char *name, int joint, const char **copy,
                         snError *error)
{
    if (!name || !*name)
        return snFail(error, SN_ERROR_ARGUMENT, "joint %d has no name; give it one", joint);
    int other = snRigPlan_Find(plan, name);
    if (other >= 0 && other != joint)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "two joints are called '%.100s'; give one another name", name);
    *copy = snArena_CopyString(&plan->arena, name, strlen(name));
    return *copy ? SN_OK : snFailMemory(error);
}

snStatus snRigPlan_AddJoint(snRigPlan *plan, const char *name, snVec3 at, int *joint,
                            snError *error)
{
    snPlanJoint added = {NULL, at};
    snStatus status = copyName(plan, name, plan->joints.count, &added.name, error);
    if (status) return status;
    if (!snIsFinite3(at))
        return snFail(error, SN_ERROR_ARGUMENT, "the place of joint '%.100s' is not finite", name);
    if (!snArray_Push(&plan->arena.allocator, &plan->joints, added)) return snFailMemory(error);
    if (joint) *joint = plan->joints.count - 1;
    return SN_OK;
}

static snStatus checkJoint(const snRigPlan *plan, int joint, snError *error)
{
    if (joint >= 0 && joint < plan->joints.count) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "there is no joint %d among %d", joint,
                  plan->joints.count);
}

snStatus snRigPlan_Rename(snRigPlan *plan, int joint, const char *name, snError *error)
{
    snStatus status = checkJoint(plan, joint, error);
    return status ? status : copyName(plan, name, joint, &plan->joints.data[joint].name, error);
}

void snRigPlan_RemoveJoint(snRigPlan *plan, int joint)
{
    if (checkJoint(plan, joint, NULL)) return;
    int kept = 0;
    for (int i = 0; i < plan->bones.count; i++) {
        snPlanBone bone = plan->bones.data[i];
        if (bone.a == joint || bone.b == joint) continue;
        plan->bones.data[kept++] =
            (snPlanBone){bone.a - (bone.a > joint), bone.b - (bone.b > joint)};
    }
    plan->bones.count = kept;
    plan->joints.count--;
    memmove(plan->joints.data + joint, plan->joints.data + joint + 1,
            (size_t)(plan->joints.count - joint) * sizeof *plan->joints.data);
    plan->root = plan->root == joint ? 0 : plan->root - (plan->root > joint);
}

static int findBone(const snRigPlan *plan, int a, int b)
{
    for (int i = 0; i < plan->bones.count; i++) {
        snPlanBone bone = plan->bones.data[i];
        if ((bone.a == a && bone.b == b) || (bone.a == b && bone.b == a)) return i;
    }
    return -1;
}

snStatus snRigPlan_Connect(snRigPlan *plan, int a, int b, snError *error)
{
    snStatus status = checkJoint(plan, a, error);
    if (!status) status = checkJoint(plan, b, error);
    if (status) return status;
    const char *first = plan->joints.data[a].name, *second = plan->joints.data[b].name;
    if (a == b)
        return snFail(error, SN_ERROR_ARGUMENT, "a bone leads from '%.100s' to itself", first);
    if (findBone(plan, a, b) >= 0)
        return snFail(error, SN_ERROR_ARGUMENT, "'%.100s' and '%.100s' are connected twice", first,
                      second);
    snPlanBone bone = {a, b};
    return snArray_Push(&plan->arena.allocator, &plan->bones, bone) ? SN_OK : snFailMemory(error);
}

void snRigPlan_Disconnect(snRigPlan *plan, int a, int b)
{
    int bone = findBone(plan, a, b);
    if (bone < 0) return;
    plan->bones.count--;
    memmove(plan->bones.data + bone, plan->bones.data + bone + 1,
            (size_t)(plan->bones.count - bone) * sizeof *plan->bones.data);
}

// ---- placing ----

// The next crossing behind t, or a negative number. Sheets within `apart` of each other are one: a
// ray through an edge meets both of its triangles.
static double nextCrossing(const snSolid *solid, snVec3 origin, snVec3 unit, double t, double apart)
{
    snSurfacePoint hit =
        snMeshTree_Ray(&solid->tree, snMulAdd(origin, t + apart, unit), unit, 1e300);
    return hit.triangle < 0 ? -1.0 : t + apart + hit.distance;
}

snStatus snPlaceByRay(snVec3 *at, const snSolid *solid, snVec3 origin, snVec3 direction,
                      snError *error)
{
    const int mostSheets = 10000; // a stack of cards ends somewhere
    double apart = 1e-7 * solid->size;
    snVec3 unit = snNormalizeOr(direction, snVec(0, 0, 0));
    if (!snIsFinite3(origin) || !snIsFinite3(unit) || snLength(unit) == 0.0)
        return snFail(error, SN_ERROR_ARGUMENT, "the ray has no direction, or is not finite");
    if (snSolid_Inside(solid, origin))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the ray begins inside the surface; begin it outside, where the eye is");
    // Near the surface, where single numbers suffice: rays may begin very far away.
    double start =
        snDistance(origin, snScale(0.5, snAdd(solid->bounds.lower, solid->bounds.upper)));
    start = fmax(0.0, start - solid->size);
    double first = nextCrossing(solid, origin, unit, start, -apart);
    if (first < 0.0)
        return snFail(error, SN_ERROR_ARGUMENT, "the ray misses the surface; aim at it");
    int sheets = 1;
    for (double next; sheets < mostSheets; first = next, sheets++) {
        next = nextCrossing(solid, origin, unit, first, apart);
        if (next < 0.0) break;
        *at = snMulAdd(origin, 0.5 * (first + next), unit);
        if (snSolid_Inside(solid, *at)) return SN_OK;
    }
    return snFail(error, SN_ERROR_ARGUMENT,
                  "the ray crosses %d sheet%s of the surface and nothing that is inside; it only "
                  "grazes it, or the surface is open there",
                  sheets, sheets == 1 ? "" : "s");
}

// ---- the hierarchy ----

typedef struct Order {
    int count;
    int *joints; // [joints of the plan], in the order of the skeleton
    int *
        parents; // [joints of the plan], the parent of each, a joint of the plan; -1: root or not yet
    int *placeOf; // [joints of the plan], place in the order, -1: not reached
} Order;

// Breadth first. A bone to a joint that has been reached already, and is not the way back, closes a
// cycle.
static snStatus orderJoints(Order *order, const snRigPlan *plan, snError *error)
{
    order->joints[order->count++] = plan->root;
    order->placeOf[plan->root] = 0;
    for (int k = 0; k < order->count; k++) {
        int j = order->joints[k];
        for (int i = 0; i < plan->bones.count; i++) {
            snPlanBone bone = plan->bones.data[i];
            if (bone.a != j && bone.b != j) continue;
            int other = bone.a == j ? bone.b : bone.a;
            if (other == order->parents[j]) continue;
            if (order->placeOf[other] >= 0)
                return snFail(error, SN_ERROR_ARGUMENT,
                              "the bone between '%.100s' and '%.100s' closes a cycle; a skeleton "
                              "is a tree: take one bone of the cycle out",
                              plan->joints.data[j].name, plan->joints.data[other].name);
            order->placeOf[other] = order->count;
            order->parents[other] = j;
            order->joints[order->count++] = other;
        }
    }
    for (int j = 0; j < plan->joints.count; j++)
        if (order->placeOf[j] < 0)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "joint '%.100s' is not connected to the root '%.100s'; connect it by "
                          "bones, or take it out",
                          plan->joints.data[j].name, plan->joints.data[plan->root].name);
    return SN_OK;
}

// Lengths of the longest ways from each joint down, by places of the order.
static void leadsOf(double *leads, const Order *order, const snRigPlan *plan)
{
    for (int k = order->count - 1; k > 0; k--) {
        int j = order->joints[k], parent = order->parents[j];
        double length = snDistance(plan->joints.data[j].at, plan->joints.data[parent].at);
        double *lead = &leads[order->placeOf[parent]];
        *lead = fmax(*lead, leads[k] + length);
    }
}

// The joint that the y axis of place k points to: the child that leads farthest; -1: none.
static int axisChild(const Order *order, const snRigPlan *plan, const double *leads, int k)
{
    int best = -1;
    double farthest = 0.0;
    for (int c = k + 1; c < order->count; c++) {
        int child = order->joints[c];
        if (order->parents[child] != order->joints[k]) continue;
        double far = leads[c] + snDistance(plan->joints.data[child].at,
                                           plan->joints.data[order->joints[k]].at);
        if (far <= farthest) continue;
        best = child;
        farthest = far;
    }
    return best;
}

static void fillJoints(snSkeleton *skeleton, const Order *order, const snRigPlan *plan,
                       const double *leads, snQuat *frames)
{
    for (int k = 0; k < order->count; k++) {
        int j = order->joints[k], child = axisChild(order, plan, leads, k);
        int parent = order->parents[j] < 0 ? -1 : order->placeOf[order->parents[j]];
        snQuat base = parent < 0 ? snIdentityQuat() : frames[parent];
        snVec3 y = snRotate(base, snVec(0, 1, 0));
        snVec3 along = y, at = plan->joints.data[j].at;
        if (child >= 0) along = snNormalizeOr(snSub(plan->joints.data[child].at, at), y);
        frames[k] = snNormalizeQ(snMulQQ(snQuatBetween(y, along), base));
        snTransform rest = {at, frames[k], snVec(1, 1, 1)};
        if (parent >= 0) {
            snQuat back = snConjugate(base);
            rest.translation = snRotate(back, snSub(at, plan->joints.data[order->parents[j]].at));
            rest.rotation = snNormalizeQ(snMulQQ(back, frames[k]));
        }
        skeleton->joints[k].parent = parent;
        skeleton->joints[k].rest = rest;
        skeleton->joints[k].fileNode = k;
    }
}

snStatus snRigPlan_Skeleton(snSkeleton *skeleton, const snRigPlan *plan, int *jointOf,
                            snArena *arena, snError *error)
{
    int count = plan->joints.count;
    *skeleton = (snSkeleton){0};
    if (count < 1) return snFail(error, SN_ERROR_ARGUMENT, "there are no joints");
    snStatus status = checkJoint(plan, plan->root, error);
    if (status) return status;
    Order order = {0, SN_NEW(arena, int, count), SN_NEW(arena, int, count),
                   SN_NEW(arena, int, count)};
    double *leads = SN_NEW(arena, double, count);
    snQuat *frames = SN_NEW(arena, snQuat, count);
    skeleton->joints = SN_NEW(arena, snJoint, count);
    if (!order.joints || !order.parents || !order.placeOf || !leads || !frames || !skeleton->joints)
        return snFailMemory(error);
    for (int j = 0; j < count; j++)
        order.parents[j] = order.placeOf[j] = -1;
    if ((status = orderJoints(&order, plan, error))) return status;
    leadsOf(leads, &order, plan);
    fillJoints(skeleton, &order, plan, leads, frames);
    skeleton->jointCount = count;
    for (int k = 0; k < count; k++) {
        const char *name = plan->joints.data[order.joints[k]].name;
        if (!(skeleton->joints[k].name = snArena_CopyString(arena, name, strlen(name))))
            return snFailMemory(error);
    }
    for (int j = 0; jointOf && j < count; j++)
        jointOf[j] = order.placeOf[j];
    return SN_OK;
}
