// Colours: sRGB to linear light and back, colour maps for strain, and palettes for regions. All
// colours are linear rgba, as snSurfaceDraw takes them.
#ifndef SN_RENDER_COLOR_H
#define SN_RENDER_COLOR_H

// 0xrrggbb in sRGB, as web pages write it, with opacity 1.
void snColor_FromHex(unsigned hex, float color[4]);
float snColor_ToLinear(float srgb); // one channel, 0..1
float snColor_ToSrgb(float linear);

typedef enum snColorMap {
    SN_COLORS_DIVERGING,  // blue, near-white in the middle, red: strain around 1
    SN_COLORS_SEQUENTIAL, // dark violet to yellow with evenly rising lightness: magnitudes
} snColorMap;

// The colour at t in [0, 1] (clamped; grey for NaN).
void snColorMap_At(snColorMap map, float t, float color[4]);

// Colours for `count` values from `low` to `high`; colors is [count*4].
void snColorMap_Apply(snColorMap map, int count, const float *values, float low, float high,
                      float *colors);

// The index-th of a sequence of pleasant colours, each told easily from those before it: the first
// twelve are chosen by hand, the rest follow by the golden angle. Negative indices give grey.
void snPalette_At(int index, float color[4]);

#endif
