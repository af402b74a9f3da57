// The cucumber: slightly bent, standing on its firm end; softer and softer towards its top.
#include "scenes.h"

#include "core/elementary.h"
#include "core/error.h"

enum { SKIN, WART, STEM };
enum { RINGS = 9 };

static const double bend = 0.9;    // radians from end to end
static const double length = 0.42; // of the middle line
static const double thick = 0.045;

// The middle line is an arc; t is 0 at the bottom and 1 at the top, and may go beyond.
static snAffine placeAt(double t)
{
    double radius = length / bend, angle = bend * (t - 0.5), tilt = 0.5 * bend * 0.35;
    snQuat turn = snQuatFromAxisAngle(snVec(0, 0, 1), tilt);
    snVec3 up = snVec(snSin(angle), snCos(angle), 0), out = snVec(-up.y, up.x, 0);
    snVec3 place = snVec(radius * (1 - snCos(angle)), radius * snSin(angle), 0);
    snMat3 frame = {snRotate(turn, snNeg(out)), snVec(0, 0, -1), snRotate(turn, up)};
    return (snAffine){frame, snAdd(snRotate(turn, place), snVec(0, 0.250, 0))};
}

static double radiusAt(double t)
{
    return thick * (0.80 + 0.26 * snSin(SN_PI * snClamp(t, 0, 1)) - 0.05 * t);
}

static void addWarts(snLumps *lumps)
{
    for (int i = 0; i < 44; i++) {
        double t = (i + 0.7) / 45.0, s, c;
        snSinCos(2.39996 * i, &s, &c); // the golden angle
        snAffine place = placeAt(t);
        double r = radiusAt(t) + 0.0004;
        snVec3 at = snMulAP(place, snVec(r * c, r * s, 0));
        snLumps_Add(lumps,
                    snCone(at, snMulAP(place, snVec(1.01 * r * c, 1.01 * r * s, 0)), 0.0036, 0.003),
                    0.003, WART);
    }
}

static void shape(snLumps *lumps)
{
    enum { PIECES = 24 };
    *lumps = (snLumps){0};
    for (int i = 0; i < PIECES; i++) {
        double t = (double)i / PIECES, next = (double)(i + 1) / PIECES;
        snLumps_Add(lumps,
                    snCone(placeAt(t).origin, placeAt(next).origin, radiusAt(t), radiusAt(next)),
                    0.002, SKIN);
    }
    addWarts(lumps);
    snLumps_Add(lumps, snCone(placeAt(1.05).origin, placeAt(1.14).origin, 0.010, 0.007), 0.008,
                STEM);
}

// Stripes along it, paler below.
static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    const snLumps *lumps = creature;
    double best = 1e300, at = 0;
    for (int i = 0; i <= 40; i++) {
        double away = snDistance(point, placeAt(i / 40.0).origin);
        if (away < best) best = away, at = i / 40.0;
    }
    snVec3 local = snMulTMV(placeAt(at).linear, snSub(point, placeAt(at).origin));
    double stripe = 0.5 + 0.5 * snSin(9 * snAtan2(local.y, local.x));
    snTint green = snTint_Mix(snTint_Hex(0x2c6b2a), snTint_Hex(0x5c9a3a), snRise(0.3, 0.9, stripe));
    snTint tint = snTint_Mix(green, snTint_Hex(0xa9c46c), 0.75 * snRise(0.35, -0.1, at));
    tint = snTint_Mix(tint, snTint_Hex(0x9bbd55), 0.15 + 0.15 * normal.y);
    tint = snTint_Mix(snTint_Hex(0xb7cf7a), tint,
                      snRise(-0.001, 0.002, snLumps_Region(lumps, WART, point)));
    return snTint_Mix(snTint_Hex(0x8b7a46), tint,
                      snRise(0, 0.003, snLumps_Region(lumps, STEM, point)));
}

// ---- the lattice ------------------------------------------------------------------------------------

// A row of hexahedra. Firmness goes from 1 at the bottom to 1/60 at the top, evenly in its logarithm.
static snStatus addRow(snBuilder *builder, snControl *control, snArena *arena, snError *error)
{
    int ring[2][4];
    double *stiffness = SN_NEW(arena, double, 4 * RINGS);
    if (!stiffness) return snFailMemory(error);
    for (int i = 0; i < RINGS; i++) {
        double along = (double)i / (RINGS - 1), t = -0.17 + 1.40 * along;
        double r = 1.12 * fmin(radiusAt(t), i == RINGS - 1 ? 0.03 : 1);
        snBuilder_Ring(builder, placeAt(t), r, r, r, ring[i & 1]);
        if (i > 0) snBuilder_Between(builder, ring[~i & 1], ring[i & 1]);
        for (int k = 0; k < 4; k++)
            stiffness[4 * i + k] = snExp(-snLn(60) * along);
    }
    control->stiffness = stiffness;
    return snBuilder_Finish(builder, &control->lattice, arena, error);
}

snStatus snCucumber_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    snLumps *lumps = SN_NEW(arena, snLumps, 1);
    snBuilder *builder = SN_NEW(arena, snBuilder, 1);
    if (!lumps || !builder) return snFailMemory(error);
    snControl *control = &model->controls[0];
    snLumpsDef def = {.edge = 0.0066, .radius = 1};
    snWrapDef wrap = {lumps, 0.004, 60};
    model->name = "cucumber";
    model->yaw = 24;
    model->controlCount = 1;
    control->name = "cucumber";
    control->anyScheme = true;
    shape(lumps);
    snStatus status = snLumps_Surface(&model->surface, lumps, &def, arena, error);
    if (!status) status = snModel_Paint(model, lumps, paint, arena, error);
    if (!status) status = addRow(builder, control, arena, error);
    if (!status) status = snWrap(&control->lattice, &wrap, arena, context, error);
    return status;
}
