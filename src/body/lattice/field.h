// Integrals of a field over the part of the body where it is not zero: ∫_Ω s(x) φ_a(x) dx for every
// lattice vertex a. With s = 1 within a radius of the bones and 0 elsewhere that is the integral of
// φ_a over the volume Γ of the twist constraint.
#ifndef SN_BODY_LATTICE_FIELD_H
#define SN_BODY_LATTICE_FIELD_H

#include "body/lattice/quadrature.h"

typedef struct snFieldDef {
    const snLattice *lattice;
    int level; // of subdivision; 1 gives 96 samples in a tet
    // s at a point, >= 0. Where it is 0 nobody asks whether the point is inside.
    double (*field)(const void *user, snVec3 point);
    const void *user;
    snInsideTest inside; // test == NULL: Ω = K
    snOwnerTest owner;   // owns == NULL: no two cells overlap
} snFieldDef;

// Adds to integral[a], [lattice vertices].
snStatus snIntegrateField(const snFieldDef *def, double *integral, const snContext *context,
                          snError *error);

#endif
