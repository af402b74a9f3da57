// Making: which joints turn, which are above which effector, and memory for all of it.
#include "skeleton/ik_parts.h"

#include "core/error.h"

snIkEffector snDefaultIkEffector(int joint)
{
    return (snIkEffector){
        .joint = joint, .place = true, .orientation = snIdentityQuat(), .weight = 1, .root = -1};
}

snIkDef snDefaultIkDef(const snSkeleton *skeleton)
{
    return (snIkDef){
        .skeleton = skeleton, .mostIterations = 100, .mostAngle = 0.5, .tolerance = 1e-10};
}

const char *snIkOutcome_Name(snIkOutcome outcome)
{
    static const char *const names[] = {"reached",     "out of reach",      "at joint limits",
                                        "in conflict", "no joints to turn", "not yet there"};
    return names[outcome];
}

static int countChildren(const snSkeleton *skeleton, int joint)
{
    int count = 0;
    for (int j = joint + 1; j < skeleton->jointCount; j++)
        count += skeleton->joints[j].parent == joint;
    return count;
}

int snSkeleton_ChainRoot(const snSkeleton *skeleton, int joint)
{
    int parent = skeleton->joints[joint].parent;
    while (parent >= 0 && countChildren(skeleton, parent) == 1) {
        joint = parent;
        parent = skeleton->joints[joint].parent;
    }
    return joint;
}

static snStatus checkEffector(const snIkDef *def, int e, snError *error)
{
    const snIkEffector *effector = &def->effectors[e];
    int count = def->skeleton->jointCount;
    if (effector->joint < 0 || effector->joint >= count)
        return snFail(error, SN_ERROR_ARGUMENT, "effectors[%d].joint is %d; there are %d joints", e,
                      effector->joint, count);
    if (!effector->place && !effector->turn)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "effectors[%d] wants neither a place nor an orientation", e);
    if (!(effector->weight > 0) || !isfinite(effector->weight))
        return snFail(error, SN_ERROR_ARGUMENT, "effectors[%d].weight is %g; it must be above 0", e,
                      effector->weight);
    if (!snIsFinite3(effector->point))
        return snFail(error, SN_ERROR_ARGUMENT, "effectors[%d].point is not finite", e);
    if (effector->root >= 0 &&
        !snSkeleton_IsAtOrAbove(def->skeleton, effector->root, effector->joint))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "effectors[%d].root is %d, which is not above its joint %d", e,
                      effector->root, effector->joint);
    return SN_OK;
}

static snStatus check(const snIkDef *def, snError *error)
{
    snStatus status = SN_OK;
    if (def->effectorCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "there are no effectors: nothing is wanted");
    if (def->mostIterations < 1 || !(def->mostAngle > 0) || !(def->tolerance >= 0) ||
        !(def->lever >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "mostIterations %d and mostAngle %g must be above 0, tolerance %g and lever "
                      "%g not below it",
                      def->mostIterations, def->mostAngle, def->tolerance, def->lever);
    for (int e = 0; e < def->effectorCount && !status; e++)
        status = checkEffector(def, e, error);
    for (int j = 0; def->ranges && j < def->skeleton->jointCount && !status; j++) {
        status = snJointRange_Check(&def->ranges[j], error);
        if (status) snError_Prefix(error, "ranges[%d]", j);
    }
    return status;
}

// Marks what each effector asks for: 1 a joint whose place it needs, 2 one that turns.
static void markJoints(const snIk *ik, unsigned char *marks)
{
    for (int e = 0; e < ik->effectorCount; e++) {
        const snIkEffector *effector = &ik->effectors[e];
        int top = effector->root;
        if (top < 0) top = snSkeleton_ChainRoot(ik->skeleton, effector->joint);
        for (int j = effector->joint; j >= 0; j = ik->skeleton->joints[j].parent)
            marks[j] |= j >= top ? 3 : 1;
    }
}

static snJointRange rangeOf(const snIkDef *def, int j)
{
    if (def->skeleton->joints[j].hasMatrix) return snFixedJoint(); // poses do not reach it
    return def->ranges ? def->ranges[j] : snFreeBall();
}

static void listJoints(snIk *ik, const unsigned char *marks)
{
    for (int j = 0; j < ik->skeleton->jointCount; j++) {
        snJointRange range = rangeOf(&ik->def, j);
        int count = snJointRange_Coordinates(&range);
        if (marks[j] & 1) ik->needed[ik->neededCount++] = j;
        if (!(marks[j] & 2) || count == 0) continue;
        bool freeBall = range.kind == SN_JOINT_BALL && !range.limited;
        ik->joints[ik->jointCount++] = (snIkJoint){
            .joint = j, .first = ik->size, .count = count, .freeBall = freeBall, .range = range};
        ik->size += count;
    }
}

// The longest way from an effector's point up to the topmost joint that turns: what tolerances are
// measured by. Scales above are left out.
static double findReach(const snIk *ik, const unsigned char *marks)
{
    double longest = 0;
    for (int e = 0; e < ik->effectorCount; e++) {
        double length = snLength(ik->effectors[e].point);
        for (int j = ik->effectors[e].joint; j >= 0; j = ik->skeleton->joints[j].parent) {
            int parent = ik->skeleton->joints[j].parent;
            const snJoint *joint = &ik->skeleton->joints[j];
            snVec3 offset = joint->hasMatrix ? joint->matrix.origin : joint->rest.translation;
            if (parent >= 0 && (marks[parent] & 2)) length += snLength(offset);
        }
        longest = fmax(longest, length);
    }
    return longest > 0 ? longest : 1;
}

static bool reserve(snIk *ik)
{
    size_t size = (size_t)ik->size, square = size * size, joints = (size_t)ik->skeleton->jointCount;
    snArena *arena = &ik->arena;
    ik->miss = SN_NEW(arena, snIkMiss, ik->effectorCount);
    ik->missBefore = SN_NEW(arena, snIkMiss, ik->effectorCount);
    ik->acts = SN_NEW(arena, bool, ik->effectorCount * ik->jointCount);
    ik->frame = SN_NEW(arena, snAffine, joints);
    ik->turned = SN_NEW(arena, snQuat, joints);
    ik->axis = SN_NEW(arena, snVec3, size);
    ik->place = SN_NEW(arena, snVec3, (size_t)ik->effectorCount * size);
    ik->gradient = SN_NEW(arena, double, size);
    ik->noise = SN_NEW(arena, double, size);
    ik->hessian = SN_NEW(arena, double, square);
    ik->step = SN_NEW(arena, double, size);
    ik->factor = SN_NEW(arena, double, square);
    ik->vectors = SN_NEW(arena, double, square);
    ik->values = SN_NEW(arena, double, size);
    ik->work = SN_NEW(arena, double, size);
    ik->free = SN_NEW(arena, int, size);
    return ik->miss && ik->missBefore && ik->acts && ik->frame && ik->turned && ik->axis &&
           ik->place && ik->gradient && ik->noise && ik->hessian && ik->step && ik->factor &&
           ik->vectors && ik->values && ik->work && ik->free;
}

static snStatus build(snIk *ik, const snIkDef *def, snError *error)
{
    int joints = def->skeleton->jointCount;
    ik->skeleton = def->skeleton;
    ik->def = *def;
    ik->effectorCount = def->effectorCount;
    ik->effectors = SN_COPY(&ik->arena, snIkEffector, def->effectors, def->effectorCount);
    ik->needed = SN_NEW(&ik->arena, int, joints);
    ik->joints = SN_NEW(&ik->arena, snIkJoint, joints);
    unsigned char *marks = SN_NEW(&ik->arena, unsigned char, joints);
    if (!ik->effectors || !ik->needed || !ik->joints || !marks) return snFailMemory(error);
    markJoints(ik, marks);
    listJoints(ik, marks);
    ik->reach = findReach(ik, marks);
    ik->lever = def->lever > 0 ? def->lever : ik->reach;
    if (!reserve(ik)) return snFailMemory(error);
    for (int e = 0; e < ik->effectorCount; e++)
        for (int m = 0; m < ik->jointCount; m++)
            ik->acts[e * ik->jointCount + m] =
                snSkeleton_IsAtOrAbove(ik->skeleton, ik->joints[m].joint, ik->effectors[e].joint);
    for (int e = 0; e < ik->effectorCount; e++) {
        const snIkEffector *given = &def->effectors[e];
        snStatus status = snIk_SetTarget(ik, e, given->position, given->orientation, error);
        if (status) return status;
    }
    ik->def.ranges = NULL; // theirs may go
    ik->def.effectors = NULL;
    return SN_OK;
}

snStatus snIk_Make(snIk **out, const snIkDef *def, const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = check(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snIk *ik = SN_NEW(&arena, snIk, 1);
    if (!ik) return snFailMemory(error);
    ik->arena = arena;
    status = build(ik, def, error);
    if (status)
        snIk_Destroy(ik);
    else
        *out = ik;
    return status;
}

void snIk_Destroy(snIk *ik)
{
    if (!ik) return;
    snArena_DestroyWithin(&ik->arena);
}

snStatus snIk_SetTarget(snIk *ik, int e, snVec3 position, snQuat orientation, snError *error)
{
    SN_ASSERT(e >= 0 && e < ik->effectorCount);
    snIkEffector *effector = &ik->effectors[e];
    if (effector->place && !snIsFinite3(position))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "effectors[%d].position is not finite: (%g, %g, %g)", e, position.x,
                      position.y, position.z);
    double square = snDotQ(orientation, orientation);
    if (effector->turn && (!isfinite(square) || !(square > 1e-12)))
        return snFail(error, SN_ERROR_ARGUMENT, "effectors[%d].orientation is no rotation", e);
    effector->position = position;
    effector->orientation = snNormalizeQ(orientation);
    return SN_OK;
}

void snIk_SetPoint(snIk *ik, int e, snVec3 point)
{
    SN_ASSERT(e >= 0 && e < ik->effectorCount);
    if (snIsFinite3(point)) ik->effectors[e].point = point;
}
