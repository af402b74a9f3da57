#include "render/frame.h"

#include "core/elementary.h"

#include <float.h>
#include <string.h>

// Points further away than this many radii are no part of the picture.
static const double FAR_AWAY = 1e5;

static void setRow(float m[16], int row, snVec3 v, double w)
{
    m[row] = (float)v.x, m[4 + row] = (float)v.y, m[8 + row] = (float)v.z, m[12 + row] = (float)w;
}

static void multiply(float out[16], const float a[16], const float b[16])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++)
                sum += (double)a[4 * k + row] * (double)b[4 * column + k];
            out[4 * column + row] = (float)sum;
        }
}

void snFrame_ClipFromUnit(const float unit[16], float clip[16])
{
    static const float twice[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, -1, -1, -1, 1};
    multiply(clip, twice, unit);
}

bool snFrame_Place(const snFrame *frame, snVec3f point, float world[3])
{
    snVec3 p = snScale(1.0 / frame->radius, snSub(snFromF(point), frame->center));
    // Written so that NaN fails too.
    if (!(fabs(p.x) < FAR_AWAY && fabs(p.y) < FAR_AWAY && fabs(p.z) < FAR_AWAY)) return false;
    world[0] = (float)p.x, world[1] = (float)p.y, world[2] = (float)p.z;
    return true;
}

static bool isUsable(snBox box)
{
    return snIsFinite3(box.lower) && snIsFinite3(box.upper) && box.lower.x <= box.upper.x &&
           box.lower.y <= box.upper.y && box.lower.z <= box.upper.z &&
           snLengthSquared(box.lower) < 1e200 && snLengthSquared(box.upper) < 1e200;
}

static void addPoint(snBox *box, snVec3f point)
{
    snVec3 p = snFromF(point);
    if (snIsFinite3(p)) *box = snBoxAdd(*box, p);
}

snBox snScene_Bounds(const snScene *scene)
{
    snBox box = snEmptyBox();
    for (int s = 0; s < scene->surfaceCount; s++) {
        const snSurfaceDraw *draw = &scene->surfaces[s];
        for (int64_t i = 0; i < 3 * (int64_t)draw->triangleCount; i++)
            if (draw->triangles[i] >= 0 && draw->triangles[i] < draw->vertexCount)
                addPoint(&box, draw->positions[draw->triangles[i]]);
    }
    for (int l = 0; l < scene->lineCount; l++)
        for (int64_t i = 0; i < 2 * (int64_t)scene->lines[l].count; i++)
            addPoint(&box, scene->lines[l].points[i]);
    for (int p = 0; p < scene->pointCount; p++)
        for (int i = 0; i < scene->points[p].count; i++)
            addPoint(&box, scene->points[p].points[i]);
    for (int b = 0; b < scene->boneCount; b++)
        for (int i = 0; i < scene->bones[b].count; i++)
            addPoint(&box, scene->bones[b].heads[i]), addPoint(&box, scene->bones[b].tails[i]);
    return box;
}

// Half the sides of the bounds in world lengths, after setting the frame's middle and radius.
static snVec3 placeBounds(snFrame *frame, const snScene *scene)
{
    snBox box = isUsable(scene->bounds) ? scene->bounds : snScene_Bounds(scene);
    if (!isUsable(box)) box = (snBox){{-0.5, 0.0, -0.5}, {0.5, 1.0, 0.5}};
    frame->center = snLerp(box.lower, box.upper, 0.5);
    snVec3 half = snScale(0.5, snSub(box.upper, box.lower));
    frame->radius = snLength(half);
    // A single point, or one whose extent is lost in rounding: look at a unit around it.
    double least = 1e-6 * snLength(frame->center);
    if (!(frame->radius > least && frame->radius > 1e-30)) {
        frame->radius = least > 0.0 ? 1e6 * least : 1.0;
        half = snVec(0.5 * frame->radius, 0.5 * frame->radius, 0.5 * frame->radius);
    }
    return snScale(1.0 / frame->radius, half);
}

typedef struct Eye {
    snVec3 right, up, back; // unit vectors; the eye looks along -back
    snVec3 position;
    double tanX, tanY;
} Eye;

static snVec3 corner(snVec3 half, int i)
{
    return snVec(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
}

// The eye on its line of sight: with x to the right, y up and z towards the eye, a point p is inside
// the picture's width when |p.x - e.x| <= (e.z - p.z) t. Over all corners this asks
//     e.x + e.z t >= a = max(p.x + p.z t)   and   e.x - e.z t <= b = min(p.x - p.z t),
// so the nearest eye is e.x = (a + b)/2, e.z = (a - b)/2t; in y the same; the larger e.z holds.
static snVec3 fitEye(const Eye *eye, snVec3 half, double tanX, double tanY)
{
    double ax = -1e30, bx = 1e30, ay = -1e30, by = 1e30;
    for (int i = 0; i < 8; i++) {
        snVec3 c = corner(half, i);
        double x = snDot(c, eye->right), y = snDot(c, eye->up), z = snDot(c, eye->back);
        ax = fmax(ax, x + z * tanX), bx = fmin(bx, x - z * tanX);
        ay = fmax(ay, y + z * tanY), by = fmin(by, y - z * tanY);
    }
    double distance = fmax((ax - bx) / (2.0 * tanX), (ay - by) / (2.0 * tanY));
    snVec3 p = snScale(0.5 * (ax + bx), eye->right);
    p = snMulAdd(p, 0.5 * (ay + by), eye->up);
    return snMulAdd(p, distance, eye->back);
}

static Eye makeEye(const snCamera *camera, snVec3 half, double aspect)
{
    double yaw = camera->yaw, pitch = camera->pitch;
    if (camera->automatic) {
        // A long body is shown from its side, turned a little; others from the front, turned more.
        yaw = half.z > 1.25 * half.x ? 58.0 : 32.0;
        pitch = 13.0;
    }
    double sy, cy, sp, cp;
    snSinCos(yaw * SN_PI / 180.0, &sy, &cy);
    snSinCos(snClamp(pitch, -89.9, 89.9) * SN_PI / 180.0, &sp, &cp);
    Eye eye = {.right = snVec(cy, 0, -sy), .back = snVec(sy * cp, sp, cy * cp)};
    eye.up = snCross(eye.back, eye.right);
    eye.tanY = snTan(0.5 * snClamp(camera->fieldOfView, 5.0, 120.0) * SN_PI / 180.0);
    eye.tanX = eye.tanY * aspect;
    double zoom = snClamp(camera->zoom, 0.02, 50.0);
    eye.position = fitEye(&eye, half, eye.tanX * zoom, eye.tanY * zoom);
    return eye;
}

static void setEye(snFrameBlock *block, const Eye *eye, const snCamera *camera, double aspect)
{
    float *view = block->viewFromWorld;
    setRow(view, 0, eye->right, -snDot(eye->right, eye->position));
    setRow(view, 1, eye->up, -snDot(eye->up, eye->position));
    setRow(view, 2, eye->back, -snDot(eye->back, eye->position));
    setRow(view, 3, snVec(0, 0, 0), 1.0);
    double distance = snLength(eye->position);
    double near = fmax(distance - 3.0, 0.02), far = distance + 100.0;
    double shiftX = 2.0 * camera->offsetX / aspect, shiftY = 2.0 * camera->offsetY;
    float projection[16] = {0};
    projection[0] = (float)(1.0 / eye->tanX), projection[5] = (float)(1.0 / eye->tanY);
    projection[8] = (float)-shiftX, projection[9] = (float)-shiftY;
    projection[10] = (float)(-(far + near) / (far - near)), projection[11] = -1.0f;
    projection[14] = (float)(-2.0 * far * near / (far - near));
    multiply(block->clipFromWorld, projection, view);
    memcpy(block->lens, (float[4]){(float)eye->tanX, (float)eye->tanY, (float)near, (float)far},
           sizeof block->lens);
    block->lensShift[0] = (float)shiftX, block->lensShift[1] = (float)shiftY;
    snVec3f p = snToF(eye->position);
    block->eye[0] = p.x, block->eye[1] = p.y, block->eye[2] = p.z;
}

// The key light stands over the viewer's left shoulder, the fill low on the right. They turn with
// the camera, so that every view is lit as well as the first.
static snVec3 setLights(snFrameBlock *block, const Eye *eye)
{
    snVec3 front = snNormalizeOr(snVec(-eye->right.z, 0, eye->right.x), snVec(0, 0, 1));
    snVec3 up = snVec(0, 1, 0);
    snVec3 key = snMulAdd(snMulAdd(snScale(-0.52, eye->right), 1.0, up), 0.58, front);
    snVec3 fill = snMulAdd(snMulAdd(snScale(0.85, eye->right), 0.25, up), 0.5, front);
    key = snNormalizeOr(key, up), fill = snNormalizeOr(fill, up);
    snVec3f k = snToF(key), f = snToF(fill);
    memcpy(block->key, (float[4]){k.x, k.y, k.z, 0.105f}, sizeof block->key); // 6 degrees
    memcpy(block->fill, (float[4]){f.x, f.y, f.z, 0.0f}, sizeof block->fill);
    snVec3 side = snPerpendicular(key);
    double s = 1.0 / SN_SHADOW_SPAN;
    setRow(block->shadowFromWorld, 0, snScale(s, side), 0.5);
    setRow(block->shadowFromWorld, 1, snScale(s, snCross(key, side)), 0.5);
    setRow(block->shadowFromWorld, 2, snScale(-s, key), 0.5);
    setRow(block->shadowFromWorld, 3, snVec(0, 0, 0), 1.0);
    return key;
}

static void setRect(float rect[4], double x0, double z0, double x1, double z1, double margin)
{
    rect[0] = (float)(x0 - margin), rect[1] = (float)(z0 - margin);
    rect[2] = (float)(x1 - x0 + 2.0 * margin), rect[3] = (float)(z1 - z0 + 2.0 * margin);
}

// The parts of the ground where shadow and occlusion can fall: the bounds' corners carried down
// along the key light, and straight down.
static void setGround(snFrameBlock *block, snVec3 half, snVec3 key, double ground)
{
    double x0 = 1e30, x1 = -1e30, z0 = 1e30, z1 = -1e30;
    for (int i = 0; i < 8; i++) {
        snVec3 c = corner(half, i);
        double drop = fmax(c.y - ground, 0.0) / key.y;
        double x = c.x - drop * key.x, z = c.z - drop * key.z;
        x0 = fmin(x0, x), x1 = fmax(x1, x), z0 = fmin(z0, z), z1 = fmax(z1, z);
    }
    setRect(block->shadowRect, x0, z0, x1, z1, 0.15);
    setRect(block->heightRect, -half.x, -half.z, half.x, half.z, 0.9);
    const float *r = block->heightRect;
    double bottom = ground - 0.1, range = fmax(half.y - bottom, 0.1) + 0.1;
    block->heightRange[0] = (float)bottom, block->heightRange[1] = (float)range;
    float *m = block->heightFromWorld;
    double sx = 1.0 / (double)r[2], sz = 1.0 / (double)r[3];
    setRow(m, 0, snVec(sx, 0, 0), -(double)r[0] * sx);
    setRow(m, 1, snVec(0, 0, sz), -(double)r[1] * sz);
    setRow(m, 2, snVec(0, 1.0 / range, 0), -bottom / range);
    setRow(m, 3, snVec(0, 0, 0), 1.0);
}

// A spacing of 1, 2 or 5 times a power of ten, about a third of the radius.
static double gridSpacing(double radius)
{
    double target = radius / 3.0, unit = 1.0;
    for (int i = 0; i < 200 && unit > target; i++)
        unit /= 10.0;
    for (int i = 0; i < 200 && unit * 10.0 <= target; i++)
        unit *= 10.0;
    return target >= 5.0 * unit ? 5.0 * unit : target >= 2.0 * unit ? 2.0 * unit : unit;
}

static void setGrid(snFrame *frame)
{
    double spacing = gridSpacing(frame->radius);
    frame->block.ground[2] = (float)(spacing / frame->radius);
    // The crossing next to the middle, so that single precision never sees large coordinates.
    double x = floor(frame->center.x / spacing) * spacing - frame->center.x;
    double z = floor(frame->center.z / spacing) * spacing - frame->center.z;
    frame->block.gridOrigin[0] = (float)(x / frame->radius);
    frame->block.gridOrigin[1] = (float)(z / frame->radius);
}

snStatus snFrame_Make(snFrame *frame, const snScene *scene, const snCamera *camera, int width,
                      int height, snError *error)
{
    const double numbers[6] = {camera->yaw,  camera->pitch,   camera->fieldOfView,
                               camera->zoom, camera->offsetX, camera->offsetY};
    for (int i = 0; i < 6; i++)
        if (!(fabs(numbers[i]) < 1e6))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "the camera has a number that is not usable "
                          "(yaw, pitch, field of view, zoom, offset)");
    *frame = (snFrame){0};
    snVec3 half = placeBounds(frame, scene);
    double aspect = (double)width / height;
    Eye eye = makeEye(camera, half, aspect);
    snFrameBlock *block = &frame->block;
    setEye(block, &eye, camera, aspect);
    snVec3 key = setLights(block, &eye);
    double ground = (scene->groundHeight - frame->center.y) / frame->radius;
    frame->ground = scene->ground && fabs(ground) < 100.0 && eye.position.y > ground + 1e-3;
    if (!(fabs(ground) < 100.0)) ground = -1.0;
    setGround(block, half, key, ground);
    block->ground[0] = (float)ground, block->ground[1] = 14.0f;
    block->ground[3] = frame->ground ? 1.0f : 0.0f;
    if (scene->grid) setGrid(frame);
    for (int c = 0; c < 4; c++)
        block->background[c] = fminf(fmaxf(scene->background[c], 0.0f), 1.0f); // NaN becomes 0
    memcpy(block->screen,
           (float[4]){(float)width, (float)height, 1.0f / (float)width, 1.0f / (float)height},
           sizeof block->screen);
    return SN_OK;
}
