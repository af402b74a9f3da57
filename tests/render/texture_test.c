#include "render/render.h"
#include "tests/test.h"
#include "tests/render/renderers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 200 };

static snRenderer *renderer;

// A square of side 2 that faces the camera; its corners from the upper left in the order of Z.
static const snVec3f corners[4] = {{-1, 2, 0}, {1, 2, 0}, {-1, 0, 0}, {1, 0, 0}};
static const int triangles[6] = {0, 2, 1, 1, 2, 3};
static const float uv[8] = {0, 0, 1, 0, 0, 1, 1, 1};

static uint8_t texels[64 * 64 * 4];
static const snImage texture = {64, 64, texels};

// Four quarters: red, green / blue, white; the last one with alpha 0.
static void fillQuarters(void)
{
    static const uint8_t colors[4][4] = {
        {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 0}};
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++)
            memcpy(&texels[4 * (64 * y + x)], colors[y / 32 * 2 + x / 32], 4);
}

static snSurfaceDraw square(void)
{
    snSurfaceDraw draw = snDefaultSurfaceDraw();
    draw.vertexCount = 4, draw.triangleCount = 2;
    draw.positions = corners, draw.triangles = triangles;
    draw.uv = uv, draw.texture = &texture;
    for (int c = 0; c < 4; c++)
        draw.color[c] = 1.0f;
    return draw;
}

static snImage drawn(const snSurfaceDraw *draw)
{
    snScene scene = snDefaultScene();
    scene.surfaces = draw, scene.surfaceCount = 1;
    scene.bounds = (snBox){{-1, 0, -1}, {1, 2, 1}};
    scene.ground = false;
    snCamera camera = snDefaultCamera();
    camera.automatic = false, camera.yaw = camera.pitch = 0.0;
    snImage image = {0};
    snError error = {0};
    if (!CHECK(snRenderer_Draw(renderer, &scene, &camera, &image, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(snTest_Finish());
    }
    return image;
}

// The pixel in the middle of a cell, of n x n cells over the middle half of the picture, which the
// square covers.
static const uint8_t *cell(const snImage *image, int column, int row, int n)
{
    int x = SIZE / 4 + SIZE * (2 * column + 1) / (4 * n);
    int y = SIZE / 4 + SIZE * (2 * row + 1) / (4 * n);
    return &image->pixels[4 * (y * SIZE + x)];
}

// Which channel stands out (0 red, 1 green, 2 blue), or 3 for none.
static int hue(const uint8_t *p)
{
    for (int c = 0; c < 3; c++)
        if (p[c] > p[(c + 1) % 3] + 60 && p[c] > p[(c + 2) % 3] + 60) return c;
    return 3;
}

static bool same(const snImage *a, const snImage *b)
{
    return memcmp(a->pixels, b->pixels, (size_t)4 * SIZE * SIZE) == 0;
}

static void firstTexelIsUpperLeft(void)
{
    fillQuarters();
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square();
    snImage image = drawn(&draw);
    for (int i = 0; i < 4; i++)
        CHECK(hue(cell(&image, i % 2, i / 2, 2)) == i);
    snImage_Destroy(&image);
}

static void coordinatesRepeat(void)
{
    fillQuarters();
    snRenderer_ForgetTextures(renderer);
    static const float shifted[8] = {-3, 5, -2, 5, -3, 6, -2, 6};
    snSurfaceDraw draw = square();
    snImage one = drawn(&draw);
    draw.uv = shifted;
    snImage other = drawn(&draw);
    for (int i = 0; i < 64; i++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(cell(&one, i % 8, i / 8, 8)[c], cell(&other, i % 8, i / 8, 8)[c], 2);
    snImage_Destroy(&one), snImage_Destroy(&other);
}

// sRGB bytes mean what a linear colour means: a texture of one grey equals a surface of that grey,
// and both multiply.
static void textureEqualsColor(void)
{
    memset(texels, 188, sizeof texels); // 0.5 in linear light
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square(), plain = square();
    plain.texture = NULL;
    for (int c = 0; c < 3; c++)
        plain.color[c] = 0.5029f;
    snImage a = drawn(&draw), b = drawn(&plain);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(cell(&a, 0, 0, 1)[c], cell(&b, 0, 0, 1)[c], 1);
    for (int c = 0; c < 3; c++)
        draw.color[c] = 0.5f, plain.color[c] = 0.5f * 0.5029f;
    snImage d = drawn(&draw), e = drawn(&plain);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(cell(&d, 0, 0, 1)[c], cell(&e, 0, 0, 1)[c], 1);
    snImage_Destroy(&a), snImage_Destroy(&b);
    snImage_Destroy(&d), snImage_Destroy(&e);
}

// A fine checkerboard from afar is the mean of its light, not a moiré pattern nor the mean of bytes.
static void farTexturesAreAveraged(void)
{
    static float many[8];
    for (int i = 0; i < 8; i++)
        many[i] = 40.0f * uv[i];
    for (int i = 0; i < 64 * 64; i++)
        memset(&texels[4 * i], (i ^ i / 64) & 1 ? 255 : 0, 4);
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square(), plain = square();
    draw.uv = many;
    plain.texture = NULL;
    for (int c = 0; c < 3; c++)
        plain.color[c] = 0.5f;
    snImage a = drawn(&draw), b = drawn(&plain);
    for (int i = 0; i < 64; i++)
        CHECK_NEAR(cell(&a, i % 8, i / 8, 8)[1], cell(&b, i % 8, i / 8, 8)[1], 3);
    snImage_Destroy(&a), snImage_Destroy(&b);
}

static void alphaCutsOnlyWhereAsked(void)
{
    fillQuarters();
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square(), empty = square();
    empty.triangleCount = 0;
    snImage bare = drawn(&empty), whole = drawn(&draw);
    CHECK(memcmp(cell(&whole, 1, 1, 2), cell(&bare, 1, 1, 2), 4) != 0);
    draw.cutOut = true;
    snImage cut = drawn(&draw);
    CHECK(memcmp(cell(&cut, 1, 1, 2), cell(&bare, 1, 1, 2), 4) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(hue(cell(&cut, i % 2, i / 2, 2)) == i);
    draw.opacity = 0.5f; // glass has the same holes
    snImage glass = drawn(&draw);
    CHECK(memcmp(cell(&glass, 1, 1, 2), cell(&bare, 1, 1, 2), 4) == 0);
    CHECK(memcmp(cell(&glass, 0, 0, 2), cell(&bare, 0, 0, 2), 4) != 0);
    snImage_Destroy(&bare), snImage_Destroy(&whole);
    snImage_Destroy(&cut), snImage_Destroy(&glass);
}

static void textureIsKeptUntilForgotten(void)
{
    fillQuarters();
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square();
    snImage before = drawn(&draw);
    memset(texels, 0, sizeof texels);
    snImage kept = drawn(&draw);
    CHECK(same(&before, &kept));
    snRenderer_ForgetTextures(renderer);
    snImage after = drawn(&draw);
    CHECK(!same(&before, &after));
    snImage_Destroy(&before), snImage_Destroy(&kept), snImage_Destroy(&after);
}

static void manyTexturesKeepApart(void)
{
    enum { COUNT = 20 };
    static uint8_t pixels[COUNT][4];
    static snImage images[COUNT];
    snRenderer_ForgetTextures(renderer);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++) {
            memset(pixels[i], 0, 4);
            pixels[i][i % 3] = 255;
            images[i] = (snImage){1, 1, pixels[i]};
            snSurfaceDraw draw = square();
            draw.texture = &images[i];
            snImage image = drawn(&draw);
            CHECK(hue(cell(&image, 0, 0, 1)) == i % 3);
            snImage_Destroy(&image);
        }
}

static void halfGivenTexturesAreNone(void)
{
    static const float absurd[8] = {NAN, INFINITY, 1e38f, -1e38f, 1e9f, 0, 0, 3};
    static const snImage empty = {0};
    fillQuarters();
    snRenderer_ForgetTextures(renderer);
    snSurfaceDraw draw = square();
    draw.texture = NULL;
    snImage plain = drawn(&draw);
    draw.texture = &empty;
    snImage second = drawn(&draw);
    draw.texture = &texture, draw.uv = NULL;
    snImage third = drawn(&draw);
    CHECK(same(&plain, &second) && same(&plain, &third));
    draw.uv = absurd;
    snImage wild = drawn(&draw); // any colours, no harm
    snImage_Destroy(&plain), snImage_Destroy(&second);
    snImage_Destroy(&third), snImage_Destroy(&wild);
}

int main(void)
{
    if (!makeRenderer(&renderer, SIZE)) return snTest_Finish();
    RUN(firstTexelIsUpperLeft);
    RUN(coordinatesRepeat);
    RUN(textureEqualsColor);
    RUN(farTexturesAreAveraged);
    RUN(alphaCutsOnlyWhereAsked);
    RUN(textureIsKeptUntilForgotten);
    RUN(manyTexturesKeepApart);
    RUN(halfGivenTexturesAreNone);
    snRenderer_Destroy(renderer);
    return snTest_Finish();
}
