#include "render/frame.h"
#include "tests/test.h"

#include <math.h>

// Where a point of the scene lands: x, y in [-1, 1] inside the picture, and depth.
static snVec3 project(const snFrame *frame, snVec3 p)
{
    float world[3];
    CHECK(snFrame_Place(frame, snToF(p), world));
    double clip[4];
    for (int row = 0; row < 4; row++) {
        const float *m = frame->block.clipFromWorld;
        clip[row] = (double)m[12 + row];
        for (int k = 0; k < 3; k++)
            clip[row] += (double)m[4 * k + row] * (double)world[k];
    }
    return snVec(clip[0] / clip[3], clip[1] / clip[3], clip[2] / clip[3]);
}

static snVec3 cornerOf(snBox box, int i)
{
    return snVec(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                 i & 4 ? box.upper.z : box.lower.z);
}

// From every side, all corners are inside, and two opposite sides of the picture are touched.
static void boundsJustFit(void)
{
    static const snBox boxes[3] = {
        {{-1, 0, -3}, {1, 2, 3}}, {{100, 200, 300}, {101, 209, 302}}, {{0, 0, 0}, {40, 1, 1}}};
    for (int b = 0; b < 3; b++)
        for (int view = 0; view < 24; view++) {
            snScene scene = snDefaultScene();
            scene.bounds = boxes[b];
            snCamera camera = snDefaultCamera();
            camera.automatic = view % 3 == 0;
            camera.yaw = 37.0 * view, camera.pitch = -80.0 + 7.0 * view;
            camera.zoom = 0.9;
            int width = view % 2 ? 960 : 400;
            snFrame frame;
            CHECK(snFrame_Make(&frame, &scene, &camera, width, 540, NULL) == SN_OK);
            double x0 = 9, x1 = -9, y0 = 9, y1 = -9;
            for (int i = 0; i < 8; i++) {
                snVec3 p = project(&frame, cornerOf(boxes[b], i));
                x0 = fmin(x0, p.x), x1 = fmax(x1, p.x), y0 = fmin(y0, p.y), y1 = fmax(y1, p.y);
                CHECK(p.z > -1.0 && p.z < 1.0);
            }
            CHECK(x0 > -0.9001 && x1 < 0.9001 && y0 > -0.9001 && y1 < 0.9001);
            double touch = fmax(fmin(-x0, x1), fmin(-y0, y1));
            CHECK_NEAR(touch, 0.9, 1e-3);
        }
}

static void yawAndOffsetsMeanWhatTheySay(void)
{
    snScene scene = snDefaultScene();
    scene.bounds = (snBox){{-1, -1, -1}, {1, 1, 1}};
    snCamera camera = snDefaultCamera();
    camera.automatic = false, camera.yaw = 0.0, camera.pitch = 0.0;
    snFrame frame;
    snFrame_Make(&frame, &scene, &camera, 400, 400, NULL);
    CHECK(project(&frame, snVec(1, 0, 0)).x > 0.3); // +x to the right, seen from the front
    CHECK(project(&frame, snVec(0, 0, 1)).z < project(&frame, snVec(0, 0, -1)).z);
    camera.yaw = 90.0; // from +x: the front (+z) is on the left
    snFrame_Make(&frame, &scene, &camera, 400, 400, NULL);
    CHECK(project(&frame, snVec(0, 0, 1)).x < -0.3);
    camera.offsetX = 0.25, camera.offsetY = -0.1;
    snFrame_Make(&frame, &scene, &camera, 400, 400, NULL);
    snVec3 middle = project(&frame, snVec(0, 0, 0));
    CHECK_NEAR(middle.x, 0.5, 1e-5);
    CHECK_NEAR(middle.y, -0.2, 1e-5);
}

// Light and shadow: the key light stands above, and its map holds the whole ball around the bounds.
static void shadowMapHoldsTheBounds(void)
{
    snScene scene = snDefaultScene();
    scene.bounds = (snBox){{-1, 0, -2}, {1, 3, 2}};
    snCamera camera = snDefaultCamera();
    snFrame frame;
    snFrame_Make(&frame, &scene, &camera, 640, 480, NULL);
    CHECK(frame.block.key[1] > 0.5f);
    for (int i = 0; i < 8; i++) {
        float w[3];
        snFrame_Place(&frame, snToF(cornerOf(scene.bounds, i)), w);
        const float *m = frame.block.shadowFromWorld;
        for (int row = 0; row < 3; row++) {
            float u = m[row] * w[0] + m[4 + row] * w[1] + m[8 + row] * w[2] + m[12 + row];
            CHECK(u > 0.0f && u < 1.0f);
        }
        // Carried down along the light, the corner meets the ground inside the shadow's rectangle.
        float drop = (w[1] - frame.block.ground[0]) / frame.block.key[1];
        float x = w[0] - drop * frame.block.key[0] - frame.block.shadowRect[0];
        float z = w[2] - drop * frame.block.key[2] - frame.block.shadowRect[1];
        CHECK(x > 0.0f && x < frame.block.shadowRect[2]);
        CHECK(z > 0.0f && z < frame.block.shadowRect[3]);
    }
}

static void absurdBoundsAreReplaced(void)
{
    static const snVec3f line[2] = {{2, 0, 0}, {4, 0, 0}};
    snLineDraw draw = snDefaultLineDraw();
    draw.count = 1, draw.points = line;
    const snBox bad[5] = {snEmptyBox(),
                          {{NAN, 0, 0}, {1, 1, 1}},
                          {{0, 0, 0}, {INFINITY, 1, 1}},
                          {{-1e200, 0, 0}, {1e200, 1, 1}},
                          {{1, 1, 1}, {0, 0, 0}}};
    snCamera camera = snDefaultCamera();
    for (int i = 0; i < 5; i++) {
        snScene scene = snDefaultScene();
        scene.bounds = bad[i], scene.lines = &draw, scene.lineCount = 1;
        snFrame frame;
        CHECK(snFrame_Make(&frame, &scene, &camera, 100, 100, NULL) == SN_OK);
        CHECK_NEAR(frame.center.x, 3.0, 1e-12);
        CHECK_NEAR(frame.radius, 1.0, 1e-12);
        scene.lineCount = 0; // nothing at all: some place to look at
        CHECK(snFrame_Make(&frame, &scene, &camera, 100, 100, NULL) == SN_OK);
        CHECK(frame.radius > 0.0 && snIsFinite3(frame.center));
    }
}

static void badCamerasAreErrors(void)
{
    snScene scene = snDefaultScene();
    snCamera camera = snDefaultCamera();
    snFrame frame;
    snError error;
    camera.yaw = NAN;
    CHECK(snFrame_Make(&frame, &scene, &camera, 100, 100, &error) == SN_ERROR_ARGUMENT);
    camera = snDefaultCamera();
    camera.zoom = INFINITY;
    CHECK(snFrame_Make(&frame, &scene, &camera, 100, 100, &error) == SN_ERROR_ARGUMENT);
    camera = snDefaultCamera();
    camera.zoom = 0.0, camera.fieldOfView = -5.0; // clamped
    CHECK(snFrame_Make(&frame, &scene, &camera, 100, 100, &error) == SN_OK);
    for (int i = 0; i < 16; i++)
        CHECK(isfinite(frame.block.clipFromWorld[i]));
}

static void gridIsRoundAndOnMultiples(void)
{
    static const double sizes[5] = {0.003, 1.0, 7.0, 150.0, 4e6};
    for (int i = 0; i < 5; i++) {
        snScene scene = snDefaultScene();
        double s = sizes[i];
        scene.bounds = (snBox){{17 * s, 0, -3 * s}, {18 * s, s, -2 * s}};
        scene.grid = true;
        snCamera camera = snDefaultCamera();
        snFrame frame;
        snFrame_Make(&frame, &scene, &camera, 100, 100, NULL);
        double spacing = (double)frame.block.ground[2] * frame.radius;
        double digits = spacing / pow(10.0, floor(log10(spacing) + 1e-5));
        CHECK(fabs(digits - 1) < 1e-4 || fabs(digits - 2) < 1e-4 || fabs(digits - 5) < 1e-4);
        CHECK(spacing > 0.08 * frame.radius && spacing < 0.4 * frame.radius);
        double line = (double)frame.block.gridOrigin[0] * frame.radius + frame.center.x;
        CHECK_NEAR(line / spacing, floor(line / spacing + 0.5), 1e-3);
    }
}

int main(void)
{
    RUN(boundsJustFit);
    RUN(yawAndOffsetsMeanWhatTheySay);
    RUN(shadowMapHoldsTheBounds);
    RUN(absurdBoundsAreReplaced);
    RUN(badCamerasAreErrors);
    RUN(gridIsRoundAndOnMultiples);
    return snTest_Finish();
}
