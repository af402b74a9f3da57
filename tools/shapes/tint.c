#include "tint.h"

#include "core/elementary.h"

double snRise(double low, double high, double x)
{
    double t = snClamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

static double linearOf(unsigned byte)
{
    return snLinearOfSrgb(byte / 255.0);
}

snTint snTint_Hex(unsigned srgb)
{
    return (snTint){(float)linearOf(srgb >> 16 & 255), (float)linearOf(srgb >> 8 & 255),
                    (float)linearOf(srgb & 255)};
}

snTint snTint_Mix(snTint a, snTint b, double t)
{
    float s = (float)t;
    return (snTint){a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b)};
}

snTint snTint_Over(unsigned srgb, snTint other, double x, double width)
{
    return snTint_Mix(snTint_Hex(srgb), other, snRise(0, width, x));
}
