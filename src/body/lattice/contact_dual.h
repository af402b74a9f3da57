// Contacts as constraints: what touches is held out exactly, however heavy it is, by forces that are found
// among the contacts alone.
//
// The search's matrix S (step.c) says how a body gives way to forces in a step. For records r with rows
// φ_r and normals n_r, and their gaps g over what contact begins at,
//
//     G_rs = (n_r . n_s) φ_rᵀ S⁻¹ φ_s
//
// is how gap r opens under a force at s. S⁻¹ among the vertices that samples hang on is found once, at build
// (snContactGreen_Make), so G needs no back-substitution; on other rungs of a ladder (ladder.h) its columns are
// found when they are first needed (contact_rung.c). Where a direction d leads to gaps a = g + n.Φd,
// forces λ with
//
//     a + G λ + C λ >= 0,   λ >= 0,   λ . (a + G λ + C λ) = 0,       C = diag(1 / k)
//
// make d + S⁻¹Φᵀλ the step that the quadratic model of the objective has its minimum at, contacts and all.
// k is 1000 times what one contact alone would resist with: C is there for the sake of samples that are as
// good as in one place. Bodies that touch each other have one G.
//
// Several bodies take part at once where they touch; all are searched together (search.h).
#ifndef SN_BODY_LATTICE_CONTACT_DUAL_H
#define SN_BODY_LATTICE_CONTACT_DUAL_H

#include "body/lattice/contact.h"

#define SN_MOST_SKIN 4000 // vertices that samples may hang on: S⁻¹ among them is dense

typedef struct snDualEntry {
    snLatticeContacts *contacts;
    snContactRecord *record;
} snDualEntry;

// What a row of G was made of.
typedef struct snDualKey {
    const snLatticeContacts *contacts;
    const snLatticeModel *rung;
    int ladder; // which of those that were set
    int sample;
    snVec3 normal;
} snDualKey;

typedef struct snContactDual {
    int capacity; // records that can take part; of more the nearest do
    int count;
    snDualEntry *entries; // [capacity]
    double *matrix;       // [capacity²], G
    double *factor;       // [capacity²], of G + C among those that push
    double *slack;        // [capacity], gap over what contact begins at
    double *base;         // [capacity], the same without any force
    double *force;        // [capacity], λ
    double *change;       // [capacity], of it
    int *pushing;         // [capacity], numbers of those that push
    int pushingCount;
    unsigned char *pushes; // [capacity], the same as flags
    unsigned char *pushed; // [capacity], at the last snContactDual_Look
    bool factored;
    unsigned char *factoredOf; // [capacity], those that pushed then
    int lastCount;
    snDualKey *last; // [capacity], of the last step
} snContactDual;

// `most` records at once, up to a limit.
snStatus snContactDual_Make(snContactDual **dual, int most, snArena *arena, snError *error);

// S⁻¹ among the vertices that samples hang on, and the rows of `others` (NULL: none). Fails where there are
// too many.
snStatus snContactGreen_Make(snLatticeContacts *contacts, const snContactSamples *others,
                             snArena *scratch, const snContext *context, snError *error);

// Takes the records of some bodies' contacts, which must have begun (contact.h), and finds G. Leaves
// out of their lists what is beyond the capacity.
void snContactDual_Begin(snContactDual *dual, int count, snLatticeContacts *const *contacts);

// Reads the bodies' positions in their state->next: gaps, and what pushes. True where others do than the
// last time.
bool snContactDual_Look(snContactDual *dual);

// Reads directions over vertices in contacts->way, and adds to contacts->load, [vertices * 4], the forces that S⁻¹
// makes the rest of the direction from: by the conditions above, with all that may come to touch; or for
// those alone that push now, as equations.
void snContactDual_Complement(snContactDual *dual);
void snContactDual_Condense(snContactDual *dual);

// After a step, with velocities in contacts->way: adds to contacts->load the impulses by which what came
// in at a speed leaves with its share of it. False where nothing bounces.
bool snContactDual_Bounce(snContactDual *dual);

#endif
