// Bumble's skeleton.
#include "demo.h"

#include "core/error.h"

static const snDemoBone rig[DEMO_JOINTS] = {
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
    {"leg_FL_upper", DEMO_CHEST, {0.175, 0.58, 0.16}, {0.185, 0.33, 0.212}, {0.13, 0.1}},
    {"leg_FL_lower", DEMO_LEG_FL, {0.185, 0.33, 0.212}, {0.185, 0.122, 0.18}, {0.1, 0.084}},
    {"hoof_FL", DEMO_LEG_FL + 1, {0.185, 0.122, 0.18}, {0.185, 0.05, 0.197}, {0.085, 0.085}},
    {"leg_FR_upper", DEMO_CHEST, {-0.175, 0.58, 0.16}, {-0.185, 0.33, 0.212}, {0.13, 0.1}},
    {"leg_FR_lower", DEMO_LEG_FR, {-0.185, 0.33, 0.212}, {-0.185, 0.122, 0.18}, {0.1, 0.084}},
    {"hoof_FR", DEMO_LEG_FR + 1, {-0.185, 0.122, 0.18}, {-0.185, 0.05, 0.197}, {0.085, 0.085}},
    {"leg_HL_upper", DEMO_ROOT, {0.185, 0.60, -0.275}, {0.2, 0.335, -0.345}, {0.15, 0.096}},
    {"leg_HL_lower", DEMO_LEG_HL, {0.2, 0.335, -0.345}, {0.2, 0.122, -0.29}, {0.096, 0.082}},
    {"hoof_HL", DEMO_LEG_HL + 1, {0.2, 0.122, -0.29}, {0.2, 0.05, -0.273}, {0.085, 0.085}},
    {"leg_HR_upper", DEMO_ROOT, {-0.185, 0.60, -0.275}, {-0.2, 0.335, -0.345}, {0.15, 0.096}},
    {"leg_HR_lower", DEMO_LEG_HR, {-0.2, 0.335, -0.345}, {-0.2, 0.122, -0.29}, {0.096, 0.082}},
    {"hoof_HR", DEMO_LEG_HR + 1, {-0.2, 0.122, -0.29}, {-0.2, 0.05, -0.273}, {0.085, 0.085}},
};

snVec3 snDemo_JointPlace(int joint)
{
    return rig[joint].place;
}

const snDemoBone *snDemo_Bone(int joint)
{
    return &rig[joint];
}

snStatus snDemo_MakeSkeleton(snCharacter *character, snError *error)
{
    snArena *arena = &character->arena;
    character->skeleton.joints = SN_NEW(arena, snJoint, DEMO_NODES);
    character->skins = SN_NEW(arena, snSkin, 1);
    int *joints = SN_NEW(arena, int, DEMO_JOINTS);
    snAffine *inverseBind = SN_NEW(arena, snAffine, DEMO_JOINTS);
    if (!character->skeleton.joints || !character->skins || !joints || !inverseBind)
        return snFailMemory(error);
    for (int j = 0; j < DEMO_JOINTS; j++) {
        const snDemoBone *r = &rig[j];
        snVec3 parent = r->parent < 0 ? snVec(0, 0, 0) : rig[r->parent].place;
        // All joints look along the world's axes at rest: a bend is a turn about x, y or z.
        snTransform rest = {snSub(r->place, parent), snIdentityQuat(), snVec(1, 1, 1)};
        character->skeleton.joints[j] = (snJoint){.name = r->name, .parent = r->parent};
        character->skeleton.joints[j].rest = rest;
        character->skeleton.joints[j].fileNode = j;
        joints[j] = j;
        inverseBind[j] = (snAffine){snIdentity3(), snNeg(r->place)};
    }
    const char *carriers[] = {"body", "face"};
    for (int j = DEMO_JOINTS; j < DEMO_NODES; j++) {
        snTransform rest = {snVec(0, 0, 0), snIdentityQuat(), snVec(1, 1, 1)};
        character->skeleton.joints[j] =
            (snJoint){.name = carriers[j - DEMO_JOINTS], .parent = -1, .rest = rest, .fileNode = j};
    }
    character->skeleton.jointCount = DEMO_NODES;
    character->skins[0] = (snSkin){"bumble", DEMO_JOINTS, joints, inverseBind};
    character->skinCount = 1;
    return SN_OK;
}
