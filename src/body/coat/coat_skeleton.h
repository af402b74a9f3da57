// Skeletons that coats can stand on: rigid frames in metres, whatever scales and units a file has.
#ifndef SN_BODY_COAT_COAT_SKELETON_H
#define SN_BODY_COAT_COAT_SKELETON_H

#include "skeleton/skeleton.h"

// Frames without scale and shear, their origins times `unit` (metres per unit of the file). In place is allowed.
void snRigidFrames(const snAffine *globals, int count, double unit, snAffine *frames);

// The skeleton at rest with rigid frames. Lives in the arena, names too.
snStatus snRigidSkeleton(snSkeleton *rigid, const snSkeleton *skeleton, double unit, snArena *arena,
                         snError *error);

#endif
