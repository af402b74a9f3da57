// Bumble's colours, painted on the vertices. Colours are given as sRGB and mixed as linear light.
#include "demo.h"

#include "core/elementary.h"

double snDemo_Smooth(double low, double high, double x)
{
    double t = snClamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

static double linearOf(unsigned byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : snPow((c + 0.055) / 1.055, 2.4);
}

snDemoColor snDemo_Hex(unsigned srgb)
{
    return (snDemoColor){(float)linearOf(srgb >> 16 & 255), (float)linearOf(srgb >> 8 & 255),
                         (float)linearOf(srgb & 255)};
}

snDemoColor snDemo_Mix(snDemoColor a, snDemoColor b, double t)
{
    float s = (float)t;
    return (snDemoColor){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

// 1 inside the ball, 0 outside, over a soft rim; the rim wobbles so that patches look grown.
static double patch(snVec3 point, snVec3 center, double radius)
{
    double wobble = 0.018 * (snSin(23.0 * point.y + 9.0 * point.z) + snSin(19.0 * point.z + 1.0) +
                             snSin(27.0 * point.x + 11.0 * point.y));
    return 1.0 - snDemo_Smooth(-0.020, 0.020, snDistance(point, center) - radius + wobble);
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
static double underside(const snDemoBody *body, snVec3 p, snVec3 n)
{
    double bx = p.x / 0.27, bz = (p.z + 0.07) / 0.40;
    double belly = (1.0 - snDemo_Smooth(0.80, 1.02, sqrt(bx * bx + bz * bz))) *
                   snDemo_Smooth(0.10, 0.45, -n.y) * (1.0 - snDemo_Smooth(0.50, 0.60, p.y));
    double tx = p.x / 0.155, ty = (p.y - 0.66) / 0.30;
    double bib = (1.0 - snDemo_Smooth(0.80, 1.02, sqrt(tx * tx + ty * ty))) *
                 snDemo_Smooth(-0.05, 0.35, n.z) * snDemo_Smooth(0.05, 0.18, p.z);
    double legs = snDemo_Smooth(0.005, 0.040, snDemo_Region(body, REGION_LEGS, p));
    return (belly > bib ? belly : bib) * legs;
}

// The hide: lighter below, patches on the flanks, dark socks, cream underneath.
static snDemoColor hide(const snDemoBody *body, snVec3 p, snVec3 n)
{
    snDemoColor color =
        snDemo_Mix(snDemo_Hex(0x6CC0B6), snDemo_Hex(0x459CA2), snDemo_Smooth(0.35, 1.0, p.y));
    color = snDemo_Mix(color, snDemo_Hex(0x2C6A78), patches(p));
    color = snDemo_Mix(color, snDemo_Hex(0x357A84), 1.0 - snDemo_Smooth(0.15, 0.30, p.y));
    return snDemo_Mix(color, snDemo_Hex(0xFCEBCB), underside(body, p, n));
}

static snDemoColor muzzle(snDemoColor color, const snDemoBody *body, snVec3 p)
{
    double near = snDemo_Region(body, REGION_MUZZLE, p);
    color = snDemo_Mix(color, snDemo_Hex(0xFFF2DA), 1.0 - snDemo_Smooth(0.004, 0.020, near));
    snVec3 cheek = snSub(snVec(fabs(p.x), p.y, p.z), snDemo_HeadPoint(0.192, -0.068, 0.125));
    double blush = 1.0 - snDemo_Smooth(0.02, 0.080, snLength(cheek));
    return snDemo_Mix(color, snDemo_Hex(0xF2A08C), 0.6 * blush);
}

// Pink inside: an oval on the hollow side of each of the two flat eggs that make an ear.
static snDemoColor ears(snDemoColor color, const snDemoBody *body, snVec3 p)
{
    double pink = 0.0;
    for (int i = 0; i < body->count; i++) {
        const snShape *shape = &body->shapes[i];
        if (body->region[i] != REGION_EARS || shape->kind != SN_SHAPE_SUPERELLIPSOID) continue;
        snVec3 q = snMulTMV(shape->place.linear, snSub(p, shape->place.origin));
        double x = q.x / shape->size.x, z = q.z / shape->size.z;
        double here = snDemo_Smooth(0.10, 0.55, -q.y / shape->size.y) *
                      (1.0 - snDemo_Smooth(0.50, 0.82, sqrt(x * x + z * z)));
        if (here > pink) pink = here;
    }
    double near = 1.0 - snDemo_Smooth(0.006, 0.018, snDemo_Region(body, REGION_EARS, p));
    return snDemo_Mix(color, snDemo_Hex(0xF4A596), pink * near);
}

snDemoColor snDemo_Paint(const snDemoBody *body, snVec3 p, snVec3 n)
{
    snDemoColor color = hide(body, p, n);
    color = ears(muzzle(color, body, p), body, p);
    double horns = snDemo_Region(body, REGION_HORNS, p);
    snDemoColor horn =
        snDemo_Mix(snDemo_Hex(0xF1E2BE), snDemo_Hex(0xB98F5E), snDemo_Smooth(1.38, 1.50, p.y));
    color = snDemo_Mix(color, horn, 1.0 - snDemo_Smooth(0.006, 0.016, horns));
    double tuft = snDemo_Region(body, REGION_TUFT, p);
    double forelock = snDemo_Region(body, REGION_FORELOCK, p);
    double hair = tuft < forelock ? tuft : forelock;
    color = snDemo_Mix(color, snDemo_Hex(0xE8714A), 1.0 - snDemo_Smooth(0.005, 0.014, hair));
    double crest = snDemo_Region(body, REGION_CREST, p);
    color = snDemo_Mix(color, snDemo_Hex(0xEE8A55), 1.0 - snDemo_Smooth(0.005, 0.014, crest));
    double legs = 1.0 - snDemo_Smooth(0.104, 0.138, p.y);
    return snDemo_Mix(color, snDemo_Hex(0x4B3A34), legs);
}
