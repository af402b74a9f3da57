// Bumble's colours, painted on the vertices. Colours are given as sRGB and mixed as linear light.
#include "demo.h"

#include "core/elementary.h"

// 1 inside the ball, 0 outside, over a soft rim; the rim wobbles so that patches look grown.
static double patch(snVec3 point, snVec3 center, double radius)
{
    double wobble = 0.018 * (snSin(23.0 * point.y + 9.0 * point.z) + snSin(19.0 * point.z + 1.0) +
                             snSin(27.0 * point.x + 11.0 * point.y));
    return 1.0 - snRise(-0.020, 0.020, snDistance(point, center) - radius + wobble);
}

static double patches(snVec3 point)
{
    const struct {
        snVec3 center;
        double radius;
    } spots[] = {{{0.33, 0.76, -0.10}, 0.175},  {{-0.28, 0.80, 0.10}, 0.17},
                 {{-0.28, 0.70, -0.32}, 0.175}, {{0.20, 0.66, -0.44}, 0.13},
                 {{0.25, 0.70, 0.24}, 0.105},   {{-0.25, 1.23, 0.48}, 0.17},
                 {{-0.37, 0.52, -0.06}, 0.09}};
    double most = 0.0;
    for (size_t i = 0; i < sizeof spots / sizeof *spots; i++) {
        double here = patch(point, spots[i].center, spots[i].radius);
        if (here > most) most = here;
    }
    return most;
}

// The pale underside: an oval under the belly and an oval from the throat down the chest.
static double underside(const snLumps *body, snVec3 p, snVec3 n)
{
    double bx = p.x / 0.27, bz = (p.z + 0.07) / 0.40;
    double belly = (1.0 - snRise(0.80, 1.02, sqrt(bx * bx + bz * bz))) * snRise(0.10, 0.45, -n.y) *
                   (1.0 - snRise(0.50, 0.60, p.y));
    double tx = p.x / 0.155, ty = (p.y - 0.66) / 0.30;
    double bib = (1.0 - snRise(0.80, 1.02, sqrt(tx * tx + ty * ty))) * snRise(-0.05, 0.35, n.z) *
                 snRise(0.05, 0.18, p.z);
    double legs = snRise(0.005, 0.040, snLumps_Region(body, REGION_LEGS, p));
    return (belly > bib ? belly : bib) * legs;
}

// The hide: lighter below, patches on the flanks, dark socks, cream underneath.
static snTint hide(const snLumps *body, snVec3 p, snVec3 n)
{
    snTint color = snTint_Mix(snTint_Hex(0x6CC0B6), snTint_Hex(0x459CA2), snRise(0.35, 1.0, p.y));
    color = snTint_Mix(color, snTint_Hex(0x2C6A78), patches(p));
    color = snTint_Mix(color, snTint_Hex(0x357A84), 1.0 - snRise(0.15, 0.30, p.y));
    return snTint_Mix(color, snTint_Hex(0xFCEBCB), underside(body, p, n));
}

static snTint muzzle(snTint color, const snLumps *body, snVec3 p)
{
    double near = snLumps_Region(body, REGION_MUZZLE, p);
    color = snTint_Mix(color, snTint_Hex(0xFFF2DA), 1.0 - snRise(0.004, 0.020, near));
    snVec3 cheek = snSub(snVec(fabs(p.x), p.y, p.z), snDemo_HeadPoint(0.192, -0.068, 0.125));
    double blush = 1.0 - snRise(0.02, 0.080, snLength(cheek));
    return snTint_Mix(color, snTint_Hex(0xF2A08C), 0.6 * blush);
}

// Pink inside: an oval on the hollow side of each of the two flat eggs that make an ear.
static snTint ears(snTint color, const snLumps *body, snVec3 p)
{
    double pink = 0.0;
    for (int i = 0; i < body->count; i++) {
        const snShape *shape = &body->shapes[i];
        if (body->region[i] != REGION_EARS || shape->kind != SN_SHAPE_SUPERELLIPSOID) continue;
        snVec3 q = snMulTMV(shape->place.linear, snSub(p, shape->place.origin));
        double x = q.x / shape->size.x, z = q.z / shape->size.z;
        double here = snRise(0.10, 0.55, -q.y / shape->size.y) *
                      (1.0 - snRise(0.50, 0.82, sqrt(x * x + z * z)));
        if (here > pink) pink = here;
    }
    double near = 1.0 - snRise(0.006, 0.018, snLumps_Region(body, REGION_EARS, p));
    return snTint_Mix(color, snTint_Hex(0xF4A596), pink * near);
}

snTint snDemo_Paint(const snLumps *body, snVec3 p, snVec3 n)
{
    snTint color = hide(body, p, n);
    color = ears(muzzle(color, body, p), body, p);
    double horns = snLumps_Region(body, REGION_HORNS, p);
    snTint horn = snTint_Mix(snTint_Hex(0xF1E2BE), snTint_Hex(0xB98F5E), snRise(1.38, 1.50, p.y));
    color = snTint_Mix(color, horn, 1.0 - snRise(0.006, 0.016, horns));
    double tuft = snLumps_Region(body, REGION_TUFT, p);
    double forelock = snLumps_Region(body, REGION_FORELOCK, p);
    double hair = tuft < forelock ? tuft : forelock;
    color = snTint_Mix(color, snTint_Hex(0xE8714A), 1.0 - snRise(0.005, 0.014, hair));
    double crest = snLumps_Region(body, REGION_CREST, p);
    color = snTint_Mix(color, snTint_Hex(0xEE8A55), 1.0 - snRise(0.005, 0.014, crest));
    double legs = 1.0 - snRise(0.104, 0.138, p.y);
    return snTint_Mix(color, snTint_Hex(0x4B3A34), legs);
}
