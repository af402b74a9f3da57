#include "render/color.h"
#include "tests/test.h"

#include <math.h>

static double luminance(const float c[4])
{
    return 0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2];
}

static void srgbRoundTrips(void)
{
    for (int i = 0; i <= 255; i++) {
        float s = (float)i / 255.0f;
        CHECK_NEAR((double)snColor_ToSrgb(snColor_ToLinear(s)), (double)s, 1e-6);
    }
    // The standard's own anchor: half of sRGB is 21.4 % of the light.
    CHECK_NEAR((double)snColor_ToLinear(0.5f), 0.21404114, 1e-6);
    CHECK(snColor_ToLinear(NAN) == 0.0f && snColor_ToSrgb(NAN) == 0.0f);
    CHECK(snColor_ToLinear(-3.0f) == 0.0f && snColor_ToSrgb(7.0f) == 1.0f);
}

static void hexIsSrgb(void)
{
    float c[4];
    snColor_FromHex(0xff8000, c);
    CHECK(c[0] == 1.0f && c[2] == 0.0f && c[3] == 1.0f);
    CHECK_NEAR((double)c[1], 0.21586, 1e-4);
}

static void sequentialGetsLighter(void)
{
    double before = -1.0;
    for (int i = 0; i <= 100; i++) {
        float c[4];
        snColorMap_At(SN_COLORS_SEQUENTIAL, (float)i / 100.0f, c);
        CHECK(luminance(c) > before);
        before = luminance(c);
    }
}

static void divergingIsBalanced(void)
{
    float low[4], middle[4], high[4];
    snColorMap_At(SN_COLORS_DIVERGING, 0.0f, low);
    snColorMap_At(SN_COLORS_DIVERGING, 0.5f, middle);
    snColorMap_At(SN_COLORS_DIVERGING, 1.0f, high);
    CHECK(low[2] > 3.0f * low[0]);   // blue
    CHECK(high[0] > 3.0f * high[2]); // red
    CHECK(luminance(middle) > 0.8);
    CHECK_NEAR(luminance(low), luminance(high), 0.05);
    for (int i = 0; i < 100; i++) { // darker to both sides, without jumps
        float a[4], b[4];
        snColorMap_At(SN_COLORS_DIVERGING, (float)i / 100.0f, a);
        snColorMap_At(SN_COLORS_DIVERGING, (float)(i + 1) / 100.0f, b);
        CHECK(i < 50 ? luminance(b) > luminance(a) : luminance(b) < luminance(a));
        for (int c = 0; c < 3; c++)
            CHECK(fabsf(a[c] - b[c]) < 0.06f);
    }
}

static void mapsTakeAnything(void)
{
    float values[6] = {NAN, INFINITY, -INFINITY, 1.0f, 0.5f, 1.5f}, colors[24], c[4];
    snColorMap_Apply(SN_COLORS_DIVERGING, 6, values, 0.5f, 1.5f, colors);
    for (int i = 0; i < 24; i++)
        CHECK(colors[i] >= 0.0f && colors[i] <= 1.0f);
    CHECK(colors[0] == colors[1] && colors[1] == colors[2]); // NaN is grey
    for (int k = 0; k < 4; k++)
        CHECK(colors[4 + k] == colors[20 + k] && colors[8 + k] == colors[16 + k]);
    snColorMap_At(SN_COLORS_DIVERGING, 0.5f, c);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR((double)colors[12 + k], (double)c[k], 0.01);
    snColorMap_Apply(SN_COLORS_SEQUENTIAL, 6, values, 2.0f, 2.0f, colors); // an empty range
    for (int i = 0; i < 24; i++)
        CHECK(colors[i] >= 0.0f && colors[i] <= 1.0f);
}

// Distance between colours as seen, roughly: in sRGB, where steps are about even.
static double seenDistance(const float a[4], const float b[4])
{
    double sum = 0.0;
    for (int c = 0; c < 3; c++) {
        double d = (double)snColor_ToSrgb(a[c]) - (double)snColor_ToSrgb(b[c]);
        sum += d * d;
    }
    return sqrt(sum);
}

static void paletteColorsDiffer(void)
{
    float colors[24][4], grey[4];
    for (int i = 0; i < 24; i++)
        snPalette_At(i, colors[i]);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < i; k++)
            CHECK(seenDistance(colors[i], colors[k]) > (i < 12 ? 0.12 : 0.02));
    snPalette_At(-1, grey);
    CHECK(grey[0] == grey[1] && grey[1] == grey[2]);
    snPalette_At(2147483647, grey);
    CHECK(grey[0] >= 0.0f && grey[0] <= 1.0f);
}

int main(void)
{
    RUN(srgbRoundTrips);
    RUN(hexIsSrgb);
    RUN(sequentialGetsLighter);
    RUN(divergingIsBalanced);
    RUN(mapsTakeAnything);
    RUN(paletteColorsDiffer);
    return snTest_Finish();
}
