// A skeleton as an articulated tree: link j is joint j, its bones solid capsules. What lets it follow a clip is in strength.h.
//
//     snSkeleton_Links(&skeleton, &def, links, &error);              // [jointCount]
//     snArticulated_Make(&tree, &(snArticulatedDef){jointCount, links}, ...);
//     snArticulated_TakePose(tree, state, &skeleton, &pose);
//     each step: snArticulated_Step(...), snArticulated_GivePose(tree, state, &skeleton, &pose)
#ifndef SN_SKELETON_LIMBS_H
#define SN_SKELETON_LIMBS_H

#include "skeleton/articulated.h"

typedef struct snLimbsDef {
    const snJointRange *ranges; // [jointCount]; NULL: free balls
    bool freeRoot;              // else roots are driven
    double density;             // kg/m³, of bones with what is round them. 1000 is flesh
    double thickness;           // a bone's radius, as a share of its length. 0.2 is a limb
    double damping;             // N m s/rad per kg m² of what hangs on the joint: 1/s
    double limits;              // stiffness of ranges' ends, likewise: 1/s². 1e4 stops hard
} snLimbsDef;
snLimbsDef snDefaultLimbsDef(void);

// Scales are taken as they are at rest, and as if they were uniform. Every joint gets some mass: what has no length is a ball.
snStatus snSkeleton_Links(const snSkeleton *skeleton, const snLimbsDef *def, snLinkDef *links,
                          const snContext *context, snError *error);

// Puts the links where a pose has its joints, still; hinges keep of it what is about their axis.
void snArticulated_TakePose(const snArticulated *tree, snArticulatedState *state,
                            const snSkeleton *skeleton, const snPose *pose);
// Local rotations, and places of roots, from the links; globals too.
void snArticulated_GivePose(const snArticulated *tree, const snArticulatedState *state,
                            const snSkeleton *skeleton, snPose *pose);

#endif
