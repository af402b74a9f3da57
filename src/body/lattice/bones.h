// Bones that give way: the vertices of a lattice body that its rig leads hang on rigid links, and the links are searched
// for together with the flesh. Contacts and springs push them, flesh hangs on them by its whole weight, and what one gets the other
// gives. Derivation in docs/theory/flesh-and-bones.md.
//
// Beside the free vertices y the unknowns of a step are those of the links: a rotation vector θ of each joint, beyond where
// the first guess has it, and a way of each root. A link j carries rest space by a rigid motion T_j; vertices on bones, and
// where the rig has others (springs and drag are relative to it), are Σ w_aj T_j r_a. The step's objective (step.c) gets the inertia of
// what is on the links, joints' springs, dampers and ends, and what it had left out as known.
//
// The search's matrix (search.c) becomes that of flesh and links, by blocks. With A over the free vertices, Q_uT between them
// and the links' affine motions and Q_TT of the links alone, all scalar and constant,
//
//     W = A⁻¹ Q_uT,    S = Q_TT - Q_uTᵀ W,    G = Jᵀ (S ⊗ 1) J + joints,
//
// with J from the joints' unknowns to affine motions in the pose at hand. S, condensed, is what links feel of the flesh that
// they carry: its inertia and stiffness, whatever it weighs beside them. G is dense, of as many rows as joints have freedoms, and is
// factored once a step.
//
// Whoever steps such a body sets drive->bones, and in them links[], joints[], gravity and rig, before each step; the search
// does the rest, and snBones_Finish keeps what it found.
#ifndef SN_BODY_LATTICE_BONES_H
#define SN_BODY_LATTICE_BONES_H

#include "body/lattice/step.h"

// Mass on a link, beside what vertices have.
typedef struct snBonePoint {
    int link;
    snVec3 rest;
    double mass; // kg
} snBonePoint;

typedef struct snBonesDef {
    const snLatticeModel *model; // of full motion, in double precision; with a skin over the links
    int linkCount;
    const int *parent;          // [linkCount], less than the link's own number; -1: a root
    const snVec3 *joint;        // [linkCount], where it turns, at rest
    const unsigned char *turns; // [linkCount], 1: by itself; 0: its parent takes it along
    int pointCount;
    const snBonePoint *points;
    double left; // of the mass of vertices on bones; the rest is on points
} snBonesDef;

// Where a link is and how it moved in the last step: all that lasts.
typedef struct snBoneLink {
    snQuat relative; // from the parent's frame; of roots in the world. At rest all are 1
    snVec3 place;    // of roots: where their joint is
    snVec3 turn;     // relative⁻¹ before times relative now, as a rotation vector
    snVec3 move;     // of roots: of the place
} snBoneLink;

// What a joint does in a step.
typedef struct snBoneJoint {
    double stiffness, damping; // N m/rad, N m s/rad
    snQuat target;             // what it is drawn to at the step's end, as `relative`
    snVec3 spin;               // by how much that turns in the step: damping is relative to it
    double limits;             // N m/rad, where its range ends
    snVec3 axis;               // along which it twists, at rest
    double twist, swing;       // radians, from rest
    double pull, drag;         // of roots, N/m and N s/m: a hand from outside ...
    snVec3 place, move;        // ... that is there at the step's end, and came by so much
} snBoneJoint;

typedef struct snBones {
    snArena arena;
    const snLatticeModel *model;
    int linkCount, pointCount;
    int *parent;
    snVec3 *center;        // [links], joints at rest
    snBonePoint *points;   // [points]
    double *mass;          // [vertices], kg; of vertices on bones what is left
    double totalMass;      // kg, of all: free vertices, those on bones, points
    int rows;              // of unknowns, three to each: turns of joints, ways of roots
    int *rowOf;            // [links], or -1; a root's way is the next
    int columns;           // 4 for each link that anything hangs on
    int *columnOf;         // [links], or -1
    double *spread;        // [free vertices][columns], W
    double *condensed;     // [columns][columns], S
    double *give;          // [columns][columns], how links answer at rest, in the mean of x, y, z
    snLists gather;        // corner forces of vertices on bones, as the model's of free ones
    int tiedCount;         // free vertices that springs or drag tie to the rig
    int *tied;             // [tiedCount]
    double *spring, *drag; // [tiedCount], h² κ and h α m + h β κ
    // Of the caller. Links and speeds last; the rest is set before each step.
    snBoneLink *links;   // [links]
    snVec3 *speeds;      // [points], m/s
    snBoneJoint *joints; // [links]
    snVec3 gravity;
    const snVec3 *fields; // [points], m/s², beside gravity; NULL: none
    snVec3 lift;          // N, on roots' joints, beside all else: the share of a hand in the weight
    double *rig;          // [vertices * 4], that of the drive
    // Where a step began that may turn out to be none, snBones_Keep.
    snBoneLink *begunLinks; // [links]
    double *begun;          // [vertices * 4]
    // A step: where links are, and the search's vectors, [rows * 4].
    snQuat *turned; // [links], in the world
    snVec3 *origin; // [links], where joints are
    snMat3 *linear; // [links]
    snQuat *guessTurned;
    snVec3 *guessOrigin; // what unknowns are counted from
    snMat3 *guessLinear;
    snQuat *guess;      // [links], relative
    snVec3 *guessPlace; // [links], of roots
    bool stands;        // that guess is where links stood
    snVec3 middle;      // what moments are about
    double *values, *previous, *gradient, *previousGradient, *direction;
    double *moves[SN_MEMORY], *turns[SN_MEMORY];
    double *matrix;          // [(3 rows)²], G's factor
    double *inertial;        // [vertices * 4], where inertia alone would lead
    snVec3 *pointInertial;   // [points]
    snVec3 *carried;         // [tiedCount], x - p at the step's begin
    snVec3 *force, *moment;  // [links], sums of gradients
    snVec3 *torque;          // [links], of joints, in their own frames
    double *affine, *change; // [columns * 4]
    double *pairs;           // [links²][36]
    double *answer, *load;   // [rows * 4]
    double *wide;            // [vertices * 4], a way over all vertices
    double *solve;           // [vertices * 4] and the factor's
    // Of contacts that push (contact_push.c).
    int mostAnswers;
    int *answerOf;    // [mostAnswers], 1 + entry, by place
    double *answers;  // [mostAnswers][3 rows]
    double *covector; // [3 rows]
} snBones;

snStatus snBones_Make(snBones **bones, const snBonesDef *def, const snContext *context,
                      snError *error);
void snBones_Destroy(snBones *bones); // accepts NULL

// Of the pose in links[], or beyond the first guess by values[]: turned, origin, linear.
void snBones_Pose(snBones *bones);
// From rest to where a link is.
snAffine snBones_Transform(const snBones *bones, int link);

// Where a point of a link is, in the pose of the last call. Motion of the whole about a centre, and none at all.
snVec3 snBones_Point(const snBones *bones, int point);
void snBones_SetVelocity(snBones *bones, snVec3 center, snVec3 velocity, snVec3 spin);
struct snBodyStir; // body.h
void snBones_Stir(snBones *bones, const struct snBodyStir *stir);
void snBones_Stop(snBones *bones);
// What joints hold that are beyond their ranges, J, in the pose in links[].
double snBones_EndsEnergy(const snBones *bones);
// Keeps where links and vertices are; puts them back there, still.
void snBones_Keep(snBones *bones, const snLatticeState *state);
void snBones_Return(snBones *bones, snLatticeState *state);

// Of the coming step, from links[], speeds[], gravity and joints[]: the first guess, in which links go on as they did, or as `turn` and
// `move` of those that nothing searches for have been set.
void snBones_Guess(snBones *bones);

// ---- the search's ---------------------------------------------------------------------------------

// Another first guess: links go on, or those which something searches for stand still.
void snBones_GuessAgain(snBones *bones, snLatticeState *state, bool still);
// Once targets and first guess are there. False: G has no factor.
bool snBones_Begin(snBones *bones, snLatticeState *state, const snLatticeDrive *drive);
// Vertices on bones, and the targets of those that hang on the rig, where values[] have the links.
void snBones_Show(snBones *bones, snLatticeState *state);
// What links add to the objective; with `gradient`, what elements and inertia pull at vertices on bones goes to
// their rows of state->gradient, to which others then add. Then all of it over the unknowns.
double snBones_AddTerms(snBones *bones, snLatticeState *state, bool gradient);
void snBones_FindGradient(snBones *bones, const snLatticeState *state);
// The inverse of the whole matrix: covectors over free vertices, [free * 4], and unknowns, [rows * 4], to ways.
void snBones_Solve(snBones *bones, double *free, double *rows);
// Loads at vertices on bones, [vertices * 4], to covectors, and ways to theirs.
void snBones_Load(snBones *bones, const double *vertices, double *rows);
void snBones_Carry(snBones *bones, const double *rows, double *vertices);
// Whether no hand holds it; then of the inertia's part along a shift of the whole: the slope, and such a shift.
bool snBones_IsFree(const snBones *bones);
snVec3 snBones_Slope(const snBones *bones, const snLatticeState *state);
void snBones_Shift(snBones *bones, snLatticeState *state, snVec3 shift);
// At the step's end: links[] and speeds of points.
void snBones_Finish(snBones *bones);
// Velocities of vertices on bones and of points, by a way.
void snBones_AddVelocity(snBones *bones, snLatticeState *state, const double *rows);

// Links go on by a way, over a time, with the vertices on them; between steps.
void snBones_Move(snBones *bones, snLatticeState *state, const double *rows, double time);

// ---- bones_meet.c: what bodies of other models push -------------------------------------------------

// A mean of vertices; and scratch: [vertices * 4], [rows * 4].
typedef struct snBonesEnd {
    int count;
    const int *vertex;
    const double *weight;
} snBonesEnd;
typedef struct snBonesRoom {
    double *load, *rows;
} snBonesRoom;
size_t snBones_YieldSize(const snBones *bones);
void snBones_YieldColumn(snBones *bones, const snBonesEnd *end, snBonesRoom *room, double *column);
snMat3 snBones_YieldRow(const snBones *bones, const snBonesEnd *end, const double *column);
// Impulses' ways are added in the room, and then carried out.
void snBones_AddYield(const snBones *bones, const double *column, snVec3 impulse,
                      snBonesRoom *room);
void snBones_Yield(snBones *bones, snLatticeState *state, const snBonesRoom *room, double time);

// ---- contacts' ------------------------------------------------------------------------------------

// A row over vertices as links feel it: over their affine motions, [columns].
void snBones_Column(const snBones *bones, int count, const int *vertex, const double *weight,
                    double *column);
// Adds a row times a normal to bones->covector, and clears it.
void snBones_AddCovector(snBones *bones, int count, const int *vertex, const double *weight,
                         snVec3 normal);
void snBones_ClearCovector(snBones *bones);
// The covector as the answer of an entry at a place; products of two are what links add to G of contacts.
void snBones_KeepAnswer(snBones *bones, int place, int entry);
double snBones_Answer(const snBones *bones, int place, int entry, int other, int otherEntry);
void snBones_ForgetAnswers(snBones *bones);

#endif
