// Bumble's skeleton and skin weights.
#include "demo.h"

#include "core/elementary.h"
#include "core/error.h"

// Every joint with the flesh it carries: a cone from the joint to `end`, for the weights.
typedef struct Rig {
    const char *name;
    int parent;
    snVec3 place;     // in the world, at rest
    snVec3 end;       // of the bone
    double radius[2]; // of the flesh around place and end
} Rig;

static const Rig rig[DEMO_JOINTS] = {
    {"root", -1, {0, 0.66, -0.28}, {0, 0.68, -0.07}, {0.25, 0.29}},
    {"spine", DEMO_ROOT, {0, 0.68, -0.07}, {0, 0.70, 0.12}, {0.29, 0.25}},
    {"chest", DEMO_SPINE, {0, 0.70, 0.12}, {0, 0.82, 0.26}, {0.25, 0.19}},
    {"neck", DEMO_CHEST, {0, 0.82, 0.26}, {0, 1.00, 0.39}, {0.19, 0.17}},
    {"head", DEMO_NECK, {0, 1.00, 0.39}, {0, 1.01, 0.68}, {0.22, 0.16}},
    {"ear_L_1", DEMO_HEAD, {0.203, 1.203, 0.418}, {0.356, 1.16, 0.401}, {0.04, 0.04}},
    {"ear_L_2", DEMO_EAR_L_1, {0.356, 1.16, 0.401}, {0.492, 0.9657, 0.423}, {0.04, 0.035}},
    {"ear_R_1", DEMO_HEAD, {-0.203, 1.203, 0.418}, {-0.356, 1.16, 0.401}, {0.04, 0.04}},
    {"ear_R_2", DEMO_EAR_R_1, {-0.356, 1.16, 0.401}, {-0.492, 0.9657, 0.423}, {0.04, 0.035}},
    {"horn_L", DEMO_HEAD, {0.13, 1.299, 0.452}, {0.181, 1.497, 0.48}, {0.045, 0.02}},
    {"horn_R", DEMO_HEAD, {-0.13, 1.299, 0.452}, {-0.181, 1.497, 0.48}, {0.045, 0.02}},
    {"tail_1", DEMO_ROOT, {0, 0.775, -0.48}, {0, 0.735, -0.625}, {0.06, 0.048}},
    {"tail_2", DEMO_TAIL_1, {0, 0.735, -0.625}, {0, 0.60, -0.725}, {0.048, 0.038}},
    {"tail_3", DEMO_TAIL_2, {0, 0.60, -0.725}, {0, 0.37, -0.76}, {0.038, 0.06}},
    {"leg_FL_upper", DEMO_CHEST, {0.175, 0.56, 0.17}, {0.185, 0.325, 0.2}, {0.13, 0.1}},
    {"leg_FL_lower", DEMO_LEG_FL, {0.185, 0.325, 0.2}, {0.185, 0.122, 0.18}, {0.1, 0.084}},
    {"hoof_FL", DEMO_LEG_FL + 1, {0.185, 0.122, 0.18}, {0.185, 0.05, 0.197}, {0.085, 0.085}},
    {"leg_FR_upper", DEMO_CHEST, {-0.175, 0.56, 0.17}, {-0.185, 0.325, 0.2}, {0.13, 0.1}},
    {"leg_FR_lower", DEMO_LEG_FR, {-0.185, 0.325, 0.2}, {-0.185, 0.122, 0.18}, {0.1, 0.084}},
    {"hoof_FR", DEMO_LEG_FR + 1, {-0.185, 0.122, 0.18}, {-0.185, 0.05, 0.197}, {0.085, 0.085}},
    {"leg_HL_upper", DEMO_ROOT, {0.185, 0.58, -0.28}, {0.2, 0.325, -0.335}, {0.15, 0.096}},
    {"leg_HL_lower", DEMO_LEG_HL, {0.2, 0.325, -0.335}, {0.2, 0.122, -0.29}, {0.096, 0.082}},
    {"hoof_HL", DEMO_LEG_HL + 1, {0.2, 0.122, -0.29}, {0.2, 0.05, -0.273}, {0.085, 0.085}},
    {"leg_HR_upper", DEMO_ROOT, {-0.185, 0.58, -0.28}, {-0.2, 0.325, -0.335}, {0.15, 0.096}},
    {"leg_HR_lower", DEMO_LEG_HR, {-0.2, 0.325, -0.335}, {-0.2, 0.122, -0.29}, {0.096, 0.082}},
    {"hoof_HR", DEMO_LEG_HR + 1, {-0.2, 0.122, -0.29}, {-0.2, 0.05, -0.273}, {0.085, 0.085}},
};

snVec3 snDemo_JointPlace(int joint)
{
    return rig[joint].place;
}

int snDemo_JointParent(int joint)
{
    return rig[joint].parent;
}

snStatus snDemo_MakeSkeleton(snCharacter *character, snError *error)
{
    snArena *arena = &character->arena;
    character->skeleton.joints = SN_NEW(arena, snJoint, DEMO_JOINTS);
    character->skins = SN_NEW(arena, snSkin, 1);
    int *joints = SN_NEW(arena, int, DEMO_JOINTS);
    snAffine *inverseBind = SN_NEW(arena, snAffine, DEMO_JOINTS);
    if (!character->skeleton.joints || !character->skins || !joints || !inverseBind)
        return snFailMemory(error);
    for (int j = 0; j < DEMO_JOINTS; j++) {
        const Rig *r = &rig[j];
        snVec3 parent = r->parent < 0 ? snVec(0, 0, 0) : rig[r->parent].place;
        // All joints look along the world's axes at rest: a bend is a turn about x, y or z.
        snTransform rest = {snSub(r->place, parent), snIdentityQuat(), snVec(1, 1, 1)};
        character->skeleton.joints[j] = (snJoint){.name = r->name, .parent = r->parent};
        character->skeleton.joints[j].rest = rest;
        character->skeleton.joints[j].fileNode = j;
        joints[j] = j;
        inverseBind[j] = (snAffine){snIdentity3(), snNeg(r->place)};
    }
    character->skeleton.jointCount = DEMO_JOINTS;
    character->skins[0] = (snSkin){"bumble", DEMO_JOINTS, joints, inverseBind};
    character->skinCount = 1;
    return SN_OK;
}

// How far the point is from the flesh of joint j: distance to its bone less the radius there.
static double fleshDistance(int j, snVec3 point)
{
    snVec3 along = snSub(rig[j].end, rig[j].place), to = snSub(point, rig[j].place);
    double t = snClamp(snDot(to, along) / snLengthSquared(along), 0.0, 1.0);
    double radius = (1.0 - t) * rig[j].radius[0] + t * rig[j].radius[1];
    return snLength(snMulAdd(to, -t, along)) - radius;
}

// Weights fall off as exp(-d / σ) with the distance d from the flesh beyond that of the nearest
// joint. Bones of a chain are equally near at their common joint, so one passes smoothly into the
// other over about a limb's radius.
static void flesh(snVec3 point, double weights[DEMO_JOINTS])
{
    double nearest = 1e300;
    for (int j = 0; j < DEMO_JOINTS; j++) {
        weights[j] = fleshDistance(j, point);
        if (weights[j] < nearest) nearest = weights[j];
    }
    for (int j = 0; j < DEMO_JOINTS; j++) {
        double sigma = j <= DEMO_NECK ? 0.04 : 0.022; // the trunk bends more gently than limbs
        bool horny = j == DEMO_HORN_L || j == DEMO_HORN_R ||
                     (j >= DEMO_LEG_FL && (j - DEMO_LEG_FL) % 3 == 2);
        weights[j] = horny ? 0.0 : snExp((nearest - weights[j]) / sigma);
    }
}

// Gives joint j the share `part` of all weights and leaves the rest to the others.
static void takeShare(double weights[DEMO_JOINTS], int j, double part)
{
    double sum = 0.0;
    for (int k = 0; k < DEMO_JOINTS; k++)
        sum += weights[k];
    for (int k = 0; k < DEMO_JOINTS; k++)
        weights[k] *= (1.0 - part) / sum;
    weights[j] += part;
}

// Horns and hooves do not bend: they belong wholly to their own joint.
static void horn(const snDemoBody *body, snVec3 point, double weights[DEMO_JOINTS])
{
    double far = snDemo_Region(body, REGION_HORNS, point);
    int joint = point.x > 0.0 ? DEMO_HORN_L : DEMO_HORN_R;
    takeShare(weights, joint, 1.0 - snDemo_Smooth(0.001, 0.014, far));
    if (point.y > 0.2) return;
    int leg = point.z > 0.0 ? (point.x > 0.0 ? DEMO_LEG_FL : DEMO_LEG_FR)
                            : (point.x > 0.0 ? DEMO_LEG_HL : DEMO_LEG_HR);
    double away =
        snDistance(snVec(point.x, 0, point.z), snVec(rig[leg].place.x, 0, rig[leg + 2].place.z));
    if (away < 0.16) takeShare(weights, leg + 2, 1.0 - snDemo_Smooth(0.118, 0.165, point.y));
}

void snDemo_Weights(const snDemoBody *body, snVec3 point, int joints[4], float weights[4])
{
    double all[DEMO_JOINTS], best[5] = {0};
    int who[5] = {0};
    flesh(point, all);
    horn(body, point, all);
    for (int i = 0; i < 5; i++) { // the five largest, ties to the lower number
        who[i] = -1;
        for (int j = 0; j < DEMO_JOINTS; j++)
            if (who[i] < 0 || all[j] > all[who[i]]) who[i] = j;
        best[i] = all[who[i]];
        all[who[i]] = -1.0;
    }
    // Four are kept. Taking the fifth's weight off all of them lets each fade out before it goes.
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += best[i] - best[4];
    for (int i = 0; i < 4; i++) {
        double w = (best[i] - best[4]) / sum;
        weights[i] = (float)(w < 1e-4 ? 0.0 : w);
        joints[i] = weights[i] > 0.0f ? who[i] : 0;
    }
    float total = weights[0] + weights[1] + weights[2] + weights[3];
    for (int i = 0; i < 4; i++)
        weights[i] /= total;
}
