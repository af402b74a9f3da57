#include "body/skin/muscles.h"

#include "core/error.h"

#include <string.h>

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

// ---- how far ------------------------------------------------------------------------------------

#define AROUND 0.03 // m: how far from muscles points are asked for
#define ARC 1.2     // an arc of less than 2 rad is no longer than this times its chord
#define SAMPLES 5   // along each axis of a muscle
#define BETWEEN 1.5 // times what the farthest of them moves: no point moves farther

static bool sameWarp(const snWarp *a, const snWarp *b)
{
    bool same = a->axis == b->axis && a->taper[0] == b->taper[0] && a->taper[1] == b->taper[1] &&
                a->twist == b->twist && a->bend == b->bend && a->bendAround == b->bendAround &&
                a->bulgeCount == b->bulgeCount;
    for (int i = 0; i < a->bulgeCount && same; i++) {
        const snBulge *p = &a->bulges[i], *q = &b->bulges[i];
        same = snDistance(p->place, q->place) == 0.0 &&
               snDistance(p->direction, q->direction) == 0.0 && p->width == q->width &&
               p->height == q->height;
    }
    return same;
}

static bool sameShape(const snShape *a, const snShape *b)
{
    return a->kind == b->kind && snDistance(a->size, b->size) == 0.0 && a->e1 == b->e1 &&
           a->e2 == b->e2 && a->round == b->round;
}

// How far the warp moves what is in the muscle, and what the shape's size adds.
static double farthestOwn(const snMuscle *a, const snMuscle *b)
{
    double far = 0.0;
    snVec3 half = snMax(a->half, b->half), d;
    for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
        d = snVec(i % SAMPLES, i / SAMPLES % SAMPLES, i / (SAMPLES * SAMPLES));
        d = snSub(snScale(2.0 / (SAMPLES - 1), d), snVec(1, 1, 1));
        d = snVec(d.x * half.x, d.y * half.y, d.z * half.z);
        far = fmax(far, snDistance(a->warped ? snWarpMap_Forward(&a->map, d) : d,
                                   b->warped ? snWarpMap_Forward(&b->map, d) : d));
    }
    return BETWEEN * (far + 2.0 * snDistance(a->half, b->half));
}

static double farthestCorner(const snMuscle *a, const snMuscle *b)
{
    double far = 0.0;
    snBox box = snBoxUnion(a->own, b->own);
    for (int i = 0; i < 8; i++) {
        snVec3 corner = snBoxCorner(box, i);
        far = fmax(far, snDistance(snMulAP(a->frame, corner), snMulAP(b->frame, corner)));
    }
    return far;
}

static double shrunkBy(const snMuscle *muscle)
{
    return snIsOrthogonal(muscle->frame.linear, 1e-9) ? 1.0 : sqrt(snNormSquaredM(muscle->inverse));
}

static void findSways(snSkinMuscles *muscles)
{
    muscles->travel = 0.0;
    muscles->steps++;
    for (int i = 0; i < muscles->count; i++) {
        const snMuscle *a = &muscles->edge[0][i], *b = &muscles->edge[1][i];
        const snMuscleShape *from = &muscles->shape[0][i].shape, *to = &muscles->shape[1][i].shape;
        snSkinSway *sway = &muscles->sway[i];
        *sway = (snSkinSway){.swells = !sameShape(&from->shape, &to->shape),
                             .steepest =
                                 fmax(snMuscle_Steepest(a, AROUND), snMuscle_Steepest(b, AROUND)),
                             .shrunk = fmax(shrunkBy(a), shrunkBy(b))};
        sway->shifts = memcmp(&from->shape.place, &to->shape.place, sizeof(snAffine)) != 0;
        sway->changes = sway->swells || !sameWarp(&from->warp, &to->warp);
        sway->far = sway->changes ? farthestOwn(a, b) : 0.0;
        double stretch =
            sqrt(fmax(snNormSquaredM(a->frame.linear), snNormSquaredM(b->frame.linear)));
        muscles->travel = fmax(muscles->travel, ARC * farthestCorner(a, b) + stretch * sway->far);
    }
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
    muscles->sway = SN_NEW(arena, snSkinSway, count);
    muscles->between = SN_NEW(arena, snAffine, frameCount);
    muscles->boxes = SN_NEW(arena, snBox, count);
    if (!muscles->now || !muscles->sway || !muscles->between || !muscles->boxes)
        return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        muscles->now[i] = snMakeMuscle(&shapes[i].shape, frames[shapes[i].frame]);
        muscles->edge[0][i] = muscles->edge[1][i] = muscles->now[i];
        muscles->boxes[i] = boxOf(muscles, i);
    }
    findSways(muscles);
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
    findSways(muscles);
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

// Numbers are mixed only where they change, and frames once for all that is on them.
void snSkinMuscles_At(snSkinMuscles *muscles, double share)
{
    if (muscles->nowAt == share || (muscles->nowAt >= 0.0 && !muscles->moving)) return;
    bool edge = share == 0.0 || share == 1.0 || !muscles->moving;
    for (int f = 0; f < muscles->frameCount && !edge; f++)
        muscles->between[f] = snSkinMuscles_Frame(muscles, f, share);
    for (int i = 0; i < muscles->count; i++) {
        const snSkinMuscle *a = &muscles->shape[0][i], *b = &muscles->shape[1][i];
        snMuscle *now = &muscles->now[i];
        if (edge) {
            *now = muscles->edge[share == 0.0 ? 0 : 1][i];
        } else if (muscles->sway[i].changes) {
            snMuscleShape shape = mixShape(&a->shape, &b->shape, share);
            snMuscle_Reshape(now, &shape);
            snMuscle_Turn(now, shape.shape.place, muscles->between[b->frame]);
        } else {
            snAffine place = b->shape.shape.place;
            if (muscles->sway[i].shifts) place = snBlendAffine(a->shape.shape.place, place, share);
            if (muscles->nowAt < 0.0) *now = muscles->edge[1][i];
            snMuscle_Turn(now, place, muscles->between[b->frame]);
        }
        now->size = muscles->edge[1][i].size;
    }
    muscles->nowAt = share;
    muscles->bounded = false;
}

void snSkinMuscles_Bound(snSkinMuscles *muscles)
{
    if (muscles->bounded) return;
    for (int i = 0; i < muscles->count; i++) {
        snMuscle_Bound(&muscles->now[i]);
        muscles->boxes[i] = boxOf(muscles, i);
        muscles->now[i].size = muscles->edge[1][i].size;
    }
    snTree_Refit(&muscles->tree, muscles->boxes);
    muscles->bounded = true;
}
