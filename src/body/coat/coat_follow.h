// A coated skeleton that follows a clip by the strength of its joints, gives way where something hits it, and recovers; or goes limp and
// gets its strength back by keys over time.
#ifndef SN_BODY_COAT_COAT_FOLLOW_H
#define SN_BODY_COAT_COAT_FOLLOW_H

#include "skeleton/skeleton.h"
#include "skeleton/strength.h"

typedef struct snCoatFollowDef {
    // Of the file; they must outlive the body. Joints of the coat that the file's skeleton has by name are drawn to the clip, others, and all
    // where there is no clip, to how they rest.
    const snSkeleton *skeleton;
    const snClip *clip;
    double unit;         // metres per unit of the file; 0: as bones are as long as the coat's
    double start, speed; // s into the clip; 1 is its own
    bool loop;           // at its end the clip begins anew; else its last pose stays
    // Copied. A hand of 0 lets the root fall; that of a fixed root is the clip's own. Ranges are the flesh's (coating.md).
    snStrength strength;
} snCoatFollowDef;
snCoatFollowDef snDefaultCoatFollowDef(void);

#endif
