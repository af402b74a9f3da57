// Weights of morph targets brought into 0 ... 1. With l_k the lowest weight of component V_k, 0 where none is
// negative, and h_k the highest,
//     Σ w_k V_k = Σ u_k (h_k - l_k) V_k + Σ l_k V_k,   u_k = (w_k - l_k) / (h_k - l_k).
// The last sum is one target more, whose weight is 1 in all clips. So every program's sliders will do; Blender's
// importer (3.4) cuts weights at 0 unless a clip begins below it. Where only one target is allowed, its weights go
// from -1 to 1.
#ifndef SN_BAKE_RANGES_H
#define SN_BAKE_RANGES_H

#include "core/memory.h"
#include "core/vec.h"

typedef struct snWeightRanges {
    int count;   // components
    float *lows; // [count], lowest weight, 0 at most
    float *
        scales; // [count], from there to the highest; the highest itself before snWeightRanges_Close
    bool lifted; // some are below 0, and one target more is written
} snWeightRanges;

snStatus snWeightRanges_Make(snWeightRanges *ranges, int count, snArena *arena, snError *error);
void snWeightRanges_Widen(snWeightRanges *ranges, const float *weights); // [count], of a sample
void snWeightRanges_Close(snWeightRanges *ranges, bool single);          // one target is allowed

// Components, and the one more.
int snWeightRanges_Targets(const snWeightRanges *ranges);
// A sample's weights, [snWeightRanges_Targets].
void snWeightRanges_Share(const snWeightRanges *ranges, const float *weights, float *out);

// Planes [count][3][vertices] of components (all x, then all y, then all z) become vectors [count][vertices] of targets, scaled, in
// their place; and the sum that lifts them, [vertices], NULL where there is none.
snStatus snWeightRanges_Join(const snWeightRanges *ranges, float *planes, int vertices,
                             const snVec3f **lift, snArena *arena, snError *error);

#endif
