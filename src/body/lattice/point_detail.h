// Points of a body whose finer functions come and go (active.h), details or those of a space: the part of
// snPointConstraints (point.h) that follows what acts. Derived in point_detail.c.
#ifndef SN_BODY_LATTICE_POINT_DETAIL_H
#define SN_BODY_LATTICE_POINT_DETAIL_H

#include "body/lattice/detail.h"
#include "constraint/constraint.h"

#define SN_POINT_DETAILS (7 * SN_DETAIL_LEVELS) // details that are not zero at a point, at most

typedef struct snPointDetails {
    int most; // functions that a point can hang on
    // By handle, acting or not.
    int *count;             // [capacity]
    int *detail;            // [capacity * most], functions
    double *weight;         // [capacity * most]
    unsigned char *current; // [capacity], 1: terms and column are those of what acts
    // What acted when columns were solved last.
    int seenCount;
    int *seen;                   // [slots], details in the order of L
    double *seenPivot;           // [slots], L's diagonal
    const snLatticeState *state; // while columns are solved; else NULL
    double *wide;                // [unknowns * 4], scratch
    int *index;                  // terms of a point that is brought up to date
    double *terms;               //
} snPointDetails;

// For a model with such functions. `terms` is what a point has at most over what always acts.
snStatus snPointDetails_Make(snPointDetails *details, const snLatticeModel *model, int capacity,
                             int terms, snArena *arena, snError *error);

// Finds the details that a point of the rest shape in a cell hangs on (-1: none).
void snPointDetails_Attach(snPointDetails *details, const snLatticeModel *model, int handle,
                           int cell, snVec3 point);
// Adds to the weight of a function of a space; false where there is no room for it.
bool snPointDetails_Add(snPointDetails *details, int handle, int function, double weight);
void snPointDetails_Release(snPointDetails *details, int handle);

// Terms and columns of all constraints as of the details that act in a state: nothing to do where these
// are the same as last time. False when a column is not finite.
bool snPointDetails_Update(snPointDetails *details, const snLatticeModel *model,
                           snConstraintSet *set, const snLatticeState *state);

// y = A⁻¹ x over unknowns, with the functions that act in details->state.
void snPointDetails_Solve(snPointDetails *details, const snLatticeModel *model, const double *x,
                          double *y);

#endif
