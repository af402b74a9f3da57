// Minimises the step's objective (step.c) over the free vertices, from the first guess in
// state->next, with targets in state->target and in the elements. `points` (or NULL) are where they
// should be in the first guess, and stay there.
#ifndef SN_BODY_LATTICE_SEARCH_H
#define SN_BODY_LATTICE_SEARCH_H

#include "body/lattice/step.h"

// The end of the step goes to state->next, its strain to the elements. Returns false when
// some objective is not a number, or a body is torn beyond what its material can find back from.
bool snSearch_Minimise(const snLatticeModel *model, snLatticeState *state,
                       struct snPointConstraints *points);

#endif
