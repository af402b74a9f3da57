// Following a clip. Each joint is drawn to the clip's rotation with stiffness I (2πf)² and damping 2 ζ I 2πf, where I
// is what hangs on it as one piece, about it: its own swing back then takes 1/f. Steps are implicit in both
// (articulated_load.c). The damping is relative to the clip's own spin, so that motion that is followed costs nothing.
//
// A free root is carried by a hand, a critically damped spring of the whole's mass and inertia, which takes its weight
// too. With a strong hand that is the clip; with a weak one the body is thrown off when it is hit, and catches up.
#include "skeleton/limbs.h"
#include "skeleton/articulated_parts.h"

#include "core/elementary.h"
#include "core/error.h"

struct snFollow {
    snArena arena;
    const snArticulated *tree;
    const snSkeleton *skeleton;
    double damping, root; // rad/s
    double *rate;         // [jointCount], rad/s
    double *inertia;      // [jointCount], kg m²
    snPose now, next;
};

snFollowDef snDefaultFollowDef(const snArticulated *tree, const snSkeleton *skeleton)
{
    return (snFollowDef){
        .tree = tree, .skeleton = skeleton, .frequency = 8, .damping = 1, .rootFrequency = 8};
}

static snStatus check(const snFollowDef *def, snError *error)
{
    if (def->tree->linkCount != def->skeleton->jointCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the tree has %d links and the skeleton %d joints: make it from the skeleton",
                      def->tree->linkCount, def->skeleton->jointCount);
    if (!(def->frequency >= 0) || !(def->damping >= 0) || !(def->rootFrequency >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "frequency %g, damping %g and rootFrequency %g must not be negative",
                      def->frequency, def->damping, def->rootFrequency);
    for (int j = 0; def->strength && j < def->skeleton->jointCount; j++)
        if (!(def->strength[j] >= 0) || !isfinite(def->strength[j]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "strength[%d] is %g Hz; it must not be negative", j, def->strength[j]);
    return SN_OK;
}

static snStatus build(snFollow *f, const snFollowDef *def, const snContext *context, snError *error)
{
    int count = def->skeleton->jointCount;
    f->tree = def->tree;
    f->skeleton = def->skeleton;
    f->damping = def->damping;
    f->root = 2 * SN_PI * def->rootFrequency;
    f->rate = SN_NEW(&f->arena, double, count);
    f->inertia = SN_NEW(&f->arena, double, count);
    if (!f->rate || !f->inertia) return snFailMemory(error);
    for (int j = 0; j < count; j++)
        f->rate[j] = 2 * SN_PI * (def->strength ? def->strength[j] : def->frequency);
    snStatus status = snPose_Make(&f->now, def->skeleton, 0, &f->arena, error);
    if (!status) status = snPose_Make(&f->next, def->skeleton, 0, &f->arena, error);
    return status ? status : snTree_Hanging(f->tree, f->inertia, context, error);
}

snStatus snFollow_Make(snFollow **out, const snFollowDef *def, const snContext *context,
                       snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snFollow *follow = SN_NEW(&arena, snFollow, 1);
    if (!follow) return snFailMemory(error);
    follow->arena = arena;
    status = build(follow, def, context, error);
    if (status)
        snFollow_Destroy(follow);
    else
        *out = follow;
    return status;
}

void snFollow_Destroy(snFollow *follow)
{
    if (!follow) return;
    snArena_DestroyWithin(&follow->arena);
}

const snPose *snFollow_Target(const snFollow *follow)
{
    return &follow->next;
}

static snVec3 turnTo(snQuat a, snQuat b)
{
    return snQuatToVector(snNormalizeQ(snMulQQ(snConjugate(snNormalizeQ(a)), snNormalizeQ(b))));
}

static void aimJoint(const snFollow *f, int j, double h, snJointDrive *drive)
{
    const snLinkDef *def = &f->tree->links[j].def;
    snQuat now = f->now.local[j].rotation, next = f->next.local[j].rotation;
    double rate = f->rate[j], inertia = f->inertia[j];
    drive->stiffness = inertia * rate * rate;
    drive->damping = def->drive.damping + 2 * f->damping * inertia * rate;
    drive->target = snNormalizeQ(next);
    drive->spin = snScale(1 / h, turnTo(now, next));
    if (def->kind != SN_LINK_HINGE) return;
    double angles[2][3];
    snJointRange range = snFreeHinge(def->axis);
    snJointRange_Read(&range, def->rest, now, angles[0]);
    snJointRange_Read(&range, def->rest, next, angles[1]);
    drive->angle = angles[1][0];
    drive->spin = snVec((angles[1][0] - angles[0][0]) / h, 0, 0);
}

// As if the whole were one piece: m (2πf)² and 2 m (2πf), and the same turning, with its weight taken off.
static void carryRoot(snFollow *f, snArticulatedState *s, int j, double h, snVec3 gravity)
{
    snJointDrive *drive = &s->drives[j];
    snTree_Sum(f->tree, s, gravity, s->after);
    const snTreeSum *sum = &s->after[f->tree->links[j].root];
    double mass = sum->mass, w = f->root;
    snArticulated_Push(f->tree, s, j, sum->center, snScale(-mass, gravity));
    drive->stiffness = f->inertia[j] * w * w;
    drive->damping = 2 * f->inertia[j] * w;
    drive->pull = mass * w * w;
    drive->drag = 2 * mass * w;
    drive->target = snNormalizeQ(f->next.local[j].rotation);
    drive->spin = snScale(1 / h, turnTo(f->now.local[j].rotation, drive->target));
    drive->place = f->next.global[j].origin;
    drive->velocity = snScale(1 / h, snSub(drive->place, f->now.global[j].origin));
}

static void sample(const snFollow *f, const snClip *clip, double t, snPose *pose)
{
    snPose_SetRest(pose, f->skeleton);
    snClip_Sample(clip, t, pose);
    snPose_Globals(pose, f->skeleton);
}

void snFollow_Aim(snFollow *f, snArticulatedState *s, const snClip *clip, double t, double h,
                  snVec3 gravity)
{
    sample(f, clip, t, &f->now);
    sample(f, clip, t + h, &f->next);
    for (int j = 0; j < f->tree->linkCount; j++) {
        snLinkKind kind = f->tree->links[j].def.kind;
        if (kind == SN_LINK_BALL || kind == SN_LINK_HINGE) aimJoint(f, j, h, &s->drives[j]);
        if (kind == SN_LINK_DRIVEN)
            snArticulated_Lead(s, j, f->next.global[j].origin, f->next.local[j].rotation);
        if (kind == SN_LINK_FREE && f->root > 0) carryRoot(f, s, j, h, gravity);
    }
}
