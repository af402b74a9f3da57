#include "render/color.h"

#include "core/elementary.h"

#include <math.h>

// Oklab: Ottosson, "A perceptual color space for image processing", 2020. Equal steps in it look
// about equal, so the maps are straight lines there between a few stations.

float snColor_ToLinear(float srgb)
{
    if (!(srgb > 0.0f)) return 0.0f;
    if (srgb >= 1.0f) return 1.0f;
    return (float)snLinearOfSrgb((double)srgb);
}

float snColor_ToSrgb(float linear)
{
    if (!(linear > 0.0f)) return 0.0f;
    if (linear >= 1.0f) return 1.0f;
    double l = (double)linear;
    return (float)(l <= 0.0031308 ? l * 12.92 : 1.055 * snPow(l, 1.0 / 2.4) - 0.055);
}

void snColor_FromHex(unsigned hex, float color[4])
{
    for (int c = 0; c < 3; c++)
        color[c] = snColor_ToLinear((float)((hex >> (16 - 8 * c)) & 0xff) / 255.0f);
    color[3] = 1.0f;
}

typedef struct Lab {
    double l, a, b;
} Lab;

static Lab labFromLinear(const float c[4])
{
    double r = (double)c[0], g = (double)c[1], b = (double)c[2];
    double l = snCbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    double m = snCbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    double s = snCbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return (Lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// Colours outside the gamut are cut to it.
static void linearFromLab(Lab lab, float color[4])
{
    double l = lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b;
    double m = lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b;
    double s = lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    color[0] = (float)snClamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, 0, 1);
    color[1] = (float)snClamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, 0, 1);
    color[2] = (float)snClamp(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s, 0, 1);
    color[3] = 1.0f;
}

// Stations of the maps. The diverging one has its lightness symmetric about the middle; that of
// the sequential one rises evenly.
enum { DIVERGING_COUNT = 7, SEQUENTIAL_COUNT = 7 };
static const unsigned divergingStops[DIVERGING_COUNT] = {0x1f4e9c, 0x4a86c8, 0x9cc3e4, 0xf3efe9,
                                                         0xf0b49a, 0xd96a53, 0xa32035};
static const unsigned sequentialStops[SEQUENTIAL_COUNT] = {0x2b1258, 0x5b1f80, 0x9b2f7f, 0xd44a68,
                                                           0xf57d55, 0xfdb566, 0xfbf0a8};

void snColorMap_At(snColorMap map, float t, float color[4])
{
    if (isnan(t)) {
        snColor_FromHex(0x808080, color);
        return;
    }
    const unsigned *stops = map == SN_COLORS_DIVERGING ? divergingStops : sequentialStops;
    int last = (map == SN_COLORS_DIVERGING ? DIVERGING_COUNT : SEQUENTIAL_COUNT) - 1;
    double at = snClamp((double)t, 0.0, 1.0) * last;
    int i = (int)at;
    if (i > last - 1) i = last - 1;
    double f = at - i;
    float c0[4], c1[4];
    snColor_FromHex(stops[i], c0);
    snColor_FromHex(stops[i + 1], c1);
    Lab p = labFromLinear(c0), q = labFromLinear(c1);
    linearFromLab((Lab){p.l + f * (q.l - p.l), p.a + f * (q.a - p.a), p.b + f * (q.b - p.b)},
                  color);
}

void snColorMap_Apply(snColorMap map, int count, const float *values, float low, float high,
                      float *colors)
{
    // Meshes have many vertices and maps few visible steps.
    enum { STEPS = 512 };
    float table[STEPS][4];
    for (int i = 0; i < STEPS; i++)
        snColorMap_At(map, (float)i / (float)(STEPS - 1), table[i]);
    double scale = high != low ? 1.0 / ((double)high - (double)low) : 0.0;
    for (int i = 0; i < count; i++) {
        double t = ((double)values[i] - (double)low) * scale;
        if (isnan(t)) {
            snColorMap_At(map, NAN, &colors[4 * i]);
            continue;
        }
        const float *entry = table[(int)(snClamp(t, 0.0, 1.0) * (STEPS - 1) + 0.5)];
        for (int c = 0; c < 4; c++)
            colors[4 * i + c] = entry[c];
    }
}

void snPalette_At(int index, float color[4])
{
    // Even lightness and chroma so that no region shouts; neighbours in the list differ in hue.
    static const unsigned first[12] = {0x6aa5d8, 0xf0a868, 0x7fc08a, 0xe0807c, 0xb196d6, 0xe7cf74,
                                       0x6cc3c1, 0xe39bc0, 0xa9b85e, 0xb58e74, 0x8792c9, 0x94a3ad};
    if (index < 0) {
        snColor_FromHex(0xb4b4b4, color);
        return;
    }
    if (index < 12) {
        snColor_FromHex(first[index], color);
        return;
    }
    double golden = 2.39996322972865332; // pi (3 - sqrt 5): turns never repeat, and spread evenly
    double angle = golden * (double)index;
    double lightness = 0.66 + 0.05 * (double)(index % 4);
    linearFromLab((Lab){lightness, 0.105 * snCos(angle), 0.105 * snSin(angle)}, color);
}
