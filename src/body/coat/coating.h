// Automatic coating: a body of flesh round any skeleton. Where a joint and one of its children are apart there is
// a link of flesh, a tube of elliptical section that moves with the joint; links that follow each other make a chain, which has
// one skin. At branches the tree is cut into chains; the skin of a branch begins inside what it grows from, its element
// outside of it: no two elements touch at rest.
//
//     snCoatDef def = snDefaultCoatDef();
//     snCoatPlan_Propose(&plan, &skeleton, &def, &arena, &error);  // what is decided, to be edited
//     snCoating_Build(&coating, &plan, &context, &error);          // const from here on
//     snCoating_Place(coating, globals, NULL, controls);           // control points in a pose
//     snSplineSkin_Place(&coating->skin, controls, points, normals);
//
// Begin reading with snCoatPlan_Propose in coat_plan.c, then snCoating_Build in coating.c.
#ifndef SN_BODY_COAT_COATING_H
#define SN_BODY_COAT_COATING_H

#include "body/coat/element.h"
#include "body/coat/propagate.h"
#include "body/coat/skin_spline.h"
#include "skeleton/skeleton.h"

// What flesh is like.
typedef struct snCoatFlesh {
    double young;   // Pa; 1e4 is a soft belly, 1e5 firm muscle
    double density; // kg/m³
    double damping; // of the critical one
    snPlasticity plasticity;
    snPropagation propagation;
    int reach;    // rings of neighbours in a zone
    bool printed; // oscillations by the paper's formula
} snCoatFlesh;

typedef struct snCoatDef {
    double thickness; // of what is proposed; 1
    int along, round; // control points per link along its axis, and round it; 4, 8
    double
        spacing; // between elements at a joint, to each side, in radii: wider bends farther before flesh meets; 0.3
    double bulge; // how much thicker a link is in its middle; 0.08
    double
        spread; // 0: springs of a link meet in its centre; 1: they stand on its axis; below 0: as slender as it is
    snCoatFlesh flesh;
    snSplineShape spline;
    int fineAlong, fineAcross; // vertices of the skin per span of controls; 3, 3
    // Rotations of joints in which flesh is put on, [jointCount]; NULL: those at rest. For joints that bend to one side more than to
    // the other: their middle.
    const snQuat *median;
    // Joints between which there is flesh, and all between two of them, [jointCount], not 0; NULL: all of the skeleton.
    const unsigned char *used;
} snCoatDef;

// One link of flesh. Lengths in metres as the skeleton stands in the median pose.
typedef struct snCoatLinkDef {
    int joint, child;          // moves with `joint`, reaches from it to `child`
    int chain;                 // links of a chain stand one after another
    double width[2], depth[2]; // half axes of the section, at its head and at its tail
    snVec3 side;               // the way of the width, in the median pose; zero: any
    double bulge, spread;
    double from, to; // where along it its element is, shares of its length
    double caps[2];  // how far the ends of its chain stand out, m; of others 0
    int along;
    bool bare; // it lies within its neighbours: skin, but no element
    snCoatFlesh flesh;
    const double *lengths; // [along * round + 2], of the cylinders at rest; NULL: by its section
} snCoatLinkDef;

typedef struct snCoatPlan {
    const snSkeleton *skeleton;
    snQuat *turns;    // [jointCount], rotations of joints in their parents when flesh is put on ...
    snAffine *median; // [jointCount], ... and where they are then
    int round;
    snSplineShape spline;
    int fineAlong, fineAcross;
    int linkCount;
    snCoatLinkDef *links; // [linkCount], parents before children
} snCoatPlan;

// A control point of the skin: the sample point of a cylinder, or fixed to its joint.
typedef struct snCoatControl {
    int joint;
    int element;  // -1: fixed
    int cylinder; // of the element
    snVec3 place; // at rest, in the joint's frame
} snCoatControl;

typedef struct snCoatElement {
    int link, joint;
    snVec3 head, tail; // of the link, in the joint's frame
    snElement element; //
    snPropagation propagation;
} snCoatElement;

typedef struct snCoating {
    snArena arena;   // owns everything below
    int holders;     // beside the first (snCoating_Share)
    snCoatPlan plan; // a copy, of the skeleton too
    int elementCount;
    snCoatElement *elements;
    int controlCount;
    snCoatControl *controls; // [controlCount]
    snSplineSkin skin;
    double *jointMass; // [jointCount], kg, of the flesh that moves with each joint, bare links too
    snVec3 *jointCenter;  // [jointCount], of that mass, in the joint's frame
    snMat3 *jointInertia; // [jointCount], about that, in the joint's axes
} snCoating;

snCoatDef snDefaultCoatDef(void);

// Fails where a skeleton has no two joints that are apart. The plan lives in the arena.
snStatus snCoatPlan_Propose(snCoatPlan *plan, const snSkeleton *skeleton, const snCoatDef *def,
                            snArena *arena, snError *error);
// Fails for links that cannot be; the message begins with "links[N].key".
snStatus snCoatPlan_Check(const snCoatPlan *plan, snError *error);

// Shortens elements until none touches another, marks those bare for which nothing is left. Does nothing for a
// plan that is so already. In snCoating_Build; for its own test.
snStatus snCoatPlan_Part(snCoatPlan *plan, const snContext *context, snError *error);

snStatus snCoating_Build(snCoating **coating, const snCoatPlan *plan, const snContext *context,
                         snError *error);
// One more holder, who is to destroy it too: bodies of one document have one coating, of which nothing changes.
snCoating *snCoating_Share(snCoating *coating);
void snCoating_Destroy(snCoating *coating);

// Control points in the world: globals [jointCount]; lengths of each element's cylinders, [elementCount], or NULL: at rest.
void snCoating_Place(const snCoating *coating, const snAffine *globals, double *const *lengths,
                     snVec3 *controls);

// ---- for the files of this folder ----

// A link as it stands in the median pose.
typedef struct snCoatTube {
    snVec3 head, axis;
    double length;
    snVec3 side,
        third; // at right angles to the axis and to each other; columns begin at `side`, which goes on along the chain
    double tilt; // the width's angle from `side`
    snVec3 planes
        [2]; // normals of the planes in which it meets the links before and behind it in its chain
} snCoatTube;
// [linkCount], in the arena.
snStatus snCoatPlan_Tubes(const snCoatPlan *plan, snCoatTube **tubes, snArena *arena,
                          snError *error);
// A ring of control points about `at`, a share of the link's length; [round].
void snCoatTube_Ring(const snCoatTube *tube, const snCoatPlan *plan, int link, double at,
                     snVec3 *ring);
// Samples and feet of a link's element, [along * round + 2] each, in the median pose.
void snCoatTube_Samples(const snCoatTube *tube, const snCoatPlan *plan, int link, snVec3 *samples,
                        snVec3 *feet);
// A chain that begins at another one (coat_branch.c): where, with which radius its flesh begins, and the chain that it grows from.
typedef struct snCoatBranch {
    int chain, trunk;
    snVec3 begin; // of its first link
    snVec3 place; // of its flesh
    double radius;
} snCoatBranch;
// [linkCount] at most; how many there are.
int snCoatPlan_Branches(const snCoatPlan *plan, const snCoatTube *tubes, snCoatBranch *branches);
// A ring of the trunk reaches into the branch.
void snCoatBranch_Bulge(const snCoatBranch *branch, const snCoatPlan *plan, snVec3 center,
                        snVec3 axis, snVec3 *ring);
// Whether branches begin where link k meets the next one of its chain, and there is room for a ring.
bool snCoatPlan_Saddle(const snCoatPlan *plan, const snCoatTube *tubes, int count,
                       const snCoatBranch *branches, int link);
// Where the skin of a chain goes on to beyond its first (end 0) or last link, in metres along it: a ring and the end itself. False: it
// has no branches there, or none beyond.
bool snCoatPlan_Lap(const snCoatPlan *plan, const snCoatTube *tubes, int count,
                    const snCoatBranch *branches, int link, int end, double *ring, double *pole);

// The link before and behind in its chain, or -1.
int snCoatPlan_Before(const snCoatPlan *plan, int link);
int snCoatPlan_Behind(const snCoatPlan *plan, int link);

#endif
