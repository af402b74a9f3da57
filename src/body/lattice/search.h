// Minimises the step's objective (step.c) over the free vertices, from the first guess in
// state->next, with targets in state->target and in the elements. The drive's points are where
// they should be in the first guess, and stay there; its contacts have begun.
#ifndef SN_BODY_LATTICE_SEARCH_H
#define SN_BODY_LATTICE_SEARCH_H

#include "body/lattice/step.h"

// The end of the step goes to state->next, its strain to the elements. Returns false when
// some objective is not a number, or a body is torn beyond what its material can find back from.
bool snSearch_Minimise(const snLatticeModel *model, snLatticeState *state,
                       const snLatticeDrive *drive);

#endif
