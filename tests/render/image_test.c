#include "render/color.h"
#include "render/image.h"
#include "tests/test.h"

#include <png.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float white[4] = {1, 1, 1, 1};
static const float black[4] = {0, 0, 0, 1};
static const float nothing[4] = {0, 0, 0, 0};

static const uint8_t *at(const snImage *image, int x, int y)
{
    return &image->pixels[4 * (y * image->width + x)];
}

// How much of the picture is dark: the sum over pixels of 1 - value.
static double darkness(const snImage *image)
{
    double sum = 0.0;
    for (int i = 0; i < image->width * image->height; i++)
        sum += 1.0 - (double)snColor_ToLinear((float)image->pixels[4 * i] / 255.0f);
    return sum;
}

static void checkRoundTrip(const snImage *image, bool expectAlpha)
{
    snPng bytes;
    snError error;
    if (!CHECK(snPng_Encode(image, &bytes, &error) == SN_OK)) return;
    png_image png = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_memory(&png, bytes.data, bytes.size) != 0);
    CHECK((int)png.width == image->width && (int)png.height == image->height);
    CHECK(((png.format & PNG_FORMAT_FLAG_ALPHA) != 0) == expectAlpha);
    png.format = PNG_FORMAT_RGBA;
    uint8_t *decoded = malloc(PNG_IMAGE_SIZE(png));
    CHECK(decoded && png_image_finish_read(&png, NULL, decoded, 0, NULL) != 0);
    CHECK(memcmp(decoded, image->pixels, PNG_IMAGE_SIZE(png)) == 0);
    free(decoded);
    png_image_free(&png);
    snPng_Free(&bytes);
    CHECK(bytes.data == NULL);
}

static void pngRoundTrips(void)
{
    static const int sizes[4][2] = {{1, 1}, {3, 2}, {64, 33}, {257, 5}};
    for (int s = 0; s < 4; s++) {
        snImage image = {0};
        CHECK(snImage_Make(&image, sizes[s][0], sizes[s][1], white, NULL) == SN_OK);
        uint32_t state = 12345;
        for (int i = 0; i < image.width * image.height * 4; i++) {
            state = state * 1664525u + 1013904223u;
            image.pixels[i] = i % 4 == 3 ? 255 : (uint8_t)(state >> 24);
        }
        checkRoundTrip(&image, false);
        image.pixels[3] = 77;
        checkRoundTrip(&image, true);
        snImage_Destroy(&image);
    }
}

static void badSizesAreErrors(void)
{
    snImage image = {0};
    snPng bytes;
    snError error;
    CHECK(snImage_Make(&image, 0, 5, white, &error) == SN_ERROR_ARGUMENT);
    CHECK(snImage_Make(&image, 5, -1, white, &error) == SN_ERROR_ARGUMENT);
    CHECK(snImage_Make(&image, 5, 32769, white, &error) == SN_ERROR_ARGUMENT);
    CHECK(snPng_Encode(&image, &bytes, &error) == SN_ERROR_ARGUMENT);
    CHECK(bytes.data == NULL && image.pixels == NULL);
}

static void boxesCoverExactly(void)
{
    snImage image = {0};
    snImage_Make(&image, 20, 20, white, NULL);
    snImage_Box(&image, 2.25f, 3.5f, 7.5f, 9.0f, black);
    CHECK_NEAR(darkness(&image), 5.25 * 5.5, 0.1);
    CHECK(at(&image, 4, 5)[0] == 0 && at(&image, 8, 5)[0] == 255);
    snImage_Box(&image, -1e30f, -5.0f, 1e30f, 1e30f, black); // clipped
    CHECK_NEAR(darkness(&image), 400.0, 1e-6);
    snImage_Box(&image, NAN, 0.0f, 5.0f, 5.0f, white);
    snImage_Box(&image, 5.0f, 0.0f, 5.0f, 5.0f, white);
    CHECK_NEAR(darkness(&image), 400.0, 1e-6);
    snImage_Destroy(&image);
}

static void blitsClipAndBlend(void)
{
    snImage image = {0}, stamp = {0};
    const float half[4] = {0, 0, 0, 0.5f};
    snImage_Make(&image, 10, 10, white, NULL);
    snImage_Make(&stamp, 4, 4, black, NULL);
    snImage_Blit(&image, &stamp, -2, 8);
    CHECK_NEAR(darkness(&image), 4.0, 1e-6);
    snImage_Blit(&image, &stamp, 2147483647, -2147483647 - 1);
    snImage_Blit(&image, &stamp, -2147483647 - 1, 2147483647);
    CHECK_NEAR(darkness(&image), 4.0, 1e-6);
    snImage_Make(&stamp, 2, 2, half, NULL);
    snImage_Blit(&image, &stamp, 4, 4);
    // Half the light is 188 in sRGB, not 128.
    CHECK_NEAR((double)at(&image, 4, 4)[0], 188.0, 1.0);
    snImage_Make(&image, 3, 3, nothing, NULL);
    snImage_Blit(&image, &stamp, 0, 0);
    CHECK_NEAR((double)at(&image, 0, 0)[3], 128.0, 1.0);
    CHECK(at(&image, 2, 2)[3] == 0);
    snImage_Destroy(&image);
    snImage_Destroy(&stamp);
}

// Each printable character has ink, differs from all others, and stays near its own width.
static void everyCharacterIsItsOwn(void)
{
    static uint8_t seen[95][48 * 48];
    for (int c = 33; c < 127; c++) {
        snImage image = {0};
        char text[2] = {(char)c, 0};
        snImage_Make(&image, 48, 48, white, NULL);
        snImage_Text(&image, 12.0f, 34.0f, 20.0f, SN_TEXT_LEFT, black, text);
        CHECK(darkness(&image) > 2.0);
        float width = snText_Width(20.0f, text);
        for (int y = 0; y < 48; y++)
            for (int x = 0; x < 48; x++) {
                seen[c - 32][48 * y + x] = at(&image, x, y)[0];
                if ((float)x < 9.0f || (float)x > 15.0f + width || y < 9 || y > 43)
                    CHECK(at(&image, x, y)[0] == 255);
            }
        for (int k = 33; k < c; k++)
            CHECK(memcmp(seen[c - 32], seen[k - 32], sizeof seen[0]) != 0);
        snImage_Destroy(&image);
    }
}

static void textAligns(void)
{
    snImage left = {0}, right = {0};
    float width = snText_Width(10.0f, "0.25 s");
    snImage_Make(&left, 120, 30, white, NULL);
    snImage_Make(&right, 120, 30, white, NULL);
    snImage_Text(&left, 20.0f, 20.0f, 10.0f, SN_TEXT_LEFT, black, "0.25 s");
    snImage_Text(&right, 20.0f + width, 20.0f, 10.0f, SN_TEXT_RIGHT, black, "0.25 s");
    CHECK(memcmp(left.pixels, right.pixels, 120 * 30 * 4) == 0);
    CHECK(snText_Width(10.0f, "") == 0.0f);
    CHECK_NEAR((double)snText_Width(20.0f, "0000"), (double)snText_Width(20.0f, "1357"), 1e-5);
    snImage_Destroy(&left);
    snImage_Destroy(&right);
}

static void textTakesAnything(void)
{
    snImage image = {0};
    snImage_Make(&image, 40, 20, white, NULL);
    snImage_Text(&image, NAN, 0.0f, 10.0f, SN_TEXT_LEFT, black, "x");
    snImage_Text(&image, 0.0f, 10.0f, INFINITY, SN_TEXT_LEFT, black, "x");
    snImage_Text(&image, 0.0f, 10.0f, -4.0f, SN_TEXT_LEFT, black, "x");
    CHECK_NEAR(darkness(&image), 0.0, 1e-9);
    snImage_Text(&image, -500.0f, 10.0f, 10.0f, SN_TEXT_LEFT, black, "far away");
    snImage_Text(&image, 2.0f, 15.0f, 10.0f, SN_TEXT_LEFT, black,
                 "\xff\xc3\xe2\x82"); // broken UTF-8
    CHECK(darkness(&image) > 1.0);
    snImage_Destroy(&image);
}

int main(void)
{
    RUN(pngRoundTrips);
    RUN(badSizesAreErrors);
    RUN(boxesCoverExactly);
    RUN(blitsClipAndBlend);
    RUN(everyCharacterIsItsOwn);
    RUN(textAligns);
    RUN(textTakesAnything);
    return snTest_Finish();
}
