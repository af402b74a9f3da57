// BVH motion capture: a skeleton and one clip, without a surface.
#ifndef SN_ASSET_BVH_H
#define SN_ASSET_BVH_H

#include "character/character.h"

#define SN_BVH_CLIP "motion" // the name of the clip

// Reads hierarchy and motion; on failure there is nothing to free, and the message names the line.
// Every ROOT and JOINT becomes a joint; an End Site becomes a last one, called "NAME.end". At rest all
// rotations are none, so that joints stand at the sums of their offsets, in the file's units.
// The clip has a rotation for every joint with rotation channels, composed in the order in which the
// channels are listed, and a translation, in place of the offset, for every one with positions. A
// file without frames gives no clip.
snStatus snBvh_Read(snCharacter *character, const void *bytes, size_t size,
                    const snContext *context, snError *error);

#endif
