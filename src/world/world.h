// The world: bodies of any model, what they bump into, what holds and pulls them over time, and the
// step that moves all of it. May use everything up to body; of bodies it knows body/body.h alone.
// Begin with snWorld_Step in world.c.
//
// Building comes first: bodies, colliders, attachments and events are added, which allocates and may
// fail. Then steps, which do neither: of one length, a tick, or of some whole numbers of it (pace.h chooses
// among them to keep up with a clock). Time is counted in ticks, and so exact. The same world gives the same bits
// on any number of threads, and its state can be saved, restored and hashed.
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "body/body.h"
#include "core/array.h"
#include "sinew/world.h"
#include "world/route.h"

#define SN_WORLD_LENGTHS 16  // of steps, at most
#define SN_WORLD_NOBODY (-1) // in the place of a body: the world itself

// Bodies that are at rest are not stepped until something happens to them (sleep.h).
typedef struct snSleepDef {
    double
        still; // of a body's size: who stays within so much is at rest. 1e-3 is not seen; 0: nobody sleeps
    double after; // s that it has been so
} snSleepDef;

typedef struct snWorldDef {
    double step;        // H, s: a tick
    int lengthCount;    // 0: steps are a tick long
    const int *lengths; // [lengthCount] ticks, ascending from 1: what steps can be like; copied
    snVec3 gravity;     // m/s²
    bool planar;        // nothing goes along z
    double airDensity, airDrag; // of fields of air: kg/m³, and c of body/field.h
    snSleepDef sleep;
    int mostGrabs; // made while running, at a time: a hand's, a script's
    // Points whose velocities a blow may set or keep at a time: 64 are always there, and memory for what attachments and
    // grabs may hold comes with these, up to so many. A blow on n points that hang together takes 9 n³ multiplications.
    int mostStruck;
    bool
        gentle; // no blows by itself where a point that is held hard has another velocity than its path
} snWorldDef;
snWorldDef snDefaultWorldDef(void); // 1/120 s, 9.81 m/s² down, 8, 512

// Something to bump into. Without a path it stands where `shape.end` has it.
typedef struct snWorldColliderDef {
    const char *name;       // copied
    snCollider shape;       // a shell must outlive the world
    const snRouteDef *path; // its frame over time; NULL: it stands still
} snWorldColliderDef;

// Six planes that face inward: a room to be thrown into. `frame` is at its middle.
typedef struct snContainerDef {
    const char *name;
    snAffine frame;
    snVec3 half; // half its sides
    double friction, restitution;
    const snRouteDef *path;
} snContainerDef;

// A point of a body is held, by a constraint that is met at the end of every step, or by a spring:
// to a place, to a path, to a point of another body.
typedef struct snAttachmentDef {
    const char *name;
    int body;
    snBodySpot spot;
    int other; // another body, or SN_WORLD_NOBODY
    snBodySpot otherSpot;
    const snRouteDef *path; // where the point is to be; NULL: `anchor`
    snVec3 arm;             // from there, turned with the path: several points that go together
    bool anchored;          // to `anchor`; false: to where the point is when it takes hold
    snVec3 anchor;
    // A constraint; false: a spring. Between points of bodies: before snWorld_Join, of bodies that can be tied.
    bool hard;
    double stiffness; // N/m
    double damping;   // N s/m
    double from, to;  // s, when it acts; to = INFINITY: for ever
    bool off;         // not before it is switched on: snWorld_Switch
    double ease;      // s over which a point that is elsewhere at first is brought to its place
    // s before `from`, or from when it is switched on, in which a cubic brings the point from its place and velocity
    // to those of its path, instead of `ease`. Not between points of bodies.
    double preroll;
} snAttachmentDef;
snAttachmentDef snDefaultAttachmentDef(void); // hard, from 0 on, eased over 0.1 s

// At a time a body gets a velocity, as when it is thrown.
typedef struct snThrowDef {
    int body;
    double time;           // s
    snVec3 velocity, spin; // m/s of its centre, rad/s about it
} snThrowDef;

typedef struct snWorldCollider {
    const char *name;
    bool led; // by snWorld_Lead, to `next`, from where `frame` has it
    snAffine next;
    snAffine frame; // of the shape within what moves along the path; where there is none: identity
    bool moves;
    snRoute path;
} snWorldCollider;

typedef struct snAttachment {
    snAttachmentDef def; // names and paths in it are the world's own
    snRoute path;
    int point, otherPoint; // handles
    double give;           // of both ends, 1/kg: springs between bodies
    bool tied;             // the joined bodies hold it, snWorld_Join
} snAttachment;

// What an attachment remembers.
typedef struct snAttachmentState {
    int on, acts;    // switched on; 1: now
    int64_t first;   // the tick in which it began
    int64_t onset;   // and that from which on it follows its path, after a preroll
    snVec3 anchor;   // of those that hold a point where it was
    snVec3 offset;   // from where it was to be to where it was, when it took hold
    snVec3 velocity; // of the point then
} snAttachmentState;

// An attachment that was made while running: of a point to a place that is moved, or to a point of another body.
typedef struct snGrab {
    int used, hard, tied; // tied: the joined bodies hold it
    int owned;            // its points were located for it
    int body, point;
    int other, otherPoint; // SN_WORLD_NOBODY: to a place
    int64_t first;         // the tick in which it began
    double stiffness, damping, ease;
    snVec3 target, before; // at the end of the next step, and of the last one
    snVec3 offset;         // between bodies: from one to the other, at first
} snGrab;

// Rows of a blow, and what is computed of them (impulse.c).
typedef struct snStruckRow {
    int body[2], point[2]; // the second may be SN_WORLD_NOBODY
    snVec3 jump;           // of the first's velocity, less the second's
} snStruckRow;
typedef struct snStruck {
    int count, most;
    snStruckRow *rows;    // [most]
    size_t columnSize;    // the largest body's
    double *column;       // [columnSize]
    double *matrix;       // [3 most][3 most]
    double *right;        // [3 most]
    unsigned char *chain; // [bodies], those that hang together with what is struck
} snStruck;

// Points of two bodies that may be held together while running.
typedef struct snTieReserve {
    int body, other, count;
} snTieReserve;

// What is known of a body's rest, sleep.h: state.
#define SN_SLEEP_POINTS 16
typedef struct snSleeper {
    int64_t since;                  // tick from which on it has been still
    int64_t asleep;                 // 0: awake; else the island's number, from 1
    double went;                    // m, how far one of its points went in the last step, at most
    snVec3 anchor[SN_SLEEP_POINTS]; // where its points were then
    snVec3 last[SN_SLEEP_POINTS];   // and where they were after the last step
} snSleeper;
typedef struct snSleepScratch {
    double size;    // m, at rest
    int pieceCount; // of its surface
    int *start;     // [pieceCount + 1], of their vertices
    int *vertex;
    snBox *pieces; // [pieceCount]
    snBox box;     // of all of them
    bool boxed;    // they are a sleeper's, and stay
    bool held, tired;
} snSleepScratch;

// Bodies of one model that are advanced together.
typedef struct snWorldGroup {
    const snBodyKind *kind;
    void *group;
    bool met; // one of them met somebody beyond it in this step (meet_pay.c)
} snWorldGroup;

// What happened, since the world was made.
typedef struct snBodyTale {
    int functions;      // the most that acted in a step
    int failures;       // steps that could not be computed
    int dropped;        // steps in which there were more contacts than places for them
    int conflicts;      // steps in which some point could not be held where it was to be
    double deepest;     // m, in colliders
    double deepestTime; // s
    double lastDeepest; // after the last step
    int touching;       // points of the surface, after the last step
    // By holding points, in all steps (snBodyReport): nothing is added as long as the same ones are held.
    int64_t columnsSolved, rowsFactored;
} snBodyTale;

// What decides before each step what happens in it, such as scripts (control.h). Its state is the world's too.
typedef struct snWorldDriver {
    void (*step)(void *user, struct snWorld *world, int ticks); // NULL: there is none
    size_t (*saveSize)(const void *user);
    void (*save)(const void *user, void *bytes);
    snStatus (*restore)(void *user, const void *bytes, size_t size, snError *error);
    uint64_t (*hash)(const void *user);
    void *user;
} snWorldDriver;

struct snWorld {
    snArena arena;
    snContext context;
    snWorldDef def;
    // Built.
    SN_ARRAY(snBody *) bodies;
    SN_ARRAY(snTrack) stiffness; // of bodies; count 0: as they were built
    SN_ARRAY(snWorldCollider) colliders;
    SN_ARRAY(snAttachment) attachments;
    SN_ARRAY(snThrowDef) throws;
    SN_ARRAY(snTieReserve) reserves;
    SN_ARRAY(snFieldDef) fields;
    snTrack gravity; // count 0: def.gravity
    // State.
    int64_t steps, ticks;
    SN_ARRAY(snAttachmentState) held; // as attachments
    snGrab *grabs;                    // [def.mostGrabs]
    SN_ARRAY(snSleeper) sleepers;     // by body; saved where def.sleep is
    snVec3 stillGravity;              // with pushes, of the last step; likewise
    SN_ARRAY(snSleepScratch) beds;    // by body
    SN_ARRAY(unsigned char) resting;  // scratch: of a group's bodies, by their numbers in it
    bool fieldsChanged;               // by the caller, since the last step
    // Of one step: its length; everything that bodies may bump into beside each other, with its motion.
    int length; // ticks
    SN_ARRAY(snCollider) frame;
    SN_ARRAY(snBodyReport) reports;
    SN_ARRAY(snBodyTale) tales;   // by body
    SN_ARRAY(struct snKept) kept; // by body (keep.h)
    SN_ARRAY(int) islands;        // by body, scratch: who hangs together (core/sets.h)
    // By body, of those awake: the motion of the whole before and after the step, measured once (guard.c). Elastic energy is added
    // by those who need it.
    SN_ARRAY(snBodyMeasure) before, after;
    // Bodies that bump into each other, by snWorld_Join: those of one model in a group, which has them find each other, and
    // all beyond their groups (meet.h; NULL: none do).
    bool isJoined;
    SN_ARRAY(snWorldGroup) groups;
    struct snMeet *meet;
    int heldLeft;                   // points that may yet be held to places
    SN_ARRAY(unsigned char) joined; // by body: 1 + its group's number; 0: none
    snStruck struck;                // scratch of blows
    void *
        saved; // scratch of hashing, the largest body's bytes; of steps that are taken again, all bodies'
    double pressMiss; // of bodies that lie over others, in the round that was taken last
    size_t savedSize;
    snWorldDriver driver;
    snVec3 push; // m/s², beside gravity
};

snStatus snWorld_Make(snWorld **world, const snWorldDef *def, const snContext *context,
                      snError *error);
void snWorld_Destroy(snWorld *world); // with its bodies; accepts NULL

// Adding. A body belongs to the world from then on, also when this fails. Numbers are from 0.
snStatus snWorld_AddBody(snWorld *world, snBody *body, int *number, snError *error);
snStatus snWorld_AddCollider(snWorld *world, const snWorldColliderDef *def, int *number,
                             snError *error);
snStatus snWorld_AddContainer(snWorld *world, const snContainerDef *def, snError *error);
snStatus snWorld_AddAttachment(snWorld *world, const snAttachmentDef *def, int *number,
                               snError *error);
snStatus snWorld_AddThrow(snWorld *world, const snThrowDef *def, snError *error);
// How many times as stiff a body is over time, for which it is made ready (snBody_Prepare), and gravity over time.
snStatus snWorld_SetStiffness(snWorld *world, int body, int count, const double *times,
                              const double *factors, snError *error);
snStatus snWorld_SetGravity(snWorld *world, int count, const double *times, const snVec3 *gravity,
                            snError *error);
// From now on those of the bodies that can do so bump into each other, and those that fold into themselves. After all bodies were added.
// Attachments between them that were added before it are held by all of them together. Bodies of different models meet too.
snStatus snWorld_Join(snWorld *world, snError *error);
// So many points of two bodies, or of one, may be held together hard while running (snWorld_Grab). Before snWorld_Join, of
// bodies that can be tied.
snStatus snWorld_ReserveTies(snWorld *world, const snTieReserve *reserve, snError *error);
int snWorld_FindBody(const snWorld *world, const char *name); // SN_WORLD_NOBODY: there is none

// One step of a tick, and one of some ticks, which must be one of def.lengths.
void snWorld_Step(snWorld *world);
void snWorld_Advance(snWorld *world, int ticks);
bool snWorld_HasLength(const snWorld *world, int ticks);
double snWorld_Time(const snWorld *world); // s, of the state
// The longest of def.lengths, up to `most` ticks, that goes no farther than to the next throw, or to where an attachment
// takes hold or lets go: they happen at the begin of a step. At least 1.
int snWorld_Room(const snWorld *world, int most);
snVec3 snWorld_Gravity(const snWorld *world, double time);
double snWorld_StiffnessOf(const snWorld *world, int body, double time); // times as it was built
// A collider as it is at a time.
snCollider snWorld_ColliderAt(const snWorld *world, int number, double time);

// A collider is carried from where it was built by a rigid motion, in the next step; it stays there then.
void snWorld_Lead(snWorld *world, int collider, const snAffine *motion);

// Where a ray first meets a surface, or which point of all surfaces is nearest to a place.
typedef struct snPick {
    int body; // SN_WORLD_NOBODY: none
    snBodySpot spot;
    snVec3 place;
    double distance; // along the ray, in lengths of its direction; or from the place
} snPick;
snPick snWorld_PickRay(const snWorld *world, snVec3 origin, snVec3 direction);
snPick snWorld_PickNear(const snWorld *world, snVec3 place, double reach);
snPick snWorld_PickNearOf(const snWorld *world, int body, snVec3 place); // of one body's surface

// ---- while running: nothing here allocates, and all of it is part of the state ------------------

// A body and its island are stepped again. Callers that change a body directly wake it.
void snWorld_Wake(snWorld *world, int body);

// Moves a body, deformed and moving as it is, and those that lie over it.
void snWorld_Carry(snWorld *world, int body, const snAffine *motion);
// What leads a body (snBody_Go) is there at the end of the next step, and the body feels a share of that way, 0 ... 1: it is carried through
// the rest of it. False: nothing leads it.
bool snWorld_Go(snWorld *world, int body, const snAffine *place, double felt);

// An attachment acts while it is switched on and its time is. It takes hold anew each time.
void snWorld_Switch(snWorld *world, int attachment, bool on);

// Takes hold of a point where it is: a hand, which moves it and lets go. Or holds it to a point of another body. Fails
// where def.mostGrabs are there, or points cannot be held so.
typedef struct snGrabDef {
    int body;
    snBodySpot spot;
    bool hard;
    double stiffness, damping; // of a spring
    bool located;              // points are handles of the caller's instead of spots
    int point;
    // To a point of another body. Hard ones need bodies that were reserved (snWorld_ReserveTies).
    bool between;
    int other, otherPoint;
    snBodySpot otherSpot;
    double ease; // s over which they are brought together
} snGrabDef;
snStatus snWorld_Grab(snWorld *world, const snGrabDef *def, int *grab, snError *error);
void snWorld_MoveGrab(snWorld *world, int grab, snVec3 target); // for the end of the next step
void snWorld_Release(snWorld *world, int grab);

// Gives points velocities at once, all at the same time, by impulses at these points. Points that are held hard and hang
// together with them keep theirs. Between two points it is the first's velocity less the second's, and their impulses are
// equal and opposite: momentum is kept. Points whose velocities follow from others' are left as those have them; there
// may be def.mostStruck, what is held included; what is beyond gives way.
typedef struct snStrike {
    int body, point;       // a handle
    int other, otherPoint; // SN_WORLD_NOBODY: none
    snVec3 velocity;       // m/s
} snStrike;
void snWorld_Strike(snWorld *world, int count, const snStrike *strikes);

// Sums over all bodies. `potential` is of gravity as it is now, from the origin's height.
typedef struct snWorldMeasure {
    snBodyMeasure sum; // its centre is that of all mass
    double potential;
} snWorldMeasure;
void snWorld_Measure(snWorld *world, snWorldMeasure *measure);

// Everything that a step changes. Restoring needs a world that was built alike.
size_t snWorld_SaveSize(const snWorld *world);
void snWorld_Save(const snWorld *world, void *bytes);
snStatus snWorld_Restore(snWorld *world, const void *bytes, size_t size, snError *error);
uint64_t snWorld_Hash(const snWorld *world);

#endif
