// Points that are held of bodies whose bones give way. A step has springs for them that are as stiff as the whole is heavy (solid_motion.c); what
// they leave is put right at its end: impulses P at the held points with H J B Jᵀ P = what is missing, B as in bones_meet.c, change velocities
// by B Jᵀ P and places by H times that. Turning links is not linear, so it takes a few rounds.
#include "body/lattice/bones.h"
#include "body/lattice/solid_parts.h"
#include "core/error.h"
#include "numerics/dense.h"

#include <string.h>

#define ROUNDS 24
#define EXACT 1e-10   // of the body's size
#define REGULAR 1e-10 // of the mean of the diagonal: points of one link depend on each other
#define FARTHEST 0.05 // of the body's size: what is missing more is left to the springs

struct snSolidHolds {
    int most, count;
    int *point;      // [most], those that are held
    double *columns; // [most][snBones_YieldSize]
    double *matrix, *error;
    snBonesRoom room;
};

snStatus snSolidBody_ReserveHolds(snSolidBody *solid, snError *error)
{
    if (!solid->bones || !solid->def.mostHeld) return SN_OK;
    snArena *arena = &solid->arena;
    struct snSolidHolds *h = SN_NEW(arena, struct snSolidHolds, 1);
    size_t most = (size_t)solid->def.mostHeld;
    if (!h) return snFailMemory(error);
    h->most = solid->def.mostHeld;
    h->point = SN_NEW(arena, int, most);
    h->columns = SN_NEW(arena, double, most *snBones_YieldSize(solid->bones));
    h->matrix = SN_NEW(arena, double, 9 * most * most);
    h->error = SN_NEW(arena, double, 3 * most);
    h->room.load = SN_NEW(arena, double, 4 * (size_t)solid->model->vertexCount);
    h->room.rows = SN_NEW(arena, double, 4 * (size_t)solid->bones->rows);
    if (!h->point || !h->columns || !h->matrix || !h->error || !h->room.load || !h->room.rows)
        return snFailMemory(error);
    solid->holds = h;
    return SN_OK;
}

void snSolidBody_ForgetHolds(snSolidBody *solid)
{
    if (solid->holds) solid->holds->count = 0;
}

void snSolidBody_AddHold(snSolidBody *solid, int point, snVec3 target)
{
    struct snSolidHolds *h = solid->holds;
    if (!h || h->count == h->most) return;
    solid->target[point] = target;
    h->point[h->count++] = point;
}

static snBonesEnd endOf(const snSolidBody *solid, int point)
{
    const snSolidPoint *p = &solid->points[point];
    return (snBonesEnd){p->count, p->index, p->weight};
}

// How far points are from where they are held; returns the farthest.
static double findErrors(const snSolidBody *solid)
{
    const struct snSolidHolds *h = solid->holds;
    double worst = 0;
    for (int i = 0; i < h->count; i++) {
        snVec3 at = snBody_Place(&solid->body, h->point[i]);
        snVec3 e = snSub(solid->target[h->point[i]], at);
        h->error[3 * i] = e.x, h->error[3 * i + 1] = e.y, h->error[3 * i + 2] = e.z;
        worst = fmax(worst, snLength(e));
    }
    return worst;
}

static bool findImpulses(snSolidBody *solid)
{
    struct snSolidHolds *h = solid->holds;
    size_t size = snBones_YieldSize(solid->bones);
    int n = 3 * h->count;
    double mean = 0;
    for (int i = 0; i < h->count; i++) {
        snBonesEnd end = endOf(solid, h->point[i]);
        snBones_YieldColumn(solid->bones, &end, &h->room, h->columns + (size_t)i * size);
    }
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->count; k++) {
            snBonesEnd end = endOf(solid, h->point[i]);
            snMat3 m = snBones_YieldRow(solid->bones, &end, h->columns + (size_t)k * size);
            for (int c = 0; c < 9; c++)
                h->matrix[(3 * i + c % 3) * n + 3 * k + c / 3] = solid->step.length * (&m.cx.x)[c];
        }
    for (int i = 0; i < n; i++)
        mean += h->matrix[i * n + i] / n;
    for (int i = 0; i < n; i++)
        h->matrix[i * n + i] += REGULAR * mean;
    if (snDenseCholesky(n, h->matrix, NULL)) return false;
    snDenseCholesky_Solve(n, h->matrix, h->error);
    return true;
}

void snSolidBody_HoldFast(snSolidBody *solid)
{
    struct snSolidHolds *h = solid->holds;
    double worst = 0, size = solid->surface.size;
    if (!h || !h->count || solid->failed || solid->step.planar) return;
    for (int k = 0; k < ROUNDS; k++) {
        worst = findErrors(solid);
        if (!(worst > EXACT * size) || !(worst < FARTHEST * size)) return;
        if (!findImpulses(solid)) return;
        memset(h->room.load, 0, 4 * (size_t)solid->model->vertexCount * sizeof(double));
        memset(h->room.rows, 0, 4 * (size_t)solid->bones->rows * sizeof(double));
        for (int i = 0; i < h->count; i++)
            snBones_AddYield(solid->bones, h->columns + (size_t)i * snBones_YieldSize(solid->bones),
                             snVec(h->error[3 * i], h->error[3 * i + 1], h->error[3 * i + 2]),
                             &h->room);
        snBones_Yield(solid->bones, solid->state, &h->room, solid->step.length);
        solid->lead->found(solid);
    }
}
