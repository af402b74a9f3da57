#include "render/color.h"
#include "render/frame.h"
#include "render/render.h"
#include "tests/test.h"
#include "tests/render/renderers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RINGS = 32,
    SIDES = 64,
    VERTICES = (RINGS + 1) * (SIDES + 1),
    TRIANGLES = RINGS * SIDES * 2
};
enum { SIZE = 200 };
static const double PI = 3.14159265358979323846;

static snRenderer *renderer; // made once: it compiles shaders
static snVec3f positions[VERTICES];
static int triangles[3 * TRIANGLES];

// A ball of radius 1 that stands on the ground, its middle at (0, 1, 0), times a scale, moved by x.
static void fillBall(double scale, double x)
{
    int t = 0;
    for (int r = 0; r <= RINGS; r++)
        for (int s = 0; s <= SIDES; s++) {
            double a = PI * r / RINGS - PI / 2, b = 2 * PI * s / SIDES;
            snVec3 p = snVec(cos(a) * sin(b), 1.0 + sin(a), cos(a) * cos(b));
            p = snScale(scale, p);
            p.x += x;
            int v = r * (SIDES + 1) + s, w = v + SIDES + 1;
            positions[v] = snToF(p);
            if (r == RINGS || s == SIDES) continue;
            const int corners[6] = {v, v + 1, w + 1, v, w + 1, w};
            memcpy(&triangles[t], corners, sizeof corners);
            t += 6;
        }
}

static snSurfaceDraw ball(void)
{
    fillBall(1.0, 0.0);
    snSurfaceDraw draw = snDefaultSurfaceDraw();
    draw.vertexCount = VERTICES, draw.triangleCount = TRIANGLES;
    draw.positions = positions, draw.triangles = triangles;
    return draw;
}

static snScene sceneOf(const snSurfaceDraw *draw)
{
    snScene scene = snDefaultScene();
    scene.surfaces = draw, scene.surfaceCount = 1;
    scene.bounds = (snBox){{-1, 0, -1}, {1, 2, 1}};
    return scene;
}

static snCamera straight(double pitch)
{
    snCamera camera = snDefaultCamera();
    camera.automatic = false, camera.yaw = 0.0, camera.pitch = pitch;
    camera.fieldOfView = 30.0, camera.zoom = 0.8;
    return camera;
}

static snImage draw(const snScene *scene, const snCamera *camera)
{
    snImage image = {0};
    snError error = {0};
    if (!CHECK(snRenderer_Draw(renderer, scene, camera, &image, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(snTest_Finish());
    }
    return image;
}

// The mean light (linear green) over a box given in fractions of the picture.
static double mean(const snImage *image, double x0, double y0, double x1, double y1)
{
    double sum = 0.0;
    int count = 0;
    for (int y = (int)(y0 * image->height); y < (int)(y1 * image->height); y++)
        for (int x = (int)(x0 * image->width); x < (int)(x1 * image->width); x++, count++)
            sum += (double)snColor_ToLinear((float)image->pixels[4 * (y * image->width + x) + 1] /
                                            255.0f);
    return sum / count;
}

static double differing(const snImage *a, const snImage *b, int threshold)
{
    int count = 0;
    for (int i = 0; i < a->width * a->height; i++) {
        int most = 0;
        for (int c = 0; c < 4; c++) {
            int d = abs(a->pixels[4 * i + c] - b->pixels[4 * i + c]);
            if (d > most) most = d;
        }
        count += most > threshold;
    }
    return (double)count / (a->width * a->height);
}

// The ball's outline is a circle whose size follows from the distance: with half the field of view
// t = tan 15 and zoom z, the bounds' front face (half side 1 at distance d - 1) fills z of the
// picture, so d = 1 + 1/(t z); the outline has the tangent 1/sqrt(d^2 - 1).
static void ballCoversItsDisc(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body), empty = scene;
    empty.surfaceCount = 0;
    scene.ground = empty.ground = false;
    snCamera camera = straight(0.0);
    snImage with = draw(&scene, &camera), without = draw(&empty, &camera);
    double t = tan(PI / 12), d = 1.0 + 1.0 / (t * 0.8);
    double radius = 0.5 / (t * sqrt(d * d - 1.0));
    CHECK_NEAR(differing(&with, &without, 12), PI * radius * radius, 0.01);
    snImage_Destroy(&with);
    snImage_Destroy(&without);
}

static void lightComesFromUpperLeft(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    scene.ground = false;
    snCamera camera = straight(0.0);
    snImage image = draw(&scene, &camera);
    double bright = mean(&image, 0.35, 0.3, 0.45, 0.4), dark = mean(&image, 0.57, 0.65, 0.65, 0.72);
    CHECK(bright > 1.5 * dark);
    CHECK(dark > 0.08); // shade is never black
    CHECK(bright < 0.9);
    snImage_Destroy(&image);
}

// A ball is its own mirror image: with x negated its triangles are turned round, and once that is said
// it looks as before.
static void mirroredSurfacesShowTheirOutside(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    snCamera camera = straight(10.0);
    snImage right = draw(&scene, &camera);
    for (int v = 0; v < VERTICES; v++)
        positions[v].x = -positions[v].x;
    snImage wrong = draw(&scene, &camera);
    body.mirrored = true;
    snImage again = draw(&scene, &camera);
    CHECK(differing(&right, &wrong, 12) > 0.1);
    CHECK_NEAR(differing(&right, &again, 4), 0.0, 0.001);
    snImage_Destroy(&right);
    snImage_Destroy(&wrong);
    snImage_Destroy(&again);
}

// The pixel in which a point of the scene appears.
static uint8_t *pixelOf(const snImage *image, const snScene *scene, const snCamera *camera,
                        snVec3 point)
{
    snFrame frame;
    float w[3];
    double clip[4];
    snFrame_Make(&frame, scene, camera, image->width, image->height, NULL);
    snFrame_Place(&frame, snToF(point), w);
    for (int row = 0; row < 4; row++) {
        const float *m = frame.block.clipFromWorld;
        clip[row] = (double)(m[row] * w[0] + m[4 + row] * w[1] + m[8 + row] * w[2] + m[12 + row]);
    }
    int x = (int)((0.5 + 0.5 * clip[0] / clip[3]) * image->width);
    int y = (int)((0.5 - 0.5 * clip[1] / clip[3]) * image->height);
    if (!CHECK(x >= 0 && y >= 0 && x < image->width && y < image->height)) x = y = 0;
    return &image->pixels[4 * (y * image->width + x)];
}

// Where the light's ray through (0, height, 0) meets the ground.
static snVec3 shadowPlace(const snScene *scene, const snCamera *camera, double height)
{
    snFrame frame;
    snFrame_Make(&frame, scene, camera, SIZE, SIZE, NULL);
    const float *key = frame.block.key;
    return snScale(height / (double)key[1], snVec((double)-key[0], 0, (double)-key[2]));
}

// The ray through (0, 2.2, 0) passes the ball's middle at a distance of 0.7: shadow, and far enough
// to the side to be seen past the ball. The point opposite has the light in full.
static void groundHasShadow(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    snCamera camera = straight(60.0);
    camera.zoom = 0.45;
    snVec3 place = shadowPlace(&scene, &camera, 2.2), opposite = snScale(-1.0, place);
    CHECK(place.x > 0.5 && place.z < -0.5); // to the right and away from the viewer
    snImage lit = draw(&scene, &camera);
    body.castsShadow = false;
    snImage clean = draw(&scene, &camera);
    double shadow =
        (double)snColor_ToLinear((float)pixelOf(&lit, &scene, &camera, place)[1] / 255.0f);
    double bare =
        (double)snColor_ToLinear((float)pixelOf(&clean, &scene, &camera, place)[1] / 255.0f);
    double open =
        (double)snColor_ToLinear((float)pixelOf(&lit, &scene, &camera, opposite)[1] / 255.0f);
    CHECK(bare > 0.9);
    CHECK(shadow < 0.72 * bare && shadow > 0.3 * bare);
    CHECK(open > 0.93 * bare); // but for the ball's share of the sky
    // At the ball's foot, on the lit side, only the sky is missing: the nearer, the darker.
    snVec3 foot = snScale(0.3 / snLength(opposite), opposite);
    double dark = (double)pixelOf(&lit, &scene, &camera, snScale(2.0, foot))[1];
    double light = (double)pixelOf(&lit, &scene, &camera, snScale(5.0, foot))[1];
    CHECK(dark < light);
    snImage_Destroy(&lit);
    snImage_Destroy(&clean);
}

static void emptySceneIsBackground(void)
{
    snScene scene = snDefaultScene();
    scene.ground = false;
    snCamera camera = snDefaultCamera();
    snImage image = draw(&scene, &camera);
    bool same = true;
    for (int i = 0; i < SIZE * SIZE; i++)
        same = same && image.pixels[4 * i] == 0xf6 && image.pixels[4 * i + 1] == 0xf7 &&
               image.pixels[4 * i + 2] == 0xf8 && image.pixels[4 * i + 3] == 255;
    CHECK(same);
    scene.ground = true;
    scene.grid = true;
    snImage floor = draw(&scene, &camera);
    CHECK(mean(&floor, 0, 0, 1, 1) > 0.85);
    snImage_Destroy(&image);
    snImage_Destroy(&floor);
}

static void cutOutHasAlpha(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    memset(scene.background, 0, sizeof scene.background);
    snCamera camera = straight(60.0);
    camera.zoom = 0.5;
    snImage image = draw(&scene, &camera);
    CHECK(image.pixels[3] == 0);                                      // a corner
    CHECK(image.pixels[4 * (SIZE / 2 * SIZE + SIZE / 2) + 3] == 255); // the ball
    const uint8_t *shade = pixelOf(&image, &scene, &camera, shadowPlace(&scene, &camera, 2.2));
    CHECK(shade[3] > 10 && shade[3] < 200 && shade[1] < 10); // its shadow: see-through black
    snImage_Destroy(&image);
}

static void glassShowsBones(void)
{
    snSurfaceDraw body = ball();
    static const snVec3f head = {-0.5f, 1.0f, 0.0f}, tail = {0.5f, 1.0f, 0.0f};
    snBoneDraw bones = snDefaultBoneDraw();
    bones.count = 1, bones.heads = &head, bones.tails = &tail;
    snScene scene = sceneOf(&body), with = scene;
    with.bones = &bones, with.boneCount = 1;
    snCamera camera = straight(0.0);
    snImage a = draw(&scene, &camera), b = draw(&with, &camera);
    CHECK(differing(&a, &b, 8) == 0.0); // hidden inside the opaque ball
    bones.onTop = true;
    snImage c = draw(&with, &camera);
    CHECK(differing(&a, &c, 8) > 0.005);
    bones.onTop = false;
    body.opacity = 0.3f;
    snImage d = draw(&scene, &camera), e = draw(&with, &camera);
    CHECK(differing(&d, &e, 8) > 0.005);
    CHECK(differing(&d, &e, 8) < 0.1);
    CHECK(mean(&d, 0.45, 0.45, 0.55, 0.55) > mean(&a, 0.45, 0.45, 0.55, 0.55));
    snImage_Destroy(&a), snImage_Destroy(&b), snImage_Destroy(&c);
    snImage_Destroy(&d), snImage_Destroy(&e);
}

static void linesAndPointsHideOrShine(void)
{
    snSurfaceDraw body = ball();
    static const snVec3f ends[4] = {
        {-0.5f, 1, -1.2f}, {0.5f, 1, -1.2f}, {-2, 1.5f, 0}, {2, 1.5f, 0}};
    snLineDraw lines = snDefaultLineDraw();
    snPointDraw points = snDefaultPointDraw();
    lines.count = 1, lines.points = ends, lines.width = 3.0f;
    points.count = 1, points.points = ends, points.radius = 5.0f;
    snScene scene = sceneOf(&body), with = scene;
    with.lines = &lines, with.lineCount = 1, with.points = &points, with.pointCount = 1;
    snCamera camera = straight(0.0);
    snImage bare = draw(&scene, &camera), hidden = draw(&with, &camera);
    CHECK(differing(&bare, &hidden, 2) == 0.0);
    lines.onTop = points.onTop = true;
    snImage dim = draw(&with, &camera);
    double share = differing(&bare, &dim, 2);
    CHECK(share > 0.003 && share < 0.05);
    lines.points = ends + 2, with.pointCount = 0; // sticks out on both sides
    lines.onTop = false;
    snImage crossing = draw(&with, &camera);
    CHECK(differing(&bare, &crossing, 8) > 0.002);
    snImage_Destroy(&bare), snImage_Destroy(&hidden);
    snImage_Destroy(&dim), snImage_Destroy(&crossing);
}

static void scaleAndPlaceDoNotMatter(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    snCamera camera = straight(15.0);
    snImage one = draw(&scene, &camera);
    fillBall(1000.0, 5000.0);
    scene.bounds = (snBox){{4000, 0, -1000}, {6000, 2000, 1000}};
    snImage large = draw(&scene, &camera);
    fillBall(1e-6, 0.0);
    scene.bounds = (snBox){{-1e-6, 0, -1e-6}, {1e-6, 2e-6, 1e-6}};
    snImage small = draw(&scene, &camera);
    CHECK(differing(&one, &large, 10) < 0.003);
    CHECK(differing(&one, &small, 10) < 0.003);
    snImage again = draw(&scene, &camera);
    CHECK(differing(&small, &again, 0) == 0.0);
    snImage_Destroy(&one), snImage_Destroy(&large);
    snImage_Destroy(&small), snImage_Destroy(&again);
}

static void badGeometryIsLeftOut(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    scene.ground = false;
    snCamera camera = straight(0.0);
    snImage good = draw(&scene, &camera);
    positions[RINGS / 2 * (SIDES + 1)] = (snVec3f){NAN, 1, 0};
    positions[RINGS / 2 * (SIDES + 1) + 2] = (snVec3f){1, INFINITY, 0};
    positions[RINGS / 2 * (SIDES + 1) + 4] = (snVec3f){1e38f, 1, 0};
    triangles[30] = -1;
    triangles[36] = VERTICES;
    snImage bad = draw(&scene, &camera);
    double share = differing(&good, &bad, 8);
    CHECK(share > 0.0 && share < 0.1);
    scene.bounds = (snBox){{NAN, 0, 0}, {1, 1, 1}};
    snImage other = draw(&scene, &camera);
    snVec3f *normals = calloc(VERTICES, sizeof *normals);
    float *colors = malloc(4 * VERTICES * sizeof *colors);
    for (int i = 0; i < 4 * VERTICES; i++)
        colors[i] = i % 7 ? 1e30f : NAN;
    normals[5].x = NAN;
    body.normals = normals, body.colors = colors;
    body.doubleSided = true;
    snImage third = draw(&scene, &camera);
    free(normals);
    free(colors);
    snImage_Destroy(&good), snImage_Destroy(&bad);
    snImage_Destroy(&other), snImage_Destroy(&third);
}

static void absurdScenesDoNotCrash(void)
{
    static const snVec3f wild[6] = {{NAN, NAN, NAN}, {0, 0, 0},          {3e38f, -3e38f, 3e38f},
                                    {0, 0, 0},       {0.1f, 0.1f, 0.1f}, {0.1f, 0.1f, 0.1f}};
    snLineDraw lines = snDefaultLineDraw();
    snPointDraw points = snDefaultPointDraw();
    snBoneDraw bones = snDefaultBoneDraw();
    snLabel label = snDefaultLabel();
    lines.count = 3, lines.points = wild, lines.width = NAN, lines.onTop = true;
    points.count = 6, points.points = wild, points.radius = -INFINITY;
    bones.count = 3, bones.heads = wild, bones.tails = wild + 3, bones.thickness = NAN;
    bones.maxRadius = INFINITY;
    label.x = NAN, label.text = "lost";
    static const snBox boxes[6] = {{{0, 0, 0}, {0, 0, 0}},
                                   {{-1e38, -1e38, -1e38}, {1e38, 1e38, 1e38}},
                                   {{1e20, 1e20, 1e20}, {1e20, 1e20, 1e20}},
                                   {{0, 0, 0}, {1e-320, 0, 0}},
                                   {{-1, 0, 0}, {1, 0, 0}},
                                   {{1, 1, 1}, {-1, -1, -1}}};
    for (int i = 0; i < 6; i++) {
        snScene scene = snDefaultScene();
        scene.bounds = boxes[i];
        scene.lines = &lines, scene.lineCount = 1, scene.points = &points, scene.pointCount = 1;
        scene.bones = &bones, scene.boneCount = 1, scene.labels = &label, scene.labelCount = 1;
        scene.groundHeight = i == 3 ? NAN : i == 4 ? 1e300 : 0.0;
        scene.grid = true;
        scene.background[0] = i == 5 ? NAN : 1.0f;
        snCamera camera = snDefaultCamera();
        snImage image = draw(&scene, &camera);
        snImage_Destroy(&image);
    }
}

static void badArgumentsAreErrors(void)
{
    snScene scene = snDefaultScene();
    snCamera camera = snDefaultCamera();
    snImage image = {0};
    snError error;
    snRenderer *other;
    snRendererDef def = snDefaultRendererDef();
    scene.lineCount = -1;
    CHECK(snRenderer_Draw(renderer, &scene, &camera, &image, &error) == SN_ERROR_ARGUMENT);
    scene.lineCount = 0;
    snSurfaceDraw body = snDefaultSurfaceDraw();
    body.vertexCount = -5;
    scene.surfaces = &body, scene.surfaceCount = 1;
    CHECK(snRenderer_Draw(renderer, &scene, &camera, &image, &error) == SN_ERROR_ARGUMENT);
    CHECK(image.pixels == NULL);
    def.width = 0;
    CHECK(snRenderer_Make(&other, &def, &error) == SN_ERROR_ARGUMENT && other == NULL);
    def = snDefaultRendererDef();
    def.shadowSize = 1000000;
    CHECK(snRenderer_Make(&other, &def, &error) == SN_ERROR_ARGUMENT && other == NULL);
    CHECK(snRenderer_Resize(renderer, 9000, 10, &error) == SN_ERROR_ARGUMENT);
    snRenderer_Destroy(NULL);
}

// Two renderers live side by side, and the end of one does not disturb the other.
static void renderersAreIndependent(void)
{
    snSurfaceDraw body = ball();
    snScene scene = sceneOf(&body);
    snCamera camera = straight(15.0);
    snImage before = draw(&scene, &camera);
    snRendererDef def = {.width = 64, .height = 32, .samples = 16, .shadowSize = 128};
    snRenderer *other;
    snImage small = {0};
    if (!CHECK(snRenderer_Make(&other, &def, NULL) == SN_OK)) return;
    CHECK(snRenderer_Draw(other, &scene, &camera, &small, NULL) == SN_OK);
    CHECK(small.width == 64 && small.height == 32);
    CHECK(mean(&small, 0.45, 0.45, 0.55, 0.55) < 0.8);
    CHECK(snRenderer_Resize(other, 33, 1, NULL) == SN_OK);
    CHECK(snRenderer_Draw(other, &scene, &camera, &small, NULL) == SN_OK);
    CHECK(small.width == 33 && small.height == 1);
    snRenderer_Destroy(other);
    snImage after = draw(&scene, &camera);
    CHECK(differing(&before, &after, 0) == 0.0);
    snImage_Destroy(&before), snImage_Destroy(&after), snImage_Destroy(&small);
}

int main(void)
{
    if (!makeRenderer(&renderer, SIZE)) return snTest_Finish();
    RUN(ballCoversItsDisc);
    RUN(lightComesFromUpperLeft);
    RUN(mirroredSurfacesShowTheirOutside);
    RUN(groundHasShadow);
    RUN(emptySceneIsBackground);
    RUN(cutOutHasAlpha);
    RUN(glassShowsBones);
    RUN(linesAndPointsHideOrShine);
    RUN(scaleAndPlaceDoNotMatter);
    RUN(badGeometryIsLeftOut);
    RUN(absurdScenesDoNotCrash);
    RUN(badArgumentsAreErrors);
    RUN(renderersAreIndependent);
    snRenderer_Destroy(renderer);
    return snTest_Finish();
}
