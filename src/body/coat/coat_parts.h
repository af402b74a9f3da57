// For the files of coated bodies in motion.
#ifndef SN_BODY_COAT_COAT_PARTS_H
#define SN_BODY_COAT_COAT_PARTS_H

#include "body/coat/coat_body.h"
#include "geometry/tree.h"
#include "skeleton/articulated.h"

typedef struct snCoatPoint {
    int link; // of the tree; -1: no such point
    snVec3 local;
} snCoatPoint;

typedef struct snCoatForce {
    int point;
    snVec3 force;
} snCoatForce;

typedef struct snCoatPull {
    int point;
    snBodyPull pull;
} snCoatPull;

typedef struct snCoatHold {
    int point;
    snVec3 target;
} snCoatHold;

#define SN_COAT_POINTS 64 // of a body, at most

typedef struct snCoatGroup snCoatGroup;

typedef struct snCoatBody {
    snBody body;
    snArena arena;
    snCoatBodyDef def;
    const snCoating *coating;
    snArticulated *tree;
    snArticulatedState *state;
    int linkCount, size; // of the tree; degrees of freedom
    int *linkOf; // [jointCount]; joints without flesh of their own and beyond: that of their parent
    snAffine *within; // [jointCount], a joint's frame in its link's
    // Flesh. Cylinders of all elements stand one after another: cylinder i of element e is first[e] + i.
    int cylinderCount;
    int *first;             // [elementCount + 1]
    snElementMotion *flesh; // [elementCount]
    double **lengths;       // [elementCount], of the flesh
    double *begin;          // [cylinderCount], lengths at the step's begin
    unsigned char *moved;   // [cylinderCount], pushed in this step
    double *scratch;        // [6 * the largest element]
    snVec3 *controls;       // of the skin, as the body stands between steps
    snVec3 *restSurface;    // [skin.vertexCount]
    snAffine *frames;       // [jointCount], as links stand
    snAffine *restFrames;   // [jointCount]
    snAffine *frameBegin;   // [linkCount]
    snAffine *frameFree;    // [linkCount], where links would go freely
    snVec3 *samples, *feet; // [cylinderCount], world, where links would go freely
    snBox *boxes;           // [elementCount] of them
    // Motion of links at the begin of a step, to tell what flesh feels.
    snVec3 *velocity, *spin;         // [linkCount]
    snVec3 *kick, *kickSpin;         // [linkCount], what contacts of the last step changed
    snVec3 *velocityFree, *spinFree; // [linkCount], at the end, without contacts
    snLinkState *kept;               // [linkCount]
    double *keptFlesh;               // [3 * cylinderCount], length, speed, rest
    double *change;                  // [size], of velocities by contacts
    double *columns;                 // [6 * size], scratch of rows
    // Of a fixed root that is led: from where to where in the world's step.
    bool led;
    snVec3 leadPlace[2];
    snQuat leadTurn[2];
    // Points and what acts on them in the coming step.
    snCoatPoint points[SN_COAT_POINTS];
    int forceCount, pullCount, holdCount;
    snCoatForce forces[SN_COAT_POINTS];
    snCoatPull pulls[SN_COAT_POINTS];
    snCoatHold holds[SN_COAT_POINTS];
    snBodyStep step;
    snBodyReport report;
    snCoatGroup *own; // of this body alone
} snCoatBody;

// One side of a contact: a link, and up to three cylinders that give way there.
typedef struct snCoatSide {
    snCoatBody *body; // NULL: a collider
    int link, element, count;
    int cylinder[3];
    double weight[3];  // of each cylinder's sample in the contact point
    double slant[3];   // how much of a cylinder's shortening is along the normal
    double stiff[3];   // k + γ/h
    double preload[3]; // force that it has at the length where it would be freely
    double most[3];    // by which it can shorten
    double give[3];    // by which it does
    double *column;    // [3 * size], change of velocities by unit impulses
} snCoatSide;

typedef struct snCoatContact {
    snVec3 normal; // out of the second side, into the first
    snVec3 point;  // where impulses act, as links stand at the step's begin
    double depth;  // that is to be taken away, by links and flesh
    snVec3 slip;   // velocity of the first relative to the second, freely, m/s
    double friction;
    snMat3 response; // change of relative velocity by an impulse, 1/kg
    double push;     // N s, along the normal
    snVec3 rub;      // N s, across
    bool
        hold; // a point that is held: `rub` is all of the impulse, `slip` the velocity that is wanted
    snCoatSide side[2];
} snCoatContact;

struct snCoatGroup {
    snArena arena;
    int count;
    snCoatBody **bodies;
    int mostContacts, contactCount;
    bool dropped; // there were more contacts than places
    snCoatContact *contacts;
    double *columns; // [mostContacts * 2 * 3 * the largest size]
    size_t columnStride;
    // Elements of all bodies, for the broad phase.
    int elementCount;
    int *elementBody, *elementOf; // [elementCount]
    snBox *boxes;
    snTree tree;
};

extern const snBodyKind snCoatKind; // coat_kind.c

// coat_step.c
snStatus snCoatGroup_Make(snCoatGroup **group, int count, snCoatBody *const *bodies,
                          const snContext *context, snError *error);
void snCoatGroup_Destroy(snCoatGroup *group);
void snCoatGroup_Step(snCoatGroup *group);
void snCoatBody_Pose(snCoatBody *body); // frames as links stand

// coat_find.c: contacts of all bodies where they would be freely; h and how much of the world's step is over by then.
void snCoatGroup_Find(snCoatGroup *group, double h, double share);
// What is in each other's envelopes as bodies stand is parted by flesh alone, without a force: that comes with the next step.
void snCoatGroup_Part(snCoatGroup *group);
// How deep samples are in colliders and envelopes as bodies stand, into their reports.
void snCoatGroup_Sound(snCoatGroup *group);

// coat_solve.c
void snCoatGroup_Solve(snCoatGroup *group, double h);

#endif
