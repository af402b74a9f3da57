// Bumble's body as implicit shapes that melt into each other, and its polygonised surface.
#include "demo.h"

#include "core/elementary.h"
#include "core/error.h"

typedef snLumps Body;

static snVec3 mirrored(snVec3 v)
{
    return snVec(-v.x, v.y, v.z);
}

static snShape egg(snVec3 center, snVec3 axes, snQuat turn)
{
    return snEgg(center, axes, snQuatToMat(turn));
}

static void addEgg(Body *body, snVec3 center, snVec3 axes, double fillet, int region)
{
    snLumps_Add(body, egg(center, axes, snIdentityQuat()), fillet, region);
}

static void addEggPair(Body *body, snVec3 center, snVec3 axes, snQuat turn, double fillet,
                       int region)
{
    snQuat other = {turn.x, -turn.y, -turn.z, turn.w}; // the turn seen in a mirror across x = 0
    snLumps_Add(body, egg(center, axes, turn), fillet, region);
    snLumps_Add(body, egg(mirrored(center), axes, other), fillet, region);
}

static void addConePair(Body *body, snVec3 from, snVec3 to, double radiusFrom, double radiusTo,
                        double fillet, int region)
{
    snLumps_Add(body, snCone(from, to, radiusFrom, radiusTo), fillet, region);
    snLumps_Add(body, snCone(mirrored(from), mirrored(to), radiusFrom, radiusTo), fillet, region);
}

// Angles in degrees: about z first, then y, then x.
static snQuat turned(double x, double y, double z)
{
    const double degree = SN_PI / 180.0;
    snQuat qx = snQuatFromAxisAngle(snVec(1, 0, 0), x * degree);
    snQuat qy = snQuatFromAxisAngle(snVec(0, 1, 0), y * degree);
    snQuat qz = snQuatFromAxisAngle(snVec(0, 0, 1), z * degree);
    return snMulQQ(qx, snMulQQ(qy, qz));
}

// A pear lying on its side: narrow shoulders, and a belly that hangs.
static void addTorso(Body *body)
{
    addEgg(body, snVec(0, 0.545, -0.07), snVec(0.380, 0.340, 0.350), 0.0, REGION_TORSO);
    addEgg(body, snVec(0, 0.655, -0.28), snVec(0.275, 0.260, 0.235), 0.16, REGION_TORSO);
    addEgg(body, snVec(0, 0.680, 0.17), snVec(0.250, 0.260, 0.215), 0.16, REGION_TORSO);
    snLumps_Add(body, snCone(snVec(0, 0.76, 0.23), snVec(0, 0.97, 0.38), 0.195, 0.170), 0.13,
                REGION_TORSO);
}

// The head is large, as a child's. It is modelled around its own middle and then scaled.
static const snVec3 headMiddle = {0, 1.09, 0.48};
static const double headScale = 1.13;

snVec3 snDemo_HeadPoint(double x, double y, double z)
{
    return snMulAdd(headMiddle, headScale, snVec(x, y, z));
}

static void addHeadEgg(Body *body, snVec3 center, snVec3 axes, double fillet, int region)
{
    addEgg(body, snDemo_HeadPoint(center.x, center.y, center.z), snScale(headScale, axes),
           headScale * fillet, region);
}

static void addHead(Body *body)
{
    addHeadEgg(body, snVec(0, 0, 0), snVec(0.225, 0.205, 0.215), 0.075, REGION_HEAD);
    addHeadEgg(body, snVec(0.115, -0.07, 0.04), snVec(0.118, 0.105, 0.115), 0.08, REGION_HEAD);
    addHeadEgg(body, snVec(-0.115, -0.07, 0.04), snVec(0.118, 0.105, 0.115), 0.08, REGION_HEAD);
    addHeadEgg(body, snVec(0, -0.095, 0.205), snVec(0.168, 0.115, 0.118), 0.07, REGION_MUZZLE);
    addHeadEgg(body, snVec(0, -0.152, 0.165), snVec(0.115, 0.075, 0.105), 0.05, REGION_MUZZLE);
    addHeadEgg(body, snVec(0, -0.028, 0.252), snVec(0.085, 0.04, 0.05), 0.05, REGION_MUZZLE);
}

static void addHeadConePair(Body *body, snVec3 from, snVec3 to, double radiusFrom, double radiusTo,
                            double fillet, int region)
{
    addConePair(body, snDemo_HeadPoint(from.x, from.y, from.z), snDemo_HeadPoint(to.x, to.y, to.z),
                headScale * radiusFrom, headScale * radiusTo, headScale * fillet, region);
}

// An ear hangs by `droop` degrees, with its hollow side to the front.
static snQuat earTurn(double droop)
{
    return snMulQQ(turned(0, 12, droop), turned(-38, 0, 0));
}

static void addEars(Body *body)
{
    snVec3 inner = snDemo_HeadPoint(0.315, 0.062, -0.07),
           outer = snDemo_HeadPoint(0.400, -0.045, -0.055);
    addHeadConePair(body, snVec(0.155, 0.10, -0.05), snVec(0.245, 0.105, -0.07), 0.046, 0.036, 0.05,
                    REGION_EARS);
    addEggPair(body, inner, snVec(0.140, 0.050, 0.092), earTurn(-28), 0.035, REGION_EARS);
    addEggPair(body, outer, snVec(0.155, 0.050, 0.112), earTurn(-63), 0.05, REGION_EARS);
}

// A horn bends outwards, up and in again: cones along a Bézier curve, ever thinner.
static void addHorns(Body *body)
{
    enum { PIECES = 6 };
    const snVec3 p[4] = {{0.092, 0.145, -0.020},
                         {0.205, 0.225, -0.065},
                         {0.195, 0.320, -0.020},
                         {0.140, 0.362, 0.033}};
    snVec3 before = p[0];
    for (int i = 1; i <= PIECES; i++) {
        double t = (double)i / PIECES, s = 1.0 - t, thick = 0.060 - 0.035 * (t - 1.0 / PIECES);
        snVec3 here = snAdd(snMulAdd(snScale(s * s * s, p[0]), 3.0 * s * s * t, p[1]),
                            snMulAdd(snScale(t * t * t, p[3]), 3.0 * s * t * t, p[2]));
        addHeadConePair(body, before, here, thick, thick - 0.035 / PIECES, 0.025, REGION_HORNS);
        before = here;
    }
}

// One leg pair from its two thick upper parts to the hoof, which is a cup with a flat sole.
static void addHoofPair(Body *body, snVec3 ankle)
{
    snShape hoof = snDefaultShape(SN_SHAPE_SUPERELLIPSOID);
    hoof.size = snVec(0.108, 0.114, 0.066); // its own z stands upright
    hoof.e1 = 0.45;
    for (int side = 0; side < 2; side++) {
        snVec3 center = snVec(ankle.x, 0.066, ankle.z + 0.018);
        hoof.place = (snAffine){snQuatToMat(turned(-90, 0, 0)), side ? mirrored(center) : center};
        snLumps_Add(body, hoof, 0.025, REGION_LEGS);
    }
}

static void addLegs(Body *body)
{
    snVec3 shoulder = snDemo_JointPlace(DEMO_LEG_FL), elbow = snDemo_JointPlace(DEMO_LEG_FL + 1);
    snVec3 wrist = snDemo_JointPlace(DEMO_LEG_FL + 2);
    addConePair(body, shoulder, elbow, 0.135, 0.098, 0.10, REGION_LEGS);
    addConePair(body, elbow, wrist, 0.098, 0.080, 0.04, REGION_LEGS);
    addHoofPair(body, wrist);
    snVec3 hip = snDemo_JointPlace(DEMO_LEG_HL), hock = snDemo_JointPlace(DEMO_LEG_HL + 1);
    snVec3 ankle = snDemo_JointPlace(DEMO_LEG_HL + 2);
    addEggPair(body, snAdd(hip, snVec(0.015, -0.05, 0.02)), snVec(0.135, 0.20, 0.185),
               turned(12, 0, 0), 0.10, REGION_LEGS); // the haunch
    addConePair(body, hip, hock, 0.14, 0.092, 0.08, REGION_LEGS);
    addConePair(body, hock, ankle, 0.092, 0.078, 0.04, REGION_LEGS);
    addHoofPair(body, ankle);
}

static void addTail(Body *body)
{
    snVec3 a = snDemo_JointPlace(DEMO_TAIL_1), b = snDemo_JointPlace(DEMO_TAIL_2);
    snVec3 c = snDemo_JointPlace(DEMO_TAIL_3), end = snAdd(c, snVec(0, -0.12, -0.03));
    snLumps_Add(body, snCone(a, b, 0.062, 0.046), 0.08, REGION_TAIL);
    snLumps_Add(body, snCone(b, c, 0.046, 0.036), 0.045, REGION_TAIL);
    snLumps_Add(body, snCone(c, end, 0.036, 0.030), 0.045, REGION_TAIL);
    addEgg(body, snAdd(end, snVec(0, -0.035, -0.005)), snVec(0.074, 0.105, 0.074), 0.03,
           REGION_TUFT);
    snLumps_Add(body,
                snCone(snAdd(end, snVec(0, -0.08, -0.005)), snAdd(end, snVec(0, -0.165, 0.02)),
                       0.045, 0.012),
                0.04, REGION_TUFT);
}

// What the dragon left: a crest of soft bumps down the back, and a forelock.
static void addCrest(Body *body)
{
    const struct {
        double y, z, size, lean;
    } bumps[] = {{1.115, 0.245, 0.056, -58}, {0.985, 0.170, 0.062, -36}, {0.938, 0.050, 0.070, -10},
                 {0.922, -0.090, 0.074, 0},  {0.912, -0.230, 0.068, 8},  {0.868, -0.365, 0.058, 28},
                 {0.812, -0.462, 0.046, 44}};
    for (size_t i = 0; i < sizeof bumps / sizeof *bumps; i++) {
        double s = bumps[i].size;
        snLumps_Add(body,
                    egg(snVec(0, bumps[i].y, bumps[i].z), snVec(0.58 * s, 1.15 * s, 0.95 * s),
                        turned(-bumps[i].lean - 14, 0, 0)),
                    0.03, REGION_CREST);
    }
    snVec3 root = snDemo_HeadPoint(0, 0.160, -0.01), top = snDemo_HeadPoint(-0.008, 0.232, 0.065);
    snVec3 curl = snDemo_HeadPoint(0.004, 0.240, 0.135),
           tip = snDemo_HeadPoint(0.034, 0.205, 0.178);
    snLumps_Add(body, snCone(root, top, 0.070, 0.056), 0.035, REGION_FORELOCK);
    snLumps_Add(body, snCone(top, curl, 0.056, 0.042), 0.03, REGION_FORELOCK);
    snLumps_Add(body, snCone(curl, tip, 0.042, 0.022), 0.03, REGION_FORELOCK);
}

void snDemo_MakeShapes(snLumps *body)
{
    *body = (snLumps){0};
    addTorso(body);
    addLegs(body);
    addTail(body);
    addHead(body);
    addEars(body);
    addHorns(body);
    addCrest(body);
}

snVec3 snDemo_BodyPoint(const snLumps *body, snVec3 inside, snVec3 direction)
{
    double low = 0.0, high = 0.5; // metres
    for (int i = 0; i < 40; i++) {
        double middle = 0.5 * (low + high);
        if (snLumps_Value(body, snMulAdd(inside, middle, direction)) < 0.0)
            low = middle;
        else
            high = middle;
    }
    return snMulAdd(inside, low, direction);
}

// The face deserves finer triangles than the belly.
snStatus snDemo_MakeSurface(snMesh *mesh, const snLumps *body, double edge, snArena *arena,
                            snError *error)
{
    snLumpsDef def = {.edge = edge,
                      .finer = 0.52,
                      .center = {0, 1.14, 0.54},
                      .radius = 0.55,
                      .box = {{-0.94, -0.38, -1.26}, {0.94, 1.98, 1.22}}};
    return snLumps_Surface(mesh, body, &def, arena, error);
}
