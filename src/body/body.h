// What every model of a body offers to a world: points to hold, pull and push, a step, a surface,
// measures, and its state as bytes. A model fills in a table of functions (snBodyKind) and puts an
// snBody at the head of its own struct; nobody outside of it needs to know which model it is.
//
// In a step of length H the world calls
//     snBody_Begin(body, &step);            // forgets pushes, pulls and holds
//     snBody_Hold / Pull / Push(...)        // as often as it likes
//     snBody_Advance(body);                 // any number of smaller steps inside
//     snBody_Finish(body, &report);
// None of these allocates. Bodies are advanced beside each other: a body touches nothing but itself, and reads the surface of the one
// that it lies over (snBody.over), which is advanced before it.
//
// Joining bodies. A body's step is found with a matrix A over its `size` coordinates (constraint.h):
// A of size x size, the same for x, y and z, where `block` is 1; of 3 size x 3 size where it is 3. A
// point's Jacobian J is a row over these coordinates. snBody_Column gives A⁻¹Jᵀ and
// snBody_Response J_p A⁻¹ J_qᵀ, from which constraints between bodies are solved. Where
// `constantMatrix` holds, they stay as they are as long as the point does; else they are of the
// present step.
//
// Impulses. A blow P at a point changes velocities by M⁻¹JᵀP, with M the body's masses over the same
// coordinates: between two steps there is no time for forces within the body to act, and no other matrix leaves
// linear and angular momentum changed by P and by p x P alone. snBody_ImpulseColumn gives M⁻¹Jᵀ in the form of a
// column, snBody_Response how much faster points get by it, and snBody_Strike carries it out.
//
// Meeting. Bodies of one model that bump into each other are advanced together by it (join). Those of different models
// meet in the world (world/meet.h), which knows nothing of them but a shell of triangles and how its points yield: an
// impulse P at an end p changes velocities by B Jᵀ P and places by H times that, B near to A⁻¹, with the momentum of
// the whole changed by P and its angular momentum by place x P to rounding.
//
// Keeping. Between steps of a body that flies nothing changes its angular momentum but gravity, air and other bodies. Steps do, by their rule and
// by what their search leaves over; the world gives it back as a turn of the whole (world/keep.h). Bodies that want it say so
// (snBody.keeps), and tell after a step whether anything else was at them (snBody_IsFree).
#ifndef SN_BODY_BODY_H
#define SN_BODY_BODY_H

#include "body/field.h"
#include "contact/collider.h"
#include "contact/law.h"
#include "core/memory.h"
#include "core/vec.h"

typedef struct snBody snBody;

// A material point: a place of the body at rest, or one on a triangle of its surface.
typedef struct snBodySpot {
    bool onSurface;
    snVec3 rest;     // where the point is at rest, in the frame in which the body was made
    int corner[3];   // vertices of the surface ...
    double share[3]; // ... whose mean it is; they sum to 1
} snBodySpot;

static inline snVec3 snBodySpot_Rest(const snBodySpot *spot, const snVec3 *restSurface)
{
    return spot->onSurface ? snCombine(3, spot->corner, spot->share, restSurface) : spot->rest;
}

snBodySpot snRestSpot(snVec3 rest);
snBodySpot snVertexSpot(int vertex);

// What a step brings.
typedef struct snBodyStep {
    double length; // s
    int ticks;     // the same in steps that the body was built for, H; 0: 1
    snVec3 gravity;
    double stiffness; // how many times as stiff as it was built; 1
    bool planar; // nothing goes along z: what there is of it in velocities and forces is taken out
    // What it may bump into beside bodies that it is joined with, with its motion in this step. Stays as it
    // is until the step is finished.
    int colliderCount;
    const snCollider *colliders;
} snBodyStep;

// A spring from a point to an anchor that moves.
typedef struct snBodyPull {
    snVec3 target;    // where the anchor is at the step's end
    snVec3 move;      // how far it went in the step
    double stiffness; // N/m
    double damping;   // N s/m, of the point's velocity relative to the anchor's
} snBodyPull;

// What steps of a body may be like, beyond those of H at the stiffness that it was built with.
typedef struct snBodyRange {
    double softest, stiffest; // snBodyStep.stiffness
    int lengthCount;          // 0: steps of H alone
    const int *lengths;       // [lengthCount], snBodyStep.ticks, ascending from 1; copied
} snBodyRange;

// Points of two bodies, or two of one, that are held to each other.
typedef struct snBodyTie {
    snBody *body[2];
    int point[2];
    bool hard;    // they are where they are to be at every step's end; false: a spring
    snVec3 apart; // of hard ones: where the first is from the second, at the step's end
    double stiffness, damping; // of springs, N/m and N s/m
} snBodyTie;

// The surface by which a body meets those of other models, and what it is like.
typedef struct snBodyShell {
    int vertexCount, triangleCount;
    const int *triangles; // [triangleCount * 3], counter-clockwise from outside
    double friction;      // below 0: what it meets decides
    double restitution;   // 0 ... 1
} snBodyShell;

// Where others push a body: at a point that was located, or at a mean of three vertices of its shell.
typedef struct snBodyEnd {
    int point;     // -1: of the shell
    int corner[3]; // vertices of the shell ...
    double share[3];
} snBodyEnd;

// An impulse at an end, with the end's column. It counts as one at `place`, the same for both bodies that it is between.
typedef struct snBodyNudge {
    const snBodyEnd *end;
    const double *column;
    snVec3 impulse, place; // N s
} snBodyNudge;

// What bodies are joined by. Ties say no more than which bodies they are between.
typedef struct snBodyJoin {
    int count;
    snBody *const *bodies; // [count]
    int tieCount;
    const snBodyTie *ties; // [tieCount]; those that may act in some step
    int mostHeld;          // points of all bodies that are held to places in a step, at most
} snBodyJoin;

typedef struct snBodyReport {
    int functions; // coordinates that moved, each in x, y and z
    bool failed;   // the step could not be computed: the body is undeformed and still
    int conflicts; // points that cannot be where they are held, for others contradict them
    snContactReport contact;
    // What holding points took beyond a multiplication: back-substitutions with A, and rows that were brought into
    // the factor of J A⁻¹ Jᵀ. Both are 0 as long as the points that are held stay the same.
    int64_t columnsSolved, rowsFactored;
} snBodyReport;

typedef struct snBodyMeasure {
    double mass;             // kg
    double kinetic, elastic; // J
    double volume;           // m³, within the surface
    snVec3 center;           // of mass
    snVec3 momentum;         // kg m/s
    snVec3 angularMomentum;  // about the world's origin, kg m²/s
    snMat3 inertia;          // about the centre of mass, kg m²
} snBodyMeasure;

// A motion of the whole that is added to a body's own.
typedef struct snBodyStir {
    double share; // of its own that stays; 1: all
    snVec3 center, velocity, spin;
} snBodyStir;
static inline snVec3 snBodyStir_At(const snBodyStir *stir, snVec3 x, snVec3 v)
{
    snVec3 more = snAdd(stir->velocity, snCross(stir->spin, snSub(x, stir->center)));
    return snMulAdd(more, stir->share, v);
}

// The drawn surface as a sum over control points: vertex v is at Σ weight[k] · control[index[k]], start[v] <= k < start[v + 1]; or, where
// `width` is above 0, over the `width` numbers from v · width on. Rows that would take much memory are found one by one: `find` writes up to
// `width` numbers and returns how many.
typedef struct snBodyRows {
    int controlCount;
    int width;
    const int *start, *index;
    const double *weight;
    int (*find)(const snBody *body, int vertex, int *index, double *weight); // NULL: as above
} snBodyRows;

// Meeting bodies of other models (snBody_Shell ...).
typedef struct snBodyMeeting {
    void (*shell)(const snBody *body, snBodyShell *shell);
    void (*shellPlaces)(const snBody *body, snVec3 *places);
    snStatus (*reserve)(snBody *body, int ends, snError *error);
    void (*thrust)(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force);
    size_t (*yieldSize)(const snBody *body);
    void (*yieldBegin)(snBody *body, bool tied);
    void (*yieldColumn)(snBody *body, const snBodyEnd *end, bool again, double *column);
    snMat3 (*yieldRow)(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ);
    void (*yield)(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple);
    bool (*backing)(const snBody *body, const snBodyEnd *end, snVec3 *normal); // NULL: none
} snBodyMeeting;

typedef struct snBodyKind {
    const char *name;
    void (*destroy)(snBody *body);
    // Points. Locating looks through the body and may be slow; it allocates nothing.
    snStatus (*locate)(snBody *body, const snBodySpot *spot, int *point, snError *error);
    void (*forget)(snBody *body, int point);
    snVec3 (*place)(const snBody *body, int point);
    snVec3 (*velocity)(const snBody *body, int point);
    void (*column)(snBody *body, int point, double *column);
    snMat3 (*row)(const snBody *body, int point, const double *column);
    double (*give)(const snBody *body, int point);
    double (*beyond)(const snBody *body, int point, snVec3 place); // NULL: 0
    void (*impulseColumn)(snBody *body, int point, double *column);
    void (*strike)(snBody *body, const double *column, snVec3 impulse);
    // Makes ready for other steps; NULL: there are none but its own.
    snStatus (*prepare)(snBody *body, const snBodyRange *range, snError *error);
    // A step.
    void (*begin)(snBody *body, const snBodyStep *step);
    void (*hold)(snBody *body, int point, snVec3 target);
    void (*pull)(snBody *body, int point, const snBodyPull *pull);
    void (*push)(snBody *body, int point, snVec3 force);
    void (*advance)(snBody *body);
    void (*finish)(snBody *body, snBodyReport *report);
    void (*setLevel)(snBody *body, int level); // NULL: it has one
    // Sleeping.
    bool (*stirs)(const snBody *body, int ticks); // NULL: nothing moves it from within
    void (*pass)(snBody *body, int ticks);        // NULL: it has no clock
    // Fields; NULL: it feels none.
    snStatus (*reserveFields)(snBody *body, snError *error);
    void (*act)(snBody *body, const snFields *fields);
    // Putting and measuring.
    void (*put)(snBody *body, const snAffine *place);
    void (*carry)(snBody *body, const snAffine *motion);
    bool (*go)(snBody *body, const snAffine *place, snAffine *stands); // NULL: nobody leads it
    bool (*pose)(snBody *body, int joints, const snAffine *frames);    // NULL: it has no skeleton
    void (*setVelocity)(snBody *body, snVec3 velocity, snVec3 spin);
    snVec3 (*vertex)(const snBody *body, int vertex);
    void (*measure)(snBody *body, snBodyMeasure *measure);
    void (*motion)(const snBody *body, snBodyMeasure *measure); // all of it but elastic and volume
    double (*elastic)(snBody *body);                            // J
    void (*stir)(snBody *body, const snBodyStir *stir);
    bool (*isFree)(const snBody *body, const snBodyMeasure *begin, snVec3 *brought); // NULL: never
    bool (*leans)(const snBody *body);                                               // NULL: never
    bool (*isTaut)(const snBody *body, double h);                                    // NULL: never
    double (*relax)(snBody *body, double energy); // NULL: nothing
    bool (*rows)(const snBody *body,
                 snBodyRows *rows); // NULL, false: its vertices are all there is
    void (*controls)(const snBody *body, snVec3 *places);
    // State.
    size_t (*saveSize)(const snBody *body);
    void (*save)(const snBody *body, void *bytes);
    snStatus (*restore)(snBody *body, const void *bytes, snError *error);
    // Bodies of this model that bump into each other or are tied, advanced together. NULL: they pass through.
    snStatus (*join)(const snBodyJoin *join, void **group, const snContext *context,
                     snError *error);
    // In a step, each that acts, in their order. NULL: the model ties none, the world does (snBody.yields).
    void (*tie)(void *group, const snBodyTie *tie);
    // sleeps[number]: 1 where a body is left out, and touches and holds none that is not; NULL: none is.
    void (*advanceGroup)(void *group, const unsigned char *sleeps);
    void (*destroyGroup)(void *group);
    bool (*joins)(const snBody *body); // whether a body can be among them
    // The lowest number of the group's bodies with which one hung together in the last step, by contacts or ties.
    int (*partner)(const void *group, int number);
    const snBodyMeeting *meeting; // NULL: it passes through those of other models
    // Lying over another body (snBody.presses). NULL: it does not feel it.
    void (*press)(snBody *body, snBody *under);
    double (*pressMiss)(snBody *body);
    bool (*passes)(const snBody *body, const snBody *other); // NULL: none
} snBodyKind;

// What every body has. Set by its maker.
struct snBody {
    const snBodyKind *kind;
    const char *name;
    double step;               // H, s: a tick
    int functions;             // coordinates that can move at most, each in x, y and z: for reports
    int vertexCount;           // of the surface
    int triangleCount;         //
    const int *triangles;      // [triangleCount * 3], counter-clockwise from outside
    const snVec3 *restSurface; // [vertexCount]
    // For drawing: where the surface has creases a vertex has several corners, each with a normal of its own.
    int cornerCount;                   // 0: none has
    const int *corner;                 // [cornerCount], their vertices
    const int *cornerTriangles;        // [triangleCount * 3], the same triangles over corners
    int mostPoints;                    // that can be located at a time
    int mostHeld;                      // of them at the same time by snBody_Hold
    int size, block;                   // of A
    bool constantMatrix;               // A is the same in every step
    const struct snSkeleton *skeleton; // whose poses it takes, snBody_Pose; NULL: it takes none
    const snBody *over; // lies on another one, which is advanced before it; NULL: on none
    int presses;        // ends at which it pushes that one, at most; 0: it does not
    bool ties;          // points of it may be tied to those of others (snBodyKind.tie)
    int levelCount;     // of detail that it can go on with, snBody_SetLevel; 0: one
    bool away;          // by its level it meets no others
    bool covered;       // some body lies over it
    bool folds;         // it bumps into itself: it is joined (snBodyKind.join) even alone
    bool meets;         // it bumps into bodies of other models
    bool lands;         // and into colliders in the same way, for its steps know none
    bool yields;        // points of it may be held hard to those of other models
    bool tiedByWorld;   // that too where its model ties others
    bool keeps;         // it may fly free, and its angular momentum is kept then
    bool exact;         // by its own steps
};

void snBody_Destroy(snBody *body); // accepts NULL

// A handle for a material point, until it is forgotten. Fails when there are mostPoints already, or
// there is no such point.
snStatus snBody_Locate(snBody *body, const snBodySpot *spot, int *point, snError *error);
void snBody_Forget(snBody *body, int point);
snVec3 snBody_Place(const snBody *body, int point);
snVec3 snBody_Velocity(const snBody *body, int point);

// A⁻¹Jᵀ of a point, [block][block * size].
size_t snBody_ColumnSize(const snBody *body); // doubles
void snBody_Column(snBody *body, int point, double *column);
// J_p A⁻¹ J_qᵀ from the column of q, in m per N when times H²: how point p gives way in a step to a force at q.
snMat3 snBody_Response(const snBody *body, int p, const double *columnOfQ);
// No less than what a force at the point moves it by within a step, in 1/kg: what of it can move at
// least has that inertia, whatever holds it.
double snBody_Give(const snBody *body, int point);
// How far a place is from what a point can be brought to by what moves the body from within, such as a skeleton: holding it
// there stretches the body by that, m. 0: it is in reach, or the body goes wherever it is pulled.
double snBody_Beyond(const snBody *body, int point, snVec3 place);
// M⁻¹Jᵀ of a point, [block][block * size]: snBody_Response of it is in 1/kg. Striking adds it times an impulse
// (N s) to the velocities. Between steps.
void snBody_ImpulseColumn(snBody *body, int point, double *column);
void snBody_Strike(snBody *body, const double *impulseColumn, snVec3 impulse);

// Makes the body ready for steps of other lengths and stiffness: all that they need is made here, and nothing in a
// step. It may be slow, and replaces what was made ready before. Stiffness that was not asked for is stepped
// too, but not as well; lengths that were not are not. Fails, leaving the body as it was built, where its model
// knows no others, or the range cannot be.
snStatus snBody_Prepare(snBody *body, const snBodyRange *range, snError *error);

// A step, in the order above. A point may be held in some steps and not in others; targets of points
// that are held are met at the step's end.
void snBody_Begin(snBody *body, const snBodyStep *step);
void snBody_Hold(snBody *body, int point, snVec3 target);
void snBody_Pull(snBody *body, int point, const snBodyPull *pull);
void snBody_Push(snBody *body, int point, snVec3 force); // N
void snBody_Advance(snBody *body);
void snBody_Finish(snBody *body, snBodyReport *report);

// Fields. Room for them, before the first step that has any; then in every step, after it has begun.
snStatus snBody_ReserveFields(snBody *body, snError *error);
void snBody_Act(snBody *body, const snFields *fields);

// How much of itself a body computes, between steps: 0 is all of it, each level after it is coarser and quicker; beyond the last
// of levelCount: that. It goes on from where it is, with its momentum. Allocates nothing.
void snBody_SetLevel(snBody *body, int level);

// Sleeping: a body that is at rest may be left out of steps. Whether what moves it from within (a clip, postures, a strength or a stiffness that
// changes) is another at the end of a step of so many ticks than it is now; and time that passes for it while it sleeps.
bool snBody_Stirs(const snBody *body, int ticks);
void snBody_Pass(snBody *body, int ticks);

// ---- meeting bodies of other models ----

// Its shell, for as long as the body lives, and where the shell's vertices are now, [vertexCount].
void snBody_Shell(const snBody *body, snBodyShell *shell);
void snBody_ShellPlaces(const snBody *body, snVec3 *places);
snVec3 snBody_EndPlace(const snBody *body, const snBodyEnd *end, const snVec3 *shellPlaces);
// Room for so many more thrusts in a step. Before the first step.
snStatus snBody_Reserve(snBody *body, int ends, snError *error);
// As snBody_Push, at an end. Rigid parts are pushed at `place`, which is near to it.
void snBody_Thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force);
// How ends yield as the body stands after its step: Begin (`tied`: some of them may be pulled, not pressed alone), then a column for every end, of snBody_YieldSize doubles; with
// `again` one that was made for the same end in an earlier state is brought up to date.
size_t snBody_YieldSize(const snBody *body);
void snBody_YieldBegin(snBody *body, bool tied);
void snBody_YieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column);
// J_p B J_qᵀ, in 1/kg; symmetric.
snMat3 snBody_YieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ);
// Carries out impulses, and one that turns the whole: velocities change by Σ B Jᵀ P, places by `time` times that.
// Before snBody_Finish.
void snBody_Yield(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple);
// What nudges and a couple bring of both momenta, added to a motion.
void snBodyNudges_Add(int count, const snBodyNudge *nudges, snVec3 couple, snBodyMeasure *motion);
// Whether an end lies on something within the body that does not give way, and where out is there: what presses the end is
// met along that way.
bool snBody_Backing(const snBody *body, const snBodyEnd *end, snVec3 *normal);
// A body that lies over another pushes it, once both have begun, by what it expects to do to it in the step. When all have advanced
// it knows how far that is from what it did, as a share of that, and expects better when the step is taken again from where it began; what is
// missing when it is finished is made up for in the steps to come.
void snBody_Press(snBody *body, snBody *under);
double snBody_PressMiss(snBody *body);
// Two bodies that never meet, as a skin and what it lies on. Those without a shell meet none.
bool snBody_Passes(const snBody *body, const snBody *other);

// Puts the body where a rotation and a shift carry its rest shape, undeformed and still.
void snBody_Put(snBody *body, const snAffine *place);
// Moves all of it by a rigid motion, deformed and moving as it is, between steps.
void snBody_Carry(snBody *body, const snAffine *motion);
// Where the frame of what leads it from outside is, a clip's or a figure's, and where that is at the end of the next step (NULL: it is
// asked alone). What hangs on it feels the way there. False: nothing leads it.
bool snBody_Go(snBody *body, const snAffine *place, snAffine *stands);
// The pose at the end of the next step and from then on, instead of a clip's: frames of all joints, in the frame of what leads it. False:
// it was not made for it, or has another number of joints.
bool snBody_Pose(snBody *body, int joints, const snAffine *frames);
// Everything moves as a whole: velocity of the centre of mass, and spin about it in radians per second.
void snBody_SetVelocity(snBody *body, snVec3 velocity, snVec3 spin);

// The surface as it is, [vertexCount], and its normals by area (NULL: not wanted).
void snBody_Surface(const snBody *body, snVec3f *points, snVec3f *normals);
snVec3 snBody_Vertex(const snBody *body, int vertex); // one of it
void snBody_Measure(snBody *body, snBodyMeasure *measure);
// The same without elastic energy and volume, which take longer; and the former by itself. Of bodies that keep or meet.
void snBody_Motion(const snBody *body, snBodyMeasure *measure);
double snBody_Elastic(snBody *body);

// ---- keeping angular momentum ----

// Whether in the step that was advanced nothing was at the body but gravity, air, thrusts, and bodies that it is joined with;
// and what gravity and air brought of angular momentum about the world's origin. `begin` is its motion before the step.
bool snBody_IsFree(const snBody *body, const snBodyMeasure *begin, snVec3 *brought);
// Whether it lay on something that is no body when its last step ended.
bool snBody_Leans(const snBody *body);
// Whether its flesh is so stiff that in a step of h seconds it is put out of others by far more energy than any motion has; and of such flesh:
// gives up so much energy, J, or what it has. Returns what that was.
bool snBody_IsTaut(const snBody *body, double h);
double snBody_Relax(snBody *body, double energy);
// Its velocities become v + V + ω × (x - c), once a share of each is kept.
void snBody_Stir(snBody *body, const snBodyStir *stir);
// Stirs it so that it has both momenta.
void snBody_GiveMomentum(snBody *body, snVec3 momentum, snVec3 angularMomentum);

// What carries the surface, for whoever draws it by himself: rows that never change, and where controls are now. The vertices themselves where a
// model has nothing better.
#define SN_BODY_ROW 64 // numbers of a row that is found
void snBody_Rows(const snBody *body, snBodyRows *rows);
int snBodyRows_Width(const snBodyRows *rows, int vertexCount); // the widest
int snBodyRows_Find(const snBodyRows *rows, const snBody *body, int vertex, int most, int *index,
                    float *weight);                       // how many, at most `most`
void snBody_Controls(const snBody *body, snVec3 *places); // [controlCount]

// All that a body is beyond what was built, points too. Restoring needs a body that was built alike.
size_t snBody_SaveSize(const snBody *body);
void snBody_Save(const snBody *body, void *bytes);
snStatus snBody_Restore(snBody *body, const void *bytes, snError *error);

// Signed volume within the surface; exact for closed ones.
double snBody_Volume(const snBody *body);

#endif
