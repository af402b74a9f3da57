// The rest state of a linear body, turned along with it: quasi-linear steps (Capell, Green, Curless,
// Duchamp, Popovic, "A Multiresolution Framework for Dynamic Deformations", 2002, section 4.4). Derivation
// in turning.c.
#ifndef SN_BODY_LATTICE_TURNING_H
#define SN_BODY_LATTICE_TURNING_H

#include "body/lattice/linear.h"

// Which element has the material point x₀: the one whose middle is nearest to the rest centre of mass.
// -1 when there is none.
int snTurning_FindElement(const snLatticeModel *model);

// From rest to `position`, [vertices * width], as the body is at x₀. `before` is the frame of the step
// before; NULL: there is none, and polar decomposition finds it.
snAffine snTurning_Frame(const snLatticeModel *model, const snLatticeState *state,
                         const double *position, int lane, const snAffine *before);

#endif
