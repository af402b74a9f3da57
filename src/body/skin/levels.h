// A skin at several resolutions, all built beforehand, and how its motion goes from one to another: a skin that cannot keep up with a
// clock goes on with fewer points. What is drawn stays where it was, as far as fewer points can show it, and momentum is kept.
#ifndef SN_BODY_SKIN_LEVELS_H
#define SN_BODY_SKIN_LEVELS_H

#include "body/lattice/subdivide.h"
#include "body/skin/skin_body.h"

#define SN_SKIN_LEVELS 4 // of resolution, at most

// Values of the smooth surface over a mesh's points (smooth.h), at the points of another mesh.
typedef struct snSkinSampler {
    int count;         // of places
    snWeightRows rows; // [count], over points of the first mesh; each sums to 1
} snSkinSampler;

// From one mesh to another. Of grids, which have one chart, places do not matter.
snStatus snSkinSampler_Make(snSkinSampler *sampler, snSkinAtRest from, snSkinAtRest to,
                            snArena *arena, const snContext *context, snError *error);
void snSkinSampler_Take(const snSkinSampler *sampler, const snVec3 *values, snVec3 *out);

// Between two levels.
typedef struct snSkinRung {
    snSkinSampler up, down,
        own;              // the coarse at the fine, the fine at the coarse, the coarse at itself
    snVec3 *wanted, *now; // [points of the coarse], scratch
} snSkinRung;
snStatus snSkinRung_Make(snSkinRung *rung, snSkinAtRest fine, snSkinAtRest coarse, snArena *arena,
                         const snContext *context, snError *error);
// Values of points, so that both surfaces are alike: down by interpolation, up by what the coarse one's surface is.
void snSkinRung_Down(const snSkinRung *rung, const snVec3 *fine, snVec3 *coarse);
void snSkinRung_Up(const snSkinRung *rung, const snVec3 *coarse, snVec3 *fine);

// The state of a skin to one of the next level: places, velocities, frames and shapes of muscles. Both have the same muscles. Linear and
// angular momentum are the same afterwards; points that would be in muscles are out.
void snSkinRung_Carry(const snSkinRung *rung, const snElasticSkin *from, snElasticSkin *to,
                      bool down);

// ---- as a body of a world -------------------------------------------------------------------------------

// One of the skins moves; those finer than it follow, as what its surface is, so that the surface of the finest can always be asked for.
struct snSkinLevels {
    snArena arena;
    int count, at;                        // which one moves
    snBody *bodies[SN_SKIN_LEVELS];       // the finest first, whose part all of this is
    snSkinRung rungs[SN_SKIN_LEVELS - 1]; // from each to the next
};

// Skin bodies (skin_body.h) of one skin, the finest first, become levels of the first one, which is what `body` is then (snBody_SetLevel). They belong
// to it from then on; when this fails all are destroyed. They were made alike: the same frames, muscles, step and points.
snStatus snSkinLevels_Make(snBody **body, int count, snBody *const *levels,
                           const snContext *context, snError *error);
void snSkinLevels_Destroy(snSkinLevels *levels); // all but the finest
void snSkinLevels_Show(
    snSkinLevels *levels); // finer ones than the one that moves are brought up to it
void snSkinLevels_Set(snSkinLevels *levels, int level);

#endif
