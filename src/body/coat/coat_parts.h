// For the files of coated bodies in motion.
#ifndef SN_BODY_COAT_COAT_PARTS_H
#define SN_BODY_COAT_COAT_PARTS_H

#include "body/coat/coat_body.h"
#include "body/coat/coat_kernel.h"
#include "contact/pairs.h"
#include "contact/row.h"
#include "geometry/tree.h"
#include "skeleton/articulated.h"

// Saved by its bytes.
typedef struct snCoatPoint {
    int link; // of the tree; -1: no such point
    int unused;
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

// Directions of an element's columns about its axis (coat_sector.c).
typedef struct snCoatSectors {
    bool any; // else all triangles are to be looked at
    bool left;
    snVec3 side, third; // in the joint's frame, with the axis a right-handed frame
    double *way;        // [columns * 2], unit vectors over these
} snCoatSectors;

#define SN_COAT_POINTS 64 // of a body, at most
#define SN_COAT_STANDS 64 // samples that a body stands on, as far as others are told

// Where flesh stands on a collider (coat_meet.c).
typedef struct snCoatStand {
    int link;
    snVec3 place, normal;
    double give; // of its flesh, 1/kg
} snCoatStand;

typedef struct snCoatGroup snCoatGroup;
typedef struct snCoatBlock snCoatBlock;
typedef struct snCoatSweep snCoatSweep;

// Compiled once per instruction set (coat_sweep_kernel.c). The contacts of a block once; how impulses change goes into the sweep.
typedef void snCoatTakeFcn(snCoatGroup *group, snCoatBlock *block, snCoatSweep *sweep);
// Motions of `count` links by a wrench on one whose answers are `blocks`, added.
typedef void snCoatAnswerFcn(const snSpatialRow *blocks, int count, snSpatial wrench,
                             snSpatialRow *motions);
typedef struct snCoatSweepKernels {
    snCoatTakeFcn *take;
    snCoatAnswerFcn *answer;
} snCoatSweepKernels;

// How links answer impulses (coat_answer.c). Links that are touched have slots, in the order in which they were.
typedef struct snCoatAnswers {
    const snCoatSweepKernels *kernels;
    bool dense; // else the tree is solved for every answer
    int count;
    int *slot, *links;    // [linkCount], of links, -1: not touched; of slots
    snSpatialRow *blocks; // [count][count][6], motions by unit wrenches on each
    snSpatialRow *change; // [count], by all impulses so far
    snSpatial *scratch;   // [linkCount]
} snCoatAnswers;

// What a sample point touched in the last step, and how hard: where the next solution begins.
typedef struct snCoatMemo {
    double push; // N; 0: nothing
    snVec3 rub;  // N
    int other;   // the element of the group, or -1 - a collider's number
    int unused;
} snCoatMemo;

// How a body rests (coat_sleep.c); all of it is saved.
typedef struct snCoatRest {
    double still; // s, for how long it has been slow
    int island;   // it sleeps with those that have the same number; 0: it is awake
    int unused;
    uint64_t key; // of gravity and colliders when it fell asleep
} snCoatRest;

// Of a body that follows a clip (coat_follow.c). Ticks and place are saved.
typedef struct snCoatFollow {
    snCoatFollowDef def;
    int64_t ticks;
    snAffine place;   // where it was put
    int *jointOf;     // [jointCount], of the clip's skeleton, or -1
    snQuat *turns;    // [jointCount], scratch
    snQuat *ahead;    // [jointCount], likewise, after a step
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
    int number;          // in the group that takes a step
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
    snVec3 *twists;          // [linkCount], N m s, by contacts that are rolled over
    double *pressed;         // [cylinderCount], N s, along their axes, by all contacts
    unsigned char *moved;    // [cylinderCount], pushed in this step
    int firstSide, lastSide; // of its contacts, 2 * contact + side; -1: it touches nothing
    double *scratch;         // [6 * the largest element]
    snVec3 *controls;        // of the skin, as the body stands between steps
    snVec3 *restSurface;     // [skin.vertexCount]
    snAffine *frames;        // [jointCount], as links stand
    snAffine *restFrames;    // [jointCount]
    snAffine *frameBegin;    // [linkCount]
    snAffine *frameFree;     // [linkCount], where links would go freely
    snAffine *back;          // [linkCount], from there to the begin
    snVec3 *samples;         // [cylinderCount], world, where links would go freely
    snBox *boxes;            // [elementCount] of them
    snCoatHull *hulls;       // [elementCount]
    int *firstPlane;         // [elementCount + 1], of its triangles
    double *
        planes; // [6 * triangles]: of each element normals' x, y, z, n·p, and from where to where it is along the axis, row by row
    double *along;          // [cylinderCount], of samples along the axes, where planes are
    snCoatSectors *sectors; // [elementCount]
    unsigned char *paired;  // [elementCount]: its planes are wanted
    const snCoatKernels *kernels;
    // Motion of links at the begin of a step, to tell what flesh feels.
    snVec3 *velocity, *spin;         // [linkCount]
    snVec3 *kick, *kickSpin;         // [linkCount], what contacts of the last step changed
    snVec3 *velocityFree, *spinFree; // [linkCount], at the end, without contacts
    snLinkState *kept;               // [linkCount]
    double *keptFlesh;               // [3 * cylinderCount], length, speed, rest
    snCoatAnswers answers;
    snCoatEnergy energy[2]; // before a step and after it
    snCoatEnergy had;       // before the world's step
    double extent;          // m, of its rest surface
    double stiffness;       // N/m, of all of its cylinders together
    double mass;            // kg
    double closing; // 1/s: how fast a contact closed in the last step, in lengths of its cylinder
    snCoatMemo *memos; // [cylinderCount]
    snCoatRest rest;
    bool skipped;    // left out of the coming step by whoever takes it: it touches none that is not
    bool ahead;      // it was looked ahead for in this part of a step
    bool sunk;       // a sample of it is still deep in an envelope at the step's end
    bool placed;     // samples, boxes and hulls are where the body is; matters while it sleeps
    double *columns; // [6 * size], scratch of rows
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
    bool outside;         // something that is no body was at it in this step
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
    double push; // N s, along the normal
    snVec3 rub;  // N s, across
    bool
        hold; // a point that is held: `rub` is all of the impulse, `slip` the velocity that is wanted
    int sample; // of the first side: its cylinder
    int other;  // what the sample of the first side is in (snCoatMemo)
    snCoatSide side[2];
} snCoatContact;

// A contact as sweeps need it: everything that does not change is found once. Cylinders of both sides are the springs that give way.
typedef struct snCoatRow {
    snContactRow row;       // its gap is in m, what slips in m/s
    snContactSprings flesh; // cylinders of both sides
    snVec3 slip;            // freely, m/s
    double roll;            // m: a push of 1 N s bears this torque against rolling
    snVec3 arm[2];          // from the joints of the block's links
    int first;              // which link of the block the contact's first side is on
} snCoatRow;

// Contacts one after another that are on the same one or two links.
struct snCoatBlock {
    snCoatBody *body[2]; // NULL: a collider
    int slot[2];
    int begin, end; // rows
    // Rolling: the relative spin freely, how links answer torques (inverse, and one over what bounds them), and the torque, N m s.
    snVec3 spin;
    snMat3 steady;
    double slide;
    snVec3 twist;
};

// A place on another's envelope, where the segment of a spring goes in.
typedef struct snCoatEntry {
    int triangle;
    bool beside;  // the sample goes out across the segment, not along it
    double t;     // along the segment
    double depth; // of the sample below the triangle's plane
    snVec3 normal;
    double share[3];
} snCoatEntry;

typedef struct snCoatHit {
    bool back; // a sample of the pair's second element, in the first
    int sample;
    snCoatEntry entry;
} snCoatHit;

// Two elements whose boxes overlap, and what is in what: `count` hits of a worker's, whose contacts are from `contact` on.
typedef struct snCoatPair {
    int one, other;
    int worker, first, count, contact;
} snCoatPair;

#define SN_COAT_SPLITS 3 // levels of cuts between bodies, at most
#define SN_COAT_LEAVES (1 << SN_COAT_SPLITS)

// Bodies by their places, for work on several threads (coat_split.c).
typedef struct snCoatSplit {
    int depth;
    int *leaf;           // [bodies]
    int *order, *weight; // [bodies], scratch
    double *key;         // [bodies], scratch
    snVec3 *place;       // [bodies]
} snCoatSplit;

// Items that act on two bodies each, node by node of the split.
typedef struct snCoatQueue {
    int *items, *node; // [items]
    int start[2 * SN_COAT_LEAVES + 1];
} snCoatQueue;

// Of impulses in a sweep, squared: the largest change, and the largest.
struct snCoatSweep {
    double change, largest;
};

struct snCoatGroup {
    snArena arena;
    snTasks tasks;
    double h, share; // of the step that is taken
    int count;
    snCoatBody **bodies;
    bool dense;   // all bodies' answers are
    bool watched; // energies are found
    bool
        counted; // and those at the begin of the world's step were: nothing from outside brings any
    double closing; // of all bodies in the last step
    int mostContacts, contactCount;
    int dropped; // contacts and pairs of elements for which there was no place, in this step
    int jumps;   // parts of this step that were taken back because the energy of motion jumped
    snCoatContact *contacts;
    snCoatRow *rows; // [mostContacts], in the order of contacts
    int blockCount;
    snCoatBlock *blocks; // [mostContacts]
    const snCoatSweepKernels *kernels;
    snCoatSplit split;
    snCoatQueue blockQueue, pairQueue;
    snCoatSweep swept[2 * SN_COAT_LEAVES]; // by nodes of the split
    // Elements of all bodies, for the broad phase.
    int elementCount;
    int *elementBody, *elementOf; // [elementCount]
    snPairs beside;               // elements whose boxes may overlap
    int pairCount;
    snCoatPair *pairs;   // [beside.most]
    unsigned char *near; // [beside.most], whether those beside each other are pairs
    int *firstOf;        // [bodies + 1], contacts of bodies with colliders
    int *island;         // [bodies], coat_sleep.c
    int *partner;        // [bodies], who touched each other in this step (core/sets.h)
    unsigned char *calm; // [bodies], whether islands may sleep
    int mostHits;        // of a worker
    int *hitCount;       // [workers]
    snCoatHit *hits;     // [workers * mostHits]
};

// Not computed in this step.
static inline bool snCoatBody_Rests(const snCoatBody *body)
{
    return body->rest.island || body->skipped;
}

extern const snBodyKind snCoatKind; // coat_kind.c

// coat_follow.c
snStatus snCoatFollow_Make(snCoatBody *body, const snCoatFollowDef *def, snError *error);
void snCoatFollow_Begin(snCoatBody *body);
void snCoatFollow_Lift(snCoatBody *body);
void snCoatFollow_Put(snCoatBody *body, const snAffine *where);
bool snCoatFollow_Stirs(const snCoatBody *body, int ticks);
void snCoatFollow_Pass(snCoatBody *body, int ticks);

// coat_step.c
snStatus snCoatGroup_Make(snCoatGroup **group, int count, snCoatBody *const *bodies,
                          const snContext *context, snError *error);
void snCoatGroup_Destroy(snCoatGroup *group);
void snCoatGroup_Step(snCoatGroup *group);
void snCoatBody_Pose(snCoatBody *body);         // frames as links stand
void snCoatBody_PlaceSamples(snCoatBody *body); // samples, boxes and hulls as frames are

// coat_sleep.c. What is acted on wakes before a step; what something came into while it was looked ahead, which is then to be looked at
// again; at a step's end what rests falls asleep.
void snCoatGroup_WakeActed(snCoatGroup *group);
bool snCoatGroup_WakeTouched(snCoatGroup *group);
void snCoatGroup_Sleep(snCoatGroup *group);

// coat_cross.c: planes of an element's triangles as its samples stand; those about one sample that has moved; where a sample goes
// into an envelope, false if it is not in it.
void snCoatBody_SetPlanes(snCoatBody *body, int element);
void snCoatBody_MovePlanes(snCoatBody *body, int element, int sample);
bool snCoatBody_FindEntry(const snCoatBody *one, int element, int sample, const snCoatBody *other,
                          int otherElement, snCoatEntry *entry);

// coat_find.c: contacts of all bodies where they would be freely; h and how much of the world's step is over by then. False: some woke,
// and are to be looked ahead for first.
bool snCoatGroup_Find(snCoatGroup *group, double h, double share);
void snCoatGroup_FindHits(snCoatGroup *group); // pairs that may touch, and what is in what
// A cylinder at a contact, with the weight of its sample in it; `inwards` is the way in which it is pushed.
void snCoatSide_Add(snCoatSide *side, int cylinder, double weight, snVec3 inwards, double h);
static inline const snCoatHit *snCoatGroup_Hits(const snCoatGroup *group, const snCoatPair *pair)
{
    return group->hits + (size_t)pair->worker * (size_t)group->mostHits + pair->first;
}

// coat_sunk.c
// What is in each other's envelopes as bodies stand is parted by flesh alone, without a force: that comes with the next step. How deep
// samples are left in envelopes goes into reports; Sound adds how deep they are in colliders.
void snCoatGroup_Part(snCoatGroup *group);
void snCoatGroup_Sound(snCoatGroup *group);

// coat_pay.c. Count: before the world's step. Pay: after it, what it gained though nothing brought any.
snCoatEnergy snCoatBody_Energy(const snCoatBody *body);
bool snCoatGroup_IsLeftAlone(const snCoatGroup *group); // nothing from outside brings energy
void snCoatGroup_Count(snCoatGroup *group);
void snCoatGroup_Pay(snCoatGroup *group);
// Whether a step of h seconds is long for its flesh. Flesh gives up so much energy, J, or what it has, which is returned.
bool snCoatBody_IsTaut(const snCoatBody *body, double h);
double snCoatBody_Relax(snCoatBody *body, double energy);

// coat_split.c. Split: as pairs and their hits are. Fill: `ends` tells the bodies of an item, false leaves it out. Run: all of them, those of
// a node one after another.
typedef bool snCoatEndsFcn(const snCoatGroup *group, int item, int bodies[2]);
typedef void snCoatNodeFcn(snCoatGroup *group, int node, int count, const int *items);
snStatus snCoatSplit_Make(snCoatSplit *split, int bodies, snArena *arena, snError *error);
void snCoatGroup_Split(snCoatGroup *group);
void snCoatQueue_Fill(const snCoatGroup *group, snCoatQueue *queue, int count, snCoatEndsFcn *ends);
void snCoatQueue_Run(snCoatGroup *group, const snCoatQueue *queue, snCoatNodeFcn *fcn);

// coat_pairs.c: elements that may touch, as their boxes and hulls are.
snStatus snCoatGroup_ReservePairs(snCoatGroup *group, snError *error);
void snCoatGroup_Pairs(snCoatGroup *group);

// coat_sector.c. MayHold: false where the point is outside of the envelope, whose planes are there.
snStatus snCoatSectors_Make(snCoatSectors *sectors, const snCoatElement *element, snArena *arena,
                            snError *error);
bool snCoatBody_MayHold(const snCoatBody *body, int element, snVec3 x);

static inline const snSpatialRow *snCoatAnswers_At(const snCoatAnswers *a, int slot, int at)
{
    return a->blocks + 6 * ((size_t)slot * (size_t)a->count + (size_t)at);
}

// coat_answer.c. Touch gives a link its slot; then Prepare; then impulses, as wrenches about the links' joints, act.
snStatus snCoatBody_ReserveAnswers(snCoatBody *body, snError *error);
void snCoatBody_ForgetTouched(snCoatBody *body);
int snCoatBody_Touch(snCoatBody *body, int link);
void snCoatBody_PrepareAnswers(snCoatBody *body);
void snCoatBody_Strike(snCoatBody *body, int slot, snSpatial wrench); // all links answer
// What a wrench on one link would do to another is added to a motion, without doing it.
void snCoatBody_AddAnswer(snCoatBody *body, int slot, snSpatial wrench, int at, snSpatial *motion);

// coat_meet.c
extern const snBodyMeeting snCoatMeeting;
void snCoatBody_ForgetThrusts(snCoatBody *body);
void snCoatBody_Press(snCoatBody *body, double h); // flesh that thrusts press, at a step's end

const snCoatSweepKernels *snChooseCoatSweep(void); // coat_answer.c

// coat_solve.c
// Which links are touched, and which sides of contacts are whose; then the tree of each body that is touched is
// prepared as it stands at the step's begin; then all impulses.
void snCoatGroup_ListSides(snCoatGroup *group);
int snCoatGroup_Partner(const void *group, int number); // snBodyKind.partner
void snCoatGroup_Solve(snCoatGroup *group);
void snCoatBody_Remember(const snCoatGroup *group, snCoatBody *body); // for the next step
static inline snCoatSide *snCoatGroup_Side(snCoatGroup *group, int side)
{
    return &group->contacts[side / 2].side[side % 2];
}

// coat_field.c
snStatus snCoatBody_ReserveFields(snBody *body, snError *error);
void snCoatBody_Act(snBody *body, const snFields *fields);
void snCoatBody_PushFields(snCoatBody *body); // before each of its substeps

#endif
