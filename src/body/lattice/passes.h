// Passes over all elements of a state, shared by the solvers.
#ifndef SN_BODY_LATTICE_PASSES_H
#define SN_BODY_LATTICE_PASSES_H

#include "body/lattice/cells.h"

typedef enum snPassKind {
    SN_PASS_TARGET,       // the rig's stretch and this step's targets, from rig positions
    SN_PASS_FORCE,        // rotation, energy and corner forces
    SN_PASS_GUESS,        // the same at a step's first guess: single precision keeps its shapes
    SN_PASS_STRAIN,       // rotation, energy and the strain to remember
    SN_PASS_PROBE_TARGET, // queries: the same without damping, leaving the state's rotations alone
    SN_PASS_PROBE,
    SN_PASS_PROBE_FORCE, // corner forces likewise
} snPassKind;

// Runs a pass over all classes, of fine elements only over active ones; sum[lane] is the elements'
// energy, unscaled (NULL: not wanted), of SN_PASS_TARGET what they would hold if they stood still beside their rig. Position NULL, in single precision: the first guess moved by
// state->shift.
void snRunPass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
               const double *position, const unsigned char *active, double *sum);

// The same over some groups of one class, one after another.
typedef struct snGroupList {
    int class, count;
    const int *groups; // [count]
} snGroupList;
void snRunGroups(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
                 const double *position, const snGroupList *list);

// All groups of one class, acting or not; returns its corner forces.
const double *snRunClass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
                         int class, const double *position);

// The positions that rest stretches come from, at the time of the state: its rig's, or in full motion its
// rest shape. For target passes.
const double *snLatticeState_Stretched(const snLatticeModel *model, snLatticeState *state);

// Blocks of numbers in the element state of a class.
size_t snLatticeState_BlockCount(const snLatticeModel *model, const snLatticeState *state,
                                 int class);

#endif
