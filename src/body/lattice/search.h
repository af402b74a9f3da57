// Minimises the step's objective (step.c) over the free vertices, from the first guess in
// state->next, with targets in state->target and in the elements. The drive's points are where
// they should be in the first guess, and stay there; its contacts have begun.
#ifndef SN_BODY_LATTICE_SEARCH_H
#define SN_BODY_LATTICE_SEARCH_H

#include "body/lattice/step.h"

struct snContactDual;

// The end of the step goes to state->next, its strain to the elements. Returns false when
// some objective is not a number, or a body is torn beyond what its material can find back from.
bool snSearch_Minimise(const snLatticeModel *model, snLatticeState *state,
                       const snLatticeDrive *drive);

// A body of several that touch each other.
typedef struct snSearchBody {
    const snLatticeModel *model;
    snLatticeState *state;
    const snLatticeDrive *drive;
    struct snTies *
        ties; // of points that are tied to each other (tie.h), at the first body of theirs; or NULL
    // The search's own.
    struct snPointConstraints *points;  // that are projected, or NULL
    struct snMultipliers *multipliers;  // of points that are held by them, or NULL
    struct snLatticeContacts *contacts; // those that there are, or NULL
    struct snBones *bones;              // that give way, or NULL: the drive's
    int unknowns;                       // free vertices and slots, or functions
    double *values;                     // of the unknowns: state->next, or its coefficients
    double *gradient;                   // over the unknowns
    double begun;                       // the elastic part of the objective where the step begins
    double flesh[SN_MAX_LANES];         // the elastic part where it was asked for last ...
    double squares[SN_MAX_LANES];       // ... and that of inertia, springs and bones
    bool turned;                        // both matrices; points know only the scalar one
} snSearchBody;

// One search over the unknowns of all of them, each of one lane: the matrix is that of each by itself, all
// go the same share of a direction, and what one gets by touching another that one gives, also where the
// search is not at its end. `dual` has their contacts (contact_dual.h), or is NULL.
bool snSearch_Together(int count, snSearchBody *bodies, struct snContactDual *dual);

// With velocities at a step's end: gives what bounces the speed at which it leaves.
void snSearch_Bounce(int count, snSearchBody *bodies, struct snContactDual *dual);

#endif
