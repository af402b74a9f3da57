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

// A force at a place of a link, from a body of another model (coat_meet.c).
typedef struct snCoatThrust {
    int link;
    snVec3 place, force;
} snCoatThrust;

// A cylinder about an element's axis that has all of its envelope within it, in the world.
typedef struct snCoatHull {
    snVec3 origin, axis;
    double low, high;       // along the axis
    double radius, radius2; // and squared
    snVec3 side, third;     // of its sectors
} snCoatHull;

// Directions of an element's columns about its axis (coat_sector.c).
typedef struct snCoatSectors {
    bool any; // else all triangles are to be looked at
    bool left;
    snVec3 side, third; // in the joint's frame, with the axis a right-handed frame
    double *way;        // [columns * 2], unit vectors over these
} snCoatSectors;
#define SN_COAT_PLANE 6 // numbers of a triangle's plane

#define SN_COAT_POINTS 64 // of a body, at most
#define SN_COAT_STANDS 64 // samples that a body stands on, as far as others are told

// Where flesh stands on a collider (coat_meet.c).
typedef struct snCoatStand {
    int link;
    snVec3 place, normal;
    double give; // of its flesh, 1/kg
} snCoatStand;

typedef struct snCoatGroup snCoatGroup;

// How links answer impulses (coat_answer.c). Links that are touched have slots, in the order in which they were.
typedef struct snCoatAnswers {
    bool dense; // else the tree is solved for every answer
    int count;
    int *slot, *links;  // [linkCount], of links, -1: not touched; of slots
    snSpatial *blocks;  // [count][6][count], motions by unit wrenches on each
    snSpatial *change;  // [count], by all impulses so far
    snSpatial *scratch; // [linkCount]
} snCoatAnswers;

// What a sample point touched in the last step, and how hard: where the next solution begins.
typedef struct snCoatMemo {
    double push; // N; 0: nothing
    snVec3 rub;  // N
    int other;   // the element of the group, or -1 - a collider's number
    int unused;
} snCoatMemo;

// Of a body that follows a clip (coat_follow.c). Ticks and place are saved.
typedef struct snCoatFollow {
    snCoatFollowDef def;
    int64_t ticks;
    snAffine place;   // where it was put
    int *jointOf;     // [jointCount], of the clip's skeleton, or -1
    snQuat *turns;    // [jointCount], scratch
    snPose pose;      // of the clip's skeleton, scratch
    snAffine *frames; // [its joints], scratch
    snVec3 lift;      // N, of the hand, in this step
} snCoatFollow;

// J: of motion; lifted, and in springs of joints and flesh.
typedef struct snCoatEnergy {
    double kinetic, stored, mass;
} snCoatEnergy;

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
    int *first;              // [elementCount + 1]
    snElementMotion *flesh;  // [elementCount]
    double **lengths;        // [elementCount], of the flesh
    double *begin;           // [cylinderCount], lengths at the step's begin
    double *freely;          // [cylinderCount], at its end without contacts
    int *users;              // [cylinderCount], contacts in which it gives way
    unsigned char *moved;    // [cylinderCount], pushed in this step
    int firstSide, lastSide; // of its contacts, 2 * contact + side; -1: it touches nothing
    double *scratch;         // [6 * the largest element]
    snVec3 *controls;        // of the skin, as the body stands between steps
    snVec3 *restSurface;     // [skin.vertexCount]
    snAffine *frames;        // [jointCount], as links stand
    snAffine *restFrames;    // [jointCount]
    snAffine *frameBegin;    // [linkCount]
    snAffine *frameFree;     // [linkCount], where links would go freely
    snVec3 *samples, *feet;  // [cylinderCount], world, where links would go freely
    snBox *boxes;            // [elementCount] of them
    snCoatHull *hulls;       // [elementCount]
    int *firstPlane;         // [elementCount + 1], of its triangles
    double *
        planes; // [6 * triangles]: of each element normals' x, y, z, n·p, and from where to where it is along the axis, row by row
    double *along;          // [cylinderCount], of samples along the axes, where planes are
    snCoatSectors *sectors; // [elementCount]
    unsigned char *paired;  // [elementCount]: its planes are wanted
    unsigned char *sunk;    // [elementCount]: something was in something when flesh was parted
    // Motion of links at the begin of a step, to tell what flesh feels.
    snVec3 *velocity, *spin;         // [linkCount]
    snVec3 *kick, *kickSpin;         // [linkCount], what contacts of the last step changed
    snVec3 *velocityFree, *spinFree; // [linkCount], at the end, without contacts
    snLinkState *kept;               // [linkCount]
    double *keptFlesh;               // [3 * cylinderCount], length, speed, rest
    snCoatAnswers answers;
    snCoatEnergy energy[2]; // before a step and after it
    double closing; // 1/s: how fast a contact closed in the last step, in lengths of its cylinder
    snCoatMemo *memos; // [cylinderCount]
    double *columns;   // [6 * size], scratch of rows
    // Of a fixed root that is led: from where to where in the world's step.
    bool led;
    snVec3 leadPlace[2];
    snQuat leadTurn[2];
    snCoatFollow *follow; // or NULL
    double *beyond;       // [linkCount], kg m², what turns about a link's joint, at rest
    // Points and what acts on them in the coming step.
    snCoatPoint points[SN_COAT_POINTS];
    int forceCount, pullCount, holdCount;
    snCoatForce forces[SN_COAT_POINTS];
    snCoatPull pulls[SN_COAT_POINTS];
    snCoatHold holds[SN_COAT_POINTS];
    // Fields (coat_field.c), in this step.
    bool acts;
    snVec3 *fieldForce, *fieldMoment; // [linkCount], about the world's origin; NULL: no room
    snVec3 *controlVelocity;          // [controls], scratch
    snAirSurface air;
    // Of bodies that meet those of other models.
    int thrustCount, mostThrusts;
    snCoatThrust *thrusts; // [mostThrusts]
    int *shellTriangles;   // [3 * triangles], over cylinders
    int *elementOf;        // [cylinderCount]
    double *loads;         // [cylinderCount], N, along their axes inwards, by thrusts
    int standCount;
    snCoatStand *stands;  // [SN_COAT_STANDS]
    double *standColumns; // [SN_COAT_STANDS][size], A⁻¹ Cᵀ
    double *standFactor;  // [SN_COAT_STANDS²], of C A⁻¹ Cᵀ
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
    double give[3];    // by which it does, from its free length
    int next;          // side of the same body, 2 * contact + side; -1: none
    int slot;          // of the link, among those that are touched
    snVec3 arm;        // from the link's joint to the contact
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
    int sample; // of the first side: its cylinder
    int other;  // what the sample of the first side is in (snCoatMemo)
    snCoatSide side[2];
} snCoatContact;

// A contact as sweeps need it: everything that does not change is found once. Cylinders of both sides stand together.
typedef struct snCoatRow {
    snVec3 normal, along; // along: change of relative velocity by a push of 1 N s
    snVec3 slip;          // freely, m/s
    snVec3 across[2];     // unit vectors across the normal ...
    double stick[3],
        slide; // ... the response's inverse over them: xx, xy, yy; one over its larger eigenvalue, kg
    double depth, answer; // m; h n·along
    double friction;
    double push;
    snVec3 rub;
    snVec3 arm[2]; // from the joints of the block's links
    int first;     // which link of the block the contact's first side is on
    int count;     // cylinders that give way: by min(most, soft N - held) along the normal
    bool hold;
    double soft[4], held[4], most[4]; // times their levers
} snCoatRow;

// Contacts one after another that are on the same one or two links.
typedef struct snCoatBlock {
    snCoatBody *body[2]; // NULL: a collider
    int slot[2];
    int begin, end; // rows
} snCoatBlock;

// A place on another's envelope, where the segment of a spring goes in.
typedef struct snCoatEntry {
    int triangle;
    double t; // along the segment
    snVec3 normal;
    double share[3];
} snCoatEntry;

typedef struct snCoatHit {
    bool back; // a sample of the pair's second element, in the first
    int sample;
    snCoatEntry entry;
} snCoatHit;

// Two elements whose boxes overlap, and what is in what: `count` hits of a worker's.
typedef struct snCoatPair {
    int one, other;
    int worker, first, count;
} snCoatPair;

// Two elements whose wide boxes overlap (coat_pairs.c).
typedef struct snCoatBeside {
    int one, other;
} snCoatBeside;

struct snCoatGroup {
    snArena arena;
    snTasks tasks;
    double h, share; // of the step that is taken
    int count;
    snCoatBody **bodies;
    bool dense;     // all bodies' answers are
    bool watched;   // energies are found
    double closing; // of all bodies in the last step
    int mostContacts, contactCount;
    int dropped; // contacts and pairs of elements for which there was no place, in this step
    snCoatContact *contacts;
    snCoatRow *rows; // [mostContacts], in the order of contacts
    int blockCount;
    snCoatBlock *blocks; // [mostContacts]
    // Elements of all bodies, for the broad phase.
    int elementCount;
    int *elementBody, *elementOf; // [elementCount]
    snBox *boxes, *wide;          // [elementCount], as they are, and as the tree was asked for
    double margin;                // by which they are wider, m
    snTree tree;
    int mostPairs, pairCount, besideCount;
    snCoatPair *pairs;    // [mostPairs]
    snCoatBeside *beside; // [mostPairs]
    int mostHits;         // of a worker
    int *hitCount;        // [workers]
    snCoatHit *hits;      // [workers * mostHits]
};

extern const snBodyKind snCoatKind; // coat_kind.c

// coat_follow.c
snStatus snCoatFollow_Make(snCoatBody *body, const snCoatFollowDef *def, snError *error);
void snCoatFollow_Begin(snCoatBody *body);
void snCoatFollow_Lift(snCoatBody *body);
void snCoatFollow_Put(snCoatBody *body, const snAffine *where);

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

// coat_pairs.c: elements that may touch, as their boxes and hulls are.
snStatus snCoatGroup_ReservePairs(snCoatGroup *group, snError *error);
void snCoatGroup_Pairs(snCoatGroup *group);

// coat_sector.c. MayHold: false where the point is outside of the envelope, whose planes are there.
snStatus snCoatSectors_Make(snCoatSectors *sectors, const snCoatElement *element, snArena *arena,
                            snError *error);
bool snCoatBody_MayHold(const snCoatBody *body, int element, snVec3 x);

// coat_answer.c. Touch gives a link its slot; then Prepare; then impulses, as wrenches about the links' joints, act.
snStatus snCoatBody_ReserveAnswers(snCoatBody *body, snError *error);
void snCoatBody_ForgetTouched(snCoatBody *body);
int snCoatBody_Touch(snCoatBody *body, int link);
void snCoatBody_PrepareAnswers(snCoatBody *body);
void snCoatBody_Strike(snCoatBody *body, int slot, snSpatial wrench); // all links answer
// What a wrench on one link would do to another is added to a motion, without doing it.
void snCoatBody_AddAnswer(snCoatBody *body, int slot, snSpatial wrench, int at, snSpatial *motion);
// to += Σ_k w_k column_k, over `count` links from slot `from` on; the blocks must be there.
static inline void snCoatAnswers_Add(const snCoatAnswers *a, int slot, snSpatial w, int from,
                                     int count, snSpatial *to)
{
    size_t stride = 6 * (size_t)a->count;
    const double *c0 = &(a->blocks + 6 * (size_t)slot * (size_t)a->count + from)->turn.x,
                 *c1 = c0 + stride, *c2 = c1 + stride, *c3 = c2 + stride, *c4 = c3 + stride,
                 *c5 = c4 + stride;
    double *out = &to->turn.x;
    for (int i = 0; i < 6 * count; i++)
        out[i] += w.turn.x * c0[i] + w.turn.y * c1[i] + w.turn.z * c2[i] + w.move.x * c3[i] +
                  w.move.y * c4[i] + w.move.z * c5[i];
}

// coat_meet.c
snStatus snCoatBody_Reserve(snBody *body, int ends, snError *error);
void snCoatBody_Shell(const snBody *body, snBodyShell *shell);
void snCoatBody_ShellPlaces(const snBody *body, snVec3 *places);
void snCoatBody_ForgetThrusts(snCoatBody *body);
void snCoatBody_Press(snCoatBody *body, double h); // flesh that thrusts press, at a step's end
void snCoatBody_Thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force);
size_t snCoatBody_YieldSize(const snBody *body);
void snCoatBody_YieldBegin(snBody *body, bool tied);
void snCoatBody_YieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column);
snMat3 snCoatBody_YieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                           const double *columnOfQ);
void snCoatBody_Yield(snBody *body, int count, const snBodyNudge *nudges, double time,
                      snVec3 couple);

// coat_solve.c
// Which links are touched, and which sides of contacts are whose; then the tree of each body that is touched is
// prepared as it stands at the step's begin; then all impulses.
void snCoatGroup_ListSides(snCoatGroup *group);
void snCoatGroup_Solve(snCoatGroup *group, double h);
static inline snCoatSide *snCoatGroup_Side(snCoatGroup *group, int side)
{
    return &group->contacts[side / 2].side[side % 2];
}

// coat_field.c
snStatus snCoatBody_ReserveFields(snBody *body, snError *error);
void snCoatBody_Act(snBody *body, const snFields *fields);
void snCoatBody_PushFields(snCoatBody *body); // before each of its substeps

#endif
