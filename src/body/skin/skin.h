// Skins: an elastic surface of mass points that slides over muscles, with bands that pull it to them and fat between (Turner
// and Gobbetti, "Interactive Construction and Animation of Layered Elastically Deformable Characters", 1998). A skin is
// made of a mesh (mesh.h), what its points are like (point.h) and muscles on frames that move (muscles.h); forces
// within it are in elastic.c, all forces in force.c, what keeps it out of muscles in cull.c, out of itself in fold.c. Begin with snElasticSkin_Step in
// skin.c; derivations and numbers in docs/theory/leman.md. May use geometry and numerics; skin_body.h puts it in worlds.
//
//     snElasticSkinDef def = snDefaultElasticSkinDef();
//     ... mesh, points, places, muscles, frames ...
//     snElasticSkin_Make(&skin, &def, context, error);
//     snElasticSkin_Step(skin, 1.0 / 60.0, frames, NULL);     // as often as wanted, nothing is allocated
//     skin->places ...
#ifndef SN_BODY_SKIN_SKIN_H
#define SN_BODY_SKIN_SKIN_H

#include "body/skin/cover.h"
#include "body/skin/elastic.h"
#include "body/skin/fold.h"
#include "body/skin/muscles.h"
#include "body/skin/under.h"
#include "numerics/ode.h"

typedef struct snElasticSkinDef {
    const snSkinMesh *mesh;      // copied by reference: must outlive the skin
    const snSkinPoint *points;   // [mesh->pointCount]
    const snVec3 *places;        // [mesh->pointCount], where it begins
    int muscleCount;             //
    const snSkinMuscle *muscles; // [muscleCount]
    int frameCount;              //
    const snAffine *frames;      // [frameCount], where they begin
    const snMesh *under;         // a surface that it lies on, as it is at first; NULL: none
    snVec3 gravity;
    double restitution; // 0 ... 1: what of its speed into a muscle a point keeps, outwards
    double friction;    // 1/s, how fast sliding on muscles dies; 0: it does not
    double
        pressure; // Pa, for a volume that is wrong by all of it; 0: the volume is free. 1e4 keeps a belly full
    double volume;      // m³ to keep; 0: that of the places
    snSkinFoldDef fold; // against itself
    double correction; // m: a step that gets points deeper into muscles is taken back and shortened
    double
        bulge; // m: faces that a muscle bulges into by more are kept out of it as points are (cover.h); 0: none, below 0: all
    snOdeMethod method;
    snOdeControl control; // for explicit Euler `pace` counts SN_SKIN_EULER_PACE times (skin.c)
} snElasticSkinDef;
#define SN_SKIN_EULER_PACE 0.1
snElasticSkinDef snDefaultElasticSkinDef(void);

// Springs and forces that act in one step, at means of three points.
typedef struct snSkinPull {
    int corner[3];
    double share[3];
    snVec3 from, to;           // of a spring's anchor, in the step
    double stiffness, damping; // N/m, N s/m
    snVec3 force;              // N
} snSkinPull;

typedef struct snSkinCount {
    snOdeCount ode;
    snSkinPushCount push;
    snSkinFoldCount fold;
    double forceSeconds, pushSeconds; // with a clock
} snSkinCount;

// What a band is like: A k, A d and l⁰; of those that there are not it is infinite.
typedef struct snSkinTie {
    double stiffness, damping, length;
} snSkinTie;

// A band where it was linearised: -∂f/∂r x = even x + along n (n·x), and all of it 0 where it does not pull.
typedef struct snSkinBand {
    snVec3 n;
    double even, stiffness, damping; // A k (1 - l⁰/|l|), A k l⁰/|l|, A d
} snSkinBand;

typedef struct snElasticSkin {
    snArena arena;
    const snSkinMesh *mesh;
    snSkinPoint *points;      // [pointCount]; snElasticSkin_Load after changes
    const snSkinPoint *built; // [pointCount], as they were made
    double stiffness;         // how many times as stiff they are now, snElasticSkin_SetStiffness
    snSkinElastic elastic;
    snSkinMuscles muscles;
    snSkinCull cull;
    snSkinCover cover;
    snSkinUnder under; // a surface that deforms, if there is one
    bool folds;        // it does not pass through itself: `fold`
    snSkinFold fold;
    snVec3 gravity;
    snSkinPush push;
    double friction;
    snOdeMethod method; // may be switched between steps
    snOdeControl control;
    // State: one block.
    double *state;
    size_t stateCount;  // doubles
    snVec3 *places;     // [pointCount]
    snVec3 *velocities; // [pointCount]
    snVec3 *touching;   // [pointCount], normals of the muscles that points lie on; 0: none
    double *stepLength; // of the last substep, to go on with
    // A step.
    snOde ode;
    double *inverseMass;       // [pointCount * 3], 0 where a point is led
    double *mass;              // [pointCount], kg
    double *drag;              // [pointCount], N s/m, of its damping
    snSkinTie *ties;           // [pointCount], snElasticSkin_Load
    snVec3 *bandFrom, *bandTo; // [pointCount], where bands end at a step's begin and end
    snVec3 *bandPace;          // [pointCount], ṁ, m/s; 0 without a band
    snVec3 *linear;            // [pointCount], where forces were linearised
    snSkinBand *bands;         // [pointCount], the same
    snVec3 *touched;           // [pointCount], what will be `touching` when the substep is taken
    bool *heldUp;              // [pointCount], presses on the muscle that it lies on
    snVec3 *projected;         // [pointCount], scratch
    double length;             // of the step
    snVec3 *fields;            // [pointCount], m/s², of fields in this step; NULL: none
    int pullCount, mostPulls;
    int pulledCount; // how many of them acted in the last step
    snSkinPull *pulls;
    bool *wasLed; // [pointCount], `led` in the last step
    bool *led;    // [pointCount], goes to ledTo in this step, beside those that are pinned
    snVec3 *ledTo;
    struct snSkinMeet *meet; // how it yields to bodies of other models (skin_meet.c), or NULL
    double (*clock)(void);   // seconds, for snSkinCount; NULL: none
    snSkinCount count;
} snElasticSkin;

snStatus snElasticSkin_Make(snElasticSkin **skin, const snElasticSkinDef *def,
                            const snContext *context, snError *error);
void snElasticSkin_Destroy(snElasticSkin *skin); // accepts NULL

// After changes of points: their masses, elasticity and so on are as they are now.
void snElasticSkin_Load(snElasticSkin *skin);
// How many times as stiff as it was made it is from now on: elasticity, how it lags, bending and bands. Points are as they were made
// otherwise.
void snElasticSkin_SetStiffness(snElasticSkin *skin, double factor);
// Moves all points out of the muscles as they are, without a step.
void snElasticSkin_Settle(snElasticSkin *skin);

// One step: frames (and shapes, NULL: the same) go evenly to what is given. False: it could not be computed and the
// skin did not move.
bool snElasticSkin_Step(snElasticSkin *skin, double length, const snAffine *frames,
                        const snSkinMuscle *shapes);

// Where the surface under it, snElasticSkinDef.under, is at the end of the next step.
void snElasticSkin_AimUnder(snElasticSkin *skin, const snVec3 *places);

// How deep the deepest point's foot is in a muscle, as a share of that muscle's size: asked of every pair.
double snElasticSkin_Deepest(snElasticSkin *skin);

// The state as bytes: places, velocities, frames and shapes. For skins that were made alike.
size_t snElasticSkin_SaveSize(const snElasticSkin *skin);
void snElasticSkin_Save(const snElasticSkin *skin, void *bytes);
void snElasticSkin_Restore(snElasticSkin *skin, const void *bytes);
uint64_t snElasticSkin_Hash(const snElasticSkin *skin);

// Forces, with their energy where they have one (force.c). Time is a share of the step.
void snElasticSkin_Force(snElasticSkin *skin, double share, const snVec3 *r, const snVec3 *v,
                         snVec3 *force);
void snElasticSkin_AddPulls(const snElasticSkin *skin, double share, const snVec3 *r,
                            const snVec3 *v,
                            snVec3 *force); // of springs and forces at points alone
double snElasticSkin_Energy(const snElasticSkin *skin, double share, const snVec3 *r);
void snElasticSkin_Linearise(snElasticSkin *skin, double share, const snVec3 *r, const snVec3 *v);
// (a ∂f/∂r + b ∂f/∂v) x where it was linearised, and the diagonal of its negative.
void snElasticSkin_Derivative(snElasticSkin *skin, double a, double b, const snVec3 *x,
                              snVec3 *force);
void snElasticSkin_Diagonal(snElasticSkin *skin, double a, double b, snVec3 *diagonal);

#endif
