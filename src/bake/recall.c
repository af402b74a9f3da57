#include "bake/recall.h"
#include "bake/player.h"

double *snBakedClip_Row(const snBake *bake, const snBakedClip *clip, int frame, bool middle)
{
    size_t row = (size_t)frame + (middle ? (size_t)clip->frameCount : 0);
    return clip->flesh + row * snFleshRow_Size(bake->flesh);
}

// As the bake found it: the same functions of the same numbers.
const snVec3f *snBake_Surface(const snBake *bake, int clip, int frame, bool middle)
{
    const snBakedClip *baked = &bake->clips[clip];
    if (!baked->flesh)
        return (middle ? baked->middles : baked->positions) +
               (size_t)frame * (size_t)bake->vertexCount;
    int number = baked->firstFrame + frame, steps = bake->substeps;
    double step = baked->frameTime / steps, time = number * baked->frameTime;
    if (middle) time = (number * steps + steps / 2) * step;
    snPlayer_Choose(bake->player, &(snPlayed){baked->clip, baked->closing, step, NULL});
    snPlayer_Recall(bake->player, time, snBakedClip_Row(bake, baked, frame, middle));
    snPlayer_Surface(bake->player, bake->shown[0], bake->shown[1]);
    return bake->shown[1];
}
