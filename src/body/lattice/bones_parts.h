// What the files of bones that give way share among themselves.
#ifndef SN_BODY_LATTICE_BONES_PARTS_H
#define SN_BODY_LATTICE_BONES_PARTS_H

#include "body/lattice/bones.h"
#include "body/lattice/contact_push.h"
#include "body/lattice/row.h"
#include "body/lattice/space.h"

// How links answer at rest: bones->give.
snStatus snBones_FindGive(snBones *bones, snError *error); // bones_solve.c

// G of the pose that the first guess has, with what joints add, and its factor. False: it is not positive.
bool snBones_Factorise(snBones *bones); // bones_solve.c

// Sums of forces and moments on links, about the middle, to covectors over unknowns at the pose at hand (`linear`:
// where values are 0).
void snBones_FromWrenches(const snBones *bones, bool linear, double *rows); // bones_solve.c

// δ of exp(θ + δθ) = exp(θ) exp(δ): δ = J(θ) δθ; and of the way back.
snMat3 snTurnSlope(snVec3 turn);
snMat3 snTurnSlopeInverse(snVec3 turn);

#endif
