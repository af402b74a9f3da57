// Blending one pixel, shared by boxes and text.
#ifndef SN_RENDER_PIXEL_H
#define SN_RENDER_PIXEL_H

#include <stdint.h>

// Puts a linear colour with the given alpha (color[3] is not looked at) over an sRGB pixel.
void snPixel_Blend(uint8_t pixel[4], const float color[4], float alpha);

#endif
