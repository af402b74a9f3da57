// Pictures in memory: sRGB bytes with straight alpha, rows from the top. Drawing text and boxes on
// them, copying one onto another, and PNG.
#ifndef SN_RENDER_IMAGE_H
#define SN_RENDER_IMAGE_H

#include "sinew/base.h"

typedef struct snImage {
    int width, height;
    uint8_t *pixels; // [height*width*4] red, green, blue, alpha; malloc
} snImage;

// A block of bytes that its maker allocated with malloc.
typedef struct snPng {
    uint8_t *data;
    size_t size;
} snPng;
void snPng_Free(snPng *bytes);

// Makes a picture of the size (1..32768 each way) filled with a linear colour; a former content of
// `image` is released (start with {0}).
snStatus snImage_Make(snImage *image, int width, int height, const float color[4], snError *error);
void snImage_Destroy(snImage *image);

// Copies `source` with its upper left corner at (x, y), blending by its alpha; clipped.
void snImage_Blit(snImage *image, const snImage *source, int x, int y);

// Fills a box given by its corners in pixels, with exact coverage at fractional edges.
void snImage_Box(snImage *image, float x0, float y0, float x1, float y1, const float color[4]);

typedef enum snTextAlign { SN_TEXT_LEFT, SN_TEXT_CENTER, SN_TEXT_RIGHT } snTextAlign;

// Text in the built-in stroke font. (x, y) is on the baseline; `size` is the height of capitals in
// pixels (8 is small and still readable).
void snImage_Text(snImage *image, float x, float y, float size, snTextAlign align,
                  const float color[4], const char *text);
float snText_Width(float size, const char *text);

// A PNG file in memory; free with snPng_Free. Opaque pictures are written without alpha.
snStatus snPng_Encode(const snImage *image, snPng *bytes, snError *error);

#endif
