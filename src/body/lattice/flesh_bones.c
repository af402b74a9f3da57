// A character's skeleton that gives way: which joints turn, what they weigh, how they are drawn to a clip, and how far they go.
//
// Links are the skeleton's joints, at rest in the bind pose: T_j = global_j fromRest_j carries rest space rigidly. A joint turns by
// itself where bones of the lattice hang on it, or where two or more limbs of such grow from it; ears and tails whose flesh leads their
// bones (tissue.h), and joints that carry nothing, go with their parents as the clip has them. The topmost joint that turns is free; what
// is above it in the file, an armature or a stage, stays where the clip has it.
//
// Mass. Bones are solid cylinders along the skeleton's bones, as thick as a share of the flesh around them, and weigh a
// given share of the whole. That much is taken off the lattice's vertices that hang on bones: nothing is counted twice. A cylinder of mass m, length l and radius r is four points of
// m / 4, at ± l / √12 along its axis and ± r / √2 across, one pair each along two axes: with the same mass, centre and second moments
// l² m / 12 and r² m / 4, it moves as the cylinder does.
#include "body/lattice/flesh_body_parts.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/svd.h"

#include <string.h>

#define BONE 0.3   // of the flesh's thickness: a bone's
#define BALL 0.02  // of all bones' mass: balls in the joints that turn, of ...
#define ROUND 0.01 // ... the character's height: so that none is without inertia
#define LIMITS 1e4 // 1/s², of what hangs on a joint: a range's end stops hard
#define LIMB 60.0  // degrees that joints of limbs swing, from rest,
#define TRUNK 20.0 // those between two branches,
#define TWISTS 0.4 // and twist, of that

snFleshSkeleton snDefaultFleshSkeleton(void)
{
    return (snFleshSkeleton){.bones = 0.1, .strength = snDefaultStrength()};
}

static snStatus check(const snFleshBody *b, const snFleshSkeleton *def, snError *error)
{
    if (!(def->bones > 0 && def->bones < 1))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "bones are %g of the mass; they must be between 0 and 1", def->bones);
    snStatus status = snStrength_Check(&def->strength, error);
    if (status) return status;
    if (b->flesh->def.amplitude != 1 || b->flesh->def.gravityChange != 0 || b->flesh->mask)
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "a skeleton that gives way needs flesh that is seen as it is: amplitude 1, no "
            "mask, and no gravityChange, for gravity is the world's");
    return SN_OK;
}

// ---- which joints turn --------------------------------------------------------------------------

typedef struct Plan {
    int *parent;          // [joints]
    unsigned char *turns; // [joints]
    unsigned char *bears; // [joints], something below or at it has vertices on bones
    int *limbs;           // [joints], children that bear
    snVec3 *joint;        // [joints]
    int pointCount;
    snBonePoint *points;
} Plan;

static bool makePlan(Plan *plan, int joints, int bones, snArena *arena)
{
    plan->parent = SN_NEW(arena, int, joints);
    plan->turns = SN_NEW(arena, unsigned char, joints);
    plan->bears = SN_NEW(arena, unsigned char, joints);
    plan->limbs = SN_NEW(arena, int, joints);
    plan->joint = SN_NEW(arena, snVec3, joints);
    plan->points = SN_NEW(arena, snBonePoint, 4 * bones + 6 * joints);
    return plan->parent && plan->turns && plan->bears && plan->limbs && plan->joint && plan->points;
}

static void findTurning(const snFleshBody *b, Plan *plan)
{
    const snSkeleton *skeleton = &b->character->skeleton;
    const snLatticeModel *model = b->flesh->model;
    snFleshBones *own = b->bones;
    for (int v = model->freeCount; v < model->vertexCount; v++)
        for (int k = model->skin.start[v]; k < model->skin.start[v + 1]; k++)
            if (model->skin.weight[k] > 0) plan->bears[model->skin.column[k]] = 1;
    for (int j = 0; j < skeleton->jointCount; j++)
        plan->turns[j] = plan->bears[j] && !b->flesh->joints[j].free;
    for (int j = skeleton->jointCount - 1; j >= 0; j--) {
        int p = skeleton->joints[j].parent;
        if (!plan->bears[j] || p < 0) continue;
        plan->bears[p] = 1;
        plan->limbs[p]++;
    }
    for (int j = 0; j < skeleton->jointCount; j++) {
        int p = skeleton->joints[j].parent;
        plan->turns[j] |= plan->limbs[j] >= 2 && !b->flesh->joints[j].free;
        bool below = p >= 0 && own->inside[p];
        own->inside[j] = below || plan->turns[j];
        plan->parent[j] = below || !plan->turns[j] ? p : -1;
        plan->joint[j] = snInverseAffine(b->flesh->fromRest[j]).origin;
    }
}

// Above the whole, weights on what does not move would hold it to the world.
static snStatus checkOutside(const snFleshBody *b, snError *error)
{
    const snWeightRows *skin = &b->flesh->model->skin;
    char label[SN_JOINT_LABEL];
    for (int v = 0; v < b->flesh->model->vertexCount; v++)
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++)
            if (skin->weight[k] > 0 && !b->bones->inside[skin->column[k]])
                return snFail(error, SN_ERROR_UNSUPPORTED,
                              "flesh hangs on joint \"%s\", which no bones of the lattice follow: "
                              "its skeleton cannot give way; more cells give it bones",
                              snSkeleton_Label(&b->character->skeleton, skin->column[k], label));
    return SN_OK;
}

// ---- what bones weigh ---------------------------------------------------------------------------

static void addPoint(Plan *plan, int link, snVec3 rest, double mass)
{
    plan->points[plan->pointCount++] = (snBonePoint){link, rest, mass};
}

static void addCylinder(Plan *plan, const snBone *bone, double radius, double mass)
{
    snVec3 axis = snSub(bone->tail, bone->head), middle = snLerp(bone->head, bone->tail, 0.5);
    snVec3 unit = snNormalizeOr(axis, snVec(1, 0, 0)), across = snPerpendicular(unit);
    snVec3 third = snCross(unit, across), along = snScale(1 / sqrt(12.0), axis);
    double r = radius / sqrt(2.0);
    addPoint(plan, bone->joint, snMulAdd(snAdd(middle, along), r, across), 0.25 * mass);
    addPoint(plan, bone->joint, snMulAdd(snAdd(middle, along), -r, across), 0.25 * mass);
    addPoint(plan, bone->joint, snMulAdd(snSub(middle, along), r, third), 0.25 * mass);
    addPoint(plan, bone->joint, snMulAdd(snSub(middle, along), -r, third), 0.25 * mass);
}

static double radiusOf(const snFlesh *flesh, int joint)
{
    return fmax(BONE * flesh->thickness[joint], 1e-3 * flesh->height);
}

static double volumeOf(const snFlesh *flesh, const snBone *bone)
{
    double r = radiusOf(flesh, bone->joint);
    return (snDistance(bone->head, bone->tail) + r) * r * r;
}

static void addBones(const snFleshBody *b, double mass, Plan *plan)
{
    const snFlesh *flesh = b->flesh;
    double volume = 0;
    int turning = 0;
    for (int i = 0; i < flesh->boneCount; i++)
        if (b->bones->inside[flesh->bones[i].joint]) volume += volumeOf(flesh, &flesh->bones[i]);
    for (int j = 0; j < b->character->skeleton.jointCount; j++)
        turning += plan->turns[j];
    double balls = volume > 0 ? BALL * mass : mass;
    for (int i = 0; i < flesh->boneCount; i++) {
        const snBone *bone = &flesh->bones[i];
        if (b->bones->inside[bone->joint])
            addCylinder(plan, bone, radiusOf(flesh, bone->joint),
                        (mass - balls) * volumeOf(flesh, bone) / volume);
    }
    for (int j = 0; j < b->character->skeleton.jointCount; j++)
        for (int k = 0; k < 6 && plan->turns[j]; k++) {
            snVec3 at = plan->joint[j];
            (&at.x)[k / 2] += (k % 2 ? -1 : 1) * ROUND * flesh->height;
            addPoint(plan, j, at, balls / (6 * turning));
        }
}

// How much of the mass of vertices on bones is left.
static snStatus shareMass(const snFleshBody *b, double share, double *mass, double *left,
                          snError *error)
{
    const snLatticeModel *model = b->flesh->model;
    double known = 0;
    for (int v = model->freeCount; v < model->vertexCount; v++)
        known += model->mass[v];
    *mass = share * model->totalMass;
    if (!(known > 0))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "no bones of a skeleton lead this flesh: it cannot give way");
    if (*mass > known)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "bones of %g of the mass are more than what is around them, %g; make them "
                      "lighter, or cells fewer",
                      share, known / model->totalMass);
    *left = 1 - *mass / known;
    return SN_OK;
}

// ---- what joints are like -----------------------------------------------------------------------

// ∫ |x - o|² ⅔ of all that hangs on a joint.
static void addInertia(const snFleshBody *b, int link, double mass, snVec3 at)
{
    const snBones *links = b->bones->links;
    for (int j = link; j >= 0; j = links->parent[j]) {
        snVec3 arm = snSub(at, links->center[j]);
        b->bones->inertia[j] += 2.0 / 3 * mass * snLengthSquared(arm);
    }
}

static void findInertia(const snFleshBody *b)
{
    const snBones *links = b->bones->links;
    const snLatticeModel *model = links->model;
    for (int v = 0; v < model->vertexCount; v++)
        for (int k = model->skin.start[v]; k < model->skin.start[v + 1]; k++)
            addInertia(b, model->skin.column[k], model->skin.weight[k] * links->mass[v],
                       model->rest[v]);
    for (int i = 0; i < links->pointCount; i++)
        addInertia(b, links->points[i].link, links->points[i].mass, links->points[i].rest);
}

// A joint of the trunk has branches above it and below it.
static bool isTrunk(const Plan *plan, const snSkeleton *skeleton, int joint)
{
    int j = joint;
    while (plan->limbs[j] == 1) {
        int next = -1;
        for (int k = j + 1; k < skeleton->jointCount && next < 0; k++)
            if (skeleton->joints[k].parent == j && plan->bears[k]) next = k;
        if (next < 0) return false;
        j = next;
    }
    if (plan->limbs[j] < 2) return false;
    for (j = plan->parent[joint]; j >= 0; j = plan->parent[j])
        if (plan->limbs[j] >= 2) return true;
    return plan->parent[joint] < 0;
}

static void findJoints(const snFleshBody *b, const Plan *plan)
{
    const snStrength *def = &b->bones->def.strength;
    const snFlesh *flesh = b->flesh;
    for (int j = 0; j < b->character->skeleton.jointCount; j++) {
        snFleshBones *own = b->bones;
        bool trunk = isTrunk(plan, &b->character->skeleton, j);
        double swing = (trunk ? TRUNK : LIMB) * SN_PI / 180;
        own->strength[j] = snStrength_Of(def, j);
        own->swing[j] = def->swings && def->swings[j] >= 0 ? def->swings[j] : swing;
        own->twist[j] =
            def->twists && def->twists[j] >= 0 ? def->twists[j] : TWISTS * own->swing[j];
        own->axis[j] = snVec(1, 0, 0);
        for (int i = flesh->boneCount - 1; i >= 0; i--)
            if (flesh->bones[i].joint == j)
                own->axis[j] =
                    snNormalizeOr(snSub(flesh->bones[i].tail, flesh->bones[i].head), own->axis[j]);
    }
}

// ---- making -------------------------------------------------------------------------------------

static snStatus allocate(snFleshBody *b, const snFleshSkeleton *def, snError *error)
{
    snArena *arena = &b->solid.arena;
    int n = b->character->skeleton.jointCount;
    snFleshBones *own = b->bones = SN_NEW(arena, snFleshBones, 1);
    if (!own) return snFailMemory(error);
    own->def = *def;
    own->strength = SN_NEW(arena, double, n);
    own->swing = SN_NEW(arena, double, n);
    own->twist = SN_NEW(arena, double, n);
    own->inertia = SN_NEW(arena, double, n);
    own->axis = SN_NEW(arena, snVec3, n);
    own->inside = SN_NEW(arena, unsigned char, n);
    own->turned = SN_NEW(arena, snQuat, n);
    own->restJoints = SN_NEW(arena, snAffine, n);
    own->shape = SN_NEW(arena, double, 4 * (size_t)b->flesh->model->vertexCount);
    bool good = own->strength && own->swing && own->twist && own->inertia && own->axis &&
                own->inside && own->turned && own->restJoints && own->shape;
    if (!good) return snFailMemory(error);
    return snStrength_Copy(&own->def.strength, &def->strength, n, arena, error);
}

static snStatus build(snFleshBody *b, Plan *plan, snError *error)
{
    double mass = 0, left = 1;
    snFleshBones *own = b->bones;
    findTurning(b, plan);
    snStatus status = shareMass(b, own->def.bones, &mass, &left, error);
    if (!status) status = checkOutside(b, error);
    if (status) return status;
    addBones(b, mass, plan);
    snBonesDef bones = {.model = b->flesh->model,
                        .linkCount = b->character->skeleton.jointCount,
                        .parent = plan->parent,
                        .joint = plan->joint,
                        .turns = plan->turns,
                        .pointCount = plan->pointCount,
                        .points = plan->points,
                        .left = left};
    status = snBones_Make(&own->links, &bones, &b->solid.context, error);
    if (status) return status;
    b->solid.bones = own->links;
    findInertia(b);
    findJoints(b, plan);
    return SN_OK;
}

snStatus snFleshBones_Make(snFleshBody *b, const snFleshSkeleton *def, snError *error)
{
    Plan plan = {0};
    snArena scratch = snMakeArena(&b->solid.context);
    snStatus status = check(b, def, error);
    if (!status) status = allocate(b, def, error);
    if (!status &&
        !makePlan(&plan, b->character->skeleton.jointCount, b->flesh->boneCount, &scratch))
        status = snFailMemory(error);
    if (!status) status = build(b, &plan, error);
    snArena_Destroy(&scratch);
    return status;
}

void snFleshBones_Destroy(snFleshBones *bones)
{
    if (bones) snBones_Destroy(bones->links);
}

size_t snFleshBones_SavedSize(const snFleshBody *b)
{
    if (!b->bones) return 0;
    size_t joints = (size_t)b->character->skeleton.jointCount;
    return joints * (sizeof(snBoneLink) + sizeof(snQuat) + sizeof(snVec3)) +
           (size_t)b->bones->links->pointCount * sizeof(snVec3);
}

void snFleshBones_TakeSaved(snFleshBody *b, void *bytes)
{
    if (!b->bones) return;
    snFleshBones *own = b->bones;
    size_t joints = (size_t)b->character->skeleton.jointCount;
    char *at = bytes;
    own->links->links = memcpy(at, own->links->links, joints * sizeof(snBoneLink));
    own->wanted = (snQuat *)(void *)(at += joints * sizeof(snBoneLink));
    own->places = (snVec3 *)(void *)(at += joints * sizeof(snQuat));
    own->links->speeds = (snVec3 *)(void *)(at + joints * sizeof(snVec3));
}

// ---- a step -------------------------------------------------------------------------------------

// Turns of the clip's pose, from rest, to `turned`.
static void readClip(const snFleshBody *b)
{
    for (int j = 0; j < b->character->skeleton.jointCount; j++) {
        snAffine t = snMulAA(b->pose.global[j], b->flesh->fromRest[j]);
        b->bones->turned[j] = snQuatFromMat(snPolar(t.linear, NULL));
    }
}

static snQuat wantedTurn(const snFleshBody *b, int joint)
{
    const snFleshBones *own = b->bones;
    int p = own->links->parent[joint];
    snQuat turned = own->turned[joint];
    return p < 0 ? turned : snNormalizeQ(snMulQQ(snConjugate(own->turned[p]), turned));
}

static snVec3 wantedPlace(const snFleshBody *b, int joint)
{
    return b->pose.global[joint].origin;
}

// A hand carries the whole as one piece.
static void aimRoot(const snFleshBody *b, int j, double rate)
{
    const snFleshBones *own = b->bones;
    snBoneJoint *joint = &own->links->joints[j];
    snStrengthSpring turning = snStrength_Spring(own->inertia[j], rate, 0);
    snStrengthSpring moving = snStrength_Spring(own->links->totalMass, rate, 0);
    joint->stiffness = turning.stiffness;
    joint->damping = turning.damping;
    joint->pull = moving.stiffness;
    joint->drag = moving.damping;
    joint->place = wantedPlace(b, j);
    joint->move = snSub(joint->place, own->places[j]);
    joint->limits = 0;
}

static void aimJoint(const snFleshBody *b, int j, double rate)
{
    const snFleshBones *own = b->bones;
    snBoneJoint *joint = &own->links->joints[j];
    snStrengthSpring spring = snStrength_Spring(own->inertia[j], rate, own->def.strength.damping);
    joint->stiffness = spring.stiffness;
    joint->damping = spring.damping;
    joint->limits = LIMITS * own->inertia[j];
    joint->axis = own->axis[j];
    joint->swing = own->swing[j];
    joint->twist = own->twist[j];
}

// Ranges are for what falls: a clip that goes beyond is followed. What is limp has the range of the pose in which it became so: ranges that
// went on with a clip that it does not feel would move it.
static void widenRange(snBoneJoint *joint)
{
    snVec3 turn = snQuatToVector(joint->target);
    double twist = snDot(turn, joint->axis);
    double swing = snLength(snMulAdd(turn, -twist, joint->axis));
    joint->swing = fmax(joint->swing, swing);
    joint->twist = fmax(joint->twist, fabs(twist));
}

// Muscles that hold a pose are at rest in it. Flesh of a strong skeleton has the clip's pose for its rest shape, as skinning has it, and does not
// draw the joints back to the bind pose; that of a limp one has the bind pose. In between its joints are turned by so much of
// the clip's turns.
static void findShape(snFleshBody *b, double strength)
{
    snFleshBones *own = b->bones;
    const snBones *links = own->links;
    own->active = fmin(strength, 1);
    for (int j = 0; j < links->linkCount; j++) {
        int p = links->parent[j];
        snAffine turn = {snIdentity3(), {0, 0, 0}};
        if (p >= 0)
            turn.linear = snQuatToMat(snSlerp(snIdentityQuat(), own->wanted[j], own->active));
        snVec3 moved = snMulMV(turn.linear, links->center[j]);
        turn.origin = snSub(links->center[j], moved);
        own->restJoints[j] = p >= 0 ? snMulAA(own->restJoints[p], turn) : turn;
    }
    if (own->active > 0) snLatticeModel_Rig(b->flesh->model, own->restJoints, own->shape);
}

void snFleshBones_Aim(snFleshBody *b)
{
    snFleshBones *own = b->bones;
    snBones *links = own->links;
    double time = (double)b->clock->ticks * b->solid.body.step;
    snStrengthKey key = snStrength_At(&own->def.strength, time);
    snStrengthKey was = snStrength_At(&own->def.strength, time - b->solid.step.length);
    double hand = key.hand * own->def.strength.hand, lifted = snStrength_Lifted(hand);
    readClip(b);
    links->gravity = b->solid.step.gravity;
    links->lift = snScale(-lifted * links->totalMass, links->gravity);
    for (int j = 0; j < links->linkCount; j++) {
        snBoneJoint *joint = &links->joints[j];
        snBoneLink *link = &links->links[j];
        bool limp = key.strength == 0 && links->rowOf[j] >= 0 && links->parent[j] >= 0;
        snQuat wanted = limp ? own->wanted[j] : wantedTurn(b, j);
        joint->target = wanted;
        joint->spin = snTurnFromTo(own->wanted[j], wanted);
        if (links->rowOf[j] < 0) { // the clip's, in its parent
            link->turn = snTurnFromTo(link->relative, wanted);
            link->move = snSub(wantedPlace(b, j), link->place);
        } else if (links->parent[j] < 0) {
            aimRoot(b, j, 2 * SN_PI * hand);
        } else {
            aimJoint(b, j, 2 * SN_PI * key.strength * own->strength[j]);
            widenRange(joint);
        }
        if (key.strength == 0 || was.strength == 0) joint->spin = snVec(0, 0, 0);
        own->wanted[j] = wanted;
        own->places[j] = wantedPlace(b, j);
    }
    findShape(b, key.strength);
    snBones_Guess(links);
    for (int j = 0; j < links->linkCount; j++)
        if (own->inside[j])
            b->pose.global[j] =
                snMulAA(snBones_Transform(links, j), snInverseAffine(b->flesh->fromRest[j]));
}

// Turns of links and their changes are relative to parents; roots stand in the world.
void snFleshBones_Carry(snFleshBody *b, const snAffine *motion)
{
    snFleshBones *own = b->bones;
    snBones *links = own->links;
    snQuat turn = snQuatFromMat(motion->linear);
    for (int j = 0; j < links->linkCount; j++) {
        snBoneLink *link = &links->links[j];
        link->place = snMulAP(*motion, link->place);
        link->move = snMulMV(motion->linear, link->move);
        own->places[j] = snMulAP(*motion, own->places[j]);
        if (links->parent[j] >= 0) continue;
        link->relative = snNormalizeQ(snMulQQ(turn, link->relative));
        own->wanted[j] = snNormalizeQ(snMulQQ(turn, own->wanted[j]));
    }
    for (int i = 0; i < links->pointCount; i++)
        links->speeds[i] = snMulMV(motion->linear, links->speeds[i]);
    snFleshBones_Show(b);
}

void snFleshBones_Show(snFleshBody *b)
{
    snFleshBones *own = b->bones;
    snBones_Pose(own->links);
    for (int j = 0; j < own->links->linkCount; j++)
        if (own->inside[j])
            b->pose.global[j] =
                snMulAA(snBones_Transform(own->links, j), snInverseAffine(b->flesh->fromRest[j]));
}

void snFleshBones_Want(snFleshBody *b)
{
    for (int j = 0; j < b->bones->links->linkCount; j++)
        b->bones->places[j] = wantedPlace(b, j);
    snFleshBones_Show(b);
}

void snFleshBones_Put(snFleshBody *b)
{
    snFleshBones *own = b->bones;
    readClip(b);
    for (int j = 0; j < own->links->linkCount; j++) {
        own->wanted[j] = wantedTurn(b, j);
        own->places[j] = wantedPlace(b, j);
        own->links->links[j] = (snBoneLink){.relative = own->wanted[j], .place = own->places[j]};
    }
    double time = (double)b->clock->ticks * b->solid.body.step;
    findShape(b, snStrength_At(&own->def.strength, time).strength);
    snBones_Stop(own->links);
    snFleshBones_Show(b);
}
