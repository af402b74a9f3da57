// Instrumenting: joints set into a surface one by one, and bones between them, until they are the
// skeleton of a character. A user interface calls these functions click by click:
//     snPlaceByRay(&at, &solid, eye, direction, &error);     a click: the middle of what it hits
//     snRigPlan_AddJoint(&plan, "knee", at, &knee, &error);
//     snRigPlan_Connect(&plan, hip, knee, &error);
//     plan.root = hip;
//     snRigPlan_Skeleton(&skeleton, &plan, &arena, &error);
#ifndef SN_CHARACTER_INSTRUMENT_H
#define SN_CHARACTER_INSTRUMENT_H

#include "character/solid.h"
#include "core/array.h"

typedef struct snPlanJoint {
    const char *name; // lives as long as the plan
    snVec3 at;
} snPlanJoint;

typedef struct snPlanBone {
    int a, b; // joints; which one is the parent is told by the root
} snPlanBone;

// An undirected graph of joints and bones, and the joint that shall be the root.
typedef struct snRigPlan {
    snArena arena; // names
    SN_ARRAY(snPlanJoint) joints;
    SN_ARRAY(snPlanBone) bones;
    int root; // 0 unless another is chosen
} snRigPlan;

snRigPlan snMakeRigPlan(const snContext *context);
void snRigPlan_Destroy(snRigPlan *plan);

// A joint with a name that no other has. *joint (may be NULL) is its number.
snStatus snRigPlan_AddJoint(snRigPlan *plan, const char *name, snVec3 at, int *joint,
                            snError *error);
snStatus snRigPlan_Rename(snRigPlan *plan, int joint, const char *name, snError *error);
// Its bones go too, and the joints behind it move down by one. The root stays the root, or becomes
// joint 0 where it was this one.
void snRigPlan_RemoveJoint(snRigPlan *plan, int joint);
int snRigPlan_Find(const snRigPlan *plan, const char *name); // -1: none

snStatus snRigPlan_Connect(snRigPlan *plan, int a, int b, snError *error);
void snRigPlan_Disconnect(snRigPlan *plan, int a, int b); // where there is no bone, nothing

// Where a ray (a click: the eye and the direction of sight) goes through flesh: midway between the
// first two crossings of the surface with the inside between them. Sheets that the ray only grazes
// are passed over. Fails where it meets nothing, begins inside, or meets only sheets that enclose
// nothing.
snStatus snPlaceByRay(snVec3 *at, const snSolid *solid, snVec3 origin, snVec3 direction,
                      snError *error);

// The hierarchy from the root, breadth first, the plan's order among siblings; and the rest
// transforms, in the units of the plan: y along the bone (of several, the one that leads farthest),
// the other axes as near to those of the parent as may be. The last joint of a chain keeps its
// parent's axes. Fails for cycles and for joints that the root does not reach, naming them.
// Lives in the arena, names too. jointOf (may be NULL) gets the skeleton's joint of each of the
// plan's.
snStatus snRigPlan_Skeleton(snSkeleton *skeleton, const snRigPlan *plan, int *jointOf,
                            snArena *arena, snError *error);

#endif
