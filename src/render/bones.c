// The shapes of a skeleton overlay. A bone is an octahedron with flat faces: its waist sits near
// the head, so one sees which way it points. A ball marks each joint.
#include "render/surface.h"

#include "core/elementary.h"

#include <stdlib.h>
#include <string.h>

enum {
    BONE_VERTICES = 24, // 8 faces with corners of their own, for flat shading
    BALL_RINGS = 7,
    BALL_SIDES = 12,
    BALL_VERTICES = (BALL_RINGS + 1) * (BALL_SIDES + 1),
    BALL_INDICES = BALL_RINGS * BALL_SIDES * 6,
};

static void addVertex(snTriangleData *data, snVec3 p, snVec3 n, const float color[4])
{
    snVertex *v = &data->vertices[data->vertexCount++];
    snVec3f pf = snToF(p), nf = snToF(n);
    *v = (snVertex){{pf.x, pf.y, pf.z}, {nf.x, nf.y, nf.z}, {0}, {0}};
    memcpy(v->color, color, sizeof v->color);
}

static void addFace(snTriangleData *data, snVec3 a, snVec3 b, snVec3 c, const float color[4])
{
    snVec3 n = snNormalizeOr(snTwiceArea(a, b, c), snVec(0, 1, 0));
    for (int k = 0; k < 3; k++)
        data->indices[data->indexCount++] = (uint32_t)(data->vertexCount + k);
    addVertex(data, a, n, color), addVertex(data, b, n, color), addVertex(data, c, n, color);
}

static void addBone(snTriangleData *data, snVec3 head, snVec3 tail, double radius,
                    const float color[4])
{
    snVec3 axis = snNormalizeOr(snSub(tail, head), snVec(0, 1, 0));
    snVec3 u = snPerpendicular(axis), v = snCross(axis, u);
    snVec3 waist = snLerp(head, tail, 0.14);
    snVec3 ring[4] = {snMulAdd(waist, radius, u), snMulAdd(waist, radius, v),
                      snMulAdd(waist, -radius, u), snMulAdd(waist, -radius, v)};
    for (int k = 0; k < 4; k++) {
        addFace(data, ring[k], ring[(k + 1) % 4], tail, color);
        addFace(data, ring[(k + 1) % 4], ring[k], head, color);
    }
}

static void addBall(snTriangleData *data, snVec3 center, double radius, const float color[4])
{
    int base = data->vertexCount;
    for (int r = 0; r <= BALL_RINGS; r++) {
        double y, ring;
        snSinCos(SN_PI * ((double)r / BALL_RINGS - 0.5), &y, &ring);
        for (int s = 0; s <= BALL_SIDES; s++) {
            double sine, cosine;
            snSinCos(2.0 * SN_PI * s / BALL_SIDES, &sine, &cosine);
            snVec3 n = snVec(ring * sine, y, ring * cosine);
            addVertex(data, snMulAdd(center, radius, n), n, color);
        }
    }
    for (int r = 0; r < BALL_RINGS; r++)
        for (int s = 0; s < BALL_SIDES; s++) {
            int a = base + r * (BALL_SIDES + 1) + s, b = a + 1, c = a + BALL_SIDES + 1, d = c + 1;
            const int corners[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; k++)
                data->indices[data->indexCount++] = (uint32_t)corners[k];
        }
}

static void addJointAndBone(snTriangleData *data, const float h[3], const float t[3],
                            const snBoneDraw *draw, double most, const float color[4])
{
    snVec3 head = snVec((double)h[0], (double)h[1], (double)h[2]);
    snVec3 tail = snVec((double)t[0], (double)t[1], (double)t[2]);
    double length = snDistance(head, tail);
    double radius = fmin(length * (double)draw->thickness, most);
    if (!(radius > 0.0)) radius = 0.4 * most; // no length: a joint alone
    if (length > 0.0) addBone(data, head, tail, radius, color);
    // Balls stay a little smaller than the waist, and are lighter so that joints can be counted.
    float light[4] = {0.5f + 0.5f * color[0], 0.5f + 0.5f * color[1], 0.5f + 0.5f * color[2],
                      color[3]};
    addBall(data, head, 0.62 * radius, light);
    if (length > 0.0) addBall(data, tail, 0.42 * radius, light);
}

snStatus snTriangleData_FromBones(snTriangleData *data, const snBoneDraw *draw,
                                  const snFrame *frame, snError *error)
{
    *data = (snTriangleData){0};
    if (draw->count < 0 || draw->count > 1000000)
        return snFail(error, SN_ERROR_ARGUMENT, "a skeleton of %d bones cannot be drawn",
                      draw->count);
    size_t perBone = BONE_VERTICES + 2 * BALL_VERTICES;
    data->vertices = malloc(((size_t)draw->count * perBone + 1) * sizeof *data->vertices);
    data->indices = malloc(((size_t)draw->count * (BONE_VERTICES + 2 * BALL_INDICES) + 1) *
                           sizeof *data->indices);
    if (!data->vertices || !data->indices) {
        snTriangleData_Free(data);
        return snFailMemory(error);
    }
    double most = draw->maxRadius > 0.0f ? (double)draw->maxRadius / frame->radius : 0.035;
    if (!(most < 1e3)) most = 0.035;
    for (int i = 0; i < draw->count; i++) {
        float head[3], tail[3], color[4];
        if (!snFrame_Place(frame, draw->heads[i], head)) continue;
        if (!snFrame_Place(frame, draw->tails[i], tail)) continue;
        const float *source = draw->colors ? &draw->colors[4 * (size_t)i] : draw->color;
        for (int c = 0; c < 4; c++)
            color[c] = fminf(fmaxf(source[c], 0.0f), 1.0f);
        addJointAndBone(data, head, tail, draw, most, color);
    }
    return SN_OK;
}
