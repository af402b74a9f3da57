// Colours to paint surfaces with: given as sRGB, mixed as linear light.
#ifndef SN_TOOLS_SHAPES_TINT_H
#define SN_TOOLS_SHAPES_TINT_H

typedef struct snTint {
    float r, g, b; // linear
} snTint;

snTint snTint_Hex(unsigned srgb); // 0xRRGGBB
snTint snTint_Mix(snTint a, snTint b, double t);
snTint snTint_Over(unsigned srgb, snTint other, double x, double width); // x < 0; other: x > width
double snRise(double low, double high, double x); // 0 below low, 1 above high, smooth between

#endif
