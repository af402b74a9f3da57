#include "render/image.h"

#include "core/elementary.h"
#include "core/error.h"
#include "render/color.h"
#include "render/pixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void snPng_Free(snPng *bytes)
{
    free(bytes->data);
    *bytes = (snPng){0};
}

static uint8_t toByte(float x)
{
    if (!(x > 0.0f)) return 0; // NaN too
    return x < 1.0f ? (uint8_t)(x * 255.0f + 0.5f) : 255;
}

snStatus snImage_Make(snImage *image, int width, int height, const float color[4], snError *error)
{
    if (width < 1 || height < 1 || width > 32768 || height > 32768)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a picture of %d x %d pixels cannot be made; each side is 1 to 32768", width,
                      height);
    size_t count = (size_t)width * (size_t)height;
    uint8_t *pixels = malloc(count * 4);
    if (!pixels) return snFailMemory(error);
    uint8_t first[4] = {toByte(snColor_ToSrgb(color[0])), toByte(snColor_ToSrgb(color[1])),
                        toByte(snColor_ToSrgb(color[2])), toByte(color[3])};
    for (size_t i = 0; i < count; i++)
        memcpy(&pixels[4 * i], first, 4);
    snImage_Destroy(image);
    *image = (snImage){width, height, pixels};
    return SN_OK;
}

void snImage_Destroy(snImage *image)
{
    free(image->pixels);
    *image = (snImage){0};
}

// Source over destination, both with straight alpha, in linear light:
//     a = s + d (1 - s),  c = (s cs + d (1 - s) cd) / a
void snPixel_Blend(uint8_t pixel[4], const float color[4], float alpha)
{
    float s = (float)snClamp((double)alpha, 0.0, 1.0);
    if (!(s > 0.0f)) return;
    float d = (float)pixel[3] / 255.0f * (1.0f - s);
    float a = s + d;
    for (int c = 0; c < 3; c++) {
        float below = snColor_ToLinear((float)pixel[c] / 255.0f);
        pixel[c] = toByte(snColor_ToSrgb((s * color[c] + d * below) / a));
    }
    pixel[3] = toByte(a);
}

static void blendRow(uint8_t *to, const uint8_t *from, int count)
{
    for (int i = 0; i < count; i++, to += 4, from += 4) {
        if (from[3] == 255) {
            memcpy(to, from, 4);
        } else if (from[3] > 0) {
            float color[4] = {snColor_ToLinear((float)from[0] / 255.0f),
                              snColor_ToLinear((float)from[1] / 255.0f),
                              snColor_ToLinear((float)from[2] / 255.0f), 1.0f};
            snPixel_Blend(to, color, (float)from[3] / 255.0f);
        }
    }
}

void snImage_Blit(snImage *image, const snImage *source, int x, int y)
{
    // In 64 bits, because x + width may leave the range of int.
    int64_t left = x < 0 ? -(int64_t)x : 0, top = y < 0 ? -(int64_t)y : 0;
    int64_t right = (int64_t)image->width - x, bottom = (int64_t)image->height - y;
    if (right > source->width) right = source->width;
    if (bottom > source->height) bottom = source->height;
    if (left >= right) return;
    for (int64_t row = top; row < bottom; row++) {
        uint8_t *to = &image->pixels[4 * ((y + row) * image->width + x + left)];
        blendRow(to, &source->pixels[4 * (row * source->width + left)], (int)(right - left));
    }
}

// The part of pixel i that lies between low and high.
static float covered(int i, float low, float high)
{
    float from = fmaxf(low, (float)i), to = fminf(high, (float)(i + 1));
    return fmaxf(to - from, 0.0f);
}

void snImage_Box(snImage *image, float x0, float y0, float x1, float y1, const float color[4])
{
    if (!(x0 < x1 && y0 < y1)) return; // also not for NaN
    int left = (int)snClamp(floor((double)x0), 0, image->width);
    int right = (int)snClamp(ceil((double)x1), 0, image->width);
    int top = (int)snClamp(floor((double)y0), 0, image->height);
    int bottom = (int)snClamp(ceil((double)y1), 0, image->height);
    for (int y = top; y < bottom; y++) {
        float rows = covered(y, y0, y1);
        for (int x = left; x < right; x++)
            snPixel_Blend(&image->pixels[4 * ((size_t)y * (size_t)image->width + (size_t)x)], color,
                          color[3] * rows * covered(x, x0, x1));
    }
}
