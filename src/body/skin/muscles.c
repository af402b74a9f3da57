#include "body/skin/muscles.h"

#include "core/error.h"

#include <string.h>

static bool isRotation(snMat3 m)
{
    return snIsOrthogonal(m, 1e-9) && snDet(m) > 0.0;
}

snAffine snBlendAffine(snAffine a, snAffine b, double share)
{
    if (share == 0.0) return a;
    if (share == 1.0) return b;
    snAffine blend = {.origin = snLerp(a.origin, b.origin, share)};
    if (isRotation(a.linear) && isRotation(b.linear))
        blend.linear =
            snQuatToMat(snSlerp(snQuatFromMat(a.linear), snQuatFromMat(b.linear), share));
    else
        blend.linear = snAddMM(snScaleM(1.0 - share, a.linear), snScaleM(share, b.linear));
    return blend;
}

// ---- shapes between two -------------------------------------------------------------------------

static double mix(double a, double b, double share)
{
    return share == 0.0 ? a : (share == 1.0 ? b : a + share * (b - a));
}

static void mixWarp(snWarp *out, const snWarp *a, const snWarp *b, double share)
{
    *out = *b;
    for (int i = 0; i < 2; i++)
        out->taper[i] = mix(a->taper[i], b->taper[i], share);
    out->twist = mix(a->twist, b->twist, share);
    out->bend = mix(a->bend, b->bend, share);
    out->bendAround = mix(a->bendAround, b->bendAround, share);
    for (int i = 0; i < b->bulgeCount; i++) {
        // A bulge that was not there grows from nothing.
        snBulge from = i < a->bulgeCount ? a->bulges[i] : b->bulges[i], *to = &out->bulges[i];
        if (i >= a->bulgeCount) from.height = 0.0;
        to->place = snLerp(from.place, to->place, share);
        to->direction = snLerp(from.direction, to->direction, share);
        to->width = mix(from.width, to->width, share);
        to->height = mix(from.height, to->height, share);
    }
}

static snMuscleShape mixShape(const snMuscleShape *a, const snMuscleShape *b, double share)
{
    if (share == 0.0) return *a;
    if (share == 1.0 || a->shape.kind != b->shape.kind) return *b;
    snMuscleShape out = *b;
    out.shape.place = snBlendAffine(a->shape.place, b->shape.place, share);
    out.shape.size = snLerp(a->shape.size, b->shape.size, share);
    out.shape.e1 = mix(a->shape.e1, b->shape.e1, share);
    out.shape.e2 = mix(a->shape.e2, b->shape.e2, share);
    out.shape.round = mix(a->shape.round, b->shape.round, share);
    mixWarp(&out.warp, &a->warp, &b->warp, share);
    return out;
}

// ---- making and moving --------------------------------------------------------------------------

// What is bare is nowhere.
static snBox boxOf(const snSkinMuscles *muscles, int i)
{
    return muscles->shape[1][i].bare ? snEmptyBox() : muscles->now[i].bounds;
}

static snStatus checkMuscles(int count, const snSkinMuscle *shapes, int frameCount, snError *error)
{
    for (int i = 0; i < count; i++)
        if (shapes[i].frame < 0 || shapes[i].frame >= frameCount)
            return snFail(error, SN_ERROR_ARGUMENT, "muscle %d is on frame %d of %d", i,
                          shapes[i].frame, frameCount);
    return SN_OK;
}

snStatus snSkinMuscles_Make(snSkinMuscles *muscles, int count, const snSkinMuscle *shapes,
                            int frameCount, const snAffine *frames, snArena *arena, snError *error)
{
    *muscles = (snSkinMuscles){.count = count, .frameCount = frameCount, .nowAt = -1.0};
    snStatus status = checkMuscles(count, shapes, frameCount, error);
    if (status) return status;
    for (int k = 0; k < 2; k++) {
        muscles->shape[k] = SN_COPY(arena, snSkinMuscle, shapes, count);
        muscles->frame[k] = SN_COPY(arena, snAffine, frames, frameCount);
        muscles->edge[k] = SN_NEW(arena, snMuscle, count);
        if (!muscles->shape[k] || !muscles->frame[k] || !muscles->edge[k])
            return snFailMemory(error);
    }
    muscles->now = SN_NEW(arena, snMuscle, count);
    muscles->boxes = SN_NEW(arena, snBox, count);
    if (!muscles->now || !muscles->boxes) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        muscles->now[i] = snMakeMuscle(&shapes[i].shape, frames[shapes[i].frame]);
        muscles->edge[0][i] = muscles->edge[1][i] = muscles->now[i];
        muscles->boxes[i] = boxOf(muscles, i);
    }
    return snTree_Build(&muscles->tree, count, muscles->boxes, arena, error);
}

void snSkinMuscles_Aim(snSkinMuscles *muscles, const snAffine *frames, const snSkinMuscle *shapes)
{
    size_t frameBytes = (size_t)muscles->frameCount * sizeof *frames;
    size_t shapeBytes = (size_t)muscles->count * sizeof(snSkinMuscle);
    memmove(muscles->frame[1], frames, frameBytes);
    if (shapes) memmove(muscles->shape[1], shapes, shapeBytes);
    muscles->moving = memcmp(muscles->frame[0], muscles->frame[1], frameBytes) != 0 ||
                      memcmp(muscles->shape[0], muscles->shape[1], shapeBytes) != 0;
    muscles->nowAt = -1.0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < muscles->count; i++) {
            const snSkinMuscle *m = &muscles->shape[k][i];
            muscles->edge[k][i] = snMakeMuscle(&m->shape, muscles->frame[k][m->frame]);
        }
}

void snSkinMuscles_Arrive(snSkinMuscles *muscles)
{
    memcpy(muscles->frame[0], muscles->frame[1], (size_t)muscles->frameCount * sizeof(snAffine));
    memcpy(muscles->shape[0], muscles->shape[1], (size_t)muscles->count * sizeof(snSkinMuscle));
    memcpy(muscles->edge[0], muscles->edge[1], (size_t)muscles->count * sizeof(snMuscle));
    muscles->moving = false;
    muscles->nowAt = -1.0;
}

snAffine snSkinMuscles_Frame(const snSkinMuscles *muscles, int frame, double share)
{
    return snBlendAffine(muscles->frame[0][frame], muscles->frame[1][frame], share);
}

void snSkinMuscles_At(snSkinMuscles *muscles, double share)
{
    if (muscles->nowAt == share || (muscles->nowAt >= 0.0 && !muscles->moving)) return;
    for (int i = 0; i < muscles->count; i++) {
        const snSkinMuscle *a = &muscles->shape[0][i], *b = &muscles->shape[1][i];
        if (share == 0.0 || share == 1.0 || !muscles->moving) {
            muscles->now[i] = muscles->edge[share == 0.0 ? 0 : 1][i];
        } else {
            snMuscleShape shape = mixShape(&a->shape, &b->shape, share);
            muscles->now[i] = snMakeMuscle(&shape, snSkinMuscles_Frame(muscles, b->frame, share));
        }
        muscles->boxes[i] = boxOf(muscles, i);
    }
    snTree_Refit(&muscles->tree, muscles->boxes);
    muscles->nowAt = share;
}

snVec3 snSkinMuscles_Velocity(const snSkinMuscles *muscles, int muscle, snVec3 point, double length)
{
    if (!muscles->moving || !(length > 0.0)) return snVec(0, 0, 0);
    snVec3 source = snMuscle_Source(&muscles->now[muscle], point);
    return snScale(1.0 / length, snSub(snMuscle_Place(&muscles->edge[1][muscle], source),
                                       snMuscle_Place(&muscles->edge[0][muscle], source)));
}
