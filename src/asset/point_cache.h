// Point caches in: PC2 (pc2.h) and MDD (sequence.h), told apart by content.
#ifndef SN_ASSET_POINT_CACHE_H
#define SN_ASSET_POINT_CACHE_H

#include "character/played.h"

// Into the arena. PC2 counts frames: `frameRate` says how many are a second; MDD has times. Refuses what is cut off, has no sample, or numbers
// that are not finite.
snStatus snPointCache_Read(snPointSamples *samples, const void *bytes, size_t size,
                           double frameRate, snArena *arena, snError *error);
// Points of several caches one after another, as of a file with several meshes; the times are those of the first. Fails where they have other
// numbers of samples.
snStatus snPointCache_Join(snPointSamples *samples, int count, const snPointSamples *caches,
                           snArena *arena, snError *error);

#endif
