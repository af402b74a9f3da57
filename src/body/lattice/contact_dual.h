// Contacts as constraints: what touches is held out exactly, however heavy it is, by forces that are found
// among the contacts alone.
//
// The search's matrix S (step.c) says how a body gives way to forces in a step. For records r with rows
// φ_r and normals n_r, and their gaps g over what contact begins at,
//
//     G_rs = (n_r . n_s) φ_rᵀ S⁻¹ φ_s
//
// is how gap r opens under a force at s. Where a direction d leads to gaps a = g + n.Φd, forces λ with
//
//     a + G λ + C λ >= 0,   λ >= 0,   λ . (a + G λ + C λ) = 0,       C = diag(1 / k)
//
// make d + S⁻¹Φᵀλ the step that the quadratic model of the objective has its minimum at, contacts and all.
// k is 1000 times what one contact alone would resist with: C is there for the sake of samples that are as
// good as in one place. Bodies that touch each other have one G.
//
// Any number of records may take part, and few of them push: no more than a body has ways to move. So G is only
// made among those that push, or did in this step (contact_push.h), and what their forces do to all others
// comes from a back-substitution. Where a body has points in their places (point.h), S⁻¹ is what it is among
// the motions that leave them there.
//
// Several bodies take part at once where they touch; all are searched together (search.h).
#ifndef SN_BODY_LATTICE_CONTACT_DUAL_H
#define SN_BODY_LATTICE_CONTACT_DUAL_H

#include "body/lattice/contact_push.h"

typedef struct snContactDual {
    int capacity; // records that can take part
    int count;
    snDualEntry *entries;  // [capacity]
    double *slack;         // [capacity], gap over what contact begins at
    double *base;          // [capacity], the same without any force
    double *force;         // [capacity], λ
    double *change;        // [capacity], of it
    unsigned char *pushes; // [capacity], those that push
    unsigned char *pushed; // [capacity], at the last snContactDual_Look
    double *held;          // [capacity], forces that no round has made worse
    double lowest;         // q of them (contact_dual.c)
    bool settled;          // these records had to be, in this step: `held` is what came of it
    double *trial;         // [capacity], scratch
    snContactWork work;    // of the step
    int allowed;           // rounds of it, ...
    double allowedEffort;  // ... or as many as take so much
    double begun;          // what they took before the present search
    snContactWork before;  // what places and factor had been asked for before it
    int bodyCount;
    snLatticeContacts **bodies; // [most bodies]
    snContactPush push;         // G among those that push, and its factor
    // Looks for records anew at the bodies' positions in their state->next, where the search has come to; NULL:
    // those of the first guess are good enough. The last looks, when the search has ended, are for whatever is still
    // inside of something. The caller's, set after Begin.
    void (*renew)(void *context, bool last);
    void *renewContext;
} snContactDual;

// Up to `most` records of `bodies` bodies.
snStatus snContactDual_Make(snContactDual **dual, int most, int bodies, snArena *arena,
                            snError *error);

// Takes the records of some bodies' contacts, which must have begun (contact.h).
void snContactDual_Begin(snContactDual *dual, int count, snLatticeContacts *const *contacts);

// The records anew, by `renew`.
void snContactDual_Renew(snContactDual *dual, bool last);

// Reads the bodies' positions in their state->next: gaps, and what pushes. True where others do than the
// last time.
bool snContactDual_Look(snContactDual *dual);

// Reads directions over vertices in contacts->way, and leaves in contacts->load, [vertices * 4], the forces that S⁻¹
// makes the rest of the direction from: by the conditions above, with all that may come to touch; or for
// those alone that push now, as equations.
void snContactDual_Complement(snContactDual *dual);
void snContactDual_Condense(snContactDual *dual);

// Where something is in what it may not be in, at the positions in state->next: leaves in contacts->load the forces that
// part all of them, and returns true.
bool snContactDual_Part(snContactDual *dual);

// After a step, with velocities in contacts->way: leaves in contacts->load the impulses by which what came
// in at a speed leaves with its share of it. False where nothing bounces.
bool snContactDual_Bounce(snContactDual *dual);

#endif
