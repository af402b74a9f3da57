// The duck: a rubber toy, and a lattice of three vertices across whose profile follows body, head and
// beak.
#include "scenes.h"

#include "core/elementary.h"
#include "core/error.h"

enum { BODY, WING, BEAK, EYE, PUPIL };

static snMat3 pitched(double degrees)
{
    return snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), degrees * SN_PI / 180.0));
}

static void addEgg(snLumps *lumps, snVec3 center, snVec3 axes, double pitch, snVec3 look)
{
    snLumps_Add(lumps, snEgg(center, axes, pitched(pitch)), look.x, (int)look.y);
}

static void addBoth(snLumps *lumps, snVec3 center, snVec3 axes, double pitch, snVec3 look)
{
    addEgg(lumps, center, axes, pitch, look);
    addEgg(lumps, snVec(-center.x, center.y, center.z), axes, pitch, look);
}

static void shape(snLumps *lumps)
{
    *lumps = (snLumps){0};
    addEgg(lumps, snVec(0, 0.100, -0.005), snVec(0.108, 0.098, 0.138), 0, snVec(0, BODY, 0));
    addEgg(lumps, snVec(0, 0.148, -0.128), snVec(0.052, 0.034, 0.056), 38, snVec(0.05, BODY, 0));
    addEgg(lumps, snVec(0, 0.165, 0.070), snVec(0.058, 0.060, 0.058), 0, snVec(0.03, BODY, 0));
    addEgg(lumps, snVec(0, 0.240, 0.082), snVec(0.078, 0.074, 0.077), 0, snVec(0.022, BODY, 0));
    addBoth(lumps, snVec(0.098, 0.112, -0.025), snVec(0.022, 0.044, 0.072), 14,
            snVec(0.010, WING, 0));
    addEgg(lumps, snVec(0, 0.232, 0.166), snVec(0.040, 0.014, 0.040), -8, snVec(0.006, BEAK, 0));
    addEgg(lumps, snVec(0, 0.212, 0.158), snVec(0.032, 0.010, 0.030), 8, snVec(0.004, BEAK, 0));
    addBoth(lumps, snVec(0.040, 0.258, 0.132), snVec(0.021, 0.024, 0.021), 0, snVec(0.001, EYE, 0));
    addBoth(lumps, snVec(0.042, 0.257, 0.144), snVec(0.0125, 0.015, 0.0125), 0,
            snVec(0.001, PUPIL, 0));
}

static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    const snLumps *lumps = creature;
    snTint tint =
        snTint_Mix(snTint_Hex(0xf2a81d), snTint_Hex(0xffd23a), snRise(-1.0, 0.7, normal.y));
    tint = snTint_Over(0xf5ad22, tint, snLumps_Region(lumps, WING, point), 0.012);
    tint = snTint_Over(0xe8641b, tint, snLumps_Region(lumps, BEAK, point), 0.003);
    tint = snTint_Over(0xfdfdfb, tint, snLumps_Region(lumps, EYE, point), 0.001);
    return snTint_Over(0x17130f, tint, snLumps_Region(lumps, PUPIL, point), 0.0015);
}

// ---- the lattice ------------------------------------------------------------------------------------

// The profile: height, place along the body, half the width there.
static const struct {
    double y, z, half;
} profile[] = {
    {0.002, -0.120, 0.085}, {0.000, -0.040, 0.120}, {0.000, 0.050, 0.120}, {0.012, 0.130, 0.085},
    {0.110, -0.175, 0.090}, {0.095, -0.045, 0.140}, {0.095, 0.050, 0.135}, {0.105, 0.165, 0.085},
    {0.190, -0.205, 0.075}, {0.205, -0.060, 0.110}, {0.185, 0.000, 0.085}, {0.175, 0.150, 0.075},
    {0.255, -0.010, 0.100}, {0.200, 0.160, 0.095},  {0.330, 0.010, 0.085}, {0.325, 0.150, 0.085},
    {0.195, 0.225, 0.060},  {0.275, 0.225, 0.055},
};

// Its quadrilaterals, round from lower back: back, front, top front, top back.
static const int quads[][4] = {{0, 1, 5, 4},     {1, 2, 6, 5},     {2, 3, 7, 6},
                               {4, 5, 9, 8},     {5, 6, 10, 9},    {6, 7, 11, 10},
                               {10, 11, 13, 12}, {12, 13, 15, 14}, {13, 16, 17, 15}};

#define PROFILE ((int)(sizeof profile / sizeof *profile))
#define QUADS ((int)(sizeof quads / sizeof *quads))

// Three times the profile, right side first. Back to front and up, then across to the left: z, y, x is
// left-handed, so quadrilaterals are taken the other way round.
static void addCells(snBuilder *builder)
{
    for (int side = -1; side <= 1; side++)
        for (int i = 0; i < PROFILE; i++) {
            snBuilder_Vertex(builder, snVec(side * profile[i].half, profile[i].y, profile[i].z));
        }
    for (int side = 0; side < 2; side++)
        for (int q = 0; q < QUADS; q++) {
            int corners[SN_HEX];
            for (int k = 0; k < 4; k++) {
                corners[k] = side * PROFILE + quads[q][3 - k];
                corners[k + 4] = corners[k] + PROFILE;
            }
            snBuilder_Cell(builder, SN_HEX, corners);
        }
}

snStatus snDuck_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    snLumps *lumps = SN_NEW(arena, snLumps, 1);
    snBuilder *builder = SN_NEW(arena, snBuilder, 1);
    if (!lumps || !builder) return snFailMemory(error);
    snControl *control = &model->controls[0];
    snLumpsDef def = {.edge = 0.0095, .finer = 0.66, .radius = 0.075, .center = {0, 0.245, 0.12}};
    snWrapDef wrap = {lumps, 0.003, 60};
    model->name = "duck";
    model->yaw = 46;
    model->controlCount = 1;
    control->name = "duck";
    control->anyScheme = true;
    shape(lumps);
    addCells(builder);
    snStatus status = snLumps_Surface(&model->surface, lumps, &def, arena, error);
    if (!status) status = snModel_Paint(model, lumps, paint, arena, error);
    if (!status) status = snBuilder_Finish(builder, &control->lattice, arena, error);
    if (!status) status = snWrap(&control->lattice, &wrap, arena, context, error);
    return status;
}
