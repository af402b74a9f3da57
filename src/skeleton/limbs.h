// A skeleton as an articulated tree: link j is joint j, its bones solid capsules; and a drive that lets the tree
// follow a clip by its joints' strength, give way where something hits it, and recover.
//
//     snSkeleton_Links(&skeleton, &def, links, &error);              // [jointCount]
//     snArticulated_Make(&tree, &(snArticulatedDef){jointCount, links}, ...);
//     snArticulated_TakePose(tree, state, &skeleton, &pose);
//     each step: snFollow_Aim(follow, state, &clip, t, h, gravity), snArticulated_Step(...),
//                snArticulated_GivePose(tree, state, &skeleton, &pose)
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

typedef struct snFollow snFollow;

typedef struct snFollowDef {
    const snArticulated *tree;  // made from the skeleton; both must live on
    const snSkeleton *skeleton; //
    const double *strength;     // [jointCount], Hz at which a joint swings back; NULL: `frequency`
    double frequency;           // Hz. 1 is tired, 5 alert, 20 stiff
    double damping;             // 1: back without swinging through
    double rootFrequency;       // of free roots: a hand that carries them along the clip; 0: none
} snFollowDef;
snFollowDef snDefaultFollowDef(const snArticulated *tree, const snSkeleton *skeleton);

snStatus snFollow_Make(snFollow **follow, const snFollowDef *def, const snContext *context,
                       snError *error);
void snFollow_Destroy(snFollow *follow); // accepts NULL

// Sets drives, leads and pushes of a step from t to t + h.
void snFollow_Aim(snFollow *follow, snArticulatedState *state, const snClip *clip, double t,
                  double h, snVec3 gravity);
const snPose *snFollow_Target(const snFollow *follow); // what was aimed at last, with globals

#endif
