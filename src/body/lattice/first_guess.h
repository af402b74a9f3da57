// Where the search for a step's end begins.
#ifndef SN_BODY_LATTICE_FIRST_GUESS_H
#define SN_BODY_LATTICE_FIRST_GUESS_H

#include "body/lattice/step.h"

// state->next has the body going on as it did, and elements have their targets. Flesh on bones that is nearly incompressible begins where it
// stands still instead, relative to its bones, if that is lower in the step's objective.
void snLattice_ChooseGuess(const snLatticeModel *model, snLatticeState *state,
                           const snLatticeDrive *drive);

#endif
