// The dragon: a snake of a body coiled one and a half times, an open mouth, horns, a ridge of spikes
// and a spade at the tail's end. Its coils come near each other and do not touch.
#include "scenes.h"

#include "core/elementary.h"
#include "core/error.h"

typedef snDragon Dragon;

enum { BODY, RIDGE, HORN, TEETH, EYE, PUPIL, SPADE, HEAD, TONGUE };

static const double degree = SN_PI / 180.0;

// ---- the curve --------------------------------------------------------------------------------------

static void addPoint(Dragon *dragon, snVec3 place, double radius)
{
    dragon->points[dragon->pointCount] = place;
    dragon->radius[dragon->pointCount++] = radius;
}

// Every 45 degrees of the coil: its distance from the axis, its height and how thick the body is.
static const struct {
    double away, height, radius;
} coil[] = {{0.468, 0.058, 0.050}, {0.456, 0.070, 0.062}, {0.448, 0.086, 0.075},
            {0.446, 0.102, 0.088}, {0.444, 0.122, 0.100}, {0.440, 0.154, 0.110},
            {0.434, 0.208, 0.117}, {0.424, 0.276, 0.121}, {0.408, 0.330, 0.122},
            {0.382, 0.356, 0.120}, {0.350, 0.366, 0.116}, {0.312, 0.384, 0.110},
            {0.270, 0.438, 0.103}};

static void addCurve(Dragon *dragon)
{
    addPoint(dragon, snVec(0.735, 0.076, 0.510), 0.021);
    addPoint(dragon, snVec(0.650, 0.050, 0.275), 0.037);
    for (int i = 0; i < (int)(sizeof coil / sizeof *coil); i++) {
        double angle = (90.0 + 45.0 * i) * degree;
        addPoint(dragon,
                 snVec(coil[i].away * snSin(angle), coil[i].height, coil[i].away * snCos(angle)),
                 coil[i].radius);
    }
    addPoint(dragon, snVec(-0.245, 0.552, 0.165), 0.094);
    addPoint(dragon, snVec(-0.165, 0.730, 0.245), 0.086);
    addPoint(dragon, snVec(-0.075, 0.850, 0.335), 0.088);
}

// Catmull and Rom's curve through the points, by the number of a point.
snVec3 snDragon_CurveAt(const snDragon *dragon, double t)
{
    int last = dragon->pointCount - 1, i = (int)snClamp(floor(t), 0, last - 1);
    double u = t - i;
    snVec3 p1 = dragon->points[i], p2 = dragon->points[i + 1];
    snVec3 p0 = i > 0 ? dragon->points[i - 1] : snSub(snScale(2, p1), p2);
    snVec3 p3 = i + 2 <= last ? dragon->points[i + 2] : snSub(snScale(2, p2), p1);
    snVec3 m1 = snScale(0.5, snSub(p2, p0)), m2 = snScale(0.5, snSub(p3, p1));
    double a = u * u * (3 - 2 * u);
    return snMulAdd(snMulAdd(snLerp(p1, p2, a), u * (1 - u) * (1 - u), m1), -u * u * (1 - u), m2);
}

static double radiusAt(const Dragon *dragon, double t)
{
    int i = (int)snClamp(floor(t), 0, dragon->pointCount - 2);
    double u = t - i, a = u * u * (3 - 2 * u) * 0.3 + 0.7 * u;
    return (1 - a) * dragon->radius[i] + a * dragon->radius[i + 1];
}

// ---- shapes -----------------------------------------------------------------------------------------

static void addTrunk(Dragon *dragon)
{
    enum { PIECES = 4 }; // from point to point
    for (int i = 0; i < PIECES * (dragon->pointCount - 1); i++) {
        double t = (double)i / PIECES, next = (double)(i + 1) / PIECES;
        snLumps_Add(&dragon->lumps,
                    snCone(snDragon_CurveAt(dragon, t), snDragon_CurveAt(dragon, next),
                           radiusAt(dragon, t), radiusAt(dragon, next)),
                    0.004, BODY);
    }
}

snVec3 snDragon_BackAt(const snDragon *dragon, double t)
{
    snVec3 along = snSub(snDragon_CurveAt(dragon, t + 0.05), snDragon_CurveAt(dragon, t - 0.05));
    snVec3 forward = snNormalizeOr(along, snVec(0, 0, 1)), up = snVec(0, 1, 0);
    return snNormalizeOr(snMulAdd(up, -snDot(up, forward), forward), up);
}

// Spikes lean towards the tail. Where the neck bends back they stand farther apart at their feet, so that
// their tips keep off each other.
static void addRidge(Dragon *dragon)
{
    snVec3 lastFoot = {0, 0, 0}, lastTip = {0, 0, 0};
    for (double t = 1.6; t < dragon->pointCount - 1.5; t += 0.02) {
        snVec3 here = snDragon_CurveAt(dragon, t), behind = snDragon_CurveAt(dragon, t - 0.11);
        snVec3 back = snDragon_BackAt(dragon, t);
        double r = radiusAt(dragon, t), apart = 0.050 + 0.52 * r;
        snVec3 foot = snMulAdd(here, 0.93 * r, back);
        snVec3 tip = snMulAdd(behind, 1.34 * r + 0.006, back);
        if (snDistance(foot, lastFoot) < apart || snDistance(tip, lastTip) < 0.9 * apart) continue;
        snLumps_Add(&dragon->lumps, snCone(foot, tip, 0.24 * r, 0.012), 0.006, RIDGE);
        lastFoot = foot, lastTip = tip;
    }
}

static void addSpade(Dragon *dragon)
{
    snVec3 end = dragon->points[0], along = snSub(end, snDragon_CurveAt(dragon, 0.4));
    snVec3 forward = snNormalizeOr(along, snVec(0, 0, 1));
    snVec3 side = snNormalizeOr(snCross(snVec(0, 1, 0), forward), snVec(1, 0, 0));
    snMat3 turn = {side, snCross(forward, side), forward};
    snLumps_Add(&dragon->lumps,
                snEgg(snMulAdd(end, 0.030, forward), snVec(0.078, 0.021, 0.066), turn), 0.012,
                SPADE);
    snLumps_Add(&dragon->lumps,
                snCone(snMulAdd(end, 0.060, forward), snMulAdd(end, 0.145, forward), 0.026, 0.011),
                0.020, SPADE);
    for (int k = -1; k <= 1; k += 2) {
        snVec3 wide = snMulAdd(snMulAdd(end, 0.02, forward), 0.046 * k, side);
        snVec3 barb = snMulAdd(snMulAdd(end, -0.042, forward), 0.090 * k, side);
        snLumps_Add(&dragon->lumps, snCone(wide, barb, 0.019, 0.010), 0.012, SPADE);
    }
}

// ---- the head ---------------------------------------------------------------------------------------

static void placeHead(Dragon *dragon)
{
    snVec3 forward = snNormalizeOr(snVec(0.34, -0.02, 0.94), snVec(0, 0, 1));
    snVec3 left = snNormalizeOr(snCross(snVec(0, 1, 0), forward), snVec(1, 0, 0));
    snVec3 end = dragon->points[dragon->pointCount - 1];
    dragon->head.linear = (snMat3){left, snCross(forward, left), forward};
    dragon->headScale = 1.28;
    dragon->head.origin = snAdd(end, snMulMV(dragon->head.linear, snVec(0, -0.028, 0.096)));
}

// The head is modelled in its own measure about the corners of the mouth, and then made larger.
snVec3 snDragon_HeadPoint(const snDragon *dragon, double x, double y, double z)
{
    return snMulAP(dragon->head, snScale(dragon->headScale, snVec(x, y, z)));
}

static snVec3 headPoint(const Dragon *dragon, snVec3 p)
{
    return snDragon_HeadPoint(dragon, p.x, p.y, p.z);
}

static void addHeadEgg(Dragon *dragon, snVec3 center, snVec3 axes, double fillet, int region)
{
    double scale = dragon->headScale;
    snLumps_Add(&dragon->lumps,
                snEgg(headPoint(dragon, center), snScale(scale, axes), dragon->head.linear),
                scale * fillet, region);
}

static void addHeadCone(Dragon *dragon, snVec3 from, snVec3 to, snVec3 shape, int region)
{
    double scale = dragon->headScale;
    snLumps_Add(
        &dragon->lumps,
        snCone(headPoint(dragon, from), headPoint(dragon, to), scale * shape.x, scale * shape.y),
        scale * shape.z, region);
}

static void addHeadPair(Dragon *dragon, snVec3 from, snVec3 to, snVec3 shape, int region)
{
    addHeadCone(dragon, from, to, shape, region);
    addHeadCone(dragon, snVec(-from.x, from.y, from.z), snVec(-to.x, to.y, to.z), shape, region);
}

// Jaws are wedges of three rounded cones each, so that they are broader than high. The upper one
// points up a little, the lower one hangs open by 30 degrees.
static void addJaws(Dragon *dragon)
{
    addHeadPair(dragon, snVec(0.045, 0.040, -0.010), snVec(0.030, 0.062, 0.205),
                snVec(0.052, 0.032, 0.014), HEAD);
    addHeadCone(dragon, snVec(0, 0.055, 0.00), snVec(0, 0.070, 0.215), snVec(0.058, 0.034, 0.014),
                HEAD);
    addHeadPair(dragon, snVec(0.028, 0.094, 0.205), snVec(0.030, 0.098, 0.212),
                snVec(0.019, 0.017, 0.012), HEAD); // nostrils
    addHeadPair(dragon, snVec(0.045, -0.055, -0.015), snVec(0.024, -0.150, 0.160),
                snVec(0.036, 0.020, 0.012), HEAD);
    addHeadCone(dragon, snVec(0, -0.065, -0.02), snVec(0, -0.155, 0.170),
                snVec(0.040, 0.022, 0.014), HEAD);
}

static void addSkull(Dragon *dragon)
{
    addHeadEgg(dragon, snVec(0, 0.025, -0.055), snVec(0.094, 0.092, 0.100), 0.020, HEAD);
    addHeadPair(dragon, snVec(0.060, 0.085, -0.040), snVec(0.058, 0.094, 0.035),
                snVec(0.030, 0.020, 0.012), HEAD); // brows
    addHeadPair(dragon, snVec(0.078, 0.000, -0.050), snVec(0.098, 0.000, -0.115),
                snVec(0.030, 0.008, 0.012), HEAD); // cheeks
    addHeadPair(dragon, snVec(0.050, 0.095, -0.070), snVec(0.072, 0.128, -0.125),
                snVec(0.025, 0.017, 0.008), HORN);
    addHeadPair(dragon, snVec(0.072, 0.128, -0.125), snVec(0.079, 0.132, -0.168),
                snVec(0.017, 0.008, 0.004), HORN);
}

static void addFace(Dragon *dragon)
{
    addHeadPair(dragon, snVec(0.066, 0.064, 0.018), snVec(0.067, 0.064, 0.019),
                snVec(0.033, 0.033, 0.002), EYE);
    addHeadPair(dragon, snVec(0.081, 0.064, 0.034), snVec(0.082, 0.064, 0.035),
                snVec(0.0135, 0.0135, 0.001), PUPIL);
    addHeadPair(dragon, snVec(0.036, 0.036, 0.195), snVec(0.037, 0.002, 0.203),
                snVec(0.011, 0.0055, 0.003), TEETH);
    addHeadPair(dragon, snVec(0.052, 0.020, 0.135), snVec(0.052, -0.006, 0.140),
                snVec(0.010, 0.0055, 0.003), TEETH);
    addHeadPair(dragon, snVec(0.026, -0.136, 0.150), snVec(0.028, -0.104, 0.166),
                snVec(0.010, 0.0055, 0.003), TEETH);
}

void snDragon_Shape(snDragon *dragon)
{
    *dragon = (snDragon){0};
    addCurve(dragon);
    addTrunk(dragon);
    addSpade(dragon);
    placeHead(dragon);
    addSkull(dragon);
    addJaws(dragon);
    addRidge(dragon);
    addFace(dragon);
}

// ---- colours ----------------------------------------------------------------------------------------

// 1 in the mouth: what faces the other jaw, in front of the corners.
static double inMouth(const Dragon *dragon, snVec3 point, snVec3 normal)
{
    snVec3 p = snMulTMV(dragon->head.linear, snSub(point, dragon->head.origin));
    snVec3 n = snMulTMV(dragon->head.linear, normal);
    p = snScale(1 / dragon->headScale, p);
    if (snLength(snSub(p, snVec(0, 0, 0.08))) > 0.2) return 0;
    double gap = p.y + 0.035 + 0.45 * p.z; // above the middle of the open mouth
    double faces = gap > 0 ? -n.y : 0.88 * n.y + 0.47 * n.z;
    return snRise(0.35, 0.6, faces) * snRise(-0.02, 0.0, p.z) * snRise(-0.10, -0.08, -fabs(p.y));
}

static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    const Dragon *dragon = creature;
    const snLumps *lumps = &dragon->lumps;
    snTint back = snTint_Mix(snTint_Hex(0x2f8f6b), snTint_Hex(0x1d5f57), 0.35 + 0.35 * normal.y);
    snTint tint = snTint_Mix(back, snTint_Hex(0xe9d9a0), snRise(0.25, 0.75, -normal.y));
    tint = snTint_Mix(tint, snTint_Hex(0xb8404a), inMouth(dragon, point, normal));
    double spike = fmin(snLumps_Region(lumps, RIDGE, point), snLumps_Region(lumps, SPADE, point));
    tint = snTint_Over(0xd8572a, tint, spike, 0.004);
    tint = snTint_Over(0xf3e6c4, tint, snLumps_Region(lumps, HORN, point), 0.003);
    tint = snTint_Over(0xfffbf0, tint, snLumps_Region(lumps, TEETH, point), 0.002);
    tint = snTint_Over(0xffe28a, tint, snLumps_Region(lumps, EYE, point), 0.0012);
    return snTint_Over(0x14120f, tint, snLumps_Region(lumps, PUPIL, point), 0.002);
}

// A regular grid for comparison: its cells hold parts of different coils, and of both jaws.
static snStatus addGrid(snModel *model, const snLumps *lumps, snArena *arena,
                        const snContext *context, snError *error)
{
    snBox box = snMesh_Bounds(&model->surface);
    snVec3 margin = snVec(0.01, 0.01, 0.01);
    snGridDef def = {.box = {snSub(box.lower, margin), snAdd(box.upper, margin)},
                     .cells = {5, 4, 5},
                     .surface = &model->surface,
                     .lumps = lumps};
    model->controls[1].name = "dragon-grid";
    return snGrid_Make(&model->controls[1].lattice, &def, arena, context, error);
}

snStatus snDragon_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    snDragon *dragon = SN_NEW(arena, snDragon, 1);
    if (!dragon) return snFailMemory(error);
    snDragon_Shape(dragon);
    model->name = "dragon";
    model->yaw = 46;
    snLumpsDef def = {.edge = 0.0245, .finer = 0.57, .radius = 0.22, .center = dragon->head.origin};
    snStatus status = snLumps_Surface(&model->surface, &dragon->lumps, &def, arena, error);
    if (!status) status = snModel_Paint(model, dragon, paint, arena, error);
    if (status) return status;
    model->controlCount = 2;
    status = snDragon_Fitted(&model->controls[0], dragon, arena, context, error);
    if (!status) status = addGrid(model, &dragon->lumps, arena, context, error);
    return status;
}
