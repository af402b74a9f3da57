// Within the bake: what a lean bake keeps of its frames.
#ifndef SN_BAKE_RECALL_H
#define SN_BAKE_RECALL_H

#include "bake/bake.h"

// Where the flesh of a frame is kept, or of the middle behind it: [snFleshRow_Size].
double *snBakedClip_Row(const snBake *bake, const snBakedClip *clip, int frame, bool middle);

#endif
