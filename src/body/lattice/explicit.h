// Explicit steps, as they were taken when bodies with linear deformations were new: to compare with. For solids of few
// functions, without contacts and ties.
//
//     q̈ = W Q,   W = M⁻¹ by a dense factor,   Q = -∂V/∂q + gravity, drag, damping, pulls,
//
// and for points that are held at n, c = J q - n, the force Jᵀλ (snConstraintSet, on top of M) with
//
//     (J W Jᵀ) λ = -(J W Q + 2 ċ/τ + c/τ²):   c̈ = -2 ċ/τ - c/τ²,
//
// so that what is off dies away in a few τ whatever the masses are. (The paper adds -(α c + β ċ) to the force: its gains are
// then in N/m, and right for one mass alone.) Taken by Euler's explicit rule, or by Runge and Kutta's of fourth order.
// Both blow up where steps are longer than about 2/ω of the quickest that swings: that is what they show.
#ifndef SN_BODY_LATTICE_EXPLICIT_H
#define SN_BODY_LATTICE_EXPLICIT_H

#include "body/lattice/pull.h"
#include "body/lattice/step.h"

#define SN_EXPLICIT_FUNCTIONS 400 // most

typedef struct snExplicit snExplicit;
snStatus snExplicit_Make(snExplicit **out, const snLatticeModel *model, int mostHeld,
                         const snContext *context, snError *error);
void snExplicit_Destroy(snExplicit *explicit); // accepts NULL

// A point that is held, by the model's vertices.
typedef struct snExplicitHold {
    int count;
    const int *vertex;
    const double *weight;
    snVec3 target;
} snExplicitHold;

typedef struct snExplicitStep {
    double length; // s
    snVec3 gravity;
    double drag, stiffness; // 1/s; how many times as stiff as it was built
    bool planar;
    int pullCount; // springs and forces, for a step of this length (pull.h)
    const snLatticePull *pulls;
} snExplicitStep;

// In a step: clears, adds points, takes it. The last is false where something is no longer finite.
void snExplicit_Clear(snExplicit *explicit);
void snExplicit_Hold(snExplicit *explicit, const snExplicitHold *hold);
bool snExplicit_Take(snExplicit *explicit, snLatticeState *state, const snExplicitStep *step);

#endif
