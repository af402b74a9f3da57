// Links from joints: masses of bones, and poses there and back.
#include "skeleton/limbs.h"
#include "skeleton/articulated_parts.h"

#include "core/elementary.h"
#include "core/error.h"

snLimbsDef snDefaultLimbsDef(void)
{
    return (snLimbsDef){.density = 1000, .thickness = 0.2, .damping = 2, .limits = 1e4};
}

// Two solids as one: J = Σ J_i + m_i (d·d - d dᵀ), d from the common centre.
static void addSolid(snLinkDef *link, const snLinkDef *solid)
{
    double mass = link->mass + solid->mass;
    snVec3 center =
        snAdd(snScale(link->mass / mass, link->center), snScale(solid->mass / mass, solid->center));
    const snLinkDef *const parts[2] = {link, solid};
    snMat3 sum = snDiagonal3(0, 0, 0);
    for (int i = 0; i < 2; i++) {
        snVec3 d = snSub(parts[i]->center, center);
        sum = snAddMM(sum, snAddMM(parts[i]->inertia, snScaleM(parts[i]->mass, snPointInertia(d))));
    }
    link->mass = mass;
    link->center = center;
    link->inertia = sum;
}

static void addBone(snLinkDef *link, snVec3 tail, double radius, double density)
{
    snLinkDef solid = {0};
    double volume = SN_PI * radius * radius * (snLength(tail) + radius * 4 / 3);
    snLinkDef_SetCapsule(&solid, snVec(0, 0, 0), tail, radius, density * volume);
    addSolid(link, &solid);
}

static snQuat restOf(const snJoint *joint)
{
    if (joint->hasMatrix) return snTransform_FromAffine(joint->matrix).rotation;
    return snNormalizeQ(joint->rest.rotation);
}

static snLinkKind kindOf(const snSkeleton *skeleton, const snLimbsDef *def, int j)
{
    if (skeleton->joints[j].parent < 0) return def->freeRoot ? SN_LINK_FREE : SN_LINK_DRIVEN;
    if (skeleton->joints[j].hasMatrix) return SN_LINK_FIXED;
    if (!def->ranges || def->ranges[j].kind == SN_JOINT_BALL) return SN_LINK_BALL;
    return def->ranges[j].kind == SN_JOINT_HINGE ? SN_LINK_HINGE : SN_LINK_FIXED;
}

// What stands where at rest: rotations of joints in the world, without scales, and their places.
typedef struct Rest {
    snQuat *turned;
    snPose pose;
    double size; // of the whole
} Rest;

static snStatus findRest(const snSkeleton *skeleton, snArena *arena, Rest *rest, snError *error)
{
    snStatus status = snPose_Make(&rest->pose, skeleton, 0, arena, error);
    rest->turned = SN_NEW(arena, snQuat, skeleton->jointCount);
    if (status || !rest->turned) return status ? status : snFailMemory(error);
    snBox box = snEmptyBox();
    for (int j = 0; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        snQuat own = restOf(&skeleton->joints[j]);
        rest->turned[j] = parent < 0 ? own : snMulQQ(rest->turned[parent], own);
        box = snBoxAdd(box, rest->pose.global[j].origin);
    }
    rest->size = fmax(snDistance(box.lower, box.upper), 1e-6);
    return SN_OK;
}

// The bone from the parent to j, in the parent's frame.
static snVec3 boneTo(const snSkeleton *skeleton, const Rest *rest, int j)
{
    int parent = skeleton->joints[j].parent;
    snVec3 way = snSub(rest->pose.global[j].origin, rest->pose.global[parent].origin);
    return snRotate(snConjugate(rest->turned[parent]), way);
}

static void placeLink(const snSkeleton *skeleton, const snLimbsDef *def, const Rest *rest, int j,
                      snLinkDef *link)
{
    int parent = skeleton->joints[j].parent;
    *link = snDefaultLinkDef(parent, kindOf(skeleton, def, j));
    link->rest = link->drive.target = restOf(&skeleton->joints[j]);
    link->offset = parent < 0 ? rest->pose.global[j].origin : boneTo(skeleton, rest, j);
    if (!def->ranges) return;
    link->range = def->ranges[j];
    link->axis = snRotate(def->ranges[j].frame, snVec(1, 0, 0));
}

// Bones by thickness; ends of chains, and joints that nothing stands away from, get a ball as wide as the bone before them.
static void weighLinks(const snSkeleton *skeleton, const snLimbsDef *def, const Rest *rest,
                       snLinkDef *links)
{
    double least = 0.005 * rest->size;
    for (int j = 1; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        if (parent < 0) continue;
        snVec3 tail = boneTo(skeleton, rest, j);
        double length = snLength(tail);
        if (length > 0)
            addBone(&links[parent], tail, fmax(def->thickness * length, least), def->density);
    }
    for (int j = 0; j < skeleton->jointCount; j++) {
        if (links[j].mass > 0) continue;
        double before = skeleton->joints[j].parent < 0 ? 0 : snLength(links[j].offset);
        addBone(&links[j], snVec(0, 0, 0), fmax(def->thickness * before, least), def->density);
    }
}

// What hangs on each joint at rest, as one piece about it: a third of the trace, kg m².
static snStatus findHanging(const snArticulated *tree, double *inertia, const snContext *context,
                            snError *error)
{
    snArticulatedState *s;
    snStatus status = snArticulatedState_Make(&s, tree, context, error);
    if (status) return status;
    for (int j = 0; j < tree->linkCount; j++)
        inertia[j] = 0;
    for (int j = 0; j < tree->linkCount; j++) {
        double m = tree->links[j].def.mass, turning = snTrace(s->places[j].inertia) / 3;
        snVec3 center = snAdd(s->places[j].at, s->places[j].mass);
        for (int k = j; k >= 0; k = tree->links[k].def.parent) {
            snVec3 d = snSub(center, s->places[k].at);
            inertia[k] += turning + m * snDot(d, d) * 2 / 3;
        }
    }
    snArticulatedState_Destroy(s);
    return SN_OK;
}

// Dampers and ends of ranges by what hangs on a joint.
static snStatus strengthen(int count, const snLimbsDef *def, snLinkDef *links, double *inertia,
                           const snContext *context, snError *error)
{
    snArticulatedDef trial = {count, links};
    snArticulated *tree;
    snStatus status = snArticulated_Make(&tree, &trial, context, error);
    if (!status) status = findHanging(tree, inertia, context, error);
    for (int j = 0; j < count && !status; j++) {
        links[j].drive.damping = def->damping * inertia[j];
        links[j].drive.limits = def->limits * inertia[j];
    }
    snArticulated_Destroy(tree);
    return status;
}

snStatus snSkeleton_Links(const snSkeleton *skeleton, const snLimbsDef *def, snLinkDef *links,
                          const snContext *context, snError *error)
{
    if (!(def->density > 0) || !(def->thickness > 0) || !(def->damping >= 0) || !(def->limits >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "density %g and thickness %g must be above 0, damping %g and limits %g not "
                      "below it",
                      def->density, def->thickness, def->damping, def->limits);
    snArena arena = snMakeArena(context);
    Rest rest = {0};
    snStatus status = findRest(skeleton, &arena, &rest, error);
    double *inertia = SN_NEW(&arena, double, skeleton->jointCount);
    if (!status && !inertia) status = snFailMemory(error);
    if (!status) {
        for (int j = 0; j < skeleton->jointCount; j++)
            placeLink(skeleton, def, &rest, j, &links[j]);
        weighLinks(skeleton, def, &rest, links);
        status = strengthen(skeleton->jointCount, def, links, inertia, context, error);
    }
    snArena_Destroy(&arena);
    return status;
}

static double angleOf(const snLinkDef *def, snQuat rotation)
{
    snJointRange range = snFreeHinge(def->axis);
    double angles[3];
    snJointRange_Read(&range, def->rest, rotation, angles);
    return angles[0];
}

void snArticulated_TakePose(const snArticulated *tree, snArticulatedState *s,
                            const snSkeleton *skeleton, const snPose *pose)
{
    SN_ASSERT(tree->linkCount == skeleton->jointCount);
    for (int j = 0; j < tree->linkCount; j++) {
        const snLinkDef *def = &tree->links[j].def;
        snLinkState *link = &s->links[j];
        snQuat rotation = snNormalizeQ(pose->local[j].rotation);
        if (skeleton->joints[j].hasMatrix) rotation = restOf(&skeleton->joints[j]);
        *link = (snLinkState){.rotation = rotation};
        if (def->parent < 0) link->place = pose->global[j].origin;
        if (def->kind == SN_LINK_HINGE) link->angle = angleOf(def, rotation);
    }
    snArticulated_Update(tree, s);
}

void snArticulated_GivePose(const snArticulated *tree, const snArticulatedState *s,
                            const snSkeleton *skeleton, snPose *pose)
{
    SN_ASSERT(tree->linkCount == skeleton->jointCount);
    for (int j = 0; j < tree->linkCount; j++) {
        if (skeleton->joints[j].hasMatrix) continue;
        pose->local[j].rotation = s->links[j].rotation;
        if (skeleton->joints[j].parent < 0) pose->local[j].translation = s->links[j].place;
    }
    snPose_Globals(pose, skeleton);
}
