// Levels of one skin body: which one moves, and how the others follow.
#include "body/skin/levels.h"
#include "core/error.h"

#include <string.h>

static snElasticSkin *skinOf(const snSkinLevels *levels, int level)
{
    return snSkinBody_Skin(levels->bodies[level]);
}

// The finest, which is seen, is out of muscles as well.
void snSkinLevels_Show(snSkinLevels *levels)
{
    const snSkinMuscles *muscles = &skinOf(levels, levels->at)->muscles;
    snElasticSkin *seen = skinOf(levels, 0);
    if (levels->at == 0) return;
    for (int k = levels->at; k > 0; k--) {
        snElasticSkin *coarse = skinOf(levels, k), *fine = skinOf(levels, k - 1);
        snSkinRung_Up(&levels->rungs[k - 1], coarse->places, fine->places);
        snSkinRung_Up(&levels->rungs[k - 1], coarse->velocities, fine->velocities);
    }
    snSkinMuscles_Aim(&seen->muscles, muscles->frame[1], muscles->shape[1]);
    snSkinMuscles_Arrive(&seen->muscles);
    snElasticSkin_Settle(seen);
}

void snSkinLevels_Set(snSkinLevels *levels, int level)
{
    while (levels->at != level) {
        bool down = level > levels->at;
        int next = levels->at + (down ? 1 : -1), rung = down ? levels->at : next;
        snSkinBody_Follow(levels->bodies[next], levels->bodies[levels->at]);
        snSkinRung_Carry(&levels->rungs[rung], skinOf(levels, levels->at), skinOf(levels, next),
                         down);
        levels->at = next;
    }
    snSkinLevels_Show(levels);
}

void snSkinLevels_Destroy(snSkinLevels *levels)
{
    for (int k = 1; k < levels->count; k++)
        snBody_Destroy(levels->bodies[k]);
    snArena_DestroyWithin(&levels->arena);
}

// ---- making -------------------------------------------------------------------------------------

static double massOf(const snElasticSkin *skin)
{
    double sum = 0.0;
    for (int i = 0; i < skin->mesh->pointCount; i++)
        sum += skin->mass[i];
    return sum;
}

// Faces of fewer points are flatter, or farther out: all of it weighs the same nevertheless.
static void weighAlike(const snElasticSkin *fine, snElasticSkin *coarse)
{
    double ratio = massOf(fine) / massOf(coarse);
    for (int i = 0; i < coarse->mesh->pointCount; i++)
        coarse->points[i].mass *= ratio;
    snElasticSkin_Load(coarse);
}

static snStatus build(snSkinLevels *levels, const snContext *context, snError *error)
{
    snStatus status = SN_OK;
    for (int k = 0; k + 1 < levels->count && !status; k++) {
        snSkinAtRest fine = snSkinBody_AtRest(levels->bodies[k]);
        snSkinAtRest coarse = snSkinBody_AtRest(levels->bodies[k + 1]);
        status = snSkinRung_Make(&levels->rungs[k], fine, coarse, &levels->arena, context, error);
        if (!status) weighAlike(skinOf(levels, k), skinOf(levels, k + 1));
    }
    return status;
}

snStatus snSkinLevels_Make(snBody **out, int count, snBody *const *bodies, const snContext *context,
                           snError *error)
{
    snArena arena = snMakeArena(context);
    snSkinLevels *levels = SN_NEW(&arena, snSkinLevels, 1);
    *out = NULL;
    if (!levels) {
        for (int k = 0; k < count; k++)
            snBody_Destroy(bodies[k]);
        return snFailMemory(error);
    }
    SN_ASSERT(count >= 1 && count <= SN_SKIN_LEVELS);
    *levels = (snSkinLevels){.arena = arena, .count = count};
    memcpy(levels->bodies, bodies, (size_t)count * sizeof *bodies);
    snSkinBody_SetLevels(bodies[0], levels);
    snStatus status = build(levels, context, error);
    if (status)
        snBody_Destroy(bodies[0]);
    else
        *out = bodies[0];
    return status;
}
