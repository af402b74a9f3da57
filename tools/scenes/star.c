// The star: a body that is its own lattice, with every kind of sharp feature. The rim is a crease, from
// the tips ridges run up the front and fade away (darts) before its smooth, domed middle; tips are
// corners; the back is smooth.
//
//     One of five arms, seen from the front; each layer is the same 21 points. Quadrilaterals are
//     (O A R A'), (A N T R) and (R T N' A').
//
//              T         tip
//             /|\.
//            / R \       on the ridge
//           / / \ \.
//          N-A   A'-N'   A in front of the notch N
//             \ /
//              O         middle, the same for all arms
#include "scenes.h"

#include "core/elementary.h"
#include "core/error.h"

enum { ARMS = 5, LAYER = 1 + 4 * ARMS, LAYERS = 3 };
enum { BACK, RIM, FRONT };

// Numbers within a layer.
enum { MIDDLE = 0 };
static int notchFoot(int arm) // A
{
    return 1 + arm % ARMS;
}

static int ridge(int arm) // R
{
    return 1 + ARMS + arm % ARMS;
}

static int tip(int arm) // T
{
    return 1 + 2 * ARMS + arm % ARMS;
}

static int notch(int arm) // N
{
    return 1 + 3 * ARMS + arm % ARMS;
}

static int at(int layer, int vertex)
{
    return layer * LAYER + vertex;
}

// How far from the middle the points are, and how far forward, layer by layer.
static const struct {
    double middle, foot, ridge, tip, notch;
} away[LAYERS] = {{0, 0.085, 0.125, 0.272, 0.122},
                  {0, 0.080, 0.125, 0.300, 0.128},
                  {0, 0.078, 0.120, 0.268, 0.108}},
  forward[LAYERS] = {{-0.060, -0.055, -0.055, -0.040, -0.040},
                     {0.005, 0.005, 0.005, 0.000, 0.000},
                     {0.115, 0.060, 0.085, 0.048, 0.034}};

static snVec3 polar(double turn, double radius, double z)
{
    double s, c;
    snSinCos(2 * SN_PI * turn / ARMS, &s, &c);
    return snVec(radius * s, 0.300 + radius * c, z);
}

static void addLayer(snBuilder *builder, int layer)
{
    snBuilder_Vertex(builder, polar(0, 0, forward[layer].middle));
    for (int i = 0; i < ARMS; i++)
        snBuilder_Vertex(builder, polar(i - 0.5, away[layer].foot, forward[layer].foot));
    for (int i = 0; i < ARMS; i++)
        snBuilder_Vertex(builder, polar(i, away[layer].ridge, forward[layer].ridge));
    for (int i = 0; i < ARMS; i++)
        snBuilder_Vertex(builder, polar(i, away[layer].tip, forward[layer].tip));
    for (int i = 0; i < ARMS; i++)
        snBuilder_Vertex(builder, polar(i - 0.5, away[layer].notch, forward[layer].notch));
}

// Quadrilaterals are given clockwise as seen from the front, as arms are counted; cells want them the
// other way round.
static void addCell(snBuilder *builder, int layer, const int quad[4])
{
    int corners[SN_HEX];
    for (int k = 0; k < 4; k++) {
        corners[k] = at(layer, quad[3 - k]);
        corners[k + 4] = at(layer + 1, quad[3 - k]);
    }
    snBuilder_Cell(builder, SN_HEX, corners);
}

static void addArm(snBuilder *builder, int layer, int arm)
{
    const int quads[3][4] = {
        {MIDDLE, notchFoot(arm), ridge(arm), notchFoot(arm + 1)},
        {notchFoot(arm), notch(arm), tip(arm), ridge(arm)},
        {ridge(arm), tip(arm), notch(arm + 1), notchFoot(arm + 1)},
    };
    for (int q = 0; q < 3; q++)
        addCell(builder, layer, quads[q]);
}

static void addSharp(snBuilder *builder)
{
    for (int arm = 0; arm < ARMS; arm++) {
        snBuilder_Crease(builder, at(RIM, notch(arm)), at(RIM, tip(arm)));
        snBuilder_Crease(builder, at(RIM, tip(arm)), at(RIM, notch(arm + 1)));
        snBuilder_Crease(builder, at(RIM, tip(arm)), at(FRONT, tip(arm)));
        snBuilder_Crease(builder, at(FRONT, tip(arm)), at(FRONT, ridge(arm)));
        snBuilder_Corner(builder, at(RIM, tip(arm)));
    }
}

static snTint paint(const void *creature, snVec3 point, snVec3 normal)
{
    (void)creature;
    snVec3 out = snSub(point, snVec(0, 0.300, 0));
    snTint tint = snTint_Mix(snTint_Hex(0xf7a440), snTint_Hex(0xc2378a),
                             snRise(0.03, 0.26, sqrt(out.x * out.x + out.y * out.y)));
    return snTint_Mix(tint, snTint_Hex(0x5b3aa8), snRise(0.0, -0.8, normal.z));
}

snStatus snStar_Make(snModel *model, snArena *arena, const snContext *context, snError *error)
{
    snBuilder *builder = SN_NEW(arena, snBuilder, 1);
    if (!builder) return snFailMemory(error);
    snControl *control = &model->controls[0];
    model->name = "star";
    model->yaw = 26;
    model->controlCount = 1;
    control->name = "star";
    control->own = control->anyScheme = true;
    for (int layer = 0; layer < LAYERS; layer++)
        addLayer(builder, layer);
    for (int layer = 0; layer + 1 < LAYERS; layer++)
        for (int arm = 0; arm < ARMS; arm++)
            addArm(builder, layer, arm);
    addSharp(builder);
    snStatus status = snBuilder_Finish(builder, &control->lattice, arena, error);
    if (!status)
        status = snBorder_Surface(model, SN_SCHEME_MACCRACKEN_JOY, &control->lattice, 3, arena,
                                  context, error);
    if (!status) status = snModel_Paint(model, NULL, paint, arena, error);
    return status;
}
