// A lattice body that touches colliders (contact/collider.h) and itself.
//
// What touches are samples, points of the surface that hang on the lattice's vertices:
//
//     q_s = o_s + Σ_a w_sa y_a
//
// with o_s for what the drawn surface has beyond the lattice. In a step:
//     snLatticeContacts_Begin(contacts, state);             // which samples touch, at the first guess
//     snLatticeContacts_AddTerms(contacts, next, gradient); // their potential and its gradient
//     snLatticeContacts_End(contacts, state);               // what friction remembers
// Derivation in contact.c. One object for each state of one lane; what it remembers between steps is a
// block of bytes, to be saved and restored with the state.
#ifndef SN_BODY_LATTICE_CONTACT_H
#define SN_BODY_LATTICE_CONTACT_H

#include "body/lattice/pull.h"
#include "body/lattice/step.h"
#include "contact/contact.h"

#define SN_SAMPLE_TOUCHES 2 // colliders that one sample touches at a time: floor and wall
#define SN_EXACT_TOUCHES 3  // of exact contacts: the corner of a box

// Points as rows over the lattice's vertices; row s is start[s] ... start[s + 1].
typedef struct snContactSamples {
    int count;
    const int *start;     // [count + 1]
    const int *vertex;    // the lattice's numbers
    const double *weight; // they need not sum to 1
    const snVec3 *rest;   // [count], where they rest
} snContactSamples;

// Where the rig has a sample in the pose at the step's end, on the drawn surface.
typedef struct snSampleRig {
    snVec3 (*place)(const void *user, int sample);
    const void *user;
} snSampleRig;

struct snSelfContact; // self_contact.h

typedef struct snLatticeContactsDef {
    const snLatticeModel *model; // must outlive the contacts
    snContactSamples samples;    // copied
    // How firm contacts are against what a step's matrix resists with: 1 gives way by h² g / 1 under
    // its own weight. More is firmer and needs more iterations.
    double firmness;
    int iterations;   // of a step in which something touches, at least; 0: as many as of any
    double patch;     // samples nearer to each other than this at rest share a load
    double thickness; // contact begins so far out of the colliders
    double reach;     // samples as near as this to a collider are looked at
    // Contacts as constraints (contact_dual.h): nothing gives way, whatever a body weighs, samples are
    // swept along their ways so that they pass through nothing, and bounce. `firmness` is then that of
    // friction alone.
    bool exact;
    double friction; // of exact contacts, this body's own; below 0: what it touches decides alone
    double
        restitution; // of exact contacts: 0 ... 1, how much of a speed comes back; the larger counts
    // Of exact contacts: samples from this number on touch colliders only once they are in them, so that
    // there may be many; 0: none are such.
    int late;
    // What finding out how samples give way may cost, in numbers of the factor gone through for all of them; where it is more, late samples
    // are taken to be like the nearest of the others.
    double mostWork;
    // Rows of the surface that other bodies bump into (island.h), of exact contacts; NULL: none do.
    const snContactSamples *others;
    double slow;                // m/s, what comes in slower does not bounce; 0: a reach per second
    struct snSelfContact *self; // the body against itself; NULL: it passes through
    struct snBones *bones;      // that give way (bones.h), of exact contacts; NULL: none do
} snLatticeContactsDef;
snLatticeContactsDef snDefaultLatticeContactsDef(void); // without lengths, which have no default

struct snLatticeContacts;
struct snContactDual;      // contact_dual.h
struct snPointConstraints; // point.h

// A sample that touches, or may within the step.
typedef struct snContactRecord {
    int sample;
    int who; // number of the collider, SN_CONTACT_BODY + number of a body, or SN_CONTACT_SELF
    int otherCount;   // of the other side, where bodies or a body and itself touch: its row, with
    int *otherVertex; // negative weights. The model's numbers
    double *otherWeight;
    struct snLatticeContacts *other; // whose row that is; NULL: the body's own
    snVec3 normal;                   // out of what is touched
    double constant;                 // gap = normal . Σ w y + constant
    double thick;                    // δ: contact begins at this gap
    double stiffness;                // k, times h²
    double hard;                     // the same across the surface: k, but for exact contacts
    double bounce; // of exact contacts: the speed at which the sample is to leave; 0: it stays
    double drift;  // the speed of what it touches, outward
    double age;    // of self contacts: steps that it has lasted
    double bound;  // overlaps beyond it do not push harder
    double slide;  // L: how far it gives way along the surface before it slides
    snVec3 before; // Σ w x at the step's begin
    // Along the surface, from earlier steps and by the other's motion; where the body touches itself,
    // which does without friction, the place at rest where the sample goes in or out.
    snVec3 slip;
} snContactRecord;
#define SN_CONTACT_BODY 1024
#define SN_CONTACT_SELF (-2)
#define SN_CONTACT_NONE (-1)

// What a sample remembers from step to step.
typedef struct snSampleMemory {
    snVec3 slip;  // along the surface, elastic; or the place where it goes into the body itself
    double force; // normal, times h² of the model that the contacts were made for
    double age;   // of self contacts
    int who;      // what it touches
    int touching; // of its records one pushed
} snSampleMemory;

// What of contacts depends on the matrix S of a step, and so on its rung (ladder.h).
typedef struct snContactRung {
    const snLatticeModel *model;
    double *stiffness; // [samples], k
    double softness;   // mean of 1 / k
    double *give;      // [samples], of exact contacts: φᵀ S⁻¹ φ
    double meanGive;
    double squared; // (h / h of the base)²
} snContactRung;

// S⁻¹ among the vertices that samples hang on, of one rung.
typedef struct snContactGreen {
    const snLatticeModel *model; // whose; NULL: nobody's yet
    int64_t used;                // when it last was, to give way to others
    double *values;              // [skin * skin], by columns
    unsigned char *known;        // [skin], which columns are there
} snContactGreen;

// Columns S⁻¹φ of samples over the unknowns, that were solved for and are kept (contact_push.c).
typedef struct snContactColumns {
    int most, count,
        found; // that there is room for, that have places, and of these that are solved for
    const snLatticeModel *rung; // whose they are,
    int ladder;                 // of which ladder,
    uint64_t acting;            // and of which functions
    double *values;             // [most * unknowns]
    int *samples;               // [most]
    int *placeOf;               // [samples], or -1
} snContactColumns;

// What a step's search among exact contacts took (contact_dual.c), of all bodies that were searched for together.
typedef struct snContactWork {
    int rounds;    // of exchanging who pushes
    double effort; // about how many products of numbers they took
    int unmet;     // conditions that were left when the last of them ended
    int64_t columns, rowsAdded, rowsRemoved; // contact_push.h, contact_factor.h
} snContactWork;

struct snContactRungs; // contact_rung.h

typedef struct snLatticeContacts {
    snArena arena;
    const snLatticeModel *model; // of the present rung
    int sampleCount, early;      // all of them, and those that are looked at in every step
    int *start, *vertex;         // rows, the model's numbers
    double *weight;
    snVec3 *rest;
    const snContactRung *rung;        // the present one
    snContactRung base;               // that of the model they were made for
    struct snContactRungs *rungs;     // others, or NULL
    int ladders;                      // that were set so far
    double *stiffness;                // [samples], k: the rung's
    double firmness, patch, mostWork; // as in the def
    double thickness, reach;
    int iterations;
    struct snSelfContact *self;
    int touches;  // records that a sample can have, self contact aside
    int memories; // that it remembers: one, of exact contacts one for each record
    // Of exact contacts.
    double friction, restitution, slow;
    struct snContactDual *dual; // NULL: they give way
    int skinCount;              // vertices of the model that samples hang on, where S⁻¹ is kept
    int *skinOf;                // [vertices], their numbers among these, or -1
    int *skin;                  // [skin], these vertices
    snContactGreen *green;      // of the present rung
    snContactGreen ownGreen;    // that of the model they were made for, all of it
    snContactColumns columns;   // where it is not
    snContactWork work;         // of the last step
    const double *way;          // a direction or velocities, [vertices * 4]: scratch of the search
    double *load;               // [vertices * 4], forces that are to be solved for
    double *moved;              // [vertices * 4], what they move
    double *column; // [vertices], what one of them moves, along itself: of those that are asked for
    int askedCount, *asked;          // [vertices], vertices
    unsigned char *isAsked;          // [vertices]
    double *pulled, *solve;          // [unknowns * 4], scratch of the factor
    struct snPointConstraints *held; // points in their places in the present step, or NULL
    struct snTies *ties;             // hard ones of the present step to other bodies, or NULL
    struct snBones *bones;           // that give way, or NULL: known vertices stay on the rig
    bool reached;                    // by the column that is looked at
    // What there is to bump into; the caller's, set before a step. `rig` may be empty: the drawn
    // surface is then that of the lattice.
    int colliderCount;
    const snCollider *colliders;
    snSampleRig rig;
    // The same told for all samples beforehand, [samples]: what the drawn surface has beyond the lattice at the step's
    // begin and at its end; NULL: nothing. Of exact contacts, and of others instead of `rig`.
    const snVec3 *offset[2];
    // Springs and forces that act beside contacts in the coming step; the caller's.
    int pullCount;
    const snLatticePull *pulls;
    const double *rigRows;  // where the rig has the vertices then, [vertices * 4]: the drive's
    snSampleMemory *memory; // [samples * memories], saved and restored
    // Of exact contacts: how much deeper than where contact begins samples may still be that were inside of
    // something when the body was put there (contact_find.c), [samples + 1]; the last is 1 before the first step.
    // Saved and restored.
    double *plan;
    // Scratch of a step.
    int recordCount;
    snContactRecord *records; // [samples * (touches + 1)]
    int *found;               // [samples], how many of the sample's own places are taken
    snBox *boxes;             // [most colliders], grown by the reach
    snVec3 *place;            // [samples], Σ w y at the first guess; of exact contacts as drawn
    double sway; // of exact contacts: how far samples go in the step at most, and may end elsewhere
    const snLatticeState *state;
    uint64_t acting; // snActive_Hash of it: columns of S⁻¹ are of what acts
} snLatticeContacts;

// Vertices that give way: those before it.
static inline int snLatticeContacts_Moving(const snLatticeContacts *c)
{
    return c->bones ? c->model->vertexCount : c->model->freeCount;
}

// What a sample remembers of something that it touches; NULL: nothing.
static inline const snSampleMemory *snLatticeContacts_Memory(const snLatticeContacts *c, int sample,
                                                             int who)
{
    for (int k = 0; k < c->memories; k++) {
        const snSampleMemory *memory = &c->memory[sample * c->memories + k];
        if (memory->who == who) return memory;
    }
    return NULL;
}

#define SN_MOST_COLLIDERS 256

// Fails for solvers without a search (linear, blended) and for bodies with details: contact is not for these models.
snStatus snLatticeContacts_CheckModel(const snLatticeModel *model, snError *error);
// Fails for these models too.
snStatus snLatticeContacts_Make(snLatticeContacts **contacts, const snLatticeContactsDef *def,
                                const snContext *context, snError *error);
void snLatticeContacts_Destroy(snLatticeContacts *contacts); // accepts NULL

// Steps may be those of a ladder's rungs (ladder.h): what depends on their matrices is made ready, beyond S⁻¹
// itself, whose columns are found in the step that first needs them. Replaces what was made for another ladder;
// NULL: none. The ladder must outlive the contacts, or the next call.
snStatus snLatticeContacts_SetLadder(snLatticeContacts *contacts, const struct snLadder *ladder,
                                     const snContext *context, snError *error);
// From now on steps are those of a rung. False where the contacts do not have it: they stay as they are.
bool snLatticeContacts_Climb(snLatticeContacts *contacts, const snLatticeModel *rung);

// Nothing touches yet: when a body is put somewhere anew.
void snLatticeContacts_Reset(snLatticeContacts *contacts);

// Finds what touches at state->next; returns how many records there are. Allocates nothing.
int snLatticeContacts_Begin(snLatticeContacts *contacts, const snLatticeState *state,
                            const double *rig);
// The same in two halves, between which other bodies add what they touch (island.h).
void snLatticeContacts_Look(snLatticeContacts *contacts, const snLatticeState *state,
                            const double *rig);
int snLatticeContacts_Gather(snLatticeContacts *contacts);

// The contacts' part of the step's objective at a position, [vertices * 4]; its gradient is added to
// [freeCount * 4], with bones [vertices * 4] (NULL: not wanted).
double snLatticeContacts_AddTerms(const snLatticeContacts *contacts, const double *position,
                                  double *gradient);

// Adds the same gradient at the step's end to the loads of bodies with levels (space_levels.h), own and others'.
void snLatticeContacts_AddLoads(const snLatticeContacts *contacts);

// y += C x with C its second derivatives at a position, over [freeCount * 3].
void snLatticeContacts_AddCurvature(const snLatticeContacts *contacts, const double *position,
                                    const double *x, double *y);

// dᵀ C d for a direction over [freeCount * 4]; of exact contacts that of friction alone.
double snLatticeContacts_Curvature(const snLatticeContacts *contacts, const double *position,
                                   const double *direction);

// Keeps what friction remembers, at the step's end in state->next.
void snLatticeContacts_End(snLatticeContacts *contacts, const snLatticeState *state);

// How deep the samples are in colliders and in the body itself at a position, at worst, and how many
// are deeper than a limit. Of the records of the last Begin.
snContactReport snLatticeContacts_Report(const snLatticeContacts *contacts, const double *position,
                                         double limit);

size_t snLatticeContacts_SaveSize(const snLatticeContacts *contacts);
void snLatticeContacts_Save(const snLatticeContacts *contacts, void *bytes);
void snLatticeContacts_Restore(snLatticeContacts *contacts, const void *bytes);
// Takes over the springs of other contacts of the same samples, whose step is `ratio` times as long, and
// what they remember.
void snLatticeContacts_TakeOver(snLatticeContacts *contacts, const snLatticeContacts *other,
                                double ratio);

#endif
